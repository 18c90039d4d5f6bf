#!/usr/bin/env python3
"""NUFFT execution times beside FINUFFT's: same points, same threads, in turn; achieved errors printed side by side.

Needs: bench_operators (build with -DLARMOR_BUILD_BENCH=ON), Python with numpy and the package finufft.
  bench/nufft_against_finufft.py build/release/bench/bench_operators --json bench/results/nufft_against_finufft.json
"""
import argparse
import datetime
import json
import math
import os
import pathlib
import platform
import re
import statistics
import subprocess
import time

import finufft
import numpy as np


def radial():
    spokes, samples = 402, 512
    angle = np.arange(spokes)[:, None] * np.pi / ((1 + np.sqrt(5)) / 2)
    radius = (np.arange(samples)[None, :] - samples // 2) / samples
    return np.stack([radius * np.cos(angle), radius * np.sin(angle)]).reshape(2, -1)


def kooshball():
    spokes, samples = 10000, 200
    s = np.arange(spokes)
    z = 2 * np.mod(0.465571231876768 * s, 1) - 1
    azimuth = 2 * np.pi * np.mod(0.682327803828019 * s, 1)
    across = np.sqrt(1 - z * z)
    directions = np.stack([across * np.cos(azimuth), across * np.sin(azimuth), z])
    return (directions[:, :, None] * (np.arange(samples) / (2 * samples))[None, None, :]).reshape(3, -1)


def random_points(dims, extent=1.0):
    return np.random.default_rng(7).uniform(0, extent, (dims, 1000000))


FLOAT, DOUBLE = "", "_double"
MRI_TOLERANCES, ALL_TOLERANCES, DOUBLE_TOLERANCES = (
    [1e-2, 1e-3, 1e-4], [1e-2, 1e-3, 1e-4, 1e-5, 1e-6], [1e-2, 1e-4, 1e-6, 1e-8, 1e-10, 1e-12])
# name: points, image, coils
PROBLEMS = {
    "radial_402x512_256": (radial, (256, 256), 16),
    "radial_402x512_256_1coil": (radial, (256, 256), 1),
    "kooshball_2e6_128": (kooshball, (128,) * 3, 8),
    "kooshball_2e6_128_1coil": (kooshball, (128,) * 3, 1),
    "random_1d": (lambda: random_points(1), (1000000,), 1),
    "random_2d": (lambda: random_points(2), (1000, 1000), 1),
    "random_3d": (lambda: random_points(3), (100,) * 3, 1),
    "clustered_1d": (lambda: random_points(1, 4e-6), (1000000,), 1),
    "clustered_2d": (lambda: random_points(2, 4e-3), (1000, 1000), 1),
    "clustered_3d": (lambda: random_points(3, 4e-2), (100,) * 3, 1),
}


def cases():
    for name in PROBLEMS:
        general = name.startswith("random")
        for tolerance in ALL_TOLERANCES if general else MRI_TOLERANCES:
            yield name, FLOAT, tolerance
        for tolerance in DOUBLE_TOLERANCES if general else []:
            yield name, DOUBLE, tolerance


def finufft_times(k, shape, coils, tolerance, forward, threads, runs, double):
    """Median seconds of execute, seconds of plan and points, relative l2 error of a forward transform."""
    rng = np.random.default_rng(1)
    real, complex_ = (np.float64, np.complex128) if double else (np.float32, np.complex64)
    dtype = np.dtype(complex_).name
    points = [np.ascontiguousarray(2 * np.pi * axis, dtype=real) for axis in k[::-1]]
    start = time.perf_counter()
    plan = finufft.Plan(2 if forward else 1, shape, n_trans=coils, eps=tolerance, isign=-1 if forward else 1,
                        dtype=dtype, nthreads=threads)
    plan.setpts(*points)
    setup = time.perf_counter() - start
    size = (coils, *shape) if forward else (coils, k.shape[1])
    values = (rng.standard_normal(size) + 1j * rng.standard_normal(size)).astype(complex_)
    if coils == 1:
        values = values[0]
    out = plan.execute(values)
    times = []
    for _ in range(runs):
        start = time.perf_counter()
        plan.execute(values, out=out)
        times.append(time.perf_counter() - start)
    # Against exact sums of a few pixels at a thousand points, coordinates in double.
    image = np.zeros(shape, complex_)
    pixels = tuple(rng.integers(0, n, 512) for n in shape)
    image[pixels] = (rng.standard_normal(512) + 1j * rng.standard_normal(512)).astype(complex_)
    chosen = np.linspace(0, k.shape[1] - 1, 1000).astype(int)
    check = finufft.Plan(2, shape, eps=tolerance, isign=-1, dtype=dtype, nthreads=threads)
    check.setpts(*points)
    found = check.execute(image)[chosen]
    where = np.nonzero(image)
    positions = np.stack([w - n // 2 for w, n in zip(where, shape)])
    exact = np.exp(-2j * np.pi * (k[::-1, chosen].T @ positions)) @ image[where].astype(complex)
    error = float(np.linalg.norm(found - exact) / np.linalg.norm(exact))
    return statistics.median(times), setup, error


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("bench", type=pathlib.Path)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--runs", type=int, default=7)
    parser.add_argument("--seconds", type=float, default=0.2, help="least duration of a run of Larmor's")
    parser.add_argument("--filter", default="", help="regular expression on the problem's name")
    parser.add_argument("--tolerances", type=float, nargs="+", help="only these")
    parser.add_argument("--json", type=pathlib.Path)
    arguments = parser.parse_args()
    environment = dict(os.environ, LARMOR_THREADS=str(arguments.threads), OMP_NUM_THREADS=str(arguments.threads))
    rows = []
    print(f"{'problem':26s} {'tol':>6s} {'way':>8s} {'Larmor ms':>10s} {'FINUFFT ms':>10s} {'ratio':>6s} "
          f"{'error':>8s} {'error':>8s} {'set-up ms':>9s} {'set-up ms':>9s}")
    for name, precision, tolerance in cases():
        if not re.search(arguments.filter, name + precision):
            continue
        if arguments.tolerances and tolerance not in arguments.tolerances:
            continue
        make, shape, coils = PROBLEMS[name]
        k = make()
        for way in ("forward", "adjoint"):
            pattern = f"^{name}{precision}/{tolerance:.0e}/{way}/real_time$"
            output = subprocess.run(
                [arguments.bench, f"--benchmark_filter={pattern}", "--benchmark_format=json",
                 f"--benchmark_repetitions={arguments.runs}", f"--benchmark_min_time={arguments.seconds}"],
                check=True, capture_output=True, text=True, env=environment).stdout
            ours = [b for b in json.loads(output)["benchmarks"] if b["name"].endswith("_median")][0]
            theirs, setup, error = finufft_times(k, shape, coils, tolerance, way == "forward", arguments.threads,
                                                 arguments.runs, precision == DOUBLE)
            row = {"problem": name, "precision": "double" if precision == DOUBLE else "float", "coils": coils,
                   "tolerance": tolerance, "direction": way,
                   "larmor_ms": ours["real_time"], "finufft_ms": 1e3 * theirs,
                   "ratio": 1e3 * theirs / ours["real_time"], "larmor_error": ours["error"],
                   "finufft_error": error, "larmor_setup_ms": ours["setup_ms"], "finufft_setup_ms": 1e3 * setup,
                   "larmor_width": ours["width"], "larmor_oversampling": ours["oversampling"]}
            rows.append(row)
            print(f"{name + precision:26s} {tolerance:6.0e} {way:>8s} {row['larmor_ms']:10.2f} "
                  f"{row['finufft_ms']:10.2f} {row['ratio']:6.2f} {row['larmor_error']:8.1e} {error:8.1e} "
                  f"{row['larmor_setup_ms']:9.1f} {row['finufft_setup_ms']:9.1f}", flush=True)
    if rows:
        mean = math.exp(statistics.mean(math.log(row["ratio"]) for row in rows))
        print(f"{len(rows)} cases, geometric mean of the ratios {mean:.2f}, smallest "
              f"{min(row['ratio'] for row in rows):.2f}")
    if arguments.json:
        processor = next((line.split(":")[1].strip() for line in open("/proc/cpuinfo")
                          if line.startswith("model name")), platform.machine())
        commit = subprocess.run(["git", "rev-parse", "--short", "HEAD"], capture_output=True, text=True,
                                cwd=pathlib.Path(__file__).parent).stdout.strip()
        arguments.json.write_text(json.dumps(
            {"benchmark": "NUFFT execute beside FINUFFT, float", "date": datetime.date.today().isoformat(),
             "commit": commit, "processor": processor, "threads": arguments.threads, "runs": arguments.runs,
             "finufft": finufft.__version__, "rows": rows}, indent=2) + "\n")


if __name__ == "__main__":
    main()
