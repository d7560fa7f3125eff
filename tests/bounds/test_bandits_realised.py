"""What a bandit run proves of itself: values, coverage at every T, and false records."""

import math

import numpy as np
import pytest

from reference import exp3, exp3_ix, tsallis_inf
from reference.bandit_game import ADVERSARIES, coins, play
from surelearn.bounds import bandits, bandits_realised
from surelearn.evaluate.coverage import Coverage

every_adversary = pytest.mark.parametrize("adversary", ADVERSARIES.values(), ids=ADVERSARIES)


def play_exp3_ix(adversary, n_runs, n_rounds=150, n_arms=3, seed=0):
    """EXP3-IX tuned to its horizon; return the game and the exploration used."""
    rate = math.sqrt(2 * math.log(n_arms) / (n_arms * n_rounds))
    game = play(
        lambda estimates, _: exp3_ix.probabilities(estimates, rate),
        lambda losses, played, chances, _: exp3_ix.estimate(losses, played, chances, rate / 2),
        adversary,
        n_rounds=n_rounds,
        n_runs=n_runs,
        n_arms=n_arms,
        seed=seed,
    )
    return game, rate / 2


def play_fixed_rule(adversary, n_runs, chances=(0.1, 0.9), n_rounds=300, seed=0):
    """Draw arms with constant chances; the exploration of the estimates is 0.05."""
    return play(
        lambda estimates, _: np.tile(chances, (len(estimates), 1)),
        lambda losses, played, chances, _: exp3_ix.estimate(losses, played, chances, 0.05),
        adversary,
        n_rounds=n_rounds,
        n_runs=n_runs,
        n_arms=2,
        seed=seed,
    )


def mixture_inputs(game, run, exploration, arrived=slice(None)):
    """Return the inputs of the mixture certificate of one run, from its rounds that arrived."""
    arms = game.arms[arrived, run]
    played = np.arange(len(arms)), arms
    paid = game.losses[arrived, run][played]
    rates = bandits_realised.exploration_grid(exploration=exploration)
    table = bandits_realised.log_wealth_table(
        arms=arms,
        losses=paid,
        probabilities=game.chances[arrived, run][played],
        n_arms=game.losses.shape[2],
        rates=rates,
    )
    return {
        "algorithm_loss": paid.sum(),
        "log_wealths": table,
        "rates": rates,
        "n_rounds": len(game.losses),
    }


def mixture_bounds(game, exploration, delta):
    certify = bandits_realised.exp3_ix_realised_mixture
    runs = range(game.arms.shape[1])
    return np.array(
        [certify(**mixture_inputs(game, run, exploration), delta=delta).bound for run in runs]
    )


def slack_at_every_round(game, exploration, delta):
    """Return the least of certificate - regret over all rounds, for the plain certificate."""
    paid = np.cumsum(game.paid, axis=0)
    regret = paid - np.cumsum(game.losses, axis=0).min(axis=2)
    zero = bandits_realised.exp3_ix_realised(
        algorithm_loss=0,
        estimated_losses=np.zeros(game.losses.shape[2]),
        exploration=exploration,
        delta=delta,
    )
    certificate = paid - np.cumsum(game.estimates, axis=0).min(axis=2) + zero.bound
    return np.min(certificate - regret, axis=0)


@every_adversary
def test_the_plain_certificate_holds_at_every_round(adversary, repetitions):
    game, exploration = play_exp3_ix(adversary, repetitions, seed=1)
    slack = slack_at_every_round(game, exploration, 0.3)
    assert not Coverage(np.zeros(repetitions), slack, 0.3).refuted()


def test_the_plain_certificate_holds_for_any_sampling_rule_and_is_not_idle(repetitions):
    game = play_fixed_rule(coins(0.5, 1.0), repetitions, seed=2)
    slack = slack_at_every_round(game, 0.05, 0.5)
    coverage = Coverage(np.zeros(repetitions), slack, 0.5)
    assert not coverage.refuted()
    assert coverage.miss_rate > 0.02


@every_adversary
def test_the_mixture_certificate_holds_and_is_smaller(adversary):
    game, exploration = play_exp3_ix(adversary, 60, n_rounds=300, seed=3)
    bounds = mixture_bounds(game, exploration, 0.2)
    assert not Coverage(game.regrets.max(axis=1), bounds, 0.2).refuted()
    plain = [
        bandits_realised.exp3_ix_realised(
            algorithm_loss=paid, estimated_losses=estimates, exploration=exploration, delta=0.2
        ).bound
        for paid, estimates in zip(game.paid.sum(axis=0), game.estimates.sum(axis=0), strict=True)
    ]
    assert np.mean(bounds) < 0.8 * np.mean(plain)


def test_the_mixture_certificate_holds_for_any_sampling_rule(repetitions):
    game = play_fixed_rule(coins(0.5, 1.0), repetitions, n_rounds=60, seed=4)
    bounds = mixture_bounds(game, 0.05, 0.5)
    assert not Coverage(game.regrets.max(axis=1), bounds, 0.5).refuted()


