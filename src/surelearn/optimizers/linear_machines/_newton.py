"""Newton's method on smoothed losses: a few looks at dense rows instead of hundreds of epochs.

A loss bends over a width instead of having a corner, so only rows inside the width have curvature.
With β the slopes of the smoothed losses at (w, b), the duality gap is exactly

    Σ [loss_i − β_i·r_i + ε|β_i|] + ½‖w − Σβ_ix_i‖²

and the width is cut when its own part, the first, is the larger one.
"""

from dataclasses import dataclass, field
from typing import Any, cast

import numpy as np
from scipy import linalg, sparse
from scipy.sparse.linalg import LinearOperator, cg

from surelearn._typing import Indices, Matrix, Vector
from surelearn.optimizers.linear_machines import _loops
from surelearn.optimizers.linear_machines._problem import Problem, Solution

WIDEST = 1500
"""Columns whose products with each other are worth a matrix."""

_NARROWER = 8.0
_OWN_SHARE = 0.3  # of the gap that smoothing makes, which is left for the gradient
_ENOUGH = 100  # rows for each parameter, from which the curvature is told well enough
_SHORTER = 32.0  # times, while nothing is known but that a step is too long
_LOOKS = 30  # at the slope along a line, which take a tenth of a step
_KNOWN, _NARROWEST = 10.0, 1e-9  # first widths for the relative gap of a start; the least of them
_CLOSE = 1e-2  # relative change of a step from which it is not refined
_RESIDUE, _PRODUCTS = 1e-3, 500  # of conjugate gradients: what they leave, and how many at most
_SMALLEST_BEND = 1e-6  # of a free b, as a share of all costs: no row may be inside the width


@dataclass(eq=False, kw_only=True)
class _Place:
    """Where the search stands, and the smoothed losses there."""

    problem: Problem
    coef: Vector
    bias: float
    residuals: Vector
    width: float
    slopes: Vector = field(init=False)
    inside: Indices = field(init=False)
    gradient: Vector = field(init=False)
    primal: float = field(init=False)
    smoothing: float = field(init=False)
    missed: float = field(init=False)

    def look(self) -> None:
        """Compute slopes, gradient and the two parts of the gap."""
        problem, n = self.problem, len(self.residuals)
        self.slopes, self.inside = np.empty(n), np.empty(n, dtype=np.int64)
        found = _loops.smooth(self.residuals, *problem.bounds, self.width, self.slopes, self.inside)
        self.inside = self.inside[: found[0]]
        penalty = problem.penalty
        total, constant = self._pull()
        self.primal = (
            0.5 * float(self.coef @ self.coef + penalty * self.bias * self.bias) + found[1]
        )
        self.smoothing = found[1] - float(self.residuals @ self.slopes) + found[2]
        self.missed = 0.5 * float(
            np.square(self.gradient[:-1]).sum() + penalty * constant * constant
        )
        if problem.intercept == "free":  # what making Σβ = 0 will cost, about
            largest = max(float(np.abs(self.slopes).sum()), 1e-300)
            self.missed += abs(total) / largest * self.primal

    def _pull(self) -> tuple[float, float]:
        """Compute the gradient from the slopes; return their sum and the gradient in b."""
        problem, total = self.problem, float(self.slopes.sum())
        constant = problem.penalty * self.bias - total if problem.has_intercept else 0.0
        self.gradient = np.append(self.coef - problem.X.T @ self.slopes, constant)
        return total, constant

    def narrow(self) -> None:
        """Cut the width, and expect the rows inside to stay there.

        Their residuals must shrink with the width for that, so their slopes are read as if they
        had no bounds: the step that follows leads to where they are what they were.
        """
        self.width /= _NARROWER
        self.slopes[self.inside] *= _NARROWER
        self._pull()

    def move(self, step: Vector) -> None:
        """Go along a step as far as the smoothed objective falls."""
        change = self.problem.X @ step[:-1] + step[-1]
        length = self._length(step, change)
        self.coef = self.coef + length * step[:-1]
        self.bias += length * float(step[-1])
        self.residuals -= length * change

    def _length(self, step: Vector, change: Vector) -> float:
        """Return where the slope along the step is 0, by Newton's method between brackets."""
        problem, low, high, t = self.problem, 0.0, np.inf, 1.0
        linear = self.coef @ step[:-1] + problem.penalty * self.bias * step[-1]
        square = step[:-1] @ step[:-1] + problem.penalty * step[-1] ** 2
        for _ in range(_LOOKS):
            slope, bend = _loops.along(self.residuals, change, t, *problem.bounds, self.width)
            slope, bend = slope + linear + t * square, bend + square
            low, high = (low, t) if slope > 0.0 else (t, high)
            new = t - slope / bend if bend > 0.0 else np.inf
            if not low < new < high:
                # With no row inside the width a step may be too long by all the digits of C.
                new = (0.5 * (low + high) if low else high / _SHORTER) if high < np.inf else 2.0 * t
            if abs(new - t) < _CLOSE * t:
                return float(new)
            t = new
        return float(low or t)  # up to there it falls


