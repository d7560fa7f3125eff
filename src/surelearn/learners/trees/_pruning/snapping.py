"""Cut points at values of rows: the form in which a tree is a compression of its sample."""

from dataclasses import replace

import numpy as np

from surelearn._typing import Indices, Matrix
from surelearn.learners.trees._arrivals import arrivals
from surelearn.learners.trees._tree import Tree


def snapped(tree: Tree, X: Matrix) -> tuple[Tree, Indices]:
    """Move each numeric cut down to the largest value that a row at the node has below it.

    Parameters
    ----------
    tree
        The tree.
    X
        Its training rows, as they are coded.

    Returns
    -------
    The tree with its cuts moved, and for each node the row its cut is the value of, -1 for a node
    without a numeric question. Rows are named as few as greed finds.

    Examples
    --------
    >>> from surelearn.learners.trees._tree import binary_stump
    >>> stump = binary_stump(feature=0, threshold=0.5, value=[[3, 2], [3, 0], [0, 2]])
    >>> moved, named = snapped(stump, np.array([[0.2], [0.1], [0.9]]))
    >>> float(moved.threshold[0]), named.tolist()
    (0.2, [0, -1, -1])
    """
    threshold, named = tree.threshold.copy(), np.full(tree.n_nodes, -1, dtype=np.int64)
    for level in arrivals(tree, X):
        asking = ~np.isnan(threshold[level.nodes]) & ~tree.is_leaf[level.nodes]
        rows, nodes = level.rows[asking], level.nodes[asking]
        values = X[rows, tree.feature[nodes]].astype(np.float64)
        below = values <= tree.threshold[nodes]
        rows, nodes, values = rows[below], nodes[below], values[below]
        largest = np.full(tree.n_nodes, -np.inf)
        np.maximum.at(largest, nodes, values)
        for node in np.unique(nodes).tolist():
            threshold[node] = largest[node]
            able = rows[(nodes == node) & (values == largest[node])]
            again = np.intersect1d(able, named)
            named[node] = (again if len(again) else able)[0]
    return replace(tree, threshold=threshold), named
