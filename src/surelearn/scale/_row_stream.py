"""Streams of pairs of a row and its target, cut into chunks of rows.

Rows are arrays or mappings; those of mappings keep the names of their features.
"""

from collections.abc import Iterable, Mapping, Sequence
from itertools import chain, islice
from typing import Any, Self, cast

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray


class RowChunks:
    """The chunks of a stream of rows with their targets; the first fixes the features' names.

    Examples
    --------
    >>> [y.tolist() for _, y in RowChunks([([1.0], "yes"), ([0.0], "no"), ([2.0], "yes")], 2)]
    [['yes', 'no'], ['yes']]
    """

    def __init__(self, pairs: Iterable[Any], size: int) -> None:
        no_row = getattr(pairs, "ndim", 1) == 0  # such an array says that it can be iterated
        if no_row or not isinstance(cast("object", pairs), Iterable):
            raise TypeError(f"{pairs!r} gives no rows: pass pairs of a row and its label")
        self.pairs, self.size = iter(pairs), size
        self.names: list[Any] | None = None

    def __iter__(self) -> Self:
        return self

    def __next__(self) -> tuple[Any, NDArray[Any]]:
        pairs = list(islice(self.pairs, self.size))
        if not pairs:
            raise StopIteration
        rows, targets = zip(*map(row_and_target, pairs), strict=True)
        y = _as_array(targets)
        if all(isinstance(x, Mapping) for x in rows):
            return self._as_table(rows), y
        widths = sorted({np.size(x) for x in rows})
        if len(widths) > 1:
            raise ValueError(f"the rows have different numbers of values: {widths}")
        return np.array(rows), y

    def _as_table(self, rows: Sequence[Mapping[Any, Any]]) -> Any:
        """Return mappings as a table, so that names are kept and columns of text can be named."""
        found = dict.fromkeys(chain.from_iterable(rows))
        names = self.names = _distinct_as_text(found) if self.names is None else self.names
        if new := [name for name in found if name not in names]:
            raise ValueError(
                f"the features {new} are new; the first block has {names}. A larger block_size may "
                "show them all at once; learn_stream(to_river(learner), ...) takes them in as they "
                "come"
            )
        return pa.table({str(n): np.array([row.get(n, 0.0) for row in rows]) for n in names})


def row_and_target(pair: Any) -> tuple[Any, Any]:
    """Return the first two parts of a pair, or say that it is none.

    Examples
    --------
    >>> row_and_target(({"age": 40}, "yes", "noted on Monday"))
    ({'age': 40}, 'yes')
    """
    try:
        x, y, *_ = pair
    except (TypeError, ValueError):
        raise ValueError("a stream yields pairs of a row and its target") from None
    return x, y


def _as_array(targets: Sequence[Any]) -> NDArray[Any]:
    """Return targets as an array; NumPy would make text of all where some are text."""
    try:
        y = np.array(targets)
    except ValueError:
        raise ValueError("a stream yields pairs of a row and its target, a single value") from None
    if y.dtype.kind == "U" and not all(isinstance(target, str) for target in targets):
        raise ValueError("the targets mix text with others, such as '1' with 1; make all of a kind")
    return y


def _distinct_as_text(names: Iterable[Any]) -> list[Any]:
    """Return the names of features, if those of columns, which are text, tell them apart."""
    names = list(names)
    n_text = sum(isinstance(name, str) for name in names)
    if 0 < n_text < len(names) or len(set(map(str, names))) < len(names):
        raise ValueError(f"the names of the features {names} are not all text; make them text")
    return names