def minimise(problem: Problem, start: Vector, tolerance: float, max_iter: int) -> Solution:
    """Take Newton steps at ever smaller widths until the gap is within the tolerance."""
    place, best = _begin(problem, start), None
    for n_steps in range(max_iter + 1):
        place.look()
        if n_steps == max_iter or place.missed + place.smoothing <= tolerance * place.primal:
            found = problem.judged(place.coef, place.bias, place.slopes, n_steps)
            best = found if best is None or found.gap < best.gap else best
            if best.within(tolerance):
                break
        if place.missed <= _OWN_SHARE * place.smoothing:
            place.narrow()
        place.move(_step(place))
    assert best is not None  # noqa: S101 - the last step is always judged
    return best


def _begin(problem: Problem, start: Vector) -> _Place:
    """Stand where the dual variables lead; without any, all rows are inside the first width.

    The nearer they are to the optimum, the narrower it is.
    """
    coef = problem.X.T @ start
    scores = problem.X @ coef
    bias = problem.best_intercept(scores, float(start.sum()))
    residuals = problem.targets - scores - bias
    width = max(2.0 * float(np.abs(residuals).mean()), 1e-300)
    if start.any():
        known = problem.judged(coef, bias, start, 0, scores)
        width *= min(1.0, _KNOWN * known.gap / max(known.primal, 1e-300)) + _NARROWEST
    return _Place(problem=problem, coef=coef, bias=bias, residuals=residuals, width=width)


def _step(place: _Place) -> Vector:
    """Return the Newton step, from as many of the rows inside the width as tell the curvature."""
    problem = place.problem
    spacing = max(1, len(place.inside) // (_ENOUGH * len(place.gradient)))
    kept = place.inside[::spacing]
    costs = np.where(place.slopes[kept] > 0.0, problem.high[kept], -problem.low[kept])
    roots = np.sqrt(spacing * costs / place.width)
    beyond = problem.penalty if problem.has_intercept else 1.0
    if problem.intercept == "free":
        beyond += _SMALLEST_BEND * float((problem.high - problem.low).sum()) / place.width
    table = _scaled(problem.X[kept], roots)
    roots = roots if problem.has_intercept else np.zeros(len(roots))
    n, d = table.shape
    solve = _solve if d <= WIDEST else _solve_by_rows if n <= WIDEST else _solve_by_products
    return -solve(table, roots, beyond, place.gradient)


def _scaled(table: Any, roots: Vector) -> Any:
    """Return rows times their roots, dense or sparse."""
    if sparse.issparse(table):
        return sparse.csr_array(cast("Any", table).multiply(roots[:, np.newaxis]))
    return table * roots[:, np.newaxis]


def _solve(table: Any, roots: Vector, beyond: float, gradient: Vector) -> Vector:
    """Divide the gradient by D + AᵀA, A the rows inside the width."""
    d = table.shape[1]
    bends = np.empty((d + 1, d + 1))
    bends[:d, :d] = _dense(table.T @ table)
    bends[d, :d] = bends[:d, d] = table.T @ roots
    bends[d, d] = roots @ roots
    bends.flat[:: d + 2] += np.append(np.ones(d), beyond)
    return _divided(bends, gradient)


def _solve_by_rows(table: Any, roots: Vector, beyond: float, gradient: Vector) -> Vector:
    """Divide the gradient by D + AᵀA where few rows make I + AAᵀ the smaller matrix."""
    grams = _dense(table @ table.T)
    grams.flat[:: len(grams) + 1] += 1.0
    scores = table @ gradient[:-1]
    inner, ones = _divided(grams, np.column_stack([scores, roots])).T
    constant = (gradient[-1] - roots @ inner) / (beyond + roots @ ones)
    return np.append(gradient[:-1] - table.T @ (inner + constant * ones), constant)


def _dense(products: Any) -> Matrix:
    return cast("Any", products).toarray() if sparse.issparse(products) else products


def _divided(bends: Matrix, vector: Any) -> Any:
    """Solve with a positive definite matrix; one too near a singular one is moved away from it."""
    if not np.isfinite(bends).all():
        raise ValueError("products of features overflow; rescale the features")
    for shift in (0.0, 1e-12, 1e-8, 1e-4):
        moved = bends + np.diag(shift * bends.diagonal())
        try:
            factor = linalg.cho_factor(moved, overwrite_a=True, check_finite=False)
        except linalg.LinAlgError:
            continue
        return linalg.cho_solve(factor, vector, check_finite=False)
    return (vector.T / bends.diagonal()).T


def _solve_by_products(table: Any, roots: Vector, beyond: float, gradient: Vector) -> Vector:
    """Divide the gradient by D + AᵀA without ever making it, by conjugate gradients."""
    diagonal = np.append(np.ones(table.shape[1]), beyond)

    def product(vector: Vector) -> Vector:
        vector = vector.ravel()
        scores = table @ vector[:-1] + roots * vector[-1]
        return diagonal * vector + np.append(table.T @ scores, roots @ scores)

    n = len(gradient)
    operator: Any = LinearOperator((n, n), matvec=product, dtype=np.float64)
    return cg(operator, gradient, rtol=_RESIDUE, maxiter=_PRODUCTS)[0]
