"""The claims beside a certificate: made again from what they store, and from model and table.

They rest on what the certificate rests on, and count the same rows: nothing that it does not say
may be said by them.
"""

from collections.abc import Mapping
from typing import Any, cast

from surelearn import claims
from surelearn.app.auditing.bundle import Bundle, bundle_of
from surelearn.app.problem.split import said_before
from surelearn.app.verifying.bundles import differences, statistics_of
from surelearn.app.verifying.finding import Finding
from surelearn.app.verifying.same_rows import disagreements
from surelearn.app.verifying.stored_names import refuse_unknown_about
from surelearn.certificate import Certificate
from surelearn.claims import Claim, Target
from surelearn.evaluate._audit_targets import issue_all
from surelearn.evaluate._claims_beside import Origin, as_claim, facts_beside
from surelearn.evaluate.audit import Audit

_NAME = "the claims beside it follow from their statistics and rest on what it rests on"
_AGAIN = "asked again, the claims beside it are the same in every word"
_WORDS = "every bound, sentence, assumption and verdict"


def is_beside(bundle: Bundle) -> bool:
    """Return whether these are claims beside a certificate, and no audit of their own."""
    return any("holdout" in c.reproduce for c in bundle.certificates)


def check_beside(certificate: Certificate, bundle: Bundle) -> Finding:
    """Make all claims beside a certificate again from what they store, and compare every word."""
    try:
        again = _replay(certificate, bundle)
    except Exception as error:  # noqa: BLE001 - whatever a forged file makes a claim do
        told = str(error) or type(error).__name__
        return Finding(
            _NAME, holds=False, evidence=f"they cannot be evaluated: {told[:300]}", several=True
        )
    return _compared(_NAME, bundle, again)


def check_beside_again(bundle: Bundle, found: Audit | None) -> Finding:
    """Compare the claims beside a certificate with what the hold-out says when asked again."""
    if found is None:
        return Finding(_AGAIN, holds=False, evidence="nothing is claimed", several=True)
    return _compared(_AGAIN, bundle, bundle_of(found.outcomes, found.delta))


def _compared(name: str, bundle: Bundle, again: Bundle) -> Finding:
    differing = list(dict.fromkeys(differences(bundle, again)))
    evidence = _WORDS if not differing else f"otherwise: {', '.join(differing[:6])}"
    return Finding(name, holds=not differing, evidence=evidence, several=True)


def _replay(certificate: Certificate, bundle: Bundle) -> Bundle:
    """Return the claims that the stored statistics give beside this certificate."""
    first = bundle.certificates[0].reproduce
    refuse_unknown_about(bundle)
    origin, delta = _origin(first["holdout"]), _share(certificate)
    _refuse_other_options(certificate, origin)
    stated = [claims.parse(text) for text in origin.asked or [o.claim for o in bundle.outcomes]]
    if not origin.asked and not _in_order([str(one) for one in stated], origin.expected):
        raise ValueError("they are not those that are expected of such a model")
    n_rows = int(first["audit"]["n_rows"])
    counted = {c.reproduce["audit"]["claim"]: statistics_of(c) for c in bundle.certificates}
    by_text = {str(claim): claim for claim in map(as_claim, stated)}
    _refuse_other_rows(certificate, origin, counted, by_text, n_rows)
    about = {
        c.reproduce["audit"]["claim"]: c.reproduce["audit"]["about"] for c in bundle.certificates
    }
    outcomes = issue_all(
        facts_beside(certificate, origin, n_rows, counted, about),
        [one for one in stated if isinstance(one, Claim)],
        [one for one in stated if isinstance(one, Target)],
        delta=delta,
        leads=origin.leads,
        n_claims=origin.n_claims,
    )
    return bundle_of(outcomes, delta)


def _origin(stored: Any) -> Origin:
    """Return how the claims came about, or refuse what is no such thing."""
    origin = Origin(**cast("dict[str, Any]", {**stored, "asked": tuple(stored["asked"])}))
    wrong = [text for text in origin.asked if type(text) is not str or not _is_plain(text)]
    flags = (origin.scores, origin.baseline, origin.widths)
    some = type(origin.third) is int and origin.third > 0 and origin.task == "binary"
    third = some or origin.third == 0
    if wrong or {*map(type, flags)} != {bool} or not third or dict(stored) != origin.stored:
        raise ValueError("how they came about is told in other words")
    return origin


def _is_plain(text: str) -> bool:
    return str(claims.parse(text)) == text


def _share(certificate: Certificate) -> float:
    if certificate.family is None or certificate.delta is None:
        raise ValueError("the certificate beside is of no hold-out")
    return certificate.family.delta_spent


def _in_order(named: list[str], expected: list[str]) -> bool:
    """Return whether claims are some of those expected, in their order."""
    full = [str(claims.parse(text)) for text in expected]
    return bool(named) and [text for text in full if text in named] == named


def _refuse_other_options(certificate: Certificate, origin: Origin) -> None:
    """Refuse claims that the command was not asked for, and other units than it counted."""
    options = certificate.reproduce.get("options")
    if options is not None and list(options.get("claims", [])) != list(origin.asked):
        raise ValueError("other claims were asked for")
    if options is not None and origin.widths and options.get("widths") != "adaptive":
        raise ValueError("the run learnt no widths")
    told = " ".join(p.evidence for p in certificate.preconditions)
    as_one = "copies of a row count as one" in said_before(certificate.claim)
    if as_one != (origin.units == "copies"):
        raise ValueError("they count copies of rows otherwise than the certificate")
    if (("groups of one population" in told) or "whole groups" in told) != (
        origin.units == "groups"
    ):
        raise ValueError("they count groups otherwise than the certificate")


def _refuse_other_rows(
    certificate: Certificate,
    origin: Origin,
    counted: Mapping[str, Mapping[str, Any]],
    by_text: Mapping[str, Claim],
    n_rows: int,
) -> None:
    """Refuse claims that count other rows than the certificate, or than each other."""
    if n_rows != certificate.n:
        raise ValueError(f"they count {n_rows:,} rows, and the certificate {certificate.n:,}")
    inputs, also = certificate.reproduce["inputs"], dict(by_text)
    statistics = dict(counted)
    if origin.units != "groups" and certificate.method == "concentration.clopper_pearson":
        statistics["error"] = {"errors": inputs["errors"], "n": inputs["n"]}
        also["error"] = as_claim(claims.parse("error"))
    if other := list(disagreements(statistics, also, n_rows, third=origin.third)):
        raise ValueError(f"they count different rows: {', '.join(other[:3])}")
