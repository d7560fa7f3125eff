"""Importances by permutation: what a forest loses if a column is shuffled among unseen rows.

Breiman, Machine Learning 45 (2001), section 10.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np

from surelearn import _arguments, _threads
from surelearn._typing import Indices, Matrix, Vector
from surelearn.learners.ensembles._forest import walking


@dataclass(frozen=True)
class Importances:
    """How much worse trees do on rows outside their bags if one column is shuffled.

    Attributes
    ----------
    names
        The columns.
    means, deviations
        The increase of the loss, averaged over the trees, and its standard deviation over them:
        of the error rate for classes, of the squared error for numbers.
    """

    names: list[str]
    means: Vector
    deviations: Vector


def permuted(
    model: Any, X: Matrix, loss_of: Any, names: list[str], *, n_repeats: int, random_state: int
) -> Importances:
    """Return the importances; `loss_of(rows, leaves)` is the mean loss of a tree."""
    _arguments.at_least_one("n_repeats", n_repeats)
    if not model._leaves_rows_out():  # noqa: SLF001 - our own learner
        raise ValueError(
            "every tree has seen every row: importances by permutation need bootstrap=True, or "
            "max_samples below the number of rows"
        )
    ready, trees = model._ready(X), model.trees_  # noqa: SLF001
    outside = model._outside(np.arange(len(X)), trees.n_trees)  # noqa: SLF001
    increase = np.zeros((len(outside), X.shape[1]))

    def work(chunk: slice) -> None:
        for tree in range(chunk.start, chunk.stop):
            where = np.flatnonzero(outside[tree])
            rng = np.random.default_rng([random_state, tree])
            if len(where):
                increase[tree] = _increases(
                    trees, tree, ready[where], where, loss_of, rng, n_repeats
                )

    _threads.run_chunks(work, len(outside), model.n_jobs, 4)
    return Importances(names, increase.mean(axis=0), increase.std(axis=0))


def _increases(
    trees: Any, tree: int, rows: Matrix, where: Indices, loss_of: Any, rng: Any, n_repeats: int
) -> Vector:
    """Return what one tree loses by each column."""
    before = loss_of(where, walking.leaves_of(trees, tree, rows))
    found = np.zeros(rows.shape[1])
    for column in np.flatnonzero(trees.importances[tree]):  # others are never asked for
        kept = rows[:, column].copy()
        for _ in range(n_repeats):
            rows[:, column] = rng.permutation(kept)
            found[column] += loss_of(where, walking.leaves_of(trees, tree, rows)) - before
        rows[:, column] = kept
    return found / n_repeats
