"""The risk of every rule of a class at once, from how many patterns the class makes on m points.

These hold for all rules of the class simultaneously, so any solver, regularisation or tuning on
the same data is allowed; only the class must be fixed beforehand. Use `linear` for affine
classifiers, `moment` for a class known by its VC dimension; the closed forms are for comparison.
"""

import math
from collections.abc import Callable, Mapping

import numpy as np
from scipy import special

from surelearn import _arguments
from surelearn.bounds import _rounding
from surelearn.bounds._guarantee import Guarantee, theorem, with_confidence

_SAMPLE = {"independent": "the n examples are independent draws from the law the risk refers to"}
_CLASS = {**_SAMPLE, "fixed_before": "the class of rules was fixed before the data were seen"}

LogGrowth = Callable[[int], float]
"""m -> the natural logarithm of the largest number of error patterns on m labelled points."""


def log_sauer(*, n: int, vc_dimension: int) -> float:
    """Return ln of Sauer's bound sum_{i <= d} C(n, i) on the patterns of a class.

    Examples
    --------
    >>> round(math.exp(log_sauer(n=1000, vc_dimension=3)))
    166667501
    """
    n = _arguments.count("n", n)
    top = _arguments.count("vc_dimension", vc_dimension)
    if top >= n:
        return n * math.log(2.0)
    i = np.arange(top, dtype=np.float64)
    # Sums of ln((n-i)/(i+1)) keep digits that differences of lgamma(n) would lose.
    log_choose = np.concatenate(([0.0], np.cumsum(np.log((n - i) / (i + 1.0)))))
    return float(special.logsumexp(log_choose))


def log_cover_halfspaces(*, n: int, dimension: int) -> float:
    """Return ln of Cover's count 2 sum_{i <= d} C(n - 1, i) of affine dichotomies of n points.

    Examples
    --------
    >>> round(math.exp(log_cover_halfspaces(n=4, dimension=2)))
    14
    """
    n = _arguments.count("n", n, at_least=1)
    dimension = _arguments.count("dimension", dimension)
    return math.log(2.0) + log_sauer(n=n - 1, vc_dimension=dimension)


def log_growth_multiclass_linear(*, n: int, dimension: int, n_classes: int) -> float:
    """Return ln of the patterns of an argmax of affine scores: one half-space for each pair.

    Examples
    --------
    >>> round(log_growth_multiclass_linear(n=4, dimension=2, n_classes=3), 4)
    7.9172
    """
    n_classes = _arguments.count("n_classes", n_classes, at_least=2)
    pairs = n_classes * (n_classes - 1) // 2
    return pairs * log_cover_halfspaces(n=n, dimension=dimension)


def log_growth_stumps(*, n: int, dimension: int) -> float:
    """Return ln(2 d n), a bound on the patterns of thresholds on one of d numeric features.

    Examples
    --------
    >>> round(math.exp(log_growth_stumps(n=10, dimension=3)))
    60
    """
    n = _arguments.count("n", n, at_least=1)
    return math.log(2 * _arguments.count("dimension", dimension, at_least=1) * n)


def log_growth_tree_thresholds(*, n: int, n_thresholds: int) -> float:
    """Return ln of the patterns of a tree whose structure is fixed and whose thresholds are free.

    Examples
    --------
    >>> round(math.exp(log_growth_tree_thresholds(n=9, n_thresholds=3)))
    1000
    """
    n = _arguments.count("n", n)
    return _arguments.count("n_thresholds", n_thresholds) * math.log(n + 1)


def log_growth_votes(*, n: int, n_members: int, log_growth_member: float) -> float:
    """Return ln of the patterns of weighted votes of `n_members` rules, any real weights.

    `log_growth_member` is the logarithm of the growth function of one member at the same n.

    Examples
    --------
    >>> member = log_growth_stumps(n=100, dimension=5)
    >>> round(log_growth_votes(n=100, n_members=10, log_growth_member=member), 4)
    99.6747
    """
    n_members = _arguments.count("n_members", n_members, at_least=1)
    member = _arguments.non_negative("log_growth_member", log_growth_member)
    return n_members * member + log_sauer(n=n, vc_dimension=n_members)


