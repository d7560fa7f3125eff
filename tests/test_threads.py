"""Work cut into chunks: whole, in order, the same on any machine, and errors come back."""

from concurrent.futures import ThreadPoolExecutor
from threading import Event, current_thread, main_thread

import numpy as np
import pytest

from surelearn._threads import _blas, map_chunks, one_thread_products, run_multiplying, workers


@pytest.mark.parametrize("processors", [1, 2, 8])
def test_the_chunks_are_the_same_on_any_machine_and_in_order(processors, monkeypatch):
    monkeypatch.setattr("joblib.cpu_count", lambda: processors)
    assert map_chunks(lambda first, last: (first, last), 10) == [(0, 2), (2, 5), (5, 7), (7, 10)]
    assert map_chunks(lambda first, last: last - first, 2) == [0, 1, 0, 1]


@pytest.mark.parametrize("processors", [1, 2, 8])
@pytest.mark.parametrize("chunk", range(4))
def test_an_error_in_any_chunk_comes_back(processors, chunk, monkeypatch):
    monkeypatch.setattr("joblib.cpu_count", lambda: processors)

    def work(first, _):
        if first == chunk:
            raise ValueError(f"chunk {first}")
        return first

    with pytest.raises(ValueError, match=f"chunk {chunk}"):
        map_chunks(work, 4)


def test_callers_by_turns_leave_the_number_of_threads_as_it_was():
    before = [library.num_threads for library in _blas().lib_controllers]
    first_in, second_done = Event(), Event()

    def first():
        with one_thread_products() as ours:
            first_in.set()
            second_done.wait(10.0)
        return ours

    with ThreadPoolExecutor(1) as pool:
        outer = pool.submit(first)
        first_in.wait(10.0)
        with one_thread_products() as ours:
            second_done.set()
            assert outer.result()
            assert not ours
    assert [library.num_threads for library in _blas().lib_controllers] == before


@pytest.mark.parametrize("n", [1, 3, 4, 50])
def test_every_item_is_worked_on_once(n):
    done = np.zeros(n, dtype=int)

    def work(i):
        done[i] += 1

    run_multiplying(work, range(n))
    assert (done == 1).all()


def test_work_that_fails_gives_the_limit_back():
    with pytest.raises(ZeroDivisionError):
        run_multiplying(lambda i: 1 / i, range(-3, 4))
    with one_thread_products() as ours:
        assert ours


@pytest.mark.parametrize("n", [1, 2, 8])
def test_workers_keep_the_order_and_give_errors_back(n):
    with workers(n) as crew:
        assert crew.size == n
        assert crew.map(lambda i: i * i, range(20)) == [i * i for i in range(20)]
        assert crew.map(str, []) == []
        with pytest.raises(ZeroDivisionError):
            crew.map(lambda i: 1 // i, [1, 0, 2])


@pytest.mark.parametrize("who_fails", [True, False])
def test_nobody_begins_another_item_after_a_failure_or_an_interruption(who_fails):
    """Ctrl-C in a forest waited until the other threads had grown all the trees."""
    both, done = Event(), []

    def work(i):
        if (current_thread() is main_thread()) is who_fails:
            both.wait(5.0)
            raise KeyboardInterrupt
        done.append(i)
        both.set()

    with workers(2) as crew, pytest.raises(KeyboardInterrupt):
        crew.map(work, range(1_000_000))
    assert len(done) < 900_000
