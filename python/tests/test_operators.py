import copy
import gc
import multiprocessing
import pickle
import threading
import weakref

import numpy as np
import pytest

import larmor
from conftest import in_threads, random_complex

points = np.random.default_rng(3).uniform(-0.5, 0.5, (300, 2))
maps = random_complex(np.random.default_rng(4), (3, 12, 10))
single, double = np.complex64, np.complex128

operators = {
    "Nufft": lambda dtype, **place: larmor.Nufft(points, (12, 10), order="xyz", dtype=dtype, **place),
    "Nufft of coils": lambda dtype, **place: larmor.Nufft(points, (12, 10), order="xyz", coils=3, dtype=dtype, **place),
    "weighted normal": lambda dtype: larmor.Nufft(points, (12, 10), order="xyz", dtype=dtype).normal(weights=np.linspace(0.1, 2, 300)),
    "matrix Nufft": lambda dtype, **place: larmor.Nufft(points, (12, 10), order="xyz", method="matrix", dtype=dtype, **place),
    "CoilMaps": lambda dtype, **place: larmor.CoilMaps(maps.astype(dtype), **place),
    "Diagonal": lambda dtype, **place: larmor.Diagonal(maps.astype(dtype), **place),
    "Identity": lambda dtype, **place: larmor.Identity((4, 5), dtype=dtype, **place),
    "Fft": lambda dtype, **place: larmor.Fft((3, 8, 9), axes=2, dtype=dtype, **place),
    "Wavelet": lambda dtype, **place: larmor.Wavelet((16, 20), levels=2, dtype=dtype, **place),
    "Gradient": lambda dtype, **place: larmor.Gradient((6, 7), dtype=dtype, **place),
    "Sense": lambda dtype, **place: larmor.Sense(points, maps.astype(dtype), order="xyz", **place),
    "product": lambda dtype: larmor.Fft((6, 7), dtype=dtype) @ larmor.Identity((6, 7), dtype=dtype),
    "sum": lambda dtype, **place: larmor.Fft((6, 7), dtype=dtype, **place) + 2j * larmor.Identity((6, 7), dtype=dtype, **place),
    "difference": lambda dtype: larmor.Fft((6, 7), dtype=dtype) - larmor.Identity((6, 7), dtype=dtype),
    "vstack": lambda dtype, **place: larmor.vstack([larmor.Fft((6,), dtype=dtype, **place),
                                                    larmor.Identity((6,), dtype=dtype, **place)]),
    "hstack": lambda dtype: larmor.hstack([larmor.Fft((6,), dtype=dtype), larmor.Identity((6,), dtype=dtype)]),
    "block_diag": lambda dtype: larmor.block_diag([larmor.Fft((6,), dtype=dtype), larmor.Identity((2,), dtype=dtype)]),
    "batched": lambda dtype, **place: larmor.batched(larmor.Fft((6, 7), dtype=dtype, **place), 3),
    "reshaped": lambda dtype: larmor.Fft((6, 7), dtype=dtype).reshape((42,), (7, 6)),
    "adjoint": lambda dtype: larmor.Sense(points, maps.astype(dtype), order="xyz").H,
    "own": lambda dtype: Turn((5, 6), dtype),
    "own in a product": lambda dtype: larmor.Fft((5, 6), dtype=dtype) @ Turn((5, 6), dtype),
}


class Turn(larmor.LinearOperator):
    """Multiplies by a number that is not real."""

    def __init__(self, shape, dtype=single):
        super().__init__(shape, shape, dtype)

    def apply(self, x):
        return (1 + 2j) * x

    def adjoint(self, y):
        return (1 - 2j) * y


@pytest.mark.parametrize("dtype", [single, double])
@pytest.mark.parametrize("name", operators)
def test_adjoint_and_normal(name, dtype, rng):
    A = operators[name](dtype)
    x, y = random_complex(rng, A.domain, dtype), random_complex(rng, A.codomain, dtype)
    Ax, AHy = A @ x, A.H @ y
    assert Ax.shape == A.codomain and AHy.shape == A.domain and Ax.dtype == AHy.dtype == dtype
    bound = np.linalg.norm(Ax) * np.linalg.norm(y)
    assert abs(np.vdot(y, Ax) - np.vdot(AHy, x)) <= (1e-5 if dtype == single else 1e-12) * bound
    normal, twice = A.N @ x, A.H @ Ax
    assert np.linalg.norm(normal - twice) <= 3e-3 * np.linalg.norm(twice)
    assert np.array_equal(A.adjoint(y), AHy)


