#!/usr/bin/env python3
"""Measured scans, reconstructed without and with a correction or in another way.

Needs Python with numpy, bart (trajectories, and its own image of two bands), and a folder with
  kMB1_bottom_SP29, kMB1_top_SP29, kMB2_ga_SP29  .cfl and .hdr, Supporting_Figure_S1 of mrirecon/sms-nlinv
  kMB1_bottom_SP69, kMB1_top_SP69                .cfl and .hdr, Supporting_Figure_S3 of it
  bench/measured_corrections.py build/cpu/apps/recon FOLDER --json bench/results/measured_corrections.json
"""
import argparse
import json
import os
import pathlib
import re
import subprocess
import tempfile

import numpy as np

from cfl import read_cfl, write_cfl
from conditions import conditions
from corrections import Bench

SAMPLES, MATRIX, CHANNELS = 384, 192, 16
DELAYS = "-0.614225:-0.651670:-0.000881"  # of the authors' scripts
SLICES = ("top", "bottom")  # in the order of the bands
SIGNS = np.array([1, -1])  # of the second band, by phase of the bands


def write_kspace(path, kspace):
    """[samples, spokes, channels(, phases of the bands)]"""
    samples, spokes, channels, *phases = kspace.shape
    write_cfl(path, kspace.T, [1, samples, spokes, channels, *[1] * 9, *phases])


def difference(image, reference):
    """NRMSE of magnitudes, with the best factor."""
    image, reference = np.abs(image), np.abs(reference)
    return float(np.linalg.norm(image * np.vdot(image, reference) / np.vdot(image, image) - reference) / np.linalg.norm(reference))


def signals(images, trajectory):
    """Exact Fourier sums of images [channels, y, x] along spokes [x y z, samples, spokes], [samples, spokes, channels]."""
    pixels = np.arange(MATRIX) - MATRIX // 2
    found = []
    for spoke in trajectory.real.transpose(2, 1, 0) / MATRIX:
        along_x, along_y = (np.exp(-2j * np.pi * np.outer(spoke[:, axis], pixels)) for axis in (0, 1))
        found.append(np.einsum("cys,sy->sc", images @ along_x.T, along_y))
    return np.stack(found, 1)


def projections(kspace):
    return np.fft.fftshift(np.fft.fft(np.fft.ifftshift(kspace, axes=0), axis=0, norm="ortho"), axes=0)


