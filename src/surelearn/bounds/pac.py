"""Finite classes, description lengths, boxes, and what no learner can do.

A bound for all rules of a class at once pays the logarithm of its size, or for each rule the length
of its description (Occam): `occam` is exact for 0-1 losses and the one to use; the square-root
forms are here because they are cited and compared with. The sample sizes they ask for are in
`surelearn.bounds.sample_size`.
"""

import math
from collections.abc import Mapping

import numpy as np
from scipy import special

from surelearn import _arguments
from surelearn._typing import Indices, Mask
from surelearn._wording import exactly
from surelearn.bounds import _rounding, inversions
from surelearn.bounds._guarantee import Guarantee, theorem, with_confidence
from surelearn.bounds._special import binomial_sf, log_choose_above

_SAMPLE = {"independent": "the n examples are independent draws from the law the risk refers to"}
_CLASS = {"fixed_before": "the class of rules was fixed before the data were seen"}
_CONSISTENT = {
    **_CLASS,
    "consistent": "only rules without errors on the n examples are claimed, as declared beforehand",
}
_CODE = {"code": "the weights 2^-bits of all rules sum to at most 1 and were fixed before the data"}
_UNIFORM = {"uniform": "the n examples are drawn uniformly from a domain of domain_size points"}
_HAUSSLER = "Blumer et al. (1987); Haussler, Artificial Intelligence 36 (1988)"
_VAPNIK = "Vapnik and Chervonenkis (1971); Haussler, Information and Computation 100 (1992)"
_OCCAM = "Shalev-Shwartz and Ben-David (2014), theorem 7.7"
_BLUMER = "Blumer et al., JACM 36 (1989); Kearns and Vazirani (1994), chapter 1"


@theorem
def finite_class_realizable(*, n_hypotheses: int, n: int, delta: float) -> Guarantee:
    """Bound the risk of every consistent rule of a finite class by ln(|H| / delta) / n.

    Examples
    --------
    >>> round(finite_class_realizable(n_hypotheses=1000, n=100, delta=0.05).bound, 6)
    0.099035
    """
    rate = _class_rate(n_hypotheses, n, delta)
    return _upper("the risk of every consistent rule", rate, delta, _HAUSSLER, _CONSISTENT)


@theorem
def finite_class_realizable_exact(*, n_hypotheses: int, n: int, delta: float) -> Guarantee:
    """Bound the risk of every consistent rule of a finite class by 1 - (delta / |H|)^(1/n).

    Examples
    --------
    >>> round(finite_class_realizable_exact(n_hypotheses=1000, n=100, delta=0.05).bound, 6)
    0.094289
    """
    bound = -math.expm1(-_class_rate(n_hypotheses, n, delta))
    return _upper("the risk of every consistent rule", bound, delta, _HAUSSLER, _CONSISTENT)


@theorem
def finite_class_agnostic(
    *, n_hypotheses: int, n: int, delta: float, loss_range: float = 1.0
) -> Guarantee:
    """Bound the largest distance between risk and training error over a finite class.

    Examples
    --------
    >>> round(finite_class_agnostic(n_hypotheses=100, n=1000, delta=0.05).bound, 6)
    0.064397
    """
    quantity = "the largest |risk - training loss| over the class"
    deviation = _deviation(_log_size(n_hypotheses), n, delta, loss_range)
    return _upper(quantity, deviation, delta, _VAPNIK, _CLASS, trivial=loss_range)


@theorem
def erm_excess(*, n_hypotheses: int, n: int, delta: float, loss_range: float = 1.0) -> Guarantee:
    """Bound how much worse than the best rule of a finite class a minimiser of the loss is.

    Examples
    --------
    >>> round(erm_excess(n_hypotheses=100, n=1000, delta=0.05).bound, 6)
    0.128795
    """
    quantity = "the risk of a rule of least training loss minus the least risk of the class"
    deviation = _deviation(_log_size(n_hypotheses), n, delta, loss_range)
    return _upper(quantity, 2.0 * deviation, delta, _VAPNIK, _CLASS, trivial=loss_range)


