"""Tables in parts: which bytes of which file each holds, and how to read its rows.

A part is a row group of a Parquet file, a record batch of an Arrow file, or a range of bytes of a
CSV file. It carries the hash of those bytes: whoever reads other ones says so instead of computing
with them, and a record of the same bytes need not be computed twice.
"""

import hashlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import chain
from pathlib import Path
from typing import Any, NamedTuple, TypeVar, overload

import pyarrow as pa

from surelearn.base.fingerprint import fingerprint
from surelearn.base.parted import Block, PartedTable, RowsOfPart, merge_in_order
from surelearn.scale import _record_batches, _row_groups, _text_blocks
from surelearn.scale._columns import features_and_target, sound
from surelearn.scale.errors import PartError, told_of
from surelearn.scale.reduction import map_groups, map_reduce

_Record = TypeVar("_Record")

FORMATS: dict[str, Any] = {
    "parquet": _row_groups,
    "arrow": _record_batches,
    "csv": _text_blocks,
}
"""How the files of each kind are cut, hashed and read."""

_ROWS = 2**16  # read at once; a part may have any number of them


@dataclass(frozen=True)
class Reading:
    """What is read of every part: the features in order, the target, the weights, the types.

    Attributes
    ----------
    names, target, weight
        The columns.
    types
        Arrow's types of these columns, the same for all parts.
    all_types
        The types of all columns of a CSV file, whose rows have no names; None for others.
    """

    names: tuple[str, ...]
    target: str | None
    weight: str | None
    types: Any
    all_types: Any = None

    @property
    def columns(self) -> list[str]:
        """The columns to read, the target and the weight last."""
        return [*self.names, *(name for name in (self.target, self.weight) if name is not None)]

    def described(self) -> str:
        """Return a text that tells readings apart."""
        return f"{self.names} {self.target} {self.weight} {self.types} {self.all_types}"


@dataclass(frozen=True)
class Part:
    """Some rows of a table in files, known by the hash of their bytes.

    Attributes
    ----------
    file, kind
        Where the rows are, and in which format: "parquet", "arrow" or "csv".
    place
        The number of the row group or record batch, or the first byte and the one after the last.
    sha256
        The hash of those bytes.
    n_rows
        How many rows, if the file says so.
    reading
        What is read of them.

    Examples
    --------
    >>> import tempfile
    >>> from pyarrow import parquet
    >>> from surelearn.scale import parts
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     table = pa.table({"age": [40, 20, 30], "buys": [1.0, 0.0, 0.0]})
    ...     parquet.write_table(table, f"{folder}/may.parquet", row_group_size=2)
    ...     first, second = parts(folder, target="buys")
    ...     block = second.read()
    >>> second.place, second.n_rows, block.X.to_pydict(), block.y.tolist()
    (1, 1, {'age': [30]}, [0.0])
    """

    file: str
    kind: str
    place: Any
    sha256: str
    n_rows: int | None
    reading: Reading

    def __str__(self) -> str:
        return f"{FORMATS[self.kind].name(self.place)} of {self.file}"

    @property
    def key(self) -> str:
        """What tells the rows of this part from those of others, wherever their file is."""
        return hashlib.sha256(f"{self.sha256} {self.reading.described()}".encode()).hexdigest()

    def blocks(self, n_rows: int = _ROWS) -> Iterator[Block]:
        """Yield the rows, so many at a time; refuse bytes that are not those that were listed."""
        with told_of(self, self):
            before = identity(self.file)
            if FORMATS[self.kind].digest(self.file, self.place) != self.sha256:
                raise self._changed()
            for batch in self._batches(n_rows):
                yield self._block(sound(batch))
            if identity(self.file) != before:  # while its rows were read, after it was hashed
                raise self._changed()

    def _batches(self, n_rows: int) -> Iterator[Any]:
        names, types = self.reading.columns, self.reading.all_types
        return FORMATS[self.kind].batches(self.file, self.place, names, types, n_rows)

    def _changed(self) -> PartError:
        return PartError(f"{self} has changed since the parts were listed: list them again", self)

    def read(self) -> Block:
        """Return all rows at once."""
        whole, *others = self.blocks(2**62)
        if others:  # Arrow cuts columns of more than two gigabytes of text
            raise PartError(f"{self} is too large to be read at once: take its blocks", self)
        return whole

    def _block(self, batch: Any) -> Block:
        reading = self.reading
        rows = pa.Table.from_batches([batch]).select(reading.columns).cast(reading.types)
        (whole,) = rows.combine_chunks().to_batches()
        X, y = features_and_target(whole, names=list(reading.names), target=reading.target)
        if reading.weight is None:
            return Block(X, y)
        weights = features_and_target(whole, names=[], target=reading.weight)[1]
        return Block(X, y, weights)


