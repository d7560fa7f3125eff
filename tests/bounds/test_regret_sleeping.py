"""Sleeping experts: regret on awake rounds, and a learner that ignores who is asleep."""

import numpy as np
import pytest

from reference import adversaries, squint
from reference.adahedge import adahedge, sleeping
from surelearn.bounds import regret_adaptive, regret_sleeping

N_EXPERTS, N_ROUNDS = 6, 120


def holds(guarantee, observed):
    return observed <= guarantee.bound + 1e-9 * (1.0 + abs(guarantee.bound))


def worlds():
    """Yield losses and confidences: coin losses or rotating ones, day and night, or fractions."""
    rng = np.random.default_rng(0)
    days = (np.arange(N_ROUNDS)[:, None] // 10 + np.arange(N_EXPERTS)) % 3 > 0
    coin = rng.random((N_ROUNDS, N_EXPERTS)) < 0.4
    coin[np.arange(N_ROUNDS), rng.integers(0, N_EXPERTS, N_ROUNDS)] = True
    for confidences in (days, coin, rng.random((N_ROUNDS, N_EXPERTS))):
        for adversary in (adversaries.coins(rng, N_EXPERTS), adversaries.rotating):
            losses = [adversary(t, np.ones(N_EXPERTS)) for t in range(N_ROUNDS)]
            yield np.array(losses), confidences.astype(float)


def test_adahedge_keeps_its_bounds_on_awake_rounds():
    for losses, confidences in worlds():
        regrets, run = sleeping(losses, confidences)
        realised = regret_sleeping.sleeping_adahedge_realised(
            sum_mixability_gaps=run.gap_sums[-1], previous_sum_mixability_gaps=run.gap_sums[-2]
        )
        np.testing.assert_allclose(regrets.max(), run.regret, atol=1e-9)
        assert holds(realised, regrets.max())
        a_priori = regret_sleeping.sleeping_adahedge(n_experts=N_EXPERTS, n_rounds=N_ROUNDS)
        assert holds(a_priori, realised.bound)


def test_squint_keeps_its_bound_on_awake_rounds():
    rates = regret_adaptive.squint_rates(n_rounds=N_ROUNDS)
    grid = {"learning_rates": rates, "rate_weights": np.full(len(rates), 1 / len(rates))}
    prior = np.full(N_EXPERTS, 1 / N_EXPERTS)
    for losses, confidences in worlds():
        run = squint.play(
            lambda t, _, losses=losses: losses[t],
            N_ROUNDS,
            prior,
            grid["learning_rates"],
            grid["rate_weights"],
            confidences,
        )
        for k in range(N_EXPERTS):
            bound = regret_sleeping.sleeping_squint(
                variance=run.variances[k], prior=prior[k], **grid
            )
            assert holds(bound, run.regrets[k])


def test_feeding_a_sleeper_anything_but_the_learners_own_loss_breaks_the_bounds():
    late = np.repeat([0.0, 1.0], [300, 100])
    confidences = np.column_stack([late, np.ones(400)])
    losses = np.column_stack([np.zeros(400), late])
    punished = adahedge(confidences * losses + (1 - confidences))  # who sleeps, loses
    awake = punished.weights * confidences
    learner = (awake * losses).sum(axis=1) / awake.sum(axis=1)
    observed = (confidences * (learner[:, None] - losses)).sum(axis=0).max()
    bound = regret_sleeping.sleeping_adahedge(n_experts=2, n_rounds=400)
    assert not holds(bound, observed)
    honest, _ = sleeping(losses, confidences)
    assert holds(bound, honest.max())


def test_the_awake_form_keeps_the_number_and_changes_the_words():
    plain = regret_adaptive.adahedge(n_experts=4, n_rounds=50)
    awake = regret_sleeping.sleeping_adahedge(n_experts=4, n_rounds=50)
    assert awake.bound == plain.bound
    assert "awake" in awake.quantity
    assert awake.theorem == "regret_sleeping.sleeping_adahedge"
    with pytest.raises(ValueError, match="n_rounds"):
        regret_sleeping.sleeping_adahedge(n_experts=4, n_rounds=0)
