"""Ratios by betting: known values, plain loops, coverage, dependent rows taken as draws."""

import math

import numpy as np
import pytest

from reference import claims
from surelearn.bounds import concentration, rates, ratios, sequences

SIZES = np.tile([5, 3, 8, 2, 4, 6, 1, 7, 5, 4], 20)
WRONG = np.tile([1, 0, 2, 0, 0, 1, 0, 1, 0, 0], 20)
WEIGHTS = np.tile([0.5, 1.0, 2.0, 1.5], 100)
LOSSES = np.tile([0.0] * 9 + [1.0], 40)


def distinct(first, second):
    """Return the distinct pairs of two columns, and how often each occurs."""
    pairs, counts = np.unique(np.column_stack([first, second]), axis=0, return_counts=True)
    return pairs[:, 0], pairs[:, 1], counts


def test_clusters_have_their_tabulated_bounds():
    wrong, sizes, counts = distinct(WRONG, SIZES)
    inputs = {"errors": wrong, "sizes": sizes, "counts": counts, "delta": 0.05}
    rows = ratios.rows_in_clusters(**inputs, largest=10).bound
    mean = ratios.mean_over_clusters(**inputs).bound
    assert (rows, mean) == pytest.approx((0.164661, 0.105549), abs=6e-7)
    naive = concentration.clopper_pearson(errors=100, n=900, delta=0.05).bound
    assert naive == pytest.approx(0.129853, abs=6e-7)  # no claim at all


def test_weights_have_their_tabulated_bounds():
    losses, weights, counts = distinct(LOSSES, WEIGHTS)
    inputs = {"losses": losses, "weights": weights, "counts": counts, "largest": 4, "delta": 0.05}
    to_scale = ratios.weighted_to_scale(**inputs).bound
    assert to_scale == pytest.approx(0.157250, abs=6e-7)
    assert ratios.weighted(**inputs).bound == pytest.approx(0.198700, abs=6e-7)
    doubled = {**inputs, "weights": 2 * weights, "largest": 8}
    assert ratios.weighted_to_scale(**doubled).bound == pytest.approx(to_scale, abs=1e-10)


def test_f_scores_have_their_tabulated_bounds():
    table = {"true_positives": 90, "false_positives": 40, "false_negatives": 10, "delta": 0.05}
    assert ratios.f_beta(**table, beta=2.0).bound == pytest.approx(0.745906, abs=6e-7)
    f1 = ratios.f_beta(**table, beta=1.0).bound
    assert f1 == pytest.approx(0.676857, abs=6e-7)
    assert f1 < rates.f1(**table).bound


def test_bounds_equal_plain_loops():
    rng = np.random.default_rng(0)
    bottoms = rng.integers(1, 9, 60)
    tops = rng.binomial(bottoms, 0.2)
    e, m, counts = distinct(tops, bottoms)
    inputs = {"tops": e, "bottoms": m, "counts": counts, "largest": 9.0, "delta": 0.1}
    pairs = list(zip(tops.tolist(), bottoms.tolist(), strict=True))
    upper = ratios.ratio_order_free(**inputs).bound
    assert upper == pytest.approx(claims.ratio(pairs, 9.0, 0.1), abs=1e-8)
    mirrored = [(m - e, m) for e, m in pairs]
    lower = ratios.ratio_order_free_lower(**inputs).bound
    assert lower == pytest.approx(1 - claims.ratio(mirrored, 9.0, 0.1), abs=1e-8)
    assert lower < tops.sum() / bottoms.sum() < upper


def test_sizes_that_are_all_the_largest_give_the_bound_on_a_mean():
    losses = [0.0] * 90 + [1.0] * 10
    mean = sequences.betting_order_free(losses=losses, delta=0.05).bound
    ratio = ratios.ratio_order_free(
        tops=[0, 1], bottoms=[1, 1], counts=[90, 10], largest=1, delta=0.05
    ).bound
    assert ratio == pytest.approx(mean, abs=1e-10)


