"""Rank-one completion by propagation: exact, and it says which entries are determined.

    x_ij = u_i v_j:   a known entry that is not 0 gives v_j from u_i, and u_i from v_j

Rows and columns are the vertices of a graph, known entries that are not 0 its edges. Within a
connected part one factor fixes all others; c parts can be scaled against each other in c − 1 ways,
and an entry between two of them may be anything. A cycle whose entries disagree shows that no
matrix of rank one has them.
"""

from dataclasses import dataclass
from typing import Any, cast

import numpy as np
from scipy import sparse
from scipy.sparse.csgraph import breadth_first_order
from sklearn.base import BaseEstimator

from surelearn import _arguments
from surelearn._typing import Indices, Mask, Matrix, Vector
from surelearn.learners.decompositions._completion import known_entries
from surelearn.learners.decompositions._freedom import Parts, freedom_of_parts, parts_of


@dataclass(frozen=True, eq=False, kw_only=True)
class RankOneCompletion:
    """What the known entries of a matrix of rank one say of all its entries.

    Attributes
    ----------
    matrix
        The entries that are determined, NaN elsewhere.
    determined
        Which entries are: the same in every matrix of rank one that has the known ones.
    row_factors, column_factors
        Factors u and v with x_ij = u_i v_j where an entry is determined; the first row of each
        connected part has the factor 1. NaN for a row or column of which only zeros are known that
        may be due to the other factor; an entry with a factor of 0 is 0 whatever the other is.
    n_parts
        The number of connected parts: their scales are free against each other. Rows and columns
        that must be 0 are no part.

    Examples
    --------
    >>> nan = np.nan
    >>> found = complete_rank_one([[1, nan], [nan, 2]])
    >>> found.n_parts, found.unique
    (2, False)
    >>> found.matrix.tolist()
    [[1.0, nan], [nan, 2.0]]
    """

    matrix: Matrix
    determined: Mask
    row_factors: Vector
    column_factors: Vector
    n_parts: int

    @property
    def unique(self) -> bool:
        """Whether every entry is determined."""
        return bool(self.determined.all())


def complete_rank_one(X: Any, *, tolerance: float = 1e-9) -> RankOneCompletion:
    """Complete a matrix of rank one exactly, from entry to entry, as far as it is determined.

    Parameters
    ----------
    X
        A matrix with NaN where an entry is not known, a masked array, or a sparse matrix whose
        stored entries are the known ones.
    tolerance
        Entries around a cycle agree if they do up to this share of their size.

    Examples
    --------
    >>> nan = np.nan
    >>> X = [[1, nan, nan], [nan, 2, nan], [nan, 6, 9], [nan, nan, 3], [4, 4, nan]]
    >>> complete_rank_one(X).matrix.tolist()[:2]
    [[1.0, 1.0, 1.5], [2.0, 2.0, 3.0]]
    """
    limit = _arguments.non_negative("tolerance", tolerance)
    known = known_entries(BaseEstimator(), X, reset=True)
    parts = parts_of(known)
    rows, columns = _propagate(known, parts)
    _refuse_disagreement(known, rows, columns, limit)
    determined = freedom_of_parts(known, parts).determined()
    nil = parts.nil_rows[:, np.newaxis] | parts.nil_columns  # 0, whatever the other factor is
    with np.errstate(over="ignore"):
        matrix = np.where(determined, np.where(nil, 0.0, np.outer(rows, columns)), np.nan)
    if np.isinf(matrix).any():
        raise ValueError(
            "an entry that is determined is beyond floats: divide rows or columns by numbers that "
            "make the entries less unequal"
        )
    here = np.repeat(np.arange(len(rows)), np.diff(known.indptr))
    matrix[here, known.indices] = known.data
    alive = np.concatenate([parts.rows[~parts.nil_rows], parts.columns[~parts.nil_columns]])
    return RankOneCompletion(
        matrix=matrix,
        determined=determined,
        row_factors=rows,
        column_factors=columns,
        n_parts=len(np.unique(alive)),
    )


def _propagate(known: Any, parts: Parts) -> tuple[Vector, Vector]:
    """Return the factors of rows and columns, walking the graph breadth first from part to part."""
    m, n = known.shape
    edge = known.data != 0.0
    ends = np.repeat(np.arange(m), np.diff(known.indptr))[edge], known.indices[edge]
    make: Any = sparse.csr_array
    graph = make((known.data[edge], (ends[0], ends[1] + m)), shape=(m + n, m + n))
    places = zip(ends[0].tolist(), ends[1].tolist(), strict=True)
    entries = dict(zip(places, known.data[edge].tolist(), strict=True))
    nil = np.concatenate([parts.nil_rows, parts.nil_columns])
    factors = np.where(nil, 0.0, np.nan)
    there = np.unique(ends[0])
    for root in there[np.unique(parts.rows[there], return_index=True)[1]].tolist():
        factors[root] = 1.0
        order, before = breadth_first_order(graph, root, directed=False)
        for vertex in cast("Indices", order)[1:].tolist():
            via = int(before[vertex])
            with np.errstate(all="ignore"):
                factors[vertex] = entries[min(via, vertex), max(via, vertex) - m] / factors[via]
    if np.isinf(factors).any() or (factors[~nil] == 0.0).any():
        raise ValueError(
            "the factors leave the range of floats on the way from entry to entry: divide rows or "
            "columns by numbers that make the entries less unequal"
        )
    return factors[:m], factors[m:]


def _refuse_disagreement(known: Any, rows: Vector, columns: Vector, tolerance: float) -> None:
    """Refuse entries that no matrix of rank one has, naming one of them."""
    here = np.repeat(np.arange(len(rows)), np.diff(known.indptr))
    with np.errstate(over="ignore", invalid="ignore"):
        implied = rows[here] * columns[known.indices]
        wrong = np.abs(implied - known.data) > tolerance * np.abs(known.data)
    if wrong.any():
        place = int(np.argmax(wrong))
        raise ValueError(
            f"entry ({here[place]}, {known.indices[place]}) is {known.data[place]:g}, and other "
            f"known entries make it {implied[place]:g}: rank one allows no such matrix; "
            "MatrixCompletion finds one that is near"
        )
