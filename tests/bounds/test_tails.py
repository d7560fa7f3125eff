"""Tails of one variable: known values, laws that attain them, misprints that fail."""

import itertools
import math

import numpy as np
import pytest
from scipy import special

from surelearn.bounds import tails


@pytest.mark.parametrize(
    ("name", "inputs", "expected"),
    [
        ("markov", {"mean": 1.0, "threshold": 3.0}, 1 / 3),
        ("markov", {"mean": 50.0, "threshold": 75.0}, 2 / 3),
        ("chebyshev", {"variance": 1.0, "deviation": 2.0}, 0.25),
        ("chebyshev", {"variance": 25.0, "deviation": 25.0}, 0.04),
        ("cantelli", {"variance": 1.0, "deviation": 2.0}, 0.2),
        ("reverse_markov", {"mean": 0.5, "gap": 0.75}, 1 / 3),
        ("gaussian_tail", {"scale": 1.0, "deviation": 2.0}, 0.1353352832),
        (
            "chernoff",
            {"rate": 2 / 3, "log_moment": math.log(3.0) - 2 / 3, "deviation": 2.0},
            0.4060058497,
        ),
        ("union", {"probabilities": [0.1, 0.1]}, 0.2),
        ("unseen_mass", {"mass": 0.01, "n": 100}, 0.3660323413),
        ("kearns_saul", {"rate": 1.0, "mean": 0.1}, 0.0910239),
        ("khintchine", {"second_moment": 2.0}, 1.0),
        ("rademacher_mgf", {"rate": 2.0}, 2.0),
        ("hoeffding_lemma", {"rate": 2.0, "low": -1.0, "high": 1.0}, 2.0),
    ],
)
def test_catalogue_values(name, inputs, expected):
    assert getattr(tails, name)(**inputs).bound == pytest.approx(expected, abs=1e-7)


def test_exponential_variables_stay_below_their_bounds():
    for t in np.linspace(0.1, 20, 60):
        truth, two_sided = math.exp(-t), math.exp(-1 - t) + max(0.0, -math.expm1(-(1 - t)))
        assert tails.markov(mean=1.0, threshold=t).allows(truth)
        assert tails.chebyshev(variance=1.0, deviation=t).allows(two_sided)
        assert tails.cantelli(variance=1.0, deviation=t).allows(math.exp(-1 - t))


def test_the_exact_tails_of_the_catalogue_lie_below_their_bounds():
    exponential = math.exp(-3.0)  # P(Z >= 3), and P(|Z - 1| >= 2): below 1 there is no room for 2
    assert exponential == pytest.approx(0.0497870684, abs=1e-10)
    assert tails.markov(mean=1.0, threshold=3.0).allows(exponential)
    assert tails.chebyshev(variance=1.0, deviation=2.0).allows(exponential)
    normal = float(special.ndtr(-2.0))
    assert normal == pytest.approx(0.0227501319, abs=1e-10)
    assert tails.gaussian_tail(scale=1.0, deviation=2.0).allows(normal)
    sign, limit = math.cosh(1.0), math.exp(tails.rademacher_mgf(rate=1.0).bound)
    assert (sign, limit) == pytest.approx((1.5430806, 1.6487213), abs=5e-8)


def test_two_point_laws_attain_markov_chebyshev_and_cantelli():
    p, t = 0.2, 3.0
    assert tails.markov(mean=p * t, threshold=t).bound == pytest.approx(p)
    assert tails.chebyshev(variance=2 * p * t**2, deviation=t).bound == pytest.approx(2 * p)
    # Z = t with probability p, else -t p / (1 - p): mean 0, variance t^2 p / (1 - p).
    assert tails.cantelli(variance=t**2 * p / (1 - p), deviation=t).bound == pytest.approx(p)


def test_a_negative_part_breaks_markov():
    # Z = 1 or -1 with probability 1/2: E Z = 0 but P(Z >= 1/2) = 1/2.
    assert not tails.markov(mean=0.0, threshold=0.5).allows(0.5)


def test_a_standard_deviation_given_as_a_variance_breaks_chebyshev():
    # The sources print "variance sigma": +-4 with probability 1/2 has standard deviation 4.
    assert tails.chebyshev(variance=16.0, deviation=4.0).allows(1.0)
    assert not tails.chebyshev(variance=4.0, deviation=4.0).allows(1.0)


