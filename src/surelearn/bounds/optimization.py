"""How near the minimum first-order methods are after a given number of exact gradients.

Every statement here is sure: it holds for each function of its class. Noisy gradients are in
`surelearn.bounds.stochastic_gradient`. `excess` is always f(w) - min f, and `distance` the
Euclidean distance of the start from a minimiser.
"""

import math

from surelearn import _arguments
from surelearn.bounds import _rounding
from surelearn.bounds._guarantee import Guarantee, theorem

_CONVEX = "f is convex and attains its minimum"
_STRONGLY_CONVEX = "f is strongly convex with the given constant"
_SMOOTH = "the gradient of f is Lipschitz with the given constant"
_LOG_SMALLEST = -700.0  # a power below exp(-700) is rounded up to it: a bound never underflows to 0


@theorem
def gradient_descent(
    *, distance: float, learning_rate: float, smoothness: float, n_steps: int
) -> Guarantee:
    """Bound the excess of the last point by distance² / (2 learning_rate n_steps).

    The learning rate must be at most 1 / smoothness: beyond 2 / smoothness the method may diverge.

    Examples
    --------
    >>> round(gradient_descent(distance=1, learning_rate=0.5, smoothness=2, n_steps=50).bound, 10)
    0.02
    """
    distance = _arguments.non_negative("distance", distance)
    smoothness = _arguments.positive("smoothness", smoothness)
    learning_rate = _learning_rate_at_most(learning_rate, 1.0 / smoothness)
    n_steps = _arguments.count("n_steps", n_steps, at_least=1)
    return Guarantee(
        quantity="f(w_T) - min f",
        bound=_rounding.up(distance**2 / (2.0 * learning_rate * n_steps)),
        assumes={"convex": _CONVEX, "smooth": _SMOOTH},
        reference="Nesterov, Introductory Lectures on Convex Optimization (2004)",
        trivial=smoothness * distance**2 / 2.0,
    )


@theorem
def gradient_descent_strongly_convex(
    *, initial_excess: float, smoothness: float, strong_convexity: float, n_steps: int
) -> Guarantee:
    """Bound the excess of the last point by (1 - strong_convexity / smoothness)^T initial_excess.

    Examples
    --------
    >>> guarantee = gradient_descent_strongly_convex(
    ...     initial_excess=1, smoothness=10, strong_convexity=1, n_steps=20
    ... )
    >>> round(guarantee.bound, 6)
    0.121577
    """
    initial_excess = _arguments.non_negative("initial_excess", initial_excess)
    rate, rest = _inverse_condition(smoothness, strong_convexity)
    return Guarantee(
        quantity="f(w_T) - min f",
        bound=_rounding.up(_power(rate, rest, n_steps) * initial_excess),
        assumes={
            "strongly_convex": _STRONGLY_CONVEX,
            "smooth": _SMOOTH,
            "learning_rate": "the learning rate is 1 / smoothness",
        },
        reference="Polyak, Gradient methods for minimizing functionals (1963)",
        trivial=initial_excess,
    )


@theorem
def gradient_descent_nonconvex(
    *, initial_excess: float, learning_rate: float, smoothness: float, n_steps: int
) -> Guarantee:
    """Bound the least squared gradient norm met in n_steps steps; f need not be convex.

    Examples
    --------
    >>> guarantee = gradient_descent_nonconvex(
    ...     initial_excess=1, learning_rate=0.5, smoothness=2, n_steps=100
    ... )
    >>> round(guarantee.bound, 10)
    0.04
    """
    initial_excess = _arguments.non_negative("initial_excess", initial_excess)
    smoothness = _arguments.positive("smoothness", smoothness)
    learning_rate = _learning_rate_at_most(learning_rate, 1.0 / smoothness)
    n_steps = _arguments.count("n_steps", n_steps, at_least=1)
    return Guarantee(
        quantity="min over t < T of |gradient at w_t|²",
        bound=_rounding.up(2.0 * initial_excess / (learning_rate * n_steps)),
        assumes={
            "smooth": _SMOOTH,
            "bounded_below": "f is bounded below: initial_excess is f(w_0) - inf f or more",
        },
        reference="Nesterov, Introductory Lectures on Convex Optimization (2004)",
        trivial=2.0 * smoothness * initial_excess,
    )


@theorem
def nesterov(*, distance: float, smoothness: float, n_steps: int) -> Guarantee:
    """Bound the excess of accelerated gradient descent by 2 smoothness distance² / (T + 1)².

    Examples
    --------
    >>> round(nesterov(distance=1, smoothness=2, n_steps=19).bound, 10)
    0.01
    """
    distance = _arguments.non_negative("distance", distance)
    smoothness = _arguments.positive("smoothness", smoothness)
    n_steps = _arguments.count("n_steps", n_steps, at_least=1)
    return Guarantee(
        quantity="f(w_T) - min f",
        bound=_rounding.up(2.0 * smoothness * distance**2 / (n_steps + 1.0) ** 2),
        assumes={
            "convex": _CONVEX,
            "smooth": _SMOOTH,
            "momentum": "momentum follows t_{k+1} = (1 + sqrt(1 + 4 t_k²)) / 2",
        },
        reference="Nesterov (1983); Beck and Teboulle, SIAM J. Imaging Sciences 2 (2009)",
        trivial=smoothness * distance**2 / 2.0,
    )


@theorem
def nesterov_strongly_convex(
    *,
    distance: float,
    initial_excess: float,
    smoothness: float,
    strong_convexity: float,
    n_steps: int,
) -> Guarantee:
    """Bound the excess by (1 - s)^T (initial_excess + strong_convexity distance² / 2).

    Here s = sqrt(strong_convexity / smoothness): the square root is the whole gain.

    Examples
    --------
    >>> guarantee = nesterov_strongly_convex(
    ...     distance=1, initial_excess=1, smoothness=100, strong_convexity=1, n_steps=50
    ... )
    >>> round(guarantee.bound, 6)
    0.007731
    """
    distance = _arguments.non_negative("distance", distance)
    initial_excess = _arguments.non_negative("initial_excess", initial_excess)
    rate, rest = _inverse_condition(smoothness, strong_convexity)
    root = math.sqrt(rate)
    potential = initial_excess + strong_convexity * distance**2 / 2.0
    return Guarantee(
        quantity="f(w_T) - min f",
        bound=_rounding.up(_power(root, rest / (1.0 + root), n_steps) * potential),
        assumes={
            "strongly_convex": _STRONGLY_CONVEX,
            "smooth": _SMOOTH,
            "momentum": "constant momentum (1 - s) / (1 + s), started at rest",
        },
        reference="Nesterov, Introductory Lectures on Convex Optimization (2004)",
        trivial=initial_excess,
    )


@theorem
def heavy_ball(
    *,
    distance: float,
    initial_excess: float,
    learning_rate: float,
    momentum: float,
    smoothness: float,
    n_steps: int,
) -> Guarantee:
    """Bound the mean excess of w_0 .. w_T, hence that of their average, under Polyak's momentum.

    The learning rate must be at most (1 - momentum) / smoothness.

    Examples
    --------
    >>> guarantee = heavy_ball(
    ...     distance=1, initial_excess=1, learning_rate=0.05, momentum=0.9, smoothness=2, n_steps=99
    ... )
    >>> round(guarantee.bound, 10)
    0.1
    """
    distance = _arguments.non_negative("distance", distance)
    initial_excess = _arguments.non_negative("initial_excess", initial_excess)
    smoothness = _arguments.positive("smoothness", smoothness)
    rest = 1.0 - _arguments.fraction("momentum", momentum)
    if rest == 0.0:
        raise _arguments.refuse("momentum", momentum, "in [0, 1)")
    learning_rate = _learning_rate_at_most(learning_rate, rest / smoothness)
    total = rest * distance**2 / (2.0 * learning_rate) + momentum / rest * initial_excess
    return Guarantee(
        quantity="the mean over t <= T of f(w_t) - min f",
        bound=_rounding.up(total / (_arguments.count("n_steps", n_steps) + 1.0)),
        assumes={"convex": _CONVEX, "smooth": _SMOOTH, "start": "the method starts at rest"},
        reference="Ghadimi, Feyzmahdavian and Johansson, European Control Conference (2015)",
        trivial=smoothness * distance**2 / 2.0,
    )


