"""The package on a GPU, with arrays of CuPy, PyTorch and JAX on it. Skipped if there is no GPU."""
import gc
import multiprocessing

import numpy as np
import pytest

import larmor
from larmor import finufft
from conftest import random_complex
from test_operators import operators, points, maps

single, double = np.complex64, np.complex128
pytestmark = pytest.mark.gpu


class Cupy:
    def __init__(self):
        self.cupy = pytest.importorskip("cupy")
        self.array_type = self.cupy.ndarray

    def there(self, array):
        return self.cupy.asarray(array)

    def here(self, array):
        return array.get()

    def address(self, array):
        return array.data.ptr


class Torch:
    def __init__(self):
        self.torch = pytest.importorskip("torch")
        if not self.torch.cuda.is_available():
            pytest.skip("PyTorch has no CUDA")
        self.array_type = self.torch.Tensor

    def there(self, array):
        return self.torch.from_numpy(np.ascontiguousarray(array)).cuda()

    def here(self, array):
        assert array.is_cuda
        return array.cpu().numpy()

    def address(self, array):
        return array.data_ptr()


class Jax:
    def __init__(self):
        import os
        os.environ.setdefault("XLA_PYTHON_CLIENT_PREALLOCATE", "false")
        self.jax = pytest.importorskip("jax")
        self.jax.config.update("jax_enable_x64", True)
        if self.jax.default_backend() != "gpu":
            pytest.skip("JAX has no GPU")
        self.array_type = self.jax.Array

    def there(self, array):
        return self.jax.numpy.asarray(array)

    def here(self, array):
        assert array.device.platform == "gpu"
        return np.asarray(array)

    def address(self, array):
        return array.unsafe_buffer_pointer()


libraries = {"cupy": Cupy, "torch": Torch, "jax": Jax}


@pytest.fixture(params=libraries)
def library(request):
    return libraries[request.param]()


@pytest.fixture(params=["cupy", "torch"])
def writable(request):
    """The libraries whose arrays are writable."""
    return libraries[request.param]()


on_gpu = {name: operators[name] for name in ("Nufft", "Nufft of coils", "matrix Nufft", "CoilMaps", "Diagonal", "Identity", "Fft",
                                             "Wavelet", "Gradient", "Sense", "sum", "vstack", "batched")}
on_gpu["long lines"] = lambda dtype, **place: larmor.Nufft(points[:, :1], (9001,), dtype=dtype, **place)
on_gpu["normal"] = lambda dtype, **place: larmor.Sense(points, maps.astype(dtype), order="xyz", **place).N
gpu = dict(device="cuda")


@pytest.mark.parametrize("dtype", [single, double])
@pytest.mark.parametrize("name", on_gpu)
def test_same_as_on_the_cpu(name, dtype, library, rng):
    """Applied to arrays on the device, they give arrays of the same library there, equal to the CPU's."""
    A, on_cpu = on_gpu[name](dtype, **gpu), on_gpu[name](dtype)
    x, y = random_complex(rng, A.domain, dtype), random_complex(rng, A.codomain, dtype)
    Ax, AHy = A @ library.there(x), A.H @ library.there(y)
    assert isinstance(Ax, library.array_type) and isinstance(AHy, library.array_type)
    bound = 1e-3 if "Nufft" in name or name in ("Sense", "normal", "long lines") else 1e-5
    for found, expected in ((Ax, on_cpu @ x), (AHy, on_cpu.H @ y)):
        found = library.here(found)
        assert found.dtype == dtype and found.shape == expected.shape
        assert np.linalg.norm(found - expected) <= 2 * bound * np.linalg.norm(expected)
    lhs, rhs = np.vdot(y, library.here(Ax)), np.vdot(library.here(AHy), x)
    assert abs(lhs - rhs) <= (1e-5 if dtype == single else 1e-12) * np.linalg.norm(library.here(Ax)) * np.linalg.norm(y)


