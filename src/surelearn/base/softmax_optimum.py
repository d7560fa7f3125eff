"""The optimum of a linear softmax model: found on few rows first, then on all, and audited.

Limited-memory BFGS in the metric of the Hessian, one block per score; with one score and all rows
the first step is Newton's. Both the start and the metric come from a sample of the rows when there
are many for each parameter.
"""

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any, NamedTuple, cast

import numpy as np
from scipy import linalg, sparse
from scipy.linalg import blas

from surelearn._jit import rows
from surelearn._typing import Indices, Matrix, Vector
from surelearn.base.softmax import SoftmaxObjective, blocks, probabilities
from surelearn.base.softmax_classifier import decide
from surelearn.optimizers import Trace, limited_memory_bfgs

_THIN = 16  # rows for one of the sample that is solved first
_ROWS_TO_START, _ROWS_TO_BEND = 40, 100  # for each parameter of a score
_DENSE_METRIC = 1500  # features up to which the metric is a matrix for each score
_REFRESH = 10  # steps after which the metric is computed anew
_ROUNDING = 64.0 * float(np.finfo(np.float64).eps)


def minimise(
    objective: SoftmaxObjective, start: Vector, *, tolerance: float, max_iter: int
) -> Trace:
    """Minimise the objective until its gradient has at most the norm `tolerance`.

    A tolerance finer than what sums over these rows can show is raised to that.
    """
    n, width = len(objective.codes), objective.X.shape[1] + 1
    norm = _typical_norm(objective)
    _refuse_overflow(np.array(norm))
    tolerance = max(tolerance, _ROUNDING * norm)
    many = n >= _THIN * _ROWS_TO_START * width and width <= _DENSE_METRIC
    if many and not start.any():
        sample = objective.thinned(_THIN)
        noise = 0.05 * _typical_norm(sample) / np.sqrt(len(sample.codes))
        near = minimise(sample, start, tolerance=max(tolerance, noise), max_iter=max_iter).point
        start = near if objective(near)[0] < np.log(max(2, objective.n_scores)) else start
    step = max(1, n // (_ROWS_TO_BEND * width)) if width <= _DENSE_METRIC else 1
    return _descend(objective, objective.thinned(step), start, tolerance, max_iter)


def _descend(
    objective: SoftmaxObjective,
    sample: SoftmaxObjective,
    start: Vector,
    tolerance: float,
    max_iter: int,
) -> Trace:
    """Run quasi-Newton steps in a metric that is renewed every few steps."""
    dense = objective.X.shape[1] < _DENSE_METRIC
    traces: list[Trace] = []
    while True:
        left = max_iter - sum(trace.n_steps for trace in traces)
        trace = limited_memory_bfgs(
            objective,
            start,
            precondition=_metric(sample, start) if dense else _scaling(sample, start),
            tolerance=tolerance,
            max_iter=min(left, _REFRESH) if dense else left,
        )
        traces.append(trace)
        start = trace.point
        exhausted = trace.n_steps == left and not trace.converged
        if exhausted or trace.converged or trace.n_steps < _REFRESH or not dense:
            break
    norm = f"the gradient has norm {trace.gradient_norms[-1]:.3g}"
    return replace(
        trace,
        steps=np.concatenate([trace.steps for trace in traces]),
        reason=f"max_iter={max_iter} steps were taken and {norm}" if exhausted else trace.reason,
    )


def _typical_norm(objective: SoftmaxObjective) -> float:
    """Return the root mean square of some rows' norms, the constant 1 counted."""
    few: Any = rows.of(objective.X[:: max(1, len(objective.codes) // 1000)])
    values = few.data if isinstance(few, rows.SparseRows) else few
    with np.errstate(over="ignore"):
        return float(np.sqrt(1.0 + (values**2).sum() / rows.count(few)))


def _metric(objective: SoftmaxObjective, point: Vector) -> Callable[[Vector], Vector]:
    """Return multiplication by the inverse of the Hessian's diagonal blocks, one for each score."""
    theta = point.reshape(objective.n_scores, -1)
    factors = [
        linalg.cho_factor(block, lower=False, overwrite_a=True, check_finite=False)
        for block in _hessian_blocks(objective, theta)
    ]

    def solve(vector: Vector) -> Vector:
        parts = zip(factors, vector.reshape(theta.shape), strict=True)
        solved = np.array([linalg.cho_solve(f, part, check_finite=False) for f, part in parts])
        return _centred(solved).ravel()

    return solve


def _hessian_blocks(objective: SoftmaxObjective, theta: Matrix) -> list[Matrix]:
    """Return XᵀDX + μ for each score, D the variances of its class; upper triangles."""
    width = theta.shape[1]
    found = [np.zeros((width, width), order="F") for _ in theta]
    for start, stop in blocks(0, len(objective.codes)):
        chances = probabilities(objective.block_scores(theta, start, stop))
        spreads = np.sqrt(objective.shares[start:stop, np.newaxis] * chances * (1.0 - chances))
        X = objective.X[start:stop]
        table = cast("Any", X).toarray() if sparse.issparse(X) else X
        scaled = np.empty((stop - start, width))
        for k, spread in enumerate(spreads.T):
            np.multiply(table, spread[:, np.newaxis], out=scaled[:, :-1])
            scaled[:, -1] = spread if objective.fit_intercept else 0.0
            found[k] = blas.dsyrk(1.0, scaled.T, beta=1.0, c=found[k], overwrite_c=True)
    for block in found:
        _refuse_overflow(block)
        diagonal = np.einsum("ii->i", block)
        diagonal[:-1] += objective.penalty
        diagonal += 1e-9 * diagonal + 1e-12 * diagonal.max() + 1e-300  # collinear columns
    return found


def _refuse_overflow(bends: Matrix) -> None:
    if not np.isfinite(bends).all():
        raise ValueError("products of features overflow; rescale the features")


def _scaling(objective: SoftmaxObjective, point: Vector) -> Callable[[Vector], Vector]:
    """Return division by the Hessian's diagonal, for tables too wide for more."""
    theta = point.reshape(objective.n_scores, -1)
    squares = replace(objective, X=squared(objective.X))
    bends = np.zeros((theta.shape[1], theta.shape[0]))
    for start, stop in blocks(0, len(objective.codes)):
        chances = probabilities(objective.block_scores(theta, start, stop))
        variances = objective.shares[start:stop, np.newaxis] * chances * (1.0 - chances)
        squares.combine(variances, start, stop, bends)
    _refuse_overflow(bends)
    bends[:-1] += objective.penalty
    diagonal = np.maximum(bends.T, 1e-9 * bends.mean())
    return lambda vector: _centred(vector.reshape(theta.shape) / diagonal).ravel()


def squared(X: Any) -> Any:
    """Return the rows with every entry squared, dense or sparse."""
    if not sparse.issparse(X):
        return X**2
    csr = cast("Any", X)
    return sparse.csr_array((csr.data**2, csr.indices, csr.indptr), shape=csr.shape)


def _centred(theta: Matrix) -> Matrix:
    """Return parameters whose sum over the classes is 0: a common shift changes no probability."""
    return theta if len(theta) == 1 else theta - theta.mean(axis=0)


class Audit(NamedTuple):
    """What is known of a point: a bound on its excess, and how it does on the rows."""

    suboptimality: float
    training_errors: int
    smallest_margin: float


def audit(objective: SoftmaxObjective, point: Vector) -> Audit:
    """Bound how far a point's value is above the minimum, by weak duality, and count its errors.

    For probabilities p' that agree with the labels on average, the excess is at most
    Σ s_i KL(p'_i‖p_i) + ‖μW + Σ s_i (p'_i − e_{y_i}) x_iᵀ‖²/(2μ). Those of the model miss the mean
    of the labels by the gradient in the intercepts, δ. They are moved by p' = p − (diag p − ppᵀ)c,
    where Bc = δ for B = Σ s_i (diag p − ppᵀ); then Σ s_i KL ≤ cᵀBc. The proof is on the learner's
    page.
    """
    value, slopes = objective(point)
    theta, gradient = (v.reshape(objective.n_scores, -1) for v in (point, slopes))
    missing = gradient[:, -1]
    move = np.ones(1)  # with one score the move is a multiple of this
    if len(theta) > 1:
        spread = np.sum(objective.in_parts(partial(_spread, objective, theta)), axis=0)
        move = np.linalg.pinv(spread, hermitian=True) @ missing
    parts = objective.in_parts(partial(_audit_rows, objective, theta, move))
    taken = np.sum([part[0] for part in parts], axis=0).T
    errors, margin = sum(part[1] for part in parts), min(part[2] for part in parts)
    size = 1.0
    if len(theta) == 1:  # the last entry of what a unit move takes is the variance B
        size = float(missing[0]) / taken[0, -1] if taken[0, -1] > 0.0 else np.inf
    bound = value  # losses are not negative: nothing more is known without a penalty
    if objective.penalty > 0.0 and abs(size) * max(part[3] for part in parts) <= 1.0:
        pull = gradient[:, :-1] - size * taken[:, :-1]
        bound = float(size * move @ missing + (pull**2).sum() / (2.0 * objective.penalty))
    return Audit(min(value, bound), errors, margin)


def _spread(objective: SoftmaxObjective, theta: Matrix, first: int, last: int) -> Matrix:
    """Return the sum of the covariances of the labels of some rows."""
    total = np.zeros((len(theta), len(theta)))
    for start, stop in blocks(first, last):
        chances = probabilities(objective.block_scores(theta, start, stop))
        weighted = objective.shares[start:stop, np.newaxis] * chances
        total += np.diag(weighted.sum(axis=0)) - weighted.T @ chances
    return total


def _audit_rows(
    objective: SoftmaxObjective, theta: Matrix, move: Vector, first: int, last: int
) -> tuple[Matrix, int, float, float]:
    """Return what the move takes from the gradient, errors, the least margin, the largest move."""
    errors, margin, largest = 0, np.inf, 0.0
    taken = np.zeros((theta.shape[1], theta.shape[0]))
    for start, stop in blocks(first, last):
        scores = objective.block_scores(theta, start, stop)
        codes, shares = objective.codes[start:stop], objective.shares[start:stop]
        errors += int(np.count_nonzero(decide(scores) != codes))
        margins = margins_of(scores, codes)[shares > 0.0]
        margin = min(margin, float(margins.min(initial=np.inf)))
        chances = probabilities(scores)
        away = move - (chances @ move)[:, np.newaxis]  # p' = p (1 − away)
        largest = max(largest, float(np.abs(away).max(initial=0.0)))
        objective.combine(shares[:, np.newaxis] * chances * away, start, stop, taken)
    return taken, errors, margin, largest


def margins_of(scores: Matrix, codes: Indices) -> Vector:
    """Return how far the right class is ahead of the best other one."""
    if scores.shape[1] == 1:
        return np.where(codes == 1, scores[:, 0], -scores[:, 0])
    each, others = np.arange(len(codes)), scores.copy()
    others[each, codes] = -np.inf
    return scores[each, codes] - others.max(axis=1)
