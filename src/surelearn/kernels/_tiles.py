"""Gram matrices filled tile by tile: no temporary is larger than a tile, and a tile stays in cache.

A kernel built from kernels is evaluated whole on one tile before the next tile is begun, so that a
sum of products costs memory traffic for its result alone.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, TypeAlias

import numpy as np

from surelearn._threads import run_multiplying
from surelearn._typing import Matrix, Vector

Fill: TypeAlias = Callable[[slice, slice, Matrix], None]
"""Write the kernel values of some rows and some columns to an array of that shape."""


@dataclass(frozen=True)
class Tiles:
    """A block of kernel values yet to be computed: its shape, its type, how to fill a part of it.

    `diagonal` has the value of each row's point with itself, computed for itself: exact where a
    tile rounds. `side` is the side of a square tile; 256 by 256 doubles fit a second-level cache.
    """

    shape: tuple[int, int]
    dtype: Any
    fill: Fill
    diagonal: Vector
    side: int = 256

    def then(self, change: Callable[[Matrix], object]) -> "Tiles":
        """Return these tiles, each changed in place."""

        def fill(rows: slice, columns: slice, out: Matrix) -> None:
            self.fill(rows, columns, out)
            change(out)

        diagonal = self.diagonal.copy()
        change(diagonal)
        return replace(self, fill=fill, diagonal=diagonal)

    def with_(self, operation: np.ufunc, other: "Tiles") -> "Tiles":
        """Return these tiles combined with others, entry by entry."""

        def fill(rows: slice, columns: slice, out: Matrix) -> None:
            self.fill(rows, columns, out)
            second = np.empty_like(out)
            other.fill(rows, columns, second)
            operation(out, second, out=out)

        return Tiles(
            shape=self.shape,
            dtype=np.result_type(self.dtype, other.dtype),
            fill=fill,
            diagonal=operation(self.diagonal, other.diagonal),
            side=min(self.side, other.side),
        )

    def between(self, operation: np.ufunc, left: Vector, right: Vector) -> "Tiles":
        """Return these tiles combined with a number for each row and one for each column."""

        def fill(rows: slice, columns: slice, out: Matrix) -> None:
            self.fill(rows, columns, out)
            operation(out, left[rows, None], out=out)
            operation(out, right[columns], out=out)

        diagonal = operation(operation(self.diagonal, left), left)
        return replace(self, fill=fill, diagonal=diagonal)

    def block(self) -> Matrix:
        """Compute all of it."""
        n, m = self.shape
        block = np.empty(self.shape, self.dtype)
        height = min(n, self.side)
        width = self.side * self.side // height  # one row against many is one tile

        def fill(corner: tuple[int, int]) -> None:
            rows, columns = _slices(corner, height, width)
            self.fill(rows, columns, block[rows, columns])

        run_multiplying(fill, [(i, j) for i in range(0, n, height) for j in range(0, m, width)])
        return block

    def symmetric_block(self) -> Matrix:
        """Compute the upper half of it, mirror that, and set the diagonal."""
        n, side = self.shape[0], self.side
        block = np.empty(self.shape, self.dtype)

        def fill(corner: tuple[int, int]) -> None:
            rows, columns = _slices(corner, side, side)
            tile = block[rows, columns]
            self.fill(rows, columns, tile)
            if corner[0] == corner[1]:  # rounding need not make a product with itself symmetric
                tile[...] = np.triu(tile) + np.triu(tile, 1).T
            else:
                block[columns, rows] = tile.T

        run_multiplying(fill, [(i, j) for i in range(0, n, side) for j in range(i, n, side)])
        np.fill_diagonal(block, self.diagonal)
        return block


def _slices(corner: tuple[int, int], height: int, width: int) -> tuple[slice, slice]:
    return slice(corner[0], corner[0] + height), slice(corner[1], corner[1] + width)
