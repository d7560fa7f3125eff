"""Bands at all thresholds: known levels, exact rationals, coverage, and bands that are none."""

import math

import numpy as np
import pytest
from scipy import special, stats

from reference.bands import charges, stays_above, stays_between
from surelearn.bounds import _crossings, bands, inversions
from surelearn.evaluate.coverage import Coverage

ONE = {10: 0.00794337, 20: 0.00521687, 50: 0.00328740, 100: 0.00246093, 200: 0.00192048}
ONE |= {500: 0.00145578, 1000: 0.00121695, 2000: 0.00103862, 5000: 0.000864136, 10000: 0.000763760}
HALF = {10: 0.00368184, 20: 0.00237820, 50: 0.00147412, 100: 0.00109378, 200: 0.000848118}
HALF |= {500: 0.000639262, 1000: 0.000532917, 2000: 0.000454000}
HALF |= {5000: 0.000377202, 10000: 0.000333211}
BOTH = {10: 0.00369249, 20: 0.00238534, 50: 0.00147888, 100: 0.00109763, 200: 0.000851424}
BOTH |= {500: 0.000642126, 1000: 0.000535555, 2000: 0.000456463}
BOTH |= {5000: 0.000379478, 10000: 0.000335369}
TABLE = [(n, 0.05, 1, level) for n, level in ONE.items()]
TABLE += [(n, 0.025, 1, level) for n, level in HALF.items()]
TABLE += [(n, 0.05, 2, level) for n, level in BOTH.items()]


def six_digits(value):
    """Return six significant digits, rounded down."""
    unit = 10.0 ** (math.floor(math.log10(value)) - 5)
    return math.floor(value / unit * (1 + 1e-12)) * unit


def rows_of_the_table():
    """Yield what is solved for quickly, and the rest as slow."""
    for row in TABLE:
        quick = row[0] <= 1000 or row[:3] == (5000, 0.05, 1)
        yield pytest.param(*row, marks=() if quick else pytest.mark.slow)


@pytest.mark.parametrize(("n", "delta", "sides", "expected"), list(rows_of_the_table()))
def test_the_level_is_the_tabulated_one_to_six_digits(n, delta, sides, expected):
    found = bands.level(n=n, delta=delta, sides=sides)
    assert six_digits(found) == pytest.approx(expected, rel=1e-9)


@pytest.mark.parametrize(("n", "delta"), [(1, 0.05), (2, 0.3), (5, 0.05), (20, 0.01), (40, 0.9)])
def test_the_level_is_the_largest_with_seven_digits_by_exact_rationals(n, delta):
    def chance(level):
        i = np.arange(1, n + 1)
        return stays_above(special.betaincinv(i, n + 1.0 - i, level).tolist())

    found = bands.level(n=n, delta=delta)
    assert float(chance(found)) >= 1 - delta - 1e-14
    assert float(chance(found * (1 + 3e-6))) < 1 - delta


@pytest.mark.parametrize(("n", "level"), [(1, 0.02), (3, 0.01), (8, 0.004)])
def test_both_sides_agree_with_exact_rationals(n, level):
    i = np.arange(1, n + 1)
    low = special.betaincinv(i, n + 1.0 - i, level)
    times, kinds = np.concatenate([low, 1 - low[::-1]]), np.repeat([0, 1], n)
    order = np.argsort(times)
    least = np.where(kinds == 1, np.tile(i, 2), 0)[order]
    most = np.where(kinds == 0, np.tile(i, 2) - 1, n)[order]
    exact = stays_between(times[order].tolist(), least.tolist(), most.tolist(), n)
    assert _crossings.stay_inside(n, level) == pytest.approx(float(exact), abs=1e-13)


@pytest.mark.parametrize("n", [10, 100, 1000])
def test_smirnovs_boundary_has_the_chance_of_smirnovs_law(n):
    gap = stats.ksone.isf(0.05, n)
    i = np.arange(1, n + 1)
    limits = np.maximum(i / n - gap, 0.0)
    stays = _crossings.stay_between(limits, np.zeros(n, dtype=int), i - 1, n)
    # Points at 0 have chance 0, so limits of 0 demand nothing.
    assert stays == pytest.approx(0.95, abs=1e-9)


@pytest.mark.parametrize("n", [1, 2, 7, 100, 700])
def test_charged_crossings_are_those_of_the_plain_sum(n):
    assert _crossings.cross_at_most(n, 0.003) == pytest.approx(charges(n, 0.003), rel=5e-3)
    assert _crossings.cross_at_most(n, 0.003) >= charges(n, 0.003) * (1 - 1e-9)


@pytest.mark.parametrize(("n", "level"), [(20, 0.005), (300, 0.002), (3000, 0.001), (9000, 3e-4)])
def test_crossings_are_charged_more_than_their_chance_and_not_much_more(n, level):
    exact = 1.0 - _crossings.stay_above(n, level)
    charged = _crossings.cross_at_most(n, level)
    assert exact <= charged <= 1.2 * exact


