"""The certificates of an audit: made again from what they store, and from the file of answers."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

import numpy as np

from surelearn import claims
from surelearn.app.audit import audit_table
from surelearn.app.auditing.bundle import Bundle, bundle_of
from surelearn.app.auditing.columns import tell_complete
from surelearn.app.auditing.copies import tell_drawn
from surelearn.app.auditing.plan import Plan, tell_fixed
from surelearn.app.problem.ledger_entry import Entry
from surelearn.app.verifying.bundles import differences, statistics_of
from surelearn.app.verifying.finding import Finding
from surelearn.app.verifying.numbers import is_hash
from surelearn.app.verifying.rerun import AsRecorded, in_its_terms, read_recorded, refusing_nonsense
from surelearn.app.verifying.same_rows import disagreements, least_claims, left_out
from surelearn.app.verifying.stored_names import refuse_unknown_about, unknown_to_audits
from surelearn.base import data_fingerprint
from surelearn.certificate import Certificate, Evidence
from surelearn.claims import Claim, Target
from surelearn.evaluate._claims_beside import as_claim
from surelearn.evaluate.audit import Facts, drawn_as, issue_all
from surelearn.evaluate.recorded_holdout import PROCESS, tell_asked

_MADE_ANEW = {"inputs", "audit", "versions", "loss_range"}
_WHERE = "every bound, sentence, assumption and verdict"


def check_bundle(bundle: Bundle) -> Iterator[Finding]:
    """Make all certificates of an audit again from what they store, and compare every word."""
    for certificate in bundle.certificates:
        if certificate.status == "void":
            reasons = "; ".join(p.name for p in certificate.violated)
            yield Finding("it states a bound", holds=False, evidence=f"it is void: {reasons}")
            return
    name = "all of it follows from the stored statistics"
    try:
        again = _replay(bundle)
    except Exception as error:  # noqa: BLE001 - whatever a forged file makes a claim do
        told = str(error) or type(error).__name__
        yield Finding(name, holds=False, evidence=f"they cannot be evaluated: {told[:300]}")
        return
    differing = list(dict.fromkeys(differences(bundle, again)))
    evidence = _WHERE if not differing else f"otherwise: {', '.join(differing[:6])}"
    yield Finding(name, holds=not differing, evidence=evidence)


def check_bundle_again(bundle: Bundle, table: Path, form: Mapping[str, Any]) -> Iterator[Finding]:
    """Do the audit again from the file of answers, and compare every word."""
    first = bundle.certificates[0]
    recorded = read_recorded(first, table, form)
    same = recorded.file.sha256 == first.reproduce["table"]
    yield Finding("the file is the one audited", same, f"SHA-256 {recorded.file.sha256}")
    options = dict(recorded.options)
    with refusing_nonsense():
        sha256 = options.pop("plan", None)
        if sha256 is not None:
            asked, delta = tuple(options.pop("claims")), options.pop("delta")
            options["plan"] = Plan(asked, delta, options.pop("looks", 1), sha256)
        ledger = AsRecorded(first.reproduce["ledger"])
        form_then = first.reproduce["options"].get("form", {})
        with in_its_terms(first, bundle):
            run = audit_table(recorded.file, ledger=ledger, form=form_then, **options)
        again = bundle_of(run.audit.outcomes, run.audit.delta)
        stated = first.reproduce["data"]
        if stated == _former_data(run.columns.rows):
            again = _with_data(again, stated)
    differing = list(dict.fromkeys(differences(bundle, again)))
    evidence = _WHERE if not differing else f"otherwise: {', '.join(differing[:6])}"
    yield Finding("audited again, it is the same in every word", not differing, evidence)


def _former_data(rows: Any) -> str | None:
    """Return the hash of answers as of when labels had no room for a missing one, if they are text.

    The hash of text knows how many characters there is room for.
    """
    if rows.truth.dtype.kind != "U":
        return None
    truth, prediction = (np.asarray(one.tolist()) for one in (rows.truth, rows.prediction))
    return data_fingerprint(prediction.astype(str).reshape(-1, 1), truth)


def _with_data(bundle: Bundle, data: str) -> Bundle:
    """Return an audit whose certificates state another hash of its answers."""

    def told(certificate: Certificate | None) -> Certificate | None:
        if certificate is None:
            return None
        return replace(certificate, reproduce={**certificate.reproduce, "data": data})

    stored = (replace(one, certificate=told(one.certificate)) for one in bundle.outcomes)
    return replace(bundle, outcomes=tuple(stored))


def _replay(bundle: Bundle) -> Bundle:
    """Return the audit that the stored statistics give, by the options that are stored."""
    _refuse_unknown_names(bundle)
    _refuse_other_types(bundle)
    first = bundle.certificates[0].reproduce
    options: Mapping[str, Any] = first["options"]
    asked = [claims.parse(text) for text in options.get("claims", [])]
    stated = asked or [claims.parse(o.claim) for o in bundle.outcomes]
    counted = {c.reproduce["audit"]["claim"]: statistics_of(c) for c in bundle.certificates}
    _refuse_other_rows(first, counted, stated, asked=bool(asked))
    delta = options["delta"] / options.get("looks", 1)
    outcomes = issue_all(
        _facts(bundle, counted),
        [one for one in stated if isinstance(one, Claim)],
        [one for one in stated if isinstance(one, Target)],
        delta=delta,
        leads=not asked,
        n_claims=None if asked else _n_claims(first, stated),
    )
    return bundle_of(outcomes, delta)


def _n_claims(first: Mapping[str, Any], stated: Sequence[Claim | Target]) -> int:
    """Return among how many claims delta was shared out if nobody asked for any."""
    n, there = first["audit"]["n_claims"], {as_claim(one).name for one in stated}
    if type(n) is not int or n < max(len(stated), least_claims(there, first["options"])):
        raise ValueError("delta is shared among fewer claims than are expected of such columns")
    return n


def _refuse_other_rows(
    first: Mapping[str, Any],
    counted: Mapping[str, Mapping[str, Any]],
    stated: Sequence[Claim | Target],
    *,
    asked: bool,
) -> None:
    """Refuse claims that count different rows, and those from which one was left out."""
    by_text = {str(claim): claim for claim in map(as_claim, stated)}
    if other := list(disagreements(counted, by_text, int(first["audit"]["n_rows"]))):
        raise ValueError(f"they count different rows: {', '.join(other[:3])}")
    if not asked and (lacking := list(left_out(counted, by_text, first["options"]))):
        raise ValueError(f"claims were left out: {', '.join(lacking)}")


def _facts(bundle: Bundle, counted: Mapping[str, Mapping[str, Any]]) -> Facts:
    """Return all that certificates are made from, as those of a bundle store it."""
    first = bundle.certificates[0].reproduce
    options: Mapping[str, Any] = first["options"]
    audits = [c.reproduce["audit"] for c in bundle.certificates]
    return Facts(
        drawn=drawn_as(
            int(first["audit"]["n_rows"]),
            by_label=options.get("by_label", False),
            n_without=int(first["n_without"]),
            exclude=options.get("incomplete") == "exclude",
        ),
        statistics=counted,
        about={audit["claim"]: audit["about"] for audit in audits},
        evidence={
            "independent": tell_drawn(_copies_in(first), int(first["audit"]["n_rows"])),
            "complete": tell_complete(first["n_without"], options.get("incomplete", "refuse")),
            "fixed_before": tell_fixed(options.get("plan")),
            "not_chosen_by_them": _tell_looks(first["ledger"], options.get("looks", 1)),
        },
        stored={k: v for k, v in first.items() if k not in _MADE_ANEW},
    )


def _copies_in(first: Mapping[str, Any]) -> int:
    """Return how many rows repeat others; older certificates and those of parts do not say."""
    n_copies = first.get("n_copies", 0)
    if type(n_copies) is not int or not 0 <= n_copies < int(first["audit"]["n_rows"]):
        raise ValueError(f"{n_copies!r} is no number of rows that repeat others")
    return n_copies


def _tell_looks(stored: Any, looks: int) -> Evidence:
    """Return what was known of earlier looks: by a ledger, or by the memory of a process."""
    of_process = stored["memory"] == PROCESS
    entry = Entry.read({**stored, "memory": "none"} if of_process else stored)
    if entry.standing.allowed and entry.standing.number > looks:
        raise ValueError(f"look {entry.standing.number} is none of {looks} that were planned")
    return tell_asked(entry.standing, looks) if of_process else entry.evidence(looks)


def _refuse_unknown_names(bundle: Bundle) -> None:
    """Refuse what no audit stores: readers could take it for something that was looked at."""
    for certificate in bundle.certificates:
        if unknown := list(unknown_to_audits(certificate.reproduce)):
            raise ValueError(f"{unknown[0]!r} is nothing that an audit stores")
    refuse_unknown_about(bundle)


def _refuse_other_types(bundle: Bundle) -> None:
    """Refuse numbers given as words, claims in other words, and names that do not agree."""
    first = bundle.certificates[0].reproduce
    options = dict(first["options"])
    if type(options.pop("positive", "")) not in {str, int, float, bool}:
        raise ValueError("its positive class is no label")
    for kind, found in (
        (int, [options.pop("looks", 1), first["n_without"]]),
        (float, [options.pop("delta")]),
        (bool, [options.pop("by_label", True), options.pop("in_parts", True)]),
        (str, [*_listed(options.pop("challenger", [""])), *_texts(options)]),
    ):
        if wrong := [value for value in found if type(value) is not kind]:
            raise ValueError(f"{wrong[0]!r} is none of its options")
    if other := [text for text in options.get("claims", []) if str(claims.parse(text)) != text]:
        raise ValueError(f"the claim {other[0]!r} is written otherwise")
    hashes = [first[name] for name in ("model", "data", "table") if name in first]
    if wrong := [text for text in hashes if not is_hash(text)]:
        raise ValueError(f"{wrong[0]!r} is no fingerprint")
    named: dict[str, str] = {}
    for certificate in bundle.certificates:
        for name, value in certificate.reproduce["audit"]["about"].items():
            if type(value) is not str or named.setdefault(name, value) != value:
                raise ValueError(f"the certificates do not agree about the name of {name!r}")


def _texts(options: Mapping[str, Any]) -> list[Any]:
    return [value for name, value in options.items() if name not in {"claims", "form"}]


def _listed(value: Any) -> list[Any]:
    """Return a list that is none of its own kind as what it is, so that it is refused."""
    return cast("list[Any]", value) if isinstance(value, list) and value else [None]
