"""Matrices as others hand them over: compiled code believes what they say, so it must be true.

SciPy looks at a sparse matrix when it is made and never again. Its arrays may be changed later, and
its notes that entries are sorted and stored once may be stale. `sound` believes neither: one pass
over the indices finds out.
"""

import operator
import os
from collections.abc import Callable
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from surelearn._jit._decorator import jit

_BROKEN, _LOOSE, _CANONICAL = 0, 1, 2
_REFUSAL = (
    "the sparse matrix is broken: its indices are not all columns, or its indptr does not grow "
    "from 0 to their number; its check_format() says more. Build it anew"
)
_MOST_NARROW = np.iinfo(np.int32).max
_SIZES = (np.dtype(np.int32), np.dtype(np.int64))  # of indices that loops are compiled for
_MEMORY = (  # bytes; where nobody tells, as much as a machine can name
    os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") if hasattr(os, "sysconf") else 2**63
)
_OTHERS = (list, tuple)  # whose rows may be masked arrays


def sound(X: Any) -> Any:
    """Return sparse rows as CSR, each entry once and in its place, and masked cells as missing.

    What is sound already, and what is neither sparse nor masked, is returned as it is. The argument
    never changes.

    Examples
    --------
    >>> twice = sparse.csr_array((np.ones(2), np.array([1, 1]), np.array([0, 2])), shape=(1, 2))
    >>> twice.has_canonical_format = True
    >>> sound(twice).data, len(twice.data)
    (array([2.]), 2)
    >>> twice.indices[0] = 7
    >>> sound(twice)
    Traceback (most recent call last):
    ValueError: the sparse matrix is broken: its indices are not all columns, or its indptr does not
    grow from 0 to their number; its check_format() says more. Build it anew
    """
    if type(X) is np.ndarray:
        return X
    if isinstance(X, np.memmap):
        _refuse_shortened(cast("Any", X))
    if hasattr(X, "collect") and not hasattr(X, "shape"):
        raise TypeError("a lazy data frame holds no rows yet: call its collect() first")
    if sparse.issparse(X):
        _refuse_endless(cast("Any", X).shape)
        return _sound_sparse(cast("Any", X))
    if isinstance(X, np.ma.MaskedArray):
        return unmasked(cast("Any", X))
    if isinstance(X, _OTHERS) and any(isinstance(row, np.ma.MaskedArray) for row in X):
        return unmasked(cast("Any", np.ma.array(X)))
    return X


def _refuse_shortened(X: Any) -> None:
    """Refuse rows of a mapped file that was cut short since: reading them kills the process."""
    mapped = getattr(X, "_mmap", None)
    if mapped is not None and mapped.size() < len(mapped):
        raise ValueError(
            f"the file {X.filename} has become shorter than the array that is mapped from it: map "
            "it anew"
        )


def _refuse_endless(shape: tuple[int, ...]) -> None:
    """Refuse rows or columns for which a number each would not fit into this machine's memory."""
    for size, what, remedy in (
        (shape[0], "rows: a place", "Leave out those that are empty"),
        (shape[-1], "columns: a weight", "Number those that are used, or hash them into fewer"),
    ):
        if 8 * size > _MEMORY:
            raise ValueError(
                f"the sparse matrix has {size:,} {what} for each takes {8 * size / 1e9:,.0f} GB, "
                f"and this machine has {_MEMORY / 1e9:,.0f}. {remedy}"
            )


def unmasked(X: Any) -> NDArray[Any]:
    """Return a masked array with NaN, or None among objects and text, where a cell is masked.

    Examples
    --------
    >>> unmasked(np.ma.array([1, 2], mask=[False, True]))
    array([ 1., nan])
    """
    plain = np.asarray(X.data)
    mask: Any = np.ma.getmaskarray(X)
    if X.dtype.names or not mask.any():
        return plain
    number = X.dtype.kind in "biuf"
    kind: Any = (X.dtype if X.dtype.kind == "f" else np.float64) if number else object
    filled = plain.astype(kind)
    filled[mask] = np.nan if number else None
    return filled


