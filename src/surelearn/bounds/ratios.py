"""Ratios of two expectations by betting: rows in clusters, weights, F-scores, explained shares.

The data are pairs (e, m), each once with the number of times it occurred, so that what is stored
stays small. All bounds hold at every n at once and do not depend on the order of the pairs. What is
bounded is E e / E m, never the mean of the ratios, unless a name says so.
"""

import math
from collections.abc import Mapping
from typing import Literal

import numpy as np

from surelearn import _arguments
from surelearn._typing import ArrayLike, Vector
from surelearn._wording import exactly
from surelearn.bounds import _counts, _rounding, _wealth
from surelearn.bounds._fresh_rows import FIXED, MIX, ROWS, claim
from surelearn.bounds._guarantee import Guarantee, theorem

_SAME = {"same_ratio": "given the past, every pair has the same ratio of expectations"}
_SOME = {"nonzero": "the expected size of a pair is not zero"}
_CLUSTERS = {
    "independent": "the clusters are independent draws, and none has rows among those that made or "
    "chose the model; within a cluster rows may depend on each other"
}
_REFERENCE = "surelearn theory pages; after Waudby-Smith and Ramdas, JRSS B 86 (2024)"


@theorem(realised=("tops", "bottoms", "counts"))
def ratio_order_free(
    *, tops: ArrayLike, bottoms: ArrayLike, counts: ArrayLike, largest: float, delta: float
) -> Guarantee:
    """Bound E e / E m for pairs 0 <= e <= m <= largest by gamblers with twelve constant stakes.

    Examples
    --------
    >>> guarantee = ratio_order_free(
    ...     tops=[0, 1, 2], bottoms=[3, 5, 8], counts=[100, 60, 40], largest=10, delta=0.05
    ... )
    >>> round(guarantee.bound, 4)
    0.2021
    """
    root = _ratio_root(*_pairs(tops, bottoms, counts, largest), delta)
    assumes = {**_largest("size", largest), **_SAME, **_SOME}
    return _on_ratio("the ratio of the expectations, E e / E m", root, delta, assumes)


@theorem(realised=("tops", "bottoms", "counts"))
def ratio_order_free_lower(
    *, tops: ArrayLike, bottoms: ArrayLike, counts: ArrayLike, largest: float, delta: float
) -> Guarantee:
    """Bound E e / E m from below, for pairs 0 <= e <= m <= largest.

    Examples
    --------
    >>> guarantee = ratio_order_free_lower(
    ...     tops=[0, 1, 2], bottoms=[3, 5, 8], counts=[100, 60, 40], largest=10, delta=0.05
    ... )
    >>> round(guarantee.bound, 4)
    0.1273
    """
    top, bottom, times = _pairs(tops, bottoms, counts, largest)
    bound = _one_minus(_ratio_root(bottom - top, bottom, times, delta))
    assumes = {**_largest("size", largest), **_SAME, **_SOME}
    quantity = "the ratio of the expectations, E e / E m"
    return _on_ratio(quantity, bound, delta, assumes, direction="lower")


@theorem(realised=("errors", "sizes", "counts"))
def rows_in_clusters(
    *, errors: ArrayLike, sizes: ArrayLike, counts: ArrayLike, largest: int, delta: float
) -> Guarantee:
    """Bound the share of wrong rows when rows come in clusters, such as patients with many visits.

    `counts` says how many clusters have so many errors among so many rows; no cluster can have more
    than `largest` rows.

    Examples
    --------
    >>> guarantee = rows_in_clusters(
    ...     errors=[0, 1, 2], sizes=[4, 5, 8], counts=[120, 60, 20], largest=10, delta=0.05
    ... )
    >>> round(guarantee.bound, 4)
    0.1587
    """
    most = _arguments.count("largest", largest, at_least=1)
    wrong, rows, times = _cluster_counts(errors, sizes, counts, at_least=0.0)
    _counts.at_most("sizes", rows, np.full(len(rows), float(most)), "largest")
    root = _ratio_root(wrong / most, rows / most, times, delta)
    assumes = {**_CLUSTERS, **_largest("cluster", most), **_SOME, **FIXED}
    return _on_ratio("the share of wrong rows, over all clusters", root, delta, assumes)


