"""The queue of leaves gives them out by their gains."""

import numpy as np
import pytest

from surelearn._jit import jit
from surelearn.learners.ensembles._histogram.queue import dequeue, enqueue


@jit
def in_turn(gains, n_first, queue, out):
    """Let leaves wait, take half of those that came first, then the others; return how many."""
    n = 0
    for leaf in range(n_first):
        enqueue(leaf, gains, queue)
    for _ in range(n_first // 2):
        out[n] = dequeue(gains, queue)
        n += out[n] >= 0
    for leaf in range(n_first, len(gains)):
        enqueue(leaf, gains, queue)
    for _ in range(len(gains)):
        out[n] = dequeue(gains, queue)
        n += out[n] >= 0
    return n


@pytest.mark.parametrize("n", [1, 2, 7, 300])
def test_leaves_come_by_their_gains_and_of_equals_the_first(n):
    gains = np.random.default_rng(n).integers(-3, 20, size=n).astype(float)
    first, out = n // 2, np.zeros(n + 1, dtype=np.int64)
    n_out = in_turn(gains, first, np.zeros(n + 1, dtype=np.int64), out)
    waiting = sorted(range(first), key=lambda leaf: (-gains[leaf], leaf))
    waiting = [leaf for leaf in waiting if gains[leaf] > 0.0]
    expected, waiting = waiting[: first // 2], [*waiting[first // 2 :], *range(first, n)]
    waiting = [leaf for leaf in waiting if gains[leaf] > 0.0]
    expected += sorted(waiting, key=lambda leaf: (-gains[leaf], leaf))
    assert out[:n_out].tolist() == expected


@jit
def looks(gains, queue):
    """Let leaves wait and take them all; return how many there were."""
    n = 0
    for leaf in range(len(gains)):
        enqueue(leaf, gains, queue)
    while dequeue(gains, queue) >= 0:
        n += 1
    return n


def test_a_million_leaves_take_no_time_to_speak_of():
    gains = np.random.default_rng(0).uniform(size=10**6)  # looking at all of them: 10^12 looks
    assert looks(gains, np.zeros(10**6 + 1, dtype=np.int64)) == 10**6
