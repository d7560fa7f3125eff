"""The claims of a page: those of an audit or beside a certificate, and those of classes."""

from surelearn._wording import shared_premise
from surelearn.certificate._text import unit_of
from surelearn.evaluate._holdout_claims import AS_ONE
from surelearn.report._page_texts import counts_of, told
from surelearn.report._parts import (
    escape,
    grid,
    marked_bound,
    marked_side,
    marked_value,
)
from surelearn.report.content import Claimed, ClassErrors, Report
from surelearn.report.recomputing import Places, shown_as

_TITLE, _TARGET, _VERDICT = (shown_as("claims", what) for what in ("title", "target", "verdict"))


def title_of_claims(report: Report) -> str:
    """Return what the claims are called: of an audit, or beside the certificate of a model."""
    return "What else these rows prove" if report.choice else "What these rows prove"


def claimed_of(report: Report, places: Places) -> str:
    """Return the claims, a line each, and then in words."""
    if not report.claimed:
        return ""
    heads = ("", "observed", "certified", "rows that count", "target", "verdict")
    wide = len(heads) if any(found.target for found in report.claimed) else len(heads) - 2
    rows = [_claim(found, places)[:wide] for found in report.claimed]
    shown = grid(heads[:wide], rows, of="claims")
    shown += places.of_all() + _in_full(report, places)
    if report.choice:  # classes and their confusion have a section of their own
        return told("together", report.together, tag="p") + shown
    return shown + told("joint", report.joint, tag="p") + counts_of(report.confusion)


def _in_full(report: Report, places: Places) -> str:
    """Return every claim in words: a list or a curve says more than its number."""
    found = [(one.title, one.certificate) for one in report.claimed if one.certificate is not None]
    if len(found) < 2:
        return ""
    premise = shared_premise([c.headline[0] for _, c in found])
    # The script reads every claim whole; a reader needs what all of them begin with only once.
    hidden = f'<span class="premise">{escape(premise)}</span>' if premise else ""
    items = "".join(
        f"<li><strong{_TITLE}>{escape(title)}:</strong> <span{places.shows(c, 'claim')}>"
        f"{_claim_in_full(c.headline[0], premise, hidden)}</span></li>"
        for title, c in found
    )
    mark = shown_as("claims", "premise")
    once = f"<p{mark}>{escape(premise.rstrip())}:</p>" if premise else ""
    return f"<details><summary>Every claim in full</summary>{once}<ul>{items}</ul></details>"


def _claim_in_full(claim: str, premise: str, hidden: str) -> str:
    if premise and claim.startswith(premise):
        return hidden + escape(claim.removeprefix(premise))
    return escape(claim)


def _claim(found: Claimed, places: Places) -> tuple[str, ...]:
    c, verdict = found.certificate, "" if found.verdict == "stated" else found.verdict
    told = escape("; ".join(filter(None, [verdict, found.advice])))
    title = f"<span{_TITLE}>{escape(found.title)}</span>"
    became = f"<span{_TARGET}>{escape(found.target)}</span>", f"<span{_VERDICT}>{told}</span>"
    if c is None:
        return (title, "", "", "", *became)
    stated, of = "none", " clusters" if unit_of(c) == "clusters" else ""
    if c.status != "void":
        stated = f"{marked_side(c, places)}{marked_bound(c, places)}"
    return (
        title,
        marked_value(c, places),
        f"<strong>{stated}</strong>",
        f"<span{places.shows(c, 'n')}>{c.n:,}{of}</span>",
        *became,
    )


def classes_of(report: Report, places: Places) -> str:
    """Return the errors by class, and what was predicted for the rows of each."""
    if not report.classes:
        return ""
    heads = ("class", "rows held out", "errors", "error rate", "certified: at most")
    shown = grid(heads, [_class(found, places) for found in report.classes], of="classes")
    return shown + told("joint", report.joint, tag="p") + counts_of(report.confusion)


def _class(found: ClassErrors, places: Places) -> tuple[str, ...]:
    certificate, label = found.certificate, escape(found.label)
    if certificate.reproduce.get("class") == found.label:
        label = f"<span{places.shows(certificate, 'class')}>{label}</span>"
    counts = told("count", f"{found.n:,}"), told("count", f"{found.errors:,}")
    # Of groups it has no counts, of distinct rows those of one of the copies of each.
    if "errors" in certificate.reproduce.get("inputs", {}) and AS_ONE not in certificate.claim:
        shows = (places.shows(certificate, what) for what in ("n", "errors"))
        pairs = zip(shows, (found.n, found.errors), strict=True)
        counts = tuple(f"<span{one}>{n:,}</span>" for one, n in pairs)
    return (
        label,
        *counts,
        marked_value(certificate, places),
        f"<strong>{marked_bound(certificate, places)}</strong>",
    )
