"""The roots behind the theorems, against high precision and at the extremes."""

import math
from fractions import Fraction

import mpmath
import numpy as np
import pytest

from surelearn import bounds
from surelearn.bounds import (
    compression,
    concentration,
    holdout,
    inversions,
    pac,
    tails,
    tails_of_sums,
)


def log_tail(errors, n, p):
    """Return ln P(Bin(n, p) <= errors) with fifty digits."""
    with mpmath.workdps(50):
        p = mpmath.mpf(p)
        terms = (mpmath.binomial(n, i) * p**i * (1 - p) ** (n - i) for i in range(errors + 1))
        return float(mpmath.log(mpmath.fsum(terms)))


@pytest.mark.parametrize("log_delta", [-1.0, -3.0, -50.0, -250.0, -299.0, -301.0, -650.0, -2000.0])
@pytest.mark.parametrize(("errors", "n"), [(0, 40), (3, 50), (30, 14_000), (40, 41), (117, 1000)])
def test_the_upper_root_is_outward_and_sharp(errors, n, log_delta):
    root = inversions.binomial_upper_at_log_level(errors, n, log_delta)
    if root < 1.0:
        assert log_tail(errors, n, root) <= log_delta
        inside = errors / n + (root - errors / n) * (1 - 1e-6)
        assert log_tail(errors, n, inside) >= log_delta
    else:
        assert log_tail(errors, n, 1 - 1e-15) >= log_delta - 1e-6 or errors == n


@pytest.mark.parametrize("delta", [0.3, 1e-3, 1e-17, 1e-100, 1e-160, 1e-300, 5e-324])
@pytest.mark.parametrize(("errors", "n"), [(0, 5), (1, 5), (3, 100), (99, 100), (100, 100)])
def test_both_sides_are_numbers_at_every_level(errors, n, delta):
    upper = concentration.clopper_pearson(errors=errors, n=n, delta=delta).bound
    lower = concentration.clopper_pearson_lower(errors=errors, n=n, delta=delta).bound
    assert 0.0 <= lower <= errors / n <= upper <= 1.0
    assert lower == pytest.approx(
        1.0 - concentration.clopper_pearson(errors=n - errors, n=n, delta=delta).bound,
        abs=1e-9 if delta > 1e-300 else 1e-4,  # the smallest float has one digit
    )


def test_roots_grow_with_the_errors_and_shrink_with_the_level():
    levels = np.exp(-np.linspace(1, 690, 200))
    roots = inversions.binomial_upper(30, 14_000, levels)
    assert (np.diff(roots) >= 0).all()
    counts = inversions.binomial_upper(np.arange(100), 14_000, 1e-250)
    assert (np.diff(counts) > 0).all()


def test_a_billion_trials_are_rounded_outward():
    root = concentration.clopper_pearson(errors=1, n=10**9, delta=0.05).bound
    with mpmath.workdps(40):
        p, n = mpmath.mpf(root), 10**9
        tail = (1 - p) ** n + n * p * (1 - p) ** (n - 1)
        assert tail <= mpmath.mpf("0.05")


def test_the_values_that_the_inverse_of_scipy_got_wrong():
    rebuilt = compression.littlestone_warmuth(n_compressed=117, errors=30, n=14_000, delta=0.05)
    assert rebuilt.bound == pytest.approx(0.05687, abs=1e-5)
    described = pac.occam(errors=30, n=100_000, bits=990, delta=0.05)
    assert described.bound == pytest.approx(0.00813, abs=1e-5)


def test_kl_roots_refuse_what_is_no_frequency():
    for call in (inversions.kl_upper, inversions.kl_lower):
        with pytest.raises(ValueError, match="q"):
            call(math.nan, 0.1)
        with pytest.raises(ValueError, match="budget"):
            call(0.5, -1.0)
    with pytest.raises(ValueError, match="n="):
        inversions.binomial_upper(3, math.inf, 0.05)


def test_more_trials_than_fit_in_thirty_one_bits():
    assert holdout.quantile_index(n=3 * 10**9, alpha=1e-8, delta=0.05) <= 3 * 10**9
    wise = tails_of_sums.majority_vote_exact(n_voters=2**31 + 1, voter_accuracy=0.500001)
    assert 0.0 < wise.bound < 0.5


