"""Rows in bags: the catalogue's numbers, the exact law of the number of distinct rows, draws."""

import math

import numpy as np
import pytest
from sklearn.datasets import load_iris

from surelearn import BaggingClassifier, BaggingRegressor
from surelearn.bounds import bootstrap


def occupied(m, draws):
    """Return the law of the number of distinct rows among so many draws: one draw after another."""
    law = np.zeros(m + 1)
    law[0] = 1.0
    rows = np.arange(m + 1)
    for _ in range(draws):
        law = law * rows / m + np.append(0.0, (law * (m - rows) / m)[:-1])
    return law


@pytest.mark.parametrize(
    ("m", "wanted"), [(10, 0.6513215599), (100, 0.6339676587), (10**12, 0.6321205588)]
)
def test_very_many_bags_hold_the_share_of_the_catalogue(m, wanted):
    found = bootstrap.mean_share(n_rows=m, n_draws=m, n_bags=10**30, delta=0.5).bound
    assert math.isclose(found, wanted, rel_tol=1e-9)
    assert found < wanted + 1e-10
    if m <= 100:
        assert math.isclose(occupied(m, m) @ np.arange(m + 1) / m, wanted)


@pytest.mark.parametrize(("m", "draws"), [(5, 5), (30, 30), (30, 10), (8, 40)])
@pytest.mark.parametrize("delta", [0.5, 0.1, 0.01])
def test_a_bag_holds_less_with_probability_at_most_delta(m, draws, delta):
    limit = bootstrap.mean_share(n_rows=m, n_draws=draws, n_bags=1, delta=delta).bound
    assert occupied(m, draws)[np.arange(m + 1) / m < limit].sum() <= delta


def test_many_bags_fail_as_seldom_as_stated_and_dependent_draws_do_not():
    rng, m, bags, delta = np.random.default_rng(0), 20, 30, 0.2
    limit = bootstrap.mean_share(n_rows=m, n_draws=m, n_bags=bags, delta=delta).bound

    def missed(n_free):  # the other draws repeat the first
        drawn = rng.integers(m, size=(400, bags, m))
        drawn[:, :, n_free:] = drawn[:, :, :1]
        ordered = np.sort(drawn, axis=2)
        distinct = 1 + (np.diff(ordered, axis=2) > 0).sum(axis=2)
        return (distinct.mean(axis=1) / m < limit).mean()

    assert missed(m) <= delta
    assert missed(m // 2) > 0.9


def test_the_certificate_of_an_ensemble_counts_its_own_bags():
    X, y = load_iris(return_X_y=True)
    model = BaggingClassifier(n_estimators=7, max_samples=0.4, random_state=3).fit(X, y)
    found = model.bags_certificate(delta=0.1)
    bags = [model._bag(place).rows for place in range(7)]
    assert found.observed == pytest.approx(np.mean([len(rows) for rows in bags]) / 150)
    inputs = {"n_rows": 150, "n_draws": 60, "n_bags": 7, "delta": 0.1}
    assert found.reproduce["inputs"] == inputs
    assert found.status == "valid"
    assert found.bound <= 1 - (1 - 1 / 150) ** 60


def test_bags_that_certify_nothing_are_refused():
    X, y = load_iris(return_X_y=True)
    model = BaggingRegressor(n_estimators=3, bootstrap=False, max_samples=0.5).fit(X, y)
    with pytest.raises(ValueError, match="hold 75 of 150 rows"):
        model.bags_certificate()
    changed = BaggingRegressor(n_estimators=3).fit(X, y).set_params(max_samples=10)
    with pytest.raises(ValueError, match="bags of 150 rows"):
        changed.bags_certificate()
