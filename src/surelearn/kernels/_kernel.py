"""What every kernel offers, and the operations under which kernels are closed."""

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from surelearn import _arguments
from surelearn._typing import Matrix, Vector
from surelearn.kernels._points import Domain
from surelearn.kernels._tiles import Tiles


class Kernel(ABC):
    """A symmetric function of two points whose Gram matrices are positive semidefinite.

    Points are rows of an array or of a SciPy sparse array, or a list of strings; `domain` says
    which. Single precision in, single precision out.

    A subclass gives the `domain` and the tiles of a block (`_tiles`).
    """

    domain: Domain
    __array_ufunc__ = None  # so that a NumPy number times a kernel is left to the kernel

    def __call__(self, X: Any, Z: Any = None) -> Matrix:
        """Return the values of all pairs of a point of `X` and one of `Z`; `Z` left out is `X`."""
        if Z is None or Z is X:
            return self.tiles(X).symmetric_block()
        return self.tiles(X, Z).block()

    def diagonal(self, X: Any) -> Vector:
        """Return the value of each point with itself: its squared length in feature space."""
        return self.tiles(X).diagonal

    def tiles(self, X: Any, Z: Any = None) -> Tiles:
        """Return the values yet to be computed: what kernels made of kernels are made of."""
        return self._tiles(X, Z)

    def cosine_tiles(self, X: Any, Z: Any = None) -> Tiles:
        """Return the values of the normalised kernel yet to be computed."""
        return self._cosine_tiles(X, Z)

    def __add__(self, other: "Kernel | float") -> "Kernel":
        if isinstance(other, Kernel):
            return Sum(self, other)
        return Shifted(self, other)

    __radd__ = __add__

    def __mul__(self, other: "Kernel | float") -> "Kernel":
        if isinstance(other, Kernel):
            return Product(self, other)
        return Scaled(self, other)

    __rmul__ = __mul__

    def __pow__(self, exponent: int) -> "Kernel":
        return Power(self, exponent)

    def exp(self) -> "Kernel":
        """Return the kernel exp(k)."""
        return Exponentiated(self)

    def of(self, feature_map: Callable[[Any], Any]) -> "Kernel":
        """Return the kernel of the mapped points; the map is given all points at once."""
        return PullBack(self, feature_map)

    def normalised(self) -> "Kernel":
        """Return the cosine in feature space: k(x, z) / sqrt(k(x, x) k(z, z)), 0 if one is 0."""
        return Normalised(self)

    @abstractmethod
    def _tiles(self, X: Any, Z: Any) -> Tiles:
        """Return the tiles; `Z` is None if it is `X`."""

    def _cosine_tiles(self, X: Any, Z: Any) -> Tiles:
        """Return the tiles of the cosine; overridden where values overflow but cosines do not."""
        tiles = self.tiles(X, Z)
        left = _inverse_root(tiles.diagonal)
        right = left if Z is None else _inverse_root(self.diagonal(Z))
        return tiles.between(np.multiply, left, right)


@dataclass(frozen=True, repr=False)
class _OfTwo(Kernel):
    """A kernel made from two kernels that read the same points."""

    first: Kernel
    second: Kernel

    def __post_init__(self) -> None:
        _refuse_others(self.first, self.second)
        object.__setattr__(self, "domain", _common_domain(self.first, self.second))


@dataclass(frozen=True, repr=False)
class Sum(_OfTwo):
    """The sum of two kernels; its features are those of both, side by side.

    Examples
    --------
    >>> from surelearn.kernels import Gaussian, Linear
    >>> kernel = Linear() + Gaussian(gamma=0.1)
    >>> kernel([[1.0, 2.0]], [[3.0, 4.0]]).round(4)
    array([[11.4493]])
    """

    def __repr__(self) -> str:
        return f"({self.first!r} + {self.second!r})"

    def _tiles(self, X: Any, Z: Any) -> Tiles:
        return self.first.tiles(X, Z).with_(np.add, self.second.tiles(X, Z))


