"""How many examples are enough, and how many are too few, before any are seen.

`error` is the risk aimed at (the excess risk, for agnostic planners), missed with probability at
most `delta`. The `_exact` planners solve the theorem itself and never need more examples than the
closed forms they stand beside.
"""

import math
from decimal import Decimal
from fractions import Fraction

from surelearn import _arguments
from surelearn.bounds import _rounding, vc
from surelearn.bounds._planner import (
    exact,
    least,
    log,
    log_class,
    log_inverse,
    log_survival,
    planner,
)
from surelearn.bounds._special import binomial_cdf, binomial_sf

_LEAST_ERROR = 1e-9  # below it the theorem takes minutes to evaluate


@planner
def plan_finite_class(*, n_hypotheses: int, error: float, delta: float) -> int:
    """Return an n at which every consistent rule of a finite class has risk at most `error`.

    Examples
    --------
    >>> plan_finite_class(n_hypotheses=1000, error=0.1, delta=0.05)
    100
    """
    return least(log_class(n_hypotheses, delta) / exact("error", error))


@planner
def plan_finite_class_exact(*, n_hypotheses: int, error: float, delta: float) -> int:
    """Return the smallest n with |H| (1 - error)^n <= delta.

    Examples
    --------
    >>> plan_finite_class_exact(n_hypotheses=1000, error=0.1, delta=0.05)
    94
    """
    error = _arguments.open_fraction("error", error)
    return least(log_class(n_hypotheses, delta) / -log_survival(error))


@planner
def plan_uniform_convergence_finite(*, n_hypotheses: int, error: float, delta: float) -> int:
    """Return an n at which all training errors of a finite class are within `error` of the risks.

    Examples
    --------
    >>> plan_uniform_convergence_finite(n_hypotheses=1000, error=0.1, delta=0.05)
    530
    """
    share = exact("error", error)
    return least((log_class(n_hypotheses, delta) + log(2)) / (2 * share * share))


@planner
def plan_finite_class_agnostic(*, n_hypotheses: int, error: float, delta: float) -> int:
    """Return an n at which empirical risk minimisation is within `error` of the best rule.

    Examples
    --------
    >>> plan_finite_class_agnostic(n_hypotheses=1000, error=0.1, delta=0.05)
    2120
    """
    half = _arguments.open_fraction("error", error) / 2.0
    return plan_uniform_convergence_finite(n_hypotheses=n_hypotheses, error=half, delta=delta)


@planner
def plan_rectangle(*, dimension: int, error: float, delta: float) -> int:
    """Return an n at which the tightest box around the positives has risk at most `error`.

    Examples
    --------
    >>> plan_rectangle(dimension=2, error=0.1, delta=0.05)
    176
    """
    sides = 2 * _arguments.count("dimension", dimension, at_least=1)
    return least(sides * log_class(sides, delta) / exact("error", error))


@planner
def plan_rectangle_exact(*, dimension: int, error: float, delta: float) -> int:
    """Return the smallest n with 2 d (1 - error / (2 d))^n <= delta, for the tightest box.

    Examples
    --------
    >>> plan_rectangle_exact(dimension=2, error=0.1, delta=0.05)
    174
    """
    sides = 2 * _arguments.count("dimension", dimension, at_least=1)
    share = exact("error", error) / sides
    return least(log_class(sides, delta) / -log_survival(share))


@planner
def plan_realizable(*, vc_dimension: int, error: float, delta: float) -> int:
    """Return an n at which every consistent rule of a class has risk below `error`, closed form.

    Examples
    --------
    >>> plan_realizable(vc_dimension=3, error=0.1, delta=0.05)
    394
    """
    d = _arguments.count("vc_dimension", vc_dimension, at_least=1)
    share = exact("error", error)
    most = max(Decimal(5), d * (5 / share).ln() + log_inverse(delta) + 1)
    return least(5 * most / (2 * share))


@planner
def plan_realizable_exact(*, vc_dimension: int, error: float, delta: float) -> int:
    """Return the smallest n at which `vc.moment_realizable` is at most `error`.

    Examples
    --------
    >>> plan_realizable_exact(vc_dimension=3, error=0.1, delta=0.05)
    186
    """
    if _arguments.open_fraction("error", error) < _LEAST_ERROR:
        domain = f"at least {_LEAST_ERROR:g}; plan_realizable takes any"
        raise _arguments.refuse("error", error, domain)
    enough = plan_realizable(vc_dimension=vc_dimension, error=error, delta=delta)
    return _rounding.smallest_integer(
        lambda n: vc.moment_realizable(n=n, vc_dimension=vc_dimension, delta=delta).bound <= error,
        1,
        enough,
    )


