"""Adversarial bandits before the run: known values, four adversaries, and one that cheats."""

import math

import numpy as np
import pytest

from reference import exp3, exp3_ix, tsallis_inf
from reference.bandit_game import ADVERSARIES, coins, play
from surelearn.bounds import bandits
from surelearn.evaluate.coverage import Coverage

every_adversary = pytest.mark.parametrize("adversary", ADVERSARIES.values(), ids=ADVERSARIES)


def largest_mean_excess(regrets, bound):
    """Return by how many standard errors some arm's mean regret exceeds the bound, at most."""
    errors = regrets.std(axis=0, ddof=1) / math.sqrt(len(regrets))
    return float(np.max((regrets.mean(axis=0) - bound) / np.maximum(errors, 1e-9)))


def play_exp3(rate, adversary, n_runs=400, n_rounds=150, n_arms=3, **options):
    return play(
        lambda estimates, t: exp3.probabilities(estimates, rate(t)),
        lambda losses, played, chances, _: exp3.estimate(losses, played, chances),
        adversary,
        n_rounds=n_rounds,
        n_runs=n_runs,
        n_arms=n_arms,
        **options,
    )


def tuned(n_arms, n_rounds):
    return lambda _: math.sqrt(2 * math.log(n_arms) / (n_arms * n_rounds))


def test_exp3_follows_its_catalogue_path():
    estimates, seen = np.zeros(2), []
    for arm, loss in ((0, 1.0), (1, 0.5), (0, 0.0)):
        chances = exp3.probabilities(estimates, 0.5)
        estimate = exp3.estimate(loss, np.arange(2) == arm, chances)
        estimates, seen = estimates + estimate, [*seen, (chances, estimate[arm])]
    assert seen[1][0] == pytest.approx([0.2689414214, 0.7310585786])
    assert seen[2][0] == pytest.approx([0.3411822521, 0.6588177479])
    assert [loss for _, loss in seen] == pytest.approx([2, 0.6839397206, 0])


def test_importance_weighting_is_unbiased_and_its_moments_are_the_catalogues():
    chances, losses = np.array([0.2, 0.3, 0.5]), np.array([0.1, 0.9, 0.4])
    estimates = np.array([exp3.estimate(losses, np.arange(3) == arm, chances) for arm in range(3)])
    assert chances @ estimates == pytest.approx(losses)
    assert chances @ (estimates**2 @ chances) == pytest.approx(0.98)
    assert pytest.approx(1.44) == 0.2 * (0.6 / 0.2) ** 2 - 0.6**2


def test_exp3_has_its_catalogue_bound_and_regret():
    losses = np.random.default_rng(0).random((400, 5)) < (0.5, 0.5, 0.5, 0.5, 0.35)
    game = play_exp3(
        tuned(5, 400),
        lambda t, *_: losses[t].astype(float),
        n_runs=60,
        n_rounds=400,
        n_arms=5,
        seed=0,
    )
    bound = bandits.exp3(n_arms=5, n_rounds=400).bound
    assert tuned(5, 400)(1) == pytest.approx(0.0401178004)
    assert bound == pytest.approx(80.2356009)
    assert game.regrets.max(axis=1).mean() == pytest.approx(44.27, abs=8)


@pytest.mark.parametrize(
    ("name", "expected"), [("exp3_ix", 568.1225), ("exp3_ix_tuned_to_delta", 529.3411)]
)
def test_exp3_ix_has_its_catalogue_values(name, expected):
    bound = getattr(bandits, name)(n_arms=5, n_rounds=2000, delta=0.05).bound
    assert bound == pytest.approx(expected, abs=5e-5)


def test_a_rate_other_than_the_tuned_one_only_costs():
    best = bandits.exp3(n_arms=4, n_rounds=900).bound
    for factor in (0.3, 1.0, 3.0):
        rate = factor * tuned(4, 900)(1)
        bound = bandits.exp3_learning_rate(n_arms=4, n_rounds=900, learning_rate=rate).bound
        assert bound == pytest.approx(best * (factor + 1 / factor) / 2)


