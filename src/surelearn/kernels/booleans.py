"""Kernels over all conjunctions of features, in time linear in the number of features."""

from abc import abstractmethod
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

from surelearn import _arguments
from surelearn._typing import Matrix
from surelearn.kernels._kernel import Kernel
from surelearn.kernels._points import Rows, are_bits, beside, bits, dense, squared_norms, vectors
from surelearn.kernels._tiles import Tiles
from surelearn.kernels.vectors import inner_products

_LARGEST_EXPONENT = 1023
"""2 to a larger power is not a double."""


class _Conjunctions(Kernel):
    """A kernel that on bits is 2 to the power of a count."""

    def log2(self, X: Any, Z: Any = None) -> Matrix:
        """Return the binary logarithms of the values on bits: exact integers, however many bits."""
        if Z is None or Z is X:
            return self._exponents(X, None).symmetric_block()
        return self._exponents(X, Z).block()

    @abstractmethod
    def _exponents(self, X: Any, Z: Any) -> Tiles: ...

    def _powers_of_two(self, X: Any, Z: Any, *, largest: float) -> Tiles:
        if largest > _LARGEST_EXPONENT:
            raise ValueError(f"2^{largest:.0f} is not a double; use .normalised() or .log2(X, Z)")
        return self._exponents(X, Z).then(_power_of_two)


@dataclass(frozen=True, kw_only=True)
class Anova(_Conjunctions):
    """Product over features of (1 + x z): the sum over all sets of features of their products.

    On bits it counts the monotone conjunctions that both points satisfy: 2 to the number of common
    ones, computed exactly.

    Parameters
    ----------
    order
        Keep only the sets of exactly this many features; all sets, if left out.

    Examples
    --------
    >>> kernel = Anova()
    >>> kernel([[1.0, 2.0]], [[3.0, 4.0]])  # 1 + 3 + 8 + 24
    array([[36.]])
    >>> Anova(order=2)([[1, 1, 1, 0]], [[1, 1, 1, 1]])
    array([[3.]])
    """

    order: int | None = None

    domain = "vectors"

    def __post_init__(self) -> None:
        """Refuse an order below 1."""
        if self.order is not None:
            _arguments.count("order", self.order, at_least=1)
        _arguments.settle(self)

    def _tiles(self, X: Any, Z: Any) -> Tiles:
        x, z = vectors(X, Z)
        if self.order is not None:
            # No set is larger than all features: the sum is empty for each larger order alike.
            return _sums_over_sets(x, z, min(int(self.order), x.shape[1] + 1))
        if are_bits(x) and are_bits(z):
            most = max(squared_norms(x).max(), squared_norms(z).max())
            return self._powers_of_two(X, Z, largest=float(most))
        return _products(x, z, normalised=False)

    def _cosine_tiles(self, X: Any, Z: Any) -> Tiles:
        if self.order is not None:
            return super()._cosine_tiles(X, Z)
        x, z = vectors(X, Z)
        if are_bits(x) and are_bits(z):
            halves = 0.5 * squared_norms(x), 0.5 * squared_norms(z)
            exponents = self._exponents(X, Z).between(np.subtract, *halves)
            return exponents.then(lambda tile: np.exp2(tile, out=tile))
        return _products(x, z, normalised=True)

    def _exponents(self, X: Any, Z: Any) -> Tiles:
        if self.order is not None:
            raise ValueError(f"{self!r} is not a power of two; only Anova() is")
        x, z = bits(X, Z)
        return inner_products(x, z, squared_norms(x))


@dataclass(frozen=True)
class Agreement(_Conjunctions):
    """2 to the number of bits on which two points agree, computed exactly.

    It counts the conjunctions, of bits and negated bits, that both points satisfy.

    Examples
    --------
    >>> kernel = Agreement()
    >>> kernel([[0, 1, 1]], [[0, 1, 0], [1, 0, 0]])
    array([[4., 1.]])
    >>> kernel.normalised()([[0, 1, 1]], [[0, 1, 0], [1, 0, 0]])
    array([[0.5  , 0.125]])
    """

    domain = "bits"

    def _tiles(self, X: Any, Z: Any) -> Tiles:
        return self._powers_of_two(X, Z, largest=bits(X, Z)[0].shape[1])

    def _cosine_tiles(self, X: Any, Z: Any) -> Tiles:
        n_bits = bits(X, Z)[0].shape[1]
        agreements = self._exponents(X, Z)
        return agreements.then(lambda tile: _power_of_two(np.subtract(tile, n_bits, out=tile)))

    def _exponents(self, X: Any, Z: Any) -> Tiles:
        x, z = bits(X, Z)
        n_bits = float(x.shape[1])
        # Agreements are n - |x| - |z| + 2 <x, z>: an inner product with two columns more.
        left = beside(2.0 * x, n_bits - squared_norms(x), 1.0)
        right = beside(z, 1.0, -squared_norms(z))
        return inner_products(left, right, np.full(x.shape[0], n_bits))


def _products(x: Rows, z: Rows, *, normalised: bool) -> Tiles:
    """Return the products over features of (1 + x z), or of the cosine of (1, x) and (1, z)."""

    def sides(rows: Rows) -> tuple[Matrix, Matrix]:
        values = dense(rows).T
        if not normalised:
            return np.ones_like(values), values
        inverse = 1.0 / np.hypot(1.0, values)
        return inverse, values * inverse

    def fill(rows: slice, columns: slice, out: Matrix) -> None:
        factor, term = np.empty_like(out), np.empty_like(out)
        out[...] = 1.0
        for a, b, c, d in zip(*sides(x[rows]), *sides(z[columns]), strict=True):
            np.multiply.outer(a, c, out=factor)
            np.multiply.outer(b, d, out=term)
            np.multiply(out, np.add(factor, term, out=factor), out=out)

    lengths = np.prod(1.0 + dense(x) ** 2, axis=1) if not normalised else np.ones(x.shape[0])
    return Tiles((x.shape[0], z.shape[0]), x.dtype, fill, lengths.astype(x.dtype))


def _sums_over_sets(x: Rows, z: Rows, order: int) -> Tiles:
    """Return the elementary symmetric polynomial of the products x z, of degree `order`."""

    def fill(rows: slice, columns: slice, out: Matrix) -> None:
        pairs = zip(dense(x[rows]).T, dense(z[columns]).T, strict=True)
        out[...] = _elementary((np.multiply.outer(a, b) for a, b in pairs), order)

    lengths = _elementary((column**2 for column in dense(x).T), order)
    return Tiles((x.shape[0], z.shape[0]), x.dtype, fill, lengths)


def _elementary(terms: Iterable[Matrix], order: int) -> Matrix:
    """Return the sum over all sets of `order` terms of their product, entry by entry."""
    sums: list[Any] = [1.0, *([0.0] * order)]
    for term in terms:
        for k in range(order, 0, -1):
            sums[k] = sums[k] + term * sums[k - 1]
    return sums[order]


def _power_of_two(tile: Matrix) -> Matrix:
    """Replace every integer by 2 to its power, in place and exactly."""
    return np.ldexp(1.0, tile.astype(np.int32), out=tile)
