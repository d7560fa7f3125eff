"""An unknown mean from n observations of it, at one n fixed beforehand.

For 0-1 losses use `clopper_pearson`, which is exact; for losses in [0, 1] use the betting bounds of
`surelearn.bounds.sequences`; the others are here because they are cited and compared with.
"""

import math
from fractions import Fraction

from surelearn import _arguments
from surelearn._wording import interval
from surelearn.bounds import _rounding, inversions
from surelearn.bounds._guarantee import Guarantee, theorem

_INDEPENDENT = "the observations are independent of each other and of what is measured"
_TRIALS = "the n trials are independent, each an error with the same probability"


@theorem(realised=("mean",))
def hoeffding(
    *, mean: float, n: int, delta: float, low: float = 0.0, high: float = 1.0
) -> Guarantee:
    """Bound an expectation by its sample mean plus (high - low) sqrt(ln(1/delta) / (2 n)).

    Examples
    --------
    >>> round(hoeffding(mean=0.1, n=1000, delta=0.05).bound, 10)
    0.1387022756
    """
    half_width = _hoeffding_half_width(n, delta, low, high, sides=1)
    return Guarantee(
        quantity="the expectation",
        bound=_rounding.up(_mean_within(mean, low, high) + half_width),
        assumes={
            "independent": _INDEPENDENT,
            "range": f"every observation lies in {interval(low, high)}",
        },
        reference="Hoeffding, JASA 58 (1963)",
        confidence=_arguments.confidence_from(delta),
        validity="fixed-n",
        trivial=high,
    )


@theorem
def hoeffding_two_sided(*, n: int, delta: float, low: float = 0.0, high: float = 1.0) -> Guarantee:
    """Bound the distance between sample mean and expectation, on both sides at once.

    Examples
    --------
    >>> round(hoeffding_two_sided(n=1000, delta=0.05).bound, 10)
    0.0429469408
    """
    return Guarantee(
        quantity="|sample mean - expectation|",
        bound=_rounding.up(_hoeffding_half_width(n, delta, low, high, sides=2)),
        assumes={
            "independent": _INDEPENDENT,
            "range": f"every observation lies in {interval(low, high)}",
        },
        reference="Hoeffding, JASA 58 (1963)",
        confidence=_arguments.confidence_from(delta),
        validity="fixed-n",
        trivial=high - low,
    )


@theorem(realised=("mean",))
def kl_chernoff(*, mean: float, n: int, delta: float) -> Guarantee:
    """Bound an expectation in [0, 1] by the largest p with n kl(mean, p) <= ln(1/delta).

    Means may differ between observations: then the bound is on their average.

    Examples
    --------
    >>> round(kl_chernoff(mean=0.05, n=500, delta=0.05).bound, 4)
    0.0775
    """
    budget = -math.log(_arguments.open_fraction("delta", delta)) / _arguments.count(
        "n", n, at_least=1
    )
    return Guarantee(
        quantity="the average expectation",
        bound=inversions.kl_upper(_arguments.fraction("mean", mean), budget),
        assumes={"independent": _INDEPENDENT, "range": "every observation lies in [0, 1]"},
        reference="Chernoff (1952); Hoeffding, JASA 58 (1963), theorem 1",
        confidence=_arguments.confidence_from(delta),
        validity="fixed-n",
        trivial=1.0,
    )


@theorem(realised=("errors",))
def clopper_pearson(*, errors: int, n: int, delta: float) -> Guarantee:
    """Bound a probability by exact inversion of the binomial law of the number of errors.

    Examples
    --------
    >>> guarantee = clopper_pearson(errors=5, n=100, delta=0.05)
    >>> round(guarantee.bound, 4), guarantee.confidence
    (0.1023, 0.95)
    """
    n = _arguments.count("n", n, at_least=1)
    errors = _arguments.count("errors", errors, at_most=n)
    return Guarantee(
        quantity="the probability of an error",
        bound=float(inversions.binomial_upper(errors, n, _arguments.open_fraction("delta", delta))),
        assumes={"independent": _TRIALS},
        reference="Clopper and Pearson, Biometrika 26 (1934); Langford, JMLR 6 (2005)",
        confidence=_arguments.confidence_from(delta),
        validity="fixed-n",
        trivial=1.0,
    )


@theorem(realised=("errors",))
def clopper_pearson_lower(*, errors: int, n: int, delta: float) -> Guarantee:
    """Bound a probability from below by exact inversion of the binomial law.

    Examples
    --------
    >>> round(clopper_pearson_lower(errors=95, n=100, delta=0.05).bound, 4)
    0.8977
    """
    n = _arguments.count("n", n, at_least=1)
    errors = _arguments.count("errors", errors, at_most=n)
    return Guarantee(
        quantity="the probability of an error",
        bound=float(inversions.binomial_lower(errors, n, _arguments.open_fraction("delta", delta))),
        assumes={"independent": _TRIALS},
        reference="Clopper and Pearson, Biometrika 26 (1934)",
        confidence=_arguments.confidence_from(delta),
        direction="lower",
        validity="fixed-n",
        trivial=0.0,
    )


