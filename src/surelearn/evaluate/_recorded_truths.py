"""By what recorded truths are known again, and by what the answers to them.

The truths in their order tell, and so do the lengths of their runs, many in a row: these stay when
labels get other names, some rows are left out or the order is turned round. Answers are all that
stands beside the truths: with another score, baseline or group it is another question.
"""

import hashlib

import numpy as np

from surelearn._jit.fingerprints import Hashes
from surelearn.base.cell_bits import cell_bits, spread
from surelearn.base.row_identity import RowSet, with_labels
from surelearn.claims import Predictions

_TELLING = 40  # changes of the truth from row to row that hardly two tables share
_RUNS = 24  # runs in a row that hardly two places share
_BASE = np.uint64(0x9E3779B97F4A7C15)


def rows_of_truths(truth: Hashes) -> list[RowSet]:
    """Return what truths are known by, given their hashes in their order; nothing if too few tell.

    Examples
    --------
    >>> truth = np.random.default_rng(0).integers(0, 2, 300).astype(np.uint64)
    >>> first, part = (rows_of_truths(rows)[-1] for rows in (truth, truth[3:]))
    >>> first.is_mostly(part), rows_of_truths(truth[:9])
    (True, [])
    """
    if np.count_nonzero(truth[1:] != truth[:-1]) < _TELLING:
        return []
    return [RowSet.of(truth), *runs_of_truths(truth)]


def runs_of_truths(truth: Hashes) -> list[RowSet]:
    """Return by what truths are known whatever rows they belong to; nothing if too little tells.

    Examples
    --------
    >>> truth = np.random.default_rng(0).integers(0, 2, 300).astype(np.uint64)
    >>> len(runs_of_truths(truth)), runs_of_truths(np.arange(300, dtype=np.uint64) % 2)
    (1, [])
    """
    if np.count_nonzero(truth[1:] != truth[:-1]) < 2 * (_RUNS - 1):  # as many windows as tell
        return []
    windows = RowSet.of(_windows(truth))
    return [windows] if tells(windows) else []


def digest_of_answers(rows: Predictions) -> str:
    """Return a hash of all that was recorded beside the truths, row by row.

    Examples
    --------
    >>> from surelearn.claims import record
    >>> first, other = (record([0, 1], [0, 1], score=given) for given in ([0.2, 0.9], [0.1, 0.9]))
    >>> digest_of_answers(first) == digest_of_answers(other)
    False
    """
    digest = hashlib.sha256(cell_bits(rows.prediction).tobytes())
    beside = {"score": rows.score, "baseline": rows.baseline, **rows.columns}
    beside |= {f"challenger {name}": answers for name, answers in rows.challengers.items()}
    for name, column in sorted(beside.items()):
        if column is not None and name != "covered":  # that only says what the answers are
            digest.update(f"\0{name}\0".encode())
            digest.update(cell_bits(column).tobytes())
    return digest.hexdigest()[:16]


def tells(rows: RowSet) -> bool:
    """Return whether nearly all rows are distinct, so that another table hardly shares half.

    Examples
    --------
    >>> tells(RowSet.of(np.arange(30, dtype=np.uint64)))
    True
    """
    return rows.n >= _RUNS and 10 * rows.n_single >= 9 * rows.n


def _windows(truth: Hashes) -> Hashes:
    """Return a hash of each window of so many runs, alike in either direction.

    Of two labels the lengths of runs tell all but the labels' names; of more the labels do.
    """
    starts = np.append(0, np.flatnonzero(truth[1:] != truth[:-1]) + 1)
    lengths = np.diff(np.append(starts, len(truth))).astype(np.uint64)
    two = len(np.unique(truth[starts])) <= 2
    runs = spread(lengths if two else with_labels(lengths, truth[starts]))
    return np.minimum(_sums(runs), _sums(runs[::-1])[::-1])


def _sums(runs: Hashes) -> Hashes:
    """Return for each place the hashes of the runs from there on, weighted by their places."""
    n = max(0, len(runs) - _RUNS + 1)
    found = np.zeros(n, dtype=np.uint64)
    for place in range(_RUNS):
        found = found * _BASE + runs[place : place + n]
    return spread(found)
