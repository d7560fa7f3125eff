"""One sum of all records: the same tree whoever works, errors by name, nothing computed twice."""

import math
import os
import sys
import threading
import time
import types
from concurrent.futures import BrokenExecutor, Executor, Future, ThreadPoolExecutor
from functools import partial
from operator import add, or_

import numpy as np
import pytest
from joblib.externals import loky

from surelearn import scale
from surelearn.app.errors import TableError
from surelearn.app.in_parts.workers import working
from surelearn.base.parted import merge_in_order
from surelearn.scale.reduction import map_groups


def bracket(one, other):
    return f"({one}{other})"


def test_the_tree_depends_on_the_number_of_parts_alone():
    assert merge_in_order("abcdefg", bracket) == "(((ab)(cd))((ef)g))"
    assert merge_in_order("a", bracket) == "a"


@pytest.mark.parametrize("n", [1, 2, 7, 64, 100])
def test_no_more_than_a_logarithm_of_records_waits(n):
    alive, most = [0], [0]

    class Record:
        def __init__(self):
            alive[0] += 1
            most[0] = max(most[0], alive[0])

        def __del__(self):
            alive[0] -= 1

    merge_in_order((Record() for _ in range(n)), lambda *_: Record())
    assert most[0] <= math.log2(n) + 4


def shout(part):
    return str(part)


class Shuffled(Executor):
    """Finishes what it was given in an order of its own."""

    _max_workers = 3

    def __init__(self, seed):
        self.rng, self.waiting, self.most = np.random.default_rng(seed), [], 0
        self.ended = []
        self.lock = threading.Lock()

    def submit(self, fn, /, *args):
        future = Future()
        with self.lock:
            self.waiting.append((future, fn, args))
            self.most = max(self.most, len(self.waiting))
        threading.Timer(0.001 * self.rng.random(), self.finish_one).start()
        return future

    def finish_one(self):
        with self.lock:
            future, fn, args = self.waiting.pop(self.rng.integers(len(self.waiting)))
            self.ended.append(args[-1])
        future.set_result(fn(*args))


@pytest.mark.parametrize("seed", range(3))
def test_the_order_of_completion_does_not_show(seed):
    executor = Shuffled(seed)
    found = scale.map_reduce(range(40), shout, bracket, executor=executor)
    assert found == scale.map_reduce(range(40), shout, bracket)
    assert executor.most <= 8


def test_a_sum_as_it_comes_does_show():
    """The control: merged as they come, the records of the same tasks are another sum."""
    in_order = scale.map_reduce(range(40), shout, bracket)
    sums = set()
    for seed in range(5):  # a busy machine may let each task end before the next one begins
        executor = Shuffled(seed)
        scale.map_reduce(range(40), shout, bracket, executor=executor)
        sums.add(merge_in_order(map(str, executor.ended), bracket))
    assert sums - {in_order}


def poisoned(part):
    if part == 5:
        raise KeyError("arsenic")
    return str(part)


def test_an_error_names_its_part(two_processes):
    for executor in (None, ThreadPoolExecutor(2), two_processes):
        with pytest.raises(scale.PartError, match=r"5: KeyError: 'arsenic'") as caught:
            scale.map_reduce(range(9), poisoned, add, executor=executor)
        assert caught.value.part == 5


def test_a_task_that_others_cannot_read_is_not_taken_for_a_death(two_processes, monkeypatch):
    module = types.ModuleType("only_here")
    exec("def task(part): return part", vars(module))  # noqa: S102
    monkeypatch.setitem(sys.modules, "only_here", module)
    with loky.ProcessPoolExecutor(1) as pool:  # which is broken by it, unlike processes of ours
        for executor in (two_processes, pool):
            with pytest.raises(
                TypeError, match=r"No module named 'only_here'\): they have to find"
            ):
                scale.map_reduce(range(3), module.task, add, executor=executor)
    assert scale.map_reduce(range(3), abs, add, executor=two_processes) == 3


def test_quick_work_takes_as_many_calls_as_there_are_workers(two_processes):
    told = []
    with scale.on(two_processes, progress=lambda *n: told.append(n)):
        assert map_groups(range(9), abs, add) == 36
        assert told == [(4, 9), (9, 9)]
        with pytest.raises(scale.PartError, match=r"^5: KeyError: 'arsenic'") as caught:
            map_groups(range(9), poisoned, add)
        assert caught.value.part == 5
    told.clear()
    with scale.on(progress=lambda *n: told.append(n)):  # alone there is nothing to save
        assert map_groups(range(9), abs, add) == 36
    assert len(told) == 9


def deadly(folder, part):
    """Die with the process that works on it: always, or once."""
    mark = folder / "died"
    if part == 3 and (folder.name == "always" or not mark.exists()):
        mark.write_text("")
        os._exit(1)
    return str(part)


