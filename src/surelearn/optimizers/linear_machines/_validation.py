"""Rows, targets and costs at the door of linear machines: compiled loops trust them."""

from typing import Any, cast

import numpy as np
from scipy import sparse

from surelearn import _arguments
from surelearn._jit.sound_matrices import sound
from surelearn._typing import Vector


def checked(X: Any, targets: Any, costs: Any) -> tuple[Any, Vector, Vector]:
    """Return rows that are what they say, with a target and a cost for each.

    Examples
    --------
    >>> checked([[1, 2]], [1], [3])
    (array([[1., 2.]]), array([1.]), array([3.]))
    >>> checked([[1, 2]], [1, 1], [3, 3])
    Traceback (most recent call last):
    ValueError: there are 2 targets and 2 costs for 1 rows: give one of each per row
    """
    X = sound(X)
    floats = type(X) is np.ndarray and X.dtype.name in {"float64", "float32"}
    if sparse.issparse(X):
        data = cast("Any", X).data
        if data.dtype.kind == "c":
            raise ValueError("X holds complex numbers; give real ones")
        X = X if data.dtype.name in {"float64", "float32"} else cast("Any", X).astype(np.float64)
    elif not floats:
        X = _arguments.numbers("X", X)
    if X.ndim != 2 or 0 in X.shape:
        raise ValueError(f"X has shape {X.shape}; give rows and columns, one of each at least")
    y, each = _arguments.vector("targets", targets), _arguments.vector("costs", costs)
    if not len(y) == len(each) == X.shape[0]:
        raise ValueError(
            f"there are {len(y)} targets and {len(each)} costs for {X.shape[0]} rows: give one of "
            "each per row"
        )
    if each.min() < 0.0:
        raise ValueError("costs has numbers below 0")
    return X, y, each
