"""Streams of any length, learnt block by block in the memory of one block.

A source is a Parquet or CSV file, the parts of a table, anything that speaks Arrow's stream
protocol (tables of PyArrow, pandas, Polars), or any iterable of pairs of a row and its target, such
as a River dataset.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from itertools import chain
from os import PathLike
from pathlib import Path
from typing import Any, TypeVar

import pyarrow as pa
from numpy.typing import NDArray
from pyarrow import csv
from scipy import sparse
from sklearn.base import is_classifier, is_regressor

from surelearn import _arguments
from surelearn._typing import ArrayLike
from surelearn.base.labels import exact, joined_classes
from surelearn.base.parted import Block
from surelearn.base.tables.parquet_words import opened, read_batches, refuse_bombs
from surelearn.base.validation import distinct
from surelearn.scale._columns import feature_columns, features_and_target, sound
from surelearn.scale._parquet import holds_only_numbers, read_by_columns
from surelearn.scale._row_stream import RowChunks, row_and_target
from surelearn.scale.errors import told_of
from surelearn.scale.table_parts import Parts

_Learner = TypeVar("_Learner")
_LEARNS = ("partial_fit", "learn_one")
_READ_AHEAD = 2**14  # bytes per column; without it a whole row group is held
_TYPES_OF_CSV = (
    "the beginning of the file decided the types of its columns. Mend that row, or name the types "
    "and pass the reader: pyarrow.csv.open_csv(path, convert_options=pyarrow.csv.ConvertOptions("
    "column_types={...}))"
)


def learn_stream(
    learner: _Learner,
    source: Any,
    *,
    classes: ArrayLike | None = None,
    on_block: Callable[[int], object] | None = None,
    **reading: Any,
) -> _Learner:
    """Let a learner go once through a source of any length, in the memory of one block.

    A block that cannot be learnt is refused whole; what was learnt before it stays, and the error
    says how many rows that was.

    Parameters
    ----------
    learner
        Any learner with `partial_fit`; it goes on from where it stands, and is returned. One of
        River, such as `to_river` makes, learns pair by pair: features may come and go.
    source, **reading
        What to read, and how: see `blocks`. Parts are learnt one after the other in this process,
        since each row may change what the next one teaches: as if they were one table.
    classes
        All labels that will ever come, for a classifier; needed if the first block lacks some.
        Those of parts are found in a pass of their own, on the executor of `scale.on`.
    on_block
        Called after each block with the number of rows learnt so far.

    Examples
    --------
    >>> from surelearn.learners.linear.perceptron import Perceptron
    >>> rows = [([1.0, 0.0], "yes"), ([0.0, 1.0], "no")] * 3
    >>> learn_stream(Perceptron(), rows, block_size=4, on_block=print).n_mistakes_
    4
    6
    2
    """
    if isinstance(learner, type) or not any(hasattr(learner, name) for name in _LEARNS):
        raise TypeError(f"{learner!r} has no method partial_fit: it cannot learn from a stream")
    if on_block is not None:
        _arguments.function("on_block", on_block)
    stream, n_learnt = blocks(source, **reading), 0
    if not hasattr(learner, "partial_fit") and hasattr(learner, "learn_one"):
        return _learn_row_by_row(learner, stream, classes, on_block)
    _refuse_no_target(learner, stream, source, reading)
    if isinstance(source, Parts) and classes is None and is_classifier(learner):
        classes = None if hasattr(learner, "classes_") else labels_of(source)
    known_classes = (classes,) if is_classifier(learner) and classes is not None else ()
    while True:
        try:
            n_rows = _learn_next(learner, stream, known_classes)
        except (TypeError, ValueError) as error:
            raise ValueError(
                f"{n_learnt} rows were learnt and stay; the block after them was refused: {error}"
            ) from error
        if n_rows == 0:
            return learner
        n_learnt += n_rows
        if on_block is not None:
            on_block(n_learnt)


def blocks(
    source: Any,
    *,
    target: str | None = None,
    block_size: int = 4096,
    columns: Sequence[str] | None = None,
) -> Iterator[tuple[Any, NDArray[Any]]]:
    """Return the rows of a source as blocks of features and targets; names of features are kept.

    Parameters
    ----------
    source
        A path to a Parquet or CSV file, a table, the parts of one (`scale.parts`), or an iterable
        of pairs of a row and its target. Rows in pairs are arrays or mappings; a feature that a
        mapping lacks is 0.
    target
        The column to predict, for files and tables; without one the targets are None.
    block_size
        The largest number of rows in a block.
    columns
        The features to read, in order, for files and tables; left out, all but the target and the
        index of a data frame of pandas.

    Examples
    --------
    >>> rows = [({"age": 40}, "yes"), ({"age": 20}, "no"), ({"age": 30}, "no")]
    >>> [(X.column_names, X.num_rows, y.tolist()) for X, y in blocks(rows, block_size=2)]
    [(['age'], 2, ['yes', 'no']), (['age'], 1, ['no'])]
    """
    _arguments.at_least_one("block_size", block_size)
    if isinstance(source, str | PathLike) or hasattr(source, "__arrow_c_stream__"):
        return _table_chunks(source, target, columns, block_size)
    if isinstance(source, Parts):
        if target is not None or columns is not None:
            raise ValueError("parts know their columns: name them in scale.parts(source, target=)")
        return chain.from_iterable(map(partial(_part_chunks, block_size), source))
    if target is not None or columns is not None:
        raise ValueError("pairs bring their targets along; target= and columns= are for tables")
    if sparse.issparse(source):
        raise TypeError("a sparse matrix brings no targets along: give pairs of a row and a target")
    return RowChunks(source, block_size)


def _learn_row_by_row(
    learner: Any, stream: Any, classes: Any, on_block: Callable[[int], object] | None
) -> Any:
    """Let a learner of River learn pair by pair; a bad one is refused alone."""
    tables = not isinstance(stream, RowChunks)
    if tables or classes is not None:
        raise ValueError(
            "a learner of River learns from pairs of a row and its target, not from tables, and is "
            "told its classes before: to_river(learner, classes=[...])"
        )
    n_learnt = 0
    for pair in stream.pairs:
        try:
            learner.learn_one(*row_and_target(pair))
        except (TypeError, ValueError) as error:
            raise ValueError(
                f"{n_learnt} rows were learnt and stay; the one after them was refused: {error}"
            ) from error
        n_learnt += 1
        if on_block is not None and n_learnt % stream.size == 0:
            on_block(n_learnt)
    if on_block is not None and n_learnt % stream.size > 0:
        on_block(n_learnt)
    return learner


def _part_chunks(size: int, part: Any) -> Iterator[tuple[Any, Any]]:
    for block in part.blocks(size):
        if block.weights is not None:
            raise ValueError("a stream knows no weights: list the parts without weight=")
        yield block.X, block.y


def labels_of(parts: Parts) -> NDArray[Any]:
    """Return the sorted labels of all parts."""
    return parts.map_reduce(_labels_of_block, joined_classes)


def _labels_of_block(block: Block) -> NDArray[Any]:
    return distinct(exact(block.y))


def _refuse_no_target(
    learner: Any, stream: Iterator[Any], source: Any, reading: Mapping[str, Any]
) -> None:
    """Refuse a table without a target for a learner that predicts one."""
    tables = not isinstance(stream, RowChunks)
    predicts = is_classifier(learner) or is_regressor(learner)
    target = reading.get("target")
    if isinstance(source, Parts) and len(source):
        first: Any = source[0]
        target = getattr(first, "reading", first).target  # a partition of Dask has its own
    if tables and predicts and target is None:
        raise ValueError("say which column of the table is to be predicted: target=...")


def _learn_next(learner: Any, stream: Iterator[Any], known_classes: tuple[Any, ...]) -> int:
    """Learn from the next block, which is gone afterwards, and return its number of rows."""
    X, y = next(stream, (None, None))
    n_rows = 0 if X is None else X.shape[0]
    if n_rows > 0:
        learner.partial_fit(X, y, *known_classes)
    return n_rows


def _table_chunks(
    source: Any, target: str | None, columns: Sequence[str] | None, size: int
) -> Iterator[tuple[Any, Any]]:
    """Read record batches; no name here holds on to one while the next is read."""
    if isinstance(source, str | PathLike):
        with told_of(f"{source} cannot be read"):
            yield from _file_chunks(source, target, columns, size)
    else:
        reader = pa.RecordBatchReader.from_stream(source)
        names = feature_columns(reader.schema, target, columns)
        yield from _pairs(_in_chunks(reader, size), names, target)


def _file_chunks(
    source: Any, target: str | None, columns: Sequence[str] | None, size: int
) -> Iterator[tuple[Any, Any]]:
    if Path(source).suffix.lower() in {".parquet", ".pq"}:
        file = opened(source, _READ_AHEAD)
        names = feature_columns(file.schema_arrow, target, columns)
        wanted = names if target is None else [*names, target]
        if holds_only_numbers(file, names):
            refuse_bombs(file, source, range(file.num_row_groups), wanted)
            batches = read_by_columns(file, source, names, target, size)
        else:
            batches = read_batches(file, source, size, wanted, range(file.num_row_groups))
    elif Path(source).suffix.lower() == ".csv":
        names, reader = _open_csv(source, target, columns)
        batches = _in_chunks(_batches_of_csv(reader), size)
    else:
        raise ValueError(f"{source} is neither a .parquet nor a .csv file; read it into a table")
    return _pairs(batches, names, target)


def _pairs(
    batches: Iterable[Any], names: list[str], target: str | None
) -> Iterator[tuple[Any, Any]]:
    return map(partial(features_and_target, names=names, target=target), map(sound, batches))


def _open_csv(source: Any, target: str | None, columns: Any) -> tuple[list[str], Any]:
    """Return the columns of the features and a reader; after whole numbers others may come."""
    with csv.open_csv(source, convert_options=csv.ConvertOptions(strings_can_be_null=True)) as head:
        schema = head.schema
    names = feature_columns(schema, target, columns)
    whole = [name for name in names if schema.field(name).type in {pa.int64(), pa.null()}]
    options = csv.ConvertOptions(
        column_types=dict.fromkeys(whole, pa.float64()),
        include_columns=names if target is None else [*names, target],
        strings_can_be_null=True,
    )
    return names, csv.open_csv(source, convert_options=options)


def _batches_of_csv(reader: Any) -> Iterator[Any]:
    """Yield the batches of a CSV file; if one cannot be read, say what to do."""
    try:
        yield from reader
    except pa.ArrowInvalid as error:
        raise ValueError(f"{error}; {_TYPES_OF_CSV}") from error


def _in_chunks(batches: Iterable[Any], size: int) -> Iterator[Any]:
    return chain.from_iterable(map(partial(_chunks_of_batch, size=size), batches))


def _chunks_of_batch(batch: Any, *, size: int) -> Iterator[Any]:
    return (batch.slice(start, size) for start in range(0, batch.num_rows, size))
