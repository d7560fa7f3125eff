"""The first look at a table in parts: how many rows it has, which ones, and a sample of them."""

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from operator import add
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
from pyarrow import ipc

from surelearn._jit.fingerprints import Hashes
from surelearn._typing import Indices
from surelearn.app.choosing.training import FEWEST_ROWS, MOST_CELLS
from surelearn.app.errors import TableError
from surelearn.app.in_parts.sides import drawn
from surelearn.app.problem.cells import is_missing
from surelearn.app.problem.copies import feature_hashes, identifying_hashes
from surelearn.app.problem.problem import check_target
from surelearn.app.tables.notes import Note
from surelearn.app.tables.parted_file import (
    PartedFile,
    in_few_types,
    is_typed,
    list_parts,
    missing_words,
)
from surelearn.base.cell_bits import spread
from surelearn.base.parted import Block
from surelearn.base.row_identity import SKETCH, RowSet
from surelearn.scale import ClusterLostError, PartError, Parts

_KEPT = 4096  # of the smallest hashes: enough for the sketch, and to guess how many are distinct


@dataclass(frozen=True, eq=False)
class Look:
    """What some rows of a table are.

    Attributes
    ----------
    n_rows, n_known
        How many there are, and how many have a target.
    total
        The sum of their hashes, whatever their order.
    hashes, counts
        The smallest different hashes, and how many rows have each.
    sample
        Rows with a target that were drawn, as Arrow writes them.
    """

    n_rows: int
    n_known: int
    total: int
    hashes: Hashes
    counts: Indices
    sample: tuple[bytes, ...]

    def __add__(self, other: "Look") -> "Look":
        """Return what the rows of both are."""
        hashes, places = np.unique(np.concatenate([self.hashes, other.hashes]), return_inverse=True)
        counts = np.zeros(len(hashes), dtype=np.int64)
        np.add.at(counts, places, np.concatenate([self.counts, other.counts]))
        return Look(
            self.n_rows + other.n_rows,
            self.n_known + other.n_known,
            (self.total + other.total) % 2**64,
            hashes[:_KEPT],
            counts[:_KEPT],
            self.sample + other.sample,
        )

    def rows(self) -> RowSet:
        """Return what a ledger knows the table by; of a large one a few numbers are estimates."""
        single = self.hashes[self.counts == 1]
        n_distinct, n_single = len(self.hashes), len(single)
        ordered = np.repeat(self.hashes, self.counts)
        told = ordered.tobytes() if len(ordered) == self.n_rows else self._in_words()
        if len(ordered) < self.n_rows and n_distinct == _KEPT:
            share = int(self.hashes[-1]) / 2**64
            n_distinct = min(self.n_rows, round((_KEPT - 1) / share))
            n_single = round(n_distinct * len(single) / _KEPT)
            n_single = self.n_rows if len(single) == _KEPT else min(n_single, self.n_rows - 1)
        digest = hashlib.sha256(told).hexdigest()[:40]
        alone = RowSet(digest, self.n_rows, n_single, tuple(single[:SKETCH].tolist()))
        if n_single == self.n_rows:
            return alone
        pairs = zip(self.hashes[:SKETCH].tolist(), self.counts[:SKETCH].tolist(), strict=True)
        return alone._replace(n_distinct=n_distinct, counted=tuple(pairs))

    def _in_words(self) -> bytes:
        return f"{self.n_rows} {self.total}".encode() + self.hashes.tobytes()


def look_at_parts(
    source: Any,
    *,
    target: str,
    seed: int,
    holdout: float,
    missing: Sequence[str] | None = None,
) -> PartedFile:
    """Look through a table in parts once, and return it with a sample of its rows.

    Parameters
    ----------
    source
        What `surelearn.scale.parts` takes.
    target
        The column to predict.
    seed, holdout
        What rows are drawn by, and the share that will be held out.
    missing
        The words that mean a missing cell; None means those of text files, in text files.
    """
    whole = list_parts(source)
    words = missing_words(whole, missing)
    names = list(whole[0].reading.names)
    check_target(target, names)
    share = sample_share(count_rows(whole), len(names), holdout)
    found = summed(whole, partial(_look, target, words, share, seed))
    if found.n_known == 0:
        raise TableError(f"the target {target!r} is missing in all {found.n_rows:,} rows")
    path = Path(str(source)) if isinstance(source, str | Path) else Path("table")
    return PartedFile(
        path,
        joined(found.sample),
        _notes(whole, found),
        whole.sha256,
        missing=tuple(missing or ()),
        typed=is_typed(whole),
        parts=whole,
        n_rows=found.n_rows,
        n_known=found.n_known,
        rows=found.rows(),
    )


