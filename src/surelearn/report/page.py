"""The report as one HTML file: no network, no scripts, readable on a phone and on paper."""

from collections.abc import Iterable, Mapping, Sequence
from html import escape
from importlib import resources

from surelearn._wording import outward, percent_outward
from surelearn.certificate import Certificate
from surelearn.report.content import Candidate, ClassErrors, ColumnSummary, ModelView, Report

_STATUS = {
    "checked": "checked",
    "by-construction": "true by construction",
    "assumed": "assumed, not checked",
    "violated": "violated",
}


def render_html(report: Report) -> str:
    """Return the whole page.

    Examples
    --------
    >>> from surelearn.bounds import concentration
    >>> from surelearn.certificate import certify
    >>> guarantee = concentration.clopper_pearson(errors=5, n=100, delta=0.05)
    >>> certificate = certify(guarantee, kind="risk", subject="s", observed=0.05, n=100)
    >>> page = render_html(Report(title="A model", certificate=certificate))
    >>> page.startswith("<!doctype html>"), "10.2" in page, "http" in page.lower()
    (True, True, False)
    """
    style = resources.files("surelearn.report").joinpath("style.css").read_text("utf-8")
    sections = [
        _section("What it rests on", _conditions(report.certificate)),
        _section("Beside it", _others(report)),
        _section("Errors by class", _classes(report.classes)),
        _section("How the model was chosen", _choice(report)),
        *[_section(f.title, _drawing(f.svg, f.caption)) for f in report.figures],
        _section("What the model looks like", "".join(_view(view) for view in report.views)),
        _section("The table", _table_of_data(report)),
        _section("How to do it again", _facts(report.reproduce)),
    ]
    return (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>{escape(report.title)}</title><style>{style}</style></head><body><main>"
        f"{_top(report)}{''.join(sections)}</main></body></html>\n"
    )


def _top(report: Report) -> str:
    """Return the claim with its number large, what was seen, and what to worry about."""
    c = report.certificate
    numbers = f"Observed {_value(c, c.observed)} on {c.n:,} examples"
    number = "" if c.status == "void" else f'<p class="number">{_bound(c)}</p>'
    lines = "".join(f"<p>{escape(line)}</p>" for line in c.headline[1:])
    plan = f"<p>{escape(report.plan)}</p>" if report.plan else ""
    worries = "".join(f"<li>{escape(text)}</li>" for text in report.warnings)
    warned = f'<ul class="warnings">{worries}</ul>' if worries else ""
    return (
        f'<header class="{c.status}"><p class="status">{c.status} certificate</p>'
        f"<h1>{escape(report.title)}</h1>{number}"
        f'<p class="claim">{escape(c.headline[0])}</p>'
        f'<p class="seen">{escape(numbers)}</p>{lines}{plan}</header>{warned}'
    )


def _conditions(certificate: Certificate) -> str:
    rows = [
        (
            f'<span class="mark {p.status}">{_STATUS[p.status]}</span>',
            escape(p.name),
            escape(p.evidence),
        )
        for p in certificate.preconditions
    ]
    proof = (
        f"<p>Method: <code>{escape(certificate.formula)}</code></p>"
        f"<p>Proof: {escape(certificate.reference)}</p>"
    )
    return _grid(("status", "assumption", "evidence"), rows) + proof


def _others(report: Report) -> str:
    if not report.others:
        return ""
    rows = [
        (escape(c.headline[0]), _bound(c) if c.status != "void" else "void", _value(c, c.observed))
        for c in report.others
    ]
    joint = f"<p>{escape(report.joint)}</p>" if report.joint else ""
    return _grid(("claim", "bound", "observed"), rows) + joint


def _classes(classes: Sequence[ClassErrors]) -> str:
    if not classes:
        return ""
    rows = [
        (
            escape(found.label),
            f"{found.n:,}",
            f"{found.errors:,}",
            _value(found.certificate, found.certificate.observed),
            _bound(found.certificate),
        )
        for found in classes
    ]
    return _grid(("class", "rows", "errors", "error rate", "certified: at most"), rows)


def _choice(report: Report) -> str:
    if not report.candidates and not report.choice:
        return ""
    rows = [_candidate(candidate) for candidate in report.candidates]
    header = ("learner", report.score_name, "±", "")
    grid = _grid(header, rows) if rows else ""
    return f"<p>{escape(report.choice)}</p>{grid}"


def _candidate(candidate: Candidate) -> tuple[str, ...]:
    name = (
        f"<strong>{escape(candidate.name)}</strong>" if candidate.chosen else escape(candidate.name)
    )
    note = "chosen" if candidate.chosen else escape(candidate.note)
    known = candidate.score == candidate.score
    score = f"{candidate.score:.4g}" if known else "–"
    spread = f"{candidate.spread:.2g}" if known else "–"
    return name, score, spread, note


def _view(view: ModelView) -> str:
    text = f"<pre>{escape(view.text)}</pre>" if view.text else ""
    rows = [tuple(escape(cell) for cell in row) for row in view.rows]
    grid = _grid(view.header, rows) if rows else ""
    return f"<h3>{escape(view.title)}</h3>{_drawing(view.svg) if view.svg else ''}{text}{grid}"


def _table_of_data(report: Report) -> str:
    notes = "".join(f"<li>{escape(note)}</li>" for note in report.notes)
    listed = f"<details><summary>What was inferred</summary><ul>{notes}</ul></details>"
    columns = _grid(
        ("column", "holds", "missing", "left out because"),
        [_column(column) for column in report.columns],
    )
    shown = f"<details><summary>{len(report.columns)} columns</summary>{columns}</details>"
    return _facts(report.facts) + (shown if report.columns else "") + (listed if notes else "")


def _column(column: ColumnSummary) -> tuple[str, ...]:
    return (
        escape(column.name),
        escape(column.kind),
        f"{column.missing:.1%}" if column.missing else "",
        escape(column.left_out),
    )


def _facts(facts: Mapping[str, str]) -> str:
    rows = "".join(
        f"<dt>{escape(name)}</dt><dd>{escape(value)}</dd>" for name, value in facts.items()
    )
    return f"<dl>{rows}</dl>" if rows else ""


def _drawing(svg: str, caption: str = "") -> str:
    words = f"<figcaption>{escape(caption)}</figcaption>" if caption else ""
    return f"<figure>{svg}{words}</figure>"


def _section(title: str, body: str) -> str:
    return f"<section><h2>{escape(title)}</h2>{body}</section>" if body else ""


def _grid(header: Iterable[str], rows: Iterable[Iterable[str]]) -> str:
    """Return a table whose cells are ready for HTML; it scrolls sideways on a phone."""
    top = "".join(f"<th>{escape(name)}</th>" for name in header)
    body = "".join(f"<tr>{''.join(f'<td>{cell}</td>' for cell in row)}</tr>" for row in rows)
    table = f"<table><thead><tr>{top}</tr></thead><tbody>{body}</tbody></table>"
    return f'<div class="scroll">{table}</div>'


def _bound(certificate: Certificate) -> str:
    if certificate.kind == "risk":
        return percent_outward(certificate.bound, certificate.direction)
    return outward(certificate.bound, certificate.direction)


def _value(certificate: Certificate, value: float) -> str:
    return f"{100 * value:.3g}%" if certificate.kind == "risk" else f"{value:.4g}"