def moment_root(
    log_growth: LogGrowth,
    n: int,
    errors: int,
    log_delta: float,
    log_weight: float | None = None,
) -> float:
    """Return min_t [growth(n+t) C(t+k,t) / (delta w C(n+t,t))]^(1/t), k = errors, at most 1.

    The core of the moment bound, for any growth function. Every t >= 1 gives a valid value, so
    the search need only be good. `log_weight` is ln w_k of weights fixed beforehand that sum to
    at most 1 over k = 0..n; by default those of `log_error_weight`.

    Examples
    --------
    >>> round(moment_root(lambda m: log_sauer(n=m, vc_dimension=2), 100, 5, math.log(0.05)), 8)
    0.27328996
    """
    if errors >= n:
        return 1.0
    log_level = log_delta + (log_error_weight(errors, n) if log_weight is None else log_weight)
    fixed = math.lgamma(n + 1) - math.lgamma(errors + 1) - log_level

    def log_value(t: int) -> float:
        largest, growth = math.lgamma(n + t + 1), log_growth(n + t)
        rounding = 1e-14 * (largest + growth)
        return (growth + math.lgamma(t + errors + 1) - largest + fixed + rounding) / t

    # A best t beyond 8 n would mean a value above t/(n+t) = 8/9: not worth looking for.
    best = _rounding.smallest_integer(lambda t: t > 8 * n or log_value(t + 1) >= log_value(t), 1, 1)
    return min(1.0, _rounding.up(math.exp(min(0.0, log_value(best)))))


def log_error_weight(errors: int, n: int) -> float:
    """Return ln of the weight 1/(2(k+1)(k+2)) + 1/(2(n+1)) of k training errors among n.

    Examples
    --------
    >>> round(sum(math.exp(log_error_weight(k, 20)) for k in range(21)), 4)
    0.9773
    """
    return math.log(0.5 / ((errors + 1.0) * (errors + 2.0)) + 0.5 / (n + 1.0))


@theorem(realised=("errors",))
def moment(*, errors: int, n: int, vc_dimension: int, delta: float) -> Guarantee:
    """Bound the risk of every rule of a class by moments of the Clopper-Pearson law.

    About half the slack of `closed_form`. `errors` are those of the rule on the n examples.

    Examples
    --------
    >>> round(moment(errors=5, n=100, vc_dimension=2, delta=0.05).bound, 8)
    0.27328996
    """
    vc_dimension = _arguments.count("vc_dimension", vc_dimension)
    return _moment_guarantee(
        lambda m: log_sauer(n=m, vc_dimension=vc_dimension),
        errors,
        n,
        delta,
        {"vc_dimension": f"the class has VC dimension at most {vc_dimension}"},
    )


@theorem
def moment_realizable(*, n: int, vc_dimension: int, delta: float) -> Guarantee:
    """Bound the risk of every rule of a class that makes no error on the n examples.

    For a claim declared before the number of errors is known; with errors, it says nothing.

    Examples
    --------
    >>> round(moment_realizable(n=100, vc_dimension=2, delta=0.05).bound, 8)
    0.13058785
    """
    n = _arguments.count("n", n, at_least=1)
    vc_dimension = _arguments.count("vc_dimension", vc_dimension)
    log_delta = math.log(_arguments.open_fraction("delta", delta))
    bound = moment_root(
        lambda m: log_sauer(n=m, vc_dimension=vc_dimension), n, 0, log_delta, log_weight=0.0
    )
    assumes = {
        **_SAMPLE,
        "fixed_before": (
            f"the class, of VC dimension at most {vc_dimension}, was fixed before the data"
        ),
        "consistent": (
            "only rules without errors on the n examples are claimed, as declared beforehand"
        ),
    }
    quantity = "the risk of every rule without training errors"
    reference = "surelearn theory pages; sharpens Blumer et al., JACM 36 (1989)"
    return with_confidence(quantity, bound, delta, assumes, reference=reference)


@theorem(realised=("errors",))
def linear(*, errors: int, n: int, dimension: int, delta: float) -> Guarantee:
    """Bound the risk of every affine two-class rule w.x + b > 0 by Cover's count.

    Any solver, regularisation, tuning on the same data and affine scaling learned from it are
    allowed: they all stay in the class. Imputation does not; count its indicators as features.

    Examples
    --------
    >>> round(linear(errors=7, n=569, dimension=30, delta=0.05).bound, 4)
    0.2493
    """
    dimension = _arguments.count("dimension", dimension)
    return _moment_guarantee(
        lambda m: log_cover_halfspaces(n=m, dimension=dimension),
        errors,
        n,
        delta,
        {"affine": f"the rule is an affine function of {dimension} features, positive above 0"},
    )


