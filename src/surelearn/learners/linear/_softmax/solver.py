"""The optimum of a linear softmax model: found on few rows first, then on all, and audited.

Limited-memory BFGS in the metric of the Hessian, one block per score; with one score and all rows
the first step is Newton's. Both the start and the metric come from a sample of the rows when there
are many for each parameter.
"""

from contextlib import AbstractContextManager, nullcontext
from dataclasses import replace
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from scipy import special

from surelearn._jit import rows
from surelearn._threads import one_thread_products
from surelearn._typing import Indices, Matrix, Vector
from surelearn.learners.linear._softmax import loops
from surelearn.learners.linear._softmax.classifier import decide
from surelearn.learners.linear._softmax.metric import (
    block_metric,
    diagonal_metric,
    is_narrow,
    refuse_overflow,
)
from surelearn.learners.linear._softmax.objective import (
    CHUNK,
    SoftmaxObjective,
    chunks,
    probabilities,
)
from surelearn.optimizers import Trace, limited_memory_bfgs

_THIN = 16  # rows for one of the sample that is solved first
_ROWS_TO_START = 40  # for each parameter of a score
_DENSE_METRIC = 1500  # features up to which the metric is a matrix for each score
_REFRESH, _PER_STEP = 10, 32  # steps after which the metric is computed anew; features for one more
_SMALL_PRODUCT = 4_000_000  # multiplications of a chunk of rows that take about a millisecond
_ROUNDING = 64.0 * float(np.finfo(np.float64).eps)


def minimise(
    objective: SoftmaxObjective, start: Vector, *, tolerance: float, max_iter: int
) -> Trace:
    """Minimise the objective until its gradient has at most the norm `tolerance`.

    A tolerance finer than what sums over these rows can show is raised to that.
    """
    n, width = len(objective.codes), objective.X.shape[1] + 1
    norm = _typical_norm(objective)
    refuse_overflow(np.array(norm))
    tolerance = max(tolerance, _ROUNDING * norm)
    many = n >= _THIN * _ROWS_TO_START * width and width <= _DENSE_METRIC
    if many and not start.any():
        sample = objective.thinned(_THIN)
        noise = 0.05 * norm / np.sqrt(len(sample.codes))
        near = minimise(sample, start, tolerance=max(tolerance, noise), max_iter=max_iter).point
        start = near if objective(near)[0] < np.log(max(2, objective.n_scores)) else start
    return _descend(objective, start, tolerance, max_iter)


