"""The numbers of the pages of proofs, through the claim objects."""

import numpy as np
import pytest

from surelearn import claims
from surelearn.claims import record

TRUTH = [1] * 100 + [0] * 900
SAID = [1] * 90 + [0] * 10 + [1] * 40 + [0] * 860
ROWS = record(TRUTH, SAID)
"""90 found, 10 missed, 40 false alarms, 860 right to be silent."""


def bound(claim, rows=ROWS, delta=0.05):
    return claim.guarantee(delta=delta, **claim.statistics(rows)).bound


@pytest.mark.parametrize(
    ("claim", "value"),
    [
        (claims.Sensitivity(), 0.836282),
        (claims.Specificity(), 0.942535),
        (claims.PositivePredictiveValue(), 0.619010),
        (claims.NegativePredictiveValue(), 0.980581),
        (claims.ErrorRate(), 0.0628634),
        (claims.F1(), 0.726796),
    ],
    ids=str,
)
def test_rates_of_a_confusion_matrix(claim, value):
    assert bound(claim) == pytest.approx(value, rel=2e-6)


def test_f1_is_that_of_the_rows():
    assert claims.F1().seen(**claims.F1().statistics(ROWS)).value == pytest.approx(
        0.782609, abs=1e-6
    )


def groups(wrong, sizes):
    truth = np.zeros(sum(sizes), dtype=int)
    said = np.concatenate([np.arange(n) < k for k, n in zip(wrong, sizes, strict=True)]).astype(int)
    names = np.repeat([f"g{i}" for i in range(len(sizes))], sizes)
    return truth, said, names


def test_worst_group_and_gap():
    truth, said, names = groups((2, 3, 3, 9, 25), (50, 80, 120, 200, 400))
    assert bound(claims.WorstGroup(), record(truth, said, group=names)) == pytest.approx(
        0.120614, rel=1e-5
    )
    truth, said, names = groups((10, 5), (100, 100))
    attained = 0.1189
    assert attained < bound(claims.GroupGap(), record(truth, said, group=names)) < 0.1200


def test_two_models_on_the_same_rows():
    truth = np.zeros(1000, dtype=int)
    first, second = (np.zeros(1000, dtype=int) for _ in range(2))
    first[:10], second[10:50] = 1, 1
    found = bound(claims.Difference(), record(truth, first, baseline=second))
    assert -0.0180 <= found <= -0.0178


def test_costs_and_net_benefit_lie_between_what_is_attained_and_the_tolerance():
    truth = [1] * 30 + [0] * 30
    said = [0] * 3 + [1] * 27 + [1] * 8 + [0] * 22
    cost = bound(claims.Cost(miss=5, false_alarm=1), record(truth, said))
    assert 0.732290 - 1e-6 <= cost <= 0.732290 + 0.01 * (0.732290 - 0.383333) + 1e-6
    truth = [1] * 18 + [0] * 182
    said = [1] * 18 + [1] * 8 + [0] * 174
    benefit = bound(claims.NetBenefit(threshold=0.2), record(truth, said))
    assert 0.046660 - 0.01 * (0.08 - 0.046660) - 1e-6 <= benefit <= 0.046660 + 1e-6


def test_strata_weights_and_a_table():
    truth, said, names = groups((3, 5, 2), (100, 200, 50))
    strata = claims.ErrorOfStrata("g0:0.5;g1:0.3;g2:0.2")
    assert bound(strata, record(truth, said, stratum=names)) == pytest.approx(0.070328, rel=2e-5)
    said = np.tile([0] * 9 + [1], 40)
    rows = record(np.zeros(400, dtype=int), said, weight=np.tile([0.5, 1.0, 2.0, 1.5], 100))
    weighted = claims.WeightedError(largest=4.0)
    assert weighted.seen(**weighted.statistics(rows)).value < bound(weighted, rows) < 0.25
    for wrong, n, size, most in ((0, 200, 1000, 13), (3, 200, 1000, 35), (5, 100, 300, 27)):
        said = np.arange(n) < wrong
        rows = record(np.zeros(n, dtype=int), said.astype(int))
        assert bound(claims.WrongInTable(size=size), rows) == most


