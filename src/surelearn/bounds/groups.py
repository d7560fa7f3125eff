"""Error rates of groups: the worst of them at no extra cost, or each of them at once.

Groups are a function of the row that was fixed before looking. Rates other than errors are bounded
by their counts: per group the sensitivity is one minus the rate of misses among the positives.
"""

import numpy as np

from surelearn import _arguments
from surelearn._typing import ArrayLike, Vector
from surelearn.bounds import _counts, inversions, sharing
from surelearn.bounds._fresh_rows import FIXED, ROWS, claim
from surelearn.bounds._guarantee import Guarantee, theorem
from surelearn.bounds._special import binomial_cdf

GROUPS = {"groups": "the groups were declared before looking; they do not overlap"}


@theorem(realised=("errors", "n_in_groups"))
def worst_group(*, errors: ArrayLike, n_in_groups: ArrayLike, delta: float) -> Guarantee:
    """Bound the error rate of the worst of several groups; their number costs nothing.

    No other number may be read off: to print the bound of one group needs `every_group`. A group
    without rows gives 1.

    Examples
    --------
    >>> guarantee = worst_group(
    ...     errors=[2, 3, 3, 9, 25], n_in_groups=[50, 80, 120, 200, 400], delta=0.05
    ... )
    >>> round(guarantee.bound, 6)
    0.120614
    """
    wrong, sizes = _group_counts(errors, n_in_groups)
    level = _arguments.open_fraction("delta", delta)
    bound = float(np.max(inversions.binomial_upper(wrong, sizes, level)))
    reference = "surelearn theory pages; Berger, Technometrics 24 (1982)"
    quantity, assumes = "the largest error rate of a group", {**ROWS, **FIXED, **GROUPS}
    return claim(quantity, bound, delta, assumes, direction="upper", reference=reference)


@theorem(realised=("errors", "n_in_group"))
def every_group(*, errors: int, n_in_group: int, n_groups: int, delta: float) -> Guarantee:
    """Bound the error rate of one of several groups; the bounds of all groups hold together.

    Examples
    --------
    >>> round(every_group(errors=2, n_in_group=50, n_groups=5, delta=0.05).bound, 6)
    0.157259
    """
    groups = _arguments.count("n_groups", n_groups, at_least=1)
    size = _arguments.count("n_in_group", n_in_group)
    wrong = _arguments.count("errors", errors, at_most=size)
    bound = float(inversions.binomial_upper(wrong, size, sharing.sidak(delta, groups)))
    reference = "Sidak, JASA 62 (1967), given the sizes of the groups"
    quantity, assumes = (
        "the error rate of the group, as of every other",
        {**ROWS, **FIXED, **GROUPS},
    )
    return claim(quantity, bound, delta, assumes, direction="upper", reference=reference)


def excess_p_values(*, errors: ArrayLike, n_in_groups: ArrayLike, rate: float) -> Vector:
    """Return for each group the p-value of "its error rate exceeds `rate`": P(Bin(n, rate) <= k).

    `sharing.holm_sidak` says which groups are shown to stay below it.

    Examples
    --------
    >>> excess_p_values(errors=[2, 3], n_in_groups=[50, 80], rate=0.1).round(6)
    array([0.111729, 0.035306])
    """
    wrong, sizes = _group_counts(errors, n_in_groups)
    share = _arguments.open_fraction("rate", rate)
    # Moved outward: the incomplete beta function is exact to about 1e-13.
    return np.minimum(1.0, binomial_cdf(wrong, sizes, share) * (1.0 + 1e-9))


def _group_counts(errors: ArrayLike, n_in_groups: ArrayLike) -> tuple[Vector, Vector]:
    wrong = _counts.counts("errors", errors)
    sizes = _counts.counts("n_in_groups", n_in_groups)
    _counts.same_length(errors=wrong, n_in_groups=sizes)
    _counts.at_most("errors", wrong, sizes, "n_in_groups")
    return wrong, sizes
