"""The base of linear regressors that take one row at a time."""

import math
from abc import abstractmethod
from collections.abc import Mapping
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import RegressorMixin
from sklearn.callback import with_callbacks
from sklearn.utils.validation import check_is_fitted

from surelearn import _arguments
from surelearn._jit import fingerprints, rows
from surelearn._jit.linear_scores import score
from surelearn._jit.rows import Rows
from surelearn._locks import in_turn
from surelearn._typing import ArrayLike, Matrix, Vector
from surelearn.base import validation
from surelearn.base.fitting import adopt
from surelearn.base.online.learner import OnlineLearner
from surelearn.base.online.passes import Run, heard_by_callbacks_of, run_passes
from surelearn.base.online.state import Learnt, read_only
from surelearn.base.states import copy_of
from surelearn.base.validation import refuse_huge

_LARGE = math.sqrt(validation.LARGEST)  # products of four smaller numbers do not overflow


class OnlineLinearRegressor(RegressorMixin, OnlineLearner):
    """A linear regressor that learns from one row at a time, in order.

    A learner stores `max_iter` and defines three methods. `_start(n_features)` returns its state
    before any row, with a `coef` and a `bias`, an array of one number. `_learn(X, targets, state,
    predictions)` visits the rows once, writes the prediction for each before learning from it, and
    changes the state's arrays in place. `_losses(targets, predictions)` gives the loss of each
    round. All that changes in a state is finite once a row has been learnt: rows that make it
    otherwise are refused and leave no mark.

    Examples
    --------
    >>> from typing import NamedTuple
    >>> class State(NamedTuple):
    ...     coef: Vector
    ...     bias: Vector
    ...     n: Vector
    >>> class Mean(OnlineLinearRegressor):
    ...     max_iter = 1
    ...     def _start(self, n_features):
    ...         return State(np.zeros(n_features), np.zeros(1), np.zeros(1))
    ...     def _learn(self, X, targets, state, predictions):
    ...         for t, target in enumerate(targets):
    ...             predictions[t] = state.bias[0]
    ...             state.n[0] += 1.0
    ...             state.bias[0] += (target - predictions[t]) / state.n[0]
    ...     def _losses(self, targets, predictions):
    ...         return (targets - predictions) ** 2
    >>> model = Mean()
    >>> model.learn([[0.0], [0.0]], [1.0, 3.0]), model.predict([[0.0]])
    (array([0., 1.]), array([2.]))
    """

    _targets = "numbers"
    max_iter: int

    @abstractmethod
    def _learn(self, X: Rows, targets: Vector, state: Any, predictions: Vector, /) -> None:
        """Learn from each row once, in order; write into `predictions` what was said before."""

    @abstractmethod
    def _losses(self, targets: Vector, predictions: Vector, /) -> Vector:
        """Return the loss of each round."""

    def _record(self, X: Any, targets: Vector, state: Any, n_passes: int) -> Any:
        """Return what the certificates of a `fit` need, if there are any."""
        del X, targets, state, n_passes

    @property
    def coef_(self) -> Vector:
        """The weights."""
        return read_only(self.states_[0].coef.copy())

    @property
    def intercept_(self) -> Vector:
        """The constant term, an array of one number."""
        return read_only(self.states_[0].bias.copy())

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
        X, targets, fresh = self._check_training_set(X, y)
        fresh._begin(None, 1)
        heard_by_callbacks_of(self, fresh)._train(X, targets)
        return adopt(self, fresh)

    def partial_fit(self, X: Any, y: ArrayLike) -> Self:
        """Learn from each row once, in order; the same as `learn`, returning the learner."""
        self.learn(X, y)
        return self

    @in_turn
    def learn(self, X: Any, y: ArrayLike) -> Vector:
        """Learn from each row once, in order, and return the prediction given to it beforehand.

        How the rows are cut into calls does not matter.
        """
        held = vars(self)  # a fit in another thread replaces it, and with it what is learnt here
        if "learnt_" in held:
            X, targets = self._check_rows(X, y)
            predictions, moved = self._moved_on(self._learnt_of(X), rows.of(X), targets)
            held.update(moved)
            return predictions
        X, targets, fresh = self._check_first_rows(X, y)
        fresh._begin(None, 1)
        predictions, moved = fresh._moved_on(fresh._own, rows.of(X), targets)
        vars(fresh).update(moved)
        adopt(self, fresh)
        return predictions

    @in_turn
    def learn_one(self, x: Mapping[str, float] | ArrayLike, y: float) -> Self:
        """Learn from one row, given as an array or as a mapping from feature names to numbers."""
        held, learnt = vars(self), self._own
        row, targets, predictions = self._check_one(learnt, x), np.empty(1), np.empty(1)
        try:
            targets[0] = y
        except (TypeError, ValueError, OverflowError):
            raise ValueError(f"y={str(y)[:60]} is no target of a row: give a number") from None
        if not (abs(targets.item()) <= _LARGE and rows.sum_of_squares(row[0]) <= _LARGE**2):
            return self._learn_large(learnt, row, targets)
        begun = learnt.begun
        begun._learn(row, targets, learnt.states[0], predictions)
        held["n_rounds_"] += 1
        held["cumulative_loss_"] += begun._losses(targets, predictions).item()
        held["run_"] = None
        return self

    def predict_one(self, x: Mapping[str, float] | ArrayLike) -> float:
        """Return the prediction for one row, an array or a mapping from names to numbers."""
        learnt = self._own
        state = learnt.states[0]
        return score(self._check_one(learnt, x), state.coef, state.bias)

    def predict(self, X: Any) -> Vector:
        """Return the prediction for each row."""
        check_is_fitted(self)
        X, learnt = self._check_features(X)
        return X @ learnt.states[0].coef + learnt.states[0].bias

    def _check_first_rows(self, X: Any, y: ArrayLike) -> tuple[Any, NDArray[Any], Self]:
        X, targets, fresh = super()._check_first_rows(X, y)
        refuse_huge(targets, "targets")
        return X, targets, fresh

    def _check_rows(self, X: Any, y: ArrayLike) -> tuple[Any, NDArray[Any]]:
        X, targets = super()._check_rows(X, y)
        refuse_huge(targets, "targets")
        return X, targets

    def _learn_large(self, learnt: Learnt, row: Matrix, targets: Vector) -> Self:
        """Learn from one row of large numbers, or refuse it as `learn` does."""
        if not math.isfinite(target := targets.item()):
            raise ValueError(f"the target {target!r} is not a finite number; leave that row out")
        refuse_huge(targets, "targets")
        validation.short_enough(row)
        held = vars(self)
        moved = self._moved_on(learnt, row, targets)[1]
        if held["learnt_"] is learnt:  # else another thread has fitted anew
            held.update(moved)
        return self

    def _moved_on(self, learnt: Learnt, X: Rows, targets: Vector) -> tuple[Vector, dict[str, Any]]:
        """Return the predictions, and all that changes when the rows have been learnt."""
        before, predictions = learnt.states[0], np.empty(len(targets))
        state, begun = copy_of(before), learnt.begun
        with np.errstate(over="ignore", invalid="ignore"):
            begun._learn(X, targets, state, predictions)
            loss = self.cumulative_loss_ + float(begun._losses(targets, predictions).sum())
        _refuse_overflow(before, state, loss)
        moved = {
            "learnt_": learnt._replace(states=(state,)),
            "n_rounds_": self.n_rounds_ + len(targets),
            "cumulative_loss_": loss,
            "run_": None,
        }
        return predictions, moved

    @with_callbacks
    def _train(self, X: Any, targets: Vector) -> None:
        """Pass over the rows until a callback says stop, or `max_iter` times."""
        progress = self._init_callback_context(max_subtasks=self.max_iter)
        view = rows.of(X)

        def visit() -> bool:
            vars(self).update(self._moved_on(self._own, view, targets)[1])
            return True

        progress.call_on_fit_task_begin(estimator=self)
        n_passes, _ = run_passes(visit, limit=self.max_iter, progress=progress, learner=self)
        record = self.begun_._record(X, targets, self._own.states[0], n_passes)
        vars(self)["run_"] = Run(
            training_rows=fingerprints.sketch(fingerprints.row_hashes(view)),
            n_rows=len(targets),
            n_passes=n_passes,
            records=None if record is None else (record,),
        )
        progress.call_on_fit_task_end(estimator=self)


def _refuse_overflow(before: Any, after: Any, loss: float) -> None:
    """Refuse rows after which a number is not finite, unless it never was and did not change."""
    pairs = zip(before, after, strict=True)
    if math.isfinite(loss) and all(
        np.isfinite(new).all() or np.array_equal(old, new) for old, new in pairs
    ):
        return
    raise ValueError(
        "learning from these rows overflows: products of their features and targets are too "
        "large. Rescale the features or the targets"
    )
