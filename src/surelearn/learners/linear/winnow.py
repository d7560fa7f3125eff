"""Winnow: multiply the weights of the variables that are on, instead of adding to them.

    predict 1 iff ⟨w, x⟩ ≥ θ;   on a mistake   w_i ← w_i·α or w_i/α   where x_i = 1

Littlestone (1988); mistake bound in `surelearn.bounds.mistakes_boolean`.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse
from sklearn.utils import Tags, gen_batches
from sklearn.utils.validation import check_is_fitted

from surelearn._jit import jit, power_weights, rows, tables
from surelearn._jit.rows import Rows
from surelearn._stored import holds, stored
from surelearn._typing import Indices, Mask, Matrix, Vector
from surelearn.base import MistakeRecord, OnlineLinearClassifier
from surelearn.base.online.mistakes import Statement, of_all_problems, run_and_risk_certificates
from surelearn.base.online.passes import Run, Visits
from surelearn.bounds import Guarantee, mistakes_boolean
from surelearn.certificate import Certificate, by_construction, checked

_TIE = 2.0**-40  # of the threshold: how far above 0 a sum scores that just reaches it
_ROWS_AT_ONCE = 1024  # written out with their negations


@stored("winnow-state")
class State(NamedTuple):
    """All that one two-class problem has learnt: literals, and the same rule as a linear one."""

    exponents: Vector
    weights: Vector
    coef: Vector
    bias: Vector


@stored("winnow-record")
@holds(
    literals="int[literals]",
    attribute_errors="count",
)
@dataclass(frozen=True, eq=False)
class WinnowRecord(MistakeRecord):
    """What the run on one problem leaves behind, with a short disjunction found in its rows."""

    literals: Indices
    attribute_errors: int


@jit
def _learn_rows(
    X: Rows,
    signs: Vector,
    promotion: float,
    threshold: float,
    exponents: Vector,
    weights: Vector,
    scores: Vector,
) -> None:
    """Score each row, then learn from it; `exponents`, `weights`, `scores` change in place."""
    for t in range(rows.count(X)):
        scores[t] = rows.dot(X, t, weights) - threshold
        if scores[t] >= 0.0:  # to reach the threshold is enough: a tie is positive
            scores[t] += _TIE * threshold
        if signs[t] * scores[t] < 0.0:
            rows.add(X, t, signs[t], exponents)
            power_weights.weigh(X, t, promotion, exponents, weights)


class Winnow(OnlineLinearClassifier):
    """Learner of disjunctions among many variables, few of which matter; rows are bits.

    Parameters
    ----------
    promotion
        The factor α > 1 by which weights grow after a missed positive and shrink after a false one.
    threshold
        The sum θ ≥ 1 of weights from which on a row is positive; left out, the number of literals.
    negations
        Learn from each variable and its negation: disjunctions of literals instead of variables.
    max_iter
        The largest number of passes `fit` makes; it stops at the first pass without mistakes.

    Attributes
    ----------
    exponents_, weights_
        How often each literal was promoted, less how often demoted, and α to that power: exact for
        α = 2. A row of literals per two-class problem, the negations last.
    coef_, intercept_
        The same rule as a linear one: positive iff ⟨coef, x⟩ + intercept > 0.
    n_mistakes_, n_rounds_, cumulative_loss_
        Mistakes made so far, each an update, over all two-class problems; rows visited; the sum of
        the 0-1 losses.
    disjunctions_
        After `fit`: for each two-class problem the literals of a short disjunction, consistent with
        the training rows if there is one, and its attribute errors on the mistakes of the run.
    compression_set_
        After `fit`: the training rows that ever changed the weights or are still wrong.

    Examples
    --------
    >>> X = [[1, 0, 0, 0], [0, 1, 1, 0], [1, 1, 0, 0], [0, 1, 0, 1], [0, 0, 1, 1]]
    >>> model = Winnow(max_iter=1).fit(X, [1, 1, 1, 0, 1])
    >>> model.weights_.tolist(), model.n_mistakes_
    ([[2.0, 2.0, 4.0, 2.0]], 3)
    >>> model.guarantee(n_relevant=2).bound
    13.0
    """

    _record_kind = WinnowRecord
    _features = "bits"

    def __init__(
        self,
        *,
        promotion: float = 2.0,
        threshold: float | None = None,
        negations: bool = False,
        max_iter: int = 1000,
    ) -> None:
        self.promotion = promotion
        self.threshold = threshold
        self.negations = negations
        self.max_iter = max_iter

    def guarantee(self, *, n_relevant: int, attribute_errors: int = 0) -> Guarantee:
        """Bound `n_mistakes_`, if a disjunction of `n_relevant` literals is right on the rows.

        With more than two classes, if one is in each two-class problem. `attribute_errors` are what
        it gets wrong on the mistakes: 1 for a positive row with none of the literals, the number of
        them for a negative row.
        """
        check_is_fitted(self)
        n_literals = len(self.states_[0].weights)
        theorem = self.begun_._theorem(n_literals, n_relevant, attribute_errors)  # noqa: SLF001 - our own copy
        return of_all_problems(theorem, len(self.states_))

    def certificates(self, *, delta: float = 0.05) -> tuple[Certificate, ...]:
        """State what the last `fit` proves; a learner that has moved on since proves nothing.

        For each two-class problem: Littlestone's bound with a disjunction found in the training
        rows. Then the risk of the model by stable compression.

        Parameters
        ----------
        delta
            The probability with which the statement about the risk may fail.
        """
        return run_and_risk_certificates(self, delta)

    @property
    def exponents_(self) -> Matrix:
        """How often each literal was promoted, less how often demoted; a row per problem."""
        return np.array([state.exponents for state in self.states_])

    @property
    def weights_(self) -> Matrix:
        """The weight of each literal; a row per problem."""
        return np.array([state.weights for state in self.states_])

    @property
    def disjunctions_(self) -> tuple[tuple[Indices, int], ...]:
        """After `fit`: a short disjunction of each problem, and its errors on the mistakes."""
        return tuple((record.literals, record.attribute_errors) for record in self.records_)

    def _statements(self, run: Run, state: State, record: WinnowRecord) -> Iterator[Statement]:
        """Yield what holds for the number of mistakes in one two-class problem."""
        n_literals, errors = len(record.literals), record.attribute_errors
        found = f"one of {n_literals} literals has {errors} attribute errors on the mistakes"
        evidence = {
            "labels": checked(found),
            "start": by_construction("the code does exactly this"),
        }
        theorem = self._theorem(len(state.weights), n_literals, errors)
        n_rounds = record.n_passes * run.n_rows
        yield Statement(theorem, record.total_updates, n_rounds, evidence)

    def _theorem(self, n_literals: int, n_relevant: int, attribute_errors: int) -> Guarantee:
        return mistakes_boolean.winnow(
            n_variables=n_literals,
            n_relevant=n_relevant,
            promotion=self.promotion,
            threshold=self._level(n_literals),
            attribute_errors=attribute_errors,
        )

    def _level(self, n_literals: int) -> float:
        return float(n_literals if self.threshold is None else self.threshold)

    def _check_parameters(self) -> None:
        level = 1.0 if self.threshold is None else self.threshold
        mistakes_boolean.winnow(  # refuses parameters it does not cover
            n_variables=1, n_relevant=0, promotion=self.promotion, threshold=level
        )

    def _longest(self, state: State) -> float:
        del state
        return 1.0  # bits: a row counts as no longer than that

    def _start(self, n_features: int) -> State:
        n_literals = 2 * n_features if self.negations else n_features
        literals = np.zeros(n_literals), np.ones(n_literals)
        state = State(*literals, np.empty(n_features), np.empty(1))
        self._make_linear(state)
        return state

    def _learn(self, X: Rows, signs: Vector, state: State, scores: Vector) -> None:
        exponents, weights, coef, _ = state
        constants = float(self.promotion), self._level(len(weights))
        if not self.negations:
            _learn_rows(X, signs, *constants, exponents, weights, scores)
        else:
            table = tables.of(X, len(coef))
            for part in gen_batches(len(signs), _ROWS_AT_ONCE):
                literals = tables.with_negations(table[part])
                _learn_rows(literals, signs[part], *constants, exponents, weights, scores[part])
        self._make_linear(state)

    def _make_linear(self, state: State) -> None:
        """Write the weights of a problem as a linear rule: a negation is 1 less its variable."""
        _, weights, coef, bias = state
        on, off = weights[: len(coef)], weights[len(coef) :]
        coef[:] = on - off if self.negations else on
        bias[0] = off.sum() - self._level(len(weights)) * (1.0 - _TIE)

    def _record(self, X: Any, margins: Vector, visits: Visits, state: State) -> WinnowRecord:
        record = super()._record(X, margins, visits, state)
        table = sparse.csr_array(tables.with_negations(X) if self.negations else X)
        return WinnowRecord(**vars(record), **_found(table, visits.signs > 0.0, record))

    @classmethod
    def _old_record(cls, record: Any, old: dict[str, Any], problem: int) -> WinnowRecord:
        literals, errors = old["disjunctions_"][problem]
        return WinnowRecord(**vars(record), literals=literals, attribute_errors=errors)

    def __sklearn_tags__(self) -> Tags:
        """Say to scikit-learn that few data are nearly a disjunction of their variables."""
        tags = super().__sklearn_tags__()
        tags.classifier_tags.poor_score = True
        return tags


def _found(table: Any, positive: Mask, record: MistakeRecord) -> dict[str, Any]:
    """Return a short disjunction and its attribute errors on the mistakes of a run."""
    chosen = _short_disjunction(table, positive)
    hits = np.asarray(table[record.updated][:, chosen].sum(axis=1)).ravel()
    errors = np.where(positive[record.updated], hits == 0.0, hits)
    return {"literals": chosen, "attribute_errors": int(errors @ record.n_updates)}


def _short_disjunction(table: Any, positive: Mask) -> Indices:
    """Return few variables whose disjunction is right on every row, if there are such, or nearly.

    Greedy: next comes the variable that mends most attribute errors; the best cover has a size
    smaller by a logarithmic factor at most. If the variables that are 0 in all negative rows cover
    the positive ones, no others are considered.
    """
    wanted = table[positive]
    against = np.asarray(table[~positive].sum(axis=0)).ravel()
    if (wanted @ (against == 0.0) > 0.0).all():
        against[against > 0.0] = np.inf
    gains, columns = np.asarray(wanted.sum(axis=0)).ravel() - against, wanted.tocsc()
    missing, chosen = np.ones(wanted.shape[0], dtype=bool), list[int]()
    while gains[best := int(gains.argmax())] > 0.0:
        chosen.append(best)
        stored = slice(columns.indptr[best], columns.indptr[best + 1])
        on = columns.indices[stored][columns.data[stored] == 1.0]
        covered = wanted[on[missing[on]]]
        missing[on] = False
        np.subtract.at(gains, covered.indices, covered.data)
    return np.array(chosen, dtype=np.int64)
