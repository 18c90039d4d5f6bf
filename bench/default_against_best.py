#!/usr/bin/env python3
"""Error of recon run's default compared with the smallest error that options could have reached.

For each scan of a grid (trajectories × objects × noise × given or estimated coil maps), simulated by recon simulate:
the error of the default, and the smallest errors of gridding, of conjugate gradients stopped at any iteration, of the
same with density weights, and of l2 with any weight. The latter are oracles, because they use the truth. All use the
same maps; if maps are estimated, they are those of recon maps. The error is that of complex images, after scaling by
one factor, within the part of k-space that the trajectory covers; with estimated maps it is that of magnitudes, where
the truth is above 0.03 of its maximum. Volumes have fewer weights.

A row is a scan, object, noise, seed and kind of maps. Its images are made and compared by one process of
every_iteration, which reads the scan once and evaluates conjugate gradients after every iteration. Scans are ordered
by seed. At the end it prints a Markdown table of means over seeds, and the median and the largest ratio.

Options: --json adds rows to an existing file, so that several runs can share the work in turn; --missing skips rows
that the file has. --table prints the table of such a file. --best takes the oracles' errors from such a file and runs
only the default, for the scans in the file, starting with the one farthest from its best. --near takes the
approximate optimum from such a file, for the same or other seeds: oracles that are far behind are skipped, and l2 has
three weights around the best. It runs all seeds of questionable scans first: the largest volumes, those that the file
does not have, and those more than 1.05 times their best. --device applies to volumes; each of --jobs and of
--volume-jobs has --threads.

Needs Python with numpy and h5py.
  bench/default_against_best.py build/cpu/apps/recon build/cpu/bench/every_iteration --only radial,spiral \\
      --noise 0.005,0.02 --seeds 1 --json bench/results/default_against_best.json
  bench/default_against_best.py build/cuda/apps/recon build/cuda/bench/every_iteration --only stack,kooshball \\
      --device cuda --volume-jobs 8 --near bench/results/default_against_best.json --first-seed 2 --json volumes.json
  bench/default_against_best.py build/cpu/apps/recon build/cpu/bench/every_iteration --seeds 1 \\
      --best bench/results/default_against_best.json --json after.json
"""
import argparse
import concurrent.futures
import json
import os
import pathlib
import statistics
import subprocess
import tempfile
import threading
import time

from conditions import conditions

# Name: trajectory, number of readouts, matrix, the undersampling of the readouts, shape of the covered k-space.
SCANS = {
    "radial R 2": ("radial", 101, "128", 1, "disc"),
    "radial R 4": ("radial", 50, "128", 1, "disc"),
    "radial R 8": ("radial", 25, "128", 1, "disc"),
    "cartesian R 2": ("cartesian", None, "128", 2, None),
    "cartesian R 4": ("cartesian", None, "128", 4, None),
    "spiral R 1": ("spiral", 16, "128", 1, "disc"),
    "spiral R 2": ("spiral", 16, "128", 2, "disc"),
    "stack of stars R 4": ("stack-of-stars", 25, "64,64,16", 1, "disc"),
    "kooshball 64 R 2": ("kooshball", 6434, "64", 1, "ball"),
    "kooshball 64 R 4": ("kooshball", 3217, "64", 1, "ball"),
    "kooshball 128": ("kooshball", 12000, "128", 1, "ball"),
}
VOLUMES = ("stack", "kooshball")
# Reference methods that are conjugate gradients, and their density weights.
DENSITIES = {"cg": "none", "weighted cg": "pipe"}
MOST_ITERATIONS = 400
FEW_LAMBDAS = [1e-6, 3e-6, 1e-5, 3e-5, 1e-4, 3e-4, 1e-3, 3e-3, 1e-2, 3e-2]
LAMBDAS = [1e-5, 3e-5, 1e-4, 2e-4, 4e-4, 8e-4, 1.6e-3, 4e-3, 1e-2, 2.5e-2, 6e-2, 0.15, 0.4]
# Errors fall and then rise with the iterations: beyond this ratio to the minimum the search stops.
RISEN = 1.15
# Limit of one process, in seconds.
LONGEST = 1800
# Above this ratio to the best error, a reference method is not tried again and a default is questionable.
FAR, DOUBT = 1.1, 1.05

