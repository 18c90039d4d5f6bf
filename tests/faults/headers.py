#!/usr/bin/env python3
"""Sets fields of valid scans to wrong values, one or two at a time, and checks the result of recon.

tests/faults/headers.py RECON [--trials N] [--seed S] [--jobs J] [--fields F] [--list]

A mutant changes F fields (default 1) of the XML header, or of one, half or all of the acquisitions. The run must end with
the image of the valid scan, with an image and a warning or note that the valid scan does not have, or with one line and
status 2 or 3. A different image (nrmse above 0.05, or another shape) without any of these is silently wrong, unless
no other number in the file contradicts the field: the size of the image, or counters that make two images of one.
--list names those, the noted and the wrong ones. Prints a table; needs numpy and h5py.
"""
import argparse
import collections
import concurrent.futures
import os
import random
import re
import subprocess
import sys
import tempfile

import h5py
import numpy as np

SOLVE = ["--regularizer", "none", "--iterations", "8", "--threads", "1", "--device", "cpu"]
SIMULATE = ["--coils", "2", "--noise", "0"]
# name: what is simulated, whether the trajectory is taken away, and options of the reconstruction
SCANS = {
    "radial": (["--trajectory", "radial"], False, []),
    "spiral": (["--trajectory", "spiral", "--interleaves", "8"], False, []),
    "cartesian": (["--trajectory", "cartesian"], True, []),
    "lines stored": (["--trajectory", "cartesian"], False, []),
    "golden": (["--trajectory", "radial", "--order", "golden", "--spokes", "64"], True, ["--generate", "golden"]),
    "stack": (["--trajectory", "stack-of-stars", "--matrix", "24,24,4"], False, []),
    "uniform": (["--trajectory", "radial", "--order", "uniform", "--spokes", "64"], True, ["--generate", "uniform"]),
    "volume": (["--trajectory", "kooshball", "--matrix", "16"], False, []),
    "echo train": (["--trajectory", "cartesian", "--echo-train", "0.8,0.6"], False, []),
    "bands": (["--trajectory", "cartesian", "--matrix", "24", "--coils", "4", "--bands", "2", "--references"], False,
              ["--band-phases", "caipi:2"]),
    "slices": (["--trajectory", "radial"], False, []),
    "noise": (["--trajectory", "radial"], False, []),
}


# Fields that no other number in the file contradicts: the requested image, and images with the same number of
# readouts as others.
AMBIGUOUS = re.compile(r"(reconSpace|matrixSize|fieldOfView_mm)/|idx\.(slice|contrast|phase|repetition|set) of half")


def run(recon, *arguments):
    done = subprocess.run([recon, *arguments], capture_output=True, text=True, timeout=300)
    return done.returncode, done.stdout + done.stderr


def reconstruct(recon, scan, options, folder):
    output = os.path.join(folder, os.path.basename(scan) + ".npy")
    code, text = run(recon, "run", scan, "-o", output, "--overwrite", *SOLVE, *options)
    if code != 0:
        return code, text, None
    image = np.load(output)
    os.remove(output)
    return code, text, image


def add_slice(data):
    """The readouts again, twice as bright, as another slice 10 mm away."""
    second = data.copy()
    for row in second:
        row["head"]["idx"]["slice"] = 1
        row["head"]["position"] += 10 * row["head"]["slice_dir"]
        row["data"] = 2 * row["data"]
    return np.concatenate([data, second])


def add_noise(data):
    """Two readouts of noise in front."""
    noise = data[:2].copy()
    numbers = np.random.default_rng(1)
    for row in noise:
        row["head"]["flags"] = 1 << 18
        row["head"]["trajectory_dimensions"] = 0
        row["traj"] = np.zeros(0, np.float32)
        row["data"] = (1e-3 * numbers.standard_normal(len(row["data"]))).astype(np.float32)
    return np.concatenate([noise, data])


def prepare(recon, name, folder):
    simulated, bare, options = SCANS[name]
    path = os.path.join(folder, name.replace(" ", "_") + ".h5")
    code, text = run(recon, "simulate", path, *SIMULATE, *([] if "--matrix" in simulated else ["--matrix", "32"]), *simulated)
    if code != 0:
        sys.exit(text)
    if bare:
        with h5py.File(path, "r+") as file:
            data = file["dataset/data"][...]
            for row in data:
                row["head"]["trajectory_dimensions"] = 0
                row["traj"] = np.zeros(0, np.float32)
            file["dataset/data"][...] = data
    if name in ("slices", "noise"):
        with h5py.File(path, "r+") as file:
            data = (add_slice if name == "slices" else add_noise)(file["dataset/data"][...])
            kind = file["dataset/data"].dtype
            del file["dataset/data"]
            file.create_dataset("dataset/data", data=data, dtype=kind, maxshape=(None,), chunks=(1,))
    code, text, image = reconstruct(recon, path, options, folder)
    if code != 0:
        sys.exit(f"{name}: {text}")
    return path, image, notes(text)


def notes(text):
    """Lines without the numbers that change from run to run."""
    changing = r"\d s\b|memory|residual|iteration|NUFFT|centre of k-space|^(at most )?[\d.e-]+ % of the data"
    return {line for line in text.splitlines() if not re.search(changing, line)}


