#!/usr/bin/env python3
"""Plots measurements of images_by_default --sizes: the time of the default over that of 20 plain iterations, by noise.

usage: plot_sizes.py RESULT.json PICTURE.png
"""
import json
import sys

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt

with open(sys.argv[1]) as file:
    result = json.load(file)
seconds = {(row["size"], row["noise"], row["mode"]): row["seconds"] for row in result["rows"]}
figure, axis = plt.subplots(figsize=(6, 3.6), constrained_layout=True)
for size, marker in zip(sorted({size for size, _, _ in seconds}), "osD^v"):
    noises = sorted({noise for n, noise, mode in seconds if n == size and mode == "none"})
    axis.plot([100 * noise for noise in noises], [seconds[size, noise, "default"] / seconds[size, noise, "none"] for noise in noises],
              marker=marker, ms=4, label=f"{size}³")
axis.axhline(1, color="k", lw=0.6)
axis.set_xscale("log")
axis.set_xlabel("noise, %")
axis.set_ylabel("time of the default over 20 iterations")
axis.grid(alpha=0.3)
axis.legend(title="kooshball", fontsize=8)
axis.set_title(result["device"], fontsize=10)
figure.savefig(sys.argv[2], dpi=100)
