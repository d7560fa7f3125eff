"""Columns of text cells that come in blocks: each gets the narrowest type all its cells allow."""

from collections.abc import Iterable
from typing import Any, Literal, TypeAlias

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from surelearn._typing import Indices
from surelearn.app.tables.memory_mapped import forget_pages, on_disk
from surelearn.app.tables.notes import Note

_compute: Any = pc  # its functions are made when it is imported, so no type checker knows them

Kind: TypeAlias = Literal["integer", "number", "boolean", "date", "moment", "text"]

TEXT = pa.dictionary(pa.int32(), pa.string())
"""How text is held: each word once, and for each cell its place among them."""

_TYPES: dict[Kind, Any] = {
    "integer": pa.int64(),
    "number": pa.float64(),
    "boolean": pa.bool_(),
    "date": pa.timestamp("us"),
    "moment": pa.timestamp("us", tz="UTC"),
    "text": TEXT,
}
_MAY_BECOME: dict[Kind | None, tuple[Kind, ...]] = {
    None: ("integer", "number", "boolean", "date", "moment", "text"),
    "integer": ("integer", "number"),
    **{kind: (kind,) for kind in ("number", "boolean", "date", "moment", "text")},
}
_A_CODE = r"^[+-]?0[0-9]+$"  # 007 and 02134 are names, not quantities
_A_NUMBER = r"^[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?$"
_GROUPED = r"[0-9]{1,3}([,.' \x{a0}\x{202f}][0-9]{3})+([.,][0-9]+)?"  # 1,234,567 and 1.234,50
_A_QUANTITY = rf"^[+-]?(\p{{Sc}} ?)?(([0-9]+|{_GROUPED})([.,][0-9]+)?)( ?(%|\p{{Sc}}))?$"


class GrowingColumn:
    """One column, block by block.

    Parameters
    ----------
    text
        Whether it is text whatever its cells look like.
    decimal
        What separates the whole from the fraction of a number.

    Examples
    --------
    >>> column = GrowingColumn()
    >>> column.add(pa.array(["1", None]))
    >>> column.add(pa.array(["2.5"]))
    >>> column.finish().to_pylist()
    [1.0, None, 2.5]
    >>> column.add(pa.array(["many"]))
    >>> column.was_too_narrow
    True
    """

    def __init__(self, *, text: bool = False, decimal: str = ".") -> None:
        self._kind: Kind | None = "text" if text else None
        self._decimal = decimal
        self._on_disk: list[Any] = []
        self._chunks: list[Any] = []
        self._n_bytes = 0  # counted as chunks come: each block asks
        self.was_too_narrow = False

    @property
    def is_on_disk(self) -> bool:
        """Whether some of it was moved to disk."""
        return bool(self._on_disk)

    @property
    def nbytes(self) -> int:
        """The memory it takes."""
        return self._n_bytes

    def add(self, cells: Any) -> None:
        """Take in the next block of text cells, null where one is missing."""
        if self.was_too_narrow:
            return
        if cells.null_count == len(cells):
            self._keep(pa.nulls(len(cells)))
            return
        for kind in _MAY_BECOME[self._kind]:
            read = _read(cells, kind, self._decimal)
            if read is not None:
                self._kind = kind
                self._keep(read)
                return
        self.was_too_narrow = True  # its words are gone: it has to be read again, as text
        self._on_disk.clear()
        self._forget()

    def _keep(self, chunk: Any) -> None:
        self._chunks.append(chunk)
        self._n_bytes += chunk.nbytes

    def _forget(self) -> None:
        self._chunks.clear()
        self._n_bytes = 0

    def finish(self) -> Any:
        """Return the whole column."""
        return self._joined([*self._on_disk, *self._chunks])

    def in_memory(self) -> Any:
        """Return the part that is not on disk, in one piece."""
        return self._joined(self._chunks).combine_chunks()

    def replace_by(self, cells: Any) -> None:
        """Replace the part that is not on disk by the same cells on disk."""
        self._forget()
        self._on_disk.extend(cells.chunks)

    def _joined(self, chunks: list[Any]) -> Any:
        """Return chunks as a column of the kind that was found so far."""
        final = pa.null() if self._kind is None else _TYPES[self._kind]
        column = pa.chunked_array([_as(chunk, final) for chunk in chunks], final)
        return column.unify_dictionaries() if final == TEXT else column


def move_to_disk(columns: Iterable[GrowingColumn]) -> None:
    """Free the memory that columns of as many cells each take."""
    moved = {str(i): column for i, column in enumerate(columns) if not column.was_too_narrow}
    table = on_disk(pa.table({name: column.in_memory() for name, column in moved.items()}))
    for name, column in moved.items():
        column.replace_by(table.column(name))
    forget_pages()


def _as(chunk: Any, final: Any) -> Any:
    if chunk.type == final:
        return chunk
    return pa.nulls(len(chunk), final) if chunk.null_count == len(chunk) else chunk.cast(final)


