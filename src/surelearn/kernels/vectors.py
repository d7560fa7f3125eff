"""Kernels of real vectors."""

import math
from dataclasses import dataclass
from typing import Any, cast

import numpy as np

from surelearn import _arguments
from surelearn._typing import Matrix, Vector
from surelearn.kernels._kernel import Kernel, raise_to
from surelearn.kernels._points import Rows, beside, inner, squared_norms, vectors
from surelearn.kernels._tiles import Tiles

_SPARSE_SIDE = 1024  # of a tile: sparse rows are turned once for each


def inner_products(left: Rows, right: Rows, diagonal: Vector) -> Tiles:
    """Return the inner products of all rows of `left` with all rows of `right`."""

    def fill(rows: slice, columns: slice, out: Matrix) -> None:
        inner(left[rows], right[columns], out)

    dense = isinstance(left, np.ndarray) or isinstance(right, np.ndarray)
    side = Tiles.side if dense else _SPARSE_SIDE
    shape = (cast("Any", left).shape[0], cast("Any", right).shape[0])
    return Tiles(shape, cast("Any", left).dtype, fill, diagonal, side)


@dataclass(frozen=True)
class Linear(Kernel):
    """The inner product.

    Examples
    --------
    >>> kernel = Linear()
    >>> kernel([[1.0, 2.0], [3.0, 4.0]])
    array([[ 5., 11.],
           [11., 25.]])
    """

    domain = "vectors"

    def _tiles(self, X: Any, Z: Any) -> Tiles:
        x, z = vectors(X, Z)
        return inner_products(x, z, squared_norms(x))


@dataclass(frozen=True, kw_only=True)
class Polynomial(Kernel):
    """(inner product + offset) to the power `degree`: all monomials up to that degree.

    Parameters
    ----------
    degree
        A positive integer; with any other power it is not a kernel.
    offset
        Not negative, or it is not a kernel. The larger, the more low degrees weigh; with 0 only
        monomials of exactly this degree remain.

    Examples
    --------
    >>> kernel = Polynomial(degree=2)
    >>> kernel([[1.0, 2.0]], [[3.0, 4.0]])
    array([[144.]])
    """

    degree: int = 2
    offset: float = 1.0

    domain = "vectors"

    def __post_init__(self) -> None:
        """Refuse a degree or an offset that makes no kernel."""
        _arguments.count("degree", self.degree, at_least=1)
        _arguments.non_negative("offset", self.offset)
        _arguments.settle(self)

    def _tiles(self, X: Any, Z: Any) -> Tiles:
        def change(tile: Matrix) -> None:
            raise_to(np.add(tile, self.offset, out=tile), int(self.degree))

        return Linear().tiles(X, Z).then(change)

    def _cosine_tiles(self, X: Any, Z: Any) -> Tiles:
        cosine = (Linear() + self.offset).normalised()
        return (cosine ** int(self.degree)).tiles(X, Z)


@dataclass(frozen=True, kw_only=True)
class Gaussian(Kernel):
    """exp(-gamma |x - z|²): close to 1 for near points, to 0 for far ones.

    Parameters
    ----------
    gamma
        1 / (2 σ²) for width σ, as in scikit-learn.

    Examples
    --------
    >>> kernel = Gaussian(gamma=0.1)
    >>> kernel([[1.0, 2.0]], [[3.0, 4.0]]).round(4)
    array([[0.4493]])
    """

    gamma: float = 1.0

    domain = "vectors"

    def __post_init__(self) -> None:
        """Refuse a gamma that is not positive."""
        _arguments.positive("gamma", self.gamma)
        _arguments.settle(self)

    @classmethod
    def from_width(cls, sigma: float) -> "Gaussian":
        """Return the kernel exp(-|x - z|² / (2 sigma²)).

        Examples
        --------
        >>> Gaussian.from_width(2.0)
        Gaussian(gamma=0.125)
        """
        return cls(gamma=0.5 / _arguments.positive("sigma", sigma) ** 2)

    def _tiles(self, X: Any, Z: Any) -> Tiles:
        left, right = self._factors(*vectors(X, Z))
        exponents = inner_products(left, right, np.zeros(left.shape[0], dtype=left.dtype))
        # Rounding can leave the exponent of close points a little above 0.
        return exponents.then(lambda tile: np.exp(np.minimum(tile, 0.0, out=tile), out=tile))

    def _cosine_tiles(self, X: Any, Z: Any) -> Tiles:
        return self._tiles(X, Z)

    def _factors(self, x: Rows, z: Rows) -> tuple[Rows, Rows]:
        """Return two tables whose inner products are -gamma |x - z|².

        Two more columns carry the squared lengths, which saves two passes over the block.
        """
        same = z is x
        if isinstance(x, np.ndarray) and isinstance(z, np.ndarray):
            # Distances do not change, but the lengths that cancel in them become small.
            centre = z.mean(axis=0)
            z = z - centre
            x = z if same else x - centre
        x = x * math.sqrt(2.0 * self.gamma)
        z = x if same else z * math.sqrt(2.0 * self.gamma)
        x_half = -0.5 * squared_norms(x)
        z_half = x_half if same else -0.5 * squared_norms(z)
        if not (np.isfinite(x_half).all() and np.isfinite(z_half).all()):
            raise ValueError("squared distances overflow; rescale the columns of X")
        return beside(x, x_half, 1.0), beside(z, 1.0, z_half)
