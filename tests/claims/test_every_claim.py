"""What holds for every claim; each has a world in `worlds`, or this fails."""

import json
import math

import numpy as np
import pytest

from claims.worlds import BETTER, UNMOVED, WORLDS, WORSE
from surelearn import claims
from surelearn.bounds import state
from surelearn.certificate._reading import restored
from surelearn.claims.in_order import InOrder
from surelearn.evaluate.audit import Share, audit_predictions, gather, issue_claim

EACH = pytest.mark.parametrize("name", sorted(WORLDS))


def test_every_claim_has_a_world():
    assert set(claims.known()) == set(WORLDS)
    assert all(claim.name == name for name, (claim, _) in WORLDS.items())


@EACH
def test_its_text_is_the_claim(name):
    claim = WORLDS[name][0]
    assert claims.parse(str(claim)) == claim
    value = 0.25
    target = claim >= value if claim.direction == "lower" else claim <= value
    assert claims.parse(str(target)) == target
    with pytest.raises(ValueError, match="is bounded from"):
        _ = claim <= value if claim.direction == "lower" else claim >= value


@EACH
def test_statistics_are_plain_and_give_all_the_rest(name):
    claim, world = WORLDS[name]
    rows = world(BETTER)
    assert claim.lacks(rows) == ""
    statistics = claim.statistics(rows)
    again = json.loads(json.dumps(statistics, allow_nan=False))
    assert again == statistics
    found, seen = claim.guarantee(delta=0.05, **again), claim.seen(**again)
    worse = found.bound >= seen.value if claim.direction == "upper" else found.bound <= seen.value
    assert worse, "a bound is never better than what was seen"
    assert found.direction == claim.direction
    assert 1 <= seen.n <= rows.n
    inputs = {**found.inputs}
    assert math.isclose(claim.scale * state(found.theorem, inputs).bound, found.bound)


@EACH
def test_its_sentence_has_its_bound_and_no_place_is_left_empty(name):
    claim, world = WORLDS[name]
    certificate = audit_predictions(world(BETTER), asked=[claim]).certificate
    assert claim.limit(certificate.bound).removesuffix("%").lstrip("-") in certificate.claim
    assert "None" not in certificate.claim
    assert certificate.claim.endswith(".")
    assert certificate.recompute() == pytest.approx(certificate.bound, rel=1e-12)
    inputs = restored(json.loads(certificate.to_json())["reproduce"]["inputs"])
    assert claim.seen(**{k: inputs[k] for k in claim.statistics(world(BETTER))}).n == certificate.n


@EACH
def test_a_smaller_delta_gives_no_better_bound(name):
    claim, world = WORLDS[name]
    statistics = claim.statistics(world(BETTER))
    sure, surer = (claim.guarantee(delta=d, **statistics).bound for d in (0.1, 0.01))
    assert surer >= sure if claim.direction == "upper" else surer <= sure


@pytest.mark.parametrize("name", sorted(set(WORLDS) - UNMOVED))
def test_more_wrong_answers_give_a_worse_bound(name):
    claim, world = WORLDS[name]
    good, bad = (
        claim.guarantee(delta=0.05, **claim.statistics(world(k))).bound for k in (BETTER, WORSE)
    )
    assert bad > good if claim.direction == "upper" else bad < good


@EACH
def test_what_is_printed_is_rounded_outward(name):
    claim, world = WORLDS[name]
    bound = claim.guarantee(delta=0.05, **claim.statistics(world(BETTER))).bound
    shown = claim.limit(bound).replace(",", "")
    value = float(shown.removesuffix("%")) / (100 if shown.endswith("%") else 1)
    slack = 1e-12 * max(1.0, abs(bound))
    assert value >= bound - slack if claim.direction == "upper" else value <= bound + slack


@EACH
def test_a_target_among_several_states_the_target_and_is_recomputed(name):
    claim, world = WORLDS[name]
    rows = world(BETTER)
    bound = claim.guarantee(delta=0.05, **claim.statistics(rows)).bound
    step = 0.05 if claim.kind in {"rate", "risk"} else 0.1 + abs(bound) * 0.1
    upper = claim.direction == "upper"
    target = claim <= bound + step if upper else claim >= bound - step
    facts = gather(rows, [claim]).facts
    found = issue_claim(InOrder(claim, target.value), facts, Share(0.05, 0.05, 2))
    assert found.method == "targets.in_order"
    assert found.bound == target.value
    assert found.recompute() == pytest.approx(target.value, rel=1e-12)
    beyond = bound - step if upper else bound + step
    with pytest.raises(ValueError, match="proved by"):
        InOrder(claim, beyond).guarantee(delta=0.05, **claim.statistics(rows))


REGRESSION = claims.record(np.linspace(0.1, 9.9, 60), np.linspace(0.2, 10.0, 60))
MANY = claims.record(["a", "b", "c"] * 20, ["a", "b", "b"] * 20)
UNNAMED = claims.record(["ill", "well"] * 30, ["ill", "ill"] * 30)
RESULTS = claims.results([True, False] * 30)
LACKING = {"regression": REGRESSION, "many classes": MANY, "unnamed": UNNAMED, "results": RESULTS}
SUITS = {
    "regression": {"beyond", "error-quantile", "error-sizes", "mean-error"},
    "many classes": {"accuracy", "error", "macro-recall", "worst-class", "wrong-in-table"},
    "unnamed": {"accuracy", "error", "macro-recall", "worst-class", "wrong-in-table"},
    "results": {"pass-rate", "wrong-in-table"},
}


@EACH
@pytest.mark.parametrize("rows", sorted(LACKING))
def test_rows_that_cannot_show_it_are_refused_in_a_sentence(name, rows):
    claim = WORLDS[name][0]
    why = claim.lacks(LACKING[rows])
    assert (why == "") == (name in SUITS[rows])
    if why:
        with pytest.raises(ValueError, match="cannot be claimed of these rows"):
            audit_predictions(LACKING[rows], asked=[claim])


@pytest.mark.parametrize(
    ("name", "role"),
    [
        (name, role)
        for name, (claim, _) in sorted(WORLDS.items())
        for role in ("cluster", "weight", "stratum", "time")
        if claim.design != role
    ],
)
def test_a_design_forbids_the_claims_of_others(name, role):
    claim, world = WORLDS[name]
    rows = world(BETTER)
    rows.columns.update({role: np.arange(rows.n) % 7})
    with pytest.raises(ValueError, match="so that only"):
        audit_predictions(rows, asked=[claim])


OF_A_CLASS = {
    "sensitivity", "specificity", "balanced-accuracy", "lr+", "lr-", "auc", "threshold-for",
    "macro-recall", "worst-class", "ppv-at", "npv-at", "roc",
}  # fmt: skip


@EACH
def test_rows_drawn_by_label_show_claims_about_a_class_only(name):
    claim, world = WORLDS[name]
    assert claim.given_labels == (name in OF_A_CLASS)
    if name in OF_A_CLASS:
        assert audit_predictions(world(BETTER), asked=[claim], by_label=True).certificates
    else:
        with pytest.raises(ValueError, match="drawn by their label"):
            audit_predictions(world(BETTER), asked=[claim], by_label=True)
