"""Stochastic bandits: known values, four algorithms, and arms that do not keep their law."""

import itertools
import math

import numpy as np
import pytest

from reference import kl_ucb, thompson_sampling, ucb1
from surelearn.bounds import bandits_stochastic, sequences
from surelearn.evaluate.coverage import Coverage


def run(choose, means, *, n_rounds, n_runs, seed, draw=None):
    """Play many runs side by side for rewards; return totals and pulls, runs first."""
    rng = np.random.default_rng(seed)
    means = np.asarray(means)
    totals, pulls = np.zeros((2, n_runs, len(means)))
    rows = np.arange(n_runs)
    for t in range(1, n_rounds + 1):
        arms = choose(totals, pulls, t, rng)
        if draw is None:
            totals[rows, arms] += rng.random(n_runs) < means[arms]
        else:
            totals[rows, arms] += draw(rng, arms, pulls[rows, arms])
        pulls[rows, arms] += 1
    return totals, pulls


def three_logarithms(t):
    return 3 * math.log(t)


def time_uniform(t):
    return 1.5 * math.log(t) + 2 * math.log1p(math.log(t))


ALGORITHMS = {
    "ucb1": lambda totals, pulls, t, _: ucb1.choose(totals, pulls, t),
    "kl_ucb": lambda totals, pulls, t, _: kl_ucb.choose(totals, pulls, three_logarithms(t)),
    "thompson": lambda totals, pulls, _, rng: thompson_sampling.choose(totals, pulls, rng),
    "greedy": lambda totals, pulls, *_: np.argmax(
        np.where(pulls == 0, np.inf, totals / np.maximum(pulls, 1)), axis=1
    ),
}


def standard_errors_above(sample, bound):
    return (sample.mean() - bound) / max(sample.std(ddof=1) / math.sqrt(len(sample)), 1e-9)


def test_ucb1_has_its_catalogue_constant_a_third_of_the_textbooks():
    constant = bandits_stochastic.ucb1(gaps=[0.0, 1.0], n_rounds=3000).bound - 2.08
    assert constant == pytest.approx(21.5279864, abs=1e-6)
    for gap in (0.02, 0.1, 0.2, 0.5, 1.0):
        bound = bandits_stochastic.ucb1(gaps=[0.0, gap], n_rounds=3000).bound
        textbook = 8 * math.log(3000) / gap + (1 + math.pi**2 / 3) * gap
        assert bound < 0.36 * textbook


def test_ucb1_on_the_catalogues_two_arms():
    _, pulls = run(ALGORITHMS["ucb1"], [0.7, 0.5], n_rounds=2000, n_runs=40, seed=0)
    regrets = 0.2 * pulls[:, 1]
    assert regrets.mean() == pytest.approx(30.6, abs=6)
    assert (
        standard_errors_above(regrets, bandits_stochastic.ucb1(gaps=[0, 0.2], n_rounds=2000).bound)
        < 4
    )


PROBLEMS = [[0.9, 0.8, 0.8], [0.5, 0.2], [1.0, 0.7, 0.0], [0.3, 0.3, 0.1]]


@pytest.mark.parametrize("means", PROBLEMS, ids=str)
def test_ucb1_is_below_both_its_bounds(means):
    _, pulls = run(ALGORITHMS["ucb1"], means, n_rounds=1000, n_runs=100, seed=1)
    gaps = max(means) - np.array(means)
    for guarantee in (
        bandits_stochastic.ucb1(gaps=gaps, n_rounds=1000),
        bandits_stochastic.ucb1_gap_free(n_arms=len(means), n_rounds=1000),
    ):
        assert standard_errors_above(pulls @ gaps, guarantee.bound) < 4


@pytest.mark.parametrize("means", PROBLEMS, ids=str)
@pytest.mark.parametrize(
    ("name", "budget"), [("kl_ucb", three_logarithms), ("kl_ucb_time_uniform", time_uniform)]
)
def test_kl_ucb_is_below_its_bound(name, budget, means):
    def choose(totals, pulls, t, _):
        return kl_ucb.choose(totals, pulls, budget(t))

    _, pulls = run(choose, means, n_rounds=400, n_runs=60, seed=2)
    bound = getattr(bandits_stochastic, name)(means=means, n_rounds=400).bound
    assert standard_errors_above(pulls @ (max(means) - np.array(means)), bound) < 4


