"""How often learners of Boolean concepts err: disjunctions, Winnow, and formulas as kernels.

Rows are vectors of zeros and ones. A disjunction of k variables is 1 where one of them is 1; it is
monotone if no variable is negated. Counts are exact integers, in any dimension.
"""

import math
from fractions import Fraction

from surelearn import _arguments
from surelearn.bounds import _rounding, mistakes
from surelearn.bounds._guarantee import Guarantee, theorem
from surelearn.bounds._mistakes import MISTAKES

_MONOTONE = "every label is that of one monotone disjunction of n_relevant variables"
_LONGEST_POWER = 1000  # 2 to this power is still a float, and an exact power is still quick


@theorem(realised=("n_relevant",))
def monotone_disjunction(*, n_variables: int, n_relevant: int = 0) -> Guarantee:
    """Bound the mistakes of crossing out variables that were 1 in a negative row.

    Examples
    --------
    >>> monotone_disjunction(n_variables=10, n_relevant=3).bound
    7.0
    """
    n = _arguments.count("n_variables", n_variables)
    k = _arguments.count("n_relevant", n_relevant, at_most=n)
    return Guarantee(
        quantity=MISTAKES,
        bound=_rounding.up_integer(n - k),
        assumes={
            "realizable": (
                "every label is that of one monotone disjunction of n_relevant variables or more"
            ),
            "algorithm": (
                "the learner predicts the disjunction of all variables not yet crossed out"
            ),
        },
        reference="Valiant, Communications of the ACM 27 (1984); Littlestone (1988)",
    )


@theorem(realised=("n_relevant",))
def disjunction(*, n_variables: int, n_relevant: int = 0) -> Guarantee:
    """Bound the mistakes of crossing out literals, negated or not: n_variables + 1 - n_relevant.

    Examples
    --------
    >>> disjunction(n_variables=10).bound
    11.0
    """
    n = _arguments.count("n_variables", n_variables)
    k = _arguments.count("n_relevant", n_relevant, at_most=n)
    return Guarantee(
        quantity=MISTAKES,
        bound=_rounding.up_integer(n + 1 - k),
        assumes={
            "realizable": "every label is that of one disjunction of n_relevant literals or more",
            "algorithm": "the learner predicts the disjunction of all literals not yet crossed out",
        },
        reference="Valiant, Communications of the ACM 27 (1984)",
    )


@theorem(realised=("n_relevant", "best_mistakes"))
def disjunction_weighted_majority(
    *, n_variables: int, n_relevant: int, best_mistakes: int = 0, beta: float = 1.0 / math.e
) -> Guarantee:
    """Bound the mistakes of a weighted vote of all monotone disjunctions of n_relevant variables.

    Examples
    --------
    >>> round(disjunction_weighted_majority(n_variables=10, n_relevant=2).bound, 4)
    10.0206
    """
    n = _arguments.count("n_variables", n_variables)
    experts = math.comb(n, _arguments.count("n_relevant", n_relevant, at_most=n))
    vote = mistakes.weighted_majority(best_mistakes=best_mistakes, n_experts=experts, beta=beta)
    return Guarantee(
        quantity=vote.quantity,
        bound=vote.bound,
        assumes={
            "experts": "the experts are all disjunctions of n_relevant of the variables",
            **vote.assumes,
        },
        reference=vote.reference,
    )


@theorem(realised=("n_relevant",))
def perceptron_disjunction(*, n_variables: int, n_relevant: int) -> Guarantee:
    """Bound the mistakes of the Perceptron on a monotone disjunction by (4k + 1)(n + 1).

    Examples
    --------
    >>> perceptron_disjunction(n_variables=100, n_relevant=3).bound
    1313.0
    """
    n = _arguments.count("n_variables", n_variables)
    k = _arguments.count("n_relevant", n_relevant, at_most=n)
    return Guarantee(
        quantity=MISTAKES,
        bound=_rounding.up_integer((4 * k + 1) * (n + 1)),
        assumes={
            "realizable": _MONOTONE,
            "start": "each row has a constant feature 1 appended; the start is 0",
        },
        reference="Novikoff (1962); Kivinen, Warmuth and Auer, Artificial Intelligence 97 (1997)",
    )


@theorem(realised=("n_relevant",))
def perceptron_disjunction_tuned(*, n_variables: int, n_relevant: int) -> Guarantee:
    """Bound the mistakes of the Perceptron whose constant feature is the best one for k of n.

    Examples
    --------
    >>> round(perceptron_disjunction_tuned(n_variables=100, n_relevant=3).bound, 2)
    1270.28
    """
    n = _arguments.count("n_variables", n_variables, at_least=1)
    k = _arguments.count("n_relevant", n_relevant, at_least=1, at_most=n)
    return Guarantee(
        quantity=MISTAKES,
        bound=_rounding.up((2.0 * math.sqrt(k * n) + 1.0) ** 2),
        assumes={
            "realizable": _MONOTONE,
            "start": "each row has a constant feature (n / 4k)^(1/4) appended; the start is 0",
        },
        reference="surelearn theory pages; sharpens Kivinen, Warmuth and Auer (1997)",
    )