def look_as_told(
    source: Any, form: Mapping[str, Any], options: Mapping[str, Any]
) -> tuple[PartedFile, dict[str, Any]]:
    """Look at a table in parts with the options of a command; return how it was read, too.

    Parameters
    ----------
    source
        The table.
    form
        Options of `read_table_file`, of which only `missing` means something here.
    options
        Options of `certify_table`.
    """
    given = only_missing(form)
    rules = {"holdout": 0.2, "seed": 0, **options}
    asked = {name: rules[name] for name in ("target", "holdout", "seed")}
    return look_at_parts(source, **asked, **given), given


def only_missing(form: Mapping[str, Any]) -> dict[str, Any]:
    """Return how a table in parts is read; refuse what only single files can be told.

    Examples
    --------
    >>> only_missing({"missing": ["?"], "header": None})
    {'missing': ['?']}
    """
    given = {name: value for name, value in form.items() if value is not None}
    if other := sorted(set(given) - {"missing"}):
        raise TableError(
            f"a table in parts is read as its files declare, so --{other[0]} is for single files"
        )
    return given


def summed(whole: Parts, task: Any) -> Any:
    """Return the sum of the records of all blocks; what goes wrong is told in one sentence."""
    try:
        return whole.map_reduce(task, add)
    except (PartError, ClusterLostError) as error:
        raise TableError(str(error)) from error


def sample_share(n_rows: int, n_columns: int, holdout: float) -> float:
    """Return which share of the rows to look at: as many as learners are compared on.

    Examples
    --------
    >>> sample_share(1000, 10, 0.2), round(sample_share(10**8, 10, 0.2), 5)
    (1.0, 0.00475)
    """
    most = max(FEWEST_ROWS, MOST_CELLS // n_columns)
    return min(1.0, 0.95 * most / (1.0 - holdout) / n_rows)


def count_rows(whole: Parts) -> int:
    """Return how many rows there are: text files must be read to know."""
    return whole.n_rows if whole.n_rows is not None else int(summed(whole, _count))


def _count(block: Block) -> int:
    return block.X.num_rows


def _look(target: str, missing: Sequence[str], share: float, seed: int, block: Block) -> Look:
    table = in_few_types(block.X, missing)
    if target not in table.column_names:
        raise TableError(f"no learner reads the type of the target {target!r}")
    known = table.filter(pa.array(~is_missing(table.column(target))))
    rows = feature_hashes(known.drop_columns([target]))
    sample = known.filter(pa.array(drawn(rows, share, f"sample {seed}")))
    found = look_at_rows(table, target)
    pieces = (written(sample),) if sample.num_rows else ()
    return replace(found, n_known=known.num_rows, sample=pieces)


def look_at_rows(table: Any, target: str) -> Look:
    """Return what the rows of a block are known by, without a sample of them."""
    hashes = spread(identifying_hashes(table, target))
    distinct, counts = np.unique(hashes, return_counts=True)
    total, n_rows = int(hashes.sum(dtype=np.uint64)), table.num_rows
    return Look(n_rows, n_rows, total, distinct[:_KEPT], counts[:_KEPT], ())


def written(table: Any) -> bytes:
    """Return a table as Arrow writes it."""
    stream = pa.BufferOutputStream()
    with ipc.new_stream(stream, table.schema) as writer:
        writer.write_table(table.unify_dictionaries().combine_chunks())
    return stream.getvalue().to_pybytes()


def joined(pieces: Sequence[bytes]) -> Any:
    """Return tables that were written one by one as a single one."""
    if not pieces:
        raise TableError("the table has no row with a target to look at")
    tables = [ipc.open_stream(piece).read_all() for piece in pieces]
    whole = pa.concat_tables(tables, promote_options="permissive")
    return whole.unify_dictionaries().combine_chunks()


def _notes(whole: Parts, found: Look) -> tuple[Note, ...]:
    n_files = len({part.file for part in whole})
    several = "file" if n_files == 1 else "files"
    told = f"{len(whole):,} parts of {n_files:,} {several}, {found.n_rows:,} rows"
    return (Note("table", told, "row groups, record batches or blocks of lines"),)
