"""Strings as sparse rows, so that what keeps, stores and compares rows need not know of them.

Character j of a string is entry j of its row: its code point plus 1, since 0 would be no entry.
"""

from typing import Any

import numpy as np
from scipy import sparse

from surelearn._jit.sound_matrices import sound
from surelearn.kernels import Kernel
from surelearn.kernels._points import Strings, strings

LONGEST = 2**24
"""The width of every such table: no string may be longer."""


def entering(kernel: Kernel, X: Any) -> Any:
    """Return the rows that a kernel is to read, strings as a sparse table; refuse the wrong kind.

    Examples
    --------
    >>> from surelearn.kernels import Subsequence
    >>> entering(Subsequence(), ["ab", "c"]).data.tolist()
    [98.0, 99.0, 100.0]
    """
    if kernel.domain == "strings":
        return _encoded(X, kernel)
    if not sparse.issparse(X) and _are_strings(X):
        raise ValueError(
            f"X is a list of strings, and {kernel!r} reads rows of numbers; take a kernel of "
            "strings, such as kernels.Subsequence().normalised()"
        )
    return X


def readable(kernel: Kernel, table: Any) -> Any:
    """Return a checked table as its kernel reads it.

    Examples
    --------
    >>> from surelearn.kernels import Subsequence
    >>> list(readable(Subsequence(), entering(Subsequence(), ["ab", "c"])))
    ['ab', 'c']
    """
    if kernel.domain != "strings":
        return table
    return Strings((table.data - 1.0).astype(np.uint32), table.indptr.astype(np.int64))


def one(kernel: Kernel, x: Any) -> Any:
    """Return a single row as it enters: a string is a list of one."""
    return [x] if kernel.domain == "strings" and isinstance(x, str) else x


def refuse_forged(rows: Any) -> None:
    """Refuse a table that no strings have become, as a forged model file may hold it."""
    if rows.shape[0] == 0:
        return
    if not sparse.issparse(rows):
        raise ValueError("the strings that it remembers are no sparse table")
    table: Any = rows
    codes, ends = table.data, table.indptr
    places = np.arange(len(codes)) - np.repeat(ends[:-1], np.diff(ends))
    whole = (codes == np.floor(codes)) & (codes >= 1.0) & (codes <= 0x110000)
    if not whole.all() or not np.array_equal(table.indices, places):
        raise ValueError("the strings that it remembers have no characters, or holes")


def _encoded(X: Any, kernel: Kernel) -> Any:
    X = sound(X)
    if sparse.issparse(X) or not _are_strings(X):
        raise ValueError(
            f"{kernel!r} reads strings: X must be a non-empty list of them, without missing ones; "
            "numbers need another kernel, such as kernels.Gaussian()"
        )
    codes, ends = strings("X", X if isinstance(X, list) else list(X))
    lengths = np.diff(ends)
    if lengths.max() > LONGEST:
        raise ValueError(f"a string has {lengths.max()} characters; at most {LONGEST} can be read")
    places = np.arange(len(codes)) - np.repeat(ends[:-1], lengths)
    shape = (len(lengths), LONGEST)
    return sparse.csr_array((codes + 1.0, places.astype(np.int32), ends.astype(np.int32)), shape)


def _are_strings(X: Any) -> bool:
    """Return whether these are one or more strings side by side, whatever holds them."""
    if isinstance(X, (str, bytes, dict, type)) or not hasattr(X, "__len__"):
        return False
    if getattr(X, "ndim", 1) != 1 or hasattr(X, "columns") or len(X) == 0:
        return False
    return all(isinstance(text, str) for text in X)
