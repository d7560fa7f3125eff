"""Decision stumps as arrays over the members of an ensemble, and the walk of rows past them."""

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from surelearn import _arguments
from surelearn._jit import jit
from surelearn._stored import holds, stored
from surelearn._typing import Indices, Matrix, Vector
from surelearn.base.declared import refuse_unlike_declared

LEFT, RIGHT, OTHER = range(3)
"""What the answers of a stump are for: cells up to the cut, above it, and missing or unseen."""


class Stump(NamedTuple):
    """One question and its answers, as places of classes; `routes` are those of categories."""

    feature: int
    threshold: float
    answers: tuple[int, int, int]
    routes: Indices


NO_ROUTES: Indices = np.empty(0, dtype=np.int64)


@jit
def answer_cells(
    X: Matrix, feature: int, cut: float, answers: Indices, routes: Indices, out: Indices
) -> None:
    """Write what one stump says of each row, the place of a class."""
    n_routes = float(len(routes))
    for i in range(X.shape[0]):
        cell = X[i, feature]
        if cell <= cut:
            out[i] = answers[LEFT]
        elif cell > cut:
            out[i] = answers[RIGHT]
        elif 0.0 <= cell < n_routes:  # the cut is NaN: a question about a category
            out[i] = routes[int(cell)]
        else:
            out[i] = answers[OTHER]


@jit
def add_votes(answers: Indices, weight: float, scores: Matrix) -> None:
    """Add a member's weight to the score of the class that it names, row by row."""
    for i in range(len(answers)):
        scores[i, answers[i]] += weight


@stored("stumps")
@holds(
    feature="int[members]",
    threshold="float[members]",
    answers="int[members, 3]",
    route_start="int[members+1]",
    routes="int[routes]",
)
@dataclass(frozen=True)
class Stumps:
    """Questions about one feature each, as arrays over the members of an ensemble.

    Attributes
    ----------
    feature
        The column that each member asks about.
    threshold
        Its cut point; NaN for a column of categories, infinity if numbers are only told from gaps.
    answers
        For each member the place of the class of cells up to the cut, above it, and of those that
        are missing or hold a category that was not there in training.
    route_start, routes
        Category c of member t has the class `routes[route_start[t] + c]`.
    """

    feature: Indices
    threshold: Vector
    answers: Indices
    route_start: Indices
    routes: Indices

    @classmethod
    def of(cls, members: list[Stump]) -> "Stumps":
        """Lay members side by side."""
        lengths = [len(member.routes) for member in members]
        return cls(
            feature=np.array([member.feature for member in members], dtype=np.int64),
            threshold=np.array([member.threshold for member in members], dtype=np.float64),
            answers=np.array([member.answers for member in members], dtype=np.int64).reshape(-1, 3),
            route_start=np.append(0, np.cumsum(lengths)).astype(np.int64),
            routes=np.concatenate([NO_ROUTES, *(member.routes for member in members)]),
        )

    def __len__(self) -> int:
        """Return the number of members."""
        return len(self.feature)

    def answer(self, t: int, X: Matrix) -> Indices:
        """Return the place of the class that member t names, row by row."""
        out = np.empty(len(X), dtype=np.int64)
        routes = self.routes[self.route_start[t] : self.route_start[t + 1]]
        feature, cut = int(self.feature[t]), float(self.threshold[t])
        answer_cells(X, feature, cut, self.answers[t], routes, out)
        return out

    def refuse_wild(self, n_categories: Any, n_classes: int) -> None:
        """Refuse stumps, as a forged file may hold them, that name columns or classes not there."""
        refuse_unlike_declared(self)
        _arguments.places("feature", self.feature, len(n_categories))
        _arguments.places("answers", self.answers.ravel(), n_classes)
        _arguments.places("routes", self.routes, n_classes)
        lengths, wanted = np.diff(self.route_start), n_categories[self.feature]
        ends = self.route_start[[0, -1]].tolist()
        if ends != [0, len(self.routes)] or not np.array_equal(lengths, wanted):
            raise ValueError("its stumps do not name a class for each category")
        if not np.array_equal(np.isnan(self.threshold), wanted > 0):
            raise ValueError("its stumps ask a column of numbers for categories, or the reverse")
