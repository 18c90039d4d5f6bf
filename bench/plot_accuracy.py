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
import matplotlib.ticker  # noqa: E402

MARKERS = {"forward": "o", "adjoint": "s", "type 3": "D"}


def label(row):
    return f"{row['problem']}, {row['precision']}"


def accuracy(rows, path):
    """The tolerance that Larmor was given (tightened if FINUFFT's error was smaller) and the error that it reached."""
    figure, (left, right) = plt.subplots(1, 2, figsize=(10, 4.6), sharey=True)
    for axes, library in ((left, "larmor"), (right, "finufft")):
        for name in sorted({label(row) for row in rows if not row["problem"].startswith("clustered")}):
            for direction in MARKERS:
                chosen = sorted({(row["larmor_tolerance"] if library == "larmor" else row["tolerance"],
                                  row[f"{library}_error"]) for row in rows
                                 if label(row) == name and row["direction"] == direction})
                if chosen:
                    axes.loglog(*zip(*chosen), marker=MARKERS[direction], markersize=3, linewidth=0.8,
                                label=f"{name}, {direction}")
        axes.loglog([1e-12, 1e-2], [1e-12, 1e-2], color="black", linewidth=0.8, linestyle="--")
        axes.set_xlabel("tolerance asked for")
        axes.set_title("Larmor" if library == "larmor" else "FINUFFT, each at its own rounding of the points",
                       fontsize=9)
        axes.grid(True, linewidth=0.3)
    left.set_ylabel("relative l2 error against exact sums")
    handles, labels = left.get_legend_handles_labels()
    figure.legend(handles, labels, fontsize=5.5, loc="center left", bbox_to_anchor=(0.8, 0.5))
    figure.tight_layout(rect=(0, 0, 0.8, 1))
    figure.savefig(path, dpi=110)


def speed(rows, data, path):
    names = sorted({(label(row), row["direction"]) for row in rows}, reverse=True)
    threads = sorted({row["threads"] for row in rows})
    figure, all_axes = plt.subplots(1, len(threads), figsize=(3.5 + 3 * len(threads), 1.2 + 0.19 * len(names)),
                                    sharey=True, squeeze=False)
    for axes, count in zip(all_axes[0], threads):
        for position, (name, direction) in enumerate(names):
            chosen = [row for row in rows
                      if (label(row), row["direction"], row["threads"]) == (name, direction, count)]
            points = axes.scatter([row["ratio"] for row in chosen], [position] * len(chosen),
                                  c=[row["tolerance"] for row in chosen],
                                  norm=matplotlib.colors.LogNorm(1e-12, 1e-2), cmap="viridis", s=14)
        axes.axvline(1, color="black", linewidth=0.8, linestyle="--")
        axes.set_xscale("log")
        axes.set_xticks([0.5, 1, 2, 4, 8, 16], ["0.5", "1", "2", "4", "8", "16"])
        axes.xaxis.set_minor_locator(matplotlib.ticker.NullLocator())
        axes.set_yticks(range(len(names)), [f"{name}, {direction}" for name, direction in names], fontsize=6)
        axes.set_title(f"{count} thread{'s' if count > 1 else ''}", fontsize=8)
        axes.grid(True, axis="x", which="both", linewidth=0.3)
    figure.supxlabel(f"{data['clock']} time of FINUFFT {data['finufft']} over Larmor's, {data['processor']}, "
                     f"{data['date']}", fontsize=8, y=-0.02)
    figure.colorbar(points, ax=all_axes[0].tolist(), label="tolerance")
    figure.savefig(path, dpi=110, bbox_inches="tight")


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
