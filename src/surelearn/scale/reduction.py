"""A task on every part and one sum of all records, the same to the last bit wherever it runs.

Records are merged two by two in the order of the parts, by a tree that depends on their number
alone: neither on who computed them nor on when. Between the merges at most log₂ n records wait,
and besides them those of the tasks under way.
"""

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, BrokenExecutor, CancelledError, Future, wait
from functools import partial
from itertools import islice
from os import PathLike
from typing import Any, NamedTuple, TypeVar

from surelearn._threads import alone
from surelearn.base.parted import merge_in_order
from surelearn.scale._engine import Engine
from surelearn.scale._versions import OTHER_CODE, code_version
from surelearn.scale.checkpoints import Checkpoint
from surelearn.scale.errors import PartError, UnreadableTaskError
from surelearn.scale.executors import current, on

_Part = TypeVar("_Part")
_Record = TypeVar("_Record")

_MOST_DEATHS = 3  # of processes that worked on one part
_LOOK = 1.0  # seconds after which to see whether there is anybody left to wait for


def map_reduce(
    parts: Iterable[_Part],
    task: Callable[[_Part], _Record],
    merge: Callable[[_Record, _Record], _Record],
    *,
    executor: Any = None,
    checkpoint: str | PathLike[str] | None = None,
    progress: Callable[[int, int], object] | None = None,
) -> _Record:
    """Return the sum of what a task makes of each part.

    Parameters
    ----------
    parts
        The parts, in the order in which their records are merged.
    task
        A plain function of a part that can be pickled and changes nothing: it may run anywhere,
        and twice.
    merge
        Makes one record of two neighbours, the earlier one first.
    executor
        Anything with `submit`: `processes(n)`, a pool of `concurrent.futures`, a client of Dask.
        Left out, that of `scale.on`, or else this process alone.
    checkpoint
        A folder in which the record of each part is kept; a later run with the same task computes
        only what is missing.
    progress
        Called with the number of parts that are done, and of all.

    Examples
    --------
    >>> from operator import add
    >>> map_reduce(["a", "b", "c"], str.upper, add)
    'ABC'
    """
    settings = current()
    if executor is not None or checkpoint is not None or progress is not None:
        given = settings.engine if executor is None else executor
        folder, told = checkpoint or settings.checkpoint, progress or settings.progress
        with on(given, checkpoint=folder, progress=told):
            return map_reduce(parts, task, merge)
    todo = list(parts)
    if not todo:
        raise ValueError("there is no part to work on")
    sent = settings.engine.sendable(task)
    folder = settings.checkpoint
    kept = None if folder is None else Checkpoint(folder, (task, merge))
    run = _Run(todo, sent, settings.engine, kept, settings.progress)
    with alone():  # merges, too, are the same to the last bit
        return merge_in_order(run.records(), merge)


