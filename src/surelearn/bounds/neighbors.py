"""Nearest neighbours: what the labels of the k nearest rows are worth.

`leave_one_out` certifies a fitted rule from its own rows. The others are about averages over
samples, or about the limit of many rows: they explain, they do not certify.
"""

import math

from scipy import special

from surelearn import _arguments
from surelearn.bounds import _rounding
from surelearn.bounds._guarantee import Guarantee, theorem
from surelearn.bounds._special import binomial_cdf, binomial_sf, log_choose_above

_LIPSCHITZ = {
    "independent": "independent rows, two classes",
    "domain": "every feature lies in [-1, 1]",
    "lipschitz": "the probability of a class is Lipschitz in x with the stated constant",
    "distance_ties": "distance ties are broken without looking at labels",
}


def knn_asymptotic_error(*, p: float, k: int, random_ties: bool = True) -> float:
    """Return the error of the vote of k labels drawn at a point where the positive class has p.

    It is the limit of k nearest neighbours there as n grows. A tied vote goes to a fair coin, or,
    without `random_ties`, to the negative class.

    Examples
    --------
    >>> round(knn_asymptotic_error(p=0.2, k=3), 4)
    0.2624
    """
    p, k = _arguments.fraction("p", p), _arguments.count("k", k, at_least=1)
    positive = float(binomial_sf(k // 2, k, p))
    if random_ties and k % 2 == 0:
        positive += 0.5 * float(binomial_cdf(k // 2, k, p) - binomial_cdf(k // 2 - 1, k, p))
    return p + (1.0 - 2.0 * p) * positive


@theorem
def cover_hart(*, bayes_risk: float, n_classes: int = 2) -> Guarantee:
    """Bound the limit risk of nearest neighbours by $R^* (2 − C R^*/(C − 1))$, C = n_classes.

    Examples
    --------
    >>> round(cover_hart(bayes_risk=0.1).bound, 10)
    0.18
    """
    n_classes = _arguments.count("n_classes", n_classes, at_least=2)
    risk = _bayes_risk(bayes_risk, n_classes)
    return Guarantee(
        quantity="the expected error of labels drawn at x itself, the limit of k-NN as n grows",
        bound=_rounding.up(risk * (2.0 - n_classes / (n_classes - 1) * risk)),
        assumes={
            "tied_votes": "k is odd and there are two classes, or tied votes are broken at random"
        },
        reference="Cover and Hart, IEEE Transactions on Information Theory 13 (1967)",
        confidence=None,
        validity="in-expectation",
        trivial=1.0,
    )


@theorem
def knn_limit(*, bayes_risk: float, k: int) -> Guarantee:
    """Bound the limit risk of k nearest neighbours by $R^* + √(R^* (1 − R^*)/k)$, k odd.

    Examples
    --------
    >>> round(knn_limit(bayes_risk=0.2, k=9).bound, 4)
    0.3333
    """
    risk, k = _bayes_risk(bayes_risk, 2), _odd(k)
    return Guarantee(
        quantity="the expected error of k labels drawn at x itself, the limit of k-NN as n grows",
        bound=_rounding.up(risk + math.sqrt(risk * (1.0 - risk) / k)),
        assumes={"two_classes": "two classes", "fixed_k": "k stays fixed as n grows"},
        reference="surelearn theory pages; sharpens Devroye, Gyorfi and Lugosi (1996), theorem 5.6",
        confidence=None,
        validity="in-expectation",
        trivial=1.0,
    )


@theorem
def one_nn(*, bayes_risk: float, lipschitz: float, dimension: int, n: int) -> Guarantee:
    """Bound the expected risk of the nearest neighbour rule, n rows in [-1, 1]^d.

    $2 R^* (1 − R^*)$, plus $4 c √d n^{−1/(d+1)}$ for the distance to the neighbour.

    Examples
    --------
    >>> round(one_nn(bayes_risk=0.25, lipschitz=0.5, dimension=1, n=100).bound, 10)
    0.575
    """
    risk = _bayes_risk(bayes_risk, 2)
    n = _arguments.count("n", n, at_least=1)
    distance = _distance_bound(dimension, n)
    return Guarantee(
        quantity="the expected risk of the nearest neighbour rule",
        bound=_rounding.up(
            2.0 * risk * (1.0 - risk) + _arguments.non_negative("lipschitz", lipschitz) * distance
        ),
        assumes=_LIPSCHITZ,
        reference="Shalev-Shwartz and Ben-David (2014), theorem 19.3; constants proved here",
        confidence=None,
        validity="in-expectation",
        trivial=1.0,
    )


@theorem
def knn_finite_sample(
    *, bayes_risk: float, lipschitz: float, dimension: int, n: int, k: int
) -> Guarantee:
    """Bound the expected risk of k nearest neighbours, n rows in [-1, 1]^d, k odd.

    Examples
    --------
    >>> round(knn_finite_sample(bayes_risk=0.3, lipschitz=0.4, dimension=1, n=1000, k=11).bound, 3)
    0.788
    """
    risk, k = _bayes_risk(bayes_risk, 2), _odd(k)
    n = _arguments.count("n", n, at_least=k)
    bias = (
        2.0 * _arguments.non_negative("lipschitz", lipschitz) * _distance_bound(dimension, n // k)
    )
    return Guarantee(
        quantity="the expected risk of k nearest neighbours",
        bound=_rounding.up(risk + 0.5 / math.sqrt(k) + bias),
        assumes=_LIPSCHITZ,
        reference="surelearn theory pages; after Shalev-Shwartz and Ben-David (2014)",
        confidence=None,
        validity="in-expectation",
        trivial=1.0,
    )


def vote_change_constant(*, k: int) -> float:
    """Return c_k: dropping one of the k neighbours changes a vote with probability at most c_k.

    Examples
    --------
    >>> [round(vote_change_constant(k=k), 4) for k in (1, 3, 5, 15)]
    [1.0, 0.2963, 0.2074, 0.1083]
    """
    k = _arguments.count("k", k, at_least=1)
    half = k // 2
    p = (half + 1.0) / k  # the maximiser of p^(half+1) (1-p)^(k-1-half)
    log_rest = float(special.xlogy(half + 1.0, p) + special.xlog1py(k - 1.0 - half, -p))
    return math.exp(log_choose_above(k - 1, half) + log_rest)


@theorem(realised=("errors",))
def leave_one_out(*, errors: int, n: int, k: int, delta: float, n_classes: int = 2) -> Guarantee:
    """Bound the risk of k nearest neighbours from the number of its leave-one-out errors.

    Examples
    --------
    >>> round(leave_one_out(errors=500, n=10_000, k=5, delta=0.05).bound, 4)
    0.1055
    """
    k = _arguments.count("k", k, at_least=1)
    n = _arguments.count("n", n, at_least=k + 2)
    errors = _arguments.count("errors", errors, at_most=n)
    two_classes = _arguments.count("n_classes", n_classes, at_least=2) == 2
    changes = k * vote_change_constant(k=k) if two_classes else float(k)
    pairs = (18.0 * k**2 + 18.0 * k + 2.0) / (n * (n - 1.0))
    variance = min((0.5 + 6.0 * changes) / n, 0.5 / n + changes / (n - 1) + pairs)
    odds = (1.0 - _arguments.open_fraction("delta", delta)) / delta
    return Guarantee(
        quantity="the risk of k nearest neighbours",
        bound=_rounding.up(errors / n + k / n + math.sqrt(variance * odds)),
        assumes={
            "independent": "the rows are independent and have the law of future rows",
            "fixed_before": "k, metric and scaling were fixed before the data were seen",
            "vote": "exactly k neighbours vote, and only their labels decide",
            "distance_ties": "distance ties are broken by row number, or by random tags",
        },
        reference="surelearn theory pages; sharpens Rogers and Wagner (1978)",
        confidence=_arguments.confidence_from(delta),
        validity="fixed-n",
        trivial=1.0,
    )


def plan_k(*, n: int) -> int:
    """Return an odd k near sqrt(n): it grows, and k / n vanishes, as consistency asks.

    Examples
    --------
    >>> plan_k(n=10_000)
    101
    """
    n = _arguments.count("n", n, at_least=1)
    root = math.isqrt(n - 1) + 1
    odd = root + (root % 2 == 0)
    return odd if odd <= n else odd - 2


def half_ball_fraction(*, dimension: int) -> float:
    """Return the share of a ball's volume within half its radius: 2^-d.

    Examples
    --------
    >>> half_ball_fraction(dimension=10)
    0.0009765625
    """
    return 2.0 ** -_arguments.count("dimension", dimension, at_least=1)


def cube_side(*, share: float, dimension: int) -> float:
    """Return the side of a cube that holds the given share of the unit cube.

    Examples
    --------
    >>> round(cube_side(share=0.01, dimension=10), 7)
    0.6309573
    """
    return _arguments.fraction("share", share) ** (
        1.0 / _arguments.count("dimension", dimension, at_least=1)
    )


def _distance_bound(dimension: int, n: int) -> float:
    """Return 4 sqrt(d) n^(-1 / (d + 1)), above the mean distance to the nearest of n rows."""
    dimension = _arguments.count("dimension", dimension, at_least=1)
    return 4.0 * math.sqrt(dimension) * n ** (-1.0 / (dimension + 1))


def _bayes_risk(value: float, n_classes: int) -> float:
    highest = 1.0 - 1.0 / n_classes
    if _arguments.fraction("bayes_risk", value) > highest:
        raise _arguments.refuse(
            "bayes_risk", value, f"at most {highest:g} with {n_classes} classes"
        )
    return float(value)


def _odd(k: int) -> int:
    if _arguments.count("k", k, at_least=1) % 2 == 0:
        raise _arguments.refuse("k", k, "odd: an even vote can be tied")
    return int(k)
