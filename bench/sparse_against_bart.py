#!/usr/bin/env python3
"""Wavelets and total variation with the weight that recon run finds, compared with BART's pics with its best of six
weights.

Scans of recon simulate (those of default_against_best.py, in two dimensions), and with --data the folders' scans of
real anatomy. Both programs get the same samples and the true coil maps; BART's are whitened beforehand, and Cartesian
samples are on a grid. The error is that of complex images, after scaling by one factor, within the disc of k-space
that radial and spiral scans cover. BART's six weights are a factor of three apart; if the best of them is the first
or the last, another one follows. Prints one Markdown row per case, and the median and the largest ratio of errors.
--bart takes BART's errors from the file of an earlier run instead. --volumes uses the kooshballs of images_by_default.py
instead, for BART also with the samples weighted by their distance from the centre of k-space. --gpu runs BART on a GPU,
if it was built for one.

Needs: bart (Debian package), Python with numpy and h5py.
  bench/sparse_against_bart.py build/cpu/apps/recon --data ../shared/data --json bench/results/sparse_against_bart.json
"""
import argparse
import json
import os
import pathlib
import statistics
import subprocess
import tempfile
import time

import numpy as np

from cfl import write_cfl
from conditions import conditions
from default_against_best import SCANS, VOLUMES, keep_some
from images_by_default import SCANS as IMAGES
from sense_against_bart import whitened

WEIGHTS = [1e-4 * 3 ** i for i in range(6)]
TERMS = {"wavelet": "W", "tv": "T"}


