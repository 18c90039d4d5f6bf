#!/usr/bin/env python3
"""Ends recon in the middle of its work, many times, and checks the files that remain.

tests/faults/faults.py kill RECON     SIGKILL at every output system call, for all formats; needs strace
tests/faults/faults.py signals RECON  SIGINT, SIGTERM, SIGHUP, SIGPIPE and SIGXCPU at random moments of all phases
tests/faults/faults.py scarce RECON   full disk, read-only folder, too little address space

Options: --trials N (at least this many, default 500 and 200), --seed S, --jobs J. Prints a table, one line per case,
and fails if an output is neither the old nor the new one, if anything is left after the next run, or if a signal is
answered late (--seconds, default 0.5).
"""
import argparse
import collections
import concurrent.futures
import hashlib
import json
import os
import random
import re
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time

CALLS = ["write", "pwrite64", "fsync", "rename", "link", "unlink", "fchmod", "flock", "ftruncate"]
FORMATS = ["nii", "nii.gz", "h5", "png", "npy", "cfl", "dcm"]
QUICK = ["--combine", "rss", "--iterations", "3", "--threads", "1", "--deterministic", "--device", "cpu", "--quiet",
         "--complex"]


def digest(path):
    with open(path, "rb") as file:
        return hashlib.sha256(file.read()).hexdigest()


def state(folder):
    """{name: digest} of all files in the folder."""
    return {name: digest(os.path.join(folder, name)) for name in sorted(os.listdir(folder))}


def files_of(name):
    return [name, name[:-4] + ".hdr"] if name.endswith(".cfl") else [name]


class Bench:
    def __init__(self, recon, work):
        self.recon, self.work = os.path.abspath(recon), work
        self.scan, self.other = os.path.join(work, "scan.h5"), os.path.join(work, "other.h5")
        for scan, seed in ((self.scan, "1"), (self.other, "2")):
            self.run(["simulate", scan, "--trajectory", "radial", "--matrix", "16", "--spokes", "12", "--coils", "2",
                      "--noise", "0.01", "--seed", seed, "--quiet"])

    def run(self, words, before=(), check=True):
        done = subprocess.run([*before, self.recon, *words], capture_output=True, text=True, stdin=subprocess.DEVNULL)
        if check and done.returncode != 0:
            raise SystemExit(f"recon {' '.join(words)}: status {done.returncode}\n{done.stderr}")
        return done


class Output:
    """A command that writes `files` in the folder that replaces the word FOLDER; UNIQUE is a name of this trial.
    Files are the same in every run, or else sound(bench, case, folder) says whether they are whole."""

    def __init__(self, name, words, files, sound=None):
        self.name, self.words, self.files, self.sound = name, words, files, sound

    def command(self, folder, scan):
        name = os.path.basename(folder)
        return [w.replace("FOLDER", folder).replace("SCAN", scan).replace("UNIQUE", name) for w in self.words]


def is_report(bench, case, folder):
    with open(os.path.join(folder, "y.json")) as file:
        return isinstance(json.load(file), dict)


def is_checkpoint(bench, case, folder):
    done = bench.run(case.command(folder, bench.scan), check=False)
    return done.returncode == 0 and not os.path.exists(os.path.join(folder, "state"))


def is_wisdom(bench, case, folder):
    return bench.run(["tune", "--show", "--wisdom", os.path.join(folder, "w.json")], check=False).returncode == 0


