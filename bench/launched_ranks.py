#!/usr/bin/env python3
"""Two ranks of mpirun with one thread each compared with one process with two threads, on CPUs.

For coils and for the frames of a series: the shortest time of several runs, alternating, and the efficiency, which is
the time of the threads over that of the ranks: for the iterations, and for the whole reconstruction without reading,
starting MPI and writing. Both are bound to the same two processors. Prints a Markdown table.

Needs mpirun, taskset and liblarmor-mpi.so where recon finds it. On idle processors:
  bench/launched_ranks.py build/cpu/apps/recon --processors 2,3 --rounds 3
"""
import argparse
import json
import os
import pathlib
import subprocess
import tempfile

# The divided dimension: the scan, and its reconstruction.
WINDOWS = ["--window", "50", "--maps", "{maps}"]
CASES = {
    "coils": (["--matrix", "256", "--spokes", "200", "--coils", "16"],
              ["--split", "coils", "--regularizer", "l2:1e-6", "--iterations", "60"]),
    "frames with wavelets": (["--matrix", "192", "--spokes", "400", "--coils", "8"],
                             ["--split", "frames", *WINDOWS, "--regularizer", "wavelet:1e-3", "--iterations", "30"]),
}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("recon")
    parser.add_argument("--processors", default="0,1")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--only", help="cases whose names contain this")
    options = parser.parse_args()
    environment = dict(os.environ, OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1")
    recon = str(pathlib.Path(options.recon).resolve())

    def call(words):
        subprocess.run(words, check=True, env=environment, stdout=subprocess.DEVNULL)

    print("| divided | threads: iterate | all | ranks: iterate | all | efficiency: iterate | all |")
    print("|---|---|---|---|---|---|---|")
    with tempfile.TemporaryDirectory() as folder:
        scan, maps, report = (f"{folder}/{name}" for name in ("scan.h5", "maps.npy", "report.json"))
        for name, (simulation, words) in CASES.items():
            if options.only and options.only not in name:
                continue
            call([recon, "simulate", scan, "--overwrite", "--quiet", *simulation])
            if "{maps}" in words:
                call([recon, "maps", scan, "-o", maps, "--overwrite", "--quiet"])
            run = [recon, "run", scan, "-o", f"{folder}/image.npy", "--overwrite", "--quiet", "--device", "cpu",
                   "--report", report, *(word.format(maps=maps) for word in words)]
            pinned = ["taskset", "-c", options.processors]
            ranks = ["mpirun", "--oversubscribe", "--bind-to", "none", "-n", "2"]
            starts = {"threads": pinned + run + ["--threads", "2"], "ranks": pinned + ranks + run + ["--threads", "1"]}
            best = {}
            for _ in range(options.rounds):
                for kind, start in starts.items():
                    pathlib.Path(report).unlink(missing_ok=True)
                    call(start)
                    seconds = json.loads(pathlib.Path(report).read_text())["seconds"]
                    work = sum(seconds.get(stage, 0) for stage in ("prepare", "calibrate", "choose", "setup", "iterate",
                                                                   "gather"))
                    before = best.get(kind, (work, work))
                    best[kind] = (min(before[0], seconds["iterate"]), min(before[1], work))
            (a, b), (c, d) = best["threads"], best["ranks"]
            print(f"| {name} | {a:.3f} s | {b:.3f} s | {c:.3f} s | {d:.3f} s | {a / c:.2f} | {b / d:.2f} |", flush=True)


if __name__ == "__main__":
    main()
