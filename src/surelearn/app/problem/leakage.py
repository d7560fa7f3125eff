"""Dangers one can see in a table: the target in disguise, repeated rows, rows that belong together.

Everything here warns and changes nothing.
"""

import re
import warnings
from collections.abc import Iterator, Mapping, Sequence
from shlex import quote
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray
from pyarrow import types
from scipy import stats

from surelearn._typing import Indices
from surelearn.app.problem.cells import codes_of, count_distinct
from surelearn.app.problem.copies import Copies
from surelearn.app.problem.feature import Feature
from surelearn.app.problem.odd_columns import questions
from surelearn.app.problem.split import Split
from surelearn.app.problem.target import Target
from surelearn.app.tables import dates
from surelearn.app.tables.memory_mapped import is_large, take_rows

_TIME = re.compile(r"(.*[_\W])?(date|datetime|time|timestamp|year)", re.IGNORECASE)
_compute: Any = pc  # its functions are made when it is imported, so no type checker knows them
_SEVERAL_ROWS = re.compile(
    r"(patient|subject|person|user|customer|client|household|family|session)"
    r"([_\W]?(id|no|nr|number|name|key))?|.*_id|(.*[_\W])?id",
    re.IGNORECASE,
)
"""What has several rows by its nature. Places and kinds are categories as often: cells decide."""
_MOMENTS = ((1800, 2100), (1.8e7, 2.1e7), (3e8, 2.1e9), (3e11, 2.1e12))
"""Whole numbers that may be moments: years, days as 20241231, seconds and milliseconds of Unix."""
_MANY = 10  # values that a group or a time has at least
_CODES = 20  # different codes that groups have at least: fewer are categories
_ENOUGH = 100  # rows: with fewer, one column may well tell the classes apart by chance
_SAMPLE = 2000
_MOST_ROWS = 250_000  # of a large table, in which the target in disguise is sought


def warn(
    table: Any,
    X: Any,
    y: Target,
    split: Split,
    roles: Mapping[str, str],
    copies: Copies,
    features: Sequence[Feature] = (),
) -> Iterator[str]:
    """Yield what may be wrong with the table, a sentence each.

    Parameters
    ----------
    table
        The whole table.
    X, y, split
        Features, targets and split of the rows with a known target.
    roles
        The columns that are the target, the group or the time, each with its role.
    copies
        How many rows are copies, and where they stand.
    features
        From which columns the features were read, if not from those of their names.
    """
    rows = split.train
    if is_large(X) and len(rows) > _MOST_ROWS:
        rng = np.random.default_rng(split.seed)
        rows = np.sort(rng.choice(rows, _MOST_ROWS, replace=False))
    shown = _by_column(take_rows(X, rows), features)
    values, codes = y.values[rows], y.codes[rows]
    disguised = target_in_disguise(shown, codes)
    for name, clue in disguised.items():
        yield (
            f"column {name!r} may be the target in disguise: {clue}; if it is not known when the "
            f"model is used, leave it out with --drop {quote(name)}"
        )
    others = shown.drop_columns(list(disguised))
    asked = list(questions(others, values, None if y.task == "regression" else codes))
    yield from asked
    yield from _about_copies(copies, split)
    told = {name for name in others.column_names if _is_about(name, asked)}
    yield from hints(table.drop_columns([*disguised, *told]), roles)


def _is_about(name: str, sentences: Sequence[str]) -> bool:
    """Return whether a column was warned of already: a second warning may say the contrary.

    That zeros may stand for missing values contradicts nothing.
    """
    about = f"column {name!r} "
    return any(s.startswith(about) and "--zeros" not in s for s in sentences)


def _by_column(X: Any, features: Sequence[Feature]) -> Any:
    """Return the features under the names of their columns; of dates the time elapsed alone."""
    last = {feature.source: feature.name for feature in features if feature.part}
    parts = {feature.name: feature.source for feature in features if feature.part}
    kept = [name for name in X.column_names if name not in parts or last[parts[name]] == name]
    return X.select(kept).rename_columns([parts.get(name, name) for name in kept])


def target_in_disguise(X: Any, y: NDArray[Any]) -> dict[str, str]:
    """Return the columns that may be the target in disguise, each with what gives it away.

    Parameters
    ----------
    X
        The features of the training rows, as `Problem.X` has them. Never the hold-out: what is
        decided by its labels voids the certificate.
    y
        Their targets; floats mean a regression.

    Examples
    --------
    >>> X = pa.table({"alive": ["no", "yes", "no"], "age": [3.0, 4.0, 5.0]})
    >>> target_in_disguise(X, np.array([0, 1, 0]))
    {'alive': 'each of its values goes with one value of the target, and the other way round'}
    """
    if y.dtype.kind == "f":
        clues = {name: _clue_to_number(X.column(name), y) for name in X.column_names}
    else:
        labels = codes_of(pa.chunked_array([pa.array(y)]))
        clues = {name: _clue_to_class(X.column(name), labels) for name in X.column_names}
    return {name: clue for name, clue in clues.items() if clue}


