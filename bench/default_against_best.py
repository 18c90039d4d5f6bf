#!/usr/bin/env python3
"""What recon run does when it is not told, against the best that is known afterwards.

For each scan of a grid (trajectories × objects × noise × given or own coil maps), simulated by recon simulate: the error of the
default, and the least error of gridding, of conjugate gradients stopped at any iteration, of the same with density
weights, and of l2 with any weight. The latter are oracles: they are told the truth. All have the same maps: of a scan
with own maps those that recon maps estimates. The error is complex, after one scale, within the part of k-space that the
trajectory covers; with own maps it is that of magnitudes, where the truth is above 0.03 of its maximum. Prints one
Markdown row a case and the median and the largest ratio. Volumes have fewer oracles. --json adds to what a file has:
several runs may share the work, one after the other.

Needs Python with numpy and h5py.
  bench/default_against_best.py build/cpu/apps/recon --only radial,spiral --noise 0.005,0.02 --seeds 1 \\
      --json bench/results/default_against_best.json
"""
import argparse
import json
import os
import pathlib
import statistics
import subprocess
import tempfile

import h5py
import numpy as np

# Name: trajectory, number of readouts, matrix, one of how many readouts is kept, what covers the same k-space.
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
}
VOLUMES = ("stack", "kooshball")
ITERATIONS = [2, 4, 6, 9, 13, 18, 25, 35, 50, 80, 150, 400]
WEIGHTED = [1, 2, 3, 5, 8, 13, 22, 45]
FEW_ITERATIONS, FEW_WEIGHTED = [3, 6, 10, 15, 22, 33, 50, 80, 150], [2, 3, 5, 8, 13, 22]
FEW_LAMBDAS = [1e-6, 3e-6, 1e-5, 3e-5, 1e-4, 3e-4, 1e-3, 3e-3, 1e-2, 3e-2]
LAMBDAS = [1e-5, 3e-5, 1e-4, 2e-4, 4e-4, 8e-4, 1.6e-3, 4e-3, 1e-2, 2.5e-2, 6e-2, 0.15, 0.4]


NOISE = 1 << 18


