"""The product of two thin matrices, at given places only: the whole would be dense."""

from typing import Any

from numpy.typing import NDArray

from surelearn._jit import jit
from surelearn._typing import Matrix, Vector


@jit
def products_at(
    indptr: NDArray[Any], indices: NDArray[Any], left: Matrix, right: Matrix, values: Vector
) -> None:
    """Write ⟨left_i, right_j⟩ for every stored place (i, j) of a CSR pattern into `values`."""
    for i in range(len(indptr) - 1):
        for e in range(indptr[i], indptr[i + 1]):  # the entries stored in row i
            j = indices[e]
            total = 0.0
            for c in range(left.shape[1]):
                total += left[i, c] * right[j, c]
            values[e] = total