def _descend(objective: SoftmaxObjective, start: Vector, tolerance: float, max_iter: int) -> Trace:
    """Run quasi-Newton steps in a metric that is renewed every few steps."""
    with _products_alone(objective):
        refuse_overflow(objective(start)[1])  # what is not finite shows in the gradient
    d = objective.X.shape[1]
    dense, patience = d < _DENSE_METRIC, _REFRESH + min(_REFRESH, d // _PER_STEP)
    metric = block_metric if dense else diagonal_metric
    traces: list[Trace] = []
    while True:
        left = max_iter - sum(trace.n_steps for trace in traces)
        with _products_alone(objective):
            trace = limited_memory_bfgs(
                objective,
                start,
                precondition=metric(objective, start),
                tolerance=tolerance,
                max_iter=min(left, patience) if dense else left,
            )
        traces.append(trace)
        start = trace.point
        exhausted = trace.n_steps == left and not trace.converged
        if exhausted or trace.converged or trace.n_steps < patience or not dense:
            break
    norm = f"the gradient has norm {trace.gradient_norms[-1]:.3g}"
    return replace(
        trace,
        steps=np.concatenate([trace.steps for trace in traces]),
        reason=f"max_iter={max_iter} steps were taken and {norm}" if exhausted else trace.reason,
    )


def _products_alone(objective: SoftmaxObjective) -> AbstractContextManager[Any]:
    """Keep the threads of matrix products asleep where threads of our own do the work.

    Woken, they spin for a while after each product, however small, and are in the way. They are not
    woken for small products of many classes either: those take less time than waking them.
    """
    few = min(len(objective.codes), CHUNK) * objective.n_parameters <= _SMALL_PRODUCT
    return one_thread_products() if few or is_narrow(objective) else nullcontext()


def _typical_norm(objective: SoftmaxObjective) -> float:
    """Return the root mean square of some rows' norms, the constant 1 counted."""
    few: Any = rows.of(objective.X[:: max(1, len(objective.codes) // 1000)])
    values = few.data if isinstance(few, rows.SparseRows) else few
    with np.errstate(over="ignore", invalid="ignore"):
        return float(np.sqrt(1.0 + (values**2).sum() / rows.count(few)))


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
    with _products_alone(objective):
        return _audited(objective, point)


def _audited(objective: SoftmaxObjective, point: Vector) -> Audit:
    value, slopes = objective(point)
    theta, gradient = (v.reshape(objective.n_scores, -1) for v in (point, slopes))
    missing = gradient[:, -1]
    move = np.ones(1)  # with one score the move is a multiple of this
    if len(theta) > 1:
        spread = np.sum(objective.map_chunks(partial(_spread, objective, theta)), axis=0)
        move = np.linalg.pinv(spread, hermitian=True) @ missing
    found = objective.map_chunks(partial(_audit_rows, objective, theta, move))
    taken = np.sum([one[0] for one in found], axis=0).T
    errors, margin = sum(one[1] for one in found), min(one[2] for one in found)
    size = 1.0
    if len(theta) == 1:  # the last entry of what a unit move takes is the variance B
        size = float(missing[0]) / taken[0, -1] if taken[0, -1] > 0.0 else np.inf
    bound = value  # losses are not negative: nothing more is known without a penalty
    if objective.penalty > 0.0 and abs(size) * max(one[3] for one in found) <= 1.0:
        pull = gradient[:, :-1] - size * taken[:, :-1]
        bound = float(size * move @ missing + (pull**2).sum() / (2.0 * objective.penalty))
    return Audit(min(value, bound), errors, margin)


def _spread(objective: SoftmaxObjective, theta: Matrix, first: int, last: int) -> Matrix:
    """Return the sum of the covariances of the labels of some rows."""
    total = np.zeros((len(theta), len(theta)))
    for start, stop in chunks(first, last):
        chances = probabilities(objective.chunk_scores(theta, start, stop))
        weighted = objective.shares[start:stop, np.newaxis] * chances
        total += np.diag(weighted.sum(axis=0)) - weighted.T @ chances
    return total


def _audit_rows(
    objective: SoftmaxObjective, theta: Matrix, move: Vector, first: int, last: int
) -> tuple[Matrix, int, float, float]:
    """Return what the move takes from the gradient, errors, the least margin, the largest move."""
    taken = np.zeros((theta.shape[1], theta.shape[0]))
    if len(theta) == 1:  # the move is 1, and p' = p (1 − (1 − p))
        sums = objective.signs, objective.shares, theta[0], taken[:, 0]
        errors, margin, least = loops.logistic_audit(objective.packed, first, last, *sums)
        return taken, errors, margin, float(special.expit(-least))
    errors, margin, largest = 0, np.inf, 0.0
    for start, stop in chunks(first, last):
        scores = objective.chunk_scores(theta, start, stop)
        codes, shares = objective.codes[start:stop], objective.shares[start:stop]
        errors += int(np.count_nonzero(decide(scores) != codes))
        margins = _margins(scores, codes)[shares > 0.0]
        margin = min(margin, float(margins.min(initial=np.inf)))
        chances = probabilities(scores)
        away = move - (chances @ move)[:, np.newaxis]  # p' = p (1 − away)
        largest = max(largest, float(np.abs(away).max(initial=0.0)))
        objective.combine(shares[:, np.newaxis] * chances * away, start, stop, taken)
    return taken, errors, margin, largest


def _margins(scores: Matrix, codes: Indices) -> Vector:
    """Return how far the right one of many classes is ahead of the best other one."""
    each, others = np.arange(len(codes)), scores.copy()
    others[each, codes] = -np.inf
    return scores[each, codes] - others.max(axis=1)
