#!/usr/bin/env python3
"""What a transform takes in a Python process that holds other libraries with FFTs and threads of their own, beside one alone.

  bench/python_company.py [--threads 1,4] [--rounds 5] [--json OUT]

Processes run in turn: one alone, then one for every order of imports. In each the others work first, with several threads
where they can. The ratio is the median over rounds of the least time in company over that alone in the same round. The bits
of the results are compared. Libraries that are not installed are left out; "fftw" is the system's threaded FFTW, told to plan
for four threads.
"""
import argparse
import datetime
import hashlib
import importlib.util
import itertools
import json
import os
import pathlib
import platform
import statistics
import subprocess
import sys
import time

LIBRARIES = ("finufft", "pyfftw", "scipy.fft", "h5py", "torch", "cupy", "fftw")


def make_work(name, x):
    """Imports a library and has it work."""
    import numpy as np

    if name == "fftw":
        import ctypes

        for precision in ("", "f"):
            # Seen by all, as a program has it that is linked with it.
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


def child(threads, seconds, names):
    """Imports in the order given, the others work, Larmor is timed: (least milliseconds of each transform, digest)."""
    import numpy as np

    rng = np.random.default_rng(5)
    x = (rng.standard_normal((8, 256, 256)) + 1j * rng.standard_normal((8, 256, 256))).astype(np.complex64)
    for name in names:
        if name == "larmor":
            importlib.import_module(name)
        else:
            make_work(name, x)
    import larmor

    context = larmor.Context(threads=threads)
    points = rng.uniform(-0.5, 0.5, (200000, 2))
    F = larmor.Nufft(points, (256, 256), coils=8, context=context)
    N, fft = F.N, larmor.Fft((8, 256, 256), axes=2, context=context)
    samples, image, again, spectrum = F @ x, F.H @ (F @ x), N @ x, fft @ x
    calls = {"Nufft": lambda: F.apply(x, out=samples), "adjoint": lambda: F.adjoint(samples, out=image),
             "normal": lambda: N.apply(x, out=again), "Fft": lambda: fft.apply(x, out=spectrum)}
    least = {}
    for what, call in calls.items():
        call()
        least[what] = float("inf")
        end = time.perf_counter() + seconds
        while time.perf_counter() < end:
            start = time.perf_counter()
            call()
            least[what] = min(least[what], 1e3 * (time.perf_counter() - start))
    digest = hashlib.sha256(b"".join(array.tobytes() for array in (samples, image, again, spectrum))).hexdigest()
    print(json.dumps([least, digest]))


def installed(name):
    if name != "fftw":
        return importlib.util.find_spec(name.partition(".")[0]) is not None
    import ctypes.util

    return ctypes.util.find_library("fftw3_threads") is not None


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--threads", default=f"1,{os.cpu_count()}", help="comma-separated")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seconds", type=float, default=0.15, help="for each transform in each process")
    parser.add_argument("--json", type=pathlib.Path)
    parser.add_argument("--child", nargs=argparse.REMAINDER, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.child is not None:
        return child(int(arguments.child[0]), float(arguments.child[1]), arguments.child[2:])

    others = [name for name in LIBRARIES if installed(name)]
    orders = [[name] for name in others]
    orders += [others, others[::-1], ["larmor", *others], [*others[: len(others) // 2], "larmor", *others[len(others) // 2:]]]
    rows = []
    print("| threads | imported, in this order | Nufft | adjoint | normal | Fft | same bits |\n|---|---|---|---|---|---|---|")
    for threads in map(int, arguments.threads.split(",")):
        def run(names, threads=threads):
            words = [sys.executable, __file__, "--child", str(threads), str(arguments.seconds), *names]
            return json.loads(subprocess.run(words, check=True, capture_output=True, text=True).stdout)

        ratios = {tuple(order): {} for order in orders}
        same = dict.fromkeys(ratios, True)
        for _, order in itertools.product(range(arguments.rounds), ratios):
            alone, company = run([]), run(order)
            same[order] = same[order] and alone[1] == company[1]
            for what, least in company[0].items():
                ratios[order].setdefault(what, []).append(least / alone[0][what])
        for order, found in ratios.items():
            medians = {what: round(statistics.median(values), 3) for what, values in found.items()}
            rows.append({"threads": threads, "order": order, "ratio": medians, "same_bits": same[order]})
            print(f"| {threads} | {', '.join(order)} | {' | '.join(map(str, medians.values()))} "
                  f"| {'yes' if same[order] else 'NO'} |", flush=True)
    if arguments.json:
        arguments.json.write_text(json.dumps({
            "date": datetime.date.today().isoformat(), "processor": platform.processor(), "cores": os.cpu_count(),
            "rows": rows}, indent=1) + "\n")


if __name__ == "__main__":
    main()
