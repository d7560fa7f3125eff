"""Parts of a page: tables, drawings, lists, and certificates as they are shown."""

import re
from collections.abc import Iterable, Mapping
from html import escape as html_escape

from surelearn._wording import amount, outward, percent, percent_outward, printable
from surelearn.certificate import Certificate
from surelearn.report.content import Figure, ModelView
from surelearn.report.recomputing import Places, shown_as

_LINES = "\n\t"
_OPTION = re.compile(r"--[a-z][a-z-]*")
_STATUS = {
    "checked": "checked",
    "by-construction": "true by construction",
    "assumed": "assumed, not checked",
    "violated": "violated",
}


def escape_options(text: str) -> str:
    """Return a sentence as HTML in which no option of a command is cut at the end of a line.

    >>> escape_options("say --drop x")
    'say <span class="option">--drop</span> x'
    """
    return _OPTION.sub(r'<span class="option">\g<0></span>', escape(text))


def escape(text: str, *, keep: str = "") -> str:
    """Return a text for HTML that is shown as it is, and turns no direction of reading."""
    return html_escape(printable(text, keep=keep))


def conditions_of(certificate: Certificate, places: Places) -> str:
    """Return what a certificate rests on, with its method and proof."""
    status, name, told = (places.shows(certificate, w) for w in ("standing", "assumes", "because"))
    items = "".join(
        f'<li><span class="mark {p.status}"{status}>{_STATUS[p.status]}</span>'
        f"<span><strong{name}>{escape(p.name)}</strong>"
        f"{f'<br><span{told}>{escape(p.evidence)}</span>' if p.evidence else ''}</span></li>"
        for p in certificate.preconditions
    )
    formula, source = (places.shows(certificate, what) for what in ("formula", "reference"))
    proof = (
        f"<p>Method: <code{formula}>{escape(certificate.formula)}</code><br>"
        f"Proof: <span{source}>{escape(certificate.reference)}</span></p>"
    )
    return f'<ul class="conditions">{items}</ul>{proof}'


def view_of(view: ModelView) -> str:
    """Return a way to look at a model: a note, a drawing, a text, a table."""
    note = f"<p>{escape(view.note)}</p>" if view.note else ""
    text = f"<pre>{escape(view.text, keep=_LINES)}</pre>" if view.text else ""
    drawing = f'<figure class="wide">{_labelled(view.svg, view.title)}</figure>' if view.svg else ""
    rows = [tuple(escape(cell) for cell in row) for row in view.rows]
    heads = list(view.header)
    if view.bars:
        heads.append("")
        rows = [(*row, _bar(part)) for row, part in zip(rows, view.bars, strict=True)]
    table = grid(heads, rows) if rows else ""
    return f"<h3>{escape(view.title)}</h3>{note}{drawing}{text}{table}"


def _bar(part: float) -> str:
    """Return a bar of up to the cell's width, to the right of its middle or to the left."""
    width = min(abs(part), 1.0) * 100
    side = "below" if part < 0 else "above"
    # An attribute of a drawing: the page's policy allows no style but its own.
    bar = f'<rect width="{width:.1f}%" height="100%"/>'
    return f'<svg class="bar {side}" aria-hidden="true">{bar}</svg>'


def facts_of(facts: Mapping[str, str], *, code: bool = False) -> str:
    """Return names and values, a line each."""
    mark, end = ("<code>", "</code>") if code else ("", "")
    rows = "".join(
        f"<dt>{escape(name)}</dt><dd>{mark}{escape_options(value)}{end}</dd>"
        for name, value in facts.items()
    )
    return f"<dl>{rows}</dl>" if rows else ""


def figure_of(figure: Figure) -> str:
    """Return a drawing with its caption."""
    words = f"<figcaption>{escape(figure.caption)}</figcaption>" if figure.caption else ""
    return f"<figure>{_labelled(figure.svg, figure.title)}{words}</figure>"


def _labelled(svg: str, title: str) -> str:
    """Return a drawing that says what it is to who cannot see it."""
    return svg.replace("<svg", f'<svg role="img" aria-label="{escape(title)}"', 1)


def section(title: str, body: str, *, of: str = "") -> str:
    """Return a section, if there is anything in it; the script compares what is `of` something."""
    marked = shown_as(of, "heading") if of else ""
    return f"<section><h2{marked}>{escape(title)}</h2>{body}</section>" if body else ""


def grid(header: Iterable[str], rows: Iterable[Iterable[str]], *, of: str = "") -> str:
    """Return a table whose cells are ready for HTML; it scrolls sideways on a phone."""
    marked = shown_as(of, "head") if of else ""
    top = "".join(f"<th{marked}>{escape(name)}</th>" for name in header)
    body = "".join(f"<tr>{''.join(f'<td>{cell}</td>' for cell in row)}</tr>" for row in rows)
    table = f"<table><thead><tr>{top}</tr></thead><tbody>{body}</tbody></table>"
    return f'<div class="scroll">{table}</div>'


def marked_side(certificate: Certificate, places: Places, *, least_only: bool = False) -> str:
    """Return the sign before a bound; none where it is shown with ±, or only that of the least."""
    if certificate.kind == "quantile" or (least_only and certificate.direction == "upper"):
        return ""
    sign = "≤ " if certificate.direction == "upper" else "≥ "
    return f"<span{places.shows(certificate, 'side')}>{sign}</span>"


def marked_bound(certificate: Certificate, places: Places) -> str:
    """Return a bound, and the place where the script marks it."""
    shown = f"<span{places.shows(certificate, 'bound')}>{bound_of(certificate)}</span>"
    return f"{shown}<br>{places.mark(certificate)}"


def bound_of(certificate: Certificate) -> str:
    """Return a bound as it is shown, rounded outward."""
    if certificate.status == "void":
        return "none"
    if certificate.is_share:
        return percent_outward(certificate.bound, certificate.direction)
    limit = outward(certificate.bound, certificate.direction)
    return f"±{limit}" if certificate.kind == "quantile" else limit


def value_of(certificate: Certificate, value: float) -> str:
    """Return a number as its kind is shown: shares in percent."""
    return f"{100 * value:.3g}%" if certificate.is_share else amount(value)


def marked_value(certificate: Certificate, places: Places) -> str:
    """Return what was observed, with as many decimals as the bound that stands beside it."""
    seen = certificate.observed
    text = percent(seen) if certificate.is_share else amount(seen)
    return f"<span{places.shows(certificate, 'observed')}>{text}</span>"
