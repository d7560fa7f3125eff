"""Leave-one-out: every row is predicted by a model that learnt from all the others.

Without bias for tables one row shorter, of high variance, and without any confidence statement.
Least squares, ridge regression and nearest neighbours need one fit instead of n: a linear smoother
with hat matrix H leaves r_i / (1 − h_ii), and neighbours are searched without the row itself.
"""

from dataclasses import dataclass
from functools import partial, singledispatch
from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.linear_model import LinearRegression as SklearnLinearRegression
from sklearn.linear_model import Ridge as SklearnRidge

from surelearn import _arguments
from surelearn._shown import Shown
from surelearn._typing import ArrayLike, Indices, Vector
from surelearn.base.fitting import fresh_copy
from surelearn.base.labels import answered
from surelearn.evaluate._mean_losses import ESTIMATE, named, told
from surelearn.evaluate._task import (
    LossName,
    PointwiseLoss,
    Task,
    in_parallel,
    make_task,
    weighted_mean,
)
from surelearn.learners.linear.linear_regression import LinearRegression
from surelearn.learners.linear.ridge_regression import RidgeRegression


@dataclass(frozen=True, eq=False, kw_only=True, repr=False)
class LeaveOneOut(Shown, drawn_by="leave_one_out.plot_leave_one_out"):
    """What each row costs a model that did not see it.

    Attributes
    ----------
    model
        The model, itself unfitted.
    predictions, losses
        For each row what the others predict, and what that costs.
    weights
        The weights of the rows, if any were given.
    loss
        What a prediction costs, in words.
    shortcut
        What was done in place of refitting for every row; None if nothing was.

    Examples
    --------
    >>> X, y = [[1.0], [2.0], [3.0], [4.0]], [2.0, 3.0, 5.0, 4.0]
    >>> result = leave_one_out(LinearRegression(), X, y)
    >>> result.predictions.round(4).tolist(), result.shortcut
    ([3.0, 3.1429, 3.4286, 6.3333], 'the hat matrix')
    """

    model: Any
    predictions: NDArray[Any]
    losses: Vector
    weights: Vector | None
    loss: str
    shortcut: str | None

    @property
    def estimate(self) -> float:
        """The mean loss."""
        return weighted_mean(self.losses, self.weights)

    def __str__(self) -> str:
        """Return the estimate in sentences, and what it is not."""
        way = f"by {self.shortcut or 'refitting'}"
        if self.shortcut is not None and "refitting" not in self.shortcut:
            way += ", with one fit"
        return (
            f"{type(self.model).__name__}: {named(self.loss)} {told(self.estimate, self.loss)} on "
            f"{len(self.losses):,} rows, each left out in turn ({way}).\n"
            f"This is how models trained on one row fewer do on average. {ESTIMATE}: for that, ask "
            "a Holdout about one model."
        )


def leave_one_out(
    model: Any,
    X: Any,
    y: ArrayLike,
    *,
    loss: LossName | PointwiseLoss | None = None,
    sample_weight: ArrayLike | None = None,
    shortcut: bool = True,
    n_jobs: int | None = None,
) -> LeaveOneOut:
    """Predict each row from all the others, by a closed form where there is one.

    Parameters
    ----------
    model
        Any scikit-learn estimator; copies are fitted.
    X, y
        Rows and their labels or targets.
    loss
        As for `cross_validate`.
    sample_weight
        The weight of each row, in the fit and in the mean.
    shortcut
        False refits for every row, even where a closed form is known.
    n_jobs
        Rows to work on at the same time, where refitting is needed.

    Examples
    --------
    >>> from surelearn import NearestNeighborsClassifier
    >>> X, y = [[0.0], [1.0], [4.0], [5.0]], ["low", "low", "high", "high"]
    >>> leave_one_out(NearestNeighborsClassifier(n_neighbors=1), X, y).estimate
    0.0
    """
    task = make_task(model, X, y, loss=loss, sample_weight=sample_weight)
    # What is registered for a class is not used for its subclasses, which may learn otherwise.
    find = closed_form.registry.get(type(model), closed_form.registry[object])
    found = find(model, task) if _arguments.flag("shortcut", shortcut) else None
    predictions, way = found or (_refitted(task, n_jobs=n_jobs), None)
    return LeaveOneOut(
        model=model,
        predictions=predictions,
        losses=task.loss.of(task.y, predictions),
        weights=task.weights,
        loss=task.loss.in_words,
        shortcut=way,
    )


@singledispatch
def closed_form(model: Any, task: Task) -> tuple[NDArray[Any], str] | None:
    """Return what the others predict for each row, and how it was found; None if it is not known.

    A learner of this library has a method `_leave_one_out(X, y, weights)` for it; the closed form
    of any other is registered here by its class. It must give exactly what refitting gives.
    """
    # Only the class that defines the method: one that inherits it may learn otherwise.
    own = vars(type(model)).get("_leave_one_out")
    if own is None:
        return None
    try:
        fresh = fresh_copy(model)
    except ValueError:  # refitting says which of its parameters is wrong
        return None
    return own(fresh, task.X, task.y, task.weights)


@closed_form.register
def _(model: SklearnLinearRegression, task: Task) -> tuple[NDArray[Any], str] | None:
    twin = LinearRegression(fit_intercept=model.fit_intercept)
    return None if model.positive else closed_form(twin, task)


@closed_form.register
def _(model: SklearnRidge, task: Task) -> tuple[NDArray[Any], str] | None:
    alpha: Any = model.alpha
    if model.positive or not isinstance(alpha, Real):
        return None
    centred = {"fit_intercept": model.fit_intercept}
    twin = RidgeRegression(alpha=float(alpha), **centred) if alpha else LinearRegression(**centred)
    return closed_form(twin, task)


def _refitted(task: Task, *, n_jobs: int | None) -> NDArray[Any]:
    one = partial(_without, task)
    return np.concatenate(in_parallel(one, ((i,) for i in range(task.n)), n_jobs=n_jobs))


def _without(task: Task, i: int) -> NDArray[Any]:
    others: Indices = np.delete(np.arange(task.n), i)
    fitted = task.fit(others, f"without row {i}")
    return answered(fitted.predict(task.part(np.array([i]))))
