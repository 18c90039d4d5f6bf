import signal
import subprocess
import sys
import threading
import time
import warnings

import numpy as np
import pytest

import larmor
from conftest import random_complex

single, double = np.complex64, np.complex128


class Matrix(larmor.LinearOperator):
    """A dense matrix, as an operator written in Python."""

    def __init__(self, matrix):
        super().__init__(matrix.shape[1:], matrix.shape[:1], matrix.dtype)
        self.matrix = matrix

    def apply(self, x):
        return self.matrix @ x

    def adjoint(self, y):
        return self.matrix.conj().T @ y


@pytest.fixture
def problem(rng):
    A = Matrix(random_complex(rng, (30, 12), double))
    x = random_complex(rng, (12,), double)
    return A, x, A @ x


@pytest.mark.parametrize("solver", [larmor.conjugate_gradient, larmor.fista, larmor.admm, larmor.pdhg, larmor.lsmr])
def test_every_solver_takes_an_own_operator(solver, problem):
    A, x, y = problem
    found = solver(A, y, iterations=400)
    assert np.linalg.norm(found - x) <= 1e-4 * np.linalg.norm(x)


def test_tikhonov_is_the_closed_form(problem):
    A, _, y = problem
    normal = A.matrix.conj().T @ A.matrix
    weight = 0.1 * np.linalg.norm(normal, 2)
    exact = np.linalg.solve(normal + weight * np.eye(12), A.matrix.conj().T @ y)
    for solver in (larmor.conjugate_gradient, larmor.lsmr):
        assert np.linalg.norm(solver(A, y, "l2:0.1", iterations=60) - exact) <= 1e-3 * np.linalg.norm(exact)
    prior = np.ones(12, double)
    towards = np.linalg.solve(normal + weight * np.eye(12), A.matrix.conj().T @ y + weight * prior)
    found = larmor.conjugate_gradient(A, y, larmor.Regularizer("l2", 0.1, prior=prior), iterations=60)
    assert np.linalg.norm(found - towards) <= 1e-3 * np.linalg.norm(towards)


def test_weights_are_those_of_weighted_least_squares(problem, rng):
    A, _, y = problem
    w = rng.uniform(0.1, 3, 30)
    weighted = np.sqrt(w)[:, None] * A.matrix
    exact = np.linalg.lstsq(weighted, np.sqrt(w) * (y + 1), rcond=None)[0]
    for solver in (larmor.conjugate_gradient, larmor.lsmr):
        assert np.linalg.norm(solver(A, y + 1, weights=w, iterations=200) - exact) <= 1e-4 * np.linalg.norm(exact)
    for bad, message in ((-w, "not negative"), (w[:7], "7 weights"), (np.full(30, np.nan), "finite")):
        with pytest.raises((larmor.UsageError, larmor.InputError), match=message):
            larmor.conjugate_gradient(A, y, weights=bad)


def test_arguments_of_another_type_are_named(problem):
    A, _, y = problem
    for options, message in (({"objective": "x"}, "objective is 'x', expected True or False"),
                             ({"solver": 3}, "solver is 3, expected a text"),
                             ({"space": 2**40}, "space is 1099511627776, expected a whole number"),
                             ({"toeplitz": None}, "toeplitz is None, expected a text")):
        with pytest.raises(larmor.UsageError, match=message):
            larmor.solve(A, y, **options)
    assert larmor.solve(A, y, objective=np.bool_(True), iterations=1).history[0]["objective"] > 0
    with pytest.raises(larmor.UsageError, match="y is None"):
        larmor.solve(A, None)
    date = np.datetime64("2020-01-01")  # its buffer has no strides
    for call in (lambda: A.H @ date, lambda: larmor.solve(A, date), lambda: larmor.CoilMaps(date)):
        with pytest.raises(larmor.UsageError, match="is not an array"):
            call()
    with pytest.raises(larmor.UsageError) as error:
        larmor.solve(A, y, start=y, iterations=np.zeros((8, 9)))
    assert "\n" not in str(error.value)


