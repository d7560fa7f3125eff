"""The rules of a run or an audit, fixed beforehand; those that make no sense are refused."""

from surelearn.app.errors import TableError
from surelearn.app.problem.copies import MODES
from surelearn.app.problem.features import DATES

SELECTIONS = ("nested", "structural-risk")
"""Ways to choose a learner: nested cross-validation, or the smallest bound."""

_LARGEST_SEED = 2**32 - 1  # that scikit-learn takes
_MOST_LOOKS = 10**6


def check_rules(
    *,
    delta: float = 0.05,
    holdout: float = 0.2,
    seed: int = 0,
    select: str = "nested",
    copies: str | None = "together",
    looks: int = 1,
) -> None:
    """Refuse rules that no certificate can be made by."""
    if not 0.0 < delta < 1.0:
        raise TableError(f"delta must lie between 0 and 1, not {delta:g}")
    if not 0.0 < holdout < 1.0:
        raise TableError(f"the hold-out must be a fraction between 0 and 1, not {holdout:g}")
    if not 0 <= seed <= _LARGEST_SEED:
        raise TableError(f"the seed must be a number from 0 to {_LARGEST_SEED}, not {seed}")
    if select not in SELECTIONS:
        raise TableError(f"there is no selection {select!r}; there are {', '.join(SELECTIONS)}")
    if copies is not None and copies not in MODES:
        raise TableError(f"copies may be {' or '.join(MODES)}, not {copies!r}")
    if not 1 <= looks <= _MOST_LOOKS:
        raise TableError(f"the number of looks must lie between 1 and {_MOST_LOOKS:,}, not {looks}")


def check_dates(dates: str | None) -> None:
    """Refuse what columns of dates cannot become; None is how they were read at first."""
    if dates is not None and dates not in DATES:
        raise TableError(f"dates may be {' or '.join(DATES)}, not {dates!r}")
