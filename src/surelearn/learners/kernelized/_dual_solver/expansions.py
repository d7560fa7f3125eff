"""Scores of new rows: Σ c_s·k(x_s, x) over the support vectors, for several problems at once."""

from typing import Any

import numpy as np
from scipy import sparse
from sklearn.utils import gen_batches

from surelearn._jit import tables
from surelearn._threads import Workers, chunks, one_thread_products
from surelearn._typing import Mask, Matrix
from surelearn.kernels import Gaussian
from surelearn.learners.kernelized._dual_solver import gaussian_tiles
from surelearn.learners.kernelized._dual_solver.gaussian_products import Factors, factors
from surelearn.learners.kernelized._dual_solver.gaussian_sums import (
    add_expansion,
    fill,
    spread_out,
)
from surelearn.learners.kernelized._dual_solver.kernel_values import ValuesOf

ROUNDING = 3e-7  # error of a sum of single values, for each unit of the norm of its weights
_STEEP = 30.0
_FEW = 1000  # support vectors up to which all is done in double precision
_AT_ONCE = 2**22  # values held at once
_ROWS, _BLOCK = 2**16, 256  # new rows prepared at once; rows whose values stay in the cache
_ALONE = Workers(None, 1)


def expansion(values_of: ValuesOf, X: Any, support: Any, coef: Matrix) -> Matrix:
    """Return the sums by any kernel in double precision, a column for each row of `coef`."""
    scores = np.zeros((X.shape[0], len(coef)))
    if coef.shape[1]:
        for part in gen_batches(len(scores), max(1, _AT_ONCE // coef.shape[1])):
            scores[part] = values_of(X[part], support) @ coef.T
    return scores


def suits_singles(support: Any, kernel: Gaussian, coef: Matrix, tolerance: float) -> bool:
    """Say whether sums of many values in single precision are as good as the model itself.

    It depends on the model alone, so that a row has one score, whichever rows come with it.
    """
    if coef.shape[1] <= _FEW or sparse.issparse(spread_out(support)):
        return False
    rounding = ROUNDING * float(np.linalg.norm(coef, axis=1).max())
    table = spread_out(support)
    halves = factors(table, kernel.gamma, table.mean(axis=0)).halves
    return rounding <= 0.1 * tolerance and float(halves.min()) >= -_STEEP


def gaussian_expansion(
    kernel: Gaussian, X: Any, support: Any, coef: Matrix, crew: Workers
) -> Matrix:
    """Return the sums in single precision; whoever may be on the wrong side of 0 is told apart."""
    table = spread_out(support)
    centre = table.mean(axis=0)
    right = factors(table, kernel.gamma, centre).astype(np.float32)
    scores = np.zeros((X.shape[0], len(coef)))
    for part in chunks(len(scores), _ROWS):
        rows = tables.dense(X[part])
        left = factors(rows, kernel.gamma, centre).astype(np.float32)
        if len(coef) == 1:
            sums = np.zeros(len(left.halves))
            add_expansion(left, right, coef[0].astype(np.float32), sums, crew)
            scores[part, 0] = sums
        else:
            scores[part] = _several(left, right, coef.astype(np.float32), crew)
    return scores


def near_zero(scores: Matrix, coef: Matrix) -> Mask:
    """Say which rows have a score whose sign rounding may have changed."""
    limits = 10.0 * ROUNDING * np.linalg.norm(coef, axis=1)
    return (np.abs(scores) <= limits).any(axis=1)


def _several(left: Factors, right: Factors, coef: Any, crew: Workers) -> Matrix:
    """Return the sums of many problems: their values are computed once, and kept for a moment."""
    n, across = len(right.halves), gaussian_tiles.width(np.float32)
    wide = -(-n // across) * across
    scores = np.empty((len(left.halves), len(coef)))

    def task(part: slice) -> None:
        block: Any = np.empty((_BLOCK, wide), np.float32)
        own = Factors(left.rows[part], left.halves[part])
        fill(own, right, block, _ALONE)
        scores[part] = block[: part.stop - part.start, :n] @ coef.T

    with one_thread_products():
        crew.map(task, list(chunks(len(scores), _BLOCK)))
    return scores
