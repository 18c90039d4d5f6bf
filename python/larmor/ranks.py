"""Several processes, on one or more machines, that solve one problem."""
from __future__ import annotations

import os
from typing import Any

from . import _larmor, arrays
from .arrays import context_for, device_of, whole
from .errors import UsageError
from .operators import LinearOperator, _Native, checked


class Ranks:
    """The processes found by init_distributed(), including this one.

    All of them call the same functions in the same order, with arrays of the same shape.
    """

    def __init__(self, handle: _larmor.Ranks) -> None:
        self.handle = handle

    @property
    def rank(self) -> int:
        """Index of this process, from 0."""
        return self.handle.rank

    @property
    def size(self) -> int:
        """Number of processes."""
        return self.handle.size

    @property
    def local_rank(self) -> int:
        """Index of this process among those of this machine: for example, the number of its GPU."""
        return self.handle.local_rank

    @property
    def name(self) -> str:
        """Transport of host arrays: "mpi4py"."""
        return self.handle.name

    def share(self, count: int) -> slice:
        """This rank's part of `count` items, such as coils: maps[ranks.share(len(maps))]."""
        count = whole(count, "count")
        if count < 0:
            raise UsageError(f"count is {count}, expected the number of items")
        return slice(*self.handle.share(count))

    def rows(self, A: LinearOperator) -> LinearOperator:
        """Combines operators with the rows of each rank, such as those of its coils.

        A.H @ y and A.N @ x are sums over all ranks, and equal on all ranks, so every rank can call a solver.
        """
        return _Native(_larmor.Ranks.rows, self.handle, checked(A))

    def sum(self, A: LinearOperator) -> LinearOperator:
        """The sum of the operators of all ranks."""
        return _Native(_larmor.Ranks.sum, self.handle, checked(A))

    def all_reduce(self, array: Any, *, maximum: bool = False) -> Any:
        """Replaces an array, in place, by the sum or the maximum over all ranks. Returns it."""
        self.handle.all_reduce(context_for(None, device_of(array)), array, bool(maximum))
        return array

    def broadcast(self, array: Any, root: int = 0) -> Any:
        """Replaces an array, in place, by that of the rank `root`. Returns it."""
        self.handle.broadcast(context_for(None, device_of(array)), array, whole(root, "root"))
        return array

    def barrier(self) -> None:
        """Returns when all ranks have called it."""
        self.handle.barrier()

    def abort(self, message: str) -> None:
        """Ends all processes, this one included, with this message."""
        self.handle.abort(str(message))

    def __repr__(self) -> str:
        return f"<larmor.Ranks: rank {self.rank} of {self.size}, by {self.name}>"


def init_distributed(comm: Any) -> Ranks:
    """Joins the processes that work together.

    comm: a communicator of mpi4py, such as MPI.COMM_WORLD. Arrays of GPUs travel by NCCL, and each rank has a GPU of its
    own. Processes of one machine share its processors: from now on the context of operators that are given none has this
    process's part of them.
    """
    if not hasattr(comm, "Get_rank"):
        raise UsageError(f"comm is {comm!r}, expected a communicator of mpi4py")
    ranks = Ranks(_larmor.ranks_of_mpi4py(comm))
    processors = len(os.sched_getaffinity(0))
    arrays.share_processors(max(1, processors // ranks.handle.on_this_machine))
    return ranks


__all__ = ["Ranks", "init_distributed"]
