"""BART's pairs of files. Their dimensions are column-major: those of a C-ordered array, reversed."""
import numpy as np


def read_cfl(path):
    """A C-ordered array without axes of length 1."""
    dims = path.with_suffix(".hdr").read_text().split("\n")[1].split()
    return np.fromfile(path.with_suffix(".cfl"), np.complex64).reshape([int(d) for d in dims][::-1]).squeeze()


def write_cfl(path, array, dims):
    path.with_suffix(".hdr").write_text("# Dimensions\n" + " ".join(map(str, dims)) + "\n")
    np.ascontiguousarray(array, dtype=np.complex64).tofile(path.with_suffix(".cfl"))
