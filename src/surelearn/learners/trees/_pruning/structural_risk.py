"""Structural risk minimisation over all subtrees of a tree: fewest bits for each number of errors.

Training errors and bits both add up over the nodes of a subtree, and a bound grows with either, so
the subtree of least bound is one that has the fewest bits among those with its number of errors.
These are found for all numbers of errors at once, from the leaves to the root.
"""

from collections.abc import Callable, Iterator
from typing import NamedTuple, TypeAlias

import numpy as np

from surelearn._typing import Indices, Mask, Vector
from surelearn.learners.trees._tree import Tree

Bound: TypeAlias = Callable[[int, float, int], float]
"""From the training errors, the bits and the number of numeric questions to a bound."""


class Prices(NamedTuple):
    """What each node costs as a leaf and as a split, where cut points are named, and their price.

    `cuts` is 1 at a node that names a cut point, 0 elsewhere; `cut` is what one is worth in bits.
    """

    leaf: Vector
    split: Vector
    cuts: Indices
    cut: float = 0.0


class _Front(NamedTuple):
    """The cheapest subtrees of a node; place j is for those that lose j of the `most` rows."""

    most: int
    bits: Vector
    cuts: Indices
    picks: tuple[Indices, ...]  # for each child but the first: what is lost before it

    @property
    def closed(self) -> int:
        """The rows that are lost if the node is a leaf."""
        return len(self.bits) - 1


class Subtree(NamedTuple):
    """A subtree on the front: its errors, its bits without cut points, and how many these are."""

    errors: int
    bits: float
    cuts: int


class Fronts:
    """The cheapest subtrees of every node, from which any of the root's can be recovered.

    Parameters
    ----------
    tree
        The tree.
    correct
        How many rows each node has right if it is a leaf.
    prices
        What each node costs.

    Examples
    --------
    >>> from surelearn.learners.trees._tree import binary_stump
    >>> stump = binary_stump(feature=0, threshold=0.5, value=[[3, 2], [3, 0], [0, 2]])
    >>> prices = Prices(np.full(3, 2.0), np.full(3, 3.0), np.array([1, 0, 0]))
    >>> fronts = Fronts(stump, np.array([3, 3, 2]), prices)
    >>> [(s.errors, s.bits) for s in fronts.subtrees(5)]
    [(0, 7.0), (2, 2.0)]
    """

    def __init__(self, tree: Tree, correct: Indices, prices: Prices) -> None:
        self._tree, self._prices = tree, prices
        self._fronts: dict[int, _Front] = {}
        for node in range(tree.n_nodes - 1, -1, -1):  # children stand after their parents
            self._fronts[node] = self._front(node, int(correct[node]))

    def subtrees(self, n: int) -> Iterator[Subtree]:
        """Return the subtrees of which none has both fewer errors and fewer bits, of n rows."""
        root = self._fronts[0]
        bits = root.bits - self._prices.cut * root.cuts
        for lost in np.flatnonzero(np.isfinite(root.bits)).tolist():
            yield Subtree(n - root.most + lost, float(bits[lost]), int(root.cuts[lost]))

    def best(self, n: int, bound: Bound) -> tuple[Subtree, Mask]:
        """Return the subtree of least bound, and which nodes it closes."""
        found = _least(list(self.subtrees(n)), bound)
        return found, self._closed(found.errors - n + self._fronts[0].most)

    def _front(self, node: int, correct: int) -> _Front:
        prices = self._prices
        leaf = _Front(correct, prices.leaf[node : node + 1], np.zeros(1, dtype=np.int64), ())
        if self._tree.n_children[node] == 0:
            return leaf
        children = [self._fronts[child] for child in self._tree.children(node)]
        below, picks = children[0], ()
        for child in children[1:]:
            below, pick = _combine(below, child)
            picks = (*picks, pick)
        if below.most <= correct:
            return leaf
        # Whoever loses as many rows as the leaf does, or more, is no cheaper than the leaf.
        kept = below.most - correct
        bits, cuts = np.full(kept + 1, np.inf), np.zeros(kept + 1, dtype=np.int64)
        size = min(kept, len(below.bits))
        bits[:size] = below.bits[:size] + (prices.split[node] + prices.cut * prices.cuts[node])
        bits[1:][bits[1:] >= np.minimum.accumulate(bits)[:-1]] = np.inf
        cuts[:size] = below.cuts[:size] + prices.cuts[node]
        bits[kept] = prices.leaf[node]
        return _Front(below.most, bits, cuts, tuple(pick[:size] for pick in picks))

    def _closed(self, lost: int) -> Mask:
        """Return which nodes are closed in the subtree of the root that loses so many rows."""
        closed = np.zeros(self._tree.n_nodes, dtype=np.bool_)
        pending = [(0, lost)]
        while pending:
            node, lost = pending.pop()
            front = self._fronts[node]
            if lost == front.closed:
                closed[node] = True
                continue
            children = self._tree.children(node)
            for child, pick in zip(children[:0:-1], front.picks[::-1], strict=True):
                pending.append((child, lost - int(pick[lost])))
                lost = int(pick[lost])
            pending.append((children[0], lost))
        return closed


def _least(front: list[Subtree], bound: Bound) -> Subtree:
    """Return the subtree of least bound, the smallest of several.

    The front is ordered by errors. A part of it is not looked into if even its fewest errors and
    fewest bits together give no smaller bound.
    """
    found, least = front[-1], bound(*front[-1])
    pending = [(0, len(front))]
    while pending:
        first, last = pending.pop()
        part = front[first:last]
        value = bound(part[0].errors, min(s.bits for s in part), min(s.cuts for s in part))
        if value >= least:
            continue
        if len(part) == 1:
            found, least = part[0], value
        else:
            middle = (first + last) // 2
            pending += [(first, middle), (middle, last)]
    return found


def _combine(first: _Front, second: _Front) -> tuple[_Front, Indices]:
    """Return the cheapest pairs of subtrees, and how many rows the first of each pair loses."""
    size = len(first.bits) + len(second.bits) - 1
    bits, cuts = np.full(size, np.inf), np.zeros(size, dtype=np.int64)
    pick = np.zeros(size, dtype=np.int64)
    swap = len(second.bits) < len(first.bits)
    short, long = (second, first) if swap else (first, second)
    for lost in np.flatnonzero(np.isfinite(short.bits)):
        part = slice(lost, lost + len(long.bits))
        offered = short.bits[lost] + long.bits
        better = np.flatnonzero(offered < bits[part])
        bits[part][better] = offered[better]
        cuts[part][better] = short.cuts[lost] + long.cuts[better]
        pick[part][better] = better if swap else lost
    return _Front(first.most + second.most, bits, cuts, ()), pick
