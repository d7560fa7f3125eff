"""The log loss of linear softmax models, its gradient and its curvature, a chunk of rows at a time.

    F(W, b) = Σ s_i [ln Σ_k exp(z_ik) − z_{i,y_i}] / S + (μ/2)‖W‖²,   z_i = W x_i + b,  S = Σ s_i

Two classes have one score z and the loss ln(1 + exp(∓z)). A chunk of rows stays in cache between
the product that makes its scores and the one that makes its share of the gradient.
"""

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

import numpy as np
from scipy import sparse, special

from surelearn._jit import rows
from surelearn._threads import map_chunks
from surelearn._typing import Indices, Matrix, Vector
from surelearn.learners.linear._softmax import loops

CHUNK = 2048
"""Rows taken at once: with a hundred features, what a second-level cache holds."""

_WORTH_THREADS = 3_000_000  # entries of a table below which starting threads costs more
_SPARSE = 4  # entries of a dense table that take as long as one of a sparse one


@dataclass(frozen=True, eq=False)
class SoftmaxObjective:
    """The objective as a function of all parameters in one vector: a line (w_k, b_k) per score.

    Parameters
    ----------
    X
        Checked rows, dense in C order or CSR.
    codes
        The class of each row, 0, 1, ...
    shares
        The weight of each row; they sum to 1.
    n_scores
        1 for two classes, else their number.
    penalty
        The μ of the penalty; intercepts are free of it.
    fit_intercept
        Whether there are intercepts; without, their entries stay 0.
    """

    X: Any
    codes: Indices
    shares: Vector
    n_scores: int
    penalty: float
    fit_intercept: bool
    packed: Any = field(init=False)
    signs: Vector = field(init=False)
    _last: dict[str, Any] = field(init=False, default_factory=dict[str, Any])

    def __post_init__(self) -> None:
        """Keep rows and labels in the form that compiled code takes."""
        object.__setattr__(self, "packed", rows.of(self.X))
        object.__setattr__(self, "signs", 2.0 * self.codes - 1.0)

    @property
    def n_parameters(self) -> int:
        """The number of entries of a point."""
        return self.n_scores * (self.X.shape[1] + 1)

    def __call__(self, point: Vector) -> tuple[float, Vector]:
        """Return the value and the gradient; the last point is remembered."""
        if not np.array_equal(self._last.get("point", ()), point):
            self._last.update(point=point.copy(), seen=self._evaluate(point))
        return self._last["seen"]

    def _evaluate(self, point: Vector) -> tuple[float, Vector]:
        theta = point.reshape(self.n_scores, -1)
        value, gradient = self.sums(theta)
        return penalised(value, gradient, theta, self.penalty, fit_intercept=self.fit_intercept)

    def sums(self, theta: Matrix) -> tuple[float, Matrix]:
        """Return the loss of all rows and its gradient, without the penalty."""
        found = self.map_chunks(partial(self._value_of, theta))
        return float(sum(one[0] for one in found)), np.sum([one[1] for one in found], axis=0)

    def spacing(self, step: int) -> int:
        """Return the step if every step-th row is a sample, and 1 if those have no weight."""
        return step if self.shares[::step].any() else 1

    def thinned(self, step: int) -> "SoftmaxObjective":
        """Return the objective on every step-th row, or on all if those have no weight."""
        step = self.spacing(step)
        if step == 1:
            return self
        X, shares = self.X[::step], self.shares[::step]
        X = X if sparse.issparse(X) else np.ascontiguousarray(X)
        return replace(self, X=X, codes=self.codes[::step], shares=shares / shares.sum())

    def _value_of(self, theta: Matrix, first: int, last: int) -> tuple[float, Matrix]:
        """Return what rows first .. last - 1 add to the value and the gradient."""
        total, gradient = 0.0, np.zeros((self.X.shape[1] + 1, self.n_scores))
        if self.n_scores == 1:
            labels = self.signs, self.shares
            total = loops.logistic_pass(self.packed, first, last, *labels, theta[0], gradient[:, 0])
            return total, gradient.T
        for start, stop in chunks(first, last):
            scores = self.chunk_scores(theta, start, stop)
            losses, residuals = log_losses(scores, self.codes[start:stop])
            shares = self.shares[start:stop]
            total += float(shares @ losses)
            residuals *= shares[:, np.newaxis]
            self.combine(residuals, start, stop, gradient)
        return total, gradient.T

    def chunk_scores(self, theta: Matrix, start: int, stop: int) -> Matrix:
        """Return the scores of some rows."""
        X, coef = self.packed, theta[:, :-1]
        scores = np.empty((stop - start, self.n_scores))
        if self.n_scores == 1:
            loops.scores(X, start, stop, coef[0], scores[:, 0])
        elif isinstance(X, rows.SparseRows):
            loops.sparse_class_scores(X, start, stop, np.ascontiguousarray(coef.T), scores)
        else:
            np.matmul(X[start:stop], coef.T, out=scores)
        scores += theta[:, -1]
        return scores

    def combine(self, residuals: Matrix, start: int, stop: int, total: Matrix) -> None:
        """Add residuals' times rows to `total`, a line per feature and one for the intercept."""
        X = self.packed
        if self.n_scores == 1:
            loops.combination(X, start, stop, residuals[:, 0], total[:-1, 0])
        elif isinstance(X, rows.SparseRows):
            loops.sparse_class_combination(X, start, stop, residuals, total)
        else:
            total[:-1] += X[start:stop].T @ residuals
        total[-1] += residuals.sum(axis=0)

    def rows_between(self, first: int, last: int) -> rows.Rows:
        """Return some rows in the form that compiled code takes; nothing is copied."""
        X = self.packed
        if isinstance(X, rows.SparseRows):
            return rows.SparseRows(X.data, X.indices, X.indptr[first : last + 1])
        return X[first:last]

    def map_chunks(self, work: Callable[[int, int], Any]) -> list[Any]:
        """Do the work on all rows, on as many threads as there are processors if it is much."""
        n = len(self.codes)
        size = _SPARSE * len(X.data) if isinstance(X := self.packed, rows.SparseRows) else X.size
        ours = self.n_scores == 1 or isinstance(X, rows.SparseRows)  # other products have threads
        if not ours or size < _WORTH_THREADS:
            return [work(0, n)]
        return map_chunks(work, n)


