"""The split, fixed before anyone looks: it knows the number of rows and a seed, never a label.

A random split is drawn from the number of rows and the seed alone, never stratified: a hold-out
stratified on the labels voids every certificate (docs/theory/holdout.md). Rows that belong together
are split by whole groups, and so are copies of one row; rows in the order of time at a moment. What
the certificate may then claim is put in words.
"""

from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray
from pyarrow import types

from surelearn._typing import Indices
from surelearn.app.errors import TableError
from surelearn.app.problem.cells import is_missing
from surelearn.app.problem.target import as_codes
from surelearn.app.tables import dates
from surelearn.evaluate._holdout_draws import draw_groups, draw_some

Kind: TypeAlias = Literal["random", "distinct", "group", "time"]

_WORDING = {
    "random": (
        "about new rows drawn from the same population as the rows of this table, each on its own"
    ),
    "distinct": (
        "about new distinct rows, each drawn on its own from the same population as the distinct "
        "rows of this table: copies of a row count as one, by their mean loss"
    ),
    "group": (
        "about rows of new groups, a group drawn from the same population as the groups of this "
        "table: the mean over groups of the mean loss in a group"
    ),
    "time": (
        "about rows of the time after the training part, and of the future only if it is like that "
        "time: rows in the order of time are seldom independent and of one law, which is assumed"
    ),
}
_OF_SIZES = {
    "distinct": (
        "about new distinct rows, each drawn on its own from the same population as the distinct "
        "rows of this table: of the copies of a row one counts, drawn at random"
    ),
    "group": (
        "about rows of new groups, a group drawn from the same population as the groups of this "
        "table: of each group one row counts, drawn at random"
    ),
}


@dataclass(frozen=True, eq=False)
class Split:
    """Which rows train and which are held out.

    Parameters
    ----------
    train, holdout
        The places of the rows, increasing.
    kind
        "random", "distinct" (copies of a row stay together), "group" or "time".
    seed
        The seed it was drawn from.
    wording
        What a certificate from this hold-out is about; it goes on after "The claim is".
    """

    train: Indices
    holdout: Indices
    kind: Kind
    seed: int
    wording: str


def split(
    n_rows: int,
    *,
    holdout: float = 0.2,
    seed: int = 0,
    groups: NDArray[Any] | None = None,
    times: NDArray[Any] | None = None,
    copies: Indices | None = None,
) -> Split:
    """Split rows off for the hold-out, seeing neither targets nor features.

    Parameters
    ----------
    n_rows
        The number of rows.
    holdout
        The fraction to hold out, in (0, 1): of the rows, or of the groups.
    seed
        Where the random draw starts.
    groups
        For each row its group. Whole groups are held out, a number of them that is fixed before
        any is drawn: drawing until a share of the rows is reached would favour large groups.
    times
        For each row its time. The last rows are held out; rows of one moment stay together.
    copies
        For each row the number of its distinct row, if copies are to stay together.

    Examples
    --------
    >>> drawn = split(10, holdout=0.3, seed=1)
    >>> drawn.kind, len(drawn.train), drawn.holdout.tolist()
    ('random', 7, [4, 7, 8])
    >>> split(6, holdout=0.3, groups=np.array(["a", "a", "b", "b", "c", "c"])).holdout.tolist()
    [4, 5]
    >>> split(5, holdout=0.2, times=np.array([2020, 2024, 2021, 2024, 2022])).holdout.tolist()
    [1, 3]
    """
    if not 0.0 < holdout < 1.0:
        raise TableError(f"the hold-out must be a fraction between 0 and 1, not {holdout:g}")
    if groups is not None and times is not None:
        raise TableError("rows are split by group or by time, not by both: leave one of them out")
    if groups is not None:
        kind, held_out = "group", _some_groups(groups, holdout, seed, "group")
    elif times is not None:
        kind, held_out = "time", _last_moments(times, holdout)
    elif copies is not None:
        kind, held_out = "distinct", _some_groups(copies, holdout, seed, "distinct row")
    else:
        kind, held_out = "random", _some(n_rows, holdout, seed, "row")
    train = np.delete(np.arange(n_rows), held_out)
    return Split(train, held_out, kind, seed, _WORDING[kind])


def wording_of(kind: Kind, *, of_sizes: bool = False) -> str:
    """Return which new rows a split of a kind speaks of.

    Parameters
    ----------
    kind
        The kind of split.
    of_sizes
        Whether it is said of how large most errors are: then of copies, or of a group, one row
        counts, for a quantile is no mean.

    Examples
    --------
    >>> wording_of("random")[:14]
    'about new rows'
    """
    return {**_WORDING, **_OF_SIZES}[kind] if of_sizes else _WORDING[kind]


def said_before(claim: str) -> str:
    """Return a claim of how large most errors are as it was put before it spoke of one row."""
    for kind, words in _OF_SIZES.items():
        claim = claim.replace(words, _WORDING[kind])
    return claim


def column_of_split(rows: Any, name: str, role: str) -> NDArray[Any]:
    """Return the groups or times of the rows as an array that can be sorted."""
    column = rows.column(name)
    if n_missing := int(is_missing(column).sum()):
        raise TableError(f"the {role} {name!r} is missing in {n_missing:,} rows; fill it in first")
    if role == "group":
        return _in_order(*as_codes(column))
    if types.is_timestamp(column.type):
        return column.cast(pa.int64()).to_numpy()
    if types.is_integer(column.type) or types.is_floating(column.type):
        return column.to_numpy()
    words = column.unique().drop_null().cast(pa.string())
    if types.is_dictionary(column.type) and (form := dates.find_form(words)):
        return dates.moments_of(column, form, name).cast(pa.int64()).to_numpy()
    raise TableError(
        f"column {name!r} holds neither numbers nor dates, so it tells no time; write dates as "
        "2024-12-31 or 2024-12-31 23:59:59"
    )


def _some(n: int, holdout: float, seed: int, what: str) -> Indices:
    """Return the places of the share that is held out, drawn from the seed alone."""
    _refuse_fewer_than_two(n, what)
    return draw_some(n, fraction=holdout, seed=seed)


def _some_groups(groups: NDArray[Any], holdout: float, seed: int, what: str) -> Indices:
    _refuse_fewer_than_two(len(np.unique(groups)), what)
    return draw_groups(groups, fraction=holdout, seed=seed)


def _refuse_fewer_than_two(n: int, what: str) -> None:
    if n < 2:
        raise TableError(f"a split into two parts needs two {what}s at least, and there is {n}")


def _last_moments(times: NDArray[Any], holdout: float) -> Indices:
    """Return the places of the rows from the moment on at which the last share begins."""
    moments = np.sort(times)
    if len(times) == 0 or moments[0] == moments[-1]:
        raise TableError("all rows have the same time, so none is later than the others")
    start = moments[len(times) - min(max(round(holdout * len(times)), 1), len(times) - 1)]
    later = times >= start if start > moments[0] else times > start
    return np.flatnonzero(later)


def _in_order(codes: Indices, values: NDArray[Any]) -> Indices:
    """Return the place of each cell's value among the sorted values that there are."""
    used = np.flatnonzero(np.bincount(codes))
    places = np.zeros(len(values), dtype=np.int64)
    places[used[np.argsort(values[used])]] = np.arange(len(used))
    return places[codes]