def wrong_number(value, random_number):
    """A number different from `value`, of its type."""
    if isinstance(value, np.floating):
        choices = [0.0, -value, value * 2, value / 1000, value * 1000, value + 10, float("nan"), float("inf"), 1e30]
    else:
        top = np.iinfo(value.dtype).max
        choices = [0, 1, 2, int(value) - 1, int(value) + 1, int(value) * 2, int(value) // 2, top, top // 2,
                   random_number.randrange(0, 200)]
        choices = [c for c in choices if 0 <= c <= top]
    choices = [c for c in choices if not c == value]
    return random_number.choice(choices)


def fields(dtype, prefix=()):
    for name in dtype.names:
        kind = dtype[name]
        if kind.names:
            yield from fields(kind, prefix + (name,))
        else:
            yield prefix + (name,), kind


def mutate_acquisitions(file, random_number):
    data = file["dataset/data"][...]
    path, kind = random_number.choice(list(fields(data.dtype["head"])))
    extent = random_number.choice(["one", "half", "all"])
    rows = {"one": [random_number.randrange(len(data))], "half": range(0, len(data), 2), "all": range(len(data))}[extent]
    flag = random_number.randrange(1, 33)
    place = random_number.randrange(int(np.prod(kind.shape))) if kind.shape else 0
    value = None
    for row in rows:
        record = data[row]["head"]
        for part in path[:-1]:
            record = record[part]
        old = record[path[-1]]
        if path[-1] == "flags":
            record["flags"] = old ^ np.uint64(1 << (flag - 1))
            value = f"bit {flag} turned"
        elif kind.shape:
            if value is None:
                value = wrong_number(old.flat[place], random_number)
            record[path[-1]].flat[place] = value
        else:
            if value is None:
                value = wrong_number(old, random_number)
            record[path[-1]] = value
    file["dataset/data"][...] = data
    return f"{'.'.join(path)} of {extent} := {value}"


def mutate_header(file, random_number):
    xml = file["dataset/xml"][0]
    xml = xml.decode() if isinstance(xml, bytes) else xml
    leaves = list(re.finditer(r"<(\w+)>([^<>]*)</\1>", xml))
    leaf = random_number.choice(leaves)
    name, text = leaf.group(1), leaf.group(2)
    try:
        number = float(text)
        choices = ["0", "1", f"{number * 2:g}", f"{number / 2:g}", f"{number + 1:g}", f"{number * 20:g}", "", "NaN", "-5", "x"]
    except ValueError:
        choices = ["", "cartesian", "radial", "goldenangle", "spiral", "epi", "other", "x"]
    value = random_number.choice([c for c in choices if c != text])
    above = re.findall(r"<(\w+)>(?![^<>]*</)", xml[:leaf.start()])
    file["dataset/xml"][0] = (xml[:leaf.start(2)] + value + xml[leaf.end(2):]).encode()
    return f"header {above[-1] if above else ''}/{name} := '{value}' (was '{text}')"


def trial(job):
    recon, name, path, reference, known, seed, count, folder = job
    random_number = random.Random(seed)
    mutant = os.path.join(folder, f"{seed}.h5")
    with open(path, "rb") as source, open(mutant, "wb") as copy:
        copy.write(source.read())
    with h5py.File(mutant, "r+") as file:
        change = " and ".join((mutate_header if random_number.random() < 0.4 else mutate_acquisitions)(file, random_number)
                              for _ in range(count))
    try:
        code, text, image = reconstruct(recon, mutant, SCANS[name][2], folder)
    except subprocess.TimeoutExpired:
        return name, change, "hangs", ""
    os.remove(mutant)
    if image is None:
        return name, change, "refused" if code in (2, 3) else "fails", text.strip().splitlines()[-1] if text.strip() else ""
    if image.shape == reference.shape:
        error = np.linalg.norm(np.abs(image) - np.abs(reference)) / np.linalg.norm(reference)
        if error <= 0.05:
            return name, change, "right", ""
        what = f"nrmse {error:.3f}"
    else:
        what = f"shape {image.shape}"
    new = sorted(notes(text) - known)
    if any("warn" in line for line in new):
        return name, change, "warned of", what
    outcome = "ambiguous" if AMBIGUOUS.search(change) else "noted" if new else "silently wrong"
    return name, change, outcome, f"{what}; {new[:2]}"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("recon")
    parser.add_argument("--trials", type=int, default=600)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--fields", type=int, default=1)
    parser.add_argument("--list", action="store_true")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        scans = {name: prepare(options.recon, name, folder) for name in SCANS}
        names = list(SCANS)
        jobs = [(options.recon, names[i % len(names)], *scans[names[i % len(names)]], options.seed * 1000000 + i, options.fields,
                 folder)
                for i in range(options.trials)]
        counts = collections.Counter()
        wrong = []
        with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
            for name, change, outcome, what in pool.map(trial, jobs):
                counts[name, outcome] += 1
                if outcome in ("noted", "ambiguous", "silently wrong", "fails", "hangs"):
                    wrong.append((name, change, outcome, what))
    outcomes = ["right", "warned of", "noted", "ambiguous", "refused", "silently wrong", "fails", "hangs"]
    print("| scan | " + " | ".join(outcomes) + " |")
    for name in names:
        print(f"| {name} | " + " | ".join(str(counts[name, outcome]) for outcome in outcomes) + " |")
    if options.list:
        for line in sorted(wrong):
            print(*line, sep="; ")
    return 1 if any(counts[name, bad] for name in names for bad in outcomes[5:]) else 0


if __name__ == "__main__":
    sys.exit(main())