@pytest.mark.parametrize("copied", [copy.deepcopy, lambda A: pickle.loads(pickle.dumps(A))], ids=["deepcopy", "pickle"])
@pytest.mark.parametrize("name", operators)
def test_copies_are_the_same_operator(name, copied, rng):
    A = operators[name](single)
    A.N
    B = copied(A)
    x = random_complex(rng, A.domain)
    assert type(B) is type(A) and B.describe() == A.describe() and np.array_equal(B @ x, A @ x)
    assert repr(B) == repr(A) and str(list(A.domain)) in repr(A) and "_Native" not in repr(A)


def test_copies_do_not_change_with_what_an_operator_was_made_of(rng):
    k, w, m = points.copy(), np.linspace(0.1, 2, 300), maps.copy()
    A = larmor.Sense(k, m, order="xyz").normal(weights=w)
    x = random_complex(rng, A.domain)
    y = A @ x
    k[:], w[:], m[:] = 0, 0, 0
    assert np.array_equal(copy.deepcopy(A) @ x, y)


def test_algebra(rng):
    F, shape = larmor.Fft((6, 7)), (6, 7)
    x = random_complex(rng, shape)
    assert np.allclose((2 * F) @ x, 2 * (F @ x))
    assert np.allclose((F * 2j) @ x, 2j * (F @ x))
    assert np.allclose((F / 4) @ x, (F @ x) / 4)
    assert np.allclose((-F) @ x, -(F @ x))
    assert np.allclose((np.float32(3) * F) @ x, 3 * (F @ x))
    assert np.allclose(F(x), F.apply(x))
    assert "Composition" in (F @ F).describe()
    with pytest.raises(TypeError):
        F @ "x"


