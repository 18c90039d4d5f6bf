"""Several processes that work together: started here, or by mpirun, with TCP or mpi4py between them."""
import os
import pathlib
import shutil
import signal
import socket
import subprocess
import sys
import time

import numpy as np
import pytest

import larmor

PROGRAM = pathlib.Path(__file__).parent / "rank_program.py"


def free_port():
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


def started(what, folder, size, **more):
    """The ranks, as torchrun would start them."""
    port = free_port() - 1
    ranks = []
    for rank in range(size):
        environment = dict(os.environ, RANK=str(rank), WORLD_SIZE=str(size), MASTER_ADDR="127.0.0.1",
                           MASTER_PORT=str(port), EXPECTED=str(size), LARMOR_MEETING_SECONDS="30", **more)
        environment["PYTHONPATH"] = str(pathlib.Path(larmor.__file__).parents[1])
        ranks.append(subprocess.Popen([sys.executable, PROGRAM, what, str(folder)], env=environment, text=True,
                                      stdout=subprocess.PIPE, stderr=subprocess.PIPE))
    return ranks


def ended(ranks):
    said = [rank.communicate(timeout=120) for rank in ranks]
    return [rank.returncode for rank in ranks], said


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("ranks")
    larmor.simulate("radial", 32, coils=4, readouts=60, noise=0.005)[0].write(folder / "scan.h5")
    return folder


@pytest.mark.parametrize("what", ["arrays", "operators", "scans"])
@pytest.mark.parametrize("size", [2, 3])
def test_ranks_make_what_one_makes(what, size, folder):
    statuses, said = ended(started(what, folder, size))
    assert statuses == [0] * size, said
    assert said[0][0].strip() == f"{what}: rank 0 of {size}, by TCP"


def test_one_process_is_a_rank_too(folder):
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("OMPI", "SLURM", "PMI"))}
    environment["PYTHONPATH"] = str(pathlib.Path(larmor.__file__).parents[1])
    for what in ("arrays", "operators"):
        run = subprocess.run([sys.executable, PROGRAM, what, str(folder)], env=environment, text=True, capture_output=True)
        assert run.returncode == 0, run.stderr


def test_an_error_of_one_reaches_all(folder):
    statuses, said = ended(started("fails", folder, 3))
    assert statuses == [1, 1, 1]
    assert "larmor.errors.UsageError: regularizer 'l2:-1'" in said[1][1]
    for rank in (0, 2):
        assert "larmor.errors.RankLost: rank 1: regularizer 'l2:-1'" in said[rank][1]


@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGKILL])
def test_who_waits_for_another_is_not_lost(how, folder):
    ranks = started("waits", folder, 2)
    for rank in ranks:
        assert rank.stdout.readline() == "waits\n"
    time.sleep(0.2)
    begun = time.monotonic()
    ranks[0 if how == signal.SIGINT else 1].send_signal(how)
    ranks[0].wait(30)
    assert time.monotonic() - begun < 10
    reason = "KeyboardInterrupt" if how == signal.SIGINT else "RankLost: rank 1: its process has ended before its time"
    assert reason in ranks[0].communicate()[1]
    ranks[1].kill()
    ranks[1].communicate()


def mpirun(size, *words):
    pytest.importorskip("mpi4py")
    if shutil.which("mpirun") is None:
        pytest.skip("there is no mpirun")
    environment = dict(os.environ, OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1", EXPECTED=str(size))
    environment["PYTHONPATH"] = os.pathsep.join([str(pathlib.Path(larmor.__file__).parents[1]),
                                                 environment.get("PYTHONPATH", "")])
    return subprocess.run(["mpirun", "--oversubscribe", "-n", str(size), sys.executable, PROGRAM, *words], text=True,
                          capture_output=True, env=environment, timeout=120)


@pytest.mark.parametrize("what", ["arrays", "operators", "scans"])
@pytest.mark.parametrize("way", ["mpi4py", "TCP"])
def test_ranks_of_mpirun(way, what, folder):
    run = mpirun(2, what, str(folder), *(["--mpi4py"] if way == "mpi4py" else []))
    assert run.returncode == 0, run.stderr
    assert f"{what}: rank 1 of 2, by {way}" in run.stdout


def test_what_is_wrong_is_said():
    with pytest.raises(larmor.UsageError, match="are given together"):
        larmor.init_distributed(rank=0)
    with pytest.raises(larmor.UsageError, match="expected host:port"):
        larmor.init_distributed(rank=0, size=2, address="node")
    with pytest.raises(larmor.UsageError, match="expected a communicator of mpi4py"):
        larmor.init_distributed("world")
    with pytest.raises(larmor.ResourceError, match="rank 1 of 2 did not come to 127.0.0.1:[0-9]+ within 1 s"):
        larmor.init_distributed(rank=0, size=2, address=f"127.0.0.1:{free_port()}", seconds=1)
    with pytest.raises(larmor.UsageError, match="expected what init_distributed"):
        larmor.reconstruct(larmor.simulate(matrix=16, coils=2)[0], ranks=2)
    with pytest.raises(larmor.UsageError, match="rank 2 of 2"):
        larmor.init_distributed(rank=2, size=2, address="127.0.0.1:1")
    alone = larmor.init_distributed(rank=0, size=1, address=f"127.0.0.1:{free_port()}")
    assert (alone.rank, alone.size, alone.share(3)) == (0, 1, slice(0, 3))
    x = np.ones(4, np.complex64)
    assert (alone.rows(larmor.Identity(4)).H @ x == x).all()