@every_adversary
def test_the_mean_regret_of_exp3_is_below_its_bounds(adversary, repetitions):
    sizes = {"n_arms": 3, "n_rounds": 150}
    game = play_exp3(tuned(3, 150), adversary, n_runs=repetitions, seed=1)
    assert largest_mean_excess(game.regrets, bandits.exp3(**sizes).bound) < 4
    game = play_exp3(lambda _: 0.2, adversary, n_runs=repetitions, seed=2)
    fixed = bandits.exp3_learning_rate(**sizes, learning_rate=0.2)
    assert largest_mean_excess(game.regrets, fixed.bound) < 4
    game = play_exp3(
        lambda t: math.sqrt(math.log(3) / (3 * t)), adversary, n_runs=repetitions, seed=3
    )
    assert largest_mean_excess(game.regrets, bandits.exp3_anytime(**sizes).bound) < 4


def test_coins_of_nearly_equal_bias_cost_exp3_a_quarter_of_its_bound():
    game = play_exp3(tuned(3, 150), coins(0.4, 0.55, 0.55), seed=4)
    assert game.regrets.max(axis=1).mean() > bandits.exp3(n_arms=3, n_rounds=150).bound / 4


@pytest.mark.parametrize("delay", [1, 20])
@pytest.mark.parametrize("name", ["coins", "sides"])
def test_delayed_exp3_is_below_its_bounds_on_losses_fixed_in_advance(name, delay):
    outstanding = np.minimum(np.arange(150), delay)
    inputs = {"n_arms": 3, "n_rounds": 150, "total_delay": int(outstanding.sum())}
    work = 3 * 150 + 2 * outstanding.sum()
    rate = math.sqrt(2 * math.log(3) / work)
    game = play_exp3(lambda _: rate, ADVERSARIES[name], seed=5, delay=delay)
    assert largest_mean_excess(game.regrets, bandits.exp3_delayed(**inputs).bound) < 4
    so_far = np.cumsum(3 + 2 * outstanding)
    game = play_exp3(
        lambda t: math.sqrt(math.log(3) / so_far[t - 1]), ADVERSARIES[name], seed=6, delay=delay
    )
    assert largest_mean_excess(game.regrets, bandits.exp3_delayed_anytime(**inputs).bound) < 4


def test_without_delay_the_delayed_bounds_are_the_plain_ones():
    sizes = {"n_arms": 3, "n_rounds": 150}
    assert bandits.exp3_delayed(**sizes, total_delay=0).bound == bandits.exp3(**sizes).bound
    anytime = bandits.exp3_delayed_anytime(**sizes, total_delay=0).bound
    assert anytime == pytest.approx(bandits.exp3_anytime(**sizes).bound)


def play_exp3_ix(rate, adversary, n_runs=400, n_rounds=150, **options):
    """EXP3-IX with exploration equal to half the learning rate."""
    return play(
        lambda estimates, t: exp3_ix.probabilities(estimates, rate(t)),
        lambda losses, played, chances, t: exp3_ix.estimate(losses, played, chances, rate(t) / 2),
        adversary,
        n_rounds=n_rounds,
        n_runs=n_runs,
        n_arms=3,
        **options,
    )


IX_RATES = {
    "exp3_ix": lambda _: math.sqrt(2 * math.log(3) / 450),
    "exp3_ix_tuned_to_delta": lambda _: math.sqrt((2 * math.log(3) + math.log(10)) / 450),
    "exp3_ix_anytime": lambda t: math.sqrt(math.log(3) / (3 * t)),
}


@every_adversary
@pytest.mark.parametrize("name", IX_RATES)
def test_exp3_ix_exceeds_its_bounds_at_most_as_often_as_stated(name, adversary, repetitions):
    game = play_exp3_ix(IX_RATES[name], adversary, n_runs=repetitions, seed=7)
    bound = getattr(bandits, name)(n_arms=3, n_rounds=150, delta=0.2).bound
    assert not Coverage(game.regrets.max(axis=1), np.full(repetitions, bound), 0.2).refuted()


def play_tsallis(adversary, n_runs=400, n_rounds=150, rate=lambda t: t**-0.5, **options):
    return play(
        lambda estimates, t: tsallis_inf.probabilities(estimates, rate(t)),
        lambda losses, played, chances, _: exp3.estimate(losses, played, chances),
        adversary,
        n_rounds=n_rounds,
        n_runs=n_runs,
        n_arms=3,
        **options,
    )


def test_tsallis_inf_has_its_catalogue_value():
    bound = bandits.tsallis_inf(n_arms=5, n_rounds=2000).bound
    assert bound == pytest.approx(308.3212, abs=5e-5)


