"""NumPy, PyTorch, CuPy and JAX arrays: results belong to the library of the argument."""
from __future__ import annotations

import copyreg
import operator
import sys
from typing import Any

import numpy as np

from . import _larmor
from .errors import UsageError


def library_of(array: Any) -> str:
    """The top-level module name of an array's type."""
    return type(array).__module__.partition(".")[0]


def unmasked(array: Any) -> Any:
    """The same; refuses a masked array of NumPy, whose elements below the mask others would use."""
    if isinstance(array, np.ma.MaskedArray):
        raise UsageError("a masked array has undefined elements: fill it, for example with .filled(0)")
    return array


_torch_dtypes: dict[np.dtype[Any], Any] = {}


def empty(shape: tuple[int, ...], dtype: np.dtype[Any], like: Any, context: _larmor.Context) -> Any:
    """An uninitialised array on the context's device, of the library of `like`."""
    library = library_of(like)
    if library == "numpy":
        unmasked(like)
        return np.empty(shape, dtype)
    if library == "torch":
        torch = sys.modules["torch"]
        if not _torch_dtypes:
            _torch_dtypes.update({np.dtype(name): getattr(torch, name) for name in ("complex64", "complex128")})
        return torch.empty(shape, dtype=_torch_dtypes[dtype], device=like.device)
    if library == "cupy":
        with like.device:
            return sys.modules["cupy"].empty(shape, dtype)
    if context.device != "cpu":
        if library in ("jax", "jaxlib"):
            return _larmor.empty(context, dtype == np.complex128, list(shape))
        raise UsageError(f"the operator works on {context.device}, so it takes arrays of CuPy, PyTorch or JAX on that device, not of {library}")
    return np.empty(shape, dtype)


def given_back(array: Any, like: Any) -> Any:
    """A result of empty() as an array of the library of `like`; JAX arrays wrap others."""
    if library_of(like) in ("jax", "jaxlib"):
        return sys.modules["jax"].dlpack.from_dlpack(array)
    return array


def imported(array: Any, library: str) -> Any:
    """A device array of the library as one of CuPy, PyTorch or JAX."""
    if library == "torch":
        import torch
        return torch.from_dlpack(array)
    if library in ("jax", "jaxlib"):
        import jax
        return jax.dlpack.from_dlpack(array)
    import cupy
    return cupy.from_dlpack(array)


def on_host(array: Any, dtype: Any) -> np.ndarray:
    """A copy or view on the CPU, in C order: for data from which an operator is made, not for its arguments."""
    unmasked(array)
    if hasattr(array, "detach"):
        array = array.detach().cpu()
    elif library_of(array) == "cupy":
        array = array.get()
    try:
        found = np.asarray(array)
        if found.dtype.kind == "c" and np.dtype(dtype).kind == "f":
            raise UsageError(f"an array is {found.dtype}, expected real numbers: take .real; or for a trajectory kx + i ky "
                             "give np.stack([k.real, k.imag], -1)")
        return np.ascontiguousarray(found, dtype=dtype)
    except (TypeError, ValueError) as error:
        raise error if isinstance(error, UsageError) else UsageError(f"an array of numbers was expected: {error}")


def left_there(array: Any, dtype: Any, device: str) -> Any:
    """As on_host(), but a CuPy or PyTorch array on that device stays there."""
    library = library_of(array)
    if device == "cpu" or device_of(array) != device or library not in ("cupy", "torch"):
        return on_host(array, dtype)
    name = np.dtype(dtype).name
    if "complex" in str(array.dtype) and "complex" not in name:
        raise UsageError(f"an array is {array.dtype}, expected real numbers: take .real; or for a trajectory kx + i ky "
                             "give np.stack([k.real, k.imag], -1)")
    if library == "torch":
        return array.detach().to(getattr(sys.modules["torch"], name)).contiguous()
    with array.device:
        return sys.modules["cupy"].ascontiguousarray(array, dtype)


def largest(array: Any) -> np.ndarray:
    """The largest magnitude of each column of an array returned by left_there(), on the CPU."""
    if len(array) == 0:
        return np.zeros(array.shape[-1])
    return on_host(abs(array).amax(0) if library_of(array) == "torch" else abs(array).max(0), np.float64)


def columns_reversed(array: Any) -> Any:
    """Reverses the last axis of an array returned by left_there(), in C order."""
    library = library_of(array)
    return array.flip(-1) if library == "torch" else sys.modules[library].ascontiguousarray(array[..., ::-1])


def beside(values: Any, like: Any) -> Any:
    """Some numbers as an array with the library, type and device of another one returned by left_there()."""
    if library_of(like) == "torch":
        return like.new_tensor(values)
    if library_of(like) == "cupy":
        with like.device:
            return sys.modules["cupy"].asarray(values, like.dtype)
    return np.array(values, like.dtype)


def device_of(array: Any) -> str:
    """Device of an array: "cpu", "cuda:0", …"""
    place = getattr(array, "__dlpack_device__", None)
    kind, ordinal = place() if place is not None else (1, 0)
    return f"cuda:{ordinal}" if kind == 2 else "cpu"  # DLPack's number for memory of CUDA


def is_array(value: Any) -> bool:
    """True for an array, false for a number or an operator."""
    return hasattr(value, "__dlpack__") or hasattr(value, "__array_interface__")


def whole(value: Any, name: str) -> int:
    """A whole number; others are refused, 2.0 too."""
    try:
        number = operator.index(value)
    except TypeError:
        raise UsageError(f"{name} is {value!r}, expected a whole number") from None
    if not -2**63 <= number < 2**63:
        raise UsageError(f"{name} is {number}, expected a whole number of 64 bits")
    return number


def text(value: Any, name: str, such_as: str) -> str:
    """A text; anything else is refused."""
    if not isinstance(value, str):
        raise UsageError(f"{name} is {value!r}, expected a text such as {such_as!r}")
    return value


def extents(shape: Any, least: int = 0) -> list[int]:
    """A shape as a list; one number is a shape of one axis."""
    if isinstance(shape, str) or not hasattr(shape, "__iter__"):
        shape = [shape]
    sizes = [whole(extent, "an extent of a shape") for extent in shape]
    if sizes and not least <= min(sizes) <= max(sizes) < 2**31:
        raise UsageError(f"a shape is {sizes}, expected extents from {least} to {2**31 - 1}")
    return sizes


Context = _larmor.Context
# A copy, perhaps in another process, uses the context that the process shares for the device.
copyreg.pickle(Context, lambda context: (context_for, (None, context.device)))
cuda_device_count = _larmor.cuda_device_count
_contexts: dict[str, _larmor.Context] = {}
_threads = 0


def context_for(context: _larmor.Context | None, device: str | None) -> _larmor.Context:
    """The given context, or the one that the process shares for a device."""
    if context is not None:
        if not isinstance(context, _larmor.Context):
            raise UsageError(f"context is {context!r}, expected a larmor.Context, such as larmor.Context(\"cuda\")")
        if device is not None and device != context.device:
            raise UsageError(f"device is {device}, but the context works on {context.device}: give only one of them")
        return context
    device = "cpu" if device is None else text(device, "device", "cuda:0")
    if device not in _contexts:
        _contexts[device] = _larmor.Context(device, _threads)
    return _contexts[device]


def share_processors(threads: int) -> None:
    """Sets the number of threads of contexts that are created for a device from now on."""
    global _threads
    _threads = threads
    _contexts.clear()
