"""Gaussian components: their densities, their moments, what they expect of missing values."""

from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from surelearn._stored import holds, stored
from surelearn._typing import Mask, Matrix, Vector
from surelearn.learners.mixtures import _loops
from surelearn.learners.mixtures._covariances import Covariance
from surelearn.learners.mixtures._model import CHUNK, Chunk, MixtureModel

_TILE = 512  # rows the compiled loops visit at a time
_NARROW = 40  # features up to which the compiled loops beat matrix products


@dataclass(frozen=True)
class Gaussians:
    """The parameters: K weights, K means, and K covariance matrices or lines of variances."""

    weights: Vector
    means: Matrix
    covariances: NDArray[Any]

    @cached_property
    def whitenings(self) -> NDArray[Any]:
        """W with WᵀW = Σ⁻¹, lower triangular, as bands: see `_loops`."""
        if self.covariances.ndim == 2:
            if not (self.covariances > 0.0).all():
                raise ValueError(_SINGULAR)
            return 1.0 / np.sqrt(self.covariances)[:, :, np.newaxis]
        try:
            factors = np.linalg.cholesky(self.covariances)
        except np.linalg.LinAlgError as error:
            raise ValueError(_SINGULAR) from error
        whitenings = np.zeros_like(factors)
        _loops.invert(factors, whitenings)
        return whitenings

    @cached_property
    def heights(self) -> Vector:
        """The logarithm of weight times density at the mean, of each component."""
        width, d = self.whitenings.shape[2], self.means.shape[1]
        diagonals = np.minimum(np.arange(d), width - 1)
        logs = np.log(self.whitenings[:, np.arange(d), diagonals]).sum(axis=1)
        with np.errstate(divide="ignore"):  # a component of weight 0 has height -inf
            return np.log(self.weights) + logs - 0.5 * d * np.log(2.0 * np.pi)

    def of(self, places: Mask) -> "Gaussians":
        """Return the components of some of the features."""
        covariances = self.covariances[:, places]
        if covariances.ndim == 3:
            covariances = covariances[:, :, places]
        return Gaussians(self.weights, self.means[:, places], covariances)


_SINGULAR = (
    "a covariance is singular: a component has shrunk to fewer dimensions, or features differ in "
    "scale by more than numbers hold. Raise covariance_floor, or rescale the features"
)


@stored("mixture-moments")
@holds(
    totals="finite[components]",
    means="finite[components, features]",
    scatters="anything",
)
@dataclass(frozen=True)
class Moments:
    """The moments of each component's share of some rows; the sum of two holds those of all rows.

    `totals` are sums of shares; `scatters` sums of (x - mean)(x - mean)ᵀ, or of its diagonal.
    """

    totals: Vector
    means: Matrix
    scatters: NDArray[Any]

    def __add__(self, other: "Moments") -> "Moments":
        """Return the moments of all rows, component by component (Chan and others, 1983)."""
        totals = self.totals + other.totals
        fractions = _quotients(other.totals, totals)
        steps = other.means - self.means
        between = _products(steps, self.totals * fractions, self.scatters.ndim)
        return Moments(
            totals,
            self.means + fractions[:, np.newaxis] * steps,
            self.scatters + other.scatters + between,
        )

    def _check_state(self) -> None:
        k, d = self.means.shape
        if self.scatters.shape not in {(k, d), (k, d, d)} or self.scatters.dtype != np.float64:
            raise ValueError("its scatters are not those of its components and features")


class Columns(NamedTuple):
    """Rows that have values in the same places: those places, and one line for each of them."""

    known: Mask
    values: Matrix


