"""Who works on the parts: this process alone, processes beside it, or a cluster."""

import os
from collections.abc import Callable, Generator, Sequence
from concurrent.futures import Executor, Future
from contextlib import ExitStack, contextmanager, suppress
from contextvars import ContextVar
from functools import partial
from os import PathLike
from threading import RLock
from types import TracebackType
from typing import Any, Self

import joblib

from surelearn import _arguments
from surelearn.scale._engine import Engine, Settings, pickled
from surelearn.scale._one_process import OneProcess, Packed, PackedPart


class _Serial(Engine):
    """Work in this process: a task is done when it is begun."""

    def __init__(self) -> None:
        super().__init__(None, 1)

    def submit(self, function: Callable[[Any], Any], part: Any) -> Future[Any]:
        future: Future[Any] = Future()
        try:
            future.set_result(function(part))
        except Exception as error:  # noqa: BLE001 - as any executor does
            future.set_exception(error)
        return future


class Processes(Executor):
    """Processes beside this one; those that die are replaced. Made by `processes`.

    Whoever knows what a process remembers can go back to it, and one that dies takes no other with
    it.
    """

    def __init__(self, n: int) -> None:
        self._max_workers = n
        self._begin()

    def _begin(self) -> None:
        self._all, self._lock, self._made_in = list[OneProcess](), RLock(), os.getpid()
        self._n_blocks, self._end_with_blocks = 0, False

    def submit(self, function: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        """Begin with a call in the process that has least to do."""
        idlest = min(self._started(), key=lambda one: one.n_waiting)
        return idlest.submit(partial(function, *args, **kwargs))

    def submit_to(self, place: int, function: Callable[..., Any], /, *args: Any) -> Future[Any]:
        """Begin with a call in the process of a place; those of equal remainders share one."""
        return self._started()[place % self._max_workers].submit(partial(function, *args))

    def ask_each(self, calls: Sequence[Callable[[], Any]]) -> list[Any] | None:
        """Return the result of each call, one in each process; None if one of them is at work.

        They are waited for here. If some fail, what the first raised is raised when all are done.
        """
        asked = self._started()[: len(calls)]
        with ExitStack() as stack:
            for one in asked:
                stack.callback(one.give_back)  # also if an interrupt comes while it is taken
            if not all(one.take() for one in asked):
                return None
            for one, call in zip(asked, calls, strict=True):
                one.begin(call)
            answers = [one.finish() for one in asked]
        for answer in answers:
            if answer.error is not None:
                raise answer.error
        return [answer.result for answer in answers]

    @property
    def pids(self) -> list[int]:
        """The numbers of the processes that are there."""
        return [one.pid for one in self._all if one.pid is not None]

    @property
    def is_running(self) -> bool:
        """Whether the processes were started."""
        return bool(self._all)

    @contextmanager
    def lent(self) -> Generator[None]:
        """Let a block use the processes; if they start in it, they end with it.

        Blocks of several threads may use them at once: the last one ends them.
        """
        self._see_who_asks()
        with self._lock:
            if self._n_blocks == 0:
                self._end_with_blocks = not self.is_running
            self._n_blocks += 1
        failed = True
        try:
            yield
            failed = False
        finally:
            with self._lock:
                self._n_blocks -= 1
                last = self._n_blocks == 0 and self._end_with_blocks
            if last:
                self.shutdown(cancel_futures=failed)

    def _see_who_asks(self) -> None:
        """Begin anew in a fork: the processes are its parent's, and the threads are not here."""
        if self._made_in != os.getpid():
            self._begin()

    def _started(self) -> list[OneProcess]:
        self._see_who_asks()
        with self._lock:
            if not self._all:
                self._all = [OneProcess() for _ in range(self._max_workers)]
            return self._all

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:  # noqa: FBT001, FBT002 - the interface of executors
        """End the processes; they start again with the next call."""
        self._see_who_asks()
        with self._lock:
            ended, self._all = self._all, []
        for one in ended:
            one.shutdown(wait=wait, kill=cancel_futures)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.shutdown(cancel_futures=kind is not None)


class _ProcessesEngine(Engine):
    """Processes of our own: each is asked about the same places again."""

    def sendable(self, task: Callable[[Any], Any]) -> Any:
        return Packed(task, pickled(task))

    def submit_near(self, place: int, function: Callable[[Any], Any], part: Any) -> Future[Any]:
        """Go to the process that worked on the place before."""
        return self.executor.submit_to(place, function, PackedPart(part))

    def each_near(self, function: Callable[[Any], Any], parts: Sequence[Any]) -> list[Any] | None:
        """Ask each process about its part, and wait for all."""
        with suppress(Exception):  # those who work on parts one by one tell what it was
            return self.executor.ask_each([partial(function, PackedPart(part)) for part in parts])
        return None


def processes(n: int | None = None) -> Processes:
    """Return n processes to work on parts, as many as there are processors if left out.

    They start with the first task; those that `scale.on` finds not started yet end with its block.
    What a process died of is tried again in another one.

    Examples
    --------
    >>> from operator import add
    >>> from surelearn import scale
    >>> with scale.on(scale.processes(2)):
    ...     scale.map_reduce(["a", "b", "c"], str.upper, add)
    'ABC'
    """
    n = int(joblib.cpu_count()) if n is None else n
    _arguments.at_least_one("n", n)
    return Processes(_arguments.count("n", n, at_most=_arguments.MOST_JOBS))


_current: ContextVar[Settings] = ContextVar("_current", default=Settings(_Serial()))  # noqa: B039


def current() -> Settings:
    """Return what the innermost `on` says."""
    return _current.get()


@contextmanager
def on(
    executor: Any = None,
    *,
    checkpoint: str | PathLike[str] | None = None,
    progress: Callable[[int, int], object] | None = None,
) -> Generator[None]:
    """Let everything inside that works on parts do so on this executor.

    Parameters
    ----------
    executor
        `processes(n)`, a pool of `concurrent.futures`, or a client of Dask; this process alone, if
        left out.
    checkpoint
        A folder in which the record of each part is kept, so that a run that was interrupted
        computes only what is missing when it is started again.
    progress
        Called with the number of parts that are done, and of all, in each pass.

    Examples
    --------
    >>> from operator import add
    >>> from surelearn import scale
    >>> with scale.on(progress=lambda done, of: print(done, "of", of)):
    ...     scale.map_reduce(["a", "b"], str.upper, add)
    1 of 2
    2 of 2
    'AB'
    """
    if progress is not None:
        _arguments.function("progress", progress)
    with ExitStack() as stack:
        engine = executor if isinstance(executor, Engine) else engine_of(executor)
        if engine is not executor:  # one that is given as such was prepared before
            stack.enter_context(engine.prepared())
        if isinstance(executor, Processes):
            stack.enter_context(executor.lent())  # what was started before goes on afterwards
        token = _current.set(Settings(engine, checkpoint, progress))
        stack.callback(_current.reset, token)
        yield


def connect(address: str, *, seconds: float = 20.0) -> Any:
    """Return a client of the cluster of Dask at an address; close it, or use it in a `with` block.

    Parameters
    ----------
    address
        That of the scheduler, such as tcp://10.0.0.1:8786.
    seconds
        How long to wait for an answer; then OSError is raised.

    Examples
    --------
    >>> connect("tcp://127.0.0.1:1", seconds=0.1)
    Traceback (most recent call last):
    OSError: nobody answers at tcp://127.0.0.1:1 as a scheduler of Dask does
    """
    from surelearn.scale.dask import client_at  # noqa: PLC0415 - an optional dependency

    return client_at(address, seconds)


def engine_of(executor: Any) -> Engine:
    """Return the engine that belongs to an executor; nobody means this process alone."""
    if executor is None:
        return _Serial()
    if type(executor).__module__.partition(".")[0] == "distributed":
        from surelearn.scale.dask import engine_of_dask  # noqa: PLC0415 - an optional dependency

        return engine_of_dask(executor)
    if not callable(getattr(executor, "submit", None)):
        raise TypeError(
            f"{_arguments.short(executor)} has no method submit: give scale.processes(n), a pool "
            "of concurrent.futures or a client of Dask"
        )
    n_workers = int(getattr(executor, "_max_workers", None) or os.cpu_count() or 1)
    kind = _ProcessesEngine if isinstance(executor, Processes) else Engine
    return kind(executor, 2 * n_workers + 2, n_workers)
