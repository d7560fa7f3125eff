"""Claims about two or more rates at once, at the full delta: regions instead of intervals.

Intervals for each rate share delta and pretend that all rates are at their worst together. A
region holds the rates that are plausible together: costs, differences, balanced accuracy and ratios
are bounded by their worst value in it.
"""

import math
from collections.abc import Mapping

import numpy as np

from surelearn import _arguments
from surelearn._typing import ArrayLike
from surelearn.bounds import _fisher_chain, _rounding
from surelearn.bounds._buehler_tails import Counts
from surelearn.bounds._fresh_rows import claim
from surelearn.bounds._guarantee import Guarantee, theorem
from surelearn.bounds._region_arguments import (
    BY_CLASS,
    BY_GROUP,
    BY_STRATUM,
    FRESH,
    accuracy,
    counts_of,
    level_of,
    rows_of,
    shares_of,
    two_classes,
)
from surelearn.bounds._region_orders import correlation, largest_gap, linear, log_ratio

_BUEHLER = "Buehler, Journal of the American Statistical Association 52 (1957)"
_FISHER = "Fisher, Statistical Methods for Research Workers (1932); surelearn theory pages"
_KNOWN_SHARES = {"shares": "the shares of the strata in the population are known"}
_MOST_IN_TABLE = 10**7
_MOST_GROUPS = 100  # every two of them are compared
_PAIR = 2
_TWO_CLASSES = ("false_negatives", "n_positive", "false_positives", "n_negative")


@theorem(realised=("false_negatives", "false_positives"))
def cost(
    *,
    false_negatives: int,
    false_positives: int,
    n: int,
    cost_false_negative: float,
    cost_false_positive: float,
    delta: float,
    tolerance: float = 0.01,
) -> Guarantee:
    """Bound the mean cost of a decision whose two kinds of errors cost different amounts.

    Examples
    --------
    >>> guarantee = cost(false_negatives=10, false_positives=40, n=1000, cost_false_negative=10.0,
    ...                  cost_false_positive=1.0, delta=0.05)
    >>> round(guarantee.bound, 4)
    0.2074
    """
    n = rows_of("n", n)
    x = _arguments.count("false_negatives", false_negatives, at_most=n)
    y = _arguments.count("false_positives", false_positives, at_most=n - x)
    costs = (
        _arguments.non_negative("cost_false_negative", cost_false_negative),
        _arguments.non_negative("cost_false_positive", cost_false_positive),
    )
    (most, first), (least, second) = sorted(zip(costs, (x, y), strict=True), reverse=True)
    if most <= 0.0:
        raise _arguments.refuse("cost_false_negative", most, "> 0 if the other cost is 0")
    how = accuracy(delta, tolerance)
    bound = most * linear(Counts(first, second, n, n, shared=True), (1.0, least / most), how)
    fixed = {"costs": "the costs were fixed before the hold-out was opened"}
    return _at_most("the mean cost of a decision", bound, delta, {**FRESH, **fixed}, trivial=most)


@theorem(realised=("true_positives", "false_positives"))
def net_benefit(
    *,
    true_positives: int,
    false_positives: int,
    n: int,
    threshold: float,
    delta: float,
    tolerance: float = 0.01,
) -> Guarantee:
    """Bound from below the net benefit P(true positive) - odds(threshold) P(false positive).

    Examples
    --------
    >>> guarantee = net_benefit(true_positives=90, false_positives=40, n=1000, threshold=0.2,
    ...                         delta=0.05)
    >>> round(guarantee.bound, 4)
    0.0646
    """
    n = rows_of("n", n)
    hits = _arguments.count("true_positives", true_positives, at_most=n)
    alarms = _arguments.count("false_positives", false_positives, at_most=n - hits)
    at = _arguments.open_fraction("threshold", threshold)
    odds = _rounding.up(at / (1.0 - at))
    counts = Counts(alarms, hits, n, n, shared=True)
    bound = -linear(counts, (odds, -1.0), accuracy(delta, tolerance))
    fixed = {"threshold": "the threshold probability was fixed before the hold-out was opened"}
    quantity = "the net benefit at the threshold probability"
    return _at_least(quantity, bound, delta, {**FRESH, **fixed}, trivial=-odds)


@theorem(realised=("only_first_wrong", "only_second_wrong"))
def error_difference(
    *,
    only_first_wrong: int,
    only_second_wrong: int,
    n: int,
    delta: float,
    tolerance: float = 0.01,
) -> Guarantee:
    """Bound the risk of a first model minus that of a second, from the rows where they differ.

    Below 0 it shows that the first is better, below a margin fixed beforehand that it is not worse.

    Examples
    --------
    >>> guarantee = error_difference(only_first_wrong=10, only_second_wrong=40, n=1000, delta=0.05)
    >>> round(guarantee.bound, 4)
    -0.0179
    """
    n = rows_of("n", n)
    first = _arguments.count("only_first_wrong", only_first_wrong, at_most=n)
    second = _arguments.count("only_second_wrong", only_second_wrong, at_most=n - first)
    counts = Counts(first, second, n, n, shared=True)
    bound = linear(counts, (1.0, -1.0), accuracy(delta, tolerance))
    quantity = "the risk of the first model minus the risk of the second"
    ordered = {"fixed_order": "which model is the first was fixed before the hold-out was opened"}
    return _at_most(quantity, bound, delta, {**FRESH, **ordered})


