"""The triangular factor of a least-squares problem, updated chunk by chunk.

If [1 X y] = QR with orthonormal Q, then R holds all that least squares needs, and the factor of two
chunks of rows is the factor of their two factors, one above the other. Unlike normal equations this
squares no condition number. Rows are factored less a row near them, or a large common part of a
column would drown what varies: that changes only the first line of R, which is changed back.
"""

from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import lapack

from surelearn import _arguments
from surelearn._stored import holds, stored
from surelearn._typing import Matrix, Vector

_PANEL = 64  # columns that are eliminated together: room for LAPACK to use large products
_ROUNDING = 32.0 * np.finfo(np.float64).eps  # of a column, when factors are joined
_LEAST_CHUNK = 8192  # rows factored at once, at least; and at least eight times their width


@stored("triangular-factor")
@holds(
    n_rows="count",
    factor="finite[columns, columns]",
)
@dataclass(frozen=True)
class TriangularFactor:
    """The factor R of the weighted rows [1 x y]; the sum of two is the factor of all the rows.

    Attributes
    ----------
    n_rows
        The number of rows with a positive weight.
    factor
        The upper triangle R.

    Examples
    --------
    >>> X, y = np.array([[0.0], [1.0], [2.0]]), np.array([1.0, 3.0, 5.0])
    >>> parts = triangular_factor(X[:2], y[:2]) + triangular_factor(X[2:], y[2:])
    >>> square, target, rest = parts.centred()
    >>> bool(np.allclose(square @ [2.0], target)), abs(rest) < 1e-12  # y = 1 + 2x fits all rows
    (True, True)
    """

    n_rows: int
    factor: Matrix

    def __add__(self, other: Self) -> "TriangularFactor":
        """Return the factor of the rows of both."""
        n_rows = self.n_rows + other.n_rows
        if self.n_rows == 0 or other.n_rows == 0:
            return TriangularFactor(n_rows, (self if self.n_rows else other).factor)
        near = self.means
        both = np.vstack([_moved(self.factor, -near), _moved(other.factor, -near)])
        both[0, 1:] = 0.0  # these rows less their own means: exactly, not to rounding
        return TriangularFactor(n_rows, _finite(_moved(_factor(both), near)))

    @property
    def n_columns(self) -> int:
        """The number of columns, the target included."""
        return len(self.factor) - 1

    @property
    def weight(self) -> float:
        """The sum of the weights."""
        return float(self.factor[0, 0] ** 2)

    @property
    def means(self) -> Vector:
        """The weighted means of the features and, last, of the target."""
        return self.factor[0, 1:] / self.factor[0, 0]

    def centred(self) -> tuple[Matrix, Vector, float]:
        """Return R_X and r with |R_X w - r|² + s² = Σ (y - ȳ - ⟨w, x - x̄⟩)², and s.

        The column of a feature that varies by no more than rounding is 0.
        """
        square = self.factor[1:-1, 1:-1].copy()
        whole = np.hypot(self.factor[0, 1:-1], norms := _lengths(square))
        square[:, norms <= _ROUNDING * whole] = 0.0
        return square, self.factor[1:-1, -1], float(self.factor[-1, -1])

    def raw(self) -> tuple[Matrix, Vector, float]:
        """Return the same for rows that are not centred: Σ (y - ⟨w, x⟩)²."""
        square = _factor(self.factor[:, 1:])
        return square[:-1, :-1], square[:-1, -1], float(square[-1, -1])


def triangular_factor(
    X: NDArray[Any], y: Vector, weights: Vector | None = None
) -> TriangularFactor:
    """Return the triangular factor of rows and targets, chunk by chunk."""
    width = X.shape[1] + 2
    size = max(_LEAST_CHUNK, 8 * width)
    factor = np.zeros((0, width))
    first = 0 if weights is None else int(np.argmax(weights > 0.0))
    near = np.append(np.asarray(X[first], dtype=np.float64), y[first])
    for start in range(0, len(X), size):
        rows = slice(start, start + size)
        chunk = np.column_stack([np.ones(len(X[rows])), X[rows], y[rows]])
        with np.errstate(over="ignore"):  # refused below, in a sentence
            chunk[:, 1:] -= near
        if weights is not None:
            chunk *= np.sqrt(weights[rows, np.newaxis])
        factor = _factor(np.vstack([factor, chunk]))
    n_rows = len(X) if weights is None else int(np.count_nonzero(weights))
    return TriangularFactor(n_rows, _finite(_moved(factor, near)))


def _moved(factor: Matrix, step: Vector) -> Matrix:
    """Return the factor of rows that all differ by `step` from those of a factor."""
    moved = factor.copy()
    with np.errstate(over="ignore", invalid="ignore"):  # whoever calls it looks
        moved[0, 1:] += factor[0, 0] * step
    return moved


def _finite(factor: Matrix) -> Matrix:
    """Return a factor unless its rows are so long that it overflowed."""
    if not np.isfinite(factor).all():
        raise ValueError("sums of such large values overflow; rescale the features or the targets")
    return factor


def _lengths(matrix: Matrix) -> Vector:
    """Return the norm of each column; no square overflows."""
    return np.hypot.reduce(matrix, axis=0)


def _factor(rows: Matrix) -> Matrix:
    """Return the square upper-triangular factor of some rows, with a non-negative diagonal."""
    height, width = rows.shape
    _arguments.pairs_of_features(width)
    if height < width:
        rows = np.vstack([rows, np.zeros((width - height, width))])
    packed = lapack.dgeqrf(np.asfortranarray(rows), lwork=_PANEL * width, overwrite_a=1)[0]
    upper = np.triu(packed[:width])
    return upper * np.where(np.diag(upper) < 0.0, -1.0, 1.0)[:, np.newaxis]
