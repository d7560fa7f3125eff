"""The training rows of a table in parts, as learners see them: held-out rows are not there."""

import hashlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from itertools import chain, compress
from typing import Any, NamedTuple, TypeVar

from surelearn.app.errors import TableError
from surelearn.app.in_parts.reading import RowReader
from surelearn.base.fingerprint import fingerprint
from surelearn.base.parted import Block, PartedTable, RowsOfPart
from surelearn.scale import Parts

_Record = TypeVar("_Record")


class _View(NamedTuple):
    """How training rows are read: their side of the split, then some steps of a pipeline."""

    reader: RowReader
    steps: tuple[Any, ...]
    key: str

    def rows(self, blocks: Iterable[Block]) -> Iterator[Block]:
        """Yield the training rows of the blocks that have any, as the steps pass them on."""
        for block in blocks:
            _, X, y = self.reader.read(block, held_out=False)
            if len(y):
                for step in self.steps:
                    X = step.transform(X)
                yield Block(X, y)


class _Some(NamedTuple):
    """A record of some rows; of a block or part without training rows there is none."""

    record: Any


class _OfParts(NamedTuple):
    """The record of some parts, and which of them have training rows."""

    found: _Some | None
    there: tuple[bool, ...]


class TrainingRows(PartedTable):
    """The training rows of a table in parts, as some steps of a pipeline pass them on.

    Parts without a training row are left out, so that learners which number the parts never meet
    an empty one.
    """

    def __init__(self, parts: Parts, reader: RowReader, steps: Sequence[Any] = ()) -> None:
        given = tuple(steps)
        self._parts, self._view = parts, _View(reader, given, fingerprint((reader, given)))
        self._looked = False

    def map_reduce(
        self, task: Callable[[Block], _Record], merge: Callable[[_Record, _Record], _Record]
    ) -> _Record:
        """Return the sum of the records of all blocks that have training rows."""
        work = partial(_on_block, self._view, task)
        return _told(self._parts.map_reduce(work, partial(_merge_some, merge)))

    def map_parts(
        self,
        task: Callable[[RowsOfPart], _Record],
        merge: Callable[[_Record, _Record], _Record],
        items: Sequence[Any] | None = None,
        *,
        quick: bool = False,
    ) -> _Record:
        """Return the sum of the records of all parts that have training rows."""
        if items is not None and not self._looked:  # items are for parts that have some
            self.map_parts(_nothing, _either)
        work = partial(_on_part, self._view, task)
        if self._looked:
            work = partial(_on_known_part, self._view, task)
            return self._parts.map_parts(work, merge, items, quick=quick)
        found = self._parts.map_parts(work, partial(_merge_parts, merge), items)
        self._parts, self._looked = Parts(list(compress(self._parts, found.there))), True
        return _told(found.found)

    def map_passes(
        self,
        task: Callable[[RowsOfPart], _Record],
        merge: Callable[[_Record, _Record], _Record],
        items: Sequence[Any],
    ) -> _Record:
        """Return the sum of the records of tasks that each go through all training rows."""
        return self._parts.map_passes(partial(_on_pass, self._view, task), merge, items)

    def in_order(self) -> Iterator[Block]:
        """Yield all training rows in this process, for a learner that has to see them in order."""
        return self._view.rows(chain.from_iterable(part.blocks() for part in self._parts))


def _told(found: _Some | None) -> Any:
    if found is None:
        raise TableError("no row is left for training: give a smaller --holdout")
    return found.record


def _on_block(view: _View, task: Callable[[Block], Any], block: Block) -> _Some | None:
    for rows in view.rows([block]):
        return _Some(task(rows))
    return None


def _on_part(view: _View, task: Callable[[RowsOfPart], Any], part: RowsOfPart) -> _OfParts:
    rows = view.rows(part.blocks)
    first = next(rows, None)
    if first is None:
        return _OfParts(None, (False,))
    known = part._replace(blocks=chain([first], rows), key=_key(view, part))
    return _OfParts(_Some(task(known)), (True,))


def _on_known_part(view: _View, task: Callable[[RowsOfPart], Any], part: RowsOfPart) -> Any:
    """Work on a part with training rows; nothing is read before the task asks for it."""
    return task(part._replace(blocks=view.rows(part.blocks), key=_key(view, part)))


def _key(view: _View, part: RowsOfPart) -> str | None:
    """Tell the rows of a view from others of the same bytes."""
    told = f"{part.key} {view.key}".encode()
    return None if part.key is None else hashlib.sha256(told).hexdigest()


def _on_pass(view: _View, task: Callable[[RowsOfPart], Any], part: RowsOfPart) -> Any:
    return task(part._replace(blocks=view.rows(part.blocks)))


def _merge_some(
    merge: Callable[[Any, Any], Any], one: _Some | None, other: _Some | None
) -> _Some | None:
    if one is None or other is None:
        return other if one is None else one
    return _Some(merge(one.record, other.record))


def _merge_parts(merge: Callable[[Any, Any], Any], one: _OfParts, other: _OfParts) -> _OfParts:
    return _OfParts(_merge_some(merge, one.found, other.found), one.there + other.there)


def _nothing(part: RowsOfPart) -> None:
    for _ in part.blocks:  # to the end, where the bytes are looked at once more
        pass


def _either(one: None, other: None) -> None:
    del one, other
