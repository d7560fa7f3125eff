"""What a report says, before it is written down."""

import io
import re
import warnings
from collections.abc import Mapping
from dataclasses import dataclass, field

import matplotlib as mpl
from matplotlib.figure import Figure as Drawing
from matplotlib.text import Text

from surelearn._wording import printable
from surelearn.certificate import Certificate


@dataclass(frozen=True)
class ColumnSummary:
    """One column of the table: what it holds, how much of it is missing, whether it was used."""

    name: str
    kind: str
    missing: float
    left_out: str = ""


@dataclass(frozen=True)
class Candidate:
    """One learner that was tried on the training part; its scores are named by the report."""

    name: str
    scores: tuple[float, ...]
    chosen: bool = False
    note: str = ""


@dataclass(frozen=True)
class FoldChoice:
    """What would have been chosen without a part of the training rows, and how it did there.

    Attributes
    ----------
    chosen
        The learner that seemed best on the other parts.
    seemed
        Its estimate there.
    was
        Its loss on the part.
    """

    chosen: str
    seemed: float
    was: float


@dataclass(frozen=True)
class ClassErrors:
    """Errors on the hold-out among the rows of one class, with their certificate."""

    label: str
    n: int
    errors: int
    certificate: Certificate


@dataclass(frozen=True)
class Claimed:
    """One claim of an audit: its certificate, if it has one, and what became of its target."""

    title: str
    certificate: Certificate | None
    target: str = ""
    verdict: str = "stated"
    advice: str = ""


@dataclass(frozen=True)
class Card:
    """A number that stands beside the headline.

    Attributes
    ----------
    label, value, note
        What it is, the number, and how to read it.
    certificate, in_words
        The certificate that the number is the bound of, if there is one, and whether the value
        tells it in words.
    """

    label: str
    value: str
    note: str = ""
    certificate: Certificate | None = None
    in_words: bool = False


@dataclass(frozen=True)
class Figure:
    """A drawing with the sentence it proves."""

    title: str
    caption: str
    svg: str


@dataclass(frozen=True)
class ModelView:
    """A way to look at the model: a drawing, a text such as rules, or a table of numbers.

    Attributes
    ----------
    title, note
        What is shown, and how to read it.
    text, svg
        Rules in words; a drawing.
    header, rows, bars
        A table, and for each row how long its bar is, from -1 to 1.
    """

    title: str
    note: str = ""
    text: str = ""
    svg: str = ""
    header: tuple[str, ...] = ()
    rows: tuple[tuple[str, ...], ...] = ()
    bars: tuple[float, ...] = ()


@dataclass(frozen=True)
class Report:
    """Everything the two files of a report are made from.

    Attributes
    ----------
    title
        What was certified, in a few words.
    certificate
        The certificate the report is about.
    beforehand, training
        What the training rows had said of the model before the hold-out was asked, and the
        certificate from them alone, if there is one.
    others
        What the training run proves about itself with certainty.
    facts
        The table in numbers: rows, columns, split, target.
    columns, warnings, notes
        The columns; what a reader should worry about; what was inferred, and how to override it.
    choice, score_names, candidates, folds, in_percent
        How the model was chosen, what the scores measure, the learners tried, best first, what
        would have been chosen without each part of the training rows, and whether scores are shares
        to be shown in percent.
    untried
        What was left out of the choice or stopped at the edge of its settings, a sentence each.
    cards
        What stands beside the headline: the baseline, the worst class.
    claimed, together, curves
        The claims of an audit, or those beside a certificate; at which level they hold; and the
        curves over all thresholds.
    classes, joint, confusion
        Errors by class, at which level all certificates hold together, and what was predicted.
    figures, views, appendix
        Drawings; ways to look at the model; drawings for those who know the theorems.
    plan
        How many test points would halve the slack.
    steps
        What to do next, and what would void the claim.
    reproduce
        All that is needed to do it again.
    signing
        What stands above the line for a name and a signature: the date, versions, hashes.
    """

    title: str
    certificate: Certificate
    beforehand: str = ""
    training: Certificate | None = None
    others: tuple[Certificate, ...] = ()
    facts: Mapping[str, str] = field(default_factory=dict[str, str])
    columns: tuple[ColumnSummary, ...] = ()
    warnings: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    choice: str = ""
    score_names: tuple[str, ...] = ()
    candidates: tuple[Candidate, ...] = ()
    folds: tuple[FoldChoice, ...] = ()
    in_percent: bool = False
    untried: tuple[str, ...] = ()
    cards: tuple[Card, ...] = ()
    claimed: tuple[Claimed, ...] = ()
    together: str = ""
    curves: tuple[Figure, ...] = ()
    classes: tuple[ClassErrors, ...] = ()
    joint: str = ""
    confusion: ModelView | None = None
    figures: tuple[Figure, ...] = ()
    views: tuple[ModelView, ...] = ()
    appendix: tuple[Figure, ...] = ()
    plan: str = ""
    steps: tuple[str, ...] = ()
    reproduce: Mapping[str, str] = field(default_factory=dict[str, str])
    signing: Mapping[str, str] = field(default_factory=dict[str, str])


def svg(drawing: Drawing, *, name: str) -> str:
    """Return a drawing as text for a page; `name` keeps its inner names apart from others'.

    Examples
    --------
    >>> text = svg(Drawing(figsize=(1, 1)), name="empty")
    >>> text.startswith("<svg"), "empty-" in text
    (True, True)
    """
    buffer = io.StringIO()
    for text in drawing.findobj(Text):
        text.set_text(printable(text.get_text(), keep="\n"))
    style = mpl.rc_context({"svg.hashsalt": name, "svg.fonttype": "path"})
    with style, warnings.catch_warnings():
        # A sign that the font lacks is a box in the drawing; the words stand beside it.
        warnings.filterwarnings(
            "ignore", message=r"(?s)Glyph .* missing from font", category=UserWarning
        )
        drawing.savefig(
            buffer, format="svg", transparent=True, metadata={"Date": None, "Creator": None}
        )
    text = buffer.getvalue()
    text = text[text.index("<svg") :]
    text = re.sub(r"<metadata>.*?</metadata>", "", text, flags=re.DOTALL)
    text = _without_styles(text)
    text = re.sub(r'\bid="', f'id="{name}-', text)
    text = re.sub(r"url\(#", f"url(#{name}-", text)
    return re.sub(r'xlink:href="#', f'xlink:href="#{name}-', text)


def _without_styles(text: str) -> str:
    """Return a drawing whose styles are attributes: a page that trusts no inline style shows them.

    Examples
    --------
    >>> _without_styles('<svg><path style="fill: none; stroke: #fff"/></svg>')
    '<svg><path fill="none" stroke="#fff"/></svg>'
    """
    sheet = re.search(r"<style[^>]*>\s*\*\s*{([^}]*)}\s*</style>", text)
    if sheet:
        text = text.replace(sheet[0], "").replace("<svg ", f"<svg {_as_attributes(sheet[1])} ", 1)
    return re.sub(r'\bstyle="([^"]*)"', lambda style: _as_attributes(style[1]), text)


def _as_attributes(style: str) -> str:
    pairs = (rule.partition(":") for rule in style.split(";") if rule.strip())
    values = {name.strip(): value.strip() for name, _, value in pairs}
    return " ".join(f'{name}="{value}"' for name, value in values.items())