@pytest.mark.parametrize("dim", [1, 2, 3])
@pytest.mark.parametrize("dtype", [single, double])
def test_transforms_of_finufft(dim, dtype, library, rng):
    """Data on the device give results of the same library there, equal to the CPU's, wherever the points are."""
    modes, real = (13, 8, 6)[:dim], np.zeros(1, dtype).real.dtype
    points = [rng.uniform(-np.pi, np.pi, 200).astype(real) for _ in range(dim)]
    targets = [rng.uniform(-4, 4, 60).astype(real) for _ in range(dim)]
    c, f = random_complex(rng, (3, 200), dtype), random_complex(rng, (3, *modes), dtype)
    bound = 2e-5 if dtype == single else 1e-8
    for kind, data, rest in ((1, c, (modes,)), (2, f, ()), (3, c, tuple(targets))):
        transform = getattr(finufft, f"nufft{dim}d{kind}")
        expected = transform(*points, data, *rest, eps=bound / 4)
        there = [library.there(x) for x in points]
        for given in (points, there):
            found = transform(*given, library.there(data), *rest, eps=bound / 4)
            assert isinstance(found, library.array_type)
            found = library.here(found)
            assert found.dtype == dtype and found.shape == expected.shape
            assert np.linalg.norm(found - expected) <= bound * np.linalg.norm(expected), kind
        plan = finufft.Plan(kind, dim if kind == 3 else modes, 3, bound / 4, dtype=dtype)
        plan.setpts(*there, *[None] * (3 - dim), *[library.there(x) for x in rest if kind == 3])
        found = plan.execute(library.there(data))
        assert np.linalg.norm(library.here(found) - expected) <= bound * np.linalg.norm(expected), kind
        back = library.here(plan.execute_adjoint(found))
        assert abs(np.vdot(back, data) - np.vdot(expected, expected)) <= 4 * bound * np.vdot(expected, expected).real
        with pytest.raises(larmor.UsageError, match="CuPy, PyTorch or JAX|is on cpu"):
            plan.execute(data)


def test_transforms_go_where_they_are_told(writable, rng):
    x, c = rng.uniform(-np.pi, np.pi, 50), random_complex(rng, (50,))
    out = writable.there(np.empty((9,), single))
    address = writable.address(out)
    assert finufft.nufft1d1(x, writable.there(c), out=out) is out and writable.address(out) == address
    assert np.array_equal(writable.here(out), writable.here(finufft.nufft1d1(x, writable.there(c), 9)))


def test_results_go_where_they_are_told(writable, rng):
    A = larmor.Fft((6, 7), **gpu)
    x, out = writable.there(random_complex(rng, (6, 7))), writable.there(np.empty((6, 7), single))
    address = writable.address(out)
    assert A.apply(x, out=out) is out and writable.address(out) == address
    assert np.array_equal(writable.here(out), writable.here(A @ x))


def test_what_does_not_fit_is_an_error(library, rng):
    x = random_complex(rng, (6, 7))
    there = library.there(x)
    with pytest.raises(larmor.UsageError, match="x is on cpu, but the operator works on cuda:0"):
        larmor.Fft((6, 7), **gpu).apply(x, out=x.copy())
    with pytest.raises(larmor.UsageError):
        larmor.Fft((6, 7), **gpu) @ x
    with pytest.raises(larmor.UsageError, match="x is on cuda:0, but the operator works on cpu"):
        larmor.Fft((6, 7)).apply(there, out=x)
    with pytest.raises(larmor.UsageError, match="x is complex128, expected complex64"):
        larmor.Fft((6, 7), **gpu) @ library.there(x.astype(double))
    with pytest.raises(larmor.UsageError, match=r"has shape \[7, 6\], expected \[6, 7\]"):
        larmor.Fft((6, 7), **gpu) @ library.there(x.reshape(7, 6))
    with pytest.raises(larmor.UsageError, match="others|on cuda:0|create all of them on one device"):
        larmor.Fft((6, 7), **gpu) @ larmor.Fft((6, 7))


def test_layouts_that_do_not_fit_are_errors(writable, rng):
    x = writable.there(random_complex(rng, (7, 6)))
    with pytest.raises(larmor.UsageError, match="x is not contiguous in C order"):
        larmor.Fft((6, 7), **gpu) @ x.T


def test_tensors_that_are_no_plain_values_are_errors(rng):
    torch = pytest.importorskip("torch")
    A = larmor.Fft((6, 7), **gpu)
    x = torch.from_numpy(random_complex(rng, (6, 7))).cuda()
    with pytest.raises(larmor.UsageError, match="x is a lazily conjugated view"):
        A @ x.conj()
    assert torch.equal(A @ x.conj().resolve_conj(), A @ x.conj().clone().resolve_conj())
    with pytest.raises(larmor.UsageError, match=r"x requires a gradient: .* x.detach\(\)"):
        A @ x.clone().requires_grad_(True)


