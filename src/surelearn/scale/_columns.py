"""The columns of a table that are read: features, and a target as an array."""

from collections import Counter
from collections.abc import Sequence
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray


def sound(batch: Any) -> Any:
    """Return a batch whose offsets and codes point inside; a damaged file may hold others."""
    try:
        batch.validate(full=True)
    except pa.ArrowInvalid as error:
        raise ValueError(f"the table is damaged: {error}") from error
    return batch


def feature_columns(schema: Any, target: str | None, columns: Sequence[str] | None) -> list[str]:
    """Return the columns of the features; say which are not there, or there twice."""
    there, index = schema.names, (schema.pandas_metadata or {}).get("index_columns", ())
    others = [name for name in there if name != target and name not in index]
    names = others if columns is None else list(columns)
    asked = names if target is None else [*names, target]
    missing = [name for name in asked if name not in there]
    if missing:
        raise ValueError(f"there is no column {missing}; the table has {there}")
    if target in names:
        raise ValueError(f"the target {target!r} must not be among the features")
    times = Counter(there) | Counter(asked)
    if twice := [name for name in dict.fromkeys(asked) if times[name] > 1]:
        raise ValueError(f"the columns {twice} are there more than once; rename or drop the others")
    return names


def features_and_target(batch: Any, *, names: list[str], target: str | None) -> tuple[Any, Any]:
    """Return the features as a table and the targets, if there are any, as an array."""
    if target is None:
        return pa.Table.from_batches([batch.select(names)]), None
    column = batch.column(target)
    if n_missing := _n_missing(column):
        raise ValueError(f"the target {target!r} is missing in {n_missing} of its rows")
    return pa.Table.from_batches([batch.select(names)]), _labels(column)


def _n_missing(column: Any) -> int:
    """Return how many values are missing; a dictionary of values may itself hold a missing one."""
    if pa.types.is_dictionary(column.type) and column.dictionary.null_count:
        column = column.dictionary_decode()
    return column.null_count


def _labels(column: Any) -> NDArray[Any]:
    """Return a target as an array; of text and categories each distinct one is made once."""
    if pa.types.is_string(column.type) or pa.types.is_large_string(column.type):
        column = column.dictionary_encode()
    if pa.types.is_dictionary(column.type):
        return np.array(column.dictionary.to_pylist())[column.indices.to_numpy()]
    y = column.to_numpy(zero_copy_only=False)
    return np.array(y.tolist()) if y.dtype == object else y
