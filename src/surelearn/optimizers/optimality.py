"""Whether a point is optimal: the Lagrangian of a constrained problem and its KKT conditions.

    minimise f(x)  subject to  g_i(x) ≤ 0,  h_j(x) = 0
    L(x, α, μ) = f(x) + Σ α_i g_i(x) + Σ μ_j h_j(x)

The conditions of Karush (1939), Kuhn and Tucker (1951) are: the gradient of L in x is 0, x is
feasible, α ≥ 0, and α_i g_i(x) = 0. They suffice where f and g are convex and h is affine, and are
necessary where the constraints are qualified, for example affine; otherwise only those of John
(1948) are, in which f has a multiplier of its own that may be 0.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NamedTuple, TypeAlias, cast

import numpy as np

from surelearn import _arguments
from surelearn._typing import ArrayLike, Vector

Smooth: TypeAlias = Callable[[Vector], tuple[float, ArrayLike]]
"""x -> the value and the gradient there."""


class KKTResiduals(NamedTuple):
    """How far a point and its multipliers are from each of the four conditions; 0 if they hold.

    Attributes
    ----------
    stationarity
        The largest entry of the gradient of the Lagrangian.
    primal_feasibility
        The largest violation of a constraint.
    dual_feasibility
        How far the smallest multiplier of an inequality is below 0.
    complementary_slackness
        The largest product of a multiplier and its inequality.
    """

    stationarity: float
    primal_feasibility: float
    dual_feasibility: float
    complementary_slackness: float

    @property
    def largest(self) -> float:
        """The largest of the four."""
        return max(self)


@dataclass(frozen=True, eq=False)
class Lagrangian:
    """A smooth problem with constraints: minimise f where inequalities are <= 0, equalities 0.

    Parameters
    ----------
    objective
        f: a point to its value and gradient.
    inequalities, equalities
        The constraints, each a point to its value and gradient.

    Examples
    --------
    The least z² with z <= -1, that is z + 1 <= 0, has the multiplier 2:

    >>> problem = Lagrangian(lambda z: (z[0] ** 2, 2 * z), [lambda z: (z[0] + 1, [1.0])])
    >>> problem.kkt_residuals([-1.0], [2.0]).largest
    0.0
    >>> problem.kkt_residuals([-2.0], [2.0])
    KKTResiduals(stationarity=2.0, primal_feasibility=0.0, dual_feasibility=0.0,
    complementary_slackness=2.0)
    """

    objective: Smooth
    inequalities: Sequence[Smooth] = ()
    equalities: Sequence[Smooth] = ()

    def __post_init__(self) -> None:
        """Refuse what is no function."""
        _arguments.function("objective", self.objective)
        for name in ("inequalities", "equalities"):
            given = getattr(self, name)
            if not isinstance(given, list | tuple):
                raise TypeError(f"{name}={_arguments.short(given)} must be a list of functions")
            for constraint in given:
                _arguments.function(name, constraint)

    def __call__(
        self,
        x: ArrayLike,
        multipliers: ArrayLike = (),
        equality_multipliers: ArrayLike = (),
        *,
        objective_multiplier: float = 1.0,
    ) -> tuple[float, Vector]:
        """Return L and its gradient in x; `multipliers` are those of the inequalities."""
        point = _vector("x", x)
        alpha, mu = self._multipliers(multipliers, equality_multipliers)
        value, gradient = _at(self.objective, point, "the objective")
        weight_of_it = _arguments.real("objective_multiplier", objective_multiplier)
        total, slope = weight_of_it * value, weight_of_it * gradient
        for weight, constraint in (
            *zip(alpha, self.inequalities, strict=True),
            *zip(mu, self.equalities, strict=True),
        ):
            value, gradient = _at(constraint, point, "a constraint")
            total, slope = total + weight * value, slope + weight * gradient
        return float(total), slope

    def kkt_residuals(
        self, x: ArrayLike, multipliers: ArrayLike = (), equality_multipliers: ArrayLike = ()
    ) -> KKTResiduals:
        """Return how far a point and its multipliers are from the KKT conditions.

        Parameters
        ----------
        x
            The point.
        multipliers, equality_multipliers
            One for each inequality, and one for each equality.
        """
        return self.fritz_john_residuals(x, 1.0, multipliers, equality_multipliers)

    def fritz_john_residuals(
        self,
        x: ArrayLike,
        objective_multiplier: float,
        multipliers: ArrayLike = (),
        equality_multipliers: ArrayLike = (),
    ) -> KKTResiduals:
        """Return how far they are from John's conditions, in which f has a multiplier, too.

        Multipliers that are all 0 satisfy the equations always, and are refused.

        Examples
        --------
        The least w with w² <= 0 is 0, and no multiplier shows it but one of f that is 0:

        >>> problem = Lagrangian(lambda w: (w[0], [1.0]), [lambda w: (w[0] ** 2, 2 * w)])
        >>> min(problem.kkt_residuals([0.0], [a]).largest for a in (0.0, 1.0, 1e9))
        1.0
        >>> problem.fritz_john_residuals([0.0], 0.0, [1.0]).largest
        0.0
        """
        point = _vector("x", x)
        alpha, mu = self._multipliers(multipliers, equality_multipliers)
        first = _arguments.real("objective_multiplier", objective_multiplier)
        if first == 0.0 and not alpha.any() and not mu.any():
            raise ValueError("all multipliers are 0, which proves nothing of any point")
        _, slope = self(point, alpha, mu, objective_multiplier=first)
        above = np.array([_at(g, point, "a constraint")[0] for g in self.inequalities])
        off = np.array([_at(h, point, "a constraint")[0] for h in self.equalities])
        return KKTResiduals(
            stationarity=float(np.abs(slope).max(initial=0.0)),
            primal_feasibility=float(max(above.max(initial=0.0), np.abs(off).max(initial=0.0))),
            dual_feasibility=float(max(0.0, -first, (-alpha).max(initial=0.0))),
            complementary_slackness=float(np.abs(alpha * above).max(initial=0.0)),
        )

    def _multipliers(self, alpha: ArrayLike, mu: ArrayLike) -> tuple[Vector, Vector]:
        given = _vector("multipliers", alpha), _vector("equality_multipliers", mu)
        for name, values, constraints in zip(
            ("inequalities", "equalities"), given, (self.inequalities, self.equalities), strict=True
        ):
            if len(values) != len(constraints):
                raise ValueError(
                    f"there are {len(constraints)} {name} and {len(values)} multipliers for them; "
                    "give one for each"
                )
        return given


def _vector(name: str, values: ArrayLike) -> Vector:
    array = _arguments.numbers(name, values)
    if array.ndim != 1 or not np.isfinite(array).all():
        raise ValueError(f"{name} must be a vector of finite numbers")
    return array


def _at(function: Smooth, x: Vector, what: str) -> tuple[float, Vector]:
    returned = function(x.copy())  # which a function may overwrite
    is_pair = isinstance(cast("object", returned), tuple | list) and len(returned) == 2
    value, gradient = returned if is_pair else (math.nan, ())
    number = _arguments.numbers(f"the value of {what}", value)
    slope = _arguments.numbers(f"the gradient of {what}", gradient)
    finite = np.isfinite(number).all() and np.isfinite(slope).all()
    if slope.shape != x.shape or number.size != 1 or not finite:
        raise ValueError(
            f"{what} must return a finite value and a gradient of {len(x)} finite numbers"
        )
    return float(number.item()), slope
