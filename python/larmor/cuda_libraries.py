"""CUDA's libraries where pip puts them."""
from __future__ import annotations

import ctypes
import glob
import importlib.util
import os


def load() -> None:
    """Loads cuFFT of the packages that PyTorch, CuPy or JAX came with; the module finds what is loaded."""
    found = importlib.util.find_spec("nvidia")
    for folder in found.submodule_search_locations or () if found is not None else ():
        for path in glob.glob(os.path.join(folder, "*", "lib", "libcufft.so.[0-9]*")):
            ctypes.CDLL(path)
