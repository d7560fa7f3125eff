"""The learning curve: the loss on seen and unseen rows as a model learns from more of them.

A large gap that still closes asks for more rows; two curves that have met too high ask for another
model. `verdict` says which of the two it is, if the rows are enough to tell.
"""

from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from sklearn.utils import check_random_state

from surelearn import _arguments
from surelearn._shown import Shown
from surelearn._typing import ArrayLike, Indices, Matrix, Vector
from surelearn.evaluate._mean_losses import named, told
from surelearn.evaluate._splits import Split, Splitter, make_splits
from surelearn.evaluate._task import LossName, PointwiseLoss, Task, in_parallel, make_task
from surelearn.evaluate.fit_verdict import FitVerdict, constant_losses, range_of, verdict_of

_SHARES = (0.1, 0.2, 0.4, 0.7, 1.0)


@dataclass(frozen=True, eq=False, kw_only=True, repr=False)
class LearningCurve(Shown, drawn_by="learning_curve.plot_learning_curve"):
    """Losses over the number of training rows; `surelearn.plots` draws it.

    Attributes
    ----------
    model
        The model, itself unfitted.
    sizes
        The numbers of training rows.
    training, validation
        For each fold and size the mean loss on the rows learnt from, and on the fold.
    loss
        What a prediction costs, in words.
    verdict
        Whether the model over- or underfits the largest number of rows, with the numbers that say
        so; an estimate. None if the curve was not made by `learning_curve`.

    Examples
    --------
    >>> from surelearn.datasets.worlds import Noisy
    >>> from surelearn.learners.bayes.gaussian_naive_bayes import GaussianNaiveBayes
    >>> X, y = Noisy(n_features=5, bayes_risk=0.1).draw(500, seed=0)
    >>> curve = learning_curve(GaussianNaiveBayes(), X, y, sizes=[20, 100, 400])
    >>> curve.validation_mean.round(3).tolist(), curve.gap.round(3).tolist()
    ([0.276, 0.194, 0.166], [0.106, 0.034, 0.027])
    >>> curve.verdict.kind, round(curve.verdict.baseline, 3)
    ('cannot tell', 0.494)
    """

    model: Any
    sizes: Indices
    training: Matrix
    validation: Matrix
    loss: str
    verdict: FitVerdict | None = None

    @property
    def training_mean(self) -> Vector:
        """The mean over folds of the loss on the rows learnt from, for each size."""
        return self.training.mean(axis=0)

    @property
    def validation_mean(self) -> Vector:
        """The mean over folds of the loss on unseen rows, for each size."""
        return self.validation.mean(axis=0)

    @property
    def gap(self) -> Vector:
        """How much more unseen rows cost than those learnt from, for each size."""
        return self.validation_mean - self.training_mean

    def __str__(self) -> str:
        """Return the ends of the curve in sentences."""
        ends = (*self.validation_mean[[0, -1]].tolist(), float(self.training_mean[-1]))
        first, last, seen = (told(mean, self.loss) for mean in ends)
        return (
            f"{type(self.model).__name__}, {named(self.loss)} on unseen rows: {first} when trained "
            f"on {self.sizes[0]:,} rows, {last} when trained on {self.sizes[-1]:,} (and {seen} on "
            "those rows themselves). These are estimates, not guarantees."
        )