def test_streams_are_waited_for(rng):
    """Pending work on another stream is part of the input; the result is complete on return."""
    torch = pytest.importorskip("torch")
    A = larmor.Identity((1 << 22,), **gpu)
    for wait in (True, False):
        stream = torch.cuda.Stream()
        with torch.cuda.stream(stream):
            x = torch.zeros(1 << 22, dtype=torch.complex64, device="cuda")
            torch.cuda._sleep(100_000_000)
            x += 3
            y = A @ x if wait else None
        if not wait:
            stream.synchronize()
            y = A @ x
        assert bool((y == 3).all())
    cupy = pytest.importorskip("cupy")
    with cupy.cuda.Stream(non_blocking=True):
        x = cupy.zeros(1 << 22, single)
        for _ in range(200):
            x += 1
        assert float(abs(A @ x - 200).max()) == 0


def test_nothing_goes_through_the_host(rng):
    """Copies between host and device that PyTorch's profiler sees while operators work and are differentiated: none."""
    torch = pytest.importorskip("torch")
    from torch.profiler import ProfilerActivity, profile
    from larmor.torch import Nufft as larmor_nufft

    big = random_complex(rng, (4, 256, 256))
    A = larmor.Sense(rng.uniform(-0.5, 0.5, (200000, 2)), big, order="xyz", **gpu)
    x = torch.from_numpy(big[0].copy()).cuda()
    y, back, N = A @ x, torch.empty_like(x), A.N
    N @ x
    A.adjoint(y, out=back)
    torch.cuda.synchronize()

    def learn():
        image = x.clone().requires_grad_(True)
        loss = (F.adjoint(F(image)) - x).abs().square().sum()
        loss.backward()

    F = larmor_nufft(torch.from_numpy(rng.uniform(-0.5, 0.5, (200000, 2))).cuda(), (256, 256), order="xyz")
    learn()
    torch.cuda.synchronize()
    def operate():
        A.apply(x, out=y)
        A.adjoint(y, out=back)
        N @ x

    # Each of four transforms checks whether the trajectory is still the same: a byte.
    for work, most in ((operate, 0), (learn, 4)):
        with profile(activities=[ProfilerActivity.CPU, ProfilerActivity.CUDA]) as seen:
            work()
            torch.cuda.synchronize()
        events = [event.name for event in seen.events()]
        assert [name for name in events if "Memcpy" not in name]
        copies = [name for name in events if "Memcpy" in name and ("HtoD" in name or "DtoH" in name)]
        assert len(copies) <= most, copies


@pytest.mark.parametrize("solver", ["cg", "fista", "admm", "pdhg", "lsmr"])
def test_solvers(solver, library, rng):
    A, on_cpu = (larmor.Sense(points, maps, order="xyz", **place) for place in (gpu, {}))
    y = on_cpu @ random_complex(rng, A.domain)
    term = None if solver in ("cg", "lsmr") else "wavelet:1e-2:levels=1"
    expected = larmor.solve(on_cpu, y, term, solver=solver, iterations=8)
    steps = []
    found = larmor.solve(A, library.there(y), term, solver=solver, iterations=8,
                         callback=lambda step, x: steps.append((step["iteration"], x)))
    assert isinstance(found.x, library.array_type) and isinstance(steps[-1][1], library.array_type)
    assert [n for n, _ in steps] == list(range(1, 9))
    assert np.array_equal(library.here(steps[-1][1]), library.here(found.x))
    assert np.linalg.norm(library.here(found.x) - expected.x) <= 1e-2 * np.linalg.norm(expected.x)


class Own(larmor.LinearOperator):
    """Multiplies by a number that is not real, in the library of the array."""

    def __init__(self, shape, library, dtype=single):
        super().__init__(shape, shape, dtype, device="cuda")
        self.array_library = library
        self.seen = None

    def apply(self, x):
        self.seen = type(x)
        return (1 + 2j) * x

    def adjoint(self, y):
        return (1 - 2j) * y


