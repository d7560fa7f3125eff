"""The curvature of a linear softmax model's loss, in which its quasi-Newton steps are measured.

One block of the Hessian for each score, XᵀDX + μ with the variances D of its class, or the diagonal
alone for tables too wide. Rows that suffice are read where they stand.
"""

from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial, reduce
from typing import Any, cast

import numpy as np
from scipy import linalg, sparse
from scipy.linalg import blas

from surelearn._threads import map_chunks
from surelearn._typing import Matrix, Vector
from surelearn.learners.linear._softmax import loops
from surelearn.learners.linear._softmax.objective import (
    CHUNK,
    SoftmaxObjective,
    chunks,
    probabilities,
)

_ENOUGH = 100  # rows for each parameter of a score
_WORTH_THREADS = 20_000_000  # multiplications below which starting threads costs more
_NARROW = 512  # features up to which chunks of rows are multiplied in threads of our own


def is_narrow(objective: SoftmaxObjective) -> bool:
    """Return whether the Hessian is one matrix, so small that its factors need no threads."""
    return objective.n_scores == 1 and objective.X.shape[1] < _NARROW


def block_metric(objective: SoftmaxObjective, point: Vector) -> Callable[[Vector], Vector]:
    """Return multiplication by the inverse of the Hessian's diagonal blocks, one for each score."""
    theta = point.reshape(objective.n_scores, -1)
    n, width = len(objective.codes), theta.shape[1]
    step = objective.spacing(spacing(n, width))
    weight = float(objective.shares[::step].sum())
    return inverse_of_blocks(hessian_blocks(objective, theta, step), weight, objective.penalty)


