"""Claims beside the certificate of a hold-out: at a delta of their own, on the same evidence.

The certificate keeps the whole delta that it was promised. All claims beside it hold together at
that delta once more, so that everything holds at twice of it. Where nobody asks for claims, which
ones are made follows from the task and the kind of model, never from the rows: those that the rows
cannot show keep their share, which is then spent on nothing. Where there is a baseline, the claim
about it has half of what they share: it is the one that every reader needs.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Literal, NamedTuple, TypeAlias, cast

from numpy.typing import NDArray
from typing_extensions import TypeAliasType

from surelearn import _arguments, claims
from surelearn._typing import Indices
from surelearn.base.chunks import in_chunks
from surelearn.certificate import Certificate, Evidence, assumed, by_construction
from surelearn.claims import Claim, Predictions, Target
from surelearn.evaluate._audit_certificates import Facts
from surelearn.evaluate._audit_targets import issue_all
from surelearn.evaluate._holdout_claims import Quantile, is_zero_one
from surelearn.evaluate._holdout_rules import DEMANDS
from surelearn.evaluate._premises import Drawn
from surelearn.evaluate._row_by_row import not_together
from surelearn.evaluate._rows_beside import record_rows, rows_taken, scores_of
from surelearn.evaluate.audit import Audit, gather

Units: TypeAlias = Literal["rows", "copies", "groups"]
"""What counts as one draw."""

Asked = TypeAliasType("Asked", Claim | Target | str)
"""A claim or a target, as an object or as text."""

SUBJECT = "this fitted model"
ENDINGS: Mapping[Units, str] = {
    "rows": "",
    "copies": ", where copies of a row count as one",
    "groups": ", each of a new group",
}
"""What a sentence adds about the rows that count."""

_ONE_OF_EACH = {
    "rows": "",
    "copies": "one of the copies of each row; ",
    "groups": "one row of each group; ",
}
_OF_HOLDOUTS = (*DEMANDS, "fixed_family", "blind_to_answers", "gate")
_LAWS = ("independent", "same_mean")
_BY_TASK = {
    "binary": (
        *("difference", "sensitivity", "specificity", "ppv", "npv", "f1", "balanced-accuracy"),
        *("mcc", "auc", "roc", "precision-recall", "calibration-error"),
    ),
    "multiclass": ("difference", "worst-class", "macro-recall"),
    "regression": (
        "closer-than-baseline",
        "error-quantile(alpha=0.5)",
        "scaled-error-quantile(alpha=0.1)",
    ),
}
_OF_SCORES = frozenset({"auc", "roc", "precision-recall", "calibration-error"})
_OF_BASELINES = frozenset({"difference", "closer-than-baseline"})
_OF_WIDTHS = frozenset({"scaled-error-quantile(alpha=0.1)"})


class Beside(NamedTuple):
    """The claims that were fixed before anyone looked, and what they need to know.

    Attributes
    ----------
    asked
        The claims and targets; none for all that are expected.
    positive
        Of two labels the positive one, if its own words do not say so.
    baseline
        Another model, made without these rows, or None.
    """

    asked: tuple[Claim | Target, ...] = ()
    positive: Any = None
    baseline: Any = None

    @property
    def named(self) -> tuple[str, ...]:
        """By what a ledger knows them again: other claims about the same rows are another look."""
        return (*map(str, self.asked), f"positive: {self.positive}")


@dataclass(frozen=True)
class Origin:
    """What the certificates of such claims store of how they came about.

    Attributes
    ----------
    units
        What counts as one draw.
    asked
        The claims that were asked for, as text.
    task, scores, baseline, widths
        What decides which claims are expected: the task, whether the model gives scores, whether
        there is another one to compare it with, and whether it says how wide its errors are.
    third
        How many rows are of neither of its two labels and were not called positive: they are
        answered wrongly, but neither missed nor alarms.
    """

    units: Units
    asked: tuple[str, ...]
    task: str
    scores: bool
    baseline: bool
    widths: bool = False
    third: int = 0

    @property
    def stored(self) -> dict[str, Any]:
        """What a certificate says of it; of widths and third labels only where there are some."""
        told = {**vars(self), "asked": list(self.asked)}
        return {k: told[k] for k in told if told[k] or k not in {"widths", "third"}}

    @property
    def expected(self) -> list[str]:
        """The claims that share delta, if none were asked for."""
        given = (self.scores, self.baseline, self.widths)
        lacking = [
            names
            for there, names in zip(given, (_OF_SCORES, _OF_BASELINES, _OF_WIDTHS), strict=True)
            if not there
        ]
        return [name for name in _BY_TASK[self.task] if not any(name in own for own in lacking)]

    @property
    def n_claims(self) -> int | None:
        """Among how many claims delta is shared out, unless they were asked for."""
        return None if self.asked else len(self.expected)

    @property
    def leads(self) -> bool:
        """Whether the first claim, the one about the baseline, has half of delta."""
        return self.baseline and not self.asked


def check_beside(
    wanted: bool | Sequence[Asked],  # noqa: FBT001 - True stands for all
    positive: Any = None,
    baseline: Any = None,
    *,
    loss: Any = "zero_one",
) -> Beside | None:
    """Return the claims that are asked for, or refuse what is none; None if none are.

    Examples
    --------
    >>> check_beside(["sensitivity>=0.9"]).asked[0].value
    0.9
    >>> check_beside(False) is None
    True
    """
    several = isinstance(wanted, list | tuple)
    if wanted is False or (several and not wanted):
        if positive is not None or baseline is not None:
            raise ValueError("positive and baseline are for claims: give claims=True, or a list")
        return None
    if not (wanted is True or several):
        raise _arguments.refuse("claims", wanted, "True, or a list such as ['sensitivity>=0.9']")
    if not (is_zero_one(loss) or isinstance(loss, Quantile)):
        raise _arguments.refuse("claims", wanted, "left out unless loss is 'zero_one' or Quantile")
    if baseline is not None and not callable(getattr(baseline, "predict", None)):
        raise TypeError(f"baseline is another fitted model, no {type(baseline).__name__}")
    asked = cast("Sequence[Any]", () if wanted is True else wanted)
    parsed = tuple(claims.parse(one) if isinstance(one, str) else one for one in asked)
    for one in parsed:
        if not isinstance(one, Claim | Target):
            raise _arguments.refuse("claims", one, "claims, targets, or text for them")
    return Beside(parsed, positive, baseline)


def as_claim(one: Claim | Target) -> Claim:
    """Return what a target is about, or the claim itself.

    Examples
    --------
    >>> as_claim(claims.Sensitivity() >= 0.9).name
    'sensitivity'
    """
    return one.claim if isinstance(one, Target) else one


class Stated(NamedTuple):
    """Rows and the claims about them, ready to be certified beside a certificate.

    Attributes
    ----------
    rows
        Labels and answers of the rows that count.
    wanted, origin
        The claims, and how they came about.
    answers
        What the model and the one it is compared with answered beside its predictions, to all rows.
    """

    rows: Predictions
    wanted: Beside
    origin: Origin
    answers: tuple[NDArray[Any], ...] = ()

    def issue(self, certificate: Certificate, delta: float) -> Audit:
        """Certify all claims together at delta, on the evidence of the certificate beside."""
        asked: Sequence[Claim | Target] = self.wanted.asked
        left_out: dict[str, str] = {}
        if not asked:
            expected = [as_claim(claims.parse(text)) for text in self.origin.expected]
            left_out = {one.full_title: why for one in expected if (why := one.lacks(self.rows))}
            asked = [one for one in expected if one.full_title not in left_out]
        if not asked:
            return Audit(self.rows, (), delta, left_out)
        found = gather(self.rows, asked)
        counted = found.facts.statistics, found.facts.about
        facts = facts_beside(certificate, self.origin, self.rows.n, *counted)
        outcomes = issue_all(
            facts,
            found.plain,
            found.targets,
            delta=delta,
            leads=self.origin.leads,
            n_claims=self.origin.n_claims,
        )
        return Audit(self.rows, outcomes, delta, left_out)


def state_beside(
    wanted: Beside,
    model: Any,
    X: Any,
    y: NDArray[Any],
    answers: NDArray[Any],
    *,
    labels: Sequence[Any] | None,
    counted: tuple[Units, Indices | None],
) -> Stated:
    """Gather what claims about a model need, and refuse those that these rows cannot show.

    Parameters
    ----------
    wanted
        The claims.
    model, X, y, answers
        The model, the rows of the hold-out, their labels and the model's answers.
    labels
        The classes there are, known without these rows; None if the answers are numbers.
    counted
        What counts as one draw, and one row of each if these are not the rows themselves.
    """
    units, places = counted
    rows, has_scores = record_rows(wanted, model, X, y, answers, labels=labels)
    widths = rows.columns.get("width")
    given = (rows.score, widths, rows.baseline)
    beside = tuple(column for column in given if column is not None)
    if places is not None:
        rows = rows_taken(rows, places)
    if wanted.asked:
        gather(rows, wanted.asked)
    asked, compared = tuple(map(str, wanted.asked)), wanted.baseline is not None
    third = int((rows.wrong & ~rows.mistaken).sum())
    origin = Origin(units, asked, rows.task, has_scores, compared, widths is not None, third)
    return Stated(rows, wanted, origin, beside)


def answered_beside(stated: Stated, model: Any, X: Any, others: Sequence[Any]) -> list[Evidence]:
    """Return what is known of whether scores, widths and other models answer each row by itself.

    What is known not to be is refused: claims about it would say nothing of new rows.
    """
    found: list[Evidence] = []
    if stated.rows.score is not None:
        ask = cast("Callable[[Any], Any]", partial(scores_of, model, positive=stated.rows.positive))
        found.append(not_together(model, X, stated.answers[0], ask))
    if stated.origin.widths:
        found.append(not_together(model, X, stated.answers[0], model.predict_width))
    found += [not_together(other, X, in_chunks(other.predict, X)) for other in others]
    return found


def facts_beside(
    certificate: Certificate,
    origin: Origin,
    n_rows: int,
    statistics: Mapping[str, Mapping[str, Any]],
    about: Mapping[str, Mapping[str, str]],
) -> Facts:
    """Return what claims beside a certificate are made from: they rest on what it rests on."""
    law = next(p.evidence for p in certificate.preconditions if p.key in _LAWS)
    one = _ONE_OF_EACH[origin.units]
    drawn = assumed(law if law.startswith(one) else f"{one}{law}")
    stored = certificate.reproduce
    known = {"independent": drawn, "class_frequencies": drawn, "fixed_before": _fixed(origin)}
    return Facts(
        drawn=Drawn(n_rows),
        statistics=statistics,
        about=about,
        evidence=known,
        stored={
            "model": stored["model"],
            "data": stored["data"],
            "holdout": origin.stored,
        },
        subject=SUBJECT,
        also=tuple(p for p in certificate.preconditions if p.key in _OF_HOLDOUTS),
        ending=ENDINGS[origin.units],
    )


def _fixed(origin: Origin) -> Evidence:
    if origin.asked:
        return assumed("they were asked for together with the certificate")
    return by_construction("they follow from the task and the kind of model, not from these rows")