class Case:
    """One scan in a folder: scan.h5, maps.npy, truth.npy, and BART's files."""

    def __init__(self, arguments, folder, inside, cartesian):
        self.recon, self.threads, self.device = arguments.recon.resolve(), str(arguments.threads), arguments.device
        self.iterations, self.folder, self.inside = str(arguments.bart_iterations), folder, inside
        self.gpu = ["-g"] if arguments.gpu else []
        maps = np.load(folder / "maps.npy")
        samples, trajectory, maps = whitened(folder / "scan.h5", maps)
        coils, readouts, length = samples.shape
        self.shape, self.trajectory = maps.shape[1:], []
        n = maps.shape[-1]
        self.axes = 2 ** len(self.shape) - 1  # bit mask of the spatial axes, for BART
        if np.abs(trajectory).max() > n:  # in cycles per field of view already
            trajectory = trajectory / n
        write_cfl(folder / "maps", maps, [*self.shape[::-1], *[1] * (3 - len(self.shape)), coils])
        if cartesian:
            grid = np.zeros((coils, *self.shape), complex)
            x, y = (np.rint(trajectory[..., axis]).astype(int) + self.shape[1 - axis] // 2 for axis in (0, 1))
            grid[:, y, x] = samples
            write_cfl(folder / "samples", grid, [n, self.shape[0], 1, coils])
        else:
            write_cfl(folder / "samples", samples, [1, length, readouts, coils])
            write_cfl(folder / "trajectory", trajectory, [3, length, readouts])
            write_cfl(folder / "weights", np.linalg.norm(trajectory, axis=-1) / n, [1, length, readouts])
            self.trajectory = ["-t", "trajectory"]

    def run(self, *words):
        return subprocess.run([str(word) for word in words], check=True, cwd=self.folder, capture_output=True, text=True,
                              env=dict(os.environ, OMP_NUM_THREADS=self.threads)).stdout

    def error(self):
        inside = ["--inside", self.inside] if self.inside else []
        return json.loads(self.run(self.recon, "compare", "image.npy", "truth.npy", *inside, "--json"))["nrmse"]

    def ours(self, term):
        begin = time.perf_counter()
        self.run(self.recon, "run", "scan.h5", "-o", "image.npy", "--complex", "--maps", "maps.npy", "--overwrite",
                 "--quiet", "--regularizer", f"{term}:auto", "--threads", self.threads, "--report", "report.json",
                 "--device", self.device)
        seconds = time.perf_counter() - begin
        return self.error(), json.loads((self.folder / "report.json").read_text())["lambda"], seconds

    def theirs(self, term, weight, density):
        begin = time.perf_counter()
        self.run("bart", "pics", *self.gpu, "-S", "-e", "-R", f"{TERMS[term]}:{self.axes}:0:{weight:g}", "-i", self.iterations,
                 *(["-p", "weights"] if density else []), *self.trajectory, "samples", "maps", "bart")
        self.seconds = time.perf_counter() - begin
        np.save(self.folder / "image.npy", np.fromfile(self.folder / "bart.cfl", np.complex64).reshape(self.shape))
        return self.error()

    def best_of_theirs(self, term, known, density=False):
        if known and density:
            return known["bart_weighted"], None, known["bart_weighted_by_weight"]
        if known:
            self.seconds = known.get("bart_seconds")
            return known["bart"], known["bart_weight"], known["bart_by_weight"]
        errors = {weight: self.theirs(term, weight, density) for weight in WEIGHTS}
        while True:
            best = min(errors, key=errors.get)
            if best == min(errors):
                errors[best / 3] = self.theirs(term, best / 3, density)
            elif best == max(errors):
                errors[best * 3] = self.theirs(term, best * 3, density)
            else:
                return errors[best], best, errors


def simulated(name, noise, arguments, folder):
    trajectory, readouts, matrix, every, inside = SCANS[name]
    words = ["simulate", "scan.h5", "--trajectory", trajectory, "--matrix", matrix, "--object", arguments.object,
             "--noise", str(noise), "--truth", "truth.npy", "--maps", "maps.npy", "--quiet"]
    subprocess.run([arguments.recon.resolve(), *words, *(["--readouts", str(readouts)] if readouts else [])], check=True,
                   cwd=folder)
    if every > 1:
        keep_some(folder / "scan.h5", every)
    return Case(arguments, folder, inside, trajectory == "cartesian")


def simulated_volume(name, arguments, folder):
    coils = [] if "--coils" in IMAGES[name] else ["--coils", "8"]
    subprocess.run([arguments.recon.resolve(), "simulate", "scan.h5", *IMAGES[name].split(), *coils, "--truth", "truth.npy",
                    "--maps", "maps.npy", "--quiet"], check=True, cwd=folder)
    return Case(arguments, folder, "ball", False)


def measured(name, arguments, folder):
    (folder / "scan.h5").symlink_to((arguments.data / f"{name}.h5").resolve())
    truth = np.load(arguments.data / "brain_truth.npz")
    np.save(folder / "truth.npy", truth["image"])
    np.save(folder / "maps.npy", truth["maps"])
    return Case(arguments, folder, None, False)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("recon", type=pathlib.Path)
    parser.add_argument("--only", default="", help="names that contain one of these words, joined by commas")
    parser.add_argument("--noise", default="0.005,0.02")
    parser.add_argument("--object", default="texture")
    parser.add_argument("--data", type=pathlib.Path, help="folder with brain_radial.h5, brain_spiral.h5, brain_truth.npz")
    parser.add_argument("--terms", default=",".join(TERMS))
    parser.add_argument("--bart-iterations", type=int, default=200)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--bart", type=pathlib.Path, help="file of --json with BART's errors")
    parser.add_argument("--volumes", action="store_true")
    parser.add_argument("--device", default="cpu", help="of recon")
    parser.add_argument("--gpu", action="store_true", help="BART on a GPU")
    parser.add_argument("--json", type=pathlib.Path)
    arguments = parser.parse_args()
    earlier = json.loads(arguments.bart.read_text())["rows"] if arguments.bart else []
    known = {(row["scan"], row["noise"], row["term"]): row for row in earlier}
    asked = arguments.only.split(",")
    if arguments.volumes:
        cases = [(name, None) for name in IMAGES if name.startswith("kooshball")]
    else:
        cases = [(name, noise) for name in SCANS if not name.startswith(VOLUMES)
                 for noise in map(float, arguments.noise.split(","))]
        cases += [(name, None) for name in ("brain_radial", "brain_spiral") if arguments.data]
    rows = []
    print("| scan | noise | term | `recon`, λ found | BART, best λ | ratio |\n|---|---|---|---|---|---|")
    for name, noise in cases:
        if not any(word in name for word in asked):
            continue
        with tempfile.TemporaryDirectory() as folder:
            folder = pathlib.Path(folder)
            if arguments.volumes:
                case = simulated_volume(name, arguments, folder)
            else:
                case = measured(name, arguments, folder) if noise is None else simulated(name, noise, arguments, folder)
            for term in arguments.terms.split(","):
                ours, found, seconds = case.ours(term)
                theirs, best, errors = case.best_of_theirs(term, known.get((name, noise, term)))
                row = {"scan": name, "noise": noise, "term": term, "recon": ours, "lambda": found, "seconds": seconds,
                       "bart": theirs, "bart_weight": best, "bart_by_weight": errors, "ratio": ours / theirs}
                if arguments.volumes:
                    row["bart_seconds"] = case.seconds
                    row["bart_weighted"], _, row["bart_weighted_by_weight"] = case.best_of_theirs(
                        term, known.get((name, noise, term)), density=True)
                    theirs = min(theirs, row["bart_weighted"])
                    row["ratio"] = ours / theirs
                rows.append(row)
                level = "" if noise is None else f"{100 * noise:g} %"
                print(f"| {name} | {level} | {term} | {ours:.4f} ({found:.1e}) | {theirs:.4f} ({best:.0e}) | "
                      f"{ours / theirs:.3f} |", flush=True)
                if arguments.json:
                    arguments.json.write_text(json.dumps({**conditions(), "iterations": arguments.bart_iterations,
                                                          "rows": rows}, indent=1) + "\n")
    ratios = [row["ratio"] for row in rows]
    print(f"\nmedian {statistics.median(ratios):.3f}, largest {max(ratios):.3f} of {len(ratios)} cases")


if __name__ == "__main__":
    main()
