"""Regions of several rates: fixtures, brute force, exact coverage, edges."""

import functools
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from reference import buehler_region as plain
from surelearn.bounds import _buehler_tails, _region_orders, inversions, regions
from surelearn.bounds._buehler_tails import Counts, Tails
from surelearn.bounds._fisher_chain import log_level
from surelearn.bounds._region_orders import linear, matthews_order, ratio_order, score_order

TABLE = {"false_negatives": 10, "n_positive": 100, "false_positives": 40, "n_negative": 900}


def difference(first, second, n, delta=0.05, **how):
    counts = {"only_first_wrong": first, "only_second_wrong": second}
    return regions.error_difference(**counts, n=n, delta=delta, **how).bound


def cost(x, y, n, costs, delta=0.05, **how):
    given_costs = {"cost_false_negative": costs[0], "cost_false_positive": costs[1]}
    counts = {"false_negatives": x, "false_positives": y, "n": n}
    return regions.cost(**counts, **given_costs, delta=delta, **how).bound


def benefit(hits, alarms, n, threshold, delta=0.05, **how):
    counts = {"true_positives": hits, "false_positives": alarms, "n": n}
    return regions.net_benefit(**counts, threshold=threshold, delta=delta, **how).bound


def of_classes(theorem, errors=None, delta=0.05, **how):
    """Return a bound from (missed, positives, flagged, negatives)."""
    counts = dict(zip(TABLE, errors or TABLE.values(), strict=True))
    return theorem(**counts, delta=delta, **how).bound


def gap(errors, sizes, delta=0.05, **how):
    return regions.gap(errors=errors, sizes=sizes, delta=delta, **how).bound


# What is attained, from the catalogue, and the estimate; the bound is beyond it by the tolerance.
FROM_ABOVE = {
    "difference 10, 40": (lambda **h: difference(10, 40, 1000, **h), -0.01801, -0.03, 5e-6),
    "difference 2, 10": (lambda **h: difference(2, 10, 1000, **h), -0.00179, -0.008, 5e-6),
    "difference 5, 15": (lambda **h: difference(5, 15, 100, **h), -0.022151, -0.1, 5e-7),
    "difference 0, 5": (lambda **h: difference(0, 5, 200, **h), -0.00419, -0.025, 5e-6),
    "difference 20, 20": (lambda **h: difference(20, 20, 1000, **h), 0.01181, 0.0, 5e-6),
    "difference 66, 319": (lambda **h: difference(66, 319, 1000, **h), -0.22194, -0.253, 5e-6),
    "cost 10, 40": (lambda **h: cost(10, 40, 1000, (10, 1), **h), 0.206753, 0.14, 5e-7),
    "cost 5, 50": (lambda **h: cost(5, 50, 1000, (10, 1), **h), 0.151661, 0.1, 5e-7),
    "cost 3, 8": (lambda **h: cost(3, 8, 60, (5, 1), **h), 0.732290, 23 / 60, 5e-7),
    "benefit 90, 40": (lambda **h: -benefit(90, 40, 1000, 0.2, **h), -0.064735, -0.08, 5e-7),
    "benefit 18, 8": (lambda **h: -benefit(18, 8, 200, 0.2, **h), -0.046660, -0.08, 5e-7),
    "balanced": (
        lambda **h: -of_classes(regions.balanced_accuracy, **h), -0.897483, -0.927778, 5e-7
    ),
    "balanced, equal": (
        lambda **h: -of_classes(regions.balanced_accuracy, (10, 100, 5, 100), **h),
        -0.886862, -0.925, 5e-7,
    ),
    "balanced, unequal": (
        lambda **h: -of_classes(regions.balanced_accuracy, (2, 20, 100, 2000), **h),
        -0.83406, -0.925, 5e-6,
    ),
    "LR+": (
        lambda **h: -of_classes(regions.positive_likelihood_ratio, **h), -15.6868, -20.25, 5e-5
    ),
    "LR-": (
        lambda **h: of_classes(regions.negative_likelihood_ratio, **h), 0.169114, 0.104651, 5e-7
    ),
    "MCC": (
        lambda **h: -of_classes(regions.matthews_correlation, **h), -0.668554, -0.763200, 5e-7
    ),
    "gap": (lambda **h: gap([10, 5], [100, 100], **h), 0.118987, 0.05, 5e-7),
}  # fmt: skip