def test_the_rare_failures_of_kl_ucb_sum_to_the_constants_used():
    t = np.arange(3.0, 10**6)
    union = np.minimum(t - 1, np.sqrt(np.pi * (t - 0.5)))
    tail = math.sqrt(math.pi) * 10**-9 / 1.5
    assert np.sum(union * t**-3) + tail < 0.24
    second = union * t**-1.5 * (1 + np.log(t)) ** -2
    assert np.sum(second) + math.sqrt(math.pi) / (1 + math.log(10**6)) < 1.05


def test_the_search_between_the_means_finds_the_least_bound():
    means, n_rounds = (0.6, 0.45), 3000
    x = np.linspace(0.45, 0.6, 100_001)[1:-1]

    def divergence(p, q):
        return p * np.log(p / q) + (1 - p) * np.log((1 - p) / (1 - q))

    pulls = three_logarithms(n_rounds) / divergence(x, 0.6) + 1 / np.expm1(divergence(x, 0.45))
    bound = bandits_stochastic.kl_ucb(means=means, n_rounds=n_rounds).bound
    assert bound == pytest.approx(0.15 * (1.24 + pulls.min()), rel=1e-6)


def test_a_best_arm_that_always_pays_makes_the_pulls_of_others_bounded():
    for n_rounds in (10, 10**9):
        bound = bandits_stochastic.kl_ucb(means=[1.0, 0.5, 0.0], n_rounds=n_rounds).bound
        assert bound == pytest.approx(0.5 * (1.24 + 1.0) + 1.24)


def test_rare_huge_rewards_break_the_bounds_of_ucb1():
    def draw(rng, arms, _):
        return np.where(arms == 0, 200 * (rng.random(len(arms)) < 0.0025), 0.3)

    inputs = {"n_rounds": 4000, "n_runs": 60, "seed": 3, "draw": draw}
    _, pulls = run(ALGORITHMS["ucb1"], [0.5, 0.3], **inputs)
    for guarantee in (
        bandits_stochastic.ucb1(gaps=[0, 0.2], n_rounds=4000),
        bandits_stochastic.ucb1_gap_free(n_arms=2, n_rounds=4000),
    ):
        assert standard_errors_above(0.2 * pulls[:, 1], guarantee.bound) > 4


def test_an_arm_that_pays_only_after_many_pulls_breaks_every_bound():
    def draw(_, arms, pulls_before):
        return np.where(arms == 0, 1.0 * (pulls_before >= 300), 0.3)

    inputs = {"n_rounds": 3000, "n_runs": 2, "seed": 3, "draw": draw}
    means, gaps = [0.9, 0.3], [0.0, 0.6]
    _, pulls = run(ALGORITHMS["ucb1"], means, **inputs)
    assert not bandits_stochastic.ucb1(gaps=gaps, n_rounds=3000).allows(0.6 * pulls[0, 1])
    gap_free = bandits_stochastic.ucb1_gap_free(n_arms=2, n_rounds=3000)
    assert not gap_free.allows(0.6 * pulls[0, 1])
    _, pulls = run(ALGORITHMS["kl_ucb"], means, **inputs)
    for name in ("kl_ucb", "kl_ucb_time_uniform"):
        guarantee = getattr(bandits_stochastic, name)(means=means, n_rounds=3000)
        assert not guarantee.allows(0.6 * pulls[0, 1])


def certify(totals, pulls, delta, *, rewards=True):
    name = "stochastic_post_hoc_rewards" if rewards else "stochastic_post_hoc"
    bound = getattr(bandits_stochastic, name)
    return np.array(
        [bound(totals=s, pulls=n, delta=delta).bound for s, n in zip(totals, pulls, strict=True)]
    )


@pytest.mark.parametrize("name", ALGORITHMS)
def test_the_post_hoc_certificate_covers_every_algorithm(name):
    means = np.array([0.6, 0.5, 0.2])
    totals, pulls = run(ALGORITHMS[name], means, n_rounds=200, n_runs=200, seed=4)
    bounds = certify(totals, pulls, 0.2)
    assert not Coverage(pulls @ (0.6 - means), bounds, 0.2).refuted()
    np.testing.assert_allclose(certify(pulls - totals, pulls, 0.2, rewards=False), bounds)


def test_the_post_hoc_certificate_covers_losses_that_are_not_coins(repetitions):
    def draw(rng, arms, _):
        return rng.beta(np.array([3.0, 2.0])[arms], 2.0)

    means = np.array([0.6, 0.5])
    totals, pulls = run(
        ALGORITHMS["greedy"], means, n_rounds=60, n_runs=repetitions // 4, seed=5, draw=draw
    )
    bounds = certify(totals, pulls, 0.3)
    assert not Coverage(pulls @ (0.6 - means), bounds, 0.3).refuted()


