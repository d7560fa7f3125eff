"""Search by matrix products: ‖x‖² − 2⟨q, x⟩ orders the points x as their distance to q does.

The product of two matrices is the fastest thing a computer does, but its result is rounded. So it
only tells which blocks can hold a neighbour: with m_b the smallest value in block b, each within e
of the truth, k blocks lie below the k-th smallest m_b, so no neighbour, and no point that ties with
one, lies in a block whose m_b is more than 2e above it. The blocks left are compared exactly.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from surelearn._jit import inner, jit
from surelearn._typing import Indices, Matrix, Vector
from surelearn.learners.neighbors._search.distances import Blocks, Euclidean, to_block
from surelearn.learners.neighbors._search.nearest import offer


@jit
def block_minima(
    products: NDArray[np.floating[Any]],
    norms: NDArray[np.floating[Any]],
    start: int,
    n_blocks: int,
    minima: NDArray[np.floating[Any]],
) -> None:
    """Find the smallest `norms + products` in each of the blocks start, start + 1, ...

    The first point of every block stands first, then the second of every block, and so on.
    """
    smallest = np.empty(n_blocks, dtype=products.dtype)
    for t in range(len(products)):
        smallest[:] = np.inf
        # Strided so that the innermost loop runs over blocks side by side: vector instructions.
        for first in range(0, len(norms), n_blocks):
            squares, row = norms[first : first + n_blocks], products[t, first : first + n_blocks]
            for b in range(n_blocks):
                smallest[b] = min(smallest[b], squares[b] + row[b])
        minima[t, start : start + n_blocks] = smallest


@jit
def visit_blocks(
    columns: Blocks,
    numbers: Indices,
    queries: Matrix,
    minima: NDArray[np.floating[Any]],
    margins: Vector,
    distances: Matrix,
    points: Indices,
    tied: Indices,
) -> None:
    """Compare each query with the blocks whose minimum lies within a margin of the k-th smallest.

    The three outputs are its list and its ties.
    """
    found, query = np.empty(columns.shape[2]), np.empty(queries.shape[1])
    near, who = np.empty(distances.shape[1]), np.empty(distances.shape[1], dtype=np.int64)
    last = len(near) - 1
    for t in range(len(queries)):
        limit = kth_smallest(minima[t], near) + margins[t]  # `near` is scratch here
        query[:], near[:], who[:], ties = queries[t], np.inf, -1, 0
        for block in range(len(columns)):
            if minima[t, block] <= limit:
                to_block(Euclidean(), columns, block, query, found, found)
                for j in range(len(found)):
                    if found[j] <= near[last] and numbers[block, j] >= 0:
                        ties = offer(found[j], numbers[block, j], near, who, ties)
        distances[t], points[t], tied[t] = near, who, ties


@inner
def kth_smallest(values: NDArray[np.floating[Any]], smallest: Vector) -> float:
    """Return the k-th smallest value, infinity if there are fewer; k is the scratch's length."""
    smallest[:] = np.inf
    last = len(smallest) - 1
    for value in values:
        if value < smallest[last]:
            i = last
            while i > 0 and smallest[i - 1] > value:
                smallest[i] = smallest[i - 1]
                i -= 1
            smallest[i] = value
    return smallest[last]
