"""Gradient descent: go downhill, by a fixed rate or by one that is tried out.

    w ← w − η ∇f(w)

Cauchy (1847); rates in `surelearn.bounds.optimization`.
"""

from dataclasses import dataclass, replace

from surelearn import _arguments
from surelearn._typing import ArrayLike
from surelearn.bounds import Guarantee, optimization
from surelearn.optimizers._trace import Function, Recorder, Trace, lowered

_SHORTEST = 1e-300
_CHECKED = (
    "checked at every step of this run: the value fell by learning_rate/2 x |gradient|² or more, "
    "which is all that the proof asks of the gradient's smoothness"
)


@dataclass(frozen=True, eq=False, kw_only=True, repr=False)
class GradientDescentTrace(Trace):
    """The trace of gradient descent.

    Parameters
    ----------
    every_step_fell
        Whether each step lowered the value by learning_rate/2 · |gradient|² or more.

    Examples
    --------
    >>> trace = gradient_descent(lambda w: (w @ w, 2.0 * w), [1.0], learning_rate=0.1)
    >>> trace.every_step_fell, trace.guarantee(distance=1.0).allows(float(trace.values[-1]))
    (True, True)
    """

    every_step_fell: bool

    def guarantee(self, *, distance: float, strong_convexity: float | None = None) -> Guarantee:
        """Bound how far the last value is above the minimum of a convex function.

        What the theorem asks of smoothness was checked on this run; a run with a step too long for
        it is refused.

        Parameters
        ----------
        distance
            How far the start is from a minimiser, at most.
        strong_convexity
            A constant of strong convexity, if there is one: then the bound falls geometrically.
        """
        if self.n_steps == 0:
            raise ValueError("no step was taken, so there is no rate to state")
        if not self.every_step_fell:
            raise ValueError(
                "a step did not lower the value by learning_rate/2 x |gradient|², so no rate is "
                f"known for this run; the gradient changed up to {self.smoothness:.3g} times as "
                "much as the point: take learning_rate below 1 over that, or leave it out"
            )
        rate = float(self.steps.min())
        if strong_convexity is None:
            found = optimization.gradient_descent(
                distance=distance, learning_rate=rate, smoothness=1.0 / rate, n_steps=self.n_steps
            )
            return replace(found, assumes={"convex": found.assumes["convex"], "descent": _CHECKED})
        found = optimization.gradient_descent_strongly_convex(
            # by convexity, f(w_0) - min f <= |gradient at w_0| x distance
            initial_excess=self.gradient_norms[0] * _arguments.non_negative("distance", distance),
            smoothness=1.0 / rate,
            strong_convexity=strong_convexity,
            n_steps=self.n_steps,
        )
        convex = found.assumes["strongly_convex"]
        return replace(found, assumes={"strongly_convex": convex, "descent": _CHECKED})


def gradient_descent(
    function: Function,
    start: ArrayLike,
    *,
    learning_rate: float | None = None,
    tolerance: float = 1e-6,
    max_iter: int = 1000,
) -> GradientDescentTrace:
    """Go downhill from a start until the gradient is short.

    Parameters
    ----------
    function
        Returns the value and the gradient at a point.
    start
        Where to begin.
    learning_rate
        The rate of every step. Left out, each step tries twice the last rate and halves it until
        the value falls by learning_rate/2 · |gradient|².
    tolerance
        Stop when the gradient's Euclidean norm is at most this.
    max_iter
        The largest number of steps.

    Examples
    --------
    >>> def square(w):
    ...     return w @ w, 2.0 * w
    >>> gradient_descent(square, [1.0], learning_rate=0.9, max_iter=50).point.round(9).tolist()
    [1.4272e-05]
    >>> gradient_descent(square, [1.0], learning_rate=1.1, max_iter=50).reason
    'max_iter=50 steps were taken and the gradient has norm 1.82e+04; the value rose in 50 of them'
    >>> gradient_descent(square, [1.0]).converged
    True
    """
    run, every_step_fell = Recorder(function, start, tolerance, max_iter), True
    rate = 0.5 if learning_rate is None else _arguments.positive("learning_rate", learning_rate)
    while run.goes_on():
        if learning_rate is None:
            rate = _backtrack(run, 2.0 * rate)
            continue
        promised = 0.5 * rate * run.norms[-1] ** 2
        before = run.value
        run.move(run.point - rate * run.gradient, rate)
        every_step_fell &= lowered(before, run.value, promised)
    return run.finish(GradientDescentTrace, every_step_fell=every_step_fell)


def _backtrack(run: Recorder, rate: float) -> float:
    """Halve the rate until the value falls enough, take the step and return its rate."""
    while rate > _SHORTEST:
        point = run.point - rate * run.gradient
        seen = run.evaluate(point)
        fell = lowered(run.value, seen[0], 0.5 * rate * run.norms[-1] ** 2)
        if fell and run.is_finite(*seen):
            run.move(point, rate, seen)
            return rate
        rate *= 0.5
    run.reason = "no step along the gradient lowers the value: the gradient is not the function's"
    return rate
