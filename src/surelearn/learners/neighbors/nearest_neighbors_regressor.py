"""Regression by k nearest neighbours: the mean target of the k training rows nearest to a row.

Every row at the k-th distance counts, so predictions do not depend on the order of the rows.
"""

from collections.abc import Iterable, Iterator
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray
from sklearn.base import RegressorMixin

from surelearn._stored import holds
from surelearn._typing import ArrayLike, Indices, Vector
from surelearn.base.fitting import at_one_moment, check_numbers
from surelearn.base.tables.table import Categorical
from surelearn.learners.neighbors._estimator import (
    WITHOUT_ITSELF,
    NearestNeighborsLearner,
    Schedule,
    TieRule,
)
from surelearn.learners.neighbors._search.lists import Lists, mean_targets


@at_one_moment
@holds(
    targets_="finite[rows]",
)
class NearestNeighborsRegressor(RegressorMixin, NearestNeighborsLearner):
    """Predict the mean target of the k nearest training rows.

    Parameters
    ----------
    n_neighbors
        The number k; "schedule" takes an odd number near √n, which makes the rule consistent;
        "cross-validation" takes the odd number with the least leave-one-out square loss.
    metric
        "euclidean", "manhattan", "chebyshev", "cosine" (1 - cos of the angle), or "gower" for
        tables with numbers, categories and missing values.
    weights
        "uniform", or "distance": a target counts one over its distance.
    ties
        "all": every row at the k-th distance counts. "first" or "random": exactly k count, ordered
        by distance and the number of the row, or by distance and a random tag.
    categorical_features
        With metric="gower", the columns that hold categories: names, places or a mask; None means
        those of text.
    random_state
        Seed of the tags.
    n_jobs
        Threads to search with; as many as there are cores if None.

    Attributes
    ----------
    n_neighbors_
        The number k in use.
    candidates_, candidate_losses_
        What cross-validation chose among, and the mean leave-one-out square loss of each.

    Examples
    --------
    >>> X, y = [[0.0], [1.0], [2.0], [3.0]], [0.0, 0.0, 1.0, 1.0]
    >>> model = NearestNeighborsRegressor(n_neighbors=3).fit(X, y)
    >>> model.predict([[1.4]]).round(4)
    array([0.3333])
    """

    _kind = "numbers"

    def __init__(
        self,
        *,
        n_neighbors: int | Schedule = 5,
        metric: str = "euclidean",
        weights: Literal["uniform", "distance"] = "uniform",
        ties: TieRule = "all",
        categorical_features: Categorical = None,
        random_state: Any = None,
        n_jobs: int | None = None,
    ) -> None:
        self.n_neighbors = n_neighbors
        self.metric = metric
        self.weights = weights
        self.ties = ties
        self.categorical_features = categorical_features
        self.random_state = random_state
        self.n_jobs = n_jobs

    def predict(self, X: Any) -> Vector:
        """Return the mean target of the neighbours of each row."""
        lists = self._lists(X)
        return next(self._means(lists, [lists.starts[1:]]))

    def _leave_one_out(self, X: Any, y: Any, weights: Vector | None) -> tuple[Vector, str] | None:
        """Return what the others predict for each row and how; None if it takes refitting."""
        found = self._fitted_without_each_row(X, y, weights)
        if found is None:
            return None
        fitted, lists = found
        means = fitted._means(lists, [lists.starts[1:]])  # noqa: SLF001 - our own copy
        return next(means), WITHOUT_ITSELF

    def _means(self, lists: Lists, stops: Iterable[Indices]) -> Iterator[Vector]:
        return mean_targets(lists, self.targets_, weights=self.weights, stops=stops)

    def _losses(self, lists: Lists, stops: Iterable[Indices]) -> Iterator[Vector]:
        for means in self._means(lists, stops):
            yield np.square(means - self.targets_)

    def _learn_targets(self, y: ArrayLike, n: int) -> NDArray[Any]:
        return check_numbers(y, n=n)
