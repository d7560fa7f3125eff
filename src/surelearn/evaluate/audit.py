"""An audit: claims about a model from recorded predictions, all of them at one delta.

Nothing is known of the model, and no file can show that its rows were drawn at random and never
used to make or choose it: that stands inside every sentence, and among the preconditions as
assumed. Certificates are a function of what they store, so that `rebuild` makes them again.
"""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal, NamedTuple, TypeAlias

from surelearn import _arguments, claims
from surelearn._wording import confidence
from surelearn.bounds import Guarantee
from surelearn.certificate import Certificate, Evidence, Precondition, assumed, certify
from surelearn.claims import Claim, Predictions, Target
from surelearn.claims._defaults import choose
from surelearn.claims.in_order import InOrder
from surelearn.evaluate._premises import Drawn, premise_of

SUBJECT = "the model whose answers were recorded"
IN_ORDER = "targets.in_order"
THEN = ", then with confidence "
"""What stands between the conditions of a sentence and its level."""

Verdict: TypeAlias = Literal["stated", "proved", "not proved", "refuted", "not tried"]

DEMANDS = {
    "unseen": "no row was used to make the model or to choose it, its threshold or its calibration",
    "fixed_before": "what is claimed, its threshold and delta were fixed before looking",
    "complete": "the file holds every row that was drawn, with its answer",
    "not_chosen_by_them": "the model was not chosen by these rows",
}
"""What an audit demands, if the theorem does not."""

_KNOWN = {
    "independent": assumed("no file can show how its rows were drawn: whoever drew them must know"),
    "class_frequencies": assumed("no file can show it: whoever drew the rows must know"),
    "unseen": assumed("no file can show it: whoever made the model must know"),
    "fixed_before": assumed("no file can show it"),
    "complete": assumed(
        "rows that were left out before leave no trace; none here lacks its answer"
    ),
    "not_chosen_by_them": assumed(
        "no ledger was kept, so that earlier looks at these rows are not seen"
    ),
}
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
_MOST_TIMES = 1000.0  # the rows that could still decide a target
_MOST_STEPS = 50  # up the teeth of a saw


class Share(NamedTuple):
    """What a claim may cost, and what it holds together with.

    Attributes
    ----------
    delta
        The failure probability of all claims together.
    own
        That of this claim.
    n_claims
        How many claims hold together.
    """

    delta: float
    own: float
    n_claims: int


@dataclass(frozen=True, eq=False)
class Outcome:
    """What became of one claim.

    Attributes
    ----------
    claim, certificate
        The claim, and its certificate; a target after one that was not proved has none.
    target, verdict
        What was to be proved, if anything, and whether it was.
    advice
        What would decide a target that was neither proved nor refuted.
    """

    claim: Claim
    certificate: Certificate | None
    target: Target | None = None
    verdict: Verdict = "stated"
    advice: str = ""


@dataclass(frozen=True, eq=False)
class Audit:
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
        """Return the claims, a line each."""
        return "\n".join(c.headline[0] for c in self.certificates)


