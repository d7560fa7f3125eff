"""The base of support vector machines: rows are read, kernel values found, problems solved."""

from abc import abstractmethod
from collections.abc import Callable, Sequence
from numbers import Integral, Real
from typing import Any, Literal, Self, cast

import joblib
import numpy as np
from scipy import sparse
from sklearn.base import BaseEstimator
from sklearn.utils import Tags

from surelearn import _arguments
from surelearn._jit import fingerprints
from surelearn._jit.fingerprints import Hashes
from surelearn._jit.sound_matrices import sound
from surelearn._stored import holds
from surelearn._threads import workers
from surelearn._typing import Indices, Mask, Matrix, Vector
from surelearn.base import validation
from surelearn.base.fitting import adopt, at_one_moment, fresh_copy
from surelearn.base.labels import exact
from surelearn.kernels import Gaussian, Kernel, Linear
from surelearn.learners.kernelized import _points
from surelearn.learners.kernelized._dual_solver import expansions
from surelearn.learners.kernelized._dual_solver.kernel_values import KernelValues
from surelearn.learners.kernelized._leave_one_out import without_each_row
from surelearn.learners.kernelized._solved_problems import (
    Solved,
    Task,
    rules_of,
    solve_all,
    starts_of,
    values_of_points,
    warn_of_unsolved,
)

KernelLike = Kernel | Callable[[Any, Any], Any] | Literal["precomputed"] | None

_LARGEST_C = 1e100  # products of it with weights and slacks stay finite


