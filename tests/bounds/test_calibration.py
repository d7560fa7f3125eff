"""Stated probabilities: known values, every choice of signs, coverage, and what is no bound."""

import math

import numpy as np
import pytest

from reference.calibration import binned_error_by_signs, cumulative_error_by_cuts
from surelearn.bounds import calibration, inversions, sequences
from surelearn.evaluate.coverage import Coverage

STATED = np.tile([0.05, 0.15, 0.3, 0.45, 0.6, 0.75, 0.85, 0.95], 50)
CURVE = 100 * np.clip(STATED + 0.03 * np.sin(9 * STATED), 0, 1)
OUTCOMES = ((7919 * np.arange(400)) % 100 < CURVE).astype(int)
EDGES = [0.2, 0.4, 0.6, 0.8]


def test_the_fixture_has_the_tabulated_calibration_error():
    assert OUTCOMES.sum() == 212
    found = calibration.binned_error(stated=STATED, outcomes=OUTCOMES, edges=EDGES, delta=0.05)
    one = calibration.binned_error(stated=STATED, outcomes=OUTCOMES, edges=[], delta=0.05)
    assert one.bound <= found.bound  # a single bin has no edges, and fewer signs to be worst
    assert found.bound == pytest.approx(0.0812999, abs=1e-7)
    places = np.searchsorted(EDGES, STATED, side="right")
    plain = binned_error_by_signs(STATED, OUTCOMES, places, 5, 0.05)
    assert plain == pytest.approx(0.0809480, abs=1e-6)
    assert plain <= found.bound


def test_the_error_without_bins_is_the_largest_over_all_cuts():
    rng = np.random.default_rng(1)
    stated = rng.random(40).round(1)
    outcomes = (rng.random(40) < stated**2).astype(int)
    found = calibration.cumulative_error(stated=stated, outcomes=outcomes, delta=0.1)
    plain = cumulative_error_by_cuts(stated, outcomes, 0.1)
    assert found.bound == pytest.approx(plain, abs=1e-7)
    assert found.bound >= plain - 1e-8


def test_a_bin_has_the_tabulated_ends():
    lower = calibration.bin_lower(n_events=40, n_in_bin=50, n_bins=10, delta=0.05)
    upper = calibration.bin_upper(n_events=40, n_in_bin=50, n_bins=10, delta=0.05)
    assert (lower.bound, upper.bound) == pytest.approx((0.603504, 0.928381), abs=5e-7)
    assert lower.bound > float(inversions.binomial_lower(40, 50, 0.0025))
    empty = calibration.bin_upper(n_events=0, n_in_bin=0, n_bins=10, delta=0.05)
    assert empty.vacuous


def test_confidence_has_the_tabulated_value():
    found = calibration.confident(n_right=380, n_confident=400, delta=0.05)
    assert found.bound == pytest.approx(0.928171, abs=5e-7)


def draw(rng, n, tilt):
    stated = rng.beta(1, 1, n)
    return stated, (rng.random(n) < np.clip(stated + tilt, 0, 1)).astype(int)


@pytest.mark.parametrize("tilt", [0.0, 0.1])
def test_calibration_errors_are_covered_and_the_plug_in_is_not(tilt, repetitions):
    rng, found, plug_in = np.random.default_rng(2), [], []
    grid = (np.arange(200_000) + 0.5) / 200_000
    gaps = np.clip(grid + tilt, 0, 1) - grid
    truth = np.abs(gaps.reshape(5, -1).mean(axis=1)).mean()
    without_bins = np.abs(np.cumsum(gaps)).max() / 200_000
    cuts = []
    for _ in range(repetitions // 8):
        stated, outcomes = draw(rng, 100, tilt)
        given = {"stated": stated, "outcomes": outcomes, "delta": 0.2}
        found.append(calibration.binned_error(**given, edges=EDGES).bound)
        cuts.append(calibration.cumulative_error(**given).bound)
        places = np.searchsorted(EDGES, stated, side="right")
        plug_in.append(np.abs(np.bincount(places, outcomes - stated)).sum() / 100)
    for value, bounds in ((truth, found), (without_bins, cuts)):
        assert not Coverage(np.full(len(bounds), value), np.array(bounds), 0.2).refuted()
    if tilt:
        assert (np.array(plug_in) < truth).mean() > 0.2


def test_rounding_of_many_probabilities_is_paid_for():
    rng = np.random.default_rng(3)
    stated, outcomes = draw(rng, 70_000, 0.02)
    many = calibration.binned_error(stated=stated, outcomes=outcomes, edges=EDGES, delta=0.05)
    exact = calibration._signed_root(
        calibration._worst_bins(outcomes - stated, np.searchsorted(EDGES, stated, side="right")),
        70_000,
        0.05,
    )
    assert exact <= many.bound <= exact + 2.1 * 0.5 / 2**15


def test_the_brier_score_is_bounded_by_bets_on_its_losses():
    losses = [0.04, 0.09, 0.01, 0.64] * 50
    same = sequences.betting_order_free(losses=losses, delta=0.05)
    assert calibration.brier(losses=losses, delta=0.05).bound == same.bound


def test_the_log_loss_is_bounded_in_units_of_its_largest():
    given = np.array([0.8, 0.7, 0.9, 0.3] * 50)
    found = calibration.log_loss(stated_of_truth=given, floor=0.01, delta=0.05)
    scaled = sequences.betting_order_free(losses=-np.log(given) / math.log(100), delta=0.05)
    assert found.bound == pytest.approx(scaled.bound * math.log(100), rel=1e-9)
    assert found.bound > -np.log(given).mean()
    assert found.trivial == pytest.approx(math.log(100))


@pytest.mark.parametrize(
    ("change", "named"),
    [
        ({"stated": [0.5, 1.2]}, "stated"),
        ({"stated": [0.5, math.nan]}, "stated"),
        ({"outcomes": [0, 2]}, "outcomes"),
        ({"outcomes": [0, 0.5]}, "outcomes"),
        ({"outcomes": [0]}, "outcomes"),
        ({"edges": [0.6, 0.4]}, "edges"),
        ({"edges": [0.5, 0.5]}, "edges"),
        ({"edges": [1.5]}, "edges"),
    ],
)
def test_what_is_outside_its_domain_is_refused_by_name(change, named):
    given = {"stated": [0.5, 0.7], "outcomes": [0, 1], "edges": [0.5], "delta": 0.05}
    with pytest.raises(ValueError, match=named):
        calibration.binned_error(**{**given, **change})


def test_probabilities_below_the_floor_are_refused():
    with pytest.raises(ValueError, match="stated_of_truth"):
        calibration.log_loss(stated_of_truth=[0.5, 0.001], floor=0.01, delta=0.05)
