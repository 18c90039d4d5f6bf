"""Linear operators: A @ x, A.H @ y, A.N, A @ B, A + B, 2 * A."""
from __future__ import annotations

import math
import numbers
import warnings
from functools import partial
from operator import attrgetter
from typing import Any, Literal, Sequence, get_args

import numpy as np

from . import _larmor
from .arrays import (Context, beside, columns_reversed, context_for, device_of, empty, extents, given_back, is_array, largest,
                     left_there, on_host, text, whole)
from .errors import LarmorWarning, UsageError

Order = Literal["xyz", "zyx"]
Units = Literal["normalised", "cycles/fov", "radians"]
# A trajectory that ends at the edge of k-space may exceed it slightly.
_beyond = 0.1
_no_order = ("order is not given: 'zyx' if column i of the trajectory belongs to axis i of the image (SigPy, mri-nufft, FINUFFT), "
             "'xyz' if column 0 belongs to its last axis (ISMRMRD, BART)")


def _precision(dtype: Any) -> np.dtype[Any]:
    found: np.dtype[Any] = np.dtype(dtype)
    if found not in (np.complex64, np.complex128):
        raise UsageError(f"dtype is {found}, expected complex64 or complex128")
    return found


def checked(operator: Any) -> LinearOperator:
    """Returns the operator; raises an error if it is not one."""
    if not isinstance(operator, LinearOperator):
        raise UsageError(f"{operator!r} is not a larmor.LinearOperator")
    return operator


