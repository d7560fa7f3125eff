"""Parts left out one by one and two by two: nested choices at half the price."""

import joblib
import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer
from sklearn.dummy import DummyClassifier
from sklearn.model_selection import KFold, ShuffleSplit
from sklearn.neighbors import KNeighborsClassifier

from surelearn.evaluate.cross_validation import cross_validate
from surelearn.evaluate.nested_cross_validation import nested_cross_validate
from surelearn.evaluate.paired_folds import cross_validate_in_pairs, nest

X, Y = load_breast_cancer(return_X_y=True)
FOLDS = KFold(4, shuffle=True, random_state=0)
NEIGHBOURS = {f"k = {k}": KNeighborsClassifier(k) for k in (1, 5, 9, 15)}


class Counting(DummyClassifier):
    """Remembers the rows of every fit and of every test."""

    fits, tests = [], []

    def fit(self, rows, labels):
        self.fits.append(rows[:, 0])
        return super().fit(rows, labels)

    def predict(self, rows):
        self.tests.append((self.fits[-1], rows[:, 0]))
        return super().predict(rows)


@pytest.fixture
def counting():
    Counting.fits.clear()
    Counting.tests.clear()
    return Counting()


def test_the_choices_are_those_of_nesting_with_the_other_parts_as_inner_folds():
    parts = [test for _, test in FOLDS.split(X)]

    def others(outer):  # the inner folds of an outer one: all parts but that one
        rows = np.concatenate([part for i, part in enumerate(parts) if i != outer])
        rows.sort()
        inner = [part for i, part in enumerate(parts) if i != outer]
        return [
            (np.flatnonzero(~np.isin(rows, p)), np.flatnonzero(np.isin(rows, p))) for p in inner
        ]

    paired = nest({n: cross_validate_in_pairs(m, X, Y, cv=FOLDS) for n, m in NEIGHBOURS.items()})
    for outer, (train, test) in enumerate(FOLDS.split(X)):
        one = nested_cross_validate(NEIGHBOURS, X, Y, cv=[(train, test)], inner=others(outer))
        assert paired.chosen[outer] == one.chosen[0]
        np.testing.assert_allclose(paired.inner_estimates[outer], one.inner_estimates[0])
        assert paired.outer.fold_means[outer] == one.outer.fold_means[0]
    assert len(set(paired.chosen)) > 1


def test_ten_pairs_and_five_parts_are_fitted_and_none_sees_its_test(counting):
    rows = np.arange(60.0)[:, np.newaxis]
    result = cross_validate_in_pairs(counting, rows, np.arange(60) % 2)
    assert len(counting.fits) == 5 + 10
    assert len(counting.tests) == 5 + 2 * 10
    assert all(not set(seen) & set(asked) for seen, asked in counting.tests)
    plain = cross_validate(DummyClassifier(), rows, np.arange(60) % 2)
    np.testing.assert_array_equal(result.outer.losses, plain.losses)


def test_in_the_order_of_time_earlier_parts_choose_for_later_ones(counting):
    rows, labels = np.arange(60.0)[:, np.newaxis], np.arange(60) % 2
    result = cross_validate_in_pairs(counting, rows, labels, ordered=True)
    assert len(counting.fits) == 5
    means = result.outer.fold_means
    assert np.isnan(result.inner_estimates[0])
    np.testing.assert_allclose(result.inner_estimates[1:], [means[:i].mean() for i in range(1, 5)])
    assert all(seen.max() < asked.min() for seen, asked in counting.tests)
    nested = nest({"one": result})
    assert len(nested.chosen) == len(nested.outer.folds) == 4  # nothing chooses for the first part
    assert nested.estimate == pytest.approx(means[1:].mean())


def test_on_pure_noise_the_nested_estimate_stays_near_a_half_and_the_winners_does_not():
    class ByFeature:
        def __init__(self, j):
            self.j = j

        def fit(self, *_):
            return self

        def predict(self, rows):
            return (rows[:, self.j] > 0).astype(int)

    rng = np.random.default_rng(0)
    nested, plain = [], []
    for _ in range(25):
        rows, labels = rng.normal(size=(40, 15)), np.arange(40) % 2
        found = {str(j): cross_validate_in_pairs(ByFeature(j), rows, labels) for j in range(15)}
        plain.append(min(result.outer.estimate for result in found.values()))
        nested.append(nest(found).estimate)
    assert np.mean(plain) < 0.4
    assert abs(np.mean(nested) - 0.5) < 0.05


def test_rows_may_count_more_or_less_in_the_means_but_not_in_the_fits():
    weights = np.where(np.arange(len(Y)) % 3 == 0, 4.0, 1.0)
    plain = cross_validate_in_pairs(KNeighborsClassifier(), X, Y, cv=FOLDS)
    counted = cross_validate_in_pairs(KNeighborsClassifier(), X, Y, cv=FOLDS, row_weight=weights)
    np.testing.assert_array_equal(counted.outer.losses, plain.outer.losses)
    for fold, mean in zip(plain.outer.folds, counted.outer.fold_means, strict=True):
        assert mean == pytest.approx(np.average(fold.losses, weights=weights[fold.test]))
    alike = cross_validate_in_pairs(
        KNeighborsClassifier(), X, Y, cv=FOLDS, row_weight=np.full(len(Y), 2.0)
    )
    np.testing.assert_allclose(alike.inner_estimates, plain.inner_estimates)
    assert not np.allclose(counted.inner_estimates, plain.inner_estimates)


def test_of_equal_models_the_first_is_taken_and_workers_change_nothing():
    once = cross_validate_in_pairs(KNeighborsClassifier(), X, Y)
    with joblib.parallel_config("threading"):
        again = cross_validate_in_pairs(KNeighborsClassifier(), X, Y, n_jobs=2)
    np.testing.assert_array_equal(once.inner_estimates, again.inner_estimates)
    assert set(nest({"first": once, "second": again}).chosen) == {"first"}


def test_bad_input_is_refused():
    with pytest.raises(ValueError, match="test every row once"):
        cross_validate_in_pairs(KNeighborsClassifier(), X, Y, cv=ShuffleSplit(3, random_state=0))
    with pytest.raises(ValueError, match="one model or more"):
        nest({})
    two = [cross_validate_in_pairs(DummyClassifier(), X, Y, random_state=s) for s in (0, 1)]
    with pytest.raises(ValueError, match="different folds"):
        nest(dict(zip("ab", two, strict=True)))
    fewer = cross_validate_in_pairs(DummyClassifier(), X, Y, cv=3)
    with pytest.raises(ValueError, match="the same folds"):
        nest({"a": two[0], "b": fewer})
