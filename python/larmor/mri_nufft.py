"""The backends "larmor" (CPU) and "larmor-cuda" (GPU, with CuPy) of mri-nufft: importing this module registers them."""
from __future__ import annotations

import importlib.util
from typing import Any

import numpy as np
from mrinufft._array_compat import with_numpy_cupy
from mrinufft._utils import proper_trajectory
from mrinufft.operators.base import FourierOperatorCPU, FourierOperatorSimple, _ToggleGradPlanMixin

from .arrays import Context, cuda_device_count, unmasked
from .operators import Nufft, density_weights


class RawLarmor:
    """Unscaled transforms of one or more images; mri-nufft's base class does the rest."""

    def __init__(self, samples: Any, shape: Any, eps: float | None = None, upsampfac: float = 0.0, nthreads: int = 0,
                 device: str = "cpu") -> None:
        single = samples.dtype == np.float32
        self._shape = tuple(shape)
        self._options = dict(dtype=np.complex64 if single else np.complex128, order="zyx", units="radians", scaled=False,
                             tolerance=eps or (1e-5 if single else 1e-9), oversampling=upsampfac,
                             **(dict(context=Context(device, threads=nthreads)) if nthreads else dict(device=device)))
        self._other_sign = False
        self.set_samples(samples)

    def set_samples(self, samples: Any) -> None:
        """Sets new points."""
        self._operator = Nufft(samples, self._shape, **self._options)

    def toggle_grad_traj(self) -> None:
        """Switches the sign of the exponent in op(), as required for gradients with respect to the trajectory."""
        self._other_sign = not self._other_sign

    def op(self, coeffs: Any, image: Any) -> Any:
        """Images to coefficients."""
        for one, out in zip(image.reshape(-1, *self._shape), coeffs.reshape(-1, self._operator.codomain[0])):
            self._operator.apply(one.conj() if self._other_sign else one, out=out)
            if self._other_sign:
                out[...] = out.conj()
        return coeffs

    def adj_op(self, coeffs: Any, image: Any) -> Any:
        """Coefficients to images."""
        for one, out in zip(coeffs.reshape(-1, self._operator.codomain[0]), image.reshape(-1, *self._shape)):
            self._operator.adjoint(one, out=out)
        return image


class _Larmor(_ToggleGradPlanMixin):
    """Common base of both backends. eps: relative error; upsampfac: 0: chosen."""

    autograd_available = True
    _device = "cpu"

    def __init__(self, samples: Any, shape: Any, density: Any = False, n_coils: int = 1, n_batchs: int = 1,
                 n_trans: int = 1, smaps: Any = None, squeeze_dims: bool = True, **kwargs: Any) -> None:
        super().__init__(proper_trajectory(np.asarray(unmasked(samples)), normalize="pi"), shape, density=density, n_coils=n_coils,
                         n_batchs=n_batchs, n_trans=n_trans, smaps=smaps, squeeze_dims=squeeze_dims)
        self.raw_op = RawLarmor(self.samples, self.shape, device=self._device, **kwargs)

    def update_samples(self, new_samples: Any, unsafe: bool = False) -> None:
        """Other points, the same number of samples, in radians if unsafe."""
        if not unsafe:
            new_samples = proper_trajectory(np.asarray(unmasked(new_samples), dtype=self.samples.dtype), normalize="pi")
        self._samples = np.ascontiguousarray(new_samples)
        self.compute_density(self._density_method)
        self.raw_op.set_samples(self._samples)

    def _make_plan_grad(self, **kwargs: Any) -> None:
        """Nothing: gradients by the trajectory use the existing plan."""

    @classmethod
    def pipe(cls, kspace_loc: Any, volume_shape: Any, max_iter: int = 10, osf: float = 2, normalize: bool = True,
             **kwargs: Any) -> np.ndarray:
        """Density weights by Pipe and Menon's iteration; normalize: such that an image of ones keeps its size."""
        points = proper_trajectory(np.asarray(unmasked(kspace_loc)), normalize="pi")
        weights = density_weights(points, volume_shape, iterations=max_iter, order="zyx", units="radians").astype(points.dtype)
        if normalize:
            operator = cls(points, volume_shape, **kwargs)
            ones = np.ones(volume_shape, operator.cpx_dtype)
            weights /= np.mean(np.abs(operator.adj_op(weights * operator.op(ones))))
        return weights


class MRILarmor(_Larmor, FourierOperatorCPU):
    """Larmor's transform on the CPU as an operator of mri-nufft."""

    backend = "larmor"
    available = True


def _on_device(method: Any, second_is_output: bool = False) -> Any:
    """The method on CuPy arrays; NumPy arguments give NumPy results."""
    import cupy

    def run(first: Any, second: Any = None) -> Any:
        result = method(cupy.asarray(first), second if second is None else cupy.asarray(second))
        if second_is_output and isinstance(second, np.ndarray):
            second[...] = result.get().reshape(second.shape)
        return result.get() if isinstance(first, np.ndarray) else result

    return with_numpy_cupy(run)


class MRILarmorCuda(_Larmor, FourierOperatorSimple):
    """Larmor's transform on a GPU as an operator of mri-nufft, for arrays of CuPy, PyTorch and NumPy."""

    backend = "larmor-cuda"
    available = importlib.util.find_spec("cupy") is not None and cuda_device_count() > 0
    _device = "cuda"

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.op, self.adj_op = _on_device(self.op, True), _on_device(self.adj_op, True)
        self.data_consistency = _on_device(self.data_consistency)

    def compute_density(self, method: Any = None) -> None:
        """Density weights as mri-nufft's base computes them, on the device."""
        import cupy

        super().compute_density(method)
        self.density = None if self.density is None else cupy.asarray(self.density)

    @property
    def smaps(self) -> Any:
        """Coil maps, on the device."""
        return self._smaps

    @smaps.setter
    def smaps(self, maps: Any) -> None:
        import cupy

        FourierOperatorSimple.smaps.fset(self, maps.get() if isinstance(maps, cupy.ndarray) else maps)
        self._smaps = None if self._smaps is None else cupy.asarray(self._smaps)


__all__ = ["MRILarmor", "MRILarmorCuda"]