def test_blocks_charge_more_than_single_counts_by_little():
    blocks, single = _crossings.cross_at_most(8000, 8e-4), charges(8000, 8e-4)
    assert single <= blocks <= 1.04 * single


def test_the_level_of_many_rows_is_exactly_valid():
    n = 10_001
    found = bands.level(n=n, delta=0.05)
    assert _crossings.stay_above(n, found) >= 0.95
    assert 0.82 * ONE[10_000] < found < ONE[10_000]


@pytest.mark.parametrize("level", [0.05, 1e-3, 1e-7])
def test_the_two_inequalities_about_neighbours_hold(level):
    n = 3000
    k = np.arange(n - 1.0)
    u = special.betainccinv(k + 1.0, n - k, level)
    step, inside = np.diff(u), u[:-1] > (k[:-1] + 1.0) / (n - 1.0)
    assert inside[: n - 60].all()
    at_least = (1.0 - u[:-1]) / (n - 1.0 - k[:-1])
    assert np.all((step >= at_least * (1 - 1e-6))[inside])
    assert np.all(step[inside] <= (u[1:] / (k[1:]))[inside] * (1 + 1e-6))


@pytest.mark.parametrize("delta", [1e-4, 1e-7, 1e-30, 1e-199, 1e-201, 1e-290])
@pytest.mark.parametrize("n", [1, 3, 50, 20_000])
def test_tiny_deltas_have_levels_between_a_union_and_one_threshold(n, delta):
    for sides in (1, 2):
        found = bands.level(n=n, delta=delta, sides=sides)
        assert delta / (sides * n) * (1 - 1e-6) <= found <= delta


@pytest.mark.parametrize("n", [30, 700, 15_000])
def test_a_larger_delta_has_a_larger_level(n):
    levels = [
        bands.level(n=n, delta=d) for d in (1e-6, 0.9e-4, 1.1e-4, 0.01, 0.3, 0.7, 0.99, 1 - 1e-16)
    ]
    assert levels == sorted(levels)


def test_the_band_has_the_tabulated_values():
    found = bands.upper([0, 2, 20, 100, 200], 200, 0.05)
    assert found.round(4).tolist() == [0.0308, 0.0511, 0.1759, 0.6035, 1.0]
    ranks = [250, 450, 475, 495, 500]
    expected = [0.432773, 0.853970, 0.914012, 0.968489, 0.987021]
    assert bands.lower(ranks, 500, 0.05) == pytest.approx(expected, abs=6e-7)


VALUES = {
    "sensitivity": (bands.sensitivity(n_hits=90, n_positive=100, delta=0.05), 0.776734),
    "false alarms": (bands.false_alarms(n_false=40, n_negative=900, delta=0.05), 0.0713565),
    "precision": (bands.precision(n_hits=90, n_false=40, n=1000, delta=0.05), 0.494517),
    "selective": (bands.selective_risk(errors=10, n_kept=500, n=1000, delta=0.05), 0.055733),
    "tolerance": (bands.share_beyond(n_beyond=25, n=500, delta=0.05), 0.085988),
    "rank": (bands.share_within(rank=495, n=500, delta=0.05), 0.968489),
}


@pytest.mark.parametrize("name", VALUES)
def test_claims_have_the_tabulated_values_rounded_outward(name):
    guarantee, expected = VALUES[name]
    assert guarantee.bound == pytest.approx(expected, rel=5e-6)
    assert bands.level(n=100, delta=1 - math.sqrt(0.95)) == pytest.approx(0.00110995, rel=1e-5)


def test_net_benefit_is_the_difference_of_two_bands():
    guarantee = bands.net_benefit(
        n_hits=90, n_false=40, n=1000, threshold_probability=0.2, delta=0.05
    )
    hits, false = bands.lower(90, 1000, 0.025), bands.upper(40, 1000, 0.025)
    assert guarantee.bound == pytest.approx(float(hits - 0.25 * false), abs=1e-9)
    assert guarantee.bound <= float(hits - 0.25 * false)


def test_lines_between_knots_are_above_the_band_by_little():
    n, counts = 60_000, np.arange(60_001)
    level = bands.level(n=n, delta=0.05)
    off = n * (bands.upper(counts, n, 0.05) - inversions.binomial_upper(counts, n, level))
    below = n * (inversions.binomial_lower(counts, n, level) - bands.lower(counts, n, 0.05))
    for distance in (off, below):
        assert distance.min() >= -1e-9
        assert 0.01 < distance.max() < 0.2
    assert np.all(np.diff(bands.upper(counts, n, 0.05)) > 0)


def crossed(scores, upper):
    """Return in which samples of uniform scores some P(S < t) exceeds its band."""
    return (np.sort(scores, axis=1) > upper).any(axis=1)


