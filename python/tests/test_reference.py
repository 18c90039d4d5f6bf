import numpy as np
import pytest

import larmor
from conftest import random_complex


@pytest.mark.parametrize("suffix, dtype", [("single", np.complex64), ("double", np.complex128)])
def test_same_bits_as_the_library(suffix, dtype, reference, rng, tmp_path):
    trajectory = rng.uniform(-0.5, 0.5, (700, 2))
    maps, image = random_complex(rng, (3, 20, 24)), random_complex(rng, (20, 24))
    for name, array in dict(trajectory=trajectory, maps=maps, image=image).items():
        np.save(tmp_path / f"{name}.npy", array)
    reference(tmp_path)
    context = larmor.Context(threads=2, deterministic=True)
    A = larmor.Sense(trajectory, maps.astype(dtype), order="xyz", tolerance=1e-5, context=context)
    x = image.astype(dtype)
    y = A @ x
    ours = dict(samples=y, gridded=A.H @ y, normal=A.N @ x, cg=larmor.conjugate_gradient(A, y, "l2:1e-2", iterations=8),
                fista=larmor.fista(A, y, "wavelet:1e-2", iterations=6))
    for name, values in ours.items():
        high = values.astype(np.complex64)
        low = (values - high.astype(dtype)).astype(np.complex64)
        assert np.array_equal(np.load(tmp_path / f"{name}_{suffix}.npy"), high), name
        assert np.array_equal(np.load(tmp_path / f"{name}_{suffix}_low.npy"), low), name
