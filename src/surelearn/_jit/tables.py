"""Rows as whole tables again, for what is faster on a block of them than row by row."""

from typing import Any

import numpy as np
from scipy import sparse

from surelearn._jit.rows import Rows, SparseRows, count
from surelearn._typing import Matrix


def of(X: Rows, n_features: int) -> Any:
    """Return the matrix whose rows these are, dense or CSR; nothing is copied.

    Examples
    --------
    >>> from surelearn._jit import rows
    >>> of(rows.of(sparse.csr_array([[0.0, 2.0, 0.0]])), 3).toarray()
    array([[0., 2., 0.]])
    """
    if isinstance(X, SparseRows):
        return sparse.csr_array(tuple(X), shape=(count(X), n_features))
    return X


def dense(X: Any) -> Matrix:
    """Return a table as a dense one."""
    return X if isinstance(X, np.ndarray) else X.toarray()


def with_negations(X: Any) -> Matrix:
    """Return a table of bits with the negation of each column beside all columns.

    Examples
    --------
    >>> with_negations(np.array([[0.0, 1.0]]))
    array([[0., 1., 1., 0.]])
    """
    bits = dense(X)
    return np.hstack([bits, 1.0 - bits])
