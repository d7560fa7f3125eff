"""Intervals: exact where they are, labelled approximate elsewhere, and equal to their formulas."""

import numpy as np
import pytest
from scipy import stats
from sklearn.datasets import load_breast_cancer
from sklearn.dummy import DummyClassifier, DummyRegressor
from sklearn.linear_model import LinearRegression
from sklearn.model_selection import LeaveOneOut, ShuffleSplit
from sklearn.naive_bayes import GaussianNB

from reference.nested_cv_interval import nested_cv_interval as plain_nested
from surelearn.evaluate.cross_validation import cross_validate
from surelearn.evaluate.intervals import holdout_interval, wald_interval
from surelearn.evaluate.resampled_intervals import (
    conservative_z_interval,
    corrected_t_interval,
    nested_cv_interval,
)

X, Y = load_breast_cancer(return_X_y=True)
X, Y = X[:60, :3], Y[:60]
Z90 = stats.norm.ppf(0.95)
NONE = DummyClassifier(strategy="constant", constant=0).fit([[0.0]], [0])


@pytest.mark.parametrize(("errors", "n"), [(0, 20), (7, 50), (50, 50)])
def test_the_hold_out_interval_is_scipys_exact_one(errors, n):
    labels = np.r_[np.ones(errors, int), np.zeros(n - errors, int)]
    interval = holdout_interval(NONE, np.zeros((n, 1)), labels, level=0.9)
    expected = stats.binomtest(errors, n).proportion_ci(0.9, method="exact")
    assert interval.validity == "exact"
    assert (interval.low, interval.high) == pytest.approx((expected.low, expected.high))
    assert "an exact 90% interval" in str(interval)
    assert interval.width == interval.high - interval.low


@pytest.mark.parametrize(("level", "told"), [(0.995, "99.5%"), (0.9999, "99.99%")])
def test_an_exact_interval_is_told_at_its_level_and_outward(level, told):
    """At 99.5% it was called an exact 100% interval."""
    interval = holdout_interval(NONE, np.zeros((100, 1)), [0] * 90 + [1] * 10, level=level)
    assert f"an exact {told} interval" in str(interval)
    low, high = str(interval).split("[")[1].split("]")[0].split(", ")
    assert float(low) <= interval.low < interval.high <= float(high)


def test_other_losses_have_an_approximate_interval():
    y = np.random.default_rng(0).normal(size=50)
    model = DummyRegressor(strategy="constant", constant=0.0).fit([[0.0]], [0.0])
    interval = holdout_interval(model, np.zeros((50, 1)), y, level=0.9)
    assert interval.estimate == pytest.approx(np.mean(y**2))
    reach = Z90 * np.std(y**2, ddof=1) / np.sqrt(50)
    assert interval.high - interval.estimate == pytest.approx(reach)
    assert "No theorem makes it a certificate" in str(interval)


def test_the_wald_intervals_are_their_formulas():
    result = cross_validate(GaussianNB(), X, Y, cv=4)
    losses = result.losses
    pairs = wald_interval(result, level=0.9)
    assert pairs.high - pairs.estimate == pytest.approx(Z90 * np.std(losses) / np.sqrt(60))
    within = wald_interval(result, level=0.9, variance="within-fold")
    spread = np.mean([np.var(fold.losses, ddof=1) for fold in result.folds])
    assert within.high - within.estimate == pytest.approx(Z90 * np.sqrt(spread / 60))
    assert pairs.estimate == result.pooled
    assert pairs.validity == within.validity == "approximate"


def test_a_wald_interval_needs_folds_that_test_every_row_once():
    model = GaussianNB()
    for wrong in ({"cv": ShuffleSplit(3, random_state=0)}, {"sample_weight": np.ones(60)}):
        with pytest.raises(ValueError, match="every row once"):
            wald_interval(cross_validate(model, X, Y, **wrong))
    singles = cross_validate(model, X[:20], Y[:20] * 0 + np.arange(20) % 2, cv=LeaveOneOut())
    assert wald_interval(singles).validity == "approximate"
    with pytest.raises(ValueError, match="all-pairs"):
        wald_interval(singles, variance="within-fold")
    with pytest.raises(ValueError, match="'all-pairs' or 'within-fold'"):
        wald_interval(cross_validate(model, X, Y), variance="between")


