import numpy as np
import pytest

import larmor
from larmor import finufft
from conftest import random_complex

sizes = {1: (13,), 2: (8, 9), 3: (5, 6, 7)}


def modes_of(n, modeord):
    centred = np.arange(-(n // 2), (n + 1) // 2)
    return np.fft.ifftshift(centred) if modeord else centred


def phases(points, modes, modeord):
    """[points, modes…]: k·x, first coordinate for the first axis."""
    grid = np.meshgrid(*[modes_of(n, modeord) for n in modes], indexing="ij")
    return sum(x.reshape(-1, *[1] * len(modes)) * k for x, k in zip(points, grid))


@pytest.mark.parametrize("isign", [-1, 1])
@pytest.mark.parametrize("modeord", [0, 1])
@pytest.mark.parametrize("dim", [1, 2, 3])
def test_exact_sums(dim, modeord, isign, rng):
    points = [rng.uniform(-9, 9, 40) for _ in range(dim)]
    turn = np.exp(1j * isign * phases(points, sizes[dim], modeord))
    options = dict(eps=1e-9, isign=isign, modeord=modeord)
    for batch in ((), (3,)):
        c = random_complex(rng, batch + (40,), np.complex128)
        f = getattr(finufft, f"nufft{dim}d1")(*points, c, sizes[dim], **options)
        exact = np.tensordot(c, turn, (-1, 0))
        assert f.shape == exact.shape and np.linalg.norm(f - exact) <= 1e-8 * np.linalg.norm(exact)
        values = getattr(finufft, f"nufft{dim}d2")(*points, f, **options)
        exact = np.tensordot(f, turn, (list(range(-dim, 0)), list(range(1, dim + 1))))
        assert values.shape == exact.shape and np.linalg.norm(values - exact) <= 1e-8 * np.linalg.norm(exact)


@pytest.mark.parametrize("dim", [1, 2, 3])
def test_points_to_points(dim, rng):
    points, targets = ([rng.uniform(-3, 3, n) for _ in range(dim)] for n in (30, 20))
    c = random_complex(rng, (30,), np.complex128)
    exact = np.exp(1j * sum(np.outer(s, x) for s, x in zip(targets, points))) @ c
    f = getattr(finufft, f"nufft{dim}d3")(*points, c, *targets, eps=1e-8)
    assert np.linalg.norm(f - exact) <= 1e-7 * np.linalg.norm(exact)


@pytest.mark.parametrize("eps", [1e-14, 1e-16])
@pytest.mark.parametrize("dim", [1, 2, 3])
def test_tolerances_out_of_reach_are_loosened(dim, eps, rng):
    points = [rng.uniform(-3, 3, 40) for _ in range(dim)]
    turn = np.exp(1j * phases(points, sizes[dim], 0))
    c = random_complex(rng, (40,), np.complex128)
    f = getattr(finufft, f"nufft{dim}d1")(*points, c, sizes[dim], eps=eps)
    exact = np.tensordot(c, turn, (-1, 0))
    assert np.linalg.norm(f - exact) <= 1e-13 * np.linalg.norm(exact)
    with pytest.raises(larmor.UsageError):
        getattr(finufft, f"nufft{dim}d1")(*points, c, sizes[dim], eps=float("nan"))


def test_much_loosened_tolerances_are_said(rng):
    points, targets = ([rng.uniform(-3, 3, n) for _ in range(3)] for n in (30, 20))
    c = random_complex(rng, (30,), np.complex128)
    with pytest.warns(larmor.LarmorWarning, match="tolerance of 1.0e-14 is out of reach here"):
        finufft.nufft3d3(*points, c, *targets, eps=1e-14)


def test_oversampling_is_a_wish(rng):
    x = rng.uniform(-3, 3, 40)
    c = random_complex(rng, (40,), np.complex128)
    f = finufft.nufft1d1(x, c, 13, eps=1e-12, upsampfac=1.2)
    exact = np.exp(1j * np.outer(modes_of(13, 0), x)) @ c
    assert np.linalg.norm(f - exact) <= 1e-11 * np.linalg.norm(exact)


def test_plan(rng):
    x, y = rng.uniform(-np.pi, np.pi, (2, 50))
    plan = finufft.Plan(1, (8, 9), n_trans=2, eps=1e-5, dtype="complex64")
    plan.setpts(x, y)
    c, out = random_complex(rng, (2, 50)), np.empty((2, 8, 9), np.complex64)
    assert plan.execute(c, out) is out
    assert np.array_equal(out, plan.execute(c))
    back = plan.execute_adjoint(out)
    assert abs(np.vdot(out, out) - np.vdot(back, c)) <= 1e-4 * abs(np.vdot(out, out))
    with pytest.raises(larmor.UsageError, match="data is complex128"):
        plan.execute(c.astype(np.complex128))
    with pytest.raises(larmor.UsageError, match=r"data has the shape \[50\], expected \[2, 50\]"):
        plan.execute(c[0])
    with pytest.raises(larmor.UsageError, match="execute before setpts"):
        finufft.Plan(2, (4,)).execute(c)
    with pytest.raises(larmor.UsageError, match="nufft_type is 4"):
        finufft.Plan(4, (4,))
    with pytest.raises(larmor.UsageError, match="1.5, expected a whole number"):
        finufft.Plan(1, (1.5,))
    with pytest.raises(larmor.UsageError, match="setpts without points"):
        finufft.Plan(1, (4,)).setpts()
    with pytest.raises(TypeError):
        finufft.Plan(1, (4,), spread_sort=1)


def test_arrays_of_pytorch(rng):
    torch = pytest.importorskip("torch")
    x, y = torch.from_numpy(rng.uniform(-np.pi, np.pi, (2, 50)))
    c = torch.from_numpy(random_complex(rng, (50,)))
    f = finufft.nufft2d1(x, y, c, (8, 9))
    assert isinstance(f, torch.Tensor) and f.dtype == torch.complex64
    assert np.array_equal(f.numpy(), finufft.nufft2d1(x.numpy(), y.numpy(), c.numpy(), (8, 9)))
    assert finufft.nufft2d1(x, y, c, out=f) is f


def test_points_that_are_no_real_numbers(rng):
    c = random_complex(rng, (50,))
    with pytest.raises(larmor.UsageError, match="expected real numbers"):
        finufft.nufft1d1(c, c, 8)
    with pytest.raises(larmor.UsageError, match="data is float64"):
        finufft.nufft1d1(c.real, c.real.astype(float), 8)


@pytest.mark.parametrize("dim", [1, 2, 3])
@pytest.mark.parametrize("dtype", [np.complex64, np.complex128])
def test_same_as_finufft(dim, dtype, rng):
    theirs = pytest.importorskip("finufft")
    real = np.float32 if dtype == np.complex64 else np.float64
    points = [rng.uniform(-np.pi, np.pi, 500).astype(real) for _ in range(dim)]
    c, f = random_complex(rng, (500,), dtype), random_complex(rng, sizes[dim], dtype)
    targets = [rng.uniform(-4, 4, 60).astype(real) for _ in range(dim)]
    calls = {1: (*points, c, sizes[dim]), 2: (*points, f), 3: (*points, c, *targets)}
    bound = 2e-5 if dtype == np.complex64 else 1e-9
    for kind, arguments in calls.items():
        name = f"nufft{dim}d{kind}"
        ours = getattr(finufft, name)(*arguments, eps=bound / 3)
        expected = getattr(theirs, name)(*arguments, eps=bound / 3)
        assert ours.dtype == expected.dtype and ours.shape == expected.shape
        assert np.linalg.norm(ours - expected) <= bound * np.linalg.norm(expected), name