@theorem(realised=("errors",))
def linear_multiclass(
    *, errors: int, n: int, dimension: int, n_classes: int, delta: float
) -> Guarantee:
    """Bound the risk of every argmax of affine scores, ties to the smaller label.

    Examples
    --------
    >>> round(linear_multiclass(errors=2, n=5000, dimension=4, n_classes=3, delta=0.05).bound, 4)
    0.0224
    """
    dimension = _arguments.count("dimension", dimension)
    n_classes = _arguments.count("n_classes", n_classes, at_least=2)
    return _moment_guarantee(
        lambda m: log_growth_multiclass_linear(n=m, dimension=dimension, n_classes=n_classes),
        errors,
        n,
        delta,
        {
            "affine": (
                f"the label is the argmax of {n_classes} affine functions of {dimension} features"
            )
        },
    )


@theorem(realised=("errors",))
def closed_form(*, errors: int, n: int, vc_dimension: int, delta: float) -> Guarantee:
    """Bound the risk of every rule of a class by errors/n plus two square roots.

    Half the slack of the textbook constants; `moment` is smaller still.

    Examples
    --------
    >>> round(closed_form(errors=100, n=2000, vc_dimension=21, delta=0.05).bound, 4)
    0.4152
    """
    n = _arguments.count("n", n, at_least=1)
    frequency = _arguments.count("errors", errors, at_most=n) / n
    deviation = math.sqrt(-math.log(_arguments.open_fraction("delta", delta)) / (2.0 * n))
    return _closed_guarantee(
        "the risk of every rule with so many training errors",
        frequency + _mean_deviation(n, vc_dimension) + deviation,
        delta,
    )


@theorem
def uniform_convergence(*, n: int, vc_dimension: int, delta: float) -> Guarantee:
    """Bound the largest distance between risk and training error over the class.

    Examples
    --------
    >>> round(uniform_convergence(n=10_000, vc_dimension=21, delta=0.05).bound, 4)
    0.1856
    """
    n = _arguments.count("n", n, at_least=1)
    deviation = math.sqrt(math.log(2.0 / _arguments.open_fraction("delta", delta)) / (2.0 * n))
    return _closed_guarantee(
        "the largest |risk - training error| over the class",
        _mean_deviation(n, vc_dimension) + deviation,
        delta,
    )


@theorem
def agnostic_excess(*, n: int, vc_dimension: int, delta: float) -> Guarantee:
    """Bound how much worse than the best rule of the class empirical risk minimisation is.

    Examples
    --------
    >>> round(agnostic_excess(n=18_440, vc_dimension=3, delta=0.05).bound, 4)
    0.0728
    """
    n = _arguments.count("n", n, at_least=1)
    deviation = math.sqrt(-2.0 * math.log(_arguments.open_fraction("delta", delta)) / n)
    return _closed_guarantee(
        "the risk of a rule with fewest training errors minus the least risk of the class",
        _mean_deviation(n, vc_dimension) + deviation,
        delta,
    )


def _mean_deviation(n: int, vc_dimension: int) -> float:
    """Return sqrt(2 ln growth(n) / n), a bound on the expected largest deviation."""
    return math.sqrt(2.0 * log_sauer(n=n, vc_dimension=vc_dimension) / n)


def _moment_guarantee(
    log_growth: LogGrowth, errors: int, n: int, delta: float, rules: Mapping[str, str]
) -> Guarantee:
    n = _arguments.count("n", n, at_least=1)
    errors = _arguments.count("errors", errors, at_most=n)
    log_delta = math.log(_arguments.open_fraction("delta", delta))
    bound = moment_root(log_growth, n, errors, log_delta)
    quantity = "the risk of every rule with so many training errors"
    reference = "surelearn theory pages; sharpens Vapnik and Chervonenkis (1971)"
    return with_confidence(quantity, bound, delta, {**_CLASS, **rules}, reference=reference)


def _closed_guarantee(quantity: str, bound: float, delta: float) -> Guarantee:
    known = {**_CLASS, "vc_dimension": "the VC dimension of the class is at most vc_dimension"}
    reference = "Vapnik and Chervonenkis (1971); Mohri et al. (2018), chapter 3"
    return with_confidence(quantity, _rounding.up(bound), delta, known, reference=reference)
