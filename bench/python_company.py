#!/usr/bin/env python3
"""Times of transforms in a Python process in which other libraries with FFTs and threads are loaded, compared with a
process without them.

  bench/python_company.py [--threads 1,4] [--pairs 6] [--turns 10] [--json OUT]

For every order of imports there are several pairs of processes: one with Larmor alone, and one in which the other
libraries compute first, with several threads if they can. All processes of an order start together, which is not
timed; then the two of a pair alternate, each making one call of every transform. A pair's ratio is the median over
turns of the ratio of their times in the same turn. A row has the median over pairs, with the interval that contains
95 % of the medians of resampled pairs, and the same for the lower quartiles of the times. The first row compares two
processes with Larmor alone and shows the random variation. The bits of the results are compared. Libraries that are
not installed are left out; "fftw" is the system's threaded FFTW, set to plan for four threads. With a GPU,
larmor.conjugate_gradient works there on a CuPy array, for which the process alone also imports CuPy.
"""
import argparse
import datetime
import hashlib
import importlib.util
import json
import os
import pathlib
import platform
import random
import statistics
import subprocess
import sys
import time

LIBRARIES = ("finufft", "pyfftw", "scipy.fft", "h5py", "torch", "cupy", "fftw")


def make_work(name, x):
    """Imports a library and makes it compute."""
    import numpy as np

    if name == "fftw":
        import ctypes

        for precision in ("", "f"):
            # Loaded with global symbols, as in a program that is linked with it.
            threads = ctypes.CDLL(f"libfftw3{precision}_threads.so.3", mode=ctypes.RTLD_GLOBAL)
            getattr(threads, f"fftw{precision}_init_threads")()
            getattr(threads, f"fftw{precision}_plan_with_nthreads")(4)
        return
    module = importlib.import_module(name)
    if name == "finufft":
        points = np.random.default_rng(1).uniform(-3, 3, (2, 10000))
        module.nufft2d1(*points, np.ones(10000, complex), (128, 128))
    elif name == "pyfftw":
        module.interfaces.cache.enable()
        module.interfaces.numpy_fft.fftn(x, threads=4)
    elif name == "scipy.fft":
        module.fftn(x, workers=4)
    elif name == "h5py":
        with module.File("company.h5", "w", driver="core", backing_store=False) as file:
            file["x"] = x
    elif name == "torch":
        module.fft.fftn(module.from_numpy(x))
        module.ones(600, 600) @ module.ones(600, 600)
    elif name == "cupy" and module.cuda.is_available():
        module.fft.fftn(module.asarray(x)).get()


def child(threads, names):
    """Imports in the given order; the other libraries compute. For each line of stdin: milliseconds of each transform."""
    import numpy as np

    rng = np.random.default_rng(5)
    coils = 16
    x = (rng.standard_normal((coils, 256, 256)) + 1j * rng.standard_normal((coils, 256, 256))).astype(np.complex64)
    for name in names:
        if name == "larmor":
            importlib.import_module(name)
        else:
            make_work(name, x)
    import larmor

    context = larmor.Context(threads=threads)
    points = rng.uniform(-0.5, 0.5, (200000, 2))
    F = larmor.Nufft(points, (256, 256), order="xyz", coils=coils, context=context)
    N, fft = F.N, larmor.Fft((4 * coils, 256, 256), axes=2, context=context)
    many = np.concatenate([x, x, x, x])
    samples, image, again, spectrum = F @ x, F.H @ (F @ x), N @ x, fft @ many
    calls = {"Nufft": lambda: F.apply(x, out=samples), "adjoint": lambda: F.adjoint(samples, out=image),
             "normal": lambda: N.apply(x, out=again), "Fft": lambda: fft.apply(many, out=spectrum)}
    if larmor.cuda_device_count() > 0:
        import cupy

        G = larmor.Nufft(points, (256, 256), order="xyz", coils=coils, context=larmor.Context("cuda", threads=1))
        y = cupy.asarray(samples)
        calls["CG on a GPU"] = lambda: larmor.conjugate_gradient(G, y, iterations=100)
    for call in calls.values():
        call()
    digest = hashlib.sha256(b"".join(array.tobytes() for array in (samples, image, again, spectrum))).hexdigest()
    print(json.dumps(digest), flush=True)
    for _ in sys.stdin:
        taken = {}
        for what, call in calls.items():
            start = time.perf_counter()
            call()
            taken[what] = 1e3 * (time.perf_counter() - start)
        print(json.dumps(taken), flush=True)