def outputs(replace):
    over = ["--overwrite"] if replace else []
    cases = [Output(f"image .{f}", ["run", "SCAN", "-o", f"FOLDER/y.{f}", *QUICK, *over], files_of(f"y.{f}"))
             for f in FORMATS]
    cases += [Output("image and sidecar", ["run", "SCAN", "-o", "FOLDER/y.nii.gz", "--bids", *QUICK, *over],
                     ["y.nii.gz", "y.json"]),
              Output("maps .cfl", ["maps", "SCAN", "-o", "FOLDER/y.cfl", "--quiet", "--threads", "1",
                                   "--calibrate", "walsh", "--device", "cpu", *over],
                     [*files_of("y.cfl"), "y.cfl.json"]),
              Output("density .npy", ["density", "SCAN", "-o", "FOLDER/y.npy", "--quiet", "--threads", "1", "--device",
                                      "cpu", *over], ["y.npy"]),
              Output("raw .h5", ["simulate", "FOLDER/y.h5", "--trajectory", "radial", "--matrix", "16", "--spokes", "8",
                                 "--coils", "2", "--quiet", "--threads", "1", *over], ["y.h5"]),
              Output("report", ["run", "SCAN", "-o", "/dev/shm/UNIQUE.npy", "--report", "FOLDER/y.json", *QUICK,
                                "--overwrite"], ["y.json"], sound=is_report),
              Output("checkpoint", ["run", "SCAN", "-o", "/dev/shm/UNIQUE.npy", "--checkpoint", "FOLDER/state",
                                    "--checkpoint-every", "1", *QUICK, "--tolerance", "0", "--overwrite"], ["state"],
                     sound=is_checkpoint),
              Output("wisdom", ["tune", "SCAN", "--wisdom", "FOLDER/w.json", "--seconds", "0.05", "--quiet", "--threads",
                                "1", "--device", "cpu"], ["w.json", "w.json.lock"], sound=is_wisdom)]
    return cases


def is_a_step(case, left, old, new, replace):
    """True if the files are those of a set in the process of being written: the first one is complete, and the others
    belong to it or are missing; if the first one is missing, the others are new.
    """
    first = case.files[0]
    if not set(left) <= set(case.files) or len(case.files) == 1 or (replace and first not in left):
        return False
    return any(left.items() <= whole.items() for whole in (old, new)) and (replace or first not in left or left == new)


def kill_trial(bench, case, replace, call, number):
    """One run that is killed at the number-th call of its kind. Returns (was killed, complaint)."""
    folder = tempfile.mkdtemp(dir=bench.work)
    name = os.path.basename(folder)

    try:
        if replace:
            bench.run(case.command(folder, bench.other))
        old = state(folder)
        done = bench.run(case.command(folder, bench.scan), check=False, before=[
            "strace", "-f", "-qq", "-o", "/dev/null", "-e", f"trace={call}",
            "-e", f"inject={call}:signal=SIGKILL:when={number}"])
        killed = done.returncode in (-signal.SIGKILL, 128 + signal.SIGKILL)
        if not killed and done.returncode != 0:
            return killed, f"status {done.returncode}: {done.stderr.strip()}"
        # The next run in that folder must clean up.
        bench.run(["density", bench.scan, "-o", os.path.join(folder, "next.npy"), "--quiet", "--threads", "1",
                   "--device", "cpu"])
        os.unlink(os.path.join(folder, "next.npy"))
        left = state(folder)
        # The same run, not killed, gives the complete output for comparison.
        if case.sound:
            whole = case.files[0] not in left or case.sound(bench, case, folder)
            lost = replace and case.files[0] in old and case.files[0] not in left
            return killed, "" if set(left) <= set(case.files) and whole and not lost else f"left {left}"
        shutil.rmtree(folder)
        os.mkdir(folder)
        if replace:
            bench.run(case.command(folder, bench.other))
        bench.run(case.command(folder, bench.scan))
        new = state(folder)
        if left not in (old, new) and not (killed and is_a_step(case, left, old, new, replace)):
            return killed, f"left {left}, old {old}, new {new}"
        if not killed and left != new:
            return killed, "finished without its output"
        return killed, ""
    finally:
        shutil.rmtree(folder, ignore_errors=True)
        if os.path.exists(f"/dev/shm/{name}.npy"):
            os.unlink(f"/dev/shm/{name}.npy")


