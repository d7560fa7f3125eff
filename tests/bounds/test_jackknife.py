"""Jackknife+ and CV+: known values, coverage of the plain algorithm, worlds that break it."""

import numpy as np
import pytest

from reference.cv_plus import cv_plus_interval, least_squares
from surelearn.bounds import jackknife


def test_catalogue_values():
    assert jackknife.jackknife_plus(n=100, alpha=0.1).bound == pytest.approx(0.8099, abs=5e-5)
    assert jackknife.cv_plus(n=100, alpha=0.1, n_folds=10).bound == pytest.approx(0.7436, abs=5e-5)
    assert jackknife.jackknife_plus(n=20, alpha=0.2).bound == pytest.approx(0.648, abs=5e-4)
    assert jackknife.cv_plus(n=20, alpha=0.2, n_folds=5).bound == pytest.approx(0.567, abs=5e-4)


@pytest.mark.parametrize(("n", "n_folds", "alpha"), [(20, 5, 0.2), (60, 2, 0.1), (12, 12, 0.3)])
def test_the_two_forms_of_the_bound_agree_and_exceed_the_simple_one(n, n_folds, alpha):
    m = n // n_folds
    bound = jackknife.cv_plus(n=n, alpha=alpha, n_folds=n_folds).bound
    assert bound == pytest.approx(1 - 2 * alpha - ((m - 1) * (1 - 2 * alpha) - 1) / (n + m))
    assert bound >= 1 - 2 * alpha - (1 - n_folds / n) / (n_folds + 1)


def test_one_example_per_fold_is_the_jackknife():
    folds = jackknife.cv_plus(n=30, alpha=0.1, n_folds=30).bound
    assert folds == jackknife.jackknife_plus(n=30, alpha=0.1).bound


def test_an_interval_that_is_the_whole_line_always_covers():
    assert jackknife.jackknife_plus(n=8, alpha=0.1).bound == 1.0
    assert jackknife.jackknife_plus(n=9, alpha=0.1).bound < 1.0
    assert jackknife.cv_plus(n=8, alpha=0.1, n_folds=4).bound == 1.0


def test_it_carries_no_confidence_and_says_nothing_from_one_half_on():
    guarantee = jackknife.jackknife_plus(n=100, alpha=0.6)
    assert guarantee.confidence is None
    assert guarantee.vacuous


@pytest.mark.parametrize("n_folds", [7, 40, 1])
def test_folds_of_unequal_size_are_refused(n_folds):
    with pytest.raises(ValueError, match="n_folds"):
        jackknife.cv_plus(n=20, alpha=0.2, n_folds=n_folds)


def covered(rng, repetitions, *, dimension, n_folds, shift=0.0, n=20, alpha=0.2):
    """Return how often the interval for the next outcome, moved by `shift`, covers it."""
    hits = np.empty(repetitions)
    for run in range(repetitions):
        X = rng.normal(size=(n + 1, dimension))
        y = X.sum(axis=1) + rng.standard_t(3, size=n + 1)
        low, high = cv_plus_interval(X[:n], y[:n], X[n], alpha, n_folds)
        hits[run] = low <= y[n] + shift <= high
    return hits.mean(), hits.std() / np.sqrt(repetitions)


@pytest.mark.parametrize("n_folds", [20, 5])
@pytest.mark.parametrize("dimension", [5, 18, 19])
def test_the_plain_algorithm_covers_as_often_as_promised(dimension, n_folds, repetitions):
    rng = np.random.default_rng(dimension)
    rate, error = covered(rng, repetitions // 2, dimension=dimension, n_folds=n_folds)
    guarantee = jackknife.cv_plus(n=20, alpha=0.2, n_folds=n_folds)
    assert guarantee.allows(rate + 4 * error)


def test_a_next_example_that_is_not_exchangeable_is_not_covered():
    rate, error = covered(np.random.default_rng(1), 200, dimension=5, n_folds=20, shift=6.0)
    assert not jackknife.jackknife_plus(n=20, alpha=0.2).allows(rate + 4 * error)


def test_training_residuals_do_not_keep_the_promise():
    rng = np.random.default_rng(2)
    hits = np.empty(200)
    for run in range(200):
        X = rng.normal(size=(21, 18))
        y = X.sum(axis=1) + rng.normal(size=21)
        weights = least_squares(X[:20], y[:20])
        radius = np.sort(np.abs(y[:20] - X[:20] @ weights))[16]
        hits[run] = abs(y[20] - X[20] @ weights) <= radius
    assert not jackknife.jackknife_plus(n=20, alpha=0.2).allows(
        hits.mean() + 4 * hits.std() / 200**0.5
    )


@pytest.mark.parametrize("seed", range(20))
def test_few_examples_can_win_nearly_all_games_of_a_tournament(seed):
    # The heart of the proof: with m per fold, at most 2 alpha (n + 1) - 2 + m are strange.
    rng = np.random.default_rng(seed)
    m, n_folds, alpha = int(rng.integers(1, 4)), int(rng.integers(3, 9)), 0.3
    size, n = m * (n_folds + 1), m * n_folds
    strength = rng.normal(size=size) * rng.choice([0.0, 1.0, 5.0])
    scores = strength[:, None] + rng.normal(size=(size, size))
    fold = np.arange(size) // m
    beats = (scores > scores.T) & (fold[:, None] != fold)
    strange = np.count_nonzero(beats.sum(axis=1) >= (1 - alpha) * (n + 1))
    assert strange <= max(0.0, 2 * alpha * (n + 1) - 2 + m)