def spacing(n: int, width: int) -> int:
    """Return which of n rows are enough for the blocks: every step-th.

    Examples
    --------
    >>> spacing(1_000_000, 10)
    1000
    """
    return max(1, n // (_ENOUGH * width))


def inverse_of_blocks(
    blocks: list[Matrix], weight: float, penalty: float
) -> Callable[[Vector], Vector]:
    """Return multiplication by the inverse of XᵀDX/weight + μ for each score."""
    factors = [
        linalg.cho_factor(block, lower=False, overwrite_a=True, check_finite=False)
        for block in _made_definite(blocks, weight, penalty)
    ]

    def solve(vector: Vector) -> Vector:
        pairs = zip(factors, vector.reshape(len(factors), -1), strict=True)
        solved = np.array([linalg.cho_solve(f, line, check_finite=False) for f, line in pairs])
        return _centred(solved).ravel()

    return solve


def hessian_blocks(objective: SoftmaxObjective, theta: Matrix, step: int) -> list[Matrix]:
    """Return XᵀDX for each score, summed over every step-th row; upper triangles."""
    n, width = len(objective.codes), theta.shape[1]
    work, few = partial(_bends, objective, theta, step), len(range(0, n, step))
    ours = is_narrow(objective) and few * width**2 >= _WORTH_THREADS
    by_chunk = map_chunks(work, few) if ours else [work(0, few)]
    return [reduce(np.add, sums) for sums in zip(*by_chunk, strict=True)]


def _made_definite(blocks: list[Matrix], weight: float, penalty: float) -> Iterator[Matrix]:
    for block in blocks:
        np.divide(block, weight, out=block)
        refuse_overflow(block)
        diagonal = np.einsum("ii->i", block)
        diagonal[:-1] += penalty
        diagonal += 1e-9 * diagonal + 1e-12 * diagonal.max() + 1e-300  # collinear columns
        yield block


def _bends(
    objective: SoftmaxObjective, theta: Matrix, step: int, first: int, last: int
) -> list[Matrix]:
    """Return XᵀDX for each score, summed over number first .. last - 1 of every step-th row."""
    width = theta.shape[1]
    found = [np.zeros((width, width), order="F") for _ in theta]
    room = np.empty((min(last - first, CHUNK), width))
    for start, stop in chunks(first, last):
        kept = slice(start * step, stop * step, step)
        for k, table in enumerate(_bent_rows(objective, theta, kept, room[: stop - start])):
            found[k] = _plus_square(found[k], table)
    return found


def _bent_rows(
    objective: SoftmaxObjective, theta: Matrix, kept: slice, room: Matrix
) -> Iterator[Matrix]:
    """Yield for each score the rows (x, 1) times the roots of their D, in the same room."""
    X, shares = objective.X, np.ascontiguousarray(objective.shares[kept])
    if sparse.issparse(X):
        X, kept = cast("Any", X)[kept].toarray(), slice(0, len(shares), 1)
    if len(theta) == 1:
        loops.bent_rows(X, kept.start, kept.step, shares, theta[0], room)
        room[:, -1] *= objective.fit_intercept
        yield room
        return
    table = X[kept]
    chances = probabilities(table @ theta[:, :-1].T + theta[:, -1])
    for root in np.sqrt(shares[:, np.newaxis] * chances * (1.0 - chances)).T:
        np.multiply(table, root[:, np.newaxis], out=room[:, :-1])
        room[:, -1] = root if objective.fit_intercept else 0.0
        yield room


def _plus_square(total: Matrix, table: Matrix) -> Matrix:
    """Add the table's product with itself to an upper triangle.

    NumPy's product leaves the interpreter to other threads. SciPy's does not, but adds in place, in
    the threads that factorise next: those of NumPy would spin beside them.
    """
    if len(total) <= _NARROW:
        return np.add(total, (table.T @ table).T, out=total)
    return blas.dsyrk(1.0, table.T, beta=1.0, c=total, overwrite_c=True)


def diagonal_metric(objective: SoftmaxObjective, point: Vector) -> Callable[[Vector], Vector]:
    """Return division by the Hessian's diagonal, for tables too wide for more."""
    theta = point.reshape(objective.n_scores, -1)
    return inverse_of_diagonal(hessian_diagonal(objective, theta), objective.penalty)


def hessian_diagonal(objective: SoftmaxObjective, theta: Matrix) -> Matrix:
    """Return the diagonal of XᵀDX, a line for each feature and a column for each score."""
    squares = replace(objective, X=squared(objective.X))
    bends = np.zeros((theta.shape[1], theta.shape[0]))
    for start, stop in chunks(0, len(objective.codes)):
        chances = probabilities(objective.chunk_scores(theta, start, stop))
        variances = objective.shares[start:stop, np.newaxis] * chances * (1.0 - chances)
        squares.combine(variances, start, stop, bends)
    return bends


def inverse_of_diagonal(bends: Matrix, penalty: float) -> Callable[[Vector], Vector]:
    """Return division by the diagonal of XᵀDX + μ."""
    refuse_overflow(bends)
    bends = bends.copy()
    bends[:-1] += penalty
    diagonal = np.maximum(bends.T, 1e-9 * bends.mean())
    return lambda vector: _centred(vector.reshape(diagonal.shape) / diagonal).ravel()


def squared(X: Any) -> Any:
    """Return the rows with every entry squared, dense or sparse."""
    if not sparse.issparse(X):
        return X**2
    csr = cast("Any", X)
    return sparse.csr_array((csr.data**2, csr.indices, csr.indptr), shape=csr.shape)


def _centred(theta: Matrix) -> Matrix:
    """Return parameters whose sum over the classes is 0: a common shift changes no probability."""
    return theta if len(theta) == 1 else theta - theta.mean(axis=0)


def penalty_of(C: float, total: float) -> float:
    """Return the weight of the penalty beside mean losses; refuse a C by which it is no float."""
    product = C * total
    if not product >= 1e-308:
        raise ValueError(f"C={C!r} is too small: the penalty, 1 / C, is beyond all floats")
    return 1.0 / product


def refuse_overflow(bends: Matrix) -> None:
    """Refuse features whose products are beyond the range of numbers."""
    if not np.isfinite(bends).all():
        raise ValueError("products of features overflow; rescale the features")
