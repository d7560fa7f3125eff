"""How the steps of a stochastic method shrink: t -> the learning rate of step t = 1, 2, ..."""

import math
from collections.abc import Callable
from typing import TypeAlias

from surelearn import _arguments

Schedule: TypeAlias = Callable[[int], float]
"""The learning rate of step t, counted from 1."""


def constant(rate: float) -> Schedule:
    """Return the schedule of one rate for all steps.

    Examples
    --------
    >>> constant(0.1)(7)
    0.1
    """
    rate = _arguments.positive("learning_rate", rate)
    return lambda t: rate  # noqa: ARG005 - a schedule is asked for a step


def inverse_square_root(scale: float) -> Schedule:
    """Return the rates scale/√t: the steps go everywhere, their squares add up slowly.

    Examples
    --------
    >>> inverse_square_root(2.0)(4)
    1.0
    """
    scale = _arguments.positive("scale", scale)
    return lambda t: scale / math.sqrt(t)


def harmonic(strong_convexity: float) -> Schedule:
    """Return the rates 1/(μt) for a function that is strongly convex with constant μ.

    Examples
    --------
    >>> harmonic(0.5)(4)
    0.5
    """
    scale = 1.0 / _arguments.positive("strong_convexity", strong_convexity)
    return lambda t: scale / t


def fixed_horizon(*, diameter: float, gradient_bound: float, n_steps: int) -> float:
    """Return the constant rate diameter/(gradient_bound √T) that is best for T steps.

    Examples
    --------
    >>> fixed_horizon(diameter=2.0, gradient_bound=1.0, n_steps=400)
    0.1
    """
    diameter = _arguments.positive("diameter", diameter)
    bound = _arguments.positive("gradient_bound", gradient_bound)
    return diameter / (bound * math.sqrt(_arguments.count("n_steps", n_steps, at_least=1)))
