"""Linear softmax models of a table in parts: each new point is one pass over all blocks.

A pass sums the loss, its gradient and its curvature; the steps are those of the table in memory.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import partial
from operator import add
from typing import Any, NamedTuple

import numpy as np

from surelearn import _arguments
from surelearn._jit.fingerprints import Hashes
from surelearn._typing import Indices, Matrix, Vector
from surelearn.base.fitting import class_weights
from surelearn.base.parted import Block, PartedTable
from surelearn.base.parted_survey import Survey, admitted, survey_labelled
from surelearn.base.validation import MOST_WEIGHT
from surelearn.learners.linear._softmax import metric, optimum_check
from surelearn.learners.linear._softmax.metric import refuse_overflow
from surelearn.learners.linear._softmax.objective import SoftmaxObjective, penalised
from surelearn.learners.linear._softmax.optimum_check import Audit, Looked, Slopes
from surelearn.learners.linear._softmax.solver import DENSE_METRIC, REFRESH, ROUNDING, descend
from surelearn.optimizers import Trace


class Problem(NamedTuple):
    """What a task must know of the whole: who checks blocks, what a row of each class weighs."""

    learner: Any
    class_shares: Vector
    n_scores: int
    fit_intercept: bool
    step: int  # every so many rows are enough for the curvature

    def of(self, block: Block) -> SoftmaxObjective:
        """Return the objective of the rows of one block, without a penalty."""
        rows = admitted(self.learner, block)
        shares = rows.weights * self.class_shares[rows.codes]
        return SoftmaxObjective(rows.X, rows.codes, shares, self.n_scores, 0.0, self.fit_intercept)


class Sums(NamedTuple):
    """What some rows add at a point: loss, gradient, curvature and the weight behind that."""

    value: float
    gradient: Matrix
    bends: Any
    weight: float


@dataclass(frozen=True, eq=False)
class PartedObjective:
    """The softmax objective of a table in parts; the last point is remembered.

    Parameters
    ----------
    parts, problem
        The table, and how a task goes through a block.
    penalty
        The μ of the penalty.
    survey
        What the first look at all rows showed.
    """

    parts: PartedTable
    problem: Problem
    penalty: float
    survey: Survey
    _last: dict[str, Any] = field(init=False, default_factory=dict[str, Any])

    @property
    def shape(self) -> tuple[int, int]:
        """The number of rows, and of features."""
        return int(self.survey.n_rows.sum()), self.problem.learner.n_features_in_

    @property
    def n_scores(self) -> int:
        """1 for two classes, else their number."""
        return self.problem.n_scores

    @property
    def fit_intercept(self) -> bool:
        """Whether there are intercepts."""
        return self.problem.fit_intercept

    def __call__(self, point: Vector) -> tuple[float, Vector]:
        """Return the value and the gradient."""
        theta, sums = point.reshape(self.n_scores, -1), self._sums(point)
        return penalised(
            sums.value, sums.gradient, theta, self.penalty, fit_intercept=self.fit_intercept
        )

    def _sums(self, point: Vector) -> Sums:
        if not np.array_equal(self._last.get("point", ()), point):
            theta = point.reshape(self.n_scores, -1)
            seen = self.parts.map_reduce(partial(_sums_of, self.problem, theta), _added)
            if not seen.weight > 0.0:  # the few rows of the curvature have none: take all
                dense = self.problem._replace(step=1)
                seen = self.parts.map_reduce(partial(_sums_of, dense, theta), _added)
            self._last.update(point=point.copy(), seen=seen)
        return self._last["seen"]

    def metric(self, point: Vector) -> Callable[[Vector], Vector]:
        """Return multiplication by about the inverse of the Hessian."""
        sums = self._sums(point)
        if self.shape[1] >= DENSE_METRIC:
            return metric.inverse_of_diagonal(sums.bends, self.penalty)
        blocks = [np.array(block, order="F") for block in sums.bends]
        return metric.inverse_of_blocks(blocks, sums.weight, self.penalty)

    def minimum(self, start: Vector, *, tolerance: float, max_iter: int) -> Trace:
        """Run quasi-Newton steps, each in the metric of where it begins until they become many."""
        norm = self.survey.typical_norm
        refuse_overflow(np.array(norm))
        refuse_overflow(self(start)[1])
        finest = max(tolerance, ROUNDING * norm)  # what sums over such rows can show
        return descend(self, start, self.metric, _spans(), tolerance=finest, max_iter=max_iter)

    def audit(self, point: Vector) -> Audit:
        """Bound how far a point's value is above the minimum, and count its errors."""
        theta = point.reshape(self.n_scores, -1)
        value, gradient = self(point)

        def spread() -> Matrix:
            return self.parts.map_reduce(partial(_spread_of, self.problem, theta), add)

        def look(move: Vector) -> Looked:
            work = partial(_look_at, self.problem, theta, move)
            return self.parts.map_reduce(work, optimum_check.both_looked)

        slopes = Slopes(value, gradient.reshape(theta.shape), self.penalty)
        return optimum_check.concluded(slopes, spread, look)

    def margins(self, theta: Matrix) -> Vector:
        """Return the normalised margin of each row, for few rows of two classes."""
        return self.parts.map_reduce(partial(_margins_of, self.problem, theta), _chained)

    def sketch(self) -> Hashes:
        """Return the fingerprints of the rows."""
        return self.survey.hashes

    def counted_rows(self) -> tuple[Any, Indices]:
        """Return the rows with a weight and their classes, for a small table."""
        found = self.parts.map_reduce(partial(_counted_rows_of, self.problem), _chained)
        return found[:, :-1], found[:, -1].astype(np.int64)


