"""Sequential minimal optimisation of a few variables whose kernel values are at hand.

    minimise ½βᵀKβ − pᵀβ   while  low ≤ β ≤ high  and  Σβ stays as it is

A step moves two variables against each other: the one of smallest gradient f = Kβ − p that can
rise, and the one that can fall and lets the objective fall most. Fan, Chen and Lin (2005).
"""

import numpy as np

from surelearn._jit import inner, jit
from surelearn._typing import Matrix, Vector
from surelearn.learners.kernelized._dual_solver.bits import ordered, short_bits

LARGEST_BLOCK = 2**14 - 1  # variables whose place fits the digits that a key can spare
_PLACE = np.int64(LARGEST_BLOCK)
_SHORT_PLACE = np.int32(LARGEST_BLOCK)
_LARGEST = np.int64(2**63 - 1)
FAR = 1e30  # added to a gradient, it keeps a variable from being chosen
_FLATTEST = 1e-12  # curvature: rows that are the same have none
_AT_ONCE = 2**26  # cells looked at before Python may be interrupted, a few tenths of a second


@inner
def _update(f: Vector, risen: Vector, fallen: Vector, step: float, barred: Vector) -> int:
    """Bring the gradient up to date and return the place of the smallest that can rise.

    A smallest number is found as a smallest integer, its place in the last digits: the compiler
    makes vector instructions of that, but not of a search for a float.
    """
    best = _LARGEST
    for t in range(len(f)):
        f[t] += step * (np.float64(risen[t]) - np.float64(fallen[t]))
        key = (ordered(f[t] + barred[t]) & ~_PLACE) | np.int64(t)
        best = min(best, key)
    return int(best & _PLACE)


@inner
def _partner(f: Vector, row: Vector, diagonal: Vector, barred: Vector, i: int) -> tuple[int, int]:
    """Return where the objective falls most, and the place of the largest that can fall."""
    own, lowest, best, highest = diagonal[i], f[i], np.int32(0), -_LARGEST
    for t in range(len(f)):
        height = f[t] - barred[t]
        key = (ordered(height) & ~_PLACE) | np.int64(t)
        highest = max(highest, key)
        rise = height - lowest
        rise = max(0.0, rise)
        curvature = own + diagonal[t] - 2.0 * np.float64(row[t])
        curvature = max(_FLATTEST, curvature)
        gain = np.float32(rise) * np.float32(rise) / np.float32(curvature)
        short = np.int32((short_bits(gain) & ~_SHORT_PLACE) | np.int32(t))
        best = max(best, short)
    last, j = int(highest & _PLACE), int(best & _SHORT_PLACE)
    falls = f[j] - barred[j] > lowest  # not if every gain is too small for single precision
    return (j if falls else last), last


def solve_block(
    gram: Matrix,
    diagonal: Vector,
    f: Vector,
    beta: Vector,
    bounds: Matrix,
    barred: Matrix,
    tolerance: float,
    max_steps: int,
) -> tuple[int, float]:
    """Move pairs until no gradient that can fall exceeds one that can rise by the tolerance.

    Returns the number of steps and the smallest curvature met; `f` and `beta` change in place.
    `barred` is 0 for a variable that can rise, and below for one that can fall, or far away.
    Between some thousands of steps the keyboard is heard; what comes out is the same.
    """
    pending, done, flattest = (0, 0, 0.0), 0, np.inf
    while done < max_steps:
        most = min(max_steps - done, max(1, _AT_ONCE // len(f)))
        n_steps, met, pending = _move_pairs(
            gram, diagonal, (tolerance, most), pending, f, beta, bounds, barred
        )
        done, flattest = done + n_steps, min(flattest, met)
        if n_steps < most:
            break
    return done, flattest


@jit
def _move_pairs(
    gram: Matrix,
    diagonal: Vector,
    limits: tuple[float, int],
    pending: tuple[int, int, float],
    f: Vector,
    beta: Vector,
    bounds: Matrix,
    barred: Matrix,
) -> tuple[int, float, tuple[int, int, float]]:
    """Move pairs; the last step of a call is pending: the next one brings it into the gradient."""
    (i, j, step), (tolerance, max_steps) = pending, limits
    flattest = np.inf
    for n_steps in range(max_steps):
        i = _update(f, gram[i], gram[j], step, barred[0])
        j, highest = _partner(f, gram[i], diagonal, barred[1], i)
        if f[highest] - barred[1, highest] - f[i] <= tolerance:
            return n_steps, flattest, (i, j, 0.0)
        curvature = diagonal[i] + diagonal[j] - 2.0 * gram[i, j]
        flattest = min(flattest, curvature)
        step = (f[j] - f[i]) / (max(_FLATTEST, curvature))
        room, depth = bounds[1, i] - beta[i], beta[j] - bounds[0, j]
        step = min(step, room)
        step = min(step, depth)
        beta[i] = bounds[1, i] if step == room else beta[i] + step  # a bound is met exactly
        beta[j] = bounds[0, j] if step == depth else beta[j] - step
        for t in (i, j):
            barred[0, t] = 0.0 if beta[t] < bounds[1, t] else FAR
            barred[1, t] = 0.0 if beta[t] > bounds[0, t] else FAR
    return max_steps, flattest, (i, j, step)
