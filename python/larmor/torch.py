"""Transforms that PyTorch can differentiate with respect to the data and the trajectory."""
from __future__ import annotations

import ctypes
import math
import weakref
from typing import Any, Sequence

import numpy as np
import torch

from . import operators
from .errors import UsageError

if not hasattr(torch.autograd.Function, "setup_context"):
    raise ImportError(f"larmor.torch needs PyTorch 2.0 or later, this is {torch.__version__}")


def _tensor(values: Any, name: str, dtype: torch.dtype) -> torch.Tensor:
    if not isinstance(values, torch.Tensor):
        raise UsageError(f"{name}: expected a tensor of PyTorch, got {type(values).__name__}; torch.from_numpy() converts "
                         "NumPy arrays")
    if values.dtype != dtype:
        raise UsageError(f"{name} is {values.dtype}, expected {dtype}: convert it with {name}.to({dtype}), or make the Nufft "
                         "with another dtype")
    return values


_memcmp = ctypes.CDLL(None).memcmp
_memcmp.argtypes = [ctypes.c_void_p, ctypes.c_void_p, ctypes.c_size_t]


def _same(a: torch.Tensor, b: torch.Tensor) -> bool:
    """Contiguous tensors of the same bits. torch.equal takes six times as long on the CPU."""
    if a.device != b.device or a.dtype != b.dtype or a.shape != b.shape:
        return False
    if a.device.type != "cpu":
        return torch.equal(a, b)
    return int(_memcmp(a.data_ptr(), b.data_ptr(), a.numel() * a.element_size())) == 0


