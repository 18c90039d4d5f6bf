#!/usr/bin/env python3
"""Wavelet-regularised reconstruction of real anatomy, whole command against whole command: recon run and BART's pics.

For each scan both get the same data and the true coil maps, and their best weight out of a grid, judged by the NRMSE
(after one complex scale) against the true image. BART's time is that of the fewest iterations that come within 1 % of
its own image after many; recon's that of the fewest iterations that reach the NRMSE asked for (--targets). Commands run
in turn, medians of wall times. Beside: recon's own choice of the weight (wavelet:auto) with its wall time, total
variation and total generalised variation by weight, and conjugate gradients by number of iterations.
The exit status is 1 when recon misses a target, is not faster, or one of these is not as good as docs/quality.md says.

Needs: bart (Debian package), Python with numpy and h5py, and the folder with brain_radial.h5 and brain_truth.npz.
  bench/wavelet_against_bart.py build/cpu/apps/recon ../shared/data --json bench/results/wavelet_against_bart.json
"""
import argparse
import datetime
import json
import os
import pathlib
import platform
import statistics
import subprocess
import sys
import tempfile
import time

import numpy as np

from sense_against_bart import nrmse, whitened, write_cfl

FEWER = [20, 25, 30, 35, 40, 45, 50, 60, 70, 80, 100, 130, 160, 200, 250]
SCANS = ("brain_radial", "brain_spiral")


def timed(command, folder, threads):
    start = time.perf_counter()
    subprocess.run([str(word) for word in command], check=True, cwd=folder, stdout=subprocess.DEVNULL,
                   stderr=subprocess.DEVNULL, env=dict(os.environ, OMP_NUM_THREADS=str(threads)))
    return time.perf_counter() - start


