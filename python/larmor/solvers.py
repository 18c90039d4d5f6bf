"""Solvers of min ½‖Ax − y‖² + Σ λᵢ Rᵢ(x), and their terms."""
from __future__ import annotations

import warnings
from dataclasses import dataclass, field
from typing import Any, Callable, Iterable, Sequence

import numpy as np

from . import _larmor
from .arrays import empty, given_back, library_of, on_host, whole
from .errors import LarmorWarning, UsageError
from .notebook import as_html
from .operators import LinearOperator, checked


class Regularizer:
    """A term by name: Regularizer("wavelet", 1e-3, levels=3), Regularizer("tv", "auto"), or its text "wavelet:1e-3".

    The names and their parameters are those of the command; regularizer_help() lists them. prior: the image of "l2".
    """

    def __init__(self, name: str, weight: float | str | None = None, *, prior: Any = None, **parameters: Any) -> None:
        text = name if weight is None else f"{name}:{weight}"
        for key, value in parameters.items():
            text += f":{key}={int(value) if isinstance(value, bool) else value}"
        _larmor.check_term(text)
        self.text = text
        self.prior = prior

    def __repr__(self) -> str:
        return f"larmor.Regularizer({self.text!r})"


class ProximalTerm:
    """A user-defined term weight·g(W x), given by its value and its proximal map.

    value(z) returns g(z); prox(t, z) returns argmin_u t·g(u) + ½‖u − z‖². If value is None, prox is a denoiser without a
    function, as in plug-and-play methods. transform is W (default: the identity); norm_squared is an upper bound of ‖W‖². The
    weight refers to the scaled problem, as for other terms. On a GPU, z is an array of the library named in array_library,
    "cupy", "torch" or "jax".
    """

    def __init__(self, prox: Callable[[float, np.ndarray], np.ndarray], value: Callable[[np.ndarray], float] | None, weight: float,
                 *, transform: LinearOperator | None = None, norm_squared: float = 1.0,
                 array_library: str = "cupy") -> None:
        self.prox, self.value, self.has_value = prox, value or (lambda z: 0.0), value is not None
        self.weight = float(weight)
        self.transform_operator = transform
        self.norm_squared = float(norm_squared)
        self.array_library = array_library

    def is_minimum(self, shape: Sequence[int], dtype: np.dtype[Any]) -> bool:
        """True if t·g(u) + ½‖u − z‖² is lower at prox(t, z) than at its neighbours on the line to z, for a random NumPy
        array z, or if there is no g."""
        if not self.has_value:
            return True
        t, rng = 0.5, np.random.default_rng(1)
        z = (rng.standard_normal(shape) + 1j * rng.standard_normal(shape)).astype(dtype)

        def objective(u: np.ndarray) -> float:
            return t * float(self.value(u.astype(dtype))) + 0.5 * float(np.linalg.norm(u - z)) ** 2

        try:
            found = np.asarray(self.prox(t, z.copy()))
            return not any(objective(found) > (1 + _wrong) * objective(found + step * (z - found)) for step in (-0.5, 0.5, 1))
        except Exception:  # the solver reports what is wrong with them
            return True


@dataclass(repr=False)
class Solution:
    """The result of a solver, and its history."""

    x: Any
    """The solution, an array of the kind and on the device of the data."""
    history: list[dict[str, Any]]
    """One entry for each iteration: objective, gradient and others."""
    stop_reason: str
    """Why the solver stopped."""
    solver: str
    """Its name."""
    terms: list[str]
    """With the λ that was found for "auto"."""
    lambda_rule: str = ""
    """The criterion that found λ; empty if it was given."""
    unexplained: float = 0.0
    """‖Ax − y‖² / ‖y‖², both weighted if weights are given: noise, and data that do not fit the model."""

    def __repr__(self) -> str:
        return f"<larmor Solution {list(self.x.shape)} by {', '.join(f'{k} {v}' for k, v in self._numbers().items())}>"

    def _numbers(self) -> dict[str, str]:
        return {f"{self.solver}:": " + ".join(self.terms) or "no named term", "iterations": f"{len(self.history)} ({self.stop_reason})",
                "unexplained": f"{100 * self.unexplained:.2g} %"}

    def _repr_html_(self) -> str:
        return as_html(f"Solution {list(self.x.shape)}", on_host(self.x, np.complex128), self._numbers(), [])


