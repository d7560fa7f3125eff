"""Principal components and low rank: how well new rows are reconstructed, how well they can be.

The reconstruction bounds hold for all projections of the stated rank at once, so it does not matter
how the components were found. `pca` and `pca_variance` are about components through the origin,
`pca_centred` about components through the sample mean; choose before looking, or split delta.
"""

import math
from collections.abc import Mapping

import numpy as np

from surelearn import _arguments
from surelearn._typing import ArrayLike, Vector
from surelearn._wording import exactly
from surelearn.bounds import _rounding
from surelearn.bounds._guarantee import Guarantee, theorem

_INDEPENDENT = "the rows are independent and have the law of future rows"
_RANK = "the number of components was fixed before the data were seen"
_FORM = "so was the choice among the forms of this bound"


@theorem(realised=("residual",))
def pca(
    *,
    residual: float,
    n: int,
    n_components: int,
    radius_squared: float,
    delta: float,
    dimension: int | None = None,
) -> Guarantee:
    """Bound the mean squared reconstruction error of new rows by that of the sample.

    `radius_squared` bounds the squared norm of every row; leave `dimension` out for a kernel.

    Examples
    --------
    >>> round(pca(residual=0.0, n=1000, n_components=10, radius_squared=1.0, delta=0.05).bound, 4)
    0.1387
    """
    n, rank = _arguments.count("n", n, at_least=1), _smaller_rank(n_components, dimension)
    square = _arguments.positive("radius_squared", radius_squared)
    slack = square * (math.sqrt(rank / n) + _deviation(n, delta, sides=1))
    bounded = {"radius": f"squared norms are at most {exactly(square)}"}
    return _reconstruction(residual, slack, square, delta, bounded)


@theorem(realised=("residual", "mean_square"))
def pca_variance(
    *,
    residual: float,
    mean_square: float,
    n: int,
    n_components: int,
    radius_squared: float,
    delta: float,
    dimension: int | None = None,
) -> Guarantee:
    """Bound the reconstruction error of new rows, better if most rows are far inside the radius.

    `mean_square` is the mean squared norm of the sample.

    Examples
    --------
    >>> round(pca_variance(residual=0.0, mean_square=0.1, n=1000, n_components=10,
    ...                    radius_squared=1.0, delta=0.05).bound, 4)
    0.0808
    """
    n, rank = _arguments.count("n", n, at_least=1), _smaller_rank(n_components, dimension)
    square = _arguments.positive("radius_squared", radius_squared)
    deviation = square * _deviation(n, delta, sides=2)
    largest_mean = _at_most("mean_square", mean_square, square) + deviation
    slack = math.sqrt(rank * square * largest_mean / n) + deviation
    bounded = {"radius": f"squared norms are at most {exactly(square)}"}
    return _reconstruction(residual, slack, square, delta, bounded)


@theorem(realised=("residual",))
def pca_centred(
    *,
    residual: float,
    n: int,
    n_components: int,
    diameter: float,
    delta: float,
    dimension: int | None = None,
) -> Guarantee:
    """Bound the reconstruction error of new rows about the sample mean by that of the sample.

    Examples
    --------
    >>> round(pca_centred(residual=0.0, n=1000, n_components=10, diameter=1.0, delta=0.05).bound, 4)
    0.1515
    """
    n, rank = _arguments.count("n", n, at_least=1), _smaller_rank(n_components, dimension)
    square = _arguments.positive("diameter", diameter) ** 2
    log_level = math.log(2.0 / _arguments.open_fraction("delta", delta))
    centre = (1.0 + math.sqrt(log_level)) ** 2 / n
    slack = square * (math.sqrt(rank / n) + _deviation(n, delta, sides=2) + centre)
    bounded = {"diameter": f"no two rows are farther than {exactly(diameter)}"}
    return _reconstruction(residual, slack, square, delta, bounded)


@theorem(realised=("singular_values",))
def eckart_young_frobenius(*, singular_values: ArrayLike, rank: int) -> Guarantee:
    """Bound from below the Frobenius distance of a matrix to any matrix of the given rank.

    The truncated singular value decomposition attains it.

    Examples
    --------
    >>> round(eckart_young_frobenius(singular_values=[4.0, 3.0, 2.0, 1.0], rank=2).bound, 6)
    2.236068
    """
    return _distance("Frobenius", _length(_tail(singular_values, rank)))


