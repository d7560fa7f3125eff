"""Nested cross-validation: the choice of a model is made again without each outer fold.

So every outer fold tests what the whole procedure, choice included, would have delivered; the
models chosen may differ. The least estimate of a plain cross-validation is smaller, because it was
chosen for being small.
"""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from surelearn._shown import Shown
from surelearn._typing import ArrayLike, Indices, Matrix
from surelearn.base.labels import answered
from surelearn.evaluate._mean_losses import ESTIMATE
from surelearn.evaluate._row_by_row import answered_alone
from surelearn.evaluate._splits import Split, Splits, Splitter, make_splits
from surelearn.evaluate._task import LossName, PointwiseLoss, Task, in_parallel
from surelearn.evaluate.cross_validation import CrossValidation, Fold, count_copies
from surelearn.evaluate.selection import Selection, choose, make_tasks


@dataclass(frozen=True, eq=False, kw_only=True, repr=False)
class NestedCrossValidation(Shown, drawn_by="cross_validation.plot_cross_validation"):
    """How the procedure "choose, then fit" did on outer folds; `surelearn.plots` draws it.

    Attributes
    ----------
    outer
        The outer folds, each judged by the model that was chosen without it.
    chosen
        The name of that model for each outer fold.
    names, inner_estimates
        The names of all models, and for each outer fold what each seemed to cost inside.

    Examples
    --------
    >>> from surelearn.evaluate.selection import parameter_grid
    >>> from surelearn.learners.neighbors.nearest_neighbors_classifier import (
    ...     NearestNeighborsClassifier,
    ... )
    >>> X, y = [[float(i)] for i in range(12)], [0] * 6 + [1] * 6
    >>> models = parameter_grid(NearestNeighborsClassifier(), {"n_neighbors": [1, 3]})
    >>> result = nested_cross_validate(models, X, y, cv=3, inner=2)
    >>> result.inner_estimates.shape
    (3, 2)
    """

    outer: CrossValidation
    chosen: tuple[str, ...]
    names: tuple[str, ...]
    inner_estimates: Matrix

    @property
    def estimate(self) -> float:
        """The mean of the outer folds' means."""
        return self.outer.estimate

    @property
    def pooled(self) -> float:
        """The mean over all tested rows."""
        return self.outer.pooled

    def __str__(self) -> str:
        """Return the estimate in sentences, and what it is not."""
        votes = ", ".join(f"{name} ({k}×)" for name, k in Counter(self.chosen).most_common())
        return (
            f"Choosing among {len(self.names)} models: {self.outer.in_words}. Chosen: {votes}.\n"
            f"This is how the whole procedure does on average, the choice included. {ESTIMATE}: "
            "for that, ask a Holdout about one model."
        )


def nested_cross_validate(  # noqa: PLR0913 - those of cross_validate, and the inner splits
    candidates: Mapping[str, Any] | Iterable[Any],
    X: Any,
    y: ArrayLike,
    *,
    cv: Splitter = 5,
    inner: Splitter = 3,
    loss: LossName | PointwiseLoss | None = None,
    groups: ArrayLike | None = None,
    ordered: bool = False,
    random_state: Any = 0,
    n_jobs: int | None = None,
) -> NestedCrossValidation:
    """Estimate what choosing among models by cross-validation and fitting the winner delivers.

    Parameters
    ----------
    candidates
        Models by their names, such as `parameter_grid` makes them; or models alone.
    X, y
        Rows and their labels or targets.
    cv, inner
        The outer splits, which test, and the inner ones, which choose; each as `cv` of
        `cross_validate`.
    loss, groups, ordered, random_state
        As for `cross_validate`; inner splits respect groups and order too.
    n_jobs
        Outer folds to work on at the same time.

    Examples
    --------
    >>> from surelearn.datasets.worlds import Noisy
    >>> from surelearn.evaluate.selection import parameter_grid
    >>> from surelearn.learners.neighbors.nearest_neighbors_classifier import (
    ...     NearestNeighborsClassifier,
    ... )
    >>> X, y = Noisy(n_features=2, bayes_risk=0.1).draw(200, seed=0)
    >>> models = parameter_grid(NearestNeighborsClassifier(), {"n_neighbors": [1, 9]})
    >>> nested_cross_validate(models, X, y).chosen
    ('n_neighbors=9', 'n_neighbors=9', 'n_neighbors=9', 'n_neighbors=9', 'n_neighbors=9')
    """
    tasks = make_tasks(candidates, X, y, loss=loss)
    first = next(iter(tasks.values()))
    how = {"ordered": ordered, "random_state": random_state}
    splits = make_splits(first, cv, groups=groups, **how)
    named = None if groups is None else np.asarray(groups)
    run = partial(_outer_fold, tasks, inner, named, how)
    done = in_parallel(run, ((pair,) for pair in splits.pairs), n_jobs=n_jobs)
    outer = CrossValidation(
        model=first.model,
        folds=tuple(fold for fold, _ in done),
        loss=first.loss.in_words,
        scheme=splits.scheme,
        partition=splits.partition,
        blind=splits.blind,
        counts_errors=first.loss.counts_errors,
        others=tuple(task.model for task in tasks.values()),
    )
    return NestedCrossValidation(
        outer=outer,
        chosen=tuple(selection.chosen for _, selection in done),
        names=tuple(tasks),
        inner_estimates=np.array([selection.estimates for _, selection in done]),
    )


def _outer_fold(
    tasks: Mapping[str, Task],
    inner: Splitter,
    groups: NDArray[Any] | None,
    how: Mapping[str, Any],
    pair: Split,
) -> tuple[Fold, Selection]:
    """Choose on the training rows of an outer fold, and test the choice on its other rows."""
    first = next(iter(tasks.values()))
    inside = replace(first, X=first.part(pair.train), y=first.y[pair.train])
    local = make_splits(inside, inner, groups=None if groups is None else groups[pair.train], **how)
    selection = choose(tasks, _among(pair.train, local), rows=pair.train)
    rows = first.part(pair.test)
    predictions = answered(selection.model.predict(rows))
    fold = Fold(
        n_train=len(pair.train),
        test=pair.test,
        predictions=predictions,
        losses=first.loss.of(first.y[pair.test], predictions),
        model=selection.model,
        alone=answered_alone(selection.model, rows, predictions),
        n_copies=count_copies(first.part(pair.train), rows),
    )
    return fold, selection


def _among(rows: Indices, splits: Splits) -> Splits:
    """Return splits of some rows of a table as splits of the table."""
    pairs = [Split(rows[pair.train], rows[pair.test]) for pair in splits.pairs]
    return splits._replace(pairs=pairs)
