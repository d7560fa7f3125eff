"""Constant regret under losses that can be mixed, and where the constant is not reached."""

import math

import numpy as np
import pytest

from reference.exponentially_weighted_average import (
    exponentially_weighted_average,
    predict_average,
    predict_substitution,
    relative_entropy,
    square,
)
from surelearn.bounds import regret_mixable


def holds(guarantee, observed):
    return observed <= guarantee.bound + 1e-9 * (1.0 + abs(guarantee.bound))


def streams(rng, n_experts, low=0.0, high=1.0, n_rounds=60):
    """Yield advice and outcomes: random, corner, constant experts, and a drifting truth."""
    width = high - low
    corners = rng.integers(0, 2, (n_rounds, n_experts))
    constant = np.tile(np.linspace(0, 1, n_experts), (n_rounds, 1))
    for advice in (rng.random((n_rounds, n_experts)), corners, constant):
        for outcomes in (
            rng.random(n_rounds),
            rng.integers(0, 2, n_rounds),
            np.linspace(0, 1, n_rounds),
        ):
            yield low + width * advice, low + width * outcomes.astype(float)


def opposite_outcomes(experts, rate, predict, low=0.0, high=1.0):
    """Answer every prediction with the end of the range that is further from it."""
    cumulative, outcomes = np.zeros(np.shape(experts)[1]), []
    for advice in experts:
        weights = np.exp(-rate * (cumulative - cumulative.min()))
        prediction = predict(weights / weights.sum(), advice, rate)
        outcomes.append(low if prediction > (low + high) / 2 else high)
        cumulative = cumulative + square(outcomes[-1], advice)
    return outcomes


def test_the_average_reproduces_the_run_of_the_catalogue():
    predictions, regret, _ = exponentially_weighted_average(
        [(0, 1), (0.2, 0.9), (0.6, 0.4)], [1, 1, 0], 0.5
    )
    np.testing.assert_allclose(predictions, [0.5, 0.6357215318, 0.4613652101], atol=1e-10)
    assert regret == pytest.approx(0.4255566595, abs=1e-10)
    assert holds(regret_mixable.square_loss_average(n_experts=2), regret)


@pytest.mark.parametrize("n_experts", [2, 5, 30])
@pytest.mark.parametrize("rule", ["average", "substitution"])
@pytest.mark.parametrize(("low", "high"), [(0.0, 1.0), (-3.0, 5.0)])
def test_square_loss_keeps_its_constant(n_experts, rule, low, high):
    width = high - low
    rate = (0.5 if rule == "average" else 2.0) / width**2

    def predict(weights, advice, rate):
        if rule == "average":
            return predict_average(weights, advice, rate)
        return predict_substitution(weights, advice, rate, low, high)

    theorem = getattr(regret_mixable, f"square_loss_{rule}")
    bound = theorem(n_experts=n_experts, low=low, high=high)
    for advice, outcomes in streams(np.random.default_rng(0), n_experts, low, high):
        nature = opposite_outcomes(advice, rate, predict, low, high)
        for y in (outcomes, nature):
            _, regret, excess = exponentially_weighted_average(advice, y, rate, predict=predict)
            realised = regret_mixable.mixable_realised(
                n_experts=n_experts, learning_rate=rate, sum_excess=excess
            )
            assert excess <= 1e-9 * width**2
            assert holds(realised, regret)
            assert holds(bound, realised.bound)


def test_the_plain_average_at_rate_two_breaks_the_half_log_bound():
    advice, outcomes = np.tile([0.0, 1.0], (200, 1)), [1.0, 0.0] * 100
    bound = regret_mixable.square_loss_substitution(n_experts=2)
    _, average, _ = exponentially_weighted_average(advice, outcomes, 2.0)
    _, vovk, _ = exponentially_weighted_average(advice, outcomes, 2.0, predict=predict_substitution)
    assert not holds(bound, average)
    assert average > 5 * bound.bound
    assert holds(bound, vovk)


