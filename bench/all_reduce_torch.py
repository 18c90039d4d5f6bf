#!/usr/bin/env python3
"""All-reduce between the GPUs of a machine by torch.distributed, one process per GPU: the reference for the rows of
bench/scaling. Multicast stays off, as in Larmor.

  bench/all_reduce_torch.py --gpus 2 --json FILE
"""
import argparse
import json
import os
import statistics
import time

os.environ.setdefault("NCCL_NVLS_ENABLE", "0")
import torch
import torch.distributed
import torch.multiprocessing


def measure(rank, gpus, path):
    torch.cuda.set_device(rank)
    os.environ.update(MASTER_ADDR="127.0.0.1", MASTER_PORT="29517")
    torch.distributed.init_process_group("nccl", rank=rank, world_size=gpus, device_id=torch.device("cuda", rank))
    rows = []
    for power in (13, 16, 19, 22, 25, 27, 29, 30):
        values = torch.zeros(2**power // 4, device="cuda")
        inner = 50 if power < 20 else 5
        times = []
        for repeat in range(4):
            torch.cuda.synchronize()
            torch.distributed.barrier()
            torch.cuda.synchronize()
            begin = time.perf_counter()
            for _ in range(inner):
                torch.distributed.all_reduce(values)
            torch.cuda.synchronize()
            slowest = torch.tensor([time.perf_counter() - begin], device="cuda", dtype=torch.float64)
            torch.distributed.all_reduce(slowest, torch.distributed.ReduceOp.MAX)
            if repeat > 0:
                times.append(slowest.item() / inner)
        time_of_one = statistics.median(times)
        rate = 2 * (gpus - 1) / gpus * 2**power / time_of_one
        rows.append({"bytes": 2**power, "ms": 1e3 * time_of_one, "bus_gb_per_s": 1e-9 * rate})
        if rank == 0:
            print(f"all-reduce {2**power:11} B {1e3 * time_of_one:9.4f} ms {1e-9 * rate:8.1f} GB/s")
    if rank == 0:
        version = ".".join(map(str, torch.cuda.nccl.version()))
        print("torch", torch.__version__, "NCCL", version)
        if path:
            with open(path, "w") as file:
                json.dump({"torch": torch.__version__, "nccl": version, "gpus": gpus, "all_reduce": rows}, file, indent=1)
    torch.distributed.destroy_process_group()


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--gpus", type=int, default=torch.cuda.device_count())
    parser.add_argument("--json", default="")
    words = parser.parse_args()
    torch.multiprocessing.spawn(measure, args=(words.gpus, words.json), nprocs=words.gpus)
