#!/usr/bin/env python3
"""Larmor's NUFFT compared with FINUFFT: same machine, same run, same points and data, same threads, alternating runs.

Needs: nufft_worker (build with -DLARMOR_BUILD_BENCH=ON), Python with numpy and the package finufft.
  bench/nufft_against_finufft.py build/release/bench/nufft_worker --json bench/results/nufft_against_finufft.json
  bench/nufft_against_finufft.py build/release/bench/nufft_worker --map 51 60 --threads 16 4 1 --json bench/results/nufft_against_finufft_map.json

Errors are relative l2 errors against exact sums in double at a thousand targets. Larmor's refers to the points as
given, FINUFFT's to the points as it receives them: multiplied by 2π and rounded to the transform's precision; its
error for the points as given is in the JSON, too. If Larmor's error is above FINUFFT's, Larmor gets a tighter
tolerance until it is not: execution times are those at an equal or smaller error. If FINUFFT in float misses the
tolerance by more than a factor of four (its coordinates are float: long axes), it runs in double, marked d. Set-up is
plan plus points, from points in memory in each library's own format, using anything that a library keeps from an
earlier plan; the JSON has the first one as well. Before every timed call with several threads both wait: OpenMP
threads keep their processors busy for some milliseconds after FINUFFT's work, which would slow down the next call.
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
import sys
import tempfile
import time
import warnings

import finufft
import numpy as np

from nufft_problems import PROBLEMS, TWO_PI, ExactSums, map_problems, noise, relative_error
from worker import Worker


class Peer:
    """FINUFFT's side of a case."""

    def __init__(self, case, data, threads, clock, double=False):
        self.case, self.threads, self.clock = case, threads, clock
        self.double = case.double or double
        self.points = data.peer_points[self.double]
        self.frequencies = data.peer_frequencies[self.double]
        dtype = np.complex128 if self.double else np.complex64
        self.values = data.inputs[case.type].astype(dtype)
        if case.problem.coils == 1:
            self.values = self.values[0]
        self.out = None
        self.first_set_up = self.set_up()

    def set_up(self):
        case = self.case
        self.plan = None
        start = self.clock()
        self.plan = finufft.Plan(case.type, len(self.points) if case.type == 3 else case.problem.modes,
                                 n_trans=case.problem.coils, eps=case.tolerance, isign=case.sign,
                                 dtype="complex128" if self.double else "complex64", nthreads=self.threads, allow_eps_too_small=1,
                                 showwarn=0)
        self.plan.setpts(*self.points, **self.frequencies)
        return 1e3 * (self.clock() - start)

    def execute(self):
        """Past the package's checks, which take longer than a small transform."""
        if self.out is None:
            self.out = self.plan.execute(self.values)
        arrays = [array.ctypes.data for array in (self.values, self.out)[::-1 if self.case.type == 2 else 1]]
        start = self.clock()
        self.plan._execute(self.plan._inner_plan, *arrays)
        return 1e3 * (self.clock() - start)

    def result(self):
        return self.out if self.case.problem.coils == 1 else self.out[-1]


class Case:
    """One problem, direction, precision and tolerance."""

    def __init__(self, problem, type_, double, tolerance):
        self.problem, self.type, self.double, self.tolerance = problem, type_, double, tolerance
        self.sign = 1 if type_ == 1 else -1
        self.direction = {1: "adjoint", 2: "forward", 3: "type 3"}[type_]

    def name(self):
        return f"{self.problem.name}/{'double' if self.double else 'float'}/{self.tolerance:.0e}/{self.direction}"


def all_cases(problems, pattern):
    for problem in problems:
        for double, tolerances in ((False, problem.float_tolerances), (True, problem.double_tolerances)):
            for tolerance in tolerances:
                for type_ in (3,) if problem.modes is None else (2, 1):
                    case = Case(problem, type_, double, tolerance)
                    if re.search(pattern, case.name()):
                        yield case


