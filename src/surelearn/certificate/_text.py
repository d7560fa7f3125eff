"""A certificate in words: plain sentences, and a card for notebooks."""

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

from surelearn._shown import card
from surelearn._wording import amount, exactly, outward, percent_outward, printable

if TYPE_CHECKING:
    from surelearn.certificate._certificate import Certificate

_TITLES = {
    "checked": "Checked",
    "by-construction": "True by construction",
    "assumed": "Assumed, not checked",
}


def sentences(certificate: "Certificate") -> str:
    """Return the claim, the numbers, then what it rests on, a line each."""
    proof = f"Proof: {certificate.reference}."
    lines = [*headline(certificate), *_assumptions(certificate), proof]
    return "\n".join(printable(line) for line in lines)


def headline(certificate: "Certificate") -> list[str]:
    """Return the claim and the numbers; a void certificate has reasons instead."""
    c = certificate
    if c.status == "void":
        return [f"No guarantee: an assumption is violated, namely that {_reasons(c)}."]
    bound, seen, known = _numbers(c)
    lines = [claim_in_one_unit(c)]
    if c.status == "vacuous":
        lines = [f"The bound is vacuous: it is {bound} and {known} is known without data."]
    lines.append(f"Observed on {c.n} {unit_of(c)}: {seen}. Bound: {bound}.")
    if "n_to_halve_slack" in c.reproduce:
        rows = c.reproduce["n_to_halve_slack"]
        as_one = "copies of a row count as one" in c.claim
        which = "distinct rows held out" if as_one else "held-out rows"
        lines.append(f"With {rows} {which}, the gap between the two would be half as wide.")
    return lines


def unit_of(certificate: "Certificate") -> str:
    """Return what a certificate counts."""
    if certificate.kind in {"regret", "mistakes"}:
        return "rounds"
    if re.match(r"If (this cluster|these [\d,]+ clusters), ", certificate.claim):
        return "clusters"
    of_groups = (" of a new group" in certificate.claim, " in a new group" in certificate.claim)
    return "groups" if any(of_groups) else "examples"


def claim_in_one_unit(certificate: "Certificate") -> str:
    """Return the claim in the unit of the numbers beside it.

    Sentences that end in a share are stored with a fraction, by which verifiers know them; readers
    are told percent, as everywhere.
    """
    c = certificate
    side = "at most" if c.direction == "upper" else "at least"
    stored = f" is {side} {outward(c.bound, c.direction)}."
    if not (c.is_share and c.claim.endswith(stored)):
        return c.claim
    return f"{c.claim.removesuffix(stored)} is {side} {percent_outward(c.bound, c.direction)}."


def _numbers(certificate: "Certificate") -> tuple[str, str, str]:
    """Return the bound, what was seen and what is known without data; shares in percent."""
    c = certificate
    if c.is_share:
        bound = percent_outward(c.bound, c.direction)
        return bound, f"{100.0 * c.observed:.4g}%", f"{100.0 * c.trivial:g}%"
    return outward(c.bound, c.direction), amount(c.observed), exactly(c.trivial)


def void_claim(certificate: "Certificate") -> str:
    """Say that nothing is claimed, and why."""
    return f"Void: nothing is claimed, because an assumption is violated: {_reasons(certificate)}."


def _reasons(certificate: "Certificate") -> str:
    return "; ".join(
        f"{p.name} ({p.evidence})" if p.evidence else p.name for p in certificate.violated
    )


def _assumptions(certificate: "Certificate") -> list[str]:
    lines: list[str] = []
    for status, title in _TITLES.items():
        names = [p.name for p in certificate.preconditions if p.status == status]
        if names:
            lines.append(f"{title}: {'; '.join(names)}.")
    return lines


def html(certificate: "Certificate", *, about: str = "", also: Sequence[str] = ()) -> str:
    """Return a card for notebooks: the claim, then every assumption with its status.

    Parameters
    ----------
    certificate
        The certificate.
    about, also
        What it is about, for the title, and sentences to add to its own.
    """
    return card(
        f"{certificate.status} certificate{f': {about}' if about else ''}",
        badge=certificate.status,
        sentences=[*headline(certificate), *also],
        header=("status", "assumption", "evidence"),
        rows=[(p.status, p.name, p.evidence) for p in certificate.preconditions],
        footer=(certificate.formula, certificate.reference),
    )
