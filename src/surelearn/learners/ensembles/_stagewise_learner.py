"""What additive models share: the loss, the members and how a table is read."""

from abc import abstractmethod
from collections.abc import Iterator
from typing import Any, Self, cast

import numpy as np
from scipy import sparse
from sklearn.base import BaseEstimator, clone
from sklearn.utils import Tags, get_tags
from sklearn.utils.validation import check_is_fitted, has_fit_parameter

from surelearn import _arguments
from surelearn._jit import fingerprints
from surelearn._stored import holds
from surelearn._typing import ArrayLike, Vector
from surelearn.base.declared import refuse_unlike_declared
from surelearn.base.fitting import adopt, at_one_moment, fresh_copy, row_weights, warn
from surelearn.learners.ensembles._stages import run_stages
from surelearn.learners.ensembles._weak_learners import admitted, n_rows_of
from surelearn.losses import Loss


@at_one_moment
@holds(
    n_features_in_="count",
    estimators_=tuple,
    steps_="finite[members]",
    training_losses_="finite[members+1]",
    stop_reason_="text",
    n_training_rows_="count",
    training_rows_="maybe hash[kept]",
)
class StagewiseLearner(BaseEstimator):
    """An additive model of members of any kind, fitted stage by stage.

    A learner stores `loss`, `estimator`, `n_estimators` and `learning_rate`, and defines
    `_targets(y, n)`, which returns what the loss reads, `_prototype()`, and `_member(X, directions,
    weights)`, which returns a member and its values.
    """

    loss: Loss
    estimator: Any
    n_estimators: int
    learning_rate: float
    estimators_: tuple[Any, ...]
    steps_: Vector
    training_losses_: Vector
    n_training_rows_: int

    @abstractmethod
    def _targets(self, y: ArrayLike, n: int) -> Vector:
        """Return what the loss reads of the targets."""

    @abstractmethod
    def _prototype(self) -> Any:
        """Return the base learner."""

    @abstractmethod
    def _member(self, X: Any, directions: Vector, weights: Vector) -> tuple[Any, Vector]:
        """Return a member that follows the directions, and its value at each row."""

    @abstractmethod
    def _values(self, member: Any, X: Any) -> Vector:
        """Return the value of a member at each row."""

    def fit(self, X: Any, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Add members stage by stage.

        Parameters
        ----------
        X
            A table of any kind that the base learner reads.
        y
            The target of each row.
        sample_weight
            How much each row counts; 1 if left out.
        """
        fresh = fresh_copy(self)
        fresh._check_parameters()  # noqa: SLF001 - our own copy
        fresh._learn(X, y, sample_weight)  # noqa: SLF001
        return adopt(self, fresh)

    def _check_parameters(self) -> None:
        _arguments.count("n_estimators", self.n_estimators, at_least=1)
        _arguments.positive("learning_rate", self.learning_rate)
        if not isinstance(cast("object", self.loss), Loss):
            raise TypeError(f"loss={self.loss!r} must be a loss, such as Square()")

    def _learn(self, X: Any, y: ArrayLike, sample_weight: Any) -> None:
        rows = admitted(self, X, reset=True)
        targets = self._targets(y, n_rows_of(rows))
        weights = row_weights(sample_weight, n=len(targets))
        stages = run_stages(
            self.loss,
            lambda directions, w: self._member(rows, directions, w),
            targets,
            weights,
            int(self.n_estimators),
            float(self.learning_rate),
        )
        self.estimators_, self.steps_ = tuple(stages.members), np.array(stages.steps)
        self.training_losses_, self.stop_reason_ = np.array(stages.losses), stages.stop_reason
        self.n_training_rows_ = len(targets)
        self._remember(rows)
        if stages.gave_up:
            n = len(stages.members)
            warn(f"boosting ended after {n} stages: {stages.stop_reason}; use a richer `estimator`")

    def _remember(self, rows: Any) -> None:
        """Keep a sketch of rows of numbers, by which a hold-out recognises them."""
        table: Any = cast("Any", rows).toarray() if sparse.issparse(rows) else rows
        numbers = isinstance(table, np.ndarray) and cast("Any", table).dtype.kind in "biuf"
        if numbers and bool(np.isfinite(table).all()):
            self.training_rows_ = fingerprints.sketch(fingerprints.table_hashes(table))

    def _fitted(self, member: Any, X: Any, targets: Any, weights: Vector) -> Any:
        """Return a member fitted to targets; weights go along if they differ."""
        if np.ptp(weights) == 0.0 and not has_fit_parameter(member, "sample_weight"):
            return member.fit(X, targets)
        if not has_fit_parameter(member, "sample_weight"):
            raise ValueError(
                f"estimator={member!r} takes no sample_weight in fit, and rows are weighted here"
            )
        return member.fit(X, targets, sample_weight=weights)

    def _scores(self, X: Any) -> Vector:
        """Return f(x) of each row."""
        *_, scores = self._from_zero(X)
        return scores

    def _stages(self, X: Any) -> Iterator[Vector]:
        """Yield f(x) after each stage."""
        stages = self._from_zero(X)
        next(stages)
        yield from stages

    def _from_zero(self, X: Any) -> Iterator[Vector]:
        """Yield f(x) = 0, then f(x) after each stage."""
        check_is_fitted(self)
        refuse_unlike_declared(self)
        rows = admitted(self, X, reset=False)
        scores = np.zeros(n_rows_of(rows))
        yield scores
        for member, step in zip(self.estimators_, self.steps_, strict=True):
            scores = scores + step * self._values(member, rows)
            yield scores

    def _new_member(self) -> Any:
        return clone(self._prototype())

    def _check_state(self) -> None:
        """Refuse what a forged model file may hold: other numbers of members and steps."""
        if len(self.estimators_) != len(self.steps_) or self.n_training_rows_ < 1:
            raise ValueError("it has not as many members as steps, or no row")
        if not all(hasattr(member, "predict") for member in self.estimators_):
            raise ValueError("one of its members cannot predict")

    def __sklearn_tags__(self) -> Tags:
        """Say to scikit-learn what the base learner reads."""
        tags = cast("Any", super().__sklearn_tags__())
        if not hasattr(self._prototype(), "__sklearn_tags__"):  # `fit` refuses it
            return tags
        own = get_tags(self._prototype()).input_tags
        tags.input_tags.allow_nan = own.allow_nan
        tags.input_tags.categorical = own.categorical
        tags.input_tags.string = own.string
        tags.input_tags.sparse = own.sparse
        return tags
