#!/usr/bin/env python3
"""CG-SENSE of a radial scan, whole command against whole command: recon run and BART's pics.

Both get the same data, coil maps and number of iterations, run alternately, and are compared by the median of the
wall times and the NRMSE (after scaling by one complex factor) relative to the true image. BART gets whitened samples
and maps; recon whitens by itself, so its time includes that and the reading of the ISMRMRD file.

Needs: bart (Debian package), Python with numpy and h5py, and the folder with brain_radial.h5 and brain_truth.npz.
  bench/sense_against_bart.py build/cpu/apps/recon ../shared/data --json bench/results/sense_against_bart.json
"""
import argparse
import datetime
import json
import os
import pathlib
import platform
import statistics
import subprocess
import tempfile
import time

import h5py
import numpy as np

from cfl import write_cfl


def whitened(scan, maps):
    """Samples [coils, spokes, samples], trajectory [spokes, samples, 3] in cycles per field of view, maps."""
    with h5py.File(scan) as file:
        records = file["dataset/data"][:]
    noise_flag, skipped = 1 << 18, sum(1 << (n - 1) for n in (19, 20, 23, 24, 26, 27, 28, 29, 30, 31))
    image, noise = [], []
    for record in records:
        head = record["head"]
        channels = int(head["active_channels"])
        data = np.asarray(record["data"]).view(np.complex64).reshape(channels, -1)
        if head["flags"] & noise_flag:
            noise.append((data, float(head["sample_time_us"])))
        elif not head["flags"] & skipped:
            image.append((data, np.asarray(record["traj"]).reshape(data.shape[1], -1), float(head["sample_time_us"])))
    samples = np.stack([data for data, _, _ in image], axis=1).astype(np.complex128)
    noise_samples = np.concatenate([data for data, _ in noise], axis=1).astype(np.complex128)
    covariance = noise_samples @ noise_samples.conj().T / (noise_samples.shape[1] - 1)
    with h5py.File(scan) as file:
        xml = file["dataset/xml"][0]
    xml = xml.decode() if isinstance(xml, bytes) else xml
    tag = "relativeReceiverNoiseBandwidth>"
    bandwidth = float(xml.split(tag)[1].split("<")[0]) if tag in xml else 0.793
    factor = image[0][2] / noise[0][1] * bandwidth
    whitener = np.linalg.inv(np.linalg.cholesky(covariance)) * np.sqrt(factor)
    n, dims = maps.shape[-1], maps.ndim - 1
    trajectory = np.zeros((len(image), image[0][1].shape[0], 3))
    trajectory[..., :dims] = np.stack([k[:, :dims] for _, k, _ in image]) * n
    return (np.tensordot(whitener, samples, 1), trajectory, np.tensordot(whitener, maps.astype(np.complex128), 1))


def nrmse(image, truth):
    image = np.asarray(image).ravel().astype(np.complex128)
    truth = truth.ravel().astype(np.complex128)
    scale = np.vdot(image, truth) / np.vdot(image, image)
    return float(np.linalg.norm(scale * image - truth) / np.linalg.norm(truth))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("recon", type=pathlib.Path)
    parser.add_argument("data", type=pathlib.Path)
    parser.add_argument("--iterations", type=int, default=30)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--runs", type=int, default=9)
    parser.add_argument("--json", type=pathlib.Path)
    arguments = parser.parse_args()

    scan = arguments.data / "brain_radial.h5"
    truth = np.load(arguments.data / "brain_truth.npz")
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        samples, trajectory, maps = whitened(scan, truth["maps"])
        coils, spokes, length = samples.shape
        n = maps.shape[-1]
        write_cfl(folder / "samples", samples, [1, length, spokes, coils])
        write_cfl(folder / "trajectory", trajectory, [3, length, spokes])
        write_cfl(folder / "maps", maps, [n, n, 1, coils])
        np.save(folder / "maps.npy", truth["maps"])
        environment = dict(os.environ, OMP_NUM_THREADS=str(arguments.threads))
        commands = {
            "recon": [arguments.recon.resolve(), "run", scan.resolve(), "-o", folder / "recon.npy", "--complex",
                      "--maps", folder / "maps.npy", "--iterations", str(arguments.iterations), "--tolerance", "0",
                      "--threads", str(arguments.threads), "--overwrite", "--quiet"],
            "bart pics": ["bart", "pics", "-l2", "-r0", "-S", "-i", str(arguments.iterations), "-t",
                          folder / "trajectory", folder / "samples", folder / "maps", folder / "bart"],
        }
        walls = {name: [] for name in commands}
        for run in range(arguments.runs + 1):  # the first run warms up caches
            for name, command in commands.items():
                start = time.perf_counter()
                subprocess.run([str(word) for word in command], check=True, env=environment, cwd=folder,
                               stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
                if run > 0:
                    walls[name].append(time.perf_counter() - start)
        images = {"recon": np.load(folder / "recon.npy"),
                  "bart pics": np.fromfile(folder / "bart.cfl", np.complex64).reshape(n, n)}
    bart_version = subprocess.run(["bart", "version"], capture_output=True, text=True).stdout.strip()
    version = subprocess.run([arguments.recon, "--version"], capture_output=True, text=True).stdout.strip()
    commit = subprocess.run(["git", "rev-parse", "--short", "HEAD"], capture_output=True, text=True,
                            cwd=pathlib.Path(__file__).parent).stdout.strip()
    processor = next((line.split(":")[1].strip() for line in open("/proc/cpuinfo") if line.startswith("model name")),
                     platform.machine())
    result = {
        "benchmark": "CG-SENSE, brain_radial.h5, whole command",
        "date": datetime.date.today().isoformat(), "commit": commit, "processor": processor,
        "threads": arguments.threads, "iterations": arguments.iterations, "runs": arguments.runs,
        "versions": {"recon": version, "bart": bart_version},
        "median_seconds": {name: statistics.median(values) for name, values in walls.items()},
        "min_seconds": {name: min(values) for name, values in walls.items()},
        "max_seconds": {name: max(values) for name, values in walls.items()},
        "nrmse": {name: nrmse(image, truth["image"]) for name, image in images.items()},
    }
    result["ratio_bart_to_recon"] = statistics.median(
        b / a for a, b in zip(walls["recon"], walls["bart pics"]))
    for name in commands:
        print(f"{name:10s} median {result['median_seconds'][name]:.3f} s "
              f"({result['min_seconds'][name]:.3f} to {result['max_seconds'][name]:.3f}), "
              f"NRMSE {result['nrmse'][name]:.4f}")
    print(f"bart / recon, median of pairs: {result['ratio_bart_to_recon']:.2f}")
    if arguments.json:
        arguments.json.write_text(json.dumps(result, indent=2) + "\n")


if __name__ == "__main__":
    main()
