"""Cells of tables as 64 bits, equal ones for equal cells, as they are or rounded."""

import hashlib
import numbers
from collections.abc import Callable, Iterable
from contextlib import suppress
from datetime import UTC, datetime
from typing import Any, TypeAlias, cast

import narwhals as nw
import numpy as np
from numpy.typing import NDArray

from surelearn._jit.fingerprints import Hashes

Rounding: TypeAlias = Callable[[NDArray[Any]], NDArray[Any]]
"""What is done to numbers before they are compared."""

_EXACT = 2**53  # up to which all whole numbers are doubles
_BLOCK = 2**16  # cells looked at one by one
_TRUTH = {"true": 1.0, "false": 0.0}
_LONGEST_TRUTH = 5
_MISSING = np.array([np.nan]).view(np.uint64)[0]


def cell_bits(cells: NDArray[Any], *, rounding: Rounding | None = None) -> Hashes:
    """Return 64 bits for each cell of a column, equal ones for equal cells.

    Examples
    --------
    >>> first, other = np.array([0.0, np.nan, 3.0]), np.array([-0.0, None, 3], dtype=object)
    >>> bool((cell_bits(first) == cell_bits(other)).all())
    True
    """
    if cells.dtype.kind in "biuf":
        rounded = cells if rounding is None else rounding(cells)
        values = rounded.astype(np.float64) + 0.0  # one zero
        values[np.isnan(values)] = np.nan
        bits = values.view(np.uint64)
        if rounded.dtype.kind in "iu" and is_beyond_doubles(rounded):
            between = values.astype(object) != rounded.astype(object)
            bits[between] = spread(rounded[between].astype(np.uint64))
        return bits
    if cells.dtype.kind in "mM":
        return cells.astype(f"{cells.dtype.kind}8[us]").view(np.uint64)
    known: dict[Any, int] = {}
    found = np.empty(len(cells), dtype=np.uint64)
    for start in range(0, len(cells), _BLOCK):  # a list of all cells would be many times as large
        block = cells[start : start + _BLOCK].tolist()
        found[start : start + _BLOCK] = [_bits(cell, known, rounding) for cell in block]
    return found


def frame_cells(column: Any) -> Any:
    """Return a column of a data frame as an array, which has no whole numbers of 128 bits."""
    if column.dtype not in {nw.Int128, nw.UInt128}:
        try:
            return column.to_numpy()
        except NotImplementedError as error:  # Arrow's own, of unions
            raise ValueError(
                f"column {column.name!r} has a type that no learner reads ({error}); turn it into "
                "numbers or text first, or leave it out"
            ) from None
    cells = np.array(column.to_list(), dtype=object)
    with suppress(OverflowError, TypeError):  # too large, or missing
        return cells.astype(np.int64)
    return cells


def word_bits(words: Iterable[str], *, read: bool) -> Hashes:
    """Return 64 bits for each word.

    Where words may be read, one that reads like a number, a truth value or a moment has the bits of
    that: a program that reads a text file and writes another often leaves some columns as text.

    Examples
    --------
    >>> told = word_bits(["7", "TRUE", "2024-12-31", "2024-12-31T00:00:00"], read=True)
    >>> bool((told[:2] == cell_bits(np.array([7.0, 1.0]))).all()), bool(told[2] == told[3])
    (True, True)
    >>> bool((told[2:] == cell_bits(np.array(["2024-12-31"] * 2, "M8[D]"))).all())
    True
    """
    return np.array([_read(word) if read else _word(word) for word in words], dtype=np.uint64)


def to_single(values: NDArray[Any]) -> NDArray[Any]:
    """Return numbers in single precision."""
    with np.errstate(over="ignore"):  # what is larger than all of them is infinite
        return values.astype(np.float32)


def round_fractions(precision: Any, values: NDArray[Any]) -> NDArray[Any]:
    """Return numbers as they are in another precision, except whole ones.

    Examples
    --------
    >>> round_fractions(np.float16, np.array([5001.0, 0.1])).tolist()
    [5001.0, 0.0999755859375]
    """
    if values.dtype.kind != "f":
        return values
    with np.errstate(over="ignore", invalid="ignore"):
        rounded = values.astype(precision).astype(np.float64)
        return np.where(values % 1.0 == 0.0, values, rounded)


def is_beyond_doubles(values: NDArray[Any]) -> bool:
    """Return whether doubles cannot tell all of these whole numbers apart."""
    if values.dtype.itemsize < 8 or not values.size:
        return False
    return int(values.max()) > _EXACT or int(values.min()) < -_EXACT


def _bits(cell: Any, known: dict[Any, int], rounding: Rounding | None) -> int:
    try:
        found = known.get(cell)
    except TypeError:  # a list is a cell, too
        return _word(repr(cell))
    if found is None:
        found = known[cell] = _bits_of(cell, rounding)
    return found


def _bits_of(cell: Any, rounding: Rounding | None) -> int:
    if isinstance(cell, str):
        return _word(cell)
    if _is_missing(cell):
        return int(_MISSING)
    if isinstance(cell, numbers.Real):
        try:
            whole = cast("Any", cell)
            if isinstance(whole, int) and _EXACT < abs(whole) < 2**63:
                return int(cell_bits(np.array([cell]), rounding=rounding)[0])
            return _float(float(cell), rounding)
        except OverflowError:
            return _word(repr(cell))
    return _word(repr(cell))


def _is_missing(cell: Any) -> bool:
    try:
        return cell is None or bool(cell != cell)  # noqa: PLR0124 - NaN and NaT differ from themselves
    except (TypeError, ValueError, ArithmeticError):  # that of pandas, and decimals that signal
        return True


def _read(word: str) -> int:
    value = _TRUTH.get(word.lower()) if len(word) <= _LONGEST_TRUTH else None
    try:
        return _float(float(word) if value is None else value, to_single)
    except ValueError:
        moment = _moment(word) if word[4:5] == word[7:8] == "-" else None
        return _word(word) if moment is None else moment


def _moment(word: str) -> int | None:
    """Return the bits of a moment written as ISO 8601 has it; of a zone, in universal time."""
    try:
        moment = datetime.fromisoformat(word)
        if moment.tzinfo is not None:
            moment = moment.astimezone(UTC).replace(tzinfo=None)
    except (ValueError, OverflowError):
        return None
    return int(cell_bits(np.array([moment], dtype="M8[us]"))[0])


def _float(value: float, rounding: Rounding | None) -> int:
    return int(cell_bits(np.array([value]), rounding=rounding)[0])


def _word(word: str) -> int:
    digest = hashlib.blake2b(word.encode("utf-8", "surrogatepass"), digest_size=8).digest()
    return int.from_bytes(digest, "little")


def spread(values: Hashes) -> Hashes:
    """Return values whose bits are mixed well (the finaliser of splitmix64)."""
    values = (values ^ (values >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    values = (values ^ (values >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return values ^ (values >> np.uint64(31))
