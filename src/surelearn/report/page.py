"""The report as one HTML file: no network, readable on a phone and on paper.

Its only script recomputes the claims and says so beside them; without it nothing else is missing.
"""

import math
from collections.abc import Iterable, Mapping, Sequence
from html import escape as html_escape
from importlib import resources

from surelearn._wording import outward, percent_outward, printable
from surelearn.certificate import Certificate
from surelearn.report.content import (
    Candidate,
    Claimed,
    ClassErrors,
    ColumnSummary,
    Figure,
    FoldChoice,
    ModelView,
    Report,
)
from surelearn.report.recomputing import Places, certificates_of, digest_of, scripts, verifier

_LINES = "\n\t"
_SHARES = ("risk", "rate")  # kinds shown in percent
_STATUS = {
    "checked": "checked",
    "by-construction": "true by construction",
    "assumed": "assumed, not checked",
    "violated": "violated",
}


def escape(text: str, *, keep: str = "") -> str:
    """Return a text for HTML that is shown as it is, and turns no direction of reading."""
    return html_escape(printable(text, keep=keep))


def render_html(report: Report) -> str:
    """Return the whole page.

    Examples
    --------
    >>> from surelearn.bounds import concentration
    >>> from surelearn.certificate import certify
    >>> guarantee = concentration.clopper_pearson(errors=5, n=100, delta=0.05)
    >>> certificate = certify(guarantee, kind="risk", subject="s", observed=0.05, n=100)
    >>> page = render_html(Report(title="A model", certificate=certificate))
    >>> page.startswith("<!doctype html>"), "10.2" in page, "//" in page
    (True, True, False)
    """
    style = resources.files("surelearn.report").joinpath("style.css").read_text("utf-8")
    places = Places(certificates_of(report))
    sections = [
        _section("What these rows prove", _claimed(report, places)),
        _section("What it rests on", _conditions(report.certificate)),
        *[_section(f.title, _figure(f)) for f in report.figures[:1]],
        _section("Errors by class", _classes(report, places)),
        _section("How the model was chosen", _choice(report)),
        _section("What the training rows alone prove", _training(report.training, places)),
        *[_section(f.title, _figure(f)) for f in report.figures[1:]],
        _section("What the model looks like", "".join(_view(view) for view in report.views)),
        _section("What the training run proves about itself", _others(report.others, places)),
        _section("The table", _table_of_data(report)),
        _section("How to do it again", _facts(report.reproduce, code=True)),
    ]
    return (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
        f'<meta http-equiv="Content-Security-Policy" content="{_policy(style)}">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        '<meta name="color-scheme" content="light dark">'
        f"<title>{escape(report.title)}</title><style>{style}</style></head><body><main>"
        f"{_top(report, places)}{''.join(sections)}</main>{scripts(report)}</body></html>\n"
    )


def _policy(style: str) -> str:
    """Return what a browser may do with the page: use this style and this script, no more."""
    return (
        f"default-src 'none'; style-src '{digest_of(style)}'; script-src "
        f"'{digest_of(verifier())}'; img-src data:; base-uri 'none'; form-action 'none'"
    )


def _top(report: Report, places: Places) -> str:
    """Return the claim with its number large, what was seen, and what to worry about."""
    c = report.certificate
    sign = "≥ " if c.direction == "lower" else ""
    number = f'<p class="number">{sign}<span{places.shows(c, "bound")}>{_bound(c)}</span></p>'
    unit = "examples" if c.kind not in {"regret", "mistakes"} else "rounds"
    seen = f"Observed {_value(c, c.observed)} on {c.n:,} {unit}."
    said = " ".join(filter(None, [report.plan, report.beforehand]))
    worries = "".join(f"<li>{escape(text)}</li>" for text in report.warnings)
    warned = f'<ul class="warnings">{worries}</ul>' if worries else ""
    return (
        f'<header class="{c.status}"><p class="status">{c.status} certificate</p>'
        f"<h1>{escape(report.title)}</h1>{'' if c.status == 'void' else number}"
        f'<p class="claim"{places.shows(c, "claim")}>{escape(c.headline[0])}</p>'
        f'{places.mark(c)}<p class="seen"><span{places.shows(c, "seen")}>{escape(seen)}</span> '
        f"{escape(said)}</p></header>{warned}"
    )