def test_a_realised_certificate_is_far_below_the_bound_before_the_run():
    game, exploration = play_exp3_ix(coins(0.2, 0.6, 0.6, 0.6, 0.6), 1, 2000, 5, seed=5)
    regret, mixture = game.regrets.max(), mixture_bounds(game, exploration, 0.05)[0]
    ahead = bandits.exp3_ix(n_arms=5, n_rounds=2000, delta=0.05).bound
    assert regret < mixture < ahead / 2


def test_the_table_is_the_plain_sum_and_blocks_add():
    rng = np.random.default_rng(6)
    arms, losses = rng.integers(3, size=50), rng.random(50)
    probabilities, rates = rng.uniform(0.01, 1, 50), [0.1, 1.0, 7.0]

    def table(block):
        return bandits_realised.log_wealth_table(
            arms=arms[block],
            losses=losses[block],
            probabilities=probabilities[block],
            n_arms=3,
            rates=rates,
        )

    whole = table(slice(None))
    plain = np.zeros((3, 3))
    for arm, loss, probability in zip(arms, losses, probabilities, strict=True):
        plain[:, arm] += np.log(1 + np.array(rates) * loss / probability)
    np.testing.assert_allclose(whole, plain)
    np.testing.assert_allclose(table(slice(20)) + table(slice(20, 50)), whole)


def test_the_root_of_the_mixture_is_found_from_below():
    table, rates, n_rounds = np.array([[3.0, 9.0], [5.0, 16.0]]), np.array([0.2, 0.4]), 80
    inputs = {"algorithm_loss": 70, "log_wealths": table, "rates": rates, "n_rounds": n_rounds}
    bound = bandits_realised.exp3_ix_realised_mixture(**inputs, delta=0.3).bound
    m = np.linspace(0, n_rounds, 800_001)
    roots = []
    for arm in (0, 1):
        wealth = table[:, arm, None] - n_rounds * np.log1p(rates[:, None] * m / n_rounds)
        roots.append(m[np.argmax(np.log(np.exp(wealth).mean(axis=0)) <= math.log(2 / 0.3))])
    assert 70 - min(roots) <= bound <= 70 - min(roots) + 2e-4


def test_extreme_probabilities_give_finite_certificates():
    table = bandits_realised.log_wealth_table(
        arms=[0, 1], losses=[1.0, 0.0], probabilities=[5e-324, 1.0], n_arms=2, rates=[1e10]
    )
    assert np.isfinite(table).all()
    guarantee = bandits_realised.exp3_ix_realised_mixture(
        algorithm_loss=1, log_wealths=table, rates=[1e10], n_rounds=2, delta=0.05
    )
    assert guarantee.bound == pytest.approx(1.0)


def test_rounds_still_out_count_as_paid_in_full_and_keep_the_horizon():
    game, exploration = play_exp3_ix(ADVERSARIES["sides"], 1, seed=7)
    arrived = np.arange(150) % 7 > 0
    inputs = mixture_inputs(game, 0, exploration, arrived)
    n_out = int(np.sum(~arrived))
    certify = bandits_realised.exp3_ix_realised_mixture
    with_all_in = certify(**inputs, delta=0.1).bound
    assert certify(**inputs, delta=0.1, n_outstanding=n_out).bound == pytest.approx(
        with_all_in + n_out
    )
    plain = bandits_realised.exp3_ix_realised(
        algorithm_loss=5, estimated_losses=[1, 2], exploration=0.1, delta=0.1, n_outstanding=3
    )
    other = bandits_realised.exp3_ix_realised(
        algorithm_loss=8, estimated_losses=[1, 2], exploration=0.1, delta=0.1
    )
    assert plain.bound == other.bound


def test_delays_that_depend_on_arm_and_loss_do_no_harm():
    game = play_fixed_rule(coins(0.5, 0.9), 200, chances=(0.3, 0.7), seed=8)
    bounds = []
    for run in range(200):
        out = (game.arms[:, run] == 0) & (game.paid[:, run] == 0.0)  # good news never arrives
        inputs = mixture_inputs(game, run, 0.05, ~out)
        certify = bandits_realised.exp3_ix_realised_mixture
        bounds.append(certify(**inputs, delta=0.2, n_outstanding=int(out.sum())).bound)
    assert not Coverage(game.regrets.max(axis=1), np.array(bounds), 0.2).refuted()


def test_probabilities_recorded_too_small_break_both_certificates():
    game = play_fixed_rule(coins(0.5, 1.0), 100, seed=9)
    game.chances *= 0.5
    estimates = game.estimates * (game.chances * 2 + 0.05) / (game.chances + 0.05)
    truths, paid = game.regrets.max(axis=1), game.paid.sum(axis=0)
    assert Coverage(truths, mixture_bounds(game, 0.05, 0.05), 0.05).refuted()
    plain = [
        bandits_realised.exp3_ix_realised(
            algorithm_loss=p, estimated_losses=e, exploration=0.05, delta=0.05
        ).bound
        for p, e in zip(paid, estimates.sum(axis=0), strict=True)
    ]
    assert Coverage(truths, np.array(plain), 0.05).refuted()


