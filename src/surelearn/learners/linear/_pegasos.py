"""The loops of Pegasos: weights as a scale times a sum of rows, and their averages.

The weights of step t are s_t·u_t, u_t the sum of what was added before. An addition Δ made in step
t is missing from s_1 + … + s_t of the sum of all weights, so that is A·u − Σ(s_1 + … + s_t)Δ with A
the sum of all scales: no step costs more than its rows.
"""

import numpy as np

from surelearn._jit import inner, jit, rows
from surelearn._jit.rows import Rows
from surelearn._typing import Indices, Matrix, Vector

LAMBDA, BATCH, CONSTANT, PROJECT, AVERAGE, N_RULE = range(6)
"""Numbers of a rule."""

ALL, SUFFIX, NONE = range(3)
"""Which weights are averaged."""

SUM, MOMENT, PENDING, EARLIER, LATER, N_WEIGHTS = range(6)
"""Rows of weights: u, the additions times the scales before them, the batch under way, the sums of
all weights at the last two powers of 2."""

STEPS, FILLED, SCALE, SCALES, SHRUNK, LONGEST, FIRST, SECOND, N_LEDGER = range(9)
"""Columns of a ledger: steps, rows of the batch under way, the scale of the weights, the sum of the
scales, the product of all projections, the longest row squared, the steps at either power of 2."""

_SMALLEST = 1e-100


@jit
def learn_rows(
    X: Rows,
    places: Indices,
    signs: Vector,
    rule: Vector,
    weights: Matrix,
    ledger: Vector,
    scores: Vector,
) -> None:
    """Visit the rows at these places; score t is as wrong for sign t as the row's was for its own.

    A batch's rows all meet the weights that it began with.
    """
    for t in range(len(places)):
        i = places[t]
        product, square = rows.dot_and_square(X, i, weights[SUM, 1:])
        score = ledger[SCALE] * (product + rule[CONSTANT] * weights[SUM, 0])
        scores[t] = signs[t] * signs[i] * score
        ledger[LONGEST] = max(ledger[LONGEST], square + rule[CONSTANT])
        if signs[i] * score < 1.0:
            _add_row(X, i, signs[i] / rule[BATCH], rule, weights, ledger)
        ledger[FILLED] += 1.0
        if ledger[FILLED] == rule[BATCH]:
            _end_batch(rule, weights, ledger)
            _end_step(rule, weights, ledger)


@inner
def _add_row(X: Rows, i: int, step: float, rule: Vector, weights: Matrix, ledger: Vector) -> None:
    """Add a row to the batch under way; if it is one of its own, to the sums at once."""
    if rule[BATCH] > 1.0:
        rows.add(X, i, step, weights[PENDING, 1:])
        weights[PENDING, 0] += step * rule[CONSTANT]
        return
    step /= ledger[SHRUNK]
    rows.add(X, i, step, weights[SUM, 1:])
    rows.add(X, i, step * ledger[SCALES], weights[MOMENT, 1:])
    weights[SUM, 0] += step * rule[CONSTANT]
    weights[MOMENT, 0] += step * ledger[SCALES] * rule[CONSTANT]


@inner
def _end_batch(rule: Vector, weights: Matrix, ledger: Vector) -> None:
    """Add what a batch has gathered, and begin the next one."""
    ledger[FILLED] = 0.0
    if rule[BATCH] > 1.0:
        for j in range(weights.shape[1]):
            step = weights[PENDING, j] / ledger[SHRUNK]
            weights[SUM, j] += step
            weights[MOMENT, j] += step * ledger[SCALES]
            weights[PENDING, j] = 0.0


@inner
def _end_step(rule: Vector, weights: Matrix, ledger: Vector) -> None:
    """Set the scale of the next weights, project them if asked to, and count them in."""
    ledger[STEPS] += 1.0
    if rule[AVERAGE] == SUFFIX and ledger[STEPS] >= 2.0 * ledger[SECOND]:
        for j in range(weights.shape[1]):
            weights[EARLIER, j] = weights[LATER, j]
            weights[LATER, j] = ledger[SCALES] * weights[SUM, j] - weights[MOMENT, j]
        ledger[FIRST], ledger[SECOND] = ledger[SECOND], ledger[STEPS]
    ledger[SCALE] = ledger[SHRUNK] / (rule[LAMBDA] * ledger[STEPS])
    if rule[PROJECT] > 0.0:
        _project(rule, weights[SUM], ledger)
    ledger[SCALES] += ledger[SCALE]


@jit
def _project(rule: Vector, sums: Vector, ledger: Vector) -> None:
    """Bring the weights back into the ball of radius 1/√λ by their scale."""
    squares = rule[LAMBDA] * ledger[SCALE] * ledger[SCALE] * rows.sum_of_squares(sums)
    if squares > 1.0:
        ledger[SCALE] /= np.sqrt(squares)
        ledger[SHRUNK] /= np.sqrt(squares)
    if ledger[SHRUNK] < _SMALLEST:  # the sums themselves take over what the scale has lost
        sums *= ledger[SHRUNK]
        ledger[SCALE] /= ledger[SHRUNK]
        ledger[SCALES] /= ledger[SHRUNK]
        ledger[SHRUNK] = 1.0


@jit
def settle(rule: Vector, weights: Matrix, ledger: Vector, coef: Vector, bias: Vector) -> None:
    """Fill in the weights that predict."""
    total, own, before, n = ledger[SCALES] - ledger[SCALE], 1.0, 0.0, ledger[STEPS]
    if rule[AVERAGE] == SUFFIX:
        before, n = 1.0, ledger[STEPS] - ledger[FIRST]
    if rule[AVERAGE] == NONE or n == 0.0:
        total, own, before, n = ledger[SCALE], 0.0, 0.0, 1.0
    for j in range(weights.shape[1]):
        gone = own * weights[MOMENT, j] + before * weights[EARLIER, j]
        mean = (total * weights[SUM, j] - gone) / n
        if j == 0:
            bias[0] = mean
        else:
            coef[j - 1] = mean


@jit
def learn_row(
    row: Matrix,
    sign: float,
    rule: Vector,
    weights: Matrix,
    ledger: Vector,
    coef: Vector,
    bias: Vector,
) -> float:
    """Learn from the only row of a matrix, if it is short; return its score.

    Arrays that were set by hand, and that the row would leave, are as good as a row too long.
    """
    n = len(coef)
    fits = row.shape[1] == n and weights.shape == (N_WEIGHTS, n + 1) and len(bias) == 1
    if not (fits and len(ledger) == N_LEDGER and len(rule) == N_RULE and rows.is_short(row)):
        return np.nan
    scores, signs = np.empty(1), np.full(1, sign)
    learn_rows(row, np.zeros(1, dtype=np.int64), signs, rule, weights, ledger, scores)
    settle(rule, weights, ledger, coef, bias)
    return scores[0]
