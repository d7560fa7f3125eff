"""An entrance looks at what Python holds: a loop reads and writes it, and counts no references."""

import copy
import os
import subprocess
import sys
from typing import NamedTuple

import numpy as np
import pytest
from numpy.typing import NDArray

from surelearn._jit import borrowing, code_of, compiled_apart, entrance, jit


class Inner(NamedTuple):
    """What stands within."""

    words: NDArray[np.uint64]
    rate: float


class Bench(NamedTuple):
    """One of everything that a loop may look at."""

    marks: NDArray[np.uint8]
    table: NDArray[np.float64]
    numbers: NDArray[np.int32]
    inner: Inner
    nothing: None
    limit: int
    is_open: bool
    rate: float


def bench(**changed):
    made = Bench(
        marks=np.arange(5, dtype=np.uint8),
        table=np.arange(24.0).reshape(2, 3, 4),
        numbers=np.array([-7, 2**31 - 1], dtype=np.int32),
        inner=Inner(np.array([2**64 - 1, 3], dtype=np.uint64), -0.25),
        nothing=None,
        limit=-3,
        is_open=True,
        rate=1e-300,
    )
    return made._replace(**changed)


@borrowing
def _sum_up(lent):
    """Add up what stands in the arrays."""
    total = 0.0
    for i in range(lent.table.shape[0]):
        for j in range(lent.table.shape[1]):
            for k in range(lent.table.shape[2]):
                total += (i + 2 * j + 3 * k) * lent.table[i, j, k]
    for i in range(len(lent.marks)):
        total += lent.marks[i]
    return total


@entrance
def told(lent, step, more):
    """Tell what was handed over, and write to it."""
    lent.table[1, 2, 3] += step
    more[0] = lent.numbers[0]
    low = lent.inner.words[0] & np.uint64(0xFF)
    known = (len(lent.marks), lent.table.size, lent.limit, lent.is_open, lent.nothing is None)
    return (*known, _sum_up(lent), lent.rate, lent.inner.rate, low, lent.numbers[1])


def asked(run, record):
    more = np.zeros(1)
    return run(record, 0.5, more), more.tolist(), record.table[1, 2, 3]


@pytest.mark.parametrize(
    "changed",
    [
        {},
        {"is_open": False, "limit": 2**62, "rate": -np.inf},
        {"limit": np.int64(4), "rate": np.float64(0.1)},
        {"marks": np.zeros(0, dtype=np.uint8)},
        {"table": np.ones((5, 4, 4))},
    ],
    ids=["as it is", "extreme", "numbers of NumPy", "empty", "longer"],
)
def test_a_loop_is_told_what_its_plain_self_is_told(changed, monkeypatch):
    ours, theirs = (bench(**copy.deepcopy(changed)) for _ in range(2))
    found = asked(told, ours)
    monkeypatch.setitem(globals(), "_sum_up", _sum_up.py_func)
    assert found == asked(told.py_func, theirs)


def references(record):
    arrays = (part for part in (*record, *record.inner) if isinstance(part, np.ndarray))
    return [sys.getrefcount(record), *map(sys.getrefcount, arrays)]


def test_what_is_written_is_seen_by_the_owner_and_nothing_is_held():
    record = bench()
    held = references(record)
    for _ in range(30):
        told(record, 1.0, np.zeros(1))
    now = references(record)
    assert now == held
    assert record.table[1, 2, 3] == 53.0


CUBE = np.arange(24.0).reshape(2, 3, 4)
FORMS = {
    "columns": np.asfortranarray(CUBE),
    "gaps": np.arange(48.0).reshape(2, 3, 8)[..., ::2],
    "backwards": CUBE[::-1, :, ::-1],
    "halves of words": CUBE.astype(np.float32),
    "whole numbers": CUBE.astype(np.int16),
    "not aligned": np.frombuffer(b"\0" + CUBE.tobytes(), np.uint8)[1:].view("f8").reshape(2, 3, 4),
    "empty": np.zeros((0, 3, 4)),
    "no words": np.zeros((2, 3, 0)),
}


@entrance
def total(lent):
    """Add up the table, and tell its lengths."""
    return (_sum_up(lent), *lent.table.shape)


@pytest.mark.parametrize("form", FORMS)
def test_an_array_of_any_form_is_seen_as_it_is(form, monkeypatch):
    record = bench(table=FORMS[form].copy("K") if form != "gaps" else FORMS[form])
    held = references(record)
    found = total(record)
    now = references(record)
    assert now == held
    monkeypatch.setitem(globals(), "_sum_up", _sum_up.py_func)
    assert found == total.py_func(record)


def test_a_table_that_nobody_may_write_to_is_read():
    record = bench()
    record.table.setflags(write=False)
    assert total(record)[1:] == (2, 3, 4)
    with pytest.raises(Exception, match=r"Cannot modify readonly array|[Rr]ead.?only"):
        told(record, 1.0, np.zeros(1))


@entrance
def mark(record, k):
    """Count in one place."""
    record.marks[k] += 1


@compiled_apart
def mark_by(code, record, k):
    del code
    mark(record, k)


@entrance
def mark_all(code, record):
    """Count in all places, by code that was compiled apart."""
    for k in range(len(record.marks)):
        mark_by(code, record, k)


def test_a_step_compiled_apart_is_called_where_its_code_is():
    record = bench()
    code = code_of(mark, record, 0)
    assert code == code_of(mark, bench(), 4) != 0
    mark_all(code, record)
    assert record.marks.tolist() == [1, 2, 3, 4, 5]
    mark_by(0, record, 4)
    assert record.marks.tolist() == [1, 2, 3, 4, 6]


def test_no_loop_calls_an_entrance():
    @jit
    def ask(lent):
        return total(lent)

    with pytest.raises(Exception, match="total is called by Python alone"):
        ask(bench())


def test_a_loop_that_hands_an_array_on_is_refused():
    @entrance
    def out(lent):
        return 1, lent.table

    with pytest.raises(Exception, match="only an inner loop may"):
        out(bench())


_KEPT = """
import numpy as np
from surelearn.learners.ensembles._forest import tree_growth
from surelearn import RandomForestClassifier
X = np.random.default_rng(0).normal(size=(60, 3))
print(RandomForestClassifier(n_estimators=3, random_state=0).fit(X, X[:, 0] > 0).predict(X).sum())
print(sum(tree_growth.grow_tree.stats.cache_misses.values()))
"""


def test_a_loop_kept_on_disk_reads_the_same(tmp_path):
    told_of = [
        subprocess.run(  # noqa: S603 - the text above
            [sys.executable, "-c", _KEPT],
            env={**os.environ, "NUMBA_CACHE_DIR": str(tmp_path)},
            capture_output=True,
            text=True,
            check=True,
        ).stdout.split()
        for _ in range(2)
    ]
    assert [misses for _, misses in told_of] == ["1", "0"]
    assert told_of[0][0] == told_of[1][0]
