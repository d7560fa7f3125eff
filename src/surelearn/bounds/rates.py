"""Rates of a classifier at a fixed threshold, bounded from the side that matters.

Each is a binomial proportion of the rows that count for it, so Clopper and Pearson's inversion is
exact; F1 is one too, of the rows that are positive in truth or prediction. Each statement has the
whole delta if it is the only one printed; `surelearn.bounds.sharing` divides delta among several.
"""

from surelearn import _arguments
from surelearn._wording import exactly
from surelearn.bounds import _rounding, inversions, sharing
from surelearn.bounds._fresh_rows import FIXED, IN_CLASS, MIX, ROWS, claim
from surelearn.bounds._guarantee import Guarantee, theorem


@theorem(realised=("true_positives", "n_positive"))
def sensitivity(*, true_positives: int, n_positive: int, delta: float) -> Guarantee:
    """Bound from below the share of positive cases that a model finds.

    Holds for rows that were sampled by class, too. Without positive rows it is 0: no claim.

    Examples
    --------
    >>> round(sensitivity(true_positives=90, n_positive=100, delta=0.05).bound, 6)
    0.836282
    """
    bound = _lower("true_positives", true_positives, "n_positive", n_positive, delta)
    quantity = "the probability that a positive case is found"
    return claim(quantity, bound, delta, {**IN_CLASS, **FIXED}, direction="lower")


@theorem(realised=("true_negatives", "n_negative"))
def specificity(*, true_negatives: int, n_negative: int, delta: float) -> Guarantee:
    """Bound from below the share of negative cases that a model leaves in peace.

    Examples
    --------
    >>> round(specificity(true_negatives=860, n_negative=900, delta=0.05).bound, 6)
    0.942535
    """
    bound = _lower("true_negatives", true_negatives, "n_negative", n_negative, delta)
    quantity = "the probability that a negative case is called negative"
    return claim(quantity, bound, delta, {**IN_CLASS, **FIXED}, direction="lower")


@theorem(realised=("true_positives", "n_predicted_positive"))
def positive_predictive_value(
    *, true_positives: int, n_predicted_positive: int, delta: float
) -> Guarantee:
    """Bound from below the probability that a case called positive is positive: precision.

    Examples
    --------
    >>> guarantee = positive_predictive_value(
    ...     true_positives=90, n_predicted_positive=130, delta=0.05
    ... )
    >>> round(guarantee.bound, 6)
    0.61901
    """
    named = "n_predicted_positive"
    bound = _lower("true_positives", true_positives, named, n_predicted_positive, delta)
    quantity = "the probability that a case called positive is positive"
    return claim(quantity, bound, delta, {**ROWS, **FIXED, **MIX}, direction="lower")


@theorem(realised=("true_negatives", "n_predicted_negative"))
def negative_predictive_value(
    *, true_negatives: int, n_predicted_negative: int, delta: float
) -> Guarantee:
    """Bound from below the probability that a case called negative is negative.

    Examples
    --------
    >>> guarantee = negative_predictive_value(
    ...     true_negatives=860, n_predicted_negative=870, delta=0.05
    ... )
    >>> round(guarantee.bound, 6)
    0.980581
    """
    named = "n_predicted_negative"
    bound = _lower("true_negatives", true_negatives, named, n_predicted_negative, delta)
    quantity = "the probability that a case called negative is negative"
    return claim(quantity, bound, delta, {**ROWS, **FIXED, **MIX}, direction="lower")


@theorem(realised=("correct",))
def accuracy(*, correct: int, n: int, delta: float) -> Guarantee:
    """Bound from below the probability that a model is right.

    Examples
    --------
    >>> round(accuracy(correct=950, n=1000, delta=0.05).bound, 7)
    0.9371366
    """
    bound = _lower("correct", correct, "n", n, delta)
    return claim(
        "the probability of a right answer",
        bound,
        delta,
        {**ROWS, **FIXED, **MIX},
        direction="lower",
    )


@theorem(realised=("n_positive",))
def prevalence_upper(*, n_positive: int, n: int, delta: float) -> Guarantee:
    """Bound from above how frequent positive cases are.

    Examples
    --------
    >>> round(prevalence_upper(n_positive=100, n=1000, delta=0.05).bound, 6)
    0.116992
    """
    bound = _upper("n_positive", n_positive, "n", n, delta)
    assumes = {**ROWS, **FIXED, **MIX}
    return claim("the frequency of positive cases", bound, delta, assumes, direction="upper")


@theorem(realised=("n_positive",))
def prevalence_lower(*, n_positive: int, n: int, delta: float) -> Guarantee:
    """Bound from below how frequent positive cases are; both sides together cost two deltas.

    Examples
    --------
    >>> round(prevalence_lower(n_positive=100, n=1000, delta=0.05).bound, 7)
    0.0847848
    """
    bound = _lower("n_positive", n_positive, "n", n, delta)
    return claim(
        "the frequency of positive cases", bound, delta, {**ROWS, **FIXED, **MIX}, direction="lower"
    )


@theorem(realised=("successes", "n"))
def rate_upper(*, successes: int, n: int, delta: float) -> Guarantee:
    """Bound from above how often something happens among the rows that meet a condition.

    Examples
    --------
    >>> round(rate_upper(successes=5, n=100, delta=0.05).bound, 4)
    0.1023
    """
    bound = _upper("successes", successes, "n", n, delta)
    quantity = "the probability of a success, given the condition"
    return claim(quantity, bound, delta, {**ROWS, **FIXED}, direction="upper")