def compare(name, target, arguments, truth, folder):
    scan = (arguments.data / f"{name}.h5").resolve()
    samples, trajectory, maps = whitened(scan, truth["maps"])
    coils, readouts, length = samples.shape
    n = maps.shape[-1]
    if np.abs(trajectory).max() > n:  # the scan's trajectory was in cycles per field of view already
        trajectory = trajectory / n
    write_cfl(folder / "samples", samples, [1, length, readouts, coils])
    write_cfl(folder / "trajectory", trajectory, [3, length, readouts])
    write_cfl(folder / "maps", maps, [n, n, 1, coils])
    np.save(folder / "maps.npy", truth["maps"])

    def recon(terms, iterations):
        return [arguments.recon.resolve(), "run", scan, "-o", folder / "recon.npy", "--complex", "--maps",
                folder / "maps.npy", *terms, "--iterations", str(iterations), "--tolerance", "0", "--threads",
                str(arguments.threads), "--overwrite", "--quiet", "--report", folder / "report.json"]

    def error_of(term, iterations):
        timed(recon(["--regularizer", term] if term else [], iterations), folder, arguments.threads)
        return nrmse(np.load(folder / "recon.npy"), truth["image"])

    def bart(weight, iterations):
        return ["bart", "pics", "-S", "-e", "-R", f"W:3:0:{weight}", "-i", str(iterations), "-t", "trajectory",
                "samples", "maps", "bart"]

    def bart_image():
        return np.fromfile(folder / "bart.cfl", np.complex64).reshape(n, n)

    grid = {weight: error_of(f"wavelet:{weight}", arguments.iterations) for weight in arguments.weights}
    best = min(grid, key=grid.get)
    automatic = error_of("wavelet:auto", arguments.iterations)
    chosen = json.loads((folder / "report.json").read_text())["lambda"]
    for iterations in (*FEWER, arguments.iterations):
        reached = error_of(f"wavelet:{best}", iterations)
        if reached <= target:
            break
    others = {term: {weight: error_of(f"{term}:{weight}", arguments.variation_iterations)
                     for weight in arguments.variation_weights} for term in ("tv", "tgv")}
    plain = {count: error_of("", count) for count in range(8, 41, 2)}

    finals, bart_grid = {}, {}
    for weight in arguments.bart_weights:
        timed(bart(weight, arguments.bart_iterations), folder, arguments.threads)
        finals[weight] = bart_image()
        bart_grid[weight] = nrmse(finals[weight], truth["image"])
    bart_best = min(bart_grid, key=bart_grid.get)
    final = finals[bart_best]
    for enough in FEWER:
        timed(bart(bart_best, enough), folder, arguments.threads)
        if np.linalg.norm(bart_image() - final) <= 0.01 * np.linalg.norm(final):
            break

    commands = {"recon": recon(["--regularizer", f"wavelet:{best}"], iterations), "bart": bart(bart_best, enough),
                "recon auto": recon(["--regularizer", "wavelet:auto"], arguments.iterations)}
    walls = {who: [] for who in commands}
    for run in range(arguments.runs + 1):  # the first one warms caches up
        for who, command in commands.items():
            seconds = timed(command, folder, arguments.threads)
            if run > 0:
                walls[who].append(seconds)
    result = {
        "target": target,
        "nrmse": {"recon": reached, "recon best": grid[best], "recon auto": automatic, "bart": bart_grid[bart_best],
                  "bart within 1 %": nrmse(bart_image(), truth["image"])},
        "weight": {"recon": best, "recon auto": chosen, "bart": bart_best},
        "iterations": {"recon": iterations, "recon best": arguments.iterations, "bart": enough,
                       "bart final": arguments.bart_iterations, "variation": arguments.variation_iterations},
        "conjugate_gradients": plain, "total_variation": others["tv"], "total_generalised_variation": others["tgv"],
        "recon_nrmse_by_weight": grid, "bart_nrmse_by_weight": bart_grid,
        "nrmse_ratio": {"auto to best": automatic / grid[best],
                        **{f"{term} to cg": min(values.values()) / min(plain.values())
                           for term, values in others.items()}},
        "median_seconds": {who: statistics.median(values) for who, values in walls.items()},
        "seconds": walls,
        "ratio_bart_to_recon": statistics.median(b / a for a, b in zip(walls["recon"], walls["bart"])),
    }
    seconds = result["median_seconds"]
    print(f"{name}: recon NRMSE {reached:.5f} after {iterations} iterations, {seconds['recon']:.2f} s "
          f"(weight {best:g}; {grid[best]:.5f} after {arguments.iterations}; auto {automatic:.5f}, {chosen:.2e}); "
          f"bart {bart_grid[bart_best]:.5f} (weight {bart_best:g}), {enough} iterations {seconds['bart']:.2f} s; "
          f"ratio {result['ratio_bart_to_recon']:.2f}; recon auto {seconds['recon auto']:.2f} s")
    for term, values in (("cg", plain), *others.items()):
        at = min(values, key=values.get)
        print(f"{name}: {term} {values[at]:.5f} at {at:g}", flush=True)
    ratios = result["nrmse_ratio"]
    result["met"] = bool(reached <= target and result["ratio_bart_to_recon"] > 1 and ratios["auto to best"] <= 1.1
                         and ratios["tv to cg"] < 1 and ratios["tgv to cg"] < 1)
    return result


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("recon", type=pathlib.Path)
    parser.add_argument("data", type=pathlib.Path)
    parser.add_argument("--weights", type=lambda text: [float(word) for word in text.split(",")],
                        default=[1.5e-4, 2e-4, 2.5e-4, 3e-4, 3.5e-4, 4e-4, 4.5e-4, 5e-4])
    parser.add_argument("--variation-weights", type=lambda text: [float(word) for word in text.split(",")],
                        default=[6e-5, 1e-4, 1.5e-4, 2e-4, 3e-4])
    parser.add_argument("--targets", type=lambda text: [float(word) for word in text.split(",")],
                        default=[0.046, 0.0262], help="NRMSE to reach, of each scan")
    parser.add_argument("--iterations", type=int, default=100)
    parser.add_argument("--variation-iterations", type=int, default=60)
    parser.add_argument("--bart-weights", type=lambda text: [float(word) for word in text.split(",")],
                        default=[1e-4, 2e-4, 3e-4, 4e-4, 6e-4])
    parser.add_argument("--bart-iterations", type=int, default=300)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--json", type=pathlib.Path)
    arguments = parser.parse_args()

    truth = np.load(arguments.data / "brain_truth.npz")
    rows = {}
    for name, target in zip(SCANS, arguments.targets):
        with tempfile.TemporaryDirectory() as folder:
            rows[name] = compare(name, target, arguments, truth, pathlib.Path(folder))
    if arguments.json:
        write(arguments, rows)
    return 0 if all(row["met"] for row in rows.values()) else 1


def write(arguments, rows):
    text = lambda command: subprocess.run(command, capture_output=True, text=True).stdout.strip()
    root = str(pathlib.Path(__file__).parent)
    processor = next((line.split(":")[1].strip() for line in open("/proc/cpuinfo") if line.startswith("model name")),
                     platform.machine())
    arguments.json.write_text(json.dumps({
        "benchmark": "wavelet regularisation, whole command", "date": datetime.date.today().isoformat(),
        "commit": text(["git", "-C", root, "rev-parse", "--short", "HEAD"]), "processor": processor,
        "threads": arguments.threads, "runs": arguments.runs,
        "versions": {"recon": text([str(arguments.recon), "--version"]), "bart": text(["bart", "version"])},
        "scans": rows}, indent=2) + "\n")


if __name__ == "__main__":
    sys.exit(main())
