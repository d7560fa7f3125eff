"""Claims made on a hold-out: examples that no model has seen before it is judged on them.

One model, judged once, needs `concentration.clopper_pearson`. Here are the other claims (quantiles,
differences, all thresholds, one class), the prices of using a hold-out more than once, and how
large it must be.
"""

import math
from collections.abc import Mapping
from decimal import Decimal
from typing import Any

import numpy as np
from scipy import special

from surelearn import _arguments
from surelearn._typing import ArrayLike, Indices, Mask, Vector
from surelearn._wording import exactly
from surelearn.bounds import _counts, _rounding, _wealth, inversions
from surelearn.bounds._guarantee import Guarantee, theorem, with_confidence
from surelearn.bounds._planner import exact, least, log, log_inverse, planner
from surelearn.bounds._special import binomial_cdf, log_choose_above, log_choose_all

_MOST_WRONG = 4_000_000  # counts of errors that a planner tries
_TRIED_AT_ONCE = 16

_FRESH = {
    "independent": (
        "the hold-out is i.i.d., split off without looking at x or y, and unseen by every model"
    )
}


def quantile_index(*, n: int, alpha: float, delta: float) -> int:
    """Return the smallest j with P(Bin(n, 1 - alpha) >= j) <= delta, as `quantile` uses it.

    Examples
    --------
    >>> quantile_index(n=59, alpha=0.05, delta=0.05), quantile_index(n=500, alpha=0.1, delta=0.05)
    (59, 462)
    """
    n = _arguments.count("n", n, at_least=1)
    alpha, delta = (
        _arguments.open_fraction("alpha", alpha),
        _arguments.open_fraction("delta", delta),
    )

    def rare(j: int) -> bool:
        return bool(binomial_cdf(n - j, n, alpha) <= delta)

    if not rare(n):
        needed = max(n + 1, _clean_trials(alpha, delta))
        raise _arguments.refuse(
            "n", n, f"at least {needed} for alpha={alpha:g} and delta={delta:g}"
        )
    return _rounding.smallest_integer(rare, 1, n)


@theorem(realised=("residuals",))
def quantile(*, residuals: ArrayLike, alpha: float, delta: float) -> Guarantee:
    """Bound the size of all but a fraction alpha of future residuals, whatever their law.

    Examples
    --------
    >>> quantile(residuals=list(range(1, 101)), alpha=0.1, delta=0.05).bound
    96.0
    """
    values = _arguments.vector("residuals", residuals, low=0.0)
    index = quantile_index(n=len(values), alpha=alpha, delta=delta)
    return _on_quantile(float(np.partition(values, index - 1)[index - 1]), alpha, delta)


@theorem(realised=("values", "n_below", "n_at", "n"))
def quantile_from_ranks(
    *,
    values: ArrayLike,
    n_below: ArrayLike,
    n_at: ArrayLike,
    n: int,
    alpha: float,
    delta: float,
) -> Guarantee:
    """Bound the size of all but a fraction alpha of future residuals from a few of them.

    `values` are different residuals in order, among them the one whose rank `quantile_index` gives;
    `n_below` says how many of all n residuals are smaller than each, and `n_at` how many equal it.

    Examples
    --------
    >>> quantile_from_ranks(
    ...     values=[96.0, 98.0], n_below=[95, 97], n_at=[1, 1], n=100, alpha=0.1, delta=0.05
    ... ).bound
    96.0
    """
    n = _arguments.count("n", n, at_least=1)
    residuals = _arguments.vector("values", values, low=0.0)
    below, at = _counts.counts("n_below", n_below), _counts.counts("n_at", n_at, at_least=1.0)
    _counts.same_length(values=residuals, n_below=below, n_at=at)
    _counts.at_most(
        "n_below", below, np.append(below[1:], float(n)) - at, "what is left above n_at"
    )
    if not (np.diff(residuals) > 0.0).all():
        raise _arguments.refuse("values", _arguments.short(residuals.tolist()), "in order")
    index = quantile_index(n=n, alpha=alpha, delta=delta)
    there = (below < index) & (index <= below + at)
    if not there.any():
        shown = _arguments.short(residuals.tolist())
        raise _arguments.refuse("values", shown, f"such that the residual of rank {index} is there")
    return _on_quantile(float(residuals[there][0]), alpha, delta)


