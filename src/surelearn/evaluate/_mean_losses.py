"""Mean losses as people say them: of zero-one losses the error rate in percent."""

from surelearn._wording import amount

ERRORS = "zero-one loss"
"""The loss whose mean is a share of rows, in words."""

ESTIMATE = "It is an estimate, not a guarantee"
"""How every result says that it certifies nothing."""


def named(loss: str) -> str:
    """Return what the mean of a loss is called.

    Examples
    --------
    >>> named("zero-one loss"), named("squared error")
    ('error rate', 'mean squared error')
    """
    return "error rate" if loss == ERRORS else f"mean {loss}"


def told(mean: float, loss: str) -> str:
    """Return the mean of a loss in few digits.

    Examples
    --------
    >>> told(0.06148, "zero-one loss"), told(0.06148, "squared error")
    ('6.15%', '0.06148')
    """
    return f"{100.0 * mean:.3g}%" if loss == ERRORS else amount(mean)