class LinearOperator:
    """A linear map between complex arrays.

    To write your own operator, derive from this class: call ``super().__init__(domain, codomain)`` and write ``apply(self, x)`` and
    ``adjoint(self, y)``, which return NumPy arrays. It works with every solver and can be combined with the operators of
    the library. Both functions may modify and keep the arrays that they receive. On a GPU (device="cuda"), these are
    arrays of the library named in the class attribute array_library: "cupy", "torch" or "jax".
    """

    array_library = "cupy"

    __array_ufunc__ = None  # NumPy leaves x @ A and 2 * A to this class.

    def __init__(self, domain: Sequence[int], codomain: Sequence[int], dtype: Any = np.complex64, *,
                 device: str | None = None, context: Context | None = None) -> None:
        self._context = context_for(context, device)
        self._domain = tuple(extents(domain))
        self._codomain = tuple(extents(codomain))
        self._dtype = _precision(dtype)
        self._normal: _larmor.Operator | None = None

    def __getattr__(self, name: str) -> Any:
        if name in ("_context", "_domain", "_codomain", "_dtype", "_normal", "_handle"):
            raise UsageError(f"{type(self).__name__}.__init__ has not called super().__init__(domain, codomain)")
        kind = type(self).__name__.replace("_Native", "LinearOperator")
        raise AttributeError(f"'{kind}' object has no attribute '{name}'")

    @property
    def domain(self) -> tuple[int, ...]:
        """The shape of x in y = A @ x."""
        return self._domain

    @property
    def codomain(self) -> tuple[int, ...]:
        """The shape of y in y = A @ x."""
        return self._codomain

    @property
    def dtype(self) -> np.dtype[Any]:
        """complex64 or complex128."""
        return self._dtype

    @property
    def context(self) -> Context:
        """Resources of the operator."""
        return self._context

    @property
    def device(self) -> str:
        """"cpu", "cuda:0", …"""
        return self._context.device

    @property
    def handle(self) -> _larmor.Operator:
        """The operator's handle in the library, which does not keep this object alive: Python's garbage collector cannot see
        cycles through the library."""
        return _larmor.own_operator(self._context, self._dtype == np.complex128, list(self._domain),
                                    list(self._codomain), self)

    def own_parts(self) -> list[LinearOperator]:
        """The operators written in Python that this one contains."""
        return [self]

    def check_adjoint(self) -> float:
        """|⟨A x, A x⟩ − ⟨x, Aᴴ A x⟩| / ‖A x‖² for a random x, on the CPU: 1e-6 or less in complex64 if adjoint() is right."""
        rng = np.random.default_rng(1)
        x = (rng.standard_normal(self._domain) + 1j * rng.standard_normal(self._domain)).astype(self._dtype)
        y = self.H.H @ x  # by the library, which refuses what has another shape or type
        squared = np.vdot(y, y).real
        return float(abs(squared - np.vdot(x, self.H @ y)) / squared) if squared > 0 else 0.0

    def __getstate__(self) -> dict[str, Any]:
        return dict(self.__dict__, _normal=None)  # computed again on the next access

    def apply(self, x: Any) -> Any:
        """A x."""
        raise NotImplementedError(f"{type(self).__name__} has no apply(self, x)")

    def adjoint(self, y: Any) -> Any:
        """Aᴴ y."""
        raise NotImplementedError(f"{type(self).__name__} has no adjoint(self, y)")

    def normal(self, *, weights: Any = None, toeplitz: str = "auto", expected_applies: int = 30,
               byte_limit: int = 0) -> LinearOperator:
        """AᴴA, or AᴴWA with weights [samples] of the codomain's last axes, in its fastest known form. toeplitz: "auto", "on" or
        "off". Solvers take weights= themselves."""
        A = self if weights is None else _Native(_larmor.Operator.weighted, self, np.array(on_host(weights, np.float64)))
        return _Native(_larmor.Operator.normal, A, toeplitz, expected_applies, byte_limit)

    @property
    def H(self) -> LinearOperator:
        """The adjoint operator."""
        return _Native(_larmor.adjoint_of, self)

    @property
    def N(self) -> LinearOperator:
        """AᴴA in its fastest known form, found once."""
        if self._normal is None:
            self._normal = self.handle.normal("auto", 30, 0)
        return _Native(_larmor.Operator.normal, self, "auto", 30, 0, handle=self._normal)

    def __matmul__(self, other: Any) -> Any:
        if isinstance(other, LinearOperator):
            return _Native(_larmor.product, [self, other])
        if is_array(other):
            return self.apply(other)
        return NotImplemented

    def __call__(self, x: Any) -> Any:
        return self.apply(x)

    def __mul__(self, other: Any) -> Any:
        if isinstance(other, numbers.Complex):
            return _Native(_larmor.scaled, complex(other), self)
        return NotImplemented

    __rmul__ = __mul__

    def __truediv__(self, other: Any) -> Any:
        return self * (1 / other) if isinstance(other, numbers.Complex) else NotImplemented

    def __add__(self, other: Any) -> Any:
        if isinstance(other, LinearOperator):
            return _Native(_larmor.sum, [self, other])
        return NotImplemented

    def __sub__(self, other: Any) -> Any:
        return self + -1 * other if isinstance(other, LinearOperator) else NotImplemented

    def __neg__(self) -> LinearOperator:
        return _Native(_larmor.scaled, -1 + 0j, self)

    def reshape(self, domain: Sequence[int], codomain: Sequence[int]) -> LinearOperator:
        """The same operator between arrays of other shapes and equal sizes."""
        return _Native(_larmor.reshaped, self, extents(domain), extents(codomain))

    def describe(self) -> str:
        """The tree of operators in this one, one per line."""
        return self.handle.describe()

    def __repr__(self) -> str:
        return f"<larmor {type(self).__name__} {list(self.domain)} -> {list(self.codomain)} {self.dtype} on {self.device}>"

    def to_scipy(self) -> Any:
        """The operator on flat vectors, as a scipy.sparse.linalg.LinearOperator."""
        from .interop import to_scipy
        return to_scipy(self)

    def to_sigpy(self) -> Any:
        """The operator as a sigpy.linop.Linop."""
        from .interop import to_sigpy
        return to_sigpy(self)


def _handles(argument: Any) -> Any:
    """An argument of the library's functions, with Python's operators replaced by their handles."""
    if isinstance(argument, list):
        return [_handles(one) for one in argument]
    return argument.handle if isinstance(argument, LinearOperator) else argument


def _remade(kind: type[_Native], function: str, arguments: tuple[Any, ...]) -> _Native:
    operator: _Native = object.__new__(kind)
    _Native.__init__(operator, attrgetter(function)(_larmor), *arguments)
    return operator


