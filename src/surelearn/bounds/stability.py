"""Algorithmic stability: a rule that hardly changes with one row has a risk near its training loss.

The certificates are useful only under strong regularisation (about lambda >= 1 in the mean form);
the expectations hold always, and explain how much regularisation a sample can afford.
"""

import math
from collections.abc import Mapping

from surelearn import _arguments
from surelearn._wording import exactly
from surelearn.bounds import _rounding
from surelearn.bounds._guarantee import Guarantee, theorem

_INDEPENDENT = "the rows are independent and have the law of future rows"
_EXACT = "the rule is the minimiser, up to the stated gap in its objective"
_NO_TUNING = "regularisation, kernel, scaling and radius were fixed before the data were seen"
_NORM = "every feature vector, future ones included, has norm at most the radius"
_MACHINE = {"minimiser": _EXACT, "fixed_before": _NO_TUNING, "radius": _NORM}


@theorem(realised=("empirical_risk",))
def uniform_stability(
    *, empirical_risk: float, stability: float, loss_range: float, n: int, delta: float
) -> Guarantee:
    """Bound the risk of a rule whose losses change by at most `stability` if one row is replaced.

    Examples
    --------
    >>> round(uniform_stability(empirical_risk=0.1, stability=0.0005, loss_range=1.0, n=4000,
    ...                         delta=0.05).bound, 4)
    0.1973
    """
    change = _arguments.non_negative("stability", stability)
    start = _loss("empirical_risk", empirical_risk, loss_range)
    return _certificate(
        "the risk",
        start + change,
        2.0 * change,
        loss_range,
        n,
        delta,
        {"stable": f"stability {exactly(change)}"},
    )


@theorem(realised=("leave_one_out_risk",))
def uniform_stability_leave_one_out(
    *,
    leave_one_out_risk: float,
    removal_stability: float,
    stability: float,
    smaller_stability: float,
    loss_range: float,
    n: int,
    delta: float,
) -> Guarantee:
    """Bound the risk of a stable rule by its leave-one-out loss.

    `removal_stability` is for dropping a row, `stability` for replacing one of n,
    `smaller_stability` for replacing one of n - 1; the objective stays the same.

    Examples
    --------
    >>> round(uniform_stability_leave_one_out(leave_one_out_risk=0.1, removal_stability=0.00025,
    ...     stability=0.0005, smaller_stability=0.0005, loss_range=1, n=4000, delta=0.05).bound, 4)
    0.197
    """
    removal = _arguments.non_negative("removal_stability", removal_stability)
    changes = _arguments.non_negative("stability", stability) + _arguments.non_negative(
        "smaller_stability", smaller_stability
    )
    start = _loss("leave_one_out_risk", leave_one_out_risk, loss_range)
    return _certificate(
        "the risk",
        start + removal,
        changes,
        loss_range,
        n,
        delta,
        {"stable": "the stated stabilities"},
    )


@theorem(realised=("ramp_loss", "duality_gap"))
def svm(
    *,
    ramp_loss: float,
    C: float,
    kernel_radius: float,
    n: int,
    delta: float,
    duality_gap: float = 0.0,
) -> Guarantee:
    """Bound the error rate of a support vector machine from its mean training loss min(1, hinge).

    The objective is |w|^2 / 2 + C (sum of hinge losses); an intercept is absent or penalised, and
    then counts in `kernel_radius`.

    Examples
    --------
    >>> round(svm(ramp_loss=0.2, C=0.00025, kernel_radius=1.0, n=4000, delta=0.05).bound, 4)
    0.2973
    """
    radius = _arguments.positive("kernel_radius", kernel_radius)
    change = 2.0 * _arguments.positive("C", C) * radius**2
    gap = 2.0 * radius * math.sqrt(2.0 * _arguments.non_negative("duality_gap", duality_gap))
    start = _arguments.fraction("ramp_loss", ramp_loss) + change + gap
    return _certificate("P(y f(x) <= 0)", start, 2.0 * change, 1.0, n, delta, _MACHINE)


@theorem(realised=("empirical_risk", "duality_gap"))
def kernel_ridge(
    *,
    empirical_risk: float,
    regularization: float,
    label_bound: float,
    kernel_radius: float,
    n: int,
    delta: float,
    duality_gap: float = 0.0,
) -> Guarantee:
    """Bound the squared loss of kernel ridge regression, predictions clipped to the labels' range.

    The objective is the sum of squares plus lambda n |f|^2, lambda = `regularization`, and labels
    lie in [-label_bound, label_bound].

    Examples
    --------
    >>> round(kernel_ridge(empirical_risk=0.1, regularization=10.0, label_bound=1.0,
    ...                    kernel_radius=1.0, n=4000, delta=0.05).bound, 4)
    0.2184
    """
    shrink = _arguments.positive("regularization", regularization)
    label = _arguments.positive("label_bound", label_bound)
    radius = _arguments.positive("kernel_radius", kernel_radius)
    n = _arguments.count("n", n, at_least=1)
    change = 8.0 * (radius * label) ** 2 * (1.0 + radius / math.sqrt(shrink)) / (shrink * n)
    distance = radius * math.sqrt(
        _arguments.non_negative("duality_gap", duality_gap) / (shrink * n)
    )
    loss_range = 4.0 * label**2
    start = _loss("empirical_risk", empirical_risk, loss_range) + change
    return _certificate(
        "the expected squared loss of the clipped prediction",
        start + 8.0 * label * distance,
        2.0 * change,
        loss_range,
        n,
        delta,
        {**_MACHINE, "labels": "every label lies within the stated bound"},
    )


