"""Products of rows with the coefficients of linear models, and of residuals with rows.

Dense rows are taken four at a time, so that a coefficient is read once for four products. Loops
that add up write nothing: see `_jit`.
"""

import math
from typing import Any

import numpy as np
from numba import types

from surelearn._jit import rows
from surelearn._jit._decorator import compiled_as, jit
from surelearn._jit.elementary import exp
from surelearn._jit.rows import Rows, SparseRows
from surelearn._typing import Matrix, Vector

_CHUNK = 32  # rows that stay in the first cache between their scores and their pull
_LN2, _ROOT = math.log(2.0), math.sqrt(2.0)
_O3, _O5, _O7, _O9, _O11, _O13, _O15, _O17, _O19 = [1.0 / i for i in range(3, 20, 2)]


@jit
def dense_scores(X: Matrix, start: int, stop: int, coef: Vector, scores: Vector) -> None:
    """Fill `scores` with the inner products of rows start .. stop - 1 with `coef`."""
    for t in range(start, stop - 3, 4):
        a, b, c, d = 0.0, 0.0, 0.0, 0.0
        for j in range(X.shape[1]):
            a += X[t, j] * coef[j]
            b += X[t + 1, j] * coef[j]
            c += X[t + 2, j] * coef[j]
            d += X[t + 3, j] * coef[j]
        scores[t - start], scores[t + 1 - start] = a, b
        scores[t + 2 - start], scores[t + 3 - start] = c, d
    # The last (stop - start) mod 4 rows one by one.
    for t in range(stop - (stop - start) % 4, stop):
        scores[t - start] = rows.dot(X, t, coef)


@jit
def dense_combination(X: Matrix, start: int, stop: int, weights: Vector, total: Vector) -> None:
    """Add to `total` the sum of rows start .. stop - 1, each times its weight."""
    for t in range(start, stop - 3, 4):
        a, b = weights[t - start], weights[t + 1 - start]
        c, d = weights[t + 2 - start], weights[t + 3 - start]
        for j in range(X.shape[1]):
            total[j] += a * X[t, j] + b * X[t + 1, j] + c * X[t + 2, j] + d * X[t + 3, j]
    for t in range(stop - (stop - start) % 4, stop):
        rows.add(X, t, weights[t - start], total)


@jit
def sparse_scores(X: SparseRows, start: int, stop: int, coef: Vector, scores: Vector) -> None:
    """Fill `scores` with the inner products of rows start .. stop - 1 with `coef`."""
    for t in range(start, stop):
        scores[t - start] = rows.dot(X, t, coef)


@jit
def sparse_combination(
    X: SparseRows, start: int, stop: int, weights: Vector, total: Vector
) -> None:
    """Add to `total` the sum of rows start .. stop - 1, each times its weight."""
    for t in range(start, stop):
        rows.add(X, t, weights[t - start], total)


def scores(X: Rows, start: int, stop: int, coef: Vector, out: Vector) -> None:
    """Fill `out` with the inner products of dense or sparse rows with `coef`."""
    fill: Any = sparse_scores if isinstance(X, SparseRows) else dense_scores
    fill(X, start, stop, coef, out)


def combination(X: Rows, start: int, stop: int, weights: Vector, total: Vector) -> None:
    """Add to `total` the weighted sum of dense or sparse rows."""
    add: Any = sparse_combination if isinstance(X, SparseRows) else dense_combination
    add(X, start, stop, weights, total)


@compiled_as(scores)
def _scores(X: Any, start: Any, stop: Any, coef: Any, out: Any) -> Any:  # noqa: ARG001
    fill: Any = sparse_scores if isinstance(X, types.BaseNamedTuple) else dense_scores

    def compiled(X: Any, start: int, stop: int, coef: Vector, out: Vector) -> None:
        fill(X, start, stop, coef, out)

    return compiled


@compiled_as(combination)
def _combination(X: Any, start: Any, stop: Any, weights: Any, total: Any) -> Any:  # noqa: ARG001
    add: Any = sparse_combination if isinstance(X, types.BaseNamedTuple) else dense_combination

    def compiled(X: Any, start: int, stop: int, weights: Vector, total: Vector) -> None:
        add(X, start, stop, weights, total)

    return compiled


