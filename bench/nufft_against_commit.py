#!/usr/bin/env python3
"""The NUFFT of two builds of Larmor compared: same machine, same points and data, alternating calls.

Needs two nufft_workers (built with -DLARMOR_BUILD_BENCH=ON), Python with numpy.
  bench/nufft_against_commit.py BASE_WORKER WORKER --threads 1,2 --json OUT

Ratios are the second build's medians over those of the first: above 1, the second is slower.
"""
import argparse
import datetime
import json
import math
import os
import pathlib
import platform
import statistics
import tempfile
import time

import numpy as np

from nufft_problems import PROBLEMS, noise
from worker import Worker


def cases(problem):
    """(type, double, tolerance): the loosest and the tightest tolerance of each precision."""
    for kind in (1, 2) if problem.modes else (3,):
        for double, tolerances in ((False, problem.float_tolerances), (True, problem.double_tolerances)):
            for tolerance in sorted({t for t in (tolerances[:1] + tolerances[-1:])}, reverse=True):
                yield kind, double, tolerance


def measure(workers, plan, seconds):
    """Medians of execution and set-up of both, in turn."""
    for worker in workers:
        worker("plan", **plan)
        worker("execute")
    times = {"execute": ([], []), "set_up": ([], [])}
    for do, taken in times.items():
        end = time.monotonic() + seconds
        while len(taken[0]) < 5 or time.monotonic() < end:
            for worker, list_of_one in zip(workers, taken):
                list_of_one.append(worker(do)["ms"])
    return {do: [statistics.median(one) for one in taken] for do, taken in times.items()}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("base")
    parser.add_argument("worker")
    parser.add_argument("--threads", default="1,2", help="comma-separated")
    parser.add_argument("--seconds", type=float, default=0.4, help="for each case")
    parser.add_argument("--only", default="", help="problems whose name contains this")
    parser.add_argument("--json", type=pathlib.Path)
    arguments = parser.parse_args()
    workers = [Worker(arguments.base), Worker(arguments.worker)]
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        for problem in (p for p in PROBLEMS if arguments.only in p.name):
            points = problem.make()
            np.save(f"{folder}/points.npy", points)
            frequencies = problem.make_frequencies() if problem.make_frequencies else points
            np.save(f"{folder}/frequencies.npy", frequencies)
            for kind, double, tolerance in cases(problem):
                count = math.prod(problem.modes) if kind == 2 else len(points)
                np.save(f"{folder}/input.npy",
                        noise((problem.coils, count), 5).astype(np.complex128 if double else np.complex64))
                for threads in map(int, arguments.threads.split(",")):
                    plan = {"type": kind, "double": double, "points": f"{folder}/points.npy",
                            "frequencies": f"{folder}/frequencies.npy", "modes": problem.modes,
                            "input": f"{folder}/input.npy", "tolerance": tolerance, "batch": problem.coils,
                            "sign": 1 if kind == 1 else -1, "threads": threads}
                    times = measure(workers, plan, arguments.seconds)
                    row = {"problem": problem.name, "type": kind, "double": double, "tolerance": tolerance,
                           "threads": threads}
                    for do, (before, after) in times.items():
                        row[f"{do}_ratio"] = round(after / before, 3)
                        row[f"{do}_ms"] = round(after, 4)
                    rows.append(row)
                    print(*row.values(), sep="\t", flush=True)
    for do in ("execute", "set_up"):
        ratios = [row[f"{do}_ratio"] for row in rows]
        print(f"{do}: geometric mean {statistics.geometric_mean(ratios):.3f}, largest {max(ratios):.3f}")
    if arguments.json:
        processor = next((line.split(":")[1].strip() for line in open("/proc/cpuinfo", encoding="utf-8")
                          if line.startswith("model name")), platform.machine())
        result = {"date": datetime.date.today().isoformat(), "processor": processor, "cores": os.cpu_count(), "rows": rows}
        arguments.json.write_text(json.dumps(result, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