class Data:
    """Points, data and exact results of a problem, in memory for FINUFFT and in files for Larmor."""

    def __init__(self, problem, folder):
        self.problem, self.folder = problem, folder
        self.points = problem.make()
        self.frequencies = problem.make_frequencies() if problem.modes is None else None
        np.save(f"{folder}/points.npy", self.points)
        self.peer_points, self.peer_frequencies = {}, {}
        for double in (False, True):
            real = np.float64 if double else np.float32
            # FINUFFT's first coordinate belongs to the first (slowest) axis.
            self.peer_points[double] = [np.ascontiguousarray(2 * np.pi * self.points[:, a], dtype=real)
                                        for a in reversed(range(self.points.shape[1]))]
            self.peer_frequencies[double] = {}
            if problem.modes is None:
                self.peer_frequencies[double] = {
                    name: np.ascontiguousarray(self.frequencies[:, a], dtype=real)
                    for name, a in zip("stu", reversed(range(self.points.shape[1])))}
        if problem.modes is None:
            np.save(f"{folder}/frequencies.npy", self.frequencies)
            self.inputs = {3: noise((1, len(self.points)), 1)}
        else:
            self.inputs = {1: noise((problem.coils, len(self.points)), 1), 2: noise((problem.coils, *problem.modes), 2)}
        for type_, values in self.inputs.items():
            np.save(f"{folder}/input_{type_}_False.npy", values)
            if problem.double_tolerances:
                np.save(f"{folder}/input_{type_}_True.npy", values.astype(np.complex128))
        self.sums, self.exact = {}, {}
        self.targets = np.random.default_rng(4).integers(
            0, len(self.frequencies), 1024) if problem.modes is None else None

    def exact_for(self, case, as_given):
        """Exact sums and the function that takes the same targets from a result."""
        # Rounding of points in double is far below these tolerances.
        key = "given" if as_given or (case.double and (case.type == 3 or case.tolerance > 1e-8)) else case.double
        if key not in self.sums:
            points = self.points
            if key != "given":
                points = np.stack([axis.astype(np.longdouble) / TWO_PI
                                   for axis in reversed(self.peer_points[case.double])], axis=-1)
            self.sums[key] = ExactSums(self.problem, points)
        sums, value = self.sums[key], self.inputs[case.type][-1]
        if (key, case.type) not in self.exact:
            if case.type == 1:
                exact = sums.at_modes(value, case.sign)
            elif case.type == 2:
                exact = sums.to_points(value, case.sign)
            else:
                frequencies = self.frequencies if key == "given" else np.stack(
                    list(self.peer_frequencies[case.double].values())[::-1], axis=-1).astype(float)
                exact = sums.between_points(value, frequencies[self.targets], case.sign)
            self.exact[key, case.type] = exact
        take = {1: sums.choose_modes, 2: lambda out: out[sums.samples], 3: lambda out: out[self.targets]}[case.type]
        return self.exact[key, case.type], take

    def error(self, case, out, as_given):
        exact, take = self.exact_for(case, as_given)
        return relative_error(take(out), exact)


def plan_larmor(worker, case, data, threads, tolerance):
    folder = data.folder
    return worker("plan", type=case.type, double=case.double, points=f"{folder}/points.npy",
                  frequencies=f"{folder}/frequencies.npy", modes=case.problem.modes, batch=case.problem.coils,
                  input=f"{folder}/input_{case.type}_{case.double}.npy", tolerance=tolerance, sign=case.sign,
                  threads=threads)


def larmor_error(worker, case, data):
    worker("execute")
    worker("result", output=f"{data.folder}/output.npy")
    return data.error(case, np.load(f"{data.folder}/output.npy"), True)


