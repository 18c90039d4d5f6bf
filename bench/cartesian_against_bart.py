#!/usr/bin/env python3
"""Real raw data, undersampled at Poisson-disc points of a Cartesian grid: recon run compared with BART's ecalib and
pics.

Both estimate coil maps by ESPIRiT from the same samples and solve with wavelets. BART transforms on the grid; recon
gets the sampled points as a trajectory, without the information that they are on a grid. There is no truth: the
magnitudes of the images are compared inside the head, after scaling by one real factor. recon chooses its weight
itself (wavelet:auto, by generalised cross validation, because there is no noise scan); agreement for given weights is
reported, too.

Needs: bart (Debian package), Python with numpy, scipy, matplotlib and ismrmrd, and the folder with
brain_cartesian_8ch.cfl (BART workshop at the ISMRM 2016).
  bench/cartesian_against_bart.py build/cpu/apps/recon FOLDER --json bench/results/cartesian_against_bart.json \\
      --picture docs/images/cartesian_against_bart.png
"""
import argparse
import datetime
import json
import os
import pathlib
import subprocess
import tempfile
import time

import ismrmrd
import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np
from scipy import ndimage

from cfl import read_cfl

HEADER = """<?xml version="1.0"?>
<ismrmrdHeader xmlns="http://www.ismrm.org/ISMRMRD">
  <acquisitionSystemInformation><receiverChannels>{coils}</receiverChannels></acquisitionSystemInformation>
  <experimentalConditions><H1resonanceFrequency_Hz>123000000</H1resonanceFrequency_Hz></experimentalConditions>
  <encoding>
    <encodedSpace>{space}</encodedSpace><reconSpace>{space}</reconSpace>
    <encodingLimits></encodingLimits><trajectory>other</trajectory>
  </encoding>
</ismrmrdHeader>"""
SPACE = """<matrixSize><x>{nx}</x><y>{ny}</y><z>1</z></matrixSize>
    <fieldOfView_mm><x>{nx}</x><y>{ny}</y><z>1</z></fieldOfView_mm>"""


