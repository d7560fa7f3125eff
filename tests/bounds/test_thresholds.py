"""Thresholds with one guaranteed rate: known ranks, coverage with ties, and rules that break it."""

import math

import numpy as np
import pytest
from scipy import stats

from surelearn.bounds import concentration, holdout, thresholds
from surelearn.evaluate.coverage import Coverage


@pytest.mark.parametrize(
    ("n", "missed", "expected"), [(59, 0.05, 0), (100, 0.1, 4), (500, 0.1, 38), (1000, 0.05, 38)]
)
def test_the_rank_of_the_threshold_is_the_tabulated_one(n, missed, expected):
    rank = thresholds.threshold_index(n_positive=n, sensitivity=1 - missed, delta=0.05)
    assert rank == expected + 1
    found = thresholds.sensitivity_at_rank(rank=rank, n_positive=n, delta=0.05)
    beyond = thresholds.sensitivity_at_rank(rank=rank + 1, n_positive=n, delta=0.05)
    assert beyond.bound < 1 - missed <= found.bound + 1e-9


def test_too_few_positive_rows_are_refused_with_the_number_needed():
    with pytest.raises(ValueError, match="at least 29"):
        thresholds.threshold_index(n_positive=28, sensitivity=0.9, delta=0.05)
    assert thresholds.threshold_index(n_positive=29, sensitivity=0.9, delta=0.05) == 1


SCORES = {
    "continuous": (lambda rng, size: rng.normal(size=size), stats.norm.sf),
    "five values": (
        lambda rng, size: rng.integers(0, 5, size=size).astype(float),
        lambda t: 1 - np.ceil(t) / 5,
    ),
}


@pytest.mark.parametrize("law", SCORES)
def test_the_sensitivity_of_the_chosen_threshold_is_guaranteed(law, repetitions):
    draw, at_least = SCORES[law]
    rank = thresholds.threshold_index(n_positive=60, sensitivity=0.8, delta=0.1)
    scores = np.sort(draw(np.random.default_rng(1), (repetitions, 60)), axis=1)
    bound = thresholds.sensitivity_at_rank(rank=rank, n_positive=60, delta=0.1).bound
    missed = 1 - at_least(scores[:, rank - 1])
    assert not Coverage(missed, np.full(repetitions, 1 - bound), 0.1).refuted()


def test_deploying_a_strict_inequality_breaks_the_sensitivity():
    rank = thresholds.threshold_index(n_positive=60, sensitivity=0.85, delta=0.1)
    scores = np.sort(SCORES["five values"][0](np.random.default_rng(2), (400, 60)), axis=1)
    chosen = scores[:, rank - 1]
    assert (1 - chosen / 5 < 0.85).mean() <= 0.1
    assert (1 - (chosen + 1) / 5 < 0.85).mean() > 0.9  # "score > threshold"


@pytest.mark.parametrize(
    ("n", "alpha", "rank"), [(100, 0.1, 96), (500, 0.1, 462), (1000, 0.1, 916), (1000, 0.05, 962)]
)
def test_sets_of_the_tabulated_rank_have_the_coverage_asked_for(n, alpha, rank):
    assert holdout.quantile_index(n=n, alpha=alpha, delta=0.05) == rank
    assert thresholds.coverage(rank=rank, n=n, delta=0.05).bound >= 1 - alpha
    assert thresholds.coverage(rank=rank - 1, n=n, delta=0.05).bound < 1 - alpha
    quantile = stats.beta.ppf(0.05, rank, n + 1 - rank)
    assert thresholds.coverage(rank=rank, n=n, delta=0.05).bound == pytest.approx(quantile)


def test_an_infinite_threshold_covers_all():
    assert thresholds.coverage(rank=11, n=10, delta=0.05).bound == 1.0
    assert thresholds.coverage(rank=1, n=0, delta=0.05).bound == 1.0
    assert thresholds.marginal_coverage(rank=11, n=10).bound == 1.0
    found = thresholds.coverage_by_class(ranks=[97, 4], n_in_class=[100, 3], delta=0.05)
    one = thresholds.coverage(rank=97, n=100, delta=1 - math.sqrt(0.95)).bound
    assert found.bound == pytest.approx(one, rel=1e-9)


def test_classes_share_delta_and_the_worst_case_does_not_serve(repetitions):
    rng = np.random.default_rng(3)
    rank = holdout.quantile_index(n=100, alpha=0.1, delta=0.1)
    kept = holdout.quantile_index(n=100, alpha=0.1, delta=1 - 0.9 ** (1 / 3))
    # The coverage at the r-th smallest of n continuous scores is Beta(r, n + 1 - r).
    unadjusted = rng.beta(rank, 101 - rank, size=(2000, 3)).min(axis=1)
    assert (unadjusted < 0.9).mean() > 0.13
    bound = thresholds.coverage_by_class(ranks=[kept] * 3, n_in_class=[100] * 3, delta=0.1).bound
    assert bound >= 0.9
    least = rng.beta(kept, 101 - kept, size=(repetitions, 3)).min(axis=1)
    assert not Coverage(1 - least, np.full(repetitions, 1 - bound), 0.1).refuted()


