"""Low-rank approximation: the matrix of rank k that is nearest to a given one.

    A = Σ s_i u_i v_iᵀ,   s₁ ≥ s₂ ≥ …,   A_k = Σ_{i ≤ k} s_i u_i v_iᵀ

No matrix of rank k is nearer, in the Frobenius norm (error √(s²_{k+1} + …)) nor in the spectral
norm (error s_{k+1}). Eckart and Young (1936), Mirsky (1960).
"""

from typing import Any, Self, cast

import numpy as np
from scipy import linalg, sparse
from scipy.sparse.linalg import svds
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils import Tags
from sklearn.utils.extmath import svd_flip
from sklearn.utils.validation import check_is_fitted

from surelearn import _arguments
from surelearn._jit.sound_matrices import sound
from surelearn._stored import holds
from surelearn._typing import Matrix, Vector
from surelearn.base import validation
from surelearn.base.fitting import adopt, at_one_moment, fresh_copy
from surelearn.base.seal import fingerprint_of_fit, refuse_changed
from surelearn.base.validation import validated
from surelearn.bounds import decompositions
from surelearn.certificate import Certificate, certify, checked
from surelearn.learners.decompositions._coordinates import check_coordinates

_DENSE = 2**24  # entries of a sparse matrix that may be made dense to find all singular values
_EPS = 2.0**-49  # rounding, of the largest singular value, for each row or column


