"""What an ensemble may be made of, and what its members may answer."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.utils import get_tags

from surelearn import _arguments
from surelearn._typing import Indices, Matrix
from surelearn.base import validation
from surelearn.base.labels import answered


def refuse_other_kinds(estimator: Any, kind: str, name: str = "estimator") -> None:
    """Refuse an estimator that is not of a kind, "classifier" or "regressor".

    Examples
    --------
    >>> refuse_other_kinds("tree", "classifier")
    Traceback (most recent call last):
    TypeError: estimator='tree' must be a classifier, such as CARTClassifier(max_depth=1)
    """
    learns = hasattr(estimator, "fit") and hasattr(estimator, "__sklearn_tags__")
    if isinstance(estimator, type) or not learns or get_tags(estimator).estimator_type != kind:
        raise TypeError(
            f"{name}={_arguments.short(estimator)} must be a {kind}, such as "
            f"CART{kind.title()}(max_depth=1)"
        )


def with_labels(estimator: Any, classes: Sequence[Any], labels: Sequence[int]) -> Any:
    """Return a copy whose `class_weight`, wherever it has one, names other labels in their place.

    Examples
    --------
    >>> from surelearn.learners.ensembles.random_forest_classifier import RandomForestClassifier
    >>> forest = RandomForestClassifier(class_weight={"sick": 5.0})
    >>> with_labels(forest, ["sick", "well"], [0, 1]).class_weight
    {0: 5.0, 1: 1.0}
    """
    copy: Any = clone(estimator)
    renamed: dict[str, dict[int, Any]] = {}
    for name, weights in copy.get_params().items():
        if name.split("__")[-1] == "class_weight" and isinstance(weights, Mapping):
            strange = [label for label in weights if label not in classes]
            if strange:
                raise ValueError(
                    f"{name} of the estimator names {strange[0]!r}, which is none of the classes "
                    f"{_arguments.short(list(classes))}"
                )
            renamed[name] = {
                new: weights.get(old, 1.0) for old, new in zip(classes, labels, strict=True)
            }
    copy.set_params(**renamed)  # that of a FrozenEstimator returns nothing
    return copy


def answers_of(member: Any, X: Any) -> NDArray[Any]:
    """Return what a member answers to some rows; refuse more or fewer answers than rows."""
    given, n = answered(member.predict(X)), int(X.shape[0])
    if given.shape != (n,):
        raise ValueError(
            f"{type(member).__name__} answered {n} rows by an array of shape {given.shape}; a "
            "member of an ensemble must give one answer for each row"
        )
    return given


def places_of_answers(member: Any, X: Any, classes: NDArray[Any]) -> Indices:
    """Return which class a member answers to each row; refuse what is none of the classes."""
    given = answers_of(member, X)
    try:
        return validation.index_among(classes, given)
    except ValueError:
        raise ValueError(
            f"{type(member).__name__} answered labels that are not among the classes "
            f"{_arguments.short(classes.tolist())}: a member of an ensemble must answer one of them"
        ) from None


def shares_of(member: Any, X: Any, n_classes: int) -> Matrix:
    """Return the probabilities that a member gives, made to sum to 1; refuse what are none."""
    shares = np.asarray(member.predict_proba(X), dtype=np.float64)
    if shares.shape != (X.shape[0], n_classes) or not np.isfinite(shares).all():
        raise ValueError(
            f"the probabilities of {type(member).__name__} have shape {shares.shape}, or are no "
            f"finite numbers: for these rows they must be {X.shape[0]} x {n_classes}; "
            "voting='hard' does not ask for them"
        )
    shares = np.clip(shares, 0.0, None)
    totals = shares.sum(axis=1, keepdims=True)
    return shares / np.where(totals > 0.0, totals, 1.0)
