"""The one form that all support vector machines take, what solves it, and how well.

    minimise ½βᵀKβ − pᵀβ   while  low ≤ β ≤ high,  and Σβ = 0 if there is an unpenalised intercept

K has a value for each pair of rows; a row may have several variables. Classification has p = y and
β = yα; regression two variables a row, p = y ∓ epsilon.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np

from surelearn._typing import Indices, Mask, Vector

_ROUNDING = 1e-12  # of a variable, for each unit of the width of its box that was of use


@dataclass(frozen=True, eq=False)
class Problem:
    """A dual problem: a target, a box and a row for each variable."""

    targets: Vector
    bounds: Any
    rows: Indices
    balanced: bool

    def gradient(self, sums: Vector) -> Vector:
        """Return f = Kβ − p of each variable from the sums Kβ of each row."""
        return sums[self.rows] - self.targets

    def can_rise(self, beta: Vector) -> Mask:
        """Say which variables are below their upper bound."""
        return beta < self.bounds[1]

    def can_fall(self, beta: Vector) -> Mask:
        """Say which variables are above their lower bound."""
        return beta > self.bounds[0]

    def settled(self, beta: Vector) -> Vector:
        """Return β with all that only rounding keeps from a bound at that bound.

        Such a variable counts as free, and would choose one of several intercepts.
        """
        low, high = self.bounds
        width = high - low
        reach = np.minimum(width, np.max(np.abs(beta), initial=0.0))  # a box may be far too wide
        near = np.where(np.isfinite(width), _ROUNDING * reach, 0.0)
        risen = np.where(beta >= high - near, high, beta)
        return np.where(beta <= low + near, low, risen)

    def extremes(self, beta: Vector, f: Vector) -> tuple[float, float]:
        """Return the smallest gradient that can rise and the largest that can fall.

        At the optimum the first is not below the second. Without a balance to keep, a variable may
        also move against nothing, whose gradient is 0.
        """
        nothing = np.inf if self.balanced else 0.0
        lowest = np.min(f, initial=nothing, where=self.can_rise(beta))
        highest = np.max(f, initial=-nothing, where=self.can_fall(beta))
        return float(lowest), float(highest)

    def folded(self, variables: Indices, amounts: Vector) -> tuple[Indices, Vector]:
        """Return the rows of some variables and the sum of the amounts of each."""
        rows, places = np.unique(self.rows[variables], return_inverse=True)
        totals: Vector = np.bincount(places, weights=amounts, minlength=len(rows)).astype(
            np.float64
        )
        return rows, totals


@dataclass(frozen=True, eq=False)
class Solution:
    """What a search found: β, the sums Kβ in double precision, and how the search went.

    A linear machine that was solved by its weights has them, with the intercept at their end; its
    sums are those of the weights.
    """

    beta: Vector
    sums: Vector
    n_steps: int
    converged: bool
    curvature: float
    weights: Vector | None = None


@dataclass(frozen=True)
class Optimality:
    """How good a point is: the intercept that belongs to it, both objectives, the worst violation.

    `gap` is (primal − dual) / primal, which bounds how far the primal objective is above its
    minimum; `violation` is the largest violation of the Karush-Kuhn-Tucker conditions.
    """

    intercept: float
    primal: float
    dual: float
    gap: float
    violation: float


def judge(problem: Problem, beta: Vector, sums: Vector) -> Optimality:
    """Return how close to optimal a feasible point is."""
    f = problem.gradient(sums)
    b = intercept(problem, beta, f)
    square = max(0.0, float(beta @ sums[problem.rows]))
    dual = float(problem.targets @ beta) - 0.5 * square
    primal = _primal(problem, f + b, square)
    lowest, highest = problem.extremes(beta, f)
    violation = max(0.0, highest + b, -(lowest + b))
    return Optimality(b, primal, dual, _relative_gap(primal, dual), violation)


def _relative_gap(primal: float, dual: float) -> float:
    if primal == 0.0:
        return 0.0
    return max(0.0, primal - dual) / primal if np.isfinite(primal) else np.inf


def intercept(problem: Problem, beta: Vector, f: Vector) -> float:
    """Return the mean over free variables; with none, the optimal intercept of least size."""
    if not problem.balanced:
        return 0.0
    free = problem.can_rise(beta) & problem.can_fall(beta)
    if free.any():
        return -float(f[free].mean())
    lowest, highest = problem.extremes(beta, f)
    first, last = sorted((-lowest, -highest))  # in exact arithmetic they are in order
    return min(max(0.0, first), last)


def _primal(problem: Problem, excess: Vector, square: float) -> float:
    """Return ½‖w‖² and the sum of the losses; a hard margin is reached by longer weights."""
    low, high = problem.bounds
    if np.isinf(high).any() or np.isinf(low).any():
        counted = low < high
        sides = np.where(high > 0.0, 1.0, -1.0)
        margins = (sides * (excess + problem.targets))[counted]
        smallest = float(margins.min())
        return 0.5 * square / smallest**2 if smallest > 0.0 else np.inf
    losses = high * np.maximum(-excess, 0.0) - low * np.maximum(excess, 0.0)
    return 0.5 * square + float(losses.sum())
