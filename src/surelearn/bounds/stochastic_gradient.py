"""How near the minimum stochastic gradient descent is after a given number of noisy gradients.

The gradients are unbiased given the past: examples drawn independently and with replacement.
Shuffled epochs are not covered by any proof here. `excess` is f(w) - min f.
"""

import math

import numpy as np
from scipy import special

from surelearn import _arguments
from surelearn.bounds import _rounding
from surelearn.bounds._guarantee import Guarantee, Validity, theorem

_UNBIASED = "given the past, each gradient has expectation in the subdifferential of f"
_CONVEX = "f is convex on a closed convex set onto which the method projects"
_STRONGLY_CONVEX = "f is strongly convex on a closed convex set onto which the method projects"
_BOUNDED = "no gradient is longer than gradient_bound"
_PEGASOS = {
    "rows": "rows are drawn uniformly with replacement, none longer than radius",
    "start": "the method starts at 0 and there is no unpenalised intercept",
}
_SHALEV = "Shalev-Shwartz, Singer, Srebro and Cotter, Mathematical Programming 127 (2011)"


@theorem
def sgd(*, diameter: float, gradient_bound: float, n_steps: int) -> Guarantee:
    """Bound the expected excess of the average point by diameter gradient_bound / sqrt(T).

    Examples
    --------
    >>> round(sgd(diameter=2, gradient_bound=1, n_steps=400).bound, 10)
    0.1
    """
    scale, n_steps = _convex_scale(diameter, gradient_bound, n_steps)
    return Guarantee(
        quantity="E f(average of w_1 .. w_T) - min f",
        bound=_rounding.up(scale / math.sqrt(n_steps)),
        assumes={
            "unbiased_gradient": _UNBIASED,
            "convex": _CONVEX,
            "bounded_gradient": _BOUNDED,
            "learning_rate": "learning rate diameter / (bound sqrt(T))",
        },
        reference="Zinkevich, ICML (2003); Nemirovski et al., SIAM J. Optimization 19 (2009)",
        confidence=None,
        validity="in-expectation",
        trivial=scale,
    )


@theorem
def sgd_high_probability(
    *, diameter: float, gradient_bound: float, n_steps: int, delta: float
) -> Guarantee:
    """Bound the excess of the average point with probability 1 - delta.

    Examples
    --------
    >>> guarantee = sgd_high_probability(diameter=2, gradient_bound=1, n_steps=400, delta=0.05)
    >>> round(guarantee.bound, 6)
    0.344775
    """
    scale, n_steps = _convex_scale(diameter, gradient_bound, n_steps)
    deviation = math.sqrt(-2.0 * math.log(_arguments.open_fraction("delta", delta)))
    return Guarantee(
        quantity="f(average of w_1 .. w_T) - min f",
        bound=_rounding.up(scale * (1.0 + deviation) / math.sqrt(n_steps)),
        assumes={
            "unbiased_gradient": _UNBIASED,
            "convex": _CONVEX,
            "bounded_gradient": _BOUNDED,
            "learning_rate": "learning rate diameter / (bound sqrt(T))",
        },
        reference="Nemirovski et al., SIAM J. Optimization 19 (2009)",
        confidence=_arguments.confidence_from(delta),
        validity="fixed-n",
        trivial=scale,
    )


@theorem
def sgd_strongly_convex(
    *, gradient_bound: float, strong_convexity: float, n_steps: int
) -> Guarantee:
    """Bound the expected excess of the average point by G² H_T / (2 mu T), H_T = 1 + ... + 1/T.

    Examples
    --------
    >>> guarantee = sgd_strongly_convex(gradient_bound=1, strong_convexity=0.1, n_steps=1000)
    >>> round(guarantee.bound, 6)
    0.037427
    """
    curvature = _arguments.positive("strong_convexity", strong_convexity)
    scale, n_steps = _squared_scale("gradient_bound", gradient_bound, curvature, n_steps)
    return Guarantee(
        quantity="E f(average of w_1 .. w_T) - min f",
        bound=_rounding.up(scale * _harmonic(n_steps) / (2.0 * n_steps)),
        assumes={
            "unbiased_gradient": _UNBIASED,
            "strongly_convex": _STRONGLY_CONVEX,
            "bounded_gradient": _BOUNDED,
            "learning_rate": "learning rate 1 / (mu t)",
        },
        reference="Hazan, Agarwal and Kale, Machine Learning 69 (2007)",
        confidence=None,
        validity="in-expectation",
        trivial=scale / 2.0,
    )