FINE = [name for name in FROM_ABOVE if "difference" not in name] + ["difference 5, 15"]


@pytest.mark.parametrize(
    ("name", "tolerance"), [*((n, 0.01) for n in FROM_ABOVE), *((n, 0.001) for n in FINE)]
)
def test_the_bound_is_what_the_catalogue_attains_and_little_more(name, tolerance):
    function, attained, estimate, digits = FROM_ABOVE[name]
    bound = function(tolerance=tolerance)
    assert attained - digits <= bound <= attained + tolerance * (bound - estimate) + 2 * digits


def test_the_bounds_of_chains_are_those_of_the_catalogue():
    shares, sizes = [0.5, 0.3, 0.2], [100, 200, 50]
    found = regions.strata(errors=[3, 5, 2], sizes=sizes, shares=shares, delta=0.05).bound
    assert 0 <= found - 0.0703280 < 1e-6
    for counts, expected in (
        ((10, 40, 100, 900), 0.885186),
        ((10, 5, 100, 100), 0.87782),
        ((2, 100, 20, 2000), 0.79762),
    ):
        found = regions.macro_recall(errors=counts[:2], sizes=counts[2:], delta=0.05).bound
        assert found == pytest.approx(expected, abs=5e-6)
    assert math.exp(log_level(2, 0.05)) == pytest.approx(0.00870494, abs=1e-8)
    assert math.exp(log_level(3, 0.05)) == pytest.approx(0.00184404, abs=1e-8)


def test_one_stratum_is_clopper_and_pearsons():
    for k, n in ((0, 100), (5, 100), (99, 100), (100, 100), (0, 0), (7, 10**6)):
        found = regions.strata(errors=[k], sizes=[n], shares=[1.0], delta=0.05).bound
        exact = float(inversions.binomial_upper(k, n, 0.05))
        assert exact * (1 - 1e-9) <= found <= exact + 1e-8


def test_a_stratum_without_rows_or_without_weight_costs_no_level():
    alone = regions.strata(errors=[5], sizes=[100], shares=[1.0], delta=0.05).bound
    unweighted = regions.strata(errors=[5, 3], sizes=[100, 9], shares=[1.0, 0.0], delta=0.05)
    assert unweighted.bound == pytest.approx(alone, abs=1e-12)
    empty = regions.strata(errors=[5, 0], sizes=[100, 0], shares=[0.75, 0.25], delta=0.05)
    assert empty.bound == pytest.approx(0.75 * alone + 0.25, abs=1e-9)


@pytest.mark.parametrize(
    ("k", "n", "size", "most"),
    [(0, 200, 1000, 13), (3, 200, 1000, 35), (10, 500, 1000, 29), (0, 59, 10_000, 493),
     (5, 100, 300, 27)],
)  # fmt: skip
def test_one_finite_stratum_is_the_exact_count(k, n, size, most):
    assert regions.finite_strata(errors=[k], drawn=[n], sizes=[size], delta=0.05).bound == most


@pytest.mark.parametrize(
    ("k", "n", "sizes"),
    [((3, 0), (50, 30), (100, 90)), ((1, 2), (10, 20), (30, 60)), ((0, 0), (5, 5), (9, 9)),
     ((5, 3), (5, 3), (9, 9)), ((0, 2), (9, 2), (9, 40)), ((4, 1), (40, 40), (41, 60))],
)  # fmt: skip
def test_finite_strata_reach_what_enumeration_finds(k, n, sizes):
    level = math.exp(-stats.chi2.isf(0.05, 4) / 2)
    rows = [range(a, size - (m - a) + 1) for a, m, size in zip(k, n, sizes, strict=True)]
    tails = [stats.hypergeom.cdf(k[h], sizes[h], list(rows[h]), n[h]) for h in (0, 1)]
    allowed = [
        rows[0][i] + rows[1][j]
        for i in range(len(rows[0]))
        for j in range(len(rows[1]))
        if tails[0][i] * tails[1][j] > level
    ]
    found = regions.finite_strata(errors=k, drawn=n, sizes=sizes, delta=0.05).bound
    assert max(allowed) <= found <= max(allowed) + 1


