"""The base of learners that cross out: what was on in a negative row cannot make a row positive.

The learner-teacher protocol: the learner guesses, the teacher says whether it erred, and only a
mistake changes its mind.
"""

from abc import abstractmethod
from typing import Any, ClassVar

import numpy as np
from sklearn.utils import Tags, gen_batches
from sklearn.utils.validation import check_is_fitted

from surelearn._jit import jit, powers, rows, tables
from surelearn._jit.rows import Rows
from surelearn._typing import Indices, Mask, Vector
from surelearn.base.online.classifier import OnlineLinearClassifier
from surelearn.base.online.mistakes import certify_run, compression_certificate, of_all_problems
from surelearn.bounds import Guarantee
from surelearn.certificate import Certificate, Status

_ROWS_AT_ONCE = 1024  # written out with their negations


@jit
def _learn_rows(X: Rows, signs: Vector, crossed: Vector, kept: Vector, scores: Vector) -> None:
    """Score each row, then cross out what made it wrongly positive; the last three change."""
    for t in range(rows.count(X)):
        scores[t] = rows.dot(X, t, kept) - 0.5
        if signs[t] < 0.0 and scores[t] > 0.0:
            rows.add(X, t, 1.0, crossed)
            powers.weigh(X, t, 0.0, crossed, kept)  # 0 to the power of 0 is 1: not crossed out


class EliminationLearner(OnlineLinearClassifier):
    """A learner of disjunctions that starts with all literals and crosses out the refuted ones.

    A subclass says which literals there are (`_negations`) and which theorem holds (`_theorem`).
    One pass is enough: a second one would cross out nothing.
    """

    max_iter = 1
    _features = "bits"
    _negations: ClassVar[bool]

    @abstractmethod
    def _theorem(self, n_relevant: int) -> Guarantee:
        """Bound the mistakes of one problem, if an "or" of so many literals or more is right."""

    def guarantee(self, *, n_relevant: int = 0) -> Guarantee:
        """Bound `n_mistakes_`, if the labels are an "or" of `n_relevant` literals or more.

        With more than two classes, if those of each class against the rest are.
        """
        check_is_fitted(self)
        return of_all_problems(self._theorem(n_relevant), len(self.coef_))

    def certificates(self, *, delta: float = 0.05) -> tuple[Certificate, ...]:
        """State what the last `fit` proves; a learner that has moved on since proves nothing.

        For each two-class problem: the bound on the mistakes with the number of literals left, and
        with none known beforehand; both are void if no disjunction gives the training labels. Then
        the risk of the model by stable compression, which needs no such disjunction.

        Parameters
        ----------
        delta
            The probability with which the statement about the risk may fail.
        """
        check_is_fitted(self)
        if not hasattr(self, "records_"):
            return ()
        sure = [
            certify_run(
                self,
                problem,
                self._theorem(n_relevant),
                observed=record.total_updates,
                n_rounds=self.n_training_rows_,
                statuses=[self._realised(problem), ("by-construction", "the code does this")],
            )
            for problem, record in enumerate(self.records_)
            for n_relevant in (min(len(self.literals_[problem]), self.n_features_in_), 0)
        ]
        return (*sure, compression_certificate(self, delta=delta))

    def _realised(self, problem: int) -> tuple[Status, str]:
        row = self.contradictions_[problem]
        if row < 0:
            n_literals = len(self.literals_[problem])
            return "checked", f"that of the {n_literals} literals left is right on every row"
        return "violated", (
            f"not a disjunction: row {row} is positive, but each literal that is true there was "
            "true in a negative row"
        )

    @property
    def literals_(self) -> tuple[Indices, ...]:
        """The literals left in each two-class problem; negated ones are numbered last."""
        return tuple(np.flatnonzero(crossed == 0.0) for crossed in self.crossed_)

    def _start(self, n_features: int, n_problems: int) -> None:
        n_literals = 2 * n_features if self._negations else n_features
        self.crossed_ = np.zeros((n_problems, n_literals))
        self.coef_, self.intercept_ = np.empty((n_problems, n_features)), np.empty(n_problems)
        self.n_false_negatives_ = np.zeros(n_problems, dtype=np.int64)
        self.radius_ = 1.0
        for problem in range(n_problems):
            self._make_linear(problem, np.ones(n_literals))

    def _learn(self, X: Rows, signs: Vector, problem: int, scores: Vector) -> None:
        crossed = self.crossed_[problem]
        kept = (crossed == 0.0).astype(np.float64)
        if not self._negations:
            _learn_rows(X, signs, crossed, kept, scores)
        else:
            table = tables.of(X, self.n_features_in_)
            for part in gen_batches(len(signs), _ROWS_AT_ONCE):
                literals = tables.with_negations(table[part])
                _learn_rows(literals, signs[part], crossed, kept, scores[part])
        self.n_false_negatives_[problem] += np.count_nonzero((signs > 0.0) & (scores < 0.0))
        self._make_linear(problem, kept)

    def _make_linear(self, problem: int, kept: Vector) -> None:
        """Write a disjunction as a linear rule: a negation is 1 less its variable."""
        on, off = kept[: self.n_features_in_], kept[self.n_features_in_ :]
        self.coef_[problem] = on - off if self._negations else on
        self.intercept_[problem] = off.sum() - 0.5

    def _updates(self, signs: Vector, scores: Vector) -> Mask:
        """Return the false positives; from a false negative there is nothing to learn."""
        return (signs < 0.0) & (scores > 0.0)

    def _record_run(self, X: Any, index: Indices, counts: list[tuple[Indices, int]]) -> None:
        super()._record_run(X, index, counts)
        final = self._final_scores(X)
        wrong = [self._signs(index, p) * final[:, p] < 0.0 for p in range(len(counts))]
        self.contradictions_ = np.array([int(w.argmax()) if w.any() else -1 for w in wrong])

    def _forget_training_set(self) -> None:
        super()._forget_training_set()
        vars(self).pop("contradictions_", None)

    def __sklearn_tags__(self) -> Tags:
        """Say to scikit-learn that few data are nearly a disjunction of their variables."""
        tags = super().__sklearn_tags__()
        tags.classifier_tags.poor_score = True
        return tags
