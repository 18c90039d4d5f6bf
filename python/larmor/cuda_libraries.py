"""CUDA's libraries as installed by pip."""
from __future__ import annotations

import ctypes
import glob
import importlib.util
import os


def load() -> None:
    """Loads cuFFT from the packages that PyTorch, CuPy or JAX installed; the module finds loaded libraries."""
    found = importlib.util.find_spec("nvidia")
    for folder in found.submodule_search_locations or () if found is not None else ():
        for path in glob.glob(os.path.join(folder, "*", "lib", "libcufft.so.[0-9]*")):
            ctypes.CDLL(path)
