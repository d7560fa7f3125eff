"""CART as it is stated: try every question at every node, keep the first of the best."""

import itertools
import math

import numpy as np

TIE = 1e-12  # of the node's weighted impurity


def weighted_impurity(y, w, criterion, n_classes):
    """Return W I for a node, straight from the definitions."""
    if criterion == "squared_error":
        return float(w @ (y - w @ y / w.sum()) ** 2)
    if criterion == "absolute_error":
        return float(w @ np.abs(y - median(y, w)))
    total = w.sum()
    p = np.array([w[y == k].sum() for k in range(n_classes)]) / total
    if criterion == "gini":
        return float(total * (p * (1 - p)).sum())
    if criterion == "entropy":
        return float(-total * sum(q * math.log2(q) for q in p if q > 0))
    if criterion == "misclassification":
        return float(total * (1 - p.max()))
    return float(total * sum(math.sqrt(a * b) for a, b in itertools.combinations(p, 2)))


def median(y, w):
    """Return the point with half the weight on either side, the middle if there are many."""
    order = np.argsort(y, kind="stable")
    below = np.cumsum(w[order])
    i = int(np.argmax(below >= w.sum() / 2))
    high = i + 1 if below[i] == w.sum() / 2 and i + 1 < len(y) else i
    return float((y[order][i] + y[order][high]) / 2)


def cuts(x, grid):
    """Yield (threshold, goes left, default child) in the order in which they are tried."""
    known = ~np.isnan(x)
    values = np.unique(x[known])
    points = [(a / 2 + b / 2, a) for a, b in itertools.pairwise(values)]
    if grid is not None:
        points = [
            (min(t for t in grid if t >= a), a)
            for a, b in itertools.pairwise(values)
            if any(a <= t < b for t in grid)
        ]
    for missing_left in [False] if known.all() else [False, True]:
        more = [(np.inf, values[-1])] if grid is None and not missing_left and len(values) else []
        for threshold, last in [*points, *more]:
            left = np.where(known, x <= last, missing_left)
            yield threshold, left, 0 if missing_left else 1


def divisions(x, y, w, criterion, n_classes):
    """Yield (categories on the left, goes left, default child); missing is the last category."""
    codes = np.where(np.isnan(x), np.inf, x)
    there = np.unique(codes)
    blocks = [codes == c for c in there]
    along_order = criterion == "squared_error" or n_classes == 2
    if along_order or len(there) > 10:
        ks = [1] if n_classes == 2 else range(max(n_classes, 1))
        for k in ks:
            mark = (y == k).astype(float) if n_classes else y
            means = [(w[b] * mark[b]).sum() / w[b].sum() for b in blocks]
            order = np.argsort(means, kind="stable")
            for size in range(1, len(there)):
                yield chosen(codes, there[order[:size]])
    else:
        for number in range(1, 2 ** (len(there) - 1)):
            bits = [b for b in range(len(there)) if number >> b & 1]
            yield chosen(codes, there[bits])


def chosen(codes, left):
    default = 0 if np.inf in left else 1
    return sorted(left[np.isfinite(left)]), np.isin(codes, left), default


