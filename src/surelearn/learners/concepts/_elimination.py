"""The base of learners that cross out: what was on in a negative row cannot make a row positive.

The learner-teacher protocol: the learner guesses, the teacher says whether it erred, and only a
mistake changes its mind.
"""

from abc import abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

import numpy as np
from sklearn.utils import Tags, gen_batches
from sklearn.utils.validation import check_is_fitted

from surelearn._jit import jit, power_weights, rows, tables
from surelearn._jit.rows import Rows
from surelearn._stored import stored
from surelearn._typing import Indices, Mask, Matrix, Vector
from surelearn.base import MistakeRecord, OnlineLinearClassifier, compression_certificate
from surelearn.base.online.mistakes import Statement, certify_run, of_all_problems
from surelearn.base.online.passes import Run, Visits
from surelearn.bounds import Guarantee
from surelearn.certificate import Certificate, Evidence, by_construction, checked, violated

_ROWS_AT_ONCE = 1024  # written out with their negations


@stored("elimination-state")
class State(NamedTuple):
    """All that one two-class problem has learnt; `coef` and `bias` are its rule as a linear one.

    `crossed` counts how often each literal was true in a row that was wrongly called positive.
    """

    crossed: Vector
    n_false_negatives: Indices
    coef: Vector
    bias: Vector


@stored("elimination-record")
@dataclass(frozen=True, eq=False)
class EliminationRecord(MistakeRecord):
    """What the run on one problem leaves behind, with a row that contradicts the rule, or -1."""

    contradiction: int


@jit
def _learn_rows(X: Rows, signs: Vector, crossed: Vector, kept: Vector, scores: Vector) -> None:
    """Score each row, then cross out what made it wrongly positive; the last three change."""
    for t in range(rows.count(X)):
        scores[t] = rows.dot(X, t, kept) - 0.5
        if signs[t] < 0.0 and scores[t] > 0.0:
            rows.add(X, t, 1.0, crossed)
            power_weights.weigh(
                X, t, 0.0, crossed, kept
            )  # 0 to the power of 0 is 1: not crossed out


class EliminationLearner(OnlineLinearClassifier):
    """A learner of disjunctions that starts with all literals and crosses out the refuted ones.

    A subclass says which literals there are (`_negations`) and which theorem holds (`_theorem`).
    One pass is enough: a second one would cross out nothing.
    """

    max_iter = 1
    _features = "bits"
    _negations: ClassVar[bool]

    @abstractmethod
    def _theorem(self, n_variables: int, n_relevant: int) -> Guarantee:
        """Bound the mistakes of one problem, if an "or" of so many literals or more is right."""

    def guarantee(self, *, n_relevant: int = 0) -> Guarantee:
        """Bound `n_mistakes_`, if the labels are an "or" of `n_relevant` literals or more.

        With more than two classes, if those of each class against the rest are.
        """
        check_is_fitted(self)
        theorem = self.begun_._theorem(self.n_features_in_, n_relevant)  # noqa: SLF001 - our own copy
        return of_all_problems(theorem, len(self.states_))

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
        if self.run_ is None:
            return ()
        return (*certify_run(self), compression_certificate(self, delta=delta))

    @property
    def literals_(self) -> tuple[Indices, ...]:
        """The literals left in each two-class problem; negated ones are numbered last."""
        return tuple(np.flatnonzero(state.crossed == 0.0) for state in self.states_)

    @property
    def crossed_(self) -> Matrix:
        """How often each literal was true in a row wrongly called positive, by problem."""
        return np.array([state.crossed for state in self.states_])

    @property
    def n_false_negatives_(self) -> Indices:
        """For each two-class problem the positive rows missed."""
        return np.array([state.n_false_negatives[0] for state in self.states_])

    @property
    def contradictions_(self) -> Indices:
        """After `fit`: for each problem a positive row that no literal left explains, or -1."""
        return np.array([record.contradiction for record in self.records_])

    def _statements(self, run: Run, state: State, record: EliminationRecord) -> Iterator[Statement]:
        """Yield the bound with the number of literals left, then with none known beforehand."""
        n_literals, n_variables = int((state.crossed == 0.0).sum()), len(state.coef)
        evidence = {
            "realizable": _realizable(record.contradiction, n_literals),
            "algorithm": by_construction("the code does this"),
        }
        for n_relevant in (min(n_literals, n_variables), 0):
            theorem = self._theorem(n_variables, n_relevant)
            yield Statement(theorem, record.total_updates, run.n_rows, evidence)

    def _longest(self, state: State) -> float:
        del state
        return 1.0  # bits: a row counts as no longer than that

    def _start(self, n_features: int) -> State:
        n_literals = 2 * n_features if self._negations else n_features
        counts = np.zeros(n_literals), np.zeros(1, dtype=np.int64)
        state = State(*counts, np.empty(n_features), np.empty(1))
        self._make_linear(state, np.ones(n_literals))
        return state

    def _learn(self, X: Rows, signs: Vector, state: State, scores: Vector) -> None:
        crossed, n_false_negatives, coef, _ = state
        kept = (crossed == 0.0).astype(np.float64)
        if not self._negations:
            _learn_rows(X, signs, crossed, kept, scores)
        else:
            table = tables.of(X, len(coef))
            for part in gen_batches(len(signs), _ROWS_AT_ONCE):
                literals = tables.with_negations(table[part])
                _learn_rows(literals, signs[part], crossed, kept, scores[part])
        n_false_negatives[0] += np.count_nonzero((signs > 0.0) & (scores < 0.0))
        self._make_linear(state, kept)

    def _make_linear(self, state: State, kept: Vector) -> None:
        """Write a disjunction as a linear rule: a negation is 1 less its variable."""
        on, off = kept[: len(state.coef)], kept[len(state.coef) :]
        state.coef[:] = on - off if self._negations else on
        state.bias[0] = off.sum() - 0.5

    def _updates(self, signs: Vector, scores: Vector) -> Mask:
        """Return the false positives; from a false negative there is nothing to learn."""
        return (signs < 0.0) & (scores > 0.0)

    def _record(self, X: Any, margins: Vector, visits: Visits, state: State) -> EliminationRecord:
        record, wrong = super()._record(X, margins, visits, state), margins < 0.0
        contradiction = int(wrong.argmax()) if wrong.any() else -1
        return EliminationRecord(**vars(record), contradiction=contradiction)

    @classmethod
    def _old_record(cls, record: Any, old: dict[str, Any], problem: int) -> EliminationRecord:
        contradiction = int(old["contradictions_"][problem])
        return EliminationRecord(**vars(record), contradiction=contradiction)

    def __sklearn_tags__(self) -> Tags:
        """Say to scikit-learn that few data are nearly a disjunction of their variables."""
        tags = super().__sklearn_tags__()
        tags.classifier_tags.poor_score = True
        return tags


def _realizable(contradiction: int, n_literals: int) -> Evidence:
    """Say whether the labels are those of a disjunction, as far as the run shows."""
    if contradiction < 0:
        return checked(f"that of the {n_literals} literals left is right on every row")
    return violated(
        f"not a disjunction: row {contradiction} is positive, but each literal that is true there "
        "was true in a negative row"
    )