def compare(worker, case, data, known, threads, seconds, cpu_time):
    """A row of the table. known: results of an earlier number of threads (tolerance and errors)."""
    clock, key = (time.process_time, "cpu_ms") if cpu_time else (time.perf_counter, "ms")
    row = {"problem": case.problem.name, "precision": "double" if case.double else "float",
           "pattern": case.problem.pattern, "dims": data.points.shape[1], "points": len(data.points), "coils": case.problem.coils,
           "tolerance": case.tolerance, "direction": case.direction, "threads": threads}
    peer = Peer(case, data, threads, clock, known.get("finufft_double", False))
    peer.execute()
    if not known:
        known["finufft_error"] = data.error(case, peer.result(), False)
        known["finufft_double"] = False
        if known["finufft_error"] > 4 * case.tolerance and not case.double:
            known["finufft_double"] = True
            known["finufft_error_in_float"] = known["finufft_error"]
            peer = Peer(case, data, threads, clock, True)
            peer.execute()
            known["finufft_error"] = data.error(case, peer.result(), True)
        known["finufft_error_as_given"] = data.error(case, peer.result(), True)
    row["finufft_first_setup_ms"] = peer.first_set_up
    tolerance = known.get("larmor_tolerance", case.tolerance)
    planned = plan_larmor(worker, case, data, threads, tolerance)
    row["larmor_first_setup_ms"] = planned[key]
    if "larmor_error" not in known:
        known["larmor_error"] = larmor_error(worker, case, data)
        for _ in range(4):
            if known["larmor_error"] <= known["finufft_error"]:
                break
            try:
                tighter = 0.95 * tolerance * known["finufft_error"] / known["larmor_error"]
                planned = plan_larmor(worker, case, data, threads, tighter)
            except ValueError:
                planned = plan_larmor(worker, case, data, threads, tolerance)
                break
            tolerance = tighter
            known["larmor_error"] = larmor_error(worker, case, data)
        known["larmor_tolerance"] = tolerance
    row |= known
    row |= {"larmor_width": planned["width"], "larmor_oversampling": planned["oversampling"]}
    worker("execute")
    ours, theirs, our_setup, their_setup = [], [], [], []
    def taken(call):
        if threads > 1:
            time.sleep(0.01)
        return call()
    while len(ours) < 3 or (1e-3 * sum(ours + theirs) < seconds and len(ours) < 25):
        theirs.append(taken(peer.execute))
        ours.append(taken(lambda: worker("execute")[key]))
    while len(our_setup) < 3 or (1e-3 * sum(our_setup + their_setup) < seconds and len(our_setup) < 5):
        their_setup.append(taken(peer.set_up))
        our_setup.append(taken(lambda: worker("set_up")[key]))
    row |= {"larmor_ms": statistics.median(ours), "finufft_ms": statistics.median(theirs),
            "larmor_setup_ms": statistics.median(our_setup), "finufft_setup_ms": statistics.median(their_setup),
            "ratio": statistics.median(theirs) / statistics.median(ours), "runs": len(ours),
            "larmor_all_ms": ours, "finufft_all_ms": theirs}
    row["setup_ratio"] = row["finufft_setup_ms"] / row["larmor_setup_ms"]
    row["once_ratio"] = (row["finufft_setup_ms"] + row["finufft_ms"]) / (row["larmor_setup_ms"] + row["larmor_ms"])
    return row


HEADER = (f"{'problem':44s} {'type':6s} {'tol':>5s} {'way':>7s} thr {'Larmor':>9s} {'FINUFFT':>9s} {'ratio':>6s} "
          f"{'error':>8s} {'FINUFFT':>8s} {'set-up':>7s} {'FINUFFT':>7s}  width, oversampling")


def show(row):
    print(f"{row['problem']:44s} {row['precision']:6s} {row['tolerance']:5.0e} {row['direction']:>7s} "
          f"{row['threads']:3d} {row['larmor_ms']:9.2f} {row['finufft_ms']:9.2f} {row['ratio']:6.2f} "
          f"{row['larmor_error']:8.1e} {row['finufft_error']:8.1e}{'d' if row['finufft_double'] else ' '}"
          f"{row['larmor_setup_ms']:7.1f} {row['finufft_setup_ms']:7.1f}  {row['larmor_width']}, "
          f"{row['larmor_oversampling']:.2f}", flush=True)


def mean(values):
    """Geometric mean."""
    return math.exp(statistics.mean(math.log(value) for value in values))


def case_of(row):
    return f"{row['problem']} {row['precision']} {row['tolerance']:.0e} {row['direction']}, {row['threads']} threads"


def map_summary(rows):
    """Lines that summarise a map, for each number of threads."""
    for threads in sorted({row["threads"] for row in rows}):
        some = [row for row in rows if row["threads"] == threads]
        for name, limits in (("ratio", (1, 1.3)), ("setup_ratio", (0.8, 1)), ("once_ratio", (1, 1.3))):
            values = [row[name] for row in some]
            below = ", ".join(f"{100 * statistics.mean(value < limit for value in values):.1f} % below {limit}" for limit in limits)
            yield f"{threads} threads, {len(some)} cases, {name}: mean {mean(values):.2f}, {below}"
        slow = [row for row in some if row["setup_ratio"] < 0.8 and row["once_ratio"] < 1.3]
        yield f"{threads} threads: setup_ratio below 0.8 and once_ratio below 1.3 in {len(slow)}"
        for name, worst in (("ratio", some), ("once_ratio", slow)):
            for row in sorted(worst, key=lambda row: row[name])[:10]:
                yield (f"  {name} {row[name]:.2f}, set-up {row['larmor_setup_ms']:.2f} ms over {row['finufft_setup_ms']:.2f}, execution "
                       f"{row['larmor_ms']:.2f} over {row['finufft_ms']:.2f}: {case_of(row)}")


