"""A table in memory, as the search for the optimum of a softmax model asks it."""

from typing import Any

import numpy as np

from surelearn._jit import fingerprints
from surelearn._jit.fingerprints import Hashes
from surelearn._typing import Indices, Matrix, Vector
from surelearn.base import validation
from surelearn.learners.linear._softmax import optimum_check
from surelearn.learners.linear._softmax.objective import SoftmaxObjective
from surelearn.learners.linear._softmax.optimum_check import Audit
from surelearn.learners.linear._softmax.parted import PartedObjective
from surelearn.learners.linear._softmax.solver import minimise
from surelearn.optimizers import Trace
from surelearn.optimizers.separability import no_finite_minimum

_PROGRAMME = 200_000  # entries of a table up to which a linear programme looks for a separator


class WholeTable:
    """Rows that are all there; `PartedObjective` answers the same questions for a table in parts.

    Parameters
    ----------
    learner
        Whose rows they are; it is named where they are refused.
    objective
        What is minimised.
    """

    def __init__(self, learner: Any, objective: SoftmaxObjective) -> None:
        self.learner, self.objective = learner, objective
        self.n_scores, self.penalty = objective.n_scores, objective.penalty
        self.fit_intercept = objective.fit_intercept
        self.shape: tuple[int, int] = objective.X.shape

    def minimum(self, start: Vector, *, tolerance: float, max_iter: int) -> Trace:
        """Search for the optimum; rows that are not finite are refused.

        With one score they need not be looked for: a gradient is finite only if all values are.
        """
        if self.n_scores > 1:
            validation.all_finite(self.learner, self.objective.X)
        try:
            return minimise(self.objective, start, tolerance=tolerance, max_iter=max_iter)
        except ValueError:
            validation.all_finite(self.learner, self.objective.X)
            raise

    def audit(self, point: Vector) -> Audit:
        """Bound how far a point's value is above the minimum, and count its errors."""
        return optimum_check.audit(self.objective, point)

    def margins(self, theta: Matrix) -> Vector:
        """Return the normalised margin of each row, for few rows of two classes."""
        return optimum_check.normalised_margins(self.objective, theta)

    def sketch(self) -> Hashes:
        """Return the fingerprints of the rows."""
        rows_between = self.objective.rows_between
        hashes = self.objective.map_chunks(
            lambda first, last: fingerprints.row_hashes(rows_between(first, last))
        )
        return fingerprints.sketch(np.concatenate(hashes))

    def counted_rows(self) -> tuple[Any, Indices]:
        """Return the rows with a weight and their classes."""
        counted = self.objective.shares > 0.0
        return self.objective.X[counted], self.objective.codes[counted]


def refuse_separable(table: WholeTable | PartedObjective, trace: Trace, found: Audit) -> None:
    """Refuse rows without an optimum: those that can be separated, if there is no penalty."""
    if table.penalty > 0.0:
        return
    separated = found.smallest_margin > 0.0
    n, d = table.shape
    if not separated and n * table.n_scores * (d + 1) <= _PROGRAMME:
        X, codes = table.counted_rows()
        n_classes = max(2, table.n_scores)
        separated = no_finite_minimum(X, codes, n_classes, fit_intercept=table.fit_intercept)
    if separated:
        length = np.linalg.norm(trace.point)
        raise ValueError(
            "the classes can be separated, so without a penalty no coefficients are best: "
            f"longer ones always fit better, and they were {length:.3g} long when the search "
            "ended. Set a finite C, such as C=1.0"
        )
