"""Columns that deserve a question: identifiers, zeros for missing values, parts of the target.

Everything here warns and changes nothing.
"""

import re
from collections.abc import Iterator, Mapping
from shlex import quote
from typing import Any

import numpy as np
from numpy.typing import NDArray
from pyarrow import types

from surelearn._typing import Indices, Matrix, Vector
from surelearn.app.problem.cells import codes_of, count_distinct

_NUMBERED = re.compile(
    r"(?i:(.*[_\W])?(id|ids|idx|index|key|code|uuid|guid|nr|no|num|number))"
    r"|.*[a-z](Id|ID|No|Nr|Number|nummer)"
)
_MOSTLY = 0.5  # of the rows have a number of their own, if it is an identifier
_FEWEST = 20  # rows that a value must have to give a class away
_ENOUGH = 100  # rows: with fewer, one column may well tell the classes apart by chance
_NEARLY, _SMALL = 0.03, 0.1  # the error rate of a column alone, also as a share of the constant's
_TELLING = 0.9  # by so much more often a column is missing in one class than in another
_UNLIKELY = 1e-6  # the probability that so many rows are of one class by chance
_SAMPLE = 2000
_EXACT = 1e-8  # of the variance of the target that a sum leaves unexplained


def questions(X: Any, y: NDArray[Any], codes: NDArray[Any] | None) -> Iterator[str]:
    """Yield a sentence for each column that deserves one, by the training rows.

    Parameters
    ----------
    X
        The features of the training rows, as `Problem.X` has them.
    y
        Their targets.
    codes
        Their classes as whole numbers; None for a regression.
    """
    asked: dict[str, str] = {}
    for name, column in zip(X.column_names, X.columns, strict=True):
        if types.is_floating(column.type):
            yield from identifiers(column, name)
            asked[name] = next(zeros(column, name), "")
        if codes is not None:
            yield from given_away(column, name, y, codes)
    yield from _zeros_of_all({name: asked[name] for name in asked if asked[name]})
    if codes is None:
        yield from sums(X, y)


def _zeros_of_all(asked: Mapping[str, str]) -> Iterator[str]:
    """Yield what is asked about zeros, of many columns at once if it is the same."""
    if len(asked) < 2:
        yield from asked.values()
        return
    names = list(asked)
    listed = f"{', '.join(map(repr, names[:-1]))} and {names[-1]!r}"
    options = " ".join(f"--zeros {quote(name)}" for name in names)
    yield (
        f"columns {listed} are 0 in some rows and far above 0 in all others: if 0 means that the "
        f"value is missing, say {options}"
    )


def identifiers(column: Any, name: str) -> Iterator[str]:
    """Yield a warning if a column of numbers is called as identifiers are, and most differ.

    Examples
    --------
    >>> import pyarrow as pa
    >>> numbers = pa.chunked_array([[530101.0 + 7 * (i // 2) for i in range(100)]])
    >>> next(identifiers(numbers, "hospital_number"))  # doctest: +ELLIPSIS
    "column 'hospital_number' looks like an identifier: 50 different whole numbers in 100 rows..."
    """
    if _NUMBERED.fullmatch(name) is None:
        return
    values = column.drop_null().to_numpy()
    if len(values) < _FEWEST or (values != np.floor(values)).any():
        return
    n_distinct = count_distinct(column)
    together = (
        f", or, if rows with the same number belong together, split by it with --group "
        f"{quote(name)}"
        if n_distinct < len(values)
        else ""
    )
    if n_distinct >= _MOSTLY * len(values):
        yield (
            f"column {name!r} looks like an identifier: {n_distinct:,} different whole numbers in "
            f"{len(values):,} rows. A model learns nothing from it that holds for new rows: leave "
            f"it out with --drop {quote(name)}{together}"
        )


def zeros(column: Any, name: str) -> Iterator[str]:
    """Yield a question if 0 stands far below all other numbers of a column.

    Far is five times the usual distance of the ten smallest different numbers above it.

    Examples
    --------
    >>> import pyarrow as pa
    >>> cells = pa.chunked_array([[0.0, 0.0, *range(44, 80)]])
    >>> next(zeros(cells, "glucose"))  # doctest: +ELLIPSIS
    "column 'glucose' is 0 in 2 of 38 rows and at least 44 in all others: if 0 means that ..."
    """
    values = column.drop_null().to_numpy()
    n_zeros = int(np.count_nonzero(values == 0.0))
    if n_zeros < 2 or (values < 0.0).any():
        return
    smallest = np.unique(values)[1:12]
    if len(smallest) < 11 or smallest[0] < 5.0 * (smallest[-1] - smallest[0]) / 10.0:
        return
    yield (
        f"column {name!r} is 0 in {n_zeros:,} of {len(values):,} rows and at least "
        f"{smallest[0]:g} in all others: if 0 means that the value is missing, say "
        f"--zeros {quote(name)}"
    )


