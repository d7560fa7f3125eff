"""EXP3 and Tsallis-INF against their plain selves, the catalogue, and adversaries."""

import math

import numpy as np
import pytest

from reference import exp3 as plain_exp3
from reference import tsallis_inf as plain_tsallis_inf
from reference.bandit_rounds import (
    ADVERSARIES,
    anytime,
    coins,
    plain_game,
    play_against,
    regret,
    tuned,
)
from surelearn.base.states import copy_of
from surelearn.bounds import bandits_realised
from surelearn.learners.bandits._sampling import draw
from surelearn.learners.bandits.exp3 import Exp3
from surelearn.learners.bandits.exp3_ix import Exp3IX
from surelearn.learners.bandits.tsallis_inf import TsallisInf, _tsallis_weights


@pytest.mark.parametrize("n_arms", [2, 3, 7])
@pytest.mark.parametrize("kind", ["anytime", "horizon", "constant"])
def test_exp3_equals_the_plain_version(kind, n_arms):
    losses = np.random.default_rng(n_arms).random((400, n_arms))
    rate, options = {
        "anytime": (anytime(n_arms), {}),
        "horizon": (tuned(n_arms, 400), {"horizon": 400}),
        "constant": (lambda _: 0.05, {"learning_rate": 0.05}),
    }[kind]
    bandit = Exp3(n_arms=n_arms, seed=3, **options)
    arms, estimates, chances = plain_game(
        losses,
        np.random.default_rng(3).random(400),
        lambda total, t: plain_exp3.probabilities(total, rate(t)),
        lambda row, played, p, _: plain_exp3.estimate(row, played, p),
    )
    np.testing.assert_array_equal(bandit.play(losses), arms)
    np.testing.assert_allclose(bandit.estimated_losses_, estimates, rtol=1e-10)
    paid = losses[np.arange(400), arms]
    assert bandit.second_moment_ == pytest.approx(np.sum(paid**2 / chances))


@pytest.mark.parametrize("n_arms", [2, 3, 7])
def test_tsallis_inf_equals_the_plain_version(n_arms):
    losses = np.random.default_rng(n_arms).random((400, n_arms))
    bandit = TsallisInf(n_arms=n_arms, seed=3)
    arms, estimates, chances = plain_game(
        losses,
        np.random.default_rng(3).random(400),
        lambda total, t: plain_tsallis_inf.probabilities(total, t**-0.5),
        lambda row, played, p, _: plain_exp3.estimate(row, played, p),
    )
    np.testing.assert_array_equal(bandit.play(losses), arms)
    np.testing.assert_allclose(bandit.estimated_losses_, estimates, rtol=1e-8)
    rates, w = np.arange(1, 401) ** -0.5, np.array(chances)
    seen = losses[np.arange(400), arms] / w
    terms = rates * w**1.5 * seen**2 / (1 + rates * np.sqrt(w) * seen)
    assert bandit.stability_ == pytest.approx(terms.sum())


@pytest.mark.parametrize("n_arms", [2, 5, 1000])
@pytest.mark.parametrize("scale", [0.0, 1.0, 100.0, 1e9])
def test_newton_and_the_plain_bisection_find_the_same_tsallis_weights(n_arms, scale):
    estimates = scale * np.random.default_rng(0).exponential(size=n_arms)
    weights = np.empty(n_arms)
    for rate in (1.0, 0.01):
        assert _tsallis_weights(estimates, rate, weights) == pytest.approx(1, abs=1e-13)
        plain = plain_tsallis_inf.probabilities(estimates, rate)
        np.testing.assert_allclose(weights, plain, rtol=1e-6)


def force(bandit, arm):
    """Let the coin of this round fall for `arm`."""
    chances = bandit.probabilities
    vars(bandit)["state_"].learnt.pending[0] = np.cumsum(chances)[arm] - chances[arm] / 2
    assert bandit.select() == arm


