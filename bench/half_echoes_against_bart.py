#!/usr/bin/env python3
"""Cartesian half echoes with true coil maps: without a phase constraint, with it, chosen, and by BART's homodyne.

Needs Python with numpy. Without --bart, BART's column is empty.
  bench/half_echoes_against_bart.py build/cpu/apps/recon --bart bart --json bench/results/half_echoes_against_bart.json
"""
import argparse
import json
import pathlib
import subprocess
import tempfile

import numpy as np

from cfl import read_cfl, write_cfl
from conditions import conditions
from corrections import LINES, PHASES, Bench


def transformed(transform, array):
    return np.fft.fftshift(transform(np.fft.ifftshift(array, axes=(-2, -1)), norm="ortho"), axes=(-2, -1))


def flipped(array):
    """k to -k, or y to -y, of an even number of lines."""
    return np.roll(array[::-1], 1, axis=0)


def homodyne(folder, bart):
    """BART expects the first lines: the image is turned upside down and back. Its first line, -k of the last one that was
    sampled, is then empty and counts."""
    kspace, trajectory, maps = (np.load(folder / name) for name in ("k.npy", "t.npy", "maps.npy"))
    size = maps.shape[-1]
    grid = np.zeros(maps.shape, complex)
    grid[:, np.rint(trajectory[:, 0, 1] * size).astype(int) + size // 2] = kspace
    combined = (maps.conj() * transformed(np.fft.ifft2, grid)).sum(0) / (np.abs(maps) ** 2).sum(0).clip(1e-12)
    write_cfl(folder / "lines", flipped(transformed(np.fft.fft2, combined)), [size, size])
    subprocess.run([bart, "homodyne", "-C", "1", str((len(trajectory) + 1) / size), "lines", "image"], cwd=folder, check=True)
    np.save(folder / "image.npy", flipped(read_cfl(folder / "image")))


def rows(bench, bart):
    for part in (0.6, 0.55):
        for name, phase in (("smooth", "--phase 1.5"), ("other", PHASES)):
            bench.made("simulate", "scan.h5", "--truth", "truth.npy", "--maps", "maps.npy", *f"{LINES} {part} {phase}".split())
            row = {"sampled": f"{100 * part:.0f} %", "phase": name, "homodyne": float("nan")}
            for column, choice in (("default", "off"), ("on", "on"), ("auto", "auto")):
                row[column] = bench.error(f"--maps maps.npy --phase-constraint {choice}")
            if bart:
                bench.made("convert", "scan.h5", "-o", "k.npy", "--trajectory-output", "t.npy")
                homodyne(bench.folder, bart)
                row["homodyne"] = bench.compared()
            yield row


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("recon", type=pathlib.Path)
    parser.add_argument("--bart")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--json", type=pathlib.Path)
    arguments = parser.parse_args()
    found = []
    with tempfile.TemporaryDirectory() as folder:
        for row in rows(Bench(pathlib.Path(folder), arguments), arguments.bart):
            found.append({name: round(value, 4) if isinstance(value, float) else value for name, value in row.items()})
            print(found[-1], flush=True)
    if arguments.json:
        version = subprocess.run([arguments.bart, "version"], capture_output=True, text=True).stdout if arguments.bart else ""
        arguments.json.write_text(json.dumps({**conditions(), "bart": version.strip().lstrip("v"), "rows": found}, indent=1) + "\n")


if __name__ == "__main__":
    main()
