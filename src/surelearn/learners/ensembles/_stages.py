"""Forward stagewise additive modelling: one member and one step at a time, none ever refitted.

    (β_m, b_m) = argmin Σ_i L(y_i, f_{m−1}(x_i) + β b(x_i)),   f_m = f_{m−1} + ν β_m b_m,   f_0 = 0

Hastie, Tibshirani and Friedman (2009), "The Elements of Statistical Learning", section 10.3.
"""

import math
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np
from scipy import optimize

from surelearn._typing import Vector
from surelearn.learners.ensembles._boosting_steps import gradients_of
from surelearn.losses import Loss, Square

Propose = Callable[[Vector, Vector], tuple[Any, Vector]]
"""From descent directions and weights of rows to a member and its value at each row."""

_FARTHEST = 2.0**40  # a step beyond which a loss of margins that still falls has no minimum
_BEYOND = 2.0**512  # the same of a loss of numbers, which may be of any size
_UNDERFLOW = 512.0  # a step beyond which the slope of a loss of margins vanishes by rounding


class Stages(NamedTuple):
    """What the stages leave behind: members, their steps, and the mean loss from f_0 on."""

    members: list[Any]
    steps: list[float]
    losses: list[float]
    stop_reason: str
    gave_up: bool = False

    def discarded(self, stage: int) -> "Stages":
        """End with a member along which the loss does not fall, though there is some left."""
        reason = f"stage {stage} was discarded: along its member the loss does not fall"
        left = self.losses[-1] > np.finfo(np.float64).eps * self.losses[0]  # beyond rounding
        return self._replace(stop_reason=reason, gave_up=left)


def run_stages(
    loss: Loss, propose: Propose, y: Vector, weights: Vector, most: int, learning_rate: float
) -> Stages:
    """Add members one by one, along the steepest descent of the loss, as far as it falls."""
    f, there = np.zeros(len(y)), weights > 0.0  # a row without weight may lose any amount

    def mean_loss() -> float:
        return loss.mean(y[there], f[there], weights=weights[there])

    stages = Stages([], [], [mean_loss()], "")
    for stage in range(1, most + 1):
        slopes = gradients_of(loss, y, f)
        if not slopes[there].any():
            return stages._replace(stop_reason=f"after stage {stage - 1} the loss cannot fall")
        member, values = propose(np.where(there, -slopes, 0.0), weights)
        step = line_search(loss, y[there], f[there], values[there], weights[there])
        if step == 0.0:
            return stages.discarded(stage)
        endless = step == np.inf
        step = 1.0 if endless else step * learning_rate
        f = f + step * values
        stages.members.append(member)
        stages.steps.append(step)
        stages.losses.append(mean_loss())
        _refuse_overflow(stages.losses, learning_rate)  # after the last stage, too
        if endless:
            return stages._replace(
                stop_reason=f"along the member of stage {stage} the loss falls for ever; it has "
                "step 1"
            )
    return stages


def _refuse_overflow(losses: Sequence[float], learning_rate: float) -> None:
    """Refuse stages that brought a loss beyond all floats: only steps that are too long do."""
    if math.isfinite(losses[0]) and not math.isfinite(losses[-1]):
        raise ValueError(
            f"the loss is beyond all floats after stage {len(losses) - 1}: "
            f"learning_rate={learning_rate!r} is too large"
        )


def line_search(loss: Loss, y: Vector, f: Vector, values: Vector, weights: Vector) -> float:
    """Return the step β ≥ 0 that minimises the loss of f + β·values; infinity if none does.

    Examples
    --------
    >>> from surelearn.losses import Absolute, Square
    >>> y, f, one = np.array([1.0, 2.0, 9.0]), np.zeros(3), np.ones(3)
    >>> line_search(Square(), y, f, one, one), round(line_search(Absolute(), y, f, one, one), 6)
    (4.0, 2.0)
    """
    if isinstance(loss, Square):
        length = float(weights @ (values * values))
        return max(0.0, float(weights @ (values * (y - f))) / length) if length else 0.0

    def slope(step: float) -> float:
        return float(weights @ (values * loss.gradient(y, f + step * values)))

    if (steepest := -slope(0.0)) <= 0.0:
        return 0.0
    far = _bracket(slope, _FARTHEST if loss.is_margin else _BEYOND)
    if far == np.inf or (loss.is_margin and far > _UNDERFLOW and slope(far) == 0.0):
        return np.inf

    def scaled(part: float) -> float:
        return slope(far * part) / steepest  # products of tiny slopes would vanish

    found: Any = optimize.brentq(scaled, 0.0, 1.0, xtol=1e-13, rtol=1e-14, maxiter=200)
    return far * float(found)


def _bracket(slope: Callable[[float], float], farthest: float) -> float:
    """Return a step between half of which and itself a growing slope changes its sign."""
    far = 1.0
    while slope(far) < 0.0:  # the loss is convex along the step: its slope grows
        far *= 2.0
        if far > farthest:
            return np.inf
    while far > 1.0 / _BEYOND and slope(far / 2.0) >= 0.0:
        far /= 2.0
    return far
