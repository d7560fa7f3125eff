"""VC bounds: known values, growth functions counted, coverage, and worlds that break them."""

import itertools
import math

import numpy as np
import pytest
from scipy import optimize

from surelearn.bounds import inversions, vc
from surelearn.evaluate.coverage import Coverage


def moment_table(theorem, n, **inputs):
    """Return the bound for every number of training errors 0..n."""
    return np.array([theorem(errors=k, n=n, **inputs).bound for k in range(n + 1)])


@pytest.mark.parametrize(
    ("n", "vc_dimension", "errors", "expected"),
    [
        (100, 2, 0, 0.14301854),
        (100, 2, 5, 0.27328996),
        (1000, 3, 50, 0.12141697),
        (2000, 21, 100, 0.16669142),
        (569, 31, 7, 0.25291024),
    ],
)
def test_moment_gives_the_values_of_the_proof(n, vc_dimension, errors, expected):
    bound = vc.moment(errors=errors, n=n, vc_dimension=vc_dimension, delta=0.05).bound
    assert bound == pytest.approx(expected, abs=1e-7)


def test_the_realizable_form_gives_the_value_of_the_proof():
    bound = vc.moment_realizable(n=100, vc_dimension=2, delta=0.05).bound
    assert bound == pytest.approx(0.13058785, abs=1e-7)


@pytest.mark.parametrize(
    ("n", "dimension", "errors", "expected"),
    [(569, 30, 7, 0.249), (1797, 64, 121, 0.302), (4000, 20, 148, 0.109)],
)
def test_linear_gives_the_values_measured_on_real_data(n, dimension, errors, expected):
    bound = vc.linear(errors=errors, n=n, dimension=dimension, delta=0.05).bound
    assert bound == pytest.approx(expected, abs=6e-4)