@theorem(realised=_TWO_CLASSES)
def balanced_accuracy(
    *,
    false_negatives: int,
    n_positive: int,
    false_positives: int,
    n_negative: int,
    delta: float,
    tolerance: float = 0.01,
) -> Guarantee:
    """Bound from below the mean of sensitivity and specificity.

    Examples
    --------
    >>> guarantee = balanced_accuracy(false_negatives=10, n_positive=100, false_positives=40,
    ...                               n_negative=900, delta=0.05)
    >>> round(guarantee.bound, 4)
    0.8972
    """
    counts = two_classes(false_negatives, n_positive, false_positives, n_negative)
    bound = 1.0 - linear(counts, (0.5, 0.5), accuracy(delta, tolerance))
    return _at_least("the balanced accuracy", bound, delta, BY_CLASS, trivial=0.0)


@theorem(realised=_TWO_CLASSES)
def positive_likelihood_ratio(
    *,
    false_negatives: int,
    n_positive: int,
    false_positives: int,
    n_negative: int,
    delta: float,
    tolerance: float = 0.01,
) -> Guarantee:
    """Bound from below how much likelier a positive answer is in a positive case.

    Examples
    --------
    >>> guarantee = positive_likelihood_ratio(false_negatives=10, n_positive=100,
    ...                                       false_positives=40, n_negative=900, delta=0.05)
    >>> round(guarantee.bound, 2)
    15.65
    """
    counts = two_classes(false_negatives, n_positive, false_positives, n_negative)
    bound = math.exp(-log_ratio(counts, accuracy(delta, tolerance)))
    return _at_least("the positive likelihood ratio", bound, delta, BY_CLASS, trivial=0.0)


@theorem(realised=_TWO_CLASSES)
def negative_likelihood_ratio(
    *,
    false_negatives: int,
    n_positive: int,
    false_positives: int,
    n_negative: int,
    delta: float,
    tolerance: float = 0.01,
) -> Guarantee:
    """Bound how likely a negative answer is in a positive case, relative to a negative case.

    Examples
    --------
    >>> guarantee = negative_likelihood_ratio(false_negatives=10, n_positive=100,
    ...                                       false_positives=40, n_negative=900, delta=0.05)
    >>> round(guarantee.bound, 4)
    0.1697
    """
    known = two_classes(false_negatives, n_positive, false_positives, n_negative)
    counts = Counts(known.y, known.x, known.n_y, known.n_x, shared=False)
    bound = math.exp(log_ratio(counts, accuracy(delta, tolerance)))
    return _at_most("the negative likelihood ratio", bound, delta, BY_CLASS, trivial=math.inf)


@theorem(realised=_TWO_CLASSES)
def matthews_correlation(
    *,
    false_negatives: int,
    n_positive: int,
    false_positives: int,
    n_negative: int,
    delta: float,
    tolerance: float = 0.01,
) -> Guarantee:
    """Bound from below Matthews' correlation; -1, which says nothing, if 0 is not excluded.

    Examples
    --------
    >>> guarantee = matthews_correlation(false_negatives=10, n_positive=100,
    ...                                  false_positives=40, n_negative=900, delta=0.05)
    >>> round(guarantee.bound, 3)
    0.668
    """
    counts = two_classes(false_negatives, n_positive, false_positives, n_negative)
    bound = correlation(counts, accuracy(delta, tolerance))
    quantity = "Matthews' correlation of truth and prediction"
    assumes = {**FRESH, "metric": BY_CLASS["metric"]}
    return _at_least(quantity, bound, delta, assumes, trivial=-1.0)


@theorem(realised=("errors", "sizes"))
def gap(*, errors: ArrayLike, sizes: ArrayLike, delta: float, tolerance: float = 0.01) -> Guarantee:
    """Bound the largest difference between the error rates of any two groups, in either direction.

    A group without rows gives 1: nothing is known of it.

    Examples
    --------
    >>> round(gap(errors=[10, 5], sizes=[100, 100], delta=0.05).bound, 4)
    0.1196
    """
    n = counts_of("sizes", sizes)
    if not _PAIR <= len(n) <= _MOST_GROUPS:
        raise _arguments.refuse(
            "sizes", sizes, f"a list of two sizes or more, {_MOST_GROUPS} at most"
        )
    k, how = counts_of("errors", errors, n), accuracy(delta, tolerance)
    bound = 1.0 if (n == 0.0).any() else largest_gap(k, n, how)
    quantity = "the largest difference between error rates of two groups"
    return _at_most(quantity, bound, delta, BY_GROUP)


