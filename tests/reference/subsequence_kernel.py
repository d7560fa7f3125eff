"""The string subsequence kernel from its definition: every tuple of positions, one by one."""

from collections import Counter
from itertools import combinations


def features(text, order, decay):
    """Return, for each word of `order` characters, the sum of decay^span over its occurrences."""
    weights = Counter()
    for positions in combinations(range(len(text)), order):
        word = "".join(text[i] for i in positions)
        weights[word] += decay ** (positions[-1] - positions[0] + 1)
    return weights


def subsequence_kernel(s, t, order, decay):
    """Return the inner product of the features of two strings."""
    first, second = features(s, order, decay), features(t, order, decay)
    return sum(weight * second[word] for word, weight in first.items())