NOISE = 1 << 18


class Late(Exception):
    """Raised when the time limit leaves no room for another image."""


def keep_some(path, every):
    """Keeps one of `every` imaging readouts, and all noise readouts."""
    import h5py
    import numpy as np

    with h5py.File(path, "r+") as file:
        group = file["dataset"]
        rows = group["data"][:]
        noise = (rows["head"]["flags"] & NOISE) != 0
        places = np.cumsum(~noise) - 1
        kept = rows[noise | (places % every == 0)]
        kind = group["data"].dtype
        del group["data"]
        group.create_dataset("data", data=kept, dtype=kind, maxshape=(None,))


class Scan:
    """One simulated scan, and the errors of images from it."""

    def __init__(self, name, scanned, noise, seed, arguments, folder):
        trajectory, readouts, matrix, every, self.inside = SCANS[name]
        self.volume = name.startswith(VOLUMES)
        self.arguments, self.folder, self.own = arguments, folder, False
        options = ["--trajectory", trajectory, "--matrix", matrix, "--object", scanned]
        if readouts:
            options += ["--readouts", str(readouts)]
        self.run("simulate", "scan.h5", *options, "--noise", str(noise), "--seed", str(seed), "--truth", "truth.npy", "--maps", "maps.npy", "--overwrite")
        if every > 1:
            keep_some(folder / "scan.h5", every)

    def call(self, program, *words):
        if time.monotonic() > self.arguments.end:
            raise Late
        device = self.arguments.device if self.volume else "cpu"
        return subprocess.run([program, *words, "--device", device, "--threads", str(self.arguments.threads)], check=True,
                              cwd=self.folder, capture_output=True, text=True, timeout=LONGEST).stdout

    def run(self, *words):
        self.call(self.arguments.recon, *words, "--quiet")

    def estimate_maps(self):
        self.run("maps", "scan.h5", "-o", "maps.npy", "--overwrite")
        self.own = True

    def errors(self, runs, every):
        """Errors of images, and of conjugate gradients after every iteration, each with these options of recon run."""
        words = ["--magnitude", "--mask", "0.03"] if self.own else []
        words += ["--inside", self.inside] if self.inside else []
        words += [f"--run={options}" for options in runs] + [f"--every={options}" for options in every]
        found = json.loads(self.call(self.arguments.every_iteration, "scan.h5", "truth.npy", "--maps", "maps.npy", "--risen", str(RISEN),
                                     *words))
        return found["runs"], found["every"]

    def measured(self, near, oracles=True):
        """The default's error and, by name, the smallest error of each oracle and the option that reaches it. near: the
        same for another seed, or {}.
        """
        best = min(error for error, _ in near.values()) if near else 0
        tried = {name for name in ("gridding", *DENSITIES, "l2")
                 if oracles and (not near or (name in near and near[name][0] < FAR * best))}
        lambdas = FEW_LAMBDAS if self.volume else LAMBDAS
        if "l2" in near:
            lambdas = [near["l2"][1] * 10 ** (step / 4) for step in (-1, 0, 1)]
        most = 150 if self.volume else MOST_ITERATIONS
        runs = {("default", None): "default"}
        if "gridding" in tried:
            runs["gridding", None] = "solver=gridding"
        if "l2" in tried:
            runs |= {("l2", v): f"density=none regularizer=l2:{v} iterations={min(most, round(8 / v ** 0.5))}" for v in lambdas}
        every = {name: f"density={density} regularizer=none iterations={MOST_ITERATIONS}"
                 for name, density in DENSITIES.items() if name in tried}
        images, courses = self.errors(runs.values(), every.values())
        least = {name: min((error, iteration) for iteration, error in enumerate(errors, 1))
                 for name, errors in zip(every, courses)}
        for (name, where), image in zip(runs, images):
            if name != "default":
                least[name] = min(least.get(name, (float("inf"), None)), (image["error"], where))
        return images[0], least


