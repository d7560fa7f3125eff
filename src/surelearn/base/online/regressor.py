"""The base of linear regressors that take one row at a time."""

import math
from abc import abstractmethod
from collections.abc import Generator, Mapping
from contextlib import contextmanager
from typing import Any, Self, cast

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import RegressorMixin, clone
from sklearn.callback import with_callbacks
from sklearn.utils.validation import check_is_fitted

from surelearn import _arguments
from surelearn._jit import fingerprints, jit, rows
from surelearn._jit.rows import Rows
from surelearn._typing import Matrix, Vector
from surelearn.base import validation
from surelearn.base.online.learner import OnlineLearner
from surelearn.base.validation import refuse_huge

_LARGE = math.sqrt(validation.LARGEST)  # products of four smaller numbers do not overflow


class OnlineLinearRegressor(RegressorMixin, OnlineLearner):
    """A linear regressor that learns from one row at a time, in order.

    A learner stores `max_iter` and defines three methods. `_start(n_features)` makes all its state,
    at least `coef_` and `intercept_` (an array of one number). `_learn(X, targets, predictions)`
    visits the rows once and writes the prediction for each before learning from it.
    `_losses(targets, predictions)` gives the loss of each round. All state is finite once a row has
    been learnt: rows that make it otherwise are refused and leave no mark.

    Examples
    --------
    >>> class Mean(OnlineLinearRegressor):
    ...     max_iter = 1
    ...     def _start(self, n_features):
    ...         self.coef_, self.intercept_ = np.zeros(n_features), np.zeros(1)
    ...     def _learn(self, X, targets, predictions):
    ...         for t, target in enumerate(targets):
    ...             predictions[t] = self.intercept_[0]
    ...             self.intercept_ += (target - predictions[t]) / (self.n_rounds_ + t + 1)
    ...     def _losses(self, targets, predictions):
    ...         return (targets - predictions) ** 2
    >>> model = Mean()
    >>> model.learn([[0.0], [0.0]], [1.0, 3.0]), model.predict([[0.0]])
    (array([0., 1.]), array([2.]))
    """

    _targets = "numbers"
    max_iter: int
    coef_: Vector
    intercept_: Vector

    @abstractmethod
    def _start(self, n_features: int) -> None:
        """Make the state of an untrained learner."""

    @abstractmethod
    def _learn(self, X: Rows, targets: Vector, predictions: Vector) -> None:
        """Learn from each row once, in order; write into `predictions` what was said before."""

    @abstractmethod
    def _losses(self, targets: Vector, predictions: Vector, /) -> Vector:
        """Return the loss of each round."""

    @with_callbacks
    def fit(self, X: Any, y: ArrayLike) -> Self:
        """Start anew and pass over the rows, in the order given, `max_iter` times.

        Parameters
        ----------
        X
            Rows of numbers: an array, a data frame or a sparse matrix.
        y
            A number per row.
        """
        _arguments.at_least_one("max_iter", self.max_iter)
        X, targets, seen = self._check_training_set(X, y)
        with self._refusing_overflow():
            self._begin(seen)
            self._train(rows.of(X), targets)
        return self

    def partial_fit(self, X: Any, y: ArrayLike) -> Self:
        """Learn from each row once, in order; the same as `learn`, returning the learner."""
        self.learn(X, y)
        return self

    def learn(self, X: Any, y: ArrayLike) -> Vector:
        """Learn from each row once, in order, and return the prediction given to it beforehand.

        How the rows are cut into calls does not matter.
        """
        begun, seen = hasattr(self, "coef_"), dict[str, Any]()
        if begun:
            X, targets = self._check_rows(X, y)
        else:
            X, targets, seen = self._check_first_rows(X, y)
        with self._refusing_overflow():
            if not begun:
                self._begin(seen)
            self._forget_training_set()
            return self._learn_block(rows.of(X), targets)

    def learn_one(self, x: Mapping[str, float] | ArrayLike, y: float) -> Self:
        """Learn from one row, given as an array or as a mapping from feature names to numbers."""
        row, targets, predictions = self._check_one(x), np.array([y], np.float64), np.empty(1)
        if not (abs(targets.item()) <= _LARGE and rows.sum_of_squares(row[0]) <= _LARGE**2):
            return self._learn_large(row, targets)
        if "training_rows_" in self.__dict__:
            self._forget_training_set()
        self._learn(row, targets, predictions)
        self.n_rounds_ += 1
        self.cumulative_loss_ += self._losses(targets, predictions).item()
        return self

    def predict_one(self, x: Mapping[str, float] | ArrayLike) -> float:
        """Return the prediction for one row, an array or a mapping from names to numbers."""
        return float(_prediction(self._check_one(x), self.coef_, self.intercept_))

    def predict(self, X: Any) -> Vector:
        """Return the prediction for each row."""
        check_is_fitted(self)
        return self._check_features(X) @ self.coef_ + self.intercept_

    def _check_first_rows(self, X: Any, y: ArrayLike) -> tuple[Any, NDArray[Any], dict[str, Any]]:
        X, targets, seen = super()._check_first_rows(X, y)
        refuse_huge(targets, "targets")
        return X, targets, seen

    def _check_rows(self, X: Any, y: ArrayLike) -> tuple[Any, NDArray[Any]]:
        X, targets = super()._check_rows(X, y)
        refuse_huge(targets, "targets")
        return X, targets

    def _learn_large(self, row: Matrix, targets: Vector) -> Self:
        """Learn from one row of large numbers, or refuse it as `learn` does."""
        if not math.isfinite(target := targets.item()):
            raise ValueError(f"the target {target!r} is not a finite number; leave that row out")
        refuse_huge(targets, "targets")
        validation.short_enough(row)
        with self._refusing_overflow():
            self._forget_training_set()
            self._learn_block(row, targets)
        return self

    @contextmanager
    def _refusing_overflow(self) -> Generator[None]:
        """Learn; if numbers overflowed on the way, put everything back and say so."""
        before = {n: v.copy() if isinstance(v, np.ndarray) else v for n, v in vars(self).items()}
        with np.errstate(over="ignore", invalid="ignore"):
            yield
        state = [v for v in vars(self).values() if isinstance(v, np.ndarray) and v.dtype == float]
        if all(np.isfinite(values).all() for values in (*state, self.cumulative_loss_)):
            return
        vars(self).clear()
        vars(self).update(before)
        raise ValueError(
            "learning from these rows overflows: products of their features and targets are too "
            "large. Rescale the features or the targets"
        )

    def _train(self, X: Rows, targets: Vector) -> None:
        """Pass over the rows until told to stop, or `max_iter` times."""
        self.training_rows_ = fingerprints.sketch(fingerprints.row_hashes(X))
        progress = self._init_callback_context(max_subtasks=self.max_iter)
        progress.call_on_fit_task_begin(estimator=self)
        for n_passes in range(1, self.max_iter + 1):
            task = progress.subcontext("pass").call_on_fit_task_begin(estimator=self)
            self._learn_block(X, targets)
            self.n_iter_ = n_passes
            if task.call_on_fit_task_end(estimator=self):
                break
        progress.call_on_fit_task_end(estimator=self)

    def _begin(self, seen: dict[str, Any]) -> None:
        self._restart(seen)
        self._start(self.n_features_in_)

    def _untrained(self, n_features: int) -> Self:
        copy = cast("Self", clone(self._begun_as))
        copy._begin({"n_features_in_": n_features})  # noqa: SLF001 - our own copy
        return copy

    def _learn_block(self, X: Rows, targets: Vector) -> Vector:
        predictions = np.empty(len(targets))
        self._learn(X, targets, predictions)
        self.n_rounds_ += len(targets)
        self.cumulative_loss_ += float(self._losses(targets, predictions).sum())
        return predictions


@jit
def _prediction(row: Matrix, coef: Vector, intercept: Vector) -> float:
    """Return the prediction for the only row of a matrix."""
    return rows.dot(row, 0, coef) + intercept[0]
