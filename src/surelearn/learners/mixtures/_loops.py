"""The loops of Gaussian mixtures, over chunks of rows stored column by column.

A chunk holds one feature per line, so that the innermost loops run over rows and become vector
instructions. Both loops work with differences to the means: nothing large is subtracted from
something large, however far the components lie apart.

Matrices are lower triangular and stored as bands that end on the diagonal: entry (a, b) stands at
`[a, b - first]` with first = max(0, a + 1 - width). A width of d holds a whole triangle, a width of
1 a diagonal.
"""

from surelearn._jit import jit
from surelearn._typing import Matrix, Vector


@jit
def log_densities(
    columns: Matrix, means: Matrix, whitenings: Matrix, heights: Vector, z: Vector, out: Matrix
) -> None:
    """Write height - |W(x - mean)|²/2 for each component and row; W is a band, z is scratch."""
    d, n = columns.shape
    for start in range(0, n, len(z)):
        m = min(len(z), n - start)
        for k in range(len(means)):
            density = out[k, start : start + m]
            density[:] = heights[k]
            for a in range(d):
                z[:] = 0.0  # line a of W(x - mean), for m rows at once
                first = max(0, a + 1 - whitenings.shape[2])
                for b in range(first, a + 1):
                    column = columns[b, start : start + m]
                    mean, weight = means[k, b], whitenings[k, a, b - first]
                    for i in range(m):
                        z[i] += weight * (column[i] - mean)
                for i in range(m):
                    density[i] -= 0.5 * z[i] * z[i]


@jit
def moments(
    columns: Matrix, means: Matrix, shares: Matrix, z: Vector, firsts: Matrix, seconds: Matrix
) -> None:
    """Add the sums of r(x - mean) and, as bands, of r(x - mean)(x - mean)' to the last two."""
    d, n = columns.shape
    for start in range(0, n, len(z)):
        m = min(len(z), n - start)
        for k in range(len(means)):
            share = shares[k, start : start + m]
            for a in range(d):
                column, mean, total = columns[a, start : start + m], means[k, a], 0.0
                # z keeps r(x_a - mean_a), which every product with a column b <= a takes up again.
                for i in range(m):
                    z[i] = share[i] * (column[i] - mean)
                for i in range(m):
                    total += z[i]
                firsts[k, a] += total
                first = max(0, a + 1 - seconds.shape[2])
                for b in range(first, a + 1):
                    column, mean, total = columns[b, start : start + m], means[k, b], 0.0
                    for i in range(m):
                        total += z[i] * (column[i] - mean)
                    seconds[k, a, b - first] += total


@jit
def invert(factors: Matrix, inverses: Matrix) -> None:
    """Write the inverse of each lower triangular matrix, by substitution; the rest stays as it is.

    LAPACK's own wakes all threads of BLAS, even for a matrix of ten by ten.
    """
    for k in range(len(factors)):
        factor, inverse = factors[k], inverses[k]
        for j in range(len(factor)):
            inverse[j, j] = 1.0 / factor[j, j]  # column j, from the diagonal down
            for i in range(j + 1, len(factor)):
                total = 0.0
                for m in range(j, i):
                    total += factor[i, m] * inverse[m, j]
                inverse[i, j] = -total / factor[i, i]
