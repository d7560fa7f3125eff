"""Answers about tables of any length, a chunk of rows at a time."""

from collections.abc import Callable, Generator
from contextlib import contextmanager
from typing import Any

import narwhals as nw
import numpy as np
from numpy.typing import NDArray
from sklearn.utils import _safe_indexing

from surelearn._typing import Indices
from surelearn.base.labels import answered

CHUNK = 2**15
"""Rows: a model may need a hundred times the memory of those it answers about."""


def in_chunks(answer: Callable[[Any], Any], X: Any) -> NDArray[Any]:
    """Return what a model's method answers about a table; each row is answered by itself.

    Examples
    --------
    >>> sizes = []
    >>> in_chunks(lambda X: sizes.append(len(X)) or X[:, 0], np.ones((40_000, 1))).shape, sizes
    ((40000,), [32768, 7232])
    """
    n_rows = X.shape[0] if hasattr(X, "shape") else len(X)
    if n_rows <= CHUNK:
        return answered(answer(X))
    chunks = (slice(start, min(start + CHUNK, n_rows)) for start in range(0, n_rows, CHUNK))
    return np.concatenate([answered(answer(_safe_indexing(X, chunk))) for chunk in chunks])


def rows_at(X: Any, places: Indices) -> Any:
    """Return some rows of a table of any kind, in the order of their places.

    Examples
    --------
    >>> import pyarrow as pa
    >>> rows_at(pa.table({"a": [1, 2, 3]}), np.array([2, 0])).column("a").to_pylist()
    [3, 1]
    """
    with _told_of_odd_types():
        if nw.dependencies.is_into_dataframe(X):  # scikit-learn takes no list of rows from Arrow
            return nw.from_native(X, eager_only=True)[places.tolist(), :].to_native()
        return _safe_indexing(X, places)


def some_rows(X: Any, places: Any) -> Any:
    """Return some rows of a table as scikit-learn takes them, or say that none can be taken.

    Examples
    --------
    >>> some_rows(["a", "b", "c"], np.array([2, 0]))
    ['c', 'a']
    """
    with _told_of_odd_types():
        return _safe_indexing(X, places)


@contextmanager
def _told_of_odd_types() -> Generator[None]:
    try:
        yield
    except NotImplementedError as error:  # Arrow's own, of views of text and run-end encoding
        raise ValueError(
            f"some rows of this table cannot be taken by themselves: {error}. Cast the column to "
            "plain numbers or text first"
        ) from error