class Nufft(torch.nn.Module):
    """The non-uniform Fourier transform of larmor.Nufft as a function of tensors.

    F(image) gives samples, F.adjoint(samples) gives images. Both are differentiable, several times, with respect to their
    argument and to `trajectory` if it requires a gradient. Images have any leading axes before [(coils,) (z,) y, x]; torch.vmap adds
    one. The plan is reused until the values of the trajectory change. It works on the device of the trajectory. Arguments
    are those of larmor.Nufft; order is required for two or three dimensions. Density weights w multiply samples:
    F.adjoint(w * (F(x) - y)) is the gradient of ½ Σ w |F x − y|². F includes the factor 1/√pixels: with D dimensions, samples are
    2^(D/2) times those of torchkbnufft with norm="ortho" and its default grid.

    It is a module without parameters. As an attribute of the module that owns the trajectory as a parameter or buffer, it follows
    that attribute: through load_state_dict(assign=True), torch.func.functional_call, or another parameter in its place.
    """

    def __init__(self, trajectory: torch.Tensor, shape: Sequence[int], *, coils: int | None = None,
                 tolerance: float | None = None, dtype: torch.dtype = torch.complex64,
                 order: operators.Order | None = None, units: operators.Units = "normalised", **options: Any) -> None:
        if not isinstance(trajectory, torch.Tensor) or trajectory.shape[-1] != len(shape):
            raise UsageError(f"trajectory is not a tensor [..., {len(shape)}], a column for each axis of the image")
        if dtype not in (torch.complex64, torch.complex128):
            raise UsageError(f"dtype is {dtype}, expected torch.complex64 or torch.complex128")
        super().__init__()
        self._zyx = operators.is_zyx(order, len(shape))
        self._scale = [0.5 / edge for edge in operators.edges(shape, units)]
        # Not registered as a parameter of this module, where it would have another name in a model's state.
        self.__dict__.update(_given=trajectory, _owner=None)
        self.shape, self.coils = tuple(int(n) for n in shape), coils
        self.dtype, self.order, self.units = dtype, order, units
        self._options = dict(options, tolerance=tolerance or (1e-3 if dtype == torch.complex64 else 1e-9),
                             coils=coils,
                             dtype=np.complex64 if dtype == torch.complex64 else np.complex128)
        # The points, and an operator for each number of images at a time.
        self._made: tuple[torch.Tensor, dict[int, Any]] | None = None

    def __getstate__(self) -> dict[str, Any]:
        # A copy makes new plans, and belongs to the copy of the module.
        return dict(self.__dict__, _made=None, _owner=self._owner and (self._owner[0](), self._owner[1]))

    def __setstate__(self, state: dict[str, Any]) -> None:
        super().__setstate__(state)
        if self._owner is not None:
            self._belong(*self._owner)

    def _belong(self, module: torch.nn.Module | None, key: str) -> None:
        self.__dict__["_owner"] = None if module is None else (weakref.ref(module), key)

    @property
    def trajectory(self) -> torch.Tensor:
        """The given tensor, or the current attribute of its module."""
        module = None if self._owner is None else self._owner[0]()
        return self._given if module is None else getattr(module, self._owner[1])

    @property
    def operator(self) -> operators.LinearOperator:
        """The operator for the current trajectory."""
        return self._operator(self._points())

    def forward(self, image: torch.Tensor) -> torch.Tensor:
        """Samples of an image."""
        return _Forward.apply(_tensor(image, "image", self.dtype), self._points(), self)

    def adjoint(self, samples: torch.Tensor) -> torch.Tensor:
        """The adjoint: images of samples."""
        return _Adjoint.apply(_tensor(samples, "samples", self.dtype), self._points(), self)

    def _operator(self, points: torch.Tensor, images: int = 1) -> Any:
        # Compared by value: .data, NumPy and others change a tensor without changing its version.
        points = points.detach().contiguous()
        if self._made is None or not _same(self._made[0], points):
            self._made = points.clone(), {}
        known = self._made[1]
        if images not in known:
            options = dict(self._options)
            if images > 1:
                options["coils"] = images * (self.coils or 1)
            known[images] = operators.Nufft(points, self.shape, order="xyz", **options)
        return known[images]

    def _points(self) -> torch.Tensor:
        """[samples, dims] in cycles per pixel, columns x, y, z, as a function of the trajectory."""
        points = self.trajectory.reshape(-1, len(self.shape))
        if self._zyx:
            points = points.flip(-1)
        if len(set(self._scale)) == 1:  # one number needs no copy to a GPU
            return points * float(self._scale[0])
        return points * torch.tensor(self._scale, dtype=points.dtype, device=points.device)

    def _run(self, values: torch.Tensor, points: torch.Tensor, adjoint: bool) -> torch.Tensor:
        """Leading axes are transformed together, like coils."""
        coils = () if self.coils is None else (self.coils,)
        domain, codomain = (*coils, *self.shape), (*coils, points.shape[0])
        if adjoint:
            domain, codomain = codomain, domain
        values = values.detach().resolve_conj().contiguous()
        lead = values.shape[:values.dim() - len(domain)]
        if values.dim() < len(domain) or tuple(values.shape[len(lead):]) != domain:
            raise UsageError(f"{'samples' if adjoint else 'image'}: expected the shape [..., {str(list(domain))[1:-1]}], got "
                             f"{list(values.shape)}")
        result = torch.empty(*lead, *codomain, dtype=self.dtype, device=values.device)
        images = math.prod(lead)
        if images > 0:
            operator = self._operator(points, images)
            method = operator.adjoint if adjoint else operator.apply
            joined = images > 1 or bool(coils)
            first = [images * (self.coils or 1)] if joined else []
            method(values.view(*first, *domain[len(coils):]), out=result.view(*first, *codomain[len(coils):]))
        return result

    def _ramps(self, image: torch.Tensor) -> list[torch.Tensor]:
        """−2πi times the pixels' coordinates, for columns x, y, z: the factor of images in a derivative by the points."""
        ramps = []
        for column in range(len(self.shape)):
            axis = len(self.shape) - 1 - column
            n = self.shape[axis]
            position = torch.arange(n, dtype=torch.float64, device=image.device) - n // 2
            ramp = (-2j * math.pi * position).to(self.dtype)
            ramps.append(ramp.reshape([-1 if a == axis else 1 for a in range(len(self.shape))]))
        return ramps

    def _by_points(self, image: torch.Tensor, samples: torch.Tensor, points: torch.Tensor) -> torch.Tensor:
        """d/dk Re⟨samples, A image⟩."""
        columns = []
        for ramp in self._ramps(image):
            moved = _Forward.apply(ramp * image, points, self)
            columns.append((samples.conj() * moved).real.reshape(-1, points.shape[0]).sum(0))
        return torch.stack(columns, -1).to(points.dtype)


