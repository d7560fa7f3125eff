"""A balanced k-d tree: halve the points at the median of the widest side, again and again.

Nodes are numbered as in a heap: the root is 1, the children of i are 2i and 2i + 1, and the leaves
are the last level. Node j of level l holds the points from (j n) >> l up to ((j + 1) n) >> l, so
the tree is nothing but its boxes. Bentley (1975); Friedman, Bentley and Finkel (1977).
"""

from typing import NamedTuple

import numpy as np

from surelearn._jit import inner, jit
from surelearn._typing import Indices, Matrix
from surelearn.learners.neighbors._search.distances import Blocks, Metric, extend, to_block
from surelearn.learners.neighbors._search.nearest import offer

_ALMOST_ONE = 1.0 - 1e-12  # rounding may lift the distance of a box above that of a point in it


class KDTree(NamedTuple):
    """The arrays of a tree: a box per node (low, high); each leaf's points, column by column."""

    boxes: Blocks
    columns: Blocks
    numbers: Indices


@jit
def grow(points: Matrix, numbers: Indices, top: int, place: int, depth: int, boxes: Blocks) -> None:
    """Order the points below node `place` of level `top`, down to level `depth`; fill the boxes."""
    n = len(points)
    for level in range(top, depth + 1):
        for j in range(place << (level - top), (place + 1) << (level - top)):
            start, stop = (j * n) >> level, ((j + 1) * n) >> level
            node = (1 << level) + j
            _bound(points, start, stop, boxes[node])
            if level < depth:
                axis = int(np.argmax(boxes[node, 1] - boxes[node, 0]))
                _halve(points, numbers, start, stop, ((2 * j + 1) * n) >> (level + 1), axis)


@jit
def _bound(points: Matrix, start: int, stop: int, box: Matrix) -> None:
    """Find the smallest box around some points."""
    for f in range(points.shape[1]):
        least, most = points[start, f], points[start, f]
        for i in range(start + 1, stop):
            least, most = min(least, points[i, f]), max(most, points[i, f])
        box[0, f], box[1, f] = least, most


@jit
def _halve(points: Matrix, numbers: Indices, start: int, stop: int, middle: int, axis: int) -> None:
    """Let no point before `middle` be above, and none from it on below, the value there (Hoare)."""
    left, right = start, stop - 1
    while left < right:
        a, b, c = points[left, axis], points[(left + right) // 2, axis], points[right, axis]
        pivot = max(min(a, b), min(max(a, b), c))  # the median of three: sorted rows are common
        i, j = left, right
        while i <= j:
            while points[i, axis] < pivot:
                i += 1
            while points[j, axis] > pivot:
                j -= 1
            if i <= j:
                _swap(points, numbers, i, j)
                i, j = i + 1, j - 1
        # Now all up to j are at most the pivot, all from i on at least: keep the side of `middle`.
        left, right = i if middle > j else left, j if middle < i else right


@inner
def _swap(points: Matrix, numbers: Indices, i: int, j: int) -> None:
    """Exchange two points."""
    for f in range(points.shape[1]):
        points[i, f], points[j, f] = points[j, f], points[i, f]
    numbers[i], numbers[j] = numbers[j], numbers[i]


@jit
def search(
    tree: KDTree,
    queries: Matrix,
    metric: Metric,
    distances: Matrix,
    points: Indices,
    tied: Indices,
) -> None:
    """Find the nearest points of each query; the three outputs are its list and its ties."""
    boxes, columns, numbers = tree  # arrays are counted when read from a tuple: not in the loop
    nodes, bounds, found = np.empty(64, dtype=np.int64), np.empty(64), np.empty(columns.shape[2])
    near, who, query = np.empty(distances.shape[1]), points[0].copy(), queries[0].copy()
    n_leaves, last = len(columns), len(near) - 1
    for t in range(len(queries)):
        query[:], near[:], who[:], ties = queries[t], np.inf, -1, 0
        height, nodes[0], bounds[0] = 1, 1, 0.0  # a stack of the farther children, left for later
        while height > 0:
            height -= 1
            node, bound = nodes[height], bounds[height]
            # Ties must be counted, so a box exactly as far as the k-th point is visited too.
            while node < n_leaves and bound * _ALMOST_ONE <= near[last]:
                node *= 2
                bound, beyond = 0.0, 0.0
                for f in range(len(query)):  # two boxes at once, by hand: twice as fast
                    value = query[f]
                    gap = max(0.0, boxes[node, 0, f] - value, value - boxes[node, 1, f])
                    bound = extend(metric, bound, gap)
                    gap = max(0.0, boxes[node + 1, 0, f] - value, value - boxes[node + 1, 1, f])
                    beyond = extend(metric, beyond, gap)
                nodes[height] = node + 1
                if beyond < bound:
                    bound, beyond, nodes[height], node = beyond, bound, node, node + 1
                bounds[height] = beyond
                if beyond * _ALMOST_ONE <= near[last]:
                    height += 1
            if bound * _ALMOST_ONE > near[last]:
                continue
            leaf = node - n_leaves  # as in a heap, leaves are numbered from n_leaves on
            to_block(metric, columns, leaf, query, found, found)
            for j in range(len(found)):
                if found[j] <= near[last] and numbers[leaf, j] >= 0:
                    ties = offer(found[j], numbers[leaf, j], near, who, ties)
        distances[t], points[t], tied[t] = near, who, ties
