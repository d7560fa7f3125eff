"""How many workers grow a tree: all of them, or one alone where that is faster.

Cores fetch from each other what is handed over. How long that takes depends on the machine and on
what else it does, so of smaller tables a few trees are grown both ways; they are the same trees.
"""

import time
from collections.abc import Callable
from typing import TypeVar

from surelearn._threads import Workers

_LARGE = 4_000_000  # cells of a table whose trees one worker never grew as fast as several
_TRIED = 4  # trees that are grown either way in turn, before the faster way is taken
_PERIOD = 128  # trees after which it is tried again: another program may have come or gone

_Result = TypeVar("_Result")


class Pace:
    """Chooses who grows the next tree, by how long the last ones took.

    Parameters
    ----------
    workers
        All that there are.
    n_cells
        The size of the table.

    Examples
    --------
    >>> pace = Pace(Workers(None, 1), 10_000)
    >>> pace.lead(lambda crew, worker: (crew.size, worker), lambda: None)
    (1, 0)
    """

    def __init__(self, workers: Workers, n_cells: int) -> None:
        is_tried = workers.size > 1 and n_cells < _LARGE
        self._crews = (workers, Workers(None, 1)) if is_tried else (workers,)
        self._seconds: list[float] = []

    def lead(self, task: Callable[[Workers, int], _Result], end: Callable[[], object]) -> _Result:
        """Return the result of task 0, as `Workers.lead` does; tasks are told who is at work."""
        crew, begun = self._crews[self._next()], time.perf_counter()
        found = crew.lead(lambda worker: task(crew, worker), end)
        self._seconds.append(time.perf_counter() - begun)
        return found

    def _next(self) -> int:
        """Return the place of the crew that grows the next tree: of equals all of them."""
        if len(self._seconds) >= _PERIOD:
            self._seconds.clear()
        n = len(self._seconds)
        if n < _TRIED or len(self._crews) == 1:
            return n % len(self._crews)
        tried = self._seconds[:_TRIED]
        return int(min(tried[1::2]) < min(tried[::2]))
