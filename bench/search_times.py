#!/usr/bin/env python3
"""User time of `recon run` with a weight that it finds (TERM:auto), beside the same command with that weight given.

Both in turn, so many times after one run that is not counted; medians and the ratio. Whole commands, from file to image.
Beside other work user times are steadier than those of the clock.

  bench/search_times.py build/cpu/apps/recon ../shared/data/brain_radial.h5 --json bench/results/search_times.json
"""
import argparse
import json
import os
import pathlib
import statistics
import subprocess
import tempfile


def measure(term, arguments, folder):
    def run(weight):
        command = [arguments.recon, "run", arguments.scan.resolve(), "-o", "image.npy", "--overwrite", "--quiet", "--report",
                   "report.json", "--threads", str(arguments.threads), "--regularizer", f"{term}:{weight}", *arguments.options.split()]
        with subprocess.Popen(command, cwd=folder) as process:
            _, status, usage = os.wait4(process.pid, 0)
            process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode:
            raise subprocess.CalledProcessError(process.returncode, command)
        return usage.ru_utime, json.loads((folder / "report.json").read_text())

    _, report = run("auto")
    weight = report["lambda"]
    found, given = [], []
    for _ in range(arguments.runs):
        found.append(run("auto")[0])
        seconds, alone = run(weight)
        given.append(seconds)
    return {"term": term, "lambda": weight, "trials": len(report["lambda_search"]["trials"]), "found": found, "given": given,
            "iterations": {"found": report["images"][0]["iterations"], "given": alone["images"][0]["iterations"]},
            "warnings": {"found": report["warnings"], "given": alone["warnings"]},
            "ratio": statistics.median(found) / statistics.median(given)}


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("recon", type=lambda text: str(pathlib.Path(text).resolve()))
    parser.add_argument("scan", type=pathlib.Path)
    parser.add_argument("--terms", default="wavelet,tv")
    parser.add_argument("--options", default="", help="further ones of recon run")
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--json", type=pathlib.Path)
    arguments = parser.parse_args()
    rows = []
    print("| term | λ found | search and image | image alone | ratio |\n|---|---|---|---|---|", flush=True)
    for term in arguments.terms.split(","):
        with tempfile.TemporaryDirectory() as folder:
            row = measure(term, arguments, pathlib.Path(folder))
        rows.append(row)
        print(f"| `{term}` | {row['lambda']:.1e} | {statistics.median(row['found']):.1f} s | "
              f"{statistics.median(row['given']):.1f} s | {row['ratio']:.1f} |", flush=True)
        if arguments.json:
            arguments.json.write_text(json.dumps({"scan": arguments.scan.name, "threads": arguments.threads,
                                                  "options": arguments.options, "rows": rows}, indent=1) + "\n")


if __name__ == "__main__":
    main()
