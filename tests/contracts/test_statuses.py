"""What is stated about each assumption, by whom, is a table that changes only on purpose.

`make statuses` rewrites it; whoever runs that reads the difference.
"""

import json
import pathlib
from collections import Counter
from dataclasses import replace

import jsonschema
import pytest

from contracts import certificate_tables as tables
from contracts.certified_runs import GAMES, LEARNERS, SETTINGS
from contracts.node import needs_node, said_by_script
from surelearn import bounds
from surelearn.app.verify import verify_certificate
from surelearn.app.verifying.shapes import issuer_of
from surelearn.certificate import Certificate, certify, checked

SCHEMA = pathlib.Path(__file__).parents[2] / "docs/certificate-format/certificate.schema.json"


@pytest.mark.parametrize(
    "path", [tables.STATUSES, tables.ASSUMPTIONS, tables.KNOWN], ids=lambda p: p.name
)
def test_the_reviewed_table_is_what_the_code_states(path):
    stored = json.loads(path.read_text(encoding="utf-8"))
    found = tables.tables()[path]()
    assert found == stored
    assert tables.as_text(found) == path.read_text(encoding="utf-8")  # the order counts too


def test_every_learner_and_game_that_certifies_is_in_the_table():
    issuers = set(tables.statuses())
    assert issuers >= set(LEARNERS) | set(GAMES)
    assert set(LEARNERS) | set(GAMES) >= set(SETTINGS)


def test_every_status_there_is_appears_and_none_else():
    seen = {
        p.status
        for issuer, c in tables.collected()
        if issuer != "optimizers"
        for p in c.preconditions
    }
    assert seen == {"checked", "by-construction", "assumed", "violated"}


def test_no_certificate_names_an_assumption_twice_and_each_states_all_of_its_theorem():
    certificates = [c for _, c in tables.collected() if isinstance(c, Certificate)]
    assert len(certificates) > 500
    for certificate in certificates:
        keys = [p.key for p in certificate.preconditions]
        assert not [key for key, times in Counter(keys).items() if times > 1]
        assert all(key.isidentifier() for key in keys)
        assert keys[: len(tables.assumptions()[certificate.method])] == list(
            tables.assumptions()[certificate.method]
        )


def a_few_of_each(certificates, most=3):
    """Return some certificates of each issuer, theorem and status."""
    found = {}
    for c in certificates:
        found.setdefault((issuer_of(c), c.subject[:12], c.method, c.status), []).append(c)
    return [c for each in found.values() for c in each[:most] if c.status != "void"]


@pytest.mark.parametrize("written", ["now", "in format 1"])
def test_verify_passes_every_certificate_that_this_library_issues(written):
    now = written == "now"
    issued = tables.certificates() if now else tables.certificates_of_format_1()
    chosen = a_few_of_each(issued)
    assert len(chosen) > (200 if now else 80)
    wrong = [(c.method, f) for c in chosen for f in verify_certificate(c) if not f.holds]
    assert wrong == []


def rotated(table):
    keys, phrases = list(table), list(table.values())
    return dict(zip(keys, phrases[1:] + phrases[:1], strict=True))


@pytest.mark.parametrize("change", [rotated, lambda t: {**t, "radius": "reworded"}])
def test_rotated_or_reworded_assumptions_break_the_table(monkeypatch, change):
    name = "mistakes.novikoff"
    changed = {**tables.assumptions(), name: change(tables.assumptions()[name])}
    assert changed != tables.assumptions()
    monkeypatch.setattr(tables, "assumptions", lambda: changed)
    stored = json.loads(tables.ASSUMPTIONS.read_text(encoding="utf-8"))
    assert tables.assumptions() != stored
    phrases = json.loads(tables.STATUSES.read_text(encoding="utf-8"))["phrases of the issuers"]
    assert tables.issuers_phrases() != phrases


def test_evidence_for_an_unknown_assumption_is_refused():
    guarantee = bounds.mistakes.novikoff(radius=1.0, margin=0.5)
    with pytest.raises(ValueError, match=r"does not assume colour; it assumes start"):
        certify(
            guarantee,
            kind="mistakes",
            subject="s",
            observed=1,
            n=4,
            evidence={"colour": checked("it is red")},
        )


def test_evidence_exchanged_between_two_checked_assumptions_breaks_the_table(monkeypatch):
    def exchanged(certificate):
        start, radius, separable, *others = certificate.preconditions
        texts = (separable.evidence, radius.evidence)
        swapped = [replace(p, evidence=t) for p, t in zip((radius, separable), texts, strict=True)]
        return replace(certificate, preconditions=(start, *swapped, *others))

    runs = [
        (issuer, exchanged(c) if c.method == "mistakes.novikoff" else c)
        for issuer, c in tables.collected()
        if isinstance(c, Certificate)
    ]
    before = tables.statuses()["Perceptron"]["mistakes.novikoff"]
    monkeypatch.setattr(tables, "collected", lambda: runs)
    assert tables.statuses()["Perceptron"]["mistakes.novikoff"] != before


def test_every_certificate_fits_the_published_schema():
    schema = json.loads(SCHEMA.read_text(encoding="utf-8"))
    check = jsonschema.Draft202012Validator(schema)
    for _, c in tables.collected():
        if isinstance(c, Certificate):
            check.validate(json.loads(c.to_json()))


@needs_node
def test_no_certificate_is_refused_by_the_verifier_in_javascript():
    issued = [c for _, c in tables.collected() if isinstance(c, Certificate)]
    found = said_by_script([c.to_json() for c in issued])
    assert [
        (c.claim, said["words"])
        for c, said in zip(issued, found, strict=True)
        if said["state"] not in {"recomputed", "beyond", "void"}
    ] == []
    assert sum(said["state"] == "recomputed" for said in found) > 100
