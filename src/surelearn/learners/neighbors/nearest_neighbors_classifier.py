"""k nearest neighbours: the majority label of the k training rows nearest to a row.

Every row at the k-th distance votes, so predictions do not depend on the order of the rows; a tied
vote goes to the most frequent training label among the tied, then to the smallest.

Fix and Hodges (1951); Cover and Hart (1967). The leave-one-out certificate sharpens Rogers and
Wagner (1978), see `surelearn.bounds.neighbors`.
"""

from collections.abc import Iterable, Iterator
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray
from sklearn.base import ClassifierMixin
from sklearn.utils.validation import check_is_fitted

from surelearn import _arguments
from surelearn._stored import holds
from surelearn._typing import ArrayLike, Indices, Matrix, Vector
from surelearn._wording import confidence, percent_outward
from surelearn.base.drawn_rows import drawn_independently
from surelearn.base.fitting import at_one_moment, learn_classes
from surelearn.base.seal import fingerprint_of_fit, refuse_changed
from surelearn.base.tables.table import Categorical
from surelearn.bounds import Guarantee, neighbors
from surelearn.certificate import (
    Certificate,
    Evidence,
    Precondition,
    assumed,
    by_construction,
    certify,
    checked,
    violated,
)
from surelearn.learners.neighbors._estimator import (
    WITHOUT_ITSELF,
    NearestNeighborsLearner,
    Schedule,
    TieRule,
)
from surelearn.learners.neighbors._parted_index import PartedIndex
from surelearn.learners.neighbors._search.lists import Lists, count_votes, decide, tied_votes


