"""Audits of predictions: how claims share delta, targets in order, advice, and coverage."""

import numpy as np
import pytest
from scipy import stats

from surelearn import claims
from surelearn.claims import record, results
from surelearn.evaluate.audit import advise, audit_predictions, verdict_of

TRUTH = np.array([1] * 100 + [0] * 900)
SAID = np.array([1] * 90 + [0] * 10 + [1] * 40 + [0] * 860)
ROWS = record(TRUTH, SAID)


def own(outcome):
    return outcome.certificate.delta


class TestSharesOfDelta:
    def test_by_default_the_error_rate_leads_with_half(self):
        found = audit_predictions(ROWS, delta=0.06).outcomes
        assert str(found[0].claim) == "error"
        assert own(found[0]) == pytest.approx(0.03)
        assert {own(o) for o in found[1:]} == {own(found[1])}
        assert sum(map(own, found)) == pytest.approx(0.06)
        assert all(f"for all {len(found)} claims together" in o.certificate.claim for o in found)
        assert all("with confidence 94%" in o.certificate.claim for o in found)

    def test_one_claim_has_all_of_it(self):
        found = audit_predictions(ROWS, asked=["error"], delta=0.06)
        assert own(found.outcomes[0]) == 0.06
        assert "together" not in found.certificate.claim

    def test_claims_that_are_asked_for_share_equally(self):
        found = audit_predictions(ROWS, asked=["npv", "f1", "error"], delta=0.06).outcomes
        assert [own(o) for o in found] == pytest.approx([0.02] * 3)

    def test_targets_have_all_of_it_each(self):
        found = audit_predictions(ROWS, asked=["npv>=0.9", "f1>=0.5"], delta=0.06).outcomes
        assert [own(o) for o in found] == [0.06, 0.06]
        assert [o.verdict for o in found] == ["proved", "proved"]
        assert all("for all 2 targets together" in o.certificate.claim for o in found)

    def test_with_both_each_kind_has_half(self):
        asked = ["npv>=0.9", "f1", "sensitivity>=0.5", "error"]
        found = audit_predictions(ROWS, asked=asked, delta=0.06).outcomes
        assert [str(o.claim) for o in found] == ["npv", "sensitivity", "f1", "error"]
        assert [own(o) for o in found] == pytest.approx([0.03, 0.03, 0.015, 0.015])

    def test_a_claim_asked_for_twice_is_refused(self):
        with pytest.raises(ValueError, match="twice"):
            audit_predictions(ROWS, asked=["recall>=0.5", "sensitivity>=0.6"])

    def test_delta_that_is_none_is_refused(self):
        for delta in (0.0, 1.0, -0.1, float("nan")):
            with pytest.raises(ValueError, match="delta"):
                audit_predictions(ROWS, delta=delta)


class TestTargetsInOrder:
    def test_it_stops_at_the_first_that_is_not_proved(self):
        asked = ["sensitivity>=0.8", "ppv>=0.65", "npv>=0.9"]
        found = audit_predictions(ROWS, asked=asked)
        assert [o.verdict for o in found.outcomes] == ["proved", "not proved", "not tried"]
        assert found.verdict == "not proved"
        first, second, third = found.outcomes
        assert first.certificate.bound == 0.8
        assert first.certificate.method == "targets.in_order"
        assert second.certificate.bound == pytest.approx(0.619010, abs=1e-6)
        assert third.certificate is None
        assert "more rows would decide" in second.advice

    def test_one_target_states_its_own_bound(self):
        found = audit_predictions(ROWS, asked=["sensitivity>=0.8"])
        assert found.certificate.bound == pytest.approx(0.836282, abs=1e-6)

    def test_a_target_far_away_is_refuted(self):
        found = audit_predictions(ROWS, asked=["ppv>=0.9", "npv>=0.9"])
        assert [o.verdict for o in found.outcomes] == ["refuted", "not tried"]
        assert found.verdict == "refuted"
        assert audit_predictions(ROWS, asked=["error<=0.01"]).verdict == "refuted"

    def test_refuting_costs_a_share_for_each_target(self):
        """At delta alone it would be refuted, at a tenth of it not."""
        rows = record([1] * 100, [1] * 93 + [0] * 7)
        value = 0.968
        alone = audit_predictions(rows, asked=[f"accuracy>={value}"])
        assert alone.verdict == "refuted"
        more = ["sensitivity>=0.1", "ppv>=0.1", "f1>=0.1", "error<=0.9", "worst-group<=1"]
        named = record([1] * 100, [1] * 93 + [0] * 7, group=["a", "b"] * 50)
        asked = [f"accuracy>={value}", *more]
        assert audit_predictions(named, asked=asked).outcomes[0].verdict == "not proved"

    def test_what_became_of_all(self):
        assert verdict_of(()) == "stated"
        assert audit_predictions(ROWS).verdict == "stated"
        assert audit_predictions(ROWS, asked=["npv>=0.9", "f1"]).verdict == "proved"

    def test_a_target_met_exactly_is_proved(self):
        bound = audit_predictions(ROWS, asked=["npv"]).certificate.bound
        assert audit_predictions(
            ROWS, asked=[claims.NegativePredictiveValue() >= bound]
        ).verdict == ("proved")


