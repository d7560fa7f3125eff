"""ID3, word for word: split on the feature of largest information gain, one child per value."""

from collections import Counter
from math import log2


def entropy(labels):
    """Return the entropy of the labels in bits."""
    return -sum(c / len(labels) * log2(c / len(labels)) for c in Counter(labels).values())


def gain(rows, labels, feature):
    """Return how many bits the feature tells about the label."""
    left = 0.0
    for value in {row[feature] for row in rows}:
        inside = [label for row, label in zip(rows, labels, strict=True) if row[feature] == value]
        left += len(inside) / len(labels) * entropy(inside)
    return entropy(labels) - left


def majority(labels):
    """Return the most frequent label; of equals the smallest."""
    counts = Counter(labels)
    return min(counts, key=lambda label: (-counts[label], label))


def grow(rows, labels, threshold=0.0, features=None):
    """Return a label, or (feature, majority, {value: subtree})."""
    features = set(range(len(rows[0]))) if features is None else features
    told = {f: gain(rows, labels, f) for f in features if len({row[f] for row in rows}) > 1}
    if len(set(labels)) == 1 or not told or max(told.values()) < threshold - 1e-9:
        return majority(labels)
    best = min(f for f in told if told[f] >= max(told.values()) - 1e-9)
    children = {}
    for value in sorted({row[best] for row in rows}):
        inside = [i for i, row in enumerate(rows) if row[best] == value]
        children[value] = grow(
            [rows[i] for i in inside], [labels[i] for i in inside], threshold, features - {best}
        )
    return best, majority(labels), children


def predict(tree, row):
    """Return the label of the leaf, or the majority of the node that does not know the value."""
    while isinstance(tree, tuple):
        feature, label, children = tree
        if row[feature] not in children:
            return label
        tree = children[row[feature]]
    return tree


def n_leaves(tree):
    """Return the number of leaves."""
    return sum(n_leaves(child) for child in tree[2].values()) if isinstance(tree, tuple) else 1