@pytest.mark.parametrize("n", [30, 200])
def test_all_thresholds_are_covered_exactly_if_scores_are_continuous(n, repetitions):
    scores = np.random.default_rng(1).random((repetitions, n))
    misses = crossed(scores, bands.upper(np.arange(n), n, 0.1))
    result = Coverage(misses.astype(float), np.full(repetitions, 0.5), 0.1)
    assert not result.refuted()
    assert result.miss_rate > 0.05


def test_pointwise_bounds_read_as_a_band_miss_often():
    scores = np.random.default_rng(2).random((400, 200))
    upper = inversions.binomial_upper(np.arange(200), 200, 0.1)
    assert crossed(scores, upper).mean() > 0.6


def test_ties_only_help(repetitions):
    rng, shares = np.random.default_rng(3), np.array([0.05, 0.2, 0.5, 0.2, 0.05])
    counts = np.cumsum(rng.multinomial(60, shares, size=repetitions), axis=1)
    misses = (np.cumsum(shares)[:-1] > bands.upper(counts, 60, 0.1)[:, :-1]).any(axis=1)
    assert misses.mean() <= 0.1
    both = bands.upper(counts, 60, 0.1, sides=2), bands.lower(counts, 60, 0.1, sides=2)
    truth = np.cumsum(shares)[:-1]
    outside = (truth > both[0][:, :-1]) | (truth < both[1][:, :-1])
    assert outside.any(axis=1).mean() <= 0.1


def sub_distributions(rng, n, thresholds):
    """Draw scores and labels; return hits and false alarms at thresholds, and the truth there."""
    positive = rng.random(n) < 0.3
    scores = np.where(positive, rng.beta(2, 1, n), rng.beta(1, 2, n))
    hits = (scores[positive][:, None] >= thresholds).sum(axis=0)
    false = (scores[~positive][:, None] >= thresholds).sum(axis=0)
    p = 0.3 * stats.beta.sf(thresholds, 2, 1)
    q = 0.7 * stats.beta.sf(thresholds, 1, 2)
    return hits, false, p, q


def test_precision_and_net_benefit_hold_at_the_best_looking_threshold(repetitions):
    rng, thresholds, n = np.random.default_rng(4), np.linspace(0.02, 0.98, 97), 150
    misses = 0
    for _ in range(repetitions):
        hits, false, p, q = sub_distributions(rng, n, thresholds)
        low, high = bands.lower(hits, n, 0.05), bands.upper(false, n, 0.05)
        misses += bool(np.any(low / (low + high) > p / (p + q)) or np.any(low > p))
    assert stats.binom.sf(misses - 1, repetitions, 0.1) > 1e-3


def test_both_curves_of_a_roc_band_hold_together(repetitions):
    rng, half = np.random.default_rng(5), 1 - math.sqrt(0.9)
    below = [
        crossed(rng.random((repetitions, n)), bands.upper(np.arange(n), n, half)) for n in (80, 120)
    ]
    misses = (below[0] | below[1]).astype(float)
    assert not Coverage(misses, np.full(repetitions, 0.5), 0.1).refuted()
    assert misses.mean() > 0.05
    joint = bands.false_alarms(n_false=7, n_negative=120, delta=0.1).bound
    assert joint == pytest.approx(float(bands.upper(7, 120, half)), rel=1e-6)


@pytest.mark.parametrize(
    ("call", "named"),
    [
        (lambda: bands.level(n=0, delta=0.05), "n"),
        (lambda: bands.level(n=10**9, delta=0.05), "n"),
        (lambda: bands.level(n=10, delta=0.05, sides=3), "sides"),
        (lambda: bands.level(n=10, delta=1e-300), "delta"),
        (lambda: bands.level(n=10, delta=5e-324), "delta"),
        (lambda: bands.upper([1.5], 10, 0.05), "counts"),
        (lambda: bands.upper([11], 10, 0.05), "counts"),
        (lambda: bands.upper([math.nan], 10, 0.05), "counts"),
        (lambda: bands.upper(["a"], 10, 0.05), "counts"),
        (lambda: bands.precision(n_hits=6, n_false=5, n=10, delta=0.05), "n_false"),
        (lambda: bands.selective_risk(errors=5, n_kept=4, n=10, delta=0.05), "errors"),
        (lambda: bands.share_within(rank=0, n=10, delta=0.05), "rank"),
    ],
)
def test_what_is_outside_its_domain_is_refused_by_name(call, named):
    with pytest.raises(ValueError, match=named):
        call()


def test_no_rows_say_nothing():
    assert bands.upper([0], 0, 0.05).tolist() == [1.0]
    assert bands.lower([0], 0, 0.05).tolist() == [0.0]
    assert bands.sensitivity(n_hits=0, n_positive=0, delta=0.05).vacuous
    assert bands.false_alarms(n_false=0, n_negative=0, delta=0.05).vacuous
    assert bands.selective_risk(errors=0, n_kept=0, n=10, delta=0.05).vacuous
