"""Certificates: what they say, what voids them, and that nothing is lost on the way to JSON."""

import dataclasses
import json
import math
import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from surelearn._wording import confidence, outward, percent_outward
from surelearn.bounds import Guarantee, concentration, mistakes, sequences
from surelearn.bounds._phrases import with_keys
from surelearn.certificate import (
    BoundViolatedError,
    Certificate,
    LedgerEntry,
    Precondition,
    certify,
    checked,
    joint_delta,
)


def holdout_certificate(errors=5, n=100, delta=0.05, **more):
    guarantee = concentration.clopper_pearson(errors=errors, n=n, delta=delta)
    return certify(guarantee, kind="risk", subject="this model", observed=errors / n, n=n, **more)


def test_every_assumption_of_the_theorem_is_listed_as_assumed_unless_settled():
    plain = holdout_certificate()
    assert [p.status for p in plain.preconditions] == ["assumed"]
    settled = holdout_certificate(evidence={"independent": checked("by design")})
    assert settled.preconditions[0].evidence == "by design"
    with pytest.raises(ValueError, match="does not assume identical; it assumes independent"):
        holdout_certificate(evidence={"independent": checked(""), "identical": checked("")})


def test_it_recomputes_from_json_alone():
    certificate = holdout_certificate(family=LedgerEntry("id", "once", 1, 0.05, 1))
    loaded = Certificate.from_json(certificate.to_json())
    assert loaded == dataclasses.replace(certificate, reproduce=loaded.reproduce)
    assert loaded.recompute() == certificate.bound
    assert loaded.family.mode == "once"


def test_a_precondition_stands_in_json_with_its_key_first():
    content = json.loads(holdout_certificate().to_json())
    assert content["schema"] == 3
    (stated,) = content["preconditions"]
    assert list(stated) == ["key", "name", "status", "evidence"]
    assert stated["key"] == "independent"


@pytest.mark.parametrize("key", ["", "independent"], ids=["empty", "repeated"])
def test_a_key_that_is_empty_or_repeated_is_refused(key):
    with pytest.raises(ValueError, match="need a key each"):
        holdout_certificate(also=[Precondition(key, "nobody cheats", "assumed")])


def of_schema_1(certificate, *more):
    """Return the JSON of a certificate as it was before assumptions had keys."""
    content = json.loads(certificate.to_json()) | {"schema": 1}
    content["preconditions"] += [{"name": p, "status": "assumed", "evidence": ""} for p in more]
    for precondition in content["preconditions"]:
        precondition.pop("key", None)
    return content


def test_a_certificate_of_schema_1_gets_the_keys_of_its_theorem():
    assumes = mistakes.halving(n_experts=8).assumes
    certificate = certify(
        mistakes.halving(n_experts=8), kind="mistakes", subject="the run", observed=2, n=50
    )
    content = of_schema_1(certificate)
    content["preconditions"].reverse()  # the place says nothing
    loaded = Certificate.from_json(json.dumps(content))
    assert [p.key for p in loaded.preconditions] == list(reversed(assumes))
    assert {p.key: p.name for p in loaded.preconditions} == assumes
    loaded.verify()


def test_in_schema_1_what_no_theorem_assumes_gets_a_key_of_its_own_words():
    content = of_schema_1(holdout_certificate(), "Nobody's rows overlap.", "it is so", "it is so")
    loaded = Certificate.from_json(json.dumps(content))
    keys = [p.key for p in loaded.preconditions]
    assert keys == ["independent", "nobodys_rows_overlap", "it_is_so", "it_is_so_again1"]
    again = json.loads(loaded.to_json())
    assert again["schema"] == 2
    assert [p["key"] for p in again["preconditions"]] == keys
    assert Certificate.from_json(loaded.to_json()) == loaded


def test_schema_1_of_a_theorem_that_cannot_be_evaluated_is_read_but_not_verified():
    content = of_schema_1(holdout_certificate())
    content["reproduce"]["inputs"]["n"] = -1
    loaded = Certificate.from_json(json.dumps(content))
    assert loaded.preconditions[0].key.startswith("the_n_trials_are_independent")
    with pytest.raises(ValueError, match="n=-1"):
        loaded.verify()


