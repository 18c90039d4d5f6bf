#!/usr/bin/env python3
"""Results of the default command, scan by scan, compared with target errors.

Scans of recon simulate and, with --data, of a folder of scans made by other programs (radial_r8.h5, spiral_r2.h5,
spiral_r4_calibration.h5, cartesian_r2_acs.h5, with truths and maps). Complex images are compared if maps are given,
magnitudes if they are estimated from the data. Prints a Markdown table as it goes, with the user time of each
command.

Needs Python with numpy.
  bench/aims.py build/cpu/apps/recon --data ../shared/data/defaults --threads 2 --json bench/results/aims.json
"""
import argparse
import json
import os
import pathlib
import subprocess
import tempfile
from dataclasses import dataclass

import numpy as np

from conditions import conditions

SIMULATED = {
    "kooshball 128³, 1 %": "--trajectory kooshball --matrix 128 --spokes 12000 --coils 8 --noise 0.01",
    "kooshball 64³ R 4, 2 %": "--trajectory kooshball --matrix 64 --spokes 3217 --coils 8 --noise 0.02",
    "recipe 3": "--trajectory radial --matrix 192 --spokes 32 --coils 8 --noise 0.02",
    "the demo's scan": "--trajectory radial --matrix 224 --spokes 64 --coils 8 --noise 0.01",
    "radial 128², grid of 96²": "--trajectory radial --matrix 128 --spokes 201 --coils 8 --noise 0.002 --object smooth",
    "Cartesian 128², grid of 96²": "--trajectory cartesian --matrix 128 --coils 8 --noise 0.002 --object smooth",
}
FOUND = "--regularizer wavelet:auto"
GIVEN, SMALL = "--maps maps.npy", "--matrix 96 --fov 180 --maps maps_small.npy"
MASKED = "--magnitude --mask 0.03"


@dataclass
class Row:
    scan: str
    options: str  # of recon run
    compared: str  # options of recon compare
    aim: float
    truth: str = "truth.npy"


ROWS = [
    Row("radial_r8", f"{FOUND} --maps radial_r8_maps.npy", "", 0.042, "radial_r8_truth.npy"),
    Row("recipe 3", FOUND, "--magnitude", 0.125),
    Row("the demo's scan", FOUND, "--magnitude", 0.080),
    Row("spiral_r2", "", MASKED, 0.080, "spiral_r2_truth.npy"),
    Row("spiral_r4_calibration", "", "--magnitude", 0.25, "cartesian_r2_acs_truth.npy"),
    Row("spiral_r4_calibration", FOUND, "--magnitude", 0.20, "cartesian_r2_acs_truth.npy"),
    Row("cartesian_r2_acs", "", "--magnitude", 0.16, "cartesian_r2_acs_truth.npy"),
    Row("cartesian_r2_acs", FOUND, "--magnitude", 0.12, "cartesian_r2_acs_truth.npy"),
    Row("radial 128², grid of 96²", SMALL, "", 0.01, "truth_small.npy"),
    Row("Cartesian 128², grid of 96²", SMALL, "", 0.01, "truth_small.npy"),
    Row("kooshball 128³, 1 %", GIVEN, "--inside ball", 0.09),
    Row("kooshball 128³, 1 %", "", "--magnitude", 0.11),
    Row("kooshball 64³ R 4, 2 %", f"{GIVEN} {FOUND}", "--inside ball", 0.032),
]


class Folder:
    """A folder of scans, images and reports."""

    def __init__(self, path, arguments):
        self.path, self.arguments, self.scan = path, arguments, None

    def user_seconds(self, *words):
        with subprocess.Popen([self.arguments.recon, *words, "--quiet", "--threads", str(self.arguments.threads)],
                              cwd=self.path) as process:
            _, status, usage = os.wait4(process.pid, 0)
            process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode:
            raise subprocess.CalledProcessError(process.returncode, words)
        return usage.ru_utime

    def take(self, scan):
        """scan.h5 and the files that belong to it."""
        if scan == self.scan:
            return
        self.scan = scan
        if scan not in SIMULATED:
            for file in self.arguments.data.iterdir():
                link = self.path / file.name
                if not link.exists():
                    link.symlink_to(file.resolve())
            (self.path / "scan.h5").unlink(missing_ok=True)
            (self.path / "scan.h5").symlink_to((self.arguments.data / f"{scan}.h5").resolve())
            return
        (self.path / "scan.h5").unlink(missing_ok=True)
        self.user_seconds("simulate", "scan.h5", *SIMULATED[scan].split(), "--seed", "1", "--truth", "truth.npy",
                          "--maps", "maps.npy", "--overwrite")
        if "grid of 96²" in scan:
            inner = (..., slice(16, 112), slice(16, 112))
            for name in ("truth", "maps"):
                np.save(self.path / f"{name}_small.npy", np.ascontiguousarray(np.load(self.path / f"{name}.npy")[inner]))

    def measure(self, row):
        self.take(row.scan)
        words = row.options.split()
        if row.scan == "cartesian_r2_acs":
            words += ["--generate", "cartesian"]
        if "--magnitude" not in row.compared:
            words.append("--complex")
        user = self.user_seconds("run", "scan.h5", "-o", "image.npy", "--overwrite", "--report", "report.json", *words)
        compared = subprocess.run([self.arguments.recon, "compare", "image.npy", row.truth, *row.compared.split(), "--json"],
                                  check=True, cwd=self.path, capture_output=True, text=True).stdout
        report = json.loads((self.path / "report.json").read_text())
        return {"scan": row.scan, "options": row.options, "compared": row.compared, "aim": row.aim,
                "error": json.loads(compared)["nrmse"], "lambda": report["lambda"], "user_seconds": user,
                "warnings": report["warnings"]}


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("recon", type=lambda text: str(pathlib.Path(text).resolve()))
    parser.add_argument("--data", type=pathlib.Path)
    parser.add_argument("--only", default="", help="scans whose name contains one of these words, joined by commas")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--json", type=pathlib.Path)
    arguments = parser.parse_args()
    rows = []
    print("| scan | `recon run` | compared | aim | reached | λ | user time |\n" + "|---" * 7 + "|", flush=True)
    with tempfile.TemporaryDirectory() as folder:
        there = Folder(pathlib.Path(folder), arguments)
        for row in ROWS:
            if not any(word in row.scan for word in arguments.only.split(",")) or (
                    row.scan not in SIMULATED and not arguments.data):
                continue
            found = there.measure(row)
            rows.append(found)
            weight = f"{found['lambda']:.1e}" if found["lambda"] else ""
            print(f"| {row.scan} | `{row.options}` | `{row.compared}` | {row.aim} | {found['error']:.4f} | {weight} | "
                  f"{found['user_seconds']:.1f} s |", flush=True)
            if arguments.json:
                arguments.json.write_text(json.dumps({**conditions(), "threads": arguments.threads, "rows": rows}, indent=1) + "\n")
    missed = [row for row in rows if row["error"] > row["aim"]]
    print(f"\n{len(rows)} rows, {len(missed)} above their aim")


if __name__ == "__main__":
    main()
