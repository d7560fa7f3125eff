"""Calibration: bins and limits, coverage of all bins together, bad input."""

import numpy as np
import pytest

from surelearn.evaluate.calibration import calibration_curve


def test_bins_hold_their_rows_and_an_edge_belongs_to_the_bin_above():
    result = calibration_curve([0.0, 0.5, 1.0, 0.49], [0, 1, 1, 1], n_bins=2)
    assert result.counts.tolist() == [2, 2]
    assert result.events.tolist() == [1, 2]
    np.testing.assert_allclose(result.mean_predicted, [0.245, 0.75])
    assert result.frequencies.tolist() == [0.5, 1.0]


def test_an_empty_bin_says_nothing():
    result = calibration_curve([0.1, 0.2], [0, 1], n_bins=4)
    assert (result.lower[3], result.upper[3]) == (0.0, 1.0)
    assert np.isnan(result.frequencies[3])
    assert not result.refuted[3]


@pytest.mark.parametrize("delta", [0.1, 0.3])
def test_a_calibrated_forecaster_is_refuted_at_most_so_often(delta):
    rng, wrong = np.random.default_rng(0), 0
    for _ in range(300):
        chances = rng.choice([0.0999, 0.3, 0.52, 0.9], 200)
        result = calibration_curve(chances, rng.random(200) < chances, n_bins=5, delta=delta)
        truth = np.array([0.0999, 0.3, 0.52, np.nan, 0.9])
        wrong += bool(((truth < result.lower) | (truth > result.upper)).any())
    assert wrong <= 300 * delta


def test_bold_forecasts_are_refuted():
    happened = np.random.default_rng(0).random(500) < 0.5
    result = calibration_curve(np.where(happened, 0.95, 0.05), ~happened)
    assert result.refuted[[0, 9]].all()
    assert result.refuted.sum() == 2


@pytest.mark.parametrize(
    ("chances", "happened"),
    [([1.2], [1]), ([np.nan], [1]), ([0.5], [2]), ([0.5, 0.5], [1]), ([0.5], [0.5]), ([], [])],
)
def test_bad_input_is_refused(chances, happened):
    with pytest.raises(ValueError, match=r"probabilities|happened"):
        calibration_curve(chances, happened)
    with pytest.raises(ValueError, match="delta"):
        calibration_curve([0.5], [1], delta=1.0)
