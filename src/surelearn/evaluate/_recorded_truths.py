"""By what recorded truths are known again, whatever was answered for them.

The truths in their order tell, and so do the lengths of their runs, many in a row: these stay when
labels get other names, some rows are left out or the order is turned round.
"""

import numpy as np

from surelearn._jit.fingerprints import Hashes
from surelearn.base.cell_bits import spread
from surelearn.base.row_identity import RowSet, with_labels

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
    windows = RowSet.of(_windows(truth))
    return [RowSet.of(truth), *([windows] if tells(windows) else [])]


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
