"""Coordinates of rows along the components of a decomposition."""

from typing import Any

import numpy as np
from sklearn.utils import check_array

from surelearn._jit.sound_matrices import sound
from surelearn._typing import Matrix


def check_coordinates(X: Any, n_components: int) -> Matrix:
    """Return a table of coordinates as an array, if it has one column per component.

    Examples
    --------
    >>> check_coordinates([[1.0, 2.0]], 2)
    array([[1., 2.]])
    >>> check_coordinates([[1.0, 2.0, 3.0]], 2)
    Traceback (most recent call last):
    ValueError: X has 3 columns, and there are 2 components: give the coordinates of each row
    """
    check: Any = check_array
    scores = check(sound(X), dtype=np.float64, input_name="X")
    if scores.shape[1] != n_components:
        raise ValueError(
            f"X has {scores.shape[1]} columns, and there are {n_components} components: give the "
            "coordinates of each row"
        )
    return scores