def test_the_corrected_t_is_wider_than_the_naive_one_by_its_factor():
    interval = corrected_t_interval(GaussianNB(), X, Y, n_splits=8, level=0.9)
    rng = np.random.default_rng(0)
    means = []
    for _ in range(8):
        order = rng.permutation(60)
        train, test = order[:54], order[54:]
        means.append(np.mean(GaussianNB().fit(X[train], Y[train]).predict(X[test]) != Y[test]))
    assert interval.estimate == pytest.approx(np.mean(means))
    factor = stats.t.ppf(0.95, 7) * np.sqrt(1 / 8 + 6 / 54)
    assert interval.high - interval.estimate == pytest.approx(factor * np.std(means, ddof=1))


def test_the_conservative_z_takes_its_variance_from_halves_that_share_no_row():
    seen = []

    class Spy(GaussianNB):
        def fit(self, rows, labels):
            seen.append(set(rows[:, 0]))
            return super().fit(rows, labels)

    rows = np.c_[np.arange(60.0), X]
    interval = conservative_z_interval(Spy(), rows, Y, n_splits=4, n_halvings=3)
    assert interval.validity == "approximate"
    assert len(seen) == 4 + 3 * 2 * 4
    assert {len(part) for part in seen[:4]} == {54}
    assert {len(part) for part in seen[4:]} == {24}
    for r in range(3):
        first, second = (set.union(*seen[4 + 8 * r + 4 * h :][:4]) for h in (0, 1))
        assert not first & second


def test_nested_cross_validation_is_its_formula():
    interval = nested_cv_interval(GaussianNB(), X, Y, cv=4, n_repeats=3, level=0.9)
    rng = np.random.default_rng(0)
    folds = [[list(p) for p in np.array_split(rng.permutation(60), 4)] for _ in range(3)]

    def losses_of(left_out, tested):
        kept = np.setdiff1d(np.arange(60), left_out)
        model = GaussianNB().fit(X[kept], Y[kept])
        return list((model.predict(X[tested]) != Y[tested]).astype(float))

    estimate, reach = plain_nested(losses_of, folds, 60, Z90)
    assert interval.estimate == pytest.approx(estimate)
    assert interval.high - interval.estimate == pytest.approx(reach)


def test_with_many_features_the_wald_interval_misses_and_the_corrected_one_less():
    # PROOFS-statistical 12: least squares, 40 rows, 20 features, the risk of the refitted model.
    rng = np.random.default_rng(0)
    hits = {"wald": 0, "corrected": 0}
    for _ in range(30):
        rows = rng.normal(size=(40, 20))
        y = rng.normal(size=40)
        coefficients = LinearRegression(fit_intercept=False).fit(rows, y).coef_
        truth = 1.0 + coefficients @ coefficients
        model = LinearRegression(fit_intercept=False)
        wald = wald_interval(cross_validate(model, rows, y, cv=10), level=0.9)
        corrected = corrected_t_interval(model, rows, y, level=0.9)
        hits["wald"] += wald.low <= truth <= wald.high
        hits["corrected"] += corrected.low <= truth <= corrected.high
    assert hits["wald"] < 0.8 * 30
    assert hits["corrected"] > hits["wald"]


@pytest.mark.parametrize(
    ("make", "settings", "message"),
    [
        (corrected_t_interval, {"level": 1.0}, r"level must be in \(0, 1\)"),
        (corrected_t_interval, {"n_splits": 1}, "n_splits must be an integer >= 2"),
        (corrected_t_interval, {"train_fraction": 0.999}, "leaves nothing to learn or to test"),
        (conservative_z_interval, {"train_fraction": 0.4}, "leaves none to learn from"),
        (nested_cv_interval, {"cv": 2}, "cv must be an integer >= 3"),
        (nested_cv_interval, {"cv": 31}, "<= 30"),
        (nested_cv_interval, {"n_repeats": 0}, "n_repeats"),
    ],
)
def test_bad_settings_are_refused(make, settings, message):
    with pytest.raises(ValueError, match=message):
        make(GaussianNB(), X, Y, **settings)
