import inspect
import pathlib

import pytest

import larmor

PROGRAM = """
import numpy as np
import larmor
A = larmor.Nufft(np.zeros((10, 2)), (8, 8), order="xyz")
solution: larmor.Solution = larmor.solve(A, np.zeros(10, np.complex64), "l2:1e-3")
found = larmor.reconstruct("a.h5", regularizer="wavelet:auto", iterations=50, matrix=(64, 48), no_whiten=True)
found.write("image.nii")
larmor.reconstruct("a.h5", iteratons=50)
larmor.reconstruct("a.h5", regularizer=3)
"""


def test_options_are_in_the_signature_and_help():
    parameters = inspect.signature(larmor.reconstruct).parameters
    assert set(larmor.option_names()) <= set(parameters)
    assert parameters["solver"].annotation.startswith("Literal['auto', 'cg', ") and parameters["iterations"].annotation == "int | None"
    assert "    solve_fov: solve on a field of view" in larmor.reconstruct.__doc__
    assert not any(one.kind is one.VAR_KEYWORD for one in parameters.values())


def test_types_are_checked():
    run = pytest.importorskip("mypy.api").run
    config = ["--strict", "--config-file", str(pathlib.Path(__file__).parents[2] / "pyproject.toml")]
    assert run([*config, "-p", "larmor"])[0].startswith("Success")
    wrong = run([*config, "-c", PROGRAM])[0]
    assert '"iteratons" for "reconstruct"; did you mean "iterations"?' in wrong and 'Argument "regularizer"' in wrong
    assert "Found 2 errors" in wrong
