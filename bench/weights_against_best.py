#!/usr/bin/env python3
"""The weight that recon run finds for a regulariser, compared with the best one, and its time compared with that of one
image.

For each scan of recon simulate and each regulariser: error and seconds of `TERM:auto`, the same for an image with the
weight that was found, and the errors with 0.35, 0.6, 1.7 and 2.8 times that weight, and further if the best of them
is the first or the last. Each runs until the command stops by itself; the number that did not converge is reported.
The error is that of complex images, after scaling by one factor, within the part of k-space that the trajectory
covers; all use the true maps. With --unknown the scan's noise readouts are not used. Seconds are those of the
iterations, including the search (with one job at a time); user time is that of the whole command on CPUs. Prints a
Markdown table, and the median and the largest ratio. Series are made by dynamic_scan, whose objects are uptake and
motion.

Needs Python with numpy and h5py.
  bench/weights_against_best.py build/cuda/apps/recon --device cuda --json bench/results/weights_against_best.json
  bench/weights_against_best.py build/cpu/apps/recon --scans "series 64" --objects uptake,motion --terms ttv,llr,l+s
"""
import argparse
import concurrent.futures
import json
import os
import pathlib
import statistics
import subprocess
import tempfile

from conditions import conditions
from default_against_best import SCANS, keep_some

FURTHER = {
    "stack of stars 32": ("stack-of-stars", 13, "32,32,12", 1, "disc"),
    "kooshball 32 R 4": ("kooshball", 804, "32", 1, "ball"),
    "kooshball 48 R 2": ("kooshball", 3619, "48", 1, "ball"),
    "kooshball 48 R 4": ("kooshball", 1810, "48", 1, "ball"),
}
# Matrix, coils, frames, spokes per frame.
SERIES = {"series 64": (64, 4, 12, 8)}
FACTORS = [0.35, 0.6, 1, 1.7, 2.8]
STEP = 1.7
MOST = 9  # weights


class Scan:
    """A simulated scan in a folder."""

    def __init__(self, name, scanned, noise, arguments, folder):
        self.arguments, self.folder, self.window = arguments, folder, []
        if name in SERIES:
            self.simulate_series(name, scanned, noise)
            return
        trajectory, readouts, matrix, every, self.inside = (SCANS | FURTHER)[name]
        self.call("simulate", "scan.h5", "--trajectory", trajectory, "--matrix", matrix, "--object", scanned, "--noise", str(noise),
                  "--truth", "truth.npy", "--maps", "maps.npy", *(["--readouts", str(readouts)] if readouts else []), *self.machine())
        if every > 1:
            keep_some(folder / "scan.h5", every)

    def simulate_series(self, name, scanned, noise):
        matrix, coils, frames, spokes = SERIES[name]
        words = ["--matrix", matrix, "--coils", coils, "--frames", frames, "--spokes", spokes, "--noise", noise, "--object", scanned]
        subprocess.run([pathlib.Path(self.arguments.series).resolve(), "scan.h5", "--truth", "truth.npy", "--maps", "maps.npy",
                        *map(str, words)], check=True, cwd=self.folder)
        self.inside, self.window = "disc", ["--window", str(spokes)]

    def machine(self):
        return ["--quiet", "--device", self.arguments.device, "--threads", str(self.arguments.threads)]

    def call(self, *words):
        return subprocess.run([self.arguments.recon, *words], check=True, cwd=self.folder, capture_output=True, text=True).stdout

    def seconds_of(self, *words):
        """User time of a command and its child processes."""
        with subprocess.Popen([self.arguments.recon, *words], cwd=self.folder) as process:
            _, status, usage = os.wait4(process.pid, 0)
            process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode:
            raise subprocess.CalledProcessError(process.returncode, words)
        return usage.ru_utime

    def image(self, term, weight):
        """Error, seconds, user time, weight, whether it converged, and whether a minimum of the estimated error was
        enclosed.
        """
        name, _, keys = term.partition(":")
        user = self.seconds_of("run", "scan.h5", "-o", "image.npy", "--complex", "--maps", "maps.npy", "--overwrite",
                               "--report", "report.json", "--regularizer", f"{name}:{weight}{':' if keys else ''}{keys}",
                               *(["--no-whiten"] if self.arguments.unknown else []), *self.window, *self.machine())
        report = json.loads((self.folder / "report.json").read_text())
        inside = ["--inside", self.inside] if self.inside else []
        return {"error": json.loads(self.call("compare", "image.npy", "truth.npy", *inside, "--json"))["nrmse"],
                "seconds": report["seconds"]["iterate"], "user": user, "lambda": report["lambda"],
                "converged": not any("not converged" in text for text in report["warnings"]),
                "enclosed": (report["lambda_search"] or {}).get("enclosed")}


