#!/usr/bin/env python3
"""cuFINUFFT's times for the problems of bench_device and the lines of bench_points: the best of its methods for each, with setpts and execute
separately.

Needs the packages cufinufft and cupy. Points and data are drawn like those of bench_device, in the precision of the
row; errors are relative to exact sums in double at 64 targets. Times are medians of CUDA events around each call.
  bench/cufinufft_times.py --json cufinufft.json
"""
import argparse
import json
import statistics

import cufinufft
import cupy as cp
import numpy as np

REPEATS, TARGETS = 7, 64


def radial(spokes, samples):
    angle = np.arange(spokes)[:, None] * np.pi / ((1 + np.sqrt(5)) / 2)
    radius = (np.arange(samples)[None, :] - samples // 2) / samples
    return np.stack([radius * np.cos(angle), radius * np.sin(angle)], -1).reshape(-1, 2)


def spiral(shots, samples, size):
    radius = 0.5 * np.arange(samples) / samples
    turns = (radius[None, :] * size + np.arange(shots)[:, None]) / shots
    return np.stack([radius * np.cos(2 * np.pi * turns), radius * np.sin(2 * np.pi * turns)], -1).reshape(-1, 2)


def kooshball(spokes, samples):
    s = np.arange(spokes)
    z, azimuth = 2 * np.mod(0.465571231876768 * s, 1) - 1, 2 * np.pi * np.mod(0.682327803828019 * s, 1)
    across = np.sqrt(1 - z * z)
    ways = np.stack([across * np.cos(azimuth), across * np.sin(azimuth), z], -1)
    return (ways[:, None, :] * (np.arange(samples) / (2 * samples))[None, :, None]).reshape(-1, 3)


def uniform(count, dims):
    return np.random.default_rng(7).uniform(-0.5, 0.5, (count, dims))


# Name, points in cycles per mode (columns x, y, z), modes (z, y, x), coils, tolerance, double precision.
ROWS = [
    ("radial 2D 32 coils 1e-4", lambda: radial(402, 512), (256, 256), 32, 1e-4, False),
    ("kooshball 3D 8 coils 1e-4", lambda: kooshball(40000, 400), (256,) * 3, 8, 1e-4, False),
    ("class small 2D 4 coils 1e-3", lambda: radial(128, 256), (128, 128), 4, 1e-3, False),
    ("class 2D double 1e-9", lambda: uniform(10000000, 2), (1000, 1000), 1, 1e-9, True),
    ("class 1D double 1e-9", lambda: uniform(20000000, 1), (2000000,), 1, 1e-9, True),
    ("class 3D 384 2 coils 1e-3", lambda: kooshball(60000, 768), (384,) * 3, 2, 1e-3, False),
    ("near small 2D 1 coil 1e-3", lambda: radial(100, 200), (100, 100), 1, 1e-3, False),
    ("near small 2D 8 coils 1e-3", lambda: radial(200, 300), (150, 150), 8, 1e-3, False),
    ("near 2D double 1e-7", lambda: uniform(6000000, 2), (720, 900), 1, 1e-7, True),
    ("near 2D double 1e-12", lambda: uniform(10000000, 2), (1000, 1000), 1, 1e-12, True),
    ("near 1D double 1e-6", lambda: uniform(12000000, 1), (1500000,), 1, 1e-6, True),
    ("near 1D double 1e-12", lambda: uniform(30000000, 1), (2500000,), 1, 1e-12, True),
    ("near 3D 320 2 coils 1e-4", lambda: kooshball(50000, 640), (320,) * 3, 2, 1e-4, False),
    ("near 2D 1 coil 1e-4", lambda: uniform(10000000, 2), (1000, 1000), 1, 1e-4, False),
    ("near 2D 1 coil 512", lambda: uniform(4000000, 2), (512, 512), 1, 1e-4, False),
    ("near spiral 2D 1 coil", lambda: spiral(16, 8192, 192), (192, 192), 1, 1e-4, False),
]
ROWS += [(f"1d_{points}_{modes}_{'double' if double else 'float'}", lambda n=int(float(points)): uniform(n, 1),
          (int(float(modes)),), 1, 1e-5, double)
         for points, modes in (("5e7", "5e7"), ("5e7", "1e5"), ("5e7", "4e3"), ("5e6", "4e3"), ("5e6", "5e5"), ("1e6", "1e3"))
         for double in (True, False)]


def time_of(call):
    call()
    times = []
    for _ in range(REPEATS):
        begin, end = cp.cuda.Event(), cp.cuda.Event()
        cp.cuda.get_current_stream().synchronize()
        begin.record()
        call()
        end.record()
        end.synchronize()
        times.append(cp.cuda.get_elapsed_time(begin, end))
    return statistics.median(times)


def noise(shape, kind):
    values = cp.empty(shape, kind)
    values.real = cp.random.standard_normal(shape)
    values.imag = cp.random.standard_normal(shape)
    return values


def error_of(type_, points, modes, data, out):
    """Error of the first coil, relative to exact sums in double."""
    columns = [cp.asarray(points[:, axis]) for axis in range(points.shape[1])]  # x first
    rng = np.random.default_rng(3)
    chosen = rng.integers(0, len(points) if type_ == 2 else int(np.prod(modes)), TARGETS)
    places = [np.arange(n) - n // 2 for n in modes]
    found, exact = [], []
    for target in chosen:
        if type_ == 1:
            at = np.unravel_index(target, modes)
            phase = sum(float(places[a][at[a]]) * columns[len(modes) - 1 - a] for a in range(len(modes)))
            exact.append(complex((data[0] * cp.exp(2j * np.pi * phase)).sum()))
        else:
            waves = [cp.exp(-2j * np.pi * float(points[target, len(modes) - 1 - a]) * cp.asarray(places[a]))
                     for a in range(len(modes))]
            total = data[0].reshape(modes)
            for wave in reversed(waves):
                total = total @ wave
            exact.append(complex(total))
        found.append(complex(out.reshape(out.shape[0], -1)[0, target]))
    exact, found = np.array(exact), np.array(found)
    return float(np.linalg.norm(found - exact) / np.linalg.norm(exact))


def measure(row):
    name, make, modes, coils, tolerance, double = row
    points = make()
    real, kind = (np.float64, np.complex128) if double else (np.float32, np.complex64)
    there = [cp.asarray((2 * np.pi * points[:, a]).astype(real)) for a in reversed(range(points.shape[1]))]
    for type_, direction in ((1, "adjoint"), (2, "forward")):
        data = noise((coils, len(points) if type_ == 1 else int(np.prod(modes))), kind)
        given = data if type_ == 1 else data.reshape((coils, *modes))
        best = None
        # 0: chosen by the library; 3 and 4 only spread, 4 in three dimensions.
        for method in range(3 if type_ == 2 else 5 if len(modes) == 3 else 4):
            try:
                plan = cufinufft.Plan(type_, modes, n_trans=coils, eps=tolerance, isign=1 if type_ == 1 else -1,
                                      dtype=np.dtype(kind).name, gpu_method=method)
                setpts = time_of(lambda: plan.setpts(*there))
                out = plan.execute(given if coils > 1 else given[0])
                execute = time_of(lambda: plan.execute(given if coils > 1 else given[0], out=out))
            except Exception as error:  # the method does not support the problem
                print(f"{name} {direction} method {method}: {str(error)[:80]}", flush=True)
                continue
            if best is None or execute < best["ms"]:
                error = error_of(type_, points, modes, data, out if coils > 1 else out[None])
                best = {"problem": name, "direction": direction, "tolerance": tolerance, "method": method, "ms": execute,
                        "setpts_ms": setpts, "error": error}
            del plan, out
        print(" ".join(f"{k} {v:.4g}" if isinstance(v, float) else str(v) for k, v in best.items()), flush=True)
        yield best
        cp.get_default_memory_pool().free_all_blocks()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", default="", help="only rows whose name contains this")
    parser.add_argument("--json")
    arguments = parser.parse_args()
    rows = [found for row in ROWS if arguments.rows in row[0] for found in measure(row)]
    if arguments.json:
        with open(arguments.json, "w", encoding="utf-8") as file:
            json.dump({"cufinufft": cufinufft.__version__, "rows": rows}, file, indent=1)


if __name__ == "__main__":
    main()
