"""How rich a class of rules is: its VC dimension, and its Littlestone dimension.

The VC dimension is the size of the largest set of points on which the class makes every labelling;
the Littlestone dimension is the number of mistakes an adversary can force on any online learner.
"""

import functools
import math

import numpy as np
from numpy.typing import NDArray

from surelearn import _arguments
from surelearn._typing import ArrayLike, Mask, Matrix, Vector
from surelearn.bounds import _rounding

_LARGEST_CLASS = 20  # the recursion visits subsets of the class
_MOST_DIGITS = 4000  # Python refuses to print whole numbers of more than 4,300


def intervals() -> int:
    """Return 2, the VC dimension of the intervals of the line.

    Examples
    --------
    >>> intervals()
    2
    """
    return 2


def rectangles(*, dimension: int) -> int:
    """Return 2 d, the VC dimension of axis-aligned boxes in R^d.

    Examples
    --------
    >>> rectangles(dimension=2)
    4
    """
    return 2 * _arguments.count("dimension", dimension, at_least=1)


def affine_halfspaces(*, dimension: int) -> int:
    """Return d + 1, the VC dimension of the rules w.x + b > 0 in R^d.

    Examples
    --------
    >>> affine_halfspaces(dimension=2)
    3
    """
    return _arguments.count("dimension", dimension) + 1


def homogeneous_halfspaces(*, dimension: int) -> int:
    """Return d, the VC dimension of the rules w.x > 0 in R^d, which have no offset.

    Examples
    --------
    >>> homogeneous_halfspaces(dimension=2)
    2
    """
    return _arguments.count("dimension", dimension)


def finite_class(*, n_hypotheses: int) -> int:
    """Return floor(log2 |H|), an upper bound on the VC dimension of a finite class.

    Examples
    --------
    >>> finite_class(n_hypotheses=1024)
    10
    """
    return (
        _arguments.count("n_hypotheses", n_hypotheses, at_least=1, of_any_size=True).bit_length()
        - 1
    )


def integer_halfspaces(*, largest_weight: int, dimension: int) -> int:
    """Return (2B + 1)^(d + 1), at least the number of rules w.x > b with whole weights up to B.

    The threshold b is one of -B, ..., B as well. It is the `n_hypotheses` of `bounds.pac`.

    Examples
    --------
    >>> integer_halfspaces(largest_weight=1, dimension=5)
    729
    """
    values = 2 * _arguments.count("largest_weight", largest_weight) + 1
    dimension = _arguments.count("dimension", dimension)  # one of NumPy's may overflow
    digits = math.log10(values) * (dimension + 1)
    if digits > _MOST_DIGITS:
        raise _arguments.refuse(
            "dimension", dimension, f"small enough for 10^{_MOST_DIGITS} rules at most"
        )
    return values ** (dimension + 1)


def large_margin(*, norm: float, radius: float, dimension: int | None = None) -> int:
    """Return floor(norm^2 radius^2), a bound for half-spaces with |w.x| >= 1 on every x.

    `norm` bounds |w|, `radius` bounds |x|; in finite dimension d the bound is at most d.

    Examples
    --------
    >>> large_margin(norm=2.0, radius=1.5, dimension=100)
    9
    """
    product = _arguments.positive("norm", norm) * _arguments.positive("radius", radius)
    square, most = _rounding.up(product * product), math.inf
    if dimension is not None:
        most = _arguments.count("dimension", dimension)
    if math.isinf(min(square, most)):
        raise _arguments.refuse("norm", norm, "smaller: norm^2 radius^2 is beyond 10^308")
    return math.floor(min(square, most))


def vc_dimension_of_class(*, patterns: ArrayLike) -> int:
    """Return the VC dimension of a class given by its 0-1 values, one row for each rule.

    Exhaustive: subsets of points are extended as long as they stay shattered.

    Examples
    --------
    >>> vc_dimension_of_class(patterns=np.tri(4, 3, -1))
    1
    """
    columns, everything = _as_sets(patterns)

    def deepest(start: int, cells: list[int]) -> int:
        best = 0
        for j in range(start, len(columns)):
            split = [part for cell in cells for part in (cell & columns[j], cell & ~columns[j])]
            if all(split):
                best = max(best, 1 + deepest(j + 1, split))
        return best

    return deepest(0, [everything])


def littlestone_dimension(*, patterns: ArrayLike) -> int:
    """Return the least number of mistakes any online learner can promise on a class of 0-1 rows.

    Exhaustive over subsets of the class: refuses more than 20 distinct rules.

    Examples
    --------
    >>> littlestone_dimension(patterns=np.tri(8, 7, -1))
    3
    """
    columns, everything = _as_sets(patterns)
    if everything.bit_count() > _LARGEST_CLASS:
        raise _arguments.refuse(
            "patterns", f"{everything.bit_count()} distinct rows", f"at most {_LARGEST_CLASS} rules"
        )

    @functools.cache
    def mistakes(rules: int) -> int:
        splits = ((rules & column, rules & ~column) for column in columns)
        return max((1 + min(map(mistakes, split)) for split in splits if all(split)), default=0)

    return mistakes(everything)


def radon_point(points: ArrayLike) -> tuple[Vector, Mask]:
    """Return a point in the hulls of both parts of d + 2 points of R^d, and which are in part 1.

    Examples
    --------
    >>> point, part = radon_point([[0, 0], [1, 0], [0, 1], [1, 1]])
    >>> point.round(6), bool(part[0]) == bool(part[3]) != bool(part[1])
    (array([0.5, 0.5]), True)
    """
    x: Matrix = np.asarray(points, dtype=np.float64)
    if x.ndim != 2 or x.shape[0] != x.shape[1] + 2 or not np.isfinite(x).all():
        raise _arguments.refuse("points", f"array of shape {x.shape}", "d + 2 finite points of R^d")
    homogeneous = np.vstack([x.T, np.ones(len(x))])
    dependence = np.linalg.svd(homogeneous)[2][-1]
    part = dependence > 0.0
    return dependence[part] @ x[part] / dependence[part].sum(), part


def _as_sets(patterns: ArrayLike) -> tuple[list[int], int]:
    """Return for each point the set of distinct rules that say 1 there, as bits, and all rules."""
    values: NDArray[np.float64] = _arguments.numbers("patterns", patterns)
    if values.ndim != 2 or values.shape[0] == 0 or not np.isin(values, (0.0, 1.0)).all():
        raise _arguments.refuse(
            "patterns", f"array of shape {values.shape}", "a 0-1 matrix with rows"
        )
    distinct = np.unique(values, axis=0) if values.shape[1] else values[:1]
    columns = [sum(1 << int(i) for i in np.flatnonzero(column)) for column in distinct.T]
    return columns, (1 << len(distinct)) - 1
