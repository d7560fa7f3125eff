"""Trees that ask admissible questions at random, for tests that need any tree at all."""

import numpy as np

from surelearn.learners.trees._tree import Tree


def random_questions(rng, n_categories, *, grid, multiway, depth=3, childless=True):
    """Return a tree over numeric features (0 categories) on a grid and categorical ones.

    Multiway questions divide rows without an answer, and may lack a child for a category; two-way
    ones have a default branch, and may list a category on neither side.
    """
    nodes = [{"cell": _whole(n_categories, grid), "depth": 0}]
    for node in nodes:  # breadth first, while the list grows, so that children adjoin
        tests = [f for f, left in enumerate(node["cell"]) if len(left) > (n_categories[f] > 0)]
        if node["depth"] == depth or not tests or rng.random() < 0.2:
            continue
        feature = int(rng.choice(tests))
        parts = _ask(rng, node, feature, n_categories[feature], multiway, childless)
        node |= {"feature": feature, "first": len(nodes), "n": len(parts)}
        for part in parts:
            cell = [*node["cell"][:feature], part, *node["cell"][feature + 1 :]]
            nodes.append({"cell": cell, "depth": node["depth"] + 1})
    return _assemble(rng, nodes, multiway)


def _whole(n_categories, grid):
    return [list(grid[f]) if n == 0 else list(range(n)) for f, n in enumerate(n_categories)]


def _ask(rng, node, feature, n, multiway, childless):
    left = node["cell"][feature]
    if n == 0:
        node["cut"] = cut = float(rng.choice(left))
        return [[c for c in left if c < cut], [c for c in left if c > cut]]
    node["routes"] = routes = np.full(n, -1)
    if multiway:
        kept = [c for c in left if not childless or rng.random() < 0.8] or left[:1]
        routes[kept] = np.arange(len(kept))
        return [[c] for c in kept]
    node["default"] = default = int(rng.integers(2))
    side = rng.permutation([0, 1, *rng.integers(0, 2, len(left) - 2)])
    listed = np.array([not childless or rng.random() < 0.8 for _ in left])
    routes[np.array(left)[listed]] = side[listed]
    to = np.where(routes[left] < 0, default, routes[left])
    if len(set(to.tolist())) < 2:
        routes[left], to = side, side
    return [[c for c, t in zip(left, to, strict=True) if t == place] for place in (0, 1)]


def _assemble(rng, nodes, multiway):
    routes = [node.get("routes", np.zeros(0)) for node in nodes]
    inner = ["feature" in node for node in nodes]
    value = rng.integers(1, 9, (len(nodes), 2)).astype(float)
    for place, node in reversed(list(enumerate(nodes))):
        if "feature" in node:
            value[place] = value[node["first"] : node["first"] + node["n"]].sum(axis=0)
    default = [node.get("default", 0) if not multiway else -1 for node in nodes]
    return Tree(
        feature=np.array([node.get("feature", -1) for node in nodes]),
        threshold=np.array([node.get("cut", np.nan) for node in nodes]),
        first_child=np.array([node.get("first", -1) for node in nodes]),
        n_children=np.array([node.get("n", 0) for node in nodes]),
        route_start=np.concatenate([[0], np.cumsum([len(r) for r in routes])]),
        routes=np.concatenate(routes).astype(np.int64),
        default_child=np.where(inner, default, -1),
        value=value,
        weight=value.sum(axis=1),
        n_rows=value.sum(axis=1).astype(np.int64),
        impurity=np.zeros(len(nodes)),
        depth=np.array([node["depth"] for node in nodes]),
    )