@theorem(realised=("successes", "n"))
def rate_lower(*, successes: int, n: int, delta: float) -> Guarantee:
    """Bound from below how often something happens among the rows that meet a condition.

    Examples
    --------
    >>> round(rate_lower(successes=380, n=400, delta=0.05).bound, 6)
    0.928171
    """
    bound = _lower("successes", successes, "n", n, delta)
    quantity = "the probability of a success, given the condition"
    return claim(quantity, bound, delta, {**ROWS, **FIXED}, direction="lower")


@theorem(realised=("true_positives", "false_positives", "false_negatives"))
def f1(
    *, true_positives: int, false_positives: int, false_negatives: int, delta: float
) -> Guarantee:
    """Bound from below the F1 score of the population, exactly, by way of Jaccard's index.

    F1 = 2 J / (1 + J), and J is the share of true positives among the rows that are positive in
    truth or prediction. True negatives do not count; without other rows it is 0: no claim.

    Examples
    --------
    >>> guarantee = f1(true_positives=90, false_positives=40, false_negatives=10, delta=0.05)
    >>> round(guarantee.bound, 6)
    0.726796
    """
    right = _arguments.count("true_positives", true_positives)
    wrong = _arguments.count("false_positives", false_positives)
    wrong += _arguments.count("false_negatives", false_negatives)
    jaccard = _lower("true_positives", right, "n", right + wrong, delta)
    bound = max(0.0, _rounding.down(2.0 * jaccard / (1.0 + jaccard)))
    quantity = "the F1 score, 2 P(TP) / (2 P(TP) + P(FP) + P(FN))"
    return claim(quantity, bound, delta, {**ROWS, **FIXED, **MIX}, direction="lower")


@theorem(realised=("true_positives", "n_positive", "true_negatives", "n_negative"))
def positive_predictive_value_at(
    *,
    true_positives: int,
    n_positive: int,
    true_negatives: int,
    n_negative: int,
    prevalence: float,
    delta: float,
) -> Guarantee:
    """Bound from below the precision where positive cases have another, known frequency.

    Examples
    --------
    >>> guarantee = positive_predictive_value_at(
    ...     true_positives=90, n_positive=100, true_negatives=860, n_negative=900,
    ...     prevalence=0.02, delta=0.05,
    ... )
    >>> round(guarantee.bound, 6)
    0.218954
    """
    share = _arguments.open_fraction("prevalence", prevalence)
    found, spared = _both(true_positives, n_positive, true_negatives, n_negative, delta)
    bound = _predictive(share * found, (1.0 - share) * (1.0 - spared))
    quantity = (
        f"the probability that a case called positive is positive, at prevalence {exactly(share)}"
    )
    return claim(quantity, bound, delta, {**IN_CLASS, **FIXED, **_known(share)}, direction="lower")


@theorem(realised=("true_positives", "n_positive", "true_negatives", "n_negative"))
def negative_predictive_value_at(
    *,
    true_positives: int,
    n_positive: int,
    true_negatives: int,
    n_negative: int,
    prevalence: float,
    delta: float,
) -> Guarantee:
    """Bound from below the negative predictive value at another, known frequency of positives.

    Examples
    --------
    >>> guarantee = negative_predictive_value_at(
    ...     true_positives=90, n_positive=100, true_negatives=860, n_negative=900,
    ...     prevalence=0.02, delta=0.05,
    ... )
    >>> round(guarantee.bound, 6)
    0.996193
    """
    share = _arguments.open_fraction("prevalence", prevalence)
    found, spared = _both(true_positives, n_positive, true_negatives, n_negative, delta)
    bound = _predictive((1.0 - share) * spared, share * (1.0 - found))
    quantity = (
        f"the probability that a case called negative is negative, at prevalence {exactly(share)}"
    )
    return claim(quantity, bound, delta, {**IN_CLASS, **FIXED, **_known(share)}, direction="lower")


def _both(
    true_positives: int, n_positive: int, true_negatives: int, n_negative: int, delta: float
) -> tuple[float, float]:
    """Return lower bounds on sensitivity and specificity that hold together."""
    level = sharing.sidak(delta, 2)
    found = _lower("true_positives", true_positives, "n_positive", n_positive, level)
    return found, _lower("true_negatives", true_negatives, "n_negative", n_negative, level)


def _predictive(right: float, wrong: float) -> float:
    return max(0.0, _rounding.down(right / (right + wrong))) if right > 0.0 else 0.0


def _known(prevalence: float) -> dict[str, str]:
    return {
        "prevalence": f"{exactly(prevalence)} of the cases in use are positive, known beforehand"
    }


def _lower(name: str, successes: int, size_name: str, n: int, delta: float) -> float:
    size = _arguments.count(size_name, n)
    count = _arguments.count(name, successes, at_most=size)
    return float(inversions.binomial_lower(count, size, _arguments.open_fraction("delta", delta)))


def _upper(name: str, successes: int, size_name: str, n: int, delta: float) -> float:
    size = _arguments.count(size_name, n)
    count = _arguments.count(name, successes, at_most=size)
    return float(inversions.binomial_upper(count, size, _arguments.open_fraction("delta", delta)))
