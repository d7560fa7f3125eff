"""The rules of a hold-out: what is fixed before anyone looks, checked once and refused by name."""

from collections.abc import Iterable, Mapping
from typing import Any, Literal, NamedTuple, TypeAlias, cast, get_args

import numpy as np
from numpy.typing import NDArray
from sklearn.base import is_regressor
from sklearn.utils.validation import check_consistent_length, column_or_1d

from surelearn import _arguments
from surelearn._typing import ArrayLike
from surelearn._wording import confidence, exactly
from surelearn.base.fitting import count_missing
from surelearn.base.labels import exact, refuse_unlike
from surelearn.base.validation import distinct
from surelearn.certificate import Evidence, Precondition
from surelearn.evaluate import _row_by_row
from surelearn.evaluate._holdout_claims import Claim, Groups, is_zero_one
from surelearn.evaluate._splits import name_groups

Mode: TypeAlias = Literal["once", "family", "gate", "open"]

# Of the untouched and of copies something is stated only if evidence is given: both follow from the
# first demand where a model is made from training rows alone.
DEMANDS = {
    "unseen": "no row of the hold-out was used for training",
    "blind_split": "the hold-out was split off without looking at rows or labels",
    "row_by_row": _row_by_row.NAME,
    "untouched": "nothing that shapes the model has seen the hold-out",
    "copies": "no row of the hold-out is a copy of a row left for training",
    "not_chosen_by_them": "the model was not chosen by these rows",
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
            "assumed",
            "this gate tells nothing else and locks at the first pass; other looks are not seen: "
            "docs/theory/holdout.md#gate",
        ),
    ),
}


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

    def told(self, n_rows: int, n_asked: int) -> str:
        """Say how many rows there are, what was asked, and what may still be asked."""
        level = f"with confidence {confidence(self.delta)}"
        told = f"{n_rows:,} rows held out; models asked about so far: {n_asked}."
        if self.mode == "open":
            return f"{told} It gives numbers, and certifies nothing: call score(model)."
        if self.mode != "once":
            return f"{told} At most {self.n_models:,} in mode {self.mode!r}, together {level}."
        if n_asked:
            return f"{told} That was all: any other model needs fresh rows."
        return f"{told} certify(model) answers about one model, {level}."

    def together(self, n_classes: int) -> str:
        """Say of what else a claim holds at once: of all models, of all classes."""
        several = [(self.n_models, "models"), (n_classes, "classes")]
        others = [f"all {count} {what}" for count, what in several if count > 1]
        return f" for {' and '.join(others)} together" if others else ""

    def gate_demand(self, *, failed: bool) -> tuple[Precondition, ...]:
        """Return what the gate demands, if there is one."""
        if self.target is None:
            return ()
        name = f"the certified bound is at most the target {exactly(self.target)}"
        if failed:
            return (Precondition("gate", name, "violated", "the model did not pass the gate"),)
        return (Precondition("gate", name, "checked", "the gate is locked from now on"),)


def check_rules(*, delta: float, mode: Any, n_models: int, target: float | None) -> Rules:
    """Return the rules, or refuse by name what makes no sense."""
    if not _is_word(mode) or mode not in get_args(Mode):
        raise _arguments.refuse("mode", mode, "'once', 'family', 'gate' or 'open'")
    n_models = _arguments.count("n_models", n_models, at_least=1)
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


def check_groups(groups: ArrayLike | Groups | None, y: NDArray[Any]) -> Groups | None:
    """Return the group of each row, counted from 0 in the order of their names."""
    if groups is None:
        return None
    of_copies = isinstance(groups, Groups) and groups.of_copies
    counted = isinstance(groups, Groups) and groups.counted
    names = name_groups(groups.places if isinstance(groups, Groups) else groups, len(y))
    return Groups(np.unique(names, return_inverse=True)[1], of_copies, counted)


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
    return tuple(distinct(labels).tolist())


def check_evidence(evidence: Mapping[str, Evidence] | None, claim: Claim) -> dict[str, Evidence]:
    """Return the evidence; what nobody asked about is refused."""
    given = dict(evidence or {})
    known = (*DEMANDS, *claim.evidence)
    if unknown := [key for key in given if key not in known]:
        raise _arguments.refuse("evidence", unknown[0], f"about one of {', '.join(known)}")
    return given


def state_demands(evidence: Mapping[str, Evidence], mode: Mode) -> tuple[Precondition, ...]:
    """Return what a hold-out demands, with the evidence; nothing of what there is none for."""
    stated = (Precondition(k, name, *evidence[k]) for k, name in DEMANDS.items() if k in evidence)
    return (*stated, *DEMANDS_OF_MODE.get(mode, ()))


def check_labels(X: Any, y: ArrayLike) -> NDArray[Any]:
    """Return a label for each row, none of them missing."""
    labels = cast("NDArray[Any]", column_or_1d(exact(y)))
    check_consistent_length(X, labels)
    if len(labels) == 0:
        raise ValueError("the hold-out is empty: give at least one row")
    if labels.dtype.kind == "V":
        raise ValueError(f"y holds records ({labels.dtype}), not labels: give one column of them")
    _refuse_several_in_one(labels)
    n_missing = count_missing(labels)
    if n_missing:
        raise ValueError(f"y has {n_missing} missing labels; leave those rows out")
    return labels


def _refuse_several_in_one(labels: NDArray[Any]) -> None:
    """Refuse lists and the like: compared with a column, they are taken for a column themselves."""
    kinds = set(map(type, labels.tolist())) if labels.dtype.kind == "O" else set[type]()
    if several := [kind.__name__ for kind in kinds if _holds_several(kind)]:
        raise ValueError(f"y holds values of type {several[0]}, not labels: make each one text")


def _holds_several(kind: type) -> bool:
    return issubclass(kind, Iterable) and not issubclass(kind, str | bytes)


def check_predictions(
    model: Any, y: NDArray[Any], predicted: NDArray[Any], *, labels: bool
) -> None:
    """Refuse predictions that cannot be compared with the labels; as labels, if they are."""
    if predicted.shape != y.shape:
        raise ValueError(
            f"the model's predictions have shape {predicted.shape}; a hold-out of {len(y)} rows "
            f"needs one prediction per row: {y.shape}"
        )
    if labels:
        refuse_other_kinds(model, y, predicted)


def refuse_other_kinds(model: Any, y: NDArray[Any], predicted: NDArray[Any]) -> None:
    """Refuse predictions that could never equal a label."""
    if hasattr(model, "__sklearn_tags__") and is_regressor(model):
        raise ValueError(
            "the zero-one loss is for classifiers; for a regressor use loss=Quantile(alpha=0.1) or "
            "a loss with values in [0, 1]"
        )
    try:
        refuse_unlike(y, predicted, ("labels", "predictions"))
    except ValueError as error:
        raise ValueError(f"the model was trained on labels of another kind: {error}") from None


def _is_word(value: Any) -> bool:
    return isinstance(value, str)