def verdict_of(outcomes: Sequence[Outcome]) -> Verdict:
    """Return what became of all targets together: proved only if each was."""
    found = [outcome.verdict for outcome in outcomes if outcome.target is not None]
    if "refuted" in found:
        return "refuted"
    if not found:
        return "stated"
    return "proved" if set(found) == {"proved"} else "not proved"


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

    Without `asked`, the error rate leads with half of delta and every other claim that the rows can
    show shares the other half. Claims that are asked for share delta equally. Targets are tried in
    the order given, each at the whole delta, until one is not proved: that is a fixed sequence, so
    that all that were proved hold together. With both, each kind has half.

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
    """

    rows: Predictions
    plain: Sequence[Claim]
    targets: Sequence[Target]
    left_out: Mapping[str, str]
    leads: bool
    facts: "Facts"

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
        outcomes = issue_all(facts, self.plain, self.targets, delta=delta, leads=self.leads)
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
    drawn = drawn_as(rows.n, by_label=by_label, n_without=n_without, exclude=exclude)
    plain, targets, left_out = _sort(rows, asked, drawn)
    named = [*plain, *(target.claim for target in targets)]
    facts = Facts(
        drawn=drawn,
        statistics={str(claim): claim.statistics(rows) for claim in named},
        about={str(claim): claim.names(rows) for claim in named},
    )
    return Gathered(rows, plain, targets, left_out, not asked, facts)


def drawn_as(n_rows: int, *, by_label: bool, n_without: int, exclude: bool) -> Drawn:
    """Return how rows came about.

    Examples
    --------
    >>> drawn_as(100, by_label=False, n_without=2, exclude=True).answered_only
    True
    """
    lacking = n_without > 0
    return Drawn(n_rows, by_label, lacking and exclude, lacking and not exclude)


@dataclass(frozen=True, eq=False)
class Facts:
    """All that certificates are made from: whoever has it can make them again.

    Attributes
    ----------
    drawn
        How many rows there are, and how they came about.
    statistics, about
        The numbers and the names of each claim, by the claim as text.
    evidence, stored
        What is known of the demands, and what else the certificates keep.
    found
        What theorems said before: they are asked once.
    """

    drawn: Drawn
    statistics: Mapping[str, Mapping[str, Any]]
    about: Mapping[str, Mapping[str, str]]
    evidence: Mapping[str, Evidence] = field(default_factory=dict[str, Evidence])
    stored: Mapping[str, Any] = field(default_factory=dict[str, Any])
    found: dict[tuple[str, float], Guarantee] = field(
        default_factory=dict[tuple[str, float], Guarantee]
    )

    def state(self, claim: Claim, delta: float) -> Guarantee:
        """Return the theorem of a claim applied to its statistics."""
        key = (repr(claim), delta)
        if key not in self.found:
            self.found[key] = claim.guarantee(delta=delta, **self.statistics[str(claim)])
        return self.found[key]


def issue_all(
    facts: Facts, plain: Sequence[Claim], targets: Sequence[Target], *, delta: float, leads: bool
) -> tuple[Outcome, ...]:
    """Return what becomes of all claims and targets at one delta.

    Parameters
    ----------
    facts
        What they are made from.
    plain, targets
        The claims without targets, and the targets in their order.
    delta
        The probability that anything certified is false.
    leads
        Whether the first claim has half of what claims share.
    """
    half = delta / 2.0 if plain and targets else delta
    return (
        *_try_in_order(facts, targets, delta=half),
        *_state(facts, plain, delta=half, leads=leads),
    )


def _sort(
    rows: Predictions, asked: Sequence[Claim | Target | str], drawn: Drawn
) -> tuple[list[Claim], list[Target], Mapping[str, str]]:
    """Return claims and targets that these rows can show, and why not others; refuse the rest."""
    wanted = [claims.parse(one) if isinstance(one, str) else one for one in asked]
    plain = [one for one in wanted if isinstance(one, Claim)]
    targets = [one for one in wanted if isinstance(one, Target)]
    left_out: Mapping[str, str] = {}
    if not wanted:
        plain, left_out = choose(rows, by_label=drawn.by_label)
    named = [*plain, *(target.claim for target in targets)]
    for one in named:
        refuse_if_lacking(one, rows, by_label=drawn.by_label)
    _refuse_together(named, targets, drawn)
    if len({str(one) for one in named}) < len(named):
        raise ValueError("a claim is asked for twice: each needs a share of delta once")
    if not named:
        reasons = [f"{name}: {why}" for name, why in left_out.items()]
        reasons += [f"ask for {text}" for role, text in _ASKED.items() if role in rows.columns]
        raise ValueError(f"these rows can show none of the usual claims ({'; '.join(reasons)})")
    return plain, targets, left_out


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
            f"{many[0]} holds at every threshold: it says more than that a target is met, and can "
            "be no target beside others. Ask for sensitivity, specificity or ppv"
        )


def _state(facts: Facts, plain: Sequence[Claim], *, delta: float, leads: bool) -> Iterator[Outcome]:
    """Certify claims without targets; they share delta, the one that leads has half of it."""
    leads = leads and len(plain) > 1
    n = len(plain)
    for i, claim in enumerate(plain):
        own = delta / n if not leads else delta / 2.0 if i == 0 else delta / (2.0 * (n - 1))
        yield Outcome(claim, issue_claim(claim, facts, Share(delta, own, n)))


def _try_in_order(facts: Facts, targets: Sequence[Target], *, delta: float) -> Iterator[Outcome]:
    """Try targets in their order until one is not proved; see `surelearn.bounds.targets`."""
    stopped = False
    for target in targets:
        claim = target.claim
        if stopped:
            yield Outcome(claim, None, target, "not tried")
            continue
        found = issue_claim(claim, facts, Share(delta, delta, 1))
        if not found.violated and target.is_met(found.bound):
            if len(targets) > 1:
                share = Share(delta, delta, len(targets))
                found = issue_claim(InOrder(claim, target.value), facts, share)
            yield Outcome(claim, found, target, "proved")
            continue
        stopped = True
        yield _not_proved(facts, target, found, delta=delta, n_targets=len(targets))


def _not_proved(
    facts: Facts, target: Target, found: Certificate, *, delta: float, n_targets: int
) -> Outcome:
    """Return what became of a target that was not proved: refuted, or too few rows.

    A refutation is no certificate: it has a delta of its own, which all targets share.
    """
    claim, statistics = target.claim, facts.statistics[str(target.claim)]
    other = claim.refuting(delta=delta / n_targets, **statistics)
    if claim.of_answers and facts.drawn.counted_as_errors:
        other = None  # cases without an answer were not called anything: errors too many
    if other is not None and not found.violated and target.is_refuted(other):
        return Outcome(claim, found, target, "refuted")
    n_rows, tested = facts.drawn.n_rows, other is not None
    advice = (
        "" if found.violated else advise(target, statistics, n_rows, delta=delta, tested=tested)
    )
    return Outcome(claim, found, target, "not proved", advice)


def advise(
    target: Target,
    statistics: Mapping[str, Any],
    n_rows: int,
    *,
    delta: float,
    tested: bool = True,
) -> str:
    """Say how many more rows would decide a target if what was seen stays as it is.

    Parameters
    ----------
    target
        The target.
    statistics, n_rows
        What was seen, and in how many rows.
    delta
        The failure probability of the target.
    tested
        Whether a bound from the other side was tried, which could have refuted it.

    Examples
    --------
    >>> advise(claims.Accuracy() >= 0.9, {"correct": 93, "n": 100}, 100, delta=0.05)
    'inconclusive: about 200 more rows would decide, if what was seen stays as it is'
    """
    claim = target.claim

    def decides(factor: float) -> bool:
        more = claim.larger(factor, **statistics)
        return more is not None and target.is_met(claim.guarantee(delta=delta, **more).bound)

    if not target.is_met(claim.seen(**statistics).value):
        if not tested:
            return "inconclusive: what was seen misses the target, which such rows cannot refute"
        return "inconclusive: what was seen misses the target, and too few rows refute it"
    if claim.larger(2.0, **statistics) is None:
        return "inconclusive: what was seen meets the target, and more rows may prove it"
    high = 2.0
    while high <= _MOST_TIMES and not decides(high):
        high *= 2.0
    if high > _MOST_TIMES:
        return "inconclusive: what was seen is too near the target for any number of rows at hand"
    low = high / 2.0
    for _ in range(12):
        middle = (low + high) / 2.0
        low, high = (low, middle) if decides(middle) else (middle, high)
    more = math.ceil((high - 1.0) * n_rows)
    unit = 10 ** max(0, len(str(more)) - 2)
    about = math.ceil(more / unit) * unit
    for _ in range(_MOST_STEPS):  # a bound is a saw-tooth: what more rows show may be less
        if decides(1.0 + about / n_rows):
            break
        about += unit
    return f"inconclusive: about {about:,} more rows would decide, if what was seen stays as it is"


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


def issue_claim(claim: Claim, facts: Facts, share: Share) -> Certificate:
    """Certify one claim from facts alone.

    Parameters
    ----------
    claim
        The claim.
    facts
        What its certificate is made from.
    share
        What it may cost.
    """
    statistics, about = facts.statistics[str(claim)], facts.about[str(claim)]
    guarantee = facts.state(claim, share.own)
    seen, known = claim.seen(**statistics), {**_KNOWN, **facts.evidence}
    premise = premise_of(claim, facts.drawn, seen.n)
    demanded = {k: phrase for k, phrase in DEMANDS.items() if k not in guarantee.assumes}
    return certify(
        guarantee,
        kind=claim.kind,
        subject=SUBJECT,
        observed=seen.value,
        n=seen.n,
        claim=_sentence(claim, guarantee.bound, about, share, premise),
        evidence={k: known[k] for k in guarantee.assumes if k in known},
        also=(Precondition(key, phrase, *known[key]) for key, phrase in demanded.items()),
        reproduce={
            "audit": {
                "claim": str(claim),
                "delta": share.delta,
                "n_claims": share.n_claims,
                "n_rows": facts.drawn.n_rows,
                "about": dict(about),
            },
            **claim.stored(),
            **facts.stored,
        },
    )


def _sentence(
    claim: Claim, bound: float, about: Mapping[str, str], share: Share, premise: str
) -> str:
    several = "targets" if isinstance(claim, InOrder) else "claims"
    together = f" for all {share.n_claims} {several} together" if share.n_claims > 1 else ""
    return (
        f"{premise}{THEN}{confidence(share.delta)}{together} "
        f"{claim.sentence(claim.limit(bound), about)}."
    )
