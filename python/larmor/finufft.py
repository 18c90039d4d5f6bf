"""Transforms with FINUFFT's interface: nufft1d1 … nufft3d3 and Plan, with its names, order of axes and units.

Points in radians, periodic with 2π in types 1 and 2; the first coordinate belongs to the first axis; sums are not scaled.
isign: sign of the exponent, + unless given in types 1 and 3, − in type 2. modeord 0: frequencies ascend, 1: FFT order.
Arrays are NumPy's, PyTorch's, CuPy's or JAX's; results are of the library that the data came from, on the same device.
upsampfac is the oversampling of the grid, if the tolerance can be reached with it. A tolerance that is out of reach is loosened,
beyond four times with a warning. FINUFFT's other options concern its own implementation and are refused.
"""
from __future__ import annotations

import math
import warnings
from typing import Any, Sequence

import numpy as np

from . import _larmor
from .arrays import context_for, device_of, empty, extents, given_back, is_array, on_host, unmasked, whole
from .errors import LarmorWarning, UsageError

# Factors by which a tolerance that is out of reach is loosened, the largest total factor, and the largest one without a
# warning, as in the C library with FINUFFT's names.
_LOOSENING, _MOST_LOOSENED, _UNNOTICED_LOOSENING = 1.25, 1e3, 4.0


def _points(*coordinates: Any) -> np.ndarray:
    """Coordinates, first axis first, as the library's columns, fastest axis first."""
    given = [on_host(c, np.float64) for c in coordinates if c is not None]
    for c in given:
        if c.ndim != 1 or c.shape != given[0].shape:
            raise UsageError(f"coordinates have the shapes {[list(other.shape) for other in given]}; expected one axis of "
                             "one length")
    return np.ascontiguousarray(np.stack(given[::-1], axis=1))


def _array(data: Any) -> Any:
    return unmasked(data) if is_array(data) else np.asarray(data)


def _dtype_name(array: Any) -> str:
    return str(array.dtype).rpartition(".")[2]  # PyTorch's have the library in front


