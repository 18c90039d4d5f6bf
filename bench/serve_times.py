#!/usr/bin/env python3
"""Latency of recon serve: from the last readout sent to the image received, on this machine.

A simulated scan is sent at the pace of a scanner, repetition after repetition, each taking --seconds from its first
to its last readout. Figures exclude the first image of the session, which also computes data that the following ones
reuse.

  rows      a table of protocols: median and 95th percentile of the latency
  rate      repetitions arrive in a steady stream for --minutes: images per second, latency, skipped images, memory
  clients   64 sessions at once, four of which are served at a time: images received, messages
  cycles    1000 sessions that are complete, aborted, killed, half open or slow: what the server holds before and after

Needs Python with NumPy and h5py.
  bench/serve_times.py rows build/cuda/apps/recon --device cuda --json bench/results/serve_device.json
"""
import argparse
import datetime
import json
import os
import pathlib
import select
import signal
import socket
import struct
import subprocess
import tempfile
import threading
import time

import h5py
import numpy as np

PROTOCOLS = {
    "radial 240², 96 spokes, 8 coils": "--trajectory radial --matrix 240 --spokes 96 --coils 8 --noise 0.02",
    "kooshball 192³, 22000 spokes, 16 coils":
        "--trajectory kooshball --matrix 192 --spokes 22000 --coils 16 --noise 0.01",
    "radial 192², 48 spokes, 16 coils": "--trajectory radial --matrix 192 --spokes 48 --coils 16 --noise 0.02",
    "spiral 128², 16 coils": "--trajectory spiral --matrix 128 --coils 16 --noise 0.02",
    "radial 32², 4 coils": "--trajectory radial --matrix 32 --coils 4 --noise 0.02",
}
MIDDLE, STREAMED, SMALL, TINY = list(PROTOCOLS)[0], list(PROTOCOLS)[2:4], list(PROTOCOLS)[3], list(PROTOCOLS)[4]
LAST_IN_REPETITION = 1 << 14 - 1
ACQUISITION, IMAGE, TEXTS, CLOSE = 1008, 1022, (2, 3, 5), 4
ACQUISITION_HEAD, REPETITION, IMAGE_HEAD = 340, 2 + 254, 198


class Protocol:
    """The messages of a scan; its readouts can be given any repetition."""

    def __init__(self, recon, folder, options):
        scan = pathlib.Path(folder) / f"{abs(hash(options))}.h5"
        if not scan.exists():
            subprocess.run([recon, "simulate", scan, *options.split(), "-q"], check=True)
        with h5py.File(scan) as file:
            xml = bytes(file["dataset/xml"][0])
            rows = file["dataset/data"][...]
        self.begin = struct.pack("<HI", 3, len(xml)) + xml
        self.fixed, self.readouts = [], []
        for head, trajectory, data in zip(rows["head"], rows["traj"], rows["data"]):
            packed = bytearray(struct.pack("<H", ACQUISITION) + flattened(head) + trajectory.tobytes() + data.tobytes())
            assert len(flattened(head)) == ACQUISITION_HEAD
            (self.fixed if int(head["flags"]) & (1 << 18) else self.readouts).append(packed)
        flags = struct.unpack_from("<Q", self.readouts[-1], 4)[0]
        struct.pack_into("<Q", self.readouts[-1], 4, flags | LAST_IN_REPETITION)

    def repetition(self, number):
        for readout in self.readouts:
            struct.pack_into("<H", readout, REPETITION, number % 65536)
        return b"".join(self.readouts[:-1]), bytes(self.readouts[-1])


def flattened(record):
    """A record of the file in the order of its fields, without the gaps between them."""
    if record.dtype.names is None:
        return record.tobytes()
    return b"".join(flattened(record[name]) for name in record.dtype.names)


class Client:
    def __init__(self, port, protocol, config="default"):
        self.socket = socket.create_connection(("127.0.0.1", port))
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.stream = self.socket.makefile("rb")
        self.texts = []
        self.send(struct.pack("<H1024s", 1, config.encode()) + protocol.begin + b"".join(protocol.fixed))

    def send(self, data):
        self.socket.sendall(data)

    def close(self):
        self.send(struct.pack("<H", CLOSE))

    def image(self):
        """The next image's repetition, or None if the server closes the connection."""
        while True:
            kind = self.stream.read(2)
            if len(kind) < 2 or kind == struct.pack("<H", CLOSE):
                return None
            kind = struct.unpack("<H", kind)[0]
            if kind in TEXTS:
                self.texts.append(self.stream.read(struct.unpack("<I", self.stream.read(4))[0]).decode())
                continue
            assert kind == IMAGE, kind
            head = self.stream.read(IMAGE_HEAD)
            self.stream.read(struct.unpack("<Q", self.stream.read(8))[0])
            kind, x, y, z, channels = struct.unpack_from("<H", head, 2) + struct.unpack_from("<3H", head, 16) + \
                struct.unpack_from("<H", head, 34)
            self.stream.read(x * y * z * channels * {2: 2, 5: 4, 7: 8}[kind])
            return struct.unpack_from("<H", head, 104)[0]


