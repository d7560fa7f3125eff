"""How points are read: vectors and bits as rows of a table, strings as a list."""

from collections.abc import Sequence
from typing import Any, Literal, TypeAlias, cast

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from surelearn import _arguments
from surelearn._jit import sparse_products
from surelearn._jit.sound_matrices import sound
from surelearn._typing import Indices, Matrix, Vector

Domain: TypeAlias = Literal["vectors", "bits", "strings", "any"]
"""Which points a kernel reads."""

Rows: TypeAlias = Any
"""A dense table or a CSR one, float32 or float64; SciPy's arrays have no common type."""


def vectors(X: Any, Z: Any = None) -> tuple[Rows, Rows]:
    """Return both tables, finite, of one width and one type; `Z` left out is `X`."""
    x = _table("X", X)
    if Z is None:
        return x, x
    z = _table("Z", Z)
    if z.shape[1] != x.shape[1]:
        raise ValueError(
            f"X has {x.shape[1]} columns and Z has {z.shape[1]}: points must have one width"
        )
    if x.dtype != z.dtype:
        x, z = x.astype(np.float64), z.astype(np.float64)
    return x, z


def bits(X: Any, Z: Any = None) -> tuple[Rows, Rows]:
    """Return both tables, if all entries are 0 or 1, in float64: single precision is too small."""
    x, z = vectors(X, Z)
    if not (are_bits(x) and are_bits(z)):
        raise ValueError("X and Z must hold only 0 and 1")
    wide = x.astype(np.float64, copy=False)
    return wide, wide if z is x else z.astype(np.float64, copy=False)


def are_bits(rows: Rows) -> bool:
    """Whether all entries are 0 or 1."""
    entries = _entries(rows)
    return bool(((entries == 0.0) | (entries == 1.0)).all())


class Strings(Sequence[str]):
    """Strings read once: the characters of all in a row, and where each string starts and ends.

    Examples
    --------
    >>> list(Strings(*strings("X", ["cat", "", "dog"])))
    ['cat', '', 'dog']
    """

    def __init__(self, codes: NDArray[np.uint32], ends: Indices) -> None:
        self.codes, self.ends = codes, ends

    def __len__(self) -> int:
        return len(self.ends) - 1

    def __getitem__(self, place: Any) -> Any:
        """Return one string; a slice gives a list."""
        if isinstance(place, slice):
            return [self[i] for i in range(*place.indices(len(self)))]
        i = range(len(self))[place]
        return "".join(map(chr, self.codes[self.ends[i] : self.ends[i + 1]].tolist()))


def strings(name: str, points: Any) -> tuple[NDArray[np.uint32], Indices]:
    """Return the characters of all strings in a row, and where each string starts and ends."""
    if isinstance(points, Strings):
        return points.codes, points.ends
    if isinstance(points, str) or np.ndim(points) != 1 or len(points) == 0:
        raise ValueError(f"{name} must be a non-empty list of strings")
    texts = cast("Sequence[Any]", points)
    if not all(isinstance(text, str) for text in texts):
        raise ValueError(f"{name} must hold only strings")
    joined = "".join(texts).encode("utf-32-le", errors="surrogatepass")
    ends = np.cumsum([0, *(len(text) for text in texts)], dtype=np.int64)
    return np.frombuffer(joined, dtype=np.uint32), ends


def inner(x: Rows, z: Rows, out: Matrix) -> None:
    """Write the inner products of the rows of `x` with those of `z` to `out`."""
    if isinstance(x, np.ndarray) and isinstance(z, np.ndarray):
        np.matmul(x, z.T, out=out)
    elif not (isinstance(x, np.ndarray) or isinstance(z, np.ndarray)):
        dtype = x.dtype  # pyright: ignore[reportAttributeAccessIssue]
        products = np.zeros(out.shape, dtype)  # `out` may be a part of a table: slow to add to
        sparse_products.add_products(x, sparse_products.turned(z), products)
        out[...] = products
    else:
        out[...] = x @ z.T


def squared_norms(rows: Rows) -> Vector:
    """Return the squared length of each row."""
    if isinstance(rows, np.ndarray):
        return np.einsum("ij,ij->i", rows, rows)
    return np.asarray(rows.multiply(rows).sum(axis=1)).ravel()


def beside(rows: Rows, *columns: Vector | float) -> Rows:
    """Return the table with columns appended, of the same type."""
    extra = np.empty((rows.shape[0], len(columns)), dtype=rows.dtype)
    for j, column in enumerate(columns):
        extra[:, j] = column
    if isinstance(rows, np.ndarray):
        return np.concatenate([rows, extra], axis=1)
    return sparse.hstack([rows, sparse.csr_array(extra)], format="csr")


def dense(rows: Rows) -> Matrix:
    """Return the rows as a dense table."""
    return rows if isinstance(rows, np.ndarray) else rows.toarray()


def _table(name: str, points: Any) -> Rows:
    sure = sound(points)
    ready = sparse.issparse(sure) or (type(sure) is np.ndarray and sure.dtype.kind == "f")
    rows: Any = sure if ready else _arguments.numbers(name, sure)
    if rows.ndim != 2 or 0 in rows.shape:
        raise ValueError(
            f"{name} of shape {rows.shape} must be a table with a row for each point and at least "
            "one row and one column"
        )
    if rows.dtype.name not in {"float32", "float64"}:
        rows = rows.astype(np.float64)
    if not np.isfinite(_entries(rows)).all():
        raise ValueError(f"{name} must hold finite numbers; it holds NaN or infinity")
    return rows


def _entries(rows: Rows) -> Vector:
    return rows if isinstance(rows, np.ndarray) else rows.data
