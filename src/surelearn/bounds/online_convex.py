"""Online convex optimisation with first-order steps: regret to every fixed point.

The learner plays w, is shown a convex loss and steps against its gradient there. `norm` is the
distance of the comparator from the first point, `diameter` that of the set projected onto,
`gradient_norm` a bound on the length of the gradients. Realised bounds are computed from the run.
"""

import math

import numpy as np
from scipy import special

from surelearn import _arguments
from surelearn._typing import ArrayLike
from surelearn.bounds import _rounding
from surelearn.bounds._guarantee import Guarantee, theorem
from surelearn.bounds._online import rounds

_IN_SET = "regret to every point of the set"
_NEAR = "regret to every point within `norm` of the first"
_CONVEX = "the losses are convex and each step uses a subgradient at the point played"
_SHORT = "no gradient is longer than gradient_norm"
_ZINKEVICH = "Zinkevich, ICML (2003)"


@theorem
def gradient_descent_fixed(*, norm: float, gradient_norm: float, n_rounds: int) -> Guarantee:
    """Bound the regret of gradient descent at the rate U / (G sqrt(T)): U G sqrt(T).

    Examples
    --------
    >>> round(gradient_descent_fixed(norm=3.0, gradient_norm=1.0, n_rounds=25).bound, 6)
    15.0
    """
    length = _arguments.positive("norm", norm)
    steepness = _arguments.positive("gradient_norm", gradient_norm)
    return Guarantee(
        quantity=_NEAR,
        bound=_rounding.up(length * steepness * math.sqrt(rounds(n_rounds))),
        assumes={
            "convex": _CONVEX,
            "gradient": _SHORT,
            "learning_rate": "the rate is norm / (gradient_norm sqrt(T)), T known beforehand",
        },
        reference=_ZINKEVICH,
    )


@theorem(realised=("sum_squared_gradients",))
def gradient_descent_realised(
    *, norm: float, learning_rate: float, sum_squared_gradients: float
) -> Guarantee:
    """Bound the regret of a fixed rate by |u|^2 / (2 rate) + (rate / 2) sum of |g|^2.

    Examples
    --------
    >>> guarantee = gradient_descent_realised(
    ...     norm=3.0, learning_rate=0.6, sum_squared_gradients=25.0
    ... )
    >>> round(guarantee.bound, 6)
    15.0
    """
    rate = _arguments.positive("learning_rate", learning_rate)
    squares = _arguments.non_negative("sum_squared_gradients", sum_squared_gradients)
    length = _arguments.non_negative("norm", norm)
    return Guarantee(
        quantity=_NEAR,
        bound=_rounding.up(length * (length / (2.0 * rate)) + 0.5 * rate * squares),
        assumes={
            "convex": _CONVEX,
            "learning_rate": "the rate is fixed; projections onto a convex set are allowed",
        },
        reference=_ZINKEVICH,
    )


@theorem
def gradient_descent_projected(
    *, diameter: float, gradient_norm: float, n_rounds: int, learning_rate: float
) -> Guarantee:
    """Bound the regret of projected steps rate / sqrt(t), at every horizon at once.

    The rate diameter / (sqrt(2) gradient_norm) is best: see `gradient_descent_projected_tuned`.

    Examples
    --------
    >>> guarantee = gradient_descent_projected(
    ...     diameter=2.0, gradient_norm=1.0, n_rounds=100, learning_rate=2.0
    ... )
    >>> round(guarantee.bound, 6)
    29.0
    """
    width, steepness, horizon = _projected_inputs(diameter, gradient_norm, n_rounds)
    rate, root = _arguments.positive("learning_rate", learning_rate), math.sqrt(horizon)
    value = width * (width * root / (2.0 * rate)) + rate * steepness * (root - 0.5) * steepness
    return Guarantee(
        quantity=_IN_SET,
        bound=_rounding.up(value),
        assumes={
            "convex": _CONVEX,
            "gradient": _SHORT,
            "step": "step t is learning_rate / sqrt(t), projected onto the set",
        },
        reference=_ZINKEVICH,
        trivial=width * steepness * horizon,
    )