@pytest.mark.parametrize("name", libraries)
@pytest.mark.parametrize("solver", ["cg", "fista", "admm", "pdhg", "lsmr"])
def test_own_operators(solver, name, rng):
    """In every solver, repeatedly: Python code is not recorded once and replayed."""
    library = libraries[name]()
    own = Own((12, 10), name)
    A, equal = larmor.Sense(points, maps, order="xyz", **gpu) @ own, (1 + 2j) * larmor.Sense(points, maps, order="xyz", **gpu)
    x = random_complex(rng, A.domain)
    y = equal @ library.there(x)
    assert np.allclose(library.here(A @ library.there(x)), library.here(y), atol=1e-5)
    assert issubclass(own.seen, library.array_type)
    term = None if solver in ("cg", "lsmr") else "l1:1e-2"
    found, expected = (larmor.solve(B, y, term, solver=solver, iterations=12).x for B in (A, equal))
    assert np.linalg.norm(library.here(found - expected)) <= 2e-3 * np.linalg.norm(library.here(expected))


@pytest.mark.parametrize("name", ["cupy", "torch"])
def test_own_terms(name, rng):
    library = libraries[name]()
    A = larmor.Sense(points, maps, order="xyz", **gpu)
    y = A @ library.there(random_complex(rng, A.domain))

    def shrink(t, z):
        size = abs(z)
        return z * (1 - t / (size + 1e-30)).clip(0, None)

    own = larmor.ProximalTerm(shrink, lambda z: float(abs(z).sum()), 0.05, array_library=name)
    for solver in ("fista", "admm", "pdhg"):
        a, b = (larmor.solve(A, y, term, solver=solver, iterations=40).x for term in (own, "l1:0.05"))
        assert np.linalg.norm(library.here(a - b)) <= 1e-3 * np.linalg.norm(library.here(b))


def test_whole_reconstructions(scan_file):
    """The same image as on the CPU, from a file."""
    options = dict(regularizer="wavelet:1e-3", iterations=15)
    there, here = (larmor.reconstruct(scan_file[0], device=device, **options) for device in ("cuda", "cpu"))
    assert there.report["device"].startswith("cuda")
    assert np.linalg.norm(there.pixels - here.pixels) <= 1e-2 * np.linalg.norm(here.pixels)


_inherited = {}


def _apply_inherited(_):
    try:
        _inherited["A"].apply(_inherited["x"], out=_inherited["out"])
    except larmor.ResourceError as error:
        return str(error)
    return "worked"


def test_a_forked_process_is_told(rng):
    torch = pytest.importorskip("torch")
    A = _inherited["A"] = larmor.Fft((4, 5), **gpu)
    x = _inherited["x"] = torch.from_numpy(random_complex(rng, (4, 5))).cuda()
    expected = _inherited["out"] = A @ x
    with multiprocessing.get_context("fork").Pool(1) as pool:
        assert "CUDA does not survive a fork" in pool.apply_async(_apply_inherited, (0,)).get(timeout=60)
    assert bool((A @ x == expected).all())


def test_nothing_is_left_behind():
    """After a thousand operators were created and deleted, the device memory is as full as after a hundred."""
    torch = pytest.importorskip("torch")
    x = torch.zeros(12, 10, dtype=torch.complex64, device="cuda")

    def cycle(count):
        for _ in range(count):
            A = larmor.Sense(points, maps, order="xyz", **gpu)
            A.N @ x
        gc.collect()
        torch.cuda.synchronize()
        return torch.cuda.mem_get_info()[0]

    before = cycle(100)
    assert before - cycle(1000) < 32e6


def test_other_users_keep_their_device():
    torch = pytest.importorskip("torch")
    if torch.cuda.device_count() < 2:
        pytest.skip("one GPU")
    torch.cuda.set_device(1)
    try:
        A = larmor.Fft((6, 7), device="cuda:0")
        x = torch.ones(6, 7, dtype=torch.complex64, device="cuda:0")
        y = A @ x
        assert torch.cuda.current_device() == 1 and y.device.index == 0
        B = larmor.Fft((6, 7), device="cuda:1")
        assert bool(torch.isclose(B @ x.to("cuda:1"), y.to("cuda:1")).all())
    finally:
        torch.cuda.set_device(0)