def test_the_dual_of_two_strata_is_the_primal():
    k, n, shares = [2, 4], [15, 20], [0.7, 0.3]
    primal = plain.fisher_primal(k, n, shares, 0.05, steps=2000)
    found = regions.strata(errors=k, sizes=n, shares=shares, delta=0.05).bound
    assert primal <= found <= primal + 1e-3
    better = regions.two_strata(errors=k, sizes=n, shares=shares, delta=0.05).bound
    assert better < found


# Brute force: the same orders in plain loops, over a grid of second rates.
GRID = [i / 150 for i in range(151)]
BRUTE = {
    "cost": (plain.Trinomial(12), lambda d: plain.score(5 / 12, 1 / 12, d),
             lambda p, q: 5 * p + q, (2, 3), lambda d, t: cost(2, 3, 12, (5, 1), d, tolerance=t)),
    "difference": (plain.Trinomial(14), lambda d: plain.score(1 / 14, -1 / 14, d),
                   lambda p, q: p - q, (2, 6), lambda d, t: difference(2, 6, 14, d, tolerance=t)),
    "all agree": (plain.Trinomial(9), lambda d: plain.score(1 / 9, -1 / 9, d),
                  lambda p, q: p - q, (0, 0), lambda d, t: difference(0, 0, 9, d, tolerance=t)),
    "benefit": (plain.Trinomial(12), lambda d: plain.score(1 / 36, -1 / 12, d),
                lambda p, q: p / 3 - q, (2, 5),
                lambda d, t: -benefit(5, 2, 12, 0.25, d, tolerance=t)),
    "gap": (plain.TwoBinomials(8, 11), lambda d: plain.score(1 / 8, -1 / 11, d),
            lambda p, q: p - q, (4, 2), lambda d, t: gap([4, 2], [8, 11], d, tolerance=t)),
    "balanced": (plain.TwoBinomials(7, 10), lambda d: plain.score(0.5 / 7, 0.05, d),
                 lambda p, q: (p + q) / 2, (1, 2),
                 lambda d, t: 1 - of_classes(regions.balanced_accuracy, (1, 7, 2, 10), d,
                                             tolerance=t)),
    "LR+": (plain.TwoBinomials(9, 10), lambda d: plain.positive_ratio(9, 10, d),
            lambda p, q: math.log(q / (1 - p)) if q else -math.inf, (2, 1),
            lambda d, t: -math.log(of_classes(regions.positive_likelihood_ratio, (2, 9, 1, 10), d,
                                              tolerance=t))),
    "LR-": (plain.TwoBinomials(9, 10), lambda d: plain.negative_ratio(9, 10, d),
            lambda p, q: math.log(p / (1 - q)) if p and q < 1 else -math.inf, (2, 1),
            lambda d, t: math.log(of_classes(regions.negative_likelihood_ratio, (2, 9, 1, 10), d,
                                             tolerance=t))),
}  # fmt: skip


@pytest.mark.parametrize("delta", [0.05, 0.2])
@pytest.mark.parametrize("name", BRUTE)
def test_the_search_finds_what_plain_loops_find(name, delta):
    law, order, value, seen, ours = BRUTE[name]
    attained = plain.attained(law, order(delta), value, seen, delta, GRID)
    found = ours(delta, 1e-3)
    assert attained <= found <= attained + 0.03  # what a grid of 150 steps may miss


@pytest.mark.parametrize("shared", [True, False])
@pytest.mark.parametrize("weights", [(1.0, 1.0), (5.0, 1.0), (1.0, -1.0), (0.2, -1.0)])
def test_the_end_of_the_region_is_where_the_tail_falls_below_delta(shared, weights):
    law = plain.Trinomial(15) if shared else plain.TwoBinomials(15, 15)
    counts = Counts(3, 4, 15, 15, shared=shared)
    order = score_order(counts, weights, 0.05)
    tails = Tails(counts, order, 0.05, 0.01, rising=weights[1] > 0, in_blocks=False)
    event = plain.at_most_as_seen(law, plain.score(weights[0], weights[1], 0.05), (3, 4))
    q = np.linspace(0.0, 1.0, 21)
    for rate, r in zip(q, tails.reach(q, np.full(21, 0.5)), strict=True):
        if r < 0:
            assert plain.tail(law, event, 0.0, rate) < 0.05
            continue
        p = r * (1 - rate) if shared else r
        found = plain.tail(law, event, p, rate)
        assert found <= 0.05 * (1 - 1e-9) or r == 1.0
        assert found >= 0.05 * (1 - 4e-4)