def test_coverage_on_average_is_no_coverage_for_these_rows():
    rank = thresholds.marginal_index(n=200, alpha=0.1)
    found = thresholds.marginal_coverage(rank=rank, n=200)
    assert (rank, found.confidence, found.validity) == (181, None, "in-expectation")
    covered = np.random.default_rng(4).beta(rank, 201 - rank, size=4000)
    assert covered.mean() == pytest.approx(found.bound, abs=0.002)
    assert (covered < 0.9).mean() > 0.4


@pytest.mark.parametrize("n", [9, 19, 99, 999])
def test_the_index_of_conformal_sets_does_not_round_up_whole_numbers(n):
    assert thresholds.marginal_index(n=n, alpha=0.1) == (n + 1) * 9 // 10


def ladder(rng, n, risk, shares):
    """Return errors and rows kept at thresholds that keep such shares, all with the same risk."""
    kept = np.cumsum(rng.multinomial(n, np.diff([0.0, *shares, 1.0])))[:-1]
    return np.cumsum(rng.binomial(np.diff([0, *kept]), risk)), kept


def test_a_fixed_sequence_seldom_passes_what_is_just_bad_and_a_search_often_does(repetitions):
    rng, shares = np.random.default_rng(5), np.linspace(0.1, 0.95, 18)
    passed = searched = 0
    for _ in range(repetitions):
        errors, kept = ladder(rng, 500, 0.1001, shares)
        passed += thresholds.n_passed_risk(errors=errors, n_kept=kept, target=0.1, delta=0.1) > 0
        searched += bool(np.any(stats.binom.cdf(errors, kept, 0.1) <= 0.1))
    assert stats.binom.sf(passed - 1, repetitions, 0.1) > 1e-3
    assert searched / repetitions > 0.2


def test_the_sequence_stops_at_its_first_failure():
    errors, kept = [0, 5, 5], [60, 65, 500]
    alone = concentration.clopper_pearson(errors=5, n=500, delta=0.05)
    assert alone.bound < 0.05
    assert thresholds.n_passed_risk(errors=errors, n_kept=kept, target=0.05, delta=0.05) == 1
    hits = [k - e for k, e in zip(kept, errors, strict=True)]
    same = thresholds.n_passed_precision(n_hits=hits, n_flagged=kept, target=0.95, delta=0.05)
    assert same == 1


def test_without_a_pass_there_is_nothing_to_state():
    with pytest.raises(ValueError, match="not even the first"):
        thresholds.selective_risk(errors=[0], n_kept=[58], target=0.05, delta=0.05)
    with pytest.raises(ValueError, match="not even the first"):
        thresholds.precision(n_hits=[0], n_flagged=[0], target=0.5, delta=0.05)


@pytest.mark.parametrize(
    ("errors", "kept", "named"),
    [
        ([1, 0], [60, 70], "errors"),
        ([0, 1], [70, 60], "n_kept"),
        ([0, 9], [60, 65], "n_kept"),
        ([3], [2], "errors"),
        ([0, 1], [60], "errors"),
        ([0.5], [60], "errors"),
        ([], [], "errors"),
    ],
)
def test_counts_that_no_thresholds_have_are_refused(errors, kept, named):
    with pytest.raises(ValueError, match=named):
        thresholds.n_passed_risk(errors=errors, n_kept=kept, target=0.05, delta=0.05)


def test_ranks_beyond_their_rows_are_refused():
    with pytest.raises(ValueError, match="rank"):
        thresholds.coverage(rank=12, n=10, delta=0.05)
    with pytest.raises(ValueError, match="ranks"):
        thresholds.coverage_by_class(ranks=[5, 12], n_in_class=[10, 10], delta=0.05)
    with pytest.raises(ValueError, match="ranks"):
        thresholds.coverage_by_class(ranks=[5], n_in_class=[10, 10], delta=0.05)


def test_the_risk_above_a_rank_is_covered_at_the_threshold_that_was_read_off(repetitions):
    rng = np.random.default_rng(6)
    scores = rng.random((repetitions, 100))
    errors = rng.random((repetitions, 100)) < 0.5 - 0.4 * scores  # the surer, the better
    order = np.argsort(-scores, axis=1)
    above = np.take_along_axis(errors, order, axis=1)[:, :40].sum(axis=1)
    t = np.take_along_axis(scores, order, axis=1)[:, 40]
    truth = 0.5 - 0.4 * (1 + t) / 2  # the mean of the risk on (t, 1)
    found = [thresholds.risk_above_rank(errors=int(k), n_kept=40, delta=0.1).bound for k in above]
    assert not Coverage(truth, np.array(found), 0.1).refuted()


def test_several_ranks_share_delta():
    one = thresholds.risk_above_rank(errors=10, n_kept=500, delta=0.05 / 20).bound
    many = thresholds.risk_above_rank(errors=10, n_kept=500, delta=0.05, n_ranks=20).bound
    assert many == pytest.approx(one, rel=1e-9)
    assert many == pytest.approx(0.044637, abs=5e-7)
    assert thresholds.risk_above_rank(errors=0, n_kept=0, delta=0.05).vacuous
