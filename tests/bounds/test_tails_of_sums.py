"""Tails of sums, means and votes: known values, exact laws below them, misprints that fail."""

import itertools
import math

import numpy as np
import pytest
from scipy import special, stats

from surelearn.bounds import tails_of_sums


@pytest.mark.parametrize(
    ("name", "inputs", "expected"),
    [
        ("chernoff_lower_tail", {"expected_total": 30.0, "total": 20.0}, 0.1888756028),
        ("hoeffding_tail", {"n": 100, "deviation": 0.1}, 0.1353352832),
        ("hoeffding_tail", {"n": 100, "deviation": 0.25}, 3.7267e-6),
        ("kl_tail", {"n": 100, "mean": 0.3, "threshold": 0.4}, 0.1045340829),
        ("azuma", {"widths": [2.0] * 100, "deviation": 30.0}, math.exp(-4.5)),
        ("mcdiarmid", {"differences": [0.01] * 100, "deviation": 0.1}, math.exp(-2.0)),
        ("majority_vote_exact", {"n_voters": 21, "voter_accuracy": 0.7}, 0.0263899407),
        ("majority_vote_chernoff", {"n_voters": 21, "voter_accuracy": 0.7}, 0.4717243),
        ("majority_vote_hoeffding", {"n_voters": 21, "voter_accuracy": 0.7}, 0.1219908),
        ("majority_vote_kl", {"n_voters": 21, "voter_accuracy": 0.7}, 0.1024707),
        ("majority_vote_exact", {"n_voters": 101, "voter_accuracy": 0.6}, 0.0208966910),
        ("majority_vote_chernoff", {"n_voters": 101, "voter_accuracy": 0.6}, 0.3957143),
        ("majority_vote_hoeffding", {"n_voters": 101, "voter_accuracy": 0.6}, 0.1080728),
        ("majority_vote_kl", {"n_voters": 101, "voter_accuracy": 0.6}, 0.1033955),
        ("majority_vote_exact", {"n_voters": 3, "voter_accuracy": 0.6}, 0.352),
    ],
)
def test_catalogue_values(name, inputs, expected):
    assert getattr(tails_of_sums, name)(**inputs).bound == pytest.approx(expected, rel=2e-5)


def test_the_exact_tails_of_the_catalogue_lie_below_their_bounds():
    below, above = float(special.bdtr(20, 100, 0.3)), float(special.bdtrc(39, 100, 0.3))
    assert (below, above) == pytest.approx((0.0164628532, 0.0209885760), abs=1e-10)
    assert tails_of_sums.chernoff_lower_tail(expected_total=30.0, total=20.0).allows(below)
    assert tails_of_sums.hoeffding_tail(n=100, deviation=0.1).allows(above)
    assert tails_of_sums.kl_tail(n=100, mean=0.3, threshold=0.4).allows(above)
    coins = float(special.bdtrc(74, 100, 0.5))
    assert coins == pytest.approx(2.8181e-7, rel=1e-4)
    assert tails_of_sums.hoeffding_tail(n=100, deviation=0.25).allows(coins)


@pytest.mark.parametrize(("T", "edge", "printed"), [(10, 0.2, 0.7261490), (50, 0.1, 0.6703200)])
def test_the_relaxation_printed_for_votes_is_valid_and_looser_than_chernoff(T, edge, printed):
    assert math.exp(-0.8 * edge**2 * T) == pytest.approx(printed, abs=1e-7)
    for voters in (T, 1, 2, 399):
        chernoff = tails_of_sums.majority_vote_chernoff(
            n_voters=2 * voters + 1, voter_accuracy=0.5 + edge
        )
        assert chernoff.bound < math.exp(-0.8 * edge**2 * voters)


def test_hoeffding_plans_the_size_its_inequality_asks_for():
    n = tails_of_sums.plan_hoeffding(accuracy=0.1, delta=0.05, low=-1.0, high=1.0)
    assert n == math.ceil(4 * math.log(20) / 0.02)
    inside = tails_of_sums.hoeffding_tail(n=n, deviation=0.1, low=-1.0, high=1.0)
    outside = tails_of_sums.hoeffding_tail(n=n - 1, deviation=0.1, low=-1.0, high=1.0)
    assert inside.bound <= 0.05 < outside.bound
    assert tails_of_sums.plan_hoeffding(accuracy=0.1, delta=0.05, low=1.0, high=1.0) == 1


@pytest.mark.parametrize("n", [1, 7, 40, 300])
@pytest.mark.parametrize("p", [0.03, 0.3, 0.5, 0.9])
def test_binomial_tails_stay_below_every_bound(n, p):
    mean = n * p
    for k in range(n + 1):
        above, below = float(special.bdtrc(k - 1, n, p)) if k else 1.0, float(special.bdtr(k, n, p))
        truth = above if k >= mean else below
        assert tails_of_sums.kl_tail(n=n, mean=p, threshold=k / n).allows(truth)
        assert tails_of_sums.bentkus_tail(n=n, mean=p, total=k).allows(truth)
        assert tails_of_sums.hoeffding_tail(n=n, deviation=abs(k - mean) / n).allows(truth)
        tail = "chernoff_upper_tail" if k >= mean else "chernoff_lower_tail"
        assert getattr(tails_of_sums, tail)(expected_total=mean, total=k).allows(truth)


