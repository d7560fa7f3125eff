"""What becomes of claims and targets at one delta: stated, proved in order, refuted, advised."""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

from surelearn.certificate import Certificate
from surelearn.claims import Claim, Target
from surelearn.claims.in_order import InOrder
from surelearn.evaluate._audit_certificates import Facts, Share, issue_claim

Verdict: TypeAlias = Literal["stated", "proved", "not proved", "refuted", "not tried"]

_MOST_TIMES = 1000.0  # the rows that could still decide a target
_MOST_STEPS = 50  # up the teeth of a saw


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


def verdict_of(outcomes: Sequence[Outcome]) -> Verdict:
    """Return what became of all targets together: proved only if each was."""
    found = [outcome.verdict for outcome in outcomes if outcome.target is not None]
    if "refuted" in found:
        return "refuted"
    if not found:
        return "stated"
    return "proved" if set(found) == {"proved"} else "not proved"


def issue_all(
    facts: Facts,
    plain: Sequence[Claim],
    targets: Sequence[Target],
    *,
    delta: float,
    leads: bool,
    n_claims: int | None = None,
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
    n_claims
        Among how many claims delta is shared out, if that was fixed before it was known which of
        them the rows can show.
    """
    half = delta / 2.0 if plain and targets else delta
    n = len(plain) if n_claims is None else n_claims
    return (
        *_try_in_order(facts, targets, delta=half),
        *_state(facts, plain, n, delta=half, leads=leads),
    )


def _state(
    facts: Facts, plain: Sequence[Claim], n: int, *, delta: float, leads: bool
) -> Iterator[Outcome]:
    """Certify claims without targets; they share delta, the one that leads has half of it."""
    leads = leads and n > 1
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
    >>> from surelearn import claims
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
