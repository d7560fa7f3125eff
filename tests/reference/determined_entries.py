"""Which entries of a matrix of rank k the known ones determine, by the definition of a tangent."""

import numpy as np


def determined(known, left, right):
    """Return which entries no move A rightᵀ + left Bᵀ changes that changes no known one."""
    (m, n), k = known.shape, left.shape[1]
    rows = []
    for i in range(m):
        for j in range(n):
            move = np.zeros((m + n, k))
            move[i], move[m + j] = right[j], left[i]
            rows.append(move.ravel())
    table = np.array(rows).reshape(m, n, -1)
    seen = table[known]
    rank = np.linalg.matrix_rank(seen)
    return np.array(
        [
            [np.linalg.matrix_rank(np.vstack([seen, table[i, j]])) == rank for j in range(n)]
            for i in range(m)
        ]
    )


def connected(X):
    """Return for each entry whether a path of known entries that are not 0 joins row and column."""
    m, n = X.shape
    reach = [{i} for i in range(m + n)]
    edges = [(i, m + j) for i in range(m) for j in range(n) if not np.isnan(X[i, j]) and X[i, j]]
    for _ in range(m + n):
        for a, b in edges:
            reach[a] = reach[b] = reach[a] | reach[b]
    return np.array([[m + j in reach[i] for j in range(n)] for i in range(m)])


def alternating_least_squares(X, rank, columns, n_sweeps):
    """Return the completion after some sweeps of least squares, row by row and column by column."""
    known = ~np.isnan(X)
    rows = np.array([fit(columns[known[i]], X[i, known[i]]) for i in range(len(X))])
    for _ in range(n_sweeps):
        columns = np.array([fit(rows[known[:, j]], X[known[:, j], j]) for j in range(len(X.T))])
        rows = np.array([fit(columns[known[i]], X[i, known[i]]) for i in range(len(X))])
    assert rows.shape[1] == rank
    return rows @ columns.T


def fit(factors, values):
    """Return the shortest least-squares solution."""
    return np.linalg.pinv(factors) @ values
