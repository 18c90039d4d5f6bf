"""Other libraries in the process, with their own FFTW, HDF5 and thread pools, imported before or after."""
import importlib.util
import itertools
import subprocess
import sys

import pytest

program = """
import sys, numpy as np
for name in sys.argv[1:]:
    __import__(name)
import larmor, larmor.finufft
rng = np.random.default_rng(5)
points = rng.uniform(-0.5, 0.5, (500, 2))
x = (rng.standard_normal((20, 24)) + 1j * rng.standard_normal((20, 24))).astype(np.complex64)
A = larmor.Nufft(points, x.shape, order="xyz")
before = A.N @ x
if "finufft" in sys.argv:
    import finufft
    finufft.nufft2d2(*(points.T * 6), x.astype(np.complex128))
if "h5py" in sys.argv:
    import h5py, tempfile, os
    with tempfile.TemporaryDirectory() as folder:
        scan, _, _ = larmor.simulate("radial", 24, coils=2)
        path = os.path.join(folder, "scan.h5")
        scan.write(path)
        with h5py.File(path) as file:
            assert len(file["dataset"]["data"]) == len(scan) == len(larmor.read_ismrmrd(path))
else:
    import tempfile, os
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "scan.h5")
        larmor.simulate("radial", 24, coils=2)[0].write(path)
        larmor.read_ismrmrd(path)
    if sys.argv[1:] == []:
        assert "libhdf5" not in open("/proc/self/maps").read()
if "torch" in sys.argv:
    import torch
    torch.fft.fftn(torch.ones(64, 64))
if "scipy.fft" in sys.argv:
    import scipy.fft
    scipy.fft.fftn(x)
if "pyfftw" in sys.argv:
    import pyfftw
    pyfftw.interfaces.numpy_fft.fftn(x, threads=2)
assert np.array_equal(A.N @ x, before)
sys.stdout.buffer.write(before.tobytes())
"""

others = [name for name in ("finufft", "scipy.fft", "h5py", "torch", "pyfftw")
          if importlib.util.find_spec(name.partition(".")[0])]


def result(names):
    return subprocess.run([sys.executable, "-c", program, *names], check=True, capture_output=True).stdout


@pytest.mark.skipif(not others, reason="none of the other libraries is installed")
def test_same_bits_in_any_company():
    alone = result([])
    assert len(alone) == 20 * 24 * 8
    orders = [others, others[::-1], ["larmor", *others]]
    orders += [list(pair) for pair in itertools.permutations(others, 2)] if len(others) < 4 else []
    for names in orders:
        assert result(names) == alone, names