class Server:
    def __init__(self, arguments, *options):
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        self.log = tempfile.NamedTemporaryFile("w")
        words = [arguments.recon, "serve", "--port", str(self.port), "--device", arguments.device, *options]
        if arguments.threads:
            words += ["--threads", str(arguments.threads)]
        self.process = subprocess.Popen(words, stderr=self.log)
        while True:
            try:
                return socket.create_connection(("127.0.0.1", self.port)).close()
            except ConnectionRefusedError:
                time.sleep(0.05)

    def holds(self):
        """Open files, child processes, and resident bytes."""
        place = pathlib.Path(f"/proc/{self.process.pid}")
        resident = int((place / "statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")
        children = (place / f"task/{self.process.pid}/children").read_text().split()
        return {"files": len(list((place / "fd").iterdir())), "children": len(children), "bytes": resident}

    def session_of(self, client):
        """The process that serves a client: the one that holds the other end of its connection."""
        here, there = (f":{port:04X}" for port in (self.port, client.socket.getsockname()[1]))
        while True:
            rows = [line.split() for line in pathlib.Path("/proc/net/tcp").read_text().splitlines()[1:]]
            ends = [f"socket:[{row[9]}]" for row in rows if row[1].endswith(here) and row[2].endswith(there)]
            for child in pathlib.Path(f"/proc/{self.process.pid}/task/{self.process.pid}/children").read_text().split():
                try:
                    if ends and os.readlink(f"/proc/{child}/fd/0") == ends[0]:
                        return int(child)
                except OSError:  # it has ended
                    pass
            time.sleep(0.01)

    def events(self, name):
        lines = pathlib.Path(self.log.name).read_text().splitlines()
        return [event for event in map(json.loads, lines) if event["event"] == name]

    def stop(self):
        self.process.terminate()
        assert self.process.wait(30) == 0


def summary(seconds):
    return {"median_s": round(float(np.median(seconds)), 4), "p95_s": round(float(np.percentile(seconds, 95)), 4),
            "images": len(seconds), "images_per_s": None}


def latency(port, protocol, repetitions, seconds):
    """One repetition after another, each spread over the time that a scanner takes for it."""
    client, taken = Client(port, protocol), []
    for number in range(repetitions):
        most, last = protocol.repetition(number)
        begin = time.perf_counter()
        pieces = [most[i:i + len(most) // 50 + 1] for i in range(0, len(most), len(most) // 50 + 1)]
        for i, piece in enumerate(pieces):
            client.send(piece)
            time.sleep(max(0, begin + seconds * (i + 1) / len(pieces) - time.perf_counter()))
        sent = time.perf_counter()
        client.send(last)
        assert client.image() == number, client.texts
        taken.append(time.perf_counter() - sent)
    client.close()
    assert client.image() is None
    return {"first_s": round(taken[0], 3), **summary(taken[1:])}


def rows(arguments, protocols):
    for name in protocols:
        server = Server(arguments)
        row = latency(server.port, protocol_of(arguments, name), arguments.repetitions, arguments.seconds)
        server.stop()
        solving = [event["seconds"] for event in server.events("images")[1:]]
        yield {"protocol": name, **row, "of_it_solving_s": round(float(np.median(solving)), 4)}


def rate(arguments, protocols):
    for name in protocols:
        protocol = protocol_of(arguments, name)
        recipes = pathlib.Path(arguments.folder)
        (recipes / "live.toml").write_text("real-time = true\n")
        server = Server(arguments, "--recipes", str(recipes))
        client, sent, received = Client(server.port, protocol, "live"), {}, {}

        def receive():
            while (number := client.image()) is not None:
                received[number] = time.perf_counter()

        reader = threading.Thread(target=receive)
        reader.start()
        count = round(arguments.minutes * 60 * arguments.rate)
        most, last = protocol.repetition(0)
        client.send(most + last)
        sent[0] = time.perf_counter()
        while 0 not in received:
            time.sleep(0.01)
        begin = time.perf_counter()
        for number in range(1, count + 1):
            most, last = protocol.repetition(number)
            time.sleep(max(0, begin + number / arguments.rate - time.perf_counter()))
            client.send(most + last)
            sent[number] = time.perf_counter()
        lasted = time.perf_counter() - begin
        client.close()
        reader.join()
        server.stop()
        taken = [received[i] - sent[i] for i in received if i > 0]
        yield {"protocol": name, "asked_per_s": arguments.rate, "sent": count, "texts": client.texts,
               "peak_bytes": server.events("end")[-1]["peak_bytes"], **summary(taken),
               "images_per_s": round(len(taken) / lasted, 1)}


def clients(arguments, protocols):
    server = Server(arguments, "--sessions", "4")
    texts = []
    names = [MIDDLE, SMALL]
    all_protocols = [protocol_of(arguments, name) for name in names]
    streams = [[b"".join(p.repetition(i)) for i in range(3)] for p in all_protocols]

    def session(i):
        client = Client(server.port, all_protocols[i % 2])
        for repetition in streams[i % 2]:
            client.send(repetition)
        client.close()
        while client.image() is not None:
            received[i] += 1
        texts.extend(client.texts)

    received = [0] * 64
    begin = time.perf_counter()
    threads = [threading.Thread(target=session, args=(i,)) for i in range(64)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    yield {"protocol": " and ".join(names), "clients": 64, "images": sum(received), "expected": 64 * 3,
           "seconds": round(time.perf_counter() - begin, 1), "texts": sorted(set(texts)),
           "largest_session_bytes": max(event["peak_bytes"] for event in server.events("end"))}
    server.stop()


def cycles(arguments, protocols):
    """Sessions of five kinds, eight at once: complete, aborted by the client, killed, half open, and slow."""
    time_out = 1
    server = Server(arguments, "--sessions", "8", "--time-out", str(time_out))
    protocol = protocol_of(arguments, TINY)
    most, last = protocol.repetition(0)
    kinds, wrong, seconds = ["complete", "aborted", "killed", "half open", "slow"], [], {}

    def once(kind):
        client = Client(server.port, protocol)
        if kind == "complete":
            client.send(most + last)
            client.close()
            return client.image() == 0 and client.image() is None
        client.send(most + last[:len(last) // 2])
        if kind == "aborted":
            client.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))  # reset
            client.stream.close()
            client.socket.close()
            return True
        if kind == "killed":
            os.kill(server.session_of(client), signal.SIGKILL)
        for i in range(len(last) // 2, len(last)) if kind == "slow" else ():
            try:
                client.send(last[i:i + 1])
            except OSError:
                break
            if select.select([client.socket], [], [], time_out / 10)[0]:
                break
        while client.image() is not None:  # one of the readouts that have arrived
            pass
        return any(("signal 9" if kind == "killed" else "nothing arrived") in text for text in client.texts)

    def several(first, count):
        for i in range(first, count, 8):
            begin = time.perf_counter()
            try:
                good = once(kinds[i % 5])
            except (OSError, AssertionError, ValueError) as error:
                good = repr(error)
            seconds.setdefault(kinds[i % 5], []).append(time.perf_counter() - begin)
            if good is not True:
                wrong.append((i, kinds[i % 5], good))

    def at_once(count):
        threads = [threading.Thread(target=several, args=(i, count)) for i in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        while server.holds()["children"] > 0:
            time.sleep(0.1)
        time.sleep(1)

    at_once(40)
    before, begin = server.holds(), time.perf_counter()
    seconds.clear()
    at_once(1000)
    yield {"protocol": TINY, "cycles": 1000, "seconds": round(time.perf_counter() - begin, 1), "wrong": len(wrong), "first_wrong": wrong[:5],
           "median_s": {kind: round(float(np.median(found)), 3) for kind, found in seconds.items()},
           "before": before, "after": server.holds(), "crashed": len(server.events("crashed"))}
    server.stop()


def protocol_of(arguments, name):
    return Protocol(arguments.recon, arguments.folder, PROTOCOLS[name])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=["rows", "rate", "clients", "cycles"])
    parser.add_argument("recon")
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--threads", type=int, default=0)
    parser.add_argument("--repetitions", type=int, default=21)
    parser.add_argument("--seconds", type=float, default=0.5, help="from the first to the last readout of an image")
    parser.add_argument("--rate", type=float, default=50, help="repetitions a second")
    parser.add_argument("--minutes", type=float, default=5)
    parser.add_argument("--only", help="protocols whose names contain this")
    parser.add_argument("--on", default="", help="the machine's name, for the results")
    parser.add_argument("--json")
    arguments = parser.parse_args()
    arguments.recon = str(pathlib.Path(arguments.recon).resolve())
    listed = list(PROTOCOLS)[:4] if arguments.what == "rows" else STREAMED
    with tempfile.TemporaryDirectory() as arguments.folder:
        found = []
        for row in globals()[arguments.what](arguments, [n for n in listed if not arguments.only or arguments.only in n]):
            print(json.dumps(row, ensure_ascii=False), flush=True)
            found.append({"what": arguments.what, "device": arguments.device, "on": arguments.on, **row})
        if arguments.json:
            words = ["git", "-C", str(pathlib.Path(__file__).parent), "rev-parse", "--short=8", "HEAD"]
            commit = subprocess.run(words, capture_output=True, text=True).stdout.strip()
            results = {"date": datetime.date.today().isoformat(), "commit": commit, "hardware": arguments.on, "rows": found}
            pathlib.Path(arguments.json).write_text(json.dumps(results, indent=1, ensure_ascii=False) + "\n")


if __name__ == "__main__":
    main()
