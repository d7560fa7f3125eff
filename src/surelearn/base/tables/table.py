"""Mixed tables: numbers, categories and missing cells become one matrix, or a clear refusal.

A numeric column stays as it is. A categorical one becomes codes 0, 1, ... in the sorted order of
its categories. A missing cell is NaN; a category that was not there in training is `UNSEEN`.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import groupby
from typing import Any, TypeAlias, cast

import narwhals as nw
import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from typing_extensions import TypeAliasType

from surelearn import _arguments
from surelearn._jit.sound_matrices import sound
from surelearn._typing import Mask, Matrix
from surelearn.base.tables import category_codes, columns
from surelearn.base.tables.columns import Words
from surelearn.base.validation import refuse_parts, validated

UNSEEN = category_codes.UNSEEN
"""The code of a category that was not there in training."""

Categorical = TypeAliasType(
    "Categorical", Sequence[str] | Sequence[int] | Sequence[bool] | str | None
)
"""Which columns hold categories: names, places or a mask; "all"; None means those of text."""

Categories: TypeAlias = tuple[NDArray[Any] | None, ...]
"""For each column its sorted categories, text or numbers; None for a numeric column."""

Declared: TypeAlias = Mapping[Any, Any] | None
"""All categories of some columns, given by name or place, known before any row is."""

_Parts: TypeAlias = list[tuple[slice, Any]]  # consecutive columns: a matrix of numbers, or words


def learn_table(
    estimator: Any,
    X: Any,
    *,
    categorical: Categorical = None,
    most_categories: int | None = None,
    declared: Declared = None,
    codes: bool = False,
    whole: bool = True,
) -> Matrix:
    """Check a training table, set `categories_` and the features' names, return the codes.

    Parameters
    ----------
    estimator
        Receives `n_features_in_`, `feature_names_in_` (if the columns have names) and
        `categories_`: for each column its sorted categories, or None if it is numeric.
    X
        An array or a data frame; text, missing cells and, in single precision, floats are kept.
    categorical
        The columns to treat as categories; None means those of text in a data frame or array.
    most_categories
        The largest number of categories a column may have.
    declared
        All categories of some columns; a row with another one is refused.
    codes
        Every column is categorical: return 32-bit integers, a missing cell as -1 too.
    whole
        These are all the rows: a column of categories without a value is refused.

    Examples
    --------
    >>> from sklearn.base import BaseEstimator
    >>> model = BaseEstimator()
    >>> rows = np.array([["red", 1.0], ["blue", None]], dtype=object)
    >>> learn_table(model, rows)
    array([[ 1.,  1.],
           [ 0., nan]])
    >>> model.categories_
    (array(['blue', 'red'], dtype='<U4'), None)
    >>> read_table(model, np.array([["green", 2.0]], dtype=object))
    array([[-1.,  2.]])
    """
    if most_categories is not None:
        _arguments.at_least_one("most_categories", most_categories)
    X, names = _enter(estimator, X, reset=True)
    given = _given(declared, names)
    chosen = _chosen(categorical, names, X.shape[1])
    chosen[list(given)] = True
    if isinstance(X, np.ndarray) and X.dtype.kind == "f" and not chosen.any():
        estimator.categories_ = (None,) * X.shape[1]
        return X
    parts = _parts(X, names)
    found = _find(parts, chosen, names, most_categories)
    for place, known in enumerate(found):
        if whole and known is not None and len(known) == 0 and place not in given:
            raise ValueError(f"column {names[place]!r} has no value in any row; leave it out")
    estimator.categories_ = tuple(
        _within(given[place], known, names[place]) if place in given else known
        for place, known in enumerate(found)
    )
    return _encode(parts, estimator.categories_, names, codes=codes)


def learn_more(
    estimator: Any,
    X: Any,
    *,
    most_categories: int | None = None,
    declared: Declared = None,
    codes: bool = False,
) -> Matrix:
    """Check a further chunk of a training table; its new categories join `categories_`.

    Examples
    --------
    >>> from sklearn.base import BaseEstimator
    >>> model = BaseEstimator()
    >>> first = learn_table(model, np.array([["red"], ["blue"]], dtype=object), codes=True)
    >>> learn_more(model, np.array([["green"], ["red"], [None]], dtype=object), codes=True).ravel()
    array([ 1,  2, -1], dtype=int32)
    >>> model.categories_[0].tolist()
    ['blue', 'green', 'red']
    """
    X, names = _enter(estimator, X, reset=False)
    parts, given = _parts(X, names), _given(declared, names)
    before: Categories = estimator.categories_
    chosen = np.array([known is not None for known in before])
    found = _find(parts, chosen, names, most_categories)
    after = list(before)
    for place, (known, new) in enumerate(zip(before, found, strict=True)):
        if place in given:
            _within(given[place], new, names[place])
        elif known is not None and new is not None and known.dtype.kind == new.dtype.kind:
            after[place] = union = np.union1d(known, new)
            category_codes.refuse_many(len(union), most_categories, names[place])
    table = _encode(parts, tuple(after), names, codes=codes)
    estimator.categories_ = tuple(after)
    return table


def read_table(estimator: Any, X: Any, *, codes: bool = False) -> Matrix:
    """Check a table by what the estimator learnt in training, and return the codes."""
    X, names = _enter(estimator, X, reset=False)
    categories: Categories = estimator.categories_
    if isinstance(X, np.ndarray) and X.dtype.kind == "f" and all(c is None for c in categories):
        return X
    return _encode(_parts(X, names), categories, names, codes=codes)


def n_categories(categories: Categories) -> NDArray[np.int64]:
    """Return the number of categories of each column, 0 for a numeric one.

    Examples
    --------
    >>> n_categories((None, np.array(["a", "b"])))
    array([0, 2])
    """
    return np.array([0 if found is None else len(found) for found in categories], dtype=np.int64)


def joined_categories(one: Categories, other: Categories) -> Categories:
    """Return the categories of two chunks; one without a value of a column says nothing of it.

    Examples
    --------
    >>> joined_categories((np.array(["b"]), None), (np.array(["a", "b"]), None))
    (array(['a', 'b'], dtype='<U1'), None)
    """
    return tuple(map(_union, one, other))


def _union(mine: NDArray[Any] | None, theirs: NDArray[Any] | None) -> NDArray[Any] | None:
    if mine is None or theirs is None:
        if mine is not theirs:
            raise ValueError("a column holds numbers in some rows and categories in others")
        return None
    if not len(mine) or not len(theirs):
        return mine if len(mine) else theirs
    if mine.dtype.kind != theirs.dtype.kind:
        raise ValueError(
            f"a column holds {mine.tolist()[0]!r} in some rows and {theirs.tolist()[0]!r} in "
            "others: make all of its cells text, or all numbers"
        )
    return np.union1d(mine, theirs)


def columns_with_rare_categories(table: Matrix, categories: Categories) -> Mask:
    """Return which columns have a category that stands in a single row.

    Where some categories are that rare there are likely others that no row has: their share is
    estimated by the share of rows that are alone with their category (Good, 1953).

    Examples
    --------
    >>> codes = np.array([[0.0], [0.0], [1.0]])
    >>> columns_with_rare_categories(codes, (np.array(["a", "b"]),))
    array([ True])
    """
    rare = np.zeros(len(categories), dtype=bool)
    for place, known in enumerate(categories):
        if known is not None:
            codes = np.asarray(table[:, place])
            there = codes[codes >= 0].astype(np.int64)
            rare[place] = (np.bincount(there, minlength=len(known)) == 1).any()
    return rare


def column_names(estimator: Any) -> list[str]:
    """Return the names of the features of a fitted estimator, x0, x1, ... if they have none."""
    names = getattr(estimator, "feature_names_in_", None)
    return [f"x{i}" for i in range(estimator.n_features_in_)] if names is None else list(names)


def _enter(estimator: Any, X: Any, *, reset: bool) -> tuple[Any, list[str]]:
    """Check the shape and names; return an array of numbers, or what has to be read by columns."""
    refuse_parts(X)
    if sparse.issparse(X):
        raise TypeError(
            "this learner reads dense tables, and this one is sparse; X.toarray() makes it dense"
        )
    if nw.dependencies.is_into_dataframe(X):
        validated(estimator, X, reset=reset, skip_check_array=True)
        frame = nw.from_native(X, eager_only=True)
        if 0 in frame.shape:
            raise ValueError(
                f"Found array with {frame.shape[0]} sample(s) and {frame.shape[1]} feature(s) "
                f"(shape={frame.shape}) while a minimum of 1 is required."
            )
        return frame, [str(name) for name in frame.columns]
    X = sound(X)
    kind = _kind(X)
    if kind == "T":
        X, kind = np.asarray(X).astype(object), "O"
    if kind in "US" and not isinstance(X, np.ndarray):
        X = np.array(X, dtype=object)  # NumPy would turn the numbers of a list into text
    X = validated(
        estimator,
        cast("Any", X),
        reset=reset,
        dtype=None if kind in "OUSiu" else [np.float64, np.float32],
        ensure_all_finite=False if kind in "OUS" else "allow-nan",
    )
    return X, [f"x{place}" for place in range(X.shape[1])]


def _parts(X: Any, names: list[str]) -> _Parts:
    """Return arrays of numbers whole, and those of neighbours in a frame; the rest by columns."""
    if isinstance(X, np.ndarray) and X.dtype.kind in "iuf":
        if X.dtype.kind != "f":
            X = X.astype(np.int64 if np.can_cast(X.dtype, np.int64) else np.float64, copy=False)
        return [(slice(0, X.shape[1]), X)]
    if isinstance(X, np.ndarray):
        return _by_columns(X.T, names, columns.of_cells, 0)
    parts: _Parts = []
    kinds = enumerate(X.schema.values())
    for are_numbers, run in groupby(kinds, key=lambda item: columns.is_plain(item[1])):
        where = [place for place, _ in run]
        some = X[:, where[0] : where[-1] + 1]  # to ask for one at a time takes much longer
        numbers = columns.of_frame(some, names[where[0] :]) if are_numbers else None
        if numbers is None:
            parts += _by_columns(some.iter_columns(), names, columns.of_series, where[0])
        else:
            parts.append((slice(where[0], where[-1] + 1), numbers))
    return parts


def _by_columns(
    whole: Iterable[Any], names: list[str], read: Callable[[Any, str], Any], first: int
) -> _Parts:
    """Return columns one by one, the first of which stands at a place."""
    parts: _Parts = []
    for place, cells_of in enumerate(whole, first):
        column = read(cells_of, names[place])
        cells = column if isinstance(column, Words) else column[:, np.newaxis]
        parts.append((slice(place, place + 1), cells))
    return parts


def _find(
    parts: _Parts, chosen: Mask, names: list[str], most: int | None
) -> list[NDArray[Any] | None]:
    """Return the categories of each column of text and of each one called categorical."""
    found: list[NDArray[Any] | None] = []
    for where, cells in parts:
        if isinstance(cells, Words):
            found.append(category_codes.categories_of_words(cells, most, names[where.start]))
        elif chosen[where].any():
            found.extend(category_codes.categories_of_numbers(cells, chosen[where]))
        else:
            found.extend([None] * cells.shape[1])
    for name, known in zip(names, found, strict=True):
        category_codes.refuse_many(0 if known is None else len(known), most, name)
    return found


def _encode(parts: _Parts, categories: Categories, names: list[str], *, codes: bool) -> Any:
    """Return the table of numbers and codes."""
    numbers = [cells.dtype for _, cells in parts if not isinstance(cells, Words)]
    single = bool(numbers) and all(dtype == np.float32 for dtype in numbers)
    dtype = np.int32 if codes else np.float32 if single else np.float64
    table = np.empty((len(parts[0][1]), len(names)), dtype=dtype)
    for where, cells in parts:
        if isinstance(cells, Words):
            category_codes.encode_words(
                cells, categories[where.start], table[:, where], names[where.start]
            )
        else:
            category_codes.encode_numbers(cells, categories[where], table[:, where], names[where])
    return table


def _given(declared: Declared, names: list[str]) -> dict[int, NDArray[Any]]:
    """Return the declared categories by the place of their column, sorted."""
    given: dict[int, NDArray[Any]] = {}
    if declared is not None and (not hasattr(declared, "items") or sparse.issparse(declared)):
        raise TypeError(f"categories={declared!r} must map columns to their values, or be None")
    for column, values in (declared or {}).items():
        known = np.unique(np.asarray(list(values)))
        if len(known) == 0 or known.dtype.kind not in "biufU":
            raise ValueError(f"the categories of column {column!r} must be words, or numbers")
        known = known if known.dtype.kind == "U" else known.astype(np.float64)
        given[_place(column, names)] = known
    return given


def _within(given: NDArray[Any], found: NDArray[Any] | None, name: str) -> NDArray[Any]:
    """Return the declared categories of a column unless its cells hold another one."""
    if found is not None and len(found):
        other = found[~np.isin(found, given)] if found.dtype.kind == given.dtype.kind else found
        if len(other):
            raise ValueError(
                f"column {name!r} holds {other.tolist()[0]!r}, which is not among its declared "
                f"categories {given.tolist()}"
            )
    return given


def _chosen(categorical: Categorical, names: list[str], n_features: int) -> Mask:
    """Return the mask of the columns that were called categorical."""
    mask = np.zeros(n_features, dtype=bool)
    if categorical is None or (isinstance(categorical, str) and categorical == "none"):
        return mask
    if isinstance(categorical, str):
        if categorical != "all":
            raise ValueError(
                f"categorical_features={categorical!r} must be a list of columns, 'all' or None"
            )
        return ~mask
    if sparse.issparse(categorical) or not _is_flat(categorical):
        raise ValueError(
            f"categorical_features={categorical!r} must be a list of columns, 'all' or None"
        )
    listed = list(categorical)
    if listed and all(isinstance(item, (bool, np.bool_)) for item in listed):
        if len(listed) != n_features:
            raise ValueError(
                f"categorical_features has {len(listed)} truth values for {n_features} columns"
            )
        return np.array(listed, dtype=bool)
    for item in listed:
        mask[_place(item, names)] = True
    return mask


def _place(item: Any, names: list[str]) -> int:
    """Return the place of a column given by its name or place."""
    if isinstance(item, str) and item in names:
        return names.index(item)
    if isinstance(item, (int, np.integer)) and 0 <= item < len(names):
        return int(item)
    raise ValueError(
        f"categorical_features names {item!r}, which is no column; there are {names}, or their "
        f"places 0 to {len(names) - 1}"
    )


def _is_flat(values: Any) -> bool:
    """Say whether these are several things, none of which is several itself."""
    if not isinstance(values, Iterable):
        return False
    return (
        np.ndim(values) == 1
        if isinstance(values, np.ndarray)
        else not any(isinstance(value, list | tuple | dict | np.ndarray) for value in values)
    )


def _kind(X: Any) -> str:
    """Return what an array of the cells would hold."""
    try:
        return np.asarray(X).dtype.kind
    except ValueError:
        raise ValueError("X has rows of several lengths: give each row all its cells") from None
