"""Matrices of which only some entries are known, completed by low rank without ever being dense.

The matrix filled by the current guess is the known entries less the guess at their places, which is
sparse, plus the guess, which has low rank. Products with it, and so its first singular vectors,
cost O(entries · rank).
"""

from abc import abstractmethod
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple, Self, TypeAlias, cast

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import linalg, sparse
from sklearn.base import BaseEstimator, OneToOneFeatureMixin, TransformerMixin
from sklearn.utils import Tags, check_random_state
from sklearn.utils.validation import check_is_fitted, validate_data

from surelearn._stored import holds, stored
from surelearn._typing import Indices, Matrix, Vector
from surelearn.base.fitting import adopt, at_one_moment, fresh_copy
from surelearn.base.validation import refuse_huge, refuse_tiny
from surelearn.learners.decompositions import _observed_products

Start: TypeAlias = Literal["zeros", "column-means", "global-mean"]
"""What fills the unknown entries at first."""

_DENSE = 2**16  # entries of a filled matrix that is decomposed whole
_SPARE = 6  # vectors beyond the rank: they let the wanted ones settle sooner
_INNER = 3  # steps of subspace iteration for each filling; the next one starts from their result


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

    @property
    def norm(self) -> float:
        """The Frobenius norm."""
        return float(np.linalg.norm(self.values))


class KnownEntries:
    """The known entries of a matrix, and its filling by a guess of low rank.

    Examples
    --------
    >>> known = KnownEntries(sparse.csr_array([[1.0, 0.0], [0.0, 2.0]]))
    >>> guess = known.start("global-mean")
    >>> known.fill(guess)
    >>> (known.times(np.eye(2))).round(6).tolist()
    [[1.0, 1.5], [1.5, 2.0]]
    """

    def __init__(self, table: Any) -> None:
        self.shape: tuple[int, int] = table.shape
        self.values: Vector = table.data
        self._rest = table.copy()
        self._guess = LowRank(
            np.zeros((self.shape[0], 0)), np.zeros(0), np.zeros((self.shape[1], 0))
        )

    def start(self, kind: Start) -> LowRank:
        """Return the first guess; each kind has rank one."""
        m, n = self.shape
        if kind == "column-means":
            counts = np.bincount(self._rest.indices, minlength=n)
            sums = np.bincount(self._rest.indices, weights=self.values, minlength=n)
            right = sums / np.maximum(counts, 1)
        elif kind == "global-mean":
            right = np.full(n, self.values.mean())
        elif kind == "zeros":
            right = np.zeros(n)
        else:
            raise ValueError(f"start={kind!r} must be 'zeros', 'column-means' or 'global-mean'")
        length = float(np.linalg.norm(right))
        unit = right / length if length > 0.0 else np.eye(n)[0]
        left = np.full((m, 1), 1.0 / np.sqrt(m))
        return LowRank(left, np.array([length * np.sqrt(m)]), unit[:, np.newaxis])

    def fill(self, guess: LowRank) -> None:
        """Let the guess stand where nothing is known."""
        self._guess = guess
        at = np.empty_like(self.values)
        scaled = guess.left * guess.values
        _observed_products.products_at(
            self._rest.indptr, self._rest.indices, scaled, guess.right, at
        )
        self._rest.data = self.values - at

    @property
    def rest(self) -> Any:
        """The known entries less the guess, a sparse matrix."""
        return self._rest

    def times(self, columns: Matrix) -> Matrix:
        """Return the filled matrix times a thin one."""
        left, values, right = self._guess
        return self._rest @ columns + (left * values) @ (right.T @ columns)

    def transposed_times(self, columns: Matrix) -> Matrix:
        """Return the transpose of the filled matrix times a thin one."""
        left, values, right = self._guess
        return self._rest.T @ columns + (right * values) @ (left.T @ columns)

    def decompose(self, rank: int, seed: Any) -> LowRank:
        """Return the first singular vectors of the filled matrix, from where the guess stands."""
        if self.shape[0] * self.shape[1] <= _DENSE:
            dense = self.times(np.eye(self.shape[1]))
            left, values, right = linalg.svd(dense, full_matrices=False)
            return LowRank(left[:, :rank], values[:rank], right[:rank].T)
        width = min(rank + _SPARE, *self.shape)
        guess = self._guess.right[:, :width]
        fresh = check_random_state(seed).standard_normal((self.shape[1], width - guess.shape[1]))
        basis = np.hstack([guess, fresh])
        for _ in range(_INNER - 1):
            basis = self.transposed_times(np.linalg.qr(self.times(basis))[0])
        columns = np.linalg.qr(self.times(basis))[0]
        right, values, turn = linalg.svd(self.transposed_times(columns), full_matrices=False)
        return LowRank((columns @ turn.T)[:, :rank], values[:rank], right[:, :rank])


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
        given = np.asarray(X, dtype=np.float64)
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