def test_the_explained_share_equals_plain_loops_and_may_be_no_claim():
    rng = np.random.default_rng(1)
    own, other = rng.random(80) * 0.3, rng.random(80)
    inputs = {"counts": np.ones(80), "largest": 1.0, "delta": 0.1}
    found = ratios.explained_share(losses=own, baseline_losses=other, **inputs).bound
    plain = claims.explained_share(list(zip(own, other, strict=True)), 1.0, 0.1)
    assert found == pytest.approx(plain, abs=1e-8)
    assert 0.0 < found < 1 - own.sum() / other.sum()
    nothing = ratios.explained_share(losses=other, baseline_losses=own, **inputs)
    assert nothing.bound == -math.inf
    assert nothing.vacuous


def clusters(rng, n_clusters, largest, correlation, risk):
    """Return errors and sizes of clusters whose rows err together."""
    sizes = rng.integers(1, largest + 1, n_clusters)
    a = risk * (1 / correlation - 1)
    own = rng.beta(a, a / risk - a, n_clusters)
    return rng.binomial(sizes, own), sizes


def test_clusters_are_covered_and_rows_taken_as_independent_are_not():
    rng = np.random.default_rng(2)
    misses = np.zeros(3)
    for _ in range(200):
        wrong, sizes = clusters(rng, 100, 10, 0.5, 0.2)
        e, m, counts = distinct(wrong, sizes)
        inputs = {"errors": e, "sizes": m, "counts": counts, "delta": 0.1}
        naive = concentration.clopper_pearson(
            errors=int(wrong.sum()), n=int(sizes.sum()), delta=0.1
        ).bound
        rows = ratios.rows_in_clusters(**inputs, largest=10).bound
        mean = ratios.mean_over_clusters(**inputs).bound
        misses += np.array([rows, mean, naive]) < 0.2
    assert misses[0] <= 30
    assert misses[1] <= 30
    assert misses[2] > 35  # at a nominal 20


def test_weighted_means_are_covered():
    rng = np.random.default_rng(3)
    misses = 0
    for _ in range(200):
        weights = rng.choice([0.5, 1.0, 2.0], 150)
        losses = rng.random(150) < 0.1 * weights
        truth = np.mean([0.05 * 0.5, 0.1, 0.2 * 2]) / np.mean([0.5, 1.0, 2.0])
        e, w, counts = distinct(losses, weights)
        inputs = {"losses": e, "weights": w, "counts": counts, "largest": 2.0, "delta": 0.2}
        misses += ratios.weighted_to_scale(**inputs).bound < truth
    assert misses <= 55


@pytest.mark.parametrize(
    "call",
    [
        lambda: ratios.ratio_order_free(tops=[2], bottoms=[1], counts=[1], largest=3, delta=0.05),
        lambda: ratios.ratio_order_free(tops=[1], bottoms=[4], counts=[1], largest=3, delta=0.05),
        lambda: ratios.rows_in_clusters(errors=[1], sizes=[11], counts=[1], largest=10, delta=0.05),
        lambda: ratios.mean_over_clusters(errors=[0], sizes=[0], counts=[1], delta=0.05),
        lambda: ratios.weighted(losses=[0.5], weights=[5.0], counts=[1], largest=4, delta=0.05),
        lambda: ratios.weighted(
            losses=[0.5, 1.0], weights=[1.0], counts=[1], largest=4, delta=0.05
        ),
        lambda: ratios.explained_share(
            losses=[0.5], baseline_losses=[0.7], counts=[0.5], largest=1, delta=0.05
        ),
        lambda: ratios.f_beta(
            true_positives=1, false_positives=1, false_negatives=1, beta=0.0, delta=0.05
        ),
    ],
)
def test_what_the_proof_does_not_cover_is_refused(call):
    with pytest.raises(ValueError, match="must be"):
        call()


def test_no_pairs_at_all_give_no_claim():
    nothing = {"true_positives": 0, "false_positives": 0, "false_negatives": 0}
    assert ratios.f_beta(**nothing, beta=2.0, delta=0.05).vacuous
    empty = ratios.rows_in_clusters(errors=[0], sizes=[0], counts=[9], largest=3, delta=0.05)
    assert empty.bound == 1.0
