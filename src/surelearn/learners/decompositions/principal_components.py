"""Principal components: the directions along which the rows spread most.

    Σ = Σ (x_i − x̄)(x_i − x̄)ᵀ / (n − 1) = V diag(λ₁ ≥ λ₂ ≥ …) Vᵀ,   keep the first k columns of V

Of all projections of rank k this one loses the least of the rows' squared length: λ_{k+1} + … .
Pearson (1901), Hotelling (1933).
"""

from typing import Any, Self, cast

import numpy as np
from scipy import linalg, sparse
from sklearn.base import ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils import Tags, assert_all_finite, check_random_state
from sklearn.utils.extmath import randomized_svd, svd_flip
from sklearn.utils.validation import check_is_fitted

from surelearn._jit.sound_matrices import sound
from surelearn._stored import holds
from surelearn._threads import small_matrices
from surelearn._typing import Matrix, Vector
from surelearn.base import validation
from surelearn.base.fitting import at_one_moment
from surelearn.base.moments import Moments, moments
from surelearn.base.summarising import SummarisingLearner
from surelearn.base.validation import refuse_huge, refuse_tiny, validated
from surelearn.bounds import Guarantee, decompositions
from surelearn.learners.decompositions._coordinates import check_coordinates

_SMALL_SHARE = 0.1  # of the shorter side: so few components are found by random projection
_LARGE_SIDE = 500  # below, all components cost little