@theorem(realised=("singular_values",))
def eckart_young_spectral(*, singular_values: ArrayLike, rank: int) -> Guarantee:
    """Bound from below the spectral distance of a matrix to any matrix of the given rank.

    Examples
    --------
    >>> round(eckart_young_spectral(singular_values=[4.0, 3.0, 2.0, 1.0], rank=2).bound, 6)
    2.0
    """
    tail = _tail(singular_values, rank)
    return _distance("spectral", float(tail[0]) if tail.size else 0.0)


def plan_rank(*, singular_values: ArrayLike, tail: float = 0.1, squared: bool = False) -> int:
    """Return the smallest rank that leaves less than a share `tail` of the singular values.

    With `squared` the share is of their squares: the variance of centred rows.

    Examples
    --------
    >>> plan_rank(singular_values=[10.0, 5.0, 2.0, 1.0, 0.5])
    3
    """
    values = _tail(singular_values, 0) ** (2 if squared else 1)
    left = np.append(np.cumsum(values[::-1])[::-1], 0.0)
    enough = left < _arguments.open_fraction("tail", tail) * left[0]
    return int(np.argmax(enough)) if enough.any() else 0  # a zero matrix needs no rank


def _tail(singular_values: ArrayLike, rank: int) -> Vector:
    values = _arguments.vector("singular_values", singular_values, low=0.0)
    return np.sort(values)[::-1][_arguments.count("rank", rank) :]


def _length(values: Vector) -> float:
    """Return the length of numbers whose squares may be beyond floats, or below them.

    Examples
    --------
    >>> [_length(2.0**power * np.array([3.0, 4.0])) / 2.0**power for power in (-600, 0, 600)]
    [5.0, 5.0, 5.0]
    """
    exponent = int(np.frexp(values.max(initial=0.0))[1])
    length = float(np.linalg.norm(np.ldexp(values, -exponent)))  # a power of two: nothing is lost
    with np.errstate(over="ignore"):
        return min(float(np.ldexp(length, exponent)), float(np.finfo(np.float64).max))


def _distance(norm: str, value: float) -> Guarantee:
    return Guarantee(
        quantity=f"the {norm} distance to the nearest matrix of the stated rank",
        bound=_rounding.down(value),
        assumes={"singular_values": "these are all the singular values of the matrix"},
        reference="Eckart and Young, Psychometrika 1 (1936); Mirsky (1960)",
        direction="lower",
        trivial=0.0,
    )


def _smaller_rank(n_components: int, dimension: int | None) -> int:
    """Return the rank of the projection or of its complement, whichever is smaller."""
    if dimension is None:
        return _arguments.count("n_components", n_components)
    dimension = _arguments.count("dimension", dimension, at_least=1)
    rank = _arguments.count("n_components", n_components, at_most=dimension)
    return min(rank, dimension - rank)


def _deviation(n: int, delta: float, *, sides: int) -> float:
    log_level = math.log(sides) - math.log(_arguments.open_fraction("delta", delta))
    return math.sqrt(log_level / (2.0 * n))


def _at_most(name: str, value: float, highest: float) -> float:
    # A sample mean of numbers that are at most `highest` may exceed it by rounding alone.
    if _arguments.non_negative(name, value) > highest * (1.0 + 1e-9):
        raise _arguments.refuse(name, value, f"at most {highest:g}")
    return float(value)


def _reconstruction(
    residual: float, slack: float, largest: float, delta: float, bounded: Mapping[str, str]
) -> Guarantee:
    return Guarantee(
        quantity="the expected squared distance of a new row to its reconstruction",
        bound=_rounding.up(_at_most("residual", residual, largest) + slack),
        assumes={
            "independent": _INDEPENDENT,
            **bounded,
            "fixed_components": _RANK,
            "fixed_form": _FORM,
        },
        reference="surelearn theory pages; sharpens Shawe-Taylor et al. (2005)",
        confidence=_arguments.confidence_from(delta),
        validity="fixed-n",
        trivial=largest,
    )
