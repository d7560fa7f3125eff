"""What the learners by nearest neighbours share: the rows, their index, and the number k."""

from abc import abstractmethod
from collections.abc import Iterable, Iterator
from typing import Any, ClassVar, Literal, Self, TypeAlias, cast

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator
from sklearn.utils import Tags, check_random_state
from sklearn.utils.validation import check_is_fitted

from surelearn import _arguments
from surelearn._jit import fingerprints
from surelearn._jit import rows as jit_rows
from surelearn._stored import holds
from surelearn._typing import ArrayLike, Indices, Matrix, Vector
from surelearn.base.fitting import adopt, at_one_moment, fresh_copy
from surelearn.base.parameters import check_jobs
from surelearn.base.parted import PartedTable, refuse_targets
from surelearn.base.tables.table import Categorical
from surelearn.base.validation import Targets
from surelearn.bounds import neighbors
from surelearn.learners.neighbors._parted_index import PartedIndex, look_at_parts
from surelearn.learners.neighbors._search.index import Index, build_index
from surelearn.learners.neighbors._search.lists import Lists, neighbour_lists
from surelearn.learners.neighbors._search.space import Space, learn_space, read_points

Schedule: TypeAlias = Literal["schedule", "cross-validation"]
"""Ways to choose k: by the number of rows, or by leave-one-out errors."""

TieRule: TypeAlias = Literal["all", "first", "random"]
"""Which of the rows at the k-th distance count: all of them, the first ones, or random ones."""

WITHOUT_ITSELF = "a search that leaves out the row itself"
"""How each row is predicted from all the others with one fit."""

_CHOICES = {"weights": ("uniform", "distance"), "ties": ("all", "first", "random")}


