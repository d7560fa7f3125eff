"""Limited-memory BFGS: Newton's method with the curvature read off the last few steps.

    d = −H g,   w ← w + t d,   H from the pairs (change of w, change of g)

Nocedal (1980); weak Wolfe conditions by bisection (Lewis and Overton, 2013), relaxed to what
rounding shows (Hager and Zhang, 2005).
"""

import math
from collections import deque
from collections.abc import Callable
from typing import TypeAlias

from surelearn import _arguments
from surelearn._typing import ArrayLike, Vector
from surelearn.optimizers._trace import Function, Recorder, Trace

Pairs: TypeAlias = deque[tuple[Vector, Vector, float]]
"""The last changes of point and gradient, with 1 / their inner product."""

_FALL, _FLATTEN = 1e-4, 0.9  # Armijo's and Wolfe's constants
_SEEN = 1e-13  # of a value: smaller changes drown in the rounding of a long sum
_TRIES = 50


def limited_memory_bfgs(
    function: Function,
    start: ArrayLike,
    *,
    precondition: Callable[[Vector], Vector] | None = None,
    tolerance: float = 1e-6,
    max_iter: int = 1000,
    memory: int = 10,
) -> Trace:
    """Minimise a smooth function by quasi-Newton steps.

    Parameters
    ----------
    function, start, tolerance, max_iter
        As for `gradient_descent`.
    precondition
        Multiplies a vector by a guess of the inverse Hessian. With the exact one, the first step is
        Newton's; left out, the guess is a multiple of the identity.
    memory
        How many steps are remembered.

    Examples
    --------
    >>> trace = limited_memory_bfgs(lambda w: ((w**4).sum() + w @ w, 4 * w**3 + 2 * w), [3.0, 1.0])
    >>> trace.converged, bool(abs(trace.point).max() < 1e-6)
    (True, True)
    """
    if precondition is not None:
        _arguments.function("precondition", precondition)
    kept = _arguments.count("memory", memory)
    run, pairs = Recorder(function, start, tolerance, max_iter), Pairs(maxlen=kept)
    while run.goes_on():
        direction = -_multiply(pairs, run.gradient, precondition)
        if not run.gradient @ direction < 0.0:  # NaN too: forget the curvature and go downhill
            pairs.clear()
            direction = -run.gradient
        point, gradient = run.point, run.gradient
        first = 1.0 if pairs or precondition else min(1.0, 1.0 / run.norms[-1])
        _search(run, direction, first)
        change, bend = run.point - point, run.gradient - gradient
        product = float(change @ bend)
        # Wolfe's condition makes it positive; where only rounding was seen, the pair is left out.
        if product > 0.0:
            pairs.append((change, bend, 1.0 / product))
    return run.finish(Trace)


def _multiply(
    pairs: Pairs, gradient: Vector, precondition: Callable[[Vector], Vector] | None
) -> Vector:
    """Multiply by the inverse Hessian that the pairs suggest: Nocedal's two loops."""
    result, weights = gradient.copy(), list[float]()
    for change, bend, inverse in reversed(pairs):
        weights.append(inverse * float(change @ result))
        result -= weights[-1] * bend
    if precondition is not None:
        result = precondition(result)
    elif pairs:
        _, bend, inverse = pairs[-1]
        result /= inverse * float(bend @ bend)
    for (change, bend, inverse), weight in zip(pairs, reversed(weights), strict=True):
        result += (weight - inverse * float(bend @ result)) * change
    return result


def _search(run: Recorder, direction: Vector, step: float) -> None:
    """Move along the direction to where the value fell and the slope has flattened."""
    slope, low, high = float(run.gradient @ direction), 0.0, math.inf
    for _ in range(_TRIES):
        point = run.point + step * direction
        value, gradient = run.evaluate(point)
        there = float(gradient @ direction)
        fell = value <= run.value + _FALL * step * slope
        level = value <= run.value + _SEEN * abs(run.value) and there <= (2 * _FALL - 1.0) * slope
        if not run.is_finite(value, gradient) or not (fell or level):
            high = step
        elif there < _FLATTEN * slope:
            low = step
        else:
            run.move(point, step, (value, gradient))
            return
        step = 2.0 * low if math.isinf(high) else 0.5 * (low + high)
    run.reason = (
        f"no step lowers the value: the gradient of norm {run.norms[-1]:.3g} is rounding, or not "
        "the function's"
    )
