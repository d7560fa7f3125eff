"""How boosting went: its errors round by round, what bounds them, and the margins at the end."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_consistent_length, check_is_fitted

from surelearn import _arguments
from surelearn._shown import Shown
from surelearn._typing import ArrayLike, Indices, Vector


@dataclass(frozen=True, eq=False, kw_only=True, repr=False)
class BoostingTrace(Shown, drawn_by="boosting.plot_boosting"):
    """Errors of a boosted classifier after each round; `surelearn.plots.boosting` draws them.

    Attributes
    ----------
    model
        The fitted classifier.
    training_error
        The share of the rows given that are wrong after each round.
    bounds, exponential_bounds
        The product of the normalisers and exp(-2 Σ edge²) after each round, which the error on the
        training rows never exceeds; None if the model knows none, or if its rows had weights that
        differ: then they bound the error by weight.
    unseen_error
        The share of other rows that are wrong after each round; None if none were given.
    margins
        The margin of each row after the last round; None if the model has none.

    Examples
    --------
    >>> from surelearn.learners.ensembles.adaboost_classifier import AdaBoostClassifier
    >>> X, y = np.arange(10.0)[:, np.newaxis], [1, 1, 1, -1, -1, -1, 1, 1, 1, -1]
    >>> trace = trace_boosting(AdaBoostClassifier(n_estimators=3).fit(X, y), X, y)
    >>> trace.training_error.tolist(), trace.bounds.round(4).tolist()
    ([0.3, 0.3, 0.0], [0.9165, 0.7521, 0.5802])
    """

    model: Any
    training_error: Vector
    bounds: Vector | None
    exponential_bounds: Vector | None
    unseen_error: Vector | None
    margins: Vector | None

    @property
    def rounds(self) -> Indices:
        """The numbers of the rounds, from 1."""
        return np.arange(1, len(self.training_error) + 1)


def trace_boosting(
    model: Any, X: Any, y: ArrayLike, *, X_new: Any = None, y_new: ArrayLike | None = None
) -> BoostingTrace:
    """Follow a boosted classifier round by round on its training rows, and on others.

    Parameters
    ----------
    model
        A fitted classifier with `staged_predict`, scikit-learn's too.
    X, y
        The rows it was trained on, and their labels.
    X_new, y_new
        Other rows, if there are some.
    """
    if not hasattr(model, "staged_predict"):
        raise TypeError(
            f"{type(model).__name__} has no staged_predict: it is not boosted round by round"
        )
    check_is_fitted(model)
    labels = _arguments.labels("y", y)
    check_consistent_length(X, labels)
    bounds, errors, loose = None, getattr(model, "errors_", None), None
    if not getattr(model, "weighted_", False):  # else they bound what is not counted here
        bounds = getattr(model, "training_error_bounds_", None)
    if bounds is not None and errors is not None:
        loose = np.exp(-2.0 * np.cumsum((0.5 - np.asarray(errors)) ** 2))
    two = len(model.classes_) == 2 and getattr(model, "learning_rate_", None) == 1.0
    adaptive = two and getattr(model, "edge_", None) is None
    return BoostingTrace(
        model=model,
        training_error=_errors(model.staged_predict(X), labels),
        bounds=bounds,
        exponential_bounds=loose if adaptive else None,
        unseen_error=_unseen(model, X_new, y_new),
        margins=model.margins(X, labels) if hasattr(model, "margins") else None,
    )


def _unseen(model: Any, X: Any, y: ArrayLike | None) -> Vector | None:
    if (X is None) != (y is None):
        raise ValueError("give both X_new and y_new, or neither")
    if X is None or y is None:
        return None
    labels = _arguments.labels("y_new", y)
    check_consistent_length(X, labels)
    return _errors(model.staged_predict(X), labels)


def _errors(stages: Iterable[NDArray[Any]], labels: NDArray[Any]) -> Vector:
    return np.array([float(np.mean(answers != labels)) for answers in stages])
