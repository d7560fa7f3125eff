"""How many of several things are shown to be good enough, and which: groups, thresholds.

A list of those that pass their tests. With probability at least 1 - delta no bad one is among them,
so that at least so many are good. None may pass: then nothing is shown, and the bound is 0.
"""

from collections.abc import Mapping

from surelearn import _arguments
from surelearn._typing import ArrayLike
from surelearn.bounds import groups, sharing, thresholds
from surelearn.bounds._fresh_rows import FIXED, ROWS, claim
from surelearn.bounds._guarantee import Guarantee, theorem

_STEPS = "Holm, Scandinavian Journal of Statistics 6 (1979); Sidak, JASA 62 (1967)"
_SEQUENCE = "Maurer, Hothorn and Lehmacher (1995); Angelopoulos et al., Learn then test (2021)"


def which_groups(
    *, errors: ArrayLike, n_in_groups: ArrayLike, rate: float, delta: float
) -> tuple[bool, ...]:
    """Return which groups are shown to err at most at a rate, in the order they were given.

    Examples
    --------
    >>> which_groups(
    ...     errors=[2, 3, 3, 9, 25], n_in_groups=[50, 80, 120, 200, 400], rate=0.1, delta=0.05
    ... )
    (False, False, True, True, True)
    """
    found = groups.excess_p_values(errors=errors, n_in_groups=n_in_groups, rate=rate)
    return sharing.holm_sidak(found, delta)


@theorem(realised=("errors", "n_in_groups"))
def groups_within(
    *, errors: ArrayLike, n_in_groups: ArrayLike, rate: float, delta: float
) -> Guarantee:
    """Bound from below how many groups err at most at a rate; `which_groups` says which.

    Examples
    --------
    >>> found = groups_within(
    ...     errors=[2, 3, 3, 9, 25], n_in_groups=[50, 80, 120, 200, 400], rate=0.1, delta=0.05
    ... )
    >>> found.bound
    3.0
    """
    shown = which_groups(errors=errors, n_in_groups=n_in_groups, rate=rate, delta=delta)
    quantity = "how many groups have an error rate of at most the one fixed"
    return _at_least(quantity, sum(shown), delta, {**ROWS, **FIXED, **groups.GROUPS}, _STEPS)


@theorem(realised=("errors", "n_kept"))
def thresholds_within(
    *, errors: ArrayLike, n_kept: ArrayLike, risk: float, delta: float
) -> Guarantee:
    """Bound from below how many thresholds of confidence keep the risk of what is answered.

    Counts are those of rows with confidence of at least each threshold, in an order fixed
    beforehand, from the largest threshold to the smallest. They are tested in this order until one
    fails, so that the first ones are those shown.

    Examples
    --------
    >>> thresholds_within(errors=[0, 2, 9], n_kept=[120, 260, 270], risk=0.05, delta=0.05).bound
    2.0
    """
    target = _arguments.open_fraction("risk", risk)
    shown = thresholds.n_passed_risk(errors=errors, n_kept=n_kept, target=target, delta=delta)
    quantity = "how many thresholds have P(error | confidence >= t) of at most the risk fixed"
    return _at_least(quantity, shown, delta, {**ROWS, **thresholds.LADDER}, _SEQUENCE)


def _at_least(
    quantity: str, shown: int, delta: float, assumes: Mapping[str, str], reference: str
) -> Guarantee:
    return claim(quantity, float(shown), delta, assumes, direction="lower", reference=reference)