# Exact coverage: the bound of every outcome, the probability of a miss under each pair of rates.
RATES = np.linspace(0.0, 1.0, 21)


def largest_miss(law, value, bounds):
    """Return the largest probability over a grid of rates that the value exceeds its bound."""
    worst = 0.0
    for p in RATES:
        for q in RATES:
            if p <= law.most(q) + 1e-12 and np.isfinite(truth := value(p, q)):
                missed = (o for o, bound in bounds.items() if truth > bound + 1e-12)
                worst = max(worst, math.fsum(law.probability(*o, p, q) for o in missed))
    return worst


def log_positive_ratio(p, q):
    return math.log(q / (1 - p)) if q > 0 and p < 1 else -math.inf


def benefit_miss(n, delta):
    """The net benefit at odds 1/2: minus p/2 - q, with x false and y true alarms."""
    law = plain.Trinomial(n)
    bounds = {(x, y): -benefit(y, x, n, 1 / 3, delta) for x, y in law.outcomes()}
    return largest_miss(law, lambda p, q: p / 2 - q, bounds)


def difference_miss(n, delta):
    law = plain.Trinomial(n)
    bounds = {(x, y): difference(x, y, n, delta) for x, y in law.outcomes()}
    return largest_miss(law, lambda p, q: p - q, bounds)


def cost_miss(n, delta):
    law = plain.Trinomial(n)
    bounds = {(x, y): cost(x, y, n, (4, 1), delta) for x, y in law.outcomes()}
    return largest_miss(law, lambda p, q: 4 * p + q, bounds)


def balanced_miss(n, delta):
    law = plain.TwoBinomials(n - 1, n + 1)
    bounds = {
        (x, y): 1 - of_classes(regions.balanced_accuracy, (x, n - 1, y, n + 1), delta)
        for x, y in law.outcomes()
    }
    return largest_miss(law, lambda p, q: (p + q) / 2, bounds)


def positive_ratio_miss(n, delta):
    law = plain.TwoBinomials(n - 1, n + 1)

    def bound(x, y):
        found = of_classes(regions.positive_likelihood_ratio, (x, n - 1, y, n + 1), delta)
        return -math.log(found) if found else math.inf

    bounds = {outcome: bound(*outcome) for outcome in law.outcomes()}
    return largest_miss(law, log_positive_ratio, bounds)


def strata_miss(n, delta):
    law = plain.TwoBinomials(n - 1, n + 1)
    bounds = {
        (x, y): regions.two_strata(
            errors=[x, y], sizes=[n - 1, n + 1], shares=[0.3, 0.7], delta=delta
        ).bound
        for x, y in law.outcomes()
    }
    return largest_miss(law, lambda p, q: 0.3 * p + 0.7 * q, bounds)


def chain_miss(n, delta):
    law = plain.TwoBinomials(n - 1, n + 1)
    bounds = {
        (x, y): regions.strata(
            errors=[x, y], sizes=[n - 1, n + 1], shares=[0.3, 0.7], delta=delta
        ).bound
        for x, y in law.outcomes()
    }
    return largest_miss(law, lambda p, q: 0.3 * p + 0.7 * q, bounds)


MISSES = [
    difference_miss, cost_miss, benefit_miss, balanced_miss, positive_ratio_miss, strata_miss
]  # fmt: skip


@pytest.mark.parametrize("miss", MISSES)
def test_the_bounds_miss_with_probability_delta_at_most(miss):
    assert miss(6, 0.1) <= 0.1


@pytest.mark.parametrize("n", [3, pytest.param(5, marks=pytest.mark.slow)])
def test_a_chain_of_strata_misses_with_probability_delta_at_most(n):
    assert 0.01 < chain_miss(n, 0.1) <= 0.1


