"""The leaves of a tree that may be split, the one whose split gains most in front.

A heap: each place holds a leaf that comes before those at twice the place plus 1 and plus 2, so
that a tree of many leaves does not look through all of them at each split. The last entry is the
number of leaves.
"""

from surelearn._jit import borrowing
from surelearn._typing import Indices, Vector


@borrowing
def _comes_before(one: int, other: int, gains: Vector) -> bool:
    """Say whether a leaf is split before another; of equal gains, the first leaf is."""
    return gains[one] > gains[other] or (gains[one] == gains[other] and one < other)


@borrowing
def enqueue(leaf: int, gains: Vector, queue: Indices) -> None:
    """Let a leaf wait if its split gains something."""
    if not gains[leaf] > 0.0:
        return
    place = int(queue[-1])
    queue[-1] += 1
    while place > 0 and _comes_before(leaf, queue[(place - 1) >> 1], gains):
        queue[place] = queue[(place - 1) >> 1]
        place = (place - 1) >> 1
    queue[place] = leaf


@borrowing
def dequeue(gains: Vector, queue: Indices) -> int:
    """Take the leaf whose split gains most; -1 if none waits."""
    if queue[-1] == 0:
        return -1
    queue[-1] -= 1
    front, n, place, child = int(queue[0]), int(queue[-1]), 0, 1
    last = int(queue[n])  # it goes where no leaf below it comes before it
    while child < n:
        if child + 1 < n and _comes_before(queue[child + 1], queue[child], gains):
            child += 1
        if not _comes_before(queue[child], last, gains):
            break
        queue[place] = queue[child]
        place, child = child, 2 * child + 1
    queue[place] = last
    return front