@pytest.mark.slow
def test_a_process_that_dies_is_replaced(tmp_path):
    with scale.on(scale.processes(1)):
        assert scale.map_reduce(range(8), partial(deadly, tmp_path), add) == "01234567"


@pytest.mark.slow
def test_a_process_that_dies_of_quick_work_is_replaced(tmp_path):
    with scale.on(scale.processes(2)):
        for _ in range(2):
            assert map_groups(range(8), partial(deadly, tmp_path), add) == "01234567"
            (tmp_path / "died").unlink()


@pytest.mark.slow
@pytest.mark.parametrize("go_through", [scale.map_reduce, map_groups])
def test_a_part_that_every_process_dies_of_is_named(tmp_path, go_through):
    (tmp_path / "always").mkdir()
    with scale.on(scale.processes(2)), pytest.raises(scale.PartError, match=r"3.*: the process"):
        go_through(range(8), partial(deadly, tmp_path / "always"), add)


def test_what_cannot_be_sent_is_refused_everywhere():
    with pytest.raises(TypeError, match="plain function"):
        scale.map_reduce([1], lambda part: part, add)


def test_nothing_to_do_and_nobody_to_do_it_are_refused():
    with pytest.raises(ValueError, match="no part"):
        scale.map_reduce([], shout, add)
    with pytest.raises(TypeError, match="submit"), scale.on("cluster"):
        pass


def test_progress_is_told_in_order():
    told = []
    scale.map_reduce("abc", shout, add, progress=lambda *state: told.append(state))
    assert told == [(1, 3), (2, 3), (3, 3)]


def threads_in_use(part):
    from surelearn._threads import _blas  # noqa: PLC0415

    del part
    return max(library.num_threads for library in _blas().lib_controllers)


def test_products_have_one_thread_in_tasks(two_processes):
    for executor in (None, two_processes, ThreadPoolExecutor(2)):
        assert scale.map_reduce(range(4), threads_in_use, max, executor=executor) == 1


def who(part):
    return {part: os.getpid()}


def test_each_group_goes_back_to_the_process_that_knows_it(two_processes):
    with scale.on(two_processes):
        first, *others = [map_groups(range(9), who, or_) for _ in range(3)]
    assert len(set(first.values())) == 2
    assert others == [first, first]


def test_parts_as_few_as_workers_have_one_each_that_stays(two_processes):
    with scale.on(two_processes):
        first, *others = [map_groups(range(2), who, or_) for _ in range(9)]
        assert len(set(first.values())) == 2
        assert others == [first] * 8
        with pytest.raises(scale.PartError, match=r"^5: KeyError: 'arsenic'"):
            map_groups([5], poisoned, add)
    with pytest.raises(ValueError, match="no part"):
        map_groups([], abs, add)


class TooLongError(Exception):
    """An error that can be written and not be read again."""

    def __init__(self, one, two):
        super().__init__(one + two)


def failing(part):
    if part == 1:
        raise TooLongError("too ", "long")
    return (each for each in "generators cannot be sent")


def test_what_cannot_come_back_is_told_and_the_next_call_works(two_processes):
    assert two_processes.submit(abs, -3).result() == 3
    with pytest.raises(RuntimeError, match="TooLongError: too long"):
        two_processes.submit(failing, 1).result()
    with pytest.raises(TypeError, match="generator"):
        two_processes.submit(failing, 2).result()
    here = 4
    assert two_processes.submit(lambda: here + 1).result() == 5  # sent as its code


def test_a_death_is_the_end_of_one_call(tmp_path):
    with scale.processes(1) as pool:
        before = pool.submit(os.getpid).result()
        calls = [pool.submit(deadly, tmp_path, part) for part in (2, 3, 4)]
        with pytest.raises(BrokenExecutor):
            calls[1].result()
        assert [calls[0].result(), calls[2].result()] == ["2", "4"]
        assert pool.pids != [before]
    assert not pool.is_running


def test_processes_can_be_ended_at_once():
    pool = scale.processes(1)
    slow, never = pool.submit(time.sleep, 600), pool.submit(abs, -1)
    while not pool.pids:
        time.sleep(0.01)
    pool.shutdown(cancel_futures=True)
    assert isinstance(slow.exception(), BrokenExecutor)
    assert never.cancelled()


def one_of(part):
    return [part]


def test_a_part_may_be_none_and_those_after_it_count():
    assert scale.map_reduce([1, None, 2], one_of, add) == [1, None, 2]
    with ThreadPoolExecutor(2) as pool:
        assert scale.map_reduce([None, 1, None], one_of, add, executor=pool) == [None, 1, None]


@pytest.mark.parametrize("n", [10**6, 10**30])
def test_more_processes_than_a_machine_has_are_refused_before_they_start(n):
    with pytest.raises(ValueError, match=r"n=10+ .*<= 32767"):
        scale.processes(n)
    with pytest.raises(TableError, match="1 to 32,767"), working(workers=n):
        pass