class Plan:
    """Plan, set points, execute any number of times; n_trans transforms are computed together for the same points.

    device: "cpu", "cuda", …; without it the plan works on the device of the points given to setpts(). adjoint=False:
    does not store the tables of execute_adjoint(), which must then not be called.
    """

    def __init__(self, nufft_type: int, n_modes_or_dim: int | Sequence[int], n_trans: int = 1, eps: float = 1e-6,
                 isign: int | None = None, dtype: Any = "complex128", *, modeord: int = 0, upsampfac: float = 0.0,
                 adjoint: bool = True, device: str | None = None, context: Any = None) -> None:
        if nufft_type not in (1, 2, 3):
            raise UsageError(f"nufft_type is {nufft_type}, expected 1, 2 or 3")
        dtype = np.dtype(dtype)
        complex_of = {"float32": "complex64", "float64": "complex128"}
        dtype = np.dtype(complex_of.get(dtype.name, dtype.name))
        if dtype not in (np.complex64, np.complex128):
            raise UsageError(f"dtype is {dtype}, expected complex64 or complex128")
        if modeord not in (0, 1):
            raise UsageError(f"modeord is {modeord}, expected 0 or 1")
        sign = (-1 if nufft_type == 2 else 1) if isign is None else (1 if isign >= 0 else -1)
        if nufft_type == 3:
            if not isinstance(n_modes_or_dim, (int, np.integer)):
                raise UsageError("type 3 takes a number of dimensions, not a shape of modes")
            self.dim, self.n_modes = whole(n_modes_or_dim, "the number of dimensions"), tuple[int, ...]()
        else:
            self.n_modes = tuple(extents(n_modes_or_dim))
            self.dim = len(self.n_modes)
        if self.n_modes and min(self.n_modes) < 1:
            raise UsageError(f"n_modes is {list(self.n_modes)}, expected numbers from 1")
        if not 1 <= self.dim <= 3:
            raise UsageError(f"there are {self.dim} dimensions, expected 1 to 3")
        self.type, self.n_trans = nufft_type, whole(n_trans, "n_trans")
        self.dtype: np.dtype[Any] = dtype
        self._points: int | None = None
        self._frequencies: int | None = None
        # The accuracy of single precision according to FINUFFT: smaller tolerances are not promised.
        eps = max(float(eps), 1e-6 if dtype == np.complex64 else 1e-14)
        self._setting: tuple[Any, ...] = (dtype == np.complex128, nufft_type, list(self.n_modes), eps, sign, modeord == 1, self.n_trans,
                         upsampfac, adjoint)
        self._follows_points = device is None and context is None
        self._work_on(context_for(context, device))

    def _work_on(self, context: Any) -> None:
        self._context, self._transform = context, _larmor.transform(context, *self._setting)

    def setpts(self, x: Any = None, y: Any = None, z: Any = None, s: Any = None, t: Any = None, u: Any = None) -> None:
        """Sets the points, and the frequencies of type 3, as copies."""
        if self._follows_points and device_of(x) != self._context.device:
            self._work_on(context_for(None, device_of(x)))
        if x is None or (self.type == 3 and s is None):
            raise UsageError("setpts without points" if x is None else "setpts of type 3 without the frequencies s")
        points = _points(*(x, y, z)[:self.dim])
        frequencies = _points(*(s, t, u)[:self.dim]) if self.type == 3 else None
        for array in (points, frequencies):
            if array is not None and array.shape[1] != self.dim:
                raise UsageError(f"{array.shape[1]} coordinates were given, expected {self.dim}")
        self._points, self._frequencies = points.shape[0], None if frequencies is None else frequencies.shape[0]
        if frequencies is None:
            points /= 2 * np.pi
        else:
            frequencies /= 2 * np.pi
        self._reach(points, frequencies)

    def _reach(self, points: np.ndarray, frequencies: np.ndarray | None) -> None:
        """With the requested oversampling, otherwise with another, otherwise with the smallest tolerance that can be
        reached."""
        double, kind, modes, eps, sign, fft_order, count, upsampfac, adjoint = self._setting
        looser = 1.0
        while True:
            try:
                self._transform.set_points(points, frequencies)
                break
            except UsageError:
                if upsampfac != 0:
                    upsampfac = 0.0
                elif looser < _MOST_LOOSENED:
                    looser *= _LOOSENING
                else:
                    raise
            self._transform = _larmor.transform(self._context, double, kind, modes, eps * looser, sign, fft_order, count,
                                                upsampfac, adjoint)
        if looser > _UNNOTICED_LOOSENING:
            warnings.warn(f"a tolerance of {eps:.1e} is out of reach here; {eps * looser:.1e} is used", LarmorWarning,
                          stacklevel=3)

    def _shapes(self) -> tuple[tuple[Any, ...], tuple[Any, ...]]:
        batch: tuple[Any, ...] = (self.n_trans,) if self.n_trans > 1 else ()
        points = batch + (self._points,)
        if self.type == 3:
            return points, batch + (self._frequencies,)
        modes = batch + self.n_modes
        return (points, modes) if self.type == 1 else (modes, points)

    def _execute(self, data: Any, out: Any, adjoint: bool) -> Any:
        if self._points is None:
            raise UsageError("execute before setpts")
        shapes = self._shapes()
        expected, given = shapes if not adjoint else shapes[::-1]
        data = _array(data)
        if _dtype_name(data) != self.dtype.name:
            raise UsageError(f"data is {data.dtype}, expected {self.dtype}: convert it, or make the plan with another dtype")
        if math.prod(data.shape) != math.prod(expected):
            raise UsageError(f"data has the shape {list(data.shape)}, expected {list(expected)}")
        result = empty(given, self.dtype, data, self._context) if out is None else out
        if out is not None and math.prod(out.shape) != math.prod(given):
            raise UsageError(f"out has the shape {list(out.shape)}, expected {list(given)}")
        self._transform.execute(data, result, adjoint)
        return given_back(result, data) if out is None else out

    def execute(self, data: Any, out: Any = None) -> Any:
        """Strengths to modes, modes to values, or strengths to values, depending on the type."""
        return self._execute(data, out, False)

    def execute_adjoint(self, data: Any, out: Any = None) -> Any:
        """The adjoint of execute()."""
        return self._execute(data, out, True)