def test_cantelli_is_for_one_side_only():
    # Z = +-1 with probability 1/2: the two-sided tail at 1 is 1, above variance/(variance + 1).
    assert not tails.cantelli(variance=1.0, deviation=1.0).allows(1.0)


@pytest.mark.parametrize(
    ("values", "weights"),
    [([1.0], [1.0]), ([0.0, 1.0], [0.5, 0.5]), ([0.2, 0.7, 1], [0.3, 0.3, 0.4])],
)
def test_reverse_markov_holds_and_is_attained_by_the_constant_one(values, weights):
    values, weights = np.array(values), np.array(weights)
    for gap in np.linspace(0.05, 0.95, 19):
        truth = float(weights[values > 1 - gap].sum())
        assert tails.reverse_markov(mean=float(values @ weights), gap=gap).allows(truth)
    assert tails.reverse_markov(mean=1.0, gap=0.3).bound == pytest.approx(1.0)


def test_the_strict_inequality_printed_for_reverse_markov_fails_on_constants():
    # Z = 1 has P = 1 and Z = 1 - gap has P = 0: equality, so "greater than" is false.
    assert tails.reverse_markov(mean=1.0, gap=0.25).bound == pytest.approx(1.0)
    assert tails.reverse_markov(mean=0.75, gap=0.25).bound == pytest.approx(0.0)


def test_values_above_one_break_reverse_markov():
    # Z = 4 with probability 1/4: the mean is 1, but Z > 0.5 only a quarter of the time.
    assert not tails.reverse_markov(mean=1.0, gap=0.5).allows(0.25)


RATES = np.linspace(-10, 10, 201)


def bernoulli_log_moment(rate, p):
    return float(np.logaddexp(math.log(p) + rate * (1 - p), math.log1p(-p) - rate * p))


@pytest.mark.parametrize("p", [1e-6, 0.1, 0.3, 0.5, 0.9])
def test_the_moments_of_bernoulli_variables_stay_below_hoeffding_and_kearns_saul(p):
    for rate in RATES:
        truth = bernoulli_log_moment(rate, p) - 1e-12 * (1 + abs(rate))
        assert tails.hoeffding_lemma(rate=rate, low=0.0, high=1.0).allows(truth)
        assert tails.kearns_saul(rate=rate, mean=p).allows(truth)


def test_kearns_saul_is_quoted_never_above_hoeffding_and_continuous_at_one_half():
    for p in (0.01, 0.3, 0.4999999, 0.5, 0.99):
        ours = tails.kearns_saul(rate=1.0, mean=p)
        assert ours.bound <= tails.hoeffding_lemma(rate=1.0, low=0.0, high=1.0).bound
        assert ours.validity == "quoted"
    assert tails.kearns_saul(rate=1.0, mean=0.4999999).bound == pytest.approx(0.125, rel=1e-9)


def test_a_sign_is_below_its_bound_and_tight_at_small_rates():
    for rate in RATES:
        assert tails.rademacher_mgf(rate=rate).allows(
            float(np.logaddexp(rate, -rate)) - math.log(2)
        )
    ratio = [math.cosh(t) / math.exp(tails.rademacher_mgf(rate=t).bound) for t in (0.0, 1.0, 2.0)]
    assert ratio == pytest.approx([1.0, 0.9359, 0.5092], abs=5e-5)


def test_a_wider_range_breaks_hoeffdings_lemma():
    assert not tails.hoeffding_lemma(rate=0.1, low=0.0, high=1.0).allows(
        float(np.logaddexp(0.2, -0.2)) - math.log(2)  # Z = +-2 in truth
    )


def test_the_normal_tail_is_below_its_bound_and_a_heavier_one_is_not():
    for t in np.linspace(0, 38, 77):
        assert tails.gaussian_tail(scale=1.0, deviation=t).allows(float(special.ndtr(-t)))
    cauchy = 0.5 - math.atan(5.0) / math.pi
    assert not tails.gaussian_tail(scale=1.0, deviation=5.0).allows(cauchy)


def test_an_underflowing_probability_is_never_reported_as_zero():
    assert tails.gaussian_tail(scale=1.0, deviation=100.0).bound > 0.0
    assert tails.unseen_mass(mass=0.5, n=10_000).bound > 0.0
    assert tails.unseen_mass(mass=1.0, n=5).bound == 0.0