@dataclass(frozen=True, repr=False)
class Product(_OfTwo):
    """The product of two kernels; its features are all products of theirs (Schur).

    Examples
    --------
    >>> from surelearn.kernels import Gaussian, Linear
    >>> kernel = Linear() * Gaussian(gamma=0.1)
    >>> kernel([[1.0, 2.0]], [[3.0, 4.0]]).round(4)
    array([[4.9426]])
    """

    def __repr__(self) -> str:
        return f"({self.first!r} * {self.second!r})"

    def _tiles(self, X: Any, Z: Any) -> Tiles:
        return self.first.tiles(X, Z).with_(np.multiply, self.second.tiles(X, Z))

    def _cosine_tiles(self, X: Any, Z: Any) -> Tiles:
        return self.first.cosine_tiles(X, Z).with_(np.multiply, self.second.cosine_tiles(X, Z))


@dataclass(frozen=True, repr=False)
class _OfOne(Kernel):
    """A kernel made from one kernel, whose points it reads."""

    kernel: Kernel

    def __post_init__(self) -> None:
        _refuse_others(self.kernel)
        object.__setattr__(self, "domain", self.kernel.domain)


@dataclass(frozen=True, repr=False)
class Shifted(_OfOne):
    """A kernel plus a constant that is not negative: one more feature, the same for all points.

    Examples
    --------
    >>> from surelearn.kernels import Linear
    >>> kernel = Linear() + 1.0
    >>> kernel([[1.0, 2.0]], [[3.0, 4.0]])
    array([[12.]])
    """

    offset: float

    def __post_init__(self) -> None:
        """Refuse a negative offset: the value of a point with itself could be negative."""
        super().__post_init__()
        _arguments.non_negative("offset", self.offset)
        _arguments.settle(self)

    def __repr__(self) -> str:
        return f"({self.kernel!r} + {self.offset!r})"

    def _tiles(self, X: Any, Z: Any) -> Tiles:
        return self.kernel.tiles(X, Z).then(lambda tile: np.add(tile, self.offset, out=tile))


@dataclass(frozen=True, repr=False)
class Scaled(_OfOne):
    """A kernel times a number that is not negative.

    Examples
    --------
    >>> from surelearn.kernels import Linear
    >>> kernel = 0.5 * Linear()
    >>> kernel([[1.0, 2.0]], [[3.0, 4.0]])
    array([[5.5]])
    """

    factor: float

    def __post_init__(self) -> None:
        """Refuse a negative factor: minus a kernel is not a kernel."""
        super().__post_init__()
        _arguments.non_negative("factor", self.factor)
        _arguments.settle(self)

    def __repr__(self) -> str:
        return f"({self.factor!r} * {self.kernel!r})"

    def _tiles(self, X: Any, Z: Any) -> Tiles:
        return self.kernel.tiles(X, Z).then(lambda tile: np.multiply(tile, self.factor, out=tile))

    def _cosine_tiles(self, X: Any, Z: Any) -> Tiles:
        if self.factor == 0.0:
            return super()._cosine_tiles(X, Z)
        return self.kernel.cosine_tiles(X, Z)


@dataclass(frozen=True, repr=False)
class Power(_OfOne):
    """A kernel to a positive integer power; other powers are not kernels in general.

    Examples
    --------
    >>> from surelearn.kernels import Linear
    >>> kernel = Linear() ** 2
    >>> kernel([[1.0, 2.0]], [[3.0, 4.0]])
    array([[121.]])
    """

    exponent: int

    def __post_init__(self) -> None:
        """Refuse what is not a positive integer."""
        super().__post_init__()
        object.__setattr__(
            self, "exponent", _arguments.count("exponent", self.exponent, at_least=1)
        )

    def __repr__(self) -> str:
        return f"({self.kernel!r} ** {self.exponent!r})"

    def _tiles(self, X: Any, Z: Any) -> Tiles:
        return self.kernel.tiles(X, Z).then(lambda tile: raise_to(tile, self.exponent))

    def _cosine_tiles(self, X: Any, Z: Any) -> Tiles:
        cosines = self.kernel.cosine_tiles(X, Z)
        return cosines.then(lambda tile: raise_to(tile, self.exponent))


