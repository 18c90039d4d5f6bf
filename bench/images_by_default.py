#!/usr/bin/env python3
"""Whole commands by default, with weights that are found, and with 20 iterations without a regulariser: seconds and
errors.

Scans are those of recon simulate, with 8 coils unless a row says otherwise; the error is that of the magnitude
relative to the closed form, over the whole image. Seconds are the median of --repeats runs after a first one, or the
time of the first one if it is above 4 s. --sizes instead times the default and 20 iterations over sizes and noise
levels of kooshballs.

Needs only Python.
  bench/images_by_default.py build/cuda/apps/recon --device cuda --json bench/results/images_by_default.json
  bench/images_by_default.py build/cpu/apps/recon --device cpu --threads 16 --sizes 32,64,96,128 --json FILE
"""
import argparse
import json
import pathlib
import statistics
import subprocess
import tempfile
import time

from conditions import conditions

SCANS = {
    "radial 224², 64 spokes, 2 %": "--trajectory radial --matrix 224 --spokes 64 --noise 0.02",
    "spiral 256², 16 coils, 2 %": "--trajectory spiral --matrix 256 --coils 16 --noise 0.02",
    "stack of stars 160² × 32, 48 spokes, 12 coils, 2 %":
        "--trajectory stack-of-stars --matrix 160,160,32 --spokes 48 --coils 12 --noise 0.02",
    "kooshball 64³, 2457 spokes, 1 %": "--trajectory kooshball --matrix 64 --spokes 2457 --noise 0.01",
    "kooshball 72³, 1800 spokes, 0.3 %": "--trajectory kooshball --matrix 72 --spokes 1800 --noise 0.003",
    "kooshball 72³, 1800 spokes, 4 %": "--trajectory kooshball --matrix 72 --spokes 1800 --noise 0.04",
    "kooshball 72³, 4000 spokes, 1 %": "--trajectory kooshball --matrix 72 --spokes 4000 --noise 0.01",
    "kooshball 96³, 5529 spokes, 1 %": "--trajectory kooshball --matrix 96 --spokes 5529 --noise 0.01",
    "kooshball 128³, 9830 spokes, 1 %": "--trajectory kooshball --matrix 128 --spokes 9830 --noise 0.01",
    "kooshball 192³, 22000 spokes, 16 coils, 1 %":
        "--trajectory kooshball --matrix 192 --spokes 22000 --coils 16 --noise 0.01",
    "kooshball 192³, 8000 spokes, 16 coils, 0.3 %":
        "--trajectory kooshball --matrix 192 --spokes 8000 --coils 16 --noise 0.003",
}
VOLUMES = {
    f"kooshball {size}³, {spokes} spokes, {100 * noise:.3g} %": f"--trajectory kooshball --matrix {size} --spokes {spokes} --noise {noise}"
    for size, numbers in ((96, (2765, 5529, 11058)), (160, (7680, 15360))) for noise in (0.003, 0.01, 0.04) for spokes in numbers
}
PLAIN = "--regularizer none --iterations 20"
MODES = {"default": "", "none": PLAIN, "wavelet:auto": "--regularizer wavelet:auto", "tv:auto": "--regularizer tv:auto"}
NOISES = [0.001, 0.002, 0.004, 0.008, 0.016, 0.032, 0.064, 0.128]
LONG = 4  # seconds


class Bench:
    def __init__(self, folder, arguments):
        self.folder, self.arguments, self.rows = folder, arguments, []

    def call(self, *words):
        begin = time.perf_counter()
        done = subprocess.run([self.arguments.recon, *words], cwd=self.folder, capture_output=True, text=True, check=True)
        return time.perf_counter() - begin, done.stdout

    def simulate(self, options):
        coils = [] if "--coils" in options else ["--coils", "8"]
        self.call("simulate", "scan.h5", *options.split(), *coils, "--truth", "truth.npy", "-f", "-q")

    def measure(self, mode, **row):
        machine = ["--device", self.arguments.device]
        if self.arguments.threads:
            machine += ["--threads", str(self.arguments.threads)]
        seconds = []
        for _ in range(1 + self.arguments.repeats):
            seconds.append(self.call("run", "scan.h5", "-o", "image.npy", "-f", "-q", "--report", "report.json", *machine,
                                     *MODES[mode].split())[0])
            if seconds[-1] > LONG:
                break
        report = json.loads((self.folder / "report.json").read_text())
        compared = json.loads(self.call("compare", "image.npy", "truth.npy", "--magnitude", "--json")[1])
        row |= {"mode": mode, "seconds": statistics.median(seconds[1:] or seconds), "all": seconds, "error": compared["nrmse"],
                "expected": (report["expected"] or {}).get("error"), "lambda": report["lambda"], "stages": report["seconds"]}
        self.rows.append(row)
        print(row["scan"], mode, f"{row['seconds']:.2f} s, error {row['error']:.4f}", flush=True)
        if self.arguments.json:
            self.arguments.json.write_text(json.dumps(
                conditions() | {"device": self.arguments.name, "rows": self.rows}, indent=1, ensure_ascii=False) + "\n")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("recon", type=lambda path: str(pathlib.Path(path).resolve()))
    parser.add_argument("--device", default="auto")
    parser.add_argument("--threads", type=int)
    parser.add_argument("--name", default="CPU", help="of the device, for the table")
    parser.add_argument("--only", default="", help="scans that hold this text")
    parser.add_argument("--sizes", type=lambda text: [int(size) for size in text.split(",")])
    parser.add_argument("--volumes", action="store_true", help="kooshballs of two sizes, three noise levels, several undersamplings")
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--json", type=pathlib.Path)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        bench = Bench(pathlib.Path(folder), arguments)
        if arguments.sizes:
            for size in arguments.sizes:
                for noise in NOISES:
                    bench.simulate(f"--trajectory kooshball --matrix {size} --spokes {size * size * 3 // 5} --noise {noise}")
                    for mode in ("default", "none"):
                        bench.measure(mode, scan=f"kooshball {size}³", size=size, noise=noise)
            return
        for scan, options in (VOLUMES if arguments.volumes else SCANS).items():
            if arguments.only in scan:
                bench.simulate(options)
                for mode in MODES:
                    bench.measure(mode, scan=scan)


if __name__ == "__main__":
    main()
