"""Support vector machines: the hyperplane in a kernel's space with the widest margin.

    minimise  ½‖w‖² + C · Σ s_i max(0, 1 − y_i f(x_i)),   f(x) = ⟨w, φ(x)⟩ + b

Solved in the dual, w = Σ y_i α_i φ(x_i) with 0 ≤ α_i ≤ C s_i, by sequential minimal optimisation.
Boser, Guyon and Vapnik (1992); Cortes and Vapnik (1995); Platt (1998).
"""

from collections.abc import Sequence
from typing import Any, Literal, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import ClassifierMixin
from sklearn.utils.validation import check_is_fitted

from surelearn import _arguments
from surelearn._stored import holds
from surelearn._typing import Indices, Matrix, Vector
from surelearn.base import validation
from surelearn.base.fitting import adopt, at_one_moment, fresh_copy, learn_classes, row_weights
from surelearn.certificate import Certificate
from surelearn.learners.kernelized import _support_vector_certificates, _training_margins
from surelearn.learners.kernelized._dual_solver.problem import Problem
from surelearn.learners.kernelized._dual_solver.solver import Rules
from surelearn.learners.kernelized._leave_one_out import (
    REFITTING,
    LeaveOneOutEstimates,
    without_each_row,
)
from surelearn.learners.kernelized._regularization_path import RegularizationPath, follow
from surelearn.learners.kernelized._support_vector_machine import (
    KernelLike,
    Solved,
    SupportVectorMachine,
)
from surelearn.learners.kernelized._two_class_problems import Pairing

_ROOM = 1e-8  # margins are known to rounding only


