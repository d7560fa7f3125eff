"""By what a ledger recognises the rows of an audit, whatever was answered for them.

Three things tell: the truths in their order; the lengths of their runs, many in a row, which stay
when labels get other names, some rows are left out or the order is turned round; and the other
columns, which stay when rows are put in another order. Rows of which only the truths are given,
in another order, nobody can tell from others.
"""

from typing import Any

import pyarrow as pa
from numpy.typing import NDArray

from surelearn.app.auditing.cells import values
from surelearn.app.auditing.columns import Columns, Roles
from surelearn.app.problem.copies import identify, numbers_rows
from surelearn.app.tables.parted_file import PartedFile
from surelearn.app.tables.read import TableFile
from surelearn.base.cell_bits import cell_bits
from surelearn.base.row_identity import RowSet, with_labels
from surelearn.evaluate._recorded_truths import rows_of_truths, tells


def rows_in(file: TableFile, read: Columns, roles: Roles) -> tuple[RowSet, ...]:
    """Return the rows by what is no answer: another model answers about the same rows."""
    truth = cell_bits(_truths(file, read, roles))
    found = rows_of_truths(truth)
    if isinstance(file, PartedFile):  # its other columns were looked through before
        found += [] if file.rows is None else [file.rows]
        found = found or [RowSet.of(with_labels(truth, cell_bits(read.rows.prediction)))]
        return tuple(found[:1] + [one for one in found[1:] if tells(one)])
    others = _others(file.table, roles)
    if not found and others:
        found = [identify(file.table.select(others), roles.truth or others[0])]
    elif not found:
        found = [RowSet.of(with_labels(truth, cell_bits(read.rows.prediction)))]
    if others:
        found.append(identify(file.table.select(others), roles.truth or others[0]))
    return tuple(found[:1] + [one for one in found[1:] if tells(one)])


def _truths(file: TableFile, read: Columns, roles: Roles) -> NDArray[Any]:
    """Return the truths; of sets and intervals those in the file, not whether they were held."""
    if roles.truth is None or roles.prediction is not None:
        return read.rows.truth
    return values(file.table.column(roles.truth).take(pa.array(read.kept)))


def _others(table: Any, roles: Roles) -> list[str]:
    """Return columns that are no answers, if there are some beside the truth."""
    names = [name for name in table.column_names if name not in roles.answers]
    found = [name for name in names if not numbers_rows(table.column(name))]
    return found if set(found) - {roles.truth} else []
