"""Iterative reconstruction of non-Cartesian MRI: operators, solvers, and complete reconstructions."""
from ._larmor import Context, cuda_device_count, version as __version__
from .errors import InputError, InternalError, LarmorError, LarmorWarning, ResourceError, UsageError
from .interop import from_scipy, from_sigpy
from .operators import (CoilMaps, Diagonal, Fft, Gradient, Identity, LinearOperator, Nufft, Sense, Wavelet, batched,
                        block_diag, density_weights, hstack, trajectory_in_cycles, vstack)
from .ranks import Ranks, init_distributed
from .scans import (Image, ImageData, Reconstruction, Scan, Selection, coil_maps, field_map, match,
                    option_names, read_ismrmrd, reconstruct, simulate)
from .solvers import (ProximalTerm, Regularizer, Solution, admm, conjugate_gradient, fista, lsmr, pdhg,
                      regularizer_help, solve, solver_names)

__all__ = [
    "Context", "__version__", "cuda_device_count",
    "InputError", "InternalError", "LarmorError", "LarmorWarning", "ResourceError", "UsageError",
    "from_scipy", "from_sigpy",
    "CoilMaps", "Diagonal", "Fft", "Gradient", "Identity", "LinearOperator", "Nufft", "Sense", "Wavelet", "batched",
    "block_diag", "density_weights", "hstack", "trajectory_in_cycles", "vstack",
    "Ranks", "init_distributed",
    "Image", "ImageData", "Reconstruction", "Scan", "Selection", "coil_maps", "field_map", "match",
    "option_names", "read_ismrmrd", "reconstruct", "simulate",
    "ProximalTerm", "Regularizer", "Solution", "admm", "conjugate_gradient", "fista", "lsmr", "pdhg", "regularizer_help",
    "solve", "solver_names",
]
