"""States as values: what is copied, what is shared, what counts as the same."""

import pickle
from typing import NamedTuple

import numpy as np
import pytest

from surelearn.base.states import CoinsSetBack, copy_of, digest, same


class Inner(NamedTuple):
    totals: np.ndarray
    coins: np.random.Generator


class Outer(NamedTuple):
    name: str
    counts: np.ndarray
    inner: Inner


class Other(NamedTuple):
    name: str
    counts: np.ndarray
    inner: Inner


class Empty(NamedTuple):
    pass


def state(seed=0):
    return Outer("a", np.arange(3), Inner(np.array([0.5, np.nan]), np.random.default_rng(seed)))


def test_a_copy_has_arrays_of_its_own_all_the_way_down_and_the_same_coins():
    held = state()
    copied = copy_of(held)
    assert type(copied) is Outer
    assert type(copied.inner) is Inner
    assert same(held, copied)
    copied.counts[0] = copied.inner.totals[0] = 7
    assert held.counts[0] == 0
    assert held.inner.totals[0] == 0.5
    assert copied.inner.coins is held.inner.coins
    assert copy_of(Empty()) == Empty()


def test_a_copy_of_a_read_only_array_can_be_written():
    held = state()
    held.counts.flags.writeable = False
    copy_of(held).counts[0] = 1


@pytest.mark.parametrize(
    "change",
    [
        lambda s: s._replace(name="b"),
        lambda s: s._replace(counts=s.counts.astype(float)),
        lambda s: s._replace(counts=s.counts[:2]),
        lambda s: s._replace(counts=s.counts + 1),
        lambda s: s._replace(inner=s.inner._replace(totals=np.array([0.5, 0.0]))),
        lambda s: s._replace(inner=s.inner._replace(coins=np.random.default_rng(1))),
    ],
    ids=["word", "type", "shape", "number", "nested", "coins"],
)
def test_states_differ_if_anything_in_them_does(change):
    assert not same(state(), change(state()))
    assert digest(state()) != digest(change(state()))


def test_states_of_two_kinds_are_not_the_same_and_nan_is_nan():
    assert same(state(), state())
    assert not same(state(), Other(*state()))
    assert digest(state()) == digest(pickle.loads(pickle.dumps(state())))  # noqa: S301


@pytest.mark.parametrize("failure", [ValueError, KeyboardInterrupt])
def test_coins_are_set_back_only_if_the_block_fails(failure):
    coins = np.random.default_rng(3)
    first, second = np.random.default_rng(3).random(2)

    def fail():
        assert coins.random() == first
        raise failure

    with pytest.raises(failure), CoinsSetBack(Inner(np.zeros(1), coins)):
        fail()
    with CoinsSetBack(Inner(np.zeros(1), coins)):
        assert coins.random() == first
    assert coins.random() == second
    with pytest.raises(failure), CoinsSetBack(Empty()):
        raise failure


class Remembering(NamedTuple):
    counts: np.ndarray
    inner: tuple
    history: tuple


def test_records_inside_are_copied_and_history_is_shared():
    held = Remembering(np.zeros(1), Remembering(np.zeros(1), (), ()), (np.zeros(3),))
    copied = copy_of(held)
    assert same(held, copied)
    assert copied.inner.counts is not held.inner.counts
    assert copied.history is held.history
