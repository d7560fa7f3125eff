"""The probability of a deviation of a sum, a mean or a vote, when the expectations are known.

The bounds of `surelearn.bounds.concentration` turn these around: there a deviation is found for a
given probability, here a probability for a given deviation.
"""

import math
from decimal import Decimal

import numpy as np

from surelearn import _arguments
from surelearn._typing import ArrayLike, Vector
from surelearn._wording import interval
from surelearn.bounds import _rounding
from surelearn.bounds._guarantee import Guarantee, theorem
from surelearn.bounds._planner import least, log_inverse, planner
from surelearn.bounds._special import binomial_cdf, binomial_sf, kl
from surelearn.bounds._tail import deviation_of, exp_up, surely, width_of

_INDEPENDENT = {"independent": "the summands are independent"}
_UNIT_SUMMANDS = {**_INDEPENDENT, "range": "every summand lies in [0, 1]"}
_VOTERS = {"independent": "the voters err independently, each is right with the same probability"}
_HOEFFDING = "Hoeffding, JASA 58 (1963)"
_CHERNOFF = "Chernoff (1952); Angluin and Valiant (1979)"


@theorem
def chernoff_lower_tail(*, expected_total: float, total: float) -> Guarantee:
    """Bound the probability of a small sum by exp(-(mu - k)^2 / (2 mu)).

    Examples
    --------
    >>> round(chernoff_lower_tail(expected_total=30.0, total=20.0).bound, 6)
    0.188876
    """
    mean = _arguments.positive("expected_total", expected_total)
    if not 0.0 <= _arguments.real("total", total) <= mean:
        raise _arguments.refuse("total", total, f"in [0, expected_total], here {mean:g}")
    bound = exp_up(-((mean - total) ** 2) / (2.0 * mean))
    return surely("P(sum <= total)", bound, _UNIT_SUMMANDS, reference=_CHERNOFF)


@theorem
def chernoff_upper_tail(*, expected_total: float, total: float) -> Guarantee:
    """Bound the probability of a large sum by exp(-(k - mu)^2 / (mu + k)).

    Examples
    --------
    >>> round(chernoff_upper_tail(expected_total=30.0, total=40.0).bound, 6)
    0.239651
    """
    mean = _arguments.positive("expected_total", expected_total)
    if not _arguments.real("total", total) >= mean:
        raise _arguments.refuse("total", total, f"at least expected_total, here {mean:g}")
    bound = exp_up(-((total - mean) ** 2) / (mean + total))
    return surely("P(sum >= total)", bound, _UNIT_SUMMANDS, reference=_CHERNOFF)


@theorem
def hoeffding_tail(*, n: int, deviation: float, low: float = 0.0, high: float = 1.0) -> Guarantee:
    """Bound a one-sided tail of a mean of n bounded variables by exp(-2 n t^2 / (high - low)^2).

    Examples
    --------
    >>> round(hoeffding_tail(n=100, deviation=0.1).bound, 6)
    0.135335
    """
    n, width = _arguments.count("n", n, at_least=1), width_of(low, high)
    bound = _squared_tail(n * deviation_of(deviation), n * width**2)
    assumes = {**_INDEPENDENT, "range": f"every summand lies in {interval(low, high)}"}
    quantity = "P(mean - its expectation >= deviation)"
    return surely(quantity, bound, assumes, reference=_HOEFFDING)


@theorem
def mcdiarmid(*, differences: ArrayLike, deviation: float) -> Guarantee:
    """Bound a tail of a function that moves by at most differences[i] with its i-th argument.

    Examples
    --------
    >>> round(mcdiarmid(differences=[0.01] * 100, deviation=0.1).bound, 6)
    0.135335
    """
    widths = _arguments.vector("differences", differences, low=0.0)
    bound = _squared_tail(deviation_of(deviation), float(np.sum(widths**2)))
    assumes = {
        "independent": "the arguments are independent",
        "differences": "changing argument i alone changes f by at most differences[i]",
    }
    reference = "McDiarmid, Surveys in Combinatorics (1989)"
    quantity = "P(f - E f >= deviation)"
    return surely(quantity, bound, assumes, reference=reference)