def map_groups(
    parts: Sequence[_Part],
    task: Callable[[_Part], _Record],
    merge: Callable[[_Record, _Record], _Record],
) -> _Record:
    """Return the same as `map_reduce`, with as many calls as there are workers.

    Each works on neighbours, and in a later pass on the same ones as long as it is there. How many
    there are decides what is merged first, so that the merge must be the same in any order.

    Examples
    --------
    >>> map_groups([3, 1, 2], abs, max)
    3
    """
    settings = current()
    n = len(parts)
    n_groups = min(n, settings.engine.n_workers)
    if settings.engine.executor is None or n == 0 or settings.checkpoint is not None:
        return map_reduce(parts, task, merge)
    ends = [n * i // n_groups for i in range(n_groups + 1)]
    groups = [Group(i, tuple(parts[ends[i] : ends[i + 1]])) for i in range(n_groups)]
    each, told = partial(over_group, task, merge), settings.progress
    work = partial(work_on, settings.engine.sendable(each), code_version())
    records = settings.engine.each_near(work, groups)
    if records is not None:
        if told is not None:
            for end in ends[1:]:
                told(end, n)
        with alone():
            return merge_in_order(records, merge)
    tell = None if told is None else partial(_tell_parts, told, ends)
    with on(settings.engine, progress=tell):
        return map_reduce(groups, each, merge)


class Group(NamedTuple):
    """Neighbours that are worked on in one call; the place is that among all groups."""

    place: int
    parts: tuple[Any, ...]

    def __str__(self) -> str:
        first, *others = self.parts
        return f"{first} and those after it up to {others[-1]}" if others else str(first)


def over_group(
    task: Callable[[Any], _Record], merge: Callable[[_Record, _Record], _Record], group: Group
) -> _Record:
    """Return the sum of the records of the parts of a group; an error names the part."""
    return merge_in_order((_told_of(task, part) for part in group.parts), merge)


def _tell_parts(
    progress: Callable[[int, int], object], ends: Sequence[int], n_done: int, _: int
) -> None:
    progress(ends[n_done], ends[-1])


class _Run:
    """One task on all parts: what is under way, what is done."""

    def __init__(
        self,
        parts: Sequence[Any],
        task: Callable[[Any], Any],
        engine: Engine,
        kept: Checkpoint | None,
        progress: Callable[[int, int], object] | None,
    ) -> None:
        self.parts, self.engine, self.kept, self.progress = parts, engine, kept, progress
        self.work = partial(work_on, task, code_version())
        self.under_way: deque[tuple[Any, Future[Any]]] = deque()
        self.not_kept: dict[Future[Any], Any] = {}
        self.n_done = 0

    def records(self) -> Iterator[Any]:
        """Yield the records in the order of the parts, as soon as they and all before are there."""
        todo = iter(self.parts)
        try:
            while self._fill(todo):
                part, future = self.under_way[0]
                while not future.done():
                    self._keep(self._done(part))
                self._keep([future] if future in self.not_kept else [])
                self.under_way.popleft()
                yield self._result(part, future)
                self.n_done += 1
                if self.progress is not None:
                    self.progress(self.n_done, len(self.parts))
        finally:
            for _, future in self.under_way:
                future.cancel()

    def _done(self, part: Any) -> Iterable[Future[Any]]:
        """Wait for a task: one whose record a scheduler died in handing over is never done."""
        found = wait(self.not_kept, _LOOK, FIRST_COMPLETED).done
        if not found and self.engine.is_gone():
            raise self.engine.lost(part, self.n_done, CancelledError())
        return found

    def _fill(self, todo: Iterator[Any]) -> bool:
        """Begin with as many parts as the executor takes at once; say whether any is under way."""
        for part in islice(todo, self.engine.n_at_once - len(self.under_way)):
            self.under_way.append((part, self._begun(part)))
        return bool(self.under_way)

    def _begun(self, part: Any) -> Future[Any]:
        found = None if self.kept is None else self.kept.find(part)
        if found is not None:
            future: Future[Any] = Future()
            future.set_result(found.record)
            return future
        try:
            if isinstance(part, Group):
                future = self.engine.submit_near(part.place, self.work, part)
            else:
                future = self.engine.submit(self.work, part)
        except BrokenExecutor as error:
            future = Future()
            future.set_exception(error)
        self.not_kept[future] = part
        return future

    def _keep(self, done: Iterable[Future[Any]]) -> None:
        """Keep the records of tasks that are done, whatever their order."""
        for future in list(done):
            part = self.not_kept.pop(future)
            if self.kept is not None and not future.cancelled() and future.exception() is None:
                self.kept.keep(part, future.result())

    def _result(self, part: Any, future: Future[Any]) -> Any:
        try:
            return future.result()
        except BrokenExecutor:
            return self._after_a_death(part)
        except CancelledError as error:
            raise self.engine.lost(part, self.n_done, error) from error
        except (PartError, UnreadableTaskError):
            raise
        except Exception as error:
            known = self.engine.explained(part, error)
            raise known or PartError(f"{part}: {_in_words(error)}", part) from error

    def _after_a_death(self, part: Any) -> Any:
        """Work on a part alone: only so can it be told which one a process died of."""
        for _ in range(_MOST_DEATHS):
            try:
                record = self.engine.submit(self.work, part).result()
            except BrokenExecutor as error:
                _refuse_unreadable(error)
                continue
            if self.kept is not None:
                self.kept.keep(part, record)
            return record
        raise PartError(
            f"{part}: the process that works on it dies, each time it is tried. It may need more "
            "memory than there is",
            part,
        )


def work_on(task: Callable[[_Part], _Record], version: str, part: _Part) -> _Record:
    """Do a task on a part, on one thread; an error names the part."""
    with alone():
        return _told_of(partial(_with_our_code, task, version), part)


def _told_of(task: Callable[[Any], _Record], part: Any) -> _Record:
    try:
        return task(part)
    except PartError:
        raise
    except Exception as error:
        raise PartError(f"{part}: {_in_words(error)}", part) from error


def _with_our_code(task: Callable[[_Part], _Record], version: str, part: _Part) -> _Record:
    if version != code_version():
        raise ValueError(f"the worker has {OTHER_CODE}")
    return task(part)


def _in_words(error: Exception) -> str:
    said = str(error)
    told = isinstance(error, ValueError | TypeError) and bool(said)
    return said if told else f"{type(error).__name__}: {said}"


def _refuse_unreadable(error: BrokenExecutor) -> None:
    """Refuse a task that a process could not read; a pool of loky ends as if it had died."""
    if "un-serialize" in str(error):
        why = str(error.__cause__).strip().strip('"').strip().splitlines()[-1:]
        raise UnreadableTaskError("".join(why)) from error