@at_one_moment
@holds(
    kernel_="anything",
    C_="number",
    support_="int[support]",
    support_vectors_="anything",
    dual_coef_="finite[problems, support]",
    intercept_="finite[problems]",
    norms_="finite[problems]",
    weights_="finite[problems, features]?",
    primal_values_="float[problems]",
    dual_values_="float[problems]",
    duality_gap_="float[problems]",
    kkt_violation_="float[problems]",
    n_iter_="int[problems]",
    largest_diagonal_="number",
    weighted_="flag",
    n_training_rows_="count",
    training_rows_="maybe hash[kept]",
)
class SupportVectorMachine(BaseEstimator):
    """A sum of kernel values with some training rows, found by solving a dual problem."""

    kernel: KernelLike
    C: float
    fit_intercept: bool
    penalize_intercept: bool
    tol: float
    max_iter: int
    warm_start: bool
    n_jobs: int | None

    kernel_: Any
    support_: Indices
    support_vectors_: Any
    dual_coef_: Matrix
    intercept_: Vector
    norms_: Vector
    weights_: Matrix | None
    n_training_rows_: int
    training_rows_: Hashes

    @property
    def coef_(self) -> Matrix:
        """With the linear kernel: the weights of each problem, one for each feature."""
        if type(self.kernel_) is not Linear:
            raise AttributeError("coef_ exists only with kernel=Linear()")
        if self.weights_ is not None:
            return self.weights_
        return np.asarray(self.dual_coef_ @ self.support_vectors_)

    def _check_parameters(self) -> None:
        if not isinstance(self.C, Real) or not self.C > 0.0:
            raise ValueError(f"C={self.C!r} must be a number above 0, or infinity for no slack")
        # NumPy would bring the limit into the precision of its own number.
        if _LARGEST_C < (self.C.item() if isinstance(self.C, np.generic) else self.C) < np.inf:
            raise ValueError(
                f"C={self.C!r} is too large to compute with: C=float('inf') asks for a hard margin"
            )
        if not isinstance(self.tol, Real) or not 0.0 < self.tol < np.inf:
            raise ValueError(f"tol={self.tol!r} must be a finite number above 0")
        _arguments.at_least_one("max_iter", self.max_iter)
        if self.n_jobs is not None and (not isinstance(self.n_jobs, Integral) or self.n_jobs == 0):
            raise ValueError(
                f"n_jobs={self.n_jobs!r} must be a whole number other than 0, or None for all cores"
            )
        _points.refuse_unknown(self.kernel)
        if self.penalize_intercept and not self.fit_intercept:
            raise ValueError("penalize_intercept=True needs an intercept: set fit_intercept=True")

    def _read_points(
        self, X: Any, y: Any, sample_weight: Any, targets: validation.Targets = "labels"
    ) -> Any:
        """Return the training points and targets, and find the kernel if rows decide on it."""
        if _points.reads_strings(self.kernel, X):
            points, y = _points.texts(X), np.asarray(exact(y))
        else:
            points, y = validation.check(self, X, y, targets=targets, reset=True)
            validation.refuse_extreme(points)
        if self.kernel is None:
            self.kernel_ = _points.scaled_gaussian(points, sample_weight)
        elif isinstance(self.kernel, str):
            self.kernel_, points = self.kernel, _points.precomputed(points)
        else:
            self.kernel_ = self.kernel
        if points.ndim == 2 and not isinstance(self.kernel_, str):
            points = _points.admit(self.kernel_, points)
        return points, y

    def _learn_anew(self, X: Any, y: Any, sample_weight: Any) -> Self:
        """Learn on a copy, so that rows which are refused leave all as it was."""
        fresh = fresh_copy(self)
        fresh._learn(X, y, sample_weight, self)  # noqa: SLF001 - our own copy
        return adopt(self, fresh)

    def _learn(self, X: Any, y: Any, sample_weight: Any, last: Any) -> None:
        """Solve the problems of some rows, and keep what was found."""
        task = self._read(X, y, sample_weight)
        with self._crew() as crew:
            values = values_of_points(self, task.points, crew)
            starts = starts_of(self, last, task)
            solved = solve_all(self, values, task, starts, crew)
        self._take(solved, task.points, values)
        self._keep_rows(solved, task, values.diagonal)
        cold = all(start is None for start in starts)
        self._hash_rows(task, () if cold else getattr(last, "training_rows_", ()))

    @abstractmethod
    def _read(self, X: Any, y: Any, sample_weight: Any) -> Task:
        """Return what there is to learn."""

    @abstractmethod
    def _keep_rows(self, solved: Sequence[Solved], task: Task, diagonal: Vector) -> None:
        """Keep how the training rows lie."""

    def _left_out(self, task: Task) -> Matrix:
        """Return the score of each row in each problem by machines that lack that row."""
        with self._crew() as crew:
            values = values_of_points(self, task.points, crew)
            solved = solve_all(self, values, task, [None] * len(task.problems), crew)
            return without_each_row(solved, values, rules_of(self))

    def _take(self, solved: Sequence[Solved], points: Any, values: KernelValues) -> None:
        """Keep what was found, and say so if it is not yet the optimum."""
        n = values.n
        coef = np.array([one.coefficients(n) for one in solved])
        self.support_ = np.flatnonzero(coef.any(axis=0))
        self.dual_coef_ = np.ascontiguousarray(coef[:, self.support_])
        kept = np.empty((0, n)) if isinstance(self.kernel_, str) else points[self.support_]
        self.support_vectors_ = kept
        self.weights_ = None
        self.intercept_ = np.array([one.optimality.intercept for one in solved])
        if self.penalize_intercept:
            self.intercept_ = coef.sum(axis=1)
        self.norms_ = self._lengths(solved)
        self._take_weights([one.solution.weights for one in solved])
        self._keep_optimality(solved)
        self.C_ = float(self.C)
        self.largest_diagonal_, self.n_training_rows_ = float(values.diagonal.max()), n
        warn_of_unsolved(solved, int(self.max_iter))

    def _lengths(self, solved: Sequence[Solved]) -> Vector:
        """Return ‖w‖ of each problem; that of explicit weights is not lost where terms cancel."""
        if type(self.kernel_) is Linear:
            shift = self.intercept_ if self.penalize_intercept else np.zeros(len(solved))
            return np.hypot(np.linalg.norm(self.coef_, axis=1), shift)
        squares = [one.solution.beta @ one.solution.sums[one.problem.rows] for one in solved]
        return np.sqrt(np.maximum(squares, 0.0))

    def _take_weights(self, found: Sequence[Vector | None]) -> None:
        """Keep the weights of linear machines that were solved by them."""
        known = [weights for weights in found if weights is not None]
        if known:
            lines = np.array(known)
            self.weights_, self.intercept_ = (
                np.ascontiguousarray(lines[:, :-1]),
                lines[:, -1].copy(),
            )
            self.norms_ = np.linalg.norm(
                lines if self.penalize_intercept else self.weights_, axis=1
            )

    def _keep_optimality(self, solved: Sequence[Solved]) -> None:
        found = [one.optimality for one in solved]
        self.primal_values_ = np.array([one.primal for one in found])
        self.dual_values_ = np.array([one.dual for one in found])
        self.duality_gap_ = np.array([one.gap for one in found])
        self.kkt_violation_ = np.array([one.violation for one in found])
        self.n_iter_ = np.array([max(1, one.solution.n_steps) for one in solved], dtype=np.int64)

    def _hash_rows(self, task: Task, earlier: Any) -> None:
        """Remember which rows were learnt from, where they are rows of numbers."""
        if (hashes := _points.row_hashes(self.kernel_, task.points)) is None:
            return
        if task.points.ndim == 2:
            kept = fingerprints.sketch(hashes)
            self.training_rows_ = fingerprints.united(kept, earlier) if len(earlier) else kept
        self._look_at_rows(task, hashes)

    def _look_at_rows(self, task: Task, hashes: Hashes) -> None:
        """Keep what else there is to know of the rows: nothing, if nothing is certified."""

    def _problem_scores(self, X: Any) -> Matrix:
        """Return the score of each row in each problem."""
        self._refuse_misfits()
        return self._scores_of(_points.read_again(self, X))

    def _refuse_misfits(self) -> None:
        """Refuse numbers of other shapes than `fit` gives them, as someone may have set them."""
        _points.refuse_unknown(self.kernel_)
        places, intercepts = np.shape(self.support_), np.shape(self.intercept_)
        held: Any = self.support_ if isinstance(self.kernel_, str) else self.support_vectors_
        coef: Any = self.dual_coef_
        fit = getattr(coef, "shape", None) == (*intercepts, *places) and len(intercepts) == 1
        fit = fit and coef.dtype == np.float64 and getattr(held, "shape", (-1,))[:1] == places
        if not fit or self.kernel_ is None:
            raise ValueError(
                "its kernel, coefficients, intercepts and support vectors do not belong together: "
                "they were changed after fit. Fit it again"
            )
        sound(held)

    def _scores_of(self, points: Any) -> Matrix:
        coef, kernel = self.dual_coef_, self.kernel_
        if isinstance(kernel, str):
            return points[:, self.support_] @ coef.T + self.intercept_
        alike = sparse.issparse(points) == sparse.issparse(self.support_vectors_)
        if type(kernel) is Linear and (alike or self.weights_ is not None):
            return np.asarray(points @ self.coef_.T) + self.intercept_
        support = self.support_vectors_
        if type(kernel) is Gaussian and expansions.suits_singles(support, kernel, coef, self.tol):
            with self._crew() as crew:
                scores = expansions.gaussian_expansion(kernel, points, support, coef, crew)
            scores += self.intercept_
            again = expansions.near_zero(scores, coef)
        else:
            scores = np.zeros((points.shape[0], len(coef)))
            again: Mask = np.ones(len(scores), dtype=np.bool_)
        if again.any():
            values_of = _points.values_of(kernel)
            scores[again] = (
                expansions.expansion(values_of, points[again], support, coef) + self.intercept_
            )
        return scores

    def _crew(self) -> Any:
        count = cast("Any", joblib).effective_n_jobs(-1 if self.n_jobs is None else self.n_jobs)
        return workers(int(count))

    def _check_state(self) -> None:
        """Refuse coefficients that are not those of the rows kept, as in a forged model file."""
        _points.refuse_unknown(self.kernel_)
        if not isinstance(self.kernel_, Kernel | str):  # a file holds no functions
            raise ValueError("it has no kernel")  # noqa: TRY004 - as for all that is forged
        _arguments.places("support_", self.support_, self.n_training_rows_)
        if len(np.unique(self.support_)) != len(self.support_):
            raise ValueError("its support vectors are not in order, each once")
        _points.refuse_unlike(self)

    def __sklearn_tags__(self) -> Tags:
        """Say to scikit-learn which tables are welcome."""
        tags = cast("Any", super().__sklearn_tags__())
        precomputed = isinstance(self.kernel, str)
        tags.input_tags.sparse = not precomputed
        tags.input_tags.pairwise = precomputed
        return tags
