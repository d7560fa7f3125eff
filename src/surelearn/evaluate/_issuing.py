"""Issuing one hold-out certificate: labels are looked at, and what may not be told is withheld."""

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from surelearn._wording import confidence
from surelearn.bounds import Guarantee, holdout
from surelearn.certificate import Certificate, Evidence, LedgerEntry, Precondition, certify
from surelearn.evaluate._holdout_claims import Claim, ClassErrorRate, Found
from surelearn.evaluate._holdout_rules import Rules
from surelearn.evaluate.ledger import Standing

NOT_PASSED = "This model did not pass the gate; nothing else may be said."
ASKED_BEFORE = "These rows were asked before, so nothing can be claimed from them about this model."


class Question(NamedTuple):
    """A model that is asked about: its fingerprint, its predictions, what must be true of it."""

    model: str
    predicted: NDArray[Any]
    demands: tuple[Precondition, ...]
    standing: Standing


def issue(
    claim: Claim,
    question: Question,
    rules: Rules,
    y: NDArray[Any],
    *,
    entry: LedgerEntry,
    evidence: Mapping[str, Evidence],
    n_classes: int,
) -> Certificate:
    """Certify one claim about a model; of a failed gate or a spent hold-out no number is told."""
    if by_class := isinstance(claim, ClassErrorRate):
        rules = rules._replace(target=None)  # the gate is for all rows
    found = claim.bound(y, question.predicted, delta=entry.delta_spent)
    guarantee = found.guarantee
    failed = rules.target is not None and guarantee.bound > rules.target
    withheld = NOT_PASSED if failed else ""
    if not question.standing.allowed:
        withheld = ASKED_BEFORE
    start = f"With confidence {confidence(rules.delta)}{rules.together(n_classes)}, "
    return certify(
        _without_numbers(guarantee) if withheld else guarantee,
        kind=claim.kind,
        subject="this fitted model",
        observed=np.nan if withheld else found.observed,
        n=found.n,
        claim=withheld or start + claim.sentence(guarantee.bound),
        evidence=evidence,
        also=(
            *question.demands,
            *(() if withheld == ASKED_BEFORE else rules.gate_demand(failed=failed)),
        ),
        family=entry,
        reproduce={
            "model": question.model,
            "data": entry.holdout,
            **({"class": str(claim.label)} if by_class else {}),
            **({} if withheld else _rows_to_halve_slack(found)),
        },
    )


def _without_numbers(guarantee: Guarantee) -> Guarantee:
    """Return the guarantee with everything that depends on the hold-out's answer removed."""
    return Guarantee(
        quantity=guarantee.quantity,
        bound=guarantee.trivial,
        assumes=guarantee.assumes,
        reference=guarantee.reference,
        confidence=guarantee.confidence,
        validity=guarantee.validity,
        trivial=guarantee.trivial,
        theorem=guarantee.theorem,
        inputs={"delta": guarantee.inputs["delta"]},
    )


def _rows_to_halve_slack(found: Found) -> dict[str, int]:
    """Return how large a hold-out with the same error rate would have half the slack."""
    guarantee = found.guarantee
    if guarantee.theorem != "concentration.clopper_pearson" or guarantee.vacuous:
        return {}
    target = (found.observed + guarantee.bound) / 2.0
    if target <= found.observed:  # delta is above 1/2, and the bound below what was observed
        return {}
    delta = guarantee.inputs["delta"]
    n = holdout.plan_holdout(target=target, error=found.observed, delta=delta)
    return {"n_to_halve_slack": n}
