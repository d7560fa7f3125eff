"""A process beside this one that does one call after the other.

Pools hand each call on through several threads and picklers that take a millisecond, and give it to
whoever is idle. A pass of boosting takes a few, and is for the process that remembers the part.
"""

import os
import pickle
import signal
import traceback
from collections.abc import Callable
from concurrent.futures import BrokenExecutor, Future, ThreadPoolExecutor
from contextlib import suppress
from functools import lru_cache, partial
from multiprocessing import current_process
from multiprocessing.connection import Connection
from multiprocessing.util import Finalize
from threading import RLock, get_ident
from typing import Any, NamedTuple
from weakref import finalize

from joblib.externals.loky.backend import get_context, reduction
from joblib.externals.loky.backend.utils import kill_process_tree

from surelearn.scale.errors import UnreadableTaskError

_ONE_THREAD = dict.fromkeys(
    ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS"), "1"
)
# Arrays of some megabytes come and go with each pass; memory that goes back to the system each time
# has to be cleared again. This is as far as glibc itself goes with a program that lets them go.
_KEEP_MEMORY = {"MALLOC_MMAP_THRESHOLD_": str(2**25), "MALLOC_TRIM_THRESHOLD_": str(2**26)}
_END = b""


class OneProcess:
    """A process that starts with the first call; if it has died, another one takes its place."""

    def __init__(self) -> None:
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="surelearn-process")
        self._running: _Running | None = None
        self._under_way = set[Future[Any]]()
        self._asking = RLock()  # one call at a time, whoever asks
        self._owed_to: int | None = None  # the thread whose answer is still to come
        self._has_ended = False

    @property
    def pid(self) -> int | None:
        """The number of the process, if there is one."""
        return None if self._running is None else self._running.process.pid

    @property
    def n_waiting(self) -> int:
        """How many calls are not done."""
        return len(self._under_way)

    def submit(self, call: Callable[[], Any]) -> Future[Any]:
        """Begin with a call; what it raises there, the future raises here."""
        packed = _packed(call)
        try:
            future = self._thread.submit(self._ask, packed)
        except RuntimeError as error:
            if self._has_ended:  # by another thread, after this one was told of the process
                raise BrokenExecutor("the process was ended") from error
            raise
        self._under_way.add(future)
        future.add_done_callback(self._under_way.discard)
        return future

    def take(self) -> bool:
        """Take it for a call that this thread will wait for; say no if it is at work.

        To wake the thread that waits for other calls takes as long as many a call.
        """
        return self._asking.acquire(blocking=False)

    def begin(self, call: Callable[[], Any]) -> None:
        """Begin with a call, after it was taken; if it has died, `finish` says so."""
        packed = _packed(call)
        self._owed_to = get_ident()
        try:
            self._send(packed)
        except BrokenExecutor:
            self._end()

    def finish(self) -> "Answer":
        """Wait for the end of the call that was begun; if it died of it, that is the error."""
        try:
            answer = self._receive()
        except Exception as error:  # noqa: BLE001 - no reason to leave the answers of others
            if isinstance(error, BrokenExecutor):
                self._end()
            answer = Answer(None, error)
        self._owed_to = None
        return answer

    def give_back(self) -> None:
        """Let others have it, if this thread has taken it, which may not know: an interrupt came.

        If its answer is still to come, it would be taken for another's.
        """
        try:
            if self._owed_to == get_ident():
                if self._running is not None:
                    kill_process_tree(self._running.process)
                    self._end()
                self._owed_to = None
        finally:
            with suppress(RuntimeError):  # another thread has it, or nobody
                self._asking.release()

    def shutdown(self, *, wait: bool, kill: bool) -> None:
        """End the process, at once or after what it is at."""
        self._has_ended, running = True, self._running
        self._thread.shutdown(wait=False, cancel_futures=kill)
        if kill and running is not None:
            kill_process_tree(running.process)
        if kill or wait:
            self._thread.shutdown()
            with self._asking:  # a thread that waits for an answer still reads from the pipe
                self._end()

    def _ask(self, packed: bytes) -> Any:
        with self._asking:
            try:
                self._send(packed)
                answer = self._receive()
            except BrokenExecutor:
                self._end()
                raise
        if answer.error is not None:
            raise answer.error
        return answer.result

    def _send(self, packed: bytes) -> None:
        if self._running is None:
            self._running = _start()
            # Whoever forgets to end it: its process would wait for ever.
            finalize(self, _close, self._running.pipe, os.getpid()).atexit = False
        try:
            self._running.pipe.send_bytes(packed)
        except (EOFError, OSError) as error:
            raise BrokenExecutor("the process has died") from error

    def _receive(self) -> "Answer":
        running = self._running
        if running is None:  # somebody has ended it
            raise BrokenExecutor("the process has died")
        try:
            told = running.pipe.recv_bytes()
        except (EOFError, OSError) as error:
            raise BrokenExecutor("the process has died") from error
        return pickle.loads(told)  # noqa: S301 - of our own process

    def _end(self) -> None:
        running, self._running = self._running, None
        if running is not None:
            _close(running.pipe, os.getpid())
            running.process.join()


