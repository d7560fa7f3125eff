"""Files of predictions in parts: only the columns that are asked about are brought together."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, cast

import pyarrow as pa

from surelearn.app.auditing.columns import Roles
from surelearn.app.errors import TableError
from surelearn.app.in_parts.first_look import Look, joined, look_at_rows, summed, written
from surelearn.app.tables.arrow_files import lists_in, simplify
from surelearn.app.tables.notes import Note
from surelearn.app.tables.parted_file import (
    PartedFile,
    in_few_types,
    is_typed,
    list_parts,
    missing_words,
    only,
)
from surelearn.base.parted import Block


@dataclass(frozen=True, eq=False)
class Gathered:
    """The columns of some blocks, in their order, and what their other columns are known by."""

    pieces: tuple[bytes, ...]
    look: Look | None

    def __add__(self, other: "Gathered") -> "Gathered":
        """Return the columns of both."""
        both = self.look is not None and other.look is not None
        look = self.look + other.look if both else None  # type: ignore[operator]
        return Gathered(self.pieces + other.pieces, look)


def gather_parts(source: Any, roles: Roles, *, missing: Sequence[str] | None = None) -> PartedFile:
    """Read the columns that have a role from all parts of a table.

    Parameters
    ----------
    source
        What `surelearn.scale.parts` takes.
    roles
        The columns.
    missing
        The words that mean a missing cell; None means those of text files, in text files.
    """
    whole = list_parts(source)
    words, there = missing_words(whole, missing), list(whole[0].reading.names)
    named = [name for name in there if name in {*roles.given().values(), *roles.challenger}]
    others = [name for name in there if name not in roles.answers]
    others = others if set(others) - {roles.truth} else []
    task = partial(_gather, named, others, roles.truth or "".join(others[:1]), words)
    found: Gathered = summed(only(whole, [*named, *others]), task)
    path = Path(str(source)) if isinstance(source, str | Path) else Path("table")
    if not named:
        raise TableError(f"none of the columns is there; the table has {', '.join(there[:20])}")
    raw = joined(found.pieces)
    table, _ = simplify(raw, path, words)
    several = "1 part" if len(whole) == 1 else f"{len(whole):,} parts"
    return PartedFile(
        path,
        table,
        (Note("table", f"{several}, {table.num_rows:,} rows", "all files in order"),),
        whole.sha256,
        missing=tuple(missing or ()),
        typed=is_typed(whole),
        lists=lists_in(raw),
        parts=whole,
        n_rows=table.num_rows,
        n_known=table.num_rows,
        rows=None if found.look is None else found.look.rows(),
    )


def _gather(
    named: Sequence[str], others: Sequence[str], target: str, missing: Sequence[str], block: Block
) -> Gathered:
    kept = pa.table({name: _plain(block.X.column(name)) for name in named})
    look = None
    if others:
        simple = in_few_types(block.X.select(list(others)), missing)
        look = look_at_rows(simple, target)
    return Gathered((written(kept),), look)


def _plain(column: Any) -> Any:
    """Return a column whose dictionaries need not be the same in all blocks."""
    if pa.types.is_dictionary(column.type):
        return column.cast(column.type.value_type)
    return column


def roles_in(options: Mapping[str, Any]) -> Roles:
    """Return the columns that options name by their roles."""
    single = {name: value for name, value in options.items() if name in vars(Roles())}
    several = challengers_in(single.pop("challenger", None))
    return Roles(**single, challenger=several)


def challengers_in(given: Any) -> tuple[Any, ...]:
    """Return the columns of challengers: one, several or none.

    Examples
    --------
    >>> challengers_in("old"), challengers_in(["old", "older"]), challengers_in(None)
    (('old',), ('old', 'older'), ())
    """
    if given is None or isinstance(given, str):
        return (given,) if given else ()
    if not isinstance(given, Sequence):
        raise TypeError(f"challenger is a list of names of columns, no {type(given).__name__}")
    return tuple(cast("Sequence[Any]", given))
