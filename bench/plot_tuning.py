#!/usr/bin/env python3
"""Plots measurements of bench_tuning: time against oversampling, by method, for R = 1, 4, 16.

usage: plot_tuning.py RESULT.json PICTURE.png
"""
import json
import sys

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt

with open(sys.argv[1]) as file:
    result = json.load(file)
figure, axes = plt.subplots(1, len(result["problems"]), figsize=(12, 3.8), constrained_layout=True)
for axis, problem in zip(axes, result["problems"]):
    for method, colour in (("gridding", "tab:blue"), ("matrix", "tab:orange")):
        trials = sorted((t for t in problem["trials"] if t["method"] == method),
                        key=lambda t: t["oversampling"])
        x = [t["oversampling"] for t in trials]
        axis.plot(x, [t["forward_ms"] + t["adjoint_ms"] for t in trials], "o-", ms=3, color=colour, label=method)
        axis.plot(x, [t["forward_ms"] for t in trials], ":", color=colour, label=f"{method}, forward alone")
    tuned = problem["tuned"]
    axis.plot(tuned["oversampling"], tuned["forward_ms"] + tuned["adjoint_ms"], "k*", ms=12, label="tuner's choice")
    default = next(t for t in problem["trials"] if t["default"])
    axis.plot(default["oversampling"], default["forward_ms"] + default["adjoint_ms"], "kx", ms=9, label="default")
    axis.set_title(f"R = {problem['acceleration']}, {problem['samples']} samples")
    axis.set_xlabel("oversampling σ")
    axis.set_ylim(bottom=0)
    axis.grid(alpha=0.3)
axes[0].set_ylabel("ms, forward + adjoint")
axes[0].legend(fontsize=7)
figure.suptitle(f"{result['size']}², {result['coils']} coils, tolerance {result['tolerance']:g}; {result['device']}",
                fontsize=10)
figure.savefig(sys.argv[2], dpi=110)
