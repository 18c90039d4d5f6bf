#!/usr/bin/env python3
"""Prints the rows of bench_device's JSON as the table of docs/performance.md: device_table.py device.json"""
import json
import sys

rows = json.load(open(sys.argv[1]))
print(f"<!-- {rows['device']}, {rows['date']}, commit {rows['commit']}, driver {rows.get('driver', '?')} -->")
print("| problem | direction | ms | target | peer | error (allowed) | width, oversampling | set-up ms |")
print("|---|---|---|---|---|---|---|---|")
for row in rows["rows"]:
    error = f"{row['error']:.1e}" if "error" in row else ""
    if row.get("error_allowed"):
        error += f" ({row['error_allowed']:.1e})"
    kernel = f"{row['width']}, {row['oversampling']:.2f}" if "width" in row else ""
    setup = row.get("one_way_setup_ms", row.get("setup_ms"))
    number = lambda value: f"{value:.3g}" if value else ""
    print(f"| {row['problem']} | {row['direction']} | {row['ms']:.3g} | {number(row['target_ms'])} | {number(row['peer_ms'])} "
          f"| {error} | {kernel} | {number(setup)} |")