def write_points(path, kspace):
    """The nonzero samples, line by line, with their trajectory. Returns their number."""
    coils, ny, nx = kspace.shape
    sampled = np.abs(kspace).sum(0) > 0
    file = ismrmrd.Dataset(str(path), "dataset", True)
    file.write_xml_header(HEADER.format(coils=coils, space=SPACE.format(nx=nx, ny=ny)).encode())
    for y in range(ny):
        x = np.nonzero(sampled[y])[0]
        if not x.size:
            continue
        readout = ismrmrd.Acquisition()
        readout.resize(x.size, coils, 2)
        readout.data[:] = kspace[:, y, x]
        readout.traj[:] = np.stack([(x - nx // 2) / nx, np.full(x.size, (y - ny // 2) / ny)], axis=1)
        readout.sample_time_us = 5
        readout.read_dir[:], readout.phase_dir[:], readout.slice_dir[:] = (1, 0, 0), (0, 1, 0), (0, 0, 1)
        readout.idx.kspace_encode_step_1 = y
        file.append_acquisition(readout)
    file.close()
    return int(sampled.sum())


def head_of(image):
    """The largest region above a tenth of the bright tissue, without holes."""
    bright = ndimage.binary_fill_holes(ndimage.binary_opening(image > 0.1 * np.percentile(image, 99)))
    labels, count = ndimage.label(bright)
    return labels == 1 + np.argmax(ndimage.sum(bright, labels, range(1, count + 1)))


def scaled(image, reference, where):
    a, b = image[where].astype(float), reference[where].astype(float)
    return image * (a @ b) / (a @ a)


def nrmse(image, reference, where):
    difference = scaled(image, reference, where)[where] - reference[where]
    return float(np.linalg.norm(difference) / np.linalg.norm(reference[where]))


def draw(path, recon, bart, where, error):
    recon = scaled(recon, bart, where)
    top = np.percentile(bart[where], 99.5)
    figure, axes = plt.subplots(1, 3, figsize=(10.2, 4.7), constrained_layout=True)
    for axis, picture, title in ((axes[0], recon, "recon run, wavelet:auto"), (axes[1], bart, "bart pics, R W"),
                                 (axes[2], 10 * np.abs(recon - bart) * where, "difference on the head × 10")):
        axis.imshow(picture, cmap="gray", vmin=0, vmax=top)
        axis.set_title(title, fontsize=10)
        axis.axis("off")
    figure.suptitle(f"8 channels, Poisson-disc undersampling by 8; NRMSE of the two on the head {error:.3f}",
                    fontsize=10)
    figure.savefig(path, dpi=100)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("recon", type=pathlib.Path)
    parser.add_argument("data", type=pathlib.Path)
    parser.add_argument("--iterations", type=int, default=200)
    parser.add_argument("--bart-weight", type=float, default=0.005)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--json", type=pathlib.Path)
    parser.add_argument("--picture", type=pathlib.Path)
    arguments = parser.parse_args()

    name = arguments.data / "brain_cartesian_8ch.cfl"
    kspace = read_cfl(name)
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        samples = write_points(folder / "scan.h5", kspace)
        environment = dict(os.environ, OMP_NUM_THREADS=str(arguments.threads))

        def run(*command):
            start = time.perf_counter()
            subprocess.run([str(word) for word in command], check=True, cwd=folder, env=environment,
                           stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            return time.perf_counter() - start

        def recon(weight):
            seconds = run(arguments.recon.resolve(), "run", "scan.h5", "-o", "recon.npy", "--regularizer",
                          f"wavelet:{weight}", "--iterations", arguments.iterations, "--threads", arguments.threads,
                          "--overwrite", "--report", "report.json")
            return np.load(folder / "recon.npy").squeeze(), seconds

        given = name.resolve().with_suffix("")
        bart_seconds = run("bart", "ecalib", "-m1", given, "maps")
        bart_seconds += run("bart", "pics", "-S", "-e", "-R", f"W:6:0:{arguments.bart_weight}", "-i",
                            arguments.iterations, given, "maps", "bart")
        bart = np.abs(read_cfl(folder / "bart"))
        head = head_of(bart)
        automatic, auto_seconds = recon("auto")
        report = json.loads((folder / "report.json").read_text())
        error = nrmse(automatic, bart, head)
        by_weight = {weight: nrmse(recon(weight)[0], bart, head) for weight in (5e-4, 1e-3, 2e-3, 4e-3, 8e-3)}
    print(f"{samples} points; head {head.mean():.1%} of the image; wavelet:auto ({report['lambda']:.2e}) against "
          f"bart W:{arguments.bart_weight:g}: NRMSE {error:.4f} on the head")
    print("by weight: " + ", ".join(f"{weight:g}: {value:.4f}" for weight, value in by_weight.items()))
    if arguments.picture:
        draw(arguments.picture, automatic, bart, head, error)
    if arguments.json:
        text = lambda command: subprocess.run(command, capture_output=True, text=True).stdout.strip()
        root = str(pathlib.Path(__file__).parent)
        arguments.json.write_text(json.dumps({
            "benchmark": "brain_cartesian_8ch, samples as points, own coil maps",
            "date": datetime.date.today().isoformat(),
            "commit": text(["git", "-C", root, "rev-parse", "--short", "HEAD"]),
            "versions": {"recon": text([str(arguments.recon), "--version"]), "bart": text(["bart", "version"])},
            "points": samples, "iterations": arguments.iterations,
            "weight": {"recon auto": report["lambda"], "bart": arguments.bart_weight},
            "nrmse_on_head": error, "nrmse_on_head_by_weight": by_weight,
            "seconds": {"recon auto": auto_seconds, "bart": bart_seconds}}, indent=2) + "\n")


if __name__ == "__main__":
    main()
