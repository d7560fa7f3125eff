"""First-order and quasi-Newton methods that tell what they did and what theorem covers it.

A method takes `function(w) -> (value, gradient)` and a start, and returns a frozen trace: the point
reached, values, gradient norms and steps on the way, whether it converged and why it stopped. The
trace's `guarantee` is a theorem of `surelearn.bounds` with the numbers of the run.
"""

from surelearn.optimizers._trace import Function, Trace
from surelearn.optimizers.convexity import (
    ConvexityCheck,
    ConvexityWitness,
    check_convex,
    check_convex_quadratic,
    check_convex_set,
    check_midpoint,
)
from surelearn.optimizers.gradient_descent import GradientDescentTrace, gradient_descent
from surelearn.optimizers.momentum import (
    MomentumTrace,
    NesterovTrace,
    momentum,
    nesterov,
)
from surelearn.optimizers.optimality import KKTResiduals, Lagrangian
from surelearn.optimizers.quasi_newton import limited_memory_bfgs
from surelearn.optimizers.schedules import fixed_horizon, harmonic, inverse_square_root
from surelearn.optimizers.stochastic_gradient_descent import (
    StochasticTrace,
    stochastic_gradient_descent,
)

__all__ = [
    "ConvexityCheck",
    "ConvexityWitness",
    "Function",
    "GradientDescentTrace",
    "KKTResiduals",
    "Lagrangian",
    "MomentumTrace",
    "NesterovTrace",
    "StochasticTrace",
    "Trace",
    "check_convex",
    "check_convex_quadratic",
    "check_convex_set",
    "check_midpoint",
    "fixed_horizon",
    "gradient_descent",
    "harmonic",
    "inverse_square_root",
    "limited_memory_bfgs",
    "momentum",
    "nesterov",
    "stochastic_gradient_descent",
]
