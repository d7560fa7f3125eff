"""Stochastic gradient descent: step along the gradient of a few examples drawn at random.

    w ← projection of w − η_t g_t,   E[g_t | w] = ∇f(w)

Robbins and Monro (1951); rates in `surelearn.bounds.stochastic_gradient`.
"""

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, TypeAlias, cast

import numpy as np

from surelearn import _arguments
from surelearn._shown import Shown
from surelearn._typing import ArrayLike, Indices, Vector
from surelearn.bounds import Guarantee, stochastic_gradient
from surelearn.optimizers.schedules import Schedule, constant, fixed_horizon, harmonic

BatchGradient: TypeAlias = Callable[[Vector, Indices], Vector]
"""(w, which examples) -> the mean of their gradients at w."""


@dataclass(frozen=True, eq=False, kw_only=True, repr=False)
class StochasticTrace(Shown, drawn_by="descent.plot_descent"):
    """What a stochastic method did.

    Parameters
    ----------
    point, average, weighted_average
        The last point; the mean of the points at which gradients were taken; their mean with
        weights 1, 2, 3, ...
    gradient_norms, steps
        The norm of the gradient of the examples drawn, and the learning rate, at each step.
    values
        The objective after each pass over as many examples as there are, if one was given.
    with_replacement
        Whether the examples were drawn independently, as the theorems want.
    diameter
        Of the ball the points were kept in; infinite if there was none.
    reason
        Why the method stopped, in a sentence.

    Examples
    --------
    >>> data = np.array([1.0, 2.0, 6.0])
    >>> trace = stochastic_gradient_descent(
    ...     lambda w, drawn: w - data[drawn].mean(), [0.0], n_examples=3, n_steps=500,
    ...     learning_rate=harmonic(1.0), radius=10.0, seed=0,
    ... )
    >>> bool(abs(trace.average[0] - 3.0) < 0.5)
    True
    """

    point: Vector
    average: Vector
    weighted_average: Vector
    gradient_norms: Vector
    steps: Vector
    values: Vector
    with_replacement: bool
    diameter: float
    reason: str

    @property
    def n_steps(self) -> int:
        """The number of steps."""
        return len(self.steps)

    def guarantee(
        self,
        *,
        gradient_bound: float,
        strong_convexity: float | None = None,
        delta: float | None = None,
    ) -> Guarantee:
        """Bound the excess of `average` over the minimum: on average, or with a confidence.

        A run that the theorem does not cover is refused: other rates than those it speaks of,
        examples drawn without replacement, a gradient longer than the bound.

        Parameters
        ----------
        gradient_bound
            The largest norm a gradient of the examples can have.
        strong_convexity
            If given, the rates must be `harmonic(strong_convexity)`; otherwise `fixed_horizon`.
        delta
            The probability with which the statement may fail; None for the expectation.
        """
        bound = _arguments.positive("gradient_bound", gradient_bound)
        self._check_run(bound)
        given: dict[str, Any] = {"gradient_bound": bound, "n_steps": self.n_steps}
        if strong_convexity is None:
            given["diameter"] = self.diameter
            expected = np.full(self.n_steps, fixed_horizon(**given))
            theorems = stochastic_gradient.sgd, stochastic_gradient.sgd_high_probability
        else:
            given["strong_convexity"] = strong_convexity
            expected = np.array([harmonic(strong_convexity)(t + 1) for t in range(self.n_steps)])
            theorems = (
                stochastic_gradient.sgd_strongly_convex,
                stochastic_gradient.sgd_strongly_convex_high_probability,
            )
        if not np.allclose(self.steps, expected, rtol=1e-9):
            raise ValueError(
                f"the theorem wants learning rates that begin with {expected[0]:g} and end with "
                f"{expected[-1]:g}; this run had {self.steps[0]:g} and {self.steps[-1]:g}"
            )
        return theorems[0](**given) if delta is None else theorems[1](**given, delta=delta)

    def _check_run(self, bound: float) -> None:
        longest = float(self.gradient_norms.max(initial=0.0))
        if longest > bound:
            raise ValueError(
                f"gradient_bound={bound:g} is refuted: a gradient had norm {longest:g}"
            )
        if not self.with_replacement or self.n_steps == 0:
            raise ValueError(
                "the theorems speak of examples drawn independently, with replacement; no proof "
                "covers shuffled passes, or no step at all"
            )


