"""The subtree of least cost when costs of leaves add up: one pass from the leaves to the root."""

import numpy as np

from surelearn._typing import Mask, Vector
from surelearn.learners.trees._tree import Tree


def close_where_cheaper(tree: Tree, costs: Vector) -> Mask:
    """Return which nodes to turn into leaves so that the leaves cost least, and are fewest.

    A node closes exactly if it costs no more than the best subtree below it; by induction the
    subtree that is left is the smallest of those of least cost.

    Parameters
    ----------
    tree
        The tree.
    costs
        What each node would cost as a leaf.

    Examples
    --------
    >>> from surelearn.learners.trees._tree import binary_stump
    >>> stump = binary_stump(feature=0, threshold=0.5, value=[[3, 2], [3, 0], [0, 2]])
    >>> close_where_cheaper(stump, np.array([2.0, 1.0, 1.0])).tolist()
    [True, False, False]
    """
    best = costs.astype(np.float64)
    closed = np.zeros(tree.n_nodes, dtype=np.bool_)
    for node in np.flatnonzero(~tree.is_leaf)[::-1]:  # children stand after their parents
        below = float(best[tree.children(node)].sum())
        tolerance = 1e-12 * abs(below)
        closed[node] = costs[node] <= below + tolerance
        best[node] = min(best[node], below)
    return closed
