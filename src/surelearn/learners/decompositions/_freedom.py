"""What the known entries leave open: one random way to move a completion that keeps all of them.

A matrix U Vᵀ of rank k moves, to first order, by A Vᵀ + U Bᵀ. Of the moves that are 0 at every
known place one is drawn at random. Where it is 0 too, all of them are: the entry is determined,
nearby and to first order. Elsewhere the entry can be changed without changing any that is known.
For rank one the known entries that are not 0 are the edges of a graph of rows and columns, and the
answer is exact: within a connected part everything is determined, between two parts nothing is.
Singer and Cucuringu (2010); Király, Theran and Tomioka (2015).
"""

from typing import Any, NamedTuple, cast

import numpy as np
from scipy import linalg, sparse
from scipy.sparse.csgraph import connected_components
from scipy.sparse.linalg import LinearOperator, lsmr

from surelearn import _arguments
from surelearn._stored import holds, stored
from surelearn._typing import Indices, Mask, Matrix, Vector
from surelearn.learners.decompositions import _observed_products

_TOLERANCE = 1e-6  # a move below it is rounding; one of an open entry is of the order of 1
_DENSE = 2**28  # operations that may be spent on all moves of a small matrix
_STEPS = 2000  # of the iteration for a large matrix; entries not settled by then count as open


@stored("completion-freedom")
@holds(
    left="finite[rows, moves]",
    right="finite[columns, moves]",
    fixed="int[fixed, 2]",
)
class Freedom(NamedTuple):
    """A move of a completion, `left` times the transpose of `right`, that keeps what is known.

    Attributes
    ----------
    left, right
        A row for each row, and for each column, of the matrix.
    fixed
        Known places that the two do not show to be so: a row and a column each.

    Examples
    --------
    >>> open_corner = Freedom(np.eye(2), np.eye(2), np.zeros((0, 2), dtype=np.int64))
    >>> open_corner.determined().tolist()
    [[False, True], [True, False]]
    """

    left: Matrix
    right: Matrix
    fixed: Indices

    def _check_state(self) -> None:
        for place, n in zip(self.fixed.T, (len(self.left), len(self.right)), strict=True):
            _arguments.places("fixed", place, n)

    def determined(self) -> Mask:
        """Return which entries keep their value; the answer is as large as the whole matrix."""
        mask = np.abs(self.left @ self.right.T) <= _TOLERANCE
        mask[self.fixed[:, 0], self.fixed[:, 1]] = True
        return mask

    def open_rows(self) -> Mask:
        """Return which rows have an entry that is not determined."""
        if len(self.fixed):
            return np.logical_not(np.all(self.determined(), axis=1))
        triangle = cast("Matrix", np.linalg.qr(self.right, mode="r"))  # nothing is squared
        reach = np.linalg.norm(self.left @ triangle.T, axis=1)
        return reach > _TOLERANCE * np.sqrt(len(self.right))


def no_freedom(shape: tuple[int, int]) -> Freedom:
    """Return the freedom of a matrix that cannot move."""
    return Freedom(np.zeros((shape[0], 1)), np.zeros((shape[1], 1)), np.zeros((0, 2), np.int64))


def freedom_of_rank(known: Any, left: Matrix, right: Matrix) -> Freedom:
    """Return how a matrix of the rank of `left` can move and keep the entries known of it.

    Parameters
    ----------
    known
        The known entries, a CSR matrix.
    left, right
        Two bases of the completion's columns and rows.

    Examples
    --------
    >>> known = sparse.csr_array([[1.0, 2.0, 0.0], [0.0, 0.0, 3.0]])
    >>> ones = np.ones((2, 1)), np.ones((3, 1))
    >>> freedom_of_rank(known, *ones).determined().tolist()
    [[True, True, False], [False, False, True]]
    """
    if known.nnz == known.shape[0] * known.shape[1]:
        return no_freedom(known.shape)
    if left.shape[1] == 1:
        return freedom_of_parts(known, parts_of(known))
    m, n, k = *known.shape, left.shape[1]
    units = [side / np.where((size := _lengths(side)) > 0.0, size, 1.0) for side in (left, right)]
    start = np.random.default_rng(0).standard_normal(k * (m + n))
    move = start - _seen_part(_tangent(known, *units), start)
    rows, columns = move[: k * m].reshape(m, k), move[k * m :].reshape(n, k)
    nothing = np.zeros((0, 2), dtype=np.int64)
    return Freedom(np.hstack([rows, units[0]]), np.hstack([units[1], columns]), nothing)


