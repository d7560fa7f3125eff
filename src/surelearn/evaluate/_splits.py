"""Ways to cut a table into rows to learn from and rows to be tested on."""

from collections.abc import Iterable
from typing import Any, NamedTuple, TypeAlias, cast

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.model_selection import (
    GroupKFold,
    KFold,
    LeaveOneOut,
    StratifiedKFold,
    TimeSeriesSplit,
)
from sklearn.utils.validation import column_or_1d

from surelearn import _arguments
from surelearn._typing import ArrayLike, Indices
from surelearn.base import fitting
from surelearn.base.labels import refuse_masked
from surelearn.base.seal import replaces_methods
from surelearn.certificate import Evidence, assumed, by_construction, violated
from surelearn.evaluate._task import Task

Splitter: TypeAlias = Any
"""A number of folds, a splitter of scikit-learn, or pairs of training and test rows."""


_BY_GROUPS = violated("rows of a group are dealt together; the unit is the group")
"""What is known of folds where groups were named, whoever dealt them: rows depend on each other."""


class Split(NamedTuple):
    """The rows one model learns from, and those it is tested on."""

    train: Indices
    test: Indices


class Splits(NamedTuple):
    """Several splits of one table, how they were made, and what that means for a certificate."""

    pairs: list[Split]
    scheme: str
    blind: Evidence

    @property
    def partition(self) -> bool:
        """Whether every row is tested exactly once."""
        tested = np.concatenate([pair.test for pair in self.pairs])
        return len(np.unique(tested)) == len(tested) == self.n_rows

    @property
    def n_rows(self) -> int:
        """The number of rows that occur."""
        return len(np.unique(np.concatenate([np.concatenate(pair) for pair in self.pairs])))


def make_splits(
    task: Task,
    cv: Splitter = 5,
    *,
    groups: ArrayLike | None = None,
    ordered: bool = False,
    random_state: Any = 0,
) -> Splits:
    """Return the splits that `cv` asks for, each checked; a number is the number of folds.

    A number of folds makes parts of whole groups if groups are given, parts that follow each other
    in time if the rows are ordered, and shuffled ones otherwise: stratified by the labels of a
    classifier.
    """
    named = None if groups is None else name_groups(groups, task.n)
    ordered = _arguments.flag("ordered", ordered)
    if isinstance(cv, bool | str | bytes | np.ndarray) or sparse.issparse(cv):
        raise TypeError(f"cv={cv!r} must be a number of folds, a splitter, or pairs of row numbers")
    if isinstance(cv, int | np.integer):
        splitter = _splitter(task, int(cv), named, ordered=ordered, random_state=random_state)
    else:
        if ordered:
            raise ValueError("ordered=True chooses the splits; give cv as a number of folds then")
        splitter = cv
    if not hasattr(splitter, "split"):
        if not isinstance(splitter, Iterable):
            raise TypeError(f"cv={cv!r} must be a number of folds, a splitter, or pairs of rows")
        pairs = _checked(splitter, task.n, named)
        blind = assumed("given row by row") if named is None else _BY_GROUPS
        return Splits(pairs, "given splits", blind)
    try:
        pairs = list(splitter.split(np.zeros(task.n), task.y, named))
    except ValueError as error:
        if named is None and "groups" in str(error):
            raise ValueError(
                f"{type(splitter).__name__} keeps groups together: name the group of each row, "
                "groups=[...]"
            ) from error
        raise
    scheme, blind = _described(splitter)
    return Splits(_checked(pairs, task.n, named), scheme, blind if named is None else _BY_GROUPS)


def _splitter(
    task: Task, k: int, groups: NDArray[Any] | None, *, ordered: bool, random_state: Any
) -> Any:
    if k < 2:
        raise ValueError(f"cv={k} must be at least 2: one part to test on, another to learn from")
    if ordered and groups is not None:
        raise ValueError("rows are split by group or by time, not both; give a splitter as cv")
    if ordered:
        _enough(task.n, k + 1, f"{k} parts that follow each other")
        return TimeSeriesSplit(k)
    if groups is not None:
        _enough(len(np.unique(groups)), k, f"cv={k} folds of whole groups", "groups")
        return GroupKFold(k, shuffle=True, random_state=random_state)
    _enough(task.n, k, f"cv={k} folds")
    if not task.classifies:
        return KFold(k, shuffle=True, random_state=random_state)
    names, counts = np.unique(task.y, return_counts=True)
    if counts.min() < k:
        rarest = names.tolist()[int(counts.argmin())]
        raise ValueError(
            f"class {rarest!r} has {counts.min()} members, fewer than cv={k} folds: ask for fewer "
            "folds, merge rare classes, or do not stratify: "
            f"cv=KFold({k}, shuffle=True, random_state=0)"
        )
    return StratifiedKFold(k, shuffle=True, random_state=random_state)


