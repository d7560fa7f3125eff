"""Adaptive conformal inference as in Gibbs and Candès (2021), row by row in plain Python."""

import math


def intervals(predictions, targets, alpha, rate, window):
    """Return the interval given to each row before its target was seen."""
    level, errors, given = alpha, [], []
    for prediction, target in zip(predictions, targets, strict=True):
        recent = sorted(errors[-window:])
        rank = math.ceil((1 - level) * (len(recent) + 1))
        if level >= 1:
            interval = (math.inf, -math.inf)
        elif level <= 0 or rank > len(recent):
            interval = (-math.inf, math.inf)
        else:
            interval = (prediction - recent[rank - 1], prediction + recent[rank - 1])
        given.append(interval)
        level += rate * (alpha - (0 if interval[0] <= target <= interval[1] else 1))
        errors.append(abs(target - prediction))
    return given
