"""The base of learners that cross out: what was on in a negative row cannot make a row positive.

The learner-teacher protocol: the learner guesses, the teacher says whether it erred, and only a
mistake changes its mind. A learner of conjunctions is one of disjunctions that reads everything
negated (De Morgan): "and" of literals is false iff one of their negations is true.
"""

from abc import abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

import numpy as np
from sklearn.utils import Tags, gen_batches
from sklearn.utils.validation import check_is_fitted

from surelearn._jit import jit, power_weights, rows, tables
from surelearn._jit.rows import Rows, SparseRows
from surelearn._stored import holds, stored
from surelearn._typing import Indices, Mask, Matrix, Vector
from surelearn.base import MistakeRecord, OnlineLinearClassifier
from surelearn.base.online.classifier import OnlineClassifier
from surelearn.base.online.mistakes import Statement, of_all_problems, run_and_risk_certificates
from surelearn.base.online.passes import Run, Visits
from surelearn.booleans import NormalForm
from surelearn.bounds import Guarantee
from surelearn.certificate import Certificate, Evidence, by_construction, checked, violated

_ROWS_AT_ONCE = 1024  # written out with their negations


@stored("elimination-state")
@holds(
    crossed="finite[literals]",
    n_false_negatives="int[1]",
    coef="finite[features]",
    bias="finite[1]",
)
class State(NamedTuple):
    """All that one two-class problem has learnt; `coef` and `bias` are its rule as a linear one.

    `crossed` counts how often each literal was true in a row that was wrongly called positive; for
    a conjunction, how often it was false in a row wrongly called negative. The mistakes of the
    other kind, from which there is nothing to learn, are counted in `n_false_negatives`.
    """

    crossed: Vector
    n_false_negatives: Indices
    coef: Vector
    bias: Vector


@stored("elimination-record")
@holds(
    contradiction=int,
)
@dataclass(frozen=True, eq=False)
class EliminationRecord(MistakeRecord):
    """What the run on one problem leaves behind, with a row that contradicts the rule, or -1."""

    contradiction: int


@jit
def cross_out(X: Rows, signs: Vector, crossed: Vector, kept: Vector, scores: Vector) -> None:
    """Score each row, then cross out what made it wrongly positive; the last three change."""
    for t in range(rows.count(X)):
        scores[t] = rows.dot(X, t, kept) - 0.5
        if signs[t] < 0.0 and scores[t] > 0.0:
            rows.add(X, t, 1.0, crossed)
            power_weights.weigh(
                X, t, 0.0, crossed, kept
            )  # 0 to the power of 0 is 1: not crossed out


def table_of(X: Rows, n_features: int) -> Any:
    """Return the matrix whose rows these are, if none has an entry beyond its columns."""
    if isinstance(X, SparseRows) and X.indices.size and int(X.indices.max()) >= n_features:
        raise ValueError(f"the rows are wider than the {n_features} features that were learnt")
    return tables.of(X, n_features)


