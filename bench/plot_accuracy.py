#!/usr/bin/env python3
"""Plots of bench/nufft_against_finufft.py's JSON: achieved error against tolerance, and speed beside FINUFFT.

Needs: Python with matplotlib.
  bench/plot_accuracy.py bench/results/nufft_against_finufft.json docs/images
"""
import argparse
import json
import pathlib

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt  # noqa: E402


def label(row):
    return f"{row['problem']}, {row.get('precision', 'float')}"


def accuracy(rows, path):
    figure, axes = plt.subplots(figsize=(7, 5))
    for name in sorted({label(row) for row in rows}):
        chosen = sorted((row["tolerance"], row["larmor_error"]) for row in rows
                        if label(row) == name and row["direction"] == "forward")
        axes.loglog(*zip(*chosen), marker="o", markersize=3, linewidth=1, label=name)
    ends = [min(row["tolerance"] for row in rows), max(row["tolerance"] for row in rows)]
    axes.loglog(ends, ends, color="black", linewidth=0.8, linestyle="--", label="error = tolerance")
    axes.set_xlabel("tolerance asked for")
    axes.set_ylabel("relative l2 error against exact sums")
    axes.grid(True, linewidth=0.3)
    axes.legend(fontsize=7)
    figure.tight_layout()
    figure.savefig(path, dpi=150)


def speed(rows, data, path):
    figure, axes = plt.subplots(figsize=(8, 0.8 + 0.3 * len({label(row) for row in rows}) * 2))
    names = sorted({(label(row), row["direction"]) for row in rows}, reverse=True)
    for position, (name, direction) in enumerate(names):
        chosen = [row for row in rows if (label(row), row["direction"]) == (name, direction)]
        points = axes.scatter([row["ratio"] for row in chosen], [position] * len(chosen),
                              c=[row["tolerance"] for row in chosen], norm=matplotlib.colors.LogNorm(1e-12, 1e-2),
                              cmap="viridis", s=18)
    axes.axvline(1, color="black", linewidth=0.8, linestyle="--")
    axes.set_xscale("log")
    axes.set_yticks(range(len(names)), [f"{name}, {direction}" for name, direction in names], fontsize=7)
    axes.set_xlabel(f"time of FINUFFT {data['finufft']} over Larmor's, {data['threads']} threads, {data['processor']}")
    axes.grid(True, axis="x", which="both", linewidth=0.3)
    figure.colorbar(points, label="tolerance")
    figure.tight_layout()
    figure.savefig(path, dpi=150)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("json", type=pathlib.Path)
    parser.add_argument("folder", type=pathlib.Path)
    arguments = parser.parse_args()
    data = json.loads(arguments.json.read_text())
    arguments.folder.mkdir(parents=True, exist_ok=True)
    accuracy(data["rows"], arguments.folder / "nufft_accuracy.png")
    speed(data["rows"], data, arguments.folder / "nufft_speed.png")


if __name__ == "__main__":
    main()
