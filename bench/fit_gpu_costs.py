#!/usr/bin/env python3
"""Fits the costs of a GPU's gridding methods and transforms (operators/nufft/spread/cuda/cost_table.hpp) to measurements
of nufft_map.

usage: fit_gpu_costs.py WAYS.jsonl TABLE.hpp

Each row of the table is a least-squares fit of relative errors, with no constant below zero, to points that are not in
clusters; in one dimension, where scans have no trajectories, only to random ones. Terms are those of
cost_model.cpp. Prints the quality of the fit of each row: percentiles of expected over measured time.
"""
import collections
import json
import math
import sys

import numpy as np

FIXED = {64, 80, 96, 128, 160, 192, 224, 256, 288, 320, 360, 384, 400, 432, 480, 512, 576, 640, 720, 768, 864, 960, 1024, 1152, 1280,
         1440, 1600, 1792, 2048, 2560, 3072, 4096}
LONGEST = 8192
SHARED = 225 * 1024
WAYS = ["in_order", "cells", "moments", "plane", "tiles"]


def beyond_cache(size):
    return size * size / (size * size + 48e6**2)


def moved(size, held):
    """Microseconds to move bytes of an array of `held` bytes."""
    return size / 3.6e6 * (0.3 + 0.7 * beyond_cache(held))


def tile_cells(dims, lanes):
    if dims == 1:
        return (32,)
    x = 8 if lanes <= 2 else 4
    return (x, 16) if dims == 2 else (x, 8 if lanes == 1 else 4, 4)


