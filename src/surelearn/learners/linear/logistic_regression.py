"""Logistic regression: log odds that are linear in the features, penalised maximum likelihood.

    minimise  C · Σ s_i [ln Σ_k exp(z_ik) − z_{i,y_i}] + ½‖W‖²,   z_i = W x_i + b

Two classes have one score z, the log odds of the last. Cox (1958); many classes: McFadden (1974).
"""

import math
from numbers import Real
from typing import Any, Self

import numpy as np
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import Tags
from sklearn.utils.validation import check_is_fitted

from surelearn import _arguments
from surelearn._jit import fingerprints
from surelearn._jit.fingerprints import Hashes
from surelearn._stored import holds
from surelearn._typing import ArrayLike, Matrix, Vector
from surelearn.base import validation
from surelearn.base.classifier import risk_certificate
from surelearn.base.drawn_rows import drawn_independently
from surelearn.base.fitting import adopt, at_one_moment, fresh_copy, row_weights, warn
from surelearn.base.parted import PartedTable, refuse_targets
from surelearn.base.scaled_columns import how_scaled, scaled_by_itself
from surelearn.base.seal import refuse_changed
from surelearn.bounds import Guarantee, margin, vc
from surelearn.certificate import Certificate, Evidence, assumed, by_construction, violated
from surelearn.learners.linear._softmax import metric
from surelearn.learners.linear._softmax.classifier import SoftmaxClassifier
from surelearn.learners.linear._softmax.objective import SoftmaxObjective
from surelearn.learners.linear._softmax.optimum_check import Audit
from surelearn.learners.linear._softmax.parted import PartedObjective, objective_of_parts
from surelearn.learners.linear._softmax.whole import WholeTable, refuse_separable
from surelearn.optimizers import Trace

_ROWS_FOR_VC = 4  # for each parameter; with fewer the VC bound says nothing even without errors