@theorem
def heavy_ball_quadratic(
    *, distance: float, smoothness: float, strong_convexity: float, n_steps: int
) -> Guarantee:
    """Bound the distance to the minimiser of a quadratic by 4 T rho^T distance.

    rho = (1 - s) / (1 + s), s = sqrt(strong_convexity / smoothness). It fails for other convex
    functions, where the method may cycle for ever.

    Examples
    --------
    >>> guarantee = heavy_ball_quadratic(
    ...     distance=1, smoothness=25, strong_convexity=1, n_steps=20
    ... )
    >>> round(guarantee.bound, 6)
    0.024058
    """
    distance = _arguments.non_negative("distance", distance)
    rate, rest = _inverse_condition(smoothness, strong_convexity)
    root = math.sqrt(rate)
    n_steps = _arguments.count("n_steps", n_steps, at_least=1)
    contraction = _power(2.0 * root / (1.0 + root), rest / (1.0 + root) ** 2, n_steps)
    return Guarantee(
        quantity="|w_T - w*|",
        bound=_rounding.up(4.0 * n_steps * contraction * distance),
        assumes={
            "quadratic": "f is quadratic with curvature between strong_convexity and smoothness",
            "start": "learning rate 4 / (sqrt(L) + sqrt(mu))² and momentum rho², started at rest",
        },
        reference="Polyak, USSR Computational Mathematics 4 (1964)",
        trivial=distance,
    )


def plan_gradient_descent_steps(
    *, distance: float, learning_rate: float, smoothness: float, excess: float
) -> int:
    """Return the least number of steps after which gradient descent is within `excess`.

    Examples
    --------
    >>> plan_gradient_descent_steps(distance=1, learning_rate=0.5, smoothness=2, excess=0.003)
    334
    """
    gradient_descent(
        distance=distance, learning_rate=learning_rate, smoothness=smoothness, n_steps=1
    )
    aim = (
        2
        * _rounding.exactly(learning_rate)
        * _rounding.exactly(_arguments.positive("excess", excess))
    )
    return max(1, math.ceil(_rounding.exactly(distance) ** 2 / aim))


def plan_nesterov_steps(*, distance: float, smoothness: float, excess: float) -> int:
    """Return the least number of steps after which accelerated descent is within `excess`.

    Examples
    --------
    >>> plan_nesterov_steps(distance=1, smoothness=2, excess=0.003)
    36
    """
    nesterov(distance=distance, smoothness=smoothness, n_steps=1)
    aim = _rounding.exactly(_arguments.positive("excess", excess))
    least_square = math.ceil(
        2 * _rounding.exactly(smoothness) * _rounding.exactly(distance) ** 2 / aim
    )
    return max(1, math.isqrt(least_square - 1)) if least_square > 0 else 1


def _learning_rate_at_most(learning_rate: float, limit: float) -> float:
    rate = _arguments.positive("learning_rate", learning_rate)
    if rate > limit * (1.0 + 1e-13):  # a limit computed in floats; the outward rounding pays for it
        raise _arguments.refuse(
            "learning_rate", learning_rate, f"at most {limit:g} for this theorem"
        )
    return rate


def _inverse_condition(smoothness: float, strong_convexity: float) -> tuple[float, float]:
    """Return mu / L, and 1 - mu / L with all its digits where mu is near L."""
    smoothness = _arguments.positive("smoothness", smoothness)
    strong_convexity = _arguments.positive("strong_convexity", strong_convexity)
    if strong_convexity > smoothness:
        raise _arguments.refuse("strong_convexity", strong_convexity, f"at most {smoothness:g}")
    return strong_convexity / smoothness, (smoothness - strong_convexity) / smoothness


def _power(rate: float, rest: float, n_steps: int) -> float:
    """Return rest^n_steps for rest = 1 - rate, never below exp(-700) unless it is exactly 0."""
    n_steps = _arguments.count("n_steps", n_steps)
    if rest == 0.0:
        return 0.0 if n_steps > 0 else 1.0
    log_rest = math.log(rest) if rate > 0.5 else math.log1p(-rate)
    return math.exp(max(n_steps * log_rest, _LOG_SMALLEST))
