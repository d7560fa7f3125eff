"""Exact search by products of matrices in single precision, with a proven margin."""

import math
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from surelearn._stored import holds, stored
from surelearn._threads import LARGEST_CHUNK, one_thread_products
from surelearn._typing import Matrix, Vector
from surelearn.learners.neighbors._search import products
from surelearn.learners.neighbors._search.blocks import BLOCK, BlockIndex, Nearest
from surelearn.learners.neighbors._search.distances import Euclidean, Metric

MOST_FEATURES = 50_000
"""The error bound takes d × 2⁻²⁴ to be small."""

_TILE_BLOCKS = 64  # a product is 512 × 2048 floats: larger ones leave the cache, smaller ones pack
_MINIMA = 1 << 24  # of blocks, kept at a time by a thread
_LAST_BITS, _TINY, _ABOUT_ONE = 2.0**-23, 2.0**-149, 1.0 + 1e-9
_LONGEST_QUERY = 1e15  # in units of the longest row; beyond, single precision may overflow


@stored("product-index")
@holds(
    centre="finite[features]",
    scale="number",
    tiles=tuple,
    norms=tuple,
)
@dataclass(frozen=True, eq=False)
class ProductIndex(BlockIndex):
    """Many rows of many features, by products in single precision with a proven margin.

    Centred and scaled rows have norm at most B ≤ 1, a query A. With u = 2⁻²⁴ and d features, a
    value ‖x‖² − 2⟨q, x⟩ so computed is off by at most 1.01 u (2B² + (2d + 8) A B), in any order of
    summation; the compared distances are off by at most (d + 3) 2⁻⁵³ (A + B)².

    Examples
    --------
    >>> from surelearn.learners.neighbors._search.distances import Euclidean
    >>> X = np.random.default_rng(0).normal(size=(500, 20))
    >>> ProductIndex.of(X, Euclidean()).search(X[:3], 1).points.ravel().tolist()
    [0, 1, 2]
    """

    centre: Vector
    scale: float
    tiles: tuple[NDArray[np.float32], ...] = field(repr=False)
    norms: tuple[NDArray[np.float32], ...] = field(repr=False)

    @classmethod
    def of(cls, X: Matrix, metric: Metric) -> "ProductIndex":
        """Index dense rows; the tiles hold the first point of every block, then the second, ..."""
        plain = BlockIndex.of(X, metric)
        centre = X.mean(axis=0)
        points = plain.columns.transpose(2, 0, 1) - centre
        there = plain.numbers.T >= 0
        points[~there] = 0.0
        squares = np.einsum("pbf,pbf->pb", points, points)
        scale = 2.0 ** math.ceil(math.log2(max(math.sqrt(squares.max()), 1e-300)))
        points /= scale
        squares = np.where(there, squares / scale / scale, np.inf)
        parts = [slice(b, b + _TILE_BLOCKS) for b in range(0, len(plain.columns), _TILE_BLOCKS)]
        tiles = tuple(points[:, p].reshape(-1, X.shape[1]).astype(np.float32) for p in parts)
        norms = tuple(squares[:, p].ravel().astype(np.float32) for p in parts)
        return cls(metric, plain.columns, plain.numbers, centre, scale, tiles, norms)

    def search(self, queries: Matrix, k: int, *, n_jobs: int | None = None) -> Nearest:
        """Return the k nearest rows of each query; each thread multiplies on its own."""
        with one_thread_products():
            return super().search(queries, k, n_jobs=n_jobs)

    def _at_once(self) -> int:
        return max(1, min(LARGEST_CHUNK, _MINIMA // len(self.columns)))

    def _fill(self, queries: Matrix, found: Nearest) -> None:
        with np.errstate(over="ignore"):
            points = (queries - self.centre) / self.scale
            lengths = np.linalg.norm(points, axis=1)
        wild = lengths > _LONGEST_QUERY
        points[wild] = 0.0
        doubled = (-2.0 * points).astype(np.float32)
        minima = np.empty((len(queries), len(self.columns)), dtype=np.float32)
        start = 0
        for tile, norms in zip(self.tiles, self.norms, strict=True):
            n_blocks = len(norms) // BLOCK
            products.block_minima(doubled @ tile.T, norms, start, n_blocks, minima)
            start += n_blocks
        margins = np.where(wild, np.inf, self._margins(lengths, queries.shape[1]))
        products.visit_blocks(
            self.columns,
            self.numbers,
            queries,
            minima,
            margins,
            found.distances,
            found.points,
            found.tied,
        )

    def _margins(self, lengths: Vector, d: int) -> Vector:
        """Return twice the largest error of a value, for queries of these lengths."""
        rounding = 1.01 * 2.0**-24 * (2.0 + (2.0 * d + 8.0) * lengths)
        underflow = d * 1e-37 * (1.0 + lengths)
        return 2.0 * (rounding + underflow + (d + 3.0) * 2.0**-52 * (lengths + 1.0) ** 2)

    def _check_state(self) -> None:
        super()._check_state()
        if not isinstance(self.metric, Euclidean) or not 0.0 < self.scale < math.inf:
            raise ValueError("its metric is not Euclidean, or its scale is not positive")
        n_blocks, d, size = self.columns.shape
        lengths = [len(norms) for norms in self.norms]
        fits = (
            size == BLOCK
            and sum(lengths) == n_blocks * BLOCK
            and not any(length % BLOCK for length in lengths)
        )
        if not fits or not all(
            tile.shape == (n, d) and norms.shape == (n,) and tile.dtype == norms.dtype == np.float32
            for tile, norms, n in zip(self.tiles, self.norms, lengths, strict=True)
        ):
            raise ValueError("its tiles are not those of its blocks")
        self._refuse_other_rows()

    def _refuse_other_rows(self) -> None:
        """Refuse tiles of other rows than those compared: they would hide rows from a search."""
        start = 0
        for tile, norms in zip(self.tiles, self.norms, strict=True):
            blocks = slice(start, start + len(norms) // BLOCK)
            start = blocks.stop
            there = (self.numbers[blocks].T >= 0).ravel()
            points = (self.columns[blocks].transpose(2, 0, 1) - self.centre) / self.scale
            points = points.reshape(tile.shape)[there]
            squares = np.einsum("pf,pf->p", points, points)
            # Sums may differ in their last bits from one machine to the next, and so may norms.
            close = np.abs(norms[there] - squares) <= _LAST_BITS * squares + _TINY
            same = np.array_equal(tile[there], points.astype(np.float32))
            if not (same and close.all() and (squares <= _ABOUT_ONE).all()):
                raise ValueError("its tiles are not its rows, centred and scaled")
            if not (norms[~there] == np.inf).all():
                raise ValueError("its tiles have rows where its blocks have none")