class Noise:
    """Noise of the samples: that of the projections beside the object, where the receiver's filter is flat. At
    the edges of the projections it is almost three times weaker."""

    def __init__(self, kspace, seed):
        beside = np.r_[80:98, SAMPLES - 98:SAMPLES - 80]
        spectrum = projections(kspace)
        noise = np.moveaxis(spectrum[beside], 2, -1).reshape(-1, CHANNELS)
        self.covariance = noise.T @ noise.conj() / len(noise)
        power = (np.abs(spectrum) ** 2).mean((1, 2, 3)) / np.trace(self.covariance).real * CHANNELS
        self.filter = np.sqrt(np.where(np.abs(np.arange(SAMPLES) - SAMPLES // 2) < 100, 1, np.minimum(power, 1)))
        self.random = np.random.default_rng(seed)

    def added_to(self, kspace):
        shape = np.moveaxis(kspace, 2, -1).shape
        white = (self.random.standard_normal(shape) + 1j * self.random.standard_normal(shape)) / np.sqrt(2)
        noise = np.moveaxis(white @ np.linalg.cholesky(self.covariance).T, -1, 2)
        shaped = np.fft.ifftshift(projections(noise) * self.filter.reshape(-1, *[1] * (kspace.ndim - 1)), axes=0)
        return kspace + np.fft.fftshift(np.fft.ifft(shaped, axis=0, norm="ortho"), axes=0)


class Bands:
    """Two slices of 29 spokes, excited one at a time and together with golden angles from phase to phase of the bands."""

    def __init__(self, folder, bench):
        self.bench, self.out = bench, bench.folder
        self.single = {n: [read_cfl(folder / f"kMB1_{name}_SP{n}").T for name in SLICES] for n in (29, 69)}
        self.double = read_cfl(folder / "kMB2_ga_SP29").T
        self.spokes = {"29": self.trajectory("29", 29), "69": self.trajectory("69", 69), "bands": self.trajectory("bands", 29, "-m", "2", "-g")}

    def bart(self, *words):
        subprocess.run(["bart", *map(str, words)], cwd=self.out, check=True, capture_output=True,
                       env={**os.environ, "BART_COMPAT_VERSION": "v0.4.03"})

    def trajectory(self, name, spokes, *options):
        """Readouts are sampled twice as densely as the field of view requires."""
        self.bart("traj", "-x", SAMPLES, "-y", spokes, "-t", 1, *(options or ("-m", "1")), "-D", "-q", DELAYS, name)
        points = read_cfl(self.out / name).T / 2
        write_cfl(self.out / name, points.T, [3, SAMPLES, spokes, *[1] * 10, *points.shape[3:]])
        return points

    def image(self, name, trajectory, *options):
        self.bench.made("run", "--kspace", f"{name}.cfl", "--trajectory", f"{trajectory}.cfl", "--matrix", MATRIX, "-o", "image.npy",
                        "--complex", *options)
        return np.load(self.out / "image.npy").squeeze()

    def alone(self, kspace, trajectory, *options):
        """The image of one slice and its coil maps."""
        write_kspace(self.out / "alone", kspace)
        self.bench.made("maps", "--kspace", "alone.cfl", "--trajectory", f"{trajectory}.cfl", "--matrix", MATRIX, "-o", "maps.npy", *options)
        return self.image("alone", trajectory, *options), np.load(self.out / "maps.npy").squeeze()

    def together(self, kspace, maps):
        write_kspace(self.out / "together", kspace)
        np.save(self.out / "bands.npy", np.stack(maps))
        return self.image("together", "bands", "--bands", 2, "--maps", "bands.npy")

    def by_bart(self, maps, references):
        """Differences of the best of seven weights."""
        write_kspace(self.out / "together", self.double)
        write_cfl(self.out / "given", np.stack(maps), [MATRIX, MATRIX, 1, CHANNELS, *[1] * 9, 2])
        found = []
        for weight in 10.0 ** np.arange(-5, -1.5, 0.5):
            self.bart("pics", "-M", "-S", "-R", f"Q:{weight}", "-t", "bands", "together", "given", "image")
            images = read_cfl(self.out / "image")
            found.append([difference(*pair) for pair in zip(images, references)])
        return min(found, key=sum)

    def simulated(self):
        """Scans of both kinds of the images of 69 spokes, with measured noise and the measured factor of each spoke."""
        noise = Noise(self.double, 1)
        objects = [image * maps for image, maps in (self.alone(kspace, "69", "--readout-phase", "auto") for kspace in self.single[69])]
        alone, bands = [], np.zeros_like(self.double)
        for measured, coils in zip(self.single[29], objects):
            exact = signals(coils, self.spokes["29"])
            alone.append(noise.added_to(exact * (np.sum(exact.conj() * measured, (0, 2)) / np.sum(np.abs(exact) ** 2, (0, 2)))[:, None]))
        for phase in (0, 1):
            exact = np.stack([signals(coils, self.spokes["bands"][..., phase]) for coils in objects])
            exact[1] *= SIGNS[phase]
            for spoke in range(exact.shape[2]):
                columns = exact[:, :, spoke].reshape(2, -1).T
                measured = self.double[:, spoke, :, phase]
                bands[:, spoke, :, phase] = (columns @ np.linalg.lstsq(columns, measured.ravel(), rcond=None)[0]).reshape(measured.shape)
        return alone, noise.added_to(bands)

    def differences(self, alone, together):
        """Of the images of two bands from those of single slices with the same number of spokes, with their coil maps."""
        images, maps = zip(*(self.alone(kspace, "29") for kspace in alone))
        return [difference(*pair) for pair in zip(self.together(together, maps), images)]

    def rows(self):
        references, maps = zip(*(self.alone(kspace, "69") for kspace in self.single[69]))
        few = [difference(self.alone(kspace, "29")[0], reference) for kspace, reference in zip(self.single[29], references)]
        found = [difference(*pair) for pair in zip(self.together(self.double, maps), references)]
        peer = self.by_bart(maps, references)
        measured = self.differences(self.single[29], self.double)
        expected = self.differences(*self.simulated())
        for band in (0, 1):
            name = "Siemens, two bands of 29 spokes at golden angles, slice " if band == 0 else "slice "
            yield (f"{name}{band + 1}", "difference from the image of 69 spokes of one band, with its coil maps; without: 29 spokes of "
                   f"one band. `bart pics -M -R Q`, best of seven λ: {100 * peer[band]:.1f} %", few[band], found[band])
        for band in (0, 1):
            yield (f"the same, slice {band + 1}", "difference from the image of 29 spokes of one band, with its coil maps; without: the same "
                   "of scans simulated from the images of 69 spokes, with the measured noise and phases of spokes", expected[band], measured[band])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("recon", type=pathlib.Path)
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--json", type=pathlib.Path)
    arguments = parser.parse_args()
    found = []
    with tempfile.TemporaryDirectory() as folder:
        bench = Bench(pathlib.Path(folder), arguments)
        for scan, figure, without, corrected in Bands(arguments.folder, bench).rows():
            found.append({"scan": scan, "figure": figure, "without": f"{100 * without:.1f} %", "corrected": f"{100 * corrected:.1f} %"})
            print(found[-1], flush=True)
    if arguments.json:
        version = re.search(r"\d[\d.]*", subprocess.run(["bart", "version"], capture_output=True, text=True).stdout)
        arguments.json.write_text(json.dumps({**conditions(), "bart": version[0] if version else "", "rows": found}, indent=1,
                                             ensure_ascii=False) + "\n")


if __name__ == "__main__":
    main()