def keep_some(path, every):
    """Leaves one of `every` readouts, and those of noise."""
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
    """One simulated scan, and the errors of images of it."""

    def __init__(self, recon, name, scanned, noise, seed, own, arguments, folder):
        trajectory, readouts, matrix, every, self.inside = SCANS[name]
        self.volume = name.startswith(VOLUMES)
        options = ["--trajectory", trajectory, "--matrix", matrix, "--object", scanned]
        if readouts:
            options += ["--readouts", str(readouts)]
        self.recon, self.own, self.folder, self.threads = recon, own, folder, str(arguments.threads)
        self.run("simulate", "scan.h5", *options, "--noise", str(noise), "--seed", str(seed), "--truth", "truth.npy", "--maps", "maps.npy", "--overwrite", "--quiet")
        if every > 1:
            keep_some(folder / "scan.h5", every)
        if own:
            self.run("maps", "scan.h5", "-o", "maps.npy", "--overwrite", "--quiet")

    def run(self, *words):
        return subprocess.run([self.recon, *words, "--threads", self.threads], check=True, cwd=self.folder,
                              capture_output=True, text=True).stdout

    def error(self, *options):
        self.run("run", "scan.h5", "-o", "image.npy", "--complex", "--maps", "maps.npy", "--overwrite", "--quiet",
                 "--report", "report.json", *options)
        words = ["--magnitude", "--mask", "0.03"] if self.own else []
        if self.inside:
            words += ["--inside", self.inside]
        text = subprocess.run([self.recon, "compare", "image.npy", "truth.npy", *words, "--json"], check=True,
                              cwd=self.folder, capture_output=True, text=True).stdout
        return json.loads(text)["nrmse"]

    def least(self, choices, options):
        """Over choices in ascending order; given up where the error has grown by half."""
        best = (float("inf"), None)
        for choice in choices:
            error = self.error(*options(choice))
            if error < best[0]:
                best = (error, choice)
            elif error > 1.5 * best[0]:
                break
        return best

    def oracles(self):
        none = ["--density", "none", "--regularizer"]
        iterations, weighted, lambdas = ((FEW_ITERATIONS, FEW_WEIGHTED, FEW_LAMBDAS) if self.volume
                                         else (ITERATIONS, WEIGHTED, LAMBDAS))
        most = 150 if self.volume else 400
        return {
            "gridding": (self.error("--solver", "gridding"), None),
            "cg": self.least(iterations, lambda k: [*none, "none", "--iterations", str(k)]),
            "weighted cg": self.least(weighted, lambda k: ["--density", "pipe", "--regularizer", "none",
                                                           "--iterations", str(k)]),
            "l2": self.least(lambdas[::-1], lambda v: [*none, f"l2:{v}", "--iterations",
                                                       str(min(most, round(8 / v ** 0.5)))]),
        }

    def default(self):
        error = self.error()
        report = json.loads((self.folder / "report.json").read_text())
        chosen = report["automatic"]["candidates"][report["automatic"]["chosen"]]
        return error, chosen


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("recon", type=pathlib.Path)
    parser.add_argument("--only", default="", help="names that contain one of these words, joined by commas")
    parser.add_argument("--noise", default="0.02,0.005,0.08,0.002")
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--objects", default="texture,smooth")
    parser.add_argument("--maps", default="given,own")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--json", type=pathlib.Path)
    arguments = parser.parse_args()
    os.environ["OMP_NUM_THREADS"] = str(arguments.threads)
    rows = json.loads(arguments.json.read_text())["rows"] if arguments.json and arguments.json.exists() else []
    print("| scan | object | noise | maps | default | chosen | best | of | ratio |\n|---|---|---|---|---|---|---|---|---|")
    cases = [(name, scanned, float(noise), maps)
             for noise in arguments.noise.split(",")
             for name in SCANS if any(word in name for word in arguments.only.split(","))
             for scanned in arguments.objects.split(",") for maps in arguments.maps.split(",")]
    for name, scanned, noise, maps in cases:
        row = one_case(name, scanned, noise, maps, arguments)
        rows = [other for other in rows
                if any(other[key] != row[key] for key in ("scan", "object", "noise", "maps"))] + [row]
        what = (f"{row['density']}" + (f", l2:{row['lambda']:.1e}" if row["lambda"] else "")
                + ("" if row["settled"] else f", {row['iterations']} it."))
        at = "" if row["at"] is None else f" ({row['at']:g})"
        print(f"| {name} | {scanned} | {100 * noise:g} % | {maps} | {row['default']:.4f} | {what} | {row['best']:.4f} | "
              f"{row['of']}{at} | {row['ratio']:.3f} |", flush=True)
        if arguments.json:
            arguments.json.write_text(json.dumps({"rows": rows}, indent=1) + "\n")
    ratios = [row["ratio"] for row in rows]
    print(f"\nmedian {statistics.median(ratios):.3f}, largest {max(ratios):.3f} of {len(ratios)} cases")


def one_case(name, scanned, noise, maps, arguments):
    errors, oracles, chosen = [], {}, None
    for seed in range(1, arguments.seeds + 1):
        with tempfile.TemporaryDirectory() as folder:
            scan = Scan(arguments.recon.resolve(), name, scanned, noise, seed, maps == "own", arguments,
                        pathlib.Path(folder))
            error, chosen = scan.default()
            errors.append(error)
            for oracle, (least, at) in scan.oracles().items():
                oracles.setdefault(oracle, []).append((least, at))
    default = statistics.mean(errors)
    of, best = min(((key, statistics.mean(v[0] for v in values)) for key, values in oracles.items()),
                   key=lambda pair: pair[1])
    return {"scan": name, "object": scanned, "noise": noise, "maps": maps, "seeds": arguments.seeds,
            "default": default, "best": best, "of": of, "at": oracles[of][0][1], "ratio": default / best,
            "density": chosen["density"], "lambda": chosen["lambda"], "iterations": chosen["iterations"],
            "settled": chosen["settled"],
            "oracles": {key: statistics.mean(v[0] for v in values) for key, values in oracles.items()}}


if __name__ == "__main__":
    main()
