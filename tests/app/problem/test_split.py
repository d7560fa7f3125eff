"""The split: drawn from a number and a seed, whole groups, whole moments."""

import inspect

import numpy as np
import pytest
from scipy import stats

from surelearn.app.errors import TableError
from surelearn.app.problem.split import split


@pytest.mark.parametrize("n", [2, 3, 10, 1000])
@pytest.mark.parametrize("holdout", [0.001, 0.2, 0.5, 0.999])
def test_the_parts_are_disjoint_and_make_up_the_whole(n, holdout):
    parts = split(n, holdout=holdout, seed=3)
    assert np.array_equal(np.sort(np.append(parts.train, parts.holdout)), np.arange(n))
    assert min(len(parts.train), len(parts.holdout)) >= 1
    assert abs(len(parts.holdout) - holdout * n) <= 1


def test_it_is_given_no_targets_and_no_features():
    assert set(inspect.signature(split).parameters) == {
        "n_rows", "holdout", "seed", "groups", "times", "copies",
    }  # fmt: skip


def test_the_same_seed_gives_the_same_split_and_another_one_another():
    first, again, other = split(100, seed=1), split(100, seed=1), split(100, seed=2)
    assert np.array_equal(first.holdout, again.holdout)
    assert not np.array_equal(first.holdout, other.holdout)


def test_every_row_is_held_out_equally_often():
    counts = np.zeros(20)
    for seed in range(2000):
        counts[split(20, holdout=0.25, seed=seed).holdout] += 1
    assert stats.chisquare(counts).pvalue > 1e-4


def test_groups_stay_together_and_their_number_does_not_depend_on_their_sizes():
    groups = np.repeat(np.arange(10), [1, 1, 1, 1, 1, 1, 1, 1, 1, 91])
    for seed in range(30):
        parts = split(100, holdout=0.3, seed=seed, groups=groups)
        assert not set(groups[parts.train]) & set(groups[parts.holdout])
        assert len(set(groups[parts.holdout])) == 3
        assert parts.kind == "group"
    assert "groups" in parts.wording


def test_groups_may_have_any_names_and_any_order():
    parts = split(4, holdout=0.5, groups=np.array(["b", "a", "b", "a"]))
    assert parts.holdout.tolist() in ([0, 2], [1, 3])


def test_the_last_moments_are_held_out_whole():
    times = np.array([5, 1, 4, 4, 2, 4, 3, 5])
    parts = split(8, holdout=0.4, times=times)
    assert parts.holdout.tolist() == [0, 2, 3, 5, 7]
    assert times[parts.train].max() < times[parts.holdout].min()
    assert "future only if" in parts.wording


def test_training_rows_are_left_even_if_most_rows_share_the_first_moment():
    assert split(5, holdout=0.9, times=np.array([1, 1, 1, 1, 2])).holdout.tolist() == [4]


@pytest.mark.parametrize("holdout", [0.0, 1.0, -0.5, 2.0, float("nan")])
def test_a_share_outside_0_and_1_is_refused(holdout):
    with pytest.raises(TableError, match="fraction between 0 and 1"):
        split(10, holdout=holdout)


@pytest.mark.parametrize(
    ("n", "given", "sentence"),
    [
        (1, {}, "two rows at least"),
        (3, {"groups": np.array(["a", "a", "a"])}, "two groups at least"),
        (2, {"times": np.array([7, 7])}, "same time"),
        (2, {"times": np.array([1, 2]), "groups": np.array([1, 2])}, "not by both"),
    ],
)
def test_what_cannot_be_split_is_refused(n, given, sentence):
    with pytest.raises(TableError, match=sentence):
        split(n, **given)