class _Native(LinearOperator):
    """An operator of the library: the result of a function, whose arguments are kept for copies."""

    def __init__(self, function: Any, *arguments: Any, handle: _larmor.Operator | None = None) -> None:
        made: _larmor.Operator = function(*_handles(list(arguments))) if handle is None else handle
        super().__init__(made.domain, made.codomain, np.complex128 if made.is_double else np.complex64, context=made.machine)
        self._handle = made
        self._made = function, arguments

    def own_parts(self) -> list[LinearOperator]:
        parts: list[LinearOperator] = []
        for argument in self._made[1]:
            for part in argument if isinstance(argument, list) else [argument]:
                if isinstance(part, LinearOperator):
                    parts.extend(own for own in part.own_parts() if own not in parts)
        return parts

    def __reduce__(self) -> tuple[Any, ...]:
        function, arguments = self._made
        return _remade, (type(self), function.__qualname__, arguments)

    @property
    def handle(self) -> _larmor.Operator:
        return self._handle

    def apply(self, x: Any, out: Any = None) -> Any:
        """A x: into `out`, or into a new array of x's library."""
        if out is not None:
            self._handle.apply(x, out)
            return out
        result = empty(self._codomain, self._dtype, x, self._context)
        self._handle.apply(x, result)
        return given_back(result, x)

    def adjoint(self, y: Any, out: Any = None) -> Any:
        """Aᴴ y: into `out`, or into a new array of y's library."""
        if out is not None:
            self._handle.adjoint(y, out)
            return out
        result = empty(self._domain, self._dtype, y, self._context)
        self._handle.adjoint(y, result)
        return given_back(result, y)

    def __repr__(self) -> str:
        return (f"<larmor {self._handle.name} {list(self.domain)} -> {list(self.codomain)} {self.dtype} on "
                f"{self.device}>")


def edges(shape: Sequence[int], units: str) -> np.ndarray:
    """The value at the edge of k-space, for columns x, y, z."""
    sizes = extents(shape, 1)
    known = {"normalised": [0.5] * len(sizes), "cycles/fov": [n / 2 for n in reversed(sizes)], "radians": [math.pi] * len(sizes)}
    if units not in known:
        raise UsageError(f"units is '{units}', expected {', '.join(known)}")
    return np.array(known[units])


def is_zyx(order: str | None, dims: int) -> bool:
    """True if the columns of a trajectory are z, y, x. Two or three columns need an order: no guess is right for all."""
    if order is None and dims > 1:
        raise UsageError(_no_order)
    if order not in (None, "xyz", "zyx"):
        raise UsageError(f"order is {order!r}, expected 'xyz' or 'zyx'")
    return order == "zyx"


def trajectory_in_cycles(trajectory: Any, shape: Sequence[int], *, order: Order | None = None,
                         units: Units = "normalised") -> np.ndarray:
    """Points [samples, dims] with columns x, y, z in cycles per pixel, float64, as operators use them.

    order: "zyx" if column i belongs to axis i of the image (SigPy, mri-nufft, FINUFFT), "xyz" if column 0 belongs to its last,
    fastest axis (ISMRMRD, BART). Required for two or three columns.
    units: those of --traj-units. The value at the edge of k-space is 0.5 ("normalised"), N/2 ("cycles/fov"), π ("radians").
    """
    points: np.ndarray = _in_cycles(on_host(trajectory, np.float64), shape, order, units)
    return points


def _in_cycles(points: Any, shape: Sequence[int], order: str | None, units: str) -> Any:
    """The same for an array of NumPy, CuPy or PyTorch, which stays in its library and on its device."""
    sizes = extents(shape, 1)
    if points.ndim < 1 or points.shape[-1] != len(sizes):
        raise UsageError(f"trajectory has the shape {list(points.shape)}; expected [..., {len(sizes)}], a column for "
                         f"each axis of the image {sizes}")
    points = points.reshape(-1, len(sizes))
    if is_zyx(order, len(sizes)):
        points = columns_reversed(points)
    edge = edges(sizes, units)
    farthest = largest(points)
    if np.any(np.isfinite(farthest) & (farthest > (1 + _beyond) * edge)):
        fitting = [f'"{other}"' for other in get_args(Units) if np.all(farthest <= (1 + _beyond) * edges(sizes, other))]
        raise UsageError(f"the trajectory reaches {', '.join(f'{k:.3g}' for k in farthest)} in x, y, z, expected at most "
                         f"{', '.join(f'{k:.3g}' for k in edge)} with units=\"{units}\": "
                         + (f"give units={' or '.join(fitting)}" if fitting else "give another shape, or fewer samples"))
    for other in get_args(Units):  # a small part of k-space in these units is possible, but other units cover all of it
        if np.all(2 * farthest < edge) and np.all(np.abs(farthest / edges(sizes, other) - 1) <= _beyond):
            warnings.warn(f"with units=\"{units}\" the trajectory covers {100 * (farthest / edge).max():.2g} % of k-space, with "
                          f"units=\"{other}\" all of it", LarmorWarning, stacklevel=3)
    return points * beside(0.5 / edge, points)


