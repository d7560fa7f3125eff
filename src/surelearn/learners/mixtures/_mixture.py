"""What mixtures of all kinds do alike: find their components by EM, and tell rows apart by them.

p(x) = Σ_k w_k p_k(x),       P(k | x) = w_k p_k(x) / p(x)
"""

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from copy import copy
from typing import Any, Self

import joblib
import numpy as np
from numpy.random import RandomState
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, DensityMixin
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import Tags, check_random_state
from sklearn.utils.validation import check_is_fitted

from surelearn import _arguments
from surelearn._jit.sound_matrices import sound
from surelearn._locks import in_turn
from surelearn._stored import holds
from surelearn._threads import workers
from surelearn._typing import ArrayLike, Indices, Matrix, Vector
from surelearn.base import validation
from surelearn.base.fitting import adopt, at_one_moment, fresh_copy, warn
from surelearn.base.parted import PartedTable, refuse_targets
from surelearn.learners.mixtures._model import (
    CHUNK,
    Chunk,
    MixtureModel,
    check_settings,
    clusters,
    filled,
    largest_variance,
    normalise,
    of_clusters,
)
from surelearn.learners.mixtures._parted_mixture import climb_parts
from surelearn.learners.mixtures.expectation_maximization import Run, expect, maximise


@at_one_moment
@holds(
    n_features_in_="count",
    weights_="finite[components]",
    record_="anything",
    log_likelihoods_="float[iterations]",
    n_iter_="count",
    converged_="flag",
)
class Mixture(DensityMixin, BaseEstimator, ABC):
    """A density that is a weighted sum of simple ones, found by expectation maximisation."""

    n_components: int
    n_init: int
    start: Any
    tol: float
    max_iter: int
    random_state: Any
    n_features_in_: int
    weights_: Vector

    def fit(
        self,
        X: Any,
        y: Any = None,
        sample_weight: ArrayLike | None = None,
    ) -> Self:
        """Find the components of these rows.

        Parameters
        ----------
        X
            The rows; NaN marks a missing value. Or the parts of a table, each iteration a pass over
            all of them: see `surelearn.scale.parts`.
        y
            Ignored.
        sample_weight
            How often each row counts; once, if left out.
        """
        fresh = fresh_copy(self)
        if isinstance(X, PartedTable):
            refuse_targets(y, sample_weight)
            fresh._keep(climb_parts(fresh, X))  # noqa: SLF001 - our own copy
            return adopt(self, fresh)
        fresh._climb(*fresh._enter(X, sample_weight, reset=True))  # noqa: SLF001
        return adopt(self, fresh)

    @in_turn
    def partial_fit(self, X: Any, y: Any = None, sample_weight: ArrayLike | None = None) -> Self:
        """Share these rows out by the present components, add their sums, and solve once.

        The first call is a `fit`. Each later one is one E-step on the new rows and one M-step on
        the sums of all rows so far: a row counts with the shares it had when it came (incremental
        EM, Neal and Hinton, 1998). `log_likelihoods_`, `converged_` and `n_iter_` remain those of
        the first call.
        """
        fresh = copy(self)
        if not hasattr(fresh, "record_"):
            return self.fit(X, y, sample_weight)
        rows, weights = fresh._enter(X, sample_weight, reset=False)  # noqa: SLF001 - our own copy
        model, before = fresh._model(), fresh._parameters()  # noqa: SLF001
        expected = expect(model, before, model.chunks(rows, weights))
        fresh.record_ = fresh.record_ + expected.statistics
        fresh._store(model.m_step(fresh.record_))  # noqa: SLF001
        return adopt(self, fresh)

    def fit_predict(self, X: Any, y: Any = None, sample_weight: ArrayLike | None = None) -> Indices:
        """Find the components of these rows, and return the likeliest one of each row."""
        return self.fit(X, y, sample_weight).predict(X)

    def score_samples(self, X: Any) -> Vector:
        """Return the log-density of each row, of the values it has."""
        return normalise(self._log_joint(X))

    def score(self, X: Any, y: Any = None) -> Any:  # noqa: ARG002 - scikit-learn's signature
        """Return the mean log-density of the rows."""
        return float(self.score_samples(X).mean())

    def predict_proba(self, X: Any) -> Matrix:
        """Return the probability of each component, given the row."""
        shares = self._log_joint(X)
        normalise(shares)
        return np.ascontiguousarray(shares.T)

    def predict(self, X: Any) -> Indices:
        """Return the likeliest component of each row."""
        return self._log_joint(X).argmax(axis=0)

    def bic(self, X: Matrix) -> float:
        """Return Schwarz's criterion on these rows: -2L + p·ln n; the smaller the better."""
        log_densities = self.score_samples(X)
        penalty = self._n_parameters() * np.log(len(log_densities))
        return float(-2.0 * log_densities.sum() + penalty)

    def aic(self, X: Matrix) -> float:
        """Return Akaike's criterion on these rows: -2L + 2p; the smaller the better."""
        return float(-2.0 * self.score_samples(X).sum() + 2.0 * self._n_parameters())

    def sample(self, n_samples: int = 1) -> tuple[Matrix, Indices]:
        """Draw rows from the mixture; return them, and the component of each.

        Parameters
        ----------
        n_samples
            How many rows; they come component by component.
        """
        check_is_fitted(self)
        _arguments.at_least_one("n_samples", n_samples)
        self._parameters()  # refuses what does not belong together
        rng: RandomState = check_random_state(self.random_state)
        components = np.sort(rng.choice(len(self.weights_), n_samples, p=self.weights_))
        return self._draw(components, rng), components

    def __sklearn_tags__(self) -> Tags:
        """Tell scikit-learn that values may be missing."""
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        return tags

    @abstractmethod
    def _admit(self, X: Matrix) -> Matrix:
        """Return checked numbers if this model can read them."""

    @abstractmethod
    def _model(self) -> MixtureModel:
        """Return the model with the learner's settings."""

    @abstractmethod
    def _given(self) -> Any:
        """Return the parameters that `start` gives, checked."""

    @abstractmethod
    def _store(self, parameters: Any) -> None:
        """Keep parameters as fitted attributes."""

    @abstractmethod
    def _parameters(self) -> Any:
        """Return the parameters that the fitted attributes hold."""

    @abstractmethod
    def _n_parameters(self) -> int:
        """Return the number of free parameters."""

    @abstractmethod
    def _draw(self, components: Indices, rng: RandomState) -> Matrix:
        """Draw one row of each of these components."""

    def _start_parts(self, *names: str) -> list[Any]:
        """Return the arrays that `start` consists of."""
        if not (isinstance(self.start, Sequence) and len(self.start) == len(names)):
            raise ValueError(f"start must be the tuple ({', '.join(names)})")
        return [_arguments.numbers("start", part).copy() for part in self.start]

    def _check_start(self, weights: Vector, lines: Matrix, name: str) -> None:
        """Refuse a start whose weights are none, or whose lines do not fit the rows."""
        shape = (self.n_components, self.n_features_in_)
        if weights.shape != shape[:1] or lines.shape != shape:
            raise ValueError(
                f"start has weights of shape {weights.shape} and {name} of shape {lines.shape}; "
                f"give {shape[:1]} and {shape}"
            )
        if not ((weights >= 0.0).all() and np.isclose(weights.sum(), 1.0)):
            raise ValueError("the weights of start must be 0 or more, and add up to 1")

    def _check_state(self) -> None:
        if not len(self.weights_) or not (self.weights_ >= 0.0).all():
            raise ValueError("its weights are negative, or there are none")
        if not np.isclose(self.weights_.sum(), 1.0):
            raise ValueError("its weights do not add up to 1")

    def _look_at(self, values: NDArray[Any]) -> None:
        """Look at all values, or the largest of them, before the first step."""

    def _rounding(self, variance: float, largest: float) -> float:  # noqa: ARG002 - some look
        """Return the share of a log-likelihood that rounding may cost.

        By the largest variance of a column and the size of the largest value.
        """
        return 1e-9

    def _enter(
        self, X: Any, sample_weight: ArrayLike | None, *, reset: bool, whole: bool = True
    ) -> tuple[Matrix, Vector]:
        """Check rows and weights; return those that count."""
        X = self._read(X, reset=reset)
        weights = validation.sample_weights(sample_weight, len(X), whole=whole)
        weights = validation.heavy_enough(weights)
        counting = weights > 0.0
        return (X, weights) if counting.all() else (X[counting], weights[counting])

    def _read(self, X: Any, *, reset: bool) -> Matrix:
        """Return the rows as numbers, NaN where a value is missing; refuse an empty row."""
        X = validation.validated(
            self, sound(X), reset=reset, dtype=np.float64, ensure_all_finite="allow-nan"
        )
        empty = np.flatnonzero(np.isnan(X).all(axis=1))
        if len(empty):
            raise ValueError(f"row {empty[0]} has no value at all; leave such rows out")
        return self._admit(X)

    def _climb(self, X: Matrix, weights: Vector) -> None:
        """Find the components of checked rows, and keep them."""
        self._look_at(X)
        check_settings(self, len(X), np.asarray(np.isnan(X).all(axis=0)))
        model = self._model()
        chunks = model.chunks(X, weights)
        concurrent = model.concurrent and len(X) > CHUNK
        with workers(joblib.cpu_count() if concurrent else 1) as crew:
            run = maximise(
                model,
                chunks,
                self._starts(model, chunks, X, weights),
                max_iter=self.max_iter,
                tol=self.tol,
                rounding=self._rounding(largest_variance(X), float(np.nanmax(np.abs(X)))),
                unit=float(weights.mean()),
                mapper=map if crew.pool is None else crew.map,
            )
        self._keep(run)

    def _starts(
        self, model: MixtureModel, chunks: Sequence[Chunk], X: Matrix, weights: Vector
    ) -> Iterator[Any]:
        """Yield the given start, or the clusters of k-means from k-means++ seeds."""
        if self.start is not None:
            yield self._given()
            return
        rng, rows = check_random_state(self.random_state), filled(X, weights)
        for _ in range(self.n_init):
            labels, centres = clusters(rows, weights, self.n_components, rng)
            yield of_clusters(model, model.seed(centres, X), chunks, np.eye(len(centres))[labels])

    def _keep(self, run: Run) -> None:
        self._store(run.parameters)
        self.record_ = run.statistics
        self.log_likelihoods_ = run.log_likelihoods
        self.n_iter_, self.converged_ = len(run.log_likelihoods) - 1, run.converged
        if not run.converged:
            warn(
                f"EM did not converge in max_iter={self.max_iter} iterations: the last one gained "
                f"{np.diff(run.log_likelihoods)[-1]:.3g}. Allow more, or a larger tol",
                ConvergenceWarning,
            )

    def _log_joint(self, X: Any) -> Matrix:
        """Return ln of weight times density, one line per component, one column per row."""
        check_is_fitted(self)
        X = self._read(X, reset=False)
        model, parameters = self._model(), self._parameters()
        out = np.empty((len(self.weights_), len(X)))
        for chunk in model.chunks(X, np.ones(len(X))):
            out[:, chunk.rows] = model.log_joint(parameters, chunk)
        return out
