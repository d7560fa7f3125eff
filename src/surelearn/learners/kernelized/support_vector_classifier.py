"""Support vector machines: the hyperplane in a kernel's space with the widest margin.

    minimise  ½‖w‖² + C · Σ s_i max(0, 1 − y_i f(x_i)),   f(x) = ⟨w, φ(x)⟩ + b

Solved in the dual, w = Σ y_i α_i φ(x_i) with 0 ≤ α_i ≤ C s_i, by sequential minimal optimisation.
Boser, Guyon and Vapnik (1992); Cortes and Vapnik (1995); Platt (1998).
"""

from collections.abc import Sequence
from typing import Any, Literal, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import ClassifierMixin
from sklearn.utils.validation import check_is_fitted

from surelearn import _arguments
from surelearn._jit.fingerprints import Hashes
from surelearn._stored import holds
from surelearn._typing import ArrayLike, Indices, Matrix, Vector
from surelearn.base import validation
from surelearn.base.fitting import at_one_moment, fresh_copy, learn_classes, row_weights
from surelearn.certificate import Certificate
from surelearn.learners.kernelized import _support_vector_certificates, _training_margins
from surelearn.learners.kernelized._dual_solver.problem import Problem
from surelearn.learners.kernelized._fixed_beforehand import keep_traces, note_leaving_out
from surelearn.learners.kernelized._hyperplanes import Hyperplanes
from surelearn.learners.kernelized._leave_one_out import REFITTING
from surelearn.learners.kernelized._solved_problems import Solved, Task
from surelearn.learners.kernelized._support_vector_machine import KernelLike, SupportVectorMachine
from surelearn.learners.kernelized._two_class_problems import Pairing


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
    row_classes_="maybe int[rows]",
    rows_scaled_="maybe text",
    settings_tried_="maybe text",
    kernels_tried_="maybe text",
    intercepts_tried_="maybe text",
)
class SupportVectorClassifier(ClassifierMixin, Hyperplanes, SupportVectorMachine):
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
        "one-vs-one": a machine for each pair of classes, and they vote; of classes with as many
        votes, the larger sum of scores wins (LIBSVM takes the first class, scikit-learn's
        `break_ties=True` does the same as here). "one-vs-rest": a machine for each class, and the
        largest score wins.
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
        return self._learn_anew(X, y, sample_weight)

    def _read(self, X: Any, y: Any, sample_weight: Any) -> Task:
        """Return the points, the place of each label among the classes, and the problems."""
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
        return Task(points, codes, weights, self._problems(codes, weights))

    def _keep_rows(self, solved: Sequence[Solved], task: Task, diagonal: Vector) -> None:
        """Keep the margins of the training rows, and which are predicted wrongly."""
        _training_margins.keep_support(self, solved, task)
        _training_margins.keep_margins(self, solved, diagonal)
        doubtful, self.training_errors_ = _training_margins.doubtful(self), 0
        if len(doubtful):
            scores = self._pairing.scores(self._scores_of(task.points[doubtful]))
            wrong = self._pairing.decide(scores) != task.targets[doubtful]
            self.training_errors_ = int(np.count_nonzero(wrong))

    def _look_at_rows(self, task: Task, hashes: Hashes) -> None:
        """Keep what in the rows and in earlier fits speaks against settings fixed beforehand."""
        keep_traces(self, task, hashes)

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
            limits = np.where(weights > 0.0, float(self.C) * weights, 0.0)
        balanced = bool(self.fit_intercept) and not self.penalize_intercept
        return self._pairing.problems(codes, limits, balanced=balanced)

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

    def certificates(
        self, *, delta: float = 0.05, radius: float | None = None, within: Any = None
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
        within
            The fitted search or pipeline that ends with this machine. What it chose by the training
            rows, or fitted to them, voids statements that want it fixed beforehand.

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
        return _support_vector_certificates.certificates(
            self, delta=delta, radius=radius, within=within
        )

    def _leave_one_out(self, X: Any, y: Any, weights: Vector | None) -> tuple[Any, str] | None:
        """Return what the others predict for each row; only support vectors are left out in truth.

        None if the kernel or the weights of classes would change with the rows.
        """
        if self.kernel is None or self.class_weight is not None or isinstance(self.kernel, str):
            return None
        fresh = fresh_copy(self)
        task = fresh._read(X, y, weights)  # noqa: SLF001 - our own copy
        if (np.bincount(task.targets[task.weights > 0.0]) < 2).any():
            return None
        note_leaving_out(fresh, task)
        pairing = fresh._pairing  # noqa: SLF001
        decided = pairing.decide(pairing.scores(fresh._left_out(task)))  # noqa: SLF001
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