@theorem
def sgd_strongly_convex_high_probability(
    *, gradient_bound: float, strong_convexity: float, n_steps: int, delta: float
) -> Guarantee:
    """Bound the excess of the average point under strong convexity with probability 1 - delta.

    Examples
    --------
    >>> guarantee = sgd_strongly_convex_high_probability(
    ...     gradient_bound=1, strong_convexity=0.1, n_steps=1000, delta=0.05
    ... )
    >>> round(guarantee.bound, 6)
    0.187201
    """
    curvature = _arguments.positive("strong_convexity", strong_convexity)
    scale, n_steps = _squared_scale("gradient_bound", gradient_bound, curvature, n_steps)
    return Guarantee(
        quantity="f(average of w_1 .. w_T) - min f",
        bound=_rounding.up(scale * _martingale_factor(_harmonic(n_steps) / 2.0, delta) / n_steps),
        assumes={
            "unbiased_gradient": _UNBIASED,
            "strongly_convex": _STRONGLY_CONVEX,
            "bounded_gradient": _BOUNDED,
            "learning_rate": "learning rate 1 / (mu t)",
        },
        reference="surelearn theory pages; sharpens Kakade and Tewari, NeurIPS (2008)",
        confidence=_arguments.confidence_from(delta),
        validity="fixed-n",
        trivial=scale / 2.0,
    )


@theorem(realised=("radius",))
def pegasos(*, radius: float, regularization: float, n_steps: int) -> Guarantee:
    """Bound the expected excess of the average point of Pegasos by 2 X² H_T / (lambda T).

    Examples
    --------
    >>> round(pegasos(radius=1, regularization=0.01, n_steps=1000).bound, 6)
    1.497094
    """
    scale, n_steps = _squared_scale("radius", radius, regularization, n_steps)
    return _pegasos(
        quantity="E F(average of w_1 .. w_T) - min F",
        bound=2.0 * scale * _harmonic(n_steps) / n_steps,
        reference=_SHALEV,
        validity="in-expectation",
        scale=scale,
    )


@theorem(realised=("radius",))
def pegasos_high_probability(
    *, radius: float, regularization: float, n_steps: int, delta: float
) -> Guarantee:
    """Bound the excess of the average point of Pegasos with probability 1 - delta, T fixed.

    Examples
    --------
    >>> guarantee = pegasos_high_probability(
    ...     radius=1, regularization=0.01, n_steps=1000, delta=0.05
    ... )
    >>> round(guarantee.bound, 4)
    3.5635
    """
    scale, n_steps = _squared_scale("radius", radius, regularization, n_steps)
    return _pegasos(
        quantity="F(average of w_1 .. w_T) - min F",
        bound=scale * _martingale_factor(2.0 * _harmonic(n_steps), delta) / n_steps,
        reference="surelearn theory pages; sharpens Kakade and Tewari, NeurIPS (2008)",
        validity="fixed-n",
        scale=scale,
        delta=delta,
    )


@theorem(realised=("radius",))
def pegasos_anytime(
    *, radius: float, regularization: float, n_steps: int, delta: float
) -> Guarantee:
    """Bound the excess of the average point of Pegasos at all T at once: 4 X² (H_T + ln 1/delta).

    The whole is divided by lambda T. Use it when the number of steps is decided while running.

    Examples
    --------
    >>> guarantee = pegasos_anytime(radius=1, regularization=0.01, n_steps=1000, delta=0.05)
    >>> round(guarantee.bound, 4)
    4.1925
    """
    scale, n_steps = _squared_scale("radius", radius, regularization, n_steps)
    log_level = -math.log(_arguments.open_fraction("delta", delta))
    return _pegasos(
        quantity="F(average of w_1 .. w_T) - min F",
        bound=4.0 * scale * (_harmonic(n_steps) + log_level) / n_steps,
        reference="surelearn theory pages; sharpens Kakade and Tewari, NeurIPS (2008)",
        validity="anytime",
        scale=scale,
        delta=delta,
    )


