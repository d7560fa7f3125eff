"""Tables in parts, as a learner sees them: a task on each block of rows, and a sum in order.

Who lists the parts, reads them and runs the tasks stands above, in `surelearn.scale`.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Any, NamedTuple, TypeVar

_Record = TypeVar("_Record")


class Block(NamedTuple):
    """Some rows of a table, their targets and their weights; None where there are none."""

    X: Any
    y: Any = None
    weights: Any = None


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
