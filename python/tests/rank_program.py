"""Started by test_ranks.py through mpirun as several processes: ranks that compare their joint results with those of one
process."""
import os
import sys

import numpy as np

import larmor


def difference(a, b):
    return np.linalg.norm(a - b) / np.linalg.norm(b)


def arrays(ranks, folder):
    for dtype in (np.float32, np.float64, np.complex64, np.complex128):
        values = np.full((3, 200001), ranks.rank + 1, dtype)
        assert ranks.all_reduce(values) is values
        assert (values == ranks.size * (ranks.size + 1) / 2).all()
    assert ranks.all_reduce(np.array([float(-ranks.rank)]), maximum=True)[0] == 0
    for root in range(ranks.size):
        values = np.full(5, ranks.rank, np.float32)
        assert (ranks.broadcast(values, root) == root).all()
    parts = [range(10)[larmor.Ranks.share(ranks, 10)]]
    assert len(parts[0]) in (10 // ranks.size, 10 // ranks.size + 1)
    ranks.barrier()
    for wrong in (lambda: ranks.all_reduce(np.zeros(3, np.int32)), lambda: ranks.broadcast(np.zeros(3), ranks.size),
                  lambda: ranks.all_reduce(np.zeros(3, np.complex64), maximum=True), lambda: ranks.share(-1)):
        try:
            wrong()
        except larmor.UsageError:
            continue
        raise AssertionError("a wrong call was let pass")
    ranks.barrier()


def operators(ranks, folder):
    rng = np.random.default_rng(3)
    shape, coils = (24, 20), 6
    points = rng.uniform(-0.5, 0.5, (400, 2))
    maps = (rng.standard_normal((coils, *shape)) + 1j * rng.standard_normal((coils, *shape))).astype(np.complex64)
    own = ranks.share(coils)
    whole = larmor.Nufft(points, shape, order="xyz", coils=coils) @ larmor.CoilMaps(maps)
    rows = ranks.rows(larmor.Nufft(points, shape, order="xyz", coils=own.stop - own.start) @ larmor.CoilMaps(maps[own]))
    x = (rng.standard_normal(shape) + 1j * rng.standard_normal(shape)).astype(np.complex64)
    y = whole @ x
    assert difference(rows @ x, y[own]) < 1e-5
    assert difference(rows.H @ y[own].copy(), whole.H @ y) < 1e-5
    assert difference(rows.N @ x, whole.N @ x) < 1e-5
    assert difference(ranks.sum(larmor.Identity(shape)) @ x, ranks.size * x) < 1e-6
    # an operator written in Python that contains the joint model
    for solver, terms in (("cg", "l2:1e-2"), ("fista", "wavelet:1e-2"), ("admm", "tv:1e-2")):
        together = larmor.solve(rows, y[own].copy(), terms, solver=solver, iterations=6).x
        alone = larmor.solve(whole, y, terms, solver=solver, iterations=6).x
        assert difference(together, alone) < 1e-4, (solver, difference(together, alone))
        same = together.copy()
        ranks.broadcast(same)
        assert (same == together).all(), "all ranks have the same bits"
    together = larmor.solve(rows, y[own] + 1, "l1:1e-2", objective=True, iterations=6)
    alone = larmor.solve(whole, y + 1, "l1:1e-2", objective=True, iterations=6)
    assert together.unexplained > 0 and abs(together.unexplained / alone.unexplained - 1) < 1e-3
    assert all(abs(a["objective"] / b["objective"] - 1) < 1e-4 for a, b in zip(together.history, alone.history))
    for wrong in ({"solver": "lsmr"}, {"regularizers": "tv:auto"}):
        try:
            larmor.solve(rows, y[own].copy(), **wrong)
        except larmor.UsageError as error:
            assert "each rank has only its own rows" in str(error)
            continue
        raise AssertionError("samples were taken for all of them")


def scans(ranks, folder):
    scan = larmor.read_ismrmrd(f"{folder}/scan.h5")
    for options in ({"regularizer": "l2:1e-2", "iterations": 6}, {"split": "coils", "regularizer": "tv:1e-3", "iterations": 5},
                    {"split": "frames", "window": 15, "regularizer": "wavelet:1e-3", "iterations": 5}):
        together = larmor.reconstruct(scan, ranks=ranks, precision="double", nufft_tolerance=1e-8, **options)
        if ranks.rank > 0:
            assert together.images == []
            continue
        assert together.report["ranks"]["count"] == ranks.size
        options.pop("split", None)
        alone = larmor.reconstruct(scan, precision="double", nufft_tolerance=1e-8, **options)
        assert difference(together.pixels, alone.pixels) < 1e-5, options
    ranks.barrier()


def fails(ranks, folder):
    """Rank 1 has other options than the rest, including a wrong one."""
    options = {"regularizer": "l2:-1"} if ranks.rank == 1 else {}
    larmor.reconstruct(f"{folder}/scan.h5", ranks=ranks, **options)


def main():
    what, folder = sys.argv[1:3]
    from mpi4py import MPI
    ranks = larmor.init_distributed(MPI.COMM_WORLD)
    assert ranks.size == int(os.environ.get("EXPECTED", ranks.size))
    globals()[what](ranks, folder)
    print(f"{what}: rank {ranks.rank} of {ranks.size}, by {ranks.name}", flush=True)


if __name__ == "__main__":
    main()
