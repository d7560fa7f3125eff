"""Learning curves are those of scikit-learn, and say what is wrong with their sizes."""

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer
from sklearn.linear_model import LinearRegression
from sklearn.model_selection import KFold, RepeatedKFold, StratifiedKFold
from sklearn.model_selection import learning_curve as sklearn_curve
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier

from surelearn.evaluate.learning_curve import learning_curve

X, Y = load_breast_cancer(return_X_y=True)
NAMES = np.array(["malignant", "benign"])[Y]


@pytest.mark.parametrize("sizes", [[0.1, 0.33, 1.0], [20, 100, 455]])
def test_the_curve_is_that_of_scikit_learn(sizes):
    cv = StratifiedKFold(5, shuffle=True, random_state=0)
    expected, train, test = sklearn_curve(
        GaussianNB(), X, NAMES, train_sizes=sizes, cv=cv, shuffle=True, random_state=0
    )
    result = learning_curve(GaussianNB(), X, NAMES, sizes=sizes)
    np.testing.assert_array_equal(result.sizes, expected)
    np.testing.assert_allclose(result.training, 1.0 - train.T, atol=1e-15)
    np.testing.assert_allclose(result.validation, 1.0 - test.T, atol=1e-15)
    assert result.gap[-1] == pytest.approx((train - test).mean(axis=1)[-1])


def test_a_nearest_neighbour_never_errs_on_what_it_has_seen():
    result = learning_curve(KNeighborsClassifier(1), X, NAMES)
    assert result.training.max() == 0.0
    assert result.gap[-1] == result.validation_mean[-1] > 0.0
    assert "not guarantees" in str(result)


def test_a_row_that_is_tested_again_is_no_new_row_for_the_verdict():
    rng = np.random.default_rng(0)
    rows, labels = rng.normal(size=(60, 2)), rng.integers(2, size=60)
    folds = list(KFold(5).split(rows))
    once, often = (
        learning_curve(GaussianNB(), rows, labels, cv=cv, sizes=[1.0]).verdict
        for cv in (folds, 20 * folds)
    )
    assert once is not None
    assert often is not None
    assert often.unseen == once.unseen
    assert often.baseline == once.baseline
    shuffled = RepeatedKFold(n_splits=5, n_repeats=20, random_state=0)
    found = learning_curve(GaussianNB(), rows, labels, cv=shuffled, sizes=[1.0]).verdict
    assert found is not None
    assert found.unseen.high - found.unseen.low > 0.1  # of 1200 tests it would be 0.06


def test_ordered_rows_are_learnt_from_the_latest_backwards():
    times = np.arange(60.0)[:, np.newaxis]
    seen = []

    class Spy(LinearRegression):
        def fit(self, rows, targets):
            seen.append(np.sort(rows[:, 0]))
            return super().fit(rows, targets)

    learning_curve(Spy(), times, times[:, 0], sizes=[5, 10], cv=5, ordered=True)
    for rows in seen:
        np.testing.assert_array_equal(np.diff(rows), 1.0)
    assert [rows[-1] + 1 for rows in seen[::2]] == [10, 20, 30, 40, 50]


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"sizes": [0]}, "numbers of rows from 1 to 455"),
        ({"sizes": [456]}, "numbers of rows from 1 to 455"),
        ({"sizes": []}, "numbers of rows"),
        ({"sizes": [1, 400]}, "all of one class; start with more rows"),
        ({"sizes": [-0.5]}, "numbers of rows"),
    ],
)
def test_bad_sizes_are_refused(changes, message):
    with pytest.raises(ValueError, match=message):
        learning_curve(GaussianNB(), X, Y, **changes)


def test_regression_pays_squares():
    rng = np.random.default_rng(0)
    rows = rng.normal(size=(200, 3))
    targets = rows.sum(axis=1) + rng.normal(size=200)
    result = learning_curve(LinearRegression(), rows, targets, cv=KFold(4), sizes=[10, 150])
    assert result.loss == "squared error"
    assert result.training_mean[0] < 1.0 < result.validation_mean[0]
    assert result.validation_mean[1] == pytest.approx(1.0, abs=0.3)
