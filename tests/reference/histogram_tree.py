"""A tree grown best first from binned columns, by the book: every set of rows is counted anew."""

from typing import NamedTuple

import numpy as np

MISSING = 255


class Leaf(NamedTuple):
    rows: np.ndarray
    depth: int
    split: tuple | None  # gain, feature, the set of bins that go left


def halves(g, h, left, l2, min_rows):
    """Return the gain of a division, not counting what the whole has; None if it may not be."""
    n_left = int(left.sum())
    if min(n_left, len(left) - n_left) < min_rows:
        return None
    gain = 0.0
    for side in (left, ~left):
        weight = float(h[side].sum()) + l2
        if weight <= 0.0:
            return None
        gain += float(g[side].sum()) ** 2 / weight
    return gain


def candidates(bins, g, h, n_bins, is_set, rare):
    """Yield sets of bins, with whether they hold gaps, in the order in which ties are broken."""
    present = sorted(set(bins.tolist()))
    if is_set:
        smooth = 10.0 * float(h.sum()) / len(h)
        groups = [{b} for b in present if (bins == b).sum() >= rare]
        groups += [{b for b in present if (bins == b).sum() < rare}]  # go together
        means = []
        for group in filter(None, groups):
            own = np.isin(bins, list(group))
            means.append((g[own].sum() / (h[own].sum() + smooth), len(means), group))
        order = [group for *_, group in sorted(means, key=lambda each: each[:2])]
        for k in range(1, len(order)):
            yield set().union(*order[:k])
        return
    gaps = MISSING in present
    for cut in range(n_bins if gaps else n_bins - 1):
        yield set(range(cut + 1))
    for cut in range(n_bins - 1 if gaps else 0):
        yield {*range(cut + 1), MISSING}


def best_split(codes, g, h, rows, n_bins, is_set, *, l2, min_rows, set_l2, rare):
    lost = float(g[rows].sum()) ** 2 / max(float(h[rows].sum()) + l2, 1e-300)
    best = None
    for j in range(len(codes)):
        bins = codes[j, rows]
        for chosen in candidates(bins, g[rows], h[rows], n_bins[j], is_set[j], rare):
            left = np.isin(bins, list(chosen))
            penalty = l2 + set_l2 if is_set[j] else l2
            gain = halves(g[rows], h[rows], left, penalty, min_rows)
            if gain is None or gain - lost <= 1e-12 * gain:
                continue
            if best is None or gain - lost > best[0] + 1e-9 * abs(best[0]):
                best = (gain - lost, j, chosen)
    return best


def grow(codes, g, h, n_bins, is_set, *, max_leaves, max_depth=10**9, **how):
    """Return (feature, rows on the left, rows on the right) of each split, in order."""
    how = {"l2": 0.0, "set_l2": 0.0, "rare": 1, **how}

    def leaf(rows, depth):
        split = None
        if len(rows) >= 2 * how["min_rows"] and depth < max_depth:
            split = best_split(codes, g, h, rows, n_bins, is_set, **how)
        return Leaf(rows, depth, split)

    leaves, splits = [leaf(np.arange(codes.shape[1]), 0)], []
    while len(leaves) < max_leaves:
        open_ones = [each for each in leaves if each.split is not None]
        if not open_ones:
            break
        chosen = max(open_ones, key=lambda each: each.split[0])
        _, feature, bins = chosen.split
        left = np.isin(codes[feature, chosen.rows], list(bins))
        parts = chosen.rows[left], chosen.rows[~left]
        splits.append((feature, *parts))
        leaves = [each for each in leaves if each is not chosen]
        leaves += [leaf(part, chosen.depth + 1) for part in parts]
    return splits
