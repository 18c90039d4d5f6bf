#!/usr/bin/env python3
"""Scans of recon simulate that have an error of physics, reconstructed without and with its correction.

Errors are NRMSEs of magnitudes relative to the true image, by recon compare, unless a row says otherwise. Lag is the
response of gradients that are delayed by 1 and 2 samples, response that of a low-pass filter of 20 kHz with a uniform
field caused by the x gradient, cross the same with a field of the y gradient and 3 % of each gradient along the other
axis, own its first part alone, eddy that of delays with uniform fields caused by both gradients, and motion that of
recipe 26.

Needs Python with numpy.
  bench/corrections.py build/cpu/apps/recon --json bench/results/corrections.json
"""
import argparse
import json
import pathlib
import subprocess
import tempfile

import numpy as np

from conditions import conditions

HALF = "--matrix 128 --noise 0.01 --partial-fourier"
RADIAL, LINES = f"--trajectory radial --spokes 144 {HALF}", f"--trajectory cartesian {HALF}"
PHASES = "--object phases"  # parts of the object differ in phase
MOVING = "--trajectory radial --matrix 128 --spokes 192 --motion motion.npy --maps maps.npy"
TUBES = "spin-echo:TE=15:echoes=16"

# scan, options of recon simulate, options without correction, options with it
ROWS = [
    *((f"{kind}, {100 * part:.0f} % half echoes, {name}", f"{scan} {part} {phase}", "", f"--phase-constraint {choice}")
      for kind, scan in (("radial", RADIAL), ("lines", LINES)) for part in (0.6, 0.55)
      for name, phase in (("smooth phase", "--phase 1.5"), ("other phase", PHASES)) for choice in ("on", "auto")),
    ("delayed gradients", "--trajectory radial --matrix 128 --spokes 128 --gradient-response lag.npy", "", "--delay auto"),
    *(("delayed gradients with eddy phase", "--trajectory radial --matrix 128 --spokes 128 --gradient-response eddy.npy", "", options)
      for options in ("--delay auto", "--delay auto --readout-phase auto", "--gradient-response eddy.npy")),
    ("response of gradients", "--trajectory spiral --matrix 128 --interleaves 12 --gradient-response response.npy", "",
     "--gradient-response response.npy"),
    *(("response of gradients with cross terms", "--trajectory spiral --matrix 128 --interleaves 12 --gradient-response cross.npy", "",
       f"--gradient-response {name}.npy") for name in ("own", "cross")),
    ("off-resonance, ±100 Hz", "--trajectory spiral --matrix 96 --interleaves 8 --coils 4 --field 100", "",
     "--field-map field.h5"),
    ("rigid motion, 16 shots", MOVING, "--maps maps.npy", "--maps maps.npy --motion motion.npy"),
    ("rigid motion, 16 shots", MOVING, "--maps maps.npy", "--maps maps.npy --motion auto:16"),
    ("two bands, 144 spokes", "--trajectory radial --matrix 128 --spokes 144 --bands 2", None, "--band-phases caipi:2"),
    ("two bands, lines", "--trajectory cartesian --matrix 128 --bands 2 --references", None, "--band-phases caipi:2"),
]


def inputs(folder):
    f = np.linspace(-2e5, 2e5, 401)
    np.save(folder / "lag.npy", [f, np.exp(-2j * np.pi * f * 2.5e-6), np.exp(-2j * np.pi * f * 5e-6)])
    f = np.linspace(-2e5, 2e5, 4001)
    response = np.zeros((13, 4001), complex)
    response[0], response[[2, 7, 12]], response[1] = f, 1 / (1 + 1j * f / 2e4), 0.02j * f / (2e3 + 1j * f)
    np.save(folder / "response.npy", response)
    own, cross = np.concatenate([response[:1].real, response[[2, 7]]]), response.copy()
    cross[[3, 6]], cross[5] = 0.03 / (1 + 1j * f / 2e3), -cross[1] / 2
    np.save(folder / "own.npy", own)
    np.save(folder / "cross.npy", cross)
    eddy = np.zeros((13, 4001), complex)
    eddy[0], eddy[12], eddy[1] = f, 1, 5e-4j * f / (2e3 + 1j * f)
    eddy[2], eddy[7], eddy[5] = np.exp(-2j * np.pi * f * 2.5e-6), np.exp(-2j * np.pi * f * 5e-6), -eddy[1] / 2
    np.save(folder / "eddy.npy", eddy)
    motion = np.zeros((16, 6))
    motion[:, :2], motion[:, 5] = 4 * np.sin(np.arange(32).reshape(16, 2)), 5 * np.cos(np.arange(16))
    np.save(folder / "motion.npy", motion)


