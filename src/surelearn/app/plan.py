"""How many rows to hold out or to audit, before any are drawn."""

from collections.abc import Sequence
from pathlib import Path

from surelearn.app.auditing.plan import read_plan
from surelearn.app.errors import ArgumentError
from surelearn.claims import Target, parse
from surelearn.evaluate.claim_planning import plan_claim
from surelearn.evaluate.planning import plan_holdout

_OF_CLASSES = ("sensitivity", "specificity")
_OF_ALL = ("error", "accuracy", "pass-rate")


def plan_rows(*, target: float, error: float, delta: float, n_models: int) -> str:
    """Say how many rows must be held out to certify an error rate, or why none are enough.

    Examples
    --------
    >>> plan_rows(target=0.01, error=0.0, delta=0.05, n_models=1).partition(",")[0]
    '299 test rows certify'
    """
    try:
        return str(plan_holdout(target=target, error=error, delta=delta, n_models=n_models))
    except ValueError as reason:
        raise ArgumentError(str(reason)) from None


def plan_audit(
    claims: Sequence[str],
    *,
    expect: Sequence[float],
    delta: float = 0.05,
    looks: int = 1,
    prevalence: float | None = None,
    share: float | None = None,
) -> str:
    """Say how many rows an audit needs to prove its targets, or why none are enough.

    Parameters
    ----------
    claims
        Claims and targets, as an audit takes them; those without a target need no rows.
    expect
        For each target, in order, the value expected to be seen.
    delta, looks
        The failure probability, which so many looks at the rows share.
    prevalence, share
        How frequent positive cases are; and which share of all rows counts for other targets.

    Examples
    --------
    >>> print(plan_audit(["sensitivity>=0.9"], expect=[0.95], prevalence=0.1))
    sensitivity>=0.9: 116 positive rows prove it, with confidence 95%, if 95.00% is seen among \
them, and every number from 142 on. If 10% of all rows count, 1,611 rows contain at least 142 of \
them with probability 95%, and 1,333 rows contain at least 116.
    """
    try:
        found = [parse(one) for one in claims]
        targets = [one for one in found if isinstance(one, Target)]
        if len(targets) != len(expect):
            raise ArgumentError(
                f"there are {len(targets)} targets and {len(expect)} expected values: give "
                "--expect once for each target, such as --claim 'sensitivity>=0.9' --expect 0.95"
            )
        if not 0.0 < delta < 1.0 or looks < 1:
            raise ArgumentError(f"delta={delta:g} must lie in (0, 1), and looks be 1 or more")
        # As an audit shares it: half for claims without targets, if there are some.
        own = delta / looks / (1 if len(targets) == len(found) else 2)
        plans = [
            plan_claim(one, expect=seen, delta=own, share=_share(one, prevalence, share))
            for one, seen in zip(targets, expect, strict=True)
        ]
    except (TypeError, ValueError) as reason:
        raise ArgumentError(str(reason)) from None
    lines = [str(plan) for plan in plans]
    if len(plans) > 1:
        most = max(plan.rows_always for plan in plans)
        lines.append(f"For all of them: {most:,} rows.")
    return "\n".join(lines)


def plan_of_file(
    path: Path, *, expect: Sequence[float], prevalence: float | None, share: float | None
) -> str:
    """Say how many rows the plan of an audit needs; see `plan_audit`."""
    plan = read_plan(path)
    return plan_audit(
        plan.claims,
        expect=expect,
        delta=plan.delta,
        looks=plan.looks,
        prevalence=prevalence,
        share=share,
    )


def _share(target: Target, prevalence: float | None, share: float | None) -> float:
    """Return which share of all rows counts for a target, as far as it is known."""
    name = target.claim.name
    if name in _OF_ALL:
        return 1.0
    if name in _OF_CLASSES and prevalence is not None:
        if not 0.0 < prevalence < 1.0:
            raise ArgumentError(f"--prevalence {prevalence:g} must lie between 0 and 1")
        return prevalence if name == "sensitivity" else 1.0 - prevalence
    return 1.0 if share is None else share
