"""Mixed tables: numbers, categories and missing cells become one matrix, or a clear refusal.

A numeric column stays as it is. A categorical one becomes codes 0, 1, ... in the sorted order of
its categories. A missing cell is NaN; a category that was not there in training is `UNSEEN`.
"""

from collections.abc import Sequence
from typing import Any, TypeAlias, cast

import narwhals as nw
import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.utils.validation import validate_data

from surelearn._typing import Mask, Matrix, Vector
from surelearn.base.batch import missing

UNSEEN = -1.0
"""The code of a category that was not there in training."""

Categorical: TypeAlias = Sequence[str] | Sequence[int] | Sequence[bool] | str | None
"""Which columns hold categories: names, places or a mask; "all"; None means those of text."""

Categories: TypeAlias = tuple[NDArray[Any] | None, ...]
"""For each column its sorted categories, text or numbers; None for a numeric column."""


def learn_table(
    estimator: Any, X: Any, *, categorical: Categorical = None, most_categories: int | None = None
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
    X, names = _enter(estimator, X, reset=True)
    chosen = _chosen(categorical, names, X.shape[1])
    if isinstance(X, np.ndarray) and X.dtype.kind == "f" and not chosen.any():
        estimator.categories_ = (None,) * X.shape[1]
        return X
    columns = [_column(X, place, names) for place in range(X.shape[1])]
    estimator.categories_ = tuple(
        _categories(column, name) if forced or column.dtype.kind == "U" else None
        for column, name, forced in zip(columns, names, chosen, strict=True)
    )
    if most_categories is not None:
        _refuse_many(estimator.categories_, names, most_categories)
    return _encode(columns, estimator.categories_, names)


def read_table(estimator: Any, X: Any) -> Matrix:
    """Check a table by what the estimator learnt in training, and return the codes."""
    X, names = _enter(estimator, X, reset=False)
    categories: Categories = estimator.categories_
    if isinstance(X, np.ndarray) and X.dtype.kind == "f" and all(c is None for c in categories):
        return X
    columns = [_column(X, place, names) for place in range(X.shape[1])]
    return _encode(columns, categories, names)


def n_categories(categories: Categories) -> NDArray[np.int64]:
    """Return the number of categories of each column, 0 for a numeric one.

    Examples
    --------
    >>> n_categories((None, np.array(["a", "b"])))
    array([0, 2])
    """
    return np.array([0 if found is None else len(found) for found in categories], dtype=np.int64)


def column_names(estimator: Any) -> list[str]:
    """Return the names of the features of a fitted estimator, x0, x1, ... if they have none."""
    names = getattr(estimator, "feature_names_in_", None)
    return [f"x{i}" for i in range(estimator.n_features_in_)] if names is None else list(names)


def _enter(estimator: Any, X: Any, *, reset: bool) -> tuple[Any, list[str]]:
    """Check the shape and names; return a float array, or what has to be read by columns."""
    if sparse.issparse(X):
        raise TypeError(
            "this learner reads dense tables, and this one is sparse; X.toarray() makes it dense"
        )
    if nw.dependencies.is_into_dataframe(X):
        validate_data(estimator, X, reset=reset, skip_check_array=True)
        frame = nw.from_native(X, eager_only=True)
        if 0 in frame.shape:
            raise ValueError(
                f"Found array with {frame.shape[0]} sample(s) and {frame.shape[1]} feature(s) "
                f"(shape={frame.shape}) while a minimum of 1 is required."
            )
        return frame, [str(name) for name in frame.columns]
    words = np.asarray(X).dtype.kind in "OUS"
    X = validate_data(
        estimator,
        X,
        reset=reset,
        dtype=None if words else [np.float64, np.float32],
        ensure_all_finite=False if words else "allow-nan",
    )
    return X, [f"x{place}" for place in range(X.shape[1])]


def _column(X: Any, place: int, names: list[str]) -> NDArray[Any]:
    """Return one column: floats with NaN, or text with empty strings for what is missing."""
    name = names[place]
    if isinstance(X, np.ndarray):
        cells = cast("NDArray[Any]", X[:, place])
        return cells if cells.dtype.kind == "f" else _plain(cells, name)
    series = X[:, place]
    kind = series.dtype
    if kind.is_numeric() or kind == nw.Boolean:
        return _finite(np.asarray(series.cast(nw.Float64).to_numpy(), dtype=np.float64), name)
    if kind in {nw.Categorical, nw.Enum, nw.String}:
        return _plain(np.asarray(series.cast(nw.String).to_numpy(), dtype=object), name)
    if kind == nw.Object:
        return _plain(np.asarray(series.to_numpy(), dtype=object), name)
    raise ValueError(
        f"column {name!r} has type {kind}; turn it into numbers or text first, or leave it out"
    )


def _plain(cells: NDArray[Any], name: str) -> NDArray[Any]:
    """Return the cells of a column of objects as floats or as text, never as a mixture."""
    import pyarrow as pa  # noqa: PLC0415 - only tables of objects and text need it

    if cells.dtype.kind in "US":
        cells = cells.astype(str).astype(object)
    try:
        array = pa.array(cells, from_pandas=True)
    except (pa.ArrowInvalid, pa.ArrowTypeError):
        return _numbers(cells, name)
    if pa.types.is_string(array.type) or pa.types.is_large_string(array.type):
        coded = array.dictionary_encode()
        words = np.array(["", *coded.dictionary.to_pylist()], dtype=str)
        _refuse_empty_word(words[1:], name)
        return words[np.asarray(coded.indices.fill_null(-1)) + 1]
    return _numbers(cells, name)


def _refuse_empty_word(words: NDArray[Any], name: str) -> None:
    if (words == "").any():
        raise ValueError(
            f"column {name!r} holds empty text; put None where a value is missing, or a word"
        )


def _numbers(cells: NDArray[Any], name: str) -> Vector:
    """Return the cells of a column of objects that are all numbers or missing."""
    if any(isinstance(value, str) for value in cells.tolist()):
        raise ValueError(
            f"column {name!r} mixes numbers and text; turn all of it into one or the other"
        )
    try:
        values = [np.nan if missing(value) else float(value) for value in cells.tolist()]
    except (TypeError, ValueError) as error:
        raise TypeError(
            f"column {name!r}: every cell must be a number, or all of them strings; {error}"
        ) from error
    return _finite(np.array(values), name)


def _finite(values: Vector, name: str) -> Vector:
    if np.isinf(values).any():
        raise ValueError(f"column {name!r} contains infinity; a missing value is NaN or None")
    return values


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


def _categories(column: NDArray[Any], name: str) -> NDArray[Any]:
    """Return the sorted categories of a column."""
    there = column != "" if column.dtype.kind == "U" else ~np.isnan(column)
    found = np.unique(column[there])
    if len(found) == 0:
        raise ValueError(f"column {name!r} has no value in any row; leave it out")
    return found


def _refuse_many(categories: Categories, names: list[str], most: int) -> None:
    for name, found in zip(names, categories, strict=True):
        if found is not None and len(found) > most:
            raise ValueError(
                f"column {name!r} has {len(found)} categories, more than {most}; group the rare "
                "ones, leave the column out, or raise the limit"
            )


def _encode(columns: list[NDArray[Any]], categories: Categories, names: list[str]) -> Matrix:
    """Return the table of numbers and codes."""
    table = np.empty((len(columns[0]), len(columns)))
    for place, (column, known) in enumerate(zip(columns, categories, strict=True)):
        if known is None and column.dtype.kind == "U":
            raise ValueError(
                f"column {names[place]!r} was numeric in training and holds text now: "
                f"{next(word for word in column if word)!r}"
            )
        table[:, place] = column if known is None else _codes(column, known, names[place])
    return table


def _codes(column: NDArray[Any], known: NDArray[Any], name: str) -> Vector:
    """Return the place of each cell among the known categories."""
    words = known.dtype.kind == "U"
    if words and column.dtype.kind != "U":
        if not np.isnan(column).all():
            raise ValueError(f"column {name!r} held text in training and holds numbers now")
        return np.full(len(column), np.nan)
    if not words and column.dtype.kind == "U":
        raise ValueError(f"column {name!r} held numbers in training and holds text now")
    places = np.minimum(np.searchsorted(known, column), len(known) - 1)
    codes = np.where(known[places] == column, places, UNSEEN).astype(np.float64)
    codes[(column == "") if words else np.isnan(column)] = np.nan
    return codes