def point_terms(way, spread, dims, single, lanes, coils, samples, grid, width):
    value = 8 if single else 16
    blocks, cells = math.ceil(coils / lanes), math.prod(grid)
    points, grid_bytes = samples * blocks / 1e6, cells * lanes * blocks * value
    passes = moved(grid_bytes, grid_bytes)
    values = samples * lanes * value
    scattered = moved(samples * lanes * blocks * 64, values) * beyond_cache(values)
    square = width * width / 100
    if way == "plane" and spread:
        columns, rows = (8, 8) if single else ((width + 9) // 4 * 4, (width + 13) // 8 * 8)
        bin_cells = (columns - width + 1) * (rows - width + 1)
        of_bin, piece = samples * bin_cells / cells, max(128, samples / 2048)
        products = 1 if single else rows / 8 * columns / 4
        return [1, points, points * products, passes * columns * rows / bin_cells, min(of_bin, piece) / 1e3, of_bin / piece / 10]
    if way == "plane":
        return [blocks, points, points * ((width + 5) // 4 * 4) ** 2 / 100, passes, blocks * square, scattered]
    if way == "tiles" and spread:
        tile = math.prod((n + width - 1) / n for n in tile_cells(dims, lanes))
        of_tile = samples * tile * math.prod(tile_cells(dims, lanes)) / cells
        return [1, points, points * tile, passes, min(of_tile, 256) / 1e3, scattered]
    if way == "tiles":
        return [1, points, points * width ** dims / 100, passes, width ** dims / 100, scattered]
    if way == "in_order":
        staged = (cells + width) * value <= SHARED and samples >= cells
        return [coils, points, points * (width / 8 if staged else math.ceil(width / 8)), points * width / 10 * beyond_cache(cells * value), coils * square, 0]
    if way == "cells":
        return [coils, points, cells * coils * width / 1e6, passes, scattered, coils * samples / cells / 100]
    return [coils, points, cells * coils * width / 1e6, passes, coils * square, 0]


def transform_terms(dims, single, lanes, coils, pixels, grid):
    value = 8 if single else 16
    blocks = math.ceil(coils / lanes)
    held = math.prod(grid) * lanes * blocks * value
    terms = [0.0] * 6
    for axis, length in enumerate(grid):
        long = length > (2048 if dims == 1 and coils == 1 else LONGEST)
        part = (8 if axis == 0 else 6) if long else 1 if axis == 0 else 2
        for other, n in enumerate(grid):
            part *= n if other <= axis else pixels
        time = moved(part * value * lanes * blocks, held)
        fixed = length in FIXED
        terms[0] += 1
        terms[1 if long else 2 if fixed else 3] += time
        terms[4] += 1 if long else 0
        terms[5] += 0 if long else length / 1e3 * (1 if fixed else 1 + 0.3 * min(lanes * (2 if not single else 1), 8))
    return terms


def fit(rows):
    """Rows: terms, measured."""
    terms = np.array([row[0] for row in rows], float) / np.array([row[1] for row in rows])[:, None]
    scale = np.maximum(np.abs(terms).max(0), 1e-30)
    weights = np.ones(len(rows))
    for _ in range(12):
        a = terms / scale * np.sqrt(weights)[:, None]
        h, g = a.T @ a + 1e-12 * np.eye(a.shape[1]), a.T @ np.sqrt(weights)
        x = np.full(a.shape[1], 0.1)
        for _ in range(400):
            for j in range(len(x)):
                x[j] = max(0, x[j] + (g[j] - h[j] @ x) / h[j, j])
        ratio = terms @ (x / scale)
        weights = 1 / np.maximum(np.abs(np.log(np.maximum(ratio, 1e-3))), 0.05) / np.maximum(ratio, 0.2)
    return x / scale, np.percentile(ratio, [2, 16, 50, 84, 98])


def main():
    points, transforms = collections.defaultdict(list), {}
    for line in open(sys.argv[1]):
        row = json.loads(line)
        dims, single, coils = row["dims"], row["precision"] == "single", row["coils"]
        for way in row["ways"]:
            name, lanes, grid = way["method"].replace(" ", "_"), way["lanes"], way["grid"][:dims]
            if name not in WAYS:
                continue
            if row["pattern"] == "random" or (row["pattern"] != "clustered" and dims > 1):
                spread = row["direction"] == "adjoint"
                terms = point_terms(name, spread, dims, single, lanes, coils, row["points"], grid, way["width"])
                points[name, spread, dims, single, lanes].append((terms, 1e3 * (way["ms"] - way["transform_ms"])))
            key = (dims, single, lanes, coils, row["modes"], tuple(grid))
            transforms[key] = min(transforms.get(key, 1e9), 1e3 * way["transform_ms"])
    number = lambda x: f"{x:.3g}"
    lines = []
    x, found = fit([(transform_terms(*key), time) for key, time in transforms.items()])
    print("transforms", len(transforms), np.round(x, 3), np.round(found, 2))
    lines.append(f"constexpr double pass_costs[] = {{{', '.join(map(number, x))}}};")
    lines.append("constexpr PointCosts point_costs[] = {")
    for key in sorted(points, key=lambda k: (WAYS.index(k[0]), k[1:])):
        x, found = fit(points[key])
        print(key, len(points[key]), np.round(x, 2), np.round(found, 2))
        name, spread, dims, single, lanes = key
        lines.append(f"    {{Way::{name}, {str(spread).lower()}, {dims}, {str(single).lower()}, {lanes}, {{{', '.join(map(number, x))}}}}},")
    lines[-1] = lines[-1][:-1] + "};"
    with open(sys.argv[2], "w") as file:
        file.write("""#pragma once

#include <larmor/operators/nufft/spread/cuda/cost_model.hpp>

// Microseconds of the terms in cost_model.cpp, fitted by bench/fit_gpu_costs.py to times of H100s and H200s
// (nufft_map; lines in the caller's order also bench_points).
namespace larmor::nufft::cuda {

struct PointCosts {
  Way way;
  bool spread;
  int dims;
  bool single;
  int lanes;
  double of[6];
};

""" + "\n".join(lines) + "\n\n}  // namespace larmor::nufft::cuda\n")


main()
