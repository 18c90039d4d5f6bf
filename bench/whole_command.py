#!/usr/bin/env python3
"""Times whole commands on a GPU, from file to image: the median of five after a warm-up, and the stages of the report.

  bench/whole_command.py build/cuda/apps/recon FOLDER --slice brain_radial.h5 --json bench/results/whole_command.json

FOLDER receives the simulated scans, two gigabytes at a time; its files should stay in the system's cache. `--slice`
is a scan of one slice (240 pixels, 8 coils, 96 spokes); without it, rows of the slice are left out. `--table FILE`
prints the table of an earlier run instead.
"""
import argparse
import datetime
import json
import pathlib
import statistics
import subprocess
import time

SCANS = {
    "kooshball 192³, 16 coils": "--trajectory kooshball --matrix 192 --spokes 9200 --coils 16",
    "stack of stars 192² × 64, 16 coils": "--trajectory stack-of-stars --matrix 192,192,64 --coils 16",
    "series, 100 frames of 16 spokes, 256², 16 coils": "--trajectory radial --matrix 256 --spokes 1600 --coils 16",
    "kooshball 256³, 32 coils": "--trajectory kooshball --matrix 256 --spokes 12000 --coils 32",
}
SLICE = "slice of 240², 8 coils"
PLAIN = "--device cuda --regularizer none --iterations"
# Target in seconds, and the time of commit 95e3ea6; none: not measured.
ROWS = [
    ("kooshball 192³, 16 coils", f"{PLAIN} 10", "npy", 1.0, 6.0),
    ("kooshball 192³, 16 coils", f"{PLAIN} 30", "nii.gz", 1.3, 7.5),
    ("stack of stars 192² × 64, 16 coils", f"{PLAIN} 10", "npy", 0.9, 5.4),
    ("stack of stars 192² × 64, 16 coils", "--device cuda --regularizer tv:1e-3 --iterations 100", "npy", 2.0, 8.1),
    ("series, 100 frames of 16 spokes, 256², 16 coils",
     "--device cuda --window 16 --regularizer ttv:1e-3 --iterations 60", "npy", 1.8, 5.5),
    ("series, 100 frames of 16 spokes, 256², 16 coils",
     "--device cuda --window 16 --regularizer llr:1e-2 --iterations 40", "npy", 1.6, 4.2),
    ("kooshball 256³, 32 coils", f"{PLAIN} 20", "npy", 3.0, 16.6),
    (SLICE, "--device auto", "npy", 0.30, None),
    (SLICE, "--device cuda", "npy", 0.40, 0.52),
    (SLICE, "--device auto --regularizer wavelet:auto", "npy", 0.45, 0.76),
]
SIMULATE_TARGET, SIMULATE_BEFORE = 8, 270
STAGES = ["read", "start", "prepare", "calibrate", "choose", "setup", "iterate", "write"]


def timed(command):
    begin = time.perf_counter()
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    return time.perf_counter() - begin


def simulate(recon, scan, file):
    return timed([recon, "simulate", file, *SCANS[scan].split(), "--noise", "0.01", "--seed", "1", "--device", "cuda",
                  "--quiet", "--overwrite"])


def measure(recon, file, options, output, repeats):
    image, report = file.with_suffix("." + output), file.with_suffix(".report.json")
    command = [recon, "run", file, "-o", image, "--overwrite", "--quiet", *options.split()]
    timed(command)
    times, stages = [], []
    for _ in range(repeats):
        times.append(timed([*command, "--report", report]))
        stages.append(json.loads(report.read_text())["seconds"])
    image.unlink()
    return {"process": statistics.median(times), "all": times,
            "seconds": {name: statistics.median(s[name] for s in stages) for name in stages[0]}}


def table(rows):
    """Lines of Markdown."""
    yield "| scan | options | " + " | ".join(STAGES) + " | process | asked for | commit 95e3ea6 |"
    yield "|---" * (len(STAGES) + 5) + "|"
    for row in rows:
        seconds = row.get("seconds", {})
        stages = [f"{seconds[name]:.2f}" if seconds.get(name, 0) >= 0.005 else "" for name in STAGES]
        before = f"{row['before']:g}" if row["before"] else ""
        yield (f"| {row['scan']} | `{row['options']}` | " + " | ".join(stages)
               + f" | {row['process']:.2f} | {row['asked']:g} | {before} |")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("recon", nargs="?")
    parser.add_argument("folder", nargs="?", type=pathlib.Path)
    parser.add_argument("--slice", type=pathlib.Path)
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--commit", default="")
    parser.add_argument("--json", type=pathlib.Path)
    parser.add_argument("--table", type=pathlib.Path)
    arguments = parser.parse_args()
    if arguments.table:
        print("\n".join(table(json.loads(arguments.table.read_text())["rows"])))
        return
    if not arguments.folder:
        parser.error("RECON and FOLDER are missing")
    arguments.folder.mkdir(parents=True, exist_ok=True)
    rows, file, made = [], arguments.folder / "scan.h5", None
    for scan, options, output, asked, before in ROWS:
        if scan == SLICE and not arguments.slice:
            continue
        if scan != SLICE and scan != made:
            simulated = [simulate(arguments.recon, scan, file)]
            if "256³" in scan:
                simulated += [simulate(arguments.recon, scan, file) for _ in range(2)]
                rows.append({"scan": scan, "options": "recon simulate --device cuda", "all": simulated,
                             "process": statistics.median(simulated), "asked": SIMULATE_TARGET,
                             "before": SIMULATE_BEFORE})
            made = scan
        if scan == SLICE:
            file.unlink(missing_ok=True)
            file.write_bytes(arguments.slice.read_bytes())
        rows.append({"scan": scan, "options": f"{options}, .{output}" if output != "npy" else options, "asked": asked,
                     "before": before, **measure(arguments.recon, file, options, output, arguments.repeats)})
        print(f"{rows[-1]['process']:.3f} s, asked {asked:g}: {scan}, {options}", flush=True)
    print("\n".join(table(rows)))
    if arguments.json:
        arguments.json.write_text(json.dumps({"date": datetime.date.today().isoformat(), "commit": arguments.commit,
                                              "rows": rows}, indent=1) + "\n")


if __name__ == "__main__":
    main()
