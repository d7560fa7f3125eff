"""Rows of a block as a model sees them: their side, their features, their targets."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple, TypeAlias

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray
from pyarrow import types

from surelearn._jit.fingerprints import Hashes
from surelearn.app.errors import TableError
from surelearn.app.in_parts.sides import Sides
from surelearn.app.problem.cells import is_missing
from surelearn.app.problem.feature import features_of, read_feature
from surelearn.app.problem.target import as_codes, as_numbers
from surelearn.app.tables import quantities
from surelearn.app.tables.parted_file import in_few_types
from surelearn.base.parted import Block

TargetKind: TypeAlias = Literal["words", "values", "whole", "as written", "numbers"]
"""How targets are read: as text, as they are, as whole numbers, as numbers in words, as numbers."""


@dataclass(frozen=True)
class TargetReader:
    """Reads the targets of a block as those of the sample were read.

    Parameters
    ----------
    name, kind
        The column, and how it is read.
    form
        How quantities are written in words there: see `app.tables.quantities`.
    """

    name: str
    kind: TargetKind
    form: str = ""

    def read(self, table: Any) -> NDArray[Any]:
        """Return a target for each row; none of them is missing.

        Examples
        --------
        >>> TargetReader("y", "whole").read(pa.table({"y": [1.0, 0.0]})).tolist()
        [1, 0]
        """
        column = table.column(self.name)
        if self.kind == "words":
            codes, words = as_codes(column)
            return words[codes]
        if self.form and types.is_dictionary(column.type):
            column = quantities.quantities_of(column, self.form)
            if column.null_count:
                raise TableError(f"the target {self.name!r} holds words that are no quantities")
        values = column.to_numpy()
        if self.kind == "numbers":
            return as_numbers(values, self.name)
        if self.kind == "whole":
            return self._as_whole(values)
        return values if self.kind == "values" else np.array([repr(v) for v in values.tolist()])

    def _as_whole(self, values: NDArray[Any]) -> NDArray[Any]:
        if (values != np.floor(values)).any():
            raise TableError(
                f"the target {self.name!r} is not whole in some rows, but it is in all rows that "
                "were looked at first: say --task regression, or mend those cells"
            )
        return values.astype(np.int64)


def target_reader(column: Any, name: str, y: NDArray[Any], decimal: str) -> TargetReader:
    """Return how targets are read, by those of a sample and what became of them."""
    if y.dtype.kind == "f":
        words = _words(column) if types.is_dictionary(column.type) else ()
        form = quantities.find_form(words, decimal) if len(words) else ""
        return TargetReader(name, "numbers", form or "")
    if types.is_dictionary(column.type):
        return TargetReader(name, "words")
    if types.is_floating(column.type):
        return TargetReader(name, "whole" if y.dtype.kind in "iu" else "as written")
    return TargetReader(name, "values")


def _words(column: Any) -> Any:
    return column.unique().drop_null().cast(pa.string())


class Rows(NamedTuple):
    """Some rows of a block: what each is known by, their features and their targets."""

    hashes: Hashes
    X: Any
    y: NDArray[Any]


@dataclass(frozen=True)
class RowReader:
    """Reads one side of the split, as the training rows of the sample say.

    Parameters
    ----------
    sides
        Which rows are held out.
    schema
        How the features are read: that of the model file.
    target
        How the targets are read.
    missing
        The words that mean a missing cell.
    """

    sides: Sides
    schema: Mapping[str, Any]
    target: TargetReader
    missing: tuple[str, ...]

    @property
    def columns(self) -> set[str]:
        """The columns that must be read."""
        own = {f.source for f in features_of(self.schema)}
        return {*own, *self.sides.columns, self.target.name}

    def read(self, block: Block, *, held_out: bool) -> Rows:
        """Return the rows of a block that are held out, or those that are not."""
        table = in_few_types(block.X, self.missing)
        table = table.filter(pa.array(~is_missing(table.column(self.target.name))))
        hashes = self.sides.hashes(table)
        mine = self.sides.held_out(hashes) == held_out
        return Rows(hashes[mine], *self._of(table.filter(pa.array(mine))))

    def _of(self, table: Any) -> tuple[Any, NDArray[Any]]:
        decimal = self.sides.decimal
        features = features_of(self.schema)
        cells = {f.name: read_feature(table.column(f.source), f, decimal) for f in features}
        return pa.table(cells).combine_chunks(), self.target.read(table)
