"""The monitor: valid at every moment, under drift, and silent without cause."""

from fractions import Fraction

import numpy as np
import pytest

from surelearn import RiskMonitor
from surelearn.bounds import inversions
from surelearn.datasets.worlds import Drifting
from surelearn.evaluate.coverage import Coverage

LOOKS = np.unique(np.geomspace(5, 400, 12).astype(int))


def smallest_slack(world, rng):
    """Look often while the stream runs; return the worst of bound minus true average risk."""
    monitor, risks, start = RiskMonitor(delta=0.1), world.risks(400), 0
    losses, slack = world.draw(400, seed=rng), []
    for look in LOOKS:
        monitor.update(losses[start:look])
        start = look
        slack.append(monitor.certificate().bound - risks[:look].mean())
    return min(slack)


@pytest.mark.parametrize("world", [Drifting(0.1, 0.1), Drifting(0.0, 0.6), Drifting(0.6, 0.0)])
def test_it_holds_at_all_looks_at_once_even_under_drift(world, repetitions):
    rng = np.random.default_rng(0)
    slack = np.array([smallest_slack(world, rng) for _ in range(repetitions // 2)])
    assert not Coverage(np.zeros(len(slack)), slack, 0.1).refuted()


def test_clopper_pearson_at_every_look_would_not_hold():
    rng = np.random.default_rng(1)
    errors = np.cumsum(rng.random((400, 2000)) < 0.1, axis=1)[:, 19:]
    bounds = inversions.binomial_upper(errors, np.arange(20, 2001), 0.1).min(axis=1)
    assert Coverage(np.full(400, 0.1), bounds, 0.1).refuted()


def test_false_alarms_are_rare_and_true_ones_come():
    rng = np.random.default_rng(2)
    false = 0
    for _ in range(100):
        monitor = RiskMonitor(delta=0.1)
        false += any(monitor.update(rng.random(50) < 0.2).alarm(tolerated=0.2) for _ in range(10))
    assert false <= 20
    assert RiskMonitor(delta=0.05).update(np.ones(50)).alarm(tolerated=0.2)


def test_other_ranges_scale_the_bound_and_it_recomputes():
    unit = RiskMonitor().update([0.25, 0.5, 0.75]).certificate()
    wide = RiskMonitor(loss_range=(-10.0, 30.0)).update([0.0, 10.0, 20.0]).certificate()
    assert wide.bound == pytest.approx(-10.0 + 40.0 * unit.bound)
    assert wide.observed == pytest.approx(10.0)
    assert wide.recompute() == pytest.approx(wide.bound, rel=1e-15)


def test_a_bad_loss_is_refused_and_changes_nothing():
    monitor = RiskMonitor().update([0.0, 1.0])
    for bad in ([0.5, 1.5], [np.nan], [], [[0.1]]):
        with pytest.raises(ValueError, match="losses"):
            monitor.update(bad)
    assert monitor.n_rounds == 2
    assert monitor.certificate().observed == 0.5


def test_without_losses_it_has_nothing_to_say():
    with pytest.raises(ValueError, match="no losses yet"):
        RiskMonitor().certificate()
    with pytest.raises(ValueError, match="loss_range"):
        RiskMonitor(loss_range=(1.0, 1.0))
    with pytest.raises(ValueError, match="delta"):
        RiskMonitor(delta=2.0)


def test_a_range_far_from_zero_is_rounded_outward():
    low, high = 2.0**53, 2.0**53 + 4.0
    for seed in range(20):
        losses = np.random.default_rng(seed).integers(0, 3, size=40)
        far = RiskMonitor(loss_range=(low, high)).update(low + 2.0 * losses)
        near = RiskMonitor().update(losses / 2)
        shown = near.certificate().bound
        assert Fraction(far.certificate().bound) >= Fraction(low) + 4 * Fraction(shown)
        lowest = low + 4 * near._guarantee(40, near._total, lower=True).bound
        assert far._guarantee(40, far._total, lower=True).bound <= lowest


def test_its_settings_can_neither_be_replaced_nor_removed():
    """What was removed could be set anew, to a delta chosen after the losses were seen."""
    monitor = RiskMonitor(delta=0.05).update([0.0, 1.0])
    for change in (lambda: setattr(monitor, "delta", 0.5), lambda: delattr(monitor, "delta")):
        with pytest.raises(AttributeError, match="fixed when a RiskMonitor is made"):
            change()
    assert monitor.certificate().delta == 0.05


def test_a_range_wider_than_any_float_is_refused():
    """In units of it every loss was 0: the average of losses of 0 was bounded by -9.9e307."""
    with pytest.raises(ValueError, match="whose difference is a float"):
        RiskMonitor(loss_range=(-1e308, 1e308))
    widest = RiskMonitor(loss_range=(-8e307, 8e307)).update(np.zeros(1000))
    assert widest.certificate().bound > 0.0


def test_what_is_known_without_data_is_told_in_all_its_digits():
    """It said that the average is at most 1.23456e+06, which losses of 1,234,563 are not."""
    monitor = RiskMonitor(loss_range=(0.0, 1234563.0)).update([1234563.0] * 2)
    assert "and 1234563.0 is known without data" in str(monitor.certificate())