def freedom_of_price(known: Any, left: Matrix, right: Matrix) -> Freedom:
    """Return how the completions of least nuclear norm can differ that leave the same misfit.

    All of them are `left` S `right`ᵀ with a symmetric S, where `left` and `right` are the singular
    vectors of the misfit whose singular value is the price itself: the subgradient allows no other.
    """
    k = left.shape[1]
    if k == 0 or known.nnz == known.shape[0] * known.shape[1]:
        return no_freedom(known.shape)
    at, values = known.copy(), np.empty(known.nnz)

    def apply(flat: Vector) -> Vector:
        square = flat.reshape(k, k)
        both = left @ (square + square.T)
        _observed_products.products_at(known.indptr, known.indices, both, right, values)
        return values.copy()

    def adjoint(data: Vector) -> Vector:
        at.data = data
        square = left.T @ (at @ right)
        return (square + square.T).ravel()

    start = np.random.default_rng(0).standard_normal(k * k)
    move = (start - _seen_part(_operator((known.nnz, k * k), apply, adjoint), start)).reshape(k, k)
    scale = np.sqrt(len(left)), np.sqrt(len(right))  # the vectors have length one
    nothing = np.zeros((0, 2), dtype=np.int64)
    return Freedom(scale[0] * (left @ (move + move.T)), scale[1] * right, nothing)


class Parts(NamedTuple):
    """The connected part of each row and column, and which of them must be 0."""

    rows: Indices
    columns: Indices
    nil_rows: Mask
    nil_columns: Mask


def parts_of(known: Any) -> Parts:
    """Return the parts into which the known entries of a matrix of rank one fall.

    Two of them are connected by an entry that is known and not 0. If a 0 stands in a row that is
    not 0 as a whole, its column is: in rank one the entry is a product. A row or column of which
    neither is known has a part of its own.
    """
    m, n = known.shape
    rows = np.repeat(np.arange(m), np.diff(known.indptr))
    edge = known.data != 0.0
    ends = rows[edge], known.indices[edge] + m
    graph: Any = sparse.csr_array((np.ones(edge.sum()), ends), shape=(m + n, m + n))
    tags = cast("Indices", connected_components(graph, directed=False)[1])
    alive = np.zeros(m + n, dtype=np.bool_)
    alive[ends[0]] = alive[ends[1]] = True
    nil = np.zeros(m + n, dtype=np.bool_)
    zeros = rows[~edge], known.indices[~edge] + m
    np.logical_or.at(nil, zeros[1], alive[zeros[0]])
    np.logical_or.at(nil, zeros[0], alive[zeros[1]])
    nil &= ~alive  # where both are alive, the entries do not have rank one
    return Parts(tags[:m], tags[m:], nil[:m], nil[m:])


def freedom_of_parts(known: Any, parts: Parts) -> Freedom:
    """Return the freedom of a matrix of rank one: parts of the graph are scaled against each other.

    Its move is the difference of two random tags, exactly 0 within a part.
    """
    rows, columns, nil_rows, nil_columns = parts
    tags = np.random.default_rng(0).permutation(max(rows.max(), columns.max()) + 1).astype(float)
    left = np.column_stack([tags[rows], np.ones(len(rows))]) * ~nil_rows[:, np.newaxis]
    right = np.column_stack([np.ones(len(columns)), -tags[columns]]) * ~nil_columns[:, np.newaxis]
    here = np.repeat(np.arange(len(rows)), np.diff(known.indptr))
    places = np.column_stack([here, known.indices])
    moved = (left[places[:, 0]] * right[places[:, 1]]).sum(axis=1) != 0.0
    return Freedom(left, right, places[moved].astype(np.int64))


def _tangent(known: Any, left: Matrix, right: Matrix) -> LinearOperator:
    """Return the map from a move (A, B) to what it changes at the known places."""
    (m, n), k = known.shape, left.shape[1]
    at, values = known.copy(), np.empty(known.nnz)

    def apply(flat: Vector) -> Vector:
        rows, columns = flat[: k * m].reshape(m, k), flat[k * m :].reshape(n, k)
        pair = np.hstack([rows, left]), np.hstack([right, columns])
        _observed_products.products_at(known.indptr, known.indices, *pair, values)
        return values.copy()

    def adjoint(data: Vector) -> Vector:
        at.data = data
        return np.concatenate([(at @ right).ravel(), (at.T @ left).ravel()])

    return _operator((known.nnz, k * (m + n)), apply, adjoint)


def _operator(shape: tuple[int, int], apply: Any, adjoint: Any) -> LinearOperator:
    def forth(x: Any) -> Vector:
        return apply(np.ravel(x))

    def back(x: Any) -> Vector:
        return adjoint(np.ravel(x))

    make: Any = LinearOperator
    return make(shape, matvec=forth, rmatvec=back, dtype=np.float64)


def _seen_part(change: LinearOperator, start: Vector) -> Vector:
    """Return the part of a vector that the map sees: the rest is a random one that it does not."""
    n_known, n_moves = change.shape
    if n_known * n_moves * min(n_known, n_moves) <= _DENSE:
        table = np.column_stack([change.matvec(unit) for unit in np.eye(n_moves)])
        _, sizes, axes = linalg.svd(table, full_matrices=False)
        seen = axes[sizes > 1e-10 * max(float(sizes[0]), 1e-300)]
        return seen.T @ (seen @ start)
    solve: Any = lsmr
    return solve(change, change.matvec(start), atol=1e-13, btol=1e-13, conlim=0, maxiter=_STEPS)[0]


def _lengths(rows: Matrix) -> Matrix:
    return np.linalg.norm(rows, axis=1, keepdims=True)