def _place_of(array: Any, device: str | None, context: Context | None) -> Context:
    """Context of an operator made from an array."""
    if array is None:
        raise UsageError("an array is None, expected one of numbers")
    return context_for(context, device_of(array) if device is None and context is None else device)


class Nufft(_Native):
    """Non-uniform Fourier transform of an image [(coils,) (z,) (y,) x] to samples [(coils,) samples]:

    s_j = 1 / √N  Σ_x ρ(x) exp(−2πi k_j·x),  x integer pixels from −⌊N/2⌋.

    trajectory [..., dims]; its leading axes are flattened. order, required for two or three dimensions: "zyx" if column i
    belongs to axis i of the image (SigPy, mri-nufft, FINUFFT), "xyz" if column 0 belongs to its last axis (ISMRMRD, BART,
    Selection.load()). units: value at the edge of k-space, 0.5 ("normalised"), N/2 ("cycles/fov") or π ("radians"). coils: length of a
    leading axis of images and samples; None: no such axis. Density weights are passed to the solver (weights=).
    tolerance: acceptable relative error. method: "gridding", or "matrix" for a stored sparse matrix.
    It works on the device of the trajectory, unless a device or context is given.
    """

    def __init__(self, trajectory: Any, shape: Sequence[int], *, coils: int | None = None, tolerance: float = 1e-3,
                 dtype: Any = np.complex64, order: Order | None = None, units: Units = "normalised",
                 oversampling: float = 0.0, method: Literal["gridding", "matrix"] = "gridding", scaled: bool = True,
                 device: str | None = None, context: Context | None = None) -> None:
        place = _place_of(trajectory, device, context)
        points = _in_cycles(left_there(trajectory, np.float64, place.device), shape, order, units)
        super().__init__(_larmor.nufft, place, _precision(dtype) == np.complex128, points,
                         extents(shape), 0 if coils is None else whole(coils, "coils"), float(tolerance),
                         float(oversampling), text(method, "method", "gridding"), bool(scaled))

    def measured_error(self, targets: int = 1000) -> float:
        """Relative l2 error of the forward transform of random data, compared with exact sums at `targets` samples."""
        return self._handle.measured_error(targets)


class _OfValues(_Native):
    """An operator made from an array that the library has copied: its values are recovered by applying it to ones."""

    def __init__(self, function: Any, values: Any, context: Context) -> None:
        super().__init__(function, context, values)
        self._made = function, (context,)

    def __reduce__(self) -> tuple[Any, ...]:
        if self.device != "cpu":
            raise UsageError(f"{self!r} cannot be copied or pickled: its values are on a GPU; keep the array that it was made from")
        return partial(type(self), context=self.context), (self.apply(np.ones(self.domain, self.dtype)),)


class CoilMaps(_OfValues):
    """Multiplication of an image [(z,) y, x] by coil maps [coils, (z,) y, x]. The maps are copied. It works on their
    device, unless a device or context is given."""

    def __init__(self, maps: Any, *, device: str | None = None, context: Context | None = None) -> None:
        super().__init__(_larmor.coil_maps, maps, _place_of(maps, device, context))


class Diagonal(_OfValues):
    """Elementwise multiplication by weights. The weights are copied. It works on their device, unless a device
    or context is given."""

    def __init__(self, weights: Any, *, device: str | None = None, context: Context | None = None) -> None:
        super().__init__(_larmor.diagonal, weights, _place_of(weights, device, context))


class Identity(_Native):
    """y = x."""

    def __init__(self, shape: Sequence[int], *, dtype: Any = np.complex64, device: str | None = None,
                 context: Context | None = None) -> None:
        super().__init__(_larmor.identity, context_for(context, device), _precision(dtype) == np.complex128,
                         extents(shape))


def _last_axes(count: int | None, sizes: list[int]) -> int:
    """Number of last axes; None: all."""
    count = len(sizes) if count is None else whole(count, "the number of axes")
    if not 1 <= count <= len(sizes):
        raise UsageError(f"{count} axes of an array of shape {sizes}, expected 1 to {len(sizes)}")
    return count


