"""The rounds of gradient boosting: slopes, a tree for each output, steps."""

from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from surelearn import _threads
from surelearn._typing import Indices, Matrix, Vector
from surelearn.learners.ensembles._boosting_losses import Descent
from surelearn.learners.ensembles._boosting_steps import add_steps, share_out
from surelearn.learners.ensembles._histogram.binning import Bins
from surelearn.learners.ensembles._histogram.cut_points import Codes
from surelearn.learners.ensembles._histogram.predictor import add_values
from surelearn.learners.ensembles._histogram.training import (
    FEW_ROWS,
    GrownTree,
    GrowthLimits,
    Stepping,
    TreeGrower,
    refuse_infinite,
)
from surelearn.learners.ensembles._histogram.trees import HistogramTrees
from surelearn.learners.ensembles._monotone import ordered_values

_AT_ONCE = 2**16  # rows whose slopes a worker writes at once, in little memory
_WIDE = 1024  # rows of a part end with whole vectors: its last bits are those of all rows together


class Examples(NamedTuple):
    """Encoded rows, their targets and weights, and what is predicted for them so far."""

    codes: Codes
    y: Vector
    weights: Vector
    scores: Matrix


class Plan(NamedTuple):
    """How the rounds go.

    Attributes
    ----------
    n_rounds, first_round
        The number of all rounds, and of those done before.
    learning_rate
        What part of each step is taken.
    subsample, max_features
        The share of rows, and of columns, that each tree is grown from.
    limits, signs
        When a tree stops growing; along which columns predictions keep an order.
    patience, tolerance
        After how many rounds without a decrease of the validation loss by that much to stop.
    seed
        Where draws come from.
    """

    n_rounds: int
    first_round: int
    learning_rate: float
    subsample: float
    max_features: float
    limits: GrowthLimits
    signs: Indices
    patience: int
    tolerance: float
    seed: int


@dataclass
class Rounds:
    """The trees of all rounds so far, and the loss on the validation rows after each."""

    trees: list[HistogramTrees] = field(default_factory=list[HistogramTrees])
    losses: list[float] = field(default_factory=list[float])

    def is_stale(self, patience: int, tolerance: float) -> bool:
        """Return whether the loss has not fallen by more than the tolerance for a while."""
        if len(self.losses) <= patience:
            return False
        before = min(self.losses[:-patience])
        return min(self.losses[-patience:]) > before - tolerance


def boost(
    training: Examples,
    validation: Examples | None,
    *,
    bins: Bins,
    descent: Descent,
    plan: Plan,
    workers: _threads.Workers,
) -> Rounds:
    """Grow trees that follow the negative gradient of the loss; scores change in place."""
    grower = TreeGrower(training.codes, bins, plan.limits, signs=plan.signs, workers=workers)
    rounds = Rounds()
    if len(training.y) < FEW_ROWS:
        workers = _threads.Workers(None, 1)
    if validation is not None:
        rounds.losses.append(_loss_before(descent, validation))
    for number in range(plan.first_round, plan.n_rounds):
        for tree in _one_round(grower, training, descent, plan, number, workers):
            rounds.trees.append(tree)
            if validation is not None:
                k = (len(rounds.trees) - 1) % descent.n_outputs
                add_values(tree, validation.codes, validation.scores[k : k + 1])
        if validation is not None:
            rounds.losses.append(descent.mean(validation.y, validation.scores, validation.weights))
            if rounds.is_stale(plan.patience, plan.tolerance):
                break
    refuse_infinite(training.scores)
    return rounds


def _loss_before(descent: Descent, validation: Examples) -> float:
    """Return the loss on the validation rows before the first round; refuse one that overflows."""
    with np.errstate(over="ignore"):
        loss = descent.mean(validation.y, validation.scores, validation.weights)
    if not np.isfinite(loss):
        raise ValueError(
            "the loss on the validation rows overflows, so early_stopping cannot tell whether it "
            "falls: divide the targets by a constant, or set early_stopping=False"
        )
    return loss