def _sound_sparse(X: Any) -> Any:
    if X.ndim != 2:
        raise ValueError(
            f"the sparse array has shape {X.shape}, and a table has rows and columns: for one row, "
            "reshape(1, -1) makes it one"
        )
    if X.format == "csr":
        return _sound_csr(X)
    try:
        return _sound_csr(_AS_CSR[X.format](X))
    except (AttributeError, IndexError, OverflowError, TypeError) as error:
        raise ValueError(_REFUSAL) from error


def _sound_csr(X: Any) -> Any:
    """Return the matrix itself if it is sound, one made anew if it can be made so."""
    *parts, form = _checked(X.data, X.indices, X.indptr, X.shape)
    n, given = int(parts[2][-1]), (X.data, X.indices, X.indptr)
    narrow = parts[1].dtype == np.int32 or max(n, *X.shape) > _MOST_NARROW
    if (
        form == _CANONICAL
        and narrow
        and n == len(parts[0])
        and all(map(operator.is_, parts, given))
    ):
        return X  # others get indices of 32 bits if these suffice, as SciPy's own have
    make: Any = sparse.csr_matrix if sparse.isspmatrix(X) else sparse.csr_array
    return _made_anew(make, *parts, shape=X.shape, form=form)


def _made_anew(
    make: Any, data: Any, indices: Any, indptr: Any, *, shape: tuple[int, int], form: int
) -> Any:
    n = int(indptr[-1])
    anew = make((data[:n], indices[:n], indptr), shape=shape, copy=form != _CANONICAL)
    anew.sum_duplicates()  # it has no stale notes, so this is done if it needs to be
    return anew


def _checked(
    data: Any, indices: Any, indptr: Any, shape: tuple[int, int], n_dims: int = 1
) -> tuple[Any, Any, Any, int]:
    """Return the arrays of compressed rows, each in a type we know, and the form they have."""
    data, indices, indptr = _numbers(data), _places(indices), _places(indptr)
    if indices.dtype != indptr.dtype:
        indices, indptr = indices.astype(np.int64), indptr.astype(np.int64)
    if data.ndim != n_dims or len(data) != len(indices) or len(indptr) != shape[0] + 1:
        raise ValueError(_REFUSAL)
    form = form_of(indices, indptr, shape[1])
    if form == _BROKEN:
        raise ValueError(_REFUSAL)
    return data, indices, indptr, form


def _numbers(data: Any) -> NDArray[Any]:
    """Return the entries of a sparse matrix in a type that SciPy's routines know."""
    if type(data) is not np.ndarray:
        data = unmasked(np.ma.asarray(data))
    kind = data.dtype
    if kind.kind not in "biufcO":
        raise ValueError(f"the sparse matrix holds {kind}, where numbers belong")
    if kind.kind == "O" or kind.char == "e":
        try:
            return data.astype(np.float64)
        except (TypeError, ValueError) as error:
            raise ValueError(f"the sparse matrix holds what is no number: {error}") from error
    return data if kind.isnative else data.astype(kind.newbyteorder("="))


def _places(places: Any) -> NDArray[Any]:
    """Return indices that compiled code can follow; what is no array of integers is refused."""
    if type(places) is np.ndarray and places.dtype in _SIZES and places.flags.c_contiguous:
        return places if places.dtype.isnative else places.astype(places.dtype.newbyteorder("="))
    array = np.asarray(places)
    if array.dtype.kind not in "iu" or array.ndim != 1:
        raise ValueError(_REFUSAL)
    return np.ascontiguousarray(array, dtype=np.int64)  # beyond 2^63 it is negative, and refused