def test_a_rate_above_two_cannot_be_mixed():
    advice = np.array([[0.4, 0.6]])
    for outcome in (0.0, 1.0):
        _, _, at_two = exponentially_weighted_average(
            advice, [outcome], 2.0, predict=predict_substitution
        )
        _, _, above = exponentially_weighted_average(
            advice, [outcome], 2.05, predict=predict_substitution
        )
        assert at_two <= 1e-12 < above


def test_outcomes_outside_the_range_break_the_constant():
    advice, outcomes = np.tile([0.0, 1.0], (100, 1)), [3.0, -2.0] * 50
    _, regret, _ = exponentially_weighted_average(advice, outcomes, 0.5)
    assert not holds(regret_mixable.square_loss_average(n_experts=2), regret)


@pytest.mark.parametrize("n_experts", [2, 8, 40])
def test_relative_entropy_keeps_its_constant(n_experts):
    rng = np.random.default_rng(1)
    for advice, outcomes in streams(rng, n_experts):
        inside = 0.01 + 0.98 * advice
        _, regret, excess = exponentially_weighted_average(
            inside, outcomes, 1.0, loss=relative_entropy
        )
        assert excess <= 1e-9
        assert holds(regret_mixable.entropic(n_experts=n_experts), regret)


def test_one_expert_right_and_seven_sure_of_the_contrary_attain_ln_eight():
    advice = np.array([[1.0] + [0.0] * 7])
    _, regret, _ = exponentially_weighted_average(advice, [1.0], 1.0, loss=relative_entropy)
    assert regret == pytest.approx(math.log(8), rel=1e-12)
    assert holds(regret_mixable.entropic(n_experts=8), regret)


def test_relative_entropy_at_rate_two_breaks_its_constant():
    advice, outcomes = np.tile([0.01, 0.99], (200, 1)), [1.0, 0.0] * 100
    _, regret, _ = exponentially_weighted_average(advice, outcomes, 2.0, loss=relative_entropy)
    assert not holds(regret_mixable.entropic(n_experts=2), regret)


def test_the_absolute_loss_cannot_be_mixed_and_its_regret_grows():
    def absolute(outcome, prediction):
        return np.abs(outcome - prediction)

    outcomes = np.random.default_rng(2).integers(0, 2, 2000)
    advice = np.tile([0.0, 1.0], (2000, 1))
    _, regret, excess = exponentially_weighted_average(advice, outcomes, 0.5, loss=absolute)
    assert not holds(regret_mixable.mixable(n_experts=2, learning_rate=0.5), regret)
    realised = regret_mixable.mixable_realised(n_experts=2, learning_rate=0.5, sum_excess=excess)
    assert holds(realised, regret)


def test_an_expert_trusted_from_the_start_costs_the_log_of_its_prior():
    rng = np.random.default_rng(3)
    prior = np.array([0.7, 0.2, 0.1])
    copies = np.repeat(np.arange(3), [7, 2, 1])  # ten equal experts hold this prior together
    for _ in range(30):
        experts, outcomes = rng.random((40, 3)), rng.integers(0, 2, 40)
        predictions, _, _ = exponentially_weighted_average(
            experts[:, copies], outcomes, 2.0, predict=predict_substitution
        )
        total = square(outcomes, predictions).sum()
        each = square(outcomes[:, None], experts).sum(axis=0)
        for weight, loss in zip(prior, each, strict=True):
            bound = regret_mixable.mixable_prior(prior=weight, learning_rate=2.0)
            assert holds(bound, total - loss)


def test_a_single_expert_costs_nothing_and_a_zero_prior_is_refused():
    assert regret_mixable.mixable(n_experts=1, learning_rate=0.1).bound == 0.0
    assert regret_mixable.entropic(n_experts=1).bound == 0.0
    assert regret_mixable.mixable_prior(prior=1.0, learning_rate=0.1).bound == 0.0
    with pytest.raises(ValueError, match="prior=0"):
        regret_mixable.mixable_prior(prior=0.0, learning_rate=1.0)
    with pytest.raises(ValueError, match=r"high=0\.0.*above low=1"):
        regret_mixable.square_loss_average(n_experts=2, low=1.0, high=0.0)
