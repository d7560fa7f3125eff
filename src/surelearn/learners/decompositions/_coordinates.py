"""Coordinates of rows along the components of a decomposition."""

from typing import Any

from surelearn._typing import Matrix
from surelearn.base.validation import checked_numbers


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
    scores: Matrix = checked_numbers(X, input_name="X")
    if scores.shape[1] != n_components:
        raise ValueError(
            f"X has {scores.shape[1]} columns, and there are {n_components} components: give the "
            "coordinates of each row"
        )
    return scores
