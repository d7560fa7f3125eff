"""What kernel Pegasos has learnt, and its loop over the rows of a block."""

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from scipy import special

from surelearn._jit import jit
from surelearn._stored import holds, stored
from surelearn._typing import Indices, Mask, Matrix, Vector
from surelearn.base.online.state import History
from surelearn.base.online.suboptimality import SuboptimalityRecord

SCORES, ADDED, LATE = range(3)
"""Rows of what a `fit` under way knows of each of its rows."""


@stored("kernel-pegasos-state")
@holds(
    coef="finite[support]",
    late="finite[support]",
    steps="int[1]",
    draws="int[2]",
    radius="finite[1]",
    current="finite[current]",
    support=tuple,
)
class State(NamedTuple):
    """All that one two-class problem has learnt.

    `coef` are the counts with their signs, `late` the same with each addition times the scales
    before it. `draws` are a seed, 0 for rows that come in order, and the passes drawn. While a
    `fit` passes over its rows, `current` has their scores up to the scale, and both numbers.
    """

    coef: Vector
    late: Vector
    steps: Indices
    draws: Indices
    radius: Vector
    current: Any
    support: History


@stored("kernel-pegasos-record")
@holds(objective="number", least="number", n_steps="count")
@dataclass(frozen=True, eq=False)
class KernelPegasosRecord(SuboptimalityRecord):
    """What the run on one problem leaves behind."""


@jit
def learn_rows(
    gram: Matrix,
    signs: Vector,
    penalty: float,
    steps: float,
    near: Vector,
    updates: Mask,
    scores: Vector,
) -> None:
    """Score each row of a block, then learn from it; `near` holds their scores up to the scale."""
    for t in range(len(signs)):
        before = steps + t
        scores[t] = near[t] / (penalty * before) if before > 0.0 else 0.0
        updates[t] = signs[t] * scores[t] < 1.0
        if updates[t]:
            for s in range(len(signs)):
                near[s] += signs[t] * gram[t, s]


def scales_before(steps: Indices, penalty: float) -> Vector:
    """Return s_1 + … + s_t for each t, s_t = 1/(λ(t − 1)) the scale of f in step t, s_1 = 0."""
    return (special.digamma(steps.astype(np.float64)) + np.euler_gamma) / penalty