def _on_quantile(bound: float, alpha: float, delta: float) -> Guarantee:
    reference = "Wilks, Annals of Mathematical Statistics 12 (1941); Vovk, ACML (2012)"
    fixed = {"alpha": "alpha was fixed beforehand"}
    level = float(1 - Decimal(repr(float(alpha))))  # of 0.07 it is 0.93 to the last digit
    quantity = f"the {exactly(level)} quantile of the residuals"
    return with_confidence(
        quantity, bound, delta, {**_FRESH, **fixed}, reference=reference, trivial=math.inf
    )


@theorem(realised=("errors", "n_in_class"))
def class_conditional(*, errors: int, n_in_class: int, delta: float) -> Guarantee:
    """Bound an error rate among the rows of one class (recall, precision, false alarms).

    Several rates at once share delta; a class without rows gives 1.

    Examples
    --------
    >>> round(class_conditional(errors=5, n_in_class=100, delta=0.05).bound, 4)
    0.1023
    """
    n = _arguments.count("n_in_class", n_in_class)
    bound = float(inversions.binomial_upper(_errors_of(errors, n), n, _level_of(delta)))
    reference = "Clopper and Pearson, Biometrika 26 (1934), given the number of rows"
    quantity = "the probability of an error given the class"
    return with_confidence(quantity, bound, delta, _FRESH, reference=reference)


@theorem
def all_thresholds(*, n: int, delta: float) -> Guarantee:
    """Bound how far a rate exceeds its estimate at any threshold on the score of one class.

    Exact for continuous scores; n is the number of rows of the class.

    Examples
    --------
    >>> round(all_thresholds(n=100, delta=0.05).bound, 6)
    0.120666
    """
    n = _arguments.count("n", n, at_least=1)
    level = _wealth.log_level(_level_of(delta), n)
    bound = _wealth.refuted_from(lambda gap: -_log_smirnov(n, gap), level)
    quantity = "the largest excess of P(score <= t) over its estimate, over all t"
    reference = "Birnbaum and Tingey, Annals of Mathematical Statistics 22 (1951)"
    one_sided = {"one_sided": "only excesses are read off it"}
    return with_confidence(quantity, bound, delta, {**_FRESH, **one_sided}, reference=reference)


@theorem(realised=("only_first_wrong", "only_second_wrong"))
def error_difference(
    *, only_first_wrong: int, only_second_wrong: int, n: int, delta: float
) -> Guarantee:
    """Bound the risk of a first model minus that of a second, from the rows where they differ.

    Examples
    --------
    >>> guarantee = error_difference(only_first_wrong=10, only_second_wrong=40, n=1000, delta=0.05)
    >>> round(guarantee.bound, 4)
    -0.0104
    """
    n = _arguments.count("n", n, at_least=1)
    first = _arguments.count("only_first_wrong", only_first_wrong, at_most=n)
    second = _arguments.count("only_second_wrong", only_second_wrong, at_most=n - first)
    half = _level_of(delta) / 2.0
    upper = float(inversions.binomial_upper(first, n, half))
    bound = upper - float(inversions.binomial_lower(second, n, half))
    quantity = "the risk of the first model minus the risk of the second"
    ordered = {"fixed_order": "which model is the first was fixed before the hold-out was opened"}
    reference = "Clopper and Pearson, Biometrika 26 (1934), twice at delta/2"
    # Both terms are rounded outward by more than their difference can lose.
    return with_confidence(quantity, bound, delta, {**_FRESH, **ordered}, reference=reference)


def mcnemar(*, only_first_wrong: int, only_second_wrong: int) -> float:
    """Return the exact one-sided p-value of "the first model is not better than the second".

    Valid if which model is the first was fixed before the hold-out was opened; otherwise double it.

    Examples
    --------
    >>> round(mcnemar(only_first_wrong=5, only_second_wrong=15), 6)
    0.020695
    """
    first = _arguments.count("only_first_wrong", only_first_wrong)
    differ = first + _arguments.count("only_second_wrong", only_second_wrong)
    return min(1.0, _rounding.up(float(binomial_cdf(first, differ, 0.5))))


