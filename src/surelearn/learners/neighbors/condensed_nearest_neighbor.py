"""Hart's condensed nearest neighbour: store the rows that the stored rows get wrong.

    visit the rows in order; if the nearest stored row has another label, store the row;
    start over until a pass stores nothing

Hart (1968). What is stored determines the rule, so `surelearn.bounds.compression` certifies it.
"""

from typing import Any, Self, cast

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils import Tags
from sklearn.utils.validation import check_is_fitted

from surelearn import _arguments
from surelearn._jit import fingerprints, jit, rows
from surelearn._jit.rows import Rows
from surelearn._stored import holds
from surelearn._typing import ArrayLike, Indices, Vector
from surelearn.base.classifier import risk_certificate
from surelearn.base.drawn_rows import drawn_independently
from surelearn.base.fitting import adopt, at_one_moment, fresh_copy, learn_classes
from surelearn.base.seal import refuse_changed
from surelearn.bounds import compression
from surelearn.certificate import Certificate, assumed, by_construction, checked
from surelearn.learners.neighbors._search.index import Index, build_index
from surelearn.learners.neighbors._search.pairs import squared_distance
from surelearn.learners.neighbors._search.space import Space, learn_space, read_points

_METRICS = ("euclidean", "cosine")


@jit
def _visit_rows(
    X: Rows,
    labels: Indices,
    size: int,
    store: Indices,
    nearest: Vector,
    guess: Indices,
    seen: Indices,
) -> int:
    """Store each row that the `size` stored rows get wrong, in one pass; return the new size.

    `seen[i]` counts the stored rows that row i was compared with, or is -1 if it is one itself. The
    nearest of them, the earliest if tied, is `nearest[i]` away and has label `guess[i]`.
    """
    for i in range(len(labels)):
        if seen[i] < 0:
            continue
        for s in range(seen[i], size):  # only those stored since the last visit are new
            distance = squared_distance(X, i, X, store[s])
            if distance < nearest[i]:  # strictly: of equally near ones the first stored decides
                nearest[i], guess[i] = distance, labels[store[s]]
        seen[i] = size
        if guess[i] != labels[i]:
            store[size], seen[i] = i, -1
            size += 1
    return size


