"""Coin betting: the fixture, coins that attain the bound, and gradients that are too long."""

import math

import numpy as np
import pytest

from reference.coin_betting import coin_betting
from surelearn.bounds import coin_betting as bounds


def holds(guarantee, observed):
    return observed <= guarantee.bound + 1e-9 * (1.0 + abs(guarantee.bound))


def gradients(dimension, seed=0):
    """Yield gradients at most 1 long: drift, biased coins, radial, orthogonal, shrinking."""
    rng = np.random.default_rng(seed)
    axes = np.eye(dimension)

    def radial(_t, w):
        return w / np.linalg.norm(w) if np.linalg.norm(w) > 0 else axes[0]

    yield lambda *_: axes[0]
    yield lambda *_: axes[0] * (1 if rng.random() < 0.7 else -1)
    yield lambda *_: axes[0] * (1 if rng.random() < 0.5 else -1)
    yield radial
    yield lambda t, w: -radial(t, w)
    yield lambda t, _w: axes[t % dimension]
    yield lambda t, _w: axes[0] / (t + 1)
    yield lambda t, _w: axes[0] if t < 60 else -axes[0]


def realised(run, norm, initial_wealth=1.0):
    return bounds.coin_betting_realised(
        norm=norm,
        gradient_sum_norm=float(np.linalg.norm(run.gradients.sum(axis=0))),
        wealth=run.wealth[-1],
        initial_wealth=initial_wealth,
    )


def test_the_fixture():
    signs = [-1, -1, 1, -1]
    run = coin_betting(lambda t, _: [signs[t]], 4, 1)
    np.testing.assert_allclose(run.points[:, 0], [0, 0.5, 1, 0.125], atol=1e-12)
    np.testing.assert_allclose(run.wealth, [1, 1, 1.5, 0.5, 0.625], atol=1e-12)
    assert math.exp(bounds._log_least_wealth(2.0, 4, 1.0)) == pytest.approx(0.625, rel=1e-12)


@pytest.mark.parametrize("dimension", [1, 3])
@pytest.mark.parametrize("wealth", [0.1, 1.0])
def test_the_bettor_keeps_all_its_bounds(dimension, wealth):
    for gradient in gradients(dimension):
        run = coin_betting(gradient, 90, dimension, wealth)
        for norm in (0.0, 0.01, 1.0, 30.0):
            inputs = {"norm": norm, "n_rounds": 90, "initial_wealth": wealth}
            exact, closed = bounds.coin_betting(**inputs), bounds.coin_betting_closed(**inputs)
            # The sum of the losses may cancel down from 10^17: its rounding error is forgiven.
            rounding = 1e-14 * float(np.abs(run.gradients * run.points).sum())
            exact_regret = pytest.approx(run.regret(norm), rel=1e-9, abs=1e-8 + rounding)
            assert realised(run, norm, wealth).bound == exact_regret
            assert holds(exact, run.regret(norm) - rounding)
            assert exact.bound <= closed.bound * (1 + 1e-11)


def test_coins_leave_exactly_the_least_wealth():
    rng = np.random.default_rng(1)
    for bias in (0.5, 0.8, 1.0):
        run = coin_betting(lambda *_, b=bias: [1.0 if rng.random() < b else -1.0], 200, 1)
        outcome = abs(float(run.gradients.sum()))
        least = bounds._log_least_wealth(outcome, 200, 1.0)
        assert math.log(run.wealth[-1]) == pytest.approx(least, abs=1e-9)


def test_a_comparator_made_for_the_coins_attains_the_bound():
    run = coin_betting(lambda t, _: [-1.0 if t % 5 else 1.0], 200, 1)
    outcome, step = 120.0, 1e-5
    wealth = [math.exp(bounds._log_least_wealth(outcome + s * step, 200, 1.0)) for s in (-1, 1)]
    norm = (wealth[1] - wealth[0]) / (2 * step)  # the slope of the least wealth: the maximiser
    exact = bounds.coin_betting(norm=norm, n_rounds=200)
    assert abs(run.gradients.sum()) == outcome
    assert exact.bound == pytest.approx(run.regret(norm), rel=1e-6)
    assert holds(exact, run.regret(norm))


@pytest.mark.parametrize(
    ("function", "expected"), [("coin_betting", 100.3), ("coin_betting_closed", 120.5)]
)
def test_the_values_of_the_proofs(function, expected):
    bound = getattr(bounds, function)(norm=1.0, n_rounds=1000).bound
    assert bound == pytest.approx(expected, abs=0.05)
    older = 1 + math.sqrt(1000 * math.log1p(24 * 1000**2))
    assert bound < older == pytest.approx(131.4, abs=0.05)


def test_the_conjugate_is_the_largest_value_on_a_fine_grid():
    for norm, n_rounds in ((0.3, 20), (2.0, 300), (1e4, 10)):
        grid = np.linspace(0, n_rounds, 4001)
        values = [norm * x - math.exp(bounds._log_least_wealth(x, n_rounds, 1.0)) for x in grid]
        bound = bounds.coin_betting(norm=norm, n_rounds=n_rounds).bound
        assert 1 + max(values) <= bound <= 1 + max(values) + 1e-4 * abs(bound)


def test_gradients_of_another_scale_scale_the_regret():
    run = coin_betting(lambda t, _: [0.6 if t % 3 else -1.0], 90, 1)
    scaled = {"norm": 2.0, "gradient_norm": 7.0}
    assert holds(bounds.coin_betting(**scaled, n_rounds=90), 7 * run.regret(2.0))
    exact = bounds.coin_betting_realised(
        **scaled, gradient_sum_norm=7 * abs(run.gradients.sum()), wealth=run.wealth[-1]
    )
    assert exact.bound == pytest.approx(7 * run.regret(2.0), abs=1e-8)


def test_gradients_longer_than_one_break_the_bounds_and_ruin_the_bettor():
    run = coin_betting(lambda t, _: [-3.0 if t < 5 else 3.0], 6, 1)
    assert run.wealth[-1] < 0
    inputs = {"norm": 0.0, "n_rounds": 6}
    assert not holds(bounds.coin_betting(**inputs), run.regret(0.0))
    assert not holds(bounds.coin_betting_closed(**inputs), run.regret(0.0))
    with pytest.raises(ValueError, match="wealth"):
        realised(run, 1.0)


def test_doing_nothing_costs_at_most_the_initial_wealth():
    bound = bounds.coin_betting(norm=0.0, n_rounds=50, initial_wealth=0.2).bound
    assert 0.0 < bound < 0.2


def test_extremes_stay_finite_and_ordered():
    for norm in (1e-8, 1.0, 1e8):
        for n_rounds in (1, 10**7):
            exact = bounds.coin_betting(norm=norm, n_rounds=n_rounds).bound
            closed = bounds.coin_betting_closed(norm=norm, n_rounds=n_rounds).bound
            assert math.isfinite(exact)
            assert exact <= closed * (1 + 1e-6)
