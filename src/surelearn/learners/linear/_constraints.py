"""What a maximum entropy model must agree with the data on, in memory or in parts."""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse, special

from surelearn._typing import Matrix, Vector


@dataclass(frozen=True, eq=False)
class Constraints:
    """What was observed: distinct rows, how often each, with which labels, and their features.

    Parameters
    ----------
    features
        f_i(x, y) for each distinct row, label and i.
    rows
        P̃(x), the share of each distinct row.
    observed
        E_P̃ f_i, the mean of each feature in the data.
    """

    features: NDArray[np.float64]
    rows: Vector
    observed: Vector

    @property
    def sizes(self) -> Vector:
        """The largest absolute value of each feature, 1 where that is 0."""
        largest = np.abs(self.features).max(axis=(0, 1))
        return np.where(largest > 0.0, largest, 1.0)

    def log_probabilities(self, weights: Vector) -> Matrix:
        """Return ln P(y|x) for each distinct row and label."""
        return special.log_softmax(self.features @ weights, axis=1)

    @property
    def lowest(self) -> Vector:
        """The least value of each feature."""
        return self.features.min(axis=(0, 1))

    def scaled(self) -> "Constraints":
        """Return the constraints on features whose largest absolute value is 1."""
        sizes = self.sizes
        return Constraints(self.features / sizes, self.rows, self.observed / sizes)

    def expected(self, joint: Matrix) -> Vector:
        """Return E_P f_i, given P̃(x) P(y|x)."""
        return np.tensordot(joint, self.features, axes=2)

    @cached_property
    def _groups(self) -> tuple[Vector, Any]:
        """The values of f# = Σ_i f_i, sorted, and the sums over rows and labels of each value."""
        totals, groups = np.unique(self.features.sum(axis=2), return_inverse=True)
        ones = np.ones(groups.size), (groups.ravel(), np.arange(groups.size))
        return totals, sparse.csr_array(ones)

    @property
    def totals(self) -> Vector:
        """The values that f# = Σ_i f_i takes, sorted."""
        return self._groups[0]

    def masses(self, weights: Vector) -> tuple[Vector, Matrix]:
        """Return E_P f_i, and what of it comes from each value of f#."""
        joint = self.rows[:, np.newaxis] * np.exp(self.log_probabilities(weights))
        flat = self.features.reshape(joint.size, -1)
        return self.expected(joint), self._groups[1] @ (joint.reshape(-1, 1) * flat)

    def dual(self, weights: Vector) -> tuple[float, Vector]:
        """Return Σ P̃(x) ln Σ_y exp(Σ w_i f_i(x, y)), and its gradient E_P f_i."""
        scores = self.features @ weights
        heights = special.logsumexp(scores, axis=1)
        joint = self.rows[:, np.newaxis] * np.exp(scores - heights[:, np.newaxis])
        return float(self.rows @ heights), self.expected(joint)

    def entropy(self, weights: Vector) -> tuple[float, Vector, float]:
        """Return the mean entropy of P(y|x), E_P f_i, and the mean of ln Σ_y exp(Σ w_i f_i)."""
        logs = self.log_probabilities(weights)
        joint = self.rows[:, np.newaxis] * np.exp(logs)
        heights = special.logsumexp(self.features @ weights, axis=1)
        return float(-(joint * logs).sum()), self.expected(joint), float(self.rows @ heights)