class Parts(PartedTable, Sequence[Part]):
    """The parts of a table, in order; a learner that can, fits them as it fits rows.

    Examples
    --------
    >>> import tempfile
    >>> from pyarrow import parquet
    >>> from surelearn.learners.linear.ridge_regression import RidgeRegression
    >>> from surelearn.scale import parts
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     table = pa.table({"x": [0.0, 1.0, 2.0, 3.0], "y": [1.0, 3.0, 5.0, 7.0]})
    ...     parquet.write_table(table, f"{folder}/may.parquet", row_group_size=2)
    ...     found = parts(f"{folder}/*.parquet", target="y")
    ...     model = RidgeRegression(alpha=1e-9).fit(found)
    >>> len(found), found.n_rows, model.coef_.round(6).tolist()
    (2, 4, [2.0])
    """

    def __init__(self, parts: Sequence[Any]) -> None:
        self._parts: tuple[Part, ...] = tuple(parts)

    def __len__(self) -> int:
        return len(self._parts)

    @overload
    def __getitem__(self, place: int) -> Part: ...
    @overload
    def __getitem__(self, place: slice) -> "Parts": ...
    def __getitem__(self, place: int | slice) -> "Part | Parts":
        """Return a part, or the parts of a range."""
        found = self._parts[place]
        return Parts(found) if isinstance(found, tuple) else found

    @property
    def n_rows(self) -> int | None:
        """The number of rows, if the files say so."""
        counts = [part.n_rows for part in self._parts]
        known = [count for count in counts if count is not None]
        return sum(known) if len(known) == len(counts) else None

    @property
    def sha256(self) -> str:
        """The hash of the table: of the hashes of its parts, in order."""
        return hashlib.sha256("\n".join(part.key for part in self._parts).encode()).hexdigest()

    def map_reduce(
        self, task: Callable[[Block], _Record], merge: Callable[[_Record, _Record], _Record]
    ) -> _Record:
        """Return the sum of the records of all blocks of rows, on the executor of `scale.on`."""
        return map_reduce(self._parts, partial(over_blocks, task, merge), merge)

    def map_parts(
        self,
        task: Callable[[RowsOfPart], _Record],
        merge: Callable[[_Record, _Record], _Record],
        items: Sequence[Any] | None = None,
        *,
        quick: bool = False,
    ) -> _Record:
        """Return the sum of the records of all parts, each told the item of its number."""
        given = [None] * len(self) if items is None else items
        numbered = [NumberedPart(*pair) for pair in zip(self._parts, given, strict=True)]
        go_through = map_groups if quick else map_reduce
        return go_through(numbered, partial(_on_part, task), merge)

    def map_passes(
        self,
        task: Callable[[RowsOfPart], _Record],
        merge: Callable[[_Record, _Record], _Record],
        items: Sequence[Any],
    ) -> _Record:
        """Return the sum of the records of tasks that each go through all rows of the table."""
        whole = _Whole(self._parts, self.sha256)
        passes = [NumberedPart(whole._replace(number=i), item) for i, item in enumerate(items)]
        return map_reduce(passes, partial(_on_part, task), merge)

    def kept(self) -> "Parts":
        """Return these parts, whose files stay where they are."""
        return self


class _Whole(NamedTuple):
    """All parts, for a task that goes through the whole table."""

    parts: tuple[Any, ...]
    key: str
    number: int = 0

    def __str__(self) -> str:
        return f"pass {self.number} over all {len(self.parts)} parts"

    def blocks(self) -> Iterator[Block]:
        """Yield the rows of all parts."""
        return chain.from_iterable(part.blocks() for part in self.parts)


@dataclass(frozen=True)
class NumberedPart:
    """A part, or the whole table, and what a task is told of its place."""

    part: Part | _Whole
    item: Any

    def __str__(self) -> str:
        return str(self.part)

    @property
    def key(self) -> str:
        """What tells this task's input from others."""
        return hashlib.sha256(f"{self.part.key} {fingerprint(self.item)}".encode()).hexdigest()


def _on_part(task: Callable[[RowsOfPart], _Record], part: NumberedPart) -> _Record:
    # The bytes of a file are looked at again each time; a partition of Dask may change unseen.
    key = part.part.key if isinstance(part.part, Part) else None
    return task(RowsOfPart(part.item, part.part.blocks(), key))


def over_blocks(
    task: Callable[[Block], _Record], merge: Callable[[_Record, _Record], _Record], part: Part
) -> _Record:
    """Return the sum of the records of the blocks of one part."""
    return merge_in_order(map(task, part.blocks()), merge)


def identity(path: str) -> tuple[int, ...]:
    """Return what tells a file from others, however many names it has."""
    told = Path(path).stat()
    return told.st_dev, told.st_ino, told.st_size, told.st_mtime_ns
