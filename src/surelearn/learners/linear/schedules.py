"""Step sizes of online gradient descent; each schedule knows the theorem about it."""

import math
from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import ClassVar, NamedTuple

from surelearn import _arguments
from surelearn._jit import jit
from surelearn.bounds import Guarantee, online_convex

_FIXED, _ROOT, _ADAPTIVE, _HARMONIC = range(4)


class Run(NamedTuple):
    """What a schedule may know of a run: the ball and sums over the rounds."""

    radius: float
    n_rounds: int
    sum_squared_gradients: float
    sum_rates_times_squares: float


@jit
def rate(formula: int, factor: float, n_rounds: float, sum_squared_gradients: float) -> float:
    """Return the size of a step; the current round and its gradient are counted."""
    if formula == _FIXED:
        return factor
    if formula == _ROOT:
        return factor / math.sqrt(n_rounds)
    if formula == _HARMONIC:
        return factor / n_rounds
    return factor / math.sqrt(sum_squared_gradients)


class Schedule(ABC):
    """How the steps shrink: `schedule(run)` is the size of the step that ends the run."""

    formula: ClassVar[int]
    is_quoted_by_theorems: ClassVar[bool] = True

    def __call__(self, run: Run) -> float:
        """Return the size of the last step of a run."""
        factor = self.factor(run.radius)
        n_rounds = float(run.n_rounds)  # a forged file may tell of more than 2^63
        return rate(self.formula, factor, n_rounds, run.sum_squared_gradients)

    @property
    def penalty(self) -> float:
        """The μ of the penalty (μ/2)‖w‖² that is added to every loss."""
        return 0.0

    @abstractmethod
    def factor(self, radius: float) -> float:
        """Return the constant in the formula of the step."""

    @abstractmethod
    def realised(self, run: Run) -> Guarantee:
        """Bound the regret to every point of the ball by the gradients of the run."""

    @abstractmethod
    def a_priori(self, *, radius: float, gradient_norm: float, n_rounds: int) -> Guarantee:
        """Bound the regret to every point of the ball before the run."""


def _squares(n_rounds: int, gradient_norm: float) -> float:
    """Return the most that squared gradients of so many rounds can sum to."""
    length = _arguments.non_negative("gradient_norm", gradient_norm)
    return _arguments.count("n_rounds", n_rounds) * length * length


@dataclass(frozen=True)
class AdaptiveRate(Schedule):
    """Steps D/√(2·sum of squared gradients so far), D the diameter: nothing need be known.

    Examples
    --------
    >>> AdaptiveRate()(Run(1.0, n_rounds=7, sum_squared_gradients=8.0, sum_rates_times_squares=0.0))
    0.5
    """

    formula = _ADAPTIVE

    def factor(self, radius: float) -> float:
        """Return √2·radius."""
        return math.sqrt(2.0) * _arguments.non_negative("radius", radius)

    def realised(self, run: Run) -> Guarantee:
        """Bound the regret by √2·D·√(sum of squared gradients)."""
        return online_convex.gradient_descent_adaptive_realised(
            diameter=2.0 * run.radius, sum_squared_gradients=run.sum_squared_gradients
        )

    def a_priori(self, *, radius: float, gradient_norm: float, n_rounds: int) -> Guarantee:
        """Bound the regret by √2·D·G·√T."""
        return online_convex.gradient_descent_adaptive_realised(
            diameter=2.0 * _arguments.non_negative("radius", radius),
            sum_squared_gradients=_squares(n_rounds, gradient_norm),
        )


