#!/usr/bin/env python3
"""Tables for docs/performance.md from bench/nufft_against_finufft.py's JSON.
  bench/nufft_table.py bench/results/nufft_against_finufft.json
"""
import json
import sys


def cell(row, key):
    value = row[key]
    return f"{value:.3g}" if value < 100 else f"{value:.0f}"


def main():
    data = json.load(open(sys.argv[1]))
    print(f"{data['processor']}, {data['date']}, commit {data['commit']}, FINUFFT {data['finufft']}, "
          f"{data['clock']} time.\n")
    for line in data["summary"]:
        print(f"- {line}")
    for row in data["sense_normal"]:
        print(f"- SENSE normal operator, {row['threads']} threads: {row['larmor_ms']:.2f} ms, sixteen transforms of "
              f"FFTW {row['fftw_ms']:.2f} ms: {row['over_fftw']:.2f} times their time")
    print("\n| problem | tolerance | direction | threads | Larmor ms | FINUFFT ms | ratio | error | FINUFFT error "
          "| set-up ms | FINUFFT set-up ms |")
    print("|" + "---|" * 11)
    for row in data["rows"]:
        in_double = " (double)" if row["finufft_double"] else ""
        print(f"| {row['problem']}, {row['precision']} | {row['tolerance']:.0e} | {row['direction']} | {row['threads']} "
              f"| {cell(row, 'larmor_ms')} | {cell(row, 'finufft_ms')}{in_double} | {row['ratio']:.2f} "
              f"| {row['larmor_error']:.1e} | {row['finufft_error']:.1e} | {cell(row, 'larmor_setup_ms')} "
              f"| {cell(row, 'finufft_setup_ms')} |")


if __name__ == "__main__":
    main()