@at_one_moment
@holds(
    coef_="finite[problems, features]",
    intercept_="finite[problems]",
    gradient_norm_="number",
    suboptimality_="number",
    n_iter_="count",
    training_errors_="count",
    n_training_rows_="count",
    training_rows_="hash[kept]",
    training_margins_="float[margins]?",
    rows_scaled_="maybe text",
)
class LogisticRegression(SoftmaxClassifier):
    """Linear classifier whose scores are log odds, fitted by penalised maximum likelihood.

    Parameters
    ----------
    C
        The weight of the losses against the penalty ½‖coef‖², as in scikit-learn; infinity means no
        penalty. Without one, rows that can be separated have no best coefficients, and are refused.
    fit_intercept
        Learn a constant term; it is not penalised.
    class_weight
        A weight for each class, or "balanced"; it multiplies the sample weights.
    tol
        Stop when the gradient of the objective, divided by C and the sum of the weights, has at
        most this Euclidean norm.
    max_iter
        The largest number of steps.
    warm_start
        Start from the coefficients of the last fit, if classes and features are the same.

    Attributes
    ----------
    coef_, intercept_
        A line for each class, one line alone for two classes.
    classes_
        The labels, sorted.
    gradient_norm_
        The norm of the gradient where the method stopped, in the units of `tol`.
    suboptimality_
        How far the mean objective may be above its minimum, by weak duality.
    n_iter_
        The number of steps over all rows.
    training_errors_, n_training_rows_
        Training rows predicted wrongly; the number of training rows.

    Examples
    --------
    >>> X = [[-2.0], [-1.0], [0.0], [1.0], [2.0], [3.0]]
    >>> model = LogisticRegression(C=float("inf")).fit(X, [0, 0, 1, 0, 1, 1])
    >>> model.coef_.round(4).tolist(), model.intercept_.round(4).tolist()
    ([[1.214]], [-0.607])
    >>> model.predict_proba([[0.5]]).round(6).tolist()
    [[0.5, 0.5]]
    """

    coef_: Matrix
    intercept_: Vector
    n_features_in_: int
    n_training_rows_: int
    training_rows_: Hashes
    training_errors_: int
    training_margins_: Vector | None

    def __init__(
        self,
        *,
        C: float = 1.0,
        fit_intercept: bool = True,
        class_weight: Any = None,
        tol: float = 1e-6,
        max_iter: int = 1000,
        warm_start: bool = False,
    ) -> None:
        self.C = C
        self.fit_intercept = fit_intercept
        self.class_weight = class_weight
        self.tol = tol
        self.max_iter = max_iter
        self.warm_start = warm_start

    def fit(
        self, X: Any, y: ArrayLike | None = None, sample_weight: ArrayLike | None = None
    ) -> Self:
        """Find the coefficients from rows of two classes or more.

        Parameters
        ----------
        X
            Rows of numbers: an array, a data frame or a sparse matrix; or the parts of a table,
            each step a pass over all of them: see `surelearn.scale.parts`.
        y
            Their labels, of any kind; parts bring them along.
        sample_weight
            How much each row counts; 1 if left out.
        """
        fresh = fresh_copy(self)
        fresh._check_parameters()  # noqa: SLF001 - our own copy
        if isinstance(X, PartedTable):
            refuse_targets(y, sample_weight)
            table: WholeTable | PartedObjective = objective_of_parts(fresh, X)
        else:
            table = WholeTable(fresh, fresh._objective(X, y, sample_weight))  # noqa: SLF001
        start = self._start(fresh, table)
        trace = table.minimum(start, tolerance=self.tol, max_iter=self.max_iter)
        fresh._take(table, trace, table.audit(trace.point))  # noqa: SLF001
        if start.any():  # where other rows had led: they shaped this model, too
            earlier: Any = getattr(self, "training_rows_", ())
            fresh.training_rows_ = fingerprints.united(fresh.training_rows_, earlier)
        return adopt(self, fresh)

    def _objective(self, X: Any, y: Any, sample_weight: ArrayLike | None) -> SoftmaxObjective:
        """Check all rows, learn the classes, and return what is minimised."""
        X, labels = validation.check(self, X, y, reset=True, finite=False)
        self.classes_ = validation.two_or_more(validation.distinct(labels))
        weights = row_weights(
            sample_weight, class_weight=self.class_weight, labels=labels, n=len(labels)
        )
        weights = validation.heavy_enough(weights)
        return SoftmaxObjective(
            X=X,
            codes=validation.index_among(self.classes_, labels),
            shares=weights / weights.sum(),
            n_scores=1 if len(self.classes_) == 2 else len(self.classes_),
            penalty=metric.penalty_of(self.C, float(weights.sum())),
            fit_intercept=bool(self.fit_intercept),
        )

    def _check_state(self) -> None:
        n_problems = 1 if len(self.classes_) == 2 else len(self.classes_)
        if len(self.classes_) < 2 or len(self.coef_) != n_problems:
            raise ValueError("its weights are not those of its classes")
        if not self.training_errors_ <= self.n_training_rows_ or self.n_training_rows_ < 1:
            raise ValueError("it has more errors than rows, or no row")

    def certificates(self, *, delta: float = 0.05) -> tuple[Certificate, ...]:
        """State the risk of this model from its training rows alone.

        With four rows or more for each coefficient, by the number of ways hyperplanes can cut the
        rows: any penalty, tuning or affine scaling is allowed. With fewer, for two classes, by the
        margins. Which of the two depends on the shape of the table only.

        Parameters
        ----------
        delta
            The probability with which the statement may fail.
        """
        check_is_fitted(self)
        refuse_changed(self)
        sample = drawn_independently(self)
        if self.training_margins_ is not None:
            guarantee = margin.pac_bayes_margin(margins=self.training_margins_, delta=delta)
            evidence = {"independent": sample, "fixed_before": self._features_fixed()}
            return (risk_certificate(self, guarantee, evidence),)
        fixed = "all affine rules, unless features were made or chosen from these rows"
        evidence = {
            "independent": sample,
            "fixed_before": assumed(fixed),
            "affine": by_construction("whatever the penalty and the weights of the rows"),
        }
        return (risk_certificate(self, self._counting_bound(delta), evidence),)

    def _features_fixed(self) -> Evidence:
        """Say whether the features were what they are before the rows were seen."""
        if scaled := getattr(self, "rows_scaled_", ""):
            return violated(scaled_by_itself(scaled))
        return assumed(
            "true unless features were scaled, selected or made by looking at these rows"
        )

    def _counting_bound(self, delta: float) -> Guarantee:
        counts: dict[str, Any] = {
            "errors": self.training_errors_,
            "n": self.n_training_rows_,
            "dimension": self.n_features_in_,
            "delta": delta,
        }
        if len(self.classes_) == 2:
            return vc.linear(**counts)
        return vc.linear_multiclass(**counts, n_classes=len(self.classes_))

    def _check_parameters(self) -> None:
        if not isinstance(self.C, Real) or not self.C > 0.0:
            raise ValueError(f"C={self.C!r} must be a number above 0, or infinity for no penalty")
        if not isinstance(self.tol, Real) or not 0.0 < self.tol < math.inf:
            raise ValueError(f"tol={self.tol!r} must be a finite number above 0")
        _arguments.at_least_one("max_iter", self.max_iter)

    def _start(self, fresh: Self, table: WholeTable | PartedObjective) -> Vector:
        """Return where to begin: at 0, or where the last fit ended."""
        d = table.shape[1]
        theta = np.zeros((table.n_scores, d + 1))
        known = self.warm_start and np.array_equal(getattr(self, "classes_", ()), fresh.classes_)
        if known and self.coef_.shape[1] == d:
            theta[:, :-1], theta[:, -1] = self.coef_, self.intercept_
            theta -= theta.mean(axis=0) if len(theta) > 1 else 0.0
            theta[:, -1] *= table.fit_intercept
        return theta.ravel()

    def _take(self, table: WholeTable | PartedObjective, trace: Trace, found: Audit) -> None:
        """Store the optimum, unless there is none; say so if it was not reached."""
        refuse_separable(table, trace, found)
        theta = trace.point.reshape(table.n_scores, -1)
        self.coef_, self.intercept_ = theta[:, :-1].copy(), theta[:, -1].copy()
        self.gradient_norm_ = float(trace.gradient_norms[-1])
        self.suboptimality_ = found.suboptimality
        self.n_iter_ = trace.n_steps
        self.training_errors_, self.n_training_rows_ = found.training_errors, table.shape[0]
        self.training_rows_ = table.sketch()
        few = table.shape[0] < _ROWS_FOR_VC * theta.shape[1] and table.n_scores == 1
        self.training_margins_ = table.margins(theta) if few else None
        if few and (scaled := how_scaled(table.counted_rows()[0])):
            self.rows_scaled_ = scaled
        if not trace.converged:
            warn(
                f"the optimum was not reached: {trace.reason}; raise max_iter or tol, or scale the "
                "features",
                ConvergenceWarning,
            )

    def decision_function(self, X: Any) -> Vector | Matrix:
        """Return the log odds of the last of two classes, or the score of each of many."""
        scores = self._fitted_scores(X)
        return scores[:, 0] if scores.shape[1] == 1 else scores

    def _scores(self, X: Any) -> Matrix:
        return validation.check_rows(self, X) @ self.coef_.T + self.intercept_

    def __sklearn_tags__(self) -> Tags:
        """Say to scikit-learn that sparse matrices are welcome."""
        tags: Any = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags
