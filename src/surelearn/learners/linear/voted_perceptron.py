"""The voted Perceptron: every weight vector of a run votes, as often as it survived a round.

    ŷ = sgn( Σ_k c_k · sgn⟨w_k, x⟩ ),   c_k the number of rounds that ended with the weights w_k

Freund and Schapire (1999). The averaged Perceptron is another rule: it takes the sign only once, of
Σ c_k·⟨w_k, x⟩. The vectors need not be kept: ⟨w_k, x⟩ = ⟨w_{k-1}, x⟩ ± ⟨x_k, x⟩ with x_k the row of
the k-th mistake.
"""

import math
from array import array
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple, cast

import numpy as np
from scipy import sparse
from sklearn.utils import gen_batches
from sklearn.utils.validation import check_is_fitted

from surelearn._jit import jit, rows, tables
from surelearn._jit.rows import Rows
from surelearn._jit.sound_matrices import sound
from surelearn._jit.votes import vote
from surelearn._stored import stored
from surelearn._typing import Indices, Mask, Matrix, Vector
from surelearn.base import OnlineClassifier, OnlineLinearClassifier, validation
from surelearn.base.online.mistakes import (
    MistakeRecord,
    Statement,
    of_linear_perceptron,
    sure_certificates,
)
from surelearn.base.online.passes import Run, Visits
from surelearn.base.online.state import History, appended, together
from surelearn.base.online.votes import refuse_forged_votes, votes_of, with_votes
from surelearn.bounds import Guarantee, mistakes
from surelearn.certificate import Certificate

_BLOCK = 2**22  # inner products held at once


@stored("voted-perceptron-state")
class State(NamedTuple):
    """All that one two-class problem has learnt; `radius` is the norm of its longest row.

    `votes` is the history of its weight vectors but the last: each came by adding stored row k (+k)
    or subtracting it (-k), and survived so many rounds; `last` is this pair for the current one.
    All problems share `stored`, the history of the rows that any of them erred on.
    """

    coef: Vector
    bias: Vector
    radius: Vector
    last: Indices
    votes: History
    stored: History


@jit
def _learn_rows(
    X: Rows, signs: Vector, step: float, coef: Vector, bias: Vector, radius: Vector, scores: Vector
) -> None:
    """Score each row, then learn from it; the last four arguments change in place."""
    largest = 0.0
    for t in range(rows.count(X)):
        score, square = rows.dot_and_square(X, t, coef)
        scores[t] = score + bias[0]
        if signs[t] * scores[t] <= 0.0:  # a tie counts, or w = 0 would never move
            rows.add(X, t, signs[t], coef)
            bias[0] += step * signs[t]
        largest = max(largest, square + step)
    radius[0] = max(radius[0], math.sqrt(largest))