class _Transform(torch.autograd.Function):
    """Common base of both directions: values, points [samples, dims] and the Nufft."""

    @staticmethod
    def setup_context(ctx: Any, inputs: tuple[Any, ...], output: torch.Tensor) -> None:
        values, points, ctx.nufft = inputs
        ctx.save_for_backward(values, points)


def _mapped(function: Any, info: Any, in_dims: tuple[Any, ...], values: torch.Tensor, points: torch.Tensor,
            nufft: Nufft) -> tuple[torch.Tensor, int]:
    """The rule for torch.vmap: values get a leading axis; every trajectory gets its own plan."""
    if in_dims[0] is not None:
        values = values.movedim(in_dims[0], 0)
    if in_dims[1] is None:
        return function.apply(values, points, nufft), 0
    points = points.movedim(in_dims[1], 0)
    each = values if in_dims[0] is not None else [values] * info.batch_size
    return torch.stack([function.apply(v, k, nufft) for v, k in zip(each, points)]), 0


class _Forward(_Transform):
    @staticmethod
    def forward(image: torch.Tensor, points: torch.Tensor, nufft: Nufft) -> torch.Tensor:
        return nufft._run(image, points, adjoint=False)

    @staticmethod
    def backward(ctx: Any, gradient: torch.Tensor) -> tuple[torch.Tensor | None, ...]:
        image, points = ctx.saved_tensors
        by_image = _Adjoint.apply(gradient, points, ctx.nufft) if ctx.needs_input_grad[0] else None
        by_points = ctx.nufft._by_points(image, gradient, points) if ctx.needs_input_grad[1] else None
        return by_image, by_points, None

    @staticmethod
    def vmap(info: Any, in_dims: tuple[Any, ...], *inputs: Any) -> tuple[torch.Tensor, int]:
        return _mapped(_Forward, info, in_dims, *inputs)


class _Adjoint(_Transform):
    @staticmethod
    def forward(samples: torch.Tensor, points: torch.Tensor, nufft: Nufft) -> torch.Tensor:
        return nufft._run(samples, points, adjoint=True)

    @staticmethod
    def backward(ctx: Any, gradient: torch.Tensor) -> tuple[torch.Tensor | None, ...]:
        samples, points = ctx.saved_tensors
        by_samples = _Forward.apply(gradient, points, ctx.nufft) if ctx.needs_input_grad[0] else None
        # Re⟨g, Aᴴ y⟩ = Re⟨y, A g⟩
        by_points = ctx.nufft._by_points(gradient, samples, points) if ctx.needs_input_grad[1] else None
        return by_samples, by_points, None

    @staticmethod
    def vmap(info: Any, in_dims: tuple[Any, ...], *inputs: Any) -> tuple[torch.Tensor, int]:
        return _mapped(_Adjoint, info, in_dims, *inputs)


def _attached(module: torch.nn.Module, name: str, attribute: Any) -> None:
    """Makes a Nufft follow the parameter or buffer of the module of which it becomes an attribute."""
    if isinstance(attribute, Nufft):
        for key, tensor in (*module._parameters.items(), *module._buffers.items()):
            if tensor is attribute.trajectory:
                attribute._belong(module, key)


torch.nn.modules.module.register_module_module_registration_hook(_attached)

__all__ = ["Nufft"]