@theorem
def gradient_descent_projected_tuned(
    *, diameter: float, gradient_norm: float, n_rounds: int
) -> Guarantee:
    """Bound the regret of projected steps D / (G sqrt(2 t)): sqrt(2) D G sqrt(T).

    Examples
    --------
    >>> guarantee = gradient_descent_projected_tuned(
    ...     diameter=2.0, gradient_norm=1.0, n_rounds=100
    ... )
    >>> round(guarantee.bound, 4)
    28.2843
    """
    width, steepness, horizon = _projected_inputs(diameter, gradient_norm, n_rounds)
    return Guarantee(
        quantity=_IN_SET,
        bound=_rounding.up(width * steepness * math.sqrt(2.0 * horizon)),
        assumes={
            "convex": _CONVEX,
            "gradient": _SHORT,
            "step": "step t is D / (G sqrt(2 t)), projected onto the set",
        },
        reference=_ZINKEVICH,
        trivial=width * steepness * horizon,
    )


@theorem(realised=("sum_rates_times_squares",))
def gradient_descent_projected_realised(
    *, diameter: float, learning_rate: float, sum_rates_times_squares: float
) -> Guarantee:
    """Bound the regret of projected steps that never grow, from the gradients of the run.

    `learning_rate` is the last step size; `sum_rates_times_squares` sums step size x |g|^2.

    Examples
    --------
    >>> guarantee = gradient_descent_projected_realised(
    ...     diameter=2.0, learning_rate=0.1, sum_rates_times_squares=18.0
    ... )
    >>> round(guarantee.bound, 6)
    29.0
    """
    width = _arguments.non_negative("diameter", diameter)
    rate = _arguments.positive("learning_rate", learning_rate)
    squares = _arguments.non_negative("sum_rates_times_squares", sum_rates_times_squares)
    return Guarantee(
        quantity=_IN_SET,
        bound=_rounding.up(width * (width / (2.0 * rate)) + 0.5 * squares),
        assumes={
            "convex": _CONVEX,
            "step": "step sizes never grow; each step is projected onto the set",
        },
        reference=_ZINKEVICH,
    )


@theorem(realised=("sum_squared_gradients",))
def gradient_descent_adaptive_realised(
    *, diameter: float, sum_squared_gradients: float
) -> Guarantee:
    """Bound the regret of steps D / sqrt(2 sum of |g|^2 so far): sqrt(2) D sqrt(sum of |g|^2).

    Nothing need be known of the gradients or the horizon, but the set must be bounded.

    Examples
    --------
    >>> guarantee = gradient_descent_adaptive_realised(diameter=2.0, sum_squared_gradients=50.0)
    >>> round(guarantee.bound, 6)
    20.0
    """
    width = _arguments.non_negative("diameter", diameter)
    squares = _arguments.non_negative("sum_squared_gradients", sum_squared_gradients)
    return Guarantee(
        quantity=_IN_SET,
        bound=_rounding.up(width * math.sqrt(2.0 * squares)),
        assumes={
            "convex": _CONVEX,
            "step": "each step, with its own gradient counted, is projected onto the set",
        },
        reference="Streeter and McMahan (2010); Orabona, A Modern Introduction (2019)",
    )


@theorem(realised=("sums_of_squares", "stabiliser"))
def adagrad(*, widths: ArrayLike, sums_of_squares: ArrayLike, stabiliser: float = 0.0) -> Guarantee:
    """Bound the regret of diagonal AdaGrad: sqrt(2) times the sum of width x root of squares.

    Examples
    --------
    >>> round(adagrad(widths=[2.0, 1.0], sums_of_squares=[50.0, 8.0]).bound, 6)
    24.0
    """
    sides = _arguments.vector("widths", widths, low=0.0)
    squares = _arguments.vector("sums_of_squares", sums_of_squares, low=0.0)
    if squares.size != sides.size:
        raise _arguments.refuse("sums_of_squares", squares.tolist(), f"{sides.size} numbers")
    extra = 0.5 * _arguments.non_negative("stabiliser", stabiliser) * float(sides.sum())
    return Guarantee(
        quantity=_IN_SET,
        bound=_rounding.up(float(sides @ np.sqrt(2.0 * squares)) + extra),
        assumes={
            "convex": _CONVEX,
            "step": "step i is width / (sqrt(2 sum of squares so far) + stabiliser), "
            "then projected",
        },
        reference="Duchi, Hazan and Singer, JMLR 12 (2011)",
    )