def test_the_wrong_rows_of_a_table_are_missed_with_probability_delta_at_most():
    sizes, drawn = (8, 11), (4, 5)
    found = {
        (i, j): regions.finite_strata(errors=[i, j], drawn=drawn, sizes=sizes, delta=0.2).bound
        for i in range(drawn[0] + 1)
        for j in range(drawn[1] + 1)
    }
    misses = []
    for first in range(sizes[0] + 1):
        for second in range(sizes[1] + 1):
            law = [
                stats.hypergeom(size, wrong, n)
                for size, wrong, n in zip(sizes, (first, second), drawn, strict=True)
            ]
            missed = (seen for seen, bound in found.items() if first + second > bound)
            misses.append(sum(law[0].pmf(i) * law[1].pmf(j) for i, j in missed))
    assert 0.05 < max(misses) <= 0.2


def test_rows_that_come_twice_break_the_bound():
    law = plain.Trinomial(8)
    bounds = {(x, y): difference(2 * x, 2 * y, 16, 0.1) for x, y in law.outcomes()}
    assert largest_miss(law, lambda p, q: p - q, bounds) > 0.15


@pytest.mark.slow
@pytest.mark.parametrize("delta", [0.1, 0.02])
@pytest.mark.parametrize("miss", MISSES)
def test_the_bounds_miss_with_probability_delta_at_most_in_larger_samples(miss, delta):
    assert delta / 4 < miss(14, delta) <= delta


@pytest.mark.parametrize("repetitions", [80, pytest.param(4000, marks=pytest.mark.slow)])
def test_matthews_correlation_is_covered(repetitions):
    rng = np.random.default_rng(0)
    share, missed, flagged, n = 0.3, 0.1, 0.15, 60
    positives = np.clip(rng.binomial(n, share, size=repetitions), 1, n - 1)
    draws = zip(
        rng.binomial(positives, missed), positives, rng.binomial(n - positives, flagged),
        n - positives, strict=True,
    )  # fmt: skip
    truth, found = plain.phi(share, 1 - missed, 1 - flagged), functools.cache(matthews_bound)
    misses = sum(found(*map(int, draw)) > truth for draw in draws)
    assert stats.binomtest(misses, repetitions, 0.1, alternative="greater").pvalue > 1e-4


def matthews_bound(*counts):
    return of_classes(regions.matthews_correlation, counts, 0.1)