class Answer(NamedTuple):
    """What a call returned, or raised."""

    result: Any
    error: BaseException | None


class _Running(NamedTuple):
    """A process that was started, and the pipe to it."""

    process: Any
    pipe: Connection


def _close(pipe: Connection, made_in: int) -> None:
    """Say that there is nothing more to do, unless this is a fork of who is to say it."""
    if made_in == os.getpid():
        with suppress(OSError):  # closed already, or nobody is there
            pipe.send_bytes(_END)
    pipe.close()


def _start() -> _Running:
    if current_process().daemon:
        raise ValueError(
            "this process is a daemon, which Python lets have no processes of its own: work "
            "without an executor, or start it with daemon=False"
        )
    context: Any = get_context("loky")  # starts no second copy of the main program, and no fork
    ours, theirs = context.Pipe()
    process = context.Process(target=serve, args=(theirs,), env=_ONE_THREAD | _KEEP_MEMORY)
    process.start()
    theirs.close()
    Finalize(
        process, partial(_close, ours, os.getpid()), exitpriority=10
    )  # or Python would wait for its end
    return _Running(process, ours)


class Packed:
    """What goes out several times, packed once; who unpickles it has the thing itself.

    Examples
    --------
    >>> pickle.loads(pickle.dumps(Packed(("a task", 7))))
    ('a task', 7)
    """

    def __init__(self, thing: Any, pickled: bytes | None = None) -> None:
        self._bytes = _packed(thing, pickled)

    def __reduce__(self) -> tuple[Callable[[bytes], Any], tuple[bytes]]:
        return pickle.loads, (self._bytes,)


class PackedPart(Packed):
    """A part that will be asked about again: a process unpacks it once."""

    def __reduce__(self) -> tuple[Callable[[bytes], Any], tuple[bytes]]:
        return unpacked_part, (self._bytes,)


@lru_cache(maxsize=8)
def unpacked_part(packed: bytes) -> Any:
    """Return a part that was packed. Runs in the process."""
    return pickle.loads(packed)  # noqa: S301 - of the process that started this one


def _packed(thing: Any, pickled: bytes | None = None) -> bytes:
    """Return a thing as bytes; functions of the main program, or without a name, as their code."""
    with suppress(Exception):
        found = pickled or pickle.dumps(thing, protocol=pickle.HIGHEST_PROTOCOL)
        if b"__main__" not in found:
            return found
    return bytes(reduction.dumps(thing))


def serve(pipe: Connection) -> None:
    """Do what is asked until nobody is there any more. Runs in the process."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for who asks, and ends both
    with suppress(EOFError, OSError):
        while packed := pipe.recv_bytes():
            pipe.send_bytes(_answered(packed))


def _answered(packed: bytes) -> bytes:
    try:
        call = _read(packed)
        return _dumped(Answer(call(), None))
    except Exception as error:  # noqa: BLE001 - raised where it was asked
        error.add_note(f"In process {os.getpid()}:\n{traceback.format_exc()}")
        with suppress(Exception):
            told = _dumped(Answer(None, error))
            pickle.loads(told)  # noqa: S301 - some errors can be written and not read
            return told
        return _dumped(Answer(None, RuntimeError(f"{type(error).__name__}: {error}")))


def _dumped(answer: Answer) -> bytes:
    with suppress(Exception):
        return pickle.dumps(answer, protocol=pickle.HIGHEST_PROTOCOL)
    return bytes(reduction.dumps(answer))


def _read(packed: bytes) -> Callable[[], Any]:
    try:
        return pickle.loads(packed)  # noqa: S301 - of the process that started this one
    except Exception as error:
        raise UnreadableTaskError(error) from error
