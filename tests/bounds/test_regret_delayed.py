"""Late feedback: Hedge and gradient descent with losses that arrive after their round."""

import math

import numpy as np
import pytest

from reference.adversaries import family
from reference.hedge import delayed_hedge, outstanding, play
from reference.online_gradient_descent import delayed_dual_averaging
from surelearn.bounds import regret, regret_delayed

N_ROUNDS = 80


def holds(guarantee, observed):
    return observed <= guarantee.bound + 1e-9 * (1.0 + abs(guarantee.bound))


def delays():
    """Yield delays: none, constant, random, heavy-tailed, in batches of ten."""
    rng = np.random.default_rng(0)
    yield np.zeros(N_ROUNDS, dtype=int)
    yield np.full(N_ROUNDS, 7)
    yield rng.integers(0, 12, N_ROUNDS)
    yield rng.pareto(1.0, N_ROUNDS).astype(int)
    yield 9 - np.arange(N_ROUNDS) % 10


def blocks(n_experts):
    """Yield losses that stay the same for eight rounds: the hardest when feedback is late."""
    rng = np.random.default_rng(1)
    yield np.repeat(rng.integers(0, 2, (N_ROUNDS // 8, n_experts)), 8, axis=0).astype(float)
    for adversary in family(n_experts):
        yield play(adversary, N_ROUNDS, n_experts, 0.5).losses


@pytest.mark.parametrize("n_experts", [2, 10])
def test_hedge_keeps_all_three_bounds_on_late_losses(n_experts):
    log_k = math.log(n_experts)
    for late in delays():
        waiting = outstanding(late)
        inputs = {"n_experts": n_experts, "n_rounds": N_ROUNDS, "total_delay": waiting.sum()}
        fixed = math.sqrt(8 * log_k / (N_ROUNDS + 2 * waiting.sum()))
        anytime = 2 * np.sqrt(log_k / np.cumsum(1 + 2 * waiting))
        for losses in blocks(n_experts):
            for rates, name in ((fixed, "delayed_hedge"), (anytime, "delayed_hedge_anytime")):
                run = delayed_hedge(losses, late, rates)
                realised = regret_delayed.delayed_hedge_realised(
                    n_experts=n_experts,
                    learning_rate=float(np.min(rates)),
                    sum_excess=run.gaps.sum(),
                )
                assert holds(realised, run.regret)
                assert holds(getattr(regret_delayed, name)(**inputs), realised.bound)


def test_without_delay_the_bounds_are_those_of_hedge():
    inputs = {"n_experts": 4, "n_rounds": 50}
    late = regret_delayed.delayed_hedge(**inputs, total_delay=0)
    assert late.bound == regret.hedge_tuned(**inputs).bound


def test_pretending_that_nothing_is_late_breaks_the_bounds():
    losses = np.tile(np.repeat([(0.0, 1.0), (1.0, 0.0)], 40, axis=0), (5, 1))
    late = np.full(400, 20)
    tuned = delayed_hedge(losses, late, math.sqrt(8 * math.log(2) / 400))
    inputs = {"n_experts": 2, "n_rounds": 400}
    assert not holds(regret_delayed.delayed_hedge(**inputs, total_delay=0), tuned.regret)
    anytime = delayed_hedge(losses, late, 2 * np.sqrt(math.log(2) / np.arange(1, 401)))
    assert not holds(regret_delayed.delayed_hedge_anytime(**inputs, total_delay=0), anytime.regret)
    steps = {"norm": 1.0, "gradient_norm": 1.0, "n_rounds": 400, "total_delay": 0}
    gradients = np.sign(losses[:, :1] - 0.5)
    descent = delayed_dual_averaging(gradients, late, np.full(400, 1 / 20), radius=1.0)
    assert not holds(regret_delayed.delayed_gradient_descent(**steps), descent.regret(1.0))


def gradient_tables(dimension):
    rng = np.random.default_rng(2)
    unit = rng.normal(size=(N_ROUNDS, dimension))
    yield unit / np.linalg.norm(unit, axis=1, keepdims=True)
    yield np.repeat(np.sign(rng.normal(size=(N_ROUNDS // 8, 1))), 8, axis=0) * np.eye(dimension)[0]
    yield np.eye(dimension)[np.arange(N_ROUNDS) % dimension]
    yield np.tile(np.eye(dimension)[0], (N_ROUNDS, 1))


@pytest.mark.parametrize("dimension", [1, 3])
@pytest.mark.parametrize("radius", [None, 1.5])
def test_gradient_descent_keeps_all_three_bounds_on_late_gradients(dimension, radius):
    norm = 1.5
    for late in delays():
        waiting = outstanding(late)
        effective = np.cumsum(1 + 2 * waiting)
        inputs = {"norm": norm, "gradient_norm": 1.0, "n_rounds": N_ROUNDS}
        for name, rates in (
            ("delayed_gradient_descent", np.full(N_ROUNDS, norm / math.sqrt(effective[-1]))),
            ("delayed_gradient_descent_anytime", norm / np.sqrt(2 * effective)),
        ):
            bound = getattr(regret_delayed, name)(**inputs, total_delay=waiting.sum())
            for gradients in gradient_tables(dimension):
                run = delayed_dual_averaging(gradients, late, rates, radius=radius)
                realised = regret_delayed.delayed_gradient_descent_realised(
                    norm=norm, learning_rate=rates[-1], sum_costs=run.costs
                )
                assert holds(realised, run.regret(norm))
                assert holds(bound, realised.bound)


def test_gradients_longer_than_declared_break_the_late_bounds():
    gradients = 30 * np.sign(np.random.default_rng(3).normal(size=(N_ROUNDS, 1)))
    late = np.full(N_ROUNDS, 3)
    inputs = {"norm": 1.0, "gradient_norm": 1.0, "n_rounds": N_ROUNDS, "total_delay": 234}
    assert outstanding(late).sum() == 234
    fixed = delayed_dual_averaging(gradients, late, np.full(N_ROUNDS, 1 / math.sqrt(548)))
    assert not holds(regret_delayed.delayed_gradient_descent(**inputs), fixed.regret(1.0))
    rates = 1 / np.sqrt(2 * np.cumsum(1 + 2 * outstanding(late)))
    anytime = delayed_dual_averaging(gradients, late, rates)
    bound = regret_delayed.delayed_gradient_descent_anytime(**inputs)
    assert not holds(bound, anytime.regret(1.0))
    costless = regret_delayed.delayed_gradient_descent_realised(
        norm=1.0, learning_rate=rates[-1], sum_costs=0.0
    )
    assert not holds(costless, anytime.regret(1.0))


def test_more_delay_than_rounds_allow_is_refused():
    with pytest.raises(ValueError, match="total_delay"):
        regret_delayed.delayed_hedge(n_experts=2, n_rounds=10, total_delay=46)
    assert regret_delayed.delayed_hedge(n_experts=1, n_rounds=10, total_delay=45).bound == 0.0