def _read(cells: Any, kind: Kind, decimal: str) -> Any:
    """Return the cells as a kind, or None if one of them is of another."""
    if kind == "text":
        return cells.dictionary_encode()
    if kind == "boolean":
        words = _compute.utf8_lower(cells)
        known = _compute.is_in(words, value_set=pa.array(["true", "false", None], pa.string()))
        return _compute.equal(words, "true") if _compute.all(known).as_py() else None
    number = kind in {"integer", "number"}
    plain = with_points(cells, decimal) if number else cells
    try:
        plain.slice(0, 64).cast(_TYPES[kind])  # each cell that does not fit costs microseconds
        read = plain.cast(_TYPES[kind])
    except pa.ArrowInvalid:
        return None
    return None if number and _compute.any(_matches(cells, _A_CODE)).as_py() else read


def with_points(words: Any, decimal: str) -> Any:
    """Return words with the decimal sign of the file as a decimal point, and the other way round.

    Examples
    --------
    >>> with_points(pa.array(["1,5", "1.500", None]), ",").to_pylist()
    ['1.5', '1,500', None]
    """
    if decimal == ".":
        return words
    aside = _compute.replace_substring(words, ".", "\0")
    return _compute.replace_substring(_compute.replace_substring(aside, ",", "."), "\0", ",")


def narrowest(words: Any, decimal: str = ".") -> Kind | None:
    """Return the narrowest kind that fits all words; None if all are missing.

    Examples
    --------
    >>> narrowest(pa.array(["1", None])), narrowest(pa.array(["1", "02"])), narrowest(pa.array([]))
    ('integer', 'text', None)
    """
    known = words.cast(pa.string()).drop_null()
    if len(known) == 0:
        return None
    return next(kind for kind in _MAY_BECOME[None] if _read(known, kind, decimal) is not None)


def numbers_among(words: Any) -> Any:
    """Return which words are numbers.

    Examples
    --------
    >>> numbers_among(pa.array(["1", "-2.5e3", "many", ".", "1,5"])).to_pylist()
    [True, True, False, False, False]
    """
    return _matches(words, _A_NUMBER)


def describe_mixture(column: Any, name: str, decimal: str = ".") -> Note | None:
    """Return why a column is text although most of its cells are numbers, or look like some."""
    whole = pa.concat_arrays(column.chunks) if column.num_chunks else None
    if whole is None or len(whole.dictionary) == 0:
        return None
    places = whole.indices.fill_null(-1).to_numpy()
    plain = with_points(whole.dictionary, decimal)
    number = np.append(numbers_among(plain).to_numpy(zero_copy_only=False), True)
    n_words, n_cells = int((~number[places]).sum()), int((places >= 0).sum())
    about = f"column {name!r}"
    if n_words == 0:
        code = _matches(whole.dictionary, _A_CODE).to_numpy(zero_copy_only=False)
        if not code.any():
            return None
        word = whole.dictionary[int(np.argmax(code))].as_py()
        return Note(about, "text", f"it holds {word!r}: leading zeros make codes, not quantities")
    row = int(np.argmax(~number[places]))
    word = whole[row].as_py()
    if reason := _looks_like_numbers(whole.dictionary, np.bincount(places[~number[places]])):
        return Note(about, "text", *reason)
    if 2 * n_words > n_cells:
        return None
    why = f"row {row + 1:,} holds {word!r}; {n_words:,} of its {n_cells:,} cells are no numbers"
    return Note(about, "text", why, f"--missing {word!r} if that stands for a missing value")


def _looks_like_numbers(words: Any, counts: Indices) -> tuple[str, ...]:
    """Return why words that are no numbers look so, and the remedy; nothing if few of them do.

    Parameters
    ----------
    words, counts
        The words, and in how many cells each of them stands.
    """
    words, counts = words.take(np.flatnonzero(counts)), counts[counts > 0]

    def most(matched: Any) -> str:
        """Return one of the words matched if they are more than half of the cells."""
        found = matched.to_numpy(zero_copy_only=False)
        return (
            words[int(np.argmax(found))].as_py() if 2 * counts[found].sum() > counts.sum() else ""
        )

    grouped = _compute.all(_matches(words, rf"^[+-]?{_GROUPED}$")).as_py()
    for decimal, sign in ((".", "point"), (",", "comma")):
        word = most(numbers_among(with_points(words, decimal)))
        if word and not grouped:
            return f"numbers such as {word!r} have a decimal {sign}", f"--decimal {decimal}"
    word = most(_matches(words, _A_QUANTITY))
    why = (
        f"cells such as {word!r} are not read as numbers: take signs of currency, percent and "
        "thousands out of the file if they are quantities"
    )
    return (why,) if word else ()


def _matches(words: Any, pattern: str) -> Any:
    return _compute.match_substring_regex(words, pattern)
