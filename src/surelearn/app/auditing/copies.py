"""Rows of an audit that repeat others: nobody can see how they were drawn, but that they do."""

from collections.abc import Generator, Iterable
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

import pyarrow as pa

from surelearn.app.auditing.columns import Columns, Roles
from surelearn.app.problem.copies import feature_hashes, numbers_rows
from surelearn.app.tables.parted_file import PartedFile
from surelearn.app.tables.read import TableFile
from surelearn.base.row_identity import FEW, count_distinct
from surelearn.certificate import Evidence, assumed
from surelearn.claims import Claim

NOT_SEEN = "no file can show how its rows were drawn: whoever drew them must know"
_OTHER_DRAWS = {"cluster", "time", "table"}
_ASIDE = "truth, answers and what names or numbers cases"
_counting = ContextVar("_counting", default=True)


@contextmanager
def not_counting() -> Generator[None]:
    """Count no copies, as audits did before: to make such a one again."""
    token = _counting.set(False)
    try:
        yield
    finally:
        _counting.reset(token)


def count_copies(
    file: TableFile, read: Columns, roles: Roles, claims: Iterable[Claim]
) -> int | None:
    """Return how many rows repeat others in all columns but truth, answers and names of cases.

    None are counted where claims do not rest on rows drawn one by one, and where few rows are
    different, as independent draws of few categories coincide. The answer is None for a table in
    parts, which is not looked through for it, and for audits as they were before.
    """
    if isinstance(file, PartedFile) or not _counting.get():
        return None
    names = _telling(file.table, roles)
    if not names or {c.design for c in claims} & _OTHER_DRAWS:
        return 0
    rows = file.table.select(names).take(pa.array(read.kept))
    n, n_distinct = rows.num_rows, count_distinct(feature_hashes(rows))
    return 0 if n_distinct < min(n / 2, FEW) else n - n_distinct


def _telling(table: Any, roles: Roles) -> list[str]:
    """Return the columns that tell rows apart, if some of them have no role."""
    aside = {*roles.answers, roles.truth, roles.id}
    names = [name for name in table.column_names if name not in aside]
    found = [name for name in names if not numbers_rows(table.column(name))]
    return found if set(found) - set(roles.given().values()) else []


def tell_drawn(n_copies: int | None, n_rows: int) -> Evidence:
    """Return what is known of how rows were drawn.

    Examples
    --------
    >>> tell_drawn(2, 300).text.partition("; ")[2]
    '2 of the 300 rows repeat others in all columns but truth, answers and what names or numbers \
cases, and are taken as draws of their own'
    """
    if not n_copies:
        return assumed(NOT_SEEN)
    return assumed(f"{NOT_SEEN}; {_repeat(n_copies, n_rows)}, and {_taken(n_copies)}")


def warn_of_copies(n_copies: int | None, n_rows: int) -> tuple[str, ...]:
    """Return what a reader should worry about, if there are copies."""
    if not n_copies:
        return ()
    told = f"{_repeat(n_copies, n_rows)}, and {_taken(n_copies)}. If they are copies of one case"
    return (f"{told}, leave one of each or name the case with --cluster",)


def _repeat(n_copies: int, n_rows: int) -> str:
    repeat = "repeats another" if n_copies == 1 else "repeat others"
    return f"{n_copies:,} of the {n_rows:,} rows {repeat} in all columns but {_ASIDE}"


def _taken(n_copies: int) -> str:
    return "is taken as a draw of its own" if n_copies == 1 else "are taken as draws of their own"
