"""Momentum: steps that remember the last one.

    heavy ball   V ← αV − η ∇f(w),  w ← w + V
    Nesterov     y = x + β(x − x_before),  x ← y − η ∇f(y)

Polyak (1964); Nesterov (1983); rates in `surelearn.bounds.optimization`.
"""

import math
from dataclasses import dataclass, replace

import numpy as np

from surelearn import _arguments
from surelearn._typing import ArrayLike, Vector
from surelearn.bounds import Guarantee, optimization
from surelearn.optimizers._trace import Function, Recorder, Trace, lowered

_CHECKED = (
    "checked at every step of this run: f(x) <= f(y) - learning_rate/2 x |gradient at y|², which "
    "is all that the proof asks of the gradient's smoothness"
)


@dataclass(frozen=True, eq=False, kw_only=True, repr=False)
class MomentumTrace(Trace):
    """The trace of the heavy ball.

    Parameters
    ----------
    average
        The mean of all points, the start among them: the theorem speaks of it.
    momentum
        The α of the run.

    Examples
    --------
    >>> trace = momentum(lambda w: (w @ w / 2, w), [1.0], learning_rate=0.1, max_iter=3)
    >>> trace.average.round(4).tolist()
    [0.7765]
    """

    average: Vector
    momentum: float

    def guarantee(self, *, distance: float, smoothness: float) -> Guarantee:
        """Bound the mean excess of all points, hence that of `average`, for a convex function.

        Parameters
        ----------
        distance
            How far the start is from a minimiser, at most.
        smoothness
            A Lipschitz constant of the gradient; one that this run refutes is refused. The
            learning rate must be at most (1 − momentum)/smoothness.
        """
        return optimization.heavy_ball(
            distance=distance,
            initial_excess=self.gradient_norms[0] * _arguments.non_negative("distance", distance),
            learning_rate=float(self.steps.max(initial=0.0)),
            momentum=self.momentum,
            smoothness=self._check_smoothness(smoothness),
            n_steps=self.n_steps,
        )


@dataclass(frozen=True, eq=False, kw_only=True, repr=False)
class NesterovTrace(Trace):
    """The trace of accelerated gradient descent.

    Parameters
    ----------
    strong_convexity
        The constant that set the momentum; 0 if the momentum grew instead.
    every_step_fell
        Whether each step from y lowered the value by learning_rate/2 · |gradient at y|² or more.

    Examples
    --------
    >>> trace = nesterov(lambda w: (w @ w, 2.0 * w), [1.0], learning_rate=0.4, max_iter=20)
    >>> trace.guarantee(distance=1.0).allows(float(trace.values[-1]))
    True
    """

    strong_convexity: float
    every_step_fell: bool

    def guarantee(self, *, distance: float) -> Guarantee:
        """Bound how far the last value is above the minimum of a convex function.

        Parameters
        ----------
        distance
            How far the start is from a minimiser, at most.
        """
        if self.n_steps == 0 or not self.every_step_fell:
            raise ValueError(
                "a step did not lower the value by learning_rate/2 x |gradient|², or none was "
                "taken, so no rate is known for this run; take a shorter learning_rate"
            )
        smoothness = 1.0 / float(self.steps[0])
        if self.strong_convexity == 0.0:
            found = optimization.nesterov(
                distance=distance, smoothness=smoothness, n_steps=self.n_steps
            )
        else:
            found = optimization.nesterov_strongly_convex(
                distance=distance,
                initial_excess=self.gradient_norms[0]
                * _arguments.non_negative("distance", distance),
                smoothness=smoothness,
                strong_convexity=self.strong_convexity,
                n_steps=self.n_steps,
            )
        kept = {key: phrase for key, phrase in found.assumes.items() if key.endswith("convex")}
        return replace(found, assumes={**kept, "descent": _CHECKED})


def momentum(
    function: Function,
    start: ArrayLike,
    *,
    learning_rate: float,
    momentum: float = 0.9,
    tolerance: float = 1e-6,
    max_iter: int = 1000,
) -> MomentumTrace:
    """Roll downhill like a heavy ball.

    Parameters
    ----------
    function, start, tolerance, max_iter
        As for `gradient_descent`.
    learning_rate
        The rate η of every step.
    momentum
        How much of the last step is kept, α in [0, 1); 0 is gradient descent.

    Examples
    --------
    >>> trace = momentum(lambda w: (w @ w / 2, w), [1.0], learning_rate=0.1, max_iter=3)
    >>> trace.point.round(6).tolist()
    [0.486]
    """
    rate = _arguments.positive("learning_rate", learning_rate)
    if _arguments.fraction("momentum", momentum) == 1.0:
        raise _arguments.refuse("momentum", momentum, "in [0, 1)")
    run = Recorder(function, start, tolerance, max_iter)
    velocity, total = np.zeros_like(run.point), run.point.copy()
    while run.goes_on():
        velocity = momentum * velocity - rate * run.gradient
        run.move(run.point + velocity, rate)
        total += run.point if not run.reason else 0.0
    average = total / (len(run.steps) + 1)
    return run.finish(MomentumTrace, average=average, momentum=float(momentum))


def nesterov(
    function: Function,
    start: ArrayLike,
    *,
    learning_rate: float,
    strong_convexity: float = 0.0,
    tolerance: float = 1e-6,
    max_iter: int = 1000,
) -> NesterovTrace:
    """Accelerate gradient descent by looking ahead; each step evaluates the function twice.

    Parameters
    ----------
    function, start, tolerance, max_iter
        As for `gradient_descent`.
    learning_rate
        The rate of every step; the theorem wants 1/smoothness.
    strong_convexity
        A constant of strong convexity: the momentum is then (1 − s)/(1 + s) with
        s = √(strong_convexity · learning_rate). With 0 it grows towards 1.

    Examples
    --------
    >>> trace = nesterov(lambda w: (w @ w, 2.0 * w), [1.0], learning_rate=0.25, max_iter=2)
    >>> trace.point.round(6).tolist()
    [0.25]
    """
    rate = _arguments.positive("learning_rate", learning_rate)
    root = math.sqrt(_arguments.non_negative("strong_convexity", strong_convexity) * rate)
    if root > 1.0:
        raise _arguments.refuse("strong_convexity", strong_convexity, f"at most {1.0 / rate:g}")
    run = Recorder(function, start, tolerance, max_iter)
    before, fell, t = run.point, True, 1.0
    share = (1.0 - root) / (1.0 + root) if root > 0.0 else 0.0
    while run.goes_on():
        ahead = run.point + share * (run.point - before)
        value, gradient = run.evaluate(ahead)
        before = run.point
        run.move(ahead - rate * gradient, rate)
        fell &= lowered(value, run.value, 0.5 * rate * float(gradient @ gradient))
        if root == 0.0:
            following = (1.0 + math.sqrt(1.0 + 4.0 * t * t)) / 2.0
            share, t = (t - 1.0) / following, following
    return run.finish(NesterovTrace, strong_convexity=float(strong_convexity), every_step_fell=fell)
