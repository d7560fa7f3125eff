"""Planners give the least integer of their theorems, at exact ties and next to them."""

import math
from decimal import Decimal, localcontext
from fractions import Fraction

import mpmath as mp
import pytest

from surelearn.bounds import (
    boosting,
    holdout,
    inversions,
    optimization,
    sample_size,
    stochastic_gradient,
    tails_of_sums,
)


@pytest.mark.parametrize("excess", [0.25, 0.5, 0.125, 0.1, 0.3, 1e-12, 3.0])
def test_steps_of_descent_count_exact_ties(excess):
    common = {"distance": 3.0, "smoothness": 2.0, "excess": excess}
    steps = optimization.plan_gradient_descent_steps(**common, learning_rate=0.5)
    assert steps == max(1, math.ceil(Fraction(9) / Fraction(excess)))
    fast = optimization.plan_nesterov_steps(**common)
    assert Fraction(36) <= Fraction(excess) * (fast + 1) ** 2
    assert fast == 1 or Fraction(36) > Fraction(excess) * fast**2
    noisy = stochastic_gradient.plan_sgd_steps(diameter=3.0, gradient_bound=2.0, excess=excess)
    assert noisy == math.ceil(36 / Fraction(excess) ** 2)


def test_steps_at_the_tie_itself():
    inputs = {"distance": 1, "learning_rate": 0.5, "smoothness": 2}
    assert optimization.plan_gradient_descent_steps(**inputs, excess=0.25) == 4
    assert optimization.plan_nesterov_steps(distance=1, smoothness=2, excess=0.0625) == 7
    assert stochastic_gradient.plan_sgd_steps(diameter=2, gradient_bound=1, excess=0.5) == 16


@pytest.mark.parametrize("n", [2, 3, 100, 4999])
@pytest.mark.parametrize("rounds", [1, 7, 60, 400])
@pytest.mark.parametrize("ulps", [-2, 0, 2])
def test_rounds_of_boosting_next_to_a_tie(n, rounds, ulps):
    with mp.workdps(60):
        near = float(mp.sqrt(1 - mp.mpf(n) ** (-mp.mpf(2) / rounds)) / 2)
        edge = mp.mpf(near + ulps * math.ulp(near))
        found = boosting.plan_rounds_exact(edge=float(edge), n=n)
        assert (1 - 4 * edge**2) ** (mp.mpf(found) / 2) * n < 1
        assert (1 - 4 * edge**2) ** (mp.mpf(found - 1) / 2) * n >= 1
        closed = boosting.plan_rounds(edge=float(edge), n=n)
        assert closed - 1 <= mp.log(n) / (2 * edge**2) < closed
        to_error = boosting.plan_rounds_to_error(edge=float(edge), training_error=1 / n)
        assert to_error - 1 < -mp.log(mp.mpf(1 / n)) / (2 * edge**2) <= to_error


@pytest.mark.parametrize("accuracy", [1e-9, 0.01, 0.1, 1.0])
def test_the_sample_of_hoeffding_is_the_least(accuracy):
    n = tails_of_sums.plan_hoeffding(accuracy=accuracy, delta=0.05, low=-1.0, high=0.1)
    with mp.workdps(60):
        width = mp.mpf(0.1) + 1
        exact = -mp.log(mp.mpf(0.05)) * (width / mp.mpf(accuracy)) ** 2 / 2
    assert n - 1 < exact <= n


@pytest.mark.parametrize("error", [1e-45, 1e-70, 1e-300])
def test_an_enormous_plan_is_never_too_small(error):
    delta = 0.05
    n = sample_size.plan_finite_class(n_hypotheses=1000, error=error, delta=delta)
    with localcontext(prec=400):
        exact = (1000 / Decimal(delta)).ln() / Decimal(error)
        assert exact <= n <= exact * (1 + Decimal("1e-50")) + 1


@pytest.mark.parametrize("delta", [1e-279, 1e-281, 5e-324])
def test_a_plan_at_a_tiny_level_tries_few_numbers_of_errors(delta, monkeypatch):
    tried = []

    def counting(errors, n, level, find=inversions.binomial_upper):
        tried.append(getattr(errors, "size", 1))
        return find(errors, n, level)

    monkeypatch.setattr(inversions, "binomial_upper", counting)
    n = holdout.plan_holdout(target=0.2, error=0.1, delta=delta)
    assert sum(tried) < 60
    monkeypatch.undo()
    passes = [inversions.binomial_upper(-(-m // 10), m, delta) <= 0.2 for m in (n - 1, n)]
    assert passes == [False, True]
