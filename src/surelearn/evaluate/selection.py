"""Choosing among models: by cross-validation, or on rows set apart for the choice.

The winner's own estimate is optimistic: it was picked for being lowest. An honest one comes from
`nested_cross_validate`, which repeats the choice without each outer fold; a certificate from a
`Holdout` that no choice has seen.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, cast

import numpy as np
from scipy.sparse import issparse
from sklearn.base import clone
from sklearn.model_selection import ParameterGrid, train_test_split

from surelearn import _arguments
from surelearn._shown import Shown
from surelearn._typing import ArrayLike, Indices, Vector
from surelearn._wording import outward
from surelearn.bounds import pac
from surelearn.certificate import assumed
from surelearn.evaluate._fitting_anew import fitted_without_fold
from surelearn.evaluate._mean_losses import named, told
from surelearn.evaluate._splits import Split, Splits, Splitter, make_splits
from surelearn.evaluate._task import LossName, PointwiseLoss, Task, check_model, make_task
from surelearn.evaluate.cross_validation import CrossValidation, run_folds


@dataclass(frozen=True, eq=False, kw_only=True, repr=False)
class Selection(Shown, drawn_by="cross_validation.plot_selection"):
    """Several models, what each seems to cost, and the one that seems to cost least.

    Attributes
    ----------
    evaluations
        For each model, by its name, how it did; of equals the first is chosen.
    chosen
        The name of the model of least estimate.
    model
        That model fitted to all rows.
    uncertainty
        How far, with confidence 95%, any of the estimates may be from the risk of the model that
        was tested: for zero-one losses on rows set apart at random, none of them known to coincide
        with a row learnt from, of models that bring nothing learnt along and answer each row by
        itself, as far as can be seen; None otherwise.

    Examples
    --------
    >>> from surelearn.learners.neighbors.nearest_neighbors_classifier import (
    ...     NearestNeighborsClassifier,
    ... )
    >>> X, y = [[0.0], [1.0], [2.0], [3.0], [4.0], [5.0]], [0, 0, 0, 1, 1, 1]
    >>> models = parameter_grid(NearestNeighborsClassifier(), {"n_neighbors": [1, 3]})
    >>> select_by_cross_validation(models, X, y, cv=3).chosen
    'n_neighbors=1'
    """

    evaluations: Mapping[str, CrossValidation]
    chosen: str
    model: Any
    uncertainty: float | None = None

    @property
    def names(self) -> list[str]:
        """The names of the models."""
        return list(self.evaluations)

    @property
    def estimates(self) -> Vector:
        """The estimate of each model."""
        return np.array([result.estimate for result in self.evaluations.values()])

    def __str__(self) -> str:
        """Return the choice in sentences, and what its estimate is not."""
        loss = self.evaluations[self.chosen].loss
        reach = ""
        if self.uncertainty is not None:  # which there is of error rates alone
            points = outward(100.0 * self.uncertainty, "upper", digits=3)
            reach = f" (each may be off by {points} points)"
        return (
            f"{self.chosen} has the lowest {named(loss)} of {len(self.evaluations)} models: "
            f"{told(float(self.estimates.min()), loss)}{reach}. That is optimistic, because it was "
            "picked for being lowest: nested_cross_validate estimates what choosing delivers, and "
            "a Holdout certifies the winner."
        )


def parameter_grid(model: Any, grid: Mapping[str, Any] | Iterable[Any]) -> dict[str, Any]:
    """Return copies of a model, one for each combination of parameters, by their settings.

    Parameters
    ----------
    model
        The estimator to copy.
    grid
        For each parameter the values to try; or several such tables.

    Examples
    --------
    >>> from surelearn.learners.neighbors.nearest_neighbors_classifier import (
    ...     NearestNeighborsClassifier,
    ... )
    >>> models = parameter_grid(NearestNeighborsClassifier(), {"n_neighbors": [1, 3]})
    >>> list(models), models["n_neighbors=3"].n_neighbors
    (['n_neighbors=1', 'n_neighbors=3'], 3)
    """
    check_model(model)
    if issparse(grid):
        raise TypeError("grid is a sparse matrix; give a mapping from parameters to their values")
    copies: dict[str, Any] = {}
    for settings in ParameterGrid(cast("Any", grid)):
        name = ", ".join(f"{key}={value!r}" for key, value in settings.items())
        copies[name or "defaults"] = cast("Any", clone(model)).set_params(**settings)
    return copies


def select_by_cross_validation(  # noqa: PLR0913 - those of cross_validate
    candidates: Mapping[str, Any] | Iterable[Any],
    X: Any,
    y: ArrayLike,
    *,
    cv: Splitter = 5,
    loss: LossName | PointwiseLoss | None = None,
    groups: ArrayLike | None = None,
    ordered: bool = False,
    random_state: Any = 0,
    n_jobs: int | None = None,
) -> Selection:
    """Choose the model of least cross-validated loss, all on the same folds, and fit it anew.

    Parameters
    ----------
    candidates
        Models by their names, such as `parameter_grid` makes them; or models alone.
    X, y
        Rows and their labels or targets.
    cv, loss, groups, ordered, random_state, n_jobs
        As for `cross_validate`.

    Examples
    --------
    >>> from surelearn.datasets.worlds import Noisy
    >>> from surelearn.learners.neighbors.nearest_neighbors_classifier import (
    ...     NearestNeighborsClassifier,
    ... )
    >>> X, y = Noisy(n_features=2, bayes_risk=0.1).draw(200, seed=0)
    >>> models = parameter_grid(NearestNeighborsClassifier(), {"n_neighbors": [1, 9]})
    >>> select_by_cross_validation(models, X, y).chosen
    'n_neighbors=9'
    """
    tasks = make_tasks(candidates, X, y, loss=loss)
    first = next(iter(tasks.values()))
    splits = make_splits(first, cv, groups=groups, ordered=ordered, random_state=random_state)
    return choose(tasks, splits, n_jobs=n_jobs)


def select_on_dev_set(
    candidates: Mapping[str, Any] | Iterable[Any],
    X: Any,
    y: ArrayLike,
    *,
    dev_size: float = 0.25,
    loss: LossName | PointwiseLoss | None = None,
    stratify: bool = False,
    random_state: Any = 0,
    n_jobs: int | None = None,
) -> Selection:
    """Choose the model of least loss on rows set apart, then fit it to all rows.

    Parameters
    ----------
    candidates
        Models by their names, such as `parameter_grid` makes them; or models alone.
    X, y
        Rows and their labels or targets.
    dev_size
        The fraction or the number of rows to choose on.
    loss
        As for `cross_validate`.
    stratify
        Whether both parts shall have the same share of each class.
    random_state
        Seed of the split.
    n_jobs
        Models to work on at the same time.

    Examples
    --------
    >>> from surelearn.datasets.worlds import Noisy
    >>> from surelearn.learners.neighbors.nearest_neighbors_classifier import (
    ...     NearestNeighborsClassifier,
    ... )
    >>> X, y = Noisy(n_features=2, bayes_risk=0.1).draw(200, seed=0)
    >>> models = parameter_grid(NearestNeighborsClassifier(), {"n_neighbors": [1, 9]})
    >>> result = select_on_dev_set(models, X, y)
    >>> result.chosen, round(result.uncertainty, 3)
    ('n_neighbors=9', 0.209)
    """
    tasks = make_tasks(candidates, X, y, loss=loss)
    first = next(iter(tasks.values()))
    parts: Any = train_test_split(
        np.arange(first.n),
        test_size=dev_size,
        stratify=first.y if _arguments.flag("stratify", stratify) else None,
        random_state=random_state,
    )
    train, dev = parts
    splits = Splits([Split(train, dev)], "split", assumed("drawn once"))
    selection = choose(tasks, splits, keep_models=True, n_jobs=n_jobs)
    if stratify or not all(map(_tests_new_rows, selection.evaluations.values())):
        return selection
    reach = pac.finite_class_agnostic(n_hypotheses=len(tasks), n=len(dev), delta=0.05).bound
    return replace(selection, uncertainty=reach)


def _tests_new_rows(result: CrossValidation) -> bool:
    """Return whether errors were counted on rows new to a model that answers one at a time."""
    (fold,) = result.folds
    alone = fold.alone is not None and fold.alone.status != "violated"
    new = fitted_without_fold(result.model).status == "by-construction" and not fold.n_copies
    return result.counts_errors and alone and new


def make_tasks(
    candidates: Any, X: Any, y: ArrayLike, *, loss: LossName | PointwiseLoss | None
) -> dict[str, Task]:
    """Return the models by their names, each with the table; all must answer the same question."""
    tasks = {name: make_task(model, X, y, loss=loss) for name, model in _named(candidates).items()}
    if len({task.loss.in_words for task in tasks.values()}) > 1:
        raise ValueError(
            "some of the models predict labels and others numbers; compare models of one kind, or "
            "name a loss that fits all"
        )
    return tasks


def choose(
    tasks: Mapping[str, Task],
    splits: Splits,
    *,
    rows: Indices | None = None,
    keep_models: bool = False,
    n_jobs: int | None = None,
) -> Selection:
    """Evaluate every model on the same splits; fit the best to all rows, or to some of them."""
    run = partial(run_folds, splits=splits, keep_models=keep_models, n_jobs=n_jobs)
    results = {name: run(task) for name, task in tasks.items()}
    chosen = min(results, key=lambda name: results[name].estimate)  # of equals the first
    task = tasks[chosen]
    everything = np.arange(task.n) if rows is None else rows
    fitted = task.fit(everything, "after it was chosen")
    return Selection(evaluations=results, chosen=chosen, model=fitted)


def _named(candidates: Any) -> dict[str, Any]:
    if isinstance(candidates, Mapping):
        models: dict[str, Any] = {str(name): model for name, model in candidates.items()}
    elif hasattr(candidates, "fit"):
        raise TypeError("give several models to choose among: a list, or a mapping from names")
    elif not isinstance(cast("object", candidates), list | tuple):
        raise TypeError(f"candidates={candidates!r} must be a list of models, or a mapping")
    else:
        models = {}
        for model in candidates:
            name = type(model).__name__
            models[name if name not in models else f"{name} {len(models) + 1}"] = model
    _arguments.count("the number of candidates", len(models), at_least=1)
    return models