class Elimination(OnlineClassifier):
    """What all learners that cross out share; a subclass says what, and which theorem holds.

    One pass is enough: a second one would cross out nothing.
    """

    _record_kind = EliminationRecord
    max_iter = 1
    _features = "bits"
    _dual: ClassVar[bool] = False
    _form: ClassVar[str]
    _part: ClassVar[str] = "literal"

    @abstractmethod
    def _theorem(self, n_variables: int, n_relevant: int) -> Guarantee:
        """Bound the mistakes of one problem, if a formula of so many parts or more is right."""

    @abstractmethod
    def _width(self, state: Any) -> tuple[int, int]:
        """Return the number of variables, and the most parts that a bound can be told of."""

    @abstractmethod
    def _formula(self, state: Any) -> NormalForm:
        """Return what has not been crossed out as a formula."""

    def guarantee(self, *, n_relevant: int = 0) -> Guarantee:
        """Bound `n_mistakes_`, if the labels are a formula of `n_relevant` parts or more.

        The parts are those that the learner crosses out: literals, terms or clauses. With more
        than two classes, if the labels of each class against the rest are.
        """
        check_is_fitted(self)
        theorem = self.begun_._theorem(self.n_features_in_, n_relevant)  # noqa: SLF001 - our own copy
        return of_all_problems(theorem, len(self.states_))

    def certificates(self, *, delta: float = 0.05) -> tuple[Certificate, ...]:
        """State what the last `fit` proves; a learner that has moved on since proves nothing.

        For each two-class problem: the bound on the mistakes with the number of parts left, and
        with none known beforehand; both are void if no formula of this form gives the training
        labels. Then the risk of the model by stable compression, which needs no such formula.

        Parameters
        ----------
        delta
            The probability with which the statement about the risk may fail.
        """
        return run_and_risk_certificates(self, delta)

    @property
    def formulas_(self) -> tuple[NormalForm, ...]:
        """What is left in each two-class problem, as a formula that can be printed."""
        begun = self.begun_
        return tuple(begun._formula(state) for state in self.states_)  # noqa: SLF001 - our own copy

    @property
    def crossed_(self) -> Matrix:
        """How often each literal, term or clause was refuted, by problem."""
        return np.array([state.crossed for state in self.states_])

    @property
    def n_unexplained_(self) -> Indices:
        """For each problem the mistakes that refute nothing: none, if the labels are realisable."""
        return np.array([state.n_false_negatives[0] for state in self.states_])

    @property
    def contradictions_(self) -> Indices:
        """After `fit`: for each problem a row that no formula left explains, or -1."""
        return np.array([record.contradiction for record in self.records_])

    def _statements(self, run: Run, state: Any, record: EliminationRecord) -> Iterator[Statement]:
        """Yield the bound with the number of parts left, then with none known beforehand."""
        n_left, (n_variables, most) = int((state.crossed == 0.0).sum()), self._width(state)
        evidence = {
            "realizable": self._realizable(record.contradiction, n_left),
            "algorithm": by_construction("the code does this"),
        }
        for n_relevant in (min(n_left, most), 0):
            theorem = self._theorem(n_variables, n_relevant)
            yield Statement(theorem, record.total_updates, run.n_rows, evidence)

    def _realizable(self, contradiction: int, n_left: int) -> Evidence:
        """Say whether the labels are those of a formula, as far as the run shows."""
        if contradiction < 0:
            return checked(f"that of the {n_left} {self._part}s left is right on every row")
        said, held, other = "positive", "true", "negative"
        if self._dual:
            said, held, other = "negative", "false", "positive"
        return violated(
            f"not a {self._form}: row {contradiction} is {said}, but each {self._part} that is "
            f"{held} there was {held} in a {other} row"
        )

    def _longest(self, state: Any) -> float:
        del state
        return 1.0  # bits: a row counts as no longer than that

    def _learn_parts(
        self, X: Rows, signs: Vector, crossed: Vector, kept: Vector, scores: Vector
    ) -> None:
        """Cross out by rows that say which parts are true, for an "and" which are false."""
        cross_out(X, -signs if self._dual else signs, crossed, kept, scores)
        if self._dual:
            np.negative(scores, out=scores)

    def _count_unexplained(self, signs: Vector, scores: Vector) -> int:
        """Return the number of mistakes from which there is nothing to learn."""
        if self._dual:
            return int(np.count_nonzero((signs < 0.0) & (scores > 0.0)))
        return int(np.count_nonzero((signs > 0.0) & (scores < 0.0)))

    def _updates(self, signs: Vector, scores: Vector) -> Mask:
        """Return the false positives, or for an "and" the false negatives."""
        if self._dual:
            return (signs > 0.0) & (scores < 0.0)
        return (signs < 0.0) & (scores > 0.0)

    def _record(self, X: Any, margins: Vector, visits: Visits, state: Any) -> EliminationRecord:
        record, wrong = super()._record(X, margins, visits, state), margins < 0.0
        if record is None:  # the rule is not linear in the features: their length says nothing
            record = MistakeRecord.of(
                visits.n_updates, margins, n_passes=visits.n_passes, length=1.0
            )
        contradiction = int(wrong.argmax()) if wrong.any() else -1
        return EliminationRecord(**vars(record), contradiction=contradiction)

    @classmethod
    def _old_record(cls, record: Any, old: dict[str, Any], problem: int) -> EliminationRecord:
        contradiction = int(old["contradictions_"][problem])
        return EliminationRecord(**vars(record), contradiction=contradiction)

    def __sklearn_tags__(self) -> Tags:
        """Say to scikit-learn that few data are nearly a formula of their variables."""
        tags = super().__sklearn_tags__()
        tags.classifier_tags.poor_score = True
        return tags


class EliminationLearner(Elimination, OnlineLinearClassifier):
    """A learner that starts with all literals and crosses out the refuted ones.

    A subclass says which literals there are (`_negations`), whether they are joined by "or" or by
    "and" (`_dual`), and which theorem holds (`_theorem`).
    """

    _negations: ClassVar[bool]

    @property
    def literals_(self) -> tuple[Indices, ...]:
        """The literals left in each two-class problem; negated ones are numbered last."""
        return tuple(np.flatnonzero(state.crossed == 0.0) for state in self.states_)

    def _width(self, state: State) -> tuple[int, int]:
        return len(state.coef), len(state.coef)

    def _formula(self, state: State) -> NormalForm:
        left = tuple(np.flatnonzero(state.crossed == 0.0).tolist())
        kind = "conjunctive" if self._dual else "disjunctive"
        return NormalForm(kind, tuple((j,) for j in left), len(state.coef))

    def _start(self, n_features: int) -> State:
        n_literals = 2 * n_features if self._negations else n_features
        counts = np.zeros(n_literals), np.zeros(1, dtype=np.int64)
        state = State(*counts, np.empty(n_features), np.empty(1))
        self._make_linear(state, np.ones(n_literals))
        return state

    def _learn(self, X: Rows, signs: Vector, state: State, scores: Vector) -> None:
        crossed, n_unexplained, coef, _ = state
        kept = (crossed == 0.0).astype(np.float64)
        if not (self._negations or self._dual):
            self._learn_parts(X, signs, crossed, kept, scores)
        else:
            table = table_of(X, len(coef))
            for part in gen_batches(len(signs), _ROWS_AT_ONCE):
                literals = self._write_out(table[part])
                if literals.shape[1] != len(crossed):
                    raise ValueError(f"this {type(self).__name__} is damaged; fit it again")
                self._learn_parts(literals, signs[part], crossed, kept, scores[part])
        n_unexplained[0] += self._count_unexplained(signs, scores)
        self._make_linear(state, kept)

    def _write_out(self, table: Any) -> Matrix:
        """Return which literals are true in each row, for an "and" which are false."""
        bits = tables.dense(table)
        bits = 1.0 - bits if self._dual else bits
        return tables.with_negations(bits) if self._negations else bits

    def _make_linear(self, state: State, kept: Vector) -> None:
        """Write the formula as a linear rule: a negation is 1 less its variable."""
        on, off = kept[: len(state.coef)], kept[len(state.coef) :]
        state.coef[:] = on - off if self._negations else on
        state.bias[0] = 0.5 - on.sum() if self._dual else off.sum() - 0.5
