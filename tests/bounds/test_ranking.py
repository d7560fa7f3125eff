"""Areas under the ROC curve: the fixture, the plain version, coverage with ties, and lotteries."""

import math

import numpy as np
import pytest
from scipy import stats

from reference.ranking import auc_bound
from surelearn.bounds import concentration, ranking
from surelearn.evaluate.coverage import Coverage

INDEX = np.arange(1, 61)
POSITIVE, NEGATIVE = np.sin(INDEX) + 1.2, np.sin(2.3 * INDEX)


def test_the_area_of_the_fixture_has_the_tabulated_bound():
    found = ranking.auc(positive=POSITIVE, negative=NEGATIVE, delta=0.05, n_permutations=8)
    assert found.bound == pytest.approx(0.757551, abs=5e-7)
    assert (POSITIVE[:, None] > NEGATIVE).mean() == pytest.approx(0.862222, abs=5e-7)


@pytest.mark.parametrize(("p", "n"), [(20, 20), (7, 40), (40, 7), (1, 1), (13, 29)])
def test_the_bound_is_that_of_the_plain_version_with_ties(p, n):
    rng = np.random.default_rng(p)
    positive, negative = rng.integers(2, 8, p), rng.integers(0, 6, n)
    found = ranking.auc(positive=positive, negative=negative, delta=0.1, seed=3, n_permutations=4)
    plain = auc_bound(positive, negative, 0.1, 3, 4)
    assert found.bound == pytest.approx(plain, abs=2e-8)
    assert found.bound <= plain + 1e-9


def test_only_the_order_of_scores_matters():
    ranks = stats.rankdata(np.concatenate([POSITIVE, NEGATIVE]))
    by_ranks = ranking.auc(positive=ranks[:60], negative=ranks[60:], delta=0.05)
    assert by_ranks.bound == ranking.auc(positive=POSITIVE, negative=NEGATIVE, delta=0.05).bound


@pytest.mark.parametrize("rounded", [False, True])
def test_the_area_is_covered_with_and_without_ties(rounded, repetitions):
    rng, bounds = np.random.default_rng(6), []
    grid = np.arange(-40, 41) / 2.0
    for _ in range(repetitions // 4):
        positive, negative = rng.normal(1.0, size=40), rng.normal(size=70)
        if rounded:
            positive, negative = np.round(2 * positive) / 2, np.round(2 * negative) / 2
        bounds.append(
            ranking.auc(positive=positive, negative=negative, delta=0.2, n_permutations=5).bound
        )
    truth = stats.norm.cdf(1 / math.sqrt(2))
    if rounded:
        share = stats.norm.cdf(grid + 0.25) - stats.norm.cdf(grid - 0.25)
        above = stats.norm.sf(grid + 0.25, 1.0) + 0.5 * (
            stats.norm.cdf(grid + 0.25, 1.0) - stats.norm.cdf(grid - 0.25, 1.0)
        )
        truth = float(share @ above)
    lows = 1 - np.array(bounds)
    assert not Coverage(np.full(len(lows), 1 - truth), lows, 0.2).refuted()
    assert max(bounds) > 0.5


def test_the_best_of_many_seeds_is_larger_than_that_of_one():
    def bound(seed):
        return ranking.auc(positive=POSITIVE, negative=NEGATIVE, delta=0.05, seed=seed).bound

    assert max(bound(seed) for seed in range(20)) > bound(0) + 0.003


def test_perfect_and_worthless_scores_have_sensible_bounds():
    perfect = ranking.auc(positive=np.ones(100), negative=np.zeros(100), delta=0.05)
    assert 0.95 < perfect.bound < 1.0
    worthless = ranking.auc(positive=np.zeros(50), negative=np.ones(50), delta=0.05)
    assert 0.0 <= worthless.bound < 0.01
    assert worthless.vacuous or worthless.bound > 0.0


def test_the_closed_form_is_chernoffs_bound_for_the_smaller_class():
    found = ranking.auc_kl(estimate=0.9, n_positive=100, n_negative=1000, delta=0.05)
    upper = concentration.kl_chernoff(mean=0.1, n=100, delta=0.05).bound
    assert found.bound == pytest.approx(1 - upper, abs=1e-9)


def test_what_is_outside_its_domain_is_refused_by_name():
    with pytest.raises(ValueError, match="positive"):
        ranking.auc(positive=[], negative=[1.0], delta=0.05)
    with pytest.raises(ValueError, match="negative"):
        ranking.auc(positive=[1.0], negative=[math.inf], delta=0.05)
    with pytest.raises(ValueError, match="n_permutations"):
        ranking.auc(positive=[1.0] * 10, negative=[0.0] * 10, delta=0.05, n_permutations=10**8)
    with pytest.raises(ValueError, match="n_negative"):
        ranking.auc_kl(estimate=0.5, n_positive=3, n_negative=0, delta=0.05)