class TestAdvice:
    def test_so_many_more_rows_do_decide(self):
        target = claims.Accuracy() >= 0.9
        told = advise(target, {"correct": 93, "n": 100}, 100, delta=0.05)
        more = int(told.split("about ")[1].split(" ")[0].replace(",", ""))
        n = 100 + more
        bound = claims.Accuracy().guarantee(correct=93 * n // 100, n=n, delta=0.05).bound
        assert bound >= 0.9
        assert claims.Accuracy().guarantee(correct=93, n=100, delta=0.05).bound < 0.9

    def test_what_misses_the_target_is_not_promised_to_meet_it(self):
        told = advise(claims.Accuracy() >= 0.9, {"correct": 89, "n": 100}, 100, delta=0.05)
        assert "misses the target" in told

    def test_a_claim_whose_growth_is_not_clear_names_no_number(self):
        found = audit_predictions(ROWS, asked=["cost(miss=10, false_alarm=1)<=0.15"])
        assert found.verdict == "not proved"
        assert found.outcomes[0].advice == (
            "inconclusive: what was seen meets the target, and more rows may prove it"
        )


class TestWhatStandsInEveryCertificate:
    def test_what_no_file_can_show_is_assumed(self):
        for certificate in audit_predictions(ROWS).certificates:
            found = {p.key: p.status for p in certificate.preconditions}
            for key in ("unseen", "fixed_before", "complete", "not_chosen_by_them"):
                assert found[key] == "assumed"
            assert set(found.values()) <= {"assumed", "by-construction", "checked"}
            assert certificate.claim.startswith("If these 1,000 rows are independent draws")

    def test_one_row_is_told_as_one(self):
        found = audit_predictions(record([1], [1]), asked=["error"]).certificate
        assert found.claim.startswith("If this row is a draw from")

    def test_rows_with_weights_say_what_to_ask_for(self):
        rows = record([1, 0] * 20, [1, 0] * 20, weight=[1.0] * 40)
        with pytest.raises(ValueError, match="ask for weighted-error"):
            audit_predictions(rows)


def false_claims(draw, truth_of, n_draws, asked=(), delta=0.1, **options):
    """Return in how many audits anything certified was false.

    `truth_of` has the true value of each claim; targets are compared with what they state.
    """
    n_false = 0
    for seed in range(n_draws):
        found = audit_predictions(
            draw(np.random.default_rng(seed)), asked=asked, delta=delta, **options
        )
        n_false += any(
            c.bound > truth_of[str(o.claim)] + 1e-12
            if c.direction == "lower"
            else c.bound < truth_of[str(o.claim)] - 1e-12
            for o in found.outcomes
            if (c := o.certificate) is not None
        )
    return n_false


def assert_at_most(n_false, n_draws, delta):
    """Fail if so many false ones would come by chance once in a thousand times."""
    assert stats.binom.sf(n_false - 1, n_draws, delta) > 1e-3, (n_false, n_draws)


SENS, SPEC, PREVALENCE = 0.9, 0.8, 0.3


def true_values():
    tp, fn = PREVALENCE * SENS, PREVALENCE * (1 - SENS)
    tn, fp = (1 - PREVALENCE) * SPEC, (1 - PREVALENCE) * (1 - SPEC)
    said = tp + fp
    spread = PREVALENCE * (1 - PREVALENCE) / (said * (1 - said))
    return {
        "error": fn + fp,
        "accuracy": tp + tn,
        "sensitivity": SENS,
        "specificity": SPEC,
        "ppv": tp / said,
        "npv": tn / (1 - said),
        "f1": 2 * tp / (2 * tp + fp + fn),
        "balanced-accuracy": (SENS + SPEC) / 2,
        "mcc": spread**0.5 * (SENS + SPEC - 1),
        "lr+": SENS / (1 - SPEC),
        "lr-": (1 - SENS) / SPEC,
        "worst-group": fn + fp,
        "group-gap": 0.0,
        "cost(miss=5.0, false_alarm=1.0)": 5 * fn + fp,
        "net-benefit(threshold=0.2)": tp - 0.25 * fp,
        "pass-rate": tp + tn,
    }


def draw_binary(rng, n=100, **columns):
    truth = rng.random(n) < PREVALENCE
    right = rng.random(n) < np.where(truth, SENS, SPEC)
    return record(truth.astype(int), np.where(right, truth, ~truth).astype(int), task="binary",
                  positive=1, **columns)  # fmt: skip


def draw_grouped(rng):
    return draw_binary(rng, group=np.where(np.arange(100) % 2, "a", "b"))


FAST = ["error", "accuracy", "sensitivity", "specificity", "ppv", "npv", "f1", "worst-group"]
REGIONS = ["balanced-accuracy", "mcc", "lr+", "lr-", "group-gap", "cost(miss=5.0, false_alarm=1.0)",
           "net-benefit(threshold=0.2)"]  # fmt: skip


@pytest.mark.parametrize("claim", FAST)
def test_each_rate_alone_is_false_at_most_delta_of_the_time(claim, repetitions):
    n_false = false_claims(draw_grouped, true_values(), repetitions, asked=[claim])
    assert_at_most(n_false, repetitions, 0.1)
    if claim != "worst-group":  # the worse of two bounds that hold is hardly ever false
        assert n_false > 0, "a claim that never fails at 10% wastes rows, or was not looked at"


@pytest.mark.slow
@pytest.mark.parametrize("claim", REGIONS)
def test_each_region_alone_is_false_at_most_delta_of_the_time(claim):
    n_false = false_claims(draw_grouped, true_values(), 400, asked=[claim])
    assert_at_most(n_false, 400, 0.1)


@pytest.mark.parametrize(
    "n_draws", [pytest.param(40, id="fast"), pytest.param(400, id="slow", marks=pytest.mark.slow)]
)
def test_whoever_prints_all_of_them_is_wrong_at_most_delta_of_the_time(n_draws):
    n_false = false_claims(draw_grouped, true_values(), n_draws)
    assert_at_most(n_false, n_draws, 0.1)


def test_all_claims_of_results_and_of_many_classes(repetitions):
    truth = {"pass-rate": 0.85, "worst-group": 0.15, "error": 0.15}

    def draw_results(rng):
        return results(rng.random(80) < 0.85, group=np.where(np.arange(80) % 2, "a", "b"))

    def draw_many(rng):
        labels = rng.integers(0, 3, 80)
        wrong = rng.random(80) < 0.15
        said = np.where(wrong, (labels + 1) % 3, labels)
        return record(labels, said, group=np.where(np.arange(80) % 2, "a", "b"), task="multiclass")

    for draw in (draw_results, draw_many):
        asked = () if draw is draw_results else ("error", "worst-group")
        n_false = false_claims(draw, truth, repetitions, asked=asked)
        assert_at_most(n_false, repetitions, 0.1)


def test_sizes_of_errors(repetitions):
    truth = {
        "error-quantile(alpha=0.1)": float(stats.halfnorm.ppf(0.9)),
        "beyond(tolerance=1.5)": float(stats.halfnorm.sf(1.5)),
    }

    def draw(rng):
        return record(rng.normal(size=120), np.zeros(120), task="regression")

    n_false = false_claims(draw, truth, repetitions, asked=list(truth))
    assert_at_most(n_false, repetitions, 0.1)
    assert n_false > 0


def test_clusters_hold_where_rows_taken_as_independent_do_not(repetitions):
    """All rows of a patient are right or wrong together: the negative control must fail."""
    truth = {"error-per-cluster": 0.2, "error": 0.2}

    def errors(rng):
        return np.repeat(rng.random(20) < 0.2, 10).astype(int)

    def clustered(rng):
        return record(np.zeros(200, dtype=int), errors(rng), cluster=np.arange(200) // 10)

    def as_if_independent(rng):
        return record(np.zeros(200, dtype=int), errors(rng), task="binary")

    held = false_claims(clustered, truth, repetitions)
    assert_at_most(held, repetitions, 0.1)
    broken = false_claims(as_if_independent, truth, repetitions, asked=["error"])
    assert broken > 0.25 * repetitions


def test_a_gate_at_the_boundary_calls_a_missed_target_met_at_most_delta_of_the_time(repetitions):
    """Three targets, each a hair above the truth: all that are called met are false."""
    truth = true_values()
    hair = 1e-6
    asked = [f"{name}>={truth[name] + hair!r}" for name in ("sensitivity", "specificity", "ppv")]
    met, refuted = 0, 0
    exactly = [f"{name}>={truth[name] - hair!r}" for name in ("sensitivity", "specificity", "ppv")]
    for seed in range(repetitions):
        rows = draw_binary(np.random.default_rng(seed), n=200)
        found = audit_predictions(rows, asked=asked, delta=0.1).outcomes
        met += any(o.verdict == "proved" for o in found)
        again = audit_predictions(rows, asked=exactly, delta=0.1).outcomes
        refuted += any(o.verdict == "refuted" for o in again)
    assert_at_most(met, repetitions, 0.1)
    assert_at_most(refuted, repetitions, 0.1)
    assert met > 0
