"""Tables of any kind, as ensembles of learners of any kind pass them on."""

from typing import Any, cast

import numpy as np
from scipy import sparse

from surelearn import _arguments
from surelearn._jit.sound_matrices import sound
from surelearn.base.validation import validated


def enter(estimator: Any, X: Any, *, reset: bool) -> Any:
    """Return a table as the members of an ensemble read it; they refuse what they cannot read.

    Parameters
    ----------
    estimator
        The ensemble, which learns the number and names of the columns, or holds the table to them.
    X
        A table.
    reset
        Whether the ensemble is being fitted.
    """
    X = sound(X)
    if sparse.issparse(X):
        X = sparse.csr_array(cast("Any", X))
    elif not (hasattr(X, "columns") or hasattr(X, "column_names")):  # not a data frame
        X = _arguments.table("X", X)
    if isinstance(X, np.ndarray) or sparse.issparse(X):
        numbers = cast("Any", X).dtype.kind in "biuf"
        return validated(
            estimator,
            X,
            reset=reset,
            accept_sparse="csr",
            dtype="numeric" if numbers else None,
            ensure_all_finite="allow-nan" if numbers else False,
        )
    validated(estimator, X, reset=reset, skip_check_array=True)
    if not hasattr(X, "shape") or len(X.shape) != 2 or 0 in X.shape:
        raise ValueError("X must be a table of rows and columns, with one of each at least")
    return X