def learning_curve(  # noqa: PLR0913 - those of cross_validate, and the sizes
    model: Any,
    X: Any,
    y: ArrayLike,
    *,
    sizes: ArrayLike = _SHARES,
    cv: Splitter = 5,
    loss: LossName | PointwiseLoss | None = None,
    groups: ArrayLike | None = None,
    ordered: bool = False,
    random_state: Any = 0,
    n_jobs: int | None = None,
) -> LearningCurve:
    """Fit a model to ever more rows of each fold's training part, and test every one of them.

    Smaller parts are contained in larger ones. Their rows are drawn at random; if `ordered` they
    are the latest ones before the test rows.

    Parameters
    ----------
    model
        Any scikit-learn estimator; copies are fitted.
    X, y
        Rows and their labels or targets.
    sizes
        Numbers of rows, or fractions (0, 1] of the rows that every fold can learn from.
    cv, loss, groups, ordered, random_state, n_jobs
        As for `cross_validate`; the seed also draws the smaller parts.

    Examples
    --------
    >>> from surelearn.datasets.worlds import Noisy
    >>> from surelearn.learners.bayes.gaussian_naive_bayes import GaussianNaiveBayes
    >>> X, y = Noisy(n_features=5, bayes_risk=0.1).draw(500, seed=0)
    >>> learning_curve(GaussianNaiveBayes(), X, y).sizes.tolist()
    [40, 80, 160, 280, 400]
    """
    task = make_task(model, X, y, loss=loss)
    splits = make_splits(task, cv, groups=groups, ordered=ordered, random_state=random_state)
    counts = _counts(sizes, min(len(pair.train) for pair in splits.pairs))
    rng = check_random_state(random_state)
    pairs = [
        Split(pair.train[::-1] if ordered else rng.permutation(pair.train), pair.test)
        for pair in splits.pairs
    ]
    calls = ((pair, int(count)) for pair in pairs for count in counts)
    points = in_parallel(partial(_point, task), calls, n_jobs=n_jobs)
    means = [(seen.mean(), unseen.mean()) for seen, unseen in points]
    table = np.array(means).reshape(len(pairs), len(counts), 2)
    return LearningCurve(
        model=model,
        sizes=counts,
        training=table[..., 0],
        validation=table[..., 1],
        loss=task.loss.in_words,
        verdict=_judge(task, pairs, points[len(counts) - 1 :: len(counts)]),
    )


def _judge(task: Task, pairs: list[Split], points: list[tuple[Vector, Vector]]) -> FitVerdict:
    """Return the verdict on the models that learnt from the most rows.

    The training parts of the folds overlap: together they tell about as much as one of them.
    """
    level = 0.95
    seen, unseen = points[0][0], _of_each_row(pairs, [point[1] for point in points])
    training = range_of(seen, task.loss, level=level)
    shift = float(np.mean([point[0].mean() for point in points])) - training.mean
    constants = [constant_losses(task, pair.train, task.y[pair.test]) for pair in pairs]
    return verdict_of(
        type(training)(*(value + shift for value in training)),
        range_of(unseen, task.loss, level=level),
        baseline=float(_of_each_row(pairs, constants).mean()),
        level=level,
    )


def _of_each_row(pairs: list[Split], losses: list[Vector]) -> Vector:
    """Return the mean loss of each row that was tested: one tested again is no new row."""
    rows, place = np.unique(np.concatenate([pair.test for pair in pairs]), return_inverse=True)
    together = np.concatenate(losses)
    if len(rows) == len(together):
        return together
    return np.bincount(place, weights=together) / np.bincount(place)


def _point(task: Task, pair: Split, count: int) -> tuple[Vector, Vector]:
    """Return the losses on `count` rows after learning from them, and on the test rows."""
    rows = pair.train[:count]
    if task.classifies and len(np.unique(task.y[rows])) < 2 <= len(np.unique(task.y)):
        raise ValueError(
            f"the first {count} rows drawn from a fold are all of one class; start with more rows, "
            f"such as sizes=[{5 * count}, ...]"
        )
    fitted = task.fit(rows, f"to {count} rows")
    return task.losses(fitted, rows), task.losses(fitted, pair.test)


def _counts(sizes: ArrayLike, most: int) -> Indices:
    """Return the sizes as increasing numbers of rows that every fold can give."""
    given = _arguments.numbers("sizes", sizes).ravel()
    shares = bool(given.size) and bool((given <= 1.0).all()) and np.asarray(sizes).dtype.kind == "f"
    counts = np.unique((given * most if shares else given).astype(np.int64))
    if not len(counts) or counts[0] < 1 or counts[-1] > most:
        raise ValueError(
            f"sizes={np.asarray(sizes).tolist()} must be numbers of rows from 1 to {most}, which "
            "is what the smallest training part has, or fractions of it in (0, 1]"
        )
    return counts