@theorem
def stable_minimiser(*, stability: float, suboptimality: float = 0.0) -> Guarantee:
    """Bound how far the expected risk of a stable empirical risk minimiser is from the least risk.

    `stability` is on average; `suboptimality` is the expected excess of its training loss.

    Examples
    --------
    >>> round(stable_minimiser(stability=0.1).bound, 10)
    0.1
    """
    excess = _arguments.non_negative("stability", stability) + _arguments.non_negative(
        "suboptimality", suboptimality
    )
    return _expectation("the expected risk minus the least risk of the class", excess, {})


@theorem
def regularised_erm(*, lipschitz: float, regularization: float, n: int) -> Guarantee:
    """Bound the expected gap between risk and training loss by 2 L^2 / (lambda n).

    The objective is the mean loss plus (lambda / 2) |w|^2.

    Examples
    --------
    >>> round(regularised_erm(lipschitz=1.0, regularization=0.5, n=10).bound, 10)
    0.4
    """
    gap = _mean_stability(lipschitz, regularization, n, "lipschitz")
    loss = "the loss is convex in w and Lipschitz with the stated constant, on future rows too"
    return _expectation(
        "the expected difference of risk and training loss", gap, {"lipschitz": loss}
    )


@theorem
def svm_expected_risk(
    *,
    comparator_loss: float,
    comparator_norm: float,
    regularization: float,
    kernel_radius: float,
    n: int,
) -> Guarantee:
    """Bound the expected error rate of a support vector machine by any fixed linear rule u.

    `comparator_loss` is the expected hinge loss of u and `comparator_norm` its norm; the objective
    is the mean hinge loss plus (lambda / 2) |w|^2.

    Examples
    --------
    >>> round(svm_expected_risk(comparator_loss=0.1, comparator_norm=2.0, regularization=0.0316,
    ...                         kernel_radius=1.0, n=1000).bound, 4)
    0.2265
    """
    gap = _mean_stability(kernel_radius, regularization, n, "kernel_radius")
    penalty = (
        0.5 * regularization * _arguments.non_negative("comparator_norm", comparator_norm) ** 2
    )
    start = _arguments.non_negative("comparator_loss", comparator_loss)
    return _expectation(
        "the expected P(y f(x) <= 0)", start + penalty + gap, {"radius": _NORM}, trivial=1.0
    )


def plan_svm_regularization(*, norm: float, radius: float, n: int) -> float:
    """Return the lambda that is best in `svm_expected_risk` against all rules of norm `norm`.

    Examples
    --------
    >>> round(plan_svm_regularization(norm=2.0, radius=1.0, n=1000), 6)
    0.031623
    """
    ratio = _arguments.positive("radius", radius) / _arguments.positive("norm", norm)
    return 2.0 * ratio / math.sqrt(_arguments.count("n", n, at_least=1))


def svm_consistency_schedule(*, n: int, exponent: float = 1.0 / 3.0) -> float:
    """Return lambda = n^-a, which vanishes while n lambda grows, for a in (0, 1).

    Examples
    --------
    >>> round(svm_consistency_schedule(n=10_000), 6)
    0.046416
    """
    return _arguments.count("n", n, at_least=1) ** -_arguments.open_fraction("exponent", exponent)


def _loss(name: str, value: float, loss_range: float) -> float:
    if _arguments.non_negative(name, value) > _arguments.positive("loss_range", loss_range):
        raise _arguments.refuse(name, value, f"at most the loss range {loss_range:g}")
    return float(value)


def _mean_stability(lipschitz: float, regularization: float, n: int, name: str) -> float:
    slope = _arguments.non_negative(name, lipschitz)
    strength = _arguments.positive("regularization", regularization)
    return 2.0 * slope**2 / (strength * _arguments.count("n", n, at_least=1))


def _certificate(
    quantity: str,
    start: float,
    changes: float,
    loss_range: float,
    n: int,
    delta: float,
    assumes: Mapping[str, str],
) -> Guarantee:
    """Return McDiarmid's bound for a mean gap in `start` and differences `changes` + range / n."""
    n = _arguments.count("n", n, at_least=1)
    log_level = -math.log(_arguments.open_fraction("delta", delta))
    spread = (n * changes + loss_range) * math.sqrt(log_level / (2.0 * n))
    return Guarantee(
        quantity=quantity,
        bound=_rounding.up(start + spread),
        assumes={"independent": _INDEPENDENT, **assumes},
        reference="Bousquet and Elisseeff, JMLR 2 (2002); constants proved here",
        confidence=_arguments.confidence_from(delta),
        validity="fixed-n",
        trivial=loss_range,
    )


def _expectation(
    quantity: str, bound: float, assumes: Mapping[str, str], *, trivial: float = math.inf
) -> Guarantee:
    return Guarantee(
        quantity=quantity,
        bound=_rounding.up(bound),
        assumes={"independent": _INDEPENDENT, **assumes},
        reference="Shalev-Shwartz et al., JMLR 11 (2010); constants proved here",
        confidence=None,
        validity="in-expectation",
        trivial=trivial,
    )