@at_one_moment
@holds(
    n_features_in_="count",
    low_rank_=LowRank,
    n_iter_="count",
    converged_="flag",
    residual_="number",
)
class Completer(OneToOneFeatureMixin, TransformerMixin, BaseEstimator):
    """A learner that completes a matrix; a subclass says how a filled matrix is simplified."""

    _sparse_zeros = "unknown"  # what a sparse matrix does not store is not 0 here
    n_features_in_: int
    low_rank_: LowRank

    @abstractmethod
    def _complete(self, known: KnownEntries) -> LowRank:
        """Return the completion."""

    def _check_state(self) -> None:
        if len(self.low_rank_.right) != self.n_features_in_:
            raise ValueError("its completion has another number of columns")

    def fit(self, X: Any, y: Any = None) -> Self:
        """Complete a matrix.

        Parameters
        ----------
        X
            A matrix with NaN where an entry is not known, a masked array, or a sparse matrix whose
            stored entries are the known ones.
        y
            Not used.
        """
        del y
        fresh = fresh_copy(self)
        fresh.low_rank_ = fresh._complete(KnownEntries(_known(fresh, X, reset=True)))  # noqa: SLF001
        return adopt(self, fresh)

    def transform(self, X: Any) -> Matrix:
        """Return rows with their unknown entries filled from the known ones.

        A row's coordinates are those that fit its known entries best, by least squares.
        """
        check_is_fitted(self)
        table = _known(self, X, reset=False)
        filled = np.empty(table.shape)
        for i in range(table.shape[0]):
            span = slice(table.indptr[i], table.indptr[i + 1])
            columns, values = table.indices[span], table.data[span]
            filled[i] = self._row(columns, values)
            filled[i, columns] = values
        return filled

    def _row(self, columns: Indices, values: Vector) -> Vector:
        right = self.low_rank_.right
        if len(columns) == len(right):
            return values
        return right @ np.linalg.lstsq(right[columns], values, rcond=None)[0]

    def completed(self) -> Matrix:
        """Return the matrix of low rank, at the known places too."""
        check_is_fitted(self)
        return (self.low_rank_.left * self.low_rank_.values) @ self.low_rank_.right.T

    def entries(self) -> EntryPredictor:
        """Return a model of single entries, for a `Holdout` over places that were left out."""
        check_is_fitted(self)
        return EntryPredictor(self.low_rank_)

    def __sklearn_tags__(self) -> Tags:
        """Say to scikit-learn that NaN is welcome: it marks what is not known."""
        tags = cast("Any", super().__sklearn_tags__())
        tags.input_tags.allow_nan = True
        return tags


def _known(estimator: Any, X: Any, *, reset: bool) -> Any:
    """Return the known entries as a sparse matrix; refuse rows and columns without any."""
    if np.ma.isMaskedArray(X):
        X = np.ma.filled(np.ma.asarray(X, dtype=np.float64), np.nan)
    check: Any = validate_data
    table = check(
        estimator,
        X,
        reset=reset,
        accept_sparse="csr",
        dtype=np.float64,
        ensure_all_finite=True if sparse.issparse(X) else "allow-nan",
    )
    kind = "X (sparse: what it stores is known)" if sparse.issparse(X) else "X"
    if not sparse.issparse(table):
        mask = ~np.isnan(table)
        stored: Any = (table[mask], np.nonzero(mask))
        table = cast("Any", sparse.csr_array)(stored, shape=table.shape)
    else:
        table = cast("Any", sparse.csr_array)(table)
        table.sum_duplicates()
    _refuse_empty(np.diff(table.indptr), f"row {{}} of {kind}")
    if reset:
        refuse_huge(table.data, "entries")
        refuse_tiny(table.data, "entries")
        counts = np.bincount(table.indices, minlength=table.shape[1])
        _refuse_empty(counts, f"column {{}} of {kind}")
    return table


def _refuse_empty(counts: NDArray[Any], name: str) -> None:
    if not counts.all():
        place = name.format(int(np.argmin(counts)))
        raise ValueError(f"{place} has no known entry; leave it out: nothing can be said of it")