def summary(rows):
    """Lines that summarise the rows."""
    general = [row for row in rows if row["problem"].startswith("random") or row["problem"].endswith("_1coil")]
    yield f"{len(rows)} cases, geometric mean of the ratios {mean([row['ratio'] for row in rows]):.2f}"
    if general:
        yield (f"one coil and random points: geometric mean {mean([row['ratio'] for row in general]):.2f}, smallest "
               f"{min(row['ratio'] for row in general):.2f}")
    for row in rows:
        name = case_of(row)
        least = 0.95 if row in general else 1
        if row["problem"].startswith("clustered"):
            spread_out = [other for other in rows if other["problem"] == row["problem"].replace("clustered", "random")
                          and all(other[key] == row[key] for key in ("precision", "tolerance", "direction", "threads"))]
            for other in spread_out:
                if row["larmor_ms"] > 1.5 * other["larmor_ms"]:
                    yield f"clustered over random {row['larmor_ms'] / other['larmor_ms']:.2f}: {name}"
        if row["coils"] > 1:
            least = 2 if row["problem"].startswith("radial") else 1.8
        if row["ratio"] < least:
            yield f"below {least}: {row['ratio']:.2f}  {name}"
        if row["larmor_error"] > row["finufft_error"]:
            yield f"error {row['larmor_error']:.1e} above {row['finufft_error']:.1e}: {name}"
        if row["setup_ratio"] < 1:
            yield f"set-up {row['larmor_setup_ms']:.1f} ms over {row['finufft_setup_ms']:.1f}: {name}"


def sense_rows(program, threads, rows):
    for count in threads:
        output = subprocess.run([program, str(count)], check=True, capture_output=True, text=True).stdout
        rows.append(json.loads(output))
        print(output.strip(), flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("worker", type=pathlib.Path)
    parser.add_argument("--threads", type=int, nargs="+", default=[1, 2])
    parser.add_argument("--filter", default="", help="regular expression on problem/precision/tolerance/direction")
    parser.add_argument("--map", type=int, nargs=2, metavar=("SEED", "COUNT"),
                        help="COUNT random problems of all kinds instead, after those whose lead was small")
    parser.add_argument("--seconds", type=float, default=0.3, help="time for the runs of one case, three runs at least")
    parser.add_argument("--limit", type=float, default=340, help="seconds after which no further case is begun")
    parser.add_argument("--cpu-time", action="store_true",
                        help="processor time of all threads instead of wall time: for machines that do other work")
    parser.add_argument("--json", type=pathlib.Path)
    arguments = parser.parse_args()
    warnings.filterwarnings("ignore", module="finufft")  # on tolerances that it may not reach
    start = time.perf_counter()
    rows, skipped, sense = [], [], []
    data = None
    worker = Worker(arguments.worker)
    beside = arguments.worker.parent / "sense_normal_against_fftw"
    if beside.exists() and re.search(arguments.filter, "sense_normal"):
        sense_rows(beside, arguments.threads, sense)
    print(HEADER)
    with tempfile.TemporaryDirectory() as folder:
        for case in all_cases(map_problems(*arguments.map) if arguments.map else PROBLEMS, arguments.filter):
            known = {}
            for threads in arguments.threads:
                if time.perf_counter() - start > arguments.limit:
                    skipped.append(f"{case.name()}, {threads} threads")
                    continue
                if data is None or data.problem is not case.problem:
                    data = Data(case.problem, folder)
                try:
                    row = compare(worker, case, data, known, threads, arguments.seconds, arguments.cpu_time)
                    show(row)
                    if arguments.map:
                        del row["larmor_all_ms"], row["finufft_all_ms"]
                    rows.append(row)
                except (RuntimeError, ValueError) as error:
                    print(f"{case.name()}: {error}", flush=True)
                    skipped.append(f"{case.name()}, {threads} threads: {error}")
    worker.close()
    lines = list((map_summary if arguments.map else summary)(rows)) if rows else []
    print("\n".join(lines + [f"left out: {name}" for name in skipped]))
    print(f"{time.perf_counter() - start:.0f} s")
    if arguments.json:
        def first(command):
            return subprocess.run(command, capture_output=True, text=True, cwd=pathlib.Path(__file__).parent).stdout.strip()
        processor = next((line.split(":")[1].strip() for line in open("/proc/cpuinfo")
                          if line.startswith("model name")), platform.machine())
        arguments.json.write_text(json.dumps(
            {"benchmark": "NUFFT beside FINUFFT", "date": datetime.date.today().isoformat(),
             "commit": first(["git", "rev-parse", "--short", "HEAD"]), "processor": processor,
             "cores": len(os.sched_getaffinity(0)), "finufft": finufft.__version__, "numpy": np.__version__,
             "clock": "processor" if arguments.cpu_time else "wall", "summary": lines, "left_out": skipped, "sense_normal": sense, "rows": rows}, indent=1) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