def test_tsallis_weights_are_the_catalogues_and_solve_their_equation():
    weights = tsallis_inf.probabilities(np.array([0.0, 1.0, 2.0]), 1.0)
    assert weights == pytest.approx([0.6955044, 0.20678349, 0.09771211], abs=1e-8)
    assert weights**-0.5 - [0, 1, 2] == pytest.approx(np.full(3, 1.1990852460))


@every_adversary
def test_the_mean_regret_of_tsallis_inf_is_below_its_bound(adversary):
    game = play_tsallis(adversary, seed=8)
    assert largest_mean_excess(game.regrets, bandits.tsallis_inf(n_arms=3, n_rounds=150).bound) < 4


def test_tsallis_inf_profits_from_a_stochastic_world():
    game = play_tsallis(coins(0.1, 0.9, 0.9), n_runs=100, n_rounds=1000, seed=9)
    gaps = [0.0, 0.8, 0.8]
    pulls = np.array([[np.sum(run == arm) for arm in range(3)] for run in game.arms.T])
    guarantee = bandits.tsallis_inf_stochastic(gaps=gaps, n_rounds=1000)
    assert largest_mean_excess((pulls @ gaps)[:, None], guarantee.bound) < 4
    long = {"n_rounds": 10**6}
    assert (
        bandits.tsallis_inf_stochastic(gaps=gaps, **long).bound
        < bandits.tsallis_inf(n_arms=3, **long).bound / 3
    )


def cheat(learner, **options):
    """Let the adversary choose the loss after the arm is drawn: 1 on it, 0 elsewhere."""
    game = learner(lambda *_: 1.0, **options)
    game.losses[:] = np.arange(3) == game.arms[:, :, None]
    return game.regrets


def test_an_adversary_that_sees_the_arm_first_breaks_every_bound():
    sizes = {"n_arms": 3, "n_rounds": 150}
    regrets = cheat(lambda adversary: play_exp3(tuned(3, 150), adversary, seed=10))
    for name in ("exp3", "exp3_anytime"):
        assert largest_mean_excess(regrets, getattr(bandits, name)(**sizes).bound) > 4
    for name in ("exp3_delayed", "exp3_delayed_anytime"):
        guarantee = getattr(bandits, name)(**sizes, total_delay=10)
        assert largest_mean_excess(regrets, guarantee.bound) > 4
    regrets = cheat(lambda adversary: play_tsallis(adversary, seed=11))
    assert largest_mean_excess(regrets, bandits.tsallis_inf(**sizes).bound) > 4
    for name, rate in IX_RATES.items():
        regrets = cheat(
            lambda adversary, rate=rate: play_exp3_ix(rate, adversary, n_rounds=1500, seed=12)
        )
        bound = getattr(bandits, name)(n_arms=3, n_rounds=1500, delta=0.05).bound
        assert Coverage(regrets.max(axis=1), np.full(400, bound), 0.05).refuted()


def test_losses_of_a_hundred_break_the_bounds_in_expectation():
    game = play_exp3(tuned(3, 150), lambda *_: np.array([0.0, 100.0, 100.0]), seed=13)
    assert largest_mean_excess(game.regrets, bandits.exp3(n_arms=3, n_rounds=150).bound) > 4
    assert (
        largest_mean_excess(
            game.regrets,
            bandits.exp3_learning_rate(n_arms=3, n_rounds=150, learning_rate=0.07).bound,
        )
        > 4
    )


def test_the_stochastic_bound_of_tsallis_inf_fails_where_the_best_arm_changes():
    game = play_tsallis(ADVERSARIES["favourite"], n_runs=20, n_rounds=1000, seed=14)
    bound = bandits.tsallis_inf_stochastic(gaps=[0.0, 1.0, 1.0], n_rounds=1000).bound
    assert game.paid.sum(axis=0).min() > bound


@pytest.mark.parametrize("gaps", [[0.2, 0.3], [0.0, 0.0, 0.1], [0.0]])
def test_the_stochastic_bound_needs_exactly_one_best_arm(gaps):
    with pytest.raises(ValueError, match="gaps"):
        bandits.tsallis_inf_stochastic(gaps=gaps, n_rounds=10)


def test_one_arm_is_no_bandit():
    with pytest.raises(ValueError, match="n_arms"):
        bandits.exp3(n_arms=1, n_rounds=10)
