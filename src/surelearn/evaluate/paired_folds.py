"""Cross-validation without every part of a table, and without every two of them.

A nested cross-validation makes a choice without a part and tests it there. If the other parts are
the folds inside, a model that learnt without parts i and j is needed twice: for the choice without
j it is tested on i, for the choice without i on j. So K parts take K (K + 1) / 2 fits of a model,
and any number of choices among models can be nested afterwards without fitting any again.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Any, cast

import numpy as np

from surelearn._shown import Shown
from surelearn._typing import ArrayLike, Matrix, Vector
from surelearn.base import validation
from surelearn.base.labels import answered
from surelearn.evaluate._splits import Split, Splitter, make_splits
from surelearn.evaluate._task import (
    LossName,
    PointwiseLoss,
    Task,
    in_parallel,
    make_task,
    weighted_mean,
)
from surelearn.evaluate.cross_validation import CrossValidation, run_folds
from surelearn.evaluate.nested_cross_validation import NestedCrossValidation


@dataclass(frozen=True, eq=False, kw_only=True, repr=False)
class PairedFolds(Shown, drawn_by="cross_validation.plot_cross_validation"):
    """One model without each part of a table, and what it would have seemed to cost there.

    Attributes
    ----------
    outer
        The cross-validation of the model.
    inner_estimates
        For each of its folds the cross-validated loss on the other rows: what a choice that does
        not know the fold goes by. NaN for rows in the order of time before which there are none.

    Examples
    --------
    >>> from surelearn.learners.bayes.gaussian_naive_bayes import GaussianNaiveBayes
    >>> X, y = [[float(i)] for i in range(12)], [0] * 6 + [1] * 6
    >>> cross_validate_in_pairs(GaussianNaiveBayes(), X, y, cv=3).inner_estimates
    array([0.125, 0.25 , 0.   ])
    """

    outer: CrossValidation
    inner_estimates: Vector

    def _picture(self) -> tuple[str, Any]:
        return self._drawn_by, self.outer


def cross_validate_in_pairs(  # noqa: PLR0913 - those of cross_validate
    model: Any,
    X: Any,
    y: ArrayLike,
    *,
    cv: Splitter = 5,
    loss: LossName | PointwiseLoss | None = None,
    groups: ArrayLike | None = None,
    ordered: bool = False,
    row_weight: ArrayLike | None = None,
    random_state: Any = 0,
    n_jobs: int | None = None,
) -> PairedFolds:
    """Fit a model without each part of a table and without each two, and test it on them.

    Rows in the order of time need no more fits than a cross-validation: the parts before a part
    have all been tested by models that learnt from still earlier ones.

    Parameters
    ----------
    model, X, y, loss, groups, ordered, random_state, n_jobs
        As for `cross_validate`.
    cv
        As there, but every row must be tested once, unless the rows are ordered.
    row_weight
        How much each row counts in the means; the fits do not see it.

    Examples
    --------
    >>> from surelearn.datasets.worlds import Noisy
    >>> from surelearn.learners.linear.averaged_perceptron import AveragedPerceptron
    >>> X, y = Noisy(n_features=3, bayes_risk=0.1).draw(300, seed=0)
    >>> result = cross_validate_in_pairs(AveragedPerceptron(), X, y)
    >>> round(result.outer.estimate, 3), result.inner_estimates.round(3).tolist()
    (0.147, [0.142, 0.158, 0.142, 0.133, 0.15])
    """
    task = make_task(model, X, y, loss=loss)
    splits = make_splits(task, cv, groups=groups, ordered=ordered, random_state=random_state)
    if not (ordered or splits.partition):
        raise ValueError("pairs of folds need folds that test every row once: give their number")
    outer = run_folds(task, splits, n_jobs=n_jobs)
    weights = None if row_weight is None else validation.sample_weights(row_weight, task.n)
    if weights is not None:
        folds = tuple(replace(fold, weights=weights[fold.test]) for fold in outer.folds)
        outer = replace(outer, folds=folds)
    inner = _earlier_means(outer) if ordered else _without_two(task, splits.pairs, weights, n_jobs)
    return PairedFolds(outer=outer, inner_estimates=inner)


def nest(results: Mapping[str, PairedFolds]) -> NestedCrossValidation:
    """Return the nested cross-validation of choosing among models that met the same folds.

    Parameters
    ----------
    results
        What `cross_validate_in_pairs` returned for each model, by its name.

    Examples
    --------
    >>> from surelearn.datasets.worlds import Noisy
    >>> from surelearn.learners.neighbors.nearest_neighbors_classifier import (
    ...     NearestNeighborsClassifier,
    ... )
    >>> X, y = Noisy(n_features=2, bayes_risk=0.1).draw(200, seed=0)
    >>> models = {f"k = {k}": NearestNeighborsClassifier(n_neighbors=k) for k in (1, 9)}
    >>> nest({name: cross_validate_in_pairs(m, X, y) for name, m in models.items()}).chosen
    ('k = 9', 'k = 9', 'k = 9', 'k = 9', 'k = 9')
    """
    if not isinstance(cast("object", results), Mapping) or not all(
        isinstance(result, PairedFolds) for result in cast("dict[str, object]", results).values()
    ):
        raise TypeError("results must be a mapping from names to what cross_validate_in_pairs gave")
    outers = [result.outer for result in results.values()]
    tests = [[fold.test for fold in outer.folds] for outer in outers]
    if not outers or any(len(test) != len(tests[0]) for test in tests):
        raise ValueError("give one model or more, all with the same folds")
    if not all(np.array_equal(a, b) for test in tests for a, b in zip(test, tests[0], strict=True)):
        raise ValueError("the models were tested on different folds: use the same random_state")
    estimates: Matrix = np.array([result.inner_estimates for result in results.values()]).T
    places = np.flatnonzero(~np.isnan(estimates).any(axis=1))
    best = estimates[places].argmin(axis=1)  # of equals the first
    names = tuple(results)
    folds = tuple(outers[i].folds[place] for i, place in zip(best, places, strict=True))
    return NestedCrossValidation(
        outer=replace(
            outers[0],
            folds=folds,
            counts_errors=all(outer.counts_errors for outer in outers),
            others=tuple(outer.model for outer in outers),
        ),
        chosen=tuple(names[i] for i in best),
        names=names,
        inner_estimates=estimates[places],
    )


def _without_two(
    task: Task, pairs: list[Split], weights: Vector | None, n_jobs: int | None
) -> Vector:
    """Return for each part the mean over the others of their losses, both parts left out."""
    parts = [task.part(pair.test) for pair in pairs]

    def losses(i: int, j: int) -> tuple[float, float]:
        rows = np.intersect1d(pairs[i].train, pairs[j].train, assume_unique=True)
        fitted = task.fit(rows, f"without folds {i + 1} and {j + 1}")
        return mean_loss(fitted, i), mean_loss(fitted, j)

    def mean_loss(fitted: Any, i: int) -> float:
        rows = pairs[i].test
        found = task.loss.of(task.y[rows], answered(fitted.predict(parts[i])))
        return weighted_mean(found, None if weights is None else weights[rows])

    both = list(combinations(range(len(pairs)), 2))
    sums = np.zeros(len(pairs))
    for (i, j), (on_i, on_j) in zip(both, in_parallel(losses, both, n_jobs=n_jobs), strict=True):
        sums[j] += on_i
        sums[i] += on_j
    return sums / (len(pairs) - 1)


def _earlier_means(outer: CrossValidation) -> Vector:
    """Return for each part the mean over the parts before it, which tested earlier models."""
    means = outer.fold_means
    earlier = np.cumsum(means)[:-1] / np.arange(1, len(means))
    return np.concatenate(([np.nan], earlier))
