"""Bounds on a mean at one n: known values, coverage, and worlds that break their assumptions."""

import math
from fractions import Fraction

import numpy as np
import pytest

from surelearn.bounds import concentration, inversions
from surelearn.evaluate.coverage import Coverage, simulate_coverage


@pytest.mark.parametrize(
    ("errors", "n", "expected"),
    [
        (5, 100, 0.1023),
        (25, 500, 0.0691),
        (100, 2000, 0.0588),
        (0, 100, 0.0295),
        (30, 1000, 0.0404722),
        (100, 1000, 0.1169915),
    ],
)
def test_clopper_pearson_gives_the_tabulated_values(errors, n, expected):
    bound = concentration.clopper_pearson(errors=errors, n=n, delta=0.05).bound
    assert bound == pytest.approx(expected, abs=5e-5)


def test_three_hundred_clean_trials_certify_one_percent_and_298_do_not():
    assert concentration.clopper_pearson(errors=0, n=300, delta=0.05).bound <= 0.01
    assert concentration.clopper_pearson(errors=0, n=298, delta=0.05).bound > 0.01


def test_a_tiny_delta_gives_a_finite_bound_and_all_errors_give_one():
    tiny = concentration.clopper_pearson(errors=3, n=1000, delta=1e-17).bound
    assert 0.04 < tiny < 0.07
    assert concentration.clopper_pearson(errors=7, n=7, delta=0.05).bound == 1.0


@pytest.mark.parametrize(
    ("name", "inputs", "expected"),
    [
        ("hoeffding", {"mean": 0.1, "n": 1000}, 0.1387022756),
        ("hoeffding_two_sided", {"n": 1000}, 0.0429469408),
        ("kl_chernoff", {"mean": 0.2, "n": 2000}, 0.2225),
        ("kl_chernoff", {"mean": 0.0, "n": 100}, 1 - 0.05 ** (1 / 100)),
        ("hoeffding_bentkus", {"mean": 0.05, "n": 2000}, 0.0612),
        ("empirical_bernstein", {"mean": 0.2, "variance": 0.16016, "n": 1000}, 0.24303),
        ("stratified_clopper_pearson", {"errors": 0, "n": 10}, 0.25887),
        ("clopper_pearson_lower", {"errors": 1000, "n": 1000}, 0.05 ** (1 / 1000)),
    ],
)
def test_catalogue_values(name, inputs, expected):
    guarantee = getattr(concentration, name)(**inputs, delta=0.05)
    assert guarantee.bound == pytest.approx(expected, abs=6e-5)


def test_both_sides_of_one_coin_need_the_factor_two_that_the_source_forgets():
    # One loss of a fair coin is a half away from its mean, always.
    printed = math.sqrt(math.log(1 / 0.7) / 2)
    corrected = concentration.hoeffding_two_sided(n=1, delta=0.7)
    assert (printed, corrected.bound) == pytest.approx((0.4223, 0.7245), abs=5e-5)
    assert printed < 0.5
    assert corrected.allows(0.5)
    slack = concentration.hoeffding(mean=0.0, n=1000, delta=0.05).bound
    assert slack == pytest.approx(0.0387022756, abs=1e-10)


def test_stratified_bound_never_drops_its_maximum():
    bound = concentration.stratified_clopper_pearson(errors=4, n=10, delta=0.6).bound
    assert bound >= 0.5


def test_seven_of_a_hundred_is_not_rounded_to_eight():
    as_count = concentration.hoeffding_bentkus(mean=7 / 100, n=100, delta=0.05).bound
    just_above = concentration.hoeffding_bentkus(mean=7.01 / 100, n=100, delta=0.05).bound
    assert just_above - as_count > 1e-3


def bernoulli_experiment(name, n, p, delta):
    def experiment(rng):
        errors = int(rng.binomial(n, p))
        bound = getattr(concentration, name)
        if "clopper" in name:
            return p, bound(errors=errors, n=n, delta=delta)
        return p, bound(mean=errors / n, n=n, delta=delta)

    return experiment


@pytest.mark.parametrize(
    "name",
    ["hoeffding", "kl_chernoff", "hoeffding_bentkus", "clopper_pearson", "clopper_pearson_lower"],
)
@pytest.mark.parametrize("p", [0.02, 0.3])
def test_misses_are_at_most_delta_on_independent_trials(name, p, repetitions):
    result = simulate_coverage(bernoulli_experiment(name, 60, p, 0.1), repetitions=repetitions)
    assert not result.refuted()