def test_the_union_bound_is_attained_by_disjoint_events_and_not_by_independent_ones():
    assert tails.union(probabilities=[0.3, 0.2, 0.5]).bound == pytest.approx(1.0)
    assert tails.union(probabilities=[0.1, 0.1]).allows(0.19)
    assert tails.union(probabilities=[0.9, 0.9]).vacuous
    assert not tails.union(probabilities=[0.1]).allows(0.19)  # an event left out


@pytest.mark.parametrize(
    ("m", "expected"), [(10, 6.513215599), (100, 63.39676587), (10**9, 632120558.8)]
)
def test_a_bootstrap_holds_the_catalogued_number_of_distinct_rows(m, expected):
    absent = tails.unseen_mass(mass=1 / m, n=m).bound
    assert m * (1 - absent) == pytest.approx(expected, rel=2e-9)
    assert absent < math.exp(-1)


def test_repeated_examples_leave_more_unseen():
    rng = np.random.default_rng(1)
    groups = rng.integers(0, 10, (4000, 2))  # ten examples that are five copies of two
    unseen = float(np.mean(~(groups == 0).any(axis=1)))
    assert not tails.unseen_mass(mass=0.1, n=10).allows(unseen)


NORMS = {
    1: lambda v: np.abs(v).sum(-1),
    2: lambda v: np.sqrt((v**2).sum(-1)),
    3: lambda v: np.abs(v).max(-1),
}


@pytest.mark.parametrize("norm", NORMS.values(), ids=["l1", "l2", "sup"])
def test_random_signed_sums_are_long_in_every_norm(norm):
    rng = np.random.default_rng(2)
    signs = np.array(list(itertools.product([-1, 1], repeat=6)))
    for _ in range(40):
        lengths = norm(signs @ rng.standard_t(2, size=(6, 3)))
        second = float((lengths**2).mean())
        assert tails.khintchine(second_moment=second).allows(float(lengths.mean()))
        assert lengths.mean() <= math.sqrt(second)


def test_two_equal_numbers_attain_khintchine_and_signs_that_may_be_zero_break_it():
    assert tails.khintchine(second_moment=2.0).bound == pytest.approx(1.0)  # |0| or |2|, each half
    # One number 1 with a sign that is 0 but for one time in a hundred: both moments are 0.01.
    assert not tails.khintchine(second_moment=0.01).allows(0.01)


@pytest.mark.parametrize(
    ("name", "inputs", "culprit"),
    [
        ("markov", {"mean": 1.0, "threshold": 0.0}, "threshold"),
        ("markov", {"mean": -1.0, "threshold": 1.0}, "mean"),
        ("chebyshev", {"variance": 1.0, "deviation": 0.0}, "deviation"),
        ("reverse_markov", {"mean": 0.5, "gap": 1.0}, "gap"),
        ("hoeffding_lemma", {"rate": 1.0, "low": 1.0, "high": 0.0}, "high"),
        ("union", {"probabilities": [0.1, 1.1]}, "probabilities"),
        ("kearns_saul", {"rate": 1.0, "mean": 1.0}, "mean"),
    ],
)
def test_arguments_outside_their_domain_are_named(name, inputs, culprit):
    with pytest.raises(ValueError, match=culprit):
        getattr(tails, name)(**inputs)


@pytest.mark.parametrize("rate", [0.0, 0.1, 0.5, 2 / 3, 0.9, 0.999])
def test_every_rate_of_chernoffs_method_is_above_the_tail_of_an_exponential_variable(rate):
    for t in (0.1, 1.0, 2.0, 10.0, 600.0):
        said = tails.chernoff(rate=rate, log_moment=-rate - math.log1p(-rate), deviation=t)
        assert said.allows(math.exp(-t - 1.0))


def test_a_moment_that_is_too_small_breaks_chernoffs_method():
    said = tails.chernoff(rate=0.9, log_moment=0.0, deviation=2.0)
    assert not said.allows(math.exp(-0.5))


def test_large_exponents_that_nearly_cancel_are_rounded_outward():
    said = tails.chernoff(rate=1e8, log_moment=1e16, deviation=1e8)
    assert said.bound >= 1.0  # exactly 1, if nothing is rounded
    with pytest.raises(ValueError, match="log_moment"):
        tails.chernoff(rate=1.0, log_moment=-0.1, deviation=1.0)