def test_a_weight_is_found_for_weighted_data(rng):
    truth = np.zeros((24, 24), complex)
    truth[6:18, 8:20] = 1
    points, w = rng.uniform(-0.5, 0.5, (900, 2)), rng.uniform(0.2, 3, 900)
    A = larmor.Nufft(points, (24, 24), order="xyz", tolerance=1e-6, dtype=complex)
    noise = random_complex(rng, (900,), double)
    y = A @ truth + noise
    variance = float(np.mean(np.abs(noise) ** 2))

    def error(x):
        return np.linalg.norm(x - truth) / np.linalg.norm(truth)

    found = larmor.solve(A, y, "tv:auto", weights=w, noise_variance=variance, iterations=100)
    assert found.lambda_rule == "SURE"
    assert float(found.terms[0].split(":")[1]) > 0
    best = min(error(larmor.admm(A, y, f"tv:{10 ** e}", weights=w, iterations=100)) for e in np.arange(-4, 0, 0.5))
    assert error(found.x) <= 1.2 * best
    again = larmor.solve(A, y, found.terms, weights=w, iterations=100)
    assert np.allclose(again.x, found.x, atol=1e-6)


def test_weighted_sense_is_the_dense_solution(rng):
    points, maps = rng.uniform(-0.5, 0.5, (90, 2)), random_complex(rng, (2, 6, 5), double)
    A = larmor.Sense(points, maps, order="xyz", tolerance=1e-9)
    dense = np.stack([(A @ e.reshape(6, 5).astype(double)).ravel() for e in np.eye(30)], 1)
    y, w = random_complex(rng, (2, 90), double), rng.uniform(0.1, 3, 90)
    root = np.tile(np.sqrt(w), 2)
    exact = np.linalg.lstsq(root[:, None] * dense, root * y.ravel(), rcond=None)[0]
    found = larmor.conjugate_gradient(A, y, weights=w, iterations=200)
    assert np.linalg.norm(found.ravel() - exact) <= 1e-5 * np.linalg.norm(exact)
    x = random_complex(rng, (6, 5), double)
    normal = A.normal(weights=w, toeplitz="on")
    assert "Toeplitz" in str(normal)
    assert np.allclose((normal @ x).ravel(), dense.conj().T @ (np.tile(w, 2) * (dense @ x.ravel())), atol=1e-6)


def test_a_term_of_ones_own_is_the_named_one(problem):
    A, _, y = problem

    def shrink(t, z):
        size = np.abs(z)
        return z * np.maximum(1 - t / np.maximum(size, 1e-30), 0)

    own = larmor.ProximalTerm(shrink, lambda z: float(np.abs(z).sum()), 0.05)
    named = larmor.Regularizer("l1", 0.05)
    for solver in (larmor.fista, larmor.admm, larmor.pdhg):
        a, b = solver(A, y, own, iterations=300, space=1), solver(A, y, named, iterations=300, space=1)
        assert np.linalg.norm(a - b) <= 1e-6 * np.linalg.norm(b)
    W = larmor.Identity((12,), dtype=double)
    c = larmor.admm(A, y, larmor.ProximalTerm(shrink, own.value, 0.05, transform=2 * W, norm_squared=4), iterations=300,
                    space=1)
    d = larmor.admm(A, y, larmor.Regularizer("l1", 0.1), iterations=300, space=1)
    assert np.linalg.norm(c - d) <= 1e-3 * np.linalg.norm(d)


def test_solve_says_what_it_did(problem):
    A, x, y = problem
    steps = []
    solution = larmor.solve(A, y, "l1:1e-3", iterations=12, objective=True, space=1,
                            callback=lambda step, image: steps.append((step["iteration"], image)))
    assert solution.solver == "fista" and solution.stop_reason == "iterations"
    assert [n for n, _ in steps] == list(range(1, 13)) and len(solution.history) == 12
    assert np.array_equal(steps[-1][1], solution.x)
    assert solution.history[-1]["objective"] < solution.history[0]["objective"]
    assert solution.terms == ["l1:0.001"]
    early = larmor.solve(A, y, "l1:1e-3", iterations=12, space=1, callback=lambda step, image: step["iteration"] == 5)
    assert early.stop_reason == "asked" and len(early.history) == 5 and np.allclose(early.x, steps[4][1])
    again = larmor.solve(A, y, "l1:1e-3", iterations=1, start=solution.x, space=1).x
    assert np.linalg.norm(again - solution.x) < 1e-2 * np.linalg.norm(x)
    out = np.empty(12, double)
    assert larmor.solve(A, y, out=out).x is out


