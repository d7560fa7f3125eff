"""What one row of a stream says of a model: a loss from 0 to 1, and that of another model."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from surelearn._wording import nearest
from surelearn.app.errors import TableError

_RESULTS = {
    **dict.fromkeys(("pass", "passed", "1", "1.0", "true", "yes"), 0.0),
    **dict.fromkeys(("fail", "failed", "0", "0.0", "false", "no"), 1.0),
}


@dataclass(frozen=True)
class Columns:
    """The columns of a stream by what they hold.

    Attributes
    ----------
    truth, prediction
        What was true, and what was answered.
    loss, passed
        A loss from 0 to 1, or a result, passed or failed; either instead of the two.
    baseline
        What another model was told of in the same way: its answer, its loss or its result.

    Examples
    --------
    >>> Columns(truth="ill", prediction="said").losses_of({"ill": 1, "said": 0})
    (1.0, None)
    """

    truth: str | None = None
    prediction: str | None = None
    loss: str | None = None
    passed: str | None = None
    baseline: str | None = None

    def __post_init__(self) -> None:
        """Refuse columns that do not say what a row costs, or say it twice."""
        pair = (self.truth is not None, self.prediction is not None)
        ways = [any(pair), self.loss is not None, self.passed is not None]
        if sum(ways) != 1 or (any(pair) and not all(pair)):
            raise TableError(
                "say what a row shows in one way: --truth and --prediction, or --loss with values "
                "from 0 to 1, or --passed"
            )
        named = [name for name in vars(self).values() if name is not None]
        if len(self.names) < len(named):
            twice = next(name for name in named if named.count(name) > 1)
            raise TableError(
                f"column {twice!r} is named twice: each role needs a column of its own"
            )

    @property
    def names(self) -> list[str]:
        """The columns that are read."""
        return list(dict.fromkeys(name for name in vars(self).values() if name is not None))

    def losses_of(self, row: Mapping[str, Any]) -> tuple[float, float | None]:
        """Return what a row costs, and what it costs the other model; refuse what is no row."""
        other = None if self.baseline is None else self._loss(row, self.baseline)
        ways = (self.prediction, self.loss, self.passed)
        answered = next(name for name in ways if name is not None)
        return self._loss(row, answered), other

    def _loss(self, row: Mapping[str, Any], name: str) -> float:
        value = _cell(row, name)
        if self.truth is not None:
            return _differ(_cell(row, self.truth), value, name)
        return _number(value, name) if self.loss is not None else _result(value, name)


def _cell(row: Mapping[str, Any], name: str) -> Any:
    if name not in row:
        raise ValueError(f"there is no {name!r}{nearest(name, row)}")
    value = row[name]
    if value is None or (isinstance(value, float) and value != value):  # noqa: PLR0124 - NaN
        raise ValueError(
            f"{name!r} is missing: admit a row when all is known of it, or count it as an error"
        )
    if not isinstance(value, str | int | float):
        raise ValueError(f"{name!r} is a {type(value).__name__}, not one value")  # noqa: TRY004
    return value


def _differ(truth: Any, answer: Any, name: str) -> float:
    """Return 1 if two labels differ; labels that never could be equal are refused."""
    if isinstance(truth, str) != isinstance(answer, str):
        which = ("words", "numbers") if isinstance(truth, str) else ("numbers", "words")
        raise ValueError(f"the truth is of {which[0]} and {name!r} of {which[1]}: never equal")
    for value in (truth, answer):
        if isinstance(value, float) and not value.is_integer():
            raise ValueError(
                f"{value:g} is no label: compare a score with a threshold first, and give the "
                "loss of a measured number with --loss"
            )
    return float(truth != answer)


def _number(value: Any, name: str) -> float:
    if isinstance(value, str) or not 0.0 <= value <= 1.0:
        raise ValueError(f"{name!r} is {str(value)[:40]!r}, not a number from 0 to 1")
    return float(value)


def _result(value: Any, name: str) -> float:
    found = _RESULTS.get(str(value).strip().lower())
    if found is None:
        raise ValueError(
            f"{name!r} is {str(value)[:40]!r}, not passed or failed (true or false, 1 or 0)"
        )
    return found
