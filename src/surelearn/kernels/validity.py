"""Is it a kernel? A Gram matrix can refute that, never prove it."""

import numpy as np

from surelearn import _arguments
from surelearn._typing import ArrayLike


def is_positive_semidefinite(gram: ArrayLike, tolerance: float | None = None) -> bool:
    """Whether a matrix is symmetric and no eigenvalue is below `-tolerance`.

    Parameters
    ----------
    gram
        The values of a function on all pairs of some points.
    tolerance
        What rounding may do: n machine epsilons times the largest absolute eigenvalue, if left out.

    Examples
    --------
    >>> is_positive_semidefinite([[1.0, 0.5], [0.5, 1.0]])
    True
    >>> is_positive_semidefinite([[0.0, -1.0], [-1.0, 0.0]])  # -|x - z|² at 0 and 1
    False
    """
    matrix = _arguments.numbers("gram", gram)
    if matrix.ndim != 2 or matrix.shape[0] != matrix.shape[1] or matrix.size == 0:
        raise ValueError(f"gram of shape {matrix.shape} must be a square matrix")
    if not np.isfinite(matrix).all():
        raise ValueError("gram must hold finite numbers; it holds NaN or infinity")
    eigenvalues = np.linalg.eigvalsh(0.5 * (matrix + matrix.T))
    if tolerance is None:
        tolerance = len(matrix) * float(np.finfo(np.float64).eps * np.abs(eigenvalues).max())
    tolerance = _arguments.non_negative("tolerance", tolerance)
    skew = float(np.abs(matrix - matrix.T).max())
    return skew <= tolerance and bool(eigenvalues[0] >= -tolerance)
