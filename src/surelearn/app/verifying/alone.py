"""A certificate by itself: everything that its theorem and its issuer determine is made again.

The inputs of the theorem give the bound and all that the theorem says; the reviewed table of what
issuers state gives the sentence, the demands and the statuses that are possible at all.
"""

import math
import re
from collections.abc import Iterator
from dataclasses import replace

from surelearn.app.verifying import fixed_beforehand, numbers, transferred
from surelearn.app.verifying.finding import Finding
from surelearn.app.verifying.known import Known, keys_by_phrase, kinds_of, known_of, phrases_of
from surelearn.app.verifying.rebuilt import (
    equal_in_range,
    rebuild,
    trivial_of,
    with_keys_of_issuers,
    with_todays_subject,
)
from surelearn.app.verifying.shapes import has_shape, read_together, without_numbers
from surelearn.app.verifying.stored_names import unknown_options
from surelearn.bounds import Guarantee
from surelearn.certificate import Certificate, Precondition
from surelearn.certificate._issue import source

_BOUND = "the bound follows from the stored statistics"


def check_alone(certificate: Certificate) -> tuple[Finding, ...]:
    """Compare a certificate with what its own stored inputs give."""
    findings: list[Finding] = []
    try:
        findings.extend(_compare(certificate))
    except Exception as error:  # noqa: BLE001 - whatever numbers a forged file combines
        findings.append(Finding("its parts make sense together", False, _brief(error)))  # noqa: FBT003
    return tuple(findings)


def _compare(certificate: Certificate) -> Iterator[Finding]:
    if certificate.status == "void":
        reasons = "; ".join(p.name for p in certificate.violated)
        yield Finding("it states a bound", holds=False, evidence=f"it is void: {reasons}")
        return
    try:
        guarantee = rebuild(certificate)
    except Exception as error:  # noqa: BLE001 - whatever a forged file makes a theorem do
        evidence = f"they cannot be evaluated: {_brief(error)}"
        yield Finding(_BOUND, holds=False, evidence=evidence)
        return
    evidence = f"stated {certificate.bound:.12g}, recomputed {guarantee.bound:.12g}"
    same = equal_in_range(guarantee.bound, certificate.bound, certificate)
    yield Finding(_BOUND, holds=same, evidence=evidence)
    own = {phrase: key for key, phrase in guarantee.assumes.items()}
    today = with_todays_subject(certificate)
    c = with_keys_of_issuers(today, {**keys_by_phrase(certificate.schema), **own})
    known = known_of(c)
    stated = replace(guarantee, bound=c.bound, quantity=c.quantity)
    anyones = _is_anyones(c, stated)
    yield from numbers.check_figures(c)
    if c.method.startswith(transferred.PREFIX):
        yield from transferred.check_carried(c, check_alone)
    yield _theorem(c, guarantee, known)
    yield _claim(c, stated, known)
    yield _issuer(c, known, anyones=anyones)
    yield _assumptions(c, guarantee, anyones=anyones)
    yield _statuses(c, guarantee, known, anyones=anyones)


def not_checked(certificate: Certificate) -> tuple[str, ...]:
    """Return what nobody can check by a certificate alone, in words."""
    c = certificate
    told = [f"that {p.name} ({p.status})" for p in c.preconditions if p.status != "assumed"]
    found = ["that the stored statistics are those of the model and the data", *told]
    if not (math.isinf(c.trivial) or c.kind in {"risk", "quantile", "approximation"}):
        found.append("that the loss of the run, known without data, is what is stated")
    return (*found, *fixed_beforehand.unexplained(c))


def _theorem(c: Certificate, guarantee: Guarantee, known: Known | None) -> Finding:
    """Compare what the theorem says of itself."""
    expected = {
        "direction": guarantee.direction,
        "validity": guarantee.validity,
        **source(guarantee),
    }
    found = {name: getattr(c, name) for name in expected}
    expected["formula"], found["formula"] = _bare(expected["formula"]), _bare(found["formula"])
    differing = [name for name, value in expected.items() if found[name] != value]
    if c.quantity != guarantee.quantity and (known is None or c.quantity not in known.quantities):
        differing.append("quantity")
    trivial = trivial_of(c, guarantee)
    some = () if known is None else known.trivials  # the loss of a run may be one for each round
    if trivial != "theorem" and trivial not in some and "run" not in some:
        differing.append("trivial")
    evidence = c.method if not differing else f"otherwise: {', '.join(differing)}"
    return Finding("it says of its theorem what the theorem says", not differing, evidence)


