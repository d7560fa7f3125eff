"""The model behind a mixture: its E-step, and where to begin."""

import warnings
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from functools import reduce
from operator import add
from typing import Any

import numpy as np
from numpy.random import RandomState
from sklearn.cluster import KMeans
from sklearn.exceptions import ConvergenceWarning

from surelearn import _arguments
from surelearn._typing import Mask, Matrix, Vector
from surelearn.base.tables.table import column_names
from surelearn.learners.mixtures.expectation_maximization import Expectation

CHUNK = 8192
"""The rows of a chunk: enough to hide the interpreter, few enough to stay in the cache."""

_LEAST = -600.0  # ln of a share of a row that counts as none


@dataclass(frozen=True)
class Chunk:
    """Some rows of a table in the form their model reads, and how often each counts."""

    rows: Any
    data: Any
    weights: Vector


def refuse_misfits(weights: Any, places: Any, n_features: int) -> None:
    """Refuse parameters of other shapes than `fit` gives them, as someone may have set them.

    Examples
    --------
    >>> refuse_misfits(np.full(2, 0.5), np.zeros((3, 1)), 1)
    Traceback (most recent call last):
    ValueError: its weights and components do not belong together: they were changed after fit. Fit
    it again
    """
    numbers = all(
        isinstance(part, np.ndarray) and part.dtype.kind in "iuf" for part in (weights, places)
    )
    if not numbers or weights.ndim != 1 or places.shape != (len(weights), n_features):
        raise ValueError(
            "its weights and components do not belong together: they were changed after fit. Fit "
            "it again"
        )


def check_settings(learner: Any, n_rows: int, empty: Mask) -> None:
    """Refuse settings that mean nothing, too few rows, and columns without a value."""
    for name in ("n_components", "n_init", "max_iter"):
        _arguments.at_least_one(name, getattr(learner, name))
    if not learner.tol >= 0.0:
        raise ValueError(f"tol={learner.tol!r} must be 0 or more")
    if n_rows < learner.n_components:
        raise ValueError(
            f"{learner.n_components} components need as many rows, and X has n_samples = "
            f"{n_rows}: ask for fewer components, or give more rows"
        )
    if empty.any():
        name = column_names(learner)[int(empty.argmax())]
        raise ValueError(f"column {name!r} has no value in any row; leave it out")


class MixtureModel(ABC):
    """The E-step of every mixture; a model adds its densities, its statistics and its M-step."""

    concurrent = False
    """Whether chunks are worth a thread each: not where BLAS uses all cores by itself."""

    @abstractmethod
    def chunks(self, X: Matrix, weights: Vector) -> list[Chunk]:
        """Cut rows into chunks, in the form that suits the loops over them."""

    @abstractmethod
    def log_joint(self, parameters: Any, chunk: Chunk) -> Matrix:
        """Return ln of weight times density, one line per component, one column per row."""

    @abstractmethod
    def statistics(self, parameters: Any, chunk: Chunk, shares: Matrix) -> Any:
        """Return the sums over the rows, each counted `shares[k]` times for component k."""

    @abstractmethod
    def m_step(self, statistics: Any) -> Any:
        """Return the most likely parameters."""

    @abstractmethod
    def seed(self, centres: Matrix, X: Matrix) -> Any:
        """Return parameters around some centres, good enough to fill in what is missing."""

    def e_step(self, parameters: Any, chunk: Chunk) -> Expectation:
        """Share each row out among the components, and sum."""
        shares = self.log_joint(parameters, chunk)
        evidence = normalise(shares)
        shares *= chunk.weights
        log_likelihood = float(chunk.weights @ evidence)
        return Expectation(log_likelihood, self.statistics(parameters, chunk, shares))


def normalise(logs: Matrix) -> Vector:
    """Turn each column of logarithms into shares of sum 1, in place; return ln of its sum.

    Examples
    --------
    >>> logs = np.log([[1.0, 3.0], [3.0, 1.0]]) - 1000.0
    >>> normalise(logs).round(3), logs
    (array([-998.614, -998.614]), array([[0.25, 0.75],
           [0.75, 0.25]]))
    """
    largest = logs.max(axis=0)
    logs -= largest
    np.maximum(logs, _LEAST, out=logs)  # denormal shares would slow every product
    np.exp(logs, out=logs)
    logs -= 1.001 * np.exp(_LEAST)  # the least become 0, the others do not notice
    np.maximum(logs, 0.0, out=logs)
    total = logs.sum(axis=0)
    logs /= total
    return largest + np.log(total)


def filled(X: Matrix, weights: Vector) -> Matrix:
    """Return the rows with the mean of its column in place of a missing value."""
    if not np.isnan(X).any():
        return X
    known = ~np.isnan(X)
    means = weights @ np.where(known, X, 0.0) / (weights @ known)
    return np.where(known, X, means)


def largest_variance(X: Matrix) -> float:
    """Return the largest variance of a column, of the values it has.

    Examples
    --------
    >>> largest_variance(np.array([[0.0, 1.0], [2.0, np.nan]]))
    1.0
    """
    with np.errstate(over="ignore"):
        return float(np.nanvar(X, axis=0).max())


def clusters(X: Matrix, weights: Vector, n_clusters: int, rng: RandomState) -> tuple[Any, Matrix]:
    """Return the cluster of each row, and their centres, by k-means from k-means++ seeds."""
    with warnings.catch_warnings():  # fewer distinct rows than clusters: some remain empty
        warnings.simplefilter("ignore", ConvergenceWarning)
        k_means: Any = KMeans(int(n_clusters), random_state=rng).set_params(n_init=1)
        found = k_means.fit(X, sample_weight=weights / weights.max())  # it adds up tiny ones badly
    return found.labels_, found.cluster_centers_


def of_clusters(model: MixtureModel, seed: Any, chunks: Sequence[Chunk], members: Matrix) -> Any:
    """Return the parameters of components that share no row."""

    def sums(chunk: Chunk) -> Any:
        return model.statistics(seed, chunk, members[chunk.rows].T * chunk.weights)

    return model.m_step(reduce(add, map(sums, chunks)))