@theorem(realised=("errors", "bits"))
def occam(*, errors: int, n: int, bits: float, delta: float) -> Guarantee:
    """Bound the risk of a rule described by `bits` bits, by exact binomial inversion.

    How the rule was found, and how it was pruned or tuned on the same data, does not matter.

    Examples
    --------
    >>> round(occam(errors=23, n=569, bits=49.72, delta=0.05).bound, 4)
    0.1484
    """
    n = _arguments.count("n", n, at_least=1)
    errors = _arguments.count("errors", errors, at_most=n)
    log_level = -_log_code(bits) + math.log(_arguments.open_fraction("delta", delta))
    bound = inversions.binomial_upper_at_log_level(errors, n, log_level)
    quantity = "the risk of every rule, given its errors and bits"
    reference = "Blumer et al. (1987); Langford, JMLR 6 (2005)"
    return with_confidence(quantity, bound, delta, {**_SAMPLE, **_CODE}, reference=reference)


@theorem(realised=("mean", "bits"))
def occam_losses(*, mean: float, n: int, bits: float, delta: float) -> Guarantee:
    """Bound the expected loss in [0, 1] of a rule described by `bits` bits, by its kl inverse.

    Examples
    --------
    >>> round(occam_losses(mean=0.05, n=1000, bits=37.0, delta=0.05).bound, 4)
    0.1196
    """
    log_level = _log_code(bits) - math.log(_arguments.open_fraction("delta", delta))
    budget = log_level / _arguments.count("n", n, at_least=1)
    bound = inversions.kl_upper(_arguments.fraction("mean", mean), budget)
    quantity = "the expected loss of every rule, given its mean loss and bits"
    assumes = {**_SAMPLE, **_CODE, "range": "every loss lies in [0, 1]"}
    reference = "Seeger, JMLR 3 (2002); Langford, JMLR 6 (2005)"
    return with_confidence(quantity, bound, delta, assumes, reference=reference)


@theorem(realised=("bits",))
def occam_hoeffding(*, n: int, bits: float, delta: float, loss_range: float = 1.0) -> Guarantee:
    """Bound the distance between risk and training loss of a rule described by `bits` bits.

    Examples
    --------
    >>> round(occam_hoeffding(n=1000, bits=10.0, delta=0.05).bound, 6)
    0.072871
    """
    quantity = "|risk - training loss| of every rule, given its bits"
    deviation = _deviation(_log_code(bits), n, delta, loss_range)
    return _upper(quantity, deviation, delta, _OCCAM, _CODE, trivial=loss_range)


@theorem
def structural_risk(*, n: int, bits: float, delta: float, loss_range: float = 1.0) -> Guarantee:
    """Bound how much worse than a rule of `bits` bits the choice of structural risk is.

    The choice minimises training loss plus the penalty of `occam_hoeffding`.

    Examples
    --------
    >>> round(structural_risk(n=1000, bits=10.0, delta=0.05).bound, 6)
    0.145742
    """
    quantity = "the risk of the choice minus the risk of any rule, given that rule's bits"
    deviation = _deviation(_log_code(bits), n, delta, loss_range)
    return _upper(quantity, 2.0 * deviation, delta, _OCCAM, _CODE, trivial=loss_range)


@theorem
def rectangle(*, n: int, dimension: int, delta: float) -> Guarantee:
    """Bound the risk of the tightest box around the positive examples by (2d/n) ln(2d/delta).

    Examples
    --------
    >>> round(rectangle(n=176, dimension=2, delta=0.05).bound, 4)
    0.0996
    """
    sides = 2 * _arguments.count("dimension", dimension, at_least=1)
    return _tightest_box(sides * _class_rate(sides, n, delta), delta)


@theorem
def rectangle_exact(*, n: int, dimension: int, delta: float) -> Guarantee:
    """Bound the risk of the tightest box around the positives by 2d (1 - (delta/2d)^(1/n)).

    Examples
    --------
    >>> round(rectangle_exact(n=174, dimension=2, delta=0.05).bound, 4)
    0.0995
    """
    sides = 2 * _arguments.count("dimension", dimension, at_least=1)
    return _tightest_box(-sides * math.expm1(-_class_rate(sides, n, delta)), delta)


@theorem
def no_free_lunch_average(*, domain_size: int, n: int) -> Guarantee:
    """Bound from below the error of every learner, on average over all labellings of a domain.

    Reached by memorising; some labelling is at least as bad as the average.

    Examples
    --------
    >>> round(no_free_lunch_average(domain_size=6, n=3).bound, 10)
    0.2893518519
    """
    return Guarantee(
        quantity="the expected error of any learner, averaged over all labellings",
        bound=_rounding.down(_average_error(domain_size, n)),
        assumes=_UNIFORM,
        reference="Wolpert (1996); Shalev-Shwartz and Ben-David (2014), theorem 5.1",
        confidence=None,
        direction="lower",
        validity="in-expectation",
        trivial=0.0,
    )


