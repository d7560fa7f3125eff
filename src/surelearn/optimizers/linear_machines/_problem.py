"""Linear support vector machines in one form, with the exact gap between primal and dual.

    minimise  ½‖w‖² + Σ_i max { β(y_i − w·x_i − b) − ε|β| : low_i ≤ β ≤ high_i }

Costs C_i make it classification by low, high = 0, C_i (label 1) or −C_i, 0 (label −1) and ε = 0,
and regression by ∓C_i. Its dual is to maximise Σ(y_iβ_i − ε|β_i|) − ½‖Σβ_ix_i‖² within the bounds,
with Σβ_i = 0 where b is free; a penalised b adds ½b² above and −½(Σβ_i)² below.
"""

from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

import numpy as np

from surelearn._typing import Vector

Intercept = Literal["free", "penalized", "none"]
"""Whether there is a constant term, and whether it is penalised as the weight of a constant 1."""

_ROUNDING = 1e-12  # of the sum of all costs: a slope that small is 0


class Solution(NamedTuple):
    """A primal point (w, b) and a dual one β, feasible both, with the values there.

    Parameters
    ----------
    coef, intercept
        The weights and the constant term.
    dual_variables
        β: a coefficient for each row, with the sign of its label in classification. Their
        combination of the rows is `coef`, but for the tolerance.
    primal, dual
        The two objectives; the optimum lies between them.
    n_steps
        The looks at all rows that it took.
    """

    coef: Vector
    intercept: float
    dual_variables: Vector
    primal: float
    dual: float
    n_steps: int

    @property
    def gap(self) -> float:
        """The duality gap: how far the primal value can be above the optimum."""
        return max(0.0, self.primal - self.dual)

    def within(self, tolerance: float) -> bool:
        """Say whether the gap is at most this share of the primal value."""
        return self.gap <= tolerance * self.primal


@dataclass(frozen=True, eq=False, kw_only=True)
class Problem:
    """The rows, dense or CSR, and what each of them asks for."""

    X: Any
    targets: Vector
    low: Vector
    high: Vector
    epsilon: float
    intercept: Intercept

    @property
    def bounds(self) -> tuple[Vector, Vector, float]:
        """What the losses of residuals depend on."""
        return self.low, self.high, self.epsilon

    @property
    def has_intercept(self) -> bool:
        """Whether there is a constant term."""
        return self.intercept != "none"

    @property
    def penalty(self) -> float:
        """The weight of ½b²."""
        return 1.0 if self.intercept == "penalized" else 0.0

    def primal(self, coef: Vector, bias: float, scores: Vector) -> float:
        """Return the primal value at (w, b), given the products Xw."""
        residuals = self.targets - scores - bias
        above = np.maximum(0.0, residuals - self.epsilon) @ self.high
        below = np.maximum(0.0, -residuals - self.epsilon) @ self.low
        return float(0.5 * (coef @ coef + self.penalty * bias * bias) + above - below)

    def dual(self, beta: Vector) -> float:
        """Return the dual value of feasible β."""
        gain = self.targets @ beta - self.epsilon * np.abs(beta).sum()
        pull = self.X.T @ beta
        return float(gain - 0.5 * (pull @ pull + self.penalty * beta.sum() ** 2))

    def feasible(self, beta: Vector) -> Vector:
        """Return β within the bounds, and with sum 0 where b is free."""
        beta = np.clip(beta, self.low, self.high)
        return self._balanced(beta) if self.intercept == "free" else beta

    def _balanced(self, beta: Vector) -> Vector:
        """Return β with sum 0: rows between their bounds give way first, at the least cost.

        If that is not enough, the larger side is scaled down. 0 lies within all bounds, so this
        does not lead out of them.
        """
        excess = float(beta.sum())
        ends = (self.low, 0.0) if excess > 0.0 else (0.0, self.high)
        room = beta - np.where(beta > 0.0, *reversed(ends))
        room[(beta == self.low) | (beta == self.high)] = 0.0
        total = float(room.sum())
        share = min(1.0, excess / total) if total != 0.0 else 1.0
        beta = np.clip(beta - share * room, self.low, self.high)
        above, below = beta.clip(min=0.0), beta.clip(max=0.0)
        up, down = float(above.sum()), -float(below.sum())
        if share < 1.0 or up == down:
            return beta
        least = min(up, down)
        return above * (least / max(up, least)) + below * (least / max(down, least))

    def best_intercept(self, scores: Vector, given: float) -> float:
        """Return the free b that fits the products Xw best; of several the one nearest to 0.

        One that is not free stays as it is given.
        """
        if self.intercept != "free":
            return given if self.has_intercept else 0.0
        around, costs = self.targets - scores, np.concatenate([self.high, -self.low])
        used = costs > 0.0
        if not used.any():
            return 0.0
        places = np.concatenate([around - self.epsilon, around + self.epsilon])[used]
        order = np.argsort(places)
        places, slopes = places[order], np.cumsum(costs[used][order]) - self.high.sum()
        flat, last = _ROUNDING * costs.sum(), len(places) - 1
        ends = np.searchsorted(slopes, -flat), np.searchsorted(slopes, flat, side="right")
        return float(np.clip(0.0, *(places[min(end, last)] for end in ends)))

    def judged(
        self, coef: Vector, bias: float, beta: Vector, n_steps: int, scores: Vector | None = None
    ) -> Solution:
        """Return (w, b), the best b if it is free, and a feasible β near what was found."""
        products: Vector = self.X @ coef if scores is None else scores
        b, beta = self.best_intercept(products, bias), self.feasible(beta)
        primal = self.primal(coef, b, products)
        return Solution(coef.copy(), b, beta, primal, self.dual(beta), n_steps)
