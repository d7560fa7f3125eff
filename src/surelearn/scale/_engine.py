"""What `map_reduce` has to know of whoever works on the parts."""

import pickle
from collections.abc import Callable, Generator, Sequence
from concurrent.futures import Future
from contextlib import contextmanager
from os import PathLike
from typing import Any, NamedTuple

from surelearn import _arguments
from surelearn.scale.errors import ClusterLostError


class Engine:
    """An executor, and what has to be known of it: how much it takes at once, how it fails."""

    def __init__(self, executor: Any, n_at_once: int, n_workers: int = 1) -> None:
        self.executor, self.n_at_once, self.n_workers = executor, n_at_once, n_workers

    def sendable(self, task: Callable[[Any], Any]) -> Any:
        """Return a task as it is sent out again and again; refuse one that cannot be."""
        pickled(task)
        return task

    def submit(self, function: Callable[[Any], Any], part: Any) -> Future[Any]:
        """Begin with the work on a part."""
        return self.executor.submit(function, part)

    def submit_near(self, place: int, function: Callable[[Any], Any], part: Any) -> Future[Any]:
        """Begin with the work on a part where that of the same place was done before, if it can."""
        del place
        return self.submit(function, part)

    def each_near(self, function: Callable[[Any], Any], parts: Sequence[Any]) -> list[Any] | None:
        """Return the results of the work on a part for each worker, in order.

        None if that is no quicker here than to submit them, or did not come to an end.
        """
        del function, parts
        return None

    @contextmanager
    def prepared(self) -> Generator[None]:
        """Make ready what is needed, and put it back."""
        yield

    def explained(self, part: Any, error: Exception) -> Exception | None:
        """Return a clearer error about a part, if there is one."""
        del part, error
        return None

    def is_gone(self) -> bool:
        """Return whether nobody will ever say that a task is done."""
        return False

    def lost(self, part: Any, n_done: int, error: BaseException) -> Exception:
        """Return what to say when a task was cancelled by somebody else, or all are gone."""
        return ClusterLostError(
            f"{part} was given up by its executor ({type(error).__name__}), after {n_done} parts "
            "were done. Start again; with checkpoint=FOLDER only what is missing is computed"
        )


class Settings(NamedTuple):
    """Where parts are worked on, where records are kept, and who is told."""

    engine: Engine
    checkpoint: str | PathLike[str] | None = None
    progress: Callable[[int, int], object] | None = None


def pickled(task: Callable[[Any], Any]) -> bytes:
    """Return a task as bytes, by the names of its functions; refuse one that has none."""
    try:
        return pickle.dumps(task, protocol=pickle.HIGHEST_PROTOCOL)
    except Exception as error:
        raise TypeError(
            f"{_arguments.short(task)} cannot be sent to other processes ({error}): give a plain "
            "function of a module, or functools.partial of one"
        ) from error
