import os
import pathlib
import subprocess
import threading

import numpy as np
import pytest

import larmor


@pytest.fixture
def rng():
    return np.random.default_rng(7)


@pytest.fixture(scope="session")
def scan_file(tmp_path_factory):
    """A simulated scan, its true image and maps."""
    path = tmp_path_factory.mktemp("scan") / "scan.h5"
    scan, truth, maps = larmor.simulate("radial", 48, coils=4, readouts=30, noise=0.005)
    scan.write(path)
    return path, truth, maps


def program(name):
    """A program of the build folder that LARMOR_BUILD names, beside which the package was built."""
    folder = os.environ.get("LARMOR_BUILD")
    if folder is None:
        pytest.skip("LARMOR_BUILD names no build folder to compare with")
    return pathlib.Path(folder) / name


@pytest.fixture
def recon():
    path = program("apps/recon")
    return lambda *words: subprocess.run([path, *map(str, words)], check=True, capture_output=True, text=True)


@pytest.fixture
def reference():
    path = program("tests/capi/larmor_reference")
    return lambda folder: subprocess.run([path, folder], check=True)


def in_threads(work, numbers):
    """Calls work(number) in a thread of its own for each number, and waits for a minute at most."""
    threads = [threading.Thread(target=work, args=(number,), daemon=True) for number in numbers]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)


def random_complex(rng, shape, dtype=np.complex64):
    return (rng.standard_normal(shape) + 1j * rng.standard_normal(shape)).astype(dtype)


def pytest_configure(config):
    config.addinivalue_line("markers", "gpu: needs a GPU")


def pytest_collection_modifyitems(items):
    """Without a GPU its tests are skipped; with LARMOR_REQUIRE_GPU=1 they fail then."""
    if os.environ.get("LARMOR_REQUIRE_GPU") == "1" or larmor.cuda_device_count() > 0:
        return
    for item in items:
        if item.get_closest_marker("gpu"):
            item.add_marker(pytest.mark.skip(reason="there is no GPU, or the module was built without CUDA"))
