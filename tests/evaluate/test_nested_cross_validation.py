"""Choosing models by folds or a dev set, and the honest estimate of having chosen."""

import joblib
import numpy as np
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.datasets import load_breast_cancer
from sklearn.dummy import DummyClassifier
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.model_selection import GridSearchCV, KFold, cross_val_score, train_test_split
from sklearn.neighbors import KNeighborsClassifier

from surelearn.evaluate.nested_cross_validation import nested_cross_validate
from surelearn.evaluate.selection import (
    parameter_grid,
    select_by_cross_validation,
    select_on_dev_set,
)

X, Y = load_breast_cancer(return_X_y=True)
SIZES = [1, 3, 5, 7, 9, 11]
NEIGHBOURS = parameter_grid(KNeighborsClassifier(), {"n_neighbors": SIZES})
OUTER = KFold(5, shuffle=True, random_state=0)


class ByFeature:
    """Guesses by the sign of one feature."""

    def __init__(self, j):
        self.j = j

    def fit(self, *_):
        return self

    def predict(self, rows):
        return (rows[:, self.j] > 0).astype(int)


def test_nested_folds_are_those_of_the_catalogue_and_of_scikit_learn():
    result = nested_cross_validate(NEIGHBOURS, X, Y, cv=OUTER, inner=KFold(3))
    np.testing.assert_allclose(
        result.outer.fold_means, [0.035088, 0.035088, 0.131579, 0.070175, 0.053097], atol=1e-6
    )
    assert result.estimate == pytest.approx(0.065005, abs=1e-6)
    assert result.chosen == tuple(f"n_neighbors={k}" for k in (9, 9, 7, 7, 5))
    search = GridSearchCV(KNeighborsClassifier(), {"n_neighbors": SIZES}, cv=KFold(3))
    np.testing.assert_allclose(result.outer.fold_means, 1 - cross_val_score(search, X, Y, cv=OUTER))
    assert result.inner_estimates.shape == (5, 6)
    assert "choice included" in str(result)
    assert "not a guarantee" in str(result)


def test_the_winner_of_a_plain_cross_validation_looks_better_than_it_is():
    plain = select_by_cross_validation(NEIGHBOURS, X, Y, cv=OUTER)
    assert plain.chosen == "n_neighbors=9"
    assert plain.estimates.min() == pytest.approx(0.059758, abs=1e-6)
    assert plain.model.n_samples_fit_ == len(X)
    assert "optimistic" in str(plain)


def test_a_dev_set_chooses_as_in_the_catalogue():
    rows, test, labels, truth = train_test_split(X, Y, test_size=0.5, random_state=0, stratify=Y)
    result = select_on_dev_set(NEIGHBOURS, rows, labels, dev_size=0.5, stratify=True)
    np.testing.assert_allclose(
        result.estimates, [0.0775, 0.0986, 0.1056, 0.1056, 0.1197, 0.1197], atol=5e-5
    )
    assert result.chosen == "n_neighbors=1"
    assert np.mean(result.model.predict(test) != truth) == pytest.approx(0.1018, abs=5e-5)
    assert result.uncertainty is None
    blind = select_on_dev_set(NEIGHBOURS, rows, labels, dev_size=142)
    assert blind.uncertainty == pytest.approx(0.1389, abs=5e-5)


def test_a_dev_set_with_copies_of_training_rows_does_not_say_how_far_off_it_is():
    """It was said to be at most 9.6 points off, and 1-NN on noise was found almost right."""
    rng = np.random.default_rng(0)
    rows, labels = np.repeat(rng.normal(size=(200, 2)), 2, axis=0), np.repeat(np.arange(200) % 2, 2)
    result = select_on_dev_set([KNeighborsClassifier(n_neighbors=1)], rows, labels)
    assert result.estimates.item() < 0.2
    assert result.uncertainty is None
    assert "points" not in str(result)


class ByTheMean(ClassifierMixin, BaseEstimator):
    """Guesses by the mean of the rows that are asked together."""

    def fit(self, *_):
        return self

    def predict(self, rows):
        return (rows[:, 0] > rows[:, 0].mean()).astype(int)


def test_a_dev_set_says_how_far_off_only_models_are_for_which_its_rows_are_new():
    """A frozen model that had learnt all rows was said to be at most 12.1 points off."""
    rng = np.random.default_rng(0)
    rows, labels = rng.normal(size=(500, 2)), rng.integers(0, 2, 500)
    learnt = FrozenEstimator(KNeighborsClassifier(n_neighbors=1).fit(rows, labels))
    for model in (learnt, ByTheMean()):
        assert select_on_dev_set([DummyClassifier(), model], rows, labels).uncertainty is None
    told = select_on_dev_set([DummyClassifier()], rows, labels)
    assert told.uncertainty == pytest.approx(0.12147, abs=1e-5)
    assert "12.2 points" in str(told)


def test_on_pure_noise_the_nested_estimate_stays_near_a_half_and_the_winners_does_not():
    rng = np.random.default_rng(0)
    nested, plain = [], []
    for _ in range(25):
        rows, labels = rng.normal(size=(40, 15)), np.arange(40) % 2
        guesses = [ByFeature(j) for j in range(15)]
        plain.append(select_by_cross_validation(guesses, rows, labels, cv=4).estimates.min())
        nested.append(nested_cross_validate(guesses, rows, labels, cv=4, inner=2).estimate)
    assert np.mean(plain) < 0.4
    assert abs(np.mean(nested) - 0.5) < 0.05


def test_of_equal_models_the_first_is_taken_and_workers_change_nothing():
    same = {"first": DummyClassifier(), "second": DummyClassifier()}
    assert select_by_cross_validation(same, X, Y).chosen == "first"
    few = parameter_grid(KNeighborsClassifier(), {"n_neighbors": [1, 9]})
    once = nested_cross_validate(few, X, Y, cv=3)
    with joblib.parallel_config("threading"):
        again = nested_cross_validate(few, X, Y, cv=3, n_jobs=2)
    np.testing.assert_array_equal(once.outer.losses, again.outer.losses)


def test_groups_are_respected_inside_too():
    seen = []

    class Spy(DummyClassifier):
        def fit(self, rows, labels):
            seen.append(set(rows[:, 0]))
            return super().fit(rows, labels)

        def predict(self, rows):
            assert not seen[-1] & set(rows[:, 0])
            return super().predict(rows)

    groups = np.repeat(np.arange(12), 5)
    rows = groups[:, np.newaxis].astype(float)
    nested_cross_validate([Spy()], rows, np.arange(60) % 2, groups=groups, cv=4, inner=3)
    assert len(seen) == 4 * (3 + 1)


@pytest.mark.parametrize(
    ("candidates", "error", "message"),
    [
        ([], ValueError, "number of candidates"),
        (KNeighborsClassifier(), TypeError, "give several models"),
        ([LinearRegression(), LogisticRegression()], ValueError, "models of one kind"),
        ({"rule": 3}, TypeError, "not an estimator"),
    ],
)
def test_bad_candidates_are_refused(candidates, error, message):
    with pytest.raises(error, match=message):
        nested_cross_validate(candidates, X, Y)
    with pytest.raises(error, match=message):
        select_on_dev_set(candidates, X, Y)
