"""A tree of a random forest as it is stated: draw columns, try every cut of each, keep the best."""

import itertools
from fractions import Fraction

import numpy as np

MASK = 2**64 - 1


class Splitmix:
    """Random words by Steele, Lea and Flood (2014), in whole numbers of any size."""

    def __init__(self, state):
        self.state = int(state)

    def below(self, n):
        self.state = (self.state + 0x9E3779B97F4A7C15) & MASK
        z = self.state
        z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & MASK
        z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & MASK
        return ((((z ^ (z >> 31)) >> 32) * n) >> 32) & 0xFFFFFFFF


def loss(y, w):
    """Return the weighted impurity: of labels Σ w (1 - Σ p²), of numbers Σ w (y - mean)²."""
    total = sum(w)
    if isinstance(y[0], Fraction):
        mean = sum(a * b for a, b in zip(w, y, strict=True)) / total
        return sum(a * (b - mean) ** 2 for a, b in zip(w, y, strict=True))
    parts = [sum(a for a, b in zip(w, y, strict=True) if b == k) for k in set(y)]
    return total - Fraction(sum(p * p for p in parts), total)


def best_cut(x, y, w):
    """Return (loss, left, cut) of the best cut of a column; missing cells right, then left."""
    known = sorted({v for v in x if not np.isnan(v)})
    some_missing = any(np.isnan(v) for v in x)
    cuts = [(a, (a + b) / 2) for a, b in itertools.pairwise(known)]
    found = None
    for missing_left in (False, True) if some_missing else (False,):
        more = [(known[-1], np.inf)] if some_missing and not missing_left and known else []
        for last, cut in [*cuts, *more]:
            left = [missing_left if np.isnan(v) else bool(v <= last) for v in x]
            lost = 0
            for side in (True, False):
                rows = [i for i, here in enumerate(left) if here is side]
                lost += loss([y[i] for i in rows], [w[i] for i in rows])
            if found is None or lost < found[0]:
                found = lost, left, cut
    return found


def grow(X, y, w, *, n_drawn, state):
    """Return the tree as nested tuples (column, cut, left, right); a leaf is a list of its rows."""
    random, columns = Splitmix(state), list(range(X.shape[1]))

    def node(rows):
        if len({y[i] for i in rows}) == 1:
            return sorted(rows)
        best, drawn = None, 0
        while drawn < len(columns) and (drawn < n_drawn or best is None):
            place = drawn + random.below(len(columns) - drawn)
            columns[drawn], columns[place] = columns[place], columns[drawn]
            column, drawn = columns[drawn], drawn + 1
            cells, targets, weights = ([part[i] for i in rows] for part in (X[:, column], y, w))
            found = best_cut(cells, targets, weights)
            if found is not None and (best is None or found[0] < best[0]):
                best = (*found, column)
        if best is None:
            return sorted(rows)
        _, left, cut, column = best
        sides = [[i for i, s in zip(rows, left, strict=True) if s is k] for k in (True, False)]
        return column, cut, node(sides[0]), node(sides[1])

    return node(list(range(len(X))))
