"""Rows that can be separated have no maximum likelihood: it is seen, and said."""

import numpy as np
import pytest

from surelearn.learners.linear.logistic_regression import LogisticRegression
from surelearn.optimizers.separability import no_finite_minimum


@pytest.mark.parametrize("classes", [2, 3])
def test_separable_rows_without_a_penalty_are_refused(classes):
    X = np.random.default_rng(0).normal(size=(60, 2))
    y = (X @ np.random.default_rng(3).normal(size=(2, classes))).argmax(axis=1)
    with pytest.raises(ValueError, match="Set a finite C"):
        LogisticRegression(C=float("inf")).fit(X, y)
    assert LogisticRegression(C=1e4).fit(X, y).training_errors_ < 5


def test_rows_that_touch_have_no_finite_optimum_either_and_a_programme_sees_it():
    X, y = np.array([[0.0], [1.0], [1.0], [2.0]]), [0, 0, 1, 1]
    with pytest.raises(ValueError, match="Set a finite C"):
        LogisticRegression(C=float("inf")).fit(X, y)
    weights = [1.0, 1.0, 1.0, 0.0]  # what has no weight is not seen, and 0, 1 against 1 touch too
    with pytest.raises(ValueError, match="Set a finite C"):
        LogisticRegression(C=float("inf")).fit(X, y, sample_weight=weights)
    three = np.array([[0.0], [1.0], [1.0], [2.0], [2.0], [3.0]])
    assert no_finite_minimum(three, np.array([0, 0, 1, 1, 2, 2]), 3, fit_intercept=True)
    assert not no_finite_minimum(three, np.array([0, 1, 0, 1, 0, 1]), 2, fit_intercept=True)


def test_the_programme_agrees_with_the_growth_of_the_coefficients():
    rng = np.random.default_rng(0)
    seen = set()
    for _ in range(60):
        X, y = rng.integers(-2, 3, size=(7, 2)).astype(float), rng.integers(0, 2, 7)
        y[:2] = 0, 1
        weak, weaker = (np.abs(LogisticRegression(C=C).fit(X, y).coef_).max() for C in (1e4, 1e8))
        endless = no_finite_minimum(X, y, 2, fit_intercept=True)
        grows = weaker > 1.2 * weak + 1e-3
        assert endless or not grows
        seen.add((endless, bool(grows)))
    assert (True, True) in seen
    assert (False, False) in seen


def test_rows_far_from_zero_are_told_apart_by_their_range():
    X = 1.7e9 + np.array([[0.0], [1.0], [2.0], [3.0]])
    assert no_finite_minimum(X, np.array([0, 0, 1, 1]), 2, fit_intercept=True)
    assert not no_finite_minimum(X, np.array([0, 1, 0, 1]), 2, fit_intercept=True)
