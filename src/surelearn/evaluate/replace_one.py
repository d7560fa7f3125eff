"""How much a learner changes when one training row is replaced: an estimate of its stability.

    on average:  E[loss(h with row t replaced, Z_t) - loss(h, Z_t)], the mean over t of which is the
                 expected gap between the risk of h and its training error
    uniformly:   the largest |loss(h, z) - loss(h with row t replaced, z)| seen, a lower estimate

These are estimates, not guarantees: nothing is stated with a confidence.
"""

import math
from dataclasses import dataclass
from typing import Any, cast

import numpy as np
from scipy import sparse
from sklearn.utils.validation import check_consistent_length

from surelearn import _arguments
from surelearn._jit.sound_matrices import sound
from surelearn._shown import Shown
from surelearn._typing import ArrayLike, Indices, Vector
from surelearn.base import fitting
from surelearn.evaluate._task import LossName, PointwiseLoss, Task, make_task


@dataclass(frozen=True, eq=False, kw_only=True, repr=False)
class ReplaceOneStability(Shown, drawn_by="replace_one.plot_replace_one"):
    """What replacing single training rows did to the losses of a learner.

    Attributes
    ----------
    replaced
        Which training rows were replaced.
    differences
        For each: the loss on that row of the model that did not see it, less that of the one that
        did.
    largest_changes
        For each: the largest change of a loss on any row at hand, training rows and new ones.

    Examples
    --------
    >>> from sklearn.dummy import DummyRegressor
    >>> X, y = np.zeros((4, 1)), np.array([0.0, 1.0, 0.0, 1.0])
    >>> print(replace_one_stability(DummyRegressor(), X, y, X, 1.0 - y))
    On average replacing a row costs 0.156 ± 0.09 on it; the largest change of a loss seen is 0.312.
    These are estimates, not guarantees.
    """

    replaced: Indices
    differences: Vector
    largest_changes: Vector

    @property
    def on_average(self) -> float:
        """The mean of the differences, which estimates the gap between risk and training error."""
        return float(self.differences.mean())

    @property
    def standard_error(self) -> float:
        """The spread of that mean if the differences were independent, which they nearly are."""
        n = len(self.differences)
        return float(self.differences.std(ddof=1) / math.sqrt(n)) if n > 1 else math.inf

    @property
    def uniform(self) -> float:
        """The largest change of a loss seen; that of the worst case is at least this."""
        return float(self.largest_changes.max())

    def __str__(self) -> str:
        """Return both estimates in sentences."""
        return (
            f"On average replacing a row costs {self.on_average:.3g} ± {self.standard_error:.1g} "
            f"on it; the largest change of a loss seen is {self.uniform:.3g}.\n"
            "These are estimates, not guarantees."
        )


def replace_one_stability(
    model: Any,
    X: Any,
    y: ArrayLike,
    X_new: Any,
    y_new: ArrayLike,
    *,
    loss: LossName | PointwiseLoss | None = None,
    n_replacements: int = 50,
    random_state: int = 0,
) -> ReplaceOneStability:
    """Estimate the replace-one stability of a learner by fitting it again and again.

    Parameters
    ----------
    model
        Any learner; copies are fitted. Give a random one its seed, or its own noise is measured.
    X, y
        The training rows.
    X_new, y_new
        Further rows of the same law, one for each replacement.
    loss
        "zero_one", "squared", "absolute" or a function of labels and predictions; the one that
        suits the model if None.
    n_replacements
        How many rows to replace, one at a time; no more than there are training rows or new ones.
    random_state
        Seed of which training rows are replaced.

    Examples
    --------
    >>> from surelearn.datasets.worlds import Noisy
    >>> from surelearn.learners.linear.ridge_regression import RidgeRegression
    >>> X, y = Noisy(3, 0.1).draw(60, seed=0)
    >>> weak, strong = (
    ...     replace_one_stability(RidgeRegression(alpha=alpha), X[:30], y[:30], X[30:], y[30:])
    ...     for alpha in (0.1, 100.0)
    ... )
    >>> weak.on_average > strong.on_average
    True
    """
    task = make_task(model, X, y, loss=loss)
    both = _joined(task, X_new, y_new)
    n, n_new = task.n, both.n - task.n
    count = min(_arguments.count("n_replacements", n_replacements, at_least=1), n, n_new)
    chosen = _arguments.generator("random_state", random_state).permutation(n)[:count]
    every = np.arange(both.n)
    before = both.losses(both.fit(every[:n], "to the training rows"), every)

    def replace(place: int, row: int) -> tuple[float, float]:
        rows = every[:n].copy()
        rows[row] = n + place
        after = both.losses(both.fit(rows, f"with row {row} replaced"), every)
        return float(after[row] - before[row]), float(np.abs(after - before).max())

    found = [replace(place, row) for place, row in enumerate(chosen.tolist())]
    differences, changes = np.array(found).T
    return ReplaceOneStability(replaced=chosen, differences=differences, largest_changes=changes)


def _joined(task: Task, X_new: Any, y_new: ArrayLike) -> Task:
    """Return the task with the new rows after the training rows."""
    labels = cast("Any", _arguments.labels("y_new", y_new))
    check_consistent_length(X_new, labels)
    if labels.ndim != 1 or len(labels) == 0:
        raise ValueError("y_new must hold one label or more, one for each row of X_new")
    if any(fitting.missing(value) for value in labels.tolist()):
        raise ValueError("y_new has missing values; leave those rows out")
    rows = _stacked(task.X, sound(X_new))
    return Task(task.model, rows, np.concatenate([task.y, labels]), task.loss)


def _stacked(X: Any, X_new: Any) -> Any:
    """Return the rows of both tables: sparse if one is, otherwise an array."""
    if sparse.issparse(X) or sparse.issparse(X_new):
        thin: Any = sparse.csr_array
        return sparse.vstack([thin(X), thin(X_new)], format="csr")
    tables = [np.asarray(X), np.asarray(X_new)]
    if any(table.ndim != 2 for table in tables) or tables[0].shape[1] != tables[1].shape[1]:
        raise ValueError("X and X_new must be tables of the same columns")
    return np.concatenate(tables)
