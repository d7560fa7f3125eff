"""The probability of a deviation of one variable, when parameters of its law are known.

For sums of many see `surelearn.bounds.tails_of_sums`. These hold surely: nothing is estimated.
"""

import math
import sys
from collections.abc import Mapping

from scipy import special

from surelearn import _arguments
from surelearn._typing import ArrayLike
from surelearn._wording import interval
from surelearn.bounds import _rounding
from surelearn.bounds._guarantee import Guarantee, theorem
from surelearn.bounds._tail import deviation_of, exp_up, surely, width_of

_HOEFFDING = "Hoeffding, JASA 58 (1963)"


@theorem
def markov(*, mean: float, threshold: float) -> Guarantee:
    """Bound the probability that a non-negative variable reaches a threshold by mean / threshold.

    Examples
    --------
    >>> round(markov(mean=1.0, threshold=3.0).bound, 6)
    0.333333
    """
    mean, t = _arguments.non_negative("mean", mean), _arguments.positive("threshold", threshold)
    bound = _rounding.up(mean / t)
    return surely("P(Z >= threshold)", bound, {"range": "Z >= 0"}, reference="Markov (1884)")


@theorem
def reverse_markov(*, mean: float, gap: float) -> Guarantee:
    """Bound from below the probability that a variable in [0, 1] lies within `gap` of 1.

    Examples
    --------
    >>> round(reverse_markov(mean=0.5, gap=0.75).bound, 6)
    0.333333
    """
    mean, gap = _arguments.fraction("mean", mean), _arguments.open_fraction("gap", gap)
    bound = _rounding.down(math.fsum((mean, gap, -1.0)) / gap)
    reference = "Shalev-Shwartz and Ben-David, Understanding Machine Learning (2014), B.1"
    return surely(
        "P(Z > 1 - gap)", bound, {"range": "Z lies in [0, 1]"}, reference=reference, lower=True
    )


@theorem
def chebyshev(*, variance: float, deviation: float) -> Guarantee:
    """Bound the probability of a deviation to either side by variance / deviation^2.

    Examples
    --------
    >>> round(chebyshev(variance=1.0, deviation=2.0).bound, 6)
    0.25
    """
    variance = _arguments.non_negative("variance", variance)
    bound = _rounding.up(variance / _arguments.positive("deviation", deviation) ** 2)
    finite = {"variance": "the variance is finite"}
    return surely("P(|Z - E Z| >= deviation)", bound, finite, reference="Chebyshev (1867)")


@theorem
def cantelli(*, variance: float, deviation: float) -> Guarantee:
    """Bound the probability of a deviation to one side by variance / (variance + deviation^2).

    Examples
    --------
    >>> round(cantelli(variance=1.0, deviation=2.0).bound, 6)
    0.2
    """
    variance = _arguments.non_negative("variance", variance)
    square = _arguments.positive("deviation", deviation) ** 2
    bound = _rounding.up(variance / (variance + square))
    finite = {"variance": "the variance is finite"}
    return surely("P(Z - E Z >= deviation)", bound, finite, reference="Cantelli (1928)")


@theorem
def union(*, probabilities: ArrayLike) -> Guarantee:
    """Bound the probability that at least one of several events happens by their sum.

    Examples
    --------
    >>> round(union(probabilities=[0.1, 0.1]).bound, 6)
    0.2
    """
    values = _arguments.vector("probabilities", probabilities, low=0.0, high=1.0)
    bound = _rounding.up(math.fsum(values))
    quantity = "P(at least one of the events)"
    return surely(
        quantity, bound, {"dependence": "any dependence is allowed"}, reference="Boole (1854)"
    )


@theorem
def unseen_mass(*, mass: float, n: int) -> Guarantee:
    """Give the probability (1 - mass)^n that n examples all miss a set of probability `mass`.

    With mass = 1/m and n = m it is the chance that a bootstrap leaves a given row out.

    Examples
    --------
    >>> round(unseen_mass(mass=0.01, n=100).bound, 6)
    0.366032
    """
    mass, n = _arguments.fraction("mass", mass), _arguments.count("n", n)
    bound = exp_up(float(special.xlog1py(n, -mass)))
    exact = {"independent": "the examples are independent and have the same law"}
    return surely("P(no example in the set)", bound, exact, reference="Bernoulli (1713)")


@theorem
def hoeffding_lemma(*, rate: float, low: float, high: float) -> Guarantee:
    """Bound ln E exp(rate (Z - E Z)) by rate^2 (high - low)^2 / 8.

    Examples
    --------
    >>> hoeffding_lemma(rate=2.0, low=0.0, high=1.0).bound
    0.5000000000005
    """
    bound = _rounding.up((_arguments.real("rate", rate) * width_of(low, high)) ** 2 / 8.0)
    inside = {"range": f"Z lies in {interval(low, high)}"}
    return _log_moment(bound, inside, reference=_HOEFFDING)


