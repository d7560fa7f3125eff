"""Processes that several threads share, that a fork inherits, or that nobody ends."""

import gc
import os
import pickle
import threading
from concurrent.futures import BrokenExecutor, ThreadPoolExecutor
from operator import add
from types import SimpleNamespace

import pytest

from surelearn import scale
from surelearn.scale import _one_process, executors


class InAThread:
    """Stands for a process of which only the calls matter."""

    made = 0

    def __init__(self):
        type(self).made += 1
        self.pid, self.n_waiting, self._thread = os.getpid(), 0, ThreadPoolExecutor(1)

    def submit(self, call):
        return self._thread.submit(pickle.loads(pickle.dumps(call)))  # noqa: S301 - our own

    def shutdown(self, *, wait, kill):
        del wait
        self._thread.shutdown(cancel_futures=kill)


@pytest.fixture
def pool(monkeypatch):
    monkeypatch.setattr(executors, "OneProcess", InAThread)
    InAThread.made = 0
    return scale.processes(2)


def test_blocks_of_several_threads_share_processes_and_the_last_one_ends_them(pool):
    all_there, errors = threading.Barrier(4), []

    def use():
        try:
            with scale.on(pool):
                all_there.wait()
                assert scale.map_reduce([1, 2, 3, 4], abs, add) == 10
        except BaseException as error:  # noqa: BLE001 - told below
            errors.append(error)

    threads = [threading.Thread(target=use) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert (errors, InAThread.made, pool.pids) == ([], 2, [])


def test_a_block_that_fails_does_not_end_what_another_uses(pool):
    with scale.on(pool):
        with pytest.raises(scale.PartError), scale.on(pool):
            scale.map_reduce(["a"], abs, add)
        assert scale.map_reduce([1, 2], abs, add) == 3
        assert len(pool.pids) == 2
    assert pool.pids == []


def test_what_was_started_before_goes_on_afterwards(pool):
    pool.submit(abs, -1).result()
    with scale.on(pool):
        scale.map_reduce([1, 2], abs, add)
    assert (InAThread.made, pool.is_running) == (2, True)
    pool.shutdown()


def test_a_fork_starts_processes_of_its_own(pool, monkeypatch):
    pool.submit(abs, -1).result()
    theirs = list(pool._all)
    monkeypatch.setattr(os, "getpid", lambda: -1)
    assert pool.submit(abs, -1).result() == 1
    assert not set(theirs) & set(pool._all)
    for one in theirs:
        one.shutdown(wait=True, kill=False)
    pool.shutdown()


def elsewhere(call):
    """Return what a call returns in another thread."""
    with ThreadPoolExecutor(1) as thread:
        return thread.submit(call).result()


@pytest.fixture
def told(monkeypatch):
    """Let every process answer 3, and return what they are told."""
    told = []
    answer = _one_process._dumped(_one_process.Answer(3, None))
    pipe = SimpleNamespace(
        send_bytes=told.append, recv_bytes=lambda: answer, close=lambda: told.append("closed")
    )
    running = _one_process._Running(SimpleNamespace(pid=1, join=lambda: None), pipe)
    monkeypatch.setattr(_one_process, "_start", lambda: running)
    monkeypatch.setattr(_one_process, "kill_process_tree", lambda _: told.append("killed"))
    return told


def test_a_process_that_is_taken_is_of_one_thread_until_it_is_given_back(told):
    one = _one_process.OneProcess()
    assert one.take()
    assert not elsewhere(one.take)
    one.begin(abs)
    elsewhere(one.give_back)  # which has not taken it
    assert one.finish().result == 3
    one.give_back()
    assert one.submit(abs).result() == 3
    assert one.take()
    one.begin(abs)
    one.give_back()  # its answer would be taken for that of the next call
    assert told[3:] == ["killed", _one_process._END, "closed"]
    assert (one.take(), one.pid) == (True, None)


def test_processes_are_asked_together_only_if_none_is_at_work(told):
    pool = scale.processes(2)
    assert pool.ask_each([abs, abs]) == [3, 3]
    busy = pool._all[1]
    assert busy.take()
    assert elsewhere(lambda: pool.ask_each([abs, abs])) is None
    assert elsewhere(lambda: pool.ask_each([abs])) == [3]  # the first one is not
    busy.give_back()
    assert pool.ask_each([abs, abs]) == [3, 3]
    assert "killed" not in told


def test_an_interrupt_gives_all_processes_back(told, monkeypatch):
    def interrupted():
        raise KeyboardInterrupt

    pool = scale.processes(2)
    pool.ask_each([abs, abs])
    monkeypatch.setattr(pool._all[0]._running.pipe, "recv_bytes", interrupted)
    with pytest.raises(KeyboardInterrupt):
        pool.ask_each([abs, abs])
    assert told.count("killed") == 2
    assert all(elsewhere(one.take) and one.pid is None for one in pool._all)


def test_an_interrupt_while_processes_are_taken_gives_them_back(told, monkeypatch):
    pool = scale.processes(2)
    assert pool.ask_each([abs, abs]) == [3, 3]
    second, take = pool._all[1], pool._all[1].take

    def interrupted():
        take()
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(second, "take", interrupted)
        with pytest.raises(KeyboardInterrupt):
            pool.ask_each([abs, abs])
    assert elsewhere(lambda: pool.ask_each([abs, abs])) == [3, 3]
    assert "killed" not in told


@pytest.mark.parametrize("moment", ["send_bytes", "recv_bytes"])
def test_a_process_that_dies_takes_no_other_with_it(told, monkeypatch, moment):
    def died(*_):
        raise BrokenPipeError

    pool = scale.processes(3)
    pool.ask_each([abs] * 3)
    first, second, third = pool._all
    dead = SimpleNamespace(**{**vars(second._running.pipe), moment: died})
    monkeypatch.setattr(second, "_running", second._running._replace(pipe=dead))
    with pytest.raises(BrokenExecutor):
        pool.ask_each([abs] * 3)
    assert [one.pid for one in (first, second, third)] == [1, None, 1]
    assert "killed" not in told
    assert pool.ask_each([abs] * 3) == [3, 3, 3]


def test_a_process_is_not_ended_while_a_thread_waits_for_its_answer(told, monkeypatch):
    """Whoever closes its pipe lets that thread read from the next file that is opened."""
    pool, closed, reading = scale.processes(1), threading.Event(), threading.Event()
    pool.ask_each([abs])
    pipe = pool._all[0]._running.pipe
    receive = pipe.recv_bytes

    def slowly():
        reading.set()
        closed.wait(0.05)
        told.append("answer")
        return receive()

    monkeypatch.setattr(pipe, "recv_bytes", slowly)
    monkeypatch.setattr(pipe, "close", lambda: told.append("closed") or closed.set())
    with ThreadPoolExecutor(1) as thread:
        asked = thread.submit(pool.ask_each, [abs])
        reading.wait()
        pool.shutdown()
    assert asked.result() == [3]
    assert told[2:5] == ["answer", _one_process._END, "closed"]


def test_processes_that_another_thread_ends_are_started_again(told, monkeypatch):
    pool = scale.processes(1)
    begun = pool._started()
    pool.shutdown()
    with pytest.raises(BrokenExecutor, match="was ended"):
        begun[0].submit(abs)
    late = iter([begun])  # what a thread was told just before
    started = pool._started
    monkeypatch.setattr(pool, "_started", lambda: next(late, None) or started())
    with scale.on(pool):
        assert scale.map_reduce([1], abs, add) == 3
    assert told


def test_a_process_that_nobody_ends_is_told_to(told):
    one = _one_process.OneProcess()
    assert one.submit(abs).result() == 3
    one._thread.shutdown()
    del one
    gc.collect()
    assert told[1:] == [_one_process._END, "closed"]


def test_a_daemon_is_told_that_it_may_have_no_processes(monkeypatch):
    monkeypatch.setattr(_one_process, "current_process", lambda: SimpleNamespace(daemon=True))
    with pytest.raises(scale.PartError, match="this process is a daemon"):
        scale.map_reduce([1, 2], abs, add, executor=scale.processes(1))
