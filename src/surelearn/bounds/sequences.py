"""A mean from losses that arrive one by one: bounds valid at every n at once, and betting.

`beta_mixture` and `kt_mixture_interval` need only the total of the losses, `progressive_mixture`
survives a changing mean, the betting bounds profit from a small variance. All losses lie in [0, 1].
"""

import math
from collections.abc import Callable, Mapping

import numpy as np

from surelearn import _arguments
from surelearn._typing import ArrayLike, Vector
from surelearn.bounds import _counts, _rounding, _wealth, inversions
from surelearn.bounds._guarantee import Guarantee, Validity, theorem, with_confidence

_SAME_MEAN = {"same_mean": "given the past, every loss has the same expectation"}
_ARRIVAL = {"arrival": "the losses are in their order of arrival"}
_SEED = {"seed": "the seed was chosen before the losses were seen"}
_PAST = {"conditional": "each expectation is given the losses before it"}
_AVERAGE = "the average of the conditional expectations of the losses"
_KT = "Robbins (1970); Krichevsky and Trofimov, IEEE IT 27 (1981)"
_TRUNCATED = "surelearn theory pages; sharpens Robbins (1970)"
_PROGRESSIVE = "surelearn theory pages; sharpens Blum, Kalai and Langford, COLT (1999)"
_BETTING = "Waudby-Smith and Ramdas, JRSS B 86 (2024)"


def kt_mixture_interval(*, total: float, n: int, log_level: float) -> tuple[float, float]:
    """Return the ends of {q : ln of the Beta(1/2, 1/2) mixture's wealth against q < log_level}.

    The wealth is B(S + 1/2, n - S + 1/2) / (pi q^S (1 - q)^(n - S)) for a total S of n losses.
    With log_level = ln(1/delta) both ends hold at all n at once, together; for K means at once
    take ln(K/delta).

    Examples
    --------
    >>> low, high = kt_mixture_interval(total=20, n=100, log_level=math.log(20.0))
    >>> round(low, 4), round(high, 4)
    (0.091, 0.3516)
    """
    n = _arguments.count("n", n)
    total = _total_within(total, n)
    log_level = _arguments.positive("log_level", log_level)
    if n == 0:
        return 0.0, 1.0
    # The logarithms in the redundancy are of size n ln n and cancel.
    budget = (log_level + _wealth.redundancy(total, n) + 1e-12 + 1e-14 * n) / n
    return inversions.kl_lower(total / n, budget), inversions.kl_upper(total / n, budget)


@theorem(realised=("total",))
def kt_mixture_upper(*, total: float, n: int, delta: float) -> Guarantee:
    """Bound a mean from above at every n; `kt_mixture_lower` holds on the same event.

    Examples
    --------
    >>> round(kt_mixture_upper(total=20, n=100, delta=0.05).bound, 4)
    0.3516
    """
    _, bound = kt_mixture_interval(total=total, n=_one_or_more(n), log_level=_log_inverse(delta))
    return _on_mean(bound, delta, _SAME_MEAN, reference=_KT)


@theorem(realised=("total",))
def kt_mixture_lower(*, total: float, n: int, delta: float) -> Guarantee:
    """Bound a mean from below at every n; `kt_mixture_upper` holds on the same event.

    Examples
    --------
    >>> round(kt_mixture_lower(total=20, n=100, delta=0.05).bound, 4)
    0.091
    """
    bound, _ = kt_mixture_interval(total=total, n=_one_or_more(n), log_level=_log_inverse(delta))
    return _on_mean(bound, delta, _SAME_MEAN, reference=_KT, lower=True)


@theorem(realised=("total",))
def beta_mixture(*, total: float, n: int, delta: float) -> Guarantee:
    """Bound a mean from above at every n by a Beta(1/2, 1/2) mixture of smaller means.

    Only the total matters. One-sided, hence smaller than `kt_mixture_upper`; delta below 1/e.

    Examples
    --------
    >>> round(beta_mixture(total=25, n=500, delta=0.05).bound, 4)
    0.0854
    """
    bound = _beta_mixture_root(total, n, delta, mirrored=False)
    return _on_mean(bound, delta, _SAME_MEAN, reference=_TRUNCATED)