@planner
def plan_blumer(*, vc_dimension: int, error: float, delta: float) -> int:
    """Return the classical size max{(4/e) log2(2/delta), (8d/e) log2(13/e)}, e = error.

    Examples
    --------
    >>> plan_blumer(vc_dimension=3, error=0.1, delta=0.05)
    1686
    """
    d = _arguments.count("vc_dimension", vc_dimension, at_least=1)
    share = exact("error", error)
    by_level = 4 * (log(2) + log_inverse(delta))
    return least(max(by_level, 8 * d * (13 / share).ln()) / log(2) / share)


@planner
def plan_agnostic(*, vc_dimension: int, error: float, delta: float) -> int:
    """Return an n at which empirical risk minimisation over a VC class is within `error`.

    Examples
    --------
    >>> plan_agnostic(vc_dimension=3, error=0.1, delta=0.05)
    18440
    """
    d = _arguments.count("vc_dimension", vc_dimension, at_least=1)
    rate = 8 / exact("error", error) ** 2
    return least(rate * (d * rate.ln() + log_inverse(delta)))


@planner
def plan_uniform_convergence(*, vc_dimension: int, error: float, delta: float) -> int:
    """Return an n at which all training errors of a VC class are within `error` of the risks.

    Examples
    --------
    >>> plan_uniform_convergence(vc_dimension=3, error=0.1, delta=0.05)
    11167
    """
    d = _arguments.count("vc_dimension", vc_dimension, at_least=1)
    rate = 5 / exact("error", error) ** 2
    return least(rate * (d * rate.ln() + log(2) + log_inverse(delta)))


@planner
def lower_two_points(*, error: float, delta: float) -> int:
    """Return an n below which every deterministic learner fails on some target of the class.

    For any class with two rules that agree at one point and differ at another.

    Examples
    --------
    >>> lower_two_points(error=0.1, delta=0.05)
    27
    """
    share = exact("error", error)
    return least((1 - share) / share * log_inverse(delta))


@planner
def lower_vc(*, vc_dimension: int, error: float) -> int:
    """Return an n below which every learner has risk >= `error` with probability >= 1/14.

    That is on some target; so no smaller n is enough for any delta < 1/14.

    Examples
    --------
    >>> lower_vc(vc_dimension=65, error=0.0625)
    33
    """
    d = _arguments.count("vc_dimension", vc_dimension, at_least=2)
    error = _arguments.open_fraction("error", error)
    if error > 1.0 / 8.0:
        raise _arguments.refuse("error", error, "in (0, 1/8]")
    return math.floor(Fraction(d - 1) / (32 * Fraction(error))) + 1


@planner
def plan_restarts(*, success_probability: float, delta: float) -> int:
    """Return how many independent runs make at least one success, except with probability delta.

    Examples
    --------
    >>> plan_restarts(success_probability=0.05, delta=0.05)
    59
    """
    success = _arguments.fraction("success_probability", success_probability)
    if success == 0.0:
        raise _arguments.refuse("success_probability", success_probability, "in (0, 1]")
    level = log_inverse(delta)
    return 1 if success == 1.0 else least(level / -log_survival(success))


@planner
def plan_selection(*, n_restarts: int, error: float, target: float, delta: float) -> int:
    """Return the smallest hold-out on which the best of `n_restarts` runs has risk <= `target`.

    One run at least has risk <= `error`; the run with the fewest errors is taken. Together with
    `plan_restarts` each gets half of delta.

    Examples
    --------
    >>> plan_selection(n_restarts=72, error=0.1, target=0.15, delta=0.025)
    1478
    """
    rivals = _arguments.count("n_restarts", n_restarts, at_least=1) - 1
    error, target = _arguments.fraction("error", error), _arguments.open_fraction("target", target)
    delta = _arguments.open_fraction("delta", delta)
    if not error < target:
        raise _arguments.refuse("target", target, f"above error={error:g}")

    def separates(n: int) -> bool:
        c = _best_cut(n, rivals, error, target)
        good_fails = float(binomial_sf(c, n, error)) if error > 0.0 else 0.0
        return good_fails + rivals * float(binomial_cdf(c, n, target)) <= delta

    return _rounding.smallest_integer(separates, 1, 64) if rivals > 0 else 0


def _best_cut(n: int, rivals: int, error: float, target: float) -> int:
    """Return the largest count at which a good run is likelier than `rivals` bad ones together."""
    if error == 0.0:
        return 0
    per_success = math.log1p(-error) - math.log1p(-target)
    per_error = per_success + math.log(target / error)
    return min(n, max(0, math.ceil((n * per_success - math.log(rivals)) / per_error) - 1))