@theorem(realised=("errors",))
def family(*, errors: int, n: int, delta: float, n_models: int) -> Guarantee:
    """Bound the risk of any of `n_models` models that were fixed before the hold-out was opened.

    All bounds hold together, so the best model may be printed.

    Examples
    --------
    >>> round(family(errors=30, n=1000, delta=0.05, n_models=10).bound, 7)
    0.0468025
    """
    price = math.log(_arguments.count("n_models", n_models, at_least=1))
    fixed = {"fixed_before": "every model was fixed before the first answer"}
    return _reused(errors, n, delta, price, fixed, "Bonferroni (1936); Langford, JMLR 6 (2005)")


@theorem(realised=("errors",))
def gate(*, errors: int, n: int, delta: float, n_queries: int) -> Guarantee:
    """Bound the risk of the first model that passes a gate answering only pass or fail.

    The developer may adapt to the fails; after the first pass the hold-out is locked.

    Examples
    --------
    >>> round(gate(errors=30, n=1000, delta=0.05, n_queries=10).bound, 7)
    0.0468025
    """
    price = math.log(_arguments.count("n_queries", n_queries, at_least=1))
    locked = {"answers": "only pass or fail was told, and nothing after the first pass"}
    return _reused(errors, n, delta, price, locked, "Renggli et al., MLSys (2019)")


@theorem(realised=("errors",))
def transcripts(*, errors: int, n: int, delta: float, n_queries: int) -> Guarantee:
    """Bound the risk of any model queried, if every answer was one bit and nothing was locked.

    Examples
    --------
    >>> round(transcripts(errors=30, n=1000, delta=0.05, n_queries=10).bound, 4)
    0.0568
    """
    queries = _arguments.count("n_queries", n_queries, at_least=1)
    price = queries * math.log(2.0) + math.log1p(-(2.0**-queries))
    told = "nothing but one bit was told after each query, and n_queries was fixed beforehand"
    return _reused(errors, n, delta, price, {"answers": told}, "Dwork et al., NeurIPS (2015)")


@theorem(realised=("errors",))
def ladder(*, errors: int, n: int, delta: float, n_queries: int, n_levels: int) -> Guarantee:
    """Bound the risk of any model queried, if only the best score so far was told, rounded up.

    The score shown is a multiple of 1/n_levels; the developer may adapt to it freely.

    Examples
    --------
    >>> round(ladder(errors=500, n=10_000, delta=0.05, n_queries=20, n_levels=20).bound, 4)
    0.0673
    """
    queries = _arguments.count("n_queries", n_queries, at_least=1)
    levels = _arguments.count("n_levels", n_levels, at_least=1)
    price = log_choose_above(queries + levels, levels + 1)
    told = "nothing but the best error so far, rounded up to a multiple of 1/n_levels, was told"
    reference = "surelearn theory pages; sharpens Blum and Hardt, ICML (2015)"
    return _reused(errors, n, delta, price, {"answers": told}, reference)


@planner
def plan_holdout(*, target: float, delta: float, error: float = 0.0) -> int:
    """Return the smallest hold-out that certifies `target` if a fraction `error` of it is wrong.

    Certifies means: the Clopper-Pearson bound of ceil(error n) errors is at most `target`.

    Examples
    --------
    >>> plan_holdout(target=0.01, delta=0.05), plan_holdout(target=0.06, error=0.05, delta=0.05)
    (299, 1580)
    """
    target, delta = _arguments.open_fraction("target", target), _level_of(delta)
    if not 0.0 <= _arguments.fraction("error", error) < target:
        raise _arguments.refuse("error", error, f"in [0, target) with target={target:g}")
    wrong, least, most = _first_passing_count(target, delta, error)

    def certifies(n: int) -> bool:
        return bool(inversions.binomial_upper(wrong, n, delta) <= target)

    return _rounding.smallest_integer(certifies, least, most)


@planner
def plan_holdout_hoeffding(*, accuracy: float, delta: float, n_models: int = 1) -> int:
    """Return the hold-out on which all `n_models` error rates are within `accuracy`, both sides.

    Examples
    --------
    >>> plan_holdout_hoeffding(accuracy=0.1, delta=0.05)
    185
    """
    models = _arguments.count("n_models", n_models, at_least=1)
    width = exact("accuracy", accuracy)
    return least((log(2 * models) + log_inverse(_level_of(delta))) / (2 * width * width))