def stochastic_gradient_descent(  # noqa: PLR0913 - a method, its data and its randomness
    gradient: BatchGradient,
    start: ArrayLike,
    *,
    n_examples: int,
    n_steps: int,
    learning_rate: float | Schedule,
    batch_size: int = 1,
    radius: float = math.inf,
    with_replacement: bool = True,
    seed: int | np.random.Generator | None = None,
    objective: Callable[[Vector], float] | None = None,
) -> StochasticTrace:
    """Step along the gradients of examples drawn at random.

    Parameters
    ----------
    gradient
        Returns the mean gradient of some examples, given by their indices, at a point.
    start
        Where to begin.
    n_examples
        How many examples there are.
    n_steps
        How many steps to take.
    learning_rate
        One rate for all steps, or a schedule: t -> the rate of step t = 1, 2, ...
    batch_size
        The number of examples drawn for a step.
    radius
        After each step the point is brought back to the ball of this radius around 0.
    with_replacement
        Draw independently; False goes through shuffled passes, which no theorem here covers.
    seed
        Makes the draws reproducible.
    objective
        If given, evaluated after every pass; it does not influence the run.

    Examples
    --------
    >>> data = np.array([1.0, 2.0, 6.0])
    >>> trace = stochastic_gradient_descent(
    ...     lambda w, drawn: w - data[drawn].mean(), [0.0], n_examples=3, n_steps=30,
    ...     batch_size=3, with_replacement=False, learning_rate=0.5, seed=0,
    ... )
    >>> trace.point.round(6).tolist()
    [3.0]
    """
    schedule = learning_rate if callable(learning_rate) else constant(learning_rate)
    n_steps = _arguments.count("n_steps", n_steps)
    n = _arguments.count("n_examples", n_examples, at_least=1)
    size = _arguments.count("batch_size", batch_size, at_least=1, at_most=n)
    free = isinstance(cast("object", radius), float) and radius == math.inf
    limit = math.inf if free else _arguments.positive("radius", radius)
    point = _arguments.vector("start", np.atleast_1d(_arguments.numbers("start", start))) + 0.0
    rng = _arguments.generator("seed", seed)
    _arguments.function("gradient", gradient)
    if objective is not None:
        _arguments.function("objective", objective)
    again = _arguments.flag("with_replacement", with_replacement)
    draws = _batches(n, size, rng, with_replacement=again)
    state = _State(point, limit)
    values: list[float] = []
    per_pass = math.ceil(n / size)
    for t in range(1, n_steps + 1):
        rate = _arguments.positive(f"the learning rate of step {t}", schedule(t))
        if not state.step(gradient(state.point, next(draws)), rate):
            break
        if objective is not None and t % per_pass == 0:
            values.append(float(objective(state.point)))
    return state.finish(np.array(values), with_replacement=with_replacement)


class _State:
    """The point, its averages and the record of a stochastic run."""

    def __init__(self, point: Vector, radius: float) -> None:
        self.point, self.radius = _project(point, radius), radius
        self.average, self.weighted = self.point.copy(), self.point.copy()
        self.norms: list[float] = []
        self.steps: list[float] = []
        self.reason = ""

    def step(self, gradient: Vector, rate: float) -> bool:
        """Take one step; return False, and stay, if it leads nowhere finite."""
        t, gradient = len(self.steps) + 1, np.asarray(gradient).reshape(-1)
        if gradient.shape != self.point.shape:
            raise ValueError(
                f"the gradient has {gradient.size} entries and the point has {self.point.size}"
            )
        following = _project(self.point - rate * gradient, self.radius)
        if not np.isfinite(following).all():
            self.reason = (
                f"step {t} led to a point that is NaN or infinite: the learning rate is too long"
            )
            return False
        self.average += (self.point - self.average) / t
        self.weighted += (self.point - self.weighted) * (2.0 / (t + 1.0))
        self.point = following
        self.norms.append(float(np.linalg.norm(gradient)))
        self.steps.append(float(rate))
        return True

    def finish(self, values: Vector, *, with_replacement: bool) -> StochasticTrace:
        """Return the trace."""
        return StochasticTrace(
            point=self.point,
            average=self.average,
            weighted_average=self.weighted,
            gradient_norms=np.array(self.norms),
            steps=np.array(self.steps),
            values=values,
            with_replacement=with_replacement,
            diameter=2.0 * self.radius,
            reason=self.reason or f"all {len(self.steps)} steps were taken",
        )


def _project(point: Vector, radius: float) -> Vector:
    norm = float(np.linalg.norm(point))
    return point if norm <= radius else point * (radius / norm)


def _batches(
    n: int, size: int, rng: np.random.Generator, *, with_replacement: bool
) -> Iterator[Indices]:
    """Draw the examples of one step after another, for ever."""
    while True:
        order = rng.integers(0, n, n) if with_replacement else rng.permutation(n)
        for begin in range(0, n, size):
            batch = order[begin : begin + size]
            if len(batch) == size or not with_replacement:
                yield batch
