"""The stump of least weighted error, against a search by force."""

import itertools

import numpy as np
import pytest

from surelearn.learners.ensembles._stump_search import StumpSearch, sorted_column
from surelearn.learners.ensembles._stumps import Stumps


def least_error(X, codes, weights, n_classes, n_categories):
    """Return the least error over all stumps, tried one by one."""

    def loss(part):
        sums = np.bincount(codes[part], weights=weights[part], minlength=n_classes)
        return sums.sum() - sums.max()

    best = loss(np.ones(len(X), dtype=bool))
    for j, width in enumerate(n_categories):
        gaps = np.isnan(X[:, j])
        if width:
            parts = [gaps, *(X[:, j] == c for c in range(width))]
            best = min(best, sum(loss(part) for part in parts))
            continue
        for cut, left in itertools.product(np.unique(X[~gaps, j]), (False, True)):
            side = (X[:, j] <= cut) | (gaps if left else np.zeros(len(X), dtype=bool))
            best = min(best, loss(side) + loss(~side))
    return best


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("seed", range(8))
def test_no_stump_errs_less(n_classes, seed):
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 5, size=(30, 4)).astype(float)
    X[rng.random((30, 4)) < 0.2] = np.nan
    n_categories = np.array([0, 5, 0, 0])
    codes, weights = rng.integers(0, n_classes, 30), rng.dirichlet(np.ones(30))
    stump = StumpSearch(X, n_categories, codes, n_classes).best(weights)
    answers = Stumps.of([stump]).answer(0, X)
    error = weights[answers != codes].sum()
    assert error == pytest.approx(least_error(X, codes, weights, n_classes, n_categories), abs=1e-9)


def test_of_equal_stumps_the_first_column_and_the_smallest_cut_win():
    X = np.array([[0.0, 0.0], [1.0, 1.0], [2.0, 2.0], [3.0, 3.0]])
    stump = StumpSearch(X, np.zeros(2, int), np.array([1, 0, 1, 0]), 2).best(np.full(4, 0.25))
    assert (stump.feature, stump.threshold) == (0, 0.5)


def test_a_column_that_is_constant_or_empty_is_never_cut():
    X = np.array([[7.0, np.nan, 0.0], [7.0, np.nan, 1.0], [7.0, np.nan, 1.0]])
    stump = StumpSearch(X, np.zeros(3, int), np.array([0, 1, 1]), 2).best(np.full(3, 1 / 3))
    assert stump.feature == 2
    only = StumpSearch(X[:, :2], np.zeros(2, int), np.array([0, 1, 1]), 2).best(np.full(3, 1 / 3))
    assert only.answers == (1, 1, 1)


def test_single_precision_and_neighbouring_floats_are_cut_between_them():
    low = np.float32(1.0)
    high = np.nextafter(low, np.float32(2.0))
    X = np.array([[low], [high]], dtype=np.float32)
    stump = StumpSearch(X, np.zeros(1, int), np.array([0, 1]), 2).best(np.full(2, 0.5))
    assert Stumps.of([stump]).answer(0, X).tolist() == [0, 1]
    tight = np.array([[1.0], [np.nextafter(1.0, 2.0)]])
    stump = StumpSearch(tight, np.zeros(1, int), np.array([0, 1]), 2).best(np.full(2, 0.5))
    assert Stumps.of([stump]).answer(0, tight).tolist() == [0, 1]
    far = np.array([[-1.7e308], [1.7e308]])
    stump = StumpSearch(far, np.zeros(1, int), np.array([0, 1]), 2).best(np.full(2, 0.5))
    assert stump.threshold == 0.0


def test_minus_zero_is_zero():
    column = sorted_column(np.array([0.0, -0.0, 0.0]))
    assert not column.ends.any()