@dataclass
class _Term:
    text: str | None = None
    prior: Any = None
    function: Any = None
    weight: float = 0.0
    transform: Any = None
    norm_squared: float = 1.0


@dataclass
class Settings:
    """Arguments of a solve, as read by the module."""

    solver: str
    terms: list[_Term] = field(default_factory=list)
    iterations: int = 30
    tolerance: float = 0.0
    objective: bool = False
    null_space: float = 0.0
    rho: float = 0.0
    inner_iterations: int = 3
    inner_tolerance: float = 0.1
    preconditioner: Any = None
    toeplitz: str = "auto"
    start: Any = None
    weights: Any = None
    callback: Any = None
    library: str = "numpy"
    noise_variance: float = 0.0
    space: int = 2


# Far above rounding and the accuracy of transforms, far below the effect of a missing conjugate or scale.
_wrong = 0.01


def _check_once(part: LinearOperator | ProximalTerm, A: LinearOperator) -> None:
    """Warns at the first solve if an operator or term written in Python does not have the properties that solvers rely on."""
    if part.__dict__.get("_checked"):
        return
    part.__dict__["_checked"] = True
    if isinstance(part, ProximalTerm):
        transform = part.transform_operator
        if not part.is_minimum(A.domain if transform is None else transform.codomain, A.dtype):
            warnings.warn(f"{getattr(part.prox, '__qualname__', repr(part.prox))} is not the proximal map of the term's value: "
                          "prox(t, z) does not minimise t value(u) + |u - z|^2 / 2, so the solution is wrong", LarmorWarning,
                          stacklevel=4)
    elif (error := part.check_adjoint()) > _wrong:
        name = type(part).__name__
        warnings.warn(f"{name}.adjoint is not the adjoint of {name}.apply: <Ax, Ax> and <x, A^H A x> differ by "
                      f"{100 * error:.2g} %, so the solution is wrong", LarmorWarning, stacklevel=4)


def _terms(terms: Any) -> list[_Term]:
    if terms is None:
        return []
    if isinstance(terms, (str, Regularizer, ProximalTerm)):
        terms = [terms]
    result = []
    for term in terms:
        if isinstance(term, str):
            term = Regularizer(term)
        if isinstance(term, Regularizer):
            result.append(_Term(text=term.text, prior=term.prior))
        elif isinstance(term, ProximalTerm):
            transform = None if term.transform_operator is None else term.transform_operator.handle
            result.append(_Term(function=term, weight=term.weight, transform=transform, norm_squared=term.norm_squared))
        else:
            raise UsageError(f"a term is {term!r}; expected a text such as 'wavelet:1e-3', a Regularizer or a ProximalTerm")
    return result


