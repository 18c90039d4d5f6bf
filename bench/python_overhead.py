#!/usr/bin/env python3
"""Cost of a call from Python apart from the computation: operators so small that there is hardly any. On a GPU also the
set-up of an operator from a trajectory on the device, and leading axes of tensors in addition to coils.
"""
import time

import numpy as np

import larmor


def microseconds(call, calls=2000, rounds=30):
    """The minimum of several rounds."""
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
    torch = None
else:
    image, samples = torch.from_numpy(x), torch.from_numpy(y)
    print(f"PyTorch, the same, out=: {microseconds(lambda: F.apply(image, out=samples)):.2f} us")
    print(f"PyTorch, the same, new tensor: {microseconds(lambda: F @ image):.2f} us")
if larmor.cuda_device_count() > 0:
    # For comparison, a call with minimal work on the device: PyTorch's sum of 4 numbers, including the wait
    # for it.
    device = larmor.Context("cuda", threads=1)
    A = larmor.Identity((4,), context=device)
    if torch is not None and torch.cuda.is_available():
        image = torch.zeros(4, dtype=torch.complex64, device="cuda")
        samples = torch.empty_like(image)

        def waited():
            torch.add(image, image, out=samples)
            torch.cuda.synchronize()

        print(f"PyTorch on a GPU, Identity of 4 pixels, out=: {microseconds(lambda: A.apply(image, out=samples)):.2f} us")
        print(f"PyTorch on a GPU, the same, new tensor: {microseconds(lambda: A @ image):.2f} us")
        print(f"PyTorch's own sum of 4 numbers, waited for: {microseconds(waited):.2f} us")
    try:
        import cupy
    except ImportError:
        pass
    else:
        image = cupy.zeros(4, np.complex64)
        samples = cupy.empty_like(image)
        print(f"CuPy, the same, out=: {microseconds(lambda: A.apply(image, out=samples)):.2f} us")
        print(f"CuPy, the same, new array: {microseconds(lambda: A @ image):.2f} us")
        for shape, samples, coils in (((256, 256), 402 * 512, 32), ((128, 128, 128), 1600000, 8)):
            k = cupy.random.uniform(-0.5, 0.5, (samples, len(shape)))
            x = cupy.zeros((coils, *shape), np.complex64)
            F = larmor.Nufft(k, shape, order="xyz", coils=coils)
            y = F @ x
            made = microseconds(lambda: larmor.Nufft(k, shape, order="xyz", coils=coils), calls=3, rounds=5)
            host = k.get()
            copied = microseconds(lambda: larmor.Nufft(host, shape, order="xyz", coils=coils, device="cuda"), calls=3, rounds=5)
            print(f"CuPy, Nufft of {samples} points, {shape}, {coils} coils: made in {made / 1e3:.3f} ms ({copied / 1e3:.3f} of NumPy's), "
                  f"forward {microseconds(lambda: F.apply(x, out=y), 3, 5) / 1e3:.3f} ms, "
                  f"adjoint {microseconds(lambda: F.adjoint(y, out=x), 3, 5) / 1e3:.3f} ms")
    if torch is not None and torch.cuda.is_available():
        from larmor.torch import Nufft
        k = torch.rand((402 * 512, 2), device="cuda", dtype=torch.float64) - 0.5
        x = torch.zeros((32, 256, 256), device="cuda", dtype=torch.complex64)
        for name, F in (("leading axis", Nufft(k, (256, 256), order="xyz")), ("coils", Nufft(k, (256, 256), order="xyz", coils=32))):
            F(x)
            print(f"PyTorch, 32 images of 256 x 256 as {name}: {microseconds(lambda: F(x), calls=3, rounds=5) / 1e3:.3f} ms")