@theorem
def kearns_saul(*, rate: float, mean: float) -> Guarantee:
    """Bound ln E exp(rate (Z - mean)) for Z in [0, 1] by a constant that knows the mean.

    Quoted: rate^2 (1 - 2 p) / (4 ln((1 - p) / p)), never above Hoeffding's rate^2 / 8.

    Examples
    --------
    >>> round(kearns_saul(rate=1.0, mean=0.1).bound, 7)
    0.0910239
    """
    p = _arguments.open_fraction("mean", mean)
    # (1 - 2 p) / ln((1 - p) / p) = z / (2 artanh z) with z = 1 - 2 p, and 1/2 in the limit z = 0.
    z = 1.0 - 2.0 * p
    if abs(z) > 0.5:  # artanh z would lose its digits as z nears 1
        constant = z / (4.0 * (math.log1p(-p) - math.log(p)))
    else:
        constant = z / (8.0 * math.atanh(z)) if abs(z) > 1e-8 else 0.125
    bound = _rounding.up(constant * _arguments.real("rate", rate) ** 2)
    reference = "Kearns and Saul, UAI (1998); Berend and Kontorovich, ECP 18 (2013)"
    return _log_moment(
        bound, {"range": "Z lies in [0, 1] and has this mean"}, reference=reference, quoted=True
    )


@theorem
def rademacher_mgf(*, rate: float) -> Guarantee:
    """Bound ln cosh(rate), the log-moment of a fair sign, by rate^2 / 2.

    Examples
    --------
    >>> rademacher_mgf(rate=1.0).bound
    0.5000000000005
    """
    bound = _rounding.up(_arguments.real("rate", rate) ** 2 / 2.0)
    fair = {"signs": "Z is 1 or -1, each with probability 1/2"}
    return _log_moment(bound, fair, reference=_HOEFFDING)


@theorem
def gaussian_tail(*, scale: float, deviation: float) -> Guarantee:
    """Bound a one-sided tail of a sub-Gaussian variable by exp(-t^2 / (2 scale^2)).

    Examples
    --------
    >>> round(gaussian_tail(scale=1.0, deviation=2.0).bound, 6)
    0.135335
    """
    ratio = deviation_of(deviation) / _arguments.positive("scale", scale)
    moments = {"sub_gaussian": "ln E exp(rate (Z - E Z)) <= (rate scale)^2 / 2 for all rates >= 0"}
    bound = exp_up(-(ratio**2) / 2.0)
    return surely("P(Z - E Z >= deviation)", bound, moments, reference="Kahane (1960)")


@theorem
def chernoff(*, rate: float, log_moment: float, deviation: float) -> Guarantee:
    """Bound a one-sided tail by exp(log_moment - rate deviation), the moment at any one rate.

    Every rate gives a true bound; `surelearn.chernoff_method` looks for the best. For the lower
    tail take the moment of -Z.

    Examples
    --------
    >>> round(chernoff(rate=2 / 3, log_moment=math.log(3.0) - 2 / 3, deviation=2.0).bound, 7)
    0.4060058
    """
    rate = _arguments.non_negative("rate", rate)
    moment = _arguments.non_negative("log_moment", log_moment)  # by Jensen's inequality
    steep = rate * deviation_of(deviation)
    rounding = 4.0 * sys.float_info.epsilon * (moment + steep)  # where the two nearly cancel
    bound = exp_up(moment - steep + rounding)
    known = {"moment": "ln E exp(rate (Z - E Z)) <= log_moment"}
    reference = "Chernoff, Annals of Mathematical Statistics 23 (1952)"
    return surely("P(Z - E Z >= deviation)", bound, known, reference=reference)


@theorem
def khintchine(*, second_moment: float) -> Guarantee:
    """Bound from below the mean norm of a random signed sum of vectors: sqrt(second moment / 2).

    In a Euclidean space the second moment is the sum of the squared norms.

    Examples
    --------
    >>> round(khintchine(second_moment=2.0).bound, 6)
    1.0
    """
    bound = _rounding.down(math.sqrt(_arguments.non_negative("second_moment", second_moment) / 2.0))
    signs = {"signs": "the signs are independent and fair, the vectors are in a normed space"}
    reference = "Latala and Oleszkiewicz, Studia Mathematica 109 (1994)"
    return surely("E |sum of sign x vector|", bound, signs, reference=reference, lower=True)


def _log_moment(
    bound: float, assumes: Mapping[str, str], *, reference: str, quoted: bool = False
) -> Guarantee:
    return Guarantee(
        quantity="ln E exp(rate (Z - E Z))",
        bound=bound,
        assumes=assumes,
        reference=reference,
        validity="quoted" if quoted else "surely",
    )
