"""Tables in parts, as a learner sees them: a task on each block of rows, and a sum in order.

Who lists the parts, reads them and runs the tasks stands above, in `surelearn.scale`.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, NamedTuple, TypeVar

_Record = TypeVar("_Record")


class Block(NamedTuple):
    """Some rows of a table, their targets and their weights; None where there are none."""

    X: Any
    y: Any = None
    weights: Any = None


class RowsOfPart(NamedTuple):
    """A part for a task that goes through all its blocks, and what was given along with it.

    Attributes
    ----------
    item
        What the task is told.
    blocks
        The rows.
    key
        What tells these rows from all others, wherever they are; None if nothing does.
    """

    item: Any
    blocks: Iterator[Block]
    key: str | None = None


class PartedTable(ABC):
    """A table that is not in memory; learners that can, fit it as they fit rows.

    Examples
    --------
    >>> from functools import reduce
    >>> class InLists(PartedTable):
    ...     def map_reduce(self, task, merge):
    ...         return reduce(merge, map(task, [Block([[1.0], [2.0]]), Block([[6.0]])]))
    >>> InLists().map_reduce(lambda block: len(block.X), lambda one, other: one + other)
    3
    """

    @abstractmethod
    def map_reduce(
        self, task: Callable[[Block], _Record], merge: Callable[[_Record, _Record], _Record]
    ) -> _Record:
        """Return the sum of the records of all blocks, merged in an order that is always the same.

        Parameters
        ----------
        task
            A plain function of a block, which can be pickled; it may run anywhere, and twice.
        merge
            Makes the record of two neighbours; the first argument is the earlier one.
        """

    def map_parts(
        self,
        task: Callable[[RowsOfPart], _Record],
        merge: Callable[[_Record, _Record], _Record],
        items: Sequence[Any] | None = None,
        *,
        quick: bool = False,
    ) -> _Record:
        """Return the sum of the records of all parts, each told the item of its number.

        Parameters
        ----------
        task, merge
            As for `map_reduce`, but a task goes through all blocks of a part.
        items
            One for each part, such as the number of rows before it; None, if left out.
        quick
            The work on a part takes less time than to send it out: neighbours go together, and to
            whoever worked on them last. The merge must give the same in any order.
        """
        del task, merge, items, quick
        raise self._unnumbered()

    def map_passes(
        self,
        task: Callable[[RowsOfPart], _Record],
        merge: Callable[[_Record, _Record], _Record],
        items: Sequence[Any],
    ) -> _Record:
        """Return the sum of the records of tasks that each go through all rows, one for each item.

        Parameters
        ----------
        task, merge
            As for `map_parts`, but the blocks are those of the whole table, in order.
        items
            What each task is told, such as which trees to grow.
        """
        del task, merge, items
        raise self._unnumbered()

    def kept(self) -> "PartedTable":
        """Return the table for a learner that keeps it, and reads it again at each question."""
        raise TypeError(
            f"a {type(self).__name__} cannot be kept, and this learner goes through its rows again "
            "at each question: list the parts with surelearn.scale.parts"
        )

    def _unnumbered(self) -> TypeError:
        return TypeError(
            f"a {type(self).__name__} does not number its parts, and this learner must know which "
            "rows stand before others: list the parts with surelearn.scale.parts"
        )


def merge_in_order(
    records: Iterable[_Record], merge: Callable[[_Record, _Record], _Record]
) -> _Record:
    """Merge records two by two: neighbours first, then pairs of pairs, and so on.

    Examples
    --------
    >>> merge_in_order("abcde", lambda one, other: f"({one}{other})")
    '(((ab)(cd))e)'
    """
    waiting: list[tuple[int, _Record]] = []
    for each in records:
        size, record = 1, each
        while waiting and waiting[-1][0] == size:
            size, record = 2 * size, merge(waiting.pop()[1], record)
        waiting.append((size, record))
    total = waiting.pop()[1]
    while waiting:
        total = merge(waiting.pop()[1], total)
    return total


def refuse_targets(y: Any, sample_weight: Any) -> None:
    """Refuse targets or weights that are given beside parts, which bring their own.

    Examples
    --------
    >>> refuse_targets([1.0], None)
    Traceback (most recent call last):
    ValueError: parts bring their targets and weights along: name the columns where the parts are
    listed, parts(source, target=..., weight=...)
    """
    if y is not None or sample_weight is not None:
        raise ValueError(
            "parts bring their targets and weights along: name the columns where the parts are "
            "listed, parts(source, target=..., weight=...)"
        )