@theorem
def azuma(*, widths: ArrayLike, deviation: float) -> Guarantee:
    """Bound a tail of a martingale whose t-th step lies in an interval of length widths[t].

    With independent steps this is Hoeffding's inequality for unequal ranges.

    Examples
    --------
    >>> round(azuma(widths=[2.0] * 100, deviation=30.0).bound, 6)
    0.011109
    """
    lengths = _arguments.vector("widths", widths, low=0.0)
    bound = _squared_tail(deviation_of(deviation), float(np.sum(lengths**2)))
    assumes = {
        "martingale": "given the past every step, the first too, has expectation 0",
        "range": "given the past step t lies in an interval of length widths[t]",
    }
    reference = "Azuma, Tohoku Mathematical Journal 19 (1967); Hoeffding, JASA 58 (1963)"
    return surely("P(sum of the steps >= deviation)", bound, assumes, reference=reference)


@theorem
def kl_tail(*, n: int, mean: float, threshold: float) -> Guarantee:
    """Bound the tail of a mean of n variables in [0, 1] beyond a threshold by exp(-n kl).

    The upper tail if the threshold is above the mean, the lower tail if below. The mean is the
    average of the expectations, which may differ.

    Examples
    --------
    >>> round(kl_tail(n=100, mean=0.3, threshold=0.4).bound, 6)
    0.104534
    """
    n, mean = _arguments.count("n", n, at_least=1), _arguments.fraction("mean", mean)
    bound = exp_up(-n * kl(_arguments.fraction("threshold", threshold), mean))
    quantity = f"P(sample mean {'>=' if threshold >= mean else '<='} threshold)"
    return surely(quantity, bound, _UNIT_SUMMANDS, reference=_HOEFFDING + ", theorem 1")


@theorem
def bernstein_tail(*, n: int, variance: float, largest: float, deviation: float) -> Guarantee:
    """Bound a one-sided tail of a mean of n variables by exp(-n t^2 / (2 (variance + b t / 3))).

    The variance is the average over the summands, and b = `largest` is how far any of them can be
    above its own expectation.

    Examples
    --------
    >>> round(bernstein_tail(n=100, variance=0.01, largest=1.0, deviation=0.1).bound, 7)
    9.7e-06
    """
    n, t = _arguments.count("n", n, at_least=1), deviation_of(deviation)
    spread = _arguments.non_negative("variance", variance)
    spread += _arguments.non_negative("largest", largest) * t / 3.0
    constant = 0.0 if t > 0.0 else 1.0  # it deviates by 0 and no more
    bound = constant if spread == 0.0 else exp_up(-n * t**2 / (2.0 * spread))
    assumes = {
        **_INDEPENDENT,
        "variance": "the average variance of the summands is at most variance",
        "largest": "no summand exceeds its expectation by more than largest",
    }
    quantity = "P(mean - its expectation >= deviation)"
    return surely(quantity, bound, assumes, reference="Bernstein (1927); Bennett, JASA 57 (1962)")


@theorem
def bentkus_tail(*, n: int, mean: float, total: float) -> Guarantee:
    """Bound the tail of a sum of n variables in [0, 1] by e times that of a binomial.

    The upper tail if the total is above n mean, the lower tail if below.

    Examples
    --------
    >>> round(bentkus_tail(n=100, mean=0.3, total=40).bound, 6)
    0.057053
    """
    n, mean = _arguments.count("n", n, at_least=1), _arguments.fraction("mean", mean)
    if not 0.0 <= _arguments.real("total", total) <= n:
        raise _arguments.refuse("total", total, f"in [0, n] with n={n}")
    above = total >= n * mean
    if above:  # not the lower tail of Bin(n, 1 - mean): a tiny mean would be lost
        tail = _outward(binomial_sf(math.floor(total) - 1, n, mean), exact=mean == 0.0)
    else:
        tail = _binomial_tail(math.ceil(total), n, mean)
    bound = _rounding.up(math.e * tail)
    quantity = f"P(sum {'>=' if above else '<='} total)"
    assumes = {**_UNIT_SUMMANDS, "same_mean": "every summand has this mean"}
    reference = "Bentkus, Annals of Probability 32 (2004)"
    return surely(quantity, bound, assumes, reference=reference)