@theorem
def strongly_convex(*, gradient_norm: float, strong_convexity: float, n_rounds: int) -> Guarantee:
    """Bound the regret of steps 1 / (mu t): G^2 / (2 mu) times 1 + 1/2 + ... + 1/T <= 1 + ln T.

    Examples
    --------
    >>> guarantee = strongly_convex(gradient_norm=1.0, strong_convexity=1.0, n_rounds=100)
    >>> round(guarantee.bound, 6)
    2.593689
    """
    steepness = _arguments.positive("gradient_norm", gradient_norm)
    curvature = _arguments.positive("strong_convexity", strong_convexity)
    harmonic = float(special.digamma(rounds(n_rounds) + 1.0)) + float(np.euler_gamma)
    return Guarantee(
        quantity=_IN_SET,
        bound=_rounding.up(steepness / (2.0 * curvature) * harmonic * steepness),
        assumes={
            "strongly_convex": "every loss is strongly convex with modulus strong_convexity",
            "gradient": _SHORT,
        },
        reference="Hazan, Agarwal and Kale, Machine Learning 69 (2007)",
    )


@theorem(realised=("sum_squares_over_t",))
def strongly_convex_realised(*, strong_convexity: float, sum_squares_over_t: float) -> Guarantee:
    """Bound the regret of steps 1 / (mu t) by the sum of |g_t|^2 / t over 2 mu: often an equality.

    Examples
    --------
    >>> round(strongly_convex_realised(strong_convexity=2.0, sum_squares_over_t=8.0).bound, 6)
    2.0
    """
    curvature = _arguments.positive("strong_convexity", strong_convexity)
    squares = _arguments.non_negative("sum_squares_over_t", sum_squares_over_t)
    return Guarantee(
        quantity=_IN_SET,
        bound=_rounding.up(squares / (2.0 * curvature)),
        assumes={"strongly_convex": "every loss is strongly convex with modulus strong_convexity"},
        reference="Hazan, Agarwal and Kale, Machine Learning 69 (2007)",
    )


@theorem
def exponentiated_gradient(
    *, norm: float, gradient_norm: float, dimension: int, n_rounds: int
) -> Guarantee:
    """Bound the regret of exponentiated gradient: U G sqrt(2 T ln(2 d)), in 1- and max-norm.

    It is Hedge on the 2 d corners of the ball, at the rate sqrt(2 ln(2 d) / T) / (U G).

    Examples
    --------
    >>> guarantee = exponentiated_gradient(
    ...     norm=1.0, gradient_norm=1.0, dimension=1000, n_rounds=500
    ... )
    >>> round(guarantee.bound, 4)
    87.1832
    """
    scale, log_corners, horizon = _corners(norm, gradient_norm, dimension, n_rounds)
    return Guarantee(
        quantity="regret to every point whose 1-norm is at most `norm`",
        bound=_rounding.up(scale * math.sqrt(2.0 * horizon * log_corners)),
        assumes={
            "convex": _CONVEX,
            "gradient": "no coordinate of a gradient exceeds gradient_norm",
            "n_rounds": "T is known",
        },
        reference="Kivinen and Warmuth, Information and Computation 132 (1997)",
        trivial=2.0 * scale * horizon,
    )


@theorem
def exponentiated_gradient_adaptive(
    *, norm: float, gradient_norm: float, dimension: int, n_rounds: int
) -> Guarantee:
    """Bound the regret of AdaHedge on the 2 d corners of the ball, which knows neither G nor T.

    Its realised bound is `regret_adaptive.adahedge_realised`.

    Examples
    --------
    >>> guarantee = exponentiated_gradient_adaptive(
    ...     norm=1.0, gradient_norm=1.0, dimension=1000, n_rounds=500
    ... )
    >>> round(guarantee.bound, 4)
    125.3118
    """
    scale, log_corners, horizon = _corners(norm, gradient_norm, dimension, n_rounds)
    return Guarantee(
        quantity="regret to every point whose 1-norm is at most `norm`",
        bound=_rounding.up(2.0 * scale * (1.0 + math.sqrt(1.0 + horizon * log_corners))),
        assumes={
            "convex": _CONVEX,
            "gradient": "no coordinate of a gradient exceeds gradient_norm",
        },
        reference="surelearn theory pages; sharpens de Rooij et al., JMLR 15 (2014)",
        trivial=2.0 * scale * horizon,
    )


def _projected_inputs(
    diameter: float, gradient_norm: float, n_rounds: int
) -> tuple[float, float, int]:
    width = _arguments.positive("diameter", diameter)
    return width, _arguments.positive("gradient_norm", gradient_norm), rounds(n_rounds)


def _corners(
    norm: float, gradient_norm: float, dimension: int, n_rounds: int
) -> tuple[float, float, int]:
    scale = _arguments.positive("norm", norm) * _arguments.positive("gradient_norm", gradient_norm)
    corners = 2 * _arguments.count("dimension", dimension, at_least=1)
    return scale, math.log(corners), rounds(n_rounds)