@theorem(realised=("radius",))
def pegasos_weighted(*, radius: float, regularization: float, n_steps: int) -> Guarantee:
    """Bound the expected excess of the average with weights t: 8 X² / (lambda (T + 1)).

    The learning rate is 2 / (lambda (t + 1)); the logarithm of the plain average is gone.

    Examples
    --------
    >>> round(pegasos_weighted(radius=1, regularization=0.01, n_steps=1000).bound, 6)
    0.799201
    """
    scale, n_steps = _squared_scale("radius", radius, regularization, n_steps)
    return _pegasos(
        quantity="E F(sum of t w_t, divided by T (T + 1) / 2) - min F",
        bound=8.0 * scale / (n_steps + 1.0),
        reference="Lacoste-Julien, Schmidt and Bach, arXiv 1212.2002 (2012)",
        validity="in-expectation",
        scale=scale,
    )


def plan_sgd_steps(*, diameter: float, gradient_bound: float, excess: float) -> int:
    """Return the least T for which the expected excess of SGD is at most `excess`.

    Examples
    --------
    >>> plan_sgd_steps(diameter=2, gradient_bound=1, excess=0.03)
    4445
    """
    sgd(diameter=diameter, gradient_bound=gradient_bound, n_steps=1)
    aim = _rounding.exactly(_arguments.positive("excess", excess))
    return max(
        1, math.ceil((_rounding.exactly(diameter) * _rounding.exactly(gradient_bound) / aim) ** 2)
    )


def plan_pegasos_steps(*, radius: float, regularization: float, excess: float, delta: float) -> int:
    """Return the least T at which `pegasos_high_probability` is at most `excess`.

    Examples
    --------
    >>> plan_pegasos_steps(radius=1, regularization=0.01, excess=0.1, delta=0.05)
    46150
    """
    excess = _arguments.positive("excess", excess)

    def enough(n_steps: int) -> bool:
        inputs = {"radius": radius, "regularization": regularization, "delta": delta}
        return excess >= pegasos_high_probability(**inputs, n_steps=n_steps).bound

    return _rounding.smallest_integer(enough, 1, 1)


def _pegasos(
    *,
    quantity: str,
    bound: float,
    reference: str,
    validity: Validity,
    scale: float,
    delta: float | None = None,
) -> Guarantee:
    return Guarantee(
        quantity=quantity,
        bound=_rounding.up(bound),
        assumes=_PEGASOS,
        reference=reference,
        confidence=None if delta is None else _arguments.confidence_from(delta),
        validity=validity,
        trivial=2.0 * scale,
    )


def _convex_scale(diameter: float, gradient_bound: float, n_steps: int) -> tuple[float, int]:
    diameter = _arguments.non_negative("diameter", diameter)
    gradient_bound = _arguments.non_negative("gradient_bound", gradient_bound)
    return diameter * gradient_bound, _arguments.count("n_steps", n_steps, at_least=1)


def _squared_scale(
    name: str, length: float, regularization: float, n_steps: int
) -> tuple[float, int]:
    length = _arguments.non_negative(name, length)
    regularization = _arguments.positive("regularization", regularization)
    return length**2 / regularization, _arguments.count("n_steps", n_steps, at_least=1)


def _martingale_factor(harmonic: float, delta: float) -> float:
    """Return the least (h + L/c) / (1 - c) over 0 < c < 1, with L = ln(1/delta)."""
    log_level = -math.log(_arguments.open_fraction("delta", delta))
    return (math.sqrt(harmonic + log_level) + math.sqrt(log_level)) ** 2


def _harmonic(n: int) -> float:
    return float(special.digamma(n + 1.0)) + np.euler_gamma
