"""Kernel logistic regression: log odds that are a function of a kernel's space.

    minimise  C · Σ s_i ln(1 + exp(−y_i (f(x_i) + b))) + ½‖f‖²,   f = Σ c_i·K(x_i, ·)

Newton's method on the coefficients. Zhu and Hastie (2005).
"""

from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from scipy import special
from sklearn.base import ClassifierMixin
from sklearn.utils import Tags
from sklearn.utils.validation import check_is_fitted

from surelearn import _arguments
from surelearn._stored import holds
from surelearn._typing import ArrayLike, Matrix, Vector
from surelearn.base import validation
from surelearn.base.fitting import adopt, at_one_moment, fresh_copy, row_weights
from surelearn.kernels import Kernel, Linear
from surelearn.learners.kernelized._kernel_expansion import KernelExpansion, Precomputed
from surelearn.learners.kernelized._reweighted_least_squares import learn

_LEAST_CURVATURE = 1e-10  # where the loss is all but straight; the step is then halved, if need be


class _LogLoss:
    """ln(1 + exp(−y·score)), y = ±1."""

    def value(self, y: Vector, scores: Vector) -> Vector:
        return np.logaddexp(0.0, -y * scores)

    def slope(self, y: Vector, scores: Vector) -> Vector:
        return -y * special.expit(-y * scores)

    def curvature(self, y: Vector, scores: Vector) -> Vector:
        del y
        return np.maximum(special.expit(scores) * special.expit(-scores), _LEAST_CURVATURE)


@at_one_moment
@holds(
    classes_="classes",
    dual_coef_="finite[support]",
    intercept_="number",
    objective_="number",
    gradient_norm_="number",
    n_iter_="count",
)
class KernelLogisticRegression(ClassifierMixin, KernelExpansion):
    """Two classes told apart by log odds that are a function of a kernel's space, plus a constant.

    Parameters
    ----------
    kernel
        Any kernel, on tables or strings, or "precomputed".
    C
        The weight of the losses against the penalty ½‖f‖².
    fit_intercept
        Learn a constant term; it is not penalised.
    class_weight
        A weight for each class, or "balanced"; it multiplies the sample weights.
    tol
        Stop when the gradient of the objective, divided by C and the sum of the weights, has at
        most this norm.
    max_iter
        The largest number of Newton steps.

    Attributes
    ----------
    dual_coef_, intercept_
        The log odds of the last class: Σ dual_coef·K(support vector, x) + intercept.
    support_, support_vectors_
        The places, among the training rows, of those that f remembers, and the rows.
    classes_
        The two labels, sorted.
    objective_, gradient_norm_, n_iter_
        The objective reached, the norm of its gradient in the units of `tol`, and the steps.

    Examples
    --------
    >>> from surelearn.kernels import Gaussian
    >>> corners = [[-1.0, -1.0], [-1.0, 1.0], [1.0, -1.0], [1.0, 1.0]]
    >>> model = KernelLogisticRegression(kernel=Gaussian(), C=10.0).fit(corners, [0, 1, 1, 0])
    >>> model.predict(corners).tolist(), model.predict_proba([[0.0, 0.0]]).round(3).tolist()
    ([0, 1, 1, 0], [[0.5, 0.5]])
    """

    classes_: NDArray[Any]
    dual_coef_: Vector
    intercept_: float
    objective_: float

    def __init__(
        self,
        *,
        kernel: Kernel | Precomputed = Linear(),  # noqa: B008 - frozen
        C: float = 1.0,
        fit_intercept: bool = True,
        class_weight: Any = None,
        tol: float = 1e-8,
        max_iter: int = 100,
    ) -> None:
        self.kernel = kernel
        self.C = C
        self.fit_intercept = fit_intercept
        self.class_weight = class_weight
        self.tol = tol
        self.max_iter = max_iter

    def fit(self, X: Any, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Find f from rows of two classes.

        Parameters
        ----------
        X
            Rows of numbers, strings, or a kernel matrix.
        y
            Labels of two classes.
        sample_weight
            How much each row counts; 1 if left out.
        """
        fresh = fresh_copy(self)
        fresh._check_parameters()  # noqa: SLF001 - our own copy
        X, labels = fresh._enter(X, y, targets="labels")  # noqa: SLF001
        fresh.classes_ = validation.two_or_more(validation.distinct(labels))
        if len(fresh.classes_) > 2:
            raise ValueError(
                "Only binary classification is supported. The type of the target is multiclass: "
                f"{fresh.classes_.tolist()}; SupportVectorClassifier and LogisticRegression take "
                "several classes, and scikit-learn's OneVsRestClassifier makes it binary"
            )
        weights = row_weights(
            sample_weight, class_weight=self.class_weight, labels=labels, n=len(labels)
        )
        signs = np.where(validation.index_among(fresh.classes_, labels) == 1, 1.0, -1.0)
        found = learn(fresh, X, signs, weights, _LogLoss(), 1.0 / float(self.C))
        fresh.objective_ = float(self.C) * found.objective
        return adopt(self, fresh)

    def decision_function(self, X: Any) -> Vector:
        """Return the log odds of the last class."""
        check_is_fitted(self)
        return self._function(self._enter_new(X))

    def predict(self, X: Any) -> NDArray[Any]:
        """Return the more probable class of each row; of two equally probable ones the first."""
        chosen = (self.decision_function(X) > 0.0).astype(np.int64)
        return self.classes_[chosen]

    def predict_proba(self, X: Any) -> Matrix:
        """Return the probability of each class, in the order of `classes_`."""
        odds = self.decision_function(X)
        return special.expit(np.column_stack([-odds, odds]))

    def predict_log_proba(self, X: Any) -> Matrix:
        """Return the logarithm of the probability of each class, exact where that is tiny."""
        odds = self.decision_function(X)
        return special.log_expit(np.column_stack([-odds, odds]))

    def _check_parameters(self) -> None:
        self._check_kernel()
        for name in ("C", "tol"):
            _arguments.positive(name, getattr(self, name))
        if 1.0 / float(self.C) == np.inf:
            raise ValueError(f"C={self.C!r} is too small to compute with: 1/C is the price of f")
        _arguments.at_least_one("max_iter", self.max_iter)

    def _check_state(self) -> None:
        """Refuse what a forged model file may hold."""
        self._check_support()
        if len(self.classes_) != 2:
            raise ValueError("it has not two classes")

    def __sklearn_tags__(self) -> Tags:
        """Say to scikit-learn that there are two classes."""
        tags: Any = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = False
        return tags
