"""Whether a log loss without a penalty has a finite minimum: a linear programme decides.

It has none exactly if some direction V of the parameters lowers no row's margin,
⟨v_{y_i} − v_k, x_i⟩ ≥ 0 for every row and class, and raises one: then t·V lowers the loss for ever
(Albert and Anderson, 1984). The programme maximises the sum of these, each capped at 1.
"""

from typing import Any

import numpy as np
from scipy import sparse
from scipy.optimize import linprog

from surelearn._jit.sound_matrices import sound
from surelearn._typing import Indices, Vector

_TOLERANCE = 1e-6  # of half the range of a feature; the solver's own is 1e-7


def within_range(X: Any, *, shift: bool) -> tuple[Any, Vector, Vector]:
    """Return sparse rows with each feature less its centre over its scale, and both of these.

    With `shift` the scale is half the range of the feature: a programme solved to a tolerance sees
    the differences of large numbers too. Only features that are nowhere 0 have a centre other than
    0, so that sparse rows stay sparse. Without it the scale is the largest value.

    Examples
    --------
    >>> table, centre, scale = within_range([[100.0], [104.0]], shift=True)
    >>> table.toarray().ravel(), centre, scale
    (array([-1.,  1.]), array([102.]), array([2.]))
    """
    table: Any = sparse.csr_array(sound(X), dtype=np.float64)
    low, high = (side.toarray().ravel() for side in (table.min(axis=0), table.max(axis=0)))
    centre, size = np.zeros(len(low)), np.maximum(high, -low)
    if shift:  # halves, for the range itself may overflow
        centre = np.where((low > 0.0) | (high < 0.0), low / 2.0 + high / 2.0, 0.0)
        size = high / 2.0 - low / 2.0
    scale = np.where(size > 0.0, size, 1.0)
    table = table.copy()
    table.data = (table.data - centre[table.indices]) / scale[table.indices]
    return table, centre, scale


def no_finite_minimum(X: Any, codes: Indices, n_classes: int, *, fit_intercept: bool) -> bool:
    """Return whether some direction lowers the log loss for ever.

    Examples
    --------
    >>> overlap = np.array([[0.0], [1.0], [2.0], [3.0]])
    >>> no_finite_minimum(overlap, np.array([0, 1, 0, 1]), 2, fit_intercept=True)
    False
    >>> touching = np.array([[0.0], [1.0], [1.0], [2.0]])
    >>> no_finite_minimum(touching, np.array([0, 0, 1, 1]), 2, fit_intercept=True)
    True
    """
    table, _, _ = within_range(X, shift=fit_intercept)
    if fit_intercept:
        ones = sparse.csr_array(np.ones((table.shape[0], 1)))
        table = sparse.hstack([table, ones], format="csr")
    gains = sparse.vstack(
        [_gains(table[codes == y], y, n_classes) for y in range(n_classes)], format="csc"
    )
    solve: Any = linprog
    found = solve(
        -np.asarray(gains.sum(axis=0)).ravel(),
        A_ub=sparse.vstack([-gains, gains], format="csc"),
        b_ub=np.repeat([0.0, 1.0], gains.shape[0]),
        bounds=(None, None),
        method="highs",
    )
    return bool(found.status == 3 or (found.status == 0 and -found.fun > _TOLERANCE))


def _gains(rows: Any, y: int, n_classes: int) -> Any:
    """Return, for rows of class y and each other class k, x in the place of v_y and −x in v_k's.

    For two classes only v_1 − v_0 matters, and one block of columns is enough.
    """
    if n_classes == 2:
        return rows if y == 1 else -rows
    others = [k for k in range(n_classes) if k != y]
    signs = np.zeros((len(others), n_classes))
    signs[:, y] = 1.0
    signs[np.arange(len(others)), others] = -1.0
    return sparse.kron(signs, rows, format="csr")
