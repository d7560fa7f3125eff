"""The nearest of many points: a short sorted list per query, and visits to blocks of points.

Points are ordered by (distance, number). A list also counts the points outside it that are exactly
as far as its last one: the rule that asks every point at the k-th distance needs to know of them.
Ways to search differ only in the blocks they do not visit.
"""

import numpy as np

from surelearn._jit import inner, jit
from surelearn._typing import Indices, Matrix, Vector
from surelearn.learners.neighbors._search.distances import Blocks, Metric, to_block


@inner
def offer(distance: float, point: int, near: Vector, who: Indices, ties: int) -> int:
    """Put a point where it belongs in the list, if it does; return how many now tie outside.

    The list is `near` and `who`, distances and points; it starts as infinities.
    """
    last = len(near) - 1
    farthest = near[last]
    if distance > farthest:
        return ties
    if distance == farthest and point > who[last]:
        return ties + 1
    # Insertion from the back: those farther, or as far with a larger number, move down a place.
    i = last
    while i > 0 and (near[i - 1] > distance or (near[i - 1] == distance and who[i - 1] > point)):
        near[i], who[i] = near[i - 1], who[i - 1]
        i -= 1
    near[i], who[i] = distance, point
    # What fell off the end ties with the list only if the k-th distance did not get smaller.
    return ties + 1 if near[last] == farthest else 0


@jit
def scan(
    columns: Blocks,
    numbers: Indices,
    queries: Matrix,
    metric: Metric,
    distances: Matrix,
    points: Indices,
    tied: Indices,
) -> None:
    """Compare each query with every point; the three outputs are its list and its ties."""
    found, shared = np.empty(columns.shape[2]), np.empty(columns.shape[2])
    distances[:], points[:], tied[:] = np.inf, -1, 0
    # Blocks outside, queries inside: a block is read once for all queries of a chunk.
    for block in range(len(columns)):
        for t in range(len(queries)):
            to_block(metric, columns, block, queries[t], found, shared)
            for j in range(len(found)):
                if found[j] <= distances[t, -1] and numbers[block, j] >= 0:
                    tied[t] = offer(found[j], numbers[block, j], distances[t], points[t], tied[t])


@jit
def collect(
    columns: Blocks,
    numbers: Indices,
    queries: Matrix,
    metric: Metric,
    radii: Vector,
    places: Indices,
    distances: Vector,
    points: Indices,
) -> None:
    """Write every point at most `radii[t]` from query t from `places[0, t]` on, which moves.

    It is counted on beyond `places[1, t]`, but nothing is written there.
    """
    free, stops = places[0], places[1]
    found, shared = np.empty(columns.shape[2]), np.empty(columns.shape[2])
    for block in range(len(columns)):
        for t in range(len(queries)):
            to_block(metric, columns, block, queries[t], found, shared)
            for j in range(len(found)):
                if found[j] <= radii[t] and numbers[block, j] >= 0:
                    if free[t] < stops[t]:
                        distances[free[t]], points[free[t]] = found[j], numbers[block, j]
                    free[t] += 1
