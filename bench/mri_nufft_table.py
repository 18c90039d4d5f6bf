#!/usr/bin/env python3
"""mri-nufft's backends compared by the protocol of its benchmark (github.com/mind-inria/mri-nufft-benchmark, perf).

Needs: mri-nufft, the named backends, and larmor.
  bench/mri_nufft_table.py --backends finufft,larmor
  bench/mri_nufft_table.py --backends cufinufft,larmor-cuda --json OUT

The protocol: 3D trajectories of 665 readouts of 10240 samples, complex64, eps 1e-3, upsampfac 2, NumPy arrays in host
memory; a new operator is made before every call, and its set-up is not part of the time. Here the set-up has a
column, and backends alternate. Data are random. difference: of the forward result from that of the first backend.
"""
import argparse
import datetime
import json
import os
import pathlib
import platform
import statistics
import time
import warnings

import mrinufft
import numpy as np
from mrinufft import trajectories

import larmor.mri_nufft  # noqa: F401: registers the backends

warnings.filterwarnings("ignore", message="Samples will be rescaled")
TASKS = ("forward", "adjoint", "grad")


def points(name, readouts, samples):
    make = {"floret": trajectories.initialize_3D_floret, "seiffert": trajectories.initialize_3D_seiffert_spiral}[name]
    return make(Nc=readouts, Ns=samples, nb_revolutions=6).astype(np.float32)


def noise(rng, shape):
    values = np.empty(shape, np.complex64)
    values.real = rng.standard_normal(shape, np.float32)
    values.imag = rng.standard_normal(shape, np.float32)
    return values


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--backends", default="finufft,larmor", help="comma-separated")
    parser.add_argument("--trajectories", default="floret,seiffert", help="comma-separated")
    parser.add_argument("--shape", type=int, nargs=3, default=(256, 256, 176))
    parser.add_argument("--readouts", type=int, default=665)
    parser.add_argument("--samples", type=int, default=10240)
    parser.add_argument("--coils", type=int, default=12)
    parser.add_argument("--seconds", type=float, default=10, help="for each task, at least one round")
    parser.add_argument("--json", type=pathlib.Path)
    arguments = parser.parse_args()
    shape, coils, rows = tuple(arguments.shape), arguments.coils, []
    backends = arguments.backends.split(",")
    print(f"{'x'.join(map(str, shape))}, {arguments.readouts} x {arguments.samples} samples, {coils} coils, eps 1e-3, upsampfac 2\n\n"
          "| trajectory | backend | forward s | adjoint s | grad s | made in s | difference |\n|---|---|---|---|---|---|---|")
    for name in arguments.trajectories.split(","):
        rng = np.random.default_rng(1)
        k = points(name, arguments.readouts, arguments.samples)
        image, samples = noise(rng, (1, coils, *shape)), noise(rng, (1, coils, k[..., 0].size))
        times = {backend: {task: [] for task in ("made", *TASKS)} for backend in backends}
        forward = {}
        for task in TASKS:
            end, rounds = time.perf_counter() + arguments.seconds, 0
            while rounds == 0 or time.perf_counter() < end:
                rounds += 1
                for backend in backends:
                    start = time.perf_counter()
                    operator = mrinufft.get_operator(backend)(k, shape, n_coils=coils, eps=1e-3, upsampfac=2.0)
                    times[backend]["made"].append(time.perf_counter() - start)
                    start = time.perf_counter()
                    if task == "forward":
                        result = operator.op(image)
                    elif task == "adjoint":
                        result = operator.adj_op(samples)
                    else:
                        result = operator.data_consistency(image, samples)
                    times[backend][task].append(time.perf_counter() - start)
                    if task == "forward" and backend not in forward:
                        forward[backend] = np.asarray(result)[..., 0, :].ravel()[::97].copy()  # of the first coil
                    del operator, result
        first = forward[backends[0]]
        for backend in backends:
            row = {task: round(statistics.median(taken), 3) for task, taken in times[backend].items()}
            row["difference"] = float(f"{np.linalg.norm(forward[backend] - first) / np.linalg.norm(first):.1e}")
            print(f"| {name} | {backend} | {row['forward']} | {row['adjoint']} | {row['grad']} | {row['made']} "
                  f"| {row['difference']:.1e} |", flush=True)
            rows.append({"trajectory": name, "backend": backend, **row})
    if arguments.json:
        arguments.json.write_text(json.dumps({
            "date": datetime.date.today().isoformat(), "processor": platform.processor(), "cores": os.cpu_count(),
            "mri_nufft": mrinufft.__version__, "shape": shape, "coils": coils, "rows": rows}, indent=1) + "\n")


if __name__ == "__main__":
    main()