@jit
def log1p(x: float) -> float:
    """Return ln(1 + x) for 0 <= x <= 1: a loop over it becomes vector instructions.

    The series of ln((1 + t)/(1 - t)), of 1 + x or of its half; relative error below 1e-15.
    """
    far = 1.0 + x > _ROOT
    t = (x - 1.0) / (x + 3.0) if far else x / (x + 2.0)
    s = t * t
    tail = _O11 + s * (_O13 + s * (_O15 + s * (_O17 + s * _O19)))
    series = 1.0 + s * (_O3 + s * (_O5 + s * (_O7 + s * (_O9 + s * tail))))
    return 2.0 * t * series + (_LN2 if far else 0.0)


@jit
def logistic_pass(
    X: Rows,
    first: int,
    last: int,
    signs: Vector,
    shares: Vector,
    theta: Vector,
    gradient: Vector,
) -> float:
    """Return the log loss of rows first .. last - 1 and add its gradient; the intercept is last."""
    d, total, pull = len(theta) - 1, 0.0, 0.0
    pulls, losses = np.empty(_CHUNK), np.empty(_CHUNK)
    for start in range(first, last, _CHUNK):
        stop = min(start + _CHUNK, last)
        scores(X, start, stop, theta[:d], pulls)
        for i in range(stop - start):
            sign, share = signs[start + i], shares[start + i]
            margin = sign * (pulls[i] + theta[d])
            power = exp(-abs(margin))  # never above 1: nothing overflows on either side
            losses[i] = share * (log1p(power) - min(margin, 0.0))
            pulls[i] = -sign * share * (power if margin > 0.0 else 1.0) / (1.0 + power)
        for i in range(stop - start):
            total += losses[i]
            pull += pulls[i]
        combination(X, start, stop, pulls, gradient[:d])
    gradient[d] += pull
    return total


@jit
def logistic_audit(
    X: Rows,
    first: int,
    last: int,
    signs: Vector,
    shares: Vector,
    theta: Vector,
    taken: Vector,
) -> tuple[int, float, float]:
    """Add p(1 - p)(x, 1) of rows first .. last - 1; return errors, least margin, least score."""
    d, spread, spreads, seen = len(theta) - 1, 0.0, np.empty(_CHUNK), np.empty(_CHUNK)
    n_errors, margin, least = 0, np.inf, np.inf
    for start in range(first, last, _CHUNK):
        stop = min(start + _CHUNK, last)
        scores(X, start, stop, theta[:d], seen)
        for i in range(stop - start):
            seen[i] += theta[d]
            power = exp(-abs(seen[i]))
            spreads[i] = shares[start + i] * power / (1.0 + power) ** 2  # p(1 - p) in both tails
        for i in range(stop - start):
            spread += spreads[i]
        combination(X, start, stop, spreads, taken)
        for i in range(stop - start):
            # A score of 0 is decided for the first class, as in prediction.
            n_errors += (seen[i] > 0.0) != (signs[start + i] > 0.0)
            least = min(least, seen[i])
            if shares[start + i] > 0.0:  # rows without weight have no say in the margin
                margin = min(margin, signs[start + i] * seen[i])
    taken[d] += spread
    return n_errors, margin, least


@jit
def bent_rows(X: Matrix, first: int, step: int, shares: Vector, theta: Vector, out: Matrix) -> None:
    """Fill `out` with every step-th row (x, 1) times the root of its share of p(1 - p)."""
    d = X.shape[1]
    for i in range(len(shares)):
        t, score = first + i * step, float(theta[d])
        for j in range(d):
            score += X[t, j] * theta[j]
        power = exp(-abs(score))
        root = math.sqrt(shares[i] * power) / (1.0 + power)  # of share times p(1 - p)
        for j in range(d):
            out[i, j] = root * X[t, j]
        out[i, d] = root


@jit
def sparse_class_scores(X: SparseRows, start: int, stop: int, coef: Matrix, scores: Matrix) -> None:
    """Fill `scores` with rows start .. stop - 1 times `coef`, a line per feature."""
    for t in range(start, stop):
        scores[t - start] = 0.0
        for i in range(np.uint64(X.indptr[t]), np.uint64(X.indptr[t + 1])):
            j = np.uint64(X.indices[i])  # signed positions cost a test each
            for k in range(coef.shape[1]):
                scores[t - start, k] += X.data[i] * coef[j, k]


@jit
def sparse_class_combination(
    X: SparseRows, start: int, stop: int, weights: Matrix, total: Matrix
) -> None:
    """Add to line j of `total` the weights of each of the rows times its feature j."""
    for t in range(start, stop):
        for i in range(np.uint64(X.indptr[t]), np.uint64(X.indptr[t + 1])):
            j = np.uint64(X.indices[i])  # signed positions cost a test each
            for k in range(total.shape[1]):
                total[j, k] += X.data[i] * weights[t - start, k]
