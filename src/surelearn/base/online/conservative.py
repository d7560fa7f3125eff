"""Any online learner, made conservative: it learns from its mistakes and from nothing else.

If the wrapped learner errs M times on a stream, it has been fed exactly these M examples, passed
through the same states as on them alone, and erred on each: M is at most its mistake bound
(Littlestone, 1988).
"""

from copy import deepcopy
from typing import Any, Self, cast

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin, MetaEstimatorMixin, clone
from sklearn.utils import Tags, _safe_indexing, get_tags
from sklearn.utils.validation import check_consistent_length, check_is_fitted, column_or_1d

from surelearn import _arguments
from surelearn._jit.sound_matrices import sound
from surelearn._locks import in_turn
from surelearn._stored import holds
from surelearn._typing import ArrayLike, Indices
from surelearn.base import validation
from surelearn.base.fitting import adopt, at_one_moment
from surelearn.base.labels import exact
from surelearn.bounds import Guarantee


@at_one_moment
@holds(
    estimator_="anything",
    classes_="classes",
    n_rounds_="count",
    mistakes_="int[mistakes]",
    knows_nothing_="flag",
)
class Conservative(MetaEstimatorMixin, ClassifierMixin, BaseEstimator):
    """A learner that is shown only the rows on which its prediction was wrong.

    Whatever bound on the mistakes of its predictions the wrapped learner has, this one has too; and
    the rows that it erred on, in order, are all it takes to get the same model again.

    Parameters
    ----------
    estimator
        A classifier with `partial_fit`, of this library or not, or a game of experts that vote,
        such as `Halving`: then rows are their advice and labels are outcomes, 0 or 1. A copy of it
        learns.

    Attributes
    ----------
    estimator_
        The copy that learns.
    classes_
        The labels, in order.
    n_rounds_, n_mistakes_
        Rows seen, and those on which the prediction was wrong.
    mistakes_
        The rounds of the mistakes, from 0: the rows that determine the model.

    Examples
    --------
    >>> from surelearn.learners.linear.passive_aggressive import PassiveAggressive
    >>> X, y = [[1.0], [2.0], [-1.0], [-3.0]], ["yes", "yes", "no", "no"]
    >>> model = Conservative(PassiveAggressive()).fit(X, y)
    >>> model.mistakes_.tolist(), model.predict(X).tolist()
    ([0], ['yes', 'yes', 'no', 'no'])
    """

    estimator_: Any
    classes_: NDArray[Any]
    n_rounds_: int
    mistakes_: Indices
    knows_nothing_: bool

    def __init__(self, estimator: Any) -> None:
        self.estimator = estimator

    @property
    def n_mistakes_(self) -> int:
        """The number of rows on which the prediction was wrong."""
        return len(self.mistakes_)

    @property
    def n_features_in_(self) -> int:
        """The number of features, as the wrapped learner counts them."""
        check_is_fitted(self)
        return self.estimator_.n_features_in_

    def fit(self, X: Any, y: ArrayLike) -> Self:
        """Pass over the rows once, in order; what was learnt before is forgotten."""
        return adopt(self, cast("Self", clone(self)).partial_fit(X, y))

    @in_turn
    def partial_fit(self, X: Any, y: ArrayLike, classes: ArrayLike | None = None) -> Self:
        """Predict each row in order, and learn from it if the prediction was wrong.

        A refused row leaves the learner as it was before the call.

        Parameters
        ----------
        X, y
            The next rows and their labels.
        classes
            All labels that will ever come; needed in the first call if it does not show them all.
        """
        labels = cast("NDArray[Any]", column_or_1d(exact(y), warn=True))
        rows = sound(X)
        if X is None or isinstance(X, str | bytes):
            raise TypeError(f"X is a {type(X).__name__}, and rows are needed: give an array")
        check_consistent_length(rows, labels)
        begun = hasattr(self, "estimator_")
        fresh = deepcopy(self) if begun else self._begun(rows, labels, classes)
        validation.index_among(fresh.classes_, labels)  # refuses labels that are not among them
        wrong = [t for t in range(len(labels)) if fresh._errs(rows, labels, t)]
        now = fresh.n_rounds_ + np.array(wrong, dtype=np.int64)
        fresh.mistakes_ = np.append(fresh.mistakes_, now)
        fresh.n_rounds_ += len(labels)
        return adopt(self, fresh)

    def predict(self, X: Any) -> NDArray[Any]:
        """Return the label of each row."""
        check_is_fitted(self)
        X = sound(X)
        if self.knows_nothing_:
            n = X.shape[0] if hasattr(X, "shape") else len(X)
            return np.repeat(self.classes_[:1], n)
        if _plays(self.estimator_):
            return np.array([self.estimator_.predict(row) for row in np.asarray(X)])
        return self.estimator_.predict(X)

    def guarantee(self, **unobservable: Any) -> Guarantee:
        """Bound `n_mistakes_` by the theorem of the wrapped learner, on the rows it erred on.

        Parameters
        ----------
        **unobservable
            What the wrapped learner's `guarantee` asks for. It must hold of the rows of the
            mistakes, and does if it holds of all rows.
        """
        check_is_fitted(self)
        if not hasattr(self.estimator_, "guarantee"):
            name = type(self.estimator_).__name__
            raise ValueError(f"{name} has no bound on its mistakes that could be passed on")
        if getattr(self.estimator_, "_learns_by_other_weights", False):
            raise ValueError(
                f"the theorem of {type(self.estimator_).__name__} counts mistakes of its running "
                "weights, and here those of its predictions by other weights are counted, which "
                "may be many more; wrap a learner that predicts by the weights it learns"
            )
        return self.estimator_.guarantee(**unobservable)

    def _begun(self, X: Any, labels: NDArray[Any], classes: ArrayLike | None) -> Self:
        """Return a copy that knows the classes and has learnt nothing."""
        fresh, learner = cast("Self", clone(self)), cast("Any", clone(self.estimator, safe=False))
        if not (hasattr(learner, "partial_fit") or _plays(learner)):
            given = _arguments.short(self.estimator)
            raise TypeError(f"estimator={given} has no partial_fit: it cannot learn row by row")
        known = labels if classes is None else _arguments.labels("classes", exact(classes))
        known = np.array([0, 1]) if _plays(learner) else known
        fresh.classes_ = validation.two_or_more(validation.distinct(known), may_grow=True)
        fresh.n_rounds_, fresh.mistakes_ = 0, np.empty(0, dtype=np.int64)
        # Learners of this library have a first prediction of their own, which may be a mistake of
        # theirs; others have none, and the first class stands in for it.
        fresh.knows_nothing_ = not (_plays(learner) or hasattr(learner, "_before_any_row"))
        if hasattr(learner, "_before_any_row"):
            seen = learner.partial_fit(_row(X, 0), labels[:1], classes=fresh.classes_)
            learner = seen._before_any_row()
            if hasattr(seen, "feature_names_in_"):
                vars(learner)["feature_names_in_"] = seen.feature_names_in_
        fresh.estimator_ = learner
        return fresh

    def _errs(self, X: Any, labels: NDArray[Any], t: int) -> bool:
        """Return whether row t is predicted wrongly; learn from it if so."""
        row, label = _row(X, t), labels[t : t + 1]
        if self.predict(row)[0] == label[0]:
            return False
        if _plays(self.estimator_):
            self.estimator_.update(np.asarray(row)[0], label[0])
        elif self.knows_nothing_:
            self.estimator_.partial_fit(row, label, classes=self.classes_)
        else:
            self.estimator_.partial_fit(row, label)
        self.knows_nothing_ = False
        return True

    def _check_state(self) -> None:
        """Refuse what a forged model file may hold: no learner, or rounds that never were."""
        if not hasattr(self.estimator_, "predict") or len(self.classes_) < 2:
            raise ValueError("it holds no learner, or fewer than two classes")
        _arguments.places("mistakes_", self.mistakes_, self.n_rounds_)

    def __sklearn_tags__(self) -> Tags:
        """Say to scikit-learn that rows are what the wrapped learner takes."""
        tags: Any = super().__sklearn_tags__()
        if hasattr(self.estimator, "__sklearn_tags__"):
            tags.input_tags = get_tags(self.estimator).input_tags
        return tags


def _plays(learner: Any) -> bool:
    """Return whether a learner is a game of experts that vote."""
    both = hasattr(learner, "update") and hasattr(learner, "predict")  # sets have the first, too
    return both and not hasattr(learner, "partial_fit")


def _row(X: Any, t: int) -> Any:
    """Return one row as a table of the same kind."""
    return _safe_indexing(X if hasattr(X, "shape") else np.asarray(X), [t])