@theorem(realised=("total",))
def beta_mixture_lower(*, total: float, n: int, delta: float) -> Guarantee:
    """Bound a mean from below at every n by a Beta(1/2, 1/2) mixture of larger means.

    Examples
    --------
    >>> round(beta_mixture_lower(total=25, n=500, delta=0.05).bound, 4)
    0.0228
    """
    bound = _rounding.down(1.0 - _beta_mixture_root(total, n, delta, mirrored=True))
    return _on_mean(bound, delta, _SAME_MEAN, reference=_TRUNCATED, lower=True)


@theorem(realised=("total",))
def progressive_mixture(*, total: float, n: int, delta: float) -> Guarantee:
    """Bound the average of the conditional expectations of the losses, however they change.

    For an online learner on an i.i.d. stream these are the risks of its successive models. The
    mixture is over 24 rates from 0.01 to 8.

    Examples
    --------
    >>> round(progressive_mixture(total=100, n=2000, delta=0.05).bound, 4)
    0.0669
    """
    bound = _progressive_root(total, n, delta, mirrored=False)
    return _on_mean(bound, delta, _PAST, reference=_PROGRESSIVE, quantity=_AVERAGE)


@theorem(realised=("total",))
def progressive_mixture_lower(*, total: float, n: int, delta: float) -> Guarantee:
    """Bound from below the average of the conditional expectations of the losses.

    Examples
    --------
    >>> round(progressive_mixture_lower(total=100, n=2000, delta=0.05).bound, 4)
    0.036
    """
    bound = _rounding.down(1.0 - _progressive_root(total, n, delta, mirrored=True))
    return _on_mean(bound, delta, _PAST, reference=_PROGRESSIVE, quantity=_AVERAGE, lower=True)


@theorem(realised=("losses",))
def betting(*, losses: ArrayLike, delta: float) -> Guarantee:
    """Bound a mean by the wealth of one gambler who bets on the losses as they arrived.

    The order is part of the data: to reorder the losses until the bound is small voids it.

    Examples
    --------
    >>> round(betting(losses=[0.1, 0.3, 0.2] * 100, delta=0.05).bound, 4)
    0.2136
    """
    x = _arguments.vector("losses", losses, low=0.0, high=1.0)
    bets = _wealth.plug_in_bets(x, float(len(x)), _log_inverse(delta))
    bound = _betting_root(_wealth.running_maximum(x, bets, 0.75), delta, len(x))
    return _on_mean(
        bound, delta, {**_SAME_MEAN, **_ARRIVAL}, reference=_BETTING, validity="fixed-n"
    )


@theorem(realised=("losses",))
def betting_anytime(*, losses: ArrayLike, delta: float) -> Guarantee:
    """Bound a mean at every n by a gambler who does not know when the losses will end.

    Examples
    --------
    >>> round(betting_anytime(losses=[0.1, 0.3, 0.2] * 100, delta=0.05).bound, 4)
    0.2176
    """
    x = _arguments.vector("losses", losses, low=0.0, high=1.0)
    s = np.arange(1.0, len(x) + 1.0)
    bets = _wealth.plug_in_bets(x, s * np.log1p(s), _log_inverse(delta))
    bound = _betting_root(_wealth.running_maximum(x, bets, 0.5), delta, len(x))
    return _on_mean(bound, delta, {**_SAME_MEAN, **_ARRIVAL}, reference=_BETTING)


@theorem(realised=("losses",))
def betting_order_free(*, losses: ArrayLike, delta: float) -> Guarantee:
    """Bound a mean at every n by gamblers with twelve constant stakes; the order is irrelevant.

    Examples
    --------
    >>> round(betting_order_free(losses=[0.1, 0.3, 0.2] * 100, delta=0.05).bound, 4)
    0.2182
    """
    x = _arguments.vector("losses", losses, low=0.0, high=1.0)
    values, counts = np.unique(x, return_counts=True)
    bound = _betting_root(_wealth.stake_mixture(values, counts), delta, len(x))
    return _on_mean(bound, delta, _SAME_MEAN, reference=_BETTING)