def given_away(column: Any, name: str, y: NDArray[Any], codes: Indices) -> Iterator[str]:
    """Yield a warning if a column gives the target away in part.

    It does if it is known, or missing, only where the target has one value, and chance would all
    but never have it so; or if its values alone tell nearly all targets.

    Examples
    --------
    >>> import pyarrow as pa
    >>> body = pa.chunked_array([[1.0 if i % 4 == 0 else None for i in range(400)]])
    >>> died = np.array([i % 2 == 0 for i in range(400)])
    >>> next(given_away(body, "body", died, died.astype(int)))  # doctest: +ELLIPSIS
    "column 'body' is known in 100 training rows, and in all of them the target is True: if it..."
    """
    missing, shares = column.is_null().to_numpy(), np.bincount(codes) / len(codes)
    clue = _told_by_gaps(missing, shares, y, codes)
    if not clue:
        gaps = _error_by(missing.astype(np.int64), codes)
        error = min(gaps, _error_by_values(column, codes))
        if len(codes) >= _ENOUGH and error <= min(_NEARLY, _SMALL * (1.0 - shares.max())):
            how = "whether it is missing" if error == gaps else "its value"
            clue = f"tells the target nearly alone: {how} suffices in {100 * (1 - error):.3g}% of "
            clue += "the training rows"
    if clue:
        yield (
            f"column {name!r} {clue}: if it is filled in after the target is known, leave it out "
            f"with --drop {quote(name)}"
        )


def _told_by_gaps(
    missing: NDArray[Any], shares: NDArray[Any], y: NDArray[Any], codes: Indices
) -> str:
    """Return how gaps tell the class of some rows for sure."""
    for there, how in ((~missing, "known"), (missing, "missing")):
        n = int(np.count_nonzero(there))
        found = np.unique(codes[there])
        if len(found) == 1 and _FEWEST <= n < len(codes) and shares[found[0]] ** n < _UNLIKELY:
            label = y[there][0].item()
            return f"is {how} in {n:,} training rows, and in all of them the target is {label!r}"
    counts = np.bincount(codes)
    gaps = np.bincount(codes, weights=missing) / np.maximum(counts, 1)
    often = [code for code in np.argsort(gaps).tolist() if counts[code] >= _FEWEST]
    if len(often) > 1 and gaps[often[-1]] - gaps[often[0]] >= _TELLING:
        most, least = (
            f"{100 * gaps[code]:.3g}% of the training rows whose target is "
            f"{y[codes == code][0].item()!r}"
            for code in (often[-1], often[0])
        )
        return f"is missing in {most}, and in {least}"
    return ""


def _error_by_values(column: Any, codes: Indices) -> float:
    """Return the least error rate by the values of a column, if they have many rows each."""
    values = codes_of(column)
    many = _FEWEST * (values.max() + 1) <= len(values)
    return _error_by(values, codes) if many else 1.0


def _error_by(values: Indices, codes: Indices) -> float:
    """Return the error rate of answering each value by its commonest class."""
    n_classes = int(codes.max()) + 1
    counts = np.bincount(values * n_classes + codes, minlength=(int(values.max()) + 1) * n_classes)
    return 1.0 - float(counts.reshape(-1, n_classes).max(axis=1).sum()) / len(codes)


def sums(X: Any, y: NDArray[Any]) -> Iterator[str]:
    """Yield a warning if columns of numbers add up to the target.

    Examples
    --------
    >>> import pyarrow as pa
    >>> X = pa.table({"casual": [float(i * i % 17) for i in range(60)], "members": [2.0, 5.0] * 30})
    >>> y = np.array([i * i % 17 + (2.0, 5.0)[i % 2] for i in range(60)])
    >>> next(sums(X, y))  # doctest: +ELLIPSIS
    "columns 'casual' and 'members' together give the target exactly, as a sum of multiples: ..."
    """
    names = [name for name in X.column_names if types.is_floating(X.column(name).type)]
    columns = [X.column(name).slice(0, _SAMPLE).to_numpy() for name in names]
    names = [name for name, cells in zip(names, columns, strict=True) if np.isfinite(cells).all()]
    columns = [cells for cells in columns if np.isfinite(cells).all()]
    target = y[:_SAMPLE]
    if len(names) < 2 or len(target) < 5 * len(names) or (target == target[0]).all():
        return
    used = _adding_up(np.column_stack(columns), target)
    if used is not None and 2 <= len(used) <= 5:
        listed = [repr(names[i]) for i in used]
        several = f"{', '.join(listed[:-1])} and {listed[-1]}"
        yield (
            f"columns {several} together give the target exactly, as a sum of multiples: if they "
            "are not known when the model is used, leave them out with --drop"
        )


def _adding_up(columns: Matrix, target: NDArray[Any]) -> list[int] | None:
    """Return the columns of a sum of multiples that is the target; None if there is no such sum."""
    centred, scale = _scaled(columns)
    centred, y = centred[:, scale > 0.0], _scaled(target)[0]
    weights = np.linalg.lstsq(centred, y, rcond=None)[0]
    rest = y - centred @ weights
    if float(rest @ rest) > _EXACT * float(y @ y):
        return None
    matters = np.abs(weights) > 1e-6
    return np.flatnonzero(scale > 0.0)[matters].tolist()


def _scaled(numbers: NDArray[Any]) -> tuple[Matrix, Vector]:
    """Return columns less their means, brought to a size of 1, and that size; 0 if constant.

    Examples
    --------
    >>> _scaled(np.array([1e308, -1e308, 0.0]))[0].tolist()
    [1.0, -1.0, 0.0]
    """
    largest = np.abs(numbers).max(axis=0)
    centred = numbers / np.where(largest > 0.0, largest, 1.0)
    centred = centred - centred.mean(axis=0)
    scale = np.abs(centred).max(axis=0)
    return centred / np.where(scale > 0.0, scale, 1.0), scale
