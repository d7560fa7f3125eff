"""Support vector regression: errors up to epsilon cost nothing, larger ones their excess.

    minimise  ½‖w‖² + C · Σ s_i max(0, |y_i − f(x_i)| − epsilon),   f(x) = ⟨w, φ(x)⟩ + b

Solved in the dual with two variables a row, one for each side of the tube. Vapnik (1995); Smola and
Schölkopf (2004).
"""

from collections.abc import Sequence
from typing import Any, Self

import numpy as np
from sklearn.base import RegressorMixin
from sklearn.utils.validation import check_is_fitted

from surelearn import _arguments
from surelearn._stored import holds
from surelearn._typing import ArrayLike, Vector
from surelearn.base import validation
from surelearn.base.fitting import at_one_moment, check_numbers, fresh_copy, row_weights
from surelearn.learners.kernelized._dual_solver.problem import Problem
from surelearn.learners.kernelized._leave_one_out import REFITTING
from surelearn.learners.kernelized._solved_problems import Solved, Task
from surelearn.learners.kernelized._support_vector_machine import KernelLike, SupportVectorMachine

_ROOM = 1e-8  # residuals are known to rounding only


@at_one_moment
@holds(
    n_support_="count",
    compression_set_="int[compressed]",
)
class SupportVectorRegressor(RegressorMixin, SupportVectorMachine):
    """Predict numbers by the flattest function of a kernel's space that stays within a tube.

    Parameters
    ----------
    kernel
        A kernel of `surelearn.kernels`, on tables or on strings; a function of two tables that
        returns the values of all pairs; or "precomputed", if X holds kernel values. None means a
        Gaussian whose gamma is 1 / (features · variance of X), chosen from the training rows.
    C
        The price of what is outside the tube, as in scikit-learn.
    epsilon
        Half the width of the tube: smaller errors cost nothing.
    fit_intercept
        Learn a constant term b; it is not penalised.
    penalize_intercept
        Penalise the constant term like the weights, as a constant feature 1 would be.
    tol
        Stop when the optimality conditions are violated by no more than this, in the units of y.
        With the linear kernel and more than 6,000 rows weights are sought instead of coefficients,
        until the duality gap is at most this share of the primal objective.
    max_iter
        The largest number of steps, each of which moves two coefficients;
        a look at all rows counts as a thousand where weights are sought.
    warm_start
        Start from the coefficients of the last fit, if there are as many rows.
    n_jobs
        Threads to work with; as many as there are cores if None.

    Attributes
    ----------
    support_, support_vectors_, n_support_
        The places of the support vectors among the training rows, the rows, and their number: those
        on the border of the tube and outside it.
    dual_coef_, intercept_
        The coefficient of each support vector, in one row, and b.
    duality_gap_, kkt_violation_
        (primal − dual) / primal, recomputed in double precision, and the largest violation of the
        optimality conditions.
    primal_values_, dual_values_, norms_, n_iter_
        Both objectives, ‖w‖, and the number of steps.
    compression_set_
        The places of all training rows on the border of the tube or outside it.

    Examples
    --------
    >>> from surelearn.kernels import Linear
    >>> X, y = [[0.0], [1.0], [2.0], [3.0]], [0.0, 1.5, 1.5, 3.0]
    >>> model = SupportVectorRegressor(kernel=Linear(), epsilon=0.1).fit(X, y)
    >>> model.coef_.round(4).tolist(), model.intercept_.round(4).tolist()
    ([[0.9333]], [0.1])
    """

    def __init__(  # noqa: PLR0913 - users know these names
        self,
        *,
        kernel: KernelLike = None,
        C: float = 1.0,
        epsilon: float = 0.1,
        fit_intercept: bool = True,
        penalize_intercept: bool = False,
        tol: float = 1e-3,
        max_iter: int = 10_000_000,
        warm_start: bool = False,
        n_jobs: int | None = None,
    ) -> None:
        self.kernel = kernel
        self.C = C
        self.epsilon = epsilon
        self.fit_intercept = fit_intercept
        self.penalize_intercept = penalize_intercept
        self.tol = tol
        self.max_iter = max_iter
        self.warm_start = warm_start
        self.n_jobs = n_jobs

    def fit(self, X: Any, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Find the flattest function.

        Parameters
        ----------
        X
            Rows of numbers: an array, a data frame or a sparse matrix; strings, if the kernel reads
            them; the kernel values of all pairs, if it is precomputed.
        y
            One number per row.
        sample_weight
            How much each row counts; 1 if left out.
        """
        return self._learn_anew(X, y, sample_weight)

    def _read(self, X: Any, y: Any, sample_weight: Any) -> Task:
        """Return the points, the targets, and the problem that they pose."""
        self._check_parameters()
        points, targets = self._read_points(X, y, sample_weight, "numbers")
        targets = check_numbers(targets, n=points.shape[0])
        validation.refuse_huge(targets, "targets")
        weights = row_weights(sample_weight, n=len(targets))
        self.weighted_ = bool(np.ptp(weights) > 0.0 or weights[0] != 1.0)
        problem = self._problem(targets, weights)
        return Task(points, targets, weights, [(problem, np.arange(len(targets)))])

    def _keep_rows(self, solved: Sequence[Solved], task: Task, diagonal: Vector) -> None:
        """Keep which rows are on the border of the tube or outside it."""
        del diagonal
        [(_, _, solution, optimality)] = solved
        self.n_support_ = len(self.support_)
        residuals = task.targets - (solution.sums + optimality.intercept)
        outside = np.abs(residuals) >= self.epsilon - max(_ROOM, optimality.violation)
        self.compression_set_ = np.union1d(self.support_, np.flatnonzero(outside))

    def _leave_one_out(self, X: Any, y: Any, weights: Vector | None) -> tuple[Vector, str] | None:
        """Return what the others predict for each row; only support vectors are left out in truth.

        None if the kernel would change with the rows, or knows only these.
        """
        if self.kernel is None or isinstance(self.kernel, str):
            return None
        fresh = fresh_copy(self)
        task = fresh._read(X, y, weights)  # noqa: SLF001 - our own copy
        return fresh._left_out(task)[:, 0], REFITTING  # noqa: SLF001

    def predict(self, X: Any) -> Vector:
        """Return the predicted number for each row."""
        check_is_fitted(self)
        return self._problem_scores(X)[:, 0]

    def _problem(self, y: Vector, weights: Vector) -> Problem:
        """Return the dual: a variable for rows above the tube, and one for those below it."""
        n, limits = len(y), float(self.C) * weights
        bounds = np.zeros((2, 2 * n))
        bounds[1, :n], bounds[0, n:] = limits, -limits
        targets = np.concatenate([y - self.epsilon, y + self.epsilon])
        balanced = bool(self.fit_intercept) and not self.penalize_intercept
        return Problem(targets, bounds, np.tile(np.arange(n), 2), balanced)

    def _check_parameters(self) -> None:
        super()._check_parameters()
        if not np.inf > self.C:
            raise ValueError("C must be finite: a tube that no row may leave need not exist")
        _arguments.non_negative("epsilon", self.epsilon)
        if self.tol < validation.SMALLEST:  # then no step is seen to gain anything, for ever
            raise ValueError(
                f"tol={self.tol!r} is below {validation.SMALLEST:g}: squares would vanish. Give y, "
                "and with it C, epsilon and tol, in larger units"
            )

    def _check_state(self) -> None:
        super()._check_state()
        if len(self.dual_coef_) != 1:
            raise ValueError("it has more than one problem")
        _arguments.places("compression_set_", self.compression_set_, self.n_training_rows_)
