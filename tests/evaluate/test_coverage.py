"""The judge of the bounds must itself be able to say no."""

import numpy as np
import pytest
from scipy import stats

from surelearn.bounds import concentration, mistakes
from surelearn.evaluate.coverage import Coverage, simulate_coverage


def test_p_values_are_the_binomial_tails():
    result = Coverage(np.r_[np.ones(7), np.zeros(93)], np.full(100, 0.5), 0.05)
    assert result.misses == 7
    assert result.p_value == pytest.approx(stats.binom.sf(6, 100, 0.05))
    assert Coverage(np.zeros(10), np.ones(10), 0.05).p_value == 1.0


def test_it_refutes_a_bound_that_misses_twice_too_often_and_not_an_honest_one():
    rng = np.random.default_rng(0)
    assert Coverage(rng.random(2000), np.full(2000, 0.9), 0.05).refuted()
    assert not Coverage(rng.random(2000), np.full(2000, 0.96), 0.05).refuted()


def test_lower_bounds_miss_on_the_other_side():
    result = Coverage(np.array([0.1, 0.9]), np.array([0.5, 0.5]), 0.5, direction="lower")
    assert result.misses == 1


def test_a_statement_without_a_level_has_no_coverage():
    from surelearn.bounds import neighbors  # noqa: PLC0415

    with pytest.raises(ValueError, match="expectation"):
        simulate_coverage(lambda _: (0.0, neighbors.cover_hart(bayes_risk=0.1)), repetitions=3)
    sure = simulate_coverage(lambda _: (1.0, mistakes.halving(n_experts=4)), repetitions=3)
    assert sure.delta == 0.0
    assert not sure.refuted()


def test_a_shrunken_interval_is_caught():
    def too_small(rng):
        errors = int(rng.binomial(100, 0.2))
        return 0.2, concentration.clopper_pearson(errors=errors, n=100, delta=0.5)

    honest = simulate_coverage(too_small, repetitions=300)
    claimed = Coverage(honest.truths, honest.bounds, 0.05)
    assert not honest.refuted()
    assert claimed.refuted()