@theorem
def no_free_lunch(*, domain_size: int, n: int, error: float = 0.125) -> Guarantee:
    """Bound from below P(risk > error) of any learner, on the worst labelling of a domain.

    At least 1/7 for error = 1/8, if the domain has at least 2 n points.

    Examples
    --------
    >>> round(no_free_lunch(domain_size=2, n=1).bound, 6)
    0.142857
    """
    error = _arguments.open_fraction("error", error)
    return Guarantee(
        quantity=f"P(risk > {exactly(error)}) of any learner, for the worst labelling",
        bound=_rounding.down((_average_error(domain_size, n) - error) / (1.0 - error)),
        assumes=_UNIFORM,
        reference="Shalev-Shwartz and Ben-David (2014), theorem 5.1",
        direction="lower",
        trivial=0.0,
    )


def plan_no_free_lunch_domain(*, n: int, error: float, delta: float) -> int:
    """Return how many points make some labelling fail: P(risk >= error) >= delta from n examples.

    Holds for every learner, and for error < 1/2 only.

    Examples
    --------
    >>> plan_no_free_lunch_domain(n=10, error=0.4, delta=0.95)
    140
    """
    n = _arguments.count("n", n)
    error, delta = (
        _arguments.open_fraction("error", error),
        _arguments.open_fraction("delta", delta),
    )
    if error >= 0.5:
        raise _arguments.refuse("error", error, "in (0, 1/2)")

    def fails(size: Indices) -> Mask:
        # At least size - n points are unseen, and each is wrong under half of the labellings.
        return binomial_sf(np.ceil(error * size) - 1.0, size - n, 0.5) >= delta

    near = _rounding.smallest_integer(lambda k: bool(fails(np.array([k]))[0]), n + 1, 2 * n + 2)
    # The ceiling makes a sawtooth: the first size that fails may lie a few teeth before.
    first = max(n + 1, near - math.ceil(min(near, 2.0 / error + 2.0 / (0.5 - error))))
    sizes = np.arange(first, near + 1)
    return int(sizes[np.argmax(fails(sizes))])


def mdl_bits(*, bits: float, errors: int, n: int) -> float:
    """Return the bits that describe a rule and its errors: bits + log2(n+1) + log2 C(n, errors).

    Examples
    --------
    >>> round(mdl_bits(bits=37.0, errors=3, n=100), 3)
    60.961
    """
    n = _arguments.count("n", n, at_least=1)
    errors = _arguments.count("errors", errors, at_most=n)
    corrections = log_choose_above(n, errors) / math.log(2.0)
    return _arguments.non_negative("bits", bits) + math.log2(n + 1) + corrections


def _log_size(n_hypotheses: int) -> float:
    return math.log(_arguments.count("n_hypotheses", n_hypotheses, at_least=1, of_any_size=True))


def _class_rate(n_hypotheses: int, n: int, delta: float) -> float:
    """Return ln(|H| / delta) / n."""
    log_class = _log_size(n_hypotheses) - math.log(_arguments.open_fraction("delta", delta))
    return log_class / _arguments.count("n", n, at_least=1)


def _log_code(bits: float) -> float:
    return _arguments.non_negative("bits", bits) * math.log(2.0)


def _deviation(log_inverse_weight: float, n: int, delta: float, loss_range: float) -> float:
    """Return the two-sided Hoeffding half-width at level delta times the weight of the rule."""
    log_level = log_inverse_weight + math.log(2.0 / _arguments.open_fraction("delta", delta))
    n = _arguments.count("n", n, at_least=1)
    return _arguments.positive("loss_range", loss_range) * math.sqrt(log_level / (2.0 * n))


def _average_error(domain_size: int, n: int) -> float:
    """Return half the probability that a point of the domain is not among n uniform draws."""
    size = _arguments.count("domain_size", domain_size, at_least=1)
    return 0.5 * math.exp(special.xlog1py(_arguments.count("n", n), -1.0 / size))


def _tightest_box(bound: float, delta: float) -> Guarantee:
    assumes = {
        "realizable": "the positives are exactly the points of an unknown box",
        "algorithm": "the rule is the smallest box that contains the positive examples",
    }
    return _upper("the risk of the tightest box", bound, delta, _BLUMER, assumes)


def _upper(
    quantity: str,
    bound: float,
    delta: float,
    reference: str,
    assumes: Mapping[str, str],
    *,
    trivial: float = 1.0,
) -> Guarantee:
    known = {**_SAMPLE, **assumes}
    return with_confidence(
        quantity, _rounding.up(bound), delta, known, reference=reference, trivial=trivial
    )
