"""Constraints on a table in parts: each question to them is a pass over all blocks."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import partial, reduce
from typing import Any, NamedTuple, TypeVar

import numpy as np

from surelearn._typing import Matrix, Vector
from surelearn.base.parted import Block, PartedTable
from surelearn.base.parted_survey import Survey, admitted
from surelearn.learners.linear._constraints import Constraints

_Record = TypeVar("_Record", bound=tuple[Any, ...])

_AT_ONCE = 4_000_000  # entries of a table of features
_MOST_MASSES = 10_000_000  # values of f# times features


class Problem(NamedTuple):
    """What a task must know of the whole: who checks blocks and makes features, all weights."""

    learner: Any
    weight: float
    sizes: Any = 1.0  # what features are divided by

    def of(self, block: Block) -> Iterator[Constraints]:
        """Yield the constraints on the rows of a block, some rows at a time."""
        rows = admitted(self.learner, block)
        shares, n_classes = rows.weights / self.weight, len(self.learner.classes_)
        step = max(1, _AT_ONCE // (n_classes**2 * (rows.X.shape[1] + 1)))
        for start in range(0, len(shares), step):
            some = slice(start, start + step)
            if shares[some].any():
                observe = self.learner._observe  # noqa: SLF001 - a part of it
                found = observe(rows.X[some], rows.codes[some], shares[some])
                yield replace(found, features=found.features / self.sizes)


class Extent(NamedTuple):
    """The least and the largest value of each feature, its mean, and the values of their sum."""

    lowest: Vector
    largest: Vector
    observed: Vector
    totals: Vector


@dataclass(frozen=True, eq=False)
class PartedConstraints:
    """What was observed in a table in parts; it answers as `Constraints` does.

    Parameters
    ----------
    parts, problem
        The table, and how a task goes through a block.
    extent
        What the first pass over all features showed.
    """

    parts: PartedTable
    problem: Problem
    extent: Extent

    @property
    def observed(self) -> Vector:
        """E_P̃ f_i, the mean of each feature in the data."""
        return self.extent.observed / self.problem.sizes

    @property
    def sizes(self) -> Vector:
        """The largest absolute value of each feature, 1 where that is 0."""
        return np.where(self.extent.largest > 0.0, self.extent.largest, 1.0)

    @property
    def lowest(self) -> Vector:
        """The least value of each feature."""
        return self.extent.lowest

    @property
    def totals(self) -> Vector:
        """The values that f# = Σ_i f_i takes, sorted."""
        totals, n_features = self.extent.totals, len(self.extent.lowest)
        if len(totals) * n_features > _MOST_MASSES:
            raise ValueError(
                f"the sum of all features takes {len(totals)} values or more in these parts, and "
                "iterative scaling keeps one line for each: use MaximumEntropyQuasiNewton, which "
                "finds the same model, or features with fewer values"
            )
        return totals

    def scaled(self) -> "PartedConstraints":
        """Return the constraints on features whose largest absolute value is 1."""
        return replace(self, problem=self.problem._replace(sizes=self.sizes))

    def masses(self, weights: Vector) -> tuple[Vector, Matrix]:
        """Return E_P f_i, and what of it comes from each value of f#."""
        return self._pass(partial(_masses_of, weights, self.totals))

    def dual(self, weights: Vector) -> tuple[float, Vector]:
        """Return Σ P̃(x) ln Σ_y exp(Σ w_i f_i(x, y)), and its gradient E_P f_i."""
        return self._pass(partial(_dual_of, weights))

    def entropy(self, weights: Vector) -> tuple[float, Vector, float]:
        """Return the mean entropy of P(y|x), E_P f_i, and the mean of ln Σ_y exp(Σ w_i f_i)."""
        return self._pass(partial(_entropy_of, weights))

    def _pass(self, work: Callable[[Constraints], _Record]) -> _Record:
        found = self.parts.map_reduce(partial(_through, self.problem, work, _added), _added)
        if found is None:
            raise AssertionError("no row has a weight")  # the survey has seen one
        return found


def constraints_of_parts(learner: Any, parts: PartedTable, survey: Survey) -> PartedConstraints:
    """Look at the features of all rows, and return what was observed."""
    problem = Problem(learner, float(survey.weight.sum()))
    extent = parts.map_reduce(partial(_through, problem, _extent_of, _widened), _widened)
    if extent is None:
        raise AssertionError("no row has a weight")  # the survey has seen one
    return PartedConstraints(parts, problem, extent)


def _through(
    problem: Problem,
    work: Callable[[Constraints], _Record],
    merge: Callable[[_Record | None, _Record | None], _Record | None],
    block: Block,
) -> _Record | None:
    """Return the sum of the records of a block; None if no row of it has a weight."""
    return reduce(merge, map(work, problem.of(block)), None)


def _added(one: _Record | None, other: _Record | None) -> _Record | None:
    if one is None or other is None:
        return other if one is None else one
    return tuple(mine + yours for mine, yours in zip(one, other, strict=True))  # pyright: ignore[reportReturnType]


def _widened(one: Extent | None, other: Extent | None) -> Extent | None:
    if one is None or other is None:
        return other if one is None else one
    totals = np.union1d(one.totals, other.totals)
    most = _MOST_MASSES // len(one.lowest) + 2  # more are refused, if anybody asks for them
    return Extent(
        np.minimum(one.lowest, other.lowest),
        np.maximum(one.largest, other.largest),
        one.observed + other.observed,
        totals[:most],
    )


def _extent_of(constraints: Constraints) -> Extent:
    largest = np.abs(constraints.features).max(axis=(0, 1))
    return Extent(constraints.lowest, largest, constraints.observed, constraints.totals)


def _masses_of(weights: Vector, totals: Vector, constraints: Constraints) -> tuple[Any, Any]:
    expected, masses = constraints.masses(weights)
    all_masses = np.zeros((len(totals), len(weights)))
    all_masses[np.searchsorted(totals, constraints.totals)] = masses
    return expected, all_masses


def _dual_of(weights: Vector, constraints: Constraints) -> tuple[float, Vector]:
    return constraints.dual(weights)


def _entropy_of(weights: Vector, constraints: Constraints) -> tuple[float, Vector, float]:
    return constraints.entropy(weights)