@theorem
def majority_vote_exact(*, n_voters: int, voter_accuracy: float) -> Guarantee:
    """Give the probability that the majority of an odd number of independent voters is wrong.

    Examples
    --------
    >>> round(majority_vote_exact(n_voters=21, voter_accuracy=0.7).bound, 7)
    0.0263899
    """
    n, p = _odd(n_voters), _arguments.fraction("voter_accuracy", voter_accuracy)
    bound = _binomial_tail(n // 2, n, p)
    return surely("P(the majority is wrong)", bound, _VOTERS, reference="Condorcet (1785)")


@theorem
def majority_vote_chernoff(*, n_voters: int, voter_accuracy: float) -> Guarantee:
    """Bound the error of a majority vote by the multiplicative Chernoff bound.

    Examples
    --------
    >>> round(majority_vote_chernoff(n_voters=21, voter_accuracy=0.7).bound, 6)
    0.471724
    """
    n, p = _odd(n_voters), _better_than_chance(voter_accuracy)
    bound = exp_up(-((n * p - n // 2) ** 2) / (2.0 * n * p))
    return surely("P(the majority is wrong)", bound, _VOTERS, reference=_CHERNOFF)


@theorem
def majority_vote_hoeffding(*, n_voters: int, voter_accuracy: float) -> Guarantee:
    """Bound the error of a majority vote by Hoeffding's inequality.

    Examples
    --------
    >>> round(majority_vote_hoeffding(n_voters=21, voter_accuracy=0.7).bound, 6)
    0.121991
    """
    n, p = _odd(n_voters), _better_than_chance(voter_accuracy)
    bound = _squared_tail(n * p - n // 2, float(n))
    return surely("P(the majority is wrong)", bound, _VOTERS, reference=_HOEFFDING)


@theorem
def majority_vote_kl(*, n_voters: int, voter_accuracy: float) -> Guarantee:
    """Bound the error of a majority vote by Chernoff's bound in its relative-entropy form.

    Examples
    --------
    >>> round(majority_vote_kl(n_voters=21, voter_accuracy=0.7).bound, 6)
    0.102471
    """
    n, p = _odd(n_voters), _better_than_chance(voter_accuracy)
    bound = exp_up(-n * kl(n // 2 / n, p))
    return surely("P(the majority is wrong)", bound, _VOTERS, reference=_HOEFFDING)


@planner
def plan_hoeffding(*, accuracy: float, delta: float, low: float = 0.0, high: float = 1.0) -> int:
    """Return the n at which a sample mean is within `accuracy` on one side, but for `delta`.

    Examples
    --------
    >>> plan_hoeffding(accuracy=0.1, delta=0.05)
    150
    """
    width_of(low, high)
    ratio = (Decimal(high) - Decimal(low)) / Decimal(_arguments.positive("accuracy", accuracy))
    return max(1, least(ratio * ratio * log_inverse(delta) / 2))


def _squared_tail(deviation: float, sum_of_squares: float) -> float:
    """Return exp(-2 deviation^2 / sum_of_squares); a constant deviates by 0 and no more."""
    if sum_of_squares == 0.0:
        return 0.0 if deviation > 0.0 else 1.0
    return exp_up(-2.0 * deviation**2 / sum_of_squares)


def _binomial_tail(k: int, n: int, p: float) -> float:
    """Return P(Bin(n, p) <= k), rounded up."""
    return _outward(binomial_cdf(k, n, p), exact=p == 1.0)


def _outward(tail: Vector, *, exact: bool) -> float:
    """Return the probability of a tail, rounded up, also where it underflows."""
    found = float(tail)
    return found if exact or found == 1.0 else math.nextafter(_rounding.up(found), 2.0)


def _odd(n_voters: int) -> int:
    n = _arguments.count("n_voters", n_voters, at_least=1)
    if n % 2 == 0:
        raise _arguments.refuse("n_voters", n_voters, "odd, or the vote may be tied")
    return n


def _better_than_chance(voter_accuracy: float) -> float:
    if not 0.5 < _arguments.fraction("voter_accuracy", voter_accuracy) <= 1.0:
        raise _arguments.refuse("voter_accuracy", voter_accuracy, "in (1/2, 1]")
    return voter_accuracy
