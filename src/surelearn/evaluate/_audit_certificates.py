"""The certificates of an audit: a function of what they store, so that others make them again."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from surelearn._wording import confidence
from surelearn.bounds import Guarantee
from surelearn.certificate import Certificate, Evidence, Precondition, assumed, certify
from surelearn.claims import Claim
from surelearn.claims.in_order import InOrder
from surelearn.evaluate._premises import Drawn, premise_of

SUBJECT = "the model whose answers were recorded"
IN_ORDER = "targets.in_order"
THEN = ", then with confidence "
"""What stands between the conditions of a sentence and its level."""

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
    subject, also, ending
        What the claims are about; what a hold-out demands, instead of what an audit does; and what
        a sentence adds about the rows that count.
    found
        What theorems said before: they are asked once.
    """

    drawn: Drawn
    statistics: Mapping[str, Mapping[str, Any]]
    about: Mapping[str, Mapping[str, str]]
    evidence: Mapping[str, Evidence] = field(default_factory=dict[str, Evidence])
    stored: Mapping[str, Any] = field(default_factory=dict[str, Any])
    subject: str = SUBJECT
    also: tuple[Precondition, ...] | None = None
    ending: str = ""
    found: dict[tuple[str, float], Guarantee] = field(
        default_factory=dict[tuple[str, float], Guarantee]
    )

    def state(self, claim: Claim, delta: float) -> Guarantee:
        """Return the theorem of a claim applied to its statistics."""
        key = (repr(claim), delta)
        if key not in self.found:
            self.found[key] = claim.guarantee(delta=delta, **self.statistics[str(claim)])
        return self.found[key]

    def demands(self, guarantee: Guarantee) -> tuple[Precondition, ...]:
        """Return what must be true beyond the theorem, with what is known of it."""
        known = {**_KNOWN, **self.evidence}
        own = DEMANDS if self.also is None else {"fixed_before": DEMANDS["fixed_before"]}
        stated = (Precondition(key, phrase, *known[key]) for key, phrase in own.items())
        return tuple(p for p in (*stated, *(self.also or ())) if p.key not in guarantee.assumes)


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
    told = {**about, **claim.told(delta=share.own, **statistics)}
    return certify(
        guarantee,
        kind=claim.kind,
        subject=facts.subject,
        observed=seen.value,
        n=seen.n,
        claim=_sentence(claim, guarantee.bound, told, share, (premise, facts.ending)),
        evidence={k: known[k] for k in guarantee.assumes if k in known},
        also=facts.demands(guarantee),
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
    claim: Claim, bound: float, about: Mapping[str, str], share: Share, around: tuple[str, str]
) -> str:
    premise, ending = around
    several = "targets" if isinstance(claim, InOrder) else "claims"
    together = f" for all {share.n_claims} {several} together" if share.n_claims > 1 else ""
    return (
        f"{premise}{THEN}{confidence(share.delta)}{together} "
        f"{claim.sentence(claim.limit(bound), about)}{ending}."
    )