def test_exact_sum_conventions(rng):
    """Columns x, y for an image [y, x], and each equivalent order and unit."""
    ny, nx = 6, 9
    k = rng.uniform(-0.5, 0.5, (20, 2))
    image = random_complex(rng, (ny, nx), double)
    y, x = np.mgrid[:ny, :nx]
    exact = [np.sum(image * np.exp(-2j * np.pi * (a * (x - nx // 2) + b * (y - ny // 2)))) for a, b in k]
    exact = np.array(exact) / np.sqrt(nx * ny)
    options = dict(dtype=double, tolerance=1e-9)
    for A in (larmor.Nufft(k, (ny, nx), order="xyz", **options),
              larmor.Nufft(k[:, ::-1], (ny, nx), order="zyx", **options),
              larmor.Nufft(k * 2 * np.pi, (ny, nx), order="xyz", units="radians", **options),
              larmor.Nufft(k * [nx, ny], (ny, nx), order="xyz", units="cycles/fov", **options),
              larmor.Nufft(k.reshape(4, 5, 2), (ny, nx), order="xyz", **options)):
        assert np.linalg.norm(A @ image - exact) <= 1e-8 * np.linalg.norm(exact)
        assert A.measured_error() < 1e-8
    unscaled = larmor.Nufft(k, (ny, nx), order="xyz", scaled=False, **options) @ image
    assert np.allclose(unscaled, exact * np.sqrt(nx * ny))


def test_normal_of_coils_is_toeplitz():
    A = larmor.Sense(points, maps, order="xyz")
    assert "Toeplitz" in A.N.describe()
    assert "Toeplitz" not in A.normal(toeplitz="off").describe()


def test_results_go_where_they_are_told(rng):
    A = larmor.Fft((6, 7))
    x, out = random_complex(rng, (6, 7)), np.empty((6, 7), single)
    assert A.apply(x, out=out) is out
    assert np.array_equal(out, A @ x)
    assert A.adjoint(x, out=out) is out
    frozen = x.copy()
    frozen.setflags(write=False)
    assert np.array_equal(A @ frozen, A @ x)
    with pytest.raises(larmor.UsageError, match="out is not a writable array"):
        A.apply(x, out=frozen)


@pytest.mark.parametrize("bad, message", [
    (lambda x: x.astype(double), r"x is complex128, expected complex64: convert it with x.astype\(\"complex64\"\)"),
    (lambda x: x.real.copy(), "x is float32, expected complex64"),
    (lambda x: np.asfortranarray(x), "x is not contiguous in C order"),
    (lambda x: np.concatenate([x, x], 1)[:, ::2], "x is not contiguous"),
    (lambda x: x[:5].copy(), r"Fft: apply input has shape \[5, 7\], expected \[6, 7\]"),
    (lambda x: x.tolist(), "x is not an array"),
    (lambda x: None, "x is not an array"),
    (lambda x: x.astype(">c8"), "x is not an array of .* byte order"),
])
def test_wrong_arrays_are_errors(bad, message, rng):
    with pytest.raises(larmor.UsageError, match=message):
        larmor.Fft((6, 7)).apply(bad(random_complex(rng, (6, 7))))


@pytest.mark.parametrize("make, error, message", [
    (lambda: larmor.Nufft(points[:, :1], (12, 10), order="xyz"), larmor.UsageError, r"trajectory has the shape \[300, 1\]"),
    (lambda: larmor.Nufft(points * np.nan, (12, 10), order="xyz"), larmor.InputError, "finite"),
    (lambda: larmor.Nufft(points, (12, 10), order="xyz", tolerance=1e-9), larmor.UsageError, "the best is"),
    (lambda: larmor.Nufft(points, (12, 10)), larmor.UsageError, "order is not given: 'zyx' if column i"),
    (lambda: larmor.Sense(points, maps), larmor.UsageError, "order is not given"),
    (lambda: larmor.density_weights(points, (12, 10)), larmor.UsageError, "order is not given"),
    (lambda: larmor.trajectory_in_cycles(points, (12, 10)), larmor.UsageError, "order is not given"),
    (lambda: larmor.Nufft(points, (12, 10), order="yx"), larmor.UsageError, "order is 'yx', expected 'xyz' or 'zyx'"),
    (lambda: larmor.Nufft(points, (12, 10), order="xyz", units="deg"), larmor.UsageError, "units is 'deg'"),
    (lambda: larmor.Nufft(points, (12, 10), order="xyz", method="magic"), larmor.UsageError, "method is 'magic'"),
    (lambda: larmor.Nufft(points, (12, 10), order="xyz", dtype=np.float32), larmor.UsageError, "dtype is float32"),
    (lambda: larmor.Nufft(points, (12, -1), order="xyz"), larmor.UsageError, "-1"),
    (lambda: larmor.Nufft(points, (0, 10), order="xyz"), larmor.UsageError, r"a shape is \[0, 10\]"),
    (lambda: larmor.Nufft(points, (12.5, 10), order="xyz"), larmor.UsageError, "an extent of a shape is 12.5, expected a whole number"),
    (lambda: larmor.Nufft(points, (1 << 40, 1 << 40), order="xyz"), larmor.UsageError, "expected extents from 1"),
    (lambda: larmor.Nufft(points + 0j, (12, 10), order="xyz"), larmor.UsageError, "for a trajectory kx . i ky give np.stack"),
    (lambda: larmor.CoilMaps(maps * np.nan), larmor.InputError, "maps contain NaN"),
    (lambda: larmor.Nufft("spiral", (12, 10), order="xyz"), larmor.UsageError, "an array of numbers was expected"),
    (lambda: larmor.Nufft(points, (12, 10), order="xyz", coils=2.5), larmor.UsageError, "coils is 2.5, expected a whole number"),
    (lambda: larmor.Nufft(points, (12, 10), order="xyz").normal(weights=np.ones(7)), larmor.UsageError, "7 density weights for 300 samples"),
    (lambda: larmor.Fft((4, 4), axes=3), larmor.UsageError, "3 axes of an array of shape"),
    (lambda: larmor.Gradient((4, 4), axes=[2]), larmor.UsageError, "there is no axis 2"),
    (lambda: larmor.vstack([1, 2]), larmor.UsageError, "1 is not a larmor.LinearOperator"),
    (lambda: larmor.Fft((4,)) @ np.ma.masked_array(np.ones(4, single)), larmor.UsageError, "masked"),
    (lambda: larmor.Fft((4,)).apply(np.ma.masked_array(np.ones(4, single)), out=np.empty(4, single)), larmor.UsageError, "masked"),
    (lambda: larmor.Fft((4,)).apply(np.ones(4, single), out=np.ma.masked_array(np.ones(4, single))), larmor.UsageError, "masked"),
    (lambda: larmor.Fft((4,)) @ larmor.Fft((5,)), larmor.UsageError, "Composition"),
    (lambda: larmor.Fft((4,)) + larmor.Fft((4,), dtype=double), larmor.UsageError, "create all of them with one dtype"),
    (lambda: larmor.vstack([]), larmor.UsageError, "no operators"),
    (lambda: larmor.Nufft(points, (12, 10), order="xyz", device="cuda:77"), larmor.ResourceError, "cuda:77"),
    (lambda: larmor.Nufft(points, (12, 10), order="xyz", device="tpu"), larmor.UsageError, "tpu"),
])
def test_wrong_arguments_are_errors(make, error, message):
    with pytest.raises(error, match=message) as caught:
        make()
    assert isinstance(caught.value, larmor.LarmorError)
    assert isinstance(caught.value, MemoryError if error is larmor.ResourceError else ValueError)
    assert "\n" not in str(caught.value)


def test_a_trajectory_in_other_units_is_refused_with_those_that_fit():
    for factor, fits in ((2 * np.pi, '"radians"'), ([10, 12], '"cycles/fov"')):
        with pytest.raises(larmor.UsageError, match=f"the trajectory reaches .* give units=.*{fits}"):
            larmor.Nufft(points * factor, (12, 10), order="xyz")
    with pytest.warns(larmor.LarmorWarning, match='with units="radians" .* covers 16 % of k-space, with units="normalised" all of it'):
        larmor.Nufft(points, (12, 10), order="xyz", units="radians")
    with pytest.raises(larmor.UsageError, match="reaches 500, 500 .* give another shape"):
        larmor.density_weights([[500, 500]], (12, 10), order="xyz")


def test_own_operators_that_fail_say_what():
    class Broken(larmor.LinearOperator):
        def apply(self, x):
            raise KeyError("lost")

        def adjoint(self, y):
            return y[:1]

    A = larmor.Identity((3,)) @ Broken((3,), (3,))
    with pytest.raises(KeyError, match="lost"):
        A @ np.zeros(3, single)
    with pytest.raises(larmor.UsageError, match=r"the result of Broken.adjoint has the shape \[1\], expected \[3\]"):
        A.H @ np.zeros(3, single)
    with pytest.raises(NotImplementedError):
        larmor.LinearOperator((3,), (3,)).apply(np.zeros(3, single))

    class Unprepared(larmor.LinearOperator):
        def __init__(self):
            pass

    with pytest.raises(larmor.UsageError, match=r"Unprepared.__init__ has not called super\(\).__init__"):
        larmor.conjugate_gradient(Unprepared(), np.zeros(3, single))


class Keeps(larmor.LinearOperator):
    """An operator written in Python that keeps its results."""

    def __init__(self, make):
        super().__init__((6, 6), (6, 6))
        self.kept = make(self)

    def apply(self, x):
        return 2 * x

    def adjoint(self, y):
        return 2 * y


@pytest.mark.parametrize("make", [
    lambda A: A.apply, lambda A: A.H, lambda A: 0.5 * A, lambda A: A.H @ A, lambda A: larmor.Fft((6, 6)) @ A,
    lambda A: larmor.vstack([A, A]), lambda A: A.N, lambda A: (A + larmor.Identity((6, 6))).reshape((36,), (36,)),
], ids=["method", "adjoint", "scaled", "normal", "product", "stack", "N", "sum"])
def test_own_operators_that_keep_what_is_made_of_them_are_freed(make):
    alive = [weakref.ref(Keeps(make)) for _ in range(10)]
    gc.collect()
    assert not any(reference() for reference in alive)


def test_own_operators_live_as_long_as_what_is_made_of_them():
    x = np.ones((6, 6), single)
    A = larmor.vstack([2 * (Keeps(id) @ larmor.Identity((6, 6))).H.H, larmor.Identity((6, 6))])
    gc.collect()
    assert np.array_equal((A.N @ x), 17 * x)
    assert np.array_equal(larmor.conjugate_gradient(A.H @ A, 17 * x, iterations=5), x)


def test_operators_may_call_operators(rng):
    inner = larmor.Fft((16, 16))

    class Outer(larmor.LinearOperator):
        def apply(self, x):
            return larmor.conjugate_gradient(inner, inner @ x, iterations=2)

        def adjoint(self, y):
            return y

    x = random_complex(rng, (16, 16))
    A = larmor.Nufft(points, (16, 16), order="xyz") @ Outer((16, 16), (16, 16))
    assert np.allclose(A @ x, larmor.Nufft(points, (16, 16), order="xyz") @ x, atol=1e-4)


def test_threads_share_an_operator(rng):
    A = larmor.Sense(points, maps, order="xyz")
    inputs = [random_complex(rng, A.domain) for _ in range(8)]
    expected = [A @ x for x in inputs]
    wrong = []

    def work(number):
        for _ in range(20):
            if not np.array_equal(A @ inputs[number], expected[number]):
                wrong.append(number)

    in_threads(work, range(8))
    assert not wrong


_inherited = {}


def _apply_inherited(x):
    return _inherited["A"] @ x


def test_a_forked_process_has_threads_of_its_own(rng):
    A = _inherited["A"] = larmor.Sense(points, maps, order="xyz")
    x = random_complex(rng, A.domain)
    expected = A @ x
    with multiprocessing.get_context("fork").Pool(2) as pool:
        for result in [pool.apply_async(_apply_inherited, (x,)) for _ in range(4)]:
            assert np.array_equal(result.get(timeout=60), expected)
    assert np.array_equal(A @ x, expected)


def test_nothing_is_left_behind():
    """After a thousand operators were created and deleted, the process is as large as after a hundred."""
    def resident():
        with open("/proc/self/statm") as numbers:
            return int(numbers.read().split()[1]) * 4096

    def cycle(count):
        for _ in range(count):
            A = larmor.Sense(points, maps, order="xyz") @ Turn((12, 10))
            A.N @ np.zeros(A.domain, single)
        gc.collect()

    cycle(100)
    before = resident()
    cycle(1000)
    assert resident() - before < 8e6


def test_memory_is_shared_not_copied(rng):
    """The operator sees NumPy's writes and writes where NumPy reads: views of one buffer."""
    A = larmor.Identity((1000,))
    buffer = random_complex(rng, (2000,))
    A.apply(buffer[:1000], out=buffer[1000:])
    assert np.array_equal(buffer[:1000], buffer[1000:])
    with pytest.raises(larmor.UsageError, match="overlap|alias"):
        A.apply(buffer[:1000], out=buffer[500:1500])


def test_calls_make_no_copies():
    """The peak memory of the process during calls is that before them, although arrays have 64 MB."""
    with open("/proc/self/maps") as mapped:
        libraries = mapped.read()
    if "libtsan" in libraries or "libasan" in libraries:
        pytest.skip("a sanitizer keeps memory of its own")

    def most():
        with open("/proc/self/status") as lines:
            return next(int(line.split()[1]) * 1024 for line in lines if line.startswith("VmHWM"))

    A = larmor.Identity((1 << 23,))
    x, out = np.ones(A.domain, single), np.ones(A.domain, single)
    A.apply(x, out=out)
    for call in (lambda: A.apply(x, out=out), lambda: A.adjoint(x, out=out)):
        with open("/proc/self/clear_refs", "w") as reset:
            reset.write("5")
        before = most()
        call()
        assert most() - before < 4e6
    before = most()
    fresh = A @ x
    assert fresh.nbytes - 4e6 < most() - before < fresh.nbytes + 4e6


def test_contexts_are_named():
    context = larmor.Context(threads=1)
    A = larmor.Fft((4,), context=context)
    assert A.context is context and context.threads == 1 and context.device == "cpu"
    with pytest.raises(larmor.UsageError, match="give only one of them"):
        larmor.Fft((4,), context=context, device="cuda:0")


def test_arrays_handed_to_own_operators_may_be_kept():
    kept = []

    class Own(larmor.LinearOperator):
        def __init__(self):
            super().__init__((512, 512), (512, 512))

        def apply(self, x):
            kept.append((x, x.copy()))
            return x.copy()

        def adjoint(self, y):
            kept.append((y[::2], y[::2].copy()))
            return y.copy()

    larmor.solve(Own(), np.ones((512, 512), np.complex64), iterations=3)
    gc.collect()
    np.ones((2048, 2048)).sum()  # memory that was given back is taken again
    assert len(kept) > 2
    for handed, copied in kept:
        assert np.array_equal(handed, copied)


def test_operators_of_two_contexts_that_use_each_other_do_not_wait_for_ever():
    contexts = [larmor.Context(), larmor.Context()]
    inner = [larmor.Fft((8, 8), context=context) for context in contexts]
    meet = threading.Barrier(2, timeout=60)

    class Own(larmor.LinearOperator):
        def __init__(self, own, other):
            super().__init__((8, 8), (8, 8), context=contexts[own])
            self.other, self.met = inner[other], False

        def apply(self, x):
            if not self.met:  # both threads are in the middle of a call
                meet.wait()
                self.met = True
            return self.other.adjoint(self.other.apply(x))

        def adjoint(self, y):
            return self.apply(y)

    found = {}

    def work(own):
        found[own] = larmor.solve(Own(own, 1 - own), np.ones((8, 8), np.complex64), iterations=4).x

    in_threads(work, (0, 1))
    assert sorted(found) == [0, 1]
    assert np.array_equal(found[0], found[1])
