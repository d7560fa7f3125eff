"""Mixtures of Gaussians: clusters that overlap, each with its own centre, size and direction.

    r_ik ∝ w_k N(x_i; μ_k, Σ_k);   w_k = Σ_i r_ik / n,   μ_k = Σ_i r_ik x_i / Σ_i r_ik,   Σ_k alike

Dempster, Laird and Rubin (1977); with missing values Ghahramani and Jordan (1994).
"""

from dataclasses import replace
from typing import Any, Literal

import numpy as np
from numpy.random import RandomState
from numpy.typing import NDArray
from scipy.special import logsumexp
from sklearn.utils.validation import check_is_fitted

from surelearn._stored import holds
from surelearn._typing import ArrayLike, Indices, Matrix
from surelearn.base.fitting import at_one_moment
from surelearn.base.validation import refuse_huge, refuse_tiny
from surelearn.learners.mixtures._covariances import SHAPES, Covariance
from surelearn.learners.mixtures._gaussians import GaussianModel, Gaussians, Moments
from surelearn.learners.mixtures._mixture import Mixture
from surelearn.learners.mixtures._model import refuse_misfits


@at_one_moment
@holds(
    covariance_type_="text",
    means_="finite[components, features]",
    covariances_=np.ndarray,
    record_=Moments,
)
class GaussianMixture(Mixture):
    """A density that is a weighted sum of Gaussians; clusters, anomalies and samples come of it.

    Parameters
    ----------
    n_components
        The number of Gaussians.
    covariance_type
        "full": each has its own matrix; "tied": all share one; "diag": each has a variance for each
        feature; "spherical": each has one variance.
    covariance_floor
        No eigenvalue of a covariance is smaller. Without a floor the likelihood has no maximum: it
        grows without bound as a component closes in on one row. Unlike a number added to the
        variances, a floor leaves EM exact: no iteration lowers the likelihood.
    n_init
        How many times to begin, each time from k-means with new k-means++ seeds; the run that ends
        at the largest likelihood is kept.
    start
        Weights, means and covariances to begin with instead, in the shapes of the attributes: those
        of a fitted mixture, to go on from there. Eigenvalues below the floor are raised to it.
    tol
        Stop when the log-likelihood L gains no more than tol·max(w, |L|) in an iteration, w the
        mean weight of a row: 1 if no weights are given.
    max_iter
        The largest number of iterations from one start.
    random_state
        Where the seeds of k-means and `sample` get their random numbers.

    Attributes
    ----------
    weights_, means_
        The share of each component, and where it lies.
    covariance_type_, covariances_
        The type it was fitted with, and how it spreads: of shape (K, d, d), (d, d), (K, d) or (K,)
        by that type. A component that no row needs any more has weight 0, and the floor as its
        variances.
    log_likelihoods_
        The log-likelihood of the start and after each iteration of the best run; it never falls.
    n_iter_, converged_
        The iterations of the best run, and whether it stopped by itself.
    record_
        The summed statistics of all rows, to which `partial_fit` adds.

    Examples
    --------
    >>> X = [[-2.1], [-1.9], [-2.0], [-1.7], [1.8], [2.2], [2.0], [2.4]]
    >>> model = GaussianMixture(n_components=2, random_state=0).fit(X)
    >>> sorted(model.means_[:, 0].round(3).tolist())
    [-1.925, 2.1]
    >>> bool((np.diff(model.log_likelihoods_) >= 0.0).all())
    True
    """

    def __init__(
        self,
        *,
        n_components: int = 1,
        covariance_type: Literal["full", "tied", "diag", "spherical"] = "full",
        covariance_floor: float = 1e-6,
        n_init: int = 1,
        start: tuple[ArrayLike, ArrayLike, ArrayLike] | None = None,
        tol: float = 1e-6,
        max_iter: int = 200,
        random_state: int | RandomState | None = None,
    ) -> None:
        self.n_components = n_components
        self.covariance_type = covariance_type
        self.covariance_floor = covariance_floor
        self.n_init = n_init
        self.start = start
        self.tol = tol
        self.max_iter = max_iter
        self.random_state = random_state

    def covariance_matrices(self) -> Matrix:
        """Return the covariance of each component as a matrix, whatever its type.

        Examples
        --------
        >>> model = GaussianMixture(covariance_type="spherical").fit([[0.0, 0.0], [2.0, 2.0]])
        >>> model.covariance_matrices()
        array([[[1., 0.],
                [0., 1.]]])
        """
        check_is_fitted(self)
        covariances = self._parameters().covariances
        if covariances.ndim == 3:
            return covariances
        return covariances[:, :, np.newaxis] * np.eye(covariances.shape[1])

    def log_density_bound(self) -> float:
        """Return a number that the log-density of no complete row exceeds.

        All components would have to peak at one point to reach it. It makes the surprise of a row,
        this bound less its log-density, a quantity that is never negative: see the page of this
        learner for what can be certified about it.
        """
        check_is_fitted(self)
        return float(logsumexp(self._parameters().heights))

    def _admit(self, X: Matrix) -> Matrix:
        refuse_huge(X, "features")
        return X

    def _look_at(self, values: NDArray[Any]) -> None:
        refuse_tiny(values, "features")
        self.covariance_type_ = self.covariance_type

    def _model(self) -> GaussianModel:
        if self.covariance_type_ not in SHAPES:
            raise ValueError(
                f"covariance_type={self.covariance_type_!r} must be one of {list(SHAPES)}"
            )
        if not 0.0 <= self.covariance_floor < np.inf:
            raise ValueError(f"covariance_floor={self.covariance_floor!r} must be 0 or more")
        return GaussianModel(self._shape, self.covariance_floor, self.n_features_in_)

    @property
    def _shape(self) -> Covariance:
        """The shape of the covariances, as they were fitted."""
        return SHAPES[self.covariance_type_]

    def _given(self) -> Gaussians:
        weights, means, covariances = self._start_parts("weights", "means", "covariances")
        self._check_start(weights, means, "means")
        given = Gaussians(weights, means, self._shape.read(covariances, *means.shape))
        _ = given.whitenings  # refuses what is no covariance, at whatever floor
        # Below the floor a start may be likelier than all that EM can reach from it.
        return replace(
            given, covariances=self._shape.raised(given.covariances, self.covariance_floor)
        )

    def _check_state(self) -> None:
        super()._check_state()
        if self.covariance_type_ not in SHAPES:
            raise ValueError(f"{self.covariance_type_!r} is no shape of covariances")
        k, d = self.means_.shape
        shapes = {"full": (k, d, d), "tied": (d, d), "diag": (k, d), "spherical": (k,)}
        found, kept = self.covariances_, self.record_.scatters.shape
        if found.shape != shapes[self.covariance_type_] or not np.isfinite(found).all():
            raise ValueError("its covariances are not those of its components and features")
        if kept != ((k, d, d) if self._shape.whole else (k, d)):
            raise ValueError("its moments are not those of its components and features")
        self._model()

    def _rounding(self, variance: float, largest: float) -> float:
        """Allow for what the smallest eigenvalue loses to rounding beside the largest.

        And for means that lie so far from 0 that their last digit is a step in units of the floor.
        """
        smallest = max(self.covariance_floor, np.finfo(np.float64).tiny)
        with np.errstate(over="ignore"):
            lost = np.finfo(np.float64).eps * np.float64(variance) / smallest
            step = np.finfo(np.float64).eps * np.float64(largest) / np.sqrt(smallest)
        return max(1e-9, float(lost), float(step))

    def _store(self, parameters: Gaussians) -> None:
        self.weights_, self.means_ = parameters.weights, parameters.means
        self.covariances_ = self._shape.show(parameters.covariances)

    def _parameters(self) -> Gaussians:
        refuse_misfits(self.weights_, self.means_, self.n_features_in_)
        covariances = self._shape.read(self.covariances_, *self.means_.shape)
        return Gaussians(self.weights_, self.means_, covariances)

    def _n_parameters(self) -> int:
        k, d = self.means_.shape
        return k - 1 + k * d + self._shape.n_parameters(k, d)

    def _draw(self, components: Indices, rng: RandomState) -> Matrix:
        normal = rng.standard_normal((len(components), self.n_features_in_))
        for k, factor in enumerate(np.linalg.cholesky(self.covariance_matrices())):
            normal[components == k] @= factor.T
        return self.means_[components] + normal