def solve(A: LinearOperator, y: Any, regularizers: str | Regularizer | ProximalTerm | Iterable[Any] | None = None, *,
          solver: str = "auto", iterations: int = 30, tolerance: float = 0.0, start: Any = None,
          callback: Callable[[dict[str, Any], np.ndarray], bool | None] | None = None, noise_variance: float = 0.0,
          space: int | None = None, objective: bool = False, toeplitz: str = "auto",
          preconditioner: LinearOperator | None = None, null_space: float = 0.0, rho: float = 0.0,
          inner_iterations: int = 3, inner_tolerance: float = 0.1, weights: Any = None, out: Any = None) -> Solution:
    """Solves with the named method, or with one that supports the terms.

    The weights λ of the terms do not depend on scaling: they refer to the problem with ‖A‖ = 1 and max|Aᴴy| = 1. For
    the weight "auto", λ is searched for; noise_variance, E|n|² of a sample, makes the search use the known noise.

    space: number of the image's last axes that are spatial (default: up to three). weights [samples], such as those
    of density_weights(), for the last axes of y: the data term becomes ½ Σ w |Ax − y|², as in SigPy and BART.

    callback(step, x) is called after every iteration with a copy of x; if it returns True, the solver ends with that
    image. Ctrl-C stops at the end of an iteration.
    """
    handle = checked(A).handle
    if y is None:
        raise UsageError("y is None, expected an array of samples")
    rank = len(A.domain)
    if callback is not None and not callable(callback):
        raise UsageError(f"callback is {callback!r}, expected a function of (step, x)")
    settings = Settings(solver=solver, terms=_terms(regularizers), iterations=whole(iterations, "iterations"), tolerance=float(tolerance),
                        objective=bool(objective) if isinstance(objective, np.bool_) else objective, null_space=float(null_space), rho=float(rho),
                        inner_iterations=whole(inner_iterations, "inner_iterations"), inner_tolerance=float(inner_tolerance),
                        preconditioner=None if preconditioner is None else checked(preconditioner).handle, toeplitz=toeplitz,
                        start=start, callback=callback, library=library_of(y), noise_variance=float(noise_variance),
                        space=min(rank, 3) if space is None else whole(space, "space"))
    if A.device == "cpu":
        own = [term.function for term in settings.terms if term.function is not None]
        transforms = [term.transform_operator for term in own if term.transform_operator is not None]
        for part in own + [part for operator in [A, *transforms] for part in operator.own_parts()]:
            _check_once(part, A)
    if weights is not None:
        settings.weights = on_host(weights, np.float64)
    x = empty(A.domain, A.dtype, y, A.context) if out is None else out
    found = _larmor.solve(handle, y, x, settings)
    if found["unexplained"] > 0.9:
        warnings.warn(f"the solution leaves {100 * found['unexplained']:.0f} % of the samples unexplained: unless they are noise, check "
                      "the order and units of the trajectory, the maps and the weights", LarmorWarning, stacklevel=2)
    return Solution(x=x if out is not None else given_back(x, y), **found)


def conjugate_gradient(A: LinearOperator, y: Any, regularizers: Any = None, **options: Any) -> Any:
    """Conjugate gradients on the normal equations, for no term or "l2". options: those of solve()."""
    return solve(A, y, regularizers, solver="cg", **options).x


def fista(A: LinearOperator, y: Any, regularizers: Any = None, **options: Any) -> Any:
    """Accelerated proximal gradients, for one term with a simple proximal map. options: those of solve()."""
    return solve(A, y, regularizers, solver="fista", **options).x


def admm(A: LinearOperator, y: Any, regularizers: Any = None, **options: Any) -> Any:
    """Alternating direction method of multipliers, for any terms. options: those of solve()."""
    return solve(A, y, regularizers, solver="admm", **options).x


def pdhg(A: LinearOperator, y: Any, regularizers: Any = None, **options: Any) -> Any:
    """Primal-dual hybrid gradients, for any terms. options: those of solve()."""
    return solve(A, y, regularizers, solver="pdhg", **options).x


def lsmr(A: LinearOperator, y: Any, regularizers: Any = None, **options: Any) -> Any:
    """LSMR on the samples, for ill-conditioned problems with no term or "l2". options: those of solve()."""
    return solve(A, y, regularizers, solver="lsmr", **options).x


def regularizer_help() -> str:
    """The named terms, with their parameters."""
    return str(_larmor.regularizer_help())


def solver_names() -> Sequence[str]:
    """The available methods."""
    return list(_larmor.solver_names())


__all__ = ["Regularizer", "ProximalTerm", "Solution", "solve", "conjugate_gradient", "fista", "admm", "pdhg", "lsmr",
           "regularizer_help", "solver_names"]