def identity_term(prox=lambda t, z: z, value=lambda z: 0.0):
    return larmor.ProximalTerm(prox, value, 1.0)


@pytest.mark.parametrize("arguments, message", [
    (dict(regularizers="l3:1"), "l3"),
    (dict(regularizers="l1"), "l1"),
    (dict(regularizers=["l1:-1"]), "-1"),
    (dict(regularizers=[3]), "a term is 3"),
    (dict(solver="newton"), "unknown solver 'newton'"),
    (dict(solver="cg", regularizers="l1:0.1"), "l1|quadratic"),
    (dict(toeplitz="maybe"), "toeplitz is 'maybe'"),
    (dict(iterations=-1), "iterations|-1"),
    (dict(iterations=1.5), "expected a whole number"),
    (dict(iterations=2**70), "expected a whole number"),
    (dict(space=0.5), "expected a whole number"),
    (dict(inner_iterations="two"), "expected a whole number"),
    (dict(regularizers=["tv:auto", identity_term()]), "named terms only"),
    (dict(regularizers=identity_term(prox=lambda t, z: z * np.nan), solver="fista"), "the result of ProximalTerm.prox contains NaN"),
    (dict(regularizers=identity_term(value=lambda z: "much"), solver="fista", objective=True),
     "the result of ProximalTerm.value is not a real number"),
])
def test_wrong_arguments_are_errors(arguments, message, problem):
    A, _, y = problem
    with pytest.raises(larmor.UsageError, match=message):
        larmor.solve(A, y, **{"space": 1, **arguments})


def test_exceptions_of_callbacks_come_through(problem):
    A, _, y = problem

    def stop(step, x):
        if step["iteration"] == 3:
            raise LookupError("enough")

    with pytest.raises(LookupError, match="enough"):
        larmor.solve(A, y, callback=stop)
    assert larmor.solve(A, y, iterations=2).stop_reason == "iterations"


def interrupted_after(seconds, work):
    """Seconds from Ctrl-C to KeyboardInterrupt."""
    sent, ended = [], threading.Event()

    def interrupt():
        # Work that ends earlier must not interrupt the next test.
        if not ended.wait(seconds):
            sent.append(time.monotonic())
            signal.pthread_kill(threading.main_thread().ident, signal.SIGINT)

    # A process started in the background may ignore Ctrl-C.
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        threading.Thread(target=interrupt).start()
        with pytest.raises(KeyboardInterrupt):
            work()
    finally:
        ended.set()
        signal.signal(signal.SIGINT, before)
    return time.monotonic() - sent[0]


def test_control_c_stops_a_solver(problem, rng):
    # Conjugate gradients end by themselves after some hundred iterations, which takes more than a second for this many
    # points.
    A = larmor.Nufft(rng.uniform(-0.5, 0.5, (320000, 2)), (512, 512), order="xyz")
    y = random_complex(rng, A.codomain)
    assert interrupted_after(0.1, lambda: larmor.conjugate_gradient(A, y, iterations=10**7)) < 30
    own, _, samples = problem
    assert interrupted_after(0.1, lambda: larmor.fista(own, samples, "l1:1e-3", iterations=10**7, space=1)) < 30
    x = larmor.conjugate_gradient(A, y, iterations=2)  # and work goes on
    assert np.isfinite(x).all()


def test_python_runs_meanwhile(rng):
    """Another thread counts while a solver works: Python's lock is free."""
    A = larmor.Nufft(rng.uniform(-0.5, 0.5, (50000, 2)), (192, 192), order="xyz")
    y = random_complex(rng, A.codomain)
    counted, done = [0], threading.Event()

    def count():
        while not done.is_set():
            counted[0] += 1
            time.sleep(0.0005)

    thread = threading.Thread(target=count)
    thread.start()
    try:
        x = np.empty(A.domain, single)
        for _ in range(10):
            A.adjoint(y, out=x)
        larmor.conjugate_gradient(A, y, iterations=30)
    finally:
        done.set()
        thread.join()
    assert counted[0] > 5


leaving = """
import threading, time, numpy as np, larmor
A = larmor.Nufft(np.random.default_rng(0).uniform(-0.5, 0.5, (20000, 2)), (64, 64), order="xyz", coils=4)
x = np.ones(A.domain, np.complex64)
y = A @ x
def forever(work):
    while True:
        work()
for work in (lambda: A @ x, lambda: larmor.solve(A, y, iterations=20, callback=lambda step, image: None)):
    threading.Thread(target=forever, args=(work,), daemon=True).start()
time.sleep(0.3)
"""