@at_one_moment
@holds(
    n_features_in_="count",
    n_training_rows_="count",
    n_neighbors_="count",
    candidates_="maybe int[candidates]",
    candidate_losses_="maybe finite[candidates]",
    space_=Space,
    index_=Index,
    order_="int[rows]",
    targets_="any[rows]",
    fitted_rules_=tuple,
    training_rows_="maybe hash[kept]",
    categories_="maybe categories",
)
class NearestNeighborsLearner(BaseEstimator):
    """Keep the training rows; a prediction looks up the nearest ones.

    A learner defines `_learn_targets(y, n)`, which returns what each row votes for, and
    `_losses(lists, stops)`, the loss on each training row of its neighbours before each stop;
    `_kind` says what targets are.

    Attributes
    ----------
    n_neighbors_
        The number k in use.
    candidates_, candidate_losses_
        What cross-validation chose among, and the mean leave-one-out loss of each.
    n_training_rows_
        The number of training rows.
    space_, index_
        How a table becomes points; the training points, ready to be searched.
    order_
        The training row at each place of the index: random tags are their order.
    """

    _kind: ClassVar[Targets] = "labels"

    n_neighbors: int | Schedule
    metric: str
    weights: Literal["uniform", "distance"]
    ties: TieRule
    categorical_features: Categorical
    random_state: Any
    n_jobs: int | None

    n_features_in_: int
    n_training_rows_: int
    _free_parameters = frozenset({"ties", "weights"})  # certificates say if they were changed
    n_neighbors_: int
    candidates_: Indices
    candidate_losses_: Vector
    space_: Space
    index_: Index
    order_: Indices
    targets_: NDArray[Any]

    @abstractmethod
    def _learn_targets(self, y: ArrayLike, n: int) -> NDArray[Any]:
        """Check the targets and return them, in the order of the rows."""

    @abstractmethod
    def _losses(self, lists: Lists, stops: Iterable[Indices]) -> Iterator[Vector]:
        """Yield the losses on the training rows, by those others that stand before each stop."""

    def fit(self, X: Any, y: ArrayLike | None = None) -> Self:
        """Keep the rows and prepare the search.

        Parameters
        ----------
        X
            Rows: an array, a data frame or, for some metrics, a sparse matrix. Or the parts of a
            table, see `surelearn.scale.parts`: their rows stay where they are, targets alone come
            into memory, and each search goes through all parts. There is no certificate then.
        y
            One target per row.
        """
        fresh = fresh_copy(self)
        if isinstance(X, PartedTable):
            refuse_targets(y, None)
            fresh._learn_parts(X)  # noqa: SLF001 - our own copy
        else:
            fresh._learn(X, cast("Any", y))  # noqa: SLF001 - our own copy
        return adopt(self, fresh)

    def kneighbors(
        self, X: Any = None, n_neighbors: int | None = None, *, return_distance: bool = True
    ) -> tuple[Matrix, Indices] | Indices:
        """Return the distances and numbers of the nearest training rows, nearest first.

        Of equally distant rows the one that comes first in training, or has the smaller tag, does.

        Parameters
        ----------
        X
            Queries; None asks for the nearest others of each training row.
        n_neighbors
            How many; those used for predictions if None.
        return_distance
            False returns the numbers alone.
        """
        check_is_fitted(self)
        k = self.n_neighbors_ if n_neighbors is None else n_neighbors
        if X is None:
            k = _count(k, self.n_training_rows_ - 1)
            lists = self._lists_of_others(k, whole_ties=False)
            places = np.argsort(self.order_)
        else:
            k = _count(k, self.n_training_rows_)
            lists = self._search(self._read(X), k, whole_ties=False)
            places = np.arange(len(lists.starts) - 1)
        points = self.order_[lists.points].reshape(-1, k)[places]
        if not _arguments.flag("return_distance", return_distance):
            return points
        return lists.distances.reshape(-1, k)[places], points

    def _check_choices(self) -> None:
        for name, known in _CHOICES.items():
            if getattr(self, name) not in known:
                raise ValueError(f"{name}={getattr(self, name)!r} must be one of {list(known)}")
        if self.n_jobs is not None:
            _arguments.at_least_one("n_jobs", self.n_jobs)

    def _learn_parts(self, parts: PartedTable) -> None:
        """Keep the parts, and the targets of their rows."""
        self._check_choices()
        kept = parts.kept()
        found = look_at_parts(self, kept)
        vars(self).update(found.columns)
        n = len(found.targets)
        self.n_training_rows_, self.training_rows_ = n, found.hashes
        if found.classes is not None:
            cast("Any", self).classes_ = found.classes
        else:
            found.targets[:] = self._learn_targets(found.targets, n)  # their sum may be too large
        self.targets_, self.order_ = found.targets, np.arange(n)
        self.fitted_rules_, self.space_ = (self.ties, self.weights), Space(self.metric)
        reader = fresh_copy(self)
        vars(reader).update(found.columns)
        self.index_ = cast("Any", PartedIndex(kept, reader, self.space_, found.counts))
        self.n_neighbors_ = self._choose_k(n)

    def _learn(self, X: Any, y: ArrayLike) -> None:
        self._check_choices()
        self.space_, rows, points, y = learn_space(
            self,
            X,
            y,
            metric=self.metric,
            targets=self._kind,
            categorical=self.categorical_features,
        )
        n = points.shape[0]
        targets = self._learn_targets(y, n)
        self.order_, self.fitted_rules_ = np.arange(n), (self.ties, self.weights)
        if self.ties == "random":
            self.order_ = check_random_state(self.random_state).permutation(n)
        self.targets_, self.n_training_rows_ = targets[self.order_], n
        if rows is not None:  # a hold-out recognises rows of numbers, not those of mixed tables
            self.training_rows_ = fingerprints.sketch(fingerprints.row_hashes(jit_rows.of(rows)))
        self.index_ = build_index(points[self.order_], self.space_.metric)
        self.n_neighbors_ = self._choose_k(n)

    def _choose_k(self, n: int) -> int:
        if self.n_neighbors == "schedule":
            return neighbors.plan_k(n=n)
        if self.n_neighbors == "cross-validation":
            return self._cross_validate(n)
        return _count(self.n_neighbors, n)

    def _cross_validate(self, n: int) -> int:
        """Return the odd k of least leave-one-out loss, the largest (smoothest) of those tied."""
        if n < 3:
            raise ValueError(f"cross-validation needs three rows, and n_samples = {n}")
        self.candidates_ = np.arange(1, min(2 * neighbors.plan_k(n=n), n - 1), 2)
        lists = self._lists_of_others(int(self.candidates_[-1]), whole_ties=self._whole)
        stops = lists.stops(self.candidates_, whole_ties=self._whole)
        self.candidate_losses_ = np.array([one.mean() for one in self._losses(lists, stops)])
        best = self.candidate_losses_ == self.candidate_losses_.min()
        return int(self.candidates_[best][-1])

    @property
    def _whole(self) -> bool:
        """Whether every row at the k-th distance votes."""
        return self.ties == "all"

    def _read(self, X: Any) -> Any:
        """Return the rows of a table as points to search for."""
        return self.index_.admit(read_points(self, X))

    def _lists(self, X: Any) -> Lists:
        """Return those who vote on each row of a table."""
        check_is_fitted(self)
        return self._search(self._read(X), self.n_neighbors_, whole_ties=self._whole)

    def _lists_of_others(self, k: int, *, whole_ties: bool) -> Lists:
        """Return the neighbours of each training row, in the order of the index, without itself."""
        found = self._search(self.index_.rows(), k + 1, whole_ties=whole_ties)
        others = found.without(np.arange(self.n_training_rows_))
        return others if whole_ties else others.first(k)

    def _fitted_without_each_row(
        self, X: Any, y: Any, weights: Vector | None
    ) -> tuple[Self, Lists] | None:
        """Return a fitted copy and each row's neighbours, if refitting would find the same ones.

        A number k that depends on the rows, ranges of columns, and random tags would all be new.
        """
        k, n = self.n_neighbors, len(y)
        same = self.metric != "gower" and self.ties != "random" and weights is None
        if not isinstance(k, int | np.integer) or not same or k > n - 1:
            return None
        try:
            fitted = fresh_copy(self).fit(X, y)
        except ValueError as error:
            raise ValueError(f"the model could not be fitted to all rows: {error}") from error
        return fitted, fitted._lists_of_others(k, whole_ties=self._whole)  # noqa: SLF001 - our copy

    def _search(self, points: Any, k: int, *, whole_ties: bool) -> Lists:
        check_jobs(self)
        found = neighbour_lists(self.index_, points, k, whole_ties=whole_ties, n_jobs=self.n_jobs)
        return found._replace(distances=self.space_.distances(found.distances))

    def _check_state(self) -> None:
        """Refuse places of rows or classes that are not there, as in a forged model file."""
        n = self.n_training_rows_
        self.space_.refuse_unlike(self.index_, n, self.n_features_in_)
        if len(self.order_) != n or not np.array_equal(np.sort(self.order_), np.arange(n)):
            raise ValueError("its order is not one of its rows")
        if not 1 <= self.n_neighbors_ <= n or len(self.fitted_rules_) != 2:
            raise ValueError(f"it asks {self.n_neighbors_} neighbours among {n} rows")
        for name, known in _CHOICES.items():
            if getattr(self, name) not in known:
                raise ValueError(f"{name}={getattr(self, name)!r} must be one of {list(known)}")
        if (self.space_.name == "gower") != hasattr(self, "categories_"):
            raise ValueError("Gower's metric, and no other, knows categories")
        if hasattr(self, "classes_"):
            _arguments.places("targets_", self.targets_, len(cast("Any", self).classes_))

    def __sklearn_tags__(self) -> Tags:
        """Say to scikit-learn which tables are welcome."""
        tags = cast("Any", super().__sklearn_tags__())
        tags.input_tags.sparse = self.metric in {"euclidean", "cosine"}
        tags.input_tags.allow_nan = tags.input_tags.categorical = self.metric == "gower"
        return tags


def _count(k: Any, n: int) -> int:
    """Return a number of neighbours that n rows can give."""
    if not isinstance(k, int | np.integer) or k < 1:
        raise ValueError(
            f"n_neighbors={k!r} must be a whole number, 1 or more, 'schedule' or 'cross-validation'"
        )
    if k > n:
        raise ValueError(
            f"n_neighbors={k} is more than the rows there are (n_samples = {n}); ask for fewer "
            "neighbours, or let n_neighbors='schedule' choose"
        )
    return int(k)
