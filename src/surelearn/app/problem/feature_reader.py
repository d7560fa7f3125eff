"""Reading the features of a table: which ones there are is judged by some of its rows."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from surelearn._typing import Indices
from surelearn.app.errors import TableError
from surelearn.app.problem.copies import feature_hashes
from surelearn.app.problem.features import Feature, choose, read_feature
from surelearn.app.tables.memory_mapped import combined, is_large
from surelearn.app.tables.read import TableFile
from surelearn.base.row_identity import number_copies


class FeatureReader:
    """Reads the features of a table, as some of its rows say what they are.

    Parameters
    ----------
    file
        The file, for how it is written.
    rows
        Its rows with a known target.
    excluded
        Columns that are no features whatever they hold, each with the reason.
    **asked
        See `choose` and `judge`: categories, keep, zeros, mode.

    Examples
    --------
    >>> import pyarrow as pa
    >>> file = TableFile.of_table(pa.table({"legs": [4, 2, 4], "kind": ["cat", "bird", "dog"]}))
    >>> reader = FeatureReader(file, file.table, {"kind": "target"}, categories=(), keep=())
    >>> reader.copies().tolist()
    [0, 1, 0]
    """

    def __init__(
        self, file: TableFile, rows: Any, excluded: Mapping[str, str], **asked: Any
    ) -> None:
        self._rows, self._excluded, self._decimal = rows, excluded, file.decimal
        self._how: dict[str, Any] = {**asked, "typed": file.typed, "decimal": file.decimal}
        self._latest: tuple[list[Feature], Any] = ([], None)
        self._not_compared: Mapping[str, str] = {}

    def choose(self, train: Indices) -> tuple[list[Feature], dict[str, str]]:
        """Return the features and why other columns are none, by some of the rows."""
        return choose(self._rows, train, self._excluded, **self._how)

    def read(self, features: Sequence[Feature]) -> Any:
        """Return the features of all rows; the same ones are not read twice."""
        asked = [replace(f, categories=()) for f in features]
        if self._latest[0] != asked:
            rows, sign = self._rows, self._decimal
            cells = ((f.name, read_feature(rows.column(f.source), f, sign)) for f in features)
            self._latest = asked, combined(cells, large=is_large(rows))
        return self._latest[1]

    def copies(self) -> Indices | None:
        """Return for each row the number of its distinct row; None if all are distinct.

        Features are judged by all rows here, since there are no training rows yet. What all rows
        refuse is left to the training rows to refuse; that rows coincide is counted then, too.
        """
        try:
            features, self._not_compared = self.choose(np.arange(self._rows.num_rows))
            return number_copies(feature_hashes(self.read(features)))
        except TableError:
            return None

    def not_compared(self, features: Sequence[Feature]) -> tuple[tuple[str, str], ...]:
        """Return the columns of features by which `copies` told no rows apart, each with why."""
        read, why = dict.fromkeys(feature.source for feature in features), self._not_compared
        return tuple((name, why[name]) for name in read if name in why)
