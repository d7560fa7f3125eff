"""The hyperplanes of a support vector classifier, seen from its rows: margins and distances."""

import math
from dataclasses import replace
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.validation import check_is_fitted

from surelearn import _arguments
from surelearn._typing import ArrayLike, Matrix, Vector
from surelearn.base import validation
from surelearn.base.fitting import at_one_moment, fresh_copy, warn
from surelearn.kernels import Linear
from surelearn.learners.kernelized._leave_one_out import LeaveOneOutEstimates
from surelearn.learners.kernelized._regularization_path import RegularizationPath, follow
from surelearn.learners.kernelized._solved_problems import values_of_points

_ROUNDING = 1e-12  # of a squared norm from which that of a constant was taken away


@at_one_moment
class Hyperplanes:
    """What a classifier can say of its margins; most of it where there are two classes."""

    classes_: Any
    dual_coef_: Matrix
    norms_: Vector
    n_training_rows_: int
    support_: Any
    support_margins_: Matrix
    at_bound_: Any
    largest_diagonal_: float
    intercept_: Vector
    weighted_: bool
    kernel_: Any
    penalize_intercept: bool
    _pairing: Any
    _problem_scores: Any

    def kkt_classes(self, problem: int = 0) -> NDArray[Any]:
        """Return how each training row lies in one of the problems.

        "inside" its own half-space (α = 0), "on the margin" (0 < α < C), "slack" (α = C, on its own
        side), "misclassified" (α = C, on the other side), or "absent" from this problem: of another
        class, or of weight 0. Files of before do not tell rows inside from absent ones: "unknown".
        """
        check_is_fitted(self)
        problem = _arguments.count("problem", problem, at_most=len(self.dual_coef_) - 1)
        told = self._without_coefficient(problem)
        coef, margins = self.dual_coef_[problem], self.support_margins_[problem]
        bound = self.at_bound_[problem]
        words = np.select(
            [np.isnan(margins), coef == 0.0, ~bound, margins > 0.0],
            ["absent", "inside", "on the margin", "slack"],
            "misclassified",
        )
        told[self.support_] = words
        return told

    def _without_coefficient(self, problem: int) -> NDArray[Any]:
        """Return how rows that are no support vectors lie in a problem."""
        told = np.full(self.n_training_rows_, "inside", dtype="<U13")
        if self._pairing.covers_all and not self.weighted_:
            return told
        codes = getattr(self, "row_classes_", None)
        if codes is None:
            return np.full_like(told, "unknown")
        other, one = self._pairing.pairs[problem]
        present = (codes >= 0) & ((codes == one) | (other < 0) | (codes == other))
        return np.where(present, told, "absent")

    def signed_distance(self, X: Any) -> Vector:
        """Return how far each row lies from the hyperplane in the kernel's space.

        The constant feature of a penalised intercept is no part of that space.
        """
        return self._scores_of_two(X) / self._norm()

    def functional_margin(self, X: Any, y: ArrayLike) -> float:
        """Return the smallest y·f(x), with y = 1 for the last class and -1 for the first."""
        check_is_fitted(self)
        codes = validation.index_among(self.classes_, _arguments.labels("y", y))
        scores = self._scores_of_two(X)
        if len(codes) != len(scores):
            raise ValueError(f"y has {len(codes)} labels for {len(scores)} rows")
        return float(((2.0 * codes - 1.0) * scores).min())

    def geometric_margin(self, X: Any, y: ArrayLike) -> float:
        """Return the smallest signed distance of a row, positive on its own side."""
        return self.functional_margin(X, y) / self._norm()

    def _scores_of_two(self, X: Any) -> Vector:
        check_is_fitted(self)
        if len(self.classes_) > 2:
            raise ValueError("with more than two classes there is more than one hyperplane")
        return self._problem_scores(X)[:, 0]

    def _norm(self) -> float:
        """Return the norm of the weights in the kernel's space, a penalised intercept left out."""
        norm = float(self.norms_[0])
        if type(self.kernel_) is Linear:
            norm = float(np.linalg.norm(cast("Any", self).coef_[0]))
        elif self.penalize_intercept:
            b = abs(float(self.intercept_[0]))
            square = (norm - b) * (norm + b)
            norm = math.sqrt(square) if square > _ROUNDING * norm * norm else 0.0
        if norm == 0.0:
            raise ValueError(
                "all coefficients are 0, or cancel: they describe no hyperplane; if C is very "
                "large, choose a smaller one"
            )
        return norm

    def leave_one_out_estimates(self) -> LeaveOneOutEstimates:
        """Estimate the leave-one-out error from one fit, for two classes.

        Three numbers that hold in expectation, or as estimates; none is a certificate.
        """
        self._refuse_many("leave_one_out_estimates")
        return LeaveOneOutEstimates.of(
            alpha=np.abs(self.dual_coef_[0]),
            margins=self.support_margins_[0],
            norm=float(self.norms_[0]),
            largest=self.largest_diagonal_,
            n=self.n_training_rows_,
        )

    def regularization_path(
        self, X: Any, y: ArrayLike, *, C_max: float = 1e3
    ) -> RegularizationPath:
        """Return the machines of all C from `C` to `C_max` at once: α is piecewise affine in C.

        Parameters
        ----------
        X, y
            Training rows of two classes.
        C_max
            Where the path ends.
        """
        fresh: Any = fresh_copy(self)
        task = fresh._read(X, y, None)  # noqa: SLF001 - our own copy
        fresh._refuse_many("regularization_path")  # noqa: SLF001
        with fresh._crew() as crew:  # noqa: SLF001
            values = values_of_points(fresh, task.points, crew)
            [(problem, _)] = task.problems
            first, last = float(fresh.C), _arguments.positive("C_max", C_max)
            path = follow(problem, values, first, last, max_iter=int(fresh.max_iter))
        if (worst := float(path.violations.max())) > fresh.tol:
            warn(
                f"the path is not that of optimal machines: the largest violation is {worst:.3g}; "
                "see its violations, and scale the features or end at a smaller C_max",
                ConvergenceWarning,
            )
        if not fresh.penalize_intercept:
            return path
        return replace(path, intercept=path.dual_coef.sum(axis=1))  # the weight of the constant 1

    def _refuse_many(self, method: str) -> None:
        check_is_fitted(self, "classes_")
        if len(self.classes_) > 2:
            raise ValueError(f"{method} speaks of two classes, and there are {len(self.classes_)}")
