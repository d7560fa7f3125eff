"""The margins of the training rows that certificates rest on, and how far rounding may take them.

Double precision is used for what is kept, so errors are those of a sum of many products.
"""

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from surelearn._typing import Indices, Vector
from surelearn.kernels import Linear
from surelearn.learners.kernelized._dual_solver.expansions import ROUNDING

_ROOM = 1e-8  # margins are known to rounding only
_EPS = 64.0 * float(np.finfo(np.float64).eps)  # of a kernel value and of a step of a sum


def keep_support(model: Any, solved: Sequence[Any], task: Any) -> None:
    """Keep how the rows lie in each problem: their margins, who is at a bound, who is needed."""
    codes: Indices = task.targets
    n, shape = model.n_training_rows_, (len(solved), model.n_training_rows_)
    margins, bound = np.full(shape, np.nan), np.zeros(shape, np.bool_)
    needed = np.zeros(n, dtype=np.bool_)
    needed[model.support_] = True
    for number, (problem, rows, solution, optimality) in enumerate(solved):
        own = solution.sums + optimality.intercept
        margins[number, rows] = problem.targets * own
        bound[number, rows] = (solution.beta == problem.bounds).any(axis=0)
        near = problem.targets * own <= 1.0 + max(_ROOM, optimality.violation)
        needed[rows[near]] = True
    model.compression_set_ = np.flatnonzero(needed)
    model.support_margins_ = np.ascontiguousarray(margins[:, model.support_])
    model.at_bound_ = np.ascontiguousarray(bound[:, model.support_])
    model.n_support_ = np.bincount(codes[model.support_], minlength=len(model.classes_))
    if model.weighted_ or not model._pairing.covers_all:  # noqa: SLF001 - else all rows are present
        model.row_classes_ = np.where(task.weights > 0.0, codes, -1)


def doubtful(model: Any) -> Indices:
    """Return the places of the training rows whose prediction may be wrong; others clearly win."""
    return np.flatnonzero(~(model.training_margins_ > unsure(model)))


def keep_margins(model: Any, solved: Sequence[Any], diagonal: Vector) -> None:
    """Keep the least margin of each training row, and for two classes the normalised ones."""
    margins = np.full(model.n_training_rows_, np.inf)
    for problem, rows, solution, optimality in solved:
        own = problem.targets * (solution.sums + optimality.intercept)
        margins[rows] = np.minimum(margins[rows], own)
    model.training_margins_, model.normalized_margins_ = margins, None
    if len(solved) == 1:
        model.normalized_margins_ = _normalised(model, margins, diagonal)


def _normalised(model: Any, margins: Vector, diagonal: Vector) -> Vector:
    """Return y⟨w, φ⟩/(‖w‖‖φ‖), rounded down; an intercept that is not penalised has a feature 1."""
    free = bool(model.fit_intercept) and not model.penalize_intercept
    b = float(model.intercept_[0]) if free else 0.0
    shortest, longest = (math.hypot(norm, b) for norm in _norms(model))
    lengths, low = np.sqrt(np.maximum(diagonal + free, 0.0)), margins - rounding(model)
    found = np.zeros(len(low))
    with np.errstate(divide="ignore", over="ignore"):
        sizes = np.where(low < 0.0, shortest, longest) * lengths
        np.divide(low, sizes, out=found, where=longest * lengths > 0.0)
    return np.clip(found - _EPS, -1.0, 1.0)


def _norms(model: Any) -> tuple[float, float]:
    """Return ‖w‖ at least and at most: if C is large, βᵀKβ is a small sum of large terms."""
    norm, lost = float(model.norms_[0]), rounding(model)
    if type(model.kernel_) is Linear:  # of weights, each of which is a sum
        return max(0.0, norm * (1.0 - _EPS) - lost), norm * (1.0 + _EPS) + lost
    lost *= 2.0 * float(np.abs(model.dual_coef_[0]).sum())
    shortest = math.sqrt(max(0.0, norm * norm - lost)) * (1.0 - _EPS)
    return shortest, math.sqrt(norm * norm + lost) * (1.0 + _EPS)


def refuse_unlike(model: Any) -> None:
    """Refuse margins that are not those of the training rows, as in a forged model file."""
    margins, cosines = model.training_margins_, model.normalized_margins_
    n, two = model.n_training_rows_, len(model.classes_) == 2
    if len(margins) != n or np.isnan(margins).any() or (cosines is not None) != two:
        raise ValueError("its margins are not those of its training rows")
    if cosines is not None and (len(cosines) != n or not (np.abs(cosines) <= 1.0).all()):
        raise ValueError("its margins are not those of its training rows")


def gap(model: Any) -> float:
    """Return how far above its minimum the worst objective may be, rounding included."""
    gaps = np.maximum(model.primal_values_ - model.dual_values_, 0.0)
    sums = rounding(model) * model.n_training_rows_ * (model.C if math.isfinite(model.C) else 1.0)
    return float(np.max(gaps + _EPS * np.abs(model.primal_values_))) + sums


def rounding(model: Any) -> float:
    """Return how far rounding may take a score: an error for each product, and they add up."""
    size = float(np.linalg.norm(model.dual_coef_, axis=1).max(initial=0.0))
    return _EPS * math.sqrt(max(1, len(model.support_))) * size * max(1.0, model.largest_diagonal_)


def unsure(model: Any) -> float:
    """Return how far a training margin may be from what prediction, maybe in singles, gives."""
    size = float(np.linalg.norm(model.dual_coef_, axis=1).max(initial=0.0))
    singles = min(20.0 * ROUNDING * size, 2.0 * model.tol)  # they are used for no larger errors
    return 2.0 * rounding(model) + singles
