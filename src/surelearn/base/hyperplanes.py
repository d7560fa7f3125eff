"""Distances from a hyperplane given by its weights: ⟨coef, x⟩ + intercept = 0."""

import math
from typing import Any

import numpy as np

from surelearn import _arguments
from surelearn._jit import tables
from surelearn._typing import ArrayLike, Matrix, Vector
from surelearn.base.validation import checked_numbers

_SQUARES_VANISH = 1e-140  # as a length, or are cut off


def signed_distance(X: Any, coef: ArrayLike, intercept: float = 0.0) -> Vector:
    """Return how far each row lies from the hyperplane, positive on the side of the weights.

    Parameters
    ----------
    X
        Rows, dense or sparse.
    coef, intercept
        The hyperplane ⟨coef, x⟩ + intercept = 0; not all weights may be 0.

    Examples
    --------
    >>> signed_distance([[3.0, 4.0], [0.0, 0.0]], [3.0, 4.0], -10.0)
    array([ 3., -2.])
    """
    rows, weights = _rows(X), _weights(coef)
    unit, offset, _ = _normal(weights, intercept)
    return _finite(_product(rows, unit) + offset)


def project_onto_hyperplane(X: Any, coef: ArrayLike, intercept: float = 0.0) -> Matrix:
    """Return the point of the hyperplane that is nearest to each row.

    Parameters
    ----------
    X
        Rows, dense or sparse; the result is dense.
    coef, intercept
        The hyperplane ⟨coef, x⟩ + intercept = 0; not all weights may be 0.

    Examples
    --------
    >>> project_onto_hyperplane([[4.0, 3.0]], [0.5, 0.5], -2.0)
    array([[2.5, 1.5]])
    """
    rows, weights = _rows(X), _weights(coef)
    unit, offset, _ = _normal(weights, intercept)
    distance = _finite(_product(rows, unit) + offset)
    dense = tables.dense(rows)
    return _finite(dense - np.outer(distance, unit))


def functional_margin(X: Any, y: ArrayLike, coef: ArrayLike, intercept: float = 0.0) -> float:
    """Return the smallest y (⟨coef, x⟩ + intercept): positive iff every row is on its side.

    It doubles with the weights; `geometric_margin` does not.

    Parameters
    ----------
    X
        Rows, dense or sparse.
    y
        Labels -1 and +1.
    coef, intercept
        The weights.

    Examples
    --------
    >>> X, y = [[3.0, 3.0], [4.0, 3.0], [1.0, 1.0]], [1, 1, -1]
    >>> functional_margin(X, y, [1.0, 1.0], -3.0), functional_margin(X, y, [2.0, 2.0], -6.0)
    (1.0, 2.0)
    """
    rows, weights = _rows(X), _weights(coef)
    scores = _product(rows, weights) + _arguments.real("intercept", intercept)
    return float((checked_signs(y, rows.shape[0]) * _finite(scores)).min())


def geometric_margin(X: Any, y: ArrayLike, coef: ArrayLike, intercept: float = 0.0) -> float:
    """Return the smallest signed distance of a row from the hyperplane, positive on its own side.

    Scale the features before margins are compared. With a constant feature in place of the
    intercept the weights are longer, and the margin is smaller.

    Parameters
    ----------
    X
        Rows, dense or sparse.
    y
        Labels -1 and +1.
    coef, intercept
        The hyperplane; not all weights may be 0.

    Examples
    --------
    >>> X, y = [[3.0, 3.0], [4.0, 3.0], [1.0, 1.0]], [1, 1, -1]
    >>> round(geometric_margin(X, y, [1.0, 1.0], -3.0), 10)
    0.7071067812
    """
    distance = signed_distance(X, coef, intercept)
    return float((checked_signs(y, len(distance)) * distance).min())


def _normal(weights: Vector, intercept: float) -> tuple[Vector, float, float]:
    """Return the weights of length 1, the intercept that belongs to them, and their length.

    They are first divided by a power of 2, so that no square overflows or vanishes.
    """
    offset, largest = _arguments.real("intercept", intercept), float(np.abs(weights).max())
    if largest == 0.0:
        raise ValueError("all weights are 0: they describe no hyperplane")
    exponent = math.frexp(largest)[1]
    near_one = np.ldexp(weights, -exponent)
    norm = float(np.linalg.norm(near_one))
    try:
        scaled = math.ldexp(offset, -exponent) / norm
    except OverflowError:
        raise ValueError(
            f"the hyperplane lies beyond what floats can say: intercept={offset:g}, and the "
            f"largest weight is {largest:g}"
        ) from None
    return near_one / norm, scaled, norm


def _rows(X: Any) -> Any:
    """Return rows of finite numbers, dense or CSR."""
    return checked_numbers(X, accept_sparse="csr")


def _weights(coef: ArrayLike) -> Vector:
    weights = _arguments.numbers("coef", coef)
    # A learner's coef_ has a row for its only problem.
    return _arguments.vector("coef", weights[0] if weights.shape[:-1] == (1,) else weights)


def _product(rows: Any, weights: Vector) -> Vector:
    if rows.shape[1] != len(weights):
        raise ValueError(f"X has {rows.shape[1]} columns and coef {len(weights)} weights")
    with np.errstate(over="ignore", invalid="ignore"):
        return np.asarray(rows @ weights)


def _finite(values: Any) -> Any:
    if not np.isfinite(values).all():
        raise ValueError("products of rows and weights overflow; rescale the features")
    return values


def checked_signs(y: ArrayLike, n: int) -> Vector:
    """Return the labels of n rows, all -1 or +1."""
    signs = _arguments.vector("y", y)
    if len(signs) != n:
        raise ValueError(f"y has {len(signs)} labels for {n} rows")
    if not (np.abs(signs) == 1.0).all():
        raise ValueError("y must hold only the labels -1 and +1; for 0 and 1 pass 2 * y - 1")
    return signs


def length_of(vector: Vector) -> float:
    """Return the Euclidean norm, also of numbers so small that their squares vanish.

    Examples
    --------
    >>> length_of(np.array([3.0, 4.0])), length_of(np.array([3e-300, 4e-300])) > 4.9e-300
    (5.0, True)
    """
    length = float(np.linalg.norm(vector))
    if length > _SQUARES_VANISH or not vector.any():
        return length
    largest = float(np.abs(vector).max())
    return largest * float(np.linalg.norm(vector / largest))
