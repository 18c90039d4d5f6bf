#!/usr/bin/env python3
"""Setting points on a CPU compared with FINUFFT: plan and points, for several numbers of points in several orders.

Needs: nufft_worker (build with -DLARMOR_BUILD_BENCH=ON), Python with numpy and the package finufft.
  bench/set_points_against_finufft.py build/cpu/bench/nufft_worker --threads 1 2 4 --json points.json

Both get points in memory in their own format, alternately; the ratio is the median of FINUFFT's times over the median
of Larmor's. `least` is the ratio of the shortest times, which is more meaningful if other programs are running.
"""
import argparse
import json
import math
import pathlib
import statistics
import tempfile
import time
import warnings

import finufft
import numpy as np

from worker import Worker


def spokes(count, samples, dims):
    """Diameters at golden angles."""
    radius = (np.arange(samples) - samples / 2) / samples
    s = np.arange(count)
    z = 2 * np.mod(0.465571231876768 * s, 1) - 1 if dims == 3 else 0 * s
    azimuth = 2 * np.pi * np.mod(0.682327803828019 * s, 1)
    across = np.sqrt(1 - z * z)
    directions = np.stack([across * np.cos(azimuth), across * np.sin(azimuth), z], axis=-1)[:, :dims]
    return (directions[:, None, :] * radius[None, :, None]).reshape(-1, dims)


def spiral(count, dims):
    """Interleaves of 4000 samples, in planes along z in three dimensions."""
    samples = min(4000, count)
    t = (np.arange(samples) + 0.5) / samples
    leaves = []
    for leaf in range(max(1, count // samples)):
        turn = 2 * np.pi * (16 * t + 0.61803398875 * leaf)
        columns = [0.5 * t * np.cos(turn), 0.5 * t * np.sin(turn), np.full(samples, leaf % 64 / 64 - 0.5)]
        leaves.append(np.stack(columns[:dims], axis=-1))
    return np.concatenate(leaves)


def points_of(order, count, dims):
    rng = np.random.default_rng(5)
    if order == "radial":
        samples = 256
        return spokes(max(1, count // samples), samples, dims)
    if order == "spiral":
        return spiral(count, dims)
    points = rng.uniform(-0.5, 0.5, (count, dims))
    if order == "sorted":  # along the slowest axis, then the others
        points = points[np.lexsort([np.floor(points[:, a] * 64) for a in range(dims)])]
    return points


SIDES = {1: {1000: 500, 100000: 100000, 1000000: 1000000}, 2: {1000: 32, 100000: 256, 1000000: 1000},
         3: {1000: 10, 100000: 40, 1000000: 100}}


ORDERS = ("random", "sorted", "radial", "spiral")


def cases(counts, orders):
    for dims in (1, 2, 3):
        for count in counts:
            for order in (order for order in orders if dims > 1 or order in ("random", "sorted")):
                for double, tolerance in ((False, 1e-4), (True, 1e-9)):
                    for type_ in (1, 2):
                        yield dims, count, order, double, tolerance, type_


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("worker", type=pathlib.Path)
    parser.add_argument("--threads", type=int, nargs="+", default=[1, 2, 4])
    parser.add_argument("--points", type=int, nargs="+", default=[1000, 100000, 1000000])
    parser.add_argument("--orders", nargs="+", default=ORDERS, choices=ORDERS)
    parser.add_argument("--repeats", type=int, default=7)
    parser.add_argument("--json", type=pathlib.Path)
    arguments = parser.parse_args()
    warnings.filterwarnings("ignore", module="finufft")
    worker, rows = Worker(arguments.worker), []
    with tempfile.TemporaryDirectory() as folder:
        for dims, count, order, double, tolerance, type_ in cases(arguments.points, arguments.orders):
            points = points_of(order, count, dims)
            modes = (SIDES[dims][count],) * dims
            real, complex_ = (np.float64, np.complex128) if double else (np.float32, np.complex64)
            np.save(f"{folder}/points.npy", points)
            np.save(f"{folder}/input.npy", np.zeros((1, len(points)) if type_ == 1 else (1, *modes), complex_))
            theirs = [np.ascontiguousarray(2 * np.pi * points[:, a], dtype=real) for a in reversed(range(dims))]
            for threads in arguments.threads:
                worker("plan", type=type_, double=double, points=f"{folder}/points.npy", modes=modes, batch=1,
                       input=f"{folder}/input.npy", tolerance=tolerance, sign=1 if type_ == 1 else -1, threads=threads)
                ours_ms, theirs_ms = [], []
                for _ in range(arguments.repeats):
                    if threads > 1:
                        time.sleep(0.005)  # OpenMP threads keep their processors busy for a while
                    start = time.perf_counter()
                    plan = finufft.Plan(type_, modes, eps=tolerance, isign=1 if type_ == 1 else -1,
                                        dtype=np.dtype(complex_).name, nthreads=threads)
                    plan.setpts(*theirs)
                    theirs_ms.append(1e3 * (time.perf_counter() - start))
                    del plan
                    if threads > 1:
                        time.sleep(0.005)
                    ours_ms.append(worker("set_up")["ms"])
                row = {"dims": dims, "points": len(points), "order": order, "type": type_, "threads": threads,
                       "precision": "double" if double else "float",
                       "larmor_ms": statistics.median(ours_ms), "finufft_ms": statistics.median(theirs_ms),
                       "ratio": statistics.median(theirs_ms) / statistics.median(ours_ms),
                       "least": min(theirs_ms) / min(ours_ms)}
                rows.append(row)
                print(f"{dims}D {len(points):8d} {order:7s} type {type_} {row['precision']:6s} {threads} threads: "
                      f"{row['larmor_ms']:8.3f} {row['finufft_ms']:8.3f} ratio {row['ratio']:5.2f} least "
                      f"{row['least']:5.2f}{'  slower' if min(row['ratio'], row['least']) < 1 else ''}", flush=True)
    for threads in arguments.threads:
        some = [row for row in rows if row["threads"] == threads]
        mean = math.exp(statistics.mean(math.log(row["ratio"]) for row in some))
        print(f"{threads} threads: {len(some)} cases, geometric mean {mean:.2f}, smallest "
              f"{min(row['ratio'] for row in some):.2f}, slower {sum(row['ratio'] < 1 for row in some)}")
    worker.close()
    if arguments.json:
        arguments.json.write_text(json.dumps({"finufft": finufft.__version__, "rows": rows}, indent=1) + "\n")


if __name__ == "__main__":
    main()