@pytest.mark.parametrize(
    ("name", "inputs"),
    [
        ("tails.chebyshev", {"variance": 10.0, "deviation": 1e-300}),
        ("optimization.nesterov", {"distance": 1e200, "smoothness": 1e308, "n_steps": 10}),
        ("concentration.hoeffding", {"mean": 0.1, "n": 10**400, "delta": 0.05}),
        ("concentration.hoeffding", {"mean": "0.1", "n": 10, "delta": 0.05}),
        ("concentration.clopper_pearson", {"errors": "3.0", "n": 10, "delta": 0.05}),
        ("sequences.betting", {"losses": ["a", "b"], "delta": 0.05}),
        ("sequences.betting", {"losses": [[0.1], [0.2, 0.3]], "delta": 0.05}),
    ],
)
def test_what_numbers_cannot_do_is_said_in_a_sentence(name, inputs):
    with pytest.raises(ValueError, match="|".join(inputs)):
        bounds.evaluate(name, **inputs)


def test_single_precision_arguments_do_not_round_inward():
    exact = tails.chebyshev(variance=float(np.float32(0.1)), deviation=2.0)
    single = tails.chebyshev(variance=np.float32(0.1), deviation=np.float32(2.0))
    assert single.bound == exact.bound
    assert isinstance(single.inputs["variance"], float)


def test_only_theorems_can_be_evaluated_by_name():
    with pytest.raises(ValueError, match="unknown"):
        bounds.find("holdout.log_choose_all")


def tail_at_most(errors, n, p):
    """Return P(Bin(n, p) <= errors) exactly."""
    p = Fraction(p)
    return sum(math.comb(n, i) * p**i * (1 - p) ** (n - i) for i in range(errors + 1))


TINY_LEVELS = [
    *(5e-324, 3e-320, 2e-310, 1e-306, 1e-300, 1e-60, 1e-30, 1e-17, 1e-16, 1e-12, 1e-10, 1e-9),
    *(1e-3, 0.05, 0.5, 1 - 1e-9),
]


@pytest.mark.parametrize("n", [1, 2, 3, 5, 10, 20, 50, pytest.param(100, marks=pytest.mark.slow)])
@pytest.mark.parametrize("delta", TINY_LEVELS)
def test_the_exact_tail_at_a_root_is_never_above_the_level(n, delta):
    for errors in sorted({0, 1, n // 2, n - 2, n - 1} & set(range(n))):
        upper = float(inversions.binomial_upper(errors, n, delta))
        assert upper == 1.0 or tail_at_most(errors, n, upper) <= Fraction(delta)
        lower = float(inversions.binomial_lower(n - errors, n, delta))
        assert 1 - tail_at_most(n - errors - 1, n, lower) <= Fraction(delta)


@pytest.mark.parametrize("n", [10**12, 10**13, 10**15, 10**18])
def test_beyond_what_the_beta_function_can_do_chernoffs_bound_stands_in(n):
    for errors in (0, 5, n // 100):
        upper = float(inversions.binomial_upper(errors, n, 0.05))
        spread = math.sqrt(max(errors, 1)) / n
        assert errors / n + spread < upper < errors / n + 8.0 * spread


SHORT_OF_THE_LEVEL = [  # where the inverse of SciPy 1.17 was short of it, by up to a part in 300
    (1_557_099, 1_866_235, 4.761904761904762e-09),
    (7_426_037, 8_317_581, 4.363496357829255e-05),
    (74_207, 85_918, 1.93950972e-40),
    (999, 414_214, 3.64913663e-07),
]


def log_ratio_of_sides(errors, n, p):
    """Return ln of P(Bin(n, p) <= errors) / P(Bin(n, p) > errors), term by term from `errors`."""
    p = mpmath.mpf(p)
    sides = []
    for step, last in ((-1, 0), (1, n)):
        odds = (1 - p) / p if step < 0 else p / (1 - p)
        i, term, total = errors, mpmath.mpf(1), mpmath.mpf(0)
        while i != last and (term > total * mpmath.mpf(10) ** -25 or total == 0):
            ways = mpmath.mpf(i) / (n - i + 1) if step < 0 else mpmath.mpf(n - i) / (i + 1)
            term *= ways * odds
            total += term
            i += step
        sides.append(total)
    return mpmath.log((1 + sides[0]) / sides[1])


@pytest.mark.parametrize(("errors", "n", "delta"), SHORT_OF_THE_LEVEL)
def test_roots_of_many_trials_are_outward_and_sharp(errors, n, delta):
    with mpmath.workdps(30):
        level = mpmath.log(delta / (1 - mpmath.mpf(delta)))
        upper = float(inversions.binomial_upper(errors, n, delta))
        assert -1e-6 < log_ratio_of_sides(errors, n, upper) - level <= 0
        lower = float(inversions.binomial_lower(n - errors, n, delta))
        turned = 1 - mpmath.mpf(lower)
        assert -1e-6 < log_ratio_of_sides(errors, n, turned) - level <= 0