def _bare(formula: str) -> str:
    """Return a call without the brackets of arrays and with the digits that arrays print."""
    bare = " ".join(re.sub(r"array|[()\[\],]", " ", formula).split())
    # A number begins where no digit stands before it: else each digit of a long one is tried.
    return re.sub(r"(?<!\d)\d+\.\d+(e[+-]?\d+)?", lambda number: f"{float(number[0]):.6g}", bare)


def _claim(c: Certificate, guarantee: Guarantee, known: Known | None) -> Finding:
    """Compare the sentence, word by word, with those that the issuer makes of these numbers."""
    shapes = known.claims if known is not None else ()
    plain = has_shape(c, "{default}", guarantee)
    holds = plain or any(has_shape(c, shape, guarantee) for shape in shapes)
    n_models = 1 if c.family is None else c.family.n_models
    holds = holds and read_together(c.claim).n_models in {1, n_models}
    if not plain and c.family is not None and c.family.mode != "once":
        holds = holds and read_together(c.claim).n_models == n_models
    holds = holds and numbers.numbers_are_explained(c) and fixed_beforehand.are_explained(c)
    evidence = "word by word" if holds else "no sentence of surelearn about these numbers"
    return Finding("the claim states this bound", holds=holds, evidence=evidence)


def _issuer(c: Certificate, known: Known | None, *, anyones: bool) -> Finding:
    """Compare the kind and the subject with what is certified by such a theorem."""
    name = "this is certified by such a theorem"
    if known is None:
        kinds = kinds_of(c)
        holds = not kinds or c.kind in kinds
        holds = holds and "loss_range" not in c.reproduce
        return Finding(name, holds=holds, evidence=f"{c.kind}, by none of surelearn's issuers")
    foreign = (set(c.reproduce) - set(known.stored)) | (set(known.always) - set(c.reproduce))
    foreign |= set(unknown_options(c.reproduce.get("options", {})))
    holds = c.kind in known.kinds and without_numbers(c.subject) in known.subjects and not foreign
    holds = holds and numbers.subject_is_explained(c)
    anyone = anyones and c.kind in known.kinds and "loss_range" not in c.reproduce
    stored = f"; stored otherwise: {', '.join(sorted(foreign))}" if foreign else ""
    return Finding(name, holds=holds or anyone, evidence=f"{c.kind} of {c.subject}{stored}")


def _is_anyones(c: Certificate, guarantee: Guarantee) -> bool:
    """Return whether anyone can make it with `certify`: its theorem's words, nothing checked."""
    nothing = c.family is None and all(p.status == "assumed" for p in c.preconditions)
    return nothing and has_shape(c, "{default}", guarantee)


def _assumptions(c: Certificate, guarantee: Guarantee, *, anyones: bool) -> Finding:
    """Compare the assumptions with those of the theorem, and the rest with what issuers demand."""
    own = {p.key: p.name for p in c.preconditions[: len(guarantee.assumes)]}
    more = c.preconditions[len(guarantee.assumes) :]
    lacking = [k for k, phrase in guarantee.assumes.items() if own.get(k) != phrase]
    odd = [p.key for p in more if not (_is_a_demand(p, c) or anyones)]
    holds = not lacking and list(own) == list(guarantee.assumes) and not odd
    wrong = ", ".join([*lacking, *odd]) or "their order"
    evidence = ", ".join(p.key for p in c.preconditions) if holds else f"otherwise: {wrong}"
    return Finding("it lists what the theorem and the issuer assume", holds, evidence)


def _is_a_demand(p: Precondition, c: Certificate) -> bool:
    phrase = without_numbers(p.name)
    return phrase in phrases_of(p.key, c.schema) and numbers.phrase_is_explained(p, c)


def _statuses(
    c: Certificate, guarantee: Guarantee, known: Known | None, *, anyones: bool
) -> Finding:
    """Find statuses that no code gives, demands left out, and evidence of other statuses."""
    name = "each status is one that the issuer can state"
    if anyones:
        return Finding(name, holds=True, evidence="all of them are assumed")
    if known is None:
        return Finding(name, holds=False, evidence="no issuer of surelearn uses this theorem so")
    odd = [p.key for p in c.preconditions if p.status not in known.statuses(p.key)]
    odd += [p.key for p in c.preconditions if p.key not in odd and known.contradicts(p)]
    odd += [p.key for p in c.preconditions if not numbers.evidence_is_explained(p, c)]
    odd += numbers.lacking_demands(c, set(guarantee.assumes))
    evidence = ", ".join(f"{p.key} {p.status}" for p in c.preconditions)
    return Finding(name, holds=not odd, evidence=f"not {', '.join(odd)}" if odd else evidence)


def _brief(error: Exception) -> str:
    text = str(error) or type(error).__name__
    return text if len(text) <= 300 else f"{text[:300]}…"
