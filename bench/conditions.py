"""Date, commit and processor of a measurement, in the form that scripts/draw-benchmarks requires in every file."""
import datetime
import pathlib
import platform
import subprocess


def conditions():
    root = pathlib.Path(__file__).parent
    commit = subprocess.run(["git", "-C", root, "rev-parse", "--short", "HEAD"], capture_output=True, text=True).stdout.strip()
    processor = next((line.split(":")[1].strip() for line in open("/proc/cpuinfo") if line.startswith("model name")),
                     platform.machine())
    return {"date": datetime.date.today().isoformat(), "commit": commit, "processor": processor}