def test_python_may_end_while_threads_work():
    for _ in range(3):
        ended = subprocess.run([sys.executable, "-c", leaving], capture_output=True, text=True, timeout=60)
        assert ended.returncode == 0, ended.stderr


kept = """
import numpy as np, larmor
class Same(larmor.LinearOperator):
    def __init__(self):
        super().__init__((4, 4), (4, 4))
    def apply(self, x):
        return x
    adjoint = apply
A = larmor.Fft((4, 4)) @ Same()
term = larmor.ProximalTerm(lambda t, z: z, lambda z: 0.0, 1e-3, transform=Same())
"""


def test_python_may_end_with_operators_of_its_own():
    ended = subprocess.run([sys.executable, "-c", kept], capture_output=True, text=True, timeout=60)
    assert ended.returncode == 0, ended.stderr


def test_a_solution_shows_itself():
    F = larmor.Fft((6, 7))
    solution = larmor.solve(F, np.ones((6, 7), single), "l2:1e-3", iterations=2)
    assert repr(solution) == f"<larmor Solution [6, 7] by cg: l2:0.001, iterations {len(solution.history)} (" \
        f"{solution.stop_reason}), unexplained {100 * solution.unexplained:.2g} %>"
    assert solution._repr_html_().count("<img") == 1


def test_wrong_adjoints_and_proximal_maps_are_noticed_at_the_first_solve(problem):
    A, _, y = problem

    class Unconjugated(Matrix):
        def adjoint(self, y):
            return self.matrix.T @ y

    wrong = Unconjugated(A.matrix)
    assert wrong.check_adjoint() > 0.1 and A.check_adjoint() < 1e-12
    solve = lambda A, terms=None: larmor.solve(A, y, terms, iterations=2)
    with pytest.warns(larmor.LarmorWarning, match="Unconjugated.adjoint is not the adjoint of Unconjugated.apply"):
        solve(wrong @ larmor.Identity((12,), dtype=double))
    right = larmor.ProximalTerm(soft, lambda z: np.sum(np.abs(z)), 1e-3)
    with pytest.warns(larmor.LarmorWarning, match="not the proximal map"):
        solve(A, larmor.ProximalTerm(lambda t, z: soft(1, z), lambda z: np.sum(np.abs(z)), 1e-3))
    with pytest.warns(larmor.LarmorWarning, match="Unconjugated.adjoint"):
        solve(A, larmor.ProximalTerm(soft, lambda z: np.sum(np.abs(z)), 1e-3, transform=Unconjugated(A.matrix), norm_squared=99))
    with warnings.catch_warnings():
        warnings.filterwarnings("error", ".*(adjoint|proximal)")
        solve(wrong)
        solve(A, right)
        solve(A, larmor.ProximalTerm(lambda t, z: 0.9 * z, None, 1))  # a denoiser that belongs to no function


def soft(t, z):
    return z * np.maximum(1 - t / np.maximum(np.abs(z), 1e-30), 0)


@pytest.mark.parametrize("solver", ["cg", "fista", "admm", "pdhg", "lsmr"])
def test_the_objective_is_half_the_squared_residual(solver, problem):
    A, _, y = problem
    y = y + 1  # no x explains it
    called = []
    found = larmor.solve(A, y, solver=solver, iterations=30, objective=True, callback=lambda step, x: called.append(step["objective"]))
    residual = 0.5 * np.linalg.norm(A @ found.x - y) ** 2
    assert abs(found.history[-1]["objective"] - residual) <= 1e-3 * residual and called[-1] == found.history[-1]["objective"]


def test_samples_that_do_not_fit_the_model_are_noticed(rng):
    scan, _, maps = larmor.simulate("radial", 48, coils=4, readouts=60)
    data = scan.select(no_whiten=True, solve_fov=1).load()
    solve = lambda maps: larmor.solve(larmor.Sense(data.trajectory, maps, order="xyz"), data.samples, iterations=10)
    assert solve(maps).unexplained < 0.02
    with pytest.warns(larmor.LarmorWarning, match="100 % of the samples unexplained: unless they are noise"):
        solve(0 * maps)
