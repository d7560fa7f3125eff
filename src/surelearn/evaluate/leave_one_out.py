"""Leave-one-out: every row is predicted by a model that learnt from all the others.

Without bias for tables one row shorter, of high variance, and without any confidence statement.
Least squares, ridge regression and nearest neighbours need one fit instead of n: a linear smoother
with hat matrix H leaves r_i / (1 − h_ii), and neighbours are searched without the row itself.
"""

from dataclasses import dataclass
from functools import partial, singledispatch
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import linalg, sparse
from sklearn.base import clone
from sklearn.linear_model import LinearRegression as SklearnLinearRegression
from sklearn.linear_model import Ridge as SklearnRidge

from surelearn._typing import Indices, Vector
from surelearn.base import validation
from surelearn.evaluate._task import (
    LossName,
    PointwiseLoss,
    Task,
    in_parallel,
    make_task,
    weighted_mean,
)
from surelearn.learners.linear._ridge_path import CentredRows
from surelearn.learners.linear.linear_regression import LinearRegression
from surelearn.learners.linear.ridge_regression import RidgeRegression
from surelearn.learners.neighbors._estimator import NearestNeighborsLearner
from surelearn.learners.neighbors._search.lists import Lists, count_votes, decide, mean_targets
from surelearn.learners.neighbors.nearest_neighbors_classifier import NearestNeighborsClassifier
from surelearn.learners.neighbors.nearest_neighbors_regressor import NearestNeighborsRegressor

_SEARCH = "a search that leaves out the row itself"
_PINNED = 1e-8  # a row of leverage this near 1 determines a coefficient alone


@dataclass(frozen=True, eq=False, kw_only=True)
class LeaveOneOut:
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
        The closed form used in place of refitting for every row; None if there was none.

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
        way = "by refitting" if self.shortcut is None else f"by {self.shortcut}, with one fit"
        return (
            f"{type(self.model).__name__}, {self.loss} left out one by one, {way}: "
            f"{self.estimate:.4g} over {len(self.losses)} rows.\n"
            "It estimates the average risk of models that learn from one row fewer. It is not a "
            "certificate of any model: ask a Holdout for one."
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
    >>> X, y = [[0.0], [1.0], [4.0], [5.0]], ["low", "low", "high", "high"]
    >>> leave_one_out(NearestNeighborsClassifier(n_neighbors=1), X, y).estimate
    0.0
    """
    task = make_task(model, X, y, loss=loss, sample_weight=sample_weight)
    known = shortcut and type(model) in closed_form.registry  # a subclass may learn otherwise
    found = closed_form(model, task) if known else None
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

    A learner with a closed form of its own registers it here by its class. It must give exactly
    what refitting gives.
    """
    del model, task
    return None


@closed_form.register
def _(model: LinearRegression, task: Task) -> tuple[NDArray[Any], str] | None:
    return _smoother(task, 0.0, centre=model.fit_intercept)


@closed_form.register
def _(model: RidgeRegression, task: Task) -> tuple[NDArray[Any], str] | None:
    if model.alphas is not None:  # each refit would choose anew
        return None
    return _smoother(task, model.alpha, centre=model.fit_intercept)


@closed_form.register
def _(model: SklearnLinearRegression, task: Task) -> tuple[NDArray[Any], str] | None:
    return None if model.positive else _smoother(task, 0.0, centre=model.fit_intercept)


@closed_form.register
def _(model: SklearnRidge, task: Task) -> tuple[NDArray[Any], str] | None:
    alpha: Any = model.alpha
    if model.positive or np.ndim(alpha):
        return None
    return _smoother(task, float(alpha), centre=model.fit_intercept)


@closed_form.register
def _(model: NearestNeighborsClassifier, task: Task) -> tuple[NDArray[Any], str] | None:
    found = _others(model, task)
    if found is None:
        return None
    fitted, lists = found
    labels, n_classes = fitted.targets_, len(fitted.classes_)
    ends = [lists.starts[1:]]
    votes = next(count_votes(lists, labels, n_classes, weights=model.weights, stops=ends))
    counts = np.bincount(labels, minlength=n_classes) - np.eye(n_classes)[labels]
    preference = counts if model.ties == "all" else np.zeros_like(counts)
    return fitted.classes_[decide(votes, preference)], _SEARCH


@closed_form.register
def _(model: NearestNeighborsRegressor, task: Task) -> tuple[NDArray[Any], str] | None:
    found = _others(model, task)
    if found is None:
        return None
    fitted, lists = found
    ends = [lists.starts[1:]]
    return next(mean_targets(lists, fitted.targets_, weights=model.weights, stops=ends)), _SEARCH


def _others(model: NearestNeighborsLearner, task: Task) -> tuple[Any, Lists] | None:
    """Return the fitted model and each row's neighbours, if refitting would find the same ones.

    A number k that depends on the rows, ranges of columns, and random tags would all be new.
    """
    k, n = model.n_neighbors, task.n
    same = model.metric != "gower" and model.ties != "random" and task.weights is None
    if isinstance(k, str) or not same or k > n - 1:
        return None
    fitted: Any = task.fit(np.arange(n), "to all rows")
    return fitted, fitted._lists_of_others(k, whole_ties=model.ties == "all")  # noqa: SLF001


def _smoother(task: Task, alpha: float, *, centre: bool) -> tuple[NDArray[Any], str] | None:
    """Return y_i − r_i / (1 − h_ii) for each row, unless a row is its own only witness."""
    weightless = task.weights is not None and not task.weights.all()
    if sparse.issparse(task.X) or weightless or not alpha >= 0.0:
        return None
    X, y = validation.check(clone(task.model), task.X, task.y, targets="numbers", reset=True)
    rows = CentredRows(X, y, task.weights, centre=centre)
    left, values, _ = linalg.svd(rows.dense(), full_matrices=False)
    cut = max(X.shape) * np.finfo(np.float64).eps * (values[0] if len(values) else 0.0)
    kept = values > cut
    if alpha == 0.0 and not kept.all():  # leaving a row out may change which weights are least
        return None
    left, shrunk = left[:, kept], values[kept] ** 2 / (values[kept] ** 2 + alpha)
    fitted = (left * shrunk) @ (left.T @ rows.target)
    free = 1.0 - rows.pull - (left**2) @ shrunk
    if free.min() < _PINNED:
        return None
    return y - (rows.target - fitted) / free / rows.root, "the hat matrix"


def _refitted(task: Task, *, n_jobs: int | None) -> NDArray[Any]:
    one = partial(_without, task)
    return np.concatenate(in_parallel(one, ((i,) for i in range(task.n)), n_jobs=n_jobs))


def _without(task: Task, i: int) -> NDArray[Any]:
    others: Indices = np.delete(np.arange(task.n), i)
    fitted = task.fit(others, f"without row {i}")
    return np.asarray(fitted.predict(task.part(np.array([i]))))
