"""Conversion of operators from and to SciPy and SigPy."""
from __future__ import annotations

from typing import Any, Sequence

import numpy as np

from .arrays import unmasked
from .operators import LinearOperator


def to_scipy(A: LinearOperator) -> Any:
    """A scipy.sparse.linalg.LinearOperator on flat vectors."""
    from scipy.sparse import linalg

    make: Any = linalg.LinearOperator

    def flat(method: Any, shape: tuple[int, ...]) -> Any:
        return lambda v: np.asarray(method(np.ascontiguousarray(v, dtype=A.dtype).reshape(shape))).reshape(-1)

    return make((int(np.prod(A.codomain)), int(np.prod(A.domain))), matvec=flat(A.apply, A.domain),
                rmatvec=flat(A.adjoint, A.codomain), dtype=A.dtype)


class _FromScipy(LinearOperator):
    def __init__(self, operator: Any, domain: Sequence[int], codomain: Sequence[int], dtype: Any) -> None:
        super().__init__(domain, codomain, dtype)
        self._operator = operator

    def _result(self, values: Any, shape: tuple[int, ...]) -> np.ndarray:
        return np.ascontiguousarray(values, dtype=self.dtype).reshape(shape)

    def apply(self, x: Any) -> np.ndarray:
        return self._result(self._operator.matvec(np.asarray(unmasked(x)).reshape(-1)), self.codomain)

    def adjoint(self, y: Any) -> np.ndarray:
        return self._result(self._operator.rmatvec(np.asarray(unmasked(y)).reshape(-1)), self.domain)


def from_scipy(operator: Any, domain: Sequence[int] | None = None, codomain: Sequence[int] | None = None,
               dtype: Any = np.complex64) -> LinearOperator:
    """A SciPy matrix or operator as an operator between arrays of these shapes (default: flat vectors)."""
    from scipy.sparse.linalg import aslinearoperator

    operator = aslinearoperator(operator)
    rows, columns = operator.shape
    return _FromScipy(operator, (columns,) if domain is None else domain, (rows,) if codomain is None else codomain, dtype)


def to_sigpy(A: LinearOperator) -> Any:
    """A sigpy.linop.Linop."""
    from sigpy import linop

    class Linop(linop.Linop):
        def __init__(self, forward: LinearOperator, backward: LinearOperator) -> None:
            self._forward_operator, self._backward_operator = forward, backward
            super().__init__(list(forward.codomain), list(forward.domain), repr_str="Larmor")

        def _apply(self, x: Any) -> Any:
            return self._forward_operator.apply(x.astype(A.dtype, copy=False))

        def _adjoint_linop(self) -> Any:
            return Linop(self._backward_operator, self._forward_operator)

    return Linop(A, A.H)


class _FromSigpy(LinearOperator):
    def __init__(self, operator: Any, dtype: Any) -> None:
        super().__init__(operator.ishape, operator.oshape, dtype)
        self._operator = operator

    def apply(self, x: Any) -> np.ndarray:
        return np.ascontiguousarray(self._operator * np.array(x), dtype=self.dtype)

    def adjoint(self, y: Any) -> np.ndarray:
        return np.ascontiguousarray(self._operator.H * np.array(y), dtype=self.dtype)


def from_sigpy(operator: Any, dtype: Any = np.complex64) -> LinearOperator:
    """A sigpy.linop.Linop as an operator."""
    return _FromSigpy(operator, dtype)


__all__ = ["to_scipy", "from_scipy", "to_sigpy", "from_sigpy"]
