"""What is known of a point of a linear softmax model: how far from the best it may be, its errors.

For probabilities p' that agree with the labels on average, the excess of a point is at most
Σ s_i KL(p'_i‖p_i) + ‖μW + Σ s_i (p'_i − e_{y_i}) x_iᵀ‖²/(2μ). Those of the model miss the mean of
the labels by the gradient in the intercepts, δ. They are moved by p' = p − (diag p − ppᵀ)c, where
Bc = δ for B = Σ s_i (diag p − ppᵀ); then Σ s_i KL ≤ cᵀBc. The proof is on the learner's page.
"""

from collections.abc import Callable
from functools import partial, reduce
from typing import NamedTuple

import numpy as np
from scipy import special

from surelearn._typing import Indices, Matrix, Vector
from surelearn.learners.linear._softmax import loops
from surelearn.learners.linear._softmax.classifier import decide
from surelearn.learners.linear._softmax.metric import squared
from surelearn.learners.linear._softmax.objective import SoftmaxObjective, chunks, probabilities
from surelearn.learners.linear._softmax.solver import products_alone


class Audit(NamedTuple):
    """What is known of a point: a bound on its excess, and how it does on the rows."""

    suboptimality: float
    training_errors: int
    smallest_margin: float


class Looked(NamedTuple):
    """What some rows show: what the move takes from the gradient, errors, extremes."""

    taken: Matrix
    errors: int
    smallest_margin: float
    largest_move: float


class Slopes(NamedTuple):
    """The value and the gradient of an objective at a point, and the price of its penalty."""

    value: float
    gradient: Matrix
    penalty: float


def audit(objective: SoftmaxObjective, point: Vector) -> Audit:
    """Bound how far a point's value is above the minimum, by weak duality, and count its errors."""
    theta = point.reshape(objective.n_scores, -1)

    def spread() -> Matrix:
        return np.sum(objective.map_chunks(partial(spread_of, objective, theta)), axis=0)

    def look(move: Vector) -> Looked:
        return reduce(both_looked, objective.map_chunks(partial(look_at, objective, theta, move)))

    with products_alone(objective):
        value, gradient = objective(point)
        slopes = Slopes(value, gradient.reshape(theta.shape), objective.penalty)
        return concluded(slopes, spread, look)


def concluded(
    slopes: Slopes, spread: Callable[[], Matrix], look: Callable[[Vector], Looked]
) -> Audit:
    """Return the audit of a point, given how to go through the rows: twice for many scores."""
    value, gradient, penalty = slopes
    missing = gradient[:, -1]
    move = np.ones(1)  # with one score the move is a multiple of this
    if len(gradient) > 1:
        move = np.linalg.pinv(spread(), hermitian=True) @ missing
    found = look(move)
    taken = found.taken.T
    size = 1.0
    if len(gradient) == 1:  # the last entry of what a unit move takes is the variance B
        size = float(missing[0]) / taken[0, -1] if taken[0, -1] > 0.0 else np.inf
    bound = value  # losses are not negative: nothing more is known without a penalty
    if penalty > 0.0 and abs(size) * found.largest_move <= 1.0:
        pull = gradient[:, :-1] - size * taken[:, :-1]
        bound = float(size * move @ missing + (pull**2).sum() / (2.0 * penalty))
    return Audit(min(value, bound), found.errors, found.smallest_margin)


def both_looked(one: Looked, other: Looked) -> Looked:
    """Return what the rows of both show."""
    return Looked(
        one.taken + other.taken,
        one.errors + other.errors,
        min(one.smallest_margin, other.smallest_margin),
        max(one.largest_move, other.largest_move),
    )


def spread_of(objective: SoftmaxObjective, theta: Matrix, first: int, last: int) -> Matrix:
    """Return the sum of the covariances of the labels of some rows."""
    total = np.zeros((len(theta), len(theta)))
    for start, stop in chunks(first, last):
        chances = probabilities(objective.chunk_scores(theta, start, stop))
        weighted = objective.shares[start:stop, np.newaxis] * chances
        total += np.diag(weighted.sum(axis=0)) - weighted.T @ chances
    return total


def look_at(
    objective: SoftmaxObjective, theta: Matrix, move: Vector, first: int, last: int
) -> Looked:
    """Return what the move takes from the gradient, errors, the least margin, the largest move."""
    taken = np.zeros((theta.shape[1], theta.shape[0]))
    if len(theta) == 1:  # the move is 1, and p' = p (1 − (1 − p))
        sums = objective.signs, objective.shares, theta[0], taken[:, 0]
        errors, margin, least = loops.logistic_audit(objective.packed, first, last, *sums)
        return Looked(taken, errors, margin, float(special.expit(-least)))
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
    return Looked(taken, errors, margin, largest)


def _margins(scores: Matrix, codes: Indices) -> Vector:
    """Return how far the right one of many classes is ahead of the best other one."""
    each, others = np.arange(len(codes)), scores.copy()
    others[each, codes] = -np.inf
    return scores[each, codes] - others.max(axis=1)


def normalised_margins(objective: SoftmaxObjective, theta: Matrix) -> Vector:
    """Return y⟨w, x⟩/(‖w‖‖x‖) of each row of two classes, the intercept and a 1 included."""
    n = len(objective.codes)
    scores = objective.chunk_scores(theta, 0, n)[:, 0]
    squares = squared(objective.X).sum(axis=1) + float(objective.fit_intercept)
    lengths = np.linalg.norm(theta) * np.sqrt(squares)
    signed = np.where(objective.codes == 1, scores, -scores)
    return np.divide(signed, lengths, out=np.zeros(n), where=lengths > 0.0).clip(-1.0, 1.0)