def test_a_loss_chosen_after_the_arm_breaks_both_certificates():
    game, exploration = play_exp3_ix(lambda *_: 1.0, 50, n_rounds=600, seed=10)
    game.losses[:] = np.arange(3) == game.arms[:, :, None]
    truths = game.regrets.max(axis=1)
    assert Coverage(truths, mixture_bounds(game, exploration, 0.05), 0.05).refuted()
    assert Coverage(np.zeros(50), slack_at_every_round(game, exploration, 0.05), 0.05).refuted()


def estimated_regret(probabilities, estimates):
    """Return sum <p_t, est_t> - min_i sum est_{t,i} and the distributions p_t."""
    before = np.cumsum(estimates, axis=0) - estimates
    chances = np.array([probabilities(total, t + 1) for t, total in enumerate(before)])
    return np.sum(chances * estimates) - estimates.sum(axis=0).min(), chances


def exp3_pathwise(estimates, rate):
    regret, chances = estimated_regret(lambda e, _: exp3.probabilities(e, rate), estimates)
    moment = max(0.0, float(np.sum(chances * estimates**2)))
    inputs = {"n_arms": estimates.shape[1], "learning_rate": rate, "second_moment": moment}
    return regret, bandits_realised.exp3_pathwise(**inputs)


def tsallis_pathwise(estimates, rate=lambda t: t**-0.5):
    regret, w = estimated_regret(lambda e, t: tsallis_inf.probabilities(e, rate(t)), estimates)
    rates = np.array([[rate(t)] for t in range(1, len(w) + 1)])
    terms = rates * w**1.5 * estimates**2 / (1 + rates * np.sqrt(w) * estimates)
    inputs = {"n_arms": w.shape[1], "n_rounds": len(w), "stability": float(terms.sum())}
    return regret, bandits_realised.tsallis_inf_pathwise(**inputs)


@pytest.mark.parametrize("seed", range(30))
def test_the_pathwise_bounds_hold_for_any_estimates_that_are_not_negative(seed):
    rng = np.random.default_rng(seed)
    shape = (int(rng.integers(1, 60)), int(rng.integers(2, 6)))
    estimates = rng.exponential(rng.choice([0.1, 1.0, 20.0]), shape) * (rng.random(shape) < 0.4)
    for regret, guarantee in (exp3_pathwise(estimates, 0.3), tsallis_pathwise(estimates)):
        assert regret <= guarantee.bound * (1 + 1e-9) + 1e-9


def test_the_pathwise_bound_of_tsallis_inf_is_nearly_attained():
    regret, guarantee = tsallis_pathwise(np.array([[1e6, 0.0]]))
    assert 0.9 * guarantee.bound < regret <= guarantee.bound


def test_negative_estimates_break_the_pathwise_bound_of_exp3():
    regret, guarantee = exp3_pathwise(np.array([[10.0, 0.0], [-1000.0, 0.0]]), 1.0)
    assert not guarantee.allows(regret)


def test_another_rate_breaks_the_pathwise_bound_of_tsallis_inf():
    regret, guarantee = tsallis_pathwise(np.tile([1.0, 0.0], (100, 1)), lambda _: 0.001)
    assert not guarantee.allows(regret)


@pytest.mark.parametrize(
    ("change", "name"),
    [
        ({"log_wealths": [[1.0, 2.0]]}, "log_wealths"),
        ({"log_wealths": [[1.0], [2.0]]}, "log_wealths"),
        ({"log_wealths": [[1.0, -2.0], [1.0, 1.0]]}, "log_wealths"),
        ({"rates": [0.5, 0.0]}, "rates"),
    ],
)
def test_tables_that_do_not_fit_are_refused(change, name):
    inputs = {
        "algorithm_loss": 3,
        "log_wealths": [[1.0, 2.0], [2.0, 3.0]],
        "rates": [0.5, 1.0],
        "n_rounds": 9,
        "delta": 0.1,
    }
    with pytest.raises(ValueError, match=name):
        bandits_realised.exp3_ix_realised_mixture(**{**inputs, **change})


@pytest.mark.parametrize(
    ("change", "name"),
    [
        ({"losses": [1.5, 0.0]}, "losses"),
        ({"probabilities": [0.0, 0.5]}, "probabilities"),
        ({"arms": [0, 2]}, "arms"),
        ({"arms": [0]}, "arms"),
        ({"arms": [0, 0.5]}, "arms"),
    ],
)
def test_impossible_records_are_refused(change, name):
    record = {"arms": [0, 1], "losses": [1.0, 0.0], "probabilities": [0.5, 0.5]}
    with pytest.raises(ValueError, match=name):
        bandits_realised.log_wealth_table(**{**record, **change}, n_arms=2, rates=[1.0])
