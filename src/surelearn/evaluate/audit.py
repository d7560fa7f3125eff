"""An audit: claims about a model from recorded predictions, all of them at one delta.

Nothing is known of the model, and no file can show that its rows were drawn at random and never
used to make or choose it: that stands inside every sentence, and among the preconditions as
assumed. Certificates are a function of what they store, so that others make them again.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from surelearn import _arguments, claims
from surelearn._shown import Shown
from surelearn._wording import shared_premise
from surelearn.certificate import Certificate, Evidence
from surelearn.claims import Claim, Predictions, Target
from surelearn.claims._defaults import choose
from surelearn.evaluate._audit_certificates import (
    IN_ORDER,
    THEN,
    Facts,
    Share,
    drawn_as,
    issue_claim,
)
from surelearn.evaluate._audit_targets import Outcome, Verdict, advise, issue_all, verdict_of
from surelearn.evaluate._premises import Drawn

__all__ = [
    "IN_ORDER",
    "THEN",
    "Audit",
    "Facts",
    "Gathered",
    "Outcome",
    "Share",
    "Verdict",
    "advise",
    "audit_predictions",
    "drawn_as",
    "forbids",
    "gather",
    "issue_all",
    "issue_claim",
    "refuse_if_lacking",
    "verdict_of",
]

_DESIGNS = {
    "cluster": "rows of one cluster may depend on each other, so that only claims about clusters "
    "hold",
    "weight": "rows stand for as many cases as their weights say, so that only weighted claims "
    "hold",
    "stratum": "strata were sampled separately, so that only claims weighted by their shares hold",
    "time": "the risk may change in time, so that only claims about the period hold",
}
_ASKED = {
    "weight": "weighted-error(largest=...) with the largest weight that a row can have",
    "stratum": "error-of-strata(shares=a:0.7;b:0.3) with the share of each stratum in use",
}
"""Claims that need to know more than the rows, so that they must be asked for."""


@dataclass(frozen=True, eq=False, repr=False)
class Audit(Shown, drawn_by="claims.plot_claims"):
    """Claims about a model from recorded predictions.

    Attributes
    ----------
    rows
        The predictions.
    outcomes
        What became of each claim, the headline first.
    delta
        The probability that any of them is false.
    left_out
        The claims that were asked for, or would be expected, and why these rows cannot show them.
    """

    rows: Predictions
    outcomes: tuple[Outcome, ...]
    delta: float
    left_out: Mapping[str, str] = field(default_factory=dict[str, str])

    def _facts(self) -> Mapping[str, Any]:
        facts = {"n_rows": len(self.rows.truth), "claims": len(self.outcomes)}
        return {**facts, "delta": self.delta, "verdict": self.verdict}

    @property
    def certificate(self) -> Certificate:
        """The certificate of the first claim."""
        return self.certificates[0]

    @property
    def certificates(self) -> tuple[Certificate, ...]:
        """The certificates of all claims."""
        return tuple(o.certificate for o in self.outcomes if o.certificate is not None)

    @property
    def verdict(self) -> Verdict:
        """What became of all targets together: proved only if each was."""
        return verdict_of(self.outcomes)

    def __str__(self) -> str:
        """Return the claims, a line each; what all of them begin with is said once."""
        claims = [c.headline[0] for c in self.certificates]
        premise = shared_premise(claims)
        once = [f"{premise.rstrip()}:"] if premise else []
        return "\n".join([*once, *(claim.removeprefix(premise) for claim in claims)])


def audit_predictions(
    rows: Predictions,
    *,
    asked: Sequence[Claim | Target | str] = (),
    delta: float = 0.05,
    evidence: Mapping[str, Evidence] | None = None,
    stored: Mapping[str, Any] | None = None,
    by_label: bool = False,
) -> Audit:
    """Claim what recorded predictions show, at one delta for all that is claimed.

    Without `asked`, the error rate leads with half of delta and every other claim that the columns
    let expect shares the other half; one that these rows do not show keeps its share. Claims that
    are asked for share delta equally. Targets are tried in the order given, each at the whole
    delta, until one is not proved: that is a fixed sequence, so that all that were proved hold
    together. With both, each kind has half.

    Parameters
    ----------
    rows
        The predictions.
    asked
        Claims and targets, as objects or as text.
    delta
        The probability that any claim printed is false.
    evidence, stored
        What is known of the demands, by key, and what else the certificates keep.
    by_label
        Whether the rows were drawn by their label, so that only claims about a class hold.

    Examples
    --------
    >>> rows = claims.record([1] * 100 + [0] * 900, [1] * 90 + [0] * 870 + [1] * 40)
    >>> found = audit_predictions(rows, asked=["sensitivity>=0.8"])
    >>> found.verdict, round(found.certificate.bound, 4)
    ('proved', 0.8363)
    """
    return gather(rows, asked, by_label=by_label).issue(delta, evidence=evidence, stored=stored)


@dataclass(frozen=True, eq=False)
class Gathered:
    """Claims about rows, with all numbers that they need: nothing is certified yet.

    Attributes
    ----------
    rows
        The predictions.
    plain, targets
        The claims without targets, and the targets in their order.
    left_out
        Why these rows cannot show other claims.
    leads
        Whether the first claim leads: nobody asked for any.
    facts
        The numbers and names of each claim.
    n_claims
        Among how many claims delta is shared out, if nobody asked for any: also among those that
        these rows happen not to show.
    """

    rows: Predictions
    plain: Sequence[Claim]
    targets: Sequence[Target]
    left_out: Mapping[str, str]
    leads: bool
    facts: "Facts"
    n_claims: int | None = None

    def issue(
        self,
        delta: float,
        *,
        evidence: Mapping[str, Evidence] | None = None,
        stored: Mapping[str, Any] | None = None,
    ) -> Audit:
        """Certify all of them at one delta; what the evidence is no theorem needs to know twice."""
        delta = _arguments.open_fraction("delta", delta)
        facts = replace(self.facts, evidence=dict(evidence or {}), stored=dict(stored or {}))
        outcomes = issue_all(
            facts,
            self.plain,
            self.targets,
            delta=delta,
            leads=self.leads,
            n_claims=self.n_claims,
        )
        return Audit(self.rows, outcomes, delta, self.left_out)


def gather(
    rows: Predictions,
    asked: Sequence[Claim | Target | str] = (),
    *,
    by_label: bool = False,
    n_without: int = 0,
    exclude: bool = False,
) -> Gathered:
    """Return claims and targets that these rows can show, with their numbers; refuse the rest.

    Parameters
    ----------
    rows
        The predictions.
    asked
        Claims and targets, as objects or as text.
    by_label
        Whether the rows were drawn by their label.
    n_without, exclude
        How many rows had no answer, and whether they were left out instead of counted as errors.

    Examples
    --------
    >>> gather(claims.record([0.5, 1.5], [1.0, 2.0]), ["accuracy"])
    Traceback (most recent call last):
    ValueError: accuracy cannot be claimed of these rows: there are no classes
    """
    given: Any = (rows, asked)
    if not isinstance(given[0], Predictions):
        raise TypeError(f"rows={_arguments.short(rows)} must be what claims.record returns")
    if isinstance(given[1], str) or not isinstance(given[1], Sequence):
        raise TypeError(f"asked={_arguments.short(asked)} must be a list of claims and targets")
    drawn = drawn_as(rows.n, by_label=by_label, n_without=n_without, exclude=exclude)
    plain, targets, left_out, n_claims = _sort(rows, asked, drawn)
    named = [*plain, *(target.claim for target in targets)]
    facts = Facts(
        drawn=drawn,
        statistics={str(claim): claim.statistics(rows) for claim in named},
        about={str(claim): claim.names(rows) for claim in named},
    )
    return Gathered(rows, plain, targets, left_out, not asked, facts, n_claims)


def _sort(
    rows: Predictions, asked: Sequence[Claim | Target | str], drawn: Drawn
) -> tuple[list[Claim], list[Target], Mapping[str, str], int | None]:
    """Return claims and targets that these rows can show, why not others, and how many share delta.

    What was asked for and cannot be shown is refused.
    """
    wanted = [claims.parse(one) if isinstance(one, str) else one for one in asked]
    plain = [one for one in wanted if isinstance(one, Claim)]
    targets = [one for one in wanted if isinstance(one, Target)]
    left_out: Mapping[str, str] = {}
    n_claims = None
    if not wanted:
        plain, left_out, n_claims = choose(rows, by_label=drawn.by_label)
    named = [*plain, *(target.claim for target in targets)]
    for one in named:
        _refuse_namesake(one)
        refuse_if_lacking(one, rows, by_label=drawn.by_label)
    _refuse_together(named, targets, drawn)
    if len({str(one) for one in named}) < len(named):
        raise ValueError("a claim is asked for twice: each needs a share of delta once")
    if not named:
        reasons = [f"{name}: {why}" for name, why in left_out.items()]
        reasons += [f"ask for {text}" for role, text in _ASKED.items() if role in rows.columns]
        raise ValueError(f"these rows can show none of the usual claims ({'; '.join(reasons)})")
    return plain, targets, left_out, n_claims


def _refuse_together(named: Sequence[Claim], targets: Sequence[Target], drawn: Drawn) -> None:
    """Refuse claims of which one rests on what another one denies, or says more than a target."""
    of_tables = [claim for claim in named if claim.design == "table"]
    if of_tables and len(of_tables) < len(named):
        raise ValueError(
            f"{of_tables[0]} is about a table that rows were drawn from without replacement, other "
            "claims are about cases that rows are independent draws from: ask for one of the two"
        )
    if of_tables and drawn.answered_only:
        raise ValueError(
            f"{of_tables[0]} is about every row of the table: a row without an answer counts as "
            "wrong, and cannot be left out"
        )
    many = [target.claim for target in targets if target.claim.at_every_threshold]
    if many and len(targets) > 1:
        raise ValueError(
            f"{many[0]} says more than that its target is met, a curve or a list, and can be no "
            "target beside others. Ask for it without a target, or for a claim of one number, such "
            "as sensitivity or error"
        )


def _refuse_namesake(claim: Claim) -> None:
    """Refuse a claim of others that bears the name of one of ours, and would be taken for it."""
    ours = claims.known().get(claim.name)
    if ours is not None and type(claim) is not ours:
        raise ValueError(
            f"{claim} is asked for as {type(claim).__name__}, which is not the claim of this name: "
            f"give {ours.__name__}, or your class a name and a title of its own"
        )


def forbids(rows: Predictions, claim: Claim) -> str:
    """Return why the way in which rows were drawn forbids a claim; nothing if it does not.

    Examples
    --------
    >>> rows = claims.record([0, 1], [0, 1], cluster=["a", "a"])
    >>> forbids(rows, claims.Accuracy())
    'rows of one cluster may depend on each other, so that only claims about clusters hold'
    """
    for role, why in _DESIGNS.items():
        if role in rows.columns and claim.design != role:
            return why
    return ""


def refuse_if_lacking(claim: Claim, rows: Predictions, *, by_label: bool) -> None:
    """Refuse a claim that these rows cannot show."""
    if why := claim.lacks(rows) or forbids(rows, claim):
        raise ValueError(f"{claim} cannot be claimed of these rows: {why}")
    if by_label and not claim.given_labels:
        raise ValueError(
            f"{claim} cannot be claimed of rows that were drawn by their label: it depends on how "
            "frequent each label is in use"
        )