def test_the_bounds_keep_their_order_of_sharpness():
    inputs = {"n": 100, "mean": 0.3}
    kl = tails_of_sums.kl_tail(**inputs, threshold=0.2).bound
    assert kl <= tails_of_sums.hoeffding_tail(n=100, deviation=0.1).bound
    assert kl <= tails_of_sums.chernoff_lower_tail(expected_total=30.0, total=20.0).bound
    assert tails_of_sums.bentkus_tail(**inputs, total=20).bound < kl


@pytest.mark.parametrize("seed", range(40))
def test_sums_of_three_point_variables_stay_below_bentkus_and_kl(seed):
    rng = np.random.default_rng(seed)
    points, weights, n = (
        np.array([0, *np.sort(rng.integers(1, 21, 2))]),
        rng.dirichlet([1, 1, 1]),
        8,
    )
    one = np.bincount(points, weights, minlength=21)  # a law on multiples of 1/20
    law = np.array([1.0])
    for _ in range(n):
        law = np.convolve(law, one)
    mean, below = float(points @ weights) / 20, np.cumsum(law)
    for s in range(0, len(law), 3):
        if s / 20 < n * mean:
            truth = float(below[s]) * (1 - 1e-9)
            assert tails_of_sums.bentkus_tail(n=n, mean=mean, total=s / 20).allows(truth)
            assert tails_of_sums.kl_tail(n=n, mean=mean, threshold=s / 20 / n).allows(truth)


