"""Exact search among sparse rows, by sparse products with a proven margin."""

import math
from dataclasses import dataclass, field
from typing import Any, cast

import numpy as np
from scipy import sparse

from surelearn._jit import rows
from surelearn._jit.rows import SparseRows
from surelearn._jit.sound_matrices import sound
from surelearn._stored import holds, stored
from surelearn._threads import LARGEST_CHUNK, run_chunks
from surelearn._typing import Vector
from surelearn.base import validation
from surelearn.learners.neighbors._search import pairs
from surelearn.learners.neighbors._search.blocks import Nearest
from surelearn.learners.neighbors._search.distances import Euclidean, Metric

_VALUES = 1 << 22  # of a dense slice of queries, or of its products, at most


@stored("sparse-index")
@holds(
    X="table[points, features]",
    metric=Euclidean,
)
@dataclass(frozen=True, eq=False)
class SparseIndex:
    """Sparse rows, compared exactly where a product cannot rule them out.

    With A and B the lengths of a query and of the longest row, d features and u = 2⁻⁵³, a value
    ‖x‖² − 2⟨q, x⟩ and a compared distance are together off by (2d + 5) u (A + B)² at most.

    Examples
    --------
    >>> X = sparse.csr_array(np.eye(4))
    >>> SparseIndex(X).search(X[:2], 1).points.ravel().tolist()
    [0, 1]
    """

    X: Any
    metric: Metric = field(default_factory=Euclidean)

    def rows(self) -> Any:
        """Return the rows indexed."""
        return self.X

    @staticmethod
    def admit(points: Any) -> Any:
        """Return points in the form in which they are searched for."""
        return cast("Any", sparse.csr_array)(points)

    def search(self, queries: Any, k: int, *, n_jobs: int | None = None) -> Nearest:
        """Return the k nearest rows of each query."""
        n = queries.shape[0]
        sound(self.X)  # SciPy would follow wild indices, if someone set them
        found = Nearest.room(n, k)
        largest = max(1, min(LARGEST_CHUNK, _VALUES // max(self.X.shape)))
        run_chunks(lambda chunk: self._fill(queries[chunk], found.of(chunk)), n, n_jobs, largest)
        return found

    def _fill(self, queries: Any, found: Nearest) -> None:
        squares = _squared_norms(self.X)
        values = squares - 2.0 * np.asarray(self.X @ queries.toarray().T).T
        lengths, longest = np.sqrt(_squared_norms(queries)), math.sqrt(squares.max())
        d = self.X.shape[1]
        rounding = 2.0**-53 * (d + 8.0) * (lengths + longest) ** 2
        pairs.visit_rows(
            cast("SparseRows", rows.of(self.X)),
            cast("SparseRows", rows.of(queries)),
            values,
            4.04 * rounding,
            found.distances,
            found.points,
            found.tied,
        )

    @property
    def shape(self) -> tuple[int, int]:
        """The number of rows, and of their features."""
        return self.X.shape

    def _check_state(self) -> None:
        if not sparse.issparse(self.X) or self.shape[0] == 0:
            raise ValueError("it has no sparse rows")
        validation.short_enough(self.X)


def _squared_norms(X: Any) -> Vector:
    return np.asarray(X.multiply(X).sum(axis=1), dtype=np.float64).ravel()