def _first_passing_count(target: float, delta: float, error: float) -> tuple[int, int, int]:
    """Return the least number of errors that can certify `target`, and the n that have so many.

    For a number k of errors the sizes n with ceil(error n) = k are consecutive, and the largest
    has the smallest bound: so the first k that passes there holds the smallest n that passes.
    """
    if error == 0.0:
        return 0, 1, _clean_trials(target, delta)
    most = inversions.binomial_upper(_MOST_WRONG, math.floor(_MOST_WRONG / error), delta)
    if not most <= target:
        domain = (
            f"farther below target={target:g}: over {_MOST_WRONG:,} test rows would have to be "
            "wrong before any number of them certified it"
        )
        raise _arguments.refuse("error", error, domain)
    first, block = 0, 1024
    while True:
        wrong = np.arange(first, first + block)
        sizes = _sizes(wrong, error)
        likely = _likely_errors(wrong, sizes, target, delta)
        # The first ones that may pass mostly do; of tiny levels each root takes a while.
        for some in np.array_split(np.flatnonzero(~likely), 1 + block // _TRIED_AT_ONCE):
            passing = inversions.binomial_upper(wrong[some], sizes[some], delta) <= target
            if passing.any():
                k = int(wrong[some[np.argmax(passing)]])
                return k, max(k, int(_sizes(k - 1, error))) + 1, int(_sizes(k, error))
        first, block = first + block, 2 * block


def _sizes(wrong: Any, error: float) -> Any:
    """Return the largest n of which so many are wrong."""
    return np.floor(wrong / error + 1e-9)  # 5 / 0.05 must not floor to 99


def _likely_errors(wrong: Indices, sizes: Vector, rate: float, delta: float) -> Mask:
    """Return which numbers of errors, or fewer, have a probability that is surely above delta.

    The last few terms of that sum fall no faster than a geometric series.
    """
    right, few = sizes - wrong, np.floor(np.sqrt(wrong))
    log_ways = special.gammaln(sizes + 1.0) - special.gammaln(wrong + 1.0)
    log_ways -= special.gammaln(right + 1.0)
    log_last = log_ways + special.xlogy(wrong, rate) + special.xlog1py(right, -rate)
    ratio = (wrong - few) * (1.0 - rate) / ((right + few + 1.0) * rate)
    log_sum = log_last + np.log((1.0 - ratio ** (few + 1.0)) / (1.0 - ratio))
    return log_sum > math.log(delta) + 1e-6 + 1e-12 * sizes  # more than it is rounded by


def _clean_trials(probability: float, delta: float) -> int:
    """Return the smallest n with (1 - probability)^n <= delta."""
    level, rate = math.log(delta), math.log1p(-probability)
    found = level / rate
    if math.isinf(found):
        return math.ceil(_rounding.exactly(level) / _rounding.exactly(rate))
    return math.ceil(found)


def _log_smirnov(n: int, gap: float) -> float:
    """Return ln P(sup_t (F(t) - F_n(t)) >= gap) for n continuous scores."""
    if gap <= 0.0:
        return 0.0
    top = math.floor(n * (1.0 - gap))
    j = np.arange(top + 1, dtype=np.float64)
    level = gap + j / n
    ahead = special.xlog1py(n - j, -np.minimum(level, 1.0))
    logs = log_choose_all(n, top) + math.log(gap) + (j - 1.0) * np.log(level) + ahead
    return float(special.logsumexp(logs))


def _reused(
    errors: int,
    n: int,
    delta: float,
    log_price: float,
    mode: Mapping[str, str],
    reference: str,
) -> Guarantee:
    """Return the Clopper-Pearson bound at delta divided by exp(log_price)."""
    n = _arguments.count("n", n, at_least=1)
    log_level = math.log(_level_of(delta)) - log_price
    bound = inversions.binomial_upper_at_log_level(_errors_of(errors, n), n, log_level)
    quantity = "the probability of an error of the model printed"
    return with_confidence(quantity, bound, delta, {**_FRESH, **mode}, reference=reference)


def _errors_of(errors: int, n: int) -> int:
    return _arguments.count("errors", errors, at_most=n)


def _level_of(delta: float) -> float:
    return _arguments.open_fraction("delta", delta)
