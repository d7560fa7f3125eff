"""Error-based pruning (Quinlan 1993): every leaf is charged its upper confidence limit.

A leaf that errs on e of its n training rows will err on more of n new ones: the upper limit of the
binomial at level `confidence` says on how many. Where a leaf, or the largest branch on its own,
promises no more errors than the subtree, it takes its place. These limits are a heuristic and no
certificate: the rows of a leaf are not a random sample once the tree was grown on them.
"""

import numpy as np
from scipy import special

from surelearn.learners.trees._multiway.fractions import Pool, Questions
from surelearn.learners.trees._multiway.growth import Growth, Layer, assemble
from surelearn.learners.trees._multiway.raising import Data, Nodes, Terms, prune
from surelearn.learners.trees._tree import LEAF, Tree, cut_below

_AS_MANY = 1e-3  # Quinlan's: errors that differ by less than a thousandth of a row are as many


def collapse(tree: Tree) -> Tree:
    """Close every node that errs, as a leaf, on no more training weight than its subtree.

    Examples
    --------
    >>> from surelearn.learners.trees._tree import binary_stump
    >>> collapse(binary_stump(feature=0, threshold=0.5, value=[[5, 1], [3, 0], [2, 1]])).n_nodes
    1
    """
    as_leaf = tree.weight - tree.value.max(axis=1)
    as_tree, parent = np.where(tree.is_leaf, as_leaf, 0.0), tree.parent
    for node in range(tree.n_nodes - 1, 0, -1):  # children come after their parents
        as_tree[parent[node]] += as_tree[node]
    return cut_below(tree, as_tree >= as_leaf - _AS_MANY)[0]


def prune_by_errors(tree: Tree, growth: Growth, *, confidence: float, raising: bool) -> Tree:
    """Close nodes and, if asked to, raise branches that promise no more errors than a subtree.

    Parameters
    ----------
    tree
        The tree that grew.
    growth
        The rows on which it grew; those of a raised branch are sent through it again.
    confidence
        The level of the upper limits, at most 1/2: the smaller, the smaller the tree.
    raising
        Whether the largest branch of a node may take its place.
    """
    root = growth.all_rows()
    begin, end = np.zeros((2, tree.n_nodes), dtype=np.int64)
    end[0] = len(root.rows)
    nodes = _nodes(tree, growth)
    nodes.limit[0] = end[0]
    terms = Terms(confidence, -float(special.ndtri(confidence)), raising)
    data = Data(growth.table, growth.labels, growth.weights)
    pool = Pool(root.rows, root.shares, begin, end)
    prune(data, nodes, pool, 0, terms, tree.value.copy())
    return _gather(tree, nodes)


def _nodes(tree: Tree, growth: Growth) -> Nodes:
    """Return the tree in the form that pruning changes in place; cut points become codes."""
    cut = np.full(tree.n_nodes, LEAF)
    for v in np.flatnonzero(~np.isnan(tree.threshold)):
        grid = growth.grids[tree.feature[v]]
        cut[v] = np.searchsorted(grid, tree.threshold[v], side="right") - 1
    return Nodes(
        asked=Questions(tree.feature, cut, tree.route_start[:-1], tree.routes),
        question=np.arange(tree.n_nodes),
        parent=tree.parent,
        first_child=tree.first_child.copy(),
        n_children=tree.n_children.copy(),
        counts=tree.value.copy(),
        n_rows=tree.n_rows.copy(),
        limit=np.zeros(tree.n_nodes, dtype=np.int64),
        estimate=np.zeros(tree.n_nodes),
    )


def _gather(tree: Tree, nodes: Nodes) -> Tree:
    """Return what is left of the tree, breadth first."""
    kept, depth = [0], [0]
    for v, level in zip(kept, depth, strict=True):  # while both grow
        children = range(nodes.first_child[v], nodes.first_child[v] + nodes.n_children[v])
        kept.extend(children)
        depth.extend([level + 1] * len(children))
    old = np.array(kept)
    inner = nodes.n_children[old] > 0
    asked = nodes.question[old]
    n_routes = np.where(inner, np.diff(tree.route_start)[asked], 0)
    routes = [tree.routes_of(q)[:n] for q, n in zip(asked, n_routes, strict=True)]
    left = Layer(
        counts=nodes.counts[old],
        n_rows=nodes.n_rows[old],
        feature=np.where(inner, tree.feature[asked], LEAF),
        threshold=np.where(inner, tree.threshold[asked], np.nan),
        n_children=nodes.n_children[old],
        n_routes=n_routes,
        routes=np.concatenate(routes),
    )
    return assemble(left, np.array(depth))
