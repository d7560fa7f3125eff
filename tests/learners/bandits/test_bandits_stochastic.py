"""UCB1, KL-UCB and Thompson sampling against their plain selves, the catalogue, arms that drift."""

import math

import numpy as np
import pytest
from scipy import special

from reference import kl_ucb as plain_kl_ucb
from reference import thompson_sampling as plain_thompson_sampling
from reference import ucb1 as plain_ucb1
from reference.bandit_rounds import coins
from surelearn.evaluate.coverage import Coverage
from surelearn.learners.bandits.kl_ucb import KLUCB, _least_mean
from surelearn.learners.bandits.thompson_sampling import ThompsonSampling, _beliefs
from surelearn.learners.bandits.ucb1 import UCB1

every_bandit = pytest.mark.parametrize("make", [UCB1, KLUCB, ThompsonSampling])


def plain_arms(losses, choose):
    """Play the plain version, which knows rewards; return its arms."""
    gains, pulls, arms = np.zeros(losses.shape[1]), np.zeros(losses.shape[1]), []
    for t, row in enumerate(losses):
        arm = choose(gains, pulls, t + 1)
        gains[arm] += 1.0 - row[arm]
        pulls[arm] += 1
        arms.append(arm)
    return arms


def budget(t):
    return 1.5 * math.log(t) + 2 * math.log1p(math.log(t))


MEANS = [(0.3, 0.5), (0.1, 0.2, 0.4), (0.0, 0.5, 1.0, 0.7)]


@pytest.mark.parametrize("means", MEANS, ids=str)
@pytest.mark.parametrize("seed", range(3))
def test_ucb1_equals_the_plain_version(means, seed):
    losses = coins(means, 1000, seed)
    arms = plain_arms(losses, plain_ucb1.choose)
    np.testing.assert_array_equal(UCB1(n_arms=len(means)).play(losses), arms)


@pytest.mark.parametrize("means", MEANS, ids=str)
@pytest.mark.parametrize("seed", range(3))
def test_kl_ucb_equals_the_plain_version(means, seed):
    losses = coins(means, 400, seed)
    arms = plain_arms(losses, lambda gains, n, t: plain_kl_ucb.choose(gains, n, budget(t)))
    np.testing.assert_array_equal(KLUCB(n_arms=len(means)).play(losses), arms)


@pytest.mark.parametrize("means", MEANS, ids=str)
@pytest.mark.parametrize("seed", range(3))
def test_thompson_sampling_equals_the_plain_version(means, seed):
    losses, rng = coins(means, 400, seed), np.random.default_rng(seed)
    arms = plain_arms(losses, lambda gains, n, _: plain_thompson_sampling.choose(gains, n, rng))
    np.testing.assert_array_equal(ThompsonSampling(n_arms=len(means), seed=seed).play(losses), arms)


@pytest.mark.parametrize("mean", [1.0, 1 - 1e-9, 0.8, 0.5, 0.1, 0.01])
@pytest.mark.parametrize("level", [5.0, 0.3, 0.01, 1e-5])
def test_the_index_of_kl_ucb_solves_its_equation(mean, level):
    q = _least_mean(mean, level)
    assert 0 < q < mean
    divergence = special.rel_entr(mean, q) + special.rel_entr(1 - mean, 1 - q)
    assert divergence == pytest.approx(level, rel=1e-9)


def test_an_arm_without_loss_has_index_zero_however_often_it_was_played():
    assert _least_mean(0.0, 1e-9) == 0.0
    assert _least_mean(1e-4, 50.0) < 1e-250


@pytest.mark.parametrize("make", [UCB1, KLUCB])
def test_each_arm_comes_once_first_and_ties_go_to_the_first(make):
    bandit = make(n_arms=3)
    assert bandit.play(np.full((7, 3), 0.5)).tolist() == [0, 1, 2, 0, 1, 2, 0]
    assert bandit.probabilities.tolist() == [0.0, 1.0, 0.0]


def test_ucb1_has_its_catalogue_regret():
    games = [UCB1(n_arms=2) for _ in range(30)]
    for seed, bandit in enumerate(games):
        bandit.play(coins((0.3, 0.5), 2000, seed))
    regrets = [0.2 * bandit.pulls_[1] for bandit in games]
    assert np.mean(regrets) == pytest.approx(30.6, abs=5)
    assert games[0].guarantee(gaps=[0.0, 0.2], n_rounds=2000).allows(np.mean(regrets))
    assert games[0].certificates()[1].bound == pytest.approx(
        math.sqrt(2000 * (2 * math.log(2000) + math.sqrt(math.pi * math.log(2000)) + 2.58))
    )