class Results:
    """Rows, one for each scan, object, noise, maps and seed; from a file, if there is one."""

    def __init__(self, path):
        self.path, self.lock = path, threading.Lock()
        self.rows = json.loads(path.read_text())["rows"] if path and path.exists() else []

    @staticmethod
    def key(row):
        return tuple(row[name] for name in ("scan", "object", "noise", "seed", "maps"))

    def oracles(self):
        """All rows, by key."""
        return {self.key(row): row["oracles"] for row in self.rows}

    def near(self):
        """Oracles of a row with any seed, by its key without the seed."""
        return {key[:3] + key[4:]: oracles for key, oracles in reversed(self.oracles().items())}

    def farthest(self, parts=4):
        """Maps (scan, object, noise, seed), or the first entries of it, to the largest ratio of the default to its best."""
        largest = {}
        for row in self.rows:
            ratio = row["default"] / min(error for error, _ in row["oracles"].values())
            case = self.key(row)[:parts]
            largest[case] = max(ratio, largest.get(case, 0))
        return largest

    def add(self, row):
        with self.lock:
            self.rows = [other for other in self.rows if self.key(other) != self.key(row)] + [row]
            if self.path:
                # The file is complete at any time: if the program is stopped, all measurements so far are
                # kept.
                whole = self.path.with_suffix(".new")
                head = json.dumps(conditions())[:-1]
                whole.write_text(f'{head}, "rows": [\n' + ",\n".join(json.dumps(row) for row in self.rows) + "\n]}\n")
                whole.replace(self.path)

    def cells(self):
        """Maps (scan, noise, object, maps) to means over seeds: default, best, its oracle, number of seeds."""
        groups = {}
        for row in self.rows:
            groups.setdefault((row["scan"], row["noise"], row["object"], row["maps"]), []).append(row)
        means = {}
        for key, rows in groups.items():
            oracles = {name: statistics.mean(row["oracles"][name][0] for row in rows) for name in rows[0]["oracles"]
                       if all(name in row["oracles"] for row in rows)}
            best = min(oracles, key=oracles.get)
            means[key] = (statistics.mean(row["default"] for row in rows), oracles[best], best, len(rows))
        return means

    def table(self):
        cells = self.cells()
        if not cells:
            return "nothing was measured"
        columns = sorted({(scanned, maps) for _, _, scanned, maps in cells}, key=lambda c: (c[0] != "texture", c))
        lines = ["| scan | noise | " + " | ".join(f"{scanned}, {maps}" for scanned, maps in columns) + " |",
                 "|---" * (2 + len(columns)) + "|"]
        for name in SCANS:
            for noise in sorted({noise for scan, noise, _, _ in cells if scan == name}):
                found = [cells.get((name, noise, *column)) for column in columns]
                texts = ["" if cell is None else f"{cell[0]:.4f} ({cell[0] / cell[1]:.2f} {cell[2]})" for cell in found]
                lines.append(f"| {name} | {100 * noise:g} % | " + " | ".join(texts) + " |")
        ratios = [default / best for default, best, _, _ in cells.values()]
        seeds = sorted(count for _, _, _, count in cells.values())
        lines.append(f"\n{len(ratios)} cells, {seeds[0]} to {seeds[-1]} seeds (median {statistics.median(seeds):g}): median "
                     f"{statistics.median(ratios):.3f}, largest {max(ratios):.3f}, {sum(r > 1.1 for r in ratios)} above "
                     f"1.10, {sum(r > 1.2 for r in ratios)} above 1.20")
        for (name, noise, scanned, maps), (default, best, of, _) in sorted(cells.items()):
            if default / best > 1.1:
                lines.append(f"above 1.10: {name}, {100 * noise:g} %, {scanned}, {maps}: {default / best:.3f}, best {of}")
        return "\n".join(lines)