@at_one_moment
@holds(
    n_features_in_="count",
    classes_="classes",
    n_training_rows_="count",
    training_errors_="count",
    prototypes_="int[stored]",
    compression_set_="int[compressed]",
    n_iter_="count",
    pass_limit_="count",  # noqa: S106 - no password
    space_=Space,
    index_=Index,
    targets_="int[stored]",
    training_rows_="hash[kept]",
)
class CondensedNearestNeighbor(ClassifierMixin, BaseEstimator):
    """Keep only the training rows that the nearest neighbour rule needs to get the others right.

    Rows are visited in the order given: shuffle once beforehand if they are sorted. Of equally
    near stored rows the one stored first decides.

    Parameters
    ----------
    max_iter
        The largest number of passes; a pass that stores nothing is the last one.
    metric
        "euclidean" or "cosine".

    Attributes
    ----------
    prototypes_
        The numbers of the stored rows, in the order in which they were stored.
    compression_set_
        The numbers of the rows that determine the rule: those stored and those still wrong.
    classes_, training_errors_, n_training_rows_, n_iter_, pass_limit_
        The labels; the training rows the rule gets wrong; all of them; passes made and allowed.

    Examples
    --------
    >>> X, y = [[0.0], [1.0], [2.0], [5.0], [6.0], [7.0]], [0, 0, 0, 1, 1, 1]
    >>> model = CondensedNearestNeighbor().fit(X, y)
    >>> model.prototypes_.tolist(), model.predict([[2.4], [4.0]]).tolist()
    ([0, 3], [0, 1])
    """

    n_features_in_: int
    classes_: NDArray[Any]
    n_training_rows_: int
    training_errors_: int
    prototypes_: Indices
    compression_set_: Indices
    n_iter_: int
    pass_limit_: int
    space_: Space
    index_: Index
    targets_: Indices

    def __init__(self, *, max_iter: int = 1000, metric: str = "euclidean") -> None:
        self.max_iter = max_iter
        self.metric = metric

    def fit(self, X: Any, y: ArrayLike) -> Self:
        """Store rows until a pass stores none.

        Parameters
        ----------
        X
            Rows of numbers: an array, a data frame or a sparse matrix.
        y
            One label per row.
        """
        fresh = fresh_copy(self)
        fresh._learn(X, y)  # noqa: SLF001 - our own copy
        return adopt(self, fresh)

    def predict(self, X: Any) -> NDArray[Any]:
        """Return the label of the nearest stored row of each row."""
        check_is_fitted(self)
        return self.classes_[self._decide(read_points(self, X))]

    def certificates(self, *, delta: float = 0.05) -> tuple[Certificate, ...]:
        """Certify the risk by the number of rows that determine the rule.

        The store changes only at rows of the compression set, so dropping any others leaves the
        run, pass by pass, as it was.

        Parameters
        ----------
        delta
            The probability with which the statement may fail.
        """
        check_is_fitted(self)
        refuse_changed(self)
        n_compressed = len(self.compression_set_)
        guarantee = compression.campi_garatti(
            n_compressed=n_compressed, n=self.n_training_rows_, delta=delta
        )
        passes = (
            f"rows are visited in the order given, in at most max_iter={self.pass_limit_} passes"
        )
        evidence = {
            "fixed_before": assumed(f"{passes}; features and scaling must not come from them"),
            "stable": by_construction(f"only {n_compressed} rows were stored or are still wrong"),
            "consistent": checked(f"the {self.training_errors_} training errors are in the set"),
            "independent": drawn_independently(self),
        }
        return (risk_certificate(self, guarantee, evidence),)

    def _learn(self, X: Any, y: ArrayLike) -> None:
        _arguments.at_least_one("max_iter", self.max_iter)
        if self.metric not in _METRICS:
            raise ValueError(f"metric={self.metric!r} must be one of {list(_METRICS)}")
        self.space_, checked, points, y = learn_space(self, X, y, metric=self.metric)
        n = self.n_training_rows_ = points.shape[0]
        self.pass_limit_ = self.max_iter
        labels = learn_classes(self, y, n=n)
        self.prototypes_, self.n_iter_ = _condense(rows.of(points), labels, self.max_iter)
        self.targets_ = labels[self.prototypes_]
        self.index_ = build_index(points[self.prototypes_], self.space_.metric)
        wrong = np.flatnonzero(self._decide(points) != labels)
        self.training_errors_ = len(wrong)
        self.compression_set_ = np.union1d(self.prototypes_, wrong)
        self.training_rows_ = fingerprints.sketch(fingerprints.row_hashes(rows.of(checked)))

    def _decide(self, points: Any) -> Indices:
        """Return the place among the classes of the label of the nearest stored row."""
        return self.targets_[self.index_.search(self.index_.admit(points), 1).points[:, 0]]

    def _check_state(self) -> None:
        """Refuse places of rows or classes that are not there, as in a forged model file."""
        n, n_stored = self.n_training_rows_, len(self.prototypes_)
        self.space_.refuse_unlike(self.index_, n_stored, self.n_features_in_)
        _arguments.places("targets_", self.targets_, len(self.classes_))
        for name in ("prototypes_", "compression_set_"):
            _arguments.places(name, getattr(self, name), n)
        if len(np.unique(self.compression_set_)) != len(self.compression_set_):
            raise ValueError("a row stands twice in the compression set")
        if self.training_errors_ > n:
            raise ValueError("it has more errors than rows")

    def __sklearn_tags__(self) -> Tags:
        """Say to scikit-learn that sparse matrices are welcome."""
        tags = cast("Any", super().__sklearn_tags__())
        tags.input_tags.sparse = True
        return tags


def _condense(X: Rows, labels: Indices, max_iter: int) -> tuple[Indices, int]:
    """Return the stored rows in order, and the number of passes made."""
    n, size, n_passes = len(labels), 0, 0
    store, seen, guess = (np.full(n, start, dtype=np.int64) for start in (-1, 0, -1))
    nearest, before = np.full(n, np.inf), -1
    while size > before and n_passes < max_iter:
        before, n_passes = size, n_passes + 1
        size = _visit_rows(X, labels, size, store, nearest, guess, seen)
    return store[:size].copy(), n_passes