def _clue_to_number(column: Any, y: NDArray[Any]) -> str:
    """Return what makes a column of numbers a copy of the target."""
    if not types.is_floating(column.type):
        return ""
    x = column.to_numpy()
    known = ~np.isnan(x)
    x, y = x[known], y[known]
    if len(x) < 3 or np.ptp(x) == 0.0 or np.ptp(y) == 0.0:
        return ""
    for name, correlation in (("", stats.pearsonr), (" of ranks", stats.spearmanr)):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # numbers that are all nearly alike
            found = abs(correlation(x, y).statistic)
        if found > 0.9999:
            return f"its correlation{name} with the target exceeds 0.9999"
    return ""


def _clue_to_class(column: Any, labels: Indices) -> str:
    """Return what makes a column tell the classes apart all alone."""
    n_labels, missing = _n_distinct(labels), column.is_null().to_numpy()
    if n_labels == 2 and missing.any() and _n_distinct(2 * labels + missing) == 2:
        return "it is missing exactly where the target has one of its two values"
    # What fails in a part fails in the whole, so a few rows dismiss most columns.
    if not all(_determines(column.slice(0, n), labels[:n]) for n in (_SAMPLE, len(labels))):
        return ""
    n_values = _n_distinct(codes_of(column))
    if n_values == n_labels:
        return "each of its values goes with one value of the target, and the other way round"
    if len(labels) < _ENOUGH:
        return ""
    if 20 * n_values <= len(labels):
        return "each of its values goes with one value of the target only"
    return _clue_of_thresholds(column, labels) if types.is_floating(column.type) else ""


def _clue_of_thresholds(column: Any, labels: Indices) -> str:
    n_changes = np.count_nonzero(np.diff(labels[np.argsort(column.to_numpy())]))
    if n_changes == _n_distinct(labels) - 1:
        return "thresholds on it alone tell the classes apart without an error"
    return ""


def _determines(column: Any, labels: Indices) -> bool:
    """Return whether each value of a column goes with one label only."""
    values = codes_of(column)
    return _n_distinct(values * (labels.max() + 1) + labels) == _n_distinct(values)


def _about_copies(copies: Copies, split: Split) -> Iterator[str]:
    """Yield what rows that coincide mean for the certificate."""
    repeated = copies.n_rows - copies.n_distinct
    if copies.n_across:
        yield (
            f"{_repeating(copies)} an earlier row, and "
            f"{copies.n_across:,} of the {len(split.holdout):,} held-out rows also stand in the "
            "training part: if they are copies rather than coincidences, the rows are not "
            "independent"
        )
    elif split.kind == "distinct" and repeated:
        yield (
            f"{_repeating(copies)} an earlier row: copies stand on one "
            "side of the split and count as one; if they are independent draws that happen to "
            "coincide, say --copies independent"
        )


def _repeating(copies: Copies) -> str:
    repeated = copies.n_rows - copies.n_distinct
    return f"{repeated:,} of {copies.n_rows:,} rows {'repeats' if repeated == 1 else 'repeat'}"


def hints(table: Any, roles: Mapping[str, str]) -> Iterator[str]:
    """Yield a sentence for each column whose name or type says that rows may hang together.

    Parameters
    ----------
    table
        The whole table.
    roles
        The columns that have a role already: the target, the group, the time.
    """
    if "group" in roles.values() or "time" in roles.values():
        return
    for name in table.column_names:
        if name in roles:
            continue
        column = table.column(name)
        if _holds_dates(column) or (_TIME.fullmatch(name) and _tells_time(column)):
            yield (
                f"column {name!r} looks like a time: if the model is to be used on later rows, "
                f"split by it with --time {quote(name)}"
            )
        elif _many(column) and (_SEVERAL_ROWS.fullmatch(name) or _holds_codes(column)):
            yield (
                f"column {name!r} looks like a group: if rows of one group are alike, split by "
                f"whole groups with --group {quote(name)}"
            )


def _holds_dates(column: Any) -> bool:
    if types.is_dictionary(column.type):
        return bool(dates.find_form(column.unique().drop_null().cast(pa.string())))
    return types.is_timestamp(column.type)


def _tells_time(column: Any) -> bool:
    """Return whether a column that is called a time holds moments, or numbers in order.

    Durations, and wages of a year, are called times too, but tell no order of the rows.
    """
    if not (types.is_integer(column.type) or types.is_floating(column.type)):
        return False
    values = column.drop_null().to_numpy()
    if count_distinct(column) < _MANY:
        return False
    whole = bool((values == np.floor(values)).all())
    moments = any(low <= values.min() and values.max() <= high for low, high in _MOMENTS)
    return (whole and moments) or bool((np.diff(values) >= 0).all())


def _many(column: Any) -> bool:
    """Return whether a column has many different values, and some of them more than once."""
    return _MANY <= count_distinct(column) + (column.null_count > 0) < len(column)


def _holds_codes(column: Any) -> bool:
    """Return whether a column holds codes such as S01, most of them in a few rows each."""
    if not types.is_dictionary(column.type):
        return False
    words = column.unique().drop_null().cast(pa.string())
    numbered = _compute.sum(_compute.match_substring_regex(words, r"\d")).as_py() or 0
    few_rows = len(words) >= _CODES and 2 * len(words) <= len(column) <= 50 * len(words)
    return few_rows and numbered >= 0.95 * len(words)


def _n_distinct(values: Indices) -> int:
    """Return how many different numbers there are, none of them negative."""
    if values.max() > 8 * len(values):  # a flag for each would take more memory than they do
        return len(np.unique(values))
    there = np.zeros(values.max() + 1, dtype=np.bool_)
    there[values] = True
    return int(np.count_nonzero(there))
