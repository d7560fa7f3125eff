"""Work shared among threads: compiled loops and matrix products leave the interpreter alone."""

import functools
import sys
import threading
from collections import deque
from collections.abc import Callable, Generator, Iterator, Sequence
from concurrent.futures import Executor, ThreadPoolExecutor
from contextlib import AbstractContextManager, contextmanager, nullcontext
from typing import Any, NamedTuple, TypeVar, cast

import joblib
from threadpoolctl import ThreadpoolController

_Item = TypeVar("_Item")
_Result = TypeVar("_Result")

_N_CHUNKS = 4
_FEWEST = 4  # with fewer items than this, threads cost more than they save
_SMALL = 512  # rows of a square matrix that one thread solves as fast as several

LARGEST_CHUNK = 512
"""Queries that a thread searches for at a time."""


def run_chunks(
    work: Callable[[slice], None], n: int, n_jobs: int | None, largest: int = LARGEST_CHUNK
) -> None:
    """Do the work on chunks of n items, in `n_jobs` threads; None: one per core, one if nested."""
    n_threads = int(cast("Any", joblib).effective_n_jobs(-1 if n_jobs is None else n_jobs))
    rounds = -(-n // (largest * n_threads))  # every thread gets as many chunks as the others
    todo = list(chunks(n, max(1, -(-n // max(1, rounds * n_threads)))))
    if n_threads == 1 or n < 2 * n_threads:
        _run(work, todo)
        return
    with ThreadPoolExecutor(n_threads) as pool:
        for _ in pool.map(work, todo):
            pass


def map_chunks(work: Callable[[int, int], _Result], n: int) -> list[_Result]:
    """Return what the work makes of items first .. last - 1, for each of a few chunks of n items.

    Their number does not depend on the machine, so neither do sums of what comes back.

    Examples
    --------
    >>> map_chunks(lambda first, last: (first, last), 10)
    [(0, 2), (2, 5), (5, 7), (7, 10)]
    """
    cuts = [n * i // _N_CHUNKS for i in range(_N_CHUNKS + 1)]
    sole = int(cast("Any", joblib).effective_n_jobs(-1)) == 1  # others work beside us
    with workers(1 if sole else min(_N_CHUNKS, joblib.cpu_count())) as crew:
        return crew.map(lambda i: work(cuts[i], cuts[i + 1]), range(_N_CHUNKS))


def run_multiplying(work: Callable[[_Item], None], items: Sequence[_Item]) -> None:
    """Do work that multiplies matrices, on as many threads as the linear algebra library may use.

    Meanwhile each thread's products run on one thread. If somebody else has set that limit, the
    cores are taken and the work goes on without threads.

    Examples
    --------
    >>> found = []
    >>> run_multiplying(found.append, [1, 2])
    >>> found
    [1, 2]
    """
    if len(items) < _FEWEST:
        _run(work, items)
        return
    workers = max((library.num_threads or 1 for library in _blas().lib_controllers), default=1)
    with one_thread_products() if workers > 1 else nullcontext(enter_result=False) as ours:
        if not ours:
            _run(work, items)
            return
        with ThreadPoolExecutor(workers) as pool:
            for _ in pool.map(work, items):
                pass


def _run(work: Callable[[_Item], None], items: Sequence[_Item]) -> None:
    for item in items:
        work(item)


def chunks(n: int, size: int) -> Iterator[slice]:
    """Cut n items into chunks of a size.

    Examples
    --------
    >>> [(chunk.start, chunk.stop) for chunk in chunks(5, 2)]
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

        If one fails, or the caller is interrupted, nobody begins another.

        Examples
        --------
        >>> Workers(None, 1).map(abs, [-1, 2])
        [1, 2]
        """
        if self.pool is None or len(items) == 1:
            return [task(item) for item in items]
        todo, found = iter(range(len(items))), dict[int, _Result]()

        def take() -> None:
            try:
                for i in todo:
                    found[i] = task(items[i])
            except BaseException:
                deque(todo, maxlen=0)  # what is left is taken from all
                raise

        hired = [self.pool.submit(take) for _ in range(min(self.size, len(items)) - 1)]
        try:
            take()  # to wake a thread takes longer than many a task
        finally:
            deque(todo, maxlen=0)  # the caller may have been interrupted before it began
            late = [helper for helper in hired if not helper.cancel()]
            for helper in late:
                helper.result()
        return [found[i] for i in range(len(items))]

    def lead(self, task: Callable[[int], _Result], end: Callable[[], object]) -> _Result:
        """Return the result of task 0, which the caller does while threads do one other each.

        Those help the first, and go on until the end is told: also if the caller is interrupted.

        Examples
        --------
        >>> Workers(None, 1).lead(lambda worker: worker + 7, lambda: None)
        7
        """
        hired = [self.pool.submit(task, i) for i in range(1, self.size)] if self.pool else []
        try:
            return task(0)
        finally:
            end()
            for helper in hired:
                if not helper.cancel():
                    helper.result()


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
    with ThreadPoolExecutor(n - 1) as pool:  # the caller works too
        yield Workers(pool, n)


class _ProductLimit:
    """The limit of one thread: how many want it, and how to put back what was before."""

    def __init__(self) -> None:
        self.lock, self.n_inside = threading.Lock(), 0
        self.undo: Callable[[], object] = lambda: None

    def enter(self) -> bool:
        """Set the limit, unless it is set; say whether this did it."""
        with self.lock:
            if self.n_inside == 0:
                self.undo = _blas().limit(limits=1).restore_original_limits
            self.n_inside += 1
            return self.n_inside == 1

    def leave(self) -> None:
        """Put back what was before, if nobody else is inside."""
        with self.lock:
            self.n_inside -= 1
            if self.n_inside == 0:
                self.undo()


_product_limit = _ProductLimit()


@contextmanager
def one_thread_products() -> Generator[bool]:
    """Run each matrix product on one thread meanwhile; say whether the limit is ours.

    The limit is a property of the process: two callers that set it and put it back by turns would
    leave it set for good, or lift it while the other one still works. So the first one in sets it,
    and the last one out puts it back.

    Examples
    --------
    >>> with one_thread_products() as outer, one_thread_products() as inner:
    ...     outer, inner
    (True, False)
    """
    ours = _product_limit.enter()
    try:
        yield ours
    finally:
        _product_limit.leave()


@contextmanager
def alone() -> Generator[None]:
    """Keep to one thread, in matrix products and in loops: others work beside this one.

    Examples
    --------
    >>> with alone():
    ...     map_chunks(lambda first, last: last - first, 8)
    [2, 2, 2, 2]
    """
    with cast("Any", joblib).parallel_config(backend="sequential"), one_thread_products():
        yield


def small_matrices(side: int) -> AbstractContextManager[Any]:
    """Keep the threads of matrix products asleep while a small matrix is solved.

    Woken, they spin for a while after the call and take the processors from whatever comes next.

    Examples
    --------
    >>> with small_matrices(3):
    ...     pass
    """
    return one_thread_products() if side <= _SMALL else nullcontext()


def _blas() -> ThreadpoolController:
    # SciPy brings a library of its own: what was found before it was loaded is not all.
    return _libraries(with_scipy="scipy.linalg" in sys.modules)


@functools.cache
def _libraries(*, with_scipy: bool) -> ThreadpoolController:
    """Return what sets the number of threads of matrix products; looking for it takes a while."""
    del with_scipy
    return ThreadpoolController().select(user_api="blas")
