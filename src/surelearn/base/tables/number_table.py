"""A table of numbers that can give other rows back in the kind in which it came."""

from typing import Any, NamedTuple

import narwhals as nw
import numpy as np

from surelearn._typing import Matrix


class NumberTable(NamedTuple):
    """The numbers of an array or a data frame, and the names of its columns.

    Attributes
    ----------
    values
        The numbers.
    names
        The names of the columns; "feature 0", "feature 1", ... if they have none.
    frame
        The data frame it was; None for an array.

    Examples
    --------
    >>> import pyarrow as pa
    >>> table = NumberTable.read(pa.table({"a": [1.0, 2.0], "b": [3, 4]}))
    >>> table.names, table.values.tolist()
    (['a', 'b'], [[1.0, 3.0], [2.0, 4.0]])
    >>> table.like(np.zeros((1, 2))).column_names
    ['a', 'b']
    """

    values: Matrix
    names: list[str]
    frame: Any

    @classmethod
    def read(cls, X: Any) -> "NumberTable":
        """Read an array or a data frame."""
        if not nw.dependencies.is_into_dataframe(X):
            values = np.asarray(X, dtype=np.float64)
            if values.ndim != 2:
                raise ValueError("X must be a table: a data frame or an array of rows and columns")
            return cls(values, [f"feature {i}" for i in range(values.shape[1])], None)
        frame = nw.from_native(X, eager_only=True)
        values = np.asarray(frame.to_numpy(), dtype=np.float64)
        return cls(values, [str(name) for name in frame.columns], frame)

    def like(self, rows: Matrix) -> Any:
        """Return rows as this table came: as an array, or as a frame of the same library."""
        if self.frame is None:
            return rows
        columns = {name: rows[:, i] for i, name in enumerate(self.frame.columns)}
        return nw.from_dict(columns, backend=nw.get_native_namespace(self.frame)).to_native()