def _spans() -> Iterator[int]:
    """Yield after how many steps the metric is renewed: at first, far from the end, after each."""
    span = 1
    while True:
        yield span
        span = min(2 * span, REFRESH)


def _sums_of(problem: Problem, theta: Matrix, block: Block) -> Sums:
    objective = problem.of(block)
    value, gradient = objective.sums(theta)
    if theta.shape[1] > DENSE_METRIC:
        bends: Any = metric.hessian_diagonal(objective, theta)
        return Sums(value, gradient, bends, float(objective.shares.sum()))
    blocks = metric.hessian_blocks(objective, theta, problem.step)
    weight = float(objective.shares[:: problem.step].sum())
    return Sums(value, gradient, np.array(blocks), weight)


def _added(one: Sums, other: Sums) -> Sums:
    return Sums(
        one.value + other.value,
        one.gradient + other.gradient,
        one.bends + other.bends,
        one.weight + other.weight,
    )


def _spread_of(problem: Problem, theta: Matrix, block: Block) -> Matrix:
    objective = problem.of(block)
    return optimum_check.spread_of(objective, theta, 0, len(objective.codes))


def _look_at(problem: Problem, theta: Matrix, move: Vector, block: Block) -> Looked:
    objective = problem.of(block)
    return optimum_check.look_at(objective, theta, move, 0, len(objective.codes))


def _margins_of(problem: Problem, theta: Matrix, block: Block) -> Vector:
    return optimum_check.normalised_margins(problem.of(block), theta)


def _counted_rows_of(problem: Problem, block: Block) -> Matrix:
    objective = problem.of(block)
    counted = objective.shares > 0.0
    X: Matrix = objective.X[counted]
    return np.column_stack([X, objective.codes[counted].astype(np.float64)])


def _chained(one: Any, other: Any) -> Any:
    return np.concatenate([one, other])


def objective_of_parts(learner: Any, parts: PartedTable) -> PartedObjective:
    """Look at all blocks once, and return the objective of their rows."""
    survey = survey_labelled(learner, parts)
    each = class_weights(learner.class_weight, survey.classes, survey.n_there)
    total = float(each @ survey.weight)
    if not 1.0 / MOST_WEIGHT <= total < MOST_WEIGHT:  # one divides by it
        raise ValueError(
            f"class_weight={_arguments.short(learner.class_weight)} makes the weights of all rows "
            f"sum to {total:g}; give a class with rows a weight, and none a huge or a tiny one"
        )
    n_scores = 1 if len(survey.classes) == 2 else len(survey.classes)
    step = metric.spacing(int(survey.n_rows.sum()), learner.n_features_in_ + 1)
    problem = Problem(learner, each / total, n_scores, bool(learner.fit_intercept), step)
    return PartedObjective(parts, problem, metric.penalty_of(learner.C, total), survey)
