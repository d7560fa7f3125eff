"""Four shapes of covariance: how each is solved from moments, shown to users and read from them.

Inside, full and tied covariances are K matrices; diagonal and spherical ones K lines of variances.
"""

from abc import ABC, abstractmethod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from surelearn._typing import Matrix, Vector


class Covariance(ABC):
    """A shape of covariance."""

    whole = True
    """Whether features may vary together: matrices inside, not lines of variances."""

    @abstractmethod
    def solve(self, totals: Vector, scatters: NDArray[Any], floor: float) -> NDArray[Any]:
        """Return the likeliest covariances whose eigenvalues are at least `floor`."""

    @abstractmethod
    def show(self, covariances: NDArray[Any]) -> NDArray[Any]:
        """Return covariances in the form that users know from scikit-learn."""

    @abstractmethod
    def read(self, shown: NDArray[Any], k: int, d: int) -> NDArray[Any]:
        """Return the covariances of k components in d dimensions from that form."""

    @abstractmethod
    def n_parameters(self, k: int, d: int) -> int:
        """Return the number of free parameters."""

    def raised(self, covariances: NDArray[Any], floor: float) -> NDArray[Any]:
        """Return covariances, in the form inside, whose eigenvalues are at least `floor`."""
        if self.whole:
            return np.stack([lift(matrix, floor) for matrix in covariances])
        return np.maximum(covariances, floor)


class Full(Covariance):
    """Each component has its own matrix."""

    def solve(self, totals: Vector, scatters: NDArray[Any], floor: float) -> NDArray[Any]:
        """Divide the scatter of each component by its weight."""
        matrices = scatters / _nonzero(totals)[:, np.newaxis, np.newaxis]
        return np.stack([lift(matrix, floor) for matrix in matrices])

    def show(self, covariances: NDArray[Any]) -> NDArray[Any]:
        """Show them as they are."""
        return covariances

    def read(self, shown: NDArray[Any], k: int, d: int) -> NDArray[Any]:
        """Take them as they are."""
        return _shaped(shown, (k, d, d))

    def n_parameters(self, k: int, d: int) -> int:
        """Count a triangle for each component."""
        return k * d * (d + 1) // 2


class Tied(Covariance):
    """All components share one matrix."""

    def solve(self, totals: Vector, scatters: NDArray[Any], floor: float) -> NDArray[Any]:
        """Divide the scatter of all components by the weight of all rows."""
        matrix = lift(scatters.sum(axis=0) / totals.sum(), floor)
        return np.repeat(matrix[np.newaxis], len(totals), axis=0)

    def show(self, covariances: NDArray[Any]) -> NDArray[Any]:
        """Show the one matrix."""
        return covariances[0]

    def read(self, shown: NDArray[Any], k: int, d: int) -> NDArray[Any]:
        """Give each component the one matrix."""
        return np.repeat(_shaped(shown, (d, d))[np.newaxis], k, axis=0)

    def n_parameters(self, k: int, d: int) -> int:  # noqa: ARG002 - one matrix for all
        """Count one triangle."""
        return d * (d + 1) // 2


class Diagonal(Covariance):
    """Each component has a variance for each feature."""

    whole = False

    def solve(self, totals: Vector, scatters: NDArray[Any], floor: float) -> NDArray[Any]:
        """Divide the squares of each component by its weight."""
        return np.maximum(scatters / _nonzero(totals)[:, np.newaxis], floor)

    def show(self, covariances: NDArray[Any]) -> NDArray[Any]:
        """Show the variances."""
        return covariances

    def read(self, shown: NDArray[Any], k: int, d: int) -> NDArray[Any]:
        """Take the variances."""
        return _shaped(shown, (k, d))

    def n_parameters(self, k: int, d: int) -> int:
        """Count a variance for each component and feature."""
        return k * d


class Spherical(Covariance):
    """Each component has one variance for all features."""

    whole = False

    def solve(self, totals: Vector, scatters: NDArray[Any], floor: float) -> NDArray[Any]:
        """Average the squares of each component over the features."""
        variances = np.maximum(scatters.mean(axis=1) / _nonzero(totals), floor)
        return np.repeat(variances[:, np.newaxis], scatters.shape[1], axis=1)

    def show(self, covariances: NDArray[Any]) -> NDArray[Any]:
        """Show one variance for each component."""
        return covariances[:, 0].copy()

    def read(self, shown: NDArray[Any], k: int, d: int) -> NDArray[Any]:
        """Give each feature the variance of its component."""
        return np.repeat(_shaped(shown, (k,))[:, np.newaxis], d, axis=1)

    def n_parameters(self, k: int, d: int) -> int:  # noqa: ARG002 - one for all features
        """Count a variance for each component."""
        return k


SHAPES: dict[str, Covariance] = {
    "full": Full(),
    "tied": Tied(),
    "diag": Diagonal(),
    "spherical": Spherical(),
}
"""The shapes by the names that scikit-learn gives them."""


def lift(covariance: Matrix, floor: float) -> Matrix:
    """Return the likeliest covariance with no eigenvalue below `floor`, given the likeliest of all.

    That is the one with smaller eigenvalues raised to the floor: -ln det Σ - tr(Σ⁻¹S) is largest
    where Σ has the eigenvectors of S, and falls on either side of each eigenvalue of S. Cholesky
    tells whether there is anything to raise: unlike eigenvalues it does not mind the scales of the
    features.

    Examples
    --------
    >>> lift(np.array([[2.0, 0.0], [0.0, 0.0]]), 0.5)
    array([[2. , 0. ],
           [0. , 0.5]])
    """
    try:
        np.linalg.cholesky(covariance - floor * np.eye(len(covariance)))
    except np.linalg.LinAlgError:
        values, vectors = np.linalg.eigh(covariance)
        return (vectors * np.maximum(values, floor)) @ vectors.T
    return covariance


def _nonzero(totals: Vector) -> Vector:
    """Return the weights, 1 for a component without rows: its scatter of 0 is divided by it."""
    return np.where(totals > 0.0, totals, 1.0)


def _shaped(shown: NDArray[Any], shape: tuple[int, ...]) -> NDArray[Any]:
    if shown.shape != shape:
        raise ValueError(f"the covariances of start have shape {shown.shape}; give {shape}")
    return shown