class Process:
    def __init__(self, threads, names):
        words = [sys.executable, __file__, "--child", str(threads), *names]
        self.process = subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def answer(self):
        line = self.process.stdout.readline()
        if not line:
            sys.exit(f"a process ended with status {self.process.wait()}")
        return json.loads(line)

    def turn(self):
        self.process.stdin.write("go\n")
        self.process.stdin.flush()
        return self.answer()

    def end(self):
        self.process.communicate()


def interval(values, draws=2000):
    """The median of the values, and the central 95 % of the medians of resampled values."""
    chance = random.Random(1)
    medians = sorted(statistics.median(chance.choices(values, k=len(values))) for _ in range(draws))
    return statistics.median(values), medians[draws // 40], medians[-1 - draws // 40]


def ratios_of_pairs(threads, names, pairs, turns):
    """For each transform: ratios of the pairs, ratios of their lower quartiles, milliseconds alone; and whether the bits
    are the same.
    """
    processes = [(Process(threads, []), Process(threads, names)) for _ in range(pairs)]
    digests = {process.answer() for pair in processes for process in pair}
    found = {}
    for number, (alone, company) in enumerate(processes):
        taken = []
        for turn in range(turns):
            if (turn + number) % 2 == 0:
                first = alone.turn()
                taken.append((first, company.turn()))
            else:
                first = company.turn()
                taken.append((alone.turn(), first))
        for what in taken[0][0]:
            ours, theirs = [a[what] for a, _ in taken], [c[what] for _, c in taken]
            ratios, quartiles, times = found.setdefault(what, ([], [], []))
            ratios.append(statistics.median(c / a for a, c in zip(ours, theirs)))
            quartiles.append(statistics.quantiles(theirs, n=4)[0] / statistics.quantiles(ours, n=4)[0])
            times.append(statistics.median(ours))
    for pair in processes:
        for process in pair:
            process.end()
    return found, len(digests) == 1


def installed(name):
    if name != "fftw":
        return importlib.util.find_spec(name.partition(".")[0]) is not None
    import ctypes

    try:
        return ctypes.CDLL("libfftw3f_threads.so.3") is not None
    except OSError:
        return False


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--threads", default=f"1,{os.cpu_count()}", help="comma-separated")
    parser.add_argument("--pairs", type=int, default=6, help="of processes, for each order")
    parser.add_argument("--turns", type=int, default=10, help="of each pair, at least 2")
    parser.add_argument("--json", type=pathlib.Path)
    parser.add_argument("--child", nargs=argparse.REMAINDER, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.child is not None:
        return child(int(arguments.child[0]), arguments.child[1:])

    others = [name for name in LIBRARIES if installed(name)]
    half = len(others) // 2
    orders = [[], others, others[::-1], ["larmor", *others], [*others[:half], "larmor", *others[half:]]]
    rows = []
    print("| threads | imported, in this order | transform | alone ms | ratio | 95 % | of lower quartiles | 95 % | same bits |\n"
          "|---|---|---|---|---|---|---|---|---|")
    for threads in map(int, arguments.threads.split(",")):
        for order in orders:
            found, same = ratios_of_pairs(threads, order, arguments.pairs, arguments.turns)
            for what, (ratios, quartiles, times) in found.items():
                ratio, quartile = interval(ratios), interval(quartiles)
                rows.append({"threads": threads, "order": order, "transform": what, "alone_ms": statistics.median(times),
                             "ratio": ratio, "of_quartiles": quartile, "pairs": ratios, "same_bits": same})
                print(f"| {threads} | {', '.join(order) or 'none'} | {what} | {statistics.median(times):.1f} "
                      f"| {ratio[0]:.3f} | {ratio[1]:.3f} to {ratio[2]:.3f} | {quartile[0]:.3f} "
                      f"| {quartile[1]:.3f} to {quartile[2]:.3f} | {'yes' if same else 'NO'} |", flush=True)
    if arguments.json:
        arguments.json.write_text(json.dumps({
            "date": datetime.date.today().isoformat(), "processor": platform.processor(), "cores": os.cpu_count(),
            "rows": rows}, indent=1) + "\n")


if __name__ == "__main__":
    main()
