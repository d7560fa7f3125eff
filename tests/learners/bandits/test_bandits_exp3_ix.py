"""EXP3-IX against its plain self, the proofs' numbers, adversaries that react, and a cheat."""

import numpy as np
import pytest

from reference import exp3_ix as plain_exp3_ix
from reference.bandit_rounds import (
    ADVERSARIES,
    anytime,
    coins,
    plain_game,
    play_against,
    regret,
    tuned,
)
from surelearn.bounds import bandits_realised
from surelearn.evaluate.coverage import Coverage
from surelearn.learners.bandits.exp3_ix import Exp3IX


@pytest.mark.parametrize("n_arms", [2, 3, 7])
@pytest.mark.parametrize("horizon", [None, 400])
def test_exp3_ix_equals_the_plain_version_and_keeps_the_table_of_the_theorem(horizon, n_arms):
    losses = np.random.default_rng(n_arms).random((400, n_arms))
    rate = anytime(n_arms) if horizon is None else tuned(n_arms, horizon)
    bandit = Exp3IX(n_arms=n_arms, horizon=horizon, seed=3)
    arms, estimates, chances = plain_game(
        losses,
        np.random.default_rng(3).random(400),
        lambda total, t: plain_exp3_ix.probabilities(total, rate(t)),
        lambda row, played, p, t: plain_exp3_ix.estimate(row, played, p, rate(t) / 2),
    )
    np.testing.assert_array_equal(bandit.play(losses), arms)
    np.testing.assert_allclose(bandit.estimated_losses_, estimates, rtol=1e-10)
    table = bandits_realised.log_wealth_table(
        arms=arms,
        losses=losses[np.arange(400), arms],
        probabilities=chances,
        n_arms=n_arms,
        rates=bandit.grid_,
    )
    np.testing.assert_allclose(bandit.log_wealths_, table, rtol=1e-9)


@pytest.mark.parametrize("horizon", [None, 150])
@pytest.mark.parametrize("name", ADVERSARIES)
def test_the_certificates_of_exp3_ix_cover_the_regret_against_adversaries(name, horizon):
    truths, realised, promised = [], [], []
    for seed in range(25):
        bandit = Exp3IX(n_arms=3, horizon=horizon, seed=seed)
        truths.append(play_against(bandit, ADVERSARIES[name], n_rounds=150).max())
        for bounds, certificate in zip(
            (realised, promised), bandit.certificates(delta=0.2), strict=True
        ):
            bounds.append(certificate.bound)
    assert not Coverage(np.array(truths), np.array(realised), 0.2).refuted()
    assert not Coverage(np.array(truths), np.array(promised), 0.2).refuted()
    assert np.all(np.array(realised) < promised)


def test_the_realised_certificate_covers_coins_and_is_half_of_the_promise(repetitions):
    truths, bounds = [], []
    for seed in range(repetitions // 2):
        losses = coins((0.5, 0.5), 150, 10**6 + seed)
        bandit = Exp3IX(n_arms=2, horizon=150, delta=0.5, seed=seed)
        truths.append(regret(losses, bandit.play(losses)))
        realised, promised = bandit.certificates()
        bounds.append(realised.bound)
    assert not Coverage(np.array(truths), np.array(bounds), 0.5).refuted()
    assert np.mean(bounds) < promised.bound / 2


def test_exp3_ix_has_the_numbers_of_the_proofs():
    losses = coins((0.4, 0.5, 0.5, 0.5, 0.5), 2000, 0)
    bandits = [Exp3IX(n_arms=5, horizon=2000, seed=seed) for seed in range(20)]
    regrets = [regret(losses, bandit.play(losses)) for bandit in bandits]
    realised, promised = np.transpose([[c.bound for c in b.certificates()] for b in bandits])
    assert promised == pytest.approx(np.full(20, 568.1225), abs=5e-5)
    assert 60 < np.mean(regrets) < 160
    assert 180 < np.mean(realised) < 300
    assert np.all(realised > regrets)


@pytest.mark.parametrize("horizon", [None, 400])
def test_a_loss_chosen_after_the_arm_breaks_the_certificates_of_exp3_ix(horizon):
    truths, realised, promised = [], [], []
    for seed in range(5):
        bandit, total = Exp3IX(n_arms=3, horizon=horizon, seed=seed), np.zeros(3)
        for _ in range(1500 if horizon is None else horizon):
            arm = bandit.select()
            bandit.update(arm, 1.0)
            total[arm] += 1.0
        truths.append(bandit.cumulative_loss_ - total.min())
        for bounds, certificate in zip((realised, promised), bandit.certificates(), strict=True):
            bounds.append(certificate.bound)
    assert Coverage(np.array(truths), np.array(realised), 0.05).refuted()
    assert Coverage(np.array(truths), np.array(promised), 0.05).refuted()


def test_a_run_beyond_its_horizon_loses_the_promise_but_not_the_proof():
    bandit = Exp3IX(n_arms=2, horizon=100)
    bandit.play(coins((0.3, 0.6), 60, 0))
    assert bandit.certificates()[1].bound == bandit.guarantee(n_rounds=100).bound
    bandit.play(coins((0.3, 0.6), 60, 1))
    realised, promised = bandit.certificates()
    assert (realised.status, promised.status) == ("valid", "void")
    with pytest.raises(ValueError, match="horizon"):
        bandit.guarantee(n_rounds=120)


def test_a_delta_that_was_not_announced_is_assumed_to_be_chosen_blindly():
    bandit = Exp3IX(n_arms=2, delta=0.1)
    bandit.play(coins((0.3, 0.6), 100, 0))
    announced, asked = bandit.certificates(), bandit.certificates(delta=0.01)
    assert [c.delta for c in (*announced, *asked)] == [0.1, 0.1, 0.01, 0.01]
    assert announced[0].preconditions[-1].status == "by-construction"
    assert asked[0].preconditions[-1].status == "assumed"


@pytest.mark.parametrize(("name", "value"), [("delta", 0.5), ("horizon", 10), ("seed", 3)])
def test_what_was_given_to_the_constructor_may_not_change_before_the_first_round(name, value):
    bandit = Exp3IX(n_arms=2, horizon=100)
    setattr(bandit, name, value)
    with pytest.raises(ValueError, match="the game was begun as"):
        bandit.play([[0.0, 1.0]])
    with pytest.raises(ValueError, match="the game was begun as"):
        bandit.select()
    assert bandit.n_rounds_ == 0