def test_a_run_of_thompson_sampling_is_certified_below_the_theorem_of_ucb1():
    means = np.array([0.9, 0.5, 0.5, 0.5])
    totals, pulls = run(ALGORITHMS["thompson"], means, n_rounds=4000, n_runs=3, seed=6)
    certified = certify(totals, pulls, 0.05)
    assert np.all(certified < bandits_stochastic.ucb1_gap_free(n_arms=4, n_rounds=4000).bound)
    assert np.all(pulls @ (0.9 - means) < certified)


def test_the_certificate_is_the_formula_of_the_page():
    totals, pulls, delta = [20.0, 30.0, 0.0], [100, 60, 0], 0.05
    level = math.log(3 / delta)
    low, high = np.transpose(
        [
            sequences.kt_mixture_interval(total=s, n=n, log_level=level)
            for s, n in zip(totals, pulls, strict=True)
        ]
    )
    values = [
        sum(pulls[i] * max(high[i] - low[j], 0.0) for i in range(3) if i != j)
        for j in range(3)
        if low[j] <= high.min()
    ]
    guarantee = bandits_stochastic.stochastic_post_hoc(totals=totals, pulls=pulls, delta=delta)
    assert guarantee.bound == pytest.approx(max(values))


def test_the_interval_behind_it_has_its_catalogue_value():
    low, high = sequences.kt_mixture_interval(total=20, n=100, log_level=math.log(20))
    assert (low, high) == pytest.approx((0.0910, 0.3516), abs=5e-5)


def test_one_arm_has_no_regret_and_an_unplayed_arm_may_be_perfect():
    one = bandits_stochastic.stochastic_post_hoc(totals=[3.0], pulls=[10], delta=0.05)
    assert one.bound == 0.0
    new = bandits_stochastic.stochastic_post_hoc(totals=[50.0, 0.0], pulls=[100, 0], delta=0.05)
    assert 50 < new.bound < new.trivial


def test_arms_that_drift_break_the_post_hoc_certificate():
    early = (50, 50)  # pulls of the two arms while the second always lost
    late = 2000  # the second arm has become perfect, but nobody plays it any more
    totals, pulls = [0.5 * (early[0] + late), early[1]], [early[0] + late, early[1]]
    n_rounds = sum(pulls)
    regret = sum(totals) - min(0.5 * n_rounds, 100.0)
    guarantee = bandits_stochastic.stochastic_post_hoc(totals=totals, pulls=pulls, delta=0.05)
    assert not guarantee.allows(regret)


def test_the_mean_of_an_arm_sampled_adaptively_is_biased():
    means = []
    for first, second in itertools.product((0, 1), repeat=2):
        means.append(1.0 if first == 1 else second / 2)  # stop after a loss, else draw once more
    biased = np.mean(means)
    assert biased == pytest.approx(0.625)
    low, high = sequences.kt_mixture_interval(total=1, n=2, log_level=math.log(20))
    assert low <= 0.5 <= high


@pytest.mark.parametrize("gaps", [[0.1, 0.2], [0.0], [0.0, -0.1], [0.0, math.nan]])
def test_gaps_without_a_best_arm_are_refused(gaps):
    with pytest.raises(ValueError, match="gaps"):
        bandits_stochastic.ucb1(gaps=gaps, n_rounds=10)


@pytest.mark.parametrize(
    ("totals", "pulls", "name"),
    [
        ([5.0, 1.0], [4, 2], "totals"),
        ([1.0], [4, 2], "totals"),
        ([1.0, 1.0], [4.5, 2], "pulls"),
        ([1.0, 1.0], [-4, 2], "pulls"),
    ],
)
def test_impossible_totals_and_pulls_are_refused(totals, pulls, name):
    with pytest.raises(ValueError, match=name):
        bandits_stochastic.stochastic_post_hoc(totals=totals, pulls=pulls, delta=0.05)


def test_equal_arms_cost_nothing_and_nearly_equal_ones_are_not_an_error():
    assert bandits_stochastic.kl_ucb(means=[0.4, 0.4], n_rounds=100).bound == 0.0
    close = bandits_stochastic.kl_ucb(means=[0.4, math.nextafter(0.4, 1)], n_rounds=100)
    assert close.vacuous