def _conditions(certificate: Certificate) -> str:
    items = "".join(
        f'<li><span class="mark {p.status}">{_STATUS[p.status]}</span>'
        f"<span><strong>{escape(p.name)}</strong>"
        f"{f'<br>{escape(p.evidence)}' if p.evidence else ''}</span></li>"
        for p in certificate.preconditions
    )
    proof = (
        f"<p>Method: <code>{escape(certificate.formula)}</code><br>"
        f"Proof: {escape(certificate.reference)}</p>"
    )
    return f'<ul class="conditions">{items}</ul>{proof}'


def _others(certificates: Sequence[Certificate], places: Places) -> str:
    rows = [
        (escape(c.subject), escape(c.claim), _value(c, c.observed), _marked_bound(c, places))
        for c in certificates
    ]
    return _grid(("of", "claim", "observed", "bound"), rows) if rows else ""


def _claimed(report: Report, places: Places) -> str:
    """Return the claims of an audit, a line each."""
    if not report.claimed:
        return ""
    heads = ("", "observed", "certified", "rows that count", "target", "verdict")
    wide = len(heads) if any(found.target for found in report.claimed) else len(heads) - 2
    grid = _grid(heads[:wide], [_claim(found, places)[:wide] for found in report.claimed])
    said = f"<p>{escape(report.joint)}</p>" if report.joint else ""
    said += _view(report.confusion) if report.confusion else ""
    return grid + places.of_all() + _in_full(report, places) + said


def _in_full(report: Report, places: Places) -> str:
    """Return every claim in words: a list or a curve says more than its number."""
    found = [one.certificate for one in report.claimed if one.certificate is not None]
    items = "".join(f"<li{places.shows(c, 'claim')}>{escape(c.headline[0])}</li>" for c in found)
    shown = f"<details><summary>Every claim in full</summary><ul>{items}</ul></details>"
    return shown if len(found) > 1 else ""


def _claim(found: Claimed, places: Places) -> tuple[str, ...]:
    c, verdict = found.certificate, "" if found.verdict == "stated" else found.verdict
    told = escape("; ".join(filter(None, [verdict, found.advice])))
    if c is None:
        return (escape(found.title), "", "", "", escape(found.target), told)
    sign = "≤" if c.direction == "upper" else "≥"
    stated = "none" if c.status == "void" else f"{sign} {_marked_bound(c, places)}"
    return (
        escape(found.title),
        _value(c, c.observed),
        f"<strong>{stated}</strong>",
        f"<span{places.shows(c, 'n')}>{c.n:,}</span>",
        escape(found.target),
        told,
    )


def _classes(report: Report, places: Places) -> str:
    if not report.classes:
        return ""
    heads = ("class", "rows held out", "errors", "error rate", "certified: at most")
    grid = _grid(heads, [_class(found, places) for found in report.classes])
    joint = f"<p>{escape(report.joint)}</p>" if report.joint else ""
    return grid + joint + (_view(report.confusion) if report.confusion else "")


def _class(found: ClassErrors, places: Places) -> tuple[str, ...]:
    certificate = found.certificate
    return (
        escape(found.label),
        f"<span{places.shows(certificate, 'n')}>{found.n:,}</span>",
        f"<span{places.shows(certificate, 'errors')}>{found.errors:,}</span>",
        _value(certificate, certificate.observed),
        f"<strong>{_marked_bound(certificate, places)}</strong>",
    )


def _choice(report: Report) -> str:
    if not report.candidates and not report.choice:
        return ""
    rows = [_candidate(candidate) for candidate in report.candidates]
    grid = _grid(("learner", *report.score_names, ""), rows) if rows else ""
    return f"<p>{escape(report.choice)}</p>{grid}{_folds(report.folds)}"


def _candidate(candidate: Candidate) -> tuple[str, ...]:
    name = escape(candidate.name)
    notes = ["chosen"] if candidate.chosen else []
    return (
        f"<strong>{name}</strong>" if candidate.chosen else name,
        *(_score(score) for score in candidate.scores),
        escape("; ".join(filter(None, [*notes, candidate.note]))),
    )


def _folds(folds: Sequence[FoldChoice]) -> str:
    if not folds:
        return ""
    rows = [
        (str(i), escape(fold.chosen), _score(fold.seemed), _score(fold.was))
        for i, fold in enumerate(folds, start=1)
    ]
    heads = ("part", "chosen without it", "estimate without it", "on the part itself")
    title = "What would have been chosen without each part of the training rows"
    return f"<h3>{title}</h3>{_grid(heads, rows)}"