@theorem(realised=("errors", "sizes", "counts"))
def mean_over_clusters(
    *, errors: ArrayLike, sizes: ArrayLike, counts: ArrayLike, delta: float
) -> Guarantee:
    """Bound the mean over clusters of the error rate within the cluster; each has a row or more.

    Examples
    --------
    >>> guarantee = mean_over_clusters(
    ...     errors=[0, 1, 2], sizes=[4, 5, 8], counts=[120, 60, 20], delta=0.05
    ... )
    >>> round(guarantee.bound, 4)
    0.1152
    """
    wrong, rows, times = _cluster_counts(errors, sizes, counts, at_least=1.0)
    root = _ratio_root(wrong / rows, np.ones(len(rows)), times, delta)
    return _on_ratio("the mean error rate of a cluster", root, delta, {**_CLUSTERS, **FIXED})


@theorem(realised=("losses", "weights", "counts"))
def weighted_to_scale(
    *, losses: ArrayLike, weights: ArrayLike, counts: ArrayLike, largest: float, delta: float
) -> Guarantee:
    """Bound E w loss / E w for weights in [0, largest] that are known up to a common factor.

    Examples
    --------
    >>> guarantee = weighted_to_scale(
    ...     losses=[0, 1, 0, 1], weights=[0.5, 0.5, 2, 2], counts=[180, 20, 180, 20],
    ...     largest=4, delta=0.05,
    ... )
    >>> round(guarantee.bound, 4)
    0.1652
    """
    loss, weight, times = _weighted(losses, weights, counts, largest)
    root = _ratio_root(loss * weight, weight, times, delta)
    assumes = {**_largest("weight", largest), **_SAME, **_SOME, **_weights()}
    return _on_ratio("the weighted mean of the losses, E w loss / E w", root, delta, assumes)


@theorem(realised=("losses", "weights", "counts"))
def weighted(
    *, losses: ArrayLike, weights: ArrayLike, counts: ArrayLike, largest: float, delta: float
) -> Guarantee:
    """Bound E w loss for importance weights in [0, largest] whose expectation is exactly 1.

    Examples
    --------
    >>> guarantee = weighted(
    ...     losses=[0, 1, 0, 1], weights=[0.5, 0.5, 2, 2], counts=[180, 20, 180, 20],
    ...     largest=4, delta=0.05,
    ... )
    >>> round(guarantee.bound, 4)
    0.2098
    """
    loss, weight, times = _weighted(losses, weights, counts, largest)
    root = _ratio_root(loss * weight, np.ones(len(loss)), times, delta)
    bound = _rounding.up(root * largest)
    assumes = {**_largest("weight", largest), **_SAME, **_weights()}
    assumes["mean_weight"] = "the expectation of a weight is 1"
    return _on_ratio("the expectation of weight times loss", bound, delta, assumes)


@theorem(realised=("losses", "baseline_losses", "counts"))
def explained_share(
    *,
    losses: ArrayLike,
    baseline_losses: ArrayLike,
    counts: ArrayLike,
    largest: float,
    delta: float,
) -> Guarantee:
    """Bound from below the share of a fixed baseline's loss that a model takes away.

    The share is 1 - E loss / E loss of the baseline, losses in [0, largest]. Where not even 0 can
    be shown, the bound is minus infinity: no claim.

    Examples
    --------
    >>> guarantee = explained_share(
    ...     losses=[0.1, 0.2], baseline_losses=[0.9, 0.7], counts=[200, 200],
    ...     largest=1.0, delta=0.05,
    ... )
    >>> round(guarantee.bound, 4)
    0.7925
    """
    most = _arguments.positive("largest", largest)
    own = _arguments.vector("losses", losses, low=0.0, high=most)
    other = _arguments.vector("baseline_losses", baseline_losses, low=0.0, high=most)
    times = _counts.counts("counts", counts)
    _counts.same_length(losses=own, baseline_losses=other, counts=times)
    log_wealth = _wealth.share_mixture(own / most, other / most, times)
    level = _wealth.log_level(_arguments.open_fraction("delta", delta), int(times.sum()))
    if log_wealth(1.0) < level:
        bound = -math.inf
    else:
        bound = _one_minus(_rounding.last_true(lambda r: log_wealth(r) < level, 0.0, 1.0))
    assumes = {**_largest("loss", most), **_SAME, **_SOME}
    assumes["baseline"] = "the baseline was fixed without these rows"
    quantity = "the share of the baseline's expected loss that is taken away"
    return _on_ratio(quantity, bound, delta, assumes, direction="lower")