@theorem(realised=("errors",))
def stratified_clopper_pearson(*, errors: int, n: int, delta: float) -> Guarantee:
    """Bound a population risk from a hold-out whose strata have the population's proportions.

    The proportions must be known beforehand; strata made from the labels of the sample void it.

    Examples
    --------
    >>> round(stratified_clopper_pearson(errors=5, n=100, delta=0.05).bound, 4)
    0.1023
    """
    n = _arguments.count("n", n, at_least=1)
    errors = _arguments.count("errors", errors, at_most=n)
    exact = float(inversions.binomial_upper(errors, n, _arguments.open_fraction("delta", delta)))
    return Guarantee(
        quantity="the probability of an error in the population",
        bound=max(exact, min(1.0, _rounding.up((errors + 1) / n))),
        assumes={
            "independent": "the trials are independent",
            "strata": (
                "the sizes of the strata are proportional to the population's, known beforehand"
            ),
        },
        reference="Hoeffding, Annals of Mathematical Statistics 27 (1956), theorem 4",
        confidence=_arguments.confidence_from(delta),
        validity="fixed-n",
        trivial=1.0,
    )


@theorem(realised=("mean",))
def hoeffding_bentkus(*, mean: float, n: int, delta: float) -> Guarantee:
    """Bound an expectation in [0, 1] by inverting the smaller of two tail bounds.

    The tails are exp(-n kl(mean, p)) and e P(Bin(n, p) <= ceil(n mean)).

    Examples
    --------
    >>> round(hoeffding_bentkus(mean=0.05, n=500, delta=0.05).bound, 4)
    0.0745
    """
    n = _arguments.count("n", n, at_least=1)
    mean, delta = _arguments.fraction("mean", mean), _arguments.open_fraction("delta", delta)
    # Both tails fall as p grows, so the smaller of them is delta at the smaller of their roots.
    chernoff = inversions.kl_upper(mean, -math.log(delta) / n)
    bentkus = float(inversions.binomial_upper(_total(mean, n), n, delta / math.e))
    return Guarantee(
        quantity="the expectation",
        bound=max(mean, min(chernoff, bentkus)),
        assumes={
            "independent": _INDEPENDENT,
            "range": "every observation lies in [0, 1] and has the same expectation",
        },
        reference="Bentkus, Annals of Probability 32 (2004); Bates et al., JACM 68 (2021)",
        confidence=_arguments.confidence_from(delta),
        validity="fixed-n",
        trivial=1.0,
    )


@theorem(realised=("mean", "variance"))
def empirical_bernstein(*, mean: float, variance: float, n: int, delta: float) -> Guarantee:
    """Bound an expectation in [0, 1] with the sample variance (n - 1 in its denominator).

    Quoted for comparison: the betting bounds are proved here and smaller.

    Examples
    --------
    >>> round(empirical_bernstein(mean=0.05, variance=0.0476, n=500, delta=0.05).bound, 4)
    0.0938
    """
    n = _arguments.count("n", n, at_least=2)
    log_level = math.log(2.0 / _arguments.open_fraction("delta", delta))
    spread = math.sqrt(2.0 * _arguments.fraction("variance", variance) * log_level / n)
    correction = 7.0 * log_level / (3.0 * (n - 1))
    return Guarantee(
        quantity="the expectation",
        bound=_rounding.up(_arguments.fraction("mean", mean) + spread + correction),
        assumes={
            "independent": _INDEPENDENT,
            "range": "every observation lies in [0, 1] and has the same law",
        },
        reference="Maurer and Pontil, COLT (2009), theorem 4",
        confidence=_arguments.confidence_from(delta),
        validity="quoted",
        trivial=1.0,
    )


def _hoeffding_half_width(n: int, delta: float, low: float, high: float, *, sides: int) -> float:
    low, high = _arguments.real("low", low), _arguments.real("high", high)
    if not low < high:
        raise _arguments.refuse("high", high, f"above low={low:g}")
    # Not ln(sides / delta): beside a delta near 1 the quotient would lose its digits.
    log_level = math.log(sides) - math.log(_arguments.open_fraction("delta", delta))
    return (high - low) * math.sqrt(log_level / (2.0 * _arguments.count("n", n, at_least=1)))


def _total(mean: float, n: int) -> int:
    """Return the integer that n * mean is meant to be, or the next one above.

    A mean of losses 0 or 1 is the float nearest to some total / n: 100 * 0.07 must not become 8.
    """
    nearest = round(Fraction(mean) * n)
    if nearest / n == mean and (nearest + 1) / n != mean:
        return nearest
    return min(n, math.ceil(Fraction(math.nextafter(mean, 2.0)) * n))


def _mean_within(mean: float, low: float, high: float) -> float:
    mean = _arguments.real("mean", mean)
    if not low <= mean <= high:
        raise _arguments.refuse("mean", mean, f"in [{low:g}, {high:g}]")
    return mean
