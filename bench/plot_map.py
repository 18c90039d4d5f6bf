#!/usr/bin/env python3
"""Plots measurements of nufft_map: the time of the chosen method over that of the best one, against the amount of work.

usage: plot_map.py RESULT.json PICTURE.png
"""
import json
import sys

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt

with open(sys.argv[1]) as file:
    result = json.load(file)
figure, axes = plt.subplots(1, 3, figsize=(13, 3.6), sharey=True, constrained_layout=True)
for dims, axis in enumerate(axes, 1):
    for pattern, colour in (("random", "tab:blue"), ("radial", "tab:green"), ("spiral", "tab:orange"), ("clustered", "tab:red")):
        rows = [row for row in result["rows"] if row["dims"] == dims and row["pattern"] == pattern]
        axis.plot([row["best_ms"] for row in rows], [row["ratio"] for row in rows], ".", ms=4, color=colour, label=pattern)
    axis.axhline(1.3, color="k", lw=0.6)
    axis.set_xscale("log")
    axis.set_yscale("log")
    axis.set_yticks([1, 1.3, 2, 3, 5], ["1", "1.3", "2", "3", "5"])
    axis.minorticks_off()
    axis.set_title(f"{dims} dimension{'s' if dims > 1 else ''}", fontsize=10)
    axis.set_xlabel("best way, ms")
    axis.grid(alpha=0.3)
axes[0].set_ylabel("chosen way over best way")
axes[0].legend(fontsize=8)
figure.suptitle(f"{len(result['rows'])} transforms; {result['device']}", fontsize=10)
figure.savefig(sys.argv[2], dpi=100)
