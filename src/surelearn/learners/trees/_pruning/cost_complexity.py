"""Weakest-link pruning: the smallest subtree of least cost for every price of a leaf.

    C_α(T) = Σ over leaves t of R(t) + α · number of leaves,   R(t) = weight × impurity

Breiman, Friedman, Olshen and Stone (1984). A node closes at the α where it costs no more than the
best subtree below it. That α is found bottom up: below a node the best cost is concave and
piecewise linear in α, its corners are the α at which nodes below close, and a corner beyond the α
of the node itself is never needed again.
"""

import heapq
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from surelearn._typing import Indices, Vector
from surelearn.learners.trees._tree import Tree

_ROUNDING = 1e-10  # closings whose prices differ by less, relatively, are one
_NOTHING = 1e-13  # a gain below this part of the largest cost is rounding

_Corner: TypeAlias = tuple[float, float, int]
"""-α, then what closing at α adds to the cost and takes from the leaves."""


@dataclass(frozen=True)
class PruningPath:
    """The nested subtrees that weakest-link pruning passes, from the largest to the root.

    Attributes
    ----------
    alphas
        The price of a leaf from which on each subtree is the smallest of least cost.
    n_leaves
        The number of leaves of each subtree.
    costs
        The sum over the leaves of weight times impurity.

    Examples
    --------
    >>> from surelearn.learners.trees._tree import binary_stump
    >>> stump = binary_stump(feature=0, threshold=0.5, value=[[3, 2], [3, 0], [0, 2]])
    >>> path = weakest_link(stump, costs=np.array([2.0, 0.0, 0.0])).path
    >>> path.alphas.tolist(), path.n_leaves.tolist(), path.costs.tolist()
    ([0.0, 2.0], [2, 1], [0.0, 2.0])
    """

    alphas: Vector
    n_leaves: Indices
    costs: Vector

    def __len__(self) -> int:
        """Return the number of subtrees."""
        return len(self.alphas)


@dataclass(frozen=True)
class WeakestLinks:
    """The price at which each node closes (infinite at a leaf), and the path they make."""

    closing: Vector
    path: PruningPath


def weakest_link(tree: Tree, costs: Vector) -> WeakestLinks:
    """Return at which price of a leaf each node closes, given what each node costs as a leaf."""
    closing = np.full(tree.n_nodes, np.inf)
    nothing = _NOTHING * float(costs.max(initial=0.0))
    pending: dict[int, list[_Corner]] = {}
    for node in range(tree.n_nodes - 1, -1, -1):  # children stand after their parents
        if tree.n_children[node] == 0:
            pending[node] = []
            continue
        children = tree.children(node)
        corners = _merge([pending.pop(child) for child in children])
        below, n_leaves = float(costs[list(children)].sum()), len(children)
        alpha = _price(float(costs[node]) - below, n_leaves, nothing)
        while corners and alpha < -corners[0][0]:
            _, cost, leaves = heapq.heappop(corners)
            below, n_leaves = below - cost, n_leaves + leaves
            alpha = _price(float(costs[node]) - below, n_leaves, nothing)
        heapq.heappush(corners, (-alpha, float(costs[node]) - below, n_leaves - 1))
        closing[node] = alpha
        pending[node] = corners
    return WeakestLinks(closing, _path(pending[0], float(costs[tree.is_leaf].sum())))


def _price(gain: float, n_leaves: int, nothing: float) -> float:
    return gain / (n_leaves - 1) if gain > nothing else 0.0


def _merge(heaps: list[list[_Corner]]) -> list[_Corner]:
    """Join heaps into the largest of them."""
    largest = max(heaps, key=len)
    for other in heaps:
        if other is not largest:
            for corner in other:
                heapq.heappush(largest, corner)
    return largest


def _path(corners: list[_Corner], first_cost: float) -> PruningPath:
    """Return the subtrees between the corners, those at the same price taken together."""
    steps = sorted(corners, key=lambda corner: -corner[0])
    alphas = np.array([0.0, *(-corner[0] for corner in steps)])
    costs = np.cumsum([first_cost, *(corner[1] for corner in steps)])
    closed = np.cumsum([0, *(corner[2] for corner in steps)])
    last = np.append(np.diff(alphas) > _ROUNDING * alphas[1:], True)
    return PruningPath(alphas[last], 1 + closed[-1] - closed[last], costs[last])