def test_a_simple_walk_stays_below_azuma_and_attains_it_in_one_step():
    for deviation in range(0, 101, 2):
        truth = float(special.bdtrc((100 + deviation) // 2 - 1, 100, 0.5))
        assert tails_of_sums.azuma(widths=[2.0] * 100, deviation=deviation).allows(truth)
    exact = float(special.bdtrc(64, 100, 0.5))
    assert exact == pytest.approx(0.00176, abs=5e-6)


def test_a_martingale_that_stakes_more_after_losses_stays_below_azuma():
    for deviation in np.linspace(0.1, 7.0, 20):
        truth, widths = 0.0, [2.0, 4.0, 8.0]
        for signs in itertools.product([-1, 1], repeat=3):
            stakes = [1.0, 2.0 if signs[0] < 0 else 1.0, 4.0 if signs[:2] == (-1, -1) else 1.0]
            truth += 0.125 * (float(np.dot(stakes, signs)) >= deviation)
        assert tails_of_sums.azuma(widths=widths, deviation=deviation).allows(truth)


def test_a_first_step_with_a_mean_breaks_azuma_as_the_source_states_it():
    # The source forgets E[V_1] = 0: one constant step of 1 has width 0.
    assert not tails_of_sums.azuma(widths=[0.0], deviation=1.0).allows(1.0)


def test_empty_cells_stay_below_mcdiarmid_and_balls_thrown_together_do_not():
    rng = np.random.default_rng(1)
    # The number of empty cells among 20 moves by at most 1 with each of 50 balls.
    cells = np.array([20 - len(np.unique(row)) for row in rng.integers(0, 20, (4000, 50))])
    for deviation in (1, 3, 5):
        truth = float(np.mean(cells - 20 * 0.95**50 >= deviation))
        assert tails_of_sums.mcdiarmid(differences=[1.0] * 50, deviation=deviation).allows(truth)
    # Half of the time all balls go to one cell, otherwise each to its own: 9.5 above the mean.
    together = tails_of_sums.mcdiarmid(differences=[1.0] * 20, deviation=9.5)
    assert not together.allows(0.5)


def test_dependent_summands_break_the_bounds_for_independent_ones():
    # All hundred summands equal one fair coin.
    assert not tails_of_sums.hoeffding_tail(n=100, deviation=0.5).allows(0.5)
    assert not tails_of_sums.kl_tail(n=100, mean=0.5, threshold=1.0).allows(0.5)
    assert not tails_of_sums.bentkus_tail(n=100, mean=0.5, total=100).allows(0.5)
    assert not tails_of_sums.chernoff_lower_tail(expected_total=50.0, total=0.0).allows(0.5)
    assert not tails_of_sums.chernoff_upper_tail(expected_total=50.0, total=100.0).allows(0.5)


def test_a_constant_never_deviates():
    assert tails_of_sums.hoeffding_tail(n=9, deviation=0.1, low=2.0, high=2.0).bound == 0.0
    assert tails_of_sums.hoeffding_tail(n=9, deviation=0.0, low=2.0, high=2.0).bound == 1.0
    assert tails_of_sums.mcdiarmid(differences=[0.0], deviation=0.5).bound == 0.0


@pytest.mark.parametrize("gamma", [0.05, 0.1, 0.3, 0.5])
@pytest.mark.parametrize("half", [0, 1, 2, 10, 50, 399])
def test_the_vote_is_wrong_less_often_than_any_bound_says(gamma, half):
    voters = {"n_voters": 2 * half + 1, "voter_accuracy": 0.5 + gamma}
    exact = tails_of_sums.majority_vote_exact(**voters).bound
    kl = tails_of_sums.majority_vote_kl(**voters).bound
    assert exact <= kl * (1 + 1e-9)
    assert kl <= tails_of_sums.majority_vote_hoeffding(**voters).bound * (1 + 1e-9)
    assert kl <= tails_of_sums.majority_vote_chernoff(**voters).bound * (1 + 1e-9)
    if half > 0:  # the relaxation printed in the source
        chernoff = tails_of_sums.majority_vote_chernoff(**voters).bound
        assert chernoff <= math.exp(-4 * gamma**2 * half / 5) * (1 + 1e-9)


def test_the_sum_printed_from_one_forgets_the_vote_of_nobody():
    exact = tails_of_sums.majority_vote_exact(n_voters=3, voter_accuracy=0.6).bound
    printed = sum(math.comb(3, i) * 0.6**i * 0.4 ** (3 - i) for i in range(1, 2))
    assert printed == pytest.approx(0.288)
    assert exact == pytest.approx(printed + 0.4**3)


def test_voters_who_copy_each_other_break_the_vote():
    rng = np.random.default_rng(2)
    leader = rng.random(4000) < 0.7
    copies = np.where(rng.random((4000, 21)) < 0.9, leader[:, None], rng.random((4000, 21)) < 0.7)
    wrong = float(np.mean(copies.sum(axis=1) <= 10))
    for name in ("majority_vote_exact", "majority_vote_hoeffding", "majority_vote_kl"):
        assert not getattr(tails_of_sums, name)(n_voters=21, voter_accuracy=0.7).allows(wrong)


def test_sure_voters_and_huge_juries_are_handled():
    assert tails_of_sums.majority_vote_exact(n_voters=5, voter_accuracy=1.0).bound == 0.0
    assert tails_of_sums.majority_vote_exact(n_voters=5, voter_accuracy=0.0).bound == 1.0
    assert tails_of_sums.majority_vote_kl(n_voters=5, voter_accuracy=1.0).bound == 0.0
    assert tails_of_sums.majority_vote_exact(n_voters=10**7 + 1, voter_accuracy=0.6).bound > 0.0


@pytest.mark.parametrize(
    ("name", "inputs", "culprit"),
    [
        ("majority_vote_exact", {"n_voters": 4, "voter_accuracy": 0.7}, "n_voters"),
        ("majority_vote_kl", {"n_voters": 5, "voter_accuracy": 0.5}, "voter_accuracy"),
        ("chernoff_lower_tail", {"expected_total": 3.0, "total": 4.0}, "total"),
        ("chernoff_upper_tail", {"expected_total": 3.0, "total": 2.0}, "total"),
        ("bentkus_tail", {"n": 5, "mean": 0.5, "total": 6}, "total"),
        ("hoeffding_tail", {"n": 5, "deviation": -0.1}, "deviation"),
        ("azuma", {"widths": [-1.0], "deviation": 0.1}, "widths"),
    ],
)
def test_arguments_outside_their_domain_are_named(name, inputs, culprit):
    with pytest.raises(ValueError, match=culprit):
        getattr(tails_of_sums, name)(**inputs)


@pytest.mark.parametrize("mean", [0.02, 0.5])
def test_bernstein_is_above_the_exact_tail_of_bits_and_below_hoeffding_for_rare_ones(mean):
    n = 200
    for k in range(int(n * mean) + 1, int(n * mean) + 40):
        deviation = k / n - mean
        said = tails_of_sums.bernstein_tail(
            n=n, variance=mean * (1 - mean), largest=1 - mean, deviation=deviation
        )
        assert said.allows(stats.binom.sf(k - 1, n, mean))
        if mean < 0.1:
            assert said.bound < tails_of_sums.hoeffding_tail(n=n, deviation=deviation).bound


def test_a_variance_that_is_too_small_breaks_bernstein():
    exact = stats.binom.sf(9, 200, 0.02)
    said = tails_of_sums.bernstein_tail(n=200, variance=1e-4, largest=0.01, deviation=0.03)
    assert not said.allows(exact)


def test_constants_deviate_by_nothing():
    assert tails_of_sums.bernstein_tail(n=5, variance=0, largest=0, deviation=0.1).bound == 0.0
    assert tails_of_sums.bernstein_tail(n=5, variance=0, largest=0, deviation=0.0).bound == 1.0
