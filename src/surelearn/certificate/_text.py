"""A certificate in words: plain sentences, and a card for notebooks."""

from typing import TYPE_CHECKING

from surelearn._shown import card
from surelearn._wording import outward, printable

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
        return [f"No guarantee: an assumption is violated. {_reasons(c)}."]
    bound = outward(c.bound, c.direction)
    lines = [c.claim]
    if c.status == "vacuous":
        known = f"{c.trivial:g} is known without data"
        lines = [f"The bound is vacuous: it is {bound} and {known}."]
    where = f"{c.n} {'rounds' if c.kind in {'regret', 'mistakes'} else 'examples'}"
    lines.append(f"Observed on {where}: {c.observed:.4g}. Bound: {bound}.")
    if "n_to_halve_slack" in c.reproduce:
        lines.append(f"{c.reproduce['n_to_halve_slack']} examples would halve the slack.")
    return lines


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


def html(certificate: "Certificate") -> str:
    """Return a card for notebooks: the claim, then every assumption with its status."""
    return card(
        f"{certificate.status} certificate",
        badge=certificate.status,
        sentences=headline(certificate),
        header=("status", "assumption", "evidence"),
        rows=[(p.status, p.name, p.evidence) for p in certificate.preconditions],
        footer=(certificate.formula, certificate.reference),
    )
