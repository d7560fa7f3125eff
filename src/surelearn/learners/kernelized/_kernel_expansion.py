"""The base of kernel machines that see all rows at once: f = Σ c_s·K(x_s, ·) + b.

Rows are tables, strings or, with `kernel="precomputed"`, the kernel matrix itself.
"""

import math
import os
from typing import Any, Literal, TypeAlias, cast

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.utils import Tags, gen_batches

from surelearn import _arguments
from surelearn._jit import tables
from surelearn._stored import holds
from surelearn._typing import Indices, Matrix, Vector
from surelearn.base import validation
from surelearn.base.fitting import at_one_moment
from surelearn.kernels import Kernel
from surelearn.kernels.norms import is_ours, largest_square
from surelearn.learners.kernelized import _points, _texts
from surelearn.learners.kernelized._kernel_systems import refuse_indefinite

Precomputed: TypeAlias = Literal["precomputed"]

_VALUES_AT_ONCE = 2**22  # kernel values held at once when rows are scored
_SKEW = 1e-8  # beside its largest value a matrix may be this far from symmetric


@at_one_moment
@holds(
    n_features_in_="count",
    kernel_="maybe anything",
    support_="int[support]",
    support_vectors_="maybe table[support, features]",
    n_training_rows_="count",
    training_rows_="hash[kept]",
    kernel_radius_="number",
)
class KernelExpansion(BaseEstimator):
    """A model that is a sum of kernel values with rows that it remembers.

    A learner stores `kernel` and finds coefficients of the training rows; those of the rows in
    `support_` are kept.
    """

    kernel: Kernel | Precomputed
    support_: Indices
    support_vectors_: Any
    dual_coef_: Any
    intercept_: Any
    n_features_in_: int
    n_training_rows_: int
    kernel_radius_: float

    @property
    def _kernel(self) -> Any:
        """The kernel of the last fit; there is only the parameter in it, or in a file of before."""
        return getattr(self, "kernel_", self.kernel)

    @property
    def _is_precomputed(self) -> bool:
        return isinstance(self._kernel, str) and self._kernel == "precomputed"

    def _check_kernel(self) -> None:
        given = cast("object", self._kernel)
        if not (isinstance(given, Kernel) or self._is_precomputed):
            raise ValueError(
                f"kernel={given!r} must be a kernel of surelearn, such as kernels.Gaussian(), or "
                '"precomputed"'
            )

    def _enter(self, X: Any, y: Any, *, targets: validation.Targets) -> tuple[Any, Any]:
        """Check the training rows and their targets; a precomputed matrix must be square."""
        self.kernel_ = self.kernel
        if self._is_precomputed:
            X, y = validation.check(self, X, y, targets=targets, reset=True)
            return _symmetric(X), y
        kernel = cast("Kernel", self._kernel)
        X = _texts.entering(kernel, X)
        X, y = validation.check(self, X, y, targets=targets, reset=True)
        if kernel.domain == "vectors":
            validation.refuse_extreme(X)
        return self._admit(X), y

    def _enter_new(self, X: Any) -> Any:
        """Check rows that are to be predicted; precomputed: their values with all training rows."""
        if self._is_precomputed:
            return validation.check_rows(self, X)
        X = _texts.entering(cast("Kernel", self._kernel), X)
        return self._admit(validation.check_rows(self, X))

    def _admit(self, X: Any) -> Any:
        """Return the rows if the kernel reads them and its values are finite."""
        kernel = cast("Kernel", self._kernel)
        X = validation.bits(X) if kernel.domain == "bits" else X
        with np.errstate(over="ignore"):
            finite = np.isfinite(self._squares(X)).all()
        if not finite:
            raise ValueError(f"the values of {kernel!r} overflow; rescale the rows")
        return X

    def _squares(self, X: Any) -> Vector:
        """Return the kernel's value of each training row with itself."""
        if self._is_precomputed:
            return np.asarray(X.diagonal())
        kernel = cast("Kernel", self._kernel)
        return _points.diagonal(kernel, _texts.readable(kernel, X))

    def _gram(self, X: Any) -> Matrix:
        """Return the kernel matrix of the training rows, which the caller may overwrite."""
        refuse_too_many(X.shape[0])
        if self._is_precomputed:
            gram = np.array(tables.dense(X), order="C")
            refuse_indefinite(gram.copy())
            return gram
        kernel = cast("Kernel", self._kernel)
        gram = _points.values_of(kernel)(_texts.readable(kernel, X), None)
        return gram if is_ours(kernel) else np.array(gram, order="C")  # it may be kept elsewhere

    def _block(self, X: Any, support: Any) -> Matrix:
        """Return the values of rows with those remembered, rows or places of precomputed ones."""
        if self._is_precomputed:
            return tables.dense(X[:, support])
        kernel = cast("Kernel", self._kernel)
        readable = (_texts.readable(kernel, rows) for rows in (X, support))
        return _points.values_of(kernel)(*readable)

    def _rows_at(self, X: Any, places: Indices) -> Any:
        """Return some of the training rows; of a precomputed matrix their columns as well."""
        if len(places) == X.shape[0]:
            return X
        return X[places][:, places] if self._is_precomputed else X[places]

    def _remember(self, X: Any, places: Indices) -> None:
        """Keep the rows at these places of the training rows."""
        self.support_ = places
        if not self._is_precomputed:
            self.support_vectors_ = X[places]

    def _expansion(self, X: Any, coef: Matrix) -> Matrix:
        """Return Σ c_s K(x_s, x) for each row x, a column for each row of coefficients c."""
        sums = np.zeros((X.shape[0], len(coef)))
        support = self.support_ if self._is_precomputed else self.support_vectors_
        if coef.ndim != 2 or coef.dtype != np.float64 or support.shape[:1] != coef.shape[1:]:
            raise ValueError(
                "its coefficients are not those of its support vectors: they were changed after "
                "fit. Fit it again"
            )
        if coef.shape[1]:
            for part in gen_batches(len(sums), max(1, _VALUES_AT_ONCE // coef.shape[1])):
                sums[part] = self._block(X[part], support) @ coef.T
        return sums

    def _function(self, X: Any) -> Vector:
        """Return f of rows that were read, with its constant term."""
        intercept = _arguments.real("intercept_", self.intercept_)  # it may be set by hand
        return self._expansion(X, self.dual_coef_[np.newaxis])[:, 0] + intercept

    def _check_support(self) -> None:
        """Refuse what a forged model file may hold: rows that cannot be those remembered."""
        self._check_kernel()
        if len(self.support_) and not 0 <= self.support_.min() <= self.support_.max():
            raise ValueError("the rows that it remembers have no places")
        if len(self.support_) and self.support_.max() >= self.n_training_rows_:
            raise ValueError("it remembers rows that it was not given")
        if self._is_precomputed:
            if self.n_features_in_ != self.n_training_rows_ or hasattr(self, "support_vectors_"):
                raise ValueError("it remembers rows, and only their kernel matrix was given")
            return
        kernel, table = cast("Kernel", self._kernel), self.support_vectors_
        if kernel.domain == "strings":
            _texts.refuse_forged(table)
        if len(self.support_):
            self._admit(table)

    def __sklearn_tags__(self) -> Tags:
        """Say to scikit-learn that sparse matrices are welcome, and whether rows are pairs."""
        tags: Any = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.input_tags.pairwise = self._is_precomputed
        tags.input_tags.string = getattr(self.kernel, "domain", "") == "strings"
        tags.input_tags.two_d_array = not tags.input_tags.string
        return tags


def known_radius(kernel: Any) -> float | None:
    """Return the largest sqrt(K(x, x)) that any row can have, where the kernel alone tells it.

    Examples
    --------
    >>> from surelearn.kernels import Gaussian, Linear
    >>> known_radius(4.0 * Gaussian()), known_radius(Linear())
    (2.0, None)
    """
    square = largest_square(kernel)
    return square**0.5 if math.isfinite(square) else None


def refuse_too_many(n: int) -> None:
    """Refuse rows whose kernel matrix is larger than all memory of the machine.

    Examples
    --------
    >>> refuse_too_many(1000)
    """
    memory = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    if 8 * n * n > memory:
        raise ValueError(
            f"the kernel matrix of {n} rows takes {8e-9 * n * n:.0f} GB, and this machine has "
            f"{1e-9 * memory:.0f}; give fewer rows, or approximate by landmarks: KernelRidge("
            "landmarks=2000)"
        )


def _symmetric(X: Any) -> Any:
    """Return a precomputed matrix if it can be that of a kernel: square and symmetric."""
    n, m = X.shape
    if n != m:
        raise ValueError(
            f"a precomputed kernel matrix must be square, a row and a column for each training "
            f"row; this one has shape {(n, m)}"
        )
    apart: Any = abs(X - X.T).max()
    if apart > _SKEW * abs(X).max():
        raise ValueError(
            f"a precomputed kernel matrix must be symmetric; two values differ by {apart:.3g}"
        )
    return X