def calls_of(bench, case, replace):
    """Number of times the run makes each call, in its main thread."""
    folder = tempfile.mkdtemp(dir=bench.work)
    name = os.path.basename(folder)
    log = os.path.join(bench.work, name + ".strace")
    try:
        if replace:
            bench.run(case.command(folder, bench.other))
        bench.run(case.command(folder, bench.scan), before=["strace", "-qq", "-o", log, "-e", "trace=" + ",".join(CALLS)])
        with open(log) as lines:
            return collections.Counter(m.group(1) for m in (re.match(r"(\w+)\(", line) for line in lines) if m)
    finally:
        shutil.rmtree(folder, ignore_errors=True)
        for path in (log, f"/dev/shm/{name}.npy"):
            if os.path.exists(path):
                os.unlink(path)


def kill(bench, arguments):
    trials = []
    for replace in (False, True):
        for case in outputs(replace):
            for call, count in calls_of(bench, case, replace).items():
                trials += [(case, replace, call, number) for number in range(1, count + 1)]
    # Every call once, and again until there are enough.
    trials *= -(-arguments.trials // len(trials))
    kills, complaints = collections.Counter(), []
    with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
        for trial, (killed, complaint) in zip(trials, pool.map(lambda t: kill_trial(bench, *t), trials)):
            case, replace, call, number = trial
            kills[case.name, "replaces" if replace else "new"] += killed
            if complaint:
                complaints.append(f"{case.name}, replace {replace}, {call} {number}: {complaint}")
    for (name, mode), count in sorted(kills.items()):
        print(f"{name:14} {mode:9} {count:5} kills")
    print(f"{len(trials)} trials, {sum(kills.values())} kills, {len(complaints)} complaints")
    return complaints


def signal_cases(bench, folder):
    image = ["-o", os.path.join(folder, "y.npy"), "--overwrite", "--quiet", "--device", "cpu", "--threads", "2"]
    big = os.path.join(bench.work, "big.h5")
    if not os.path.exists(big):
        bench.run(["simulate", big, "--trajectory", "radial", "--matrix", "256", "--spokes", "500", "--coils", "24",
                   "--quiet", "--seed", "3"])
    many = os.path.join(bench.work, "many.h5")
    if not os.path.exists(many):
        bench.run(["simulate", many, "--trajectory", "radial", "--matrix", "32", "--spokes", "60", "--coils", "64",
                   "--quiet", "--seed", "4"])
    return {"read and calibrate": (["run", big, *image], 4.0),
            "calibrate 64 channels": (["run", many, *image], 3.0),
            "solve": (["run", bench.scan, *image, "--combine", "rss", "--matrix", "300", "--regularizer", "tgv:1e-3",
                       "--iterations", "100000"], 3.0),
            "set up": (["run", bench.scan, *image, "--combine", "rss", "--matrix", "3000", "--iterations", "1"], 4.0),
            "write": (["run", bench.scan, "-o", os.path.join(folder, "y.nii.gz"), "--overwrite", "--quiet", "--device",
                       "cpu", "--solver", "gridding", "--combine", "none", "--matrix", "1500", "--complex"], 3.0),
            "checkpoint": (["run", bench.scan, *image, "--combine", "rss", "--matrix", "400", "--iterations", "100000",
                            "--tolerance", "0", "--checkpoint", os.path.join(folder, "state"), "--checkpoint-every",
                            "1"], 2.0),
            "tune": (["tune", big, "--level", "exhaustive", "--wisdom", os.path.join(folder, "w.json"), "--device",
                      "cpu", "--seconds", "100"], 3.0)}


def signals(bench, arguments):
    choose = random.Random(arguments.seed)
    folder = os.path.join(bench.work, "signals")
    os.mkdir(folder)
    cases = signal_cases(bench, folder)
    kinds = [signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGPIPE, signal.SIGXCPU]
    for kind in kinds:
        signal.signal(kind, signal.SIG_DFL)  # child processes keep the signals ignored that, for example, nohup ignores
    times, complaints = collections.defaultdict(list), []
    while sum(map(len, times.values())) < arguments.trials:
        name = choose.choice(sorted(cases))
        words, seconds = cases[name]
        kind, wait = choose.choice(kinds), choose.uniform(0.02, seconds)
        process = subprocess.Popen([bench.recon, *words], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                                   stderr=subprocess.PIPE, text=True)
        time.sleep(wait)
        if process.poll() is not None:
            process.communicate()
            continue
        process.send_signal(kind)
        start = time.monotonic()
        _, err = process.communicate()
        taken = time.monotonic() - start
        times[name].append(taken)
        left = set(os.listdir(folder)) - {"y.npy", "y.nii.gz", "state", "w.json", "w.json.lock"}
        # Before a program starts, the system's default action applies.
        answered = process.returncode in (130, 0) or (process.returncode == -kind and wait < 0.3)
        problems = [] if answered else [f"status {process.returncode} {err.strip()}"]
        problems += [f"left {left}"] if left else []
        problems += [f"answered after {taken:.2f} s"] if taken > arguments.seconds else []
        complaints += [f"{name}, {kind.name} after {wait:.2f} s: {p}" for p in problems]
        for old in os.listdir(folder):
            os.unlink(os.path.join(folder, old))
    for name, taken in sorted(times.items()):
        taken.sort()
        print(f"{name:22} {len(taken):4} signals, median {taken[len(taken) // 2]:.3f} s, longest {taken[-1]:.3f} s")
    print(f"{sum(map(len, times.values()))} signals, {len(complaints)} complaints")
    return complaints


def scarce(bench, arguments):
    complaints = []

    def expect(name, done, statuses, folder, names):
        lines = done.stderr.strip().splitlines()
        sound = done.returncode in statuses and sorted(os.listdir(folder)) == sorted(names)
        print(f"{name:40} status {done.returncode}  {lines[-1] if lines else ''}")
        if not sound:
            complaints.append(f"{name}: status {done.returncode}, left {os.listdir(folder)}: {done.stderr.strip()}")

    for case in outputs(True):
        folder = tempfile.mkdtemp(dir=bench.work)
        words = case.command(folder, bench.scan)
        bench.run(case.command(folder, bench.other))
        old = state(folder)
        full = subprocess.run([bench.recon, *words], capture_output=True, text=True,
                              preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (100, 100)))
        # Existing wisdom is not written again.
        expect(f"full disk, {case.name}", full, (0,) if case.name == "wisdom" else (4,), folder, old)
        if state(folder) != old:
            complaints.append(f"full disk, {case.name}: the old output has changed")
        if os.geteuid() != 0:
            os.chmod(folder, 0o555)
            expect(f"read-only folder, {case.name}", bench.run(words, check=False), (0, 4), folder, old)
            os.chmod(folder, 0o755)
        shutil.rmtree(folder)
    folder = tempfile.mkdtemp(dir=bench.work)
    for megabytes in (60, 100, 150, 200, 300, 400, 600, 1000):
        def limit(size=megabytes << 20):
            resource.setrlimit(resource.RLIMIT_AS, (size, size))
        done = subprocess.run([bench.recon, "run", bench.scan, "-o", os.path.join(folder, "y.npy"), "--matrix", "1200",
                               "--combine", "rss", "--quiet"], capture_output=True, text=True, preexec_fn=limit)
        # Below the memory that the libraries need, the system's loader fails with 127.
        expect(f"ulimit -v {megabytes} MB", done, (0, 4, 127), folder, ["y.npy"] if done.returncode == 0 else [])
        shutil.rmtree(folder)
        os.mkdir(folder)
    return complaints


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("kind", choices=["kill", "signals", "scarce"])
    parser.add_argument("recon")
    parser.add_argument("--trials", type=int)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--seconds", type=float, default=0.5)
    arguments = parser.parse_args()
    arguments.trials = arguments.trials or {"kill": 500, "signals": 200, "scarce": 1}[arguments.kind]
    with tempfile.TemporaryDirectory(prefix="larmor-faults-") as work:
        complaints = globals()[arguments.kind](Bench(arguments.recon, work), arguments)
    print("\n".join(complaints))
    sys.exit(bool(complaints))


if __name__ == "__main__":
    main()
