"""Intervals around the predictions of a regression: what a model file says of them.

A certificate says how many widths hold most truths. That number stands in the model file beside the
model, so that `surelearn predict` can write the ends of an interval for each row. `surelearn
verify` compares it with the certificate.
"""

import math
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple, cast

from surelearn._wording import confidence
from surelearn.app.errors import TableError
from surelearn.app.tables.notes import Note
from surelearn.claims import ScaledErrorQuantile
from surelearn.evaluate._rows_beside import gives_widths
from surelearn.evaluate.audit import Outcome

KEY = "intervals"
"""Where the number stands among the metadata of a model file."""


class Intervals(NamedTuple):
    """How many widths from its prediction most truths lie, at most.

    Attributes
    ----------
    n_widths
        The number that is certified.
    alpha
        The share of new rows that may lie outside.
    delta
        The probability that the number is too small, or another claim beside it false.
    """

    n_widths: float
    alpha: float
    delta: float

    @property
    def note(self) -> Note:
        """What the ends of the intervals mean, and on which condition."""
        inside = f"at least {confidence(self.alpha)} of new rows lie between them"
        drawn = "if new rows are drawn as those were that it was certified on"
        checked = "surelearn verify compares this file with its certificate"
        found = f"with confidence {confidence(self.delta)}, {inside}"
        return Note("low and high", found, f"{drawn}; {checked}")


def certified_intervals(outcomes: Iterable[Outcome], delta: float) -> Intervals | None:
    """Return what the claims beside a certificate prove of intervals; None if nothing.

    Parameters
    ----------
    outcomes
        What became of each claim.
    delta
        The probability that any of them is false.
    """
    for outcome in outcomes:
        claim, found = outcome.claim, outcome.certificate
        if (
            isinstance(claim, ScaledErrorQuantile)
            and found is not None
            and found.status == "valid"
            and 0.0 < found.bound < math.inf
        ):
            return Intervals(float(found.bound), float(claim.alpha), float(delta))
    return None


def stored_intervals(model: Any, metadata: Mapping[str, Any]) -> Intervals | None:
    """Return what a model file says of intervals; refuse what a forged one may say.

    Examples
    --------
    >>> from surelearn.learners.linear.ridge_regression import RidgeRegression
    >>> stored_intervals(RidgeRegression(), {}) is None
    True
    >>> stored_intervals(RidgeRegression(), {"intervals": {"n_widths": 2.0}})
    Traceback (most recent call last):
    surelearn.app.errors.TableError: what the model file says of intervals makes no sense; take a
    fresh copy of it, or write it again with surelearn certify
    """
    if KEY not in metadata:
        return None
    stored: Any = metadata[KEY]
    fits = isinstance(stored, Mapping) and set(cast("Any", stored)) == set(Intervals._fields)
    if fits:
        numbers = list(cast("Mapping[str, Any]", stored).values())
        fits = all(type(number) is float and 0.0 < number < math.inf for number in numbers)
        fits = fits and stored["alpha"] < 1.0 and stored["delta"] < 1.0 and gives_widths(model)
    if not fits:
        raise TableError(
            "what the model file says of intervals makes no sense; take a fresh copy of it, or "
            "write it again with surelearn certify"
        )
    return Intervals(**stored)