def test_calibration_of_stated_probabilities():
    stated = np.tile([0.05, 0.15, 0.3, 0.45, 0.6, 0.75, 0.85, 0.95], 50)
    chance = 100 * np.clip(stated + 0.03 * np.sin(9 * stated), 0, 1)
    came = (7919 * np.arange(400) % 100 < chance).astype(int)
    assert came.sum() == 212
    rows = record(came, came, score=stated)
    assert 0.0809 <= bound(claims.CalibrationError(bins=5), rows) <= 0.0814


def test_mean_error_of_a_range():
    rows = record(np.tile([0.1, 0.3, 0.2], 100) * 10 + 0.5, np.full(300, 0.5))
    assert bound(claims.MeanError(largest=10.0), rows) == pytest.approx(2.18213, rel=1e-4)


def test_a_threshold_keeps_the_sensitivity_it_was_chosen_for():
    labels = [1] * 100 + [0] * 100
    rows = record(labels, labels, score=list(range(200, 0, -1)))
    claim = claims.ThresholdFor(sensitivity=0.9, level=0.05)
    assert bound(claim, rows) >= 0.9
    chosen = float(claim.names(rows)["threshold"])
    found = np.asarray(rows.score)[rows.is_positive] >= chosen
    assert found.mean() == claim.seen(**claim.statistics(rows)).value


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("sensitivty>=0.9", "did you mean 'sensitivity'"),
        ("sensitivity>0.9", "write sensitivity>=VALUE"),
        ("sensitivity=0.9", "write sensitivity>=VALUE"),
        ("sensitivity<=0.9", "bounded from below"),
        ("sensitivity>=nan", "is no number"),
        ("sensitivity>=a", "is no number"),
        ("cost", "cost needs parameters"),
        ("cost(miss=1)", "false_alarm"),
        ("cost(miss=0, false_alarm=1)", "miss"),
        ("cost(harm=1)", "has no parameter"),
        ("net-benefit(threshold=1)", "threshold"),
        ("error-quantile(alpha=2)", "alpha"),
        ("beyond(tolerance=-1)", "tolerance"),
        ("wrong-in-table(size=0)", "size"),
        ("wrong-in-table(size=2.5)", "size"),
        ("calibration-error(bins=0)", "bins"),
        ("error-of-strata(shares=a:0.7)", "sum to 1"),
        ("error-of-strata(shares=a:1.7;b:-0.7)", "must name each stratum"),
        ("error-of-strata(shares=a:0.3;a:0.7;b:0.3)", "has two shares"),
        ("error-of-strata(shares=3)", "must name each stratum"),
        ("weighted-error(largest=1e999)", "largest"),
        ("", "is no claim"),
        ("(((", "is no claim"),
    ],
)
def test_what_is_no_claim_is_refused_in_a_sentence(text, told):
    with pytest.raises(ValueError) as refusal:  # noqa: PT011 - the sentence is looked at below
        claims.parse(text)
    assert told in str(refusal.value)


def test_percent_and_other_names_are_understood():
    assert claims.parse("recall >= 90%") == (claims.Sensitivity() >= 0.9)
    assert claims.parse("Precision") == claims.PositivePredictiveValue()
    assert claims.parse("balanced_accuracy>=0.7") == (claims.BalancedAccuracy() >= 0.7)


def test_what_is_recorded_fits_together_or_is_refused():
    with pytest.raises(ValueError, match="look swapped"):
        record([0.2, 0.7, 0.4], [0, 1, 0])
    assert record([0.2, 0.7, 0.4], [0, 1, 0], task="regression").task == "regression"
    with pytest.raises(ValueError, match="looks like a score"):
        record([0, 1, 0], [0.2, 0.7, 0.4])
    with pytest.raises(ValueError, match="infinite"):
        record([0.5, np.inf], [0.5, 1.5])
    with pytest.raises(ValueError, match="different things"):
        record(["ill", "well"], ["yes", "no"])
    with pytest.raises(ValueError, match="can never be equal"):
        record(["ill", "well"], [1, 0])
    with pytest.raises(ValueError, match="is no label here"):
        record(["ill", "well"], ["ill", "ill"], positive="sick")
    with pytest.raises(ValueError, match="2 values for 3 truths"):
        record([1, 0, 1], [1, 0])
    with pytest.raises(ValueError, match="missing values"):
        record([1, 0, None], [1, 0, 1])