@theorem(realised=("true_positives", "false_positives", "false_negatives"))
def f_beta(
    *,
    true_positives: int,
    false_positives: int,
    false_negatives: int,
    beta: float,
    delta: float,
) -> Guarantee:
    """Bound from below an F-score in which a missed case weighs beta^2 false alarms.

    For beta = 1 `rates.f1` is exact and sharper.

    Examples
    --------
    >>> guarantee = f_beta(
    ...     true_positives=90, false_positives=40, false_negatives=10, beta=2.0, delta=0.05
    ... )
    >>> round(guarantee.bound, 6)
    0.745906
    """
    found = _arguments.count("true_positives", true_positives)
    alarms = _arguments.count("false_positives", false_positives)
    missed = _arguments.count("false_negatives", false_negatives)
    square = _arguments.positive("beta", beta) ** 2
    tops = np.array([0.0, 1.0, square]) / (1.0 + square)
    bottoms = np.array([1.0, tops[1], tops[2]])
    times = np.array([found, alarms, missed], dtype=np.float64)
    bound = _one_minus(_ratio_root(tops, bottoms, times, delta))
    quantity = f"the F-score of the population with beta = {exactly(beta)}"
    assumes = {**ROWS, **FIXED, **MIX}
    return _on_ratio(quantity, bound, delta, assumes, direction="lower")


def _ratio_root(tops: Vector, bottoms: Vector, counts: Vector, delta: float) -> float:
    """Return the smallest refuted ratio of pairs in [0, 1]; 1 if none is."""
    level = _wealth.log_level(_arguments.open_fraction("delta", delta), int(counts.sum()))
    return _wealth.refuted_from(_wealth.ratio_mixture(tops, bottoms, counts), level)


def _pairs(
    tops: ArrayLike, bottoms: ArrayLike, counts: ArrayLike, largest: float
) -> tuple[Vector, Vector, Vector]:
    """Return the pairs in units of the largest possible, and how often each occurred."""
    most = _arguments.positive("largest", largest)
    top = _arguments.vector("tops", tops, low=0.0, high=most)
    bottom = _arguments.vector("bottoms", bottoms, low=0.0, high=most)
    times = _counts.counts("counts", counts)
    _counts.same_length(tops=top, bottoms=bottom, counts=times)
    _counts.at_most("tops", top, bottom, "bottoms")
    return top / most, bottom / most, times


def _cluster_counts(
    errors: ArrayLike, sizes: ArrayLike, counts: ArrayLike, *, at_least: float
) -> tuple[Vector, Vector, Vector]:
    wrong, rows = (
        _counts.counts("errors", errors),
        _counts.counts("sizes", sizes, at_least=at_least),
    )
    times = _counts.counts("counts", counts)
    _counts.same_length(errors=wrong, sizes=rows, counts=times)
    _counts.at_most("errors", wrong, rows, "sizes")
    return wrong, rows, times


def _weighted(
    losses: ArrayLike, weights: ArrayLike, counts: ArrayLike, largest: float
) -> tuple[Vector, Vector, Vector]:
    most = _arguments.positive("largest", largest)
    loss = _arguments.vector("losses", losses, low=0.0, high=1.0)
    weight = _arguments.vector("weights", weights, low=0.0, high=most)
    times = _counts.counts("counts", counts)
    _counts.same_length(losses=loss, weights=weight, counts=times)
    return loss, weight / most, times


def _largest(what: str, largest: float) -> dict[str, str]:
    return {"largest": f"no {what} can exceed {exactly(largest)}, which was known beforehand"}


def _weights() -> dict[str, str]:
    return {"weights": "the weights are a function of the row that was fixed without these rows"}


def _one_minus(value: float) -> float:
    return max(0.0, _rounding.down(1.0 - value))


def _on_ratio(
    quantity: str,
    bound: float,
    delta: float,
    assumes: Mapping[str, str],
    *,
    direction: Literal["upper", "lower"] = "upper",
) -> Guarantee:
    return claim(
        quantity,
        bound,
        delta,
        assumes,
        direction=direction,
        reference=_REFERENCE,
        validity="anytime",
    )
