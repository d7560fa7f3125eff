"""Solving (K + αI) x = b for a kernel matrix K, and telling when that cannot be done.

Cholesky's factor takes the place of one half of K; the other half stays, so that residuals and
eigenvalues can still be found from it. Many rows are factored in single precision, at half the
cost, and the solution is refined in double precision until nothing is left to gain.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import linalg
from scipy.linalg import blas, lapack

from surelearn._threads import chunks, run_multiplying, small_matrices
from surelearn._typing import Matrix, Vector

_EPS = float(np.finfo(np.float64).eps)
_MANY = 1000  # rows from which on single precision pays
_WELL = 1e-4  # α beside the norm of K from which on a factor in single precision refines well
_STEPS = 8
_COLUMNS = 256  # converted to single precision at a time


class Factor(NamedTuple):
    """Cholesky's factor of K + αI in the upper half of `gram`; K itself is in the lower half.

    `diagonal` is that of K, which the factor has overwritten.
    """

    gram: Matrix
    diagonal: Vector

    def solve(self, targets: Matrix) -> Matrix:
        """Return (K + αI)⁻¹ times each column.

        Examples
        --------
        >>> factored(np.eye(2), 3.0).solve(np.array([[4.0], [8.0]])).ravel().tolist()
        [1.0, 2.0]
        """
        return lapack.dpotrs(self.gram.T, targets, lower=1)[0]

    def inverse_diagonal(self) -> Vector:
        """Return the diagonal of (K + αI)⁻¹; the factor is gone afterwards."""
        inverse, _ = lapack.dpotri(self.gram.T, lower=1, overwrite_c=1)
        return np.diagonal(inverse).copy()

    def times(self, vector: Vector) -> Vector:
        """Return K times a vector."""
        product = blas.dsymv(1.0, self.gram.T, vector, lower=0)
        return product + (self.diagonal - np.diagonal(self.gram)) * vector


def factored(gram: Matrix, alpha: float) -> Factor:
    """Factor K + αI in place; say how K fails to be the matrix of a kernel if that cannot be done.

    Examples
    --------
    >>> factored(np.array([[0.0, 1.0], [1.0, 0.0]]), 0.5)
    Traceback (most recent call last):
    ValueError: the kernel matrix plus alpha=0.5 on its diagonal is not positive definite: its
    smallest eigenvalue is -1. Raise alpha above 1, or give a matrix that is that of a kernel
    """
    diagonal = np.diagonal(gram).copy()
    np.fill_diagonal(gram, diagonal + alpha)
    with small_matrices(len(gram)):
        _, fault = lapack.dpotrf(gram.T, lower=1, clean=0, overwrite_a=1)
    pivots = np.diagonal(gram)
    if fault or pivots.min() ** 2 <= len(gram) * _EPS * (diagonal.max() + alpha):
        np.fill_diagonal(gram, diagonal)
        raise _not_definite(gram, alpha)
    return Factor(gram, diagonal)


def solved(gram: Matrix, alpha: float, targets: Matrix) -> tuple[Matrix, float]:
    """Return (K + αI)⁻¹ times each column, and the largest residual left; `gram` is overwritten.

    Examples
    --------
    >>> found, left = solved(np.eye(2), 3.0, np.array([[4.0], [8.0]]))
    >>> found.ravel().tolist(), left
    ([1.0, 2.0], 0.0)
    """
    found = _refined(gram, alpha, targets) if len(gram) >= _MANY else None
    if found is not None:
        return found
    factor = factored(gram, alpha)
    with small_matrices(len(gram)):
        solution = factor.solve(targets)
    columns = zip(solution.T, targets.T, strict=True)
    left = [np.linalg.norm(b - factor.times(x) - alpha * x) for x, b in columns]
    return solution, float(max(left))


def _refined(gram: Matrix, alpha: float, targets: Matrix) -> tuple[Matrix, float] | None:
    """Do as `solved`, from a factor in single precision; None if that is too coarse."""
    flat = gram.ravel()
    norm = float(flat @ flat) ** 0.5  # of Frobenius: no eigenvalue is larger
    if not alpha >= _WELL * norm:
        return None
    coarse, fault = lapack.spftrf(len(gram), _coarse(gram, alpha), uplo="L", overwrite_a=1)
    if fault:
        return None
    solution, left = np.zeros_like(targets), targets
    for _ in range(_STEPS):
        size = np.abs(left).max()
        if size == 0.0:
            break
        step, _ = lapack.spftrs(len(gram), coarse, (left / size).astype(np.float32), uplo="L")
        solution = solution + size * step
        # A column at a time: BLAS takes ten times as long for two columns as for one. SciPy's, as
        # above: NumPy's has threads of its own, which would wait for these to fall asleep.
        product = np.column_stack([blas.dgemv(1.0, gram.T, x, trans=1) for x in solution.T])
        left = targets - product - alpha * solution
        # As LAPACK's dsposv: no solution in double precision leaves less.
        if np.abs(left).max() <= np.abs(solution).max() * (norm + alpha) * _EPS * len(gram) ** 0.5:
            return solution, float(np.linalg.norm(left, axis=0).max())
        if not np.abs(left).max() < 0.5 * size:
            return None
    return (solution, 0.0) if not left.any() else None


def _coarse(gram: Matrix, alpha: float) -> NDArray[np.float32]:
    """Return the lower half of K + αI in single precision, packed without gaps for `spftrf`.

    The triangle of the last rows stands, transposed, above that of the first columns. Threads fill
    it, since memory new from the system takes longer to get than to fill.
    """
    n, diagonal = len(gram), np.diagonal(gram).copy()
    first, even = n - n // 2, 1 - n % 2
    packed = np.empty((n + even, first), dtype=np.float32, order="F")
    above, last = packed[:, 1 - even :], gram[first:, first:]

    @np.errstate(over="ignore")
    def put_first(part: slice) -> None:
        packed[part.start + even :, part] = gram[part, part.start :].T

    @np.errstate(over="ignore")
    def put_last(part: slice) -> None:
        upper = np.arange(part.stop)[:, np.newaxis] <= np.arange(part.start, part.stop)
        np.copyto(above[: part.stop, part], last[: part.stop, part], "same_kind", where=upper)

    np.fill_diagonal(gram, diagonal + alpha)
    run_multiplying(put_first, list(chunks(first, _COLUMNS)))
    run_multiplying(put_last, list(chunks(n - first, _COLUMNS)))
    np.fill_diagonal(gram, diagonal)
    return packed.ravel(order="F")


def _not_definite(gram: Matrix, alpha: float) -> ValueError:
    """Say by how much a matrix, its lower half given, fails to be positive definite."""
    smallest = float(linalg.eigvalsh(gram, lower=True, subset_by_index=[0, 0])[0])
    rounding = len(gram) * _EPS * float(np.abs(gram.diagonal()).max())
    told = (
        f"the kernel matrix plus alpha={alpha:g} on its diagonal is not positive definite: its "
        f"smallest eigenvalue is {smallest:.6g}. "
    )
    if smallest >= -rounding:
        more = "larger" if alpha > 0.0 else "positive; equal rows have a singular matrix"
        return ValueError(
            f"{told}Beside the largest one alpha is lost in rounding: make it {more}, or rescale "
            "the features"
        )
    return ValueError(
        f"{told}Raise alpha above {-smallest:.6g}, or give a matrix that is that of a kernel"
    )


def scaled(gram: Matrix, roots: Vector | None) -> Matrix:
    """Multiply row and column i by the root of the weight of row i, in place.

    Examples
    --------
    >>> scaled(np.ones((2, 2)), np.array([1.0, 3.0])).tolist()
    [[1.0, 3.0], [3.0, 9.0]]
    """
    if roots is not None:
        gram *= roots[:, np.newaxis]
        gram *= roots
    return gram


def decomposed(gram: Matrix) -> tuple[Vector, Matrix]:
    """Return eigenvalues and eigenvectors of a kernel matrix, which is overwritten.

    Eigenvalues below 0 by no more than rounding become 0.

    Examples
    --------
    >>> decomposed(np.diag([2.0, 1.0]))[0].tolist()
    [1.0, 2.0]
    """
    values, vectors = linalg.eigh(gram, overwrite_a=True, driver="evd")
    rounding = len(values) * _EPS * max(float(np.abs(values).max()), 1e-300)
    return np.where(np.abs(values) <= rounding, 0.0, values), vectors


def refuse_indefinite(gram: Matrix) -> None:
    """Refuse a matrix with an eigenvalue below 0 by more than rounding; it is overwritten.

    Examples
    --------
    >>> refuse_indefinite(np.array([[1.0, 2.0], [2.0, 1.0]]))
    Traceback (most recent call last):
    ValueError: this is not the matrix of a kernel: its smallest eigenvalue is -1. Clip negative
    eigenvalues to 0, or add at least 1 to its diagonal
    """
    diagonal, n = np.diagonal(gram).copy(), len(gram)
    tolerance = n * _EPS * float(np.abs(gram).max()) * n**0.5
    np.fill_diagonal(gram, diagonal + 2.0 * tolerance)
    _, fault = lapack.dpotrf(gram.T, lower=1, clean=0, overwrite_a=1)
    if not fault:
        return
    np.fill_diagonal(gram, diagonal)
    smallest = float(linalg.eigvalsh(gram, lower=True, subset_by_index=[0, 0])[0])
    if smallest < -tolerance:
        raise ValueError(
            f"this is not the matrix of a kernel: its smallest eigenvalue is {smallest:.6g}. Clip "
            f"negative eigenvalues to 0, or add at least {-smallest:.6g} to its diagonal"
        )


def refuse_negative(values: Vector, alphas: Vector) -> None:
    """Refuse eigenvalues that an α does not lift above 0.

    Examples
    --------
    >>> refuse_negative(np.array([-0.5, 1.0]), np.array([1.0]))
    """
    smallest, least = float(values[0]), float(alphas.min())
    if smallest + least <= len(values) * _EPS * float(np.abs(values).max()):
        raise ValueError(
            f"the kernel matrix has smallest eigenvalue {smallest:.6g}, and alpha={least:g} does "
            f"not make it positive definite; every alpha must be above {max(-smallest, 0.0):.6g}"
        )
