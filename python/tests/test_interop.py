import numpy as np
import pytest

import larmor
from conftest import random_complex

points = np.random.default_rng(3).uniform(-0.5, 0.5, (400, 2))


def test_scipy_both_ways(rng):
    sparse = pytest.importorskip("scipy.sparse")
    from scipy.sparse.linalg import lsmr

    A = larmor.Nufft(points, (8, 9), order="xyz", dtype=np.complex128, tolerance=1e-8)
    x = random_complex(rng, (8, 9), np.complex128)
    S = A.to_scipy()
    assert np.array_equal(S @ x.reshape(-1), A @ x)
    assert np.array_equal(S.H @ (A @ x), A.adjoint(A @ x).reshape(-1))
    assert np.linalg.norm(lsmr(S, A @ x, atol=1e-10, btol=1e-10, maxiter=100)[0] - x.reshape(-1)) < 1e-5
    matrix = sparse.random(40, 20, 0.5, random_state=1) + 1j * sparse.random(40, 20, 0.5, random_state=2)
    B = larmor.from_scipy(matrix, domain=(4, 5), dtype=np.complex128)
    v = random_complex(rng, (4, 5), np.complex128)
    assert np.allclose(B @ v, matrix @ v.reshape(-1))
    assert np.allclose(larmor.conjugate_gradient(B, B @ v, iterations=100), v, atol=1e-5)


def test_weights_are_those_of_sigpy(rng):
    mri = pytest.importorskip("sigpy.mri")
    points, maps = rng.uniform(-0.5, 0.5, (400, 2)), random_complex(rng, (3, 12, 10))
    y, w = random_complex(rng, (3, 400)), rng.uniform(0.1, 3, 400).astype(np.float32)
    theirs = mri.app.SenseRecon(y, maps, weights=w, coord=(points * [12, 10]).astype(np.float32), max_iter=60,
                                show_pbar=False).run()
    ours = larmor.conjugate_gradient(larmor.Sense(points, maps, order="zyx", tolerance=1e-5), y, weights=w, iterations=60)
    ours *= np.vdot(ours, theirs) / np.vdot(ours, ours)  # the transforms differ by a factor
    assert np.linalg.norm(ours - theirs) <= 0.01 * np.linalg.norm(theirs)


def test_sigpy_both_ways(rng):
    sigpy = pytest.importorskip("sigpy")
    A = larmor.Nufft(points, (8, 9), order="xyz")
    x = random_complex(rng, (8, 9))
    linop = A.to_sigpy()
    assert np.array_equal(linop * x, A @ x)
    assert np.array_equal(linop.H * (A @ x), A.adjoint(A @ x))
    F = larmor.from_sigpy(sigpy.linop.FFT((8, 9)))
    assert np.allclose(F @ x, larmor.Fft((8, 9)) @ x, atol=1e-5)
    ours, theirs = larmor.Nufft(points, (8, 9), order="xyz", tolerance=1e-5), sigpy.linop.NUFFT((8, 9), points[:, ::-1] * [8, 9])
    assert np.linalg.norm(ours @ x - theirs * x) < 2e-2 * np.linalg.norm(ours @ x)


def test_torch_arrays_come_back_as_torch(rng):
    torch = pytest.importorskip("torch")
    A = larmor.Nufft(points, (8, 9), order="xyz")
    x = random_complex(rng, (8, 9))
    y = A @ torch.from_numpy(x)
    assert isinstance(y, torch.Tensor) and np.array_equal(y.numpy(), A @ x)
    out = torch.empty(400, dtype=torch.complex64)
    assert A.apply(torch.from_numpy(x), out=out) is out
    assert isinstance(larmor.conjugate_gradient(A, y, iterations=2), torch.Tensor)


def test_jax_arrays_come_back_as_jax(rng):
    jax = pytest.importorskip("jax")
    A = larmor.Nufft(points, (8, 9), order="xyz")
    x = random_complex(rng, (8, 9))
    y = A @ jax.device_put(x, jax.devices("cpu")[0])
    assert isinstance(y, jax.Array) and np.array_equal(np.asarray(y), A @ x)