def _one_round(
    grower: TreeGrower,
    training: Examples,
    descent: Descent,
    plan: Plan,
    number: int,
    workers: _threads.Workers,
) -> list[HistogramTrees]:
    """Return the trees of one round, whose slopes are those before it."""
    codes, y, _, scores = training
    gradients, hessians = _slopes(descent, training, workers)
    draws = plan.subsample < 1.0 or plan.max_features < 1.0
    rng = np.random.default_rng([plan.seed, number]) if draws else None
    at_once = descent.is_newton and plan.subsample >= 1.0 and not plan.signs.any()
    grown: list[HistogramTrees] = []
    for k in range(descent.n_outputs):
        # Weights may be read-only, or one for all rows: loops are compiled for neither.
        slopes = tuple(
            np.require(each[k], requirements=["C", "W"]) for each in (gradients, hessians)
        )
        steps = np.zeros(2 * plan.limits.max_leaves - 1)
        stepping = Stepping(scores[k], plan.learning_rate, plan.limits.l2, steps)
        tree = grower.grow(
            *slopes,
            number=number * descent.n_outputs + k,
            rows=_draw(rng, len(y), plan.subsample),
            columns=_draw(rng, len(codes), plan.max_features),
            stepping=stepping if at_once else None,
        )
        if at_once:
            grown.append(tree.with_values(_at_rate(plan, steps[: len(tree.facts)])))
        else:
            grown.append(_step(tree, k, slopes, training, descent, plan, workers))
    return grown


def _step(
    tree: GrownTree,
    k: int,
    slopes: tuple[Vector, ...],
    training: Examples,
    descent: Descent,
    plan: Plan,
    workers: _threads.Workers,
) -> HistogramTrees:
    """Return a tree with the step of each leaf, which the scores of an output have taken."""
    codes, y, weights, scores = training
    steps = descent.steps(tree, y, scores[k], weights, slopes, plan.limits.l2, workers)
    values = leaf_values(tree, steps, plan)
    found = tree.with_values(values)
    if plan.subsample < 1.0:  # rows that were not drawn move too
        add_values(found, codes, scores[k : k + 1])
    else:
        _move(tree, values[tree.leaves], scores[k], workers)
    return found


def _slopes(
    descent: Descent, training: Examples, workers: _threads.Workers
) -> tuple[Matrix, Matrix]:
    """Return gradients and hessians, which are those of each row by itself."""
    _, y, weights, scores = training
    if workers.size == 1:
        return descent.slopes(y, scores, weights)
    n = len(y)
    gradients, hessians = np.empty((descent.n_outputs, n)), np.empty((descent.n_outputs, n))

    def write(part: slice) -> None:
        gradients[:, part], hessians[:, part] = descent.slopes(
            y[part], scores[:, part], weights[part]
        )

    rounds = -(-n // (_AT_ONCE * workers.size))  # every worker gets as many parts as the others
    size = -(-n // (rounds * workers.size))
    workers.map(write, list(_threads.chunks(n, -(-size // _WIDE) * _WIDE)))
    return gradients, hessians


def _move(tree: GrownTree, steps: Vector, scores: Vector, workers: _threads.Workers) -> None:
    """Add the step of each leaf to the scores of its rows."""
    starts, stops = tree.starts, tree.stops

    def add(part: slice) -> None:
        add_steps(tree.rows, starts[part], stops[part], steps[part], scores)

    workers.map(add, share_out(stops - starts, workers.size))


def leaf_values(tree: GrownTree, steps: Vector, plan: Plan) -> Vector:
    """Return the values of all nodes: steps of leaves in order, times the rate."""
    values = np.zeros(len(tree.facts))
    values[tree.leaves] = steps
    if plan.signs.any():
        values = ordered_values(tree, values, plan.signs)
    return _at_rate(plan, values)


def _at_rate(plan: Plan, steps: Vector) -> Vector:
    with np.errstate(over="ignore"):  # a tree refuses values that are no numbers
        return plan.learning_rate * steps


def _draw(rng: np.random.Generator | None, n: int, share: float) -> Indices | None:
    """Return some of n places, sorted; None for all."""
    if rng is None or share >= 1.0:
        return None
    return np.sort(rng.choice(n, max(1, round(share * n)), replace=False))