@at_one_moment
@holds(
    classes_="classes",
    multiclass_="maybe text",
    n_support_="int[classes]",
    support_margins_="float[problems, support]",
    at_bound_="bool[problems, support]",
    compression_set_="int[compressed]",
    training_errors_="count",
    training_margins_="float[rows]",
    normalized_margins_="float[rows]?",
)
class SupportVectorClassifier(ClassifierMixin, SupportVectorMachine):
    """Classify by the widest margin in the space of a kernel.

    Parameters
    ----------
    kernel
        A kernel of `surelearn.kernels`, on tables or on strings; a function of two tables that
        returns the values of all pairs; or "precomputed", if X holds kernel values. None means a
        Gaussian whose gamma is 1 / (features · variance of X): it is chosen from the training rows,
        which voids certificates by compression.
    C
        The price of slack, as in scikit-learn; λ = 1 / (2C) in the form Σ hinge + λ‖w‖². Infinity
        means a hard margin: classes that cannot be separated are refused, and the refusal names two
        weighted means of rows, one of each class, that are the same point.
    fit_intercept
        Learn a constant term b; it is not penalised.
    penalize_intercept
        Penalise the constant term like the weights, as a constant feature 1 would be.
    multiclass
        "one-vs-one": a machine for each pair of classes, and they vote. "one-vs-rest": a machine
        for each class, and the largest score wins.
    class_weight
        A weight for each class, or "balanced"; it multiplies the sample weights.
    tol
        Stop when the optimality conditions are violated by no more than this, as in LIBSVM.
        With the linear kernel and more than 6,000 rows weights are sought instead of coefficients,
        until the duality gap is at most this share of the primal objective.
    max_iter
        The largest number of steps, each of which moves two coefficients, in each problem;
        a look at all rows counts as a thousand where weights are sought.
    warm_start
        Start from the coefficients of the last fit, if there are as many rows and the same classes.
    n_jobs
        Threads to work with; as many as there are cores if None.

    Attributes
    ----------
    support_, support_vectors_, n_support_
        The places of the support vectors among the training rows, the rows themselves, and how many
        each class has. None are kept if the kernel is precomputed.
    dual_coef_, intercept_
        For each two-class problem y·α of each support vector, and b.
    classes_
        The labels, sorted; for two classes a score above 0 means the last.
    duality_gap_, kkt_violation_
        For each problem (primal − dual) / primal, recomputed in double precision: the primal
        objective is above its minimum by at most that share of it; and the largest violation of the
        optimality conditions.
    primal_values_, dual_values_, norms_, n_iter_
        For each problem both objectives, ‖w‖, and the number of steps.
    compression_set_
        The places of all training rows on their margin or beyond it on the wrong side.
    training_errors_, n_training_rows_
        Training rows predicted wrongly; the number of training rows.

    Examples
    --------
    >>> from surelearn.kernels import Linear
    >>> X, y = [[3.0, 3.0], [4.0, 3.0], [1.0, 1.0]], [1, 1, 0]
    >>> model = SupportVectorClassifier(kernel=Linear(), C=float("inf")).fit(X, y)
    >>> model.coef_.round(6).tolist(), model.intercept_.round(6).tolist()
    ([[0.5, 0.5]], [-2.0])
    >>> model.support_.tolist(), model.kkt_classes().tolist()
    ([0, 2], ['on the margin', 'inside', 'on the margin'])
    """

    classes_: NDArray[Any]
    multiclass_: str
    training_errors_: int
    support_margins_: Matrix
    at_bound_: Any
    training_margins_: Vector
    normalized_margins_: Vector | None
    compression_set_: Indices

    def __init__(  # noqa: PLR0913 - users know these names
        self,
        *,
        kernel: KernelLike = None,
        C: float = 1.0,
        fit_intercept: bool = True,
        penalize_intercept: bool = False,
        multiclass: Literal["one-vs-one", "one-vs-rest"] = "one-vs-one",
        class_weight: Any = None,
        tol: float = 1e-3,
        max_iter: int = 10_000_000,
        warm_start: bool = False,
        n_jobs: int | None = None,
    ) -> None:
        self.kernel = kernel
        self.C = C
        self.fit_intercept = fit_intercept
        self.penalize_intercept = penalize_intercept
        self.multiclass = multiclass
        self.class_weight = class_weight
        self.tol = tol
        self.max_iter = max_iter
        self.warm_start = warm_start
        self.n_jobs = n_jobs

    def fit(self, X: Any, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Find the widest margin between rows of two classes or more.

        Parameters
        ----------
        X
            Rows of numbers: an array, a data frame or a sparse matrix; strings, if the kernel reads
            them; the kernel values of all pairs, if it is precomputed.
        y
            Their labels, of any kind.
        sample_weight
            How much each row's slack counts; 1 if left out.
        """
        fresh = fresh_copy(self)
        fresh._learn(X, y, sample_weight, self)  # noqa: SLF001 - our own copy
        return adopt(self, fresh)

    def _learn(self, X: Any, y: Any, sample_weight: Any, last: Any) -> None:
        points, codes, weights = self._read(X, y, sample_weight)
        with self._crew() as crew:
            values = self._values(points, crew)
            problems = self._problems(codes, weights)
            starts = self._starts(last, problems, len(codes))
            solved = self._solve(values, problems, starts, crew)
        self._take(solved, points, values)
        self._keep_margins(solved, codes)
        _training_margins.keep_margins(self, solved, values.diagonal)
        self._count_errors(points, codes)
        cold = all(start is None for start in starts)
        self._hash_rows(points, () if cold else getattr(last, "training_rows_", ()))

    def _read(self, X: Any, y: Any, sample_weight: Any) -> tuple[Any, Indices, Vector]:
        """Return the points, the place of each label among the classes, and the weights."""
        self._check_parameters()
        points, labels = self._read_points(X, y, sample_weight)
        codes = learn_classes(self, labels, n=points.shape[0])
        self.multiclass_ = str(self.multiclass)
        validation.two_or_more(self.classes_)
        weights = row_weights(
            sample_weight, class_weight=self.class_weight, labels=np.asarray(labels), n=len(codes)
        )
        if (np.bincount(codes, weights=weights) <= 0.0).any():
            raise ValueError("all rows of a class have weight 0: nothing can be learnt about it")
        self.weighted_ = bool(np.ptp(weights) > 0.0 or weights[0] != 1.0)
        return points, codes, weights

    def _check_parameters(self) -> None:
        super()._check_parameters()
        if self.multiclass not in {"one-vs-one", "one-vs-rest"}:
            raise ValueError(
                f"multiclass={self.multiclass!r} must be 'one-vs-one' or 'one-vs-rest'"
            )

    @property
    def _pairing(self) -> Pairing:
        """The problems of the last fit; a file of before has no `multiclass_`."""
        return Pairing.of(len(self.classes_), getattr(self, "multiclass_", self.multiclass))

    def _problems(self, codes: Indices, weights: Vector) -> list[tuple[Problem, Indices]]:
        """Return the two-class problems, each with the rows that it is about."""
        with np.errstate(invalid="ignore"):  # a row without weight has no slack, whatever C is
            limits = np.where(weights > 0.0, self.C * weights, 0.0)
        balanced = bool(self.fit_intercept) and not self.penalize_intercept
        return self._pairing.problems(codes, limits, balanced=balanced)

    def _starts(
        self, last: Any, problems: Sequence[tuple[Problem, Indices]], n: int
    ) -> list[Vector | None]:
        """Return where each search begins: at 0, or where the last fit ended."""
        coef = self._known_coefficients(last, n)
        same = np.array_equal(getattr(last, "classes_", ()), self.classes_)
        if coef is None or not same or len(coef) != len(problems):
            return [None] * len(problems)
        return [self._start_from(*pair) for pair in zip(coef, problems, strict=True)]

    def _keep_margins(self, solved: Sequence[Solved], codes: Indices) -> None:
        """Keep how the training rows lie: margins, and who is at a bound."""
        n, shape = self.n_training_rows_, (len(solved), self.n_training_rows_)
        margins, bound = np.full(shape, np.nan), np.zeros(shape, np.bool_)
        needed = np.zeros(n, dtype=np.bool_)
        needed[self.support_] = True
        for number, (problem, rows, solution, optimality) in enumerate(solved):
            own = solution.sums + optimality.intercept
            margins[number, rows] = problem.targets * own
            bound[number, rows] = (solution.beta == problem.bounds).any(axis=0)
            near = problem.targets * own <= 1.0 + max(_ROOM, optimality.violation)
            needed[rows[near]] = True
        self.compression_set_ = np.flatnonzero(needed)
        self.support_margins_ = np.ascontiguousarray(margins[:, self.support_])
        self.at_bound_ = np.ascontiguousarray(bound[:, self.support_])
        self.n_support_ = np.bincount(codes[self.support_], minlength=len(self.classes_))

    def _count_errors(self, points: Any, codes: Indices) -> None:
        """Count the training rows that are predicted wrongly; those that clearly win are not."""
        room = _training_margins.unsure(self)
        doubtful, self.training_errors_ = np.flatnonzero(~(self.training_margins_ > room)), 0
        if len(doubtful):
            scores = self._pairing.scores(self._scores_of(points[doubtful]))
            wrong = self._pairing.decide(scores) != codes[doubtful]
            self.training_errors_ = int(np.count_nonzero(wrong))

    def _refuse_misfits(self) -> None:
        super()._refuse_misfits()
        if len(self._pairing.pairs) != len(self.dual_coef_):
            raise ValueError("its coefficients are not those of its classes: fit it again")

    def decision_function(self, X: Any) -> Vector | Matrix:
        """Return the score of the last of two classes, or the score of each of many."""
        check_is_fitted(self)
        scores = self._pairing.scores(self._problem_scores(X))
        return scores[:, 0] if scores.shape[1] == 1 else scores

    def predict(self, X: Any) -> NDArray[Any]:
        """Return the most likely class of each row; a score of 0 means the first of two."""
        check_is_fitted(self)
        pairing = self._pairing
        return self.classes_[pairing.decide(pairing.scores(self._problem_scores(X)))]

    @property
    def predict_proba(self) -> Any:
        """Not there: a margin is no probability; calibrate it on rows it was not fitted to."""
        raise AttributeError(
            "a support vector machine has no probabilities; wrap it in scikit-learn's "
            "CalibratedClassifierCV, which learns them from rows that were held out"
        )

    def kkt_classes(self, problem: int = 0) -> NDArray[Any]:
        """Return how each training row lies in one of the problems.

        "inside" its own half-space (α = 0), "on the margin" (0 < α < C), "slack" (α = C, on its own
        side), "misclassified" (α = C, on the other side), or "absent" from this problem.
        """
        check_is_fitted(self)
        problem = _arguments.count("problem", problem, at_most=len(self.dual_coef_) - 1)
        told = np.full(self.n_training_rows_, "inside", dtype="<U13")
        coef, margins = self.dual_coef_[problem], self.support_margins_[problem]
        bound = self.at_bound_[problem]
        words = np.select(
            [np.isnan(margins), coef == 0.0, ~bound, margins > 0.0],
            ["absent", "inside", "on the margin", "slack"],
            "misclassified",
        )
        told[self.support_] = words
        return told

    def signed_distance(self, X: Any) -> Vector:
        """Return how far each row lies from the hyperplane in the kernel's space."""
        return self._scores_of_two(X) / self._norm()

    def functional_margin(self, X: Any, y: ArrayLike) -> float:
        """Return the smallest y·f(x), with y = 1 for the last class and -1 for the first."""
        check_is_fitted(self)
        codes = validation.index_among(self.classes_, np.asarray(y))
        return float(((2.0 * codes - 1.0) * self._scores_of_two(X)).min())

    def geometric_margin(self, X: Any, y: ArrayLike) -> float:
        """Return the smallest signed distance of a row, positive on its own side."""
        return self.functional_margin(X, y) / self._norm()

    def _scores_of_two(self, X: Any) -> Vector:
        check_is_fitted(self)
        if len(self.classes_) > 2:
            raise ValueError("with more than two classes there is more than one hyperplane")
        return self._problem_scores(X)[:, 0]

    def _norm(self) -> float:
        if self.norms_[0] == 0.0:
            raise ValueError(
                "all coefficients are 0, or cancel: they describe no hyperplane; if C is very "
                "large, choose a smaller one"
            )
        return float(self.norms_[0])

    def certificates(
        self, *, delta: float = 0.05, radius: float | None = None
    ) -> tuple[Certificate, ...]:
        """State the risk of this machine from its training rows alone.

        By the rows on their margin or beyond it (stable compression); for two classes also by all
        margins (PAC-Bayes) and by stability; with the linear kernel, by the ways to cut the rows.
        These share `delta`, so that all hold at once. The last one holds on average only. What a
        statement needs and does not have voids it, and it says what to do: kernel and C fixed
        beforehand, equal weights, no intercept or a penalised one, a small gap.

        Parameters
        ----------
        delta
            The probability with which one of the statements may fail.
        radius
            No row, future ones included, has a larger √k(x, x): known before the rows were seen.
            Kernels without a bound of their own need it, such as `Linear`; a Gaussian does not.

        Examples
        --------
        >>> from surelearn.datasets.worlds import Separable
        >>> from surelearn.kernels import Gaussian
        >>> X, y = Separable(2, 0.3).draw(400, seed=0)
        >>> model = SupportVectorClassifier(kernel=Gaussian(gamma=0.5), penalize_intercept=True)
        >>> certificate = model.fit(X, y).certificates()[0]
        >>> certificate.status, round(certificate.bound, 2)
        ('valid', 0.09)
        """
        check_is_fitted(self)
        return _support_vector_certificates.certificates(self, delta=delta, radius=radius)

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
        fresh = fresh_copy(self)
        return fresh._follow(X, y, C_max)  # noqa: SLF001 - our own copy

    def _follow(self, X: Any, y: Any, C_max: float) -> RegularizationPath:
        points, codes, weights = self._read(X, y, None)
        self._refuse_many("regularization_path")
        with self._crew() as crew:
            values = self._values(points, crew)
            [(problem, _)] = self._problems(codes, weights)
            first, last, most = float(self.C), float(C_max), int(self.max_iter)
            return follow(problem, values, first, last, max_iter=most)

    def _refuse_many(self, method: str) -> None:
        check_is_fitted(self, "classes_")
        if len(self.classes_) > 2:
            raise ValueError(f"{method} speaks of two classes, and there are {len(self.classes_)}")

    def _leave_one_out(self, X: Any, y: Any, weights: Vector | None) -> tuple[Any, str] | None:
        """Return what the others predict for each row; only support vectors are left out in truth.

        None if the kernel or the weights of classes would change with the rows.
        """
        if self.kernel is None or self.class_weight is not None or isinstance(self.kernel, str):
            return None
        fresh = fresh_copy(self)
        points, codes, row_weight = fresh._read(X, y, weights)  # noqa: SLF001 - our own copy
        if (np.bincount(codes[row_weight > 0.0]) < 2).any():
            return None
        with fresh._crew() as crew:  # noqa: SLF001
            values = fresh._values(points, crew)  # noqa: SLF001
            problems = fresh._problems(codes, row_weight)  # noqa: SLF001
            solved = fresh._solve(values, problems, [None] * len(problems), crew)  # noqa: SLF001
            rules = Rules(float(self.tol), int(self.max_iter))
            scores = without_each_row(solved, values, rules)
        pairing = fresh._pairing  # noqa: SLF001
        decided = pairing.decide(pairing.scores(scores))
        return fresh.classes_[decided], REFITTING

    def _check_state(self) -> None:
        super()._check_state()
        if len(self.classes_) < 2 or len(self.dual_coef_) != len(self._pairing.pairs):
            raise ValueError("its coefficients are not those of its classes")
        _arguments.places("compression_set_", self.compression_set_, self.n_training_rows_)
        n = self.n_training_rows_
        if n < 1 or self.training_errors_ > n:
            raise ValueError("it has more errors than rows, or no row")
        _training_margins.refuse_unlike(self)
