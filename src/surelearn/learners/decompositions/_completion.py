"""Matrices of which only some entries are known, completed by low rank without ever being dense.

The matrix filled by the current guess is the known entries less the guess at their places, which is
sparse, plus the guess, which has low rank. Products with it, and so its first singular vectors,
cost O(entries · rank).
"""

from abc import abstractmethod
from typing import Any, Literal, Self, TypeAlias, cast

import numpy as np
from numpy.typing import NDArray
from scipy import linalg, sparse
from scipy.sparse.linalg import svds
from sklearn.base import BaseEstimator, OneToOneFeatureMixin, TransformerMixin
from sklearn.utils import Tags, check_random_state
from sklearn.utils.validation import check_is_fitted

from surelearn._jit.sound_matrices import sound
from surelearn._stored import holds
from surelearn._typing import Indices, Mask, Matrix, Vector
from surelearn.base.fitting import adopt, at_one_moment, fresh_copy, warn
from surelearn.base.validation import refuse_huge, refuse_tiny, validated
from surelearn.learners.decompositions import _observed_products
from surelearn.learners.decompositions._freedom import Freedom, freedom_of_rank
from surelearn.learners.decompositions._low_rank import EntryPredictor, LowRank

Start: TypeAlias = Literal["zeros", "column-means", "global-mean"]
"""What fills the unknown entries at first."""

_DENSE = 2**16  # entries of a filled matrix that is decomposed whole
_SPARE = 6  # vectors beyond the rank: they let the wanted ones settle sooner
_INNER = 3  # steps of subspace iteration for each filling; the next one starts from their result


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
    def table(self) -> Any:
        """The known entries, a sparse matrix."""
        table = self._rest.copy()
        table.data = self.values
        return table

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

    def decompose_rest(self, expected: int, least: float) -> LowRank:
        """Return the singular vectors of the misfit whose singular values are at least `least`."""
        side = min(self.shape)
        if self.shape[0] * self.shape[1] <= _DENSE or 2 * (expected + _SPARE) >= side:
            left, values, right = linalg.svd(self._rest.toarray(), full_matrices=False)
            n = int(np.count_nonzero(values >= least))
            return LowRank(left[:, :n], values[:n], right[:n].T)
        start = np.random.default_rng(0).normal(size=side)  # never in a null space
        left, values, right = cast("Any", svds)(self._rest, k=expected + _SPARE, v0=start)
        wanted = values >= least
        if wanted.all():
            return self.decompose_rest(2 * (expected + _SPARE), least)
        return LowRank(left[:, wanted], values[wanted], right[wanted].T)

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


@holds(
    n_features_in_="count",
    low_rank_=LowRank,
    freedom_=("maybe", Freedom),
    n_iter_="count",
    converged_="flag",
    residual_="number",
)
@at_one_moment
class Completer(OneToOneFeatureMixin, TransformerMixin, BaseEstimator):
    """A learner that completes a matrix; a subclass says how a filled matrix is simplified."""

    _sparse_zeros = "unknown"  # what a sparse matrix does not store is not 0 here
    _shortest_is_best = False  # whether of all rows that fit the shortest is the one asked for
    n_features_in_: int
    low_rank_: LowRank
    freedom_: Freedom

    @abstractmethod
    def _complete(self, known: KnownEntries) -> LowRank:
        """Return the completion."""

    def _find_freedom(self, known: KnownEntries) -> Freedom:
        """Return how the completion could move and keep what is known."""
        return freedom_of_rank(known.table, self.low_rank_.left, self.low_rank_.right)

    def _open(self) -> str:
        """Return what leaves entries open, in words; none if a warning has told."""
        rank = len(self.low_rank_.values)
        return f"other matrices of rank {rank} have the same known entries"

    @property
    def determined_(self) -> Mask:
        """Which entries the known ones determine, themselves included; as large as the matrix."""
        check_is_fitted(self)
        if not hasattr(self, "freedom_"):
            raise AttributeError(
                "this model was stored by a version that did not ask which entries are determined; "
                "fit it again"
            )
        return self.freedom_.determined()

    def _check_state(self) -> None:
        """Refuse a completion of another width, as a forged model file may hold it."""
        shape = len(self.low_rank_.left), len(self.low_rank_.right)
        freedom = getattr(self, "freedom_", None)
        if shape[1] != self.n_features_in_:
            raise ValueError("its completion has another number of columns")
        if freedom is not None and (len(freedom.left), len(freedom.right)) != shape:
            raise ValueError("what may move is not what was completed")

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
        known = KnownEntries(known_entries(fresh, X, reset=True))
        fresh.low_rank_ = fresh._complete(known)  # noqa: SLF001 - our own copy
        fresh.freedom_ = fresh._find_freedom(known)  # noqa: SLF001
        n_open, why = int(np.count_nonzero(fresh.freedom_.open_rows())), fresh._open()  # noqa: SLF001
        if n_open and why:
            warn(
                f"entries of {n_open} of {known.shape[0]} rows are not determined by the known "
                f"ones: {why}; determined_ tells which entries they are",
                UserWarning,
            )
        return adopt(self, fresh)

    def transform(self, X: Any) -> Matrix:
        """Return rows with their unknown entries filled from the known ones.

        A row's coordinates are those that fit its known entries best, by least squares; if several
        do, the shortest are taken; where no price asks for that, a warning tells.
        """
        check_is_fitted(self)
        table = known_entries(self, X, reset=False)
        filled, n_open = np.empty(table.shape), 0
        for i in range(table.shape[0]):
            span = slice(table.indptr[i], table.indptr[i + 1])
            columns, values = table.indices[span], table.data[span]
            filled[i], sure = self._row(columns, values)
            filled[i, columns] = values
            n_open += not sure
        if n_open and not self._shortest_is_best:
            warn(
                f"{n_open} of {len(filled)} rows know too few entries to determine the others: "
                f"{self.low_rank_.right.shape[1]} are needed, in columns that differ",
                UserWarning,
            )
        return filled

    def _row(self, columns: Indices, values: Vector) -> tuple[Vector, bool]:
        """Return a row filled in, and whether its known entries determine it."""
        right = self.low_rank_.right
        if len(columns) == len(right):
            return values, True
        found, _, rank, _ = np.linalg.lstsq(right[columns], values, rcond=None)
        return right @ found, int(rank) == right.shape[1]

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


def known_entries(estimator: Any, X: Any, *, reset: bool) -> Any:
    """Return the known entries as a sparse matrix; refuse rows and columns without any."""
    check: Any = validated
    table = check(
        estimator,
        sound(X),
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
