"""Distances from a query to a block of points that stand column by column.

Every sum runs over the features in order, whoever asks: all ways of searching see the same number
for the same pair of rows, to the last bit, so a tie for one is a tie for all. A metric is a type,
so that compiled loops contain its formula and no question.
"""

from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from surelearn._jit._decorator import compiled_as
from surelearn._stored import stored
from surelearn._typing import Vector

Blocks: TypeAlias = NDArray[np.float64]
"""Points by blocks: an array of shape (blocks, features, points of a block)."""


@stored("euclidean-metric")
class Euclidean(NamedTuple):
    """The sum of squared differences: the square of the Euclidean distance."""


@stored("manhattan-metric")
class Manhattan(NamedTuple):
    """The sum of absolute differences."""


@stored("chebyshev-metric")
class Chebyshev(NamedTuple):
    """The largest absolute difference."""


@stored("gower-metric")
class Gower(NamedTuple):
    """The mean difference over the features known on both sides, 1 if there is none.

    Numbers lie in [0, 1]; categories are whole numbers, and two of them differ by 1 at most.
    """


Metric: TypeAlias = Euclidean | Manhattan | Chebyshev | Gower
"""One of the four, without content: its type says all."""


def extend(metric: Metric, total: float, gap: float) -> float:
    """Return a distance with one more feature, in which the difference is `gap`."""
    if isinstance(metric, Euclidean):
        return total + gap * gap
    return max(total, gap) if isinstance(metric, Chebyshev) else total + gap


@compiled_as(extend)
def _extend(metric: Any, total: Any, gap: Any) -> Any:  # noqa: ARG001
    def euclidean(metric: Any, total: float, gap: float) -> float:  # noqa: ARG001
        return total + gap * gap

    def manhattan(metric: Any, total: float, gap: float) -> float:  # noqa: ARG001
        return total + gap

    def chebyshev(metric: Any, total: float, gap: float) -> float:  # noqa: ARG001
        return max(total, gap)

    formulas = {Euclidean: euclidean, Manhattan: manhattan, Chebyshev: chebyshev}
    return formulas[metric.instance_class]


def to_block(
    metric: Metric, columns: Blocks, block: int, query: Vector, distances: Vector, shared: Vector
) -> None:
    """Fill `distances` with those from `query` to each point of a block; squared if Euclidean.

    `columns[block, f]` holds feature f of its points; `shared` is scratch as long as `distances`.
    """
    fill = _gower if isinstance(metric, Gower) else _known
    fill(metric, columns, block, query, distances, shared)


@compiled_as(to_block)
def _to_block(metric: Any, *_: Any) -> Any:
    return _gower if metric.instance_class is Gower else _known


def _known(
    metric: Metric,
    columns: Blocks,
    block: int,
    query: Vector,
    distances: Vector,
    shared: Vector,  # noqa: ARG001 - as many arguments as the other
) -> None:
    """Fill the distances where nothing is missing."""
    for j in range(len(distances)):
        distances[j] = 0.0
    # Features outside: every sum runs over them in order, and points become vector lanes.
    for f in range(len(query)):
        for j in range(len(distances)):
            distances[j] = extend(metric, distances[j], abs(columns[block, f, j] - query[f]))


def _gower(
    metric: Metric,  # noqa: ARG001
    columns: Blocks,
    block: int,
    query: Vector,
    distances: Vector,
    shared: Vector,
) -> None:
    """Fill the distances where features may be missing."""
    distances[:], shared[:] = 0.0, 0.0
    for f in range(len(query)):
        for j in range(len(distances)):
            gap = abs(columns[block, f, j] - query[f])  # NaN if either side is missing
            if not np.isnan(gap):
                distances[j] += min(1.0, gap)
                shared[j] += 1.0
    for j in range(len(distances)):
        distances[j] = distances[j] / shared[j] if shared[j] > 0.0 else 1.0
