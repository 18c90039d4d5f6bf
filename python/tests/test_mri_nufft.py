"""The backends of mri-nufft, beside exact sums."""
import numpy as np
import pytest

from conftest import random_complex

mrinufft = pytest.importorskip("mrinufft")
pytestmark = pytest.mark.filterwarnings("ignore:Samples will be rescaled")
shape = (12, 10)
backends = pytest.mark.parametrize("backend", ["larmor", pytest.param("larmor-cuda", marks=pytest.mark.gpu)])


@pytest.fixture
def samples(rng):
    return rng.uniform(-0.5, 0.5, (300, 2))


def exact(samples, image, sign=-1):
    """Sums in float64 with the norm of mri-nufft."""
    y, x = np.meshgrid(*[np.arange(n) - n // 2 for n in shape], indexing="ij")
    phase = 2j * np.pi * sign * (np.multiply.outer(samples[:, 0], y) + np.multiply.outer(samples[:, 1], x))
    return np.tensordot(image, np.exp(phase), ([-2, -1], [1, 2])) / np.sqrt(np.prod(shape) * 4)


@backends
@pytest.mark.parametrize("maps", [False, True])
def test_both_ways(backend, maps, samples, rng):
    import larmor.mri_nufft  # noqa: F401

    smaps = random_complex(rng, (3, *shape), np.complex128) if maps else None
    operator = mrinufft.get_operator(backend)(samples, shape, n_coils=3, n_batchs=2, smaps=smaps, density=True, eps=1e-9)
    image = random_complex(rng, (2, 1, *shape) if maps else (2, 3, *shape), np.complex128)
    found = operator.op(image)
    expected = exact(samples, image * smaps if maps else image)
    assert isinstance(found, np.ndarray) and np.linalg.norm(found - expected) <= 1e-8 * np.linalg.norm(expected)
    data = random_complex(rng, found.shape, np.complex128)
    density = np.asarray(operator.density.get() if backend == "larmor-cuda" else operator.density)
    assert density.min() > 0
    left, right = np.vdot(found, data * density), np.vdot(image, operator.adj_op(data))
    assert abs(left - right) <= 1e-9 * abs(left)
    small = operator.data_consistency(image, found)
    assert np.linalg.norm(small) <= 1e-8 * np.linalg.norm(operator.adj_op(found))


@backends
def test_points_change_and_signs_toggle(backend, samples, rng):
    import larmor.mri_nufft  # noqa: F401

    operator = mrinufft.get_operator(backend)(0.5 * samples, shape, density=True, eps=1e-9)
    before = operator.density
    operator.update_samples(samples)
    assert type(operator.density) is type(before) and not (operator.density == before).all()
    image = random_complex(rng, shape, np.complex128)
    data = random_complex(rng, (300,), np.complex128)
    density = np.asarray(operator.density.get() if backend == "larmor-cuda" else operator.density)
    left, right = np.vdot(operator.op(image), data * density), np.vdot(image, operator.adj_op(data))
    assert abs(left - right) <= 1e-9 * abs(left)
    assert np.allclose(operator.op(image), exact(samples, image))
    with operator.grad_traj_plan():
        assert np.allclose(operator.op(image), exact(samples, image, sign=1))
    assert np.allclose(operator.op(image), exact(samples, image))


@backends
def test_results_in_given_arrays(backend, samples, rng):
    import larmor.mri_nufft  # noqa: F401

    operator = mrinufft.get_operator(backend)(samples, shape, n_coils=2, eps=1e-9)
    image = random_complex(rng, (1, 2, *shape), np.complex128)
    found, back = np.zeros((2, 300), np.complex128), np.zeros((2, *shape), np.complex128)
    assert np.allclose(operator.op(image, found), found) and np.allclose(found, exact(samples, image[0]))
    assert np.allclose(operator.adj_op(found, back), back) and np.allclose(back, operator.adj_op(found))
    assert np.abs(back).max() > 0


@pytest.mark.gpu
@pytest.mark.parametrize("library", ["cupy", "torch"])
def test_arrays_stay_on_the_device(library, samples, rng):
    import larmor.mri_nufft  # noqa: F401

    module = pytest.importorskip(library)
    operator = mrinufft.get_operator("larmor-cuda")(samples.astype(np.float32), shape)
    image = random_complex(rng, shape)
    there = module.asarray(image) if library == "cupy" else module.from_numpy(image).cuda()
    found = operator.op(there)
    if library == "cupy":
        assert isinstance(found, module.ndarray)
        found = found.get()
    else:
        assert found.is_cuda
        found = found.cpu().numpy()
    assert np.linalg.norm(found - exact(samples, image)) <= 1e-4 * np.linalg.norm(found)
