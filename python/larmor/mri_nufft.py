"""The backend "larmor" of mri-nufft, on the CPU: importing this module registers it."""
from __future__ import annotations

from typing import Any

import numpy as np
from mrinufft._utils import proper_trajectory
from mrinufft.operators.base import FourierOperatorCPU

from .arrays import Context
from .operators import Nufft


class RawLarmor:
    """Transforms without scale, of as many images as there are given; mri-nufft's base does the rest."""

    def __init__(self, samples: Any, shape: Any, eps: float | None = None, upsampfac: float = 0.0, nthreads: int = 0) -> None:
        single = samples.dtype == np.float32
        self._shape = tuple(shape)
        self._options = dict(dtype=np.complex64 if single else np.complex128, order="zyx", scaled=False,
                             tolerance=eps or (1e-5 if single else 1e-9), oversampling=upsampfac,
                             context=Context(threads=nthreads) if nthreads else None)
        self.set_samples(samples)

    def set_samples(self, samples: Any) -> None:
        """New points of the same operator."""
        self._operator = Nufft(samples, self._shape, **self._options)

    def op(self, coeffs: Any, image: Any) -> Any:
        """Images to coefficients."""
        for one, out in zip(image.reshape(-1, *self._shape), coeffs.reshape(-1, self._operator.codomain[0])):
            self._operator.apply(one, out=out)
        return coeffs

    def adj_op(self, coeffs: Any, image: Any) -> Any:
        """Coefficients to images."""
        for one, out in zip(coeffs.reshape(-1, self._operator.codomain[0]), image.reshape(-1, *self._shape)):
            self._operator.adjoint(one, out=out)
        return image


class MRILarmor(FourierOperatorCPU):
    """Larmor's transform as an operator of mri-nufft. eps: relative error; upsampfac: 0: chosen."""

    backend = "larmor"
    available = True

    def __init__(self, samples: Any, shape: Any, density: Any = False, n_coils: int = 1, n_batchs: int = 1,
                 n_trans: int = 1, smaps: Any = None, squeeze_dims: bool = True, **kwargs: Any) -> None:
        super().__init__(proper_trajectory(np.asarray(samples), normalize="unit"), shape, density=density, n_coils=n_coils,
                         n_batchs=n_batchs, n_trans=n_trans, smaps=smaps, squeeze_dims=squeeze_dims)
        self.raw_op = RawLarmor(self.samples, self.shape, **kwargs)

    def update_samples(self, new_samples: Any, unsafe: bool = False) -> None:
        """Other points of as many samples."""
        if not unsafe:
            new_samples = proper_trajectory(np.asarray(new_samples, dtype=self.samples.dtype), normalize="unit")
        self._samples = np.ascontiguousarray(new_samples)
        self.compute_density(self._density_method)
        self.raw_op.set_samples(self._samples)


__all__ = ["MRILarmor"]
