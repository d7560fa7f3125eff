"""Worlds with known truth: the margin, the Bayes risk or the drift is what the world says it is.

A world is a frozen recipe; `draw(n, seed=...)` makes data from it. Theorems are tried in worlds
that meet their assumptions and in worlds that break them.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from surelearn._typing import Matrix, Vector


def _generator(seed: int | np.random.Generator) -> np.random.Generator:
    return np.random.default_rng(seed)


@dataclass(frozen=True)
class Separable:
    """Unit-norm rows that a hidden unit vector separates by at least `margin`, exactly realised.

    Labels are the signs -1.0 and 1.0; the separation is through the origin.

    Examples
    --------
    >>> world = Separable(n_features=3, margin=0.2)
    >>> X, signs = world.draw(500, seed=0)
    >>> margins = signs * (X @ world.direction)
    >>> bool(margins.min() >= 0.2), bool(np.allclose(np.linalg.norm(X, axis=1), 1.0))
    (True, True)
    """

    n_features: int
    margin: float

    def __post_init__(self) -> None:
        """Refuse a margin that unit vectors cannot have."""
        if self.n_features < 2:
            raise ValueError(f"n_features={self.n_features}: a world needs at least 2 features")
        if not 0.0 < self.margin < 1.0:
            raise ValueError(f"margin={self.margin}: unit vectors have margins in (0, 1)")

    @property
    def direction(self) -> Vector:
        """The hidden separator, a unit vector."""
        return np.full(self.n_features, 1.0 / np.sqrt(self.n_features))

    def draw(self, n: int, *, seed: int | np.random.Generator) -> tuple[Matrix, Vector]:
        """Return n rows and their signs."""
        rng = _generator(seed)
        signs = rng.choice([-1.0, 1.0], size=n)
        along = rng.uniform(self.margin * (1.0 + 1e-12), 1.0, size=n)
        across = rng.normal(size=(n, self.n_features))
        across -= np.outer(across @ self.direction, self.direction)
        across /= np.linalg.norm(across, axis=1, keepdims=True)
        X = np.outer(along, self.direction) + np.sqrt(1.0 - along**2)[:, np.newaxis] * across
        return signs[:, np.newaxis] * X, signs


@dataclass(frozen=True)
class Noisy:
    """A linear rule whose labels are flipped with a fixed probability: the Bayes risk is known.

    Examples
    --------
    >>> world = Noisy(n_features=2, bayes_risk=0.1)
    >>> X, signs = world.draw(20_000, seed=0)
    >>> bool(abs(np.mean(np.sign(X @ world.direction) != signs) - 0.1) < 0.01)
    True
    """

    n_features: int
    bayes_risk: float

    def __post_init__(self) -> None:
        """Refuse a Bayes risk above one half."""
        if not 0.0 <= self.bayes_risk <= 0.5:
            raise ValueError(f"bayes_risk={self.bayes_risk}: a Bayes risk lies in [0, 0.5]")

    @property
    def direction(self) -> Vector:
        """The hidden rule predicts the sign of the inner product with this unit vector."""
        return np.full(self.n_features, 1.0 / np.sqrt(self.n_features))

    def draw(self, n: int, *, seed: int | np.random.Generator) -> tuple[Matrix, Vector]:
        """Return n standard normal rows and their noisy signs."""
        rng = _generator(seed)
        X = rng.normal(size=(n, self.n_features))
        flips = np.where(rng.random(n) < self.bayes_risk, -1.0, 1.0)
        return X, np.where(X @ self.direction > 0.0, 1.0, -1.0) * flips

    def risk(self, weights: Vector) -> float:
        """Return the exact risk of predicting the sign of the inner product with `weights`."""
        cosine = float(weights @ self.direction) / float(np.linalg.norm(weights))
        disagreement = float(np.arccos(np.clip(cosine, -1.0, 1.0))) / np.pi
        return self.bayes_risk + (1.0 - 2.0 * self.bayes_risk) * disagreement


@dataclass(frozen=True)
class Drifting:
    """A stream whose error probability moves from `start` to `end`: nothing here is i.i.d.

    Examples
    --------
    >>> world = Drifting(start=0.0, end=0.5)
    >>> losses = world.draw(1000, seed=0)
    >>> bool(losses[:100].mean() < 0.1), bool(losses[-100:].mean() > 0.3)
    (True, True)
    """

    start: float
    end: float

    def risks(self, n: int) -> Vector:
        """Return the probability of a loss of 1 in each of n rounds."""
        return np.linspace(self.start, self.end, n)

    def draw(self, n: int, *, seed: int | np.random.Generator) -> Vector:
        """Return n losses, 0.0 or 1.0."""
        return (_generator(seed).random(n) < self.risks(n)).astype(np.float64)


@dataclass(frozen=True)
class FiniteTable:
    """A finite domain with known probabilities: every risk is exact.

    Parameters
    ----------
    probabilities
        The probability of each point of the domain.
    positive
        The probability of label 1 at each point.

    Examples
    --------
    >>> world = FiniteTable(probabilities=(1 / 3, 1 / 3, 1 / 3), positive=(0.1, 0.9, 0.2))
    >>> round(world.bayes_risk, 6), round(world.risk(np.array([0, 1, 1])), 6)
    (0.133333, 0.333333)
    """

    probabilities: tuple[float, ...]
    positive: tuple[float, ...]

    def __post_init__(self) -> None:
        """Refuse a table that is not a distribution."""
        if abs(sum(self.probabilities) - 1.0) > 1e-9 or min(self.probabilities) < 0.0:
            raise ValueError(f"probabilities={self.probabilities} must be >= 0 and sum to 1")
        if len(self.positive) != len(self.probabilities):
            raise ValueError("give one probability of label 1 for each point")

    @property
    def bayes_risk(self) -> float:
        """The smallest risk of any rule."""
        positive = np.asarray(self.positive)
        return float(np.asarray(self.probabilities) @ np.minimum(positive, 1.0 - positive))

    def risk(self, labels: NDArray[Any]) -> float:
        """Return the exact risk of the rule that gives each point its entry of `labels`."""
        positive = np.asarray(self.positive)
        wrong = np.where(np.asarray(labels) == 1, 1.0 - positive, positive)
        return float(np.asarray(self.probabilities) @ wrong)

    def draw(self, n: int, *, seed: int | np.random.Generator) -> tuple[Any, Any]:
        """Return n points of the domain, as indices, and their labels 0 and 1."""
        rng = _generator(seed)
        points = rng.choice(len(self.probabilities), size=n, p=self.probabilities)
        return points, (rng.random(n) < np.asarray(self.positive)[points]).astype(np.int64)


@dataclass(frozen=True)
class BooleanConcept:
    """Random bit vectors labelled by a Boolean function, each label wrong with a fixed probability.

    Examples
    --------
    >>> either = BooleanConcept(n_variables=4, concept=lambda X: X[:, 0] | X[:, 2])
    >>> X, y = either.draw(5, seed=0)
    >>> bool(np.array_equal(y, X[:, 0] | X[:, 2]))
    True
    """

    n_variables: int
    concept: Callable[[NDArray[np.int64]], NDArray[np.int64]]
    noise: float = 0.0
    density: float = 0.5

    def draw(
        self, n: int, *, seed: int | np.random.Generator
    ) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Return n rows of bits and their labels 0 and 1."""
        rng = _generator(seed)
        X = (rng.random((n, self.n_variables)) < self.density).astype(np.int64)
        flips = (rng.random(n) < self.noise).astype(np.int64)
        return X, np.asarray(self.concept(X), dtype=np.int64) ^ flips


def monotone_disjunction(
    n_variables: int, relevant: tuple[int, ...], *, noise: float = 0.0
) -> BooleanConcept:
    """Return the world whose label is the OR of the relevant variables.

    Examples
    --------
    >>> X, y = monotone_disjunction(6, (1, 4)).draw(100, seed=0)
    >>> bool(np.array_equal(y, X[:, 1] | X[:, 4]))
    True
    """
    columns = list(relevant)
    # Each variable is on rarely enough that both labels occur about equally often.
    density = 1.0 - 0.5 ** (1.0 / max(1, len(columns)))
    return BooleanConcept(n_variables, lambda X: X[:, columns].max(axis=1), noise, density)
