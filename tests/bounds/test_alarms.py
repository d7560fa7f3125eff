"""Alarms: known values, plain loops, how often they ring while it is quiet and after a change."""

import numpy as np
import pytest

from reference import claims
from surelearn.bounds import alarms

LOSSES = ([0] * 19 + [1]) * 10 + [0, 1, 0, 1, 1] * 10
BETS = [1.0, 5.0, 15.0]


def first_ring(path, threshold):
    return next(t for t, value in enumerate(path, start=1) if alarms.rings(value, threshold))


def test_the_detectors_ring_when_they_are_known_to():
    path, _ = alarms.shiryaev_roberts(LOSSES, tolerated=0.05, bets=BETS)
    assert (path[199], path[201]) == pytest.approx((44.711777, 126.357508), abs=6e-7)
    assert first_ring(path, 100.0) == 202
    assert claims.shiryaev_roberts(LOSSES, 0.05, BETS, 100.0) == 202
    page, _ = alarms.cumulative_sum(LOSSES, tolerated=0.05, bets=BETS)
    assert first_ring(page, 100.0) == 204
    assert all(c <= m for c, m in zip(page, path, strict=True))


def test_blocks_of_any_size_give_the_same_path():
    rng = np.random.default_rng(0)
    losses = rng.random(300)
    rules = {"tolerated": 0.4, "bets": alarms.bets_for(0.4), "threshold": 50.0}
    whole, end = alarms.shiryaev_roberts(losses, **rules)
    assert max(whole) >= 50.0
    parts, state = [], None
    for block in np.split(losses, [1, 2, 50, 299]):
        path, state = alarms.shiryaev_roberts(block, **rules, start=state)
        parts += path
    assert parts == whole
    assert state == end


def ring_times(rng, risk, threshold, longest, runs, detector=alarms.shiryaev_roberts):
    losses = (rng.random((runs, longest)) < risk).astype(float)
    bets = alarms.bets_for(0.05)
    times = []
    for row in losses:
        path, _ = detector(row, tolerated=0.05, bets=bets)
        rung = np.flatnonzero(np.array(path) >= threshold)
        times.append(int(rung[0]) + 1 if rung.size else longest)
    return np.array(times)


def test_false_alarms_are_as_rare_as_stated_and_true_ones_come_soon():
    rng = np.random.default_rng(1)
    quiet = ring_times(rng, 0.05, 100.0, 1000, 100)
    assert quiet.mean() >= alarms.mean_time_to_false_alarm(threshold=100.0).bound
    within = alarms.false_alarm_within(threshold=100.0, n_rows=20).bound
    assert np.mean(quiet <= 20) <= within + 0.1
    risen = ring_times(rng, 0.4, 1000.0, 200, 60)
    assert risen.mean() < 25
    page = ring_times(rng, 0.1, 1000.0, 800, 20, alarms.cumulative_sum)
    assert ring_times(rng, 0.1, 1000.0, 800, 20).mean() < page.mean()


def test_a_risk_above_what_is_tolerated_from_the_start_is_not_quiet():
    rng = np.random.default_rng(2)
    assert ring_times(rng, 0.2, 100.0, 1000, 40).mean() < 60


def test_the_detector_that_starts_again_rings_rarely_in_the_long_run():
    losses = (np.random.default_rng(3).random(50_000) < 0.05).astype(float)
    path, _ = alarms.shiryaev_roberts(
        losses, tolerated=0.05, bets=alarms.bets_for(0.05), threshold=500.0
    )
    rung = sum(alarms.rings(value, 500.0) for value in path)
    assert 0 < rung <= alarms.false_alarms(threshold=500.0, n_rows=50_000).bound


@pytest.mark.parametrize(
    "call",
    [
        lambda: alarms.shiryaev_roberts([0.5], tolerated=0.05, bets=[20.0]),
        lambda: alarms.shiryaev_roberts([1.5], tolerated=0.05, bets=[1.0]),
        lambda: alarms.shiryaev_roberts([0.5], tolerated=0.0, bets=[1.0]),
        lambda: alarms.mean_time_to_false_alarm(threshold=1.0),
        lambda: alarms.false_alarms(threshold=100.0, n_rows=0),
        lambda: alarms.bets_for(1.0),
        lambda: alarms.shiryaev_roberts([0.5], tolerated=0.1, bets=[1.0], start=[0.0, 1.0]),
        lambda: alarms.shiryaev_roberts([0.5], tolerated=0.1, bets=[1.0], start=[-1.0]),
        lambda: alarms.shiryaev_roberts([0.5], tolerated=0.1, bets=[1.0], threshold="high"),
    ],
)
def test_detectors_that_prove_nothing_are_refused(call):
    with pytest.raises(ValueError, match="must be"):
        call()