def measure(name, scanned, noise, seed, arguments, results):
    keys = {maps: (name, scanned, noise, seed, maps) for maps in arguments.maps.split(",")}
    wanted = [maps for maps, key in keys.items() if (not arguments.best or key in arguments.best) and key not in arguments.known]
    if not wanted:
        return
    with tempfile.TemporaryDirectory() as folder:
        scan = Scan(name, scanned, noise, seed, arguments, pathlib.Path(folder))
        for maps in wanted:
            key = keys[maps]
            if maps == "own":
                scan.estimate_maps()
            default, oracles = scan.measured(arguments.near.get(key[:3] + key[4:], {}), not arguments.best)
            results.add({"scan": name, "object": scanned, "noise": noise, "maps": maps, "seed": seed,
                         "default": default["error"], "iterations": default["iterations"], "expected": default["expected"],
                         "oracles": arguments.best[key] if arguments.best else oracles,
                         **({"commit": arguments.commit} if arguments.commit else {})})


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    for program in ("recon", "every_iteration"):
        parser.add_argument(program, type=lambda text: str(pathlib.Path(text).resolve()))
    parser.add_argument("--only", default="", help="names that contain one of these words, joined by commas")
    parser.add_argument("--noise", default="0.02,0.005,0.08,0.002")
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--objects", default="texture,smooth")
    parser.add_argument("--maps", default="given,own", help="given first")
    parser.add_argument("--threads", type=int, default=2, help="of each process")
    parser.add_argument("--device", default="cpu", help="for volumes")
    parser.add_argument("--jobs", type=int, default=1, help="slices at a time")
    parser.add_argument("--volume-jobs", type=int, default=1, help="volumes at a time")
    parser.add_argument("--seconds", type=float, default=float("inf"), help="then no further process is begun")
    parser.add_argument("--json", type=pathlib.Path)
    parser.add_argument("--best", type=pathlib.Path, help="file of --json with the oracles' errors")
    parser.add_argument("--near", type=pathlib.Path, help="file of --json that knows about where oracles are at their least")
    parser.add_argument("--first-seed", type=int, default=1)
    parser.add_argument("--missing", action="store_true", help="measure what the file of --json does not have")
    parser.add_argument("--commit", help="of the programs, which the rows then name")
    parser.add_argument("--table", action="store_true", help="measure nothing")
    arguments = parser.parse_args()
    os.environ["OMP_NUM_THREADS"] = str(arguments.threads)
    arguments.end = time.monotonic() + arguments.seconds
    earlier = Results(arguments.near)
    arguments.near = earlier.near()
    results = Results(arguments.json)
    arguments.known = results.oracles() if arguments.missing else {}
    if not arguments.table:
        # The largest volume takes as long as all others together, and is last for each seed.
        cases = [(name, scanned, float(noise), seed) for seed in range(arguments.first_seed, arguments.seeds + 1)
                 for large in (False, True) for noise in arguments.noise.split(",")
                 for name in SCANS if (name == "kooshball 128") == large
                 and any(word in name for word in arguments.only.split(","))
                 for scanned in arguments.objects.split(",")]
        if arguments.near:
            ratios = earlier.farthest(3)

            def in_doubt(case):
                return (case[0] == "kooshball 128" or ratios.get(case[:3], 0) > DOUBT
                        or any((*case[:3], maps) not in arguments.near for maps in arguments.maps.split(",")))

            cases.sort(key=in_doubt, reverse=True)
        if arguments.best:
            known = Results(arguments.best)
            arguments.best, ratios = known.oracles(), known.farthest()
            cases = sorted((case for case in cases if case in ratios), key=ratios.get, reverse=True)
        with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as slices, \
                concurrent.futures.ThreadPoolExecutor(arguments.volume_jobs) as volumes:
            begun = {(volumes if case[0].startswith(VOLUMES) else slices).submit(measure, *case, arguments, results): case
                     for case in cases}
            for done in concurrent.futures.as_completed(begun):
                error = done.exception()
                if error and not isinstance(error, Late):
                    print(begun[done], error, getattr(error, "stderr", None), flush=True)
    print(results.table())


if __name__ == "__main__":
    main()
