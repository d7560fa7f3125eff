"""The rules of a hold-out: what is fixed before anyone looks, checked once and refused by name."""

from collections.abc import Mapping
from typing import Any, Literal, NamedTuple, TypeAlias, cast, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import is_regressor
from sklearn.utils.validation import check_consistent_length, column_or_1d

from surelearn import _arguments
from surelearn._typing import Indices
from surelearn.base.fitting import missing
from surelearn.base.labels import exact, refuse_masked
from surelearn.bounds import Guarantee, holdout
from surelearn.certificate import Evidence, Precondition
from surelearn.evaluate import _row_by_row
from surelearn.evaluate._holdout_claims import Claim, Found, is_zero_one

Mode: TypeAlias = Literal["once", "family", "gate", "open"]

# The last demand is stated only if evidence for it is given: it follows from the first one where a
# model is made from training rows alone.
DEMANDS = {
    "unseen": "no row of the hold-out was used for training",
    "blind_split": "the hold-out was split off without looking at rows or labels",
    "row_by_row": _row_by_row.NAME,
    "untouched": "nothing that shapes the model has seen the hold-out",
}
"""What a hold-out demands beyond the assumptions of its theorem."""

DEMANDS_OF_MODE = {
    "family": (
        Precondition(
            "fixed_family",
            "all models were fixed before the first answer",
            "assumed",
            "docs/theory/holdout.md#family",
        ),
    ),
    "gate": (
        Precondition(
            "blind_to_answers",
            "models were made knowing nothing but that earlier ones failed",
            "by-construction",
            "the gate tells nothing else and locks at the first pass: docs/theory/holdout.md#gate",
        ),
    ),
}

NOT_PASSED = "This model did not pass the gate; nothing else may be said."


class Rules(NamedTuple):
    """What was fixed before anyone looked."""

    delta: float
    mode: Mode
    n_models: int
    target: float | None

    @property
    def share(self) -> float:
        """The failure probability of one question."""
        return self.delta / self.n_models

    def together(self, n_classes: int) -> str:
        """Say of what else a claim holds at once: of all models, of all classes."""
        several = [(self.n_models, "models"), (n_classes, "classes")]
        others = [f"all {count} {what}" for count, what in several if count > 1]
        return f" for {' and '.join(others)} together" if others else ""

    def gate_demand(self, *, failed: bool) -> tuple[Precondition, ...]:
        """Return what the gate demands, if there is one."""
        if self.target is None:
            return ()
        name = f"the certified bound is at most the target {self.target:g}"
        if failed:
            return (Precondition("gate", name, "violated", "the model did not pass the gate"),)
        return (Precondition("gate", name, "checked", "the gate is locked from now on"),)


def check_rules(*, delta: float, mode: Any, n_models: int, target: float | None) -> Rules:
    """Return the rules, or refuse by name what makes no sense."""
    if mode not in get_args(Mode):
        raise _arguments.refuse("mode", mode, "'once', 'family', 'gate' or 'open'")
    if mode == "once" and n_models != 1:
        raise _arguments.refuse("n_models", n_models, "1 in mode 'once'; see mode 'family'")
    if (mode == "gate") != (target is not None):
        raise _arguments.refuse("target", target, "given in mode 'gate', and only there")
    return Rules(
        delta=_arguments.open_fraction("delta", delta),
        mode=mode,
        n_models=_arguments.count("n_models", n_models, at_least=1),
        target=None if target is None else _arguments.positive("target", target),
    )


def check_groups(groups: ArrayLike | None, y: NDArray[Any]) -> Indices | None:
    """Return the group of each row, counted from 0 in the order of their names."""
    if groups is None:
        return None
    names = column_or_1d(groups)
    check_consistent_length(names, y)
    return np.unique(names, return_inverse=True)[1]


def check_classes(by_class: Any, y: NDArray[Any], loss: Any, groups: Any) -> tuple[Any, ...]:
    """Return the classes among which delta is shared out; none if no class is asked about.

    Given the labels of the hold-out, the number of classes in it is fixed. But groups are drawn
    together with their labels, so with groups the classes must be known without looking at them.
    """
    if by_class is False:
        return ()
    if not is_zero_one(loss):
        raise _arguments.refuse("by_class", by_class, "False unless the loss is 'zero_one'")
    if by_class is True and groups is not None:
        raise _arguments.refuse(
            "by_class", by_class, "with groups the classes themselves: np.unique(y_train)"
        )
    labels = y if by_class is True else column_or_1d(cast("ArrayLike", by_class))
    return tuple(np.unique(labels).tolist())


def check_evidence(evidence: Mapping[str, Evidence] | None, claim: Claim) -> dict[str, Evidence]:
    """Return the evidence; what nobody asked about is refused."""
    given = dict(evidence or {})
    known = (*DEMANDS, *claim.evidence)
    if unknown := [key for key in given if key not in known]:
        raise _arguments.refuse("evidence", unknown[0], f"about one of {', '.join(known)}")
    return given


def state_demands(evidence: Mapping[str, Evidence], mode: Mode) -> tuple[Precondition, ...]:
    """Return what a hold-out demands, with the evidence; the untouched only if there is some."""
    stated = (Precondition(k, name, *evidence[k]) for k, name in DEMANDS.items() if k in evidence)
    return (*stated, *DEMANDS_OF_MODE.get(mode, ()))


def check_labels(X: Any, y: ArrayLike) -> NDArray[Any]:
    """Return a label for each row, none of them missing."""
    refuse_masked(X, "X")
    labels = cast("NDArray[Any]", column_or_1d(exact(y)))
    check_consistent_length(X, labels)
    if len(labels) == 0:
        raise ValueError("the hold-out is empty: give at least one row")
    n_missing = sum(map(missing, labels.tolist()))
    if n_missing:
        raise ValueError(f"y has {n_missing} missing labels; leave those rows out")
    return labels


def refuse_other_kinds(model: Any, y: NDArray[Any], predicted: NDArray[Any]) -> None:
    """Refuse predictions that could never equal a label."""
    if hasattr(model, "__sklearn_tags__") and is_regressor(model):
        raise ValueError(
            "the zero-one loss is for classifiers; for a regressor use loss=Quantile(alpha=0.1) or "
            "a loss with values in [0, 1]"
        )
    kinds = {"numbers" if array.dtype.kind in "biuf" else "words" for array in (y, predicted)}
    if len(kinds) > 1 and "O" not in {y.dtype.kind, predicted.dtype.kind}:
        raise ValueError(
            f"the labels are {y.dtype} and the predictions {predicted.dtype}: the model was "
            "trained on labels of another kind"
        )


def without_numbers(guarantee: Guarantee) -> Guarantee:
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


def rows_to_halve_slack(found: Found) -> dict[str, int]:
    """Return how large a hold-out with the same error rate would have half the slack."""
    guarantee = found.guarantee
    if guarantee.theorem != "concentration.clopper_pearson" or guarantee.vacuous:
        return {}
    target = (found.observed + guarantee.bound) / 2.0
    delta = guarantee.inputs["delta"]
    n = holdout.plan_holdout(target=target, error=found.observed, delta=delta)
    return {"n_to_halve_slack": n}
