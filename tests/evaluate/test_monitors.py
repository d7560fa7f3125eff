"""Monitors of rates, of two models and of drift: coverage at every look, blocks, refusals."""

import copy
import pickle
from dataclasses import replace

import numpy as np
import pytest
from matplotlib.text import Text

from surelearn import (
    Certificate,
    DriftAlarm,
    LinearRegression,
    ModelDifferenceMonitor,
    OnlineConformal,
    RateMonitor,
    RiskMonitor,
)
from surelearn.app.monitor import StreamMonitor
from surelearn.app.verify import verify_certificate
from surelearn.bounds import rates
from surelearn.evaluate._task import range_of_losses
from surelearn.plots.monitor import plot_alarm, plot_monitor

RATES = ["sensitivity", "specificity", "positive predictive value", "negative predictive value"]


def test_a_constant_sensitivity_has_its_tabulated_bound():
    monitor = RateMonitor(constant=True).update([1] * 100 + [0] * 50, [1] * 95 + [0] * 55)
    certificate = monitor.certificate()
    assert certificate.bound == pytest.approx(0.862571, abs=6e-7)
    fixed = rates.sensitivity(true_positives=95, n_positive=100, delta=0.05).bound
    assert fixed == pytest.approx(0.897747, abs=6e-7)
    assert certificate.recompute() == certificate.bound


@pytest.mark.parametrize(
    ("rate", "right", "n"),
    [("sensitivity", 3, 4), ("specificity", 4, 6), ("positive predictive value", 3, 5),
     ("negative predictive value", 4, 5)],
)  # fmt: skip
def test_each_rate_counts_its_own_rows(rate, right, n):
    truth = ["ill"] * 4 + ["well"] * 6
    answer = ["ill", "ill", "ill", "well"] + ["ill"] * 2 + ["well"] * 4
    monitor = RateMonitor(rate=rate, positive="ill").update(truth, answer)
    assert monitor.n_rows == n
    assert monitor.certificate().observed == right / n


@pytest.mark.parametrize("constant", [False, True])
def test_a_rate_is_covered_at_every_look(constant):
    rng = np.random.default_rng(0)
    misses = 0
    for _ in range(60):
        monitor = RateMonitor(constant=constant, delta=0.1)
        truth = (rng.random((5, 80)) < 0.5).astype(int)
        answer = np.where(rng.random((5, 80)) < 0.8, truth, 1 - truth)
        seen = [
            monitor.update(t, a).certificate().bound for t, a in zip(truth, answer, strict=True)
        ]
        misses += max(seen) > 0.8
    assert misses <= 15


def test_rows_outside_the_condition_change_nothing():
    rng = np.random.default_rng(1)
    truth = (rng.random(300) < 0.3).astype(int)
    answer = np.where(rng.random(300) < 0.9, truth, 1 - truth)
    everything = RateMonitor().update(truth, answer)
    positives = RateMonitor().update(truth[truth == 1], answer[truth == 1])
    assert everything.certificate().bound == positives.certificate().bound
    assert RateMonitor().update([0, 0], [1, 0]).n_rows == 0


