"""Larmor's transforms in a separate process."""
import json
import subprocess


class Worker:
    """nufft_worker, which is idle while others run."""

    def __init__(self, program):
        self.process = subprocess.Popen([program], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def __call__(self, do, **command):
        self.process.stdin.write(json.dumps({"do": do, **command}) + "\n")
        self.process.stdin.flush()
        answer = json.loads(self.process.stdout.readline())
        if "error" in answer:
            raise ValueError(answer["error"])
        return answer

    def close(self):
        self.process.stdin.close()
        self.process.wait()