@theorem(realised=("n_relevant", "attribute_errors"))
def winnow(
    *,
    n_variables: int,
    n_relevant: int,
    promotion: float,
    threshold: float,
    attribute_errors: int = 0,
) -> Guarantee:
    """Bound the mistakes of Winnow for any promotion factor, threshold and number of bad labels.

    A false negative multiplies the weights of the variables that are 1 by `promotion`, a false
    positive divides them by it.

    Examples
    --------
    >>> winnow(n_variables=64, n_relevant=2, promotion=1.5, threshold=32.0).bound
    50.0
    """
    n = _arguments.count("n_variables", n_variables, at_least=1)
    k = _arguments.count("n_relevant", n_relevant, at_most=n)
    factor, level = Fraction(_above_one(promotion)), Fraction(_at_least_one(threshold))
    false_negatives = k * _promotions_to(level, factor)
    false_negatives += _arguments.count("attribute_errors", attribute_errors)
    strict = (1 + factor) * false_negatives + factor * n / ((factor - 1) * level)
    return Guarantee(
        quantity=MISTAKES,
        bound=_rounding.up_integer(math.ceil(strict) - 1),
        assumes={
            "labels": f"{_MONOTONE}, but for attribute_errors counted on the mistakes",
            "start": (
                "the weights start at 1 and a row is positive when they sum to threshold or more"
            ),
        },
        reference="Littlestone, Machine Learning 2 (1988); COLT (1991) for attribute errors",
    )


@theorem(realised=("n_relevant",))
def winnow_classic(*, n_variables: int, n_relevant: int) -> Guarantee:
    """Bound the mistakes of Winnow with factor 2 and threshold n by 3 k ceil(log2 n) + 1.

    Examples
    --------
    >>> winnow_classic(n_variables=1024, n_relevant=8).bound
    241.0
    """
    n = _arguments.count("n_variables", n_variables, at_least=1)
    k = _arguments.count("n_relevant", n_relevant, at_most=n)
    return Guarantee(
        quantity=MISTAKES,
        bound=_rounding.up_integer(3 * k * (n - 1).bit_length() + 1),
        assumes={
            "realizable": _MONOTONE,
            "start": "Winnow with weights from 1, factor 2 and threshold n_variables",
        },
        reference="Littlestone, Machine Learning 2 (1988)",
    )


@theorem(realised=("n_terms",))
def kernel_dnf(*, n_variables: int, n_terms: int) -> Guarantee:
    """Bound the mistakes of the kernel Perceptron on formulas of k terms by (4k + 1) 2^n.

    Examples
    --------
    >>> kernel_dnf(n_variables=6, n_terms=2).bound
    576.0
    """
    n = _arguments.count("n_variables", n_variables, at_most=_LONGEST_POWER)
    return Guarantee(
        quantity=MISTAKES,
        bound=(4.0 * _arguments.count("n_terms", n_terms) + 1.0) * 2.0**n,
        assumes={
            "realizable": "every label is that of one disjunction of n_terms conjunctions",
            "kernel": (
                "the kernel is 2^(bits that agree), or 2^(common ones) if no variable is negated"
            ),
            "start": "the kernel Perceptron starts at 0",
        },
        reference="Khardon, Roth and Servedio, NIPS 14 (2001)",
    )


@theorem(realised=("n_terms",))
def winnow_dnf(*, n_variables: int, n_terms: int) -> Guarantee:
    """Bound the mistakes of Winnow over all 2^n monotone conjunctions by 3 k n + 1.

    The bound is small; the time is not: 2^n weights.

    Examples
    --------
    >>> winnow_dnf(n_variables=6, n_terms=2).bound
    37.0
    """
    n = _arguments.count("n_variables", n_variables)
    return Guarantee(
        quantity=MISTAKES,
        bound=_rounding.up_integer(3 * _arguments.count("n_terms", n_terms) * n + 1),
        assumes={
            "realizable": (
                "every label is that of one disjunction of n_terms conjunctions, nothing negated"
            ),
            "algorithm": (
                "Winnow has a weight for each of the 2^n conjunctions, factor 2, threshold 2^n"
            ),
        },
        reference="Littlestone (1988); Khardon, Roth and Servedio, NIPS 14 (2001)",
    )


def _above_one(promotion: float) -> float:
    number = _arguments.real("promotion", promotion)
    if not number > 1.0:
        raise _arguments.refuse("promotion", promotion, "a finite number > 1")
    return number


def _at_least_one(threshold: float) -> float:
    number = _arguments.real("threshold", threshold)
    if not number >= 1.0:
        raise _arguments.refuse("threshold", threshold, "a finite number >= 1")
    return number


def _promotions_to(threshold: Fraction, promotion: Fraction) -> int:
    """Return the least j with promotion^j >= threshold.

    Exact powers decide, because ln 125 / ln 5 exceeds 3 in floats; where they would be too long,
    a j that is slightly too large serves an upper bound as well.
    """
    exponent = math.log(threshold) / math.log1p(promotion - 1)
    if exponent > _LONGEST_POWER:
        return math.ceil(_rounding.up(exponent))
    j = math.floor(exponent)
    while promotion**j < threshold:
        j += 1
    return j