MONITORS = {
    "risk": (RiskMonitor, lambda m, a, _: m.update(a)),
    "rate": (lambda: RateMonitor(rate="specificity"), lambda m, a, b: m.update(a, b)),
    "difference": (lambda: ModelDifferenceMonitor(constant=True), lambda m, a, b: m.update(a, b)),
    "alarm": (
        lambda: DriftAlarm(tolerated=0.2, rows_between=20.0), lambda m, a, _: m.update(a),
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", MONITORS)
def test_blocks_pickles_and_single_rows_end_in_the_same_state(name):
    make, update = MONITORS[name]
    rng = np.random.default_rng(2)
    first, second = (rng.random((2, 200)) < 0.3).astype(int)
    whole, single, pickled = make(), make(), make()
    update(whole, first, second)
    for t in range(200):
        update(single, first[t : t + 1], second[t : t + 1])
        if t % 50 == 0:
            update(pickled, first[t : t + 50], second[t : t + 50])
            pickled = pickle.loads(pickle.dumps(pickled))  # noqa: S301
    certificates = [m.certificate().to_json() for m in (whole, single, pickled)]
    assert certificates[0] == certificates[1] == certificates[2]
    if name == "alarm":
        assert whole.alarms == single.alarms == pickled.alarms != []
        assert whole.path == single.path == pickled.path


@pytest.mark.parametrize("name", MONITORS)
def test_what_a_copy_sees_is_not_certified_by_the_original(name):
    """25 rows of a `ModelDifferenceMonitor` were certified by 1,000 others that its copy saw."""
    make, update = MONITORS[name]
    monitor = make()
    update(monitor, [0] * 20 + [1] * 5, [0] * 10 + [1] * 15)
    before = monitor.certificate().to_json(), pickle.dumps(monitor)
    update(copy.copy(monitor), [0] * 1000, [1] * 1000)
    assert (monitor.certificate().to_json(), pickle.dumps(monitor)) == before


@pytest.mark.parametrize("constant", [False, True])
def test_the_difference_is_covered_at_every_look(constant):
    rng = np.random.default_rng(3)
    misses = 0
    for _ in range(40):
        monitor, seen = ModelDifferenceMonitor(constant=constant, delta=0.1), []
        for _ in range(6):
            kind = rng.choice(3, 60, p=[0.15, 0.1, 0.75])
            monitor.update(kind == 0, kind == 1)
            seen.append(monitor.certificate().bound)
        misses += min(seen) < 0.05
    assert misses <= 11


def test_two_models_that_differ_on_coin_tosses_are_rarely_told_apart():
    rng = np.random.default_rng(4)
    wrong, right = 0, 0
    for _ in range(100):
        fair, unfair = ModelDifferenceMonitor(delta=0.1), ModelDifferenceMonitor(delta=0.1)
        rejected = False
        for _ in range(5):
            first = rng.random(60) < 0.5
            fair.update(first, ~first)
            rejected |= fair.first_is_better()
        wrong += rejected
        first = rng.random(300) < 0.3
        right += unfair.update(first, ~first).first_is_better()
    assert wrong <= 22
    assert right >= 95


def test_a_drifting_difference_voids_the_constant_one_and_not_the_other():
    first, second = np.repeat([0.0, 1.0], 200), np.repeat([1.0, 0.0], 200)
    late = ModelDifferenceMonitor().update(first, second).certificate()
    assert late.bound >= 0.0


def test_an_alarm_rings_rarely_while_it_is_quiet_and_soon_after_a_rise():
    rng = np.random.default_rng(5)
    quiet = DriftAlarm(tolerated=0.05, rows_between=500).update(rng.random(20_000) < 0.05)
    assert len(quiet.alarms) <= 20_000 / 500
    rung = []
    for _ in range(20):
        alarm = DriftAlarm(tolerated=0.05, rows_between=1000).update(rng.random(300) < 0.04)
        before = len(alarm.alarms)
        alarm.update(rng.random(200) < 0.3)
        rung.append(alarm.alarms[before] - 300)
    assert np.mean(rung) < 40


def certificates():
    """Return one certificate of each kind that monitors issue."""
    truth = np.arange(60) % 3 == 0
    answer = np.where(np.arange(60) % 7, truth, ~truth)
    conformal = OnlineConformal(LinearRegression().fit(np.eye(3), np.arange(3.0)))
    conformal.learn(np.eye(3)[np.arange(60) % 3], np.sin(np.arange(60)))
    monitors = [
        *(
            RateMonitor(rate=rate, constant=constant).update(truth.astype(int), answer.astype(int))
            for rate in RATES
            for constant in (False, True)
        ),
        *(ModelDifferenceMonitor(constant=c).update(truth, answer) for c in (False, True)),
        DriftAlarm(tolerated=0.3).update(truth),
        conformal,
    ]
    return [*(monitor.certificate() for monitor in monitors), conformal.deviation_certificate()]


@pytest.mark.parametrize("place", range(13))
def test_certificates_of_monitors_verify_and_forged_ones_do_not(place):
    stored = Certificate.from_json(certificates()[place].to_json())
    assert all(finding.holds for finding in verify_certificate(stored))
    better = 0.9 * stored.bound if stored.direction == "upper" else 1.1 * stored.bound
    kind = "difference" if stored.kind != "difference" else "risk"
    for change in ({"bound": better}, {"kind": kind}, {"subject": "the average round"}):
        forged = replace(stored, **change)
        assert not all(finding.holds for finding in verify_certificate(forged))


def test_an_alarm_tells_the_whole_of_its_promise():
    alarm = DriftAlarm(tolerated=0.05, rows_between=1000).update(np.zeros(200))
    certificate = alarm.certificate()
    assert certificate.validity == "in-expectation"
    assert certificate.bound == pytest.approx(0.2)
    assert certificate.recompute() == certificate.bound
    assert {p.key: p.status for p in certificate.preconditions} == {
        "range": "by-construction", "quiet": "assumed", "fixed_before": "assumed",
    }  # fmt: skip


MASKED = np.ma.array([0.0, 1.0], mask=[False, True])


@pytest.mark.parametrize("values", [[0.0, 2.0], [np.nan], [], "junk", [[1.0]], MASKED])
def test_a_refused_block_leaves_an_alarm_as_it_was(values):
    alarm = DriftAlarm(tolerated=0.1).update([0, 1, 0])
    before = pickle.dumps(alarm)
    with pytest.raises(ValueError, match="losses"):
        alarm.update(values)
    assert pickle.dumps(alarm) == before


@pytest.mark.parametrize(
    ("truth", "answer"),
    [
        ([1, 0], [1]),
        ([1, 0], [0.3, 0.7]),
        ([1.0, np.nan], [1.0, 0.0]),
        (["yes", "no"], ["yes", "no"]),
        ([[1], [0]], [1, 0]),
        ([1, None], [1, 0]),
    ],
)
def test_labels_that_cannot_be_counted_are_refused_and_change_nothing(truth, answer):
    monitor = RateMonitor(rate="specificity").update([0, 1], [0, 1])
    before = pickle.dumps(monitor)
    with pytest.raises(ValueError, match=r"rows|score|missing|kind of label|list of labels"):
        monitor.update(truth, answer)
    assert pickle.dumps(monitor) == before


@pytest.mark.parametrize(
    "make",
    [
        lambda: RateMonitor(rate="sensitvity"),
        lambda: RateMonitor(rate="sensitivity", delta=0.5, constant=True),
        lambda: RateMonitor(delta=0.0),
        lambda: DriftAlarm(tolerated=0.0),
        lambda: DriftAlarm(tolerated=0.1, rows_between=1.0),
        lambda: DriftAlarm(tolerated=0.1, bets=[10.0]),
        lambda: ModelDifferenceMonitor(delta=1.0),
        lambda: ModelDifferenceMonitor().update([0.0, 1.0], [0.0]),
        lambda: ModelDifferenceMonitor().update([0.0, 1.5], [0.0, 1.0]),
        lambda: RateMonitor().certificate(),
        lambda: ModelDifferenceMonitor().certificate(),
        lambda: DriftAlarm(tolerated=0.1).certificate(),
        lambda: RateMonitor().history(),
        lambda: plot_alarm(DriftAlarm(tolerated=0.1)),
    ],
)
def test_monitors_that_make_no_sense_are_refused(make):
    with pytest.raises(ValueError, match=r"."):
        make()


def test_histories_are_bounds_of_every_moment_and_can_be_drawn():
    rng = np.random.default_rng(6)
    monitor = RateMonitor()
    for _ in range(300):
        truth = (rng.random(4) < 0.5).astype(int)
        monitor.update(truth, truth)
    history = monitor.history()
    assert len(history.rows) <= 200
    assert history.bounds[-1] == monitor.certificate().bound
    assert history.direction == "lower"
    assert plot_monitor(history).get_xlabel() == "rows that count"
    alarm = DriftAlarm(tolerated=0.1).update(np.ones(30))
    labels = [line.get_label() for line in plot_alarm(alarm).lines]
    assert labels[-1] == "alarm"


@pytest.mark.parametrize(
    ("monitor", "name", "value"),
    [
        (RiskMonitor(), "n_rounds", 10**6),
        (RiskMonitor(), "loss_range", (0.0, 0.001)),
        (RateMonitor(), "n_rows", 1),
        (ModelDifferenceMonitor(), "delta", 0.5),
        (DriftAlarm(tolerated=0.1), "rows_between", 1e9),
        (DriftAlarm(tolerated=0.1), "alarms", []),
        (OnlineConformal(LinearRegression()), "n_missed", 0),
    ],
)
def test_what_a_certificate_rests_on_is_not_replaced_by_hand(monitor, name, value):
    """A certificate after `monitor.n_rounds = 10**6` was valid, and its bound next to nothing."""
    with pytest.raises(AttributeError):
        setattr(monitor, name, value)


def test_limits_fixed_beforehand_are_written_in_all_digits():
    """A loss of 1,234,563 was said to lie in [0, 1.23456e+06], and 0.1234567 called 0.123457."""
    monitor = RiskMonitor(loss_range=(0.0, 1_234_564.0)).update([1_234_563.0, 0.0])
    certificate = monitor.certificate()
    stated = certificate.preconditions[0]
    assert stated.name == "every loss lies in [0, 1234564.0]"
    as_before = replace(stated, name="every loss lies in [0, 1.23456e+06]")
    earlier = replace(certificate, preconditions=(as_before, *certificate.preconditions[1:]))
    for one in (certificate, earlier):
        read = Certificate.from_json(one.to_json())
        assert all(finding.holds for finding in verify_certificate(read))
    alarm = DriftAlarm(tolerated=0.1234567).update([0, 1]).certificate()
    assert "at most 0.1234567, this alarm" in alarm.claim
    assert all(finding.holds for finding in verify_certificate(alarm))
    assert "[0, 1234564.0]" in range_of_losses(1_234_564.0, bounded=False).text


def test_so_are_they_in_what_a_stream_says_of_its_alarm_and_a_figure_in_its_title():
    columns = {"tolerated": 0.1234564, "alarm_every": 1_234_567.0}
    stream = StreamMonitor(**columns)
    assert "at most 0.1234564, a false alarm comes after 1234567.0 rows" in stream.rule
    assert "exceed 0.1234564; ever falsely" in StreamMonitor(tolerated=0.1234564).rule
    alarm = DriftAlarm(tolerated=0.1, rows_between=1_234_567.0).update([0])
    shown = [text.get_text() for text in plot_alarm(alarm).figure.findobj(Text)]
    assert any("after 1234567.0 rows" in " ".join(text.split()) for text in shown)
    conformal = OnlineConformal(LinearRegression().fit([[0.0], [1.0]], [0.0, 1.0]), alpha=0.1234564)
    conformal.learn([[0.0]], [0.0])
    assert "from 0.1234564 by" in conformal.deviation_certificate().claim