@jit
def form_of(
    indices: NDArray[np.integer[Any]], indptr: NDArray[np.integer[Any]], n_columns: int
) -> int:
    """Return 0 for sparse rows that are broken, 2 if each is sorted without duplicates, else 1.

    Sorted rows fall from one index to the next only where a row begins, and need a look at their
    ends alone: the long loop is one comparison per entry.
    """
    broken = (indptr[0] != 0) | (indptr[-1] > len(indices))
    for t in range(len(indptr) - 1):
        broken |= indptr[t] > indptr[t + 1]
    if broken:
        return 0
    n, falls = indptr[-1], 0
    for i in range(1, n):
        falls += indices[i] <= indices[i - 1]
    outside = False
    for t in range(len(indptr) - 1):
        first, last = indptr[t], indptr[t + 1]
        if first < last:
            falls -= first > 0 and indices[first] <= indices[first - 1]
            outside |= (indices[first] < 0) | (indices[last - 1] >= n_columns)
    if falls == 0:
        return 0 if outside else 2
    return 1 if _are_columns(indices[:n], n_columns) else 0


@jit
def _are_columns(indices: NDArray[np.integer[Any]], n_columns: int) -> bool:
    """Say whether every index is that of a column."""
    broken = False
    for i in range(len(indices)):
        broken |= (indices[i] < 0) | (indices[i] >= n_columns)
    return not broken


def _from_csc(X: Any) -> Any:
    """Return columns as rows: they are the rows of the transpose."""
    n_rows, n_columns = X.shape
    *parts, form = _checked(X.data, X.indices, X.indptr, (n_columns, n_rows))
    make: Any = sparse.csr_matrix if sparse.isspmatrix(X) else sparse.csr_array
    return _made_anew(make, *parts, shape=(n_columns, n_rows), form=form).T.tocsr()


def _from_bsr(X: Any) -> Any:
    """Return blocks as rows; they lie in a table of blocks."""
    if np.ndim(X.data) != 3:
        raise ValueError(_REFUSAL)
    (n_rows, n_columns), (height, width) = X.shape, X.data.shape[1:]
    if not height or not width or n_rows % height or n_columns % width:
        raise ValueError(_REFUSAL)
    shape = n_rows // height, n_columns // width
    data, indices, indptr, _ = _checked(X.data, X.indices, X.indptr, shape, n_dims=3)
    n = int(indptr[-1])
    make: Any = sparse.bsr_matrix if sparse.isspmatrix(X) else sparse.bsr_array
    return make((data[:n], indices[:n], indptr), shape=X.shape).tocsr()


def _from_coo(X: Any) -> Any:
    """Return entries as rows, if each stands at a place of the matrix."""
    data, *places = _numbers(X.data), *map(_places, (X.row, X.col))
    for place, size in zip(places, X.shape, strict=True):
        if data.shape != place.shape or not _are_columns(place, size):
            raise ValueError(_REFUSAL)
    make: Any = sparse.coo_matrix if sparse.isspmatrix(X) else sparse.coo_array
    return make((data, tuple(places)), shape=X.shape).tocsr()


def _from_dia(X: Any) -> Any:
    """Return diagonals as rows; one beside the matrix is left out."""
    data, offsets = _numbers(X.data), _places(X.offsets)
    if data.ndim != 2 or len(data) != len(offsets):
        raise ValueError(_REFUSAL)
    inside = (offsets > -X.shape[0]) & (offsets < X.shape[1])
    make: Any = sparse.dia_matrix if sparse.isspmatrix(X) else sparse.dia_array
    return make((data[inside], offsets[inside]), shape=X.shape).tocsr()


def _from_lil(X: Any) -> Any:
    """Return lists as rows, if each has as many places as values."""
    lists = list(zip(X.rows, X.data, strict=True))
    if len(lists) != X.shape[0] or any(len(places) != len(values) for places, values in lists):
        raise ValueError(_REFUSAL)
    return X.tocsr()


def _from_dok(X: Any) -> Any:
    return _from_coo(X.tocoo())


_AS_CSR: dict[str, Callable[[Any], Any]] = {
    "bsr": _from_bsr,
    "coo": _from_coo,
    "csc": _from_csc,
    "dia": _from_dia,
    "dok": _from_dok,
    "lil": _from_lil,
}
