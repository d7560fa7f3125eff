"""By what a ledger recognises the rows of an audit, whatever was answered for them.

Three things tell: the truths in their order; the lengths of their runs, many in a row, which stay
when labels get other names, some rows are left out or the order is turned round; and the other
columns, which stay when rows are put in another order. Rows of which only the truths are given,
in another order, nobody can tell from others.
"""

from typing import Any

import numpy as np
from pyarrow import types

from surelearn._jit.fingerprints import Hashes
from surelearn.app.auditing.columns import Columns, Roles
from surelearn.app.problem.copies import identify
from surelearn.app.tables.read import TableFile
from surelearn.base.cell_bits import cell_bits, spread
from surelearn.base.row_identity import RowSet, with_labels

ANSWERS = ("prediction", "passed", "score", "baseline", "low", "high", "set")
"""The roles of columns that another model would fill otherwise."""

_TELLING = 40  # changes of the truth from row to row that hardly two files share
_RUNS = 24  # runs in a row that hardly two places share
_BASE = np.uint64(0x9E3779B97F4A7C15)


def rows_in(file: TableFile, read: Columns, roles: Roles) -> tuple[RowSet, ...]:
    """Return the rows by what is no answer: another model answers about the same rows."""
    truth = cell_bits(read.rows.truth)
    others = _others(file.table, roles)
    if np.count_nonzero(truth[1:] != truth[:-1]) >= _TELLING:
        found = [RowSet.of(truth), RowSet.of(_windows(truth))]
    elif others:
        found = [identify(file.table.select(others), roles.truth or others[0])]
    else:
        found = [RowSet.of(with_labels(truth, cell_bits(read.rows.prediction)))]
    if others:
        found.append(identify(file.table.select(others), roles.truth or others[0]))
    return tuple(found[:1] + [one for one in found[1:] if _tells(one)])


def _others(table: Any, roles: Roles) -> list[str]:
    """Return columns that are no answers, if there are some beside the truth."""
    answers = [name for role, name in roles.given().items() if role in ANSWERS]
    names = [name for name in table.column_names if name not in answers]
    found = [name for name in names if not _only_numbers(table.column(name))]
    return found if set(found) - {roles.truth} else []


def _only_numbers(column: Any) -> bool:
    """Return whether a column numbers the rows one after the other: every file may have such."""
    if not types.is_integer(column.type) or column.null_count or not len(column):
        return False
    numbers = column.to_numpy()
    width = int(numbers.max()) - int(numbers.min())
    return width == len(numbers) - 1 and len(column.unique()) == len(numbers)


def _tells(rows: RowSet) -> bool:
    """Return whether nearly all rows are distinct, so that another table hardly shares half."""
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
