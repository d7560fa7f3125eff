"""Whether a log loss without a penalty has a finite minimum: a linear programme decides.

It has none exactly if some direction V of the parameters lowers no row's margin,
⟨v_{y_i} − v_k, x_i⟩ ≥ 0 for every row and class, and raises one: then t·V lowers the loss for ever
(Albert and Anderson, 1984). The programme maximises the sum of these, each capped at 1.
"""

from typing import Any

import numpy as np
from scipy import sparse
from scipy.optimize import linprog

from surelearn._typing import Indices

_TOLERANCE = 1e-6  # of the largest value of a feature; the solver's own is 1e-7


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
    table: Any = sparse.csr_array(X)
    largest = abs(table).max(axis=0).toarray().ravel()
    table = table @ sparse.diags_array(1.0 / np.where(largest > 0.0, largest, 1.0))
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