@theorem(realised=("values", "counts"))
def betting_counted(*, values: ArrayLike, counts: ArrayLike, delta: float) -> Guarantee:
    """Bound a mean as `betting_order_free` does, from how often each loss was seen.

    Examples
    --------
    >>> counted = betting_counted(values=[0.1, 0.3, 0.2], counts=[100, 100, 100], delta=0.05)
    >>> round(counted.bound, 4)
    0.2182
    """
    x = _arguments.vector("values", values, low=0.0, high=1.0)
    times = _counts.counts("counts", counts, at_least=1.0)
    _counts.same_length(values=x, counts=times)
    order = np.argsort(x, kind="stable")  # whatever their order, the sums are the same
    wealth = _wealth.stake_mixture(x[order], times[order].astype(np.int64))
    bound = _betting_root(wealth, delta, int(times.sum()))
    return _on_mean(bound, delta, _SAME_MEAN, reference=_BETTING)


@theorem(realised=("losses",))
def betting_permutations(
    *, losses: ArrayLike, delta: float, seed: int = 0, n_permutations: int = 8
) -> Guarantee:
    """Bound a mean by the final wealth averaged over fixed permutations of the order of arrival.

    Final, because running maxima must not be averaged. The seed is chosen before the losses are
    seen and never again.

    Examples
    --------
    >>> round(betting_permutations(losses=[0.1, 0.3, 0.2] * 100, delta=0.05).bound, 3)
    0.214
    """
    x = _arguments.vector("losses", losses, low=0.0, high=1.0)
    copies = _arguments.count("n_permutations", n_permutations, at_least=1)
    rng = np.random.default_rng(_arguments.count("seed", seed))
    rows: Vector = rng.permuted(np.tile(x, (copies, 1)), axis=1)
    bets = _wealth.plug_in_bets(rows, float(len(x)), _log_inverse(delta))
    bound = _betting_root(_wealth.mean_final(rows, bets, 0.75), delta, len(x))
    independent = {"independent": "the losses are independent and have the same law"}
    assumes = {**independent, **_ARRIVAL, **_SEED}
    return _on_mean(bound, delta, assumes, reference=_BETTING, validity="fixed-n")


def _beta_mixture_root(total: float, n: int, delta: float, *, mirrored: bool) -> float:
    n = _one_or_more(n)
    total = _mirror(_total_within(total, n), n, mirrored=mirrored)
    if not _arguments.open_fraction("delta", delta) < math.exp(-1.0):
        raise _arguments.refuse(
            "delta", delta, "below 1/e, where the wealth is known to be monotone"
        )
    if total >= n:
        return 1.0
    log_wealth, level = _wealth.truncated_mixture(total, n), _wealth.log_level(delta, n)
    return _rounding.last_true(lambda p: log_wealth(p) < level, total / n, 1.0)


def _progressive_root(total: float, n: int, delta: float, *, mirrored: bool) -> float:
    n = _one_or_more(n)
    total = _mirror(_total_within(total, n), n, mirrored=mirrored)
    level = _wealth.log_level(_arguments.open_fraction("delta", delta), n)
    log_wealth = _wealth.exponential_mixture(total, n)
    return _rounding.last_true(lambda m: log_wealth(m) < level, 0.0, 1.0)


def _betting_root(log_wealth: Callable[[float], float], delta: float, n: int) -> float:
    level = _wealth.log_level(_arguments.open_fraction("delta", delta), n)
    return _wealth.refuted_from(log_wealth, level)


def _on_mean(
    bound: float,
    delta: float,
    assumes: Mapping[str, str],
    *,
    reference: str,
    quantity: str = "the expectation of a loss",
    validity: Validity = "anytime",
    lower: bool = False,
) -> Guarantee:
    return with_confidence(
        quantity,
        bound,
        delta,
        {"range": "every loss lies in [0, 1]", **assumes},
        reference=reference,
        direction="lower" if lower else "upper",
        validity=validity,
    )


def _total_within(total: float, n: int) -> float:
    number = _arguments.real("total", total)
    if not 0.0 <= number <= n:
        raise _arguments.refuse("total", total, f"in [0, n] with n={n}")
    return number


def _mirror(total: float, n: int, *, mirrored: bool) -> float:
    """Return the total of the losses, or that of 1 - loss."""
    return n - total if mirrored else total


def _one_or_more(n: int) -> int:
    return _arguments.count("n", n, at_least=1)


def _log_inverse(delta: float) -> float:
    return -math.log(_arguments.open_fraction("delta", delta))
