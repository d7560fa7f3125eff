"""A table in many files, or too large for one look: some of its rows, and where the others are."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import pyarrow as pa

from surelearn.app.errors import TableError
from surelearn.app.tables.arrow_files import simplify
from surelearn.app.tables.read import MISSING, TableFile
from surelearn.base.row_identity import RowSet
from surelearn.scale import Part, Parts, parts

_PATTERN = frozenset("*?[")
_TEXT = "csv"


@dataclass(frozen=True, eq=False)
class PartedFile(TableFile):
    """A table in parts. Its `table` holds some rows, drawn by the seed, that have a target.

    Attributes
    ----------
    parts
        Where the rows are.
    n_rows, n_known
        How many rows there are, and how many of them have a target.
    rows
        What a ledger knows the table by.
    scored, numbered
        Whether claims about scores are made unasked, and whether learners that number the parts
        learn from all of them; a run from before is done again as it was.
    """

    parts: Parts = field(default_factory=lambda: Parts(()))
    n_rows: int = 0
    n_known: int = 0
    rows: RowSet | None = None
    scored: bool = True
    numbered: bool = True

    @property
    def how(self) -> str | bool:
        """What a certificate stores of how its parts were used."""
        if self.numbered and self.scored:
            return "all learners"
        return "with scores" if self.scored else True

    def as_before(self, how: Any) -> "PartedFile":
        """Return the table as it was used in a run that stored so.

        Examples
        --------
        >>> file = PartedFile(Path("sales"), pa.table({}), (), "")
        >>> [file.as_before(how).how for how in (True, "with scores", "all learners")]
        [True, 'with scores', 'all learners']
        """
        return replace(self, scored=how is not True, numbered=how not in (True, "with scores"))


def is_in_parts(source: Any) -> bool:
    """Return whether a source is a folder, a pattern or a list of files.

    Examples
    --------
    >>> is_in_parts("sales/*.parquet"), is_in_parts("may.csv"), is_in_parts(["may.csv"])
    (True, False, True)
    """
    if isinstance(source, list | tuple):
        return True
    if not isinstance(source, str | Path):
        return hasattr(source, "get_fragments") or isinstance(source, Parts)
    path = Path(source)
    return path.is_dir() or (bool(_PATTERN & set(str(source))) and not path.exists())


def list_parts(source: Any) -> Parts:
    """Return the parts of a source with all their columns, or raise `TableError`."""
    if isinstance(source, Parts):
        return source
    try:
        return parts(str(source) if isinstance(source, Path) else source)
    except (ValueError, TypeError) as error:
        raise TableError(str(error)) from error


def only(whole: Parts, columns: Sequence[str]) -> Parts:
    """Return the same parts, of which only some columns are read."""
    return Parts([_narrowed(part, columns) for part in whole])


def _narrowed(part: Part, columns: Sequence[str]) -> Part:
    reading = part.reading
    names = tuple(name for name in reading.names if name in columns)
    types = pa.schema([reading.types.field(name) for name in names])
    return replace(part, reading=replace(reading, names=names, types=types))


def is_typed(whole: Parts) -> bool:
    """Return whether the files declare the types of their columns."""
    return all(part.kind != _TEXT for part in whole)


def missing_words(whole: Parts, asked: Sequence[str] | None) -> tuple[str, ...]:
    """Return the words that mean a missing cell: in text files those of all text files."""
    if asked is not None:
        return tuple(word.strip() for word in asked)
    return () if is_typed(whole) else MISSING


def in_few_types(X: Any, missing: Sequence[str]) -> Any:
    """Return a block of rows in the few types that tables of ours have.

    Examples
    --------
    >>> in_few_types(pa.table({"a": pa.array([1, 2], pa.int8())}), ()).schema.field("a").type
    DataType(int64)
    """
    simple, _ = simplify(X, Path("the table"), missing)
    empty = [name for name in simple.column_names if pa.types.is_null(simple.column(name).type)]
    for name in empty:  # or another block would have another type
        place = simple.column_names.index(name)
        simple = simple.set_column(place, name, simple.column(name).cast(pa.float64()))
    return simple
