"""The cells of columns of a file of predictions, as claims take them; sets of labels."""

import math
from collections.abc import Iterable
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray
from pyarrow import types

from surelearn.app.errors import TableError
from surelearn.claims.coverage import in_set, label_of
from surelearn.claims.predictions import as_labels

NO_ANSWER, NO_NUMBER, NO_COUNT = "(no answer)", -(2**63), 2**64 - 1
"""What stands for an answer that is missing: a label that none is, in columns of each kind."""

_compute: Any = pc
_EXACT = 2**53  # beyond it not every whole number is one of the floats


def stand_in(column: NDArray[Any]) -> Any:
    """Return what stands for a missing answer in columns like this one.

    Examples
    --------
    >>> stand_in(np.array(["a"]))
    '(no answer)'
    """
    return {"i": NO_NUMBER, "f": NO_NUMBER, "u": NO_COUNT}.get(column.dtype.kind, NO_ANSWER)


def failed(column: NDArray[Any]) -> NDArray[Any]:
    """Return results in which one that is missing is failed.

    Examples
    --------
    >>> failed(np.array(["yes", "(no answer)"])).tolist()
    ['yes', 'failed']
    """
    texts = column.astype(str)
    without = np.isin(texts, [NO_ANSWER, str(NO_NUMBER), str(float(NO_NUMBER))])
    return np.where(without, "failed", texts)


def values(column: Any) -> NDArray[Any]:
    """Return the cells of a column; an answer that is missing becomes a label that none is.

    Examples
    --------
    >>> values(pa.chunked_array([["a", None]])).tolist()
    ['a', '(no answer)']
    >>> values(pa.chunked_array([[1, None]])).tolist()
    [1, -9223372036854775808]
    """
    kind = column.type
    if types.is_boolean(kind):
        if not column.null_count:
            return column.to_numpy()
        column = column.cast(pa.int64())
    if types.is_integer(column.type):
        return column.fill_null(NO_COUNT if types.is_uint64(kind) else NO_NUMBER).to_numpy()
    if types.is_floating(kind):
        found = column.fill_null(float(NO_NUMBER)).to_numpy()
        return np.where(np.isnan(found), float(NO_NUMBER), found)
    return _words(column)


def _words(column: Any) -> NDArray[Any]:
    """Return text, and moments as text: they are labels, whose differences are no errors."""
    if not types.is_dictionary(column.type):
        column = column.cast(pa.string()).dictionary_encode()
    chunk = column.unify_dictionaries().combine_chunks()
    names = [*chunk.dictionary.to_pylist(), NO_ANSWER]
    return as_labels(names)[chunk.indices.fill_null(len(names) - 1).to_numpy()]


def refuse_rounded(table: Any, labels: Iterable[tuple[str, str | None]]) -> None:
    """Refuse labels that were rounded when they were read: different ones may now be equal.

    Parameters
    ----------
    table
        The file.
    labels
        Roles and their columns, None where there is none.
    """
    for role, name in labels:
        if name is None or not types.is_floating(table.column(name).type):
            continue
        largest = _compute.max(_compute.abs(table.column(name))).as_py()
        if largest is not None and _EXACT <= largest < math.inf:
            raise TableError(
                f"column {name!r} for --{role} holds whole numbers beyond 2^53, which are rounded "
                "when they are read, so that different ones may become equal: write them as text, "
                "in a CSV file with a letter before each"
            )


def held(truth: NDArray[Any], sets: Any) -> NDArray[np.bool_]:
    """Return which truths are in their sets: cells that are lists, or texts of labels.

    Examples
    --------
    >>> held(np.array([1, 2, 3]), pa.chunked_array([[[1, 2], [], None]])).tolist()
    [True, False, False]
    """
    if not (types.is_list(sets.type) or types.is_large_list(sets.type)):
        return in_set(truth, values(sets))
    if types.is_nested(sets.type.value_type):
        raise ValueError("the sets hold lists within lists: a set is a list of labels")
    whole = pa.chunked_array(sets).combine_chunks() if sets.num_chunks != 1 else sets.chunk(0)
    flat = _compute.list_flatten(whole).dictionary_encode()
    rows = np.asarray(_compute.list_parent_indices(whole))
    names = [None if one is None else label_of(one) for one in flat.dictionary.to_pylist()]
    labels, places = np.unique(truth, return_inverse=True)
    known = {label_of(label): i for i, label in enumerate(labels.tolist())}
    codes = np.array([known.get(name, -1) if name is not None else -1 for name in names] + [-1])
    members = codes[flat.indices.fill_null(len(names)).to_numpy(zero_copy_only=False)]
    found = np.zeros(len(truth), dtype=np.bool_)
    found[rows[members == places[rows]]] = True
    if len(rows) and not np.any(members >= 0):
        raise ValueError("no set holds a label that is true of any row: are they other labels?")
    return found
