"""The options of a run or an audit, fixed beforehand; those that make no sense are refused."""

from collections.abc import Iterable, Mapping
from numbers import Integral, Real
from typing import Any, cast

from surelearn import _arguments
from surelearn.app.choosing.widths import WIDTHS
from surelearn.app.errors import TableError
from surelearn.app.problem.copies import MODES
from surelearn.app.problem.features import DATES

SELECTIONS = ("nested", "structural-risk")
"""Ways to choose a learner: nested cross-validation, or the smallest bound."""

_LARGEST_SEED = 2**32 - 1  # that scikit-learn takes
_MOST_LOOKS = 10**6
_ONE_COLUMN = {"target", "group", "time"}
_COLUMNS = {"categorical", "keep", "drop", "zeros", "learners"}


def given(options: Mapping[str, Any] | None) -> dict[str, Any]:
    """Return the options that were given; False was, None and nothing were not."""
    asked = (options or {}).items()
    return {name: value for name, value in asked if value is False or value}


def check_options(
    *,
    delta: float = 0.05,
    holdout: float = 0.2,
    seed: int = 0,
    select: str = "nested",
    copies: str | None = "together",
    looks: int = 1,
) -> None:
    """Refuse rules that no certificate can be made by."""
    if not (isinstance(delta, Real) and 0.0 < delta < 1.0):
        raise TableError(f"delta must lie between 0 and 1, not {_shown(delta)}")
    if not (isinstance(holdout, Real) and 0.0 < holdout < 1.0):
        raise TableError(f"the hold-out must be a fraction between 0 and 1, not {_shown(holdout)}")
    if not (isinstance(seed, Integral) and 0 <= seed <= _LARGEST_SEED):
        raise TableError(f"the seed must be a number from 0 to {_LARGEST_SEED}, not {_shown(seed)}")
    if select not in SELECTIONS:
        raise TableError(f"there is no selection {select!r}; there are {', '.join(SELECTIONS)}")
    if copies is not None and copies not in MODES:
        raise TableError(f"copies may be {' or '.join(MODES)}, not {copies!r}")
    if not (isinstance(looks, Integral) and 1 <= looks <= _MOST_LOOKS):
        most, found = f"{_MOST_LOOKS:,}", _shown(looks)
        raise TableError(f"the number of looks must lie between 1 and {most}, not {found}")


def check_columns(asked: Mapping[str, Any], known: Iterable[str]) -> None:
    """Refuse options that there are none of, and what names no column.

    Examples
    --------
    >>> check_columns({"group": ["a", "b"]}, ["group", "keep"])
    Traceback (most recent call last):
    surelearn.app.errors.TableError: group names a column, and ['a', 'b'] is no name
    """
    for name, value in asked.items():
        if name not in known:
            raise TableError(f"certify has no option {name!r}")
        if value is None and name not in {"target", "learners"}:
            continue
        if name in _ONE_COLUMN and not isinstance(value, str):
            raise TableError(f"{name} names a column, and {_arguments.short(value)} is no name")
        if name == "task" and not isinstance(value, str):
            raise TableError(f"task is classification or regression, not {_arguments.short(value)}")
        if name in _COLUMNS:
            several = not isinstance(value, str) and isinstance(value, Iterable)
            if not several or not all(
                isinstance(each, str) for each in cast("Iterable[Any]", value)
            ):
                raise TableError(f"{name} is a list of names, and not {_arguments.short(value)}")


def _shown(value: Any) -> str:
    number = isinstance(value, Real) and not isinstance(value, Integral)
    return f"{value:g}" if number else _arguments.short(value)


def check_dates(dates: str | None) -> None:
    """Refuse what columns of dates cannot become; None is how they were read at first."""
    if dates is not None and dates not in DATES:
        raise TableError(f"dates may be {' or '.join(DATES)}, not {dates!r}")


def check_widths(widths: str | None) -> None:
    """Refuse what the widths of intervals cannot be; None is how they were at first, constant."""
    if widths is not None and widths not in WIDTHS:
        raise TableError(f"widths may be {' or '.join(WIDTHS)}, not {widths!r}")