@pytest.mark.parametrize("repetitions", [80, pytest.param(4000, marks=pytest.mark.slow)])
def test_the_largest_of_several_gaps_is_covered_at_the_full_delta(repetitions):
    rng = np.random.default_rng(0)
    sizes, rates = np.array([30, 40, 50]), np.array([0.3, 0.1, 0.1])
    found = functools.cache(lambda *k: gap(k, sizes.tolist(), 0.1))
    draws = rng.binomial(sizes, rates, size=(repetitions // 4, 3)).tolist()
    misses = sum(found(*draw) < 0.2 for draw in draws)
    assert stats.binomtest(misses, len(draws), 0.1, alternative="greater").pvalue > 1e-4


@pytest.mark.parametrize("delta", [1e-9, 0.005, 0.05, 0.3])
@pytest.mark.parametrize("sizes", [(1, 1), (3, 40), (30, 20)])
def test_the_orders_are_monotone(sizes, delta):
    counts = Counts(0, 0, *sizes, shared=False)
    x, y = np.meshgrid(np.arange(sizes[0] + 1.0), np.arange(sizes[1] + 1.0), indexing="ij")
    for order, sign in (
        (score_order(counts, (1.0, 1.0), delta), 1),
        (score_order(counts, (0.1, 1.0), delta), 1),
        (score_order(counts, (1.0, -1.0), delta), -1),
        (score_order(counts, (1.0, -20.0), delta), -1),
        (score_order(counts, (20.0, -1.0), delta), -1),
        (ratio_order(counts, delta), 1),
        (matthews_order(counts), 1),
    ):
        T = order(x, y)
        assert (np.diff(T, axis=0) >= -1e-15).all()
        assert (sign * np.diff(T, axis=1) >= -1e-15).all()


def test_equal_costs_are_clopper_and_pearsons():
    for x, y, n in ((0, 0, 9), (3, 8, 60), (60, 0, 60), (20, 40, 60)):
        exact = float(inversions.binomial_upper(x + y, n, 0.05))
        assert cost(x, y, n, (2.0, 2.0)) == pytest.approx(2 * exact, rel=1e-11)
        only = float(inversions.binomial_upper(x, n, 0.05))
        assert cost(x, y, n, (2.0, 0.0)) == pytest.approx(2 * only, rel=1e-11)


@pytest.mark.parametrize(
    "n", [10_000, 10**5, *(pytest.param(n, marks=pytest.mark.slow) for n in (10**6, 10**8))]
)
def test_the_bound_on_a_large_sample_is_near_the_normal_approximation_and_above_it(n):
    x, y = n // 100, n // 25
    p, q = x / n, y / n
    normal = p - q + stats.norm.isf(0.05) * math.sqrt((p + q - (p - q) ** 2) / n)
    assert 0 < difference(x, y, n) - normal < 0.04 * (normal - (p - q))


def test_blocks_and_a_confined_rate_only_widen_the_region(monkeypatch):
    counts = {"difference": (400, 500, 3000), "cost": (400, 500, 3000, (3, 1))}
    exact = difference(*counts["difference"]), cost(*counts["cost"])
    monkeypatch.setattr(_buehler_tails, "_FINENESS", 3.0)
    linear.cache_clear()
    coarse = difference(*counts["difference"]), cost(*counts["cost"])
    linear.cache_clear()
    for fine, wide in zip(exact, coarse, strict=True):
        assert fine < wide < fine + 0.03


def test_the_gap_is_the_same_whatever_the_order_of_the_groups():
    assert gap([5, 10, 1], [100, 100, 50]) == gap([1, 5, 10], [50, 100, 100])
    assert gap([5, 10], [100, 100]) == gap([10, 5], [100, 100])


def test_matthews_correlation_is_the_same_with_the_classes_exchanged():
    one = of_classes(regions.matthews_correlation, (4, 30, 9, 170))
    assert of_classes(regions.matthews_correlation, (9, 170, 4, 30)) == pytest.approx(one, rel=0.01)
    assert one > 0.3


@settings(max_examples=15, deadline=None)
@given(st.data())
def test_whatever_the_counts_the_bound_lies_between_the_estimate_and_what_is_possible(data):
    n = data.draw(st.integers(1, 25))
    x = data.draw(st.integers(0, n))
    y = data.draw(st.integers(0, n - x))
    m = data.draw(st.integers(1, 25))
    delta = data.draw(st.sampled_from([1e-12, 0.001, 0.05, 0.4]))
    assert (x - y) / n <= difference(x, y, n, delta) <= 1.0
    assert (3 * x + y) / n <= cost(x, y, n, (3, 1), delta) <= 3.0
    assert -1.0 - 1e-11 <= benefit(x, y, n, 0.5, delta) <= (x - y) / n
    k = min(y, m)
    classes = (x, n, k, m)
    assert 0.0 <= of_classes(regions.balanced_accuracy, classes, delta) <= 1 - (x / n + k / m) / 2
    ratio = math.inf if k == 0 else (1 - x / n) / (k / m)
    assert 0.0 <= of_classes(regions.positive_likelihood_ratio, classes, delta) <= ratio
    least = (x / n) / (1 - k / m) if k < m else math.inf
    assert of_classes(regions.negative_likelihood_ratio, classes, delta) >= (
        0.0 if x == 0 else least
    )
    assert -1.0 <= of_classes(regions.matthews_correlation, classes, delta) <= 1.0
    assert abs(x / n - k / m) <= gap([x, k], [n, m], delta) <= 1.0


EDGES = {
    "all wrong": ((100, 100, 100, 100), (0.0, 0.0, math.inf, -1.0)),
    "one row each, all wrong": ((1, 1, 1, 1), (0.0, 0.0, math.inf, -1.0)),
}


@pytest.mark.parametrize("name", EDGES)
def test_where_nothing_is_known_the_bound_says_so(name):
    counts, expected = EDGES[name]
    for theorem, value in zip(
        (
            regions.balanced_accuracy,
            regions.positive_likelihood_ratio,
            regions.negative_likelihood_ratio,
            regions.matthews_correlation,
        ),
        expected,
        strict=True,
    ):
        guarantee = theorem(**dict(zip(TABLE, counts, strict=True)), delta=0.05)
        assert guarantee.bound == value
        assert guarantee.vacuous
    assert difference(5, 0, 5) == 1.0
    assert gap([0, 3], [0, 5]) == 1.0
    assert regions.strata(errors=[0, 5], sizes=[0, 5], shares=[0.5, 0.5], delta=0.05).vacuous


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: difference(1, 1, 9, 0.5), r"delta must be in \(0, 1/2\)"),
        (lambda: difference(5, 5, 9), "only_second_wrong"),
        (lambda: difference(1, 1, 10**8 + 1), "n must be"),
        (lambda: difference(1, 1, 9, tolerance=0.0), "tolerance"),
        (lambda: difference(1, 1, 9, tolerance=1e-5), "tolerance"),
        (lambda: difference(1, 1, 9, tolerance=2.0), "tolerance"),
        (lambda: cost(1, 1, 9, (0, 0)), "if the other cost is 0"),
        (lambda: cost(1, 1, 9, (-1, 1)), "cost_false_negative"),
        (lambda: benefit(1, 1, 9, 1.0), "threshold"),
        (lambda: of_classes(regions.balanced_accuracy, (0, 0, 1, 5)), "n_positive"),
        (lambda: of_classes(regions.matthews_correlation, (0, 3, 6, 5)), "false_positives"),
        (lambda: gap([1], [2]), "two sizes or more"),
        (lambda: gap([1, 2, 3], [2, 2]), "one for each size"),
        (lambda: gap([3, 1], [2, 2]), "errors"),
        (lambda: gap([0.5, 1], [2, 2]), "whole numbers"),
        (
            lambda: regions.strata(errors=[1, 1], sizes=[2, 2], shares=[0.5, 0.6], delta=0.05),
            "sum to 1",
        ),
        (
            lambda: regions.two_strata(errors=[0, 1], sizes=[0, 2], shares=[0.5, 0.5], delta=0.1),
            "see regions.strata",
        ),
        (
            lambda: regions.finite_strata(errors=[0], drawn=[9], sizes=[8], delta=0.1),
            "drawn",
        ),
        (
            lambda: regions.finite_strata(errors=[0], drawn=[9], sizes=[2 * 10**7], delta=0.1),
            "10,000,000",
        ),
    ],
)
def test_bad_input_is_refused_in_a_sentence(call, message):
    with pytest.raises(ValueError, match=message):
        call()


