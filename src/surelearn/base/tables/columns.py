"""One column of a table, of whatever library: numbers with NaN, or words by their places."""

from collections.abc import Sequence
from typing import Any, NamedTuple, TypeAlias, cast

import narwhals as nw
import numpy as np
from numpy.typing import NDArray

from surelearn._typing import Indices
from surelearn.base.fitting import missing

_EXACT = 2**53  # below it every whole number is a double


class Words(NamedTuple):
    """A column of text: its distinct words, and for each cell the place of its word among them.

    The words are an Arrow array, in any order and some perhaps unused; -1 is a missing cell.
    """

    words: Any
    places: NDArray[np.integer[Any]]

    def __len__(self) -> int:
        """Return the number of cells."""
        return len(self.places)

    def used(self) -> Indices:
        """Return the places of the words that stand in some cell."""
        counts = np.bincount(self.places[self.places >= 0], minlength=len(self.words))
        return np.flatnonzero(counts)


Column: TypeAlias = NDArray[Any] | Words
"""Numbers, NaN where one is missing, or words."""


def is_plain(kind: Any) -> bool:
    """Return whether columns of a type are read at once: doubles, and whole numbers."""
    return kind == nw.Float64 or kind.is_integer()


def of_frame(frame: Any, names: Sequence[str]) -> NDArray[np.float64] | None:
    """Return columns of doubles and whole numbers, given as a narwhals frame, as one matrix.

    None if a whole number may not be a double: then each column is to be looked at.
    """
    numbers = np.asarray(frame.to_numpy())
    if numbers.dtype.kind not in "iuf":
        return None
    exact = all(kind == nw.Float64 for kind in frame.schema.values())
    if not exact and not (np.abs(numbers[~np.isnan(numbers)]) < _EXACT).all():
        return None
    numbers = numbers.astype(np.float64, copy=False)
    infinite = np.flatnonzero(np.isinf(numbers).any(axis=0))
    if len(infinite):
        finite(numbers[:, infinite[0]], names[int(infinite[0])])
    return numbers


def of_series(series: Any, name: str) -> Column:
    """Return a column of a data frame, given as a narwhals series."""
    kind = series.dtype
    if kind.is_numeric() or kind == nw.Boolean:
        precision = nw.Float32 if kind == nw.Float32 else nw.Float64
        try:
            numbers = np.asarray(series.cast(precision).to_numpy())
        except ValueError as error:  # Arrow's own, of whole numbers that floats would round
            raise ValueError(
                f"column {name!r} cannot be read as floats ({error}): make it text, rescale it, or "
                "leave it out"
            ) from None
        return finite(numbers.astype(f"f{4 if kind == nw.Float32 else 8}", copy=False), name)
    if isinstance(kind, (nw.Categorical, nw.Enum, nw.String)):
        return _words_of(series, name)
    if kind == nw.Object:
        return of_cells(np.asarray(series.to_numpy(), dtype=object), name)
    if series.null_count() == len(series):  # a column of nulls has no type
        return np.full(len(series), np.nan)
    raise ValueError(
        f"column {name!r} has type {kind}; turn it into numbers or text first, or leave it out"
    )


def _words_of(series: Any, name: str) -> Column:
    """Return a column of text or categories; to Arrow, intervals and tuples are no text."""
    unnamed = ValueError(
        f"column {name!r} has categories that have no name as text, such as intervals, or are of "
        "several types: make them text first, or leave it out"
    )
    try:
        array = series.to_arrow()
    except (NotImplementedError, ValueError, TypeError) as error:
        raise unnamed from error
    try:
        return _words(array, name)
    except NotImplementedError as error:
        raise unnamed from error


def of_cells(cells: NDArray[Any], name: str) -> Column:
    """Return an array of objects or text as numbers or as words, never as a mixture.

    Examples
    --------
    >>> of_cells(np.array([1, None], dtype=object), "size")
    array([ 1., nan])
    >>> of_cells(np.array(["red", None, "red"], dtype=object), "colour").places
    array([ 0, -1,  0], dtype=int32)
    """
    import pyarrow as pa  # noqa: PLC0415 - only tables of objects and text need it

    if cells.dtype.kind == "S":
        cells = cells.astype(str)
    try:
        array = pa.array(np.ascontiguousarray(cells), from_pandas=True)
    except UnicodeEncodeError as error:
        raise ValueError(
            f"column {name!r} holds half a letter ({error.object[error.start]!a}), which is no "
            "text: read it in its encoding, or leave the column out"
        ) from None
    except (pa.ArrowInvalid, pa.ArrowTypeError, OverflowError):
        return _numbers(cells, name)
    if pa.types.is_string(array.type) or pa.types.is_large_string(array.type):
        return _words(array, name)
    return _numbers(cells, name)


def finite(numbers: NDArray[Any], name: str) -> NDArray[Any]:
    """Return the numbers unless one is infinite."""
    if np.isinf(numbers).any():
        raise ValueError(f"column {name!r} contains infinity; a missing value is NaN or None")
    return numbers


def _words(array: Any, name: str) -> Column:
    """Return an Arrow array of text, or of categories of any kind, as words if it has any."""
    import pyarrow as pa  # noqa: PLC0415 - only tables of objects and text need it

    if not pa.types.is_dictionary(array.type):
        array = array.dictionary_encode()
    if isinstance(array, pa.ChunkedArray):
        array = pa.concat_arrays(array.unify_dictionaries().chunks)
    places = array.indices.cast(pa.int32()).fill_null(-1).to_numpy()
    if len(places) and not -1 <= places.min() <= places.max() < len(array.dictionary):
        raise ValueError(
            f"column {name!r} is damaged: it refers to categories that its dictionary does not hold"
        )
    if array.dictionary.null_count:  # a missing cell may stand in the dictionary, too
        nothing = array.dictionary.is_null().to_numpy(zero_copy_only=False)
        places = np.where((places >= 0) & nothing[places], np.int32(-1), places)
    words = Words(array.dictionary.cast(pa.large_string()), places)
    used = words.words.take(words.used())
    if "" in used.to_pylist():
        raise ValueError(
            f"column {name!r} holds empty text; put None where a value is missing, or a word"
        )
    return words if len(used) else np.full(len(places), np.nan)


def _numbers(cells: NDArray[Any], name: str) -> NDArray[np.float64]:
    """Return the cells of a column of objects that are all numbers or missing."""
    if any(isinstance(value, str) for value in cells.tolist()):
        raise ValueError(
            f"column {name!r} mixes numbers and text; turn all of it into one or the other"
        )
    try:
        values = [np.nan if missing(value) else float(value) for value in cells.tolist()]
    except (TypeError, ValueError) as error:
        raise TypeError(
            f"column {name!r}: every cell must be a number, or all of them strings; {error}"
        ) from error
    except OverflowError:
        raise ValueError(f"column {name!r} holds a number too large for a float") from None
    return cast("NDArray[np.float64]", finite(np.array(values), name))