def mean_regret(make, means, n_rounds, n_runs):
    """Return the mean pseudo-regret and its standard error."""
    gaps, regrets = np.array(means) - min(means), []
    for seed in range(n_runs):
        bandit = make(n_arms=len(means))
        bandit.play(coins(means, n_rounds, seed))
        regrets.append(float(bandit.pulls_ @ gaps))
    return np.mean(regrets), np.std(regrets, ddof=1) / math.sqrt(n_runs)


@pytest.mark.parametrize("means", MEANS, ids=str)
def test_mean_pseudo_regret_is_below_the_bound_and_kl_ucbs_within_a_factor(means):
    gaps = np.array(means) - min(means)
    mean, error = mean_regret(UCB1, means, 2000, 40)
    assert mean < UCB1(n_arms=2).guarantee(gaps=gaps, n_rounds=2000).bound + 4 * error
    mean, error = mean_regret(KLUCB, means, 2000, 40)
    bound = KLUCB(n_arms=2).guarantee(mean_losses=means, n_rounds=2000).bound
    assert bound / 10 < mean < bound + 4 * error


def test_kl_ucb_explores_less_than_ucb1_and_thompson_sampling_less_still():
    means = (0.05, 0.15, 0.15)
    ucb1, kl_ucb, thompson = (
        mean_regret(make, means, 1000, 10)[0] for make in (UCB1, KLUCB, ThompsonSampling)
    )
    assert thompson < kl_ucb < ucb1


@every_bandit
def test_the_certificate_covers_the_pseudo_regret_and_exceeds_the_regret_seen(make):
    means, truths, bounds = np.array([0.3, 0.4, 0.7]), [], []
    for seed in range(60):
        bandit = make(n_arms=3)
        bandit.play(coins(means, 150, seed))
        certificate = bandit.certificates(delta=0.2)[0]
        assert certificate.observed <= certificate.bound
        truths.append(bandit.pulls_ @ (means - 0.3))
        bounds.append(certificate.bound)
    assert not Coverage(np.array(truths), np.array(bounds), 0.2).refuted()


@every_bandit
def test_losses_between_zero_and_one_are_covered_too(make):
    rng, means = np.random.default_rng(0), np.array([0.25, 0.5])
    truths, bounds = [], []
    for _ in range(40):
        bandit = make(n_arms=2)
        bandit.play(rng.beta(2.0, [6.0, 2.0], size=(150, 2)))
        truths.append(bandit.pulls_ @ (means - 0.25))
        bounds.append(bandit.certificates(delta=0.2)[0].bound)
    assert not Coverage(np.array(truths), np.array(bounds), 0.2).refuted()
    assert np.mean(bounds) < 150 / 4


@every_bandit
def test_an_arm_that_loses_only_when_it_is_played_breaks_the_certificate(make):
    bandit, second = make(n_arms=2), 0.0
    for _ in range(300):
        arm = bandit.select()
        bandit.update(arm, 1.0 if arm == 1 else 0.5)
        second += arm == 1
    certificate = bandit.certificates()[0]
    assert certificate.preconditions[0].status == "assumed"
    assert bandit.cumulative_loss_ - second > certificate.bound


def test_the_probabilities_of_thompson_sampling_are_the_frequencies_of_its_arms():
    for n_rounds in (0, 10, 1000):
        bandit = ThompsonSampling(n_arms=4)
        bandit.play(coins((0.3, 0.35, 0.4, 0.9), n_rounds, 1))
        draws = np.random.default_rng(0).beta(*_beliefs(bandit.state_.counts), size=(100_000, 4))
        seen = np.bincount(draws.argmax(axis=1), minlength=4) / 100_000
        np.testing.assert_allclose(bandit.probabilities, seen, atol=0.006)


def test_the_probabilities_of_thompson_sampling_are_exact_where_they_are_known():
    bandit = ThompsonSampling(n_arms=2)
    assert bandit.probabilities == pytest.approx([0.5, 0.5])
    counts = vars(bandit)["state_"].counts  # what `state_` hands out cannot be written to
    counts.pulls[:], counts.arm_losses[:] = (1, 0), (0.0, 0.0)
    against_a_uniform = [2 / 3, 1 / 3]  # E of a Beta(2, 1)
    assert bandit.probabilities == pytest.approx(against_a_uniform, abs=1e-5)
    counts.pulls[:], counts.arm_losses[:] = (10**6, 10**6), (1e5, 9e5)
    assert bandit.probabilities == pytest.approx([1.0, 0.0], abs=1e-5)
