"""Streams of any length, learnt block by block in the memory of one block.

A source is a Parquet or CSV file, anything that speaks Arrow's stream protocol (tables of PyArrow,
pandas, Polars), or any iterable of pairs of a row and its target, such as a River dataset.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from itertools import chain, islice
from os import PathLike
from pathlib import Path
from typing import Any, Self, TypeVar

import numpy as np
import pyarrow as pa
from numpy.typing import ArrayLike, NDArray
from pyarrow import csv, parquet
from sklearn.base import is_classifier, is_regressor

from surelearn.app._spool import can_be_spooled, spooled_batches
from surelearn.base import door

_Learner = TypeVar("_Learner")
_READ_AHEAD = 2**14  # bytes per column; without it a whole row group is held


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
        Any learner with `partial_fit`; it goes on from where it stands, and is returned.
    source, **reading
        What to read, and how: see `blocks`.
    classes
        All labels that will ever come, for a classifier; needed if the first block lacks some.
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
    stream, n_learnt = _targeted(learner, blocks(source, **reading), reading), 0
    told = (classes,) if is_classifier(learner) and classes is not None else ()
    while True:
        try:
            n_rows = _learn_next(learner, stream, told)
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
        A path to a Parquet or CSV file, a table, or an iterable of pairs of a row and its target.
        Rows in pairs are arrays or mappings; a feature that a mapping lacks is 0.
    target
        The column to predict, for files and tables; without one the targets are None.
    block_size
        The largest number of rows in a block.
    columns
        The features to read, in order, for files and tables; left out, all but the target.

    Examples
    --------
    >>> rows = [({"age": 40}, "yes"), ({"age": 20}, "no"), ({"age": 30}, "no")]
    >>> [(X.column_names, X.num_rows, y.tolist()) for X, y in blocks(rows, block_size=2)]
    [(['age'], 2, ['yes', 'no']), (['age'], 1, ['no'])]
    """
    door.at_least_one("block_size", block_size)
    if isinstance(source, str | PathLike) or hasattr(source, "__arrow_c_stream__"):
        return _table_blocks(source, target, columns, block_size)
    if target is not None or columns is not None:
        raise ValueError("pairs bring their targets along; target= and columns= are for tables")
    return _PairBlocks(source, block_size)


def _targeted(learner: Any, stream: Iterator[Any], reading: Mapping[str, Any]) -> Iterator[Any]:
    """Refuse a table without a target for a learner that predicts one."""
    tables = not isinstance(stream, _PairBlocks)
    predicts = is_classifier(learner) or is_regressor(learner)
    if tables and predicts and reading.get("target") is None:
        raise ValueError("say which column of the table is to be predicted: target=...")
    return stream


def _learn_next(learner: Any, stream: Iterator[Any], told: tuple[Any, ...]) -> int:
    """Learn from the next block, which is gone afterwards, and return its number of rows."""
    X, y = next(stream, (None, None))
    n_rows = 0 if X is None else X.shape[0]
    if n_rows > 0:
        learner.partial_fit(X, y, *told)
    return n_rows


def _table_blocks(
    source: Any, target: str | None, columns: Sequence[str] | None, size: int
) -> Iterator[tuple[Any, Any]]:
    """Read record batches; no name here holds on to one while the next is read."""
    if not isinstance(source, str | PathLike):
        reader: Any = pa.RecordBatchReader.from_stream(source)
    elif Path(source).suffix.lower() in {".parquet", ".pq"}:
        file = parquet.ParquetFile(source, buffer_size=_READ_AHEAD, pre_buffer=False)
        names = _chosen(file.schema_arrow.names, target, columns)
        wanted = names if target is None else [*names, target]
        if can_be_spooled(file, names):
            batches = spooled_batches(file, names, target, size)
        else:
            batches = file.iter_batches(size, columns=wanted, use_threads=False)
        yield from map(partial(_split, names=names, target=target), batches)
        return
    elif Path(source).suffix.lower() == ".csv":
        reader = csv.open_csv(source)
    else:
        raise ValueError(f"{source} is neither a .parquet nor a .csv file; read it into a table")
    names = _chosen(reader.schema.names, target, columns)
    batches = chain.from_iterable(map(partial(_slices, size=size), reader))
    yield from map(partial(_split, names=names, target=target), batches)


def _chosen(there: list[str], target: str | None, columns: Sequence[str] | None) -> list[str]:
    """Return the columns of the features; say which are not there."""
    names = [name for name in there if name != target] if columns is None else list(columns)
    asked = names if target is None else [*names, target]
    missing = [name for name in asked if name not in there]
    if missing:
        raise ValueError(f"there is no column {missing}; the table has {there}")
    if target in names:
        raise ValueError(f"the target {target!r} must not be among the features")
    return names


def _slices(batch: Any, *, size: int) -> Iterator[Any]:
    return (batch.slice(start, size) for start in range(0, batch.num_rows, size))


def _split(batch: Any, *, names: list[str], target: str | None) -> tuple[Any, Any]:
    """Return the features as a table and the targets, if there are any, as an array."""
    if target is None:
        return pa.Table.from_batches([batch.select(names)]), None
    column = batch.column(target)
    if column.null_count:
        raise ValueError(f"the target {target!r} is missing in {column.null_count} of its rows")
    return pa.Table.from_batches([batch.select(names)]), _labels(column)


def _labels(column: Any) -> NDArray[Any]:
    """Return a target as an array; of text and categories each distinct one is made once."""
    if pa.types.is_string(column.type) or pa.types.is_large_string(column.type):
        column = column.dictionary_encode()
    if pa.types.is_dictionary(column.type):
        return np.array(column.dictionary.to_pylist())[column.indices.to_numpy()]
    y = column.to_numpy(zero_copy_only=False)
    return np.array(y.tolist()) if y.dtype == object else y


class _PairBlocks:
    """The blocks of a stream of pairs; the first fixes the names of the features."""

    def __init__(self, pairs: Iterable[Any], size: int) -> None:
        self.pairs, self.size = iter(pairs), size
        self.names: list[Any] | None = None

    def __iter__(self) -> Self:
        return self

    def __next__(self) -> tuple[Any, NDArray[Any]]:
        pairs = list(islice(self.pairs, self.size))
        if not pairs:
            raise StopIteration
        try:
            rows, y = [x for x, *_ in pairs], np.array([y for _, y, *_ in pairs])
        except (TypeError, ValueError):
            raise ValueError("a stream yields pairs of a row and its target") from None
        if all(isinstance(x, Mapping) for x in rows):
            return self._named(rows), y
        widths = sorted({np.size(x) for x in rows})
        if len(widths) > 1:
            raise ValueError(f"the rows have different numbers of values: {widths}")
        return np.array(rows), y

    def _named(self, rows: list[Mapping[Any, Any]]) -> Any:
        """Return mappings as a table, so that names are kept and columns of text can be named."""
        found = dict.fromkeys(chain.from_iterable(rows))
        names = self.names = list(found) if self.names is None else self.names
        if new := [name for name in found if name not in names]:
            raise ValueError(
                f"the features {new} are new; the first block has {names}. A larger block_size may "
                "show them all at once; a learner made by to_river takes in features as they come"
            )
        return pa.table({str(n): np.array([row.get(n, 0.0) for row in rows]) for n in names})