@at_one_moment
@holds(
    classes_="classes",
    targets_="int[rows]",
)
class NearestNeighborsClassifier(ClassifierMixin, NearestNeighborsLearner):
    """Let the k nearest training rows vote.

    Parameters
    ----------
    n_neighbors
        The number k; "schedule" takes an odd number near √n, which makes the rule consistent;
        "cross-validation" takes the odd number with the fewest leave-one-out errors.
    metric
        "euclidean", "manhattan", "chebyshev", "cosine" (1 - cos of the angle), or "gower" for
        tables with numbers, categories and missing values.
    weights
        "uniform", or "distance": a vote counts one over its distance.
    ties
        "all": every row at the k-th distance votes, and a tied vote goes to the most frequent
        training label among the tied. "random": exactly k vote, ordered by distance and a random
        tag, and a tied vote goes to the smallest label, as the certificate needs it. "first": the
        same with the number of the row as its tag, which serves if the rows are in random order.
    categorical_features
        With metric="gower", the columns that hold categories: names, places or a mask; None means
        those of text.
    random_state
        Seed of the tags.
    n_jobs
        Threads to search with; as many as there are cores if None.

    Attributes
    ----------
    classes_
        The labels, sorted.
    n_neighbors_
        The number k in use.
    candidates_, candidate_losses_
        What cross-validation chose among, and the leave-one-out error of each.

    Examples
    --------
    >>> X, y = [[0.0], [1.0], [2.0], [3.0]], ["low", "low", "high", "high"]
    >>> model = NearestNeighborsClassifier(n_neighbors=3).fit(X, y)
    >>> model.predict([[0.5]]).tolist()
    ['low']
    >>> model.kneighbors([[1.4]], return_distance=False).tolist()
    [[1, 2, 0]]
    """

    classes_: NDArray[Any]

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

    def predict(self, X: Any) -> NDArray[Any]:
        """Return the label of each row."""
        votes = self._all_votes(self._lists(X))
        return self.classes_[decide(votes, self._preference)]

    def predict_proba(self, X: Any) -> Matrix:
        """Return the share of the votes of each class; a tied vote shows as equal shares."""
        votes = self._all_votes(self._lists(X))
        return votes / votes.sum(axis=1, keepdims=True)

    def errors_over_k(self, X: Any, y: ArrayLike, n_neighbors: ArrayLike) -> Vector:
        """Return the fraction of wrong labels for each of several k, from one search.

        Parameters
        ----------
        X, y
            Rows and their labels; the training rows themselves count as their own neighbours.
        n_neighbors
            The numbers of neighbours to try.

        Examples
        --------
        >>> model = NearestNeighborsClassifier(n_neighbors=1).fit([[0.0], [1.0], [4.0]], [0, 0, 1])
        >>> model.errors_over_k([[4.1], [0.2]], [1, 0], [1, 3])
        array([0. , 0.5])
        """
        check_is_fitted(self)
        asked = _arguments.vector(
            "n_neighbors", np.atleast_1d(_arguments.numbers("n_neighbors", n_neighbors)), low=1.0
        )
        sizes, back = np.unique(asked.astype(np.int64), return_inverse=True)
        y = _arguments.labels("y", y)
        X = self._read(X)
        if len(y) != X.shape[0]:
            raise ValueError(f"y has {len(y)} labels, and X has {X.shape[0]} rows")
        lists = self._search(X, int(sizes[-1]), whole_ties=self._whole)
        votes = self._votes(lists, lists.stops(sizes, whole_ties=self._whole))
        labels = (self.classes_[decide(vote, self._preference)] for vote in votes)
        return np.array([np.mean(label != np.asarray(y)) for label in labels])[back]

    def guarantee(self, *, bayes_risk: float, lipschitz: float | None = None) -> Guarantee:
        """Bound the expected risk by the Bayes risk, before or without seeing labels.

        With a Lipschitz constant of the probability of a class, two classes and features in
        [-1, 1], for this number of rows; without one, in the limit of many rows (Cover and Hart).

        Parameters
        ----------
        bayes_risk
            The smallest risk any rule could have.
        lipschitz
            By how much the probability of the last class changes per unit of distance, at most.

        Examples
        --------
        >>> model = NearestNeighborsClassifier(n_neighbors=1).fit([[0.0], [1.0]], [0, 1])
        >>> round(model.guarantee(bayes_risk=0.1).bound, 2)
        0.18
        """
        check_is_fitted(self)
        k, n_classes = self.n_neighbors_, len(self.classes_)
        if self.fitted_rules_[1] == "distance" and k > 1:
            raise ValueError("the theorems speak of votes that count alike: weights='uniform'")
        if k > 1 and (k % 2 == 0 or n_classes > 2):
            raise ValueError(
                f"with k = {k} and {max(2, n_classes)} classes votes can tie, and the theorems "
                "break them at random, which no rule here does: use k = 1, or an odd k for two "
                "classes"
            )
        if lipschitz is None:
            if k == 1:
                return neighbors.cover_hart(bayes_risk=bayes_risk, n_classes=max(2, n_classes))
            return neighbors.knn_limit(bayes_risk=bayes_risk, k=k)
        if n_classes > 2 or self.space_.name != "euclidean":
            raise ValueError("the bound by a Lipschitz constant is for two classes and 'euclidean'")
        world = {"bayes_risk": bayes_risk, "lipschitz": lipschitz}
        sizes = {"dimension": self.n_features_in_, "n": self.n_training_rows_}
        if k == 1:
            return neighbors.one_nn(**world, **sizes)
        return neighbors.knn_finite_sample(**world, **sizes, k=k)

    def certificates(self, *, delta: float = 0.05) -> tuple[Certificate, ...]:
        """Certify the risk from the leave-one-out errors, if k + 2 rows or more are in memory.

        It holds for ties="random" and "first"; with ties="all" unless a tie at the k-th distance,
        or a tied vote, was met. k, metric and scaling must not come from the rows.

        Parameters
        ----------
        delta
            The probability with which the statement may fail.
        """
        check_is_fitted(self)
        refuse_changed(self)
        k, n = self.n_neighbors_, self.n_training_rows_
        if n < k + 2 or isinstance(self.index_, PartedIndex):
            return ()
        lists = self._lists_of_others(k, whole_ties=self._whole)
        errors = int(next(self._losses(lists, [lists.starts[1:]])).sum())
        guarantee = neighbors.leave_one_out(
            errors=errors, n=n, k=k, delta=delta, n_classes=max(2, len(self.classes_))
        )
        limit = percent_outward(guarantee.bound, "upper")
        certificate = certify(
            guarantee,
            kind="risk",
            subject="this fitted model",
            observed=errors / n,
            n=n,
            claim=f"With confidence {confidence(delta)}, this model errs on at most {limit} of new "
            "examples from the law of the training examples.",
            evidence=self._evidence(lists),
            also=(
                Precondition(
                    "known_labels", "the labels that can occur were known beforehand", "assumed"
                ),
            ),
            reproduce={"model": fingerprint_of_fit(self)},
        )
        return (certificate,)

    def _evidence(self, lists: Lists) -> dict[str, Evidence]:
        """Return what is known of the sample, of the choices, of the vote and of ties."""
        vote, ties = self._vote_and_ties(lists)
        return {
            "independent": drawn_independently(self),
            "fixed_before": self._choices_fixed_before(),
            "vote": vote,
            "distance_ties": ties,
        }

    def _choices_fixed_before(self) -> Evidence:
        if hasattr(self, "candidates_"):
            return violated("k was chosen by the errors on these rows; give a number instead")
        if self.space_.scaled_by_data:
            return violated("'gower' scales numeric columns by their ranges in these rows")
        return assumed(f"k = {self.n_neighbors_}; none may come from them")

    def _vote_and_ties(self, lists: Lists) -> tuple[Evidence, Evidence]:
        """Return whether exactly k neighbours vote, and how ties of distance were broken."""
        if self.fitted_rules_ != (self.ties, self.weights):
            changed = violated("ties or weights were changed after fit; fit again")
            return changed, changed
        vote = ties = by_construction(f"ties={self.ties!r}")
        if self._whole:
            vote, ties = self._ties_met(lists)
        if self.weights == "distance":
            vote = violated("weights='distance': distances decide too")
        return vote, ties

    def _ties_met(self, lists: Lists) -> tuple[Evidence, Evidence]:
        """Return the same two where all tied neighbours vote: harmless if there was no tie."""
        n = self.n_training_rows_
        tied = int((np.diff(lists.starts) > self.n_neighbors_).sum())
        draws = int((tied_votes(self._all_votes(lists)).sum(axis=1) > 1).sum())
        vote = checked(f"no tie at the k-th distance and no tied vote on any of {n} rows")
        ties = checked(f"no tie at the k-th distance on any of {n} rows")
        if tied or draws:
            vote = violated(f"{tied} ties and {draws} tied votes; use ties='random'")
        if tied:
            ties = violated(f"on {tied} rows all tied neighbours voted; use ties='random'")
        return vote, ties

    @property
    def _preference(self) -> Vector:
        """How often each label occurs in training; nothing if only the votes may decide."""
        counts = np.bincount(self.targets_, minlength=len(self.classes_)).astype(np.float64)
        return counts if self._whole else 0.0 * counts

    def _votes(self, lists: Lists, stops: Iterable[Indices]) -> Iterator[Matrix]:
        n_classes = len(self.classes_)
        return count_votes(lists, self.targets_, n_classes, weights=self.weights, stops=stops)

    def _all_votes(self, lists: Lists) -> Matrix:
        return next(self._votes(lists, [lists.starts[1:]]))

    def _losses(self, lists: Lists, stops: Iterable[Indices]) -> Iterator[Vector]:
        """Yield 1 where the others are wrong; the row's own label has no say in the default."""
        for votes in self._votes(lists, stops):
            yield (self._decide_without_own(votes) != self.targets_).astype(np.float64)

    def _decide_without_own(self, votes: Matrix) -> Indices:
        """Return the class that each row's others choose; its own label breaks no tie."""
        own = np.eye(len(self.classes_))[self.targets_] if self._whole else 0.0
        return decide(votes, self._preference - own)

    def _leave_one_out(
        self, X: Any, y: Any, weights: Vector | None
    ) -> tuple[NDArray[Any], str] | None:
        """Return what the others predict for each row and how; None if it takes refitting."""
        found = self._fitted_without_each_row(X, y, weights)
        if found is None:
            return None
        fitted, lists = found
        chosen = fitted._decide_without_own(fitted._all_votes(lists))  # noqa: SLF001 - our own copy
        return fitted.classes_[chosen], WITHOUT_ITSELF

    def _learn_targets(self, y: ArrayLike, n: int) -> NDArray[Any]:
        return learn_classes(self, y, n=n)
