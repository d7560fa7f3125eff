"""The report as one HTML file: no network, readable on a phone and on paper.

Its only script recomputes the claims and says so beside them; without it nothing else is missing.
"""

import math
from collections.abc import Mapping, Sequence
from importlib import resources

from surelearn._wording import amount, percent_outward
from surelearn._wording import percent as in_percent
from surelearn.certificate import Certificate
from surelearn.certificate._text import unit_of
from surelearn.report._claims import claimed_of, classes_of, title_of_claims
from surelearn.report._page_texts import cards_of, data_of, told, warnings_of
from surelearn.report._parts import (
    bound_of,
    conditions_of,
    escape,
    escape_options,
    facts_of,
    figure_of,
    grid,
    marked_bound,
    marked_side,
    marked_value,
    section,
    value_of,
    view_of,
)
from surelearn.report.content import (
    Candidate,
    ColumnSummary,
    FoldChoice,
    Report,
)
from surelearn.report.recomputing import Places, certificates_of, digest_of, scripts, verifier


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
    certificates = certificates_of(report)
    places, data = Places(certificates), data_of(report, certificates)
    claimed = section(title_of_claims(report), claimed_of(report, places), of="claims")
    sections = [
        "" if report.choice else claimed,  # an audit is nothing but its claims
        section("What it rests on", conditions_of(report.certificate, places), of="basis"),
        *[section(f.title, figure_of(f)) for f in report.figures[:1]],
        claimed if report.choice else "",
        *[section(f.title, figure_of(f)) for f in report.curves],
        section("Errors by class", classes_of(report, places), of="classes"),
        section("What to do next", _steps(report.steps)),
        section("How the model was chosen", _choice(report)),
        section(
            "What the training rows alone prove", _training(report.training, places), of="basis"
        ),
        *[section(f.title, figure_of(f)) for f in report.figures[1:]],
        section("What the model looks like", "".join(view_of(view) for view in report.views)),
        section(
            "What the training run proves about itself", _others(report.others, places), of="others"
        ),
        section("The table", _table_of_data(report)),
        section("How to do it again", facts_of(report.reproduce, code=True)),
        *[section(f"Appendix: {f.title}", figure_of(f)) for f in report.appendix],
        section("Signature", _signing(report.signing)),
    ]
    return (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
        f'<meta http-equiv="Content-Security-Policy" content="{_policy(style)}">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        '<meta name="color-scheme" content="light dark">'
        f"<title>{escape(report.title)}</title><style>{style}</style></head><body><main>"
        f"{_top(report, places)}{''.join(sections)}</main>{scripts(report, data)}</body></html>\n"
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
    side = marked_side(c, places, least_only=True)
    number = f'<p class="number">{side}<span{places.shows(c, "bound")}>{bound_of(c)}</span></p>'
    seen = f"Observed {value_of(c, c.observed)} on {c.n:,} {unit_of(c)}."
    return (
        f'<header class="{c.status}"><p class="status"{places.shows(c, "status")}>'
        f"{c.status} certificate</p>"
        f"<h1>{escape(report.title)}</h1>{'' if c.status == 'void' else number}"
        f'<p class="claim"{places.shows(c, "claim")}>{escape(c.headline[0])}</p>'
        f'{places.mark(c)}<p class="seen"><span{places.shows(c, "seen")}>{escape(seen)}</span> '
        f"{told('beforehand', report.beforehand)}</p>{cards_of(report.cards, places)}</header>"
        f"{warnings_of(report)}"
    )


def _others(certificates: Sequence[Certificate], places: Places) -> str:
    rows = [
        (
            f"<span{places.shows(c, 'subject')}>{escape(c.subject)}</span>",
            f"<span{places.shows(c, 'claim')}>{escape(c.headline[0])}</span>",
            marked_value(c, places),
            marked_bound(c, places),
        )
        for c in certificates
    ]
    return grid(("of", "claim", "observed", "bound"), rows, of="others") if rows else ""


def _steps(steps: Sequence[str]) -> str:
    items = "".join(f"<li>{_coded(text)}</li>" for text in steps)
    return f"<ul>{items}</ul>" if items else ""


def _coded(text: str) -> str:
    """Return a text in which what stands between backquotes is code."""
    parts = text.split("`")
    return "".join(
        f"<code>{escape_options(part)}</code>" if i % 2 else escape(part)
        for i, part in enumerate(parts)
    )


def _signing(facts: Mapping[str, str]) -> str:
    if not facts:
        return ""
    lines = "".join(f"<div><span>{name}</span></div>" for name in ("Name", "Signature", "Date"))
    return f'{facts_of(facts)}<div class="signing">{lines}</div>'


def _choice(report: Report) -> str:
    if not report.candidates and not report.choice:
        return ""
    rows = [_candidate(one, report) for one in report.candidates]
    shown = grid(("learner", *report.score_names, ""), rows) if rows else ""
    untried = "".join(f"<li>{escape_options(text)}</li>" for text in report.untried)
    untried = f"<ul>{untried}</ul>" if untried else ""
    folds = _folds(report.folds, percent=report.in_percent)
    return f"<p>{escape(report.choice)}</p>{shown}{untried}{folds}"


def _candidate(candidate: Candidate, report: Report) -> tuple[str, ...]:
    name = escape(candidate.name)
    notes = ["chosen"] if candidate.chosen else []
    return (
        f"<strong>{name}</strong>" if candidate.chosen else name,
        *(
            _score(score, percent=report.in_percent, is_bound=name == "bound")
            for name, score in zip(report.score_names, candidate.scores, strict=True)
        ),
        escape("; ".join(filter(None, [*notes, candidate.note]))),
    )


def _folds(folds: Sequence[FoldChoice], *, percent: bool) -> str:
    if not folds:
        return ""
    rows = [
        (
            str(i),
            escape(fold.chosen),
            *(_score(s, percent=percent) for s in (fold.seemed, fold.was)),
        )
        for i, fold in enumerate(folds, start=1)
    ]
    heads = ("part", "chosen without it", "estimate without it", "on the part itself")
    title = "What would have been chosen without each part of the training rows"
    return f"<h3>{title}</h3>{grid(heads, rows)}"


def _score(score: float, *, percent: bool, is_bound: bool = False) -> str:
    if math.isnan(score):
        return "–"
    if is_bound:  # all of which are said to hold
        return percent_outward(score, "upper")
    return in_percent(score) if percent else amount(score)


def _training(certificate: Certificate | None, places: Places) -> str:
    if certificate is None:
        return ""
    claim = f"<span{places.shows(certificate, 'claim')}>{escape(certificate.headline[0])}</span>"
    marked = f'<p class="claim">{claim}</p><p>{places.mark(certificate)}</p>'
    return marked + conditions_of(certificate, places)


def _table_of_data(report: Report) -> str:
    notes = "".join(f"<li>{escape_options(note)}</li>" for note in report.notes)
    listed = f"<h3>What was inferred</h3><ul>{notes}</ul>" if notes else ""
    columns = grid(
        ("column", "holds", "missing", "left out because"),
        [_column(column) for column in report.columns],
    )
    shown = f"<details><summary>All {len(report.columns)} columns</summary>{columns}</details>"
    return facts_of(report.facts) + (shown if report.columns else "") + listed


def _column(column: ColumnSummary) -> tuple[str, ...]:
    return (
        escape(column.name),
        escape(column.kind),
        _share_missing(column.missing),
        escape(column.left_out),
    )


def _share_missing(share: float) -> str:
    if 0.0 < share < 0.001:
        return "below 0.1%"
    return f"{share:.1%}" if share else ""
