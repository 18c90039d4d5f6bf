#!/usr/bin/env python3
"""Draws traces of `recon run --trace FILE` as bars along time: draw_timeline.py TRACE.json [LABEL=TRACE.json ...] OUT.svg"""
import json
import os
import sys

COLOURS = {"read": "#4c78a8", "start": "#9ecae9", "prepare": "#72b7b2", "gather": "#86bcb6", "calibrate": "#f58518",
           "choose": "#eeca3b", "setup": "#b279a2", "iterate": "#54a24b", "replicas": "#ff9da6", "write": "#9d755d"}
LEFT, WIDTH, HEIGHT, GAP = 190, 760, 26, 10


def rows_of(label, path):
    with open(path, encoding="utf-8") as file:
        events = json.load(file)["traceEvents"]
    names = {e["tid"]: e["args"]["name"] for e in events if e["ph"] == "M"}
    for tid in sorted(names):
        spans = [(e["name"], e["ts"] * 1e-6, e["dur"] * 1e-6) for e in events if e["ph"] == "X" and e["tid"] == tid]
        if spans:
            yield f"{label}: {names[tid]}" if label else names[tid], spans


def draw(traces):
    rows = [row for label, path in traces for row in rows_of(label, path)]
    end = max(begin + length for _, spans in rows for _, begin, length in spans)
    step = next(s for s in (0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 50, 100) if end / s <= 12)
    bottom = len(rows) * (HEIGHT + GAP) + GAP
    used = [n for n in COLOURS if any(n == name for _, spans in rows for name, _, _ in spans)]
    out = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{LEFT + WIDTH + 40}" height="{bottom + 60}" '
           'font-family="sans-serif" font-size="12">', '<rect width="100%" height="100%" fill="white"/>']
    for i in range(int(end / step) + 1):
        x = LEFT + WIDTH * i * step / end
        out.append(f'<line x1="{x:.1f}" y1="0" x2="{x:.1f}" y2="{bottom}" stroke="#ddd"/>'
                   f'<text x="{x:.1f}" y="{bottom + 14}" text-anchor="middle">{i * step:g} s</text>')
    for i, (name, spans) in enumerate(rows):
        y = GAP + i * (HEIGHT + GAP)
        out.append(f'<text x="{LEFT - 8}" y="{y + HEIGHT * 0.65:.1f}" text-anchor="end">{name}</text>')
        for stage, begin, length in spans:
            width = WIDTH * length / end
            out.append(f'<rect x="{LEFT + WIDTH * begin / end:.1f}" y="{y}" width="{max(width, 0.5):.1f}" height="{HEIGHT}" '
                       f'fill="{COLOURS.get(stage, "#bab0ac")}"><title>{stage}: {length:.3f} s</title></rect>')
            if width > 58:
                out.append(f'<text x="{LEFT + WIDTH * (begin + length / 2) / end:.1f}" y="{y + HEIGHT * 0.65:.1f}" '
                           f'text-anchor="middle" fill="white">{stage} {length:.2g}</text>')
    for i, stage in enumerate(used):
        x = LEFT + i * 92
        out.append(f'<rect x="{x}" y="{bottom + 28}" width="12" height="12" fill="{COLOURS[stage]}"/>'
                   f'<text x="{x + 17}" y="{bottom + 39}">{stage}</text>')
    return "\n".join(out + ["</svg>"]) + "\n"


def main():
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    traces = []
    for word in sys.argv[1:-1]:
        label, _, path = word.rpartition("=")
        traces.append((label, path))
    missing = [path for _, path in traces if not os.path.exists(path)]
    if missing:
        sys.exit(f"draw_timeline.py: {missing[0]} is not there")
    with open(sys.argv[-1], "w", encoding="utf-8") as file:
        file.write(draw(traces))


if __name__ == "__main__":
    main()
