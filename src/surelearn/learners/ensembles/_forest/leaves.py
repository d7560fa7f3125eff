"""What the rows of a node come to: their sums, what a leaf says, by how much a question helps."""

from surelearn._jit import borrowing
from surelearn._typing import Indices, Matrix, Vector


@borrowing
def describe(items: Indices, targets: Indices, n_classes: int, whole: Indices) -> bool:
    """Sum up the rows of a node; return whether all have the same target."""
    if n_classes > 2:
        return _count_classes(items, whole)
    weight, moment, pure = 0, 0, True
    if n_classes == 0:
        first = targets[items[0] >> 32]
        for i in range(len(items)):
            target = targets[items[i] >> 32]
            weight += (items[i] >> 16) & 0xFFFF
            moment += ((items[i] >> 16) & 0xFFFF) * target
            pure = pure and target == first
    else:
        for i in range(len(items)):
            weight += (items[i] >> 16) & 0xFFFF
            moment += ((items[i] >> 16) & 0xFFFF) * (items[i] & 0xFFFF)
        pure = moment * (weight - moment) == 0
    whole[0], whole[1] = weight, moment
    return pure


@borrowing
def _count_classes(items: Indices, whole: Indices) -> bool:
    """Sum up the weights of each class; return whether there is one only."""
    for c in range(len(whole)):
        whole[c] = 0
    pure = True
    for i in range(len(items)):
        whole[items[i] & 0xFFFF] += (items[i] >> 16) & 0xFFFF
        pure = pure and (items[i] & 0xFFFF) == (items[0] & 0xFFFF)
    return pure


@borrowing
def close(
    items: Indices, numbers: Vector, n_classes: int, whole: Indices, value: Matrix, node: int
) -> None:
    """Write what a leaf predicts: the weight of each class, or the mean of the targets."""
    if n_classes > 2:
        for c in range(n_classes):
            value[node, c] = whole[c]
    elif n_classes > 0:
        value[node, 0] = whole[0] - whole[1]
        if n_classes == 2:
            value[node, 1] = whole[1]
    else:
        total = 0.0
        for i in range(len(items)):
            total += float((items[i] >> 16) & 0xFFFF) * numbers[items[i] >> 32]
        value[node, 0] = total / whole[0]


@borrowing
def decrease(gain: float, n_classes: int, whole: Indices) -> float:
    """Return the decrease of impurity, times the weight and up to a factor, by a question."""
    if n_classes <= 2:
        return gain / float(whole[0])
    total, squares = 0, 0
    for c in range(len(whole)):
        total += whole[c]
        squares += whole[c] * whole[c]
    return max(0.0, gain - float(squares) / float(total))
