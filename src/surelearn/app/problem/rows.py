"""The two parts of a problem's rows: those to train on and those held out."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from surelearn._typing import Indices
from surelearn.app.problem.problem import Problem
from surelearn.app.tables.memory_mapped import forget_pages, take_rows


def training_rows(problem: Problem) -> Indices:
    """Return the places of the training rows, in the order of time if there is one."""
    rows = problem.split.train
    if problem.times is None:
        return rows
    return rows[np.argsort(problem.times[rows], kind="stable")]


def training_part(problem: Problem) -> tuple[Any, NDArray[Any]]:
    """Return the features and targets of the training rows."""
    return take(problem, training_rows(problem))


def held_out_part(problem: Problem) -> tuple[Any, NDArray[Any]]:
    """Return the features and targets of the rows held out."""
    return take(problem, problem.split.holdout)


def sample(problem: Problem, rows: Indices, *, most: int) -> tuple[Any, NDArray[Any]]:
    """Return the features and targets of some rows, at most so many, drawn by the seed."""
    if len(rows) > most:
        rng = np.random.default_rng(problem.split.seed)
        rows = np.sort(rng.choice(rows, size=most, replace=False))
    return take(problem, rows)


def take(problem: Problem, rows: Indices) -> tuple[Any, NDArray[Any]]:
    """Return the features and targets of some rows, the features on disk if they are large."""
    X, y = take_rows(problem.X, rows), problem.y[rows]
    forget_pages()
    return X, y
