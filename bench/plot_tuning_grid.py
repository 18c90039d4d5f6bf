#!/usr/bin/env python3
"""Plots the grid of cases of bench_tuning and prints it as a table: speed-up over a fixed oversampling of 2.

usage: plot_tuning_grid.py RESULT.json PICTURE.png
"""
import json
import sys

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np

with open(sys.argv[1]) as file:
    result = json.load(file)
cases = result["cases"]


def values(key):
    return list(dict.fromkeys(case[key] for case in cases))


ways = (("oversampling_1.25", "σ = 1.25", "tab:grey"), ("default", "the plan's own choice", "tab:blue"),
        ("tuned", "tuned", "tab:orange"))
sizes = values("size")
figure, axes = plt.subplots(2, len(values("trajectory")), figsize=(13, 6), sharey=True, constrained_layout=True)
print("| trajectory | ε | R | " + " | ".join(label for _, label, _ in ways) + " | chosen: method, σ, width |")
print("|---|---|---|" + "---|" * (len(ways) + 1))
for row, tolerance in zip(axes, values("tolerance")):
    for axis, trajectory in zip(row, values("trajectory")):
        accelerations = values("acceleration")
        for i, (way, label, colour) in enumerate(ways):
            found = [[c[way]["speed_up"] for c in cases if c["trajectory"] == trajectory and c["tolerance"] == tolerance
                      and c["acceleration"] == R] for R in accelerations]
            mean = [np.exp(np.mean(np.log(f))) for f in found]
            spread = [[m - min(f) for m, f in zip(mean, found)], [max(f) - m for m, f in zip(mean, found)]]
            axis.bar(np.arange(len(accelerations)) + 0.27 * (i - 1), mean, 0.25, yerr=spread, color=colour, label=label,
                     error_kw={"lw": 0.8})
        axis.axhline(1, color="k", lw=0.6)
        axis.set_xticks(range(len(accelerations)), [f"R = {R}" for R in accelerations])
        axis.set_title(f"{trajectory}, ε = {tolerance:g}", fontsize=10)
        axis.grid(alpha=0.3, axis="y")
        for R in accelerations:
            these = [c for c in cases if c["trajectory"] == trajectory and c["tolerance"] == tolerance
                     and c["acceleration"] == R]
            cells = []
            for way, _, _ in ways:
                found = [c[way]["speed_up"] for c in these]
                cells.append(f"{np.exp(np.mean(np.log(found))):.2f} ({min(found):.2f} to {max(found):.2f})")
            chosen = "; ".join(f"{c['chosen']['method']} {c['chosen']['oversampling']:.2f}, {c['chosen']['width']}"
                               for c in these)
            print(f"| {trajectory} | {tolerance:g} | {R} | " + " | ".join(cells) + f" | {chosen} |")
for row in axes:
    row[0].set_ylabel("times as fast as σ = 2")
axes[0][0].legend(fontsize=8)
figure.suptitle(f"forward and adjoint, one coil, N = {', '.join(f'{n}³' for n in sizes)}; {result['device']}", fontsize=10)
figure.savefig(sys.argv[2], dpi=100)