def test_results_have_words_for_passed_and_a_baseline_has_the_same():
    rows = claims.results(["pass", "fail", "Passed"], baseline=["no", "yes", "1"])
    assert rows.wrong.tolist() == [False, True, False]
    counts = claims.Difference().statistics(rows)
    assert counts == {"only_first_wrong": 1, "only_second_wrong": 1, "n": 3}
    with pytest.raises(ValueError, match="passed or failed"):
        claims.results([0.5, 1.0])


def test_lists_of_those_that_pass():
    truth, said, names = groups((2, 3, 3, 9, 25), (50, 80, 120, 200, 400))
    rows = record(truth, said, group=names)
    claim = claims.GroupsWithin(rate=0.1)
    assert bound(claim, rows) == 3
    told = claim.told(delta=0.05, **claim.statistics(rows))
    assert "3 or more of the 5 groups" in claim.sentence("3", {**claim.names(rows), **told})
    assert claim.sentence("3", {**claim.names(rows), **told}).endswith("cases: g2, g3 and g4")
    sure = np.concatenate([np.full(120, 0.9), np.full(140, 0.8), np.full(10, 0.5)])
    wrong = np.zeros(270, dtype=int)
    wrong[120:122], wrong[260:267] = 1, 1
    ladder = claims.ThresholdsWithinRisk(risk=0.05, thresholds="0.9;0.8;0.5")
    kept = record(np.zeros(270, dtype=int), wrong, confidence=sure)
    assert ladder.statistics(kept) == {"errors": [0, 2, 9], "n_kept": [120, 260, 270]}
    assert bound(ladder, kept) == 2


def test_several_challengers():
    truth = np.zeros(1000, dtype=int)
    champion, equal, worse = (np.zeros(1000, dtype=int) for _ in range(3))
    champion[:20], equal[20:40], worse[10:50] = 1, 1, 1
    rows = record(truth, champion, challengers={"equal": equal, "worse": worse})
    assert 0.01181 <= bound(claims.BestChallenger(), rows) <= 0.0120
    assert bound(claims.ChallengersBetter(), rows) == 0
    back = record(truth, worse, challengers={"champion": champion})
    assert bound(claims.ChallengersBetter(), back) == 1


def test_all_sizes_of_errors_at_once():
    sizes = np.arange(1, 501) + 0.5
    rows = record(sizes, np.zeros(500), task="regression")
    claim = claims.ErrorSizes()
    assert bound(claim, rows) == pytest.approx(0.853970, abs=1e-6)
    told = claim.told(delta=0.05, **claim.statistics(rows))
    assert (told["share at 0.5"], told["share at 0.99"]) == ("43.27%", "96.84%")
    assert claim.names(rows)["size at 0.9"] == "450.5"


def test_errors_in_widths():
    widths = np.tile([1.0, 4.0], 50)
    rows = record(np.arange(1, 101) * widths + 0.25, np.full(100, 0.25), width=widths)
    assert bound(claims.ScaledErrorQuantile(alpha=0.1), rows) == pytest.approx(96.0, rel=1e-12)


def test_log_loss_and_decision_curve():
    rows = record([1] * 4, [1] * 4, score=[0.8, 0.7, 0.9, 0.3], task="binary", positive=1)
    clipped = claims.LogLoss(floor=0.25)
    assert clipped.statistics(rows)["stated_of_truth"] == [0.75, 0.7, 0.75, 0.3]
    at = claims.DecisionCurve(threshold=0.2)
    assert at.guarantee(n_hits=90, n_false=40, n=1000, delta=0.05).bound == pytest.approx(
        0.0469, abs=1e-4
    )


def test_many_different_weights_are_rounded_to_the_worse(monkeypatch):
    from surelearn.claims import samples  # noqa: PLC0415

    rng = np.random.default_rng(3)
    weights = np.minimum(rng.lognormal(size=3000), 20.0)
    wrong = (rng.random(3000) < 0.1).astype(int)
    rows, claim = record(np.zeros(3000, dtype=int), wrong, weight=weights), claims.WeightedError(20)
    exact = claim.statistics(rows)
    monkeypatch.setattr(samples, "_MOST_WEIGHTS", 100)
    short = claim.statistics(rows)
    assert len(exact["weights"]) > 2900
    assert len(short["weights"]) < 2700
    assert sum(short["counts"]) == 3000
    assert max(short["weights"]) <= 20.0
    for name in ("seen", "bound"):
        a, b = (
            claim.seen(**one).value if name == "seen" else claim.guarantee(delta=0.05, **one).bound
            for one in (exact, short)
        )
        assert a < b < 1.004 * a
