"""Dask's clusters and data frames; the only file that imports Dask.

pip install surelearn[dask]
"""

import hashlib
import time
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import partial
from typing import Any

import pyarrow as pa
from dask import config
from dask.local import get_sync
from dask.optimization import cull
from distributed import Client, Future, LocalCluster
from distributed.cfexecutor import ClientExecutor
from distributed.scheduler import KilledWorker, NoValidWorkerError, NoWorkerError

from surelearn import _arguments
from surelearn.base.parted import Block
from surelearn.scale._columns import feature_columns, features_and_target, sound
from surelearn.scale._engine import Engine
from surelearn.scale._versions import OTHER_CODE, code_version
from surelearn.scale.errors import ClusterLostError, PartError

_SILENT = 30.0  # seconds after which a worker counts as dead; Dask waits for five minutes
_NOBODY = 60.0  # seconds to wait for a first worker; Dask waits for ever
_FAILURES = 3  # workers that may die of a task before it is given up
_NEWS = 5.0  # seconds after which to see whether workers have come or gone
_AT_LEAST = 16  # tasks at once: workers may join later

_LOCAL = {
    "distributed.worker.preload": ["surelearn.scale.dask"],  # no heart beats meanwhile
    # Fifteen seconds after it lost a worker, Dask looks for it: one that was started again and has
    # just died for a second time would be given up. Its nanny starts it whenever it dies.
    "distributed.deploy.lost-worker-timeout": "1 day",
}


@contextmanager
def local_cluster(n_workers: int, **options: Any) -> Generator[Client]:
    """Start workers on this machine, one process each, and end them afterwards.

    Parameters
    ----------
    n_workers
        How many.
    **options
        Of Dask's `LocalCluster`, such as memory_limit="4GB".

    Examples
    --------
    >>> from operator import add
    >>> from surelearn import scale
    >>> with local_cluster(1) as client, scale.on(client):
    ...     scale.map_reduce(["a", "b", "c"], str.upper, add)
    'ABC'
    """
    _arguments.at_least_one("n_workers", n_workers)
    usual: dict[str, Any] = {"threads_per_worker": 1, "dashboard_address": ":0"}
    given: dict[str, Any] = usual | {"n_workers": n_workers, "processes": True} | options
    with (
        config.set(_LOCAL),
        LocalCluster(**given) as cluster,
        Client(cluster) as client,
    ):
        yield client


class _DaskEngine(Engine):
    """A client of Dask: its scheduler is set up while it works, and its errors are explained."""

    def __init__(self, client: Client) -> None:
        self.client: Any = client
        self._looked, self._near = float("-inf"), list[Any]()
        n_threads = sum(self.client.nthreads().values())
        at_once = max(_AT_LEAST, 2 * n_threads + 2)
        super().__init__(client.get_executor(pure=False), at_once, max(1, n_threads))

    def submit_near(self, place: int, function: Callable[[Any], Any], part: Any) -> Any:
        """Prefer a worker for each place: it may remember the part. Anybody else may step in."""
        if time.monotonic() > self._looked + _NEWS:
            options: dict[str, Any] = {"pure": False, "allow_other_workers": True}
            there = sorted(self.client.nthreads().items())
            self._near = [
                self.client.get_executor(workers=[address], **options)
                for address, n_threads in there
                for _ in range(n_threads)
            ]
            self._looked = time.monotonic()
        who = self._near[place % len(self._near)] if self._near else self.executor
        return who.submit(function, part)

    @contextmanager
    def prepared(self) -> Generator[None]:
        """Set what the scheduler waits for, and put it back; workers load the library before."""
        before = self._patient()
        try:
            yield
        finally:
            if self.client.status == "running":
                with suppress(OSError):  # it is gone by now, which others have told
                    self.client.run_on_scheduler(set_patience, *before)

    def _patient(self) -> Any:
        """Return what the scheduler waited for; refuse workers with other code, or without any."""
        try:
            # A worker that imports is as silent as a dead one; one that is dead is none of ours.
            for address, found in self.client.run(code_version, on_error="return").items():
                _refuse_other_worker(address, found)
            return self.client.run_on_scheduler(set_patience, _SILENT, _NOBODY, _FAILURES)
        except OSError as error:
            raise ClusterLostError("the scheduler of Dask is gone: start a cluster") from error
        except Exception as error:
            if _lacks_code(error):
                raise ValueError(_without("scheduler of Dask", error)) from error
            raise

    def explained(self, part: Any, error: Exception) -> Exception | None:
        if isinstance(error, KilledWorker):
            return PartError(
                f"{part}: {error.allowed_failures + 1} workers died of it. It may need more memory "
                "than they have",
                part,
            )
        if isinstance(error, NoWorkerError | NoValidWorkerError):
            return ClusterLostError(
                f"the cluster had no worker for {part} in {_NOBODY:g} seconds: start some, and run "
                "this again; with checkpoint=FOLDER only what is missing is computed"
            )
        return None

    def is_gone(self) -> bool:
        return self.client.status in {"closing", "closed"}  # it tried to reconnect for a while

    def lost(self, part: Any, n_done: int, error: BaseException) -> Exception:
        del error
        return ClusterLostError(
            f"the scheduler of Dask is gone, or gave {part} up; {n_done} parts were done. Start a "
            "cluster and run this again; with checkpoint=FOLDER only what is missing is computed"
        )