def test_the_two_sided_distance_covers_both_sides(repetitions):
    rng = np.random.default_rng(1)
    distances = np.abs(rng.binomial(40, 0.5, repetitions) / 40 - 0.5)
    bound = concentration.hoeffding_two_sided(n=40, delta=0.1).bound
    assert not Coverage(distances, np.full(repetitions, bound), 0.1).refuted()


def test_proportional_strata_keep_the_coverage(repetitions):
    rng = np.random.default_rng(2)
    errors = rng.binomial(25, 0.02, repetitions) + rng.binomial(25, 0.4, repetitions)
    bounds = [
        concentration.stratified_clopper_pearson(errors=int(k), n=50, delta=0.1).bound
        for k in errors
    ]
    assert not Coverage(np.full(repetitions, 0.21), np.array(bounds), 0.1).refuted()


@pytest.mark.parametrize(
    "name", ["hoeffding", "kl_chernoff", "hoeffding_bentkus", "clopper_pearson"]
)
def test_copied_rows_break_independence_and_the_check_notices(name):
    def ten_copies(rng):
        errors = 10 * int(rng.binomial(10, 0.3))
        bound = getattr(concentration, name)
        inputs = {"errors": errors} if "clopper" in name else {"mean": errors / 100}
        return 0.3, bound(**inputs, n=100, delta=0.05)

    assert simulate_coverage(ten_copies, repetitions=400).refuted()


def test_peeking_after_every_trial_misses_far_more_often_than_delta():
    rng = np.random.default_rng(3)
    errors = np.cumsum(rng.random((400, 2000)) < 0.1, axis=1)
    n = np.arange(1, 2001)
    bounds = concentration.inversions.binomial_upper(errors[:, 19:], n[19:], 0.05)
    assert Coverage(np.full(400, 0.1), bounds.min(axis=1), 0.05).miss_rate > 0.2


def test_the_best_of_twenty_models_misses_far_more_often_than_delta():
    rng = np.random.default_rng(4)
    best = rng.binomial(500, 0.1, (400, 20)).min(axis=1)
    naive = concentration.inversions.binomial_upper(best, 500, 0.05)
    family = concentration.inversions.binomial_upper(best, 500, 0.05 / 20)
    truth = np.full(400, 0.1)
    assert Coverage(truth, naive, 0.05).miss_rate > 0.4
    assert not Coverage(truth, family, 0.05).refuted()


def test_the_order_of_sharpness_is_as_the_theory_says():
    inputs = {"n": 500, "delta": 0.05}
    exact = concentration.clopper_pearson(errors=25, **inputs).bound
    bentkus = concentration.hoeffding_bentkus(mean=0.05, **inputs).bound
    chernoff = concentration.kl_chernoff(mean=0.05, **inputs).bound
    hoeffding = concentration.hoeffding(mean=0.05, **inputs).bound
    assert exact < bentkus < chernoff < hoeffding


def test_the_kl_bound_of_zero_errors_is_exact_and_rounded_up():
    bound = concentration.kl_chernoff(mean=0.0, n=10_000, delta=0.05).bound
    exact = -math.expm1(math.log(0.05) / 10_000)
    assert exact <= bound <= exact * (1 + 1e-9)


@pytest.mark.parametrize("n", [10**9 + 7, 10**10, 10**11, 10**13, 10**16, 10**18])
@pytest.mark.parametrize("mean", [0.0, 1e-9, 0.05, 0.07, 0.5])
def test_hoeffding_bentkus_at_huge_n_is_no_smaller_than_the_exact_bound(mean, n):
    stated = concentration.hoeffding_bentkus(mean=mean, n=n, delta=0.05).bound
    total = math.ceil(Fraction(mean) * n)
    # Both tails are above the binomial one; at delta / e the second is exactly that.
    exact = concentration.clopper_pearson(errors=min(n, total), n=n, delta=0.05).bound
    least = min(exact, inversions.kl_upper(mean, -math.log(0.05) / n))
    assert stated >= least * (1.0 - 1e-15)
    assert stated <= inversions.kl_upper(mean, -math.log(0.05) / n)


def test_a_total_is_never_rounded_down_at_huge_n():
    n = 10**12
    assert concentration._total(0.07, 100) == 7
    for mean in (0.1234567890123, 0.5 + 2.0**-52, 1 / 3):
        assert concentration._total(mean, n) >= Fraction(mean) * n
    assert concentration._total(123 / n, n) == 123
