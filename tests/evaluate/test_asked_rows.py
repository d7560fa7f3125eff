"""A hold-out is its rows: a part of it, however small, was asked when it was."""

import numpy as np
import pytest

from surelearn import Holdout
from surelearn.evaluate import _asked_rows
from surelearn.evaluate._asked_rows import AskedRows


class Constant:
    """A model that always answers the same."""

    def __init__(self, answer):
        self.answer = answer

    def predict(self, X):
        return np.full(len(X), self.answer)


@pytest.mark.parametrize("n_again", [30, 100, 1000])
def test_a_part_of_the_rows_asked_before_is_recognised(n_again):
    rng = np.random.default_rng(n_again)
    X, y = rng.normal(size=(20_000, 2)), rng.integers(0, 2, 20_000)
    Holdout(X, y).certify(Constant(0))
    part = rng.permutation(20_000)[:n_again]
    again = Holdout(X[part], y[part]).certify(Constant(1))
    assert again.status == "void"
    other = rng.normal(size=(n_again, 2))
    assert Holdout(other, y[part]).certify(Constant(1)).status != "void"


def test_fresh_rows_beside_a_few_old_ones_are_another_hold_out():
    hashes = np.random.default_rng(0).integers(0, 2**63, 1000).astype(np.uint64)
    asked = AskedRows()
    asked.add("first", hashes[:500])
    assert asked.near(hashes[490:600]) == []
    assert asked.near(hashes[430:530]) == ["first"]
    assert asked.near(hashes) == ["first"]


def test_layers_find_what_each_hold_out_shares():
    rng = np.random.default_rng(1)
    sets = [rng.integers(0, 2**63, 1 + i % 40).astype(np.uint64) for i in range(200)]
    asked = AskedRows()
    for i, rows in enumerate(sets):
        asked.add(str(i), rows)
    assert [asked.near(rows) for rows in sets] == [[str(i)] for i in range(200)]


def test_beyond_its_memory_it_keeps_a_sample_and_says_so(monkeypatch):
    monkeypatch.setattr(_asked_rows, "MOST_OF_ONE", 200)
    monkeypatch.setattr(_asked_rows, "MOST", 300)
    hashes = np.random.default_rng(2).integers(0, 2**63, 2000).astype(np.uint64)
    asked = AskedRows()
    asked.add("first", hashes[:1000])
    assert not asked.complete
    assert asked.near(hashes[100:300]) == ["first"]
    assert asked.near(hashes[950:1900]) == []
    asked.add("second", hashes[1000:1500])
    asked.add("third", hashes[1500:])
    assert asked.near(hashes[1500:]) == []