@dataclass(frozen=True, repr=False)
class Exponentiated(_OfOne):
    """The exponential of a kernel: its power series has no negative coefficient.

    Examples
    --------
    >>> from surelearn.kernels import Linear
    >>> kernel = (0.5 * Linear()).exp()
    >>> kernel([[1.0, 2.0]], [[3.0, 4.0]]).round(4)
    array([[244.6919]])
    """

    def __repr__(self) -> str:
        return f"{self.kernel!r}.exp()"

    def _tiles(self, X: Any, Z: Any) -> Tiles:
        return self.kernel.tiles(X, Z).then(lambda tile: np.exp(tile, out=tile))

    def _cosine_tiles(self, X: Any, Z: Any) -> Tiles:
        tiles = self.kernel.tiles(X, Z)
        left = 0.5 * tiles.diagonal
        right = left if Z is None else 0.5 * self.kernel.diagonal(Z)
        # k(x, z) <= (k(x, x) + k(z, z)) / 2, the squared distance in feature space being >= 0.
        exponents = tiles.between(np.subtract, left, right)
        return exponents.then(lambda tile: np.exp(np.minimum(tile, 0.0, out=tile), out=tile))


@dataclass(frozen=True, repr=False)
class PullBack(Kernel):
    """A kernel of mapped points; the map may be anything, it need not be invertible.

    Examples
    --------
    >>> import numpy as np
    >>> from surelearn.kernels import Linear
    >>> kernel = Linear().of(np.abs)
    >>> kernel([[-1.0], [2.0]])
    array([[1., 2.],
           [2., 4.]])
    """

    kernel: Kernel
    feature_map: Callable[[Any], Any]

    domain = "any"

    def __post_init__(self) -> None:
        _refuse_others(self.kernel)
        _arguments.function("feature_map", self.feature_map)

    def __repr__(self) -> str:
        return f"{self.kernel!r}.of({self.feature_map!r})"

    def _tiles(self, X: Any, Z: Any) -> Tiles:
        return self.kernel.tiles(*self._mapped(X, Z))

    def _cosine_tiles(self, X: Any, Z: Any) -> Tiles:
        return self.kernel.cosine_tiles(*self._mapped(X, Z))

    def _mapped(self, X: Any, Z: Any) -> tuple[Any, Any]:
        return self.feature_map(X), None if Z is None else self.feature_map(Z)


@dataclass(frozen=True, repr=False)
class Normalised(_OfOne):
    """The cosine of the angle in feature space: every point has length 1, or 0 if it had 0.

    Computed without overflow for powers, products and exponentials, however large their values.

    Examples
    --------
    >>> from surelearn.kernels import Linear
    >>> kernel = (Linear() ** 500).normalised()
    >>> kernel([[3.0, 4.0]], [[30.0, 40.0], [4.0, 3.0]]).round(4)
    array([[1., 0.]])
    """

    def __repr__(self) -> str:
        return f"{self.kernel!r}.normalised()"

    def _tiles(self, X: Any, Z: Any) -> Tiles:
        cosines = self.kernel.cosine_tiles(X, Z)
        clipped = cosines.then(lambda tile: np.clip(tile, -1.0, 1.0, out=tile))
        return replace(clipped, diagonal=np.sign(clipped.diagonal))


def raise_to(values: Matrix, exponent: int) -> Matrix:
    """Raise every entry to a positive integer power, in place; exact on integers."""
    base = values.copy() if exponent & (exponent - 1) else values
    for bit in f"{exponent:b}"[1:]:
        np.multiply(values, values, out=values)
        if bit == "1":
            np.multiply(values, base, out=values)
    return values


def _inverse_root(squares: Vector) -> Vector:
    """Return 1 / sqrt(squares), 0 where a square is 0: a point of length 0 has no direction."""
    return np.divide(1.0, np.sqrt(squares), out=np.zeros_like(squares), where=squares > 0.0)


def _common_domain(first: Kernel, second: Kernel) -> Domain:
    """Return what both kernels read: bits are vectors too, strings are not."""
    domains = {first.domain, second.domain} - {"any"}
    if "strings" in domains and len(domains) > 1:
        raise ValueError(f"{first!r} and {second!r} read different points: {sorted(domains)}")
    for domain in ("strings", "bits", "vectors"):
        if domain in domains:
            return domain
    return "any"


def _refuse_others(*parts: Any) -> None:
    """Refuse to make a kernel of what is none."""
    for part in parts:
        if not isinstance(part, Kernel):
            raise TypeError(f"{_arguments.short(part)} is no kernel: give one, such as Gaussian()")
