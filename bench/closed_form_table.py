#!/usr/bin/env python3
"""Prints closed_form's JSON as the table of docs/quality.md: closed_form_table.py bench/results/closed_form.json"""
import json
import sys

cases = json.load(open(sys.argv[1]))["cases"]
levels = [level["noise"] for level in next(iter(cases.values()))["noise"]]
print("| case | image | " + " | ".join(f"noise {100 * level:g} %" for level in levels) + " |")
print("|---" * (2 + len(levels)) + "|")
for name, case in cases.items():
    for row in zip(*(level["methods"] for level in case["noise"])):
        cells = [f"{entry['nrmse_mean']:.4f} ± {entry['nrmse_deviation']:.4f}"
                 + (f" ({entry['ratio']:.2f})" if entry["ratio"] != 1 else "") for entry in row]
        print(f"| {name} | {row[0]['name']} | " + " | ".join(cells) + " |")
for name, case in cases.items():
    print(f"\n{name}: {case['what']}; {case['device']}, {case['date']}, commit {case['commit']}, {case['seconds']:.0f} s")
    for key, value in case.get("figures", {}).items():
        print(f"  {key} {value:.3g}")
    for level in case["noise"]:
        for entry in level["methods"]:
            for key in ("largest_deviation", "ratio_all_of_kspace"):
                if key in entry:
                    print(f"  noise {level['noise']:g}, {entry['name']}: {key} {entry[key]:.3g}")
        if "corrected_to_on_resonance" in level:
            print(f"  noise {level['noise']:g}: corrected to on resonance {level['corrected_to_on_resonance']:.3f}")