def _score(score: float) -> str:
    return f"{score:.4g}" if not math.isnan(score) else "–"


def _training(certificate: Certificate | None, places: Places) -> str:
    if certificate is None:
        return ""
    claim = f"<span{places.shows(certificate, 'claim')}>{escape(certificate.headline[0])}</span>"
    marked = f'<p class="claim">{claim}</p><p>{places.mark(certificate)}</p>'
    return marked + _conditions(certificate)


def _view(view: ModelView) -> str:
    note = f"<p>{escape(view.note)}</p>" if view.note else ""
    text = f"<pre>{escape(view.text, keep=_LINES)}</pre>" if view.text else ""
    drawing = f'<figure class="wide">{_labelled(view.svg, view.title)}</figure>' if view.svg else ""
    rows = [tuple(escape(cell) for cell in row) for row in view.rows]
    heads = list(view.header)
    if view.bars:
        heads.append("")
        rows = [(*row, _bar(part)) for row, part in zip(rows, view.bars, strict=True)]
    grid = _grid(heads, rows) if rows else ""
    return f"<h3>{escape(view.title)}</h3>{note}{drawing}{text}{grid}"


def _bar(part: float) -> str:
    """Return a bar of up to the cell's width, to the right of its middle or to the left."""
    width = min(abs(part), 1.0) * 100
    side = "below" if part < 0 else "above"
    # An attribute of a drawing: the page's policy allows no style but its own.
    bar = f'<rect width="{width:.1f}%" height="100%"/>'
    return f'<svg class="bar {side}" aria-hidden="true">{bar}</svg>'


def _table_of_data(report: Report) -> str:
    notes = "".join(f"<li>{escape(note)}</li>" for note in report.notes)
    listed = f"<h3>What was inferred</h3><ul>{notes}</ul>" if notes else ""
    columns = _grid(
        ("column", "holds", "missing", "left out because"),
        [_column(column) for column in report.columns],
    )
    shown = f"<details><summary>All {len(report.columns)} columns</summary>{columns}</details>"
    return _facts(report.facts) + (shown if report.columns else "") + listed


def _column(column: ColumnSummary) -> tuple[str, ...]:
    return (
        escape(column.name),
        escape(column.kind),
        f"{column.missing:.1%}" if column.missing else "",
        escape(column.left_out),
    )


def _facts(facts: Mapping[str, str], *, code: bool = False) -> str:
    mark, end = ("<code>", "</code>") if code else ("", "")
    rows = "".join(
        f"<dt>{escape(name)}</dt><dd>{mark}{escape(value)}{end}</dd>"
        for name, value in facts.items()
    )
    return f"<dl>{rows}</dl>" if rows else ""


def _figure(figure: Figure) -> str:
    words = f"<figcaption>{escape(figure.caption)}</figcaption>" if figure.caption else ""
    return f"<figure>{_labelled(figure.svg, figure.title)}{words}</figure>"


def _labelled(svg: str, title: str) -> str:
    """Return a drawing that says what it is to who cannot see it."""
    return svg.replace("<svg", f'<svg role="img" aria-label="{escape(title)}"', 1)


def _section(title: str, body: str) -> str:
    return f"<section><h2>{escape(title)}</h2>{body}</section>" if body else ""


def _grid(header: Iterable[str], rows: Iterable[Iterable[str]]) -> str:
    """Return a table whose cells are ready for HTML; it scrolls sideways on a phone."""
    top = "".join(f"<th>{escape(name)}</th>" for name in header)
    body = "".join(f"<tr>{''.join(f'<td>{cell}</td>' for cell in row)}</tr>" for row in rows)
    table = f"<table><thead><tr>{top}</tr></thead><tbody>{body}</tbody></table>"
    return f'<div class="scroll">{table}</div>'


def _marked_bound(certificate: Certificate, places: Places) -> str:
    shown = f"<span{places.shows(certificate, 'bound')}>{_bound(certificate)}</span>"
    return f"{shown}<br>{places.mark(certificate)}"


def _bound(certificate: Certificate) -> str:
    if certificate.status == "void":
        return "none"
    if certificate.kind in _SHARES:
        return percent_outward(certificate.bound, certificate.direction)
    limit = outward(certificate.bound, certificate.direction)
    return f"±{limit}" if certificate.kind == "quantile" else limit


def _value(certificate: Certificate, value: float) -> str:
    return f"{100 * value:.3g}%" if certificate.kind in _SHARES else f"{value:.4g}"
