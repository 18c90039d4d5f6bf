#!/usr/bin/env python3
"""Whether several processes give the image of one: recon run with 2 and 3 ranks beside one, over scans, divisions,
solvers and density weights, with the default tolerance of transforms.

  bench/ranks_against_one.py RECON [--data FOLDER] [--combinations 200] [--seed 1] [--json FILE] 2> rows.txt

What differs by more than 1e-5 is listed with what else is known of it: the same in double precision, and how far one
process is from itself in double precision, and with its sums in another order (--deterministic).
"""
import argparse
import itertools
import json
import random
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

LIMIT = 1e-5
SIMULATED = {
    "radial": "--trajectory radial --matrix 48 --spokes 60 --coils 6",
    "dense radial": "--trajectory radial --matrix 24 --spokes 1400 --coils 6",
    "spiral": "--trajectory spiral --matrix 48 --spokes 8 --coils 6",
    "kooshball": "--trajectory kooshball --matrix 20 --spokes 500 --coils 6",
    "stack of stars": "--trajectory stack-of-stars --matrix 24,24,8 --spokes 30 --coils 6",
    "Cartesian": "--trajectory cartesian --matrix 40,40 --coils 6",
}
GIVEN = ["markers_3d.h5", "multislice.h5", "brain_radial.h5", "brain_spiral.h5", "defaults/radial_r8.h5",
         "defaults/spiral_r2.h5"]
SOLVERS = {
    "gridding": "--solver gridding",
    "cg 8": "--regularizer l2:1e-2 --iterations 8",
    "cg 8, no Toeplitz": "--regularizer l2:1e-2 --iterations 8 --toeplitz off",
    "wavelet 10": "--regularizer wavelet:1e-3 --iterations 10",
    "tv 10": "--regularizer tv:1e-3 --iterations 10",
    "l2:auto": "--regularizer l2:auto --iterations 20",
    "wavelet:auto": "--regularizer wavelet:auto --iterations 20",
    "default": "",
}
WEIGHTS = ["", "pipe", "analytic", "voronoi"]
SPLITS = ["auto", "samples", "coils", "frames"]
FRAMES = ["", "--window 20"]


def run(recon, words, out, ranks=1, split="auto"):
    command = [recon, "run", *words, "-o", str(out), "--complex", "--overwrite", "--device", "cpu", "--threads", "1", "-q"]
    if ranks > 1:
        command += ["--ranks", str(ranks), "--split", split]
    done = subprocess.run(command, capture_output=True, text=True, timeout=900)
    return done.returncode, (done.stderr.strip().splitlines() or [""])[-1]


def difference(recon, a, b):
    done = subprocess.run([recon, "compare", str(a), str(b), "--json"], capture_output=True, text=True)
    return json.loads(done.stdout)["nrmse_plain"] if done.returncode == 0 else float("nan")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("recon")
    parser.add_argument("--data", type=Path)
    parser.add_argument("--combinations", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--json", type=Path)
    parser.add_argument("--jobs", type=int, default=1, help="combinations at a time")
    asked = parser.parse_args()
    folder = Path(tempfile.mkdtemp())
    scans = {}
    for name, words in SIMULATED.items():
        scans[name] = folder / (name.replace(" ", "_") + ".h5")
        subprocess.run([asked.recon, "simulate", str(scans[name]), *words.split(), "-q"], check=True)
    for name in GIVEN if asked.data else []:
        if (asked.data / name).exists():
            scans[name] = asked.data / name
    large = {"brain_radial.h5", "brain_spiral.h5"}
    every = [c for c in itertools.product(scans, SPLITS, SOLVERS, WEIGHTS, FRAMES, (2, 3))
             if not (c[0] in large and c[2] not in ("gridding", "cg 8"))
             and not (c[4] and ("radial" not in c[0] or c[0] == "dense radial"))
             and not (c[1] == "frames" and not c[4] and c[0] != "multislice.h5")
             and not (c[3] == "voronoi" and c[0] in ("kooshball", "markers_3d.h5", "stack of stars"))]
    chosen = random.Random(asked.seed).sample(every, min(asked.combinations, len(every)))

    def one(place, combination):
        scan, split, solver, weights, frames, ranks = combination
        words = [str(scans[scan]), *SOLVERS[solver].split(), *frames.split()]
        if weights:
            words += ["--density", weights]
        a, b = folder / f"{place}a.npy", folder / f"{place}b.npy"
        row = {"scan": scan, "split": split, "solver": solver, "weights": weights or "as it chooses",
               "frames": frames, "ranks": ranks}
        status, said = run(asked.recon, words, a)
        status_of_ranks, said_of_ranks = run(asked.recon, words, b, ranks, split)
        if status or status_of_ranks:
            row["refused"] = f"{status} {said} / {status_of_ranks} {said_of_ranks}"
            row["differently"] = status_of_ranks != status and "cannot be divided" not in said_of_ranks
        else:
            row["difference"] = difference(asked.recon, b, a)
            if not row["difference"] <= LIMIT:
                c, d = folder / f"{place}c.npy", folder / f"{place}d.npy"
                run(asked.recon, words + ["--deterministic"], c)
                row["one in another order"] = difference(asked.recon, c, a)
                run(asked.recon, words + ["--precision", "double"], c)
                run(asked.recon, words + ["--precision", "double"], d, ranks, split)
                row["one to itself in double"] = difference(asked.recon, a, c)
                row["in double"] = difference(asked.recon, d, c)
        for file in folder.glob(f"{place}[abcd].npy"):
            file.unlink()
        print(json.dumps(row), file=sys.stderr, flush=True)
        return row

    with ThreadPoolExecutor(asked.jobs) as pool:
        rows = list(pool.map(one, range(len(chosen)), chosen))
    compared = [row for row in rows if "difference" in row]
    beyond = [row for row in compared if not row["difference"] <= LIMIT]
    print(f"{len(rows)} combinations, {len(compared)} compared, {len(beyond)} beyond {LIMIT:g}, "
          f"{sum(not row['in double'] <= LIMIT for row in beyond)} of these in double precision too; "
          f"{sum(row.get('differently', False) for row in rows)} ended otherwise than one process")
    for row in beyond + [row for row in rows if row.get("differently")]:
        print(json.dumps(row))
    if asked.json:
        asked.json.write_text(json.dumps({"limit": LIMIT, "seed": asked.seed, "rows": rows}, indent=1) + "\n")


if __name__ == "__main__":
    main()
