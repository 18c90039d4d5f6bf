#!/usr/bin/env python3
"""Plots a map of transforms. Of nufft_map: the time of the chosen method over that of the best one. Of nufft_against_finufft.py --map: the
time of FINUFFT over that of Larmor.

usage: plot_map.py RESULT.json PICTURE.png
"""
import json
import sys

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt

with open(sys.argv[1]) as file:
    result = json.load(file)
beside = "finufft" in result
panel, time = ("threads", "finufft_ms") if beside else ("dims", "best_ms")
values = sorted({row[panel] for row in result["rows"]})
figure, axes = plt.subplots(1, len(values), figsize=(13, 3.6), sharey=True, constrained_layout=True, squeeze=False)
for value, axis in zip(values, axes[0]):
    for pattern, colour in (("random", "tab:blue"), ("radial", "tab:green"), ("kooshball", "tab:purple"), ("spiral", "tab:orange"),
                            ("clustered", "tab:red")):
        rows = [row for row in result["rows"] if row[panel] == value and row["pattern"] == pattern]
        if rows:
            axis.plot([row[time] for row in rows], [row["ratio"] for row in rows], ".", ms=4, color=colour, label=pattern)
    axis.axhline(1 if beside else 1.3, color="k", lw=0.6)
    axis.set_xscale("log")
    axis.set_yscale("log")
    ticks = [0.5, 1, 2, 5, 10, 20] if beside else [1, 1.3, 2, 3, 5]
    axis.set_yticks(ticks, [f"{tick:g}" for tick in ticks])
    axis.minorticks_off()
    name = "thread" if beside else "dimension"
    axis.set_title(f"{value} {name}{'s' if value > 1 else ''}", fontsize=10)
    axis.set_xlabel("FINUFFT, ms" if beside else "best way, ms")
    axis.grid(alpha=0.3)
axes[0][0].set_ylabel("FINUFFT over Larmor" if beside else "chosen way over best way")
axes[0][0].legend(fontsize=8)
figure.suptitle(f"{len(result['rows'])} transforms; {result['processor' if beside else 'device']}", fontsize=10)
figure.savefig(sys.argv[2], dpi=100)