class Bench:
    def __init__(self, folder, arguments):
        self.folder, self.arguments, self.scan = folder, arguments, None

    def call(self, *words):
        done = subprocess.run([self.arguments.recon.resolve(), *map(str, words)], cwd=self.folder, capture_output=True, text=True)
        if done.returncode:
            raise RuntimeError(f"{' '.join(map(str, words))}: {done.stderr}")
        return done.stdout

    def made(self, *words):
        return self.call(*words, "--overwrite", "--quiet", "--threads", str(self.arguments.threads))

    def error(self, options, scan=("scan.h5",)):
        if options is None:
            return float("nan")
        self.made("run", *scan, "-o", "image.npy", *options.split())
        return self.compared()

    def compared(self):
        return json.loads(self.call("compare", "image.npy", "truth.npy", "--magnitude", "--json"))["nrmse"]

    def rows(self):
        self.made("simulate", "echoes.h5", *"--trajectory cartesian --matrix 64 --coils 4 --field 100 --echo-times 1,3".split())
        self.made("fieldmap", "echoes.h5", "-o", "field.h5")
        for scan, simulated, without, corrected in ROWS:
            if simulated != self.scan:
                self.made("simulate", "scan.h5", "--truth", "truth.npy", *simulated.split())
                before, self.scan = self.error(without), simulated
            yield {"scan": scan, "simulate": simulated, "without": before, "options": corrected,
                   "corrected": self.error(corrected)}
        yield self.train()
        yield self.field()
        yield self.match()

    def train(self):
        """An echo train; without: from arrays, which have no navigators."""
        options = "--trajectory cartesian --matrix 96 --echo-train 0.8,0.6"
        self.made("simulate", "scan.h5", "--truth", "truth.npy", *options.split())
        self.made("convert", "scan.h5", "-o", "k.npy", "--trajectory-output", "t.npy")
        return {"scan": "echo train, eddy currents", "simulate": options,
                "without": self.error("", ["--kspace", "k.npy", "--trajectory", "t.npy", "--matrix", "96"]),
                "options": "navigators", "corrected": self.error("")}

    def field(self):
        """Median error of a field map within the object, in Hz; without: its median magnitude."""
        options = "--trajectory cartesian --matrix 128 --coils 8 --field 150 --echo-times 1,3 --noise 0.05"
        self.made("simulate", "echoes.h5", "--field-map", "true.npy", "--truth", "truth.npy", *options.split())
        self.made("fieldmap", "echoes.h5", "-o", "found.npy")
        found, true = (np.load(self.folder / name).squeeze() for name in ("found.npy", "true.npy"))
        truth = np.abs(np.load(self.folder / "truth.npy")).reshape(-1, *true.shape)[0]
        inside = truth > 0.1 * truth.max()
        return {"scan": "field map of two echoes, ±150 Hz: median error in Hz", "simulate": options,
                "without": float(np.median(np.abs(true[inside]))), "options": "recon fieldmap",
                "corrected": float(np.median(np.abs(found - true)[inside]))}

    def match(self):
        """Median relative error of T2 within the tubes, relative to that of the true echoes."""
        options = f"--trajectory radial --matrix 96 --spokes 384 --signal {TUBES}"
        dictionary = f"--dictionary {TUBES} --coefficients 3"
        self.made("simulate", "tubes.h5", "--truth", "echoes.npy", *options.split())
        self.made("run", "tubes.h5", "-o", "coefficients.npy", "--complex", *dictionary.split())
        self.made("match", "coefficients.npy", "-o", "found.npy", "--mask", "0.1", *dictionary.split())
        self.made("match", "echoes.npy", "-o", "exact.npy", "--mask", "0.1", "--dictionary", TUBES)
        found, exact = (np.load(self.folder / f"{name}-T2.npy").squeeze() for name in ("found", "exact"))
        inside = (exact > 0) & (found > 0)
        return {"scan": "T2 of 16 echoes: median relative error", "simulate": options, "without": float("nan"),
                "options": f"{dictionary}, recon match",
                "corrected": float(np.median(np.abs(found - exact)[inside] / exact[inside]))}


def shortened(value):
    return value if isinstance(value, str) else None if value != value else float(f"{value:.4g}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("recon", type=pathlib.Path)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--json", type=pathlib.Path)
    arguments = parser.parse_args()
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        inputs(pathlib.Path(folder))
        for row in Bench(pathlib.Path(folder), arguments).rows():
            print(f"{row['scan']}: {row['without']:.4f} -> {row['corrected']:.4f}  {row['options']}", flush=True)
            rows.append({name: shortened(value) for name, value in row.items()})
    if arguments.json:
        arguments.json.write_text(json.dumps({**conditions(), "rows": rows}, indent=1, ensure_ascii=False) + "\n")


if __name__ == "__main__":
    main()
