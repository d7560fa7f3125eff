"""Who works on the parts of a table: this process, processes beside it, or a cluster."""

import logging
from collections.abc import Callable, Generator
from contextlib import ExitStack, contextmanager
from os import PathLike
from typing import Any

from surelearn import scale
from surelearn._arguments import MOST_JOBS
from surelearn.app.errors import TableError
from surelearn.scale.errors import CheckpointError

_TALKATIVE = ("distributed.client", "distributed.core", "distributed.comm", "tornado.application")


@contextmanager
def working(
    executor: Any = None,
    *,
    workers: int | None = None,
    cluster: str | None = None,
    checkpoint: str | PathLike[str] | None = None,
    progress: Callable[[int, int], object] | None = None,
) -> Generator[None]:
    """Let all work on parts be done by an executor, by processes here, or by a cluster of Dask.

    Parameters
    ----------
    executor
        See `surelearn.scale.on`.
    workers
        How many processes to start on this machine.
    cluster
        The address of a scheduler of Dask, such as tcp://10.0.0.1:8786.
    checkpoint, progress
        See `surelearn.scale.on`.

    Examples
    --------
    >>> with working(workers=0):
    ...     pass
    Traceback (most recent call last):
    surelearn.app.errors.TableError: the number of workers must be 1 to 32,767, not 0
    """
    if workers is not None and cluster is not None:
        raise TableError("parts are worked on by --workers here or by a --cluster, not by both")
    if workers is not None and not 1 <= workers <= MOST_JOBS:
        raise TableError(f"the number of workers must be 1 to {MOST_JOBS:,}, not {workers}")
    with ExitStack() as stack:
        if cluster is not None:
            executor = stack.enter_context(_joined(cluster))
        elif workers is not None:
            executor = scale.processes(workers)
        if executor is None and checkpoint is None and progress is None:
            yield  # whatever an outer `scale.on` says
            return
        try:
            stack.enter_context(_on(executor, checkpoint, progress))
        except (TypeError, ValueError, scale.ClusterLostError) as error:
            raise TableError(str(error)) from error
        try:
            yield
        except CheckpointError as error:
            raise TableError(f"{error}: name another folder with --checkpoint") from error


def _on(executor: Any, checkpoint: Any, progress: Any) -> Any:
    """Return `scale.on`; what is left out stays as an outer one says."""
    outer = scale.current()
    return scale.on(
        outer.engine if executor is None else executor,
        checkpoint=checkpoint or outer.checkpoint,
        progress=progress or outer.progress,
    )


@contextmanager
def _joined(address: str) -> Generator[Any]:
    try:
        client = scale.connect(address)
    except ImportError as error:
        raise TableError("a cluster needs Dask: pip install surelearn[dask]") from error
    except (OSError, TypeError, ValueError) as error:
        raise TableError(f"there is no cluster of Dask at {address}: {error}") from error
    with client, _without_logs():
        yield client


@contextmanager
def _without_logs() -> Generator[None]:
    """Keep what Dask logs of broken connections to itself: the command says it in a sentence."""
    loggers = [logging.getLogger(name) for name in _TALKATIVE]
    before = [logger.level for logger in loggers]
    for logger in loggers:
        logger.setLevel(logging.CRITICAL + 1)
    try:
        yield
    finally:
        for logger, level in zip(loggers, before, strict=True):
            logger.setLevel(level)
