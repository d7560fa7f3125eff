"""Whether a table holds the answers of a model: then an audit of them may be meant.

Everything here warns and changes nothing.
"""

import re
from collections.abc import Generator
from contextlib import contextmanager
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from pyarrow import types

from surelearn.app.errors import TableError

_ANSWERS = re.compile(
    r"(.*[_\W])?(y_?hat|y_?pred|pred|preds|predicted|prediction|predictions|answer|answers|answered"
    r"|said|output|response|forecast|guess|decision|model|classifier)([_\W].*)?",
    re.IGNORECASE,
)
_GENERIC = {"0", "1", "true", "false", "yes", "no", "y", "n", "t", "f", "-1"}
"""Labels that features of all kinds have."""
_MOST = 0.5  # the share in which answers agree with the truth at least
_MOST_UNNAMED = 0.8
_SAMPLE = 2_000
_compute: Any = pc


def ask(rows: Any, target: str) -> str:
    """Return the question whether an audit was meant; nothing if no column looks like answers.

    Parameters
    ----------
    rows
        The rows, with all columns that a model may use.
    target
        The name of the column that would be the truth.

    Examples
    --------
    >>> table = pa.table({"label": ["a", "b", "b"], "prediction": ["a", "b", "a"]})
    >>> ask(table, "label")  # doctest: +ELLIPSIS
    "column 'prediction' looks like answers to 'label': they agree in 66% of the rows. ..."
    """
    rows = rows.slice(0, _SAMPLE)
    for name in rows.column_names:
        if name == target:
            continue
        named = _ANSWERS.fullmatch(name) is not None or rows.num_columns == 2
        if how := _agree(rows.column(target), rows.column(name), named=named):
            return (
                f"column {name!r} looks like answers to {target!r}: {how}. A model trained on it "
                "says nothing of the one that gave these answers. Was an audit meant? Then: "
                f"surelearn audit FILE --truth {target} --prediction {name}"
            )
    return ""


@contextmanager
def asking(meant: str) -> Generator[None]:
    """Ask with a refusal, too, whether an audit was meant."""
    try:
        yield
    except TableError as error:
        raise TableError(f"{error}. But {meant}" if meant else str(error)) from None


def _agree(truth: Any, column: Any, *, named: bool) -> str:
    """Return how a column agrees with the truth, if it does as answers would."""
    known = _compute.and_(truth.is_valid(), column.is_valid())
    true, said = (_texts(one.filter(known)) for one in (truth, column))
    if true is None or said is None or not len(true):
        return ""
    labels, told = (set(one.unique().to_pylist()) for one in (true, said))
    if not told <= labels or len(labels) > max(2, len(true) // 10):
        return _agree_as_numbers(true, said) if named else ""
    plain = {str(label).lower() for label in labels} <= _GENERIC
    if not named and (plain or told != labels):
        return ""
    share = float(np.mean(_compute.equal(true, said).to_numpy()))
    if share < (_MOST if named else _MOST_UNNAMED):
        return ""
    return f"they agree in {int(100 * share)}% of the rows"


def _texts(column: Any) -> Any:
    """Return the cells as texts; None if they are no labels and no numbers."""
    kind = column.type.value_type if types.is_dictionary(column.type) else column.type
    alike = (types.is_string, types.is_large_string, types.is_integer, types.is_floating)
    if not types.is_boolean(kind) and not any(is_one(kind) for is_one in alike):
        return None
    return column.cast(pa.string())


def _agree_as_numbers(true: Any, said: Any) -> str:
    """Return how much of the variance of numbers a column explains as it stands."""
    try:
        truth, answer = (one.cast(pa.float64()).to_numpy() for one in (true, said))
    except pa.ArrowInvalid:
        return ""
    both = np.isfinite(truth) & np.isfinite(answer)
    truth, answer = truth[both], answer[both]
    if len(truth) < 3 or np.ptp(truth) == 0.0:
        return ""
    explained = 1.0 - float(np.mean((truth - answer) ** 2) / np.var(truth))
    if not explained >= _MOST:
        return ""
    return f"it explains {int(100 * explained)}% of the variance as it stands"