def test_pairs_of_groups_that_are_left_out_at_once_would_not_have_won(monkeypatch):
    """The largest gap is the same to its last digit, whether such pairs are tried or not."""
    rng, seen = np.random.default_rng(8), []
    quick = _region_orders._stays_within
    for rate in (0.004, 0.06, 0.4):
        sizes = rng.integers(2100, 30_000, 5)
        errors = rng.binomial(sizes, rate * (1 + 0.2 * rng.random(5)))
        both = []
        for leave_out in (lambda *given: seen.append(quick(*given)) or seen[-1], lambda *_: False):
            monkeypatch.setattr(_region_orders, "_stays_within", leave_out)
            both.append(regions.gap(errors=errors, sizes=sizes, delta=0.05).bound)
        assert both[0] == both[1]
    assert sum(seen) > 10


def test_a_pair_is_left_out_at_once_only_if_its_bound_is_surely_smaller():
    rng, how = np.random.default_rng(9), _region_orders.Accuracy(0.05, 0.01)
    left_out = 0
    for _ in range(12):
        n, m = (int(k) for k in rng.integers(2001, 9000, 2))
        rate = float(rng.choice([0.0, 0.01, 0.2, 0.7]))
        pair = _region_orders.Counts(
            int(rng.binomial(n, rate)), int(rng.binomial(m, rate)), n, m, shared=False
        )
        bound = _region_orders.linear(pair, (1.0, -1.0), how)
        assert not _region_orders._stays_within(pair, how, bound - 1e-9)
        left_out += _region_orders._stays_within(pair, how, bound + 0.05)
    assert left_out > 6