def measured(name, scanned, noise, term, arguments):
    with tempfile.TemporaryDirectory() as folder:
        scan = Scan(name, scanned, noise, arguments, pathlib.Path(folder))
        found = scan.image(term, "auto")
        tried = {factor: scan.image(term, found["lambda"] * factor) for factor in FACTORS}
        while len(tried) < MOST:
            best = min(tried, key=lambda factor: tried[factor]["error"])
            if best not in (min(tried), max(tried)):
                break
            further = best / STEP if best == min(tried) else best * STEP
            tried[further] = scan.image(term, found["lambda"] * further)
        best = min(tried, key=lambda factor: tried[factor]["error"])
        clock = "user" if arguments.device == "cpu" else "seconds"
        return {"scan": name, "object": scanned, "noise": noise, "term": term, "unknown": arguments.unknown, "found": found,
                "best": tried[best], "ratio": found["error"] / min(found["error"], tried[best]["error"]),
                "solves": found[clock] / tried[1][clock],
                "unconverged": sum(not image["converged"] for image in tried.values()),
                "tried": [tried[factor] for factor in sorted(tried)]}


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("recon", type=lambda text: str(pathlib.Path(text).resolve()))
    parser.add_argument("--scans", default="stack of stars R 4,kooshball 64 R 2,kooshball 64 R 4")
    parser.add_argument("--objects", default="head,texture,smooth")
    parser.add_argument("--noise", default="0.005,0.02")
    parser.add_argument("--terms", default="wavelet,tv")
    parser.add_argument("--unknown", action="store_true", help="the noise readouts are not used")
    parser.add_argument("--series", default="build/cpu/bench/dynamic_scan", help="the program that makes them")
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--threads", type=int, default=2, help="of each process")
    parser.add_argument("--jobs", type=int, default=1, help="cases at a time")
    parser.add_argument("--json", type=pathlib.Path)
    arguments = parser.parse_args()
    cases = [(name, scanned, float(noise), term, arguments) for name in arguments.scans.split(",")
             for scanned in arguments.objects.split(",") for noise in arguments.noise.split(",")
             for term in arguments.terms.split(",")]
    rows = []
    print("| scan | object | noise | term | found | best | ratio | of one image's time |\n" + "|---" * 8 + "|", flush=True)
    with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
        for done in concurrent.futures.as_completed([pool.submit(measured, *case) for case in cases]):
            row = done.result()
            rows.append(row)
            notes = ("" if row["found"]["enclosed"] else ", no minimum") + (
                f", {row['unconverged']} not converged" if row["unconverged"] else "")
            print(f"| {row['scan']} | {row['object']} | {100 * row['noise']:g} % | `{row['term']}` | "
                  f"{row['found']['error']:.4f} ({row['found']['lambda']:.1e}{notes}) | "
                  f"{row['best']['error']:.4f} ({row['best']['lambda']:.1e}) | {row['ratio']:.3f} | {row['solves']:.1f} |", flush=True)
            if arguments.json:
                arguments.json.write_text(json.dumps({**conditions(), "rows": rows}, indent=1) + "\n")
    ratios = [row["ratio"] for row in rows]
    print(f"\nmedian {statistics.median(ratios):.3f}, largest {max(ratios):.3f} of {len(ratios)} cases")


if __name__ == "__main__":
    main()
