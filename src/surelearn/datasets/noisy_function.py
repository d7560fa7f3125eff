"""A world for regression: a known function, seen through noise of known variance."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from surelearn._typing import Matrix, Vector


@dataclass(frozen=True)
class NoisyFunction:
    """Rows uniform in a cube; targets a known function of them plus independent Gaussian noise.

    Parameters
    ----------
    function
        The expectation of the target, for a table of rows.
    noise
        The standard deviation of the noise.
    n_features, low, high
        The cube the rows are drawn from.

    Examples
    --------
    >>> world = NoisyFunction(lambda X: X[:, 0] ** 2, noise=0.1)
    >>> X, y = world.draw(10_000, seed=0)
    >>> bool(abs(np.var(y - world.mean(X)) - 0.01) < 0.001)
    True
    """

    function: Callable[[Matrix], Vector]
    noise: float
    n_features: int = 1
    low: float = -1.0
    high: float = 1.0

    def __post_init__(self) -> None:
        """Refuse an empty cube and noise that is none."""
        if not self.low < self.high or self.n_features < 1:
            raise ValueError(
                f"rows of {self.n_features} features in [{self.low}, {self.high}] do not exist"
            )
        if not (np.isfinite(self.noise) and self.noise >= 0.0):
            raise ValueError(f"noise={self.noise}: a standard deviation is 0 or more")

    def draw(self, n: int, *, seed: int | np.random.Generator) -> tuple[Matrix, Vector]:
        """Return n rows and their noisy targets."""
        rng = np.random.default_rng(seed)
        X = rng.uniform(self.low, self.high, size=(n, self.n_features))
        return X, self.mean(X) + self.noise * rng.normal(size=n)

    def mean(self, X: Matrix) -> Vector:
        """Return the expectation of the target at each row: the best prediction there is."""
        return np.asarray(self.function(X), dtype=np.float64)

    def noise_variance(self, X: Matrix) -> Vector:
        """Return the variance of the target at each row: what no prediction avoids."""
        return np.full(len(X), self.noise**2)
