"""Losses so small or large that their squares would vanish or overflow, counted in another unit.

A power of two is the unit, so that nothing is rounded: a game of losses in units is the same game.
"""

import math

import numpy as np

from surelearn.learners.experts._loops import Rounds

SMALL, LARGE = 1e-100, 1e100  # between them the unit is 1
_LEAST, _MOST = 1e-300, 1e300


def unit_of(width: float) -> float:
    """Return the unit for losses that differ by up to `width`.

    Examples
    --------
    >>> unit_of(0.0), unit_of(3.0), 1.0 <= 1e-200 / unit_of(1e-200) < 2.0
    (1.0, 1.0, True)
    """
    if width == 0.0 or SMALL <= width <= LARGE:
        return 1.0
    if not _LEAST <= width <= _MOST:
        raise ValueError(
            f"losses of one round may differ by {width:.3g}: sums of such numbers overflow or "
            f"vanish, unless it lies between {_LEAST:g} and {_MOST:g}. Rescale the losses"
        )
    return 2.0 ** (math.frexp(width)[1] - 1)


def above_floor(table: Rounds) -> Rounds:
    """Return the rounds with all losses less the least of their round, and sleepers at 0.

    Examples
    --------
    >>> above_floor(Rounds(np.array([[7.0, 5.0]]), np.empty((0, 2)), np.array([5.0]))).losses
    array([[2., 0.]])
    """
    losses = table.losses - table.floor[:, np.newaxis]
    if len(table.awake):
        losses = np.where(table.awake > 0.0, losses, 0.0)
    return Rounds(losses, table.awake, np.zeros(len(table.floor)))


def in_units(table: Rounds, unit: float) -> Rounds:
    """Return the rounds with losses above their floor in units."""
    lifted = above_floor(table)
    return lifted._replace(losses=lifted.losses / unit)
