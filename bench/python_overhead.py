#!/usr/bin/env python3
"""What a call from Python costs beside the work: operators so small that there is next to none."""
import time

import numpy as np

import larmor


def microseconds(call, calls=2000, rounds=30):
    """The best of some rounds."""
    best = float("inf")
    for _ in range(rounds):
        start = time.perf_counter()
        for _ in range(calls):
            call()
        best = min(best, time.perf_counter() - start)
    return best / calls * 1e6


context = larmor.Context(threads=1)
x, y = np.zeros(4, np.complex64), np.empty(1, np.complex64)
F = larmor.Nufft(np.zeros((1, 1)), (4,), context=context)
print(f"NumPy, Nufft of 4 pixels and 1 sample, out=: {microseconds(lambda: F.apply(x, out=y)):.2f} us")
print(f"NumPy, Nufft of 4 pixels and 1 sample, new array: {microseconds(lambda: F @ x):.2f} us")
try:
    import torch
except ImportError:
    pass
else:
    image, samples = torch.from_numpy(x), torch.from_numpy(y)
    print(f"PyTorch, the same, out=: {microseconds(lambda: F.apply(image, out=samples)):.2f} us")
    print(f"PyTorch, the same, new tensor: {microseconds(lambda: F @ image):.2f} us")
