#!/usr/bin/env python3
"""What recon run does when it is not told, against the best that is known afterwards.

For each scan of a grid (trajectories × noise × given or own coil maps), simulated by recon simulate: the error of the
default, and the least error of gridding, of conjugate gradients stopped at any iteration, of the same with density
weights, and of l2 with any weight. The latter are oracles: they are told the truth. All have the same maps: of a scan
with own maps those that recon maps estimates. The error is complex, after one scale, within the part of k-space that the
trajectory covers; with own maps it is that of magnitudes, where the truth is above 0.03 of its maximum. Prints one
Markdown row a case and the median and the largest ratio.

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

# Name: options of recon simulate, one of how many readouts is kept, and what covers the same k-space.
SCANS = {
    "radial R 2": (["--trajectory", "radial", "--spokes", "101"], 1, "disc"),
    "radial R 4": (["--trajectory", "radial", "--spokes", "50"], 1, "disc"),
    "radial R 8": (["--trajectory", "radial", "--spokes", "25"], 1, "disc"),
    "cartesian R 2": (["--trajectory", "cartesian"], 2, None),
    "cartesian R 4": (["--trajectory", "cartesian"], 4, None),
    "spiral R 1": (["--trajectory", "spiral", "--interleaves", "16"], 1, "disc"),
    "spiral R 2": (["--trajectory", "spiral", "--interleaves", "16"], 2, "disc"),
}
ITERATIONS = [1, 2, 3, 4, 5, 6, 8, 10, 12, 15, 18, 22, 27, 33, 40, 50, 70, 100, 150, 250, 400]
WEIGHTED = [1, 2, 3, 4, 5, 6, 8, 10, 13, 17, 22, 30, 45, 70]
LAMBDAS = [1e-5, 3e-5, 1e-4, 2e-4, 4e-4, 8e-4, 1.6e-3, 3e-3, 6e-3, 1.2e-2, 2.5e-2, 5e-2, 0.1, 0.2, 0.5]


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

    def __init__(self, recon, name, noise, seed, own, arguments, folder):
        options, every, self.inside = SCANS[name]
        self.recon, self.own, self.folder, self.threads = recon, own, folder, str(arguments.threads)
        self.run("simulate", "scan.h5", *options, "--matrix", str(arguments.matrix), "--noise", str(noise), "--seed",
                 str(seed), "--truth", "truth.npy", "--maps", "maps.npy", "--overwrite", "--quiet")
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
        return {
            "gridding": (self.error("--solver", "gridding"), None),
            "cg": self.least(ITERATIONS, lambda k: [*none, "none", "--iterations", str(k)]),
            "weighted cg": self.least(WEIGHTED, lambda k: ["--density", "pipe", "--regularizer", "none",
                                                           "--iterations", str(k)]),
            "l2": self.least(LAMBDAS[::-1], lambda v: [*none, f"l2:{v}", "--iterations",
                                                       str(min(400, round(8 / v ** 0.5)))]),
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
    parser.add_argument("--noise", default="0.002,0.005,0.02,0.08")
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--matrix", type=int, default=128)
    parser.add_argument("--maps", default="given,own")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--json", type=pathlib.Path)
    arguments = parser.parse_args()
    os.environ["OMP_NUM_THREADS"] = str(arguments.threads)
    rows = []
    print("| scan | noise | maps | default | chosen | best | of | ratio |\n|---|---|---|---|---|---|---|---|")
    for name in SCANS:
        if not any(word in name for word in arguments.only.split(",")):
            continue
        for noise in map(float, arguments.noise.split(",")):
            for maps in arguments.maps.split(","):
                errors, oracles, chosen = [], {}, None
                for seed in range(1, arguments.seeds + 1):
                    with tempfile.TemporaryDirectory() as folder:
                        scan = Scan(arguments.recon.resolve(), name, noise, seed, maps == "own", arguments,
                                    pathlib.Path(folder))
                        error, chosen = scan.default()
                        errors.append(error)
                        for oracle, (least, at) in scan.oracles().items():
                            oracles.setdefault(oracle, []).append((least, at))
                default = statistics.mean(errors)
                of, best = min(((key, statistics.mean(v[0] for v in values)) for key, values in oracles.items()),
                               key=lambda pair: pair[1])
                at = oracles[of][0][1]
                row = {"scan": name, "noise": noise, "maps": maps, "default": default, "best": best, "of": of, "at": at,
                       "ratio": default / best, "density": chosen["density"], "lambda": chosen["lambda"],
                       "iterations": chosen["iterations"], "settled": chosen["settled"],
                       "oracles": {key: statistics.mean(v[0] for v in values) for key, values in oracles.items()}}
                rows.append(row)
                what = (f"{row['density']}" + (f", l2:{row['lambda']:.1e}" if row["lambda"] else "")
                        + ("" if row["settled"] else f", {row['iterations']} it."))
                print(f"| {name} | {100 * noise:g} % | {maps} | {default:.4f} | {what} | {best:.4f} | {of}"
                      f"{'' if at is None else f' ({at:g})'} | {row['ratio']:.3f} |", flush=True)
    ratios = [row["ratio"] for row in rows]
    print(f"\nmedian {statistics.median(ratios):.3f}, largest {max(ratios):.3f} of {len(ratios)} cases")
    if arguments.json:
        arguments.json.write_text(json.dumps({"seeds": arguments.seeds, "rows": rows}, indent=1) + "\n")


if __name__ == "__main__":
    main()