def _described(splitter: Any) -> tuple[str, Evidence]:
    """Return how a splitter is called in a sentence, and whether it looks at the data.

    One of others may have the name of one that is known, and deal rows by anything.
    """
    name = type(splitter).__name__
    known: dict[type[Any], tuple[str, Evidence]] = {
        KFold: ("plain folds", by_construction("rows were dealt by their numbers alone")),
        LeaveOneOut: ("folds of one row each", by_construction("every row is a fold")),
        StratifiedKFold: (
            "stratified folds",
            violated("the folds were stratified by the labels; take cv=KFold(...)"),
        ),
        GroupKFold: (
            "folds of whole groups",
            _BY_GROUPS,
        ),
        TimeSeriesSplit: (
            "parts that follow each other in time",
            violated("the rows are ordered in time"),
        ),
    }
    others = f"splits by {name}", assumed(f"{name} made them")
    return others if replaces_methods(splitter) else known.get(type(splitter), others)


def _checked(pairs: Iterable[Any], n: int, groups: NDArray[Any] | None) -> list[Split]:
    """Return the splits if every model is tested on rows, and groups, that it did not see."""
    checked: list[Split] = []
    places = None if groups is None else np.unique(groups, return_inverse=True)[1]
    for i, pair in enumerate(pairs):
        if not isinstance(pair, tuple | list) or len(cast("Any", pair)) != 2:
            raise TypeError(f"cv holds {pair!r}, where a pair of training and test rows belongs")
        train, test = (_rows(part, n) for part in cast("tuple[Any, Any]", pair))
        if not (len(train) and len(test)):
            raise ValueError(f"split {i + 1} leaves no rows to learn from, or none to test on")
        shared = len(np.intersect1d(train, test))
        if shared:
            raise ValueError(
                f"split {i + 1} tests {shared} rows that its model learns from; keep them apart"
            )
        if places is not None and np.isin(places[test], places[train]).any():
            raise ValueError(
                f"split {i + 1} tests rows of groups that its model learns from: give cv as a "
                "number of folds or a splitter that keeps groups together, such as GroupKFold, or "
                "leave groups out"
            )
        checked.append(Split(train, test))
    if not checked:
        raise ValueError("cv gives no split; give at least one pair of training and test rows")
    return checked


def _rows(part: Any, n: int) -> Indices:
    try:
        rows = np.asarray(part)
    except ValueError:  # lists of several lengths
        rows = np.empty((0, 0))
    if rows.dtype.kind not in "biu" and rows.size:
        raise TypeError(f"cv names rows by {rows.dtype}: give whole numbers or truth values")
    rows = np.flatnonzero(rows) if rows.dtype == np.bool_ else rows.astype(np.int64)
    if rows.ndim != 1 or (len(rows) and not 0 <= rows.min() <= rows.max() < n):
        raise ValueError(f"cv names rows that are not there: give numbers from 0 to {n - 1}")
    return rows


def name_groups(groups: ArrayLike, n: int) -> NDArray[Any]:
    """Return the name of the group of each row; one that is missing is refused.

    Examples
    --------
    >>> name_groups(["a", float("nan")], 2)
    Traceback (most recent call last):
    ValueError: groups is missing for 1 rows; name a group for every row
    """
    refuse_masked(groups, "groups")
    named = cast("NDArray[Any]", column_or_1d(_arguments.as_written(groups), warn=False))
    if len(named) != n:
        raise ValueError(
            f"groups names {len(named)} rows and there are {n}; give one group per row"
        )
    missing = fitting.count_missing(named)
    if missing:
        raise ValueError(f"groups is missing for {missing} rows; name a group for every row")
    if named.dtype.kind == "O":
        try:
            np.unique(named)
        except TypeError:
            raise ValueError(
                "groups mixes names that cannot be sorted, such as numbers and text: make all text"
            ) from None
    return named


def _enough(there: int, needed: int, what: str, unit: str = "rows") -> None:
    if there < needed:
        raise ValueError(
            f"{what} need at least {needed} {unit}, and there are {there}; ask for fewer folds"
        )
