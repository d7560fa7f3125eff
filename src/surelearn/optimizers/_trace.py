"""What every method records, and when it stops."""

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeAlias, TypeVar

import numpy as np

from surelearn import _arguments
from surelearn._shown import Shown
from surelearn._typing import ArrayLike, Vector

Function: TypeAlias = Callable[[Vector], tuple[float, Vector]]
"""w -> the value and the gradient there."""

_ROUNDING = 1e-14  # of a value: smaller differences of values are not seen

_AnyTrace = TypeVar("_AnyTrace", bound="Trace")


@dataclass(frozen=True, eq=False, kw_only=True, repr=False)
class Trace(Shown, drawn_by="descent.plot_descent"):
    """What a method did: where it went, what it saw, why it stopped.

    Parameters
    ----------
    point
        The last point.
    values, gradient_norms
        The value and the norm of the gradient at each point, the start first.
    steps
        The learning rate of each step.
    converged
        Whether the norm of the gradient came down to the tolerance.
    reason
        Why the method stopped, in a sentence.
    smoothness
        The largest change of the gradient seen between two points, divided by their distance. The
        Lipschitz constant of the gradient is at least this; nothing says that it is no more.
    """

    point: Vector
    values: Vector
    gradient_norms: Vector
    steps: Vector
    converged: bool
    reason: str
    smoothness: float

    @property
    def n_steps(self) -> int:
        """The number of steps."""
        return len(self.steps)

    @property
    def n_increases(self) -> int:
        """The number of steps after which the value was higher than before."""
        return _increases(self.values)

    def _check_smoothness(self, smoothness: float) -> float:
        """Refuse a claimed constant that the run itself has refuted."""
        claimed = _arguments.positive("smoothness", smoothness)
        if claimed < self.smoothness * (1.0 - 1e-9):
            raise ValueError(
                f"smoothness={smoothness:g} is refuted by this run: between two of its points the "
                f"gradient changed {self.smoothness:.6g} times as much as the point"
            )
        return claimed


class Recorder:
    """The state of a run: the current point, what was seen so far, whether to go on."""

    def __init__(
        self, function: Function, start: ArrayLike, tolerance: float, max_iter: int
    ) -> None:
        self.function = function
        self.tolerance = _arguments.non_negative("tolerance", tolerance)
        self.max_iter = _arguments.count("max_iter", max_iter)
        self.point = _arguments.vector("start", np.atleast_1d(_arguments.numbers("start", start)))
        self.value, self.gradient = self.evaluate(self.point)
        if not self.is_finite(self.value, self.gradient):
            raise ValueError("the function or its gradient is NaN or infinite at the start")
        self.values, self.norms = [self.value], [self._norm()]
        self.steps: list[float] = []
        self.smoothness, self.reason = 0.0, ""

    def evaluate(self, point: Vector) -> tuple[float, Vector]:
        """Return value and gradient as a float and a vector of the point's length."""
        value, gradient = _arguments.function("function", self.function)(point)
        gradient = np.asarray(gradient, dtype=np.float64).reshape(-1)
        if gradient.shape != point.shape:
            raise ValueError(
                f"the gradient has {gradient.size} entries and the point has {point.size}"
            )
        return float(value), gradient

    @staticmethod
    def is_finite(value: float, gradient: Vector) -> bool:
        """Return whether a method can go on from here."""
        return math.isfinite(value) and bool(np.isfinite(gradient).all())

    def goes_on(self) -> bool:
        """Return whether to take another step."""
        return not (self.reason or self.converged or len(self.steps) >= self.max_iter)

    @property
    def converged(self) -> bool:
        """Whether the gradient at the current point is short enough."""
        return self.norms[-1] <= self.tolerance

    def move(self, point: Vector, rate: float, seen: tuple[float, Vector] | None = None) -> None:
        """Step to a point, unless the function is not finite there: then stop before it."""
        value, gradient = self.evaluate(point) if seen is None else seen
        if not self.is_finite(value, gradient):
            self.reason = (
                f"step {len(self.steps) + 1} led to a value or gradient that is NaN or infinite: "
                "the learning rate is too long, or the function has no minimum"
            )
            return
        distance = float(np.linalg.norm(point - self.point))
        if distance > 0.0:
            change = float(np.linalg.norm(gradient - self.gradient))
            self.smoothness = max(self.smoothness, change / distance)
        self.point, self.value, self.gradient = point, value, gradient
        self.values.append(value)
        self.norms.append(self._norm())
        self.steps.append(rate)

    def finish(self, kind: type[_AnyTrace], **more: Any) -> _AnyTrace:
        """Return the trace of the run."""
        values = np.array(self.values)
        return kind(
            point=self.point,
            values=values,
            gradient_norms=np.array(self.norms),
            steps=np.array(self.steps),
            converged=self.converged,
            reason=self.reason or self._why(_increases(values)),
            smoothness=self.smoothness,
            **more,
        )

    def _norm(self) -> float:
        return float(np.linalg.norm(self.gradient))

    def _why(self, n_increases: int) -> str:
        norm = f"the gradient has norm {self.norms[-1]:.3g}"
        if self.converged:
            return f"{norm}, at most the tolerance {self.tolerance:g}"
        rises = f"; the value rose in {n_increases} of them" if n_increases else ""
        return f"max_iter={self.max_iter} steps were taken and {norm}{rises}"


def _increases(values: Vector) -> int:
    return int(np.count_nonzero(np.diff(values) > _ROUNDING * np.abs(values[1:])))


def lowered(before: float, after: float, promised: float) -> bool:
    """Return whether a value fell by what was promised, as far as rounding lets one see.

    Examples
    --------
    >>> lowered(1.0, 0.5, 0.5), lowered(1.0, 0.6, 0.5)
    (True, False)
    """
    return after <= before - promised + _ROUNDING * max(abs(before), abs(after))