@theorem(realised=("errors",))
def two_strata(
    *,
    errors: ArrayLike,
    sizes: ArrayLike,
    shares: ArrayLike,
    delta: float,
    tolerance: float = 0.01,
) -> Guarantee:
    """Bound the error rate of a population made of two strata, sampled separately.

    The strata may be the classes, and the shares their frequencies where the model will be used.

    Examples
    --------
    >>> guarantee = two_strata(errors=[3, 5], sizes=[100, 200], shares=[0.4, 0.6], delta=0.05)
    >>> round(guarantee.bound, 4)
    0.0473
    """
    n = counts_of("sizes", sizes)
    if len(n) != _PAIR or n.min() < 1.0:
        raise _arguments.refuse("sizes", sizes, "two sizes, 1 or more; see regions.strata")
    k, w = counts_of("errors", errors, n), shares_of(shares, _PAIR)
    first, second = (0, 1) if w[0] >= w[1] else (1, 0)
    counts = Counts(int(k[first]), int(k[second]), int(n[first]), int(n[second]), shared=False)
    bound = linear(counts, (float(w[first]), float(w[second])), accuracy(delta, tolerance))
    return _at_most("the error rate", bound, delta, {**BY_STRATUM, **_KNOWN_SHARES})


@theorem(realised=("errors",))
def strata(*, errors: ArrayLike, sizes: ArrayLike, shares: ArrayLike, delta: float) -> Guarantee:
    """Bound the error rate of a population made of strata, sampled separately.

    A stratum without rows counts as wrong altogether.

    Examples
    --------
    >>> guarantee = strata(errors=[3, 5, 2], sizes=[100, 200, 50], shares=[0.5, 0.3, 0.2],
    ...                    delta=0.05)
    >>> round(guarantee.bound, 6)
    0.070328
    """
    n = counts_of("sizes", sizes)
    k, w = counts_of("errors", errors, n), shares_of(shares, len(n))
    bound = _fisher_chain.largest_rate(k, n, w, level_of(delta))
    assumes = {**BY_STRATUM, **_KNOWN_SHARES}
    return _at_most("the error rate", bound, delta, assumes, reference=_FISHER)


@theorem(realised=("errors", "sizes"))
def macro_recall(*, errors: ArrayLike, sizes: ArrayLike, delta: float) -> Guarantee:
    """Bound from below the mean over classes of the share of their rows that is found.

    Examples
    --------
    >>> round(macro_recall(errors=[3, 5, 2], sizes=[100, 200, 50], delta=0.05).bound, 4)
    0.9231
    """
    n = counts_of("sizes", sizes)
    k, w = counts_of("errors", errors, n), np.full(len(n), 1.0 / len(n))
    bound = 1.0 - _fisher_chain.largest_rate(k, n, w, level_of(delta))
    quantity = "the mean recall of the classes"
    return _at_least(quantity, bound, delta, BY_CLASS, trivial=0.0, reference=_FISHER)


@theorem(realised=("errors",))
def finite_strata(
    *, errors: ArrayLike, drawn: ArrayLike, sizes: ArrayLike, delta: float
) -> Guarantee:
    """Bound the number of wrong rows in a table of strata, from rows drawn at random in each.

    Examples
    --------
    >>> finite_strata(errors=[3, 0], drawn=[200, 50], sizes=[1000, 300], delta=0.05).bound
    46.0
    """
    size = counts_of("sizes", sizes)
    if size.sum() > _MOST_IN_TABLE:
        raise _arguments.refuse("sizes", sizes, f"at most {_MOST_IN_TABLE:,} rows in all")
    n = counts_of("drawn", drawn, size)
    k = counts_of("errors", errors, n)
    bound = _fisher_chain.largest_number(k, n, size, level_of(delta))
    at_random = {
        "drawn": "in each stratum every set of so many rows was equally likely to be drawn"
    }
    quantity = "the number of wrong rows in the table"
    most = float((size - n + k).sum())
    return claim(quantity, float(bound), delta, at_random, reference=_FISHER, trivial=most)


def _at_most(
    quantity: str,
    bound: float,
    delta: float,
    assumes: Mapping[str, str],
    *,
    trivial: float = 1.0,
    reference: str = _BUEHLER,
) -> Guarantee:
    """Return a claim from above, which no rounding takes above what is known without it."""
    least = min(_rounding.up(bound), trivial)
    return claim(quantity, least, delta, assumes, reference=reference, trivial=trivial)


def _at_least(
    quantity: str,
    bound: float,
    delta: float,
    assumes: Mapping[str, str],
    *,
    trivial: float,
    reference: str = _BUEHLER,
) -> Guarantee:
    """Return a claim from below, which no rounding takes below what is known without it."""
    return claim(
        quantity,
        max(_rounding.down(bound), trivial),
        delta,
        assumes,
        reference=reference,
        trivial=trivial,
        direction="lower",
    )
