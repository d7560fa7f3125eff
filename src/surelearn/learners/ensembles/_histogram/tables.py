"""Tables at the door of ensembles of trees: those that single trees read, and sparse ones."""

from typing import Any

import numpy as np
from scipy import sparse

from surelearn._jit.sound_matrices import sound
from surelearn.base.tables import table
from surelearn.base.validation import validated


def learn_rows(estimator: Any, X: Any, *, categorical: table.Categorical) -> Any:
    """Check a training table; set `categories_` and the features' names; return its rows.

    A sparse matrix comes back as CSR, anything else as `surelearn.base.tables.table` reads it.

    Examples
    --------
    >>> from sklearn.base import BaseEstimator
    >>> model = BaseEstimator()
    >>> learn_rows(model, sparse.eye_array(3), categorical=None).shape, model.categories_
    ((3, 3), (None, None, None))
    """
    if not sparse.issparse(X):
        return table.learn_table(estimator, X, categorical=categorical)
    if categorical is not None and len(categorical) > 0:
        raise ValueError(
            "a sparse matrix holds numbers only, and categorical_features names columns of it; "
            "X.toarray() makes it dense"
        )
    rows = _sparse_rows(estimator, X, reset=True)
    estimator.categories_ = (None,) * rows.shape[1]
    return rows


def read_rows(estimator: Any, X: Any) -> Any:
    """Check a table by what the estimator learnt in training; return its rows."""
    if not sparse.issparse(X):
        return table.read_table(estimator, X)
    if any(known is not None for known in estimator.categories_):
        raise TypeError(
            "this learner was trained on a table with categories, and this one is sparse; "
            "X.toarray() makes it dense"
        )
    return _sparse_rows(estimator, X, reset=False)


def _sparse_rows(estimator: Any, X: Any, *, reset: bool) -> Any:
    return validated(
        estimator,
        sound(X),
        reset=reset,
        accept_sparse="csr",
        dtype=[np.float64, np.float32],
        ensure_all_finite="allow-nan",
    )
