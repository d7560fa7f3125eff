"""What a page tells beside its certificates: cards, warnings, sentences and counts.

The page carries these texts as data, too, so that its script finds whatever was changed in what is
shown, and compares the counts and the levels with the certificates.
"""

from collections.abc import Sequence
from typing import Any

from surelearn.certificate import Certificate
from surelearn.report._parts import bound_of, escape, escape_options, grid
from surelearn.report.content import Card, ModelView, Report
from surelearn.report.recomputing import Places, place_of, shown_as


def told(shows: str, text: str, *, tag: str = "span") -> str:
    """Return an element whose text the script compares; nothing if there is no text.

    >>> told("joint", "a < b", tag="p")
    '<p data-of="told" data-shows="joint">a &lt; b</p>'
    """
    return f"<{tag}{shown_as('told', shows)}>{escape(text)}</{tag}>" if text else ""


def warnings_of(report: Report) -> str:
    """Return what a reader should worry about."""
    mark = shown_as("told", "warning")
    worries = "".join(f"<li{mark}>{escape_options(text)}</li>" for text in _warnings(report))
    return f'<ul class="warnings">{worries}</ul>' if worries else ""


def _warnings(report: Report) -> list[str]:
    return [text[:1].upper() + text[1:] for text in report.warnings]


def counts_of(view: ModelView | None) -> str:
    """Return how often each label was answered for each, if that was counted."""
    if view is None:
        return ""
    rows = [[told("cell", cell) for cell in row] for row in view.rows]
    title, note = told("counted", view.title, tag="h3"), told("note", view.note, tag="p")
    return title + note + grid(view.header, rows, of="told")


def cards_of(cards: Sequence[Card], places: Places) -> str:
    """Return the numbers beside the headline, a card each."""
    shown = "".join(
        f"<div><dt>{_label(card, places)}</dt><dd><strong>{_value(card, places)}</strong>"
        f"{told('note', card.note)}</dd></div>"
        for card in cards
    )
    return f'<dl class="cards">{shown}</dl>' if shown else ""


def _label(card: Card, places: Places) -> str:
    if card.certificate is None:
        return told("label", card.label)
    return f"<span{places.shows(card.certificate, 'card')}>{escape(card.label)}</span>"


def _value(card: Card, places: Places) -> str:
    c = card.certificate
    if c is None:
        return told("value", card.value)
    words = f"<span{places.shows(c, 'words')}>{escape(card.value)}</span>"
    if card.in_words:
        return words
    return f"{words} <span{places.shows(c, 'bound')}>{bound_of(c)}</span>"


def data_of(report: Report, certificates: Sequence[Certificate]) -> dict[str, Any]:
    """Return what a page tells, for its script, in the order in which it stands there."""
    is_audit = bool(report.claimed) and not report.choice
    view = report.confusion if report.classes or is_audit else None
    return {
        "beforehand": report.beforehand,
        "cards": [
            {
                "label": card.label,
                "value": card.value,
                "note": card.note,
                "place": place_of(certificates, card.certificate),
            }
            for card in report.cards
        ],
        "warnings": _warnings(report),
        "together": report.together if report.claimed and report.choice else "",
        "classes": [
            {
                "label": found.label,
                "n": found.n,
                "errors": found.errors,
                "place": place_of(certificates, found.certificate),
            }
            for found in report.classes
        ],
        "joint": report.joint if report.classes or is_audit else "",
        "confusion": None
        if view is None
        else {"title": view.title, "note": view.note, "header": view.header, "rows": view.rows},
    }