def test_the_closed_form_has_half_the_slack_in_circulation_and_the_moment_form_a_third_of_it():
    for n, closed_slack, moment_slack in [(2000, 0.365, 0.117), (10_000, 0.184, 0.049)]:
        inputs = {"errors": n // 20, "n": n, "vc_dimension": 21, "delta": 0.05}
        assert vc.closed_form(**inputs).bound - 0.05 == pytest.approx(closed_slack, abs=6e-4)
        assert vc.moment(**inputs).bound - 0.05 == pytest.approx(moment_slack, abs=6e-4)


def test_two_classes_of_affine_scores_are_one_half_space():
    inputs = {"errors": 3, "n": 400, "dimension": 5, "delta": 0.05}
    assert vc.linear_multiclass(**inputs, n_classes=2).bound == vc.linear(**inputs).bound


@pytest.mark.parametrize(("n", "d"), [(0, 0), (1, 3), (7, 2), (7, 7), (60, 9), (300, 299)])
def test_sauer_equals_its_sum_of_binomials(n, d):
    exact = sum(math.comb(n, i) for i in range(d + 1))
    assert vc.log_sauer(n=n, vc_dimension=d) == pytest.approx(math.log(exact), rel=1e-12)


def test_sauer_is_at_most_its_power_form_and_keeps_its_digits_at_a_million():
    patterns, power = math.exp(vc.log_sauer(n=1000, vc_dimension=3)), (math.e * 1000 / 3) ** 3
    assert (patterns, power) == pytest.approx((166_667_501, 7.439e8), rel=1e-4)
    assert round(patterns) == 166_667_501
    assert patterns < power
    exact = math.log(sum(math.comb(10**6, i) for i in range(6)))
    assert vc.log_sauer(n=10**6, vc_dimension=5) == pytest.approx(exact, rel=1e-14)


def affinely_separable(points, positive):
    """Whether some w.x + b is >= 1 on the positive points and <= -1 on the others (an LP)."""
    signs = np.where(positive, 1.0, -1.0)
    constraints = -signs[:, None] * np.column_stack([points, np.ones(len(points))])
    result = optimize.linprog(
        np.zeros(constraints.shape[1]), constraints, -np.ones(len(points)), bounds=(None, None)
    )
    return result.status == 0


@pytest.mark.parametrize(("n", "dimension"), [(4, 2), (5, 2), (5, 3), (6, 1)])
def test_cover_counts_the_dichotomies_of_points_in_general_position(n, dimension):
    points = np.random.default_rng(0).normal(size=(n, dimension))
    patterns = itertools.product([False, True], repeat=n)
    count = sum(affinely_separable(points, np.array(p)) for p in patterns)
    assert math.exp(vc.log_cover_halfspaces(n=n, dimension=dimension)) == pytest.approx(count)


def distinct_rows(patterns):
    return len(np.unique(patterns, axis=0))


def stump_patterns(x):
    """Return all labellings of the rows of x by one threshold on one feature."""
    cuts = [(j, c) for j in range(x.shape[1]) for c in [-np.inf, *x[:, j]]]
    above = np.array([x[:, j] > c for j, c in cuts])
    return np.unique(np.concatenate([above, ~above]), axis=0)


def test_stumps_make_no_more_patterns_than_counted():
    x = np.random.default_rng(1).normal(size=(9, 3))
    assert len(stump_patterns(x)) <= round(math.exp(vc.log_growth_stumps(n=9, dimension=3)))
    one_feature = math.exp(vc.log_growth_stumps(n=9, dimension=1))
    assert len(stump_patterns(x[:, :1])) == pytest.approx(one_feature)


def test_a_tree_with_two_thresholds_makes_no_more_patterns_than_counted():
    x = np.random.default_rng(2).normal(size=(8, 2))
    cuts = itertools.product([-np.inf, *x[:, 0]], [-np.inf, *x[:, 1]])
    patterns = [(x[:, 0] > a) & (x[:, 1] > b) for a, b in cuts]
    assert math.log(distinct_rows(patterns)) <= vc.log_growth_tree_thresholds(n=8, n_thresholds=2)


def test_votes_make_no_more_patterns_than_counted():
    rng = np.random.default_rng(3)
    base = np.where(stump_patterns(rng.normal(size=(6, 2))), 1.0, -1.0)
    votes = [
        w @ base[list(members)] > 0.0
        for members in itertools.combinations(range(len(base)), 3)
        for w in rng.normal(size=(20, 3))
    ]
    member = vc.log_growth_stumps(n=6, dimension=2)
    bound = vc.log_growth_votes(n=6, n_members=3, log_growth_member=member)
    assert distinct_rows(votes) > len(base)  # votes do make new patterns
    assert math.log(distinct_rows(votes)) <= bound


def test_an_argmax_of_affine_scores_makes_no_more_patterns_than_counted():
    rng = np.random.default_rng(4)
    x = rng.normal(size=7)
    scores = rng.normal(size=(20_000, 3, 1)) * x + rng.normal(size=(20_000, 3, 1))
    bound = vc.log_growth_multiclass_linear(n=7, dimension=1, n_classes=3)
    assert math.log(distinct_rows(scores.argmax(axis=1))) <= bound


def test_the_search_for_the_moment_finds_the_best_one():
    rng = np.random.default_rng(5)
    for _ in range(40):
        n, d, delta = int(rng.integers(1, 40)), int(rng.integers(0, 8)), 10.0 ** -rng.uniform(0, 9)
        k = int(rng.integers(0, n))
        t = np.arange(1, 8 * n + 2)
        ratio = np.cumsum(np.log((k + t) / (n + t)))
        growth = np.array([vc.log_sauer(n=n + int(i), vc_dimension=d) for i in t])
        best = np.min((growth + ratio - math.log(delta) - vc.log_error_weight(k, n)) / t)
        found = vc.moment_root(
            lambda m, d=d: vc.log_sauer(n=m, vc_dimension=d), n, k, math.log(delta)
        )
        assert min(1.0, math.exp(best)) <= found <= min(1.0, math.exp(best)) * (1 + 1e-9)


def test_the_weights_of_the_numbers_of_errors_sum_to_at_most_one():
    for n in (1, 7, 1000):
        assert sum(math.exp(vc.log_error_weight(k, n)) for k in range(n + 1)) <= 1.0


def test_the_bound_exceeds_the_unproved_binomial_inversion_by_two_to_eighteen_percent():
    for n, d, k in [(100, 2, 0), (1000, 3, 50), (2000, 21, 100), (569, 31, 7)]:
        log_level = math.log(0.05) + vc.log_error_weight(k, n) - vc.log_sauer(n=n, vc_dimension=d)
        ideal = inversions.binomial_upper_at_log_level(k, n, log_level)
        bound = vc.moment(errors=k, n=n, vc_dimension=d, delta=0.05).bound
        assert 1.01 * ideal < bound < 1.19 * ideal


@pytest.mark.parametrize(
    ("inputs", "low", "high"),
    [
        ({"errors": 0, "n": 10**6, "vc_dimension": 10}, 1e-4, 2e-4),
        ({"errors": 10**5, "n": 10**6, "vc_dimension": 10}, 0.104, 0.106),
        ({"errors": 5 * 10**6, "n": 10**7, "vc_dimension": 3}, 0.5, 0.503),
        ({"errors": 7, "n": 7, "vc_dimension": 3}, 1.0, 1.0),
        ({"errors": 4, "n": 5, "vc_dimension": 3}, 1.0, 1.0),
        ({"errors": 0, "n": 1, "vc_dimension": 0}, 1.0, 1.0),
        ({"errors": 0, "n": 100, "vc_dimension": 10**6}, 1.0, 1.0),
    ],
)
def test_extreme_sizes_stay_within_reason_and_are_capped_at_one(inputs, low, high):
    assert low <= vc.moment(**inputs, delta=0.05).bound <= high


def test_a_tiny_delta_costs_little_and_never_gives_nan():
    tiny = vc.moment(errors=5, n=1000, vc_dimension=2, delta=1e-300).bound
    assert 0.4 < tiny < 0.7


def threshold_samples(rng, repetitions, n, noise):
    """Draw x uniform on [0, 1], y = [x > 1/2] flipped with probability `noise`, sorted by x.

    Returns the errors of the n + 1 distinct rules [x > threshold] on each sample and the largest
    and smallest risk over the thresholds that make each pattern: both exactly.
    """
    x = np.sort(rng.random((repetitions, n)), axis=1)
    y = (x > 0.5) ^ (rng.random((repetitions, n)) < noise)
    zeros = np.zeros((repetitions, 1))
    ones_below = np.concatenate([zeros, np.cumsum(y, axis=1)], axis=1)
    zeros_above = np.concatenate([np.cumsum(~y[:, ::-1], axis=1)[:, ::-1], zeros], axis=1)
    edges = np.concatenate([zeros, x, zeros + 1.0], axis=1)
    low, high = edges[:, :-1] - 0.5, edges[:, 1:] - 0.5
    farthest = np.maximum(np.abs(low), np.abs(high))
    nearest = np.where((low <= 0) & (high >= 0), 0.0, np.minimum(np.abs(low), np.abs(high)))
    errors = (ones_below + zeros_above).astype(int)
    return errors, noise + (1 - 2 * noise) * farthest, noise + (1 - 2 * noise) * nearest


@pytest.mark.parametrize("noise", [0.0, 0.2])
@pytest.mark.parametrize("n", [15, 60])
def test_moment_holds_for_all_thresholds_at_once(n, noise, repetitions):
    rng = np.random.default_rng(6)
    errors, risks, _ = threshold_samples(rng, repetitions, n, noise)
    table = moment_table(vc.moment, n, vc_dimension=1, delta=0.5)
    worst = (risks - table[errors]).max(axis=1)
    assert not Coverage(worst, np.zeros(repetitions), 0.5).refuted()


def test_the_realizable_form_holds_for_all_consistent_thresholds(repetitions):
    rng = np.random.default_rng(7)
    errors, risks, _ = threshold_samples(rng, repetitions, 40, 0.0)
    worst = np.where(errors == 0, risks, 0.0).max(axis=1)
    bound = vc.moment_realizable(n=40, vc_dimension=1, delta=0.2).bound
    assert worst.max() > 0.1  # the bound is asked something
    assert not Coverage(worst, np.full(repetitions, bound), 0.2).refuted()


def test_noisy_labels_break_realizability_and_the_check_notices():
    rng = np.random.default_rng(8)
    errors, risks, _ = threshold_samples(rng, 400, 40, 0.3)
    fewest = np.take_along_axis(risks, errors.argmin(axis=1)[:, None], axis=1)[:, 0]
    bound = vc.moment_realizable(n=40, vc_dimension=1, delta=0.2).bound
    assert Coverage(fewest, np.full(400, bound), 0.2).refuted()


def test_the_closed_forms_hold_for_all_thresholds_at_once(repetitions):
    rng = np.random.default_rng(9)
    n, delta = 50, 0.3
    errors, largest, smallest = threshold_samples(rng, repetitions, n, 0.2)
    table = moment_table(vc.closed_form, n, vc_dimension=1, delta=delta)
    beyond = (largest - table[errors]).max(axis=1)
    assert not Coverage(beyond, np.zeros(repetitions), delta).refuted()

    distance = np.maximum(np.abs(largest - errors / n), np.abs(smallest - errors / n)).max(axis=1)
    uniform = vc.uniform_convergence(n=n, vc_dimension=1, delta=delta).bound
    assert not Coverage(distance, np.full(repetitions, uniform), delta).refuted()

    chosen = np.take_along_axis(largest, errors.argmin(axis=1)[:, None], axis=1)[:, 0]
    excess = vc.agnostic_excess(n=n, vc_dimension=1, delta=delta).bound
    assert not Coverage(chosen - 0.2, np.full(repetitions, excess), delta).refuted()


@pytest.mark.parametrize("name", ["moment", "closed_form", "uniform_convergence"])
def test_copied_rows_break_independence_and_the_check_notices(name):
    rng = np.random.default_rng(10)
    copies, inputs = 100, {"n": 1200, "vc_dimension": 1, "delta": 0.05}
    errors, _, _ = threshold_samples(rng, 400, 12, 0.5)  # every threshold has risk 1/2
    if name == "uniform_convergence":
        table = np.arange(13) / 12 + vc.uniform_convergence(**inputs).bound
    else:
        table = np.array([getattr(vc, name)(errors=copies * k, **inputs).bound for k in range(13)])
    assert Coverage(np.full(400, 0.5), table[errors.min(axis=1)], 0.05).refuted()


def test_copied_rows_break_the_excess_of_the_agnostic_learner():
    rng = np.random.default_rng(11)
    errors, risks, _ = threshold_samples(rng, 400, 12, 0.4)
    chosen = np.take_along_axis(risks, errors.argmin(axis=1)[:, None], axis=1)[:, 0]
    bound = vc.agnostic_excess(n=12_000, vc_dimension=1, delta=0.05).bound
    assert Coverage(chosen - 0.4, np.full(400, bound), 0.05).refuted()


def fewest_errors_on_noise(rng, repetitions, n, n_rules, n_classes=2):
    """Return the fewest errors of many random affine rules of the plane on random labels.

    The labels are independent of the points, so every rule has the same risk.
    """
    best = np.empty(repetitions, dtype=int)
    for i in range(repetitions):
        x = rng.normal(size=(n, 2))
        y = rng.integers(n_classes, size=n)
        scores = x @ rng.normal(size=(n_rules, 2, n_classes)) + rng.normal(
            size=(n_rules, 1, n_classes)
        )
        best[i] = np.count_nonzero(scores.argmax(axis=2) != y, axis=1).min()
    return best


def test_linear_holds_for_the_luckiest_of_many_lines(repetitions):
    best = fewest_errors_on_noise(np.random.default_rng(12), repetitions, 40, 300)
    table = moment_table(vc.linear, 40, dimension=2, delta=0.3)
    assert best.mean() < 14  # far below the 20 errors of a fixed rule
    assert not Coverage(np.full(repetitions, 0.5), table[best], 0.3).refuted()


def test_linear_multiclass_holds_for_the_luckiest_of_many_argmaxes(repetitions):
    best = fewest_errors_on_noise(np.random.default_rng(13), repetitions, 60, 100, n_classes=3)
    table = moment_table(vc.linear_multiclass, 60, dimension=2, n_classes=3, delta=0.3)
    assert not Coverage(np.full(repetitions, 2 / 3), table[best], 0.3).refuted()


@pytest.mark.parametrize(
    ("theorem", "inputs", "n_classes"),
    [(vc.linear, {}, 2), (vc.linear_multiclass, {"n_classes": 3}, 3)],
)
def test_copied_rows_break_the_linear_bounds_and_the_check_notices(theorem, inputs, n_classes):
    rng = np.random.default_rng(15)
    best = fewest_errors_on_noise(rng, 100, 12, 300, n_classes)
    table = [theorem(errors=200 * k, n=2400, dimension=2, delta=0.05, **inputs) for k in range(13)]
    bounds = np.array([table[k].bound for k in best])
    assert Coverage(np.full(100, 1 - 1 / n_classes), bounds, 0.05).refuted()


def test_a_class_chosen_after_looking_breaks_the_bound_and_the_check_notices():
    rng = np.random.default_rng(14)
    n, n_features, repetitions = 30, 20_000, 30
    table = moment_table(vc.linear, n, dimension=1, delta=0.5)
    bounds = np.empty(repetitions)
    for i in range(repetitions):
        # The best of many noise features, then counted as if it had been the only one.
        y = rng.random(n) < 0.5
        labels = y[np.argsort(rng.random((n_features, n)), axis=1)]
        wrong = np.cumsum(np.where(labels, 1, -1), axis=1) + np.count_nonzero(~y)
        bounds[i] = table[min(wrong.min(), n - wrong.max())]
    assert Coverage(np.full(repetitions, 0.5), bounds, 0.5).refuted()
