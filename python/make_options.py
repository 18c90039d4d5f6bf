"""Writes options.py beside the module: the options of reconstruct() with their types and lines of help.

    make_options.py FOLDER    where the module _larmor is, and options.py goes
"""
import pathlib
import re
import sys

folder = pathlib.Path(sys.argv[1])
sys.path.insert(0, str(folder))
import _larmor  # noqa: E402

# Capitalised words that stand for values in the help.
TYPES = {"FILE": "str | PathLike[str] | ArrayLike", "NAME": "str", "NAMES": "str", "COLUMNS": "str", "BYTES": "int | str",
         "N": "int", "I": "int", "J": "int", "T": "float", "F": "float", "S": "float", "P": "float", "A:B": "int | str | range",
         "N[,N[,N]]": "int | Sequence[int]", "MM[,MM[,MM]]": "float | Sequence[float]", "X,Y[,XY": "Sequence[float]", ",Z]": "str",
         "NAME:LAMBDA[:key=value...]": "str | Regularizer | Sequence[str | Regularizer]"}


def type_of(name: str, flag: bool, value: str) -> str:
    if flag:
        return "bool"
    words = value.split("|")
    chosen = [word for word in words if re.fullmatch(r"[a-z0-9/-]+", word)]
    parts = [f"Literal[{', '.join(map(repr, chosen))}]"] if chosen else []
    parts += [part for word in words if word not in chosen for part in TYPES.get(word, "str").split(" | ")]
    if name in ("noise", "calibration"):  # of scans, not of numbers
        parts[parts.index("ArrayLike"):] = ["Scan"] if name == "noise" else []
    return " | ".join(dict.fromkeys(parts))


lines = ['"""The options of reconstruct(), as `recon run` has them. Made by make_options.py when the module is built."""',
         "from __future__ import annotations", "",
         "from typing import TYPE_CHECKING, Literal, Sequence, TypedDict", "",
         "if TYPE_CHECKING:", "    from os import PathLike", "", "    from numpy.typing import ArrayLike", "",
         "    from .scans import Scan", "    from .solvers import Regularizer", "", "",
         "class Options(TypedDict, total=False):",
         '    """Each is as its option of the command; None: the default."""', ""]
for name, flag, value, text in _larmor.options():
    lines += [f"    {name}: {type_of(name, flag, value)} | None", f'    """{text}"""'.replace("\\", "\\\\")]
(folder / "options.py").write_text("\n".join(lines) + "\n", encoding="utf-8")
