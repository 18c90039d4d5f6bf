"""Several processes that work together, started by mpirun."""
import os
import pathlib
import shutil
import subprocess
import sys

import numpy as np
import pytest

import larmor

PROGRAM = pathlib.Path(__file__).parent / "rank_program.py"


def mpirun(size, *words):
    pytest.importorskip("mpi4py")
    if shutil.which("mpirun") is None:
        pytest.skip("there is no mpirun")
    environment = dict(os.environ, OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1", EXPECTED=str(size))
    environment["PYTHONPATH"] = os.pathsep.join([str(pathlib.Path(larmor.__file__).parents[1]),
                                                 environment.get("PYTHONPATH", "")])
    return subprocess.run(["mpirun", "--oversubscribe", "-n", str(size), sys.executable, PROGRAM, *words], text=True,
                          capture_output=True, env=environment, timeout=120)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("ranks")
    larmor.simulate("radial", 32, coils=4, readouts=60, noise=0.005)[0].write(folder / "scan.h5")
    return folder


@pytest.mark.parametrize("what", ["arrays", "operators", "scans"])
@pytest.mark.parametrize("size", [2, 3])
def test_ranks_make_what_one_makes(what, size, folder):
    run = mpirun(size, what, str(folder))
    assert run.returncode == 0, run.stderr
    for rank in range(size):
        assert f"{what}: rank {rank} of {size}, by mpi4py" in run.stdout


def test_an_error_of_one_ends_all(folder):
    run = mpirun(3, "fails", str(folder))
    assert run.returncode == 1, run.stderr
    assert "rank 1: regularizer 'l2:-1'" in run.stderr


def test_what_is_wrong_is_said():
    with pytest.raises(larmor.UsageError, match="expected a communicator of mpi4py"):
        larmor.init_distributed("world")
    with pytest.raises(larmor.UsageError, match="expected the result of init_distributed"):
        larmor.reconstruct(larmor.simulate(matrix=16, coils=2)[0], ranks=2)


def test_one_process_is_a_rank_too():
    MPI = pytest.importorskip("mpi4py.MPI")
    alone = larmor.init_distributed(MPI.COMM_SELF)
    assert (alone.rank, alone.size, alone.share(3)) == (0, 1, slice(0, 3))
    x = np.ones(4, np.complex64)
    assert (alone.rows(larmor.Identity(4)).H @ x == x).all()