def _axis(axis: int, rank: int) -> int:
    if not -rank <= whole(axis, "an axis") < rank:
        raise UsageError(f"there is no axis {axis} in an array of {rank} axes")
    return axis % rank


class Fft(_Native):
    """Centred, unitary Fourier transform of the last `axes` axes (default: all); 0 is at index ⌊N/2⌋."""

    def __init__(self, shape: Sequence[int], *, axes: int | None = None, dtype: Any = np.complex64,
                 device: str | None = None, context: Context | None = None) -> None:
        sizes = extents(shape)
        super().__init__(_larmor.fft, context_for(context, device), _precision(dtype) == np.complex128, sizes,
                         _last_axes(axes, sizes))


class Wavelet(_Native):
    """Orthogonal wavelet transform (Daubechies) of the last `space` axes (default: all)."""

    def __init__(self, shape: Sequence[int], *, space: int | None = None, vanishing_moments: int = 4, levels: int = 4,
                 dtype: Any = np.complex64, device: str | None = None, context: Context | None = None) -> None:
        sizes = extents(shape)
        super().__init__(_larmor.wavelet, context_for(context, device), _precision(dtype) == np.complex128, sizes,
                         _last_axes(space, sizes), whole(vanishing_moments, "vanishing_moments"), whole(levels, "levels"))


class Gradient(_Native):
    """Forward differences along axes (default: all): [shape] -> [axes, shape]; the last of a line is zero."""

    def __init__(self, shape: Sequence[int], *, axes: Sequence[int] | None = None, dtype: Any = np.complex64,
                 device: str | None = None, context: Context | None = None) -> None:
        sizes = extents(shape)
        chosen = range(len(sizes)) if axes is None else axes
        super().__init__(_larmor.gradient, context_for(context, device), _precision(dtype) == np.complex128, sizes,
                         [_axis(axis, len(sizes)) for axis in chosen])


def Sense(trajectory: Any, maps: Any, **options: Any) -> LinearOperator:
    """The SENSE model: Nufft(trajectory, …, coils=…) @ CoilMaps(maps). options: those of Nufft, of which
    order is required."""
    if options.get("context") is None and options.get("device") is None:
        options["device"] = device_of(maps)
    place = {name: options[name] for name in ("device", "context") if name in options}
    double = "complex128" in str(getattr(maps, "dtype", ""))
    options.setdefault("dtype", np.complex128 if double else np.complex64)
    coil_maps = CoilMaps(maps, **place)
    return _Native(_larmor.product, [Nufft(trajectory, coil_maps.domain, coils=coil_maps.codomain[0], **options), coil_maps])


def vstack(operators: Sequence[LinearOperator]) -> LinearOperator:
    """(A₁ x, A₂ x, …), one flat vector."""
    return _Native(_larmor.vstack, [checked(a) for a in operators])


def hstack(operators: Sequence[LinearOperator]) -> LinearOperator:
    """A₁ x₁ + A₂ x₂ + …, with x₁, x₂, … along a new first axis."""
    return _Native(_larmor.hstack, [checked(a) for a in operators])


def block_diag(operators: Sequence[LinearOperator]) -> LinearOperator:
    """(A₁ x₁, A₂ x₂, …), with one flat vector as input and output."""
    return _Native(_larmor.block_diag, [checked(a) for a in operators])


def batched(operator: LinearOperator, count: int) -> LinearOperator:
    """The same operator for each of `count` entries of a new first axis."""
    return _Native(_larmor.batched, checked(operator), whole(count, "count"))


def density_weights(trajectory: Any, shape: Sequence[int], *, iterations: int = 4, order: Order | None = None,
                    units: Units = "normalised", device: str | None = None,
                    context: Context | None = None) -> np.ndarray:
    """Density weights [samples] of any trajectory, by Pipe and Menon's iteration, for weights= of a solver.
    order and units: as for Nufft."""
    return np.asarray(_larmor.density_weights(context_for(context, device), trajectory_in_cycles(trajectory, shape, order=order, units=units),
                                              extents(shape), whole(iterations, "iterations")))


__all__ = ["LinearOperator", "Nufft", "CoilMaps", "Diagonal", "Identity", "Fft", "Wavelet", "Gradient", "Sense",
           "vstack", "hstack", "block_diag", "batched", "density_weights", "trajectory_in_cycles"]
