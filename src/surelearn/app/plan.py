"""How many rows to hold out, before any are drawn."""

from surelearn.app.errors import ArgumentError
from surelearn.evaluate.planning import plan_holdout


def plan_rows(*, target: float, error: float, delta: float, n_models: int) -> str:
    """Say how many rows must be held out to certify an error rate, or why none are enough.

    Examples
    --------
    >>> plan_rows(target=0.01, error=0.0, delta=0.05, n_models=1).partition(",")[0]
    '299 test rows certify'
    """
    try:
        return str(plan_holdout(target=target, error=error, delta=delta, n_models=n_models))
    except ValueError as reason:
        raise ArgumentError(str(reason)) from None