class VotedPerceptron(OnlineLinearClassifier):
    """All weight vectors a Perceptron ever had, each voting as often as it survived a round.

    Its mistakes while learning are the Perceptron's, and so are their bounds: `learn` returns the
    scores of the running weights. `decision_function` returns the balance of the votes, from -1
    to 1; a vector that scores a row exactly 0 abstains. No statement about the risk of the vote is
    issued: rows that change nothing still lengthen a survival, so the vote is not determined by a
    few of them, as stable compression would need. Use a `Holdout`.

    The rows of the mistakes are stored, each once; predicting costs an inner product with each.

    Parameters
    ----------
    fit_intercept
        Learn a constant term, as if every row had one more feature equal to 1.
    max_iter
        The largest number of passes `fit` makes; it stops at the first pass without mistakes.

    Attributes
    ----------
    coef_, intercept_
        The running weights, a row per two-class problem, and their constant terms. They alone do
        not make the prediction.
    updates_, survived_
        For each problem the mistakes in order: +k if the k-th stored row was added, -k if it was
        subtracted; and how many rounds ended with the weights that this gave.
    stored_, n_stored_
        Blocks of rows on which a mistake was made, and how many rows they hold.
    n_mistakes_, n_rounds_, cumulative_loss_
        Mistakes of the running weights, over all two-class problems; rows visited; the sum of the
        0-1 losses.
    radius_
        The largest norm of a row seen, the constant feature included.

    Examples
    --------
    >>> X, y = [[1.0, 0.0], [0.0, 1.0], [-0.9, 0.4], [0.5, -1.0]], [1, 1, -1, -1]
    >>> model = VotedPerceptron(fit_intercept=False).fit(X, y)
    >>> model.survived_[0].tolist()
    [1, 7]
    >>> model.decision_function([[1.0, -3.0], [-3.0, 4.0]]).tolist()
    [-0.75, 0.75]
    """

    _learns_by_other_weights = True

    def __init__(self, *, fit_intercept: bool = True, max_iter: int = 10) -> None:
        self.fit_intercept = fit_intercept
        self.max_iter = max_iter

    def guarantee(self, *, margin: float) -> Guarantee:
        """Bound `n_mistakes_`, if in each two-class problem a unit vector has this `margin`."""
        check_is_fitted(self)
        # With C two-class problems the mistakes of all are at most C (R / margin)^2.
        radius = self.radius_ * math.sqrt(len(self.states_))
        return mistakes.novikoff(radius=radius, margin=margin)

    def certificates(self, *, delta: float = 0.05) -> tuple[Certificate, ...]:
        """State what the last `fit` proves; a learner that has moved on since proves nothing.

        For each two-class problem: Novikoff's bound with the margin that the last weights achieve
        (if they separate the training rows), and the bound by the hinge loss of the best multiple
        of the last weights.

        Parameters
        ----------
        delta
            Not needed here: every statement holds surely.
        """
        return sure_certificates(self, delta)

    @property
    def updates_(self) -> "tuple[array[int], ...]":
        """For each problem its mistakes in order: which stored row was added or subtracted."""
        return tuple(array("q", votes_of(state)[0].tobytes()) for state in self.states_)

    @property
    def survived_(self) -> "tuple[array[int], ...]":
        """For each problem how many rounds ended with the weights that each mistake gave."""
        return tuple(array("q", votes_of(state)[1].tobytes()) for state in self.states_)

    @property
    def stored_(self) -> list[Any]:
        """Blocks of rows on which a mistake was made."""
        return list(self.states_[0].stored)

    @property
    def n_stored_(self) -> int:
        """The number of rows stored."""
        return _n_rows(self.states_[0].stored)

    def _statements(self, run: Run, state: State, record: MistakeRecord) -> Iterator[Statement]:
        return of_linear_perceptron(run, state, record)

    def predict_one(self, x: Any) -> Any:
        """Return the label predicted for one row, an array or a mapping from names to numbers."""
        return OnlineClassifier.predict_one(self, x)  # the weights alone do not make the prediction

    def _scores(self, X: Any, states: Sequence[State]) -> Matrix:
        """Return the balance of the votes, a column per problem; 0 before the first mistake."""
        if not states[0].stored:
            return np.zeros((X.shape[0], len(states)))
        voters, stored = [votes_of(state) for state in states], together(states[0].stored)
        votes, step = np.empty((len(states), X.shape[0])), float(self.fit_intercept)
        for part in gen_batches(X.shape[0], max(1, _BLOCK // stored.shape[0])):
            products: Any = X[part] @ stored.T
            products = cast("Any", products).toarray() if sparse.issparse(products) else products
            for (updates, survived), balance in zip(voters, votes, strict=True):
                vote(products, updates, survived, step, balance[part])
        return votes.T / [each[1].sum() for each in voters]

    def _check_form(self) -> None:
        super()._check_form()
        if len({_n_rows(state.stored) for state in self.states_}) > 1:
            raise ValueError("its problems do not share the rows stored")

    def _refuse_unlike(self, state: Any, n_features: int) -> None:
        """Refuse votes by rows that are not stored, as a forged model file may hold them."""
        super()._refuse_unlike(state, n_features)
        for block in state.stored:
            cells = sound(block).data if sparse.issparse(block) else block
            if cast("Any", block).shape[1:] != (n_features,) or cells.dtype != np.float64:
                raise ValueError("the rows stored are not as wide as those it has learnt")
            validation.all_finite(self, block, short=True)
        refuse_forged_votes(state, _n_rows(state.stored))

    def _start(self, n_features: int) -> State:
        weights = np.zeros(n_features), np.zeros(1), np.zeros(1)
        return State(*weights, last=np.zeros(2, dtype=np.int64), votes=(), stored=())

    def _learn(self, X: Rows, signs: Vector, state: State, scores: Vector) -> None:
        step = float(self.fit_intercept)
        _learn_rows(X, signs, step, state.coef, state.bias, state.radius, scores)

    def _keep(
        self, X: Rows, visits: Sequence[Visits], states: Sequence[State]
    ) -> tuple[State, ...]:
        """Store the rows that any problem erred on, and let the votes refer to them."""
        n_rows, stored = rows.count(X), states[0].stored
        used = np.concatenate([place for v in visits for place in v.places])
        if not len(used):  # as most single rows
            for state, v in zip(states, visits, strict=True):
                state.last[1] += n_rows * v.n_passes
            return tuple(states)
        used, names = np.unique(used), np.zeros(n_rows, dtype=np.int64)
        names[used] = _n_rows(stored) + 1 + np.arange(len(used))  # numbers in the store, from 1
        stored = appended(stored, tables.of(X, len(states[0].coef))[used])
        each = zip(states, visits, strict=True)
        return tuple(with_votes(state, v, names)._replace(stored=stored) for state, v in each)

    def _outcome(self, X: Any, wrong: Mask, used: Mask) -> tuple[int | None, Indices | None]:
        # The errors are those of the last weights, not of the vote, and dropping rows that changed
        # nothing would change the survivals.
        del X, wrong, used
        return None, None

    @classmethod
    def _old_state(cls, old: dict[str, Any], problem: int, begun: Any) -> State:
        del begun
        votes = np.column_stack([old["updates_"][problem], old["survived_"][problem]])
        stored: History = ()
        for block in old["stored_"]:
            stored = appended(stored, block)
        weights = old["coef_"][problem].copy(), old["intercept_"][problem : problem + 1].copy()
        earlier = (votes[:-1],) if len(votes) > 1 else ()
        return State(*weights, np.array([old["radius_"]]), votes[-1].copy(), earlier, stored)


def _n_rows(history: History) -> int:
    return sum(block.shape[0] for block in history)