class GaussianModel(MixtureModel):
    """A mixture of Gaussians whose covariances have a shape and a floor."""

    def __init__(self, shape: Covariance, floor: float, n_features: int) -> None:
        self.shape, self.floor = shape, floor
        self.compiled = n_features <= _NARROW or not shape.whole
        self.concurrent = self.compiled

    def chunks(self, X: Matrix, weights: Vector) -> list[Chunk]:
        """Cut the rows into chunks that miss the same values, and turn them on their side."""
        known = ~np.isnan(X)
        patterns, groups = known[:1], [np.arange(len(X))]
        if not known.all():
            patterns, place, counts = np.unique(
                known, axis=0, return_inverse=True, return_counts=True
            )
            groups = np.split(np.argsort(place, kind="stable"), np.cumsum(counts)[:-1])
        return [
            Chunk(rows, Columns(pattern, np.ascontiguousarray(X[rows].T[pattern])), weights[rows])
            for pattern, group in zip(patterns, groups, strict=True)
            for rows in np.array_split(group, -(-len(group) // CHUNK))
        ]

    def log_joint(self, parameters: Gaussians, chunk: Chunk) -> Matrix:
        """Measure each row by the components of the features it has."""
        columns: Columns = chunk.data
        part = parameters if columns.known.all() else parameters.of(columns.known)
        out = np.empty((len(part.weights), columns.values.shape[1]))
        if self.compiled:
            _loops.log_densities(
                columns.values, part.means, part.whitenings, part.heights, np.empty(_TILE), out
            )
            return out
        for k, mean in enumerate(part.means):
            z = part.whitenings[k] @ (columns.values - mean[:, np.newaxis])
            out[k] = part.heights[k] - 0.5 * np.einsum("ai,ai->i", z, z)
        return out

    def statistics(self, parameters: Gaussians, chunk: Chunk, shares: Matrix) -> Moments:
        """Return the moments of the rows, with what is missing replaced by its expectation."""
        columns: Columns = chunk.data
        if columns.known.all():
            return self._moments(columns.values, parameters.means, shares)
        part = self._moments(columns.values, parameters.means[:, columns.known], shares)
        return completed(parameters, columns.known, part)

    def m_step(self, statistics: Moments) -> Gaussians:
        """Divide the moments by their weights."""
        totals = statistics.totals
        covariances = self.shape.solve(totals, statistics.scatters, self.floor)
        return Gaussians(totals / totals.sum(), statistics.means, covariances)

    def seed(self, centres: Matrix, X: Matrix) -> Gaussians:
        """Give every component the variances of all the rows."""
        k = len(centres)
        variances = np.nanvar(X, axis=0)
        variances = np.where(variances > 0.0, variances, 1.0)
        one = np.diag(variances) if self.shape.whole else variances
        return Gaussians(np.full(k, 1.0 / k), centres, np.repeat(one[np.newaxis], k, axis=0))

    def _moments(self, values: Matrix, means: Matrix, shares: Matrix) -> Moments:
        k, d = means.shape
        firsts = np.zeros((k, d))
        seconds = np.zeros((k, d, d if self.shape.whole else 1))
        if self.compiled:
            _loops.moments(values, means, shares, np.empty(_TILE), firsts, seconds)
        else:
            for i, (mean, share) in enumerate(zip(means, shares, strict=True)):
                differences = values - mean[:, np.newaxis]
                firsts[i] = differences @ share
                seconds[i] = (differences * share) @ differences.T
        totals = shares.sum(axis=1)
        steps = firsts * _quotients(np.ones(k), totals)[:, np.newaxis]
        if self.shape.whole:
            scatters = np.tril(seconds) + np.tril(seconds, -1).mT
        else:
            scatters = seconds[:, :, 0]
        return Moments(totals, means + steps, scatters - _products(steps, totals, scatters.ndim))


def completed(parameters: Gaussians, known: Mask, part: Moments) -> Moments:
    """Return the expected moments of all features, given those of the features that are known.

    A missing value is expected on the regression of its feature on the known ones; its square is
    larger than the square of that by the variance that remains.
    """
    means = parameters.means.copy()
    means[:, known] = part.means
    covariances, totals = parameters.covariances, part.totals
    if covariances.ndim == 2:
        scatters = totals[:, np.newaxis] * covariances
        scatters[:, known] = part.scatters
        return Moments(totals, means, scatters)
    lines, gone = covariances[:, :, known], ~known
    regressions = np.linalg.solve(lines[:, known], lines.mT).mT  # the identity, where known
    steps = part.means - parameters.means[:, known]
    means[:, gone] += (regressions[:, gone] @ steps[:, :, np.newaxis])[:, :, 0]
    remaining = covariances - regressions @ lines.mT
    remaining[:, known] = remaining[:, :, known] = 0.0
    scatters = regressions @ part.scatters @ regressions.mT
    return Moments(totals, means, scatters + totals[:, np.newaxis, np.newaxis] * remaining)


def _quotients(numerators: Vector, totals: Vector) -> Vector:
    """Return numerators divided by totals, 0 for a component without rows."""
    return np.divide(numerators, totals, out=np.zeros_like(totals), where=totals > 0.0)


def _products(steps: Matrix, weights: Vector, ndim: int) -> NDArray[Any]:
    """Return the weighted outer product of each line with itself, or only its diagonal."""
    weighted = weights[:, np.newaxis] * steps
    if ndim == 2:
        return weighted * steps
    return weighted[:, :, np.newaxis] * steps[:, np.newaxis, :]