def test_array_inputs_survive_json():
    losses = np.random.default_rng(0).beta(2, 38, size=50)
    guarantee = sequences.betting_order_free(losses=losses, delta=0.1)
    made = certify(guarantee, kind="risk", subject="s", observed=losses.mean(), n=50)
    assert Certificate.from_json(made.to_json()).recompute() == guarantee.bound
    assert "<50 values>" in made.formula


@given(errors=st.integers(0, 40), extra=st.integers(0, 500), delta=st.floats(1e-12, 0.5))
def test_json_round_trip_keeps_every_digit(errors, extra, delta):
    certificate = holdout_certificate(errors, errors + extra + 1, delta)
    loaded = Certificate.from_json(certificate.to_json())
    assert loaded.bound == certificate.bound == loaded.recompute()


def test_one_violated_assumption_voids_it_and_no_number_is_printed():
    bad = Precondition("rows", "rows are independent", "violated", "each patient stands twice")
    certificate = holdout_certificate(also=[bad])
    assert certificate.status == "void"
    text = str(certificate)
    assert "each patient stands twice" in text
    assert "0.1023" not in text
    assert "10.2" not in text


def test_a_vacuous_bound_is_called_vacuous():
    certificate = holdout_certificate(errors=100, n=100)
    assert certificate.status == "vacuous"
    assert "vacuous" in str(certificate)


def test_a_valid_one_reads_as_sentences_and_rounds_outward():
    text = str(holdout_certificate())
    assert "With confidence 95%" in text
    assert "Observed on 100 examples: 5%. Bound: 10.23%." in text
    assert "Assumed, not checked" in text
    assert "clopper_pearson" in text


def test_a_quoted_bound_is_refused():
    quoted = concentration.empirical_bernstein(mean=0.1, variance=0.09, n=100, delta=0.05)
    with pytest.raises(ValueError, match="quoted"):
        certify(quoted, kind="risk", subject="s", observed=0.1, n=100)


def test_a_sure_bound_that_is_exceeded_is_a_bug_unless_an_assumption_is_open():
    guarantee = mistakes.halving(n_experts=8)
    settled = dict.fromkeys(guarantee.assumes, checked(""))
    run = {"kind": "mistakes", "subject": "run", "n": 10}
    with pytest.raises(BoundViolatedError, match="bug"):
        certify(guarantee, observed=4, evidence=settled, **run)
    assert certify(guarantee, observed=3, evidence=settled, **run).status == "valid"
    assert certify(guarantee, observed=4, **run).slack < 0


def test_sure_and_expected_statements_carry_no_delta():
    sure = certify(mistakes.halving(n_experts=8), kind="mistakes", subject="s", observed=1, n=5)
    assert sure.delta is None
    assert joint_delta(sure, holdout_certificate(), holdout_certificate()) == pytest.approx(0.1)


@pytest.mark.parametrize(
    "text", ["", "{}", "[]", '{"schema": 1}', '{"schema": 99, "status": "valid"}', "not json"]
)
def test_a_damaged_or_newer_file_is_refused_with_a_sentence(text):
    with pytest.raises(ValueError, match="certificate"):
        Certificate.from_json(text)


def test_a_missing_field_is_named():
    content = json.loads(holdout_certificate().to_json())
    del content["bound"]
    with pytest.raises(ValueError, match="bound"):
        Certificate.from_json(json.dumps(content))


@pytest.mark.parametrize(
    ("field", "forged"),
    [
        ("bound", 0.0001),
        ("bound", "nan"),
        ("direction", "sideways"),
        ("kind", "promise"),
        ("delta", "zero"),
        ("delta", None),
        ("preconditions", []),
        ("preconditions", [{"key": "k", "name": "n", "status": "Violated", "evidence": ""}]),
        ("preconditions", [{"name": "n", "status": "assumed", "evidence": ""}]),
        ("status", "void"),
    ],
)
def test_a_forged_field_is_noticed(field, forged):
    content = json.loads(holdout_certificate().to_json())
    content[field] = forged
    with pytest.raises(ValueError, match="certificate"):
        Certificate.from_json(json.dumps(content)).verify()


def test_a_void_certificate_has_nothing_to_recompute():
    void = holdout_certificate(also=[Precondition("rows", "rows are independent", "violated")])
    with pytest.raises(ValueError, match="void"):
        void.recompute()
    with pytest.raises(ValueError, match="NaN"):
        certify(
            concentration.clopper_pearson(errors=1, n=10, delta=0.05),
            kind="risk",
            subject="s",
            observed=math.nan,
            n=10,
        )