@at_one_moment
@holds(
    n_features_in_="count",
    mean_="finite[features]",
    scale_="finite[features]",
    n_components_="count",
    n_training_rows_="count",
    fixed_beforehand_="flag",
    components_="finite[components, features]",
    explained_variance_="finite[components]",
    explained_variance_ratio_="finite[components]",
    singular_values_="finite[components]",
    residual_="number",
    record_=("maybe", Moments),
)
class PrincipalComponents(
    ClassNamePrefixFeaturesOutMixin, TransformerMixin, SummarisingLearner[Moments]
):
    """Project rows onto the few directions along which they spread most.

    Parameters
    ----------
    n_components
        How many; all if left out. A share between 0 and 1: as many as explain more than that share
        of the variance. "singular-values": as many as leave less than a tenth of the sum of the
        singular values.
    standardize
        Divide every column by its standard deviation first; a constant column is left alone.
    whiten
        Give every component variance 1.
    random_state
        Of the random projection by which a few components of a table with many rows and even more
        columns are found.

    Attributes
    ----------
    components_
        The directions, one row each, of length 1; in each the largest entry by size is positive.
    explained_variance_, explained_variance_ratio_
        The variance along each direction, with divisor n − 1, and its share of the total.
    singular_values_
        The singular values of the centred (and scaled) rows that belong to the directions.
    mean_, scale_
        What is subtracted from each column, and what it is divided by.
    n_components_, n_training_rows_
        The number of directions, and of rows.
    fixed_beforehand_
        Whether neither the number of components nor a scaling was learnt from the rows.
    residual_
        The mean squared distance of the training rows to their reconstructions.
    n_features_in_
        The number of columns.
    record_
        The moments of all rows seen, to which `partial_fit` adds; absent if there were fewer rows
        than columns, in which case the rows themselves were decomposed.

    Examples
    --------
    >>> rows = [[2.0, 0.0], [0.0, 1.0], [-2.0, 0.0], [0.0, -1.0]]
    >>> model = PrincipalComponents(n_components=1).fit(rows)
    >>> model.components_.round(6).tolist(), round(model.explained_variance_ratio_[0], 6)
    ([[1.0, 0.0]], np.float64(0.8))
    >>> model.inverse_transform(model.transform([[3.0, 4.0]])).round(6).tolist()
    [[3.0, 0.0]]
    """

    n_features_in_: int

    def __init__(
        self,
        *,
        n_components: float | str | None = None,
        standardize: bool = False,
        whiten: bool = False,
        random_state: int | None = 0,
    ) -> None:
        self.n_components = n_components
        self.standardize = standardize
        self.whiten = whiten
        self.random_state = random_state

    def guarantee(self, *, diameter: float, delta: float = 0.05) -> Guarantee:
        """Bound the mean squared distance of new rows to their reconstructions.

        It holds with confidence 1 − δ if no two rows are ever farther apart than `diameter`.
        """
        check_is_fitted(self)
        if not self.fixed_beforehand_:
            raise ValueError(
                "the theorem needs a number of components and a scaling fixed before the data were "
                "seen: n_components=k, standardize=False"
            )
        self._refuse_refuted(diameter)
        return decompositions.pca_centred(
            residual=self.residual_,
            n=self.n_training_rows_,
            n_components=self.n_components_,
            diameter=diameter,
            delta=delta,
            dimension=self.n_features_in_,
        )

    def _refuse_refuted(self, diameter: float) -> None:
        """Refuse a diameter below the mean distance of two training rows, as the moments give it.

        The squared distance of two rows is on average twice the sum of the variances.
        """
        n = self.n_training_rows_
        total = float(self.explained_variance_.sum()) + self.residual_ * n / max(n - 1, 1)
        if diameter * (1.0 + 1e-9) < np.sqrt(2.0 * total):
            raise ValueError(
                f"diameter={diameter!r} is refuted by the training rows: two of them are "
                f"{np.sqrt(2.0 * total):.6g} apart or more. It must hold for every row that can "
                "occur, and be known before any is seen"
            )

    def fit(self, X: Any, y: Any = None) -> Self:  # pyright: ignore[reportIncompatibleMethodOverride]
        """Find the components.

        Parameters
        ----------
        X
            Rows of numbers: an array, a data frame or a sparse matrix; or the parts of a table.
        y
            Not used.
        """
        return super().fit(X, y)

    def partial_fit(self, X: Any, y: Any = None) -> Self:  # pyright: ignore[reportIncompatibleMethodOverride]
        """Add these rows to all seen so far, and find the components of all of them."""
        return super().partial_fit(X, y)

    def transform(self, X: Any) -> Matrix:
        """Return the coordinates of each row along the components."""
        check_is_fitted(self)
        rows = validation.check_rows(self, X)
        axes = self.components_.T / self.scale_[:, np.newaxis]
        return (rows @ axes - self.mean_ @ axes) / self._spread()

    def inverse_transform(self, X: Any) -> Matrix:
        """Return the rows that have these coordinates and nothing across the components."""
        check_is_fitted(self)
        scores = check_coordinates(X, self.n_components_) * self._spread()
        return scores @ self.components_ * self.scale_ + self.mean_

    def _spread(self) -> Vector | float:
        """Return the standard deviations that whitening divides by; 1 along an empty direction."""
        if not self.whiten:
            return 1.0
        return np.sqrt(np.where(self.explained_variance_ > 0.0, self.explained_variance_, 1.0))

    def _admit(self, X: Any, y: Any, sample_weight: Any, *, first: bool) -> tuple[Any, None, None]:
        del y, sample_weight
        return self._checked(X, first=first, least=2 if first else 1), None, None

    def _admit_part(self, X: Any, y: Any, sample_weight: Any) -> tuple[Any, None, None]:
        del y, sample_weight
        return self._checked(X, first=True, least=1), None, None

    def _checked(self, X: Any, *, first: bool, least: int) -> Any:
        check: Any = validated
        return check(
            self,
            sound(X),
            reset=first,
            accept_sparse="csr",
            dtype=np.float64,
            order="C",
            ensure_all_finite=False,  # the sums of the moments tell
            ensure_min_samples=least,
        )

    def _begin(self, X: Any, y: Any, weights: Any) -> None:
        """Decompose the covariance or, if there are fewer of them than columns, the rows."""
        n, d = X.shape
        if n >= d or sparse.issparse(X):
            super()._begin(X, y, weights)
            return
        assert_all_finite(X, input_name="X")
        refuse_huge(X, "features")
        self._check_choice(n)
        variances = X.var(axis=0, ddof=1)
        self._centre(X.mean(axis=0), variances)
        values, axes = self._decompose((X - self.mean_) / self.scale_)
        total = float((variances / self.scale_**2).sum())
        self._keep(values**2 / (n - 1), axes, total=total, n=n)

    def _decompose(self, rows: Matrix) -> tuple[Vector, Matrix]:
        """Return singular values and right vectors of centred rows."""
        k, side = self.n_components, min(rows.shape)
        if isinstance(k, (int, np.integer)) and side > _LARGE_SIDE and k < _SMALL_SHARE * side:
            seed = check_random_state(self.random_state)
            project: Any = randomized_svd
            return project(rows, int(k), n_iter=7, random_state=seed)[1:]
        return linalg.svd(rows, full_matrices=False, overwrite_a=True)[1:]

    def _summarise(self, X: Any, y: Any, weights: Any) -> Moments:
        del y, weights
        return moments(X)

    def _solve(self, record: Moments) -> None:
        d = len(record.mean)
        if record.n_rows < 2:
            raise ValueError("there is one row, and rows spread only if there are two")
        self._check_choice(min(record.n_rows, d))
        scatter = record.scatter / (record.n_rows - 1)
        self._centre(record.mean, np.diag(scatter))
        scatter /= np.outer(self.scale_, self.scale_)
        total = float(np.trace(scatter))
        k = self.n_components
        few = isinstance(k, (int, np.integer)) and k < _SMALL_SHARE * d
        wanted = [d - int(cast("Any", k)), d - 1] if few else None
        with small_matrices(d):
            values, vectors = linalg.eigh(scatter, lower=True, subset_by_index=wanted)
        variances, axes = np.maximum(values[::-1], 0.0), vectors.T[::-1]
        self._keep(variances, axes, total=total, n=record.n_rows)

    def _centre(self, mean: Vector, variances: Vector) -> None:
        self.mean_ = mean
        spread = np.sqrt(np.maximum(variances, 0.0))
        refuse_tiny(np.append(mean, spread), "features")
        self.scale_ = (
            np.where(spread > 0.0, spread, 1.0) if self.standardize else np.ones(len(mean))
        )

    def _keep(self, variances: Vector, axes: Matrix, *, total: float, n: int) -> None:
        """Store the first components and what they explain."""
        k = self._how_many(variances[: min(n, len(self.mean_))], total)
        self.n_components_, self.n_training_rows_ = k, n
        counted = isinstance(self.n_components, (int, np.integer))
        self.fixed_beforehand_ = counted and not self.standardize
        self.components_ = svd_flip(None, axes[:k].copy(), u_based_decision=False)[1]
        self.explained_variance_ = variances[:k].copy()
        self.explained_variance_ratio_ = self.explained_variance_ / (total if total > 0.0 else 1.0)
        self.singular_values_ = np.sqrt(self.explained_variance_ * (n - 1))
        self.residual_ = max(0.0, total - float(self.explained_variance_.sum())) * (n - 1) / n

    @property
    def _n_features_out(self) -> int:
        return self.n_components_

    def _check_choice(self, most: int) -> None:
        """Refuse a number of components that cannot be had."""
        k = self.n_components
        if k is None or k == "singular-values" or (isinstance(k, float) and 0.0 < k < 1.0):
            return
        if isinstance(k, bool) or not isinstance(k, (int, np.integer)) or not 1 <= k <= most:
            raise ValueError(
                f"n_components={k!r} must be a whole number from 1 to {most} (rows and columns "
                "allow no more), a share between 0 and 1, 'singular-values' or None"
            )

    def _how_many(self, variances: Vector, total: float) -> int:
        """Return the number of components by the rule asked for."""
        k = self.n_components
        if k is None:
            return len(variances)
        if k == "singular-values":
            return max(1, decompositions.plan_rank(singular_values=np.sqrt(variances)))
        if isinstance(k, float):
            explained = np.cumsum(variances) / (total if total > 0.0 else 1.0)
            return int(min(np.searchsorted(explained, k, side="right") + 1, len(variances)))
        return int(cast("Any", k))

    def _check_state(self) -> None:
        """Refuse components or sums of another number, as a forged model file may hold them."""
        record = getattr(self, "record_", None)
        if len(self.components_) != self.n_components_ or self.n_training_rows_ < 1:
            raise ValueError(f"it does not have {self.n_components_} components")
        if record is not None and record.n_columns != self.n_features_in_:
            raise ValueError("its sums are over rows of another width")
        if not (self.scale_ > 0.0).all() or not (self.explained_variance_ >= 0.0).all():
            raise ValueError("a scale or a variance is not positive")

    def __sklearn_tags__(self) -> Tags:
        """Say to scikit-learn that sparse matrices are welcome."""
        tags = cast("Any", super().__sklearn_tags__())
        tags.input_tags.sparse = True
        return tags
