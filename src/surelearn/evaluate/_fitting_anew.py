"""Whether copies of a model learn from the rows they are given, and bring nothing along."""

from typing import Any, cast

import numpy as np
from sklearn.base import BaseEstimator, clone
from sklearn.frozen import FrozenEstimator

from surelearn._stored import stored_name
from surelearn.base._function_parts import is_installed
from surelearn.certificate import Evidence, assumed, by_construction
from surelearn.evaluate._row_by_row import parts_of

_DATA = (
    str,
    bytes,
    int,
    float,
    complex,
    type(None),
    np.generic,
    np.ndarray,
    np.dtype,
    slice,
    range,
)
_COINS = (np.random.RandomState, np.random.Generator, np.random.BitGenerator)
_KNOWN = ("sklearn", "surelearn")  # packages whose `fit` begins anew


def fitted_without_fold(model: Any) -> Evidence:
    """Say whether each copy of a model was trained without its fold, given the model.

    Examples
    --------
    >>> from sklearn.linear_model import LogisticRegression
    >>> model = LogisticRegression()
    >>> fitted_without_fold(model).status
    'by-construction'
    >>> fitted_without_fold(FrozenEstimator(model.fit([[0.0], [1.0]], [0, 1]))).status
    'assumed'
    """
    brings = _brings_along(clone(model, safe=False))
    if brings is None:
        return by_construction("each model was fitted without its fold")
    return assumed(
        f"it holds a {brings}, which may have learnt before: that it learnt from none of these "
        "rows is yours to know"
    )


def _brings_along(value: Any) -> str | None:
    """Return the name of something unfitted copies hold that may have learnt; None if nothing."""
    name = type(value).__name__
    if isinstance(value, FrozenEstimator):
        return name
    if (parts := parts_of(value)) is not None:
        return _first(parts)
    if isinstance(value, (*_DATA, *_COINS)) or (callable(value) and is_installed(value)):
        return None
    if not _begins_anew(value):
        return name
    return _first(vars(value).values())


def _begins_anew(value: Any) -> bool:
    """Return whether a value is a part of a package that is known, and has not been fitted."""
    cls = cast("type[Any]", type(value))
    if cls.__module__.partition(".")[0] not in _KNOWN or not hasattr(value, "__dict__"):
        return False
    if isinstance(value, BaseEstimator):
        return not any(n.endswith("_") and not n.startswith("_") for n in vars(value))
    return is_installed(cls) or stored_name(cls) is not None


def _first(values: Any) -> str | None:
    return next((found for found in map(_brings_along, values) if found is not None), None)