@dataclass(frozen=True, kw_only=True)
class FixedRate(Schedule):
    """Steps of one size; radius/(G√T) is best for T rounds and gradients up to G.

    Examples
    --------
    >>> FixedRate(learning_rate=0.6).a_priori(radius=3.0, gradient_norm=1.0, n_rounds=25).inputs
    {'norm': 3.0, 'learning_rate': 0.6, 'sum_squared_gradients': 25.0}
    """

    learning_rate: float

    formula = _FIXED

    def __post_init__(self) -> None:
        """Refuse a rate that is not positive."""
        _arguments.positive("learning_rate", self.learning_rate)
        _arguments.settle(self)

    def factor(self, radius: float) -> float:
        """Return the rate."""
        del radius
        return self.learning_rate

    def realised(self, run: Run) -> Guarantee:
        """Bound the regret by radius²/(2·rate) + (rate/2)·sum of squared gradients."""
        return online_convex.gradient_descent_realised(
            norm=run.radius,
            learning_rate=self.learning_rate,
            sum_squared_gradients=run.sum_squared_gradients,
        )

    def a_priori(self, *, radius: float, gradient_norm: float, n_rounds: int) -> Guarantee:
        """Bound the regret by radius²/(2·rate) + (rate/2)·G²T."""
        squares = _squares(n_rounds, gradient_norm)
        return self.realised(Run(radius, n_rounds, squares, self.learning_rate * squares))


@dataclass(frozen=True, kw_only=True)
class InverseSquareRootRate(Schedule):
    """Steps learning_rate/√t; the rate √2·radius/G is best for gradients up to G.

    Examples
    --------
    >>> InverseSquareRootRate(learning_rate=3.0).factor(radius=1.0)
    3.0
    """

    learning_rate: float

    formula = _ROOT

    def __post_init__(self) -> None:
        """Refuse a rate that is not positive."""
        _arguments.positive("learning_rate", self.learning_rate)
        _arguments.settle(self)

    def factor(self, radius: float) -> float:
        """Return the rate of the first step."""
        del radius
        return self.learning_rate

    def realised(self, run: Run) -> Guarantee:
        """Bound the regret by D²/(2·last rate) + half the sum of rate x squared gradient."""
        return online_convex.gradient_descent_projected_realised(
            diameter=2.0 * run.radius,
            learning_rate=self(run),
            sum_rates_times_squares=run.sum_rates_times_squares,
        )

    def a_priori(self, *, radius: float, gradient_norm: float, n_rounds: int) -> Guarantee:
        """Bound the regret by D²√T/(2·rate) + rate·G²(√T - 1/2)."""
        return online_convex.gradient_descent_projected(
            diameter=2.0 * _arguments.non_negative("radius", radius),
            gradient_norm=gradient_norm,
            n_rounds=n_rounds,
            learning_rate=self.learning_rate,
        )


@dataclass(frozen=True, kw_only=True)
class StronglyConvexRate(Schedule):
    """Steps 1/(μt) on losses to which the penalty (μ/2)‖w‖² is added: regret of order ln T.

    Examples
    --------
    >>> StronglyConvexRate(strong_convexity=0.5).factor(radius=1.0)
    2.0
    """

    strong_convexity: float

    formula = _HARMONIC

    def __post_init__(self) -> None:
        """Refuse a modulus that is not positive."""
        _arguments.positive("strong_convexity", self.strong_convexity)
        _arguments.settle(self)

    @property
    def penalty(self) -> float:
        """The modulus: a convex loss plus the penalty is strongly convex with it."""
        return self.strong_convexity

    def factor(self, radius: float) -> float:
        """Return 1/μ."""
        del radius
        return 1.0 / self.strong_convexity

    def realised(self, run: Run) -> Guarantee:
        """Bound the regret by the sum of squared gradient/t over 2μ."""
        return online_convex.strongly_convex_realised(
            strong_convexity=self.strong_convexity,
            sum_squares_over_t=self.strong_convexity * run.sum_rates_times_squares,
        )

    def a_priori(self, *, radius: float, gradient_norm: float, n_rounds: int) -> Guarantee:
        """Bound the regret by (G²/2μ)·(1 + 1/2 + ... + 1/T)."""
        del radius
        return online_convex.strongly_convex(
            gradient_norm=gradient_norm,
            strong_convexity=self.strong_convexity,
            n_rounds=n_rounds,
        )
