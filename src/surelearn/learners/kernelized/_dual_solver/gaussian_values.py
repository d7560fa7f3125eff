"""Values of a Gaussian kernel between training rows, as a solver asks for them."""

from typing import Any, Self

import numpy as np
from scipy import sparse

from surelearn._threads import Workers
from surelearn._typing import Indices, Matrix, Vector
from surelearn.learners.kernelized._dual_solver import gaussian_tiles
from surelearn.learners.kernelized._dual_solver.gaussian_products import Factors, factors
from surelearn.learners.kernelized._dual_solver.gaussian_sums import (
    add_expansion,
    are_wide,
    fill,
    is_costly,
    spread_out,
)
from surelearn.learners.kernelized._dual_solver.kernel_values import KernelValues

_STEEP = 30.0  # exponents beyond it lose too many digits in single precision
_LARGEST_SIDE = 10_400  # of the blocks that a solver asks for, as a rule
_LARGE_BLOCK = 4096
_PADDING = 64  # a block and one more row, in whole panels
_ALONE = Workers(None, 1)


class GaussianValues(KernelValues):
    """Values of exp(−gamma|x − z|²), in single or double precision as asked for."""

    def __init__(self, made: Factors, crew: Workers, *, offset: float = 0.0) -> None:
        self._crew, self._offset = crew, offset
        self._in = {True: made}
        self._memory: dict[Any, Vector] = {}
        self.n = len(made.halves)
        self.diagonal = np.full(self.n, 1.0 + offset)
        if are_wide(made):  # larger blocks have fewer values to compute again
            self.block_size = _LARGE_BLOCK
        self.needs_double = bool(made.halves.min() < -_STEEP)

    @classmethod
    def of(cls, X: Any, gamma: float, crew: Workers, *, offset: float = 0.0) -> Self:
        """Return the values of dense or sparse rows, a constant added to each."""
        rows = spread_out(X)
        centre = None if sparse.issparse(rows) else rows.mean(axis=0)
        made = factors(rows, gamma, centre)
        if not np.isfinite(made.halves).all():
            raise ValueError("squared distances overflow; rescale the columns of X")
        return cls(made, crew, offset=offset)

    def block(self, rows: Indices, *, double: bool) -> Matrix:
        """Return the values of some rows with each other, in the corner of a table."""
        left = self._factors(double=double).take(rows)
        k, dtype = len(rows), left.halves.dtype
        across = gaussian_tiles.width(dtype)
        side = -(-(k + 1) // across) * across
        out = self._table(side, dtype)
        fill(left, left, out, self._crew)
        places = np.arange(k)
        out[places, places] = 1.0  # rounding does not know that a row is at distance 0 from itself
        if self._offset:
            out[:k, :k] += dtype.type(self._offset)  # what is beyond may be anything
        return out

    def _table(self, side: int, dtype: Any) -> Matrix:
        """Return memory for a block; fresh memory costs as much as values do.

        So there is enough for larger blocks at once: what is not written to is not handed out.
        """
        memory = self._memory.get(dtype)
        if memory is None or memory.size < side * side:
            most = max(side, min(self.n + _PADDING, _LARGEST_SIDE))
            memory = self._memory[dtype] = np.empty(most * most, dtype=dtype)
        return memory[: side * side].reshape(side, side)

    def sums(
        self, rows: Indices, weights: Vector, *, among: Indices | None = None, double: bool
    ) -> Vector:
        """Return Σ weight·k(row, ·) over some rows, for each of all rows or of those among them."""
        every = self._factors(double=double)
        chosen, shares = every.take(rows), weights.astype(every.halves.dtype)
        if among is None and is_costly(every):  # values of chosen rows with each other serve twice
            total = np.zeros(self.n)
            others = np.setdiff1d(np.arange(self.n), rows)
            total[rows] = self._expansion(chosen, chosen, shares)
            total[others] = self._expansion(every.take(others), chosen, shares)
            return total
        return self._expansion(every if among is None else every.take(among), chosen, shares)

    def _expansion(self, left: Factors, right: Factors, weights: Vector) -> Vector:
        total = np.full(len(left.halves), self._offset * weights.sum(dtype=np.float64))
        add_expansion(left, right, weights, total, self._crew)
        return total

    def restricted(self, rows: Indices) -> "GaussianValues":
        """Return the values of some rows alone, computed on one thread."""
        return GaussianValues(self._in[True].take(rows), _ALONE, offset=self._offset)

    def _factors(self, *, double: bool) -> Factors:
        if double not in self._in:
            self._in[double] = self._in[True].astype(np.float32)
        return self._in[double]
