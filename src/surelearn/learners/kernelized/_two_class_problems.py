"""Many classes by problems of two: which ones there are, and how their scores become one answer."""

from itertools import combinations
from typing import Any, NamedTuple

import numpy as np

from surelearn._typing import Indices, Matrix, Vector
from surelearn.learners.kernelized._dual_solver.problem import Problem


class Pairing(NamedTuple):
    """The negative and the positive class of each problem; a negative class -1 is all others."""

    n_classes: int
    pairs: tuple[tuple[int, int], ...]

    @classmethod
    def of(cls, n_classes: int, multiclass: str) -> "Pairing":
        """Return the problems of all pairs, or of each class against the others."""
        if n_classes > 2 and multiclass == "one-vs-rest":
            return cls(n_classes, tuple((-1, one) for one in range(n_classes)))
        return cls(n_classes, tuple(combinations(range(n_classes), 2)))

    @property
    def covers_all(self) -> bool:
        """Whether every problem is about every row."""
        return self.n_classes == 2 or self.pairs[0][0] == -1

    def problems(
        self, codes: Indices, limits: Vector, *, balanced: bool
    ) -> list[tuple[Problem, Indices]]:
        """Return the problems, each with the rows that it is about; α is at most a row's limit."""
        found: list[tuple[Problem, Indices]] = []
        for other, one in self.pairs:
            rows = np.flatnonzero((codes == one) | (other < 0) | (codes == other))
            signs = np.where(codes[rows] == one, 1.0, -1.0)
            found.append((margin_problem(signs, limits[rows], balanced=balanced), rows))
        return found

    def scores(self, found: Matrix) -> Matrix:
        """Return a score for each class; of two classes, of the last alone.

        Pairs vote. The sum of a class's scores, squeezed into less than half a vote, tells classes
        apart that have as many votes.
        """
        if self.covers_all:
            return found
        votes, sums = np.zeros((2, len(found), self.n_classes))
        for (other, one), score in zip(self.pairs, found.T, strict=True):
            votes[:, one] += score > 0.0
            votes[:, other] += score <= 0.0
            sums[:, one] += score
            sums[:, other] -= score
        return votes + sums / (3.0 * (np.abs(sums) + 1.0))

    def decide(self, scores: Matrix) -> Indices:
        """Return the class of each row by the scores of the classes."""
        if scores.shape[1] == 1:
            return (scores[:, 0] > 0.0).astype(np.int64)
        return scores.argmax(axis=1)


def margin_problem(signs: Vector, limits: Vector, *, balanced: bool) -> Problem:
    """Return the dual of a margin: β = yα, whose targets are the signs y."""
    zeros = np.zeros(len(signs))
    bounds: Any = np.array(
        [np.where(signs > 0.0, zeros, -limits), np.where(signs > 0.0, limits, zeros)]
    )
    return Problem(signs, bounds, np.arange(len(signs)), balanced)
