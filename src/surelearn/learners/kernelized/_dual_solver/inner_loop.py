"""Sequential minimal optimisation of a few variables whose kernel values are at hand.

    minimise ½βᵀKβ − pᵀβ   while  low ≤ β ≤ high  and  Σβ stays as it is

A step moves two variables against each other: the one of smallest gradient f = Kβ − p that can
rise, and the one that can fall and lets the objective fall most. Fan, Chen and Lin (2005).
"""

import numpy as np

from surelearn._jit import jit
from surelearn._typing import Matrix, Vector
from surelearn.learners.kernelized._dual_solver.bits import ordered, short_bits

LARGEST_BLOCK = 2**14 - 1  # variables whose place fits the digits that a key can spare
_PLACE = np.int64(LARGEST_BLOCK)
_SHORT_PLACE = np.int32(LARGEST_BLOCK)
_LARGEST = np.int64(2**63 - 1)
_FAR = 1e30  # added to a gradient, it keeps a variable from being chosen
_FLATTEST = 1e-12  # curvature: rows that are the same have none


@jit
def solve_block(
    gram: Matrix,
    diagonal: Vector,
    f: Vector,
    beta: Vector,
    bounds: Matrix,
    scratch: Matrix,
    tolerance: float,
    max_steps: int,
) -> tuple[int, float]:
    """Move pairs until no gradient that can fall exceeds one that can rise by the tolerance.

    Returns the number of steps and the smallest curvature met; `f` and `beta` change in place.
    """
    for t in range(len(f)):
        _mark(t, beta, bounds, scratch)
    i, j, step, flattest = 0, 0, 0.0, np.inf
    for n_steps in range(max_steps):
        i = _update(f, gram[i], gram[j], step, scratch[0])
        j, highest = _partner(f, gram[i], diagonal, scratch[1], i)
        if f[highest] - scratch[1, highest] - f[i] <= tolerance:
            return n_steps, flattest
        curvature = diagonal[i] + diagonal[j] - 2.0 * gram[i, j]
        flattest = min(flattest, curvature)
        step = (f[j] - f[i]) / max(curvature, _FLATTEST)
        step = _move(i, j, step, beta, bounds)
        _mark(i, beta, bounds, scratch)
        _mark(j, beta, bounds, scratch)
    return max_steps, flattest


@jit
def _mark(t: int, beta: Vector, bounds: Matrix, scratch: Matrix) -> None:
    """Note whether a variable can rise, and whether it can fall."""
    scratch[0, t] = 0.0 if beta[t] < bounds[1, t] else _FAR
    scratch[1, t] = 0.0 if beta[t] > bounds[0, t] else _FAR


@jit
def _move(i: int, j: int, step: float, beta: Vector, bounds: Matrix) -> float:
    """Let one variable rise and another fall as far as they can; bounds are met exactly."""
    room, depth = bounds[1, i] - beta[i], beta[j] - bounds[0, j]
    taken = min(step, room, depth)
    beta[i] = bounds[1, i] if taken == room else beta[i] + taken
    beta[j] = bounds[0, j] if taken == depth else beta[j] - taken
    return taken


@jit
def _update(f: Vector, risen: Vector, fallen: Vector, step: float, barred: Vector) -> int:
    """Bring the gradient up to date and return the place of the smallest that can rise.

    A smallest number is found as a smallest integer, its place in the last digits: the compiler
    makes vector instructions of that, but not of a search for a float.
    """
    best = _LARGEST
    for t in range(len(f)):
        f[t] += step * (np.float64(risen[t]) - np.float64(fallen[t]))
        best = min(best, (ordered(f[t] + barred[t]) & ~_PLACE) | np.int64(t))
    return int(best & _PLACE)


@jit
def _partner(f: Vector, row: Vector, diagonal: Vector, barred: Vector, i: int) -> tuple[int, int]:
    """Return where the objective falls most, and the place of the largest that can fall."""
    own, lowest, best, highest = diagonal[i], f[i], np.int32(0), -_LARGEST
    for t in range(len(f)):
        height = f[t] - barred[t]
        highest = max(highest, (ordered(height) & ~_PLACE) | np.int64(t))
        rise = height - lowest
        rise = max(0.0, rise)
        curvature = own + diagonal[t] - 2.0 * np.float64(row[t])
        curvature = max(_FLATTEST, curvature)
        gain = np.float32(rise) * np.float32(rise) / np.float32(curvature)
        best = max(best, (short_bits(gain) & ~_SHORT_PLACE) | np.int32(t))
    last = int(highest & _PLACE)
    j = int(best & _SHORT_PLACE)
    falls = f[j] - barred[j] > lowest  # not if every gain is too small for single precision
    return (j if falls else last), last