def grow(X, y, w, n_categories, criterion, n_classes, *, depth=0, grid=None, **limits):
    """Return the tree as nested dictionaries."""
    lost = weighted_impurity(y, w, criterion, n_classes)
    node = {"n": len(y), "weight": w.sum(), "impurity": lost / w.sum(), "feature": -1}
    if n_classes:
        node["value"] = [w[y == k].sum() for k in range(n_classes)]
    else:
        node["value"] = [w @ y / w.sum() if criterion == "squared_error" else median(y, w)]
    least, total = limits.get("min_samples_leaf", 1), limits.setdefault("total", w.sum())
    too_small = len(y) < max(limits.get("min_samples_split", 2), 2 * least)
    if len(np.unique(y)) == 1 or too_small or depth >= limits.get("max_depth", math.inf):
        return node
    best, goes_left = -1.0, None
    for f in range(X.shape[1]):
        of_column, found = -1.0, None
        numeric = n_categories[f] == 0
        tried = (
            cuts(X[:, f], None if grid is None else grid[f])
            if numeric
            else divisions(X[:, f], y, w, criterion, n_classes)
        )
        for answer, left, default in tried:
            if min(left.sum(), (~left).sum()) < least:
                continue
            sides = (weighted_impurity(y[s], w[s], criterion, n_classes) for s in (left, ~left))
            gain = lost - sum(sides)
            if gain > of_column + TIE * lost:
                of_column, found = gain, (answer, left, default)
        if of_column > best + TIE * lost:
            best, (answer, goes_left, default) = of_column, found
            node.update(feature=f, numeric=numeric, answer=answer, default=default)
    if goes_left is None or best + TIE * lost < limits.get("min_gain", 0.0) * total:
        node["feature"] = -1
        return node
    if not np.isnan(X[:, node["feature"]]).any():
        node["default"] = 0 if w[goes_left].sum() > w[~goes_left].sum() else 1
    node["children"] = [
        grow(
            X[s],
            y[s],
            w[s],
            n_categories,
            criterion,
            n_classes,
            depth=depth + 1,
            grid=grid,
            **limits,
        )
        for s in (goes_left, ~goes_left)
    ]
    return node


def assert_same(tree, node, place=0):
    """Assert that a fitted tree is the plain one, node by node."""
    assert tree.n_rows[place] == node["n"]
    assert tree.feature[place] == node["feature"]
    np.testing.assert_allclose(tree.weight[place], node["weight"])
    np.testing.assert_allclose(tree.impurity[place], node["impurity"], atol=1e-9)
    np.testing.assert_allclose(tree.value[place], node["value"], atol=1e-9)
    if node["feature"] < 0:
        return
    assert tree.default_child[place] == node["default"]
    if node["numeric"]:
        assert tree.threshold[place] == node["answer"]
    else:
        assert tree.categories_to(place, 0).tolist() == node["answer"]
    for child, below in zip(tree.children(place), node["children"], strict=True):
        assert_same(tree, below, child)


def assert_agrees(tree, peer, X, y, w, criterion):
    """Assert that scikit-learn asks the same, or, where it does not, what gains as much.

    It breaks ties at random. Returns how many questions were the same.
    """
    n_classes, n_same, pending = (
        0 if tree.value.shape[1] == 1 else tree.value.shape[1],
        0,
        [(0, 0, np.arange(len(X)))],
    )
    while pending:
        node, other, rows = pending.pop()
        scale = tree.weight[node] if n_classes else 1.0
        np.testing.assert_allclose(tree.value[node] / scale, peer.value[other].ravel(), rtol=1e-9)
        np.testing.assert_allclose(tree.impurity[node], peer.impurity[other], rtol=1e-6, atol=1e-9)
        assert tree.n_rows[node] == peer.n_node_samples[other]
        if tree.feature[node] < 0 or peer.children_left[other] < 0:
            assert tree.feature[node] < 0
            # Rounding makes scikit-learn split some weighted nodes whose targets are equal.
            assert peer.children_left[other] < 0 or np.ptp(y[rows]) == 0
            continue
        features = int(tree.feature[node]), int(peer.feature[other])
        ours = X[rows, features[0]] <= tree.threshold[node]
        theirs = X[rows, features[1]] <= peer.threshold[other]
        if features[0] != features[1] or (ours != theirs).any():
            lost = [
                sum(weighted_impurity(y[r], w[r], criterion, n_classes) for r in sides)
                for sides in ((rows[ours], rows[~ours]), (rows[theirs], rows[~theirs]))
            ]
            np.testing.assert_allclose(lost[0], lost[1], rtol=1e-9, atol=1e-9)
            continue
        np.testing.assert_allclose(tree.threshold[node], peer.threshold[other], rtol=1e-6)
        n_same, first = n_same + 1, tree.first_child[node]
        pending.append((first, peer.children_left[other], rows[ours]))
        pending.append((first + 1, peer.children_right[other], rows[~ours]))
    return n_same