def test_exp3_follows_its_catalogue_path():
    bandit, seen = Exp3(n_arms=2, learning_rate=0.5), []
    for arm, loss in ((0, 1.0), (1, 0.5), (0, 0.0)):
        seen.append(bandit.probabilities)
        before = bandit.estimated_losses_.copy()
        force(bandit, arm)
        bandit.update(arm, loss)
        seen.append((bandit.estimated_losses_ - before)[arm])
    assert seen[0] == pytest.approx([0.5, 0.5])
    assert seen[2] == pytest.approx([0.2689414214, 0.7310585786])
    assert seen[4] == pytest.approx([0.3411822521, 0.6588177479])
    assert seen[1::2] == pytest.approx([2, 0.6839397206, 0])


def test_exp3_has_its_catalogue_regret():
    losses = coins((0.5, 0.5, 0.5, 0.5, 0.35), 400, 0)
    bandits = [Exp3(n_arms=5, horizon=400, seed=seed) for seed in range(60)]
    regrets = [regret(losses, bandit.play(losses)) for bandit in bandits]
    promised = bandits[0].certificates()[0]
    assert promised.bound == pytest.approx(80.2356009)
    assert np.mean(regrets) == pytest.approx(44.27, abs=5)


def test_tsallis_weights_are_the_catalogues():
    bandit = TsallisInf(n_arms=3)
    vars(bandit)["state_"].learnt.estimated_losses[:] = 0, 1, 2
    assert bandit.probabilities == pytest.approx([0.6955044, 0.20678349, 0.09771211], abs=1e-8)


@pytest.mark.parametrize("make", [Exp3, TsallisInf], ids=lambda c: c.__name__)
def test_estimates_are_unbiased(make):
    losses = np.array([[1.0, 0.25, 0.5], [0.5, 0.0, 1.0], [0.75, 1.0, 0.0]])

    def expected(bandit, t):
        if t == len(losses):
            return bandit.estimated_losses_
        total, state = np.zeros(3), bandit.state_
        for arm, chance in enumerate(bandit.probabilities):
            vars(bandit)["state_"] = copy_of(state)
            force(bandit, arm)
            bandit.update(arm, losses[t, arm])
            total += chance * expected(bandit, t + 1)
        return total

    assert expected(make(n_arms=3), 0) == pytest.approx(losses.sum(axis=0))


@pytest.mark.parametrize("name", ADVERSARIES)
@pytest.mark.parametrize("make", [Exp3, TsallisInf], ids=lambda c: c.__name__)
def test_the_mean_regret_against_adversaries_is_below_the_bound(make, name):
    regrets = np.array(
        [play_against(make(n_arms=3, seed=s), ADVERSARIES[name], n_rounds=100) for s in range(60)]
    )
    errors = regrets.std(axis=0, ddof=1) / math.sqrt(len(regrets))
    bound = make(n_arms=3).guarantee(n_rounds=100).bound
    assert np.all(regrets.mean(axis=0) < bound + 4 * errors)


def test_coins_of_nearly_equal_bias_cost_a_quarter_of_the_bound_of_exp3():
    losses = [coins((0.4, 0.55, 0.55), 150, seed) for seed in range(200)]
    bandits = [Exp3(n_arms=3, horizon=150, seed=seed) for seed in range(200)]
    regrets = [regret(table, b.play(table)) for table, b in zip(losses, bandits, strict=True)]
    bound = bandits[0].guarantee(n_rounds=150).bound
    assert bound / 4 < np.mean(regrets) < bound


def sure(bandit):
    return next(c for c in bandit.certificates() if c.validity == "surely")


def test_the_sure_bounds_hold_on_a_thousand_random_tables():
    rng = np.random.default_rng(0)
    for trial in range(1000):
        n_rounds, n_arms = int(rng.integers(1, 120)), int(rng.integers(2, 7))
        losses = rng.random((n_rounds, n_arms)) ** rng.choice([0.1, 1.0, 10.0])
        rate = float(10 ** rng.uniform(-3, 1))
        exp3 = Exp3(n_arms=n_arms, learning_rate=rate, seed=trial)
        tsallis = TsallisInf(n_arms=n_arms, seed=trial)
        for bandit in (exp3, tsallis):
            bandit.play(losses)
        path = bandits_realised.exp3_pathwise(
            n_arms=n_arms, learning_rate=rate, second_moment=exp3.second_moment_
        )
        assert exp3._estimated_regret <= path.bound * (1 + 1e-9)
        path = bandits_realised.tsallis_inf_pathwise(
            n_arms=n_arms, n_rounds=n_rounds, stability=tsallis.stability_
        )
        assert tsallis._estimated_regret <= path.bound * (1 + 1e-9)


