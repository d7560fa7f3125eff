"""Pruning from the definitions: all subtrees one by one, the weakest link cut again and again."""

from itertools import product

import numpy as np

from surelearn.learners.trees._tree import Tree


def leaf_sets(tree, node=0):
    """Return the leaves of every subtree below a node, as tuples."""
    if tree.n_children[node] == 0:
        return [(node,)]
    below = product(*(leaf_sets(tree, child) for child in tree.children(node)))
    return [(node,), *(tuple(leaf for part in parts for leaf in part) for parts in below)]


def smallest_of_least_cost(tree, costs, price=0.0, tolerance=1e-9):
    """Return the leaves of the smallest subtree that minimises the sum of costs plus a price."""
    found = [(sum(costs[leaf] + price for leaf in leaves), leaves) for leaves in leaf_sets(tree)]
    least = min(cost for cost, _ in found)
    return min((leaves for cost, leaves in found if cost <= least + tolerance), key=len)


def leaves_below(tree, node, closed):
    if tree.n_children[node] == 0 or node in closed:
        return [node]
    return [leaf for child in tree.children(node) for leaf in leaves_below(tree, child, closed)]


def weakest_links(tree, costs):
    """Return [(price, leaves)] by closing, over and over, the nodes of least g(t)."""
    closed, path = set(), [(0.0, leaves_below(tree, 0, set()))]
    while len(path[-1][1]) > 1:
        rates = {}
        for node in range(tree.n_nodes):
            leaves = leaves_below(tree, node, closed)
            reached = set(leaves) <= set(path[-1][1])
            if len(leaves) > 1 and reached:
                rates[node] = (costs[node] - sum(costs[leaves])) / (len(leaves) - 1)
        least = min(rates.values())
        closed |= {node for node, rate in rates.items() if rate <= least + 1e-9}
        leaves = leaves_below(tree, 0, closed)
        if least <= path[-1][0] + 1e-9:  # closed at the same price
            path.pop()
        path.append((max(least, 0.0), leaves))
    return path


def as_code(tree, grid=None, node=0, cell=None, n_categories=()):
    """Return a tree as `surelearn.bounds.trees.code_length` takes it.

    `cell` has the categories still possible; a category without a child gets a leaf of its own.
    """
    cell = {} if cell is None else cell
    if tree.n_children[node] == 0:
        return {"label": int(tree.value[node].argmax())}
    feature = int(tree.feature[node])
    children = list(tree.children(node))
    if not np.isnan(tree.threshold[node]):
        parts = [as_code(tree, grid, child, cell, n_categories) for child in children]
        cut = 0 if grid is None else grid[feature].tolist().index(tree.threshold[node])
        return {"feature": feature, "cut": cut, "children": parts}
    left = cell.get(feature, list(range(n_categories[feature])))
    routes, default = tree.routes_of(node), int(tree.default_child[node])
    if default < 0:
        parts = [
            as_code(tree, grid, children[routes[c]], {**cell, feature: [c]}, n_categories)
            if routes[c] >= 0
            else {"label": 0}
            for c in left
        ]
        return {"feature": feature, "children": parts}
    to = [default if routes[c] < 0 else int(routes[c]) for c in left]
    sides = [[c for c, side in zip(left, to, strict=True) if side == place] for place in (0, 1)]
    order = sorted((0, 1), key=lambda place: sides[place])
    parts = [
        as_code(tree, grid, children[place], {**cell, feature: sides[place]}, n_categories)
        for place in order
    ]
    return {"feature": feature, "left": sides[order[0]], "children": parts}


def random_tree(rng, n_splits, *, n_classes=2, most=9, n_children=(2, 3)):
    """Return a tree with random counts, which splits divide at random; questions are numeric.

    A node of three children asks about a category, the others about a number.
    """
    value, depth, children = (
        [rng.integers(0, most, n_classes) + (np.arange(n_classes) == 0)],
        [0],
        {},
    )
    for _ in range(n_splits):
        open_nodes = [v for v in range(len(value)) if v not in children and value[v].sum() > 1]
        if not open_nodes:
            break
        node, n = int(rng.choice(open_nodes)), int(rng.choice(n_children))
        shares = np.stack([rng.multinomial(count, np.ones(n) / n) for count in value[node]], axis=1)
        children[node] = range(len(value), len(value) + n)
        value += list(shares)
        depth += [depth[node] + 1] * n
    return _assemble(np.array(value, dtype=np.float64), np.array(depth), children)


def _assemble(value, depth, children):
    n = len(value)
    inner = [v in children for v in range(n)]
    n_children = np.array([len(children[v]) if v in children else 0 for v in range(n)])
    routes = np.where(n_children > 2, n_children, 0)
    gini = 1.0 - ((value / np.maximum(1.0, value.sum(axis=1, keepdims=True))) ** 2).sum(axis=1)
    return Tree(
        feature=np.where(inner, np.arange(n), -1),
        threshold=np.where(np.array(inner) & (n_children == 2), 0.5, np.nan),
        first_child=np.array([children[v][0] if v in children else -1 for v in range(n)]),
        n_children=n_children,
        route_start=np.concatenate([[0], np.cumsum(routes)]),
        routes=np.concatenate([np.arange(k) for k in routes]).astype(np.int64),
        default_child=np.full(n, -1),
        value=value,
        weight=value.sum(axis=1),
        n_rows=value.sum(axis=1).astype(np.int64),
        impurity=np.where(value.sum(axis=1) > 0, gini, 0.0),
        depth=depth,
    )