def test_html_escapes_what_it_shows():
    bad = Precondition("script", "<script>alert(1)</script>", "assumed")
    html = holdout_certificate(also=[bad])._repr_html_()
    assert "<script>" not in html
    assert "&lt;script&gt;" in html


@given(st.floats(1e-9, 1e9))
def test_a_bound_is_never_shown_smaller_than_it_is(value):
    assert float(outward(value, "upper")) >= value
    assert float(outward(value, "lower")) <= value
    if value <= 1:
        assert float(percent_outward(value, "upper")[:-1]) >= 100 * value * (1 - 1e-15)


def test_levels_near_one_are_not_rounded_to_certainty():
    assert confidence(1e-6) == "99.9999%"
    assert confidence(1e-17) == "99.999999999999999%"
    assert confidence(1 / 3) == "66.66%"
    assert outward(math.inf, "upper") == "inf"


def test_a_void_certificate_claims_nothing_in_words_or_numbers():
    reason = Precondition("rows", "rows are independent", "violated", "they come in pairs")
    void = holdout_certificate(also=[reason])
    assert void.claim.startswith("Void: nothing is claimed")
    assert "rows are independent (they come in pairs)" in void.claim
    assert "at most" not in void.claim
    assert math.isnan(void.bound)
    assert Certificate.from_json(void.to_json()) == void
    assert json.loads(void.to_json())["bound"] == "nan"


def test_a_void_certificate_of_before_is_read_without_its_number():
    content = json.loads(holdout_certificate().to_json())
    content["preconditions"][0]["status"], content["status"] = "violated", "void"
    read = Certificate.from_json(json.dumps(content))
    assert read.claim.startswith("Void: ")
    assert math.isnan(read.bound)


@pytest.mark.parametrize("scale", [1e-290, 1e-170, 1e-9, 1.0, 1e9, 1e170, 1e290])
def test_the_tolerance_of_a_sure_bound_is_relative(scale):
    guarantee = Guarantee(
        quantity="q", bound=scale, assumes={"a": "a"}, reference="r", theorem="mistakes.halving"
    )
    known = {"kind": "regret", "subject": "s", "n": 10, "evidence": {"a": checked("seen")}}
    certify(guarantee, observed=scale * (1.0 + 5e-10), **known)  # rounding
    with pytest.raises(BoundViolatedError, match="this is a bug"):
        certify(guarantee, observed=scale * (1.0 + 5e-9), **known)
    certify(guarantee, observed=scale * (1.0 + 5e-9), amount=100.0 * scale, **known)
    with pytest.raises(BoundViolatedError, match="this is a bug"):
        certify(guarantee, observed=scale * (1.0 + 5e-7), amount=100.0 * scale, **known)


def test_keys_of_phrases_never_collide():
    phrases = ["x again1", "x", "x", "realizable", "at least one expert never errs", "x again1"]
    keyed = with_keys(phrases, "mistakes.halving", {"n_experts": 8})
    assert list(keyed.values()) == phrases
    assert keyed["realizable"] == "at least one expert never errs"


def test_long_texts_and_thousands_of_preconditions_are_refused():
    content = json.loads(holdout_certificate().to_json())
    condition = content["preconditions"][0]
    for forged, reason in (
        ({"formula": "1" * 60_000}, "a text of 60,000 characters"),
        ({"reproduce": {"options": {"x": ["a" * 10_001]}}}, "a text of 10,001 characters"),
        ({"reproduce": {"a" * 10_001: 1}}, "a text of 10,001 characters"),
        ({"preconditions": [condition] * 1_001}, "1,001 preconditions"),
    ):
        with pytest.raises(ValueError, match=reason):
            Certificate.from_json(json.dumps({**content, **forged}))


def test_a_python_without_docstrings_issues_nothing_since_it_knows_no_theorems():
    script = (
        "from surelearn import Perceptron\n"
        "Perceptron().fit([[0.0], [1.0]], [0, 1]).certificates()\n"
    )
    done = subprocess.run(  # noqa: S603 - our own code
        [sys.executable, "-OO", "-c", script], capture_output=True, text=True, check=False
    )
    assert "RuntimeError: python -OO leaves out the sentences of theorems" in done.stderr