@pytest.mark.parametrize("name", ADVERSARIES)
def test_the_sure_bounds_hold_against_adversaries(name):
    for bandit in (Exp3(n_arms=4, learning_rate=0.3), TsallisInf(n_arms=4)):
        play_against(bandit, ADVERSARIES[name], n_rounds=300)
        assert sure(bandit).observed <= sure(bandit).bound


def test_one_round_comes_within_a_factor_of_the_sure_bounds():
    exp3, tsallis = Exp3(n_arms=2, horizon=1), TsallisInf(n_arms=2)
    for bandit, bound in ((exp3, math.sqrt(4 * math.log(2))), (tsallis, math.sqrt(2))):
        bandit.play([[1.0, 1.0]])
        assert sure(bandit).observed == 1.0
        assert sure(bandit).bound == pytest.approx(bound)


def test_tsallis_inf_profits_where_one_arm_is_best_and_tuned_exp3_does_not():
    losses = coins((0.3, 0.5, 0.5, 0.5, 0.5), 20_000, 0)
    tsallis, exp3 = TsallisInf(n_arms=5), Exp3(n_arms=5, horizon=20_000)
    assert 1.5 * regret(losses, tsallis.play(losses)) < regret(losses, exp3.play(losses))


def test_the_rate_is_given_once_and_is_positive():
    with pytest.raises(ValueError, match="not both"):
        Exp3(n_arms=2, learning_rate=0.1, horizon=10)
    for rate in (0.0, -1.0, math.inf, math.nan):
        with pytest.raises(ValueError, match="learning_rate"):
            Exp3(n_arms=2, learning_rate=rate)
    for delta in (0.0, 1.0, math.nan):
        with pytest.raises(ValueError, match="delta"):
            Exp3IX(n_arms=2, delta=delta)


def test_an_arm_of_weight_zero_is_never_drawn():
    assert draw(np.array([0.0, 0.5, 0.5, 0.0]), 0.0) == 1
    assert draw(np.array([0.0, 0.5, 0.5, 0.0]), 1.0) == 2
    assert draw(np.array([0.0, 0.5, 0.5, 0.0]), 0.5) == 2


@pytest.mark.parametrize("make", [Exp3, Exp3IX, TsallisInf], ids=lambda c: c.__name__)
def test_a_long_run_on_extreme_losses_stays_finite(make):
    bandit = make(n_arms=3, horizon=10**5) if make is not TsallisInf else make(n_arms=3)
    bandit.play(np.tile([1.0, 0.0, 1.0], (10**5, 1)))
    assert np.isfinite(bandit.estimated_losses_).all()
    assert bandit.probabilities[1] > 0.99
    bandit.play(np.tile([0.0, 1.0, 0.0], (10**5, 1)))
    assert np.isfinite(bandit.probabilities).all()
    assert all(np.isfinite(c.bound) or c.status == "void" for c in bandit.certificates())


@pytest.mark.parametrize("n_arms", [2, 4, 7, 33])
@pytest.mark.parametrize("make", [Exp3, Exp3IX, TsallisInf], ids=lambda c: c.__name__)
def test_a_run_does_not_depend_on_where_its_arrays_lie(make, n_arms):
    losses, memory, results = np.random.default_rng(1).random((80, n_arms)), np.zeros(400), set()
    uniforms, rates = (
        np.random.default_rng(2).random(80),
        make(n_arms=n_arms)._rates(np.arange(1.0, 81.0)),
    )
    estimates, arms, chances = (
        memory[200 : 200 + n_arms],
        np.zeros(80, dtype=np.int64),
        np.empty(80),
    )
    for distance in (*range(-50, 1 - n_arms), *range(n_arms, 50)):
        weights = memory[200 + distance : 200 + distance + n_arms]
        estimates[:] = 0.0
        make._play_rounds(losses, uniforms, rates, estimates, weights, arms, chances)
        results.add((estimates.tobytes(), chances.tobytes()))
    assert len(results) == 1
