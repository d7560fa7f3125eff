"""Rows of a table with their targets: taken by their places, sampled, put in the order of time."""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from surelearn._typing import Indices
from surelearn.app.tables.memory_mapped import forget_pages, take_rows


class Part(NamedTuple):
    """The features and targets of some rows."""

    X: Any
    y: NDArray[Any]


def take(X: Any, y: NDArray[Any], rows: Indices) -> Part:
    """Return the features and targets of some rows, the features on disk if they are large.

    Examples
    --------
    >>> import pyarrow as pa
    >>> take(pa.table({"a": [1, 2, 3]}), np.array([4, 5, 6]), np.array([0, 2])).y
    array([4, 6])
    """
    if len(rows) == len(y) and np.array_equal(rows, np.arange(len(y))):
        return Part(X, y)  # all rows as they stand: a sample that was taken before
    part = Part(take_rows(X, rows), y[rows])
    forget_pages()
    return part


def in_time_order(rows: Indices, times: NDArray[Any] | None) -> Indices:
    """Return the places of rows by their time, those of one moment in the order given."""
    return rows if times is None else rows[np.argsort(times[rows], kind="stable")]


def sample(rows: Indices, *, most: int, seed: int) -> Indices:
    """Return the places of some of the rows, at most so many, drawn by the seed.

    Examples
    --------
    >>> sample(np.arange(9), most=20, seed=0).tolist(), len(sample(np.arange(90), most=20, seed=0))
    ([0, 1, 2, 3, 4, 5, 6, 7, 8], 20)
    """
    if len(rows) <= most:
        return rows
    return np.sort(np.random.default_rng(seed).choice(rows, size=most, replace=False))
