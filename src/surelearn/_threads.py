"""Work shared among threads: compiled loops and matrix products leave the interpreter alone."""

from collections.abc import Callable, Generator, Iterator, Sequence
from concurrent.futures import Executor, ThreadPoolExecutor
from contextlib import AbstractContextManager, contextmanager, nullcontext
from typing import Any, NamedTuple, TypeVar, cast

import joblib
from threadpoolctl import ThreadpoolController

_Result = TypeVar("_Result")
_PARTS = 4

AT_ONCE = 512
"""Queries that a thread searches for at a time."""


def in_parallel(
    work: Callable[[slice], None], n: int, n_jobs: int | None, largest: int = AT_ONCE
) -> None:
    """Do the work on slices of n items, in `n_jobs` threads; None: one per core, one if nested."""
    n_threads = int(cast("Any", joblib).effective_n_jobs(-1 if n_jobs is None else n_jobs))
    rounds = -(-n // (largest * n_threads))  # every thread gets as many slices as the others
    parts = list(slices(n, max(1, -(-n // max(1, rounds * n_threads)))))
    if n_threads == 1 or n < 2 * n_threads:
        for part in parts:
            work(part)
        return
    with ThreadPoolExecutor(n_threads) as pool:
        for _ in pool.map(work, parts):
            pass


def in_parts(work: Callable[[int, int], _Result], n: int) -> list[_Result]:
    """Return what the work makes of items first .. last - 1, for each of a few parts of n items.

    Their number does not depend on the machine, so neither do sums of what comes back.

    Examples
    --------
    >>> in_parts(lambda first, last: (first, last), 10)
    [(0, 2), (2, 5), (5, 7), (7, 10)]
    """
    cuts = [n * i // _PARTS for i in range(_PARTS + 1)]
    todo, found = iter(range(_PARTS)), dict[int, _Result]()

    def take() -> None:
        for i in todo:
            found[i] = work(cuts[i], cuts[i + 1])

    helpers = min(_PARTS, joblib.cpu_count()) - 1  # a thread's start takes 0.1 ms: we take part
    with ThreadPoolExecutor(helpers or 1) as pool:
        hired = [pool.submit(take) for _ in range(helpers)]
        take()
        for helper in hired:
            helper.result()
    return [found[i] for i in range(_PARTS)]


def slices(n: int, size: int) -> Iterator[slice]:
    """Cut n items into slices of a size.

    Examples
    --------
    >>> [(part.start, part.stop) for part in slices(5, 2)]
    [(0, 2), (2, 4), (4, 5)]
    """
    for start in range(0, n, size):
        yield slice(start, min(start + size, n))


class Workers(NamedTuple):
    """Threads that stay for several rounds of work; without a pool, the caller does it alone."""

    pool: Executor | None
    size: int

    def map(self, task: Callable[[Any], _Result], items: Sequence[Any]) -> list[_Result]:
        """Return the result of a task for each item, in order.

        Examples
        --------
        >>> Workers(None, 1).map(abs, [-1, 2])
        [1, 2]
        """
        if self.pool is None or len(items) == 1:
            return [task(item) for item in items]
        return list(self.pool.map(task, items))


@contextmanager
def workers(n: int) -> Generator[Workers]:
    """Hire n threads for a while; none besides the caller if n is 1.

    Examples
    --------
    >>> with workers(2) as crew:
    ...     crew.map(abs, [-1, 2, -3])
    [1, 2, 3]
    """
    if n == 1:
        yield Workers(None, 1)
        return
    with ThreadPoolExecutor(n) as pool:
        yield Workers(pool, n)


_BLAS: list[ThreadpoolController] = []


def blas_threads() -> ThreadpoolController:
    """Return what sets the number of threads of matrix products; looking for it takes a while."""
    if not _BLAS:
        _BLAS.append(ThreadpoolController())
    return _BLAS[0]


_SMALL = 512  # rows of a square matrix that one thread solves as fast as several


def small_matrices(side: int) -> AbstractContextManager[Any]:
    """Keep the threads of matrix products asleep while a small matrix is solved.

    Woken, they spin for a while after the call and take the processors from whatever comes next.

    Examples
    --------
    >>> with small_matrices(3):
    ...     pass
    """
    return blas_threads().limit(limits=1) if side <= _SMALL else nullcontext()