def penalised(
    value: float, gradient: Matrix, theta: Matrix, penalty: float, *, fit_intercept: bool
) -> tuple[float, Vector]:
    """Return the value and the gradient of the objective, given those of the loss of all rows.

    Examples
    --------
    >>> penalised(1.0, np.ones((1, 2)), np.array([[2.0, 5.0]]), 0.5, fit_intercept=False)
    (2.0, array([2., 0.]))
    """
    slopes = gradient.copy()
    slopes[:, :-1] += penalty * theta[:, :-1]
    value += 0.5 * penalty * float((theta[:, :-1] ** 2).sum())
    if not fit_intercept:
        slopes[:, -1] = 0.0
    return value, slopes.ravel()


def chunks(first: int, last: int, size: int = CHUNK) -> list[tuple[int, int]]:
    """Return where the chunks of rows first .. last - 1 begin and end.

    Examples
    --------
    >>> chunks(0, 5, 2)
    [(0, 2), (2, 4), (4, 5)]
    """
    return [(start, min(start + size, last)) for start in range(first, last, size)]


def log_losses(scores: Matrix, codes: Indices) -> tuple[Vector, Matrix]:
    """Return the log loss of each row of many classes and its derivative by the scores.

    Examples
    --------
    >>> losses, residuals = log_losses(np.array([[0.0, 0.0]]), np.array([1]))
    >>> round(float(losses[0]), 6), residuals.tolist()
    (0.693147, [[0.5, -0.5]])
    """
    each = np.arange(len(codes))
    probabilities = scores - scores.max(axis=1, keepdims=True)
    right = probabilities[each, codes]
    np.exp(probabilities, out=probabilities)
    sums = probabilities.sum(axis=1, keepdims=True)
    probabilities /= sums
    probabilities[each, codes] -= 1.0
    return np.log(sums[:, 0]) - right, probabilities


def probabilities(scores: Matrix) -> Matrix:
    """Return the probabilities that scores stand for: of the last class if there is one score.

    Examples
    --------
    >>> probabilities(np.array([[1.0, 2.0, 3.0]])).round(6).tolist()
    [[0.090031, 0.244728, 0.665241]]
    >>> probabilities(np.array([[800.0], [-800.0]])).tolist()
    [[1.0], [0.0]]
    """
    if scores.shape[1] == 1:
        return special.expit(scores)
    return special.softmax(scores, axis=1)
