"""A matrix of low rank by its singular vectors, and a model of its single entries."""

from dataclasses import dataclass
from typing import NamedTuple, cast

import numpy as np
from scipy import linalg

from surelearn._jit.sound_matrices import sound
from surelearn._stored import holds, stored
from surelearn._typing import ArrayLike, Matrix, Vector


@stored("low-rank-matrix")
@holds(
    left="finite[rows, rank]",
    values="finite[rank]",
    right="finite[columns, rank]",
)
class LowRank(NamedTuple):
    """U diag(s) Vᵀ with orthonormal columns in U and V."""

    left: Matrix
    values: Vector
    right: Matrix

    def distance(self, other: "LowRank") -> float:
        """Return the Frobenius distance to another, from the factors of thin matrices."""
        left, right = (
            cast("Matrix", np.linalg.qr(np.hstack(pair), mode="r"))
            for pair in ((self.left, other.left), (self.right, other.right))
        )
        return float(np.linalg.norm((left * np.append(self.values, -other.values)) @ right.T))

    @classmethod
    def of_product(cls, rows: Matrix, columns: Matrix) -> "LowRank":
        """Return the product of one thin matrix and the transpose of another.

        Examples
        --------
        >>> LowRank.of_product(np.array([[3.0], [4.0]]), np.array([[2.0]])).values.round(9).tolist()
        [10.0]
        """
        (left, outer), (right, inner) = np.linalg.qr(rows), np.linalg.qr(columns)
        turn, values, back = linalg.svd(outer @ inner.T, full_matrices=False)
        return cls(left @ turn, values, right @ back.T)

    @property
    def norm(self) -> float:
        """The Frobenius norm."""
        return float(np.linalg.norm(self.values))


@stored("entry-predictor")
@holds(
    model=LowRank,
)
@dataclass(frozen=True)
class EntryPredictor:
    """Predicts entries of a completed matrix from their places; a `Holdout` can certify it.

    Examples
    --------
    >>> guess = LowRank(np.array([[1.0], [0.0]]), np.array([3.0]), np.array([[0.0], [1.0]]))
    >>> EntryPredictor(guess).predict([[0, 1], [1, 1]]).tolist()
    [3.0, 0.0]
    """

    model: LowRank

    def predict(self, X: ArrayLike) -> Vector:
        """Return the entry at each place, a row and a column counted from 0."""
        given = np.asarray(sound(X), dtype=np.float64)
        shape = (len(self.model.left), len(self.model.right))
        if given.ndim != 2 or given.shape[1] != 2:
            raise ValueError("places are pairs of a row and a column: an array of shape (n, 2)")
        if not (given == np.floor(given)).all():
            raise ValueError("places are whole numbers, counted from 0")
        if (given < 0).any() or (given >= shape).any():
            raise ValueError(f"a place lies outside the matrix of shape {shape}")
        places = given.astype(np.int64)
        scaled = self.model.left[places[:, 0]] * self.model.values
        return (scaled * self.model.right[places[:, 1]]).sum(axis=1)