def _once(kind: int, dim: int, points: Sequence[Any], data: Any, modes: Any, frequencies: Sequence[Any], out: Any,
          eps: float, isign: int | None, options: dict[str, Any]) -> Any:
    data = _array(data)
    axes = dim if kind == 2 else 1
    if _dtype_name(data) not in ("complex64", "complex128"):
        raise UsageError(f"data is {data.dtype}, expected complex64 or complex128")
    if kind == 2:
        modes = data.shape[-dim:]
    elif kind == 1:
        modes = out.shape[-dim:] if modes is None and out is not None else modes
        if modes is None:
            raise UsageError("type 1 needs the number of modes, or out")
        modes = (int(modes),) if isinstance(modes, (int, np.integer)) else tuple(modes)
        if len(modes) == 1:
            modes = modes * dim
    else:
        modes = dim
    if "context" not in options:
        options.setdefault("device", device_of(data))
    plan = Plan(kind, modes, data.shape[0] if data.ndim > axes else 1, eps, isign, _dtype_name(data), adjoint=False,
                **options)
    plan.setpts(*points, *([None] * (3 - dim)), *frequencies)
    return plan.execute(data, out)


def nufft1d1(x: Any, c: Any, n_modes: Any = None, out: Any = None, eps: float = 1e-6, isign: int = 1, **options: Any) -> Any:
    """f[k] = Σ c[j] exp(±i k x[j])"""
    return _once(1, 1, (x,), c, n_modes, (), out, eps, isign, options)


def nufft1d2(x: Any, f: Any, out: Any = None, eps: float = 1e-6, isign: int = -1, **options: Any) -> Any:
    """c[j] = Σ f[k] exp(±i k x[j])"""
    return _once(2, 1, (x,), f, None, (), out, eps, isign, options)


def nufft1d3(x: Any, c: Any, s: Any, out: Any = None, eps: float = 1e-6, isign: int = 1, **options: Any) -> Any:
    """f[k] = Σ c[j] exp(±i s[k] x[j])"""
    return _once(3, 1, (x,), c, None, (s,), out, eps, isign, options)


def nufft2d1(x: Any, y: Any, c: Any, n_modes: Any = None, out: Any = None, eps: float = 1e-6, isign: int = 1,
             **options: Any) -> Any:
    """f[k1, k2] = Σ c[j] exp(±i (k1 x[j] + k2 y[j]))"""
    return _once(1, 2, (x, y), c, n_modes, (), out, eps, isign, options)


def nufft2d2(x: Any, y: Any, f: Any, out: Any = None, eps: float = 1e-6, isign: int = -1, **options: Any) -> Any:
    """c[j] = Σ f[k1, k2] exp(±i (k1 x[j] + k2 y[j]))"""
    return _once(2, 2, (x, y), f, None, (), out, eps, isign, options)


def nufft2d3(x: Any, y: Any, c: Any, s: Any, t: Any, out: Any = None, eps: float = 1e-6, isign: int = 1, **options: Any) -> Any:
    """f[k] = Σ c[j] exp(±i (s[k] x[j] + t[k] y[j]))"""
    return _once(3, 2, (x, y), c, None, (s, t), out, eps, isign, options)


def nufft3d1(x: Any, y: Any, z: Any, c: Any, n_modes: Any = None, out: Any = None, eps: float = 1e-6, isign: int = 1,
             **options: Any) -> Any:
    """f[k1, k2, k3] = Σ c[j] exp(±i (k1 x[j] + k2 y[j] + k3 z[j]))"""
    return _once(1, 3, (x, y, z), c, n_modes, (), out, eps, isign, options)


def nufft3d2(x: Any, y: Any, z: Any, f: Any, out: Any = None, eps: float = 1e-6, isign: int = -1, **options: Any) -> Any:
    """c[j] = Σ f[k1, k2, k3] exp(±i (k1 x[j] + k2 y[j] + k3 z[j]))"""
    return _once(2, 3, (x, y, z), f, None, (), out, eps, isign, options)


def nufft3d3(x: Any, y: Any, z: Any, c: Any, s: Any, t: Any, u: Any, out: Any = None, eps: float = 1e-6, isign: int = 1,
             **options: Any) -> Any:
    """f[k] = Σ c[j] exp(±i (s[k] x[j] + t[k] y[j] + u[k] z[j]))"""
    return _once(3, 3, (x, y, z), c, None, (s, t, u), out, eps, isign, options)


__all__ = ["Plan"] + [f"nufft{dim}d{kind}" for dim in (1, 2, 3) for kind in (1, 2, 3)]