def _refuse_other_worker(address: str, found: Any) -> None:
    """Refuse a worker by what it says of its code; what else went wrong is seen later."""
    if isinstance(found, Exception) and _lacks_code(found):
        raise ValueError(_without(f"worker at {address}", found))
    if isinstance(found, str) and found != code_version():
        raise ValueError(f"the worker at {address} has {OTHER_CODE}")


def _lacks_code(error: Exception) -> bool:
    """Return whether someone else could not import the library; Dask tells it as text."""
    return isinstance(error, ImportError) or "ModuleNotFoundError" in str(error)


def _without(who: str, error: Exception) -> str:
    return (
        f"the {who} cannot import surelearn ({error}): install it there, in the same version as "
        "here, with surelearn[dask]"
    )


def engine_of_dask(given: Any) -> Engine:
    """Return the engine of a client of Dask, or of its executor or cluster."""
    if isinstance(given, ClientExecutor):
        given = vars(given)["_client"]  # it has no other way to say whose it is
    if not isinstance(given, Client):
        raise TypeError(f"{_arguments.short(given)} is no client of Dask: Client(address) is one")
    return _DaskEngine(given)


def client_at(address: str, seconds: float) -> Client:
    """Return a client of the cluster at an address, or raise OSError."""
    try:
        return Client(address, timeout=seconds)
    except (OSError, ValueError) as error:
        raise OSError(f"nobody answers at {address} as a scheduler of Dask does") from error


def set_patience(
    silent: float | None, nobody: float | None, failures: int, *, dask_scheduler: Any
) -> tuple[float | None, float | None, int]:
    """Say how long a scheduler waits, and what it forgives; return what it was before.

    Runs in the scheduler.
    """
    scheduler = dask_scheduler
    before = (scheduler.worker_ttl, scheduler.no_workers_timeout, scheduler.allowed_failures)
    scheduler.worker_ttl, scheduler.no_workers_timeout = silent, nobody
    scheduler.allowed_failures = failures
    look = scheduler.periodic_callbacks.get("worker-ttl")
    if look is not None and silent is not None:
        look.stop()
        look.callback_time = 1000.0 * min(silent / 4.0, 5.0)  # Dask looks once per patience
        look.start()
    return before


@dataclass(frozen=True)
class FramePart:
    """A partition of a data frame of Dask: the tasks that make it, which run where it is read.

    Attributes
    ----------
    place
        Its number.
    sha256
        The hash of the names that Dask gives those tasks, after what they read and do.
    """

    place: int
    sha256: str
    graph: Mapping[Any, Any]
    task: Any
    names: tuple[str, ...]
    target: str | None
    weight: str | None
    n_rows: int | None = None

    def __str__(self) -> str:
        return f"partition {self.place} of the data frame"

    @property
    def key(self) -> str:
        """What tells this partition from others."""
        told = f"{self.sha256} {self.names} {self.target} {self.weight}"
        return hashlib.sha256(told.encode()).hexdigest()

    def blocks(self, n_rows: int = 2**16) -> Iterator[Block]:
        """Yield the rows, so many at a time."""
        frame = get_sync(self.graph, self.task)
        table = pa.Table.from_pandas(frame, preserve_index=False).combine_chunks()
        for batch in table.to_batches(n_rows):
            X, y = features_and_target(sound(batch), names=list(self.names), target=self.target)
            more = () if self.weight is None else (batch.column(self.weight).to_numpy(),)
            yield Block(X, y, *more)


def frame_parts(
    frame: Any, *, target: str | None, columns: Sequence[str] | None, weight: str | None
) -> list[FramePart]:
    """Return the partitions of a data frame of Dask as parts."""
    if not hasattr(frame, "optimize") or not hasattr(frame, "npartitions"):
        raise TypeError(f"{_arguments.short(frame)} is no data frame of Dask")
    schema = pa.schema([(str(name), pa.null()) for name in frame.columns])
    names = feature_columns(schema, target, columns)
    if weight is not None:
        feature_columns(schema, None, [weight])
        names = [name for name in names if name != weight]
    made = frame.optimize()
    graph, keys = dict(made.__dask_graph__()), list(made.__dask_keys__())
    if any(isinstance(task, Future) for task in graph.values()):
        raise ValueError(
            "the data frame was persisted: its partitions are in the memory of workers, and are "
            "lost with them. Give the frame as it was before persist()"
        )
    make = partial(_frame_part, graph, (tuple(names), target, weight))
    return [make(place, key) for place, key in enumerate(keys)]


def _frame_part(
    graph: Mapping[Any, Any], reading: tuple[Any, Any, Any], place: int, key: Any
) -> FramePart:
    needed = cull(graph, [key])[0]
    told = hashlib.sha256(repr((key, sorted(map(repr, needed)))).encode()).hexdigest()
    return FramePart(place, told, needed, key, *reading)
