"""Columns of text cells that come in blocks: each gets the narrowest type all its cells allow."""

from typing import Any, Literal, TypeAlias

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from surelearn.app._notes import Note

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


class GrowingColumn:
    """One column, block by block.

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

    def __init__(self, *, text: bool = False) -> None:
        self._kind: Kind | None = "text" if text else None
        self._chunks: list[Any] = []
        self.was_too_narrow = False

    def add(self, cells: Any) -> None:
        """Take in the next block of text cells, null where one is missing."""
        if self.was_too_narrow:
            return
        if cells.null_count == len(cells):
            self._chunks.append(pa.nulls(len(cells)))
            return
        for kind in _MAY_BECOME[self._kind]:
            read = _read(cells, kind)
            if read is not None:
                self._kind = kind
                self._chunks.append(read)
                return
        self.was_too_narrow = True  # its words are gone: it has to be read again, as text
        self._chunks.clear()

    def finish(self) -> Any:
        """Return the whole column."""
        final = pa.null() if self._kind is None else _TYPES[self._kind]
        chunks = [_as(chunk, final) for chunk in self._chunks]
        column = pa.chunked_array(chunks, final)
        return column.unify_dictionaries() if final == TEXT else column


def _as(chunk: Any, final: Any) -> Any:
    if chunk.type == final:
        return chunk
    return pa.nulls(len(chunk), final) if chunk.null_count == len(chunk) else chunk.cast(final)


def _read(cells: Any, kind: Kind) -> Any:
    """Return the cells as a kind, or None if one of them is of another."""
    if kind == "text":
        return cells.dictionary_encode()
    if kind == "boolean":
        words = _compute.utf8_lower(cells)
        known = _compute.is_in(words, value_set=pa.array(["true", "false", None], pa.string()))
        return _compute.equal(words, "true") if _compute.all(known).as_py() else None
    try:
        cells.slice(0, 64).cast(_TYPES[kind])  # each cell that does not fit costs microseconds
        read = cells.cast(_TYPES[kind])
    except pa.ArrowInvalid:
        return None
    number = kind in {"integer", "number"}
    return None if number and _compute.any(_matches(cells, _A_CODE)).as_py() else read


def narrowest(words: Any) -> Kind | None:
    """Return the narrowest kind that fits all words; None if all are missing.

    Examples
    --------
    >>> narrowest(pa.array(["1", None])), narrowest(pa.array(["1", "02"])), narrowest(pa.array([]))
    ('integer', 'text', None)
    """
    known = words.cast(pa.string()).drop_null()
    if len(known) == 0:
        return None
    return next(kind for kind in _MAY_BECOME[None] if _read(known, kind) is not None)


def numbers_among(words: Any) -> Any:
    """Return which words are numbers.

    Examples
    --------
    >>> numbers_among(pa.array(["1", "-2.5e3", "many", ".", "1,5"])).to_pylist()
    [True, True, False, False, False]
    """
    return _matches(words, _A_NUMBER)


def describe_mixture(column: Any, name: str) -> Note | None:
    """Return which cell made a column text although most of its cells are numbers."""
    whole = pa.concat_arrays(column.chunks) if column.num_chunks else None
    if whole is None or len(whole.dictionary) == 0:
        return None
    places = whole.indices.fill_null(-1).to_numpy()
    number = np.append(numbers_among(whole.dictionary).to_numpy(zero_copy_only=False), True)
    n_words, n_cells = int((~number[places]).sum()), int((places >= 0).sum())
    about = f"column {name!r}"
    if n_words == 0:
        code = _matches(whole.dictionary, _A_CODE).to_numpy(zero_copy_only=False)
        if not code.any():
            return None
        word = whole.dictionary[int(np.argmax(code))].as_py()
        return Note(about, "text", f"it holds {word!r}: leading zeros make codes, not quantities")
    if 2 * n_words > n_cells:
        return None
    row = int(np.argmax(~number[places]))
    word = whole[row].as_py()
    why = f"row {row + 1:,} holds {word!r}; {n_words:,} of its {n_cells:,} cells are no numbers"
    return Note(about, "text", why, f"--missing {word!r} if that stands for a missing value")


def _matches(words: Any, pattern: str) -> Any:
    return _compute.match_substring_regex(words, pattern)