@at_one_moment
@holds(
    n_features_in_="count",
    spectrum_="finite[spectrum]?",
    left_vectors_="finite[rows, rank]",
    components_="finite[rank, features]",
    singular_values_="finite[rank]",
    next_singular_value_="number",
    frobenius_error_="number",
    n_training_rows_="count",
)
class LowRankApproximation(ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator):
    """The best approximation of a matrix by one of rank k, with its exact error.

    Nothing is centred: for rows about their mean take `PrincipalComponents`.

    Parameters
    ----------
    rank
        The rank k; 1 or more.

    Attributes
    ----------
    components_
        The first k right singular vectors, a row each; the largest entry by size is positive.
    left_vectors_, singular_values_
        The first k left singular vectors, a column each, and the first k singular values.
    next_singular_value_
        The spectral distance of the matrix to its approximation; 0 if it has rank k.
    frobenius_error_
        The Frobenius distance of the matrix to its approximation.
    spectrum_
        All singular values; None for a large sparse matrix, of which only the first were found.

    Examples
    --------
    >>> model = LowRankApproximation(rank=1).fit([[3.0, 0.0], [0.0, 1.0]])
    >>> model.approximation().tolist(), model.next_singular_value_
    ([[3.0, 0.0], [0.0, 0.0]], 1.0)
    >>> for certificate in model.certificates():
    ...     print(certificate.observed, certificate.status)
    1.0 valid
    1.0 valid
    """

    _free_parameters = frozenset({"rank"})  # answers and certificates go by what was fitted
    n_features_in_: int

    def __init__(self, *, rank: int = 1) -> None:
        self.rank = rank

    def fit(self, X: Any, y: Any = None) -> Self:
        """Decompose the matrix.

        Parameters
        ----------
        X
            A matrix, dense or sparse.
        y
            Not used.
        """
        del y
        fresh = fresh_copy(self)
        check: Any = validated
        matrix = check(fresh, sound(X), accept_sparse="csr", dtype=np.float64)
        _arguments.at_least_one("rank", self.rank)
        if self.rank > min(matrix.shape):
            raise ValueError(
                f"rank={self.rank} is more than a matrix of shape {matrix.shape} can have; choose "
                f"at most {min(matrix.shape)}"
            )
        fresh._decompose(matrix)  # noqa: SLF001 - our own copy
        return adopt(self, fresh)

    def certificates(self, *, delta: float = 0.05) -> tuple[Certificate, ...]:
        """State that no matrix of this rank is nearer, in either norm; both hold surely.

        Singular values are off by the rounding of double precision, so each is taken for as small
        as it may be: else a matrix of this rank would be said to be away from itself. Of a large
        sparse matrix only the first singular values are known: it states nothing.

        Parameters
        ----------
        delta
            Not used: nothing here is left to chance.
        """
        check_is_fitted(self)
        refuse_changed(self)
        _arguments.open_fraction("delta", delta)
        if self.spectrum_ is None:
            return ()
        found = (
            (decompositions.eckart_young_frobenius, self.frobenius_error_),
            (decompositions.eckart_young_spectral, self.next_singular_value_),
        )
        off = _EPS * max(self.n_training_rows_, self.n_features_in_) * self.spectrum_.max()
        values = np.maximum(self.spectrum_ - off, 0.0)
        evidence = {
            "singular_values": checked(
                "all of them were computed, and each is lowered by more than rounding changes it"
            )
        }
        return tuple(
            certify(
                theorem(singular_values=values, rank=len(self.components_)),
                kind="approximation",
                subject="every matrix of this rank",
                observed=error,
                n=self.n_training_rows_,
                evidence=evidence,
                reproduce={"model": fingerprint_of_fit(self)},
            )
            for theorem, error in found
        )

    def approximation(self) -> Matrix:
        """Return the matrix of rank k."""
        check_is_fitted(self)
        return (self.left_vectors_ * self.singular_values_) @ self.components_

    def transform(self, X: Any) -> Matrix:
        """Return the coordinates of each row along the components."""
        check_is_fitted(self)
        return validation.check_rows(self, X) @ self.components_.T

    def inverse_transform(self, X: Any) -> Matrix:
        """Return the rows that have these coordinates and nothing across the components."""
        check_is_fitted(self)
        return check_coordinates(X, len(self.components_)) @ self.components_

    def _decompose(self, matrix: Any) -> None:
        """Find all singular values, or the first of a large sparse matrix."""
        k = self.rank
        thin = bool(sparse.issparse(matrix))
        if thin and matrix.shape[0] * matrix.shape[1] > _DENSE and k + 1 < min(matrix.shape):
            left, values, right = _first_vectors(matrix, k + 1)
            scale = float(values[0]) or 1.0  # squares of large values would overflow
            squares = (matrix.data / scale) ** 2
            rest = scale * np.sqrt(max(0.0, squares.sum() - ((values[:k] / scale) ** 2).sum()))
            self.spectrum_: Vector | None = None
        else:
            dense = matrix.toarray() if thin else matrix
            left, values, right = linalg.svd(dense, full_matrices=False)
            rest, self.spectrum_ = linalg.norm(values[k:]), values
        orient: Any = svd_flip
        self.left_vectors_, self.components_ = orient(
            left[:, :k].copy(), right[:k].copy(), u_based_decision=False
        )
        self.singular_values_ = values[:k].copy()
        self.next_singular_value_ = float(values[k]) if len(values) > k else 0.0
        self.frobenius_error_ = float(rest)
        self.n_training_rows_ = matrix.shape[0]

    @property
    def _n_features_out(self) -> int:
        return len(self.components_)

    def __sklearn_tags__(self) -> Tags:
        """Say to scikit-learn that sparse matrices are welcome."""
        tags = cast("Any", super().__sklearn_tags__())
        tags.input_tags.sparse = True
        return tags


def _first_vectors(matrix: Any, k: int) -> tuple[Matrix, Vector, Matrix]:
    """Return the first singular vectors and values of a sparse matrix; any will do for zeros."""
    if not matrix.data.any():
        return np.eye(matrix.shape[0], k), np.zeros(k), np.eye(k, matrix.shape[1])
    start = np.random.default_rng(0).normal(size=min(matrix.shape))  # never in a null space
    left, values, right = cast("Any", svds)(matrix, k=k, v0=start)
    order = np.argsort(values)[::-1]
    return left[:, order], values[order], right[order]
