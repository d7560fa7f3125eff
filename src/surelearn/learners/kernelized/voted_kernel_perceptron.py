"""The voted kernel Perceptron: every function of a run votes, as often as it survived a round.

    ŷ = sgn( Σ_k c_k · sgn f_k(x) ),   c_k the number of rounds that ended with the function f_k

f_k(x) = f_{k-1}(x) ± K(x_k, x) with x_k the row of the k-th mistake, so all votes together take one
kernel value for each row remembered. Freund and Schapire (1999).
"""

from array import array
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from sklearn.utils import gen_batches

from surelearn._jit import rows, tables
from surelearn._jit.rows import Rows
from surelearn._jit.votes import vote
from surelearn._stored import holds, stored
from surelearn._typing import Indices, Matrix, Vector
from surelearn.base.online.passes import Visits
from surelearn.base.online.state import History
from surelearn.base.online.votes import refuse_forged_votes, votes_of, with_votes
from surelearn.kernels import Kernel, Linear
from surelearn.learners.kernelized._all_rounds import AllRoundsCount
from surelearn.learners.kernelized._dual import with_support
from surelearn.learners.kernelized.kernel_perceptron import KernelPerceptron

_VALUES_AT_ONCE = 2**22


@stored("voted-kernel-perceptron-state")
@holds(
    coef="finite[support]",
    radius="finite[1]",
    current="finite[current]",
    support=tuple,
    last="int[2]",
    votes=tuple,
)
class State(NamedTuple):
    """All that one two-class problem has learnt, beginning as the kernel Perceptron's state.

    `votes` is the history of its functions but the last, by the number of the row that was added
    (+k) or subtracted (-k) and the rounds survived; `last` is this pair for the current one.
    """

    coef: Vector
    radius: Vector
    current: Vector
    support: History
    last: Indices
    votes: History


class VotedKernelPerceptron(AllRoundsCount, KernelPerceptron):
    """All functions a kernel Perceptron ever had, each voting as often as it survived a round.

    Its mistakes while learning are the kernel Perceptron's, and so are their bounds: `learn`
    returns the scores of the running f. `decision_function` returns the balance of the votes, from
    -1 to 1; a function that scores a row exactly 0 abstains. No statement about the risk of the
    vote is issued: rows that change nothing still lengthen a survival. Use a `Holdout`.

    Parameters
    ----------
    kernel
        Any kernel, on tables or on strings.
    max_iter
        The largest number of passes `fit` makes; it stops at the first pass without mistakes.

    Attributes
    ----------
    support_vectors_, coef_
        The rows remembered, and for each two-class problem their coefficients in the running f.
    updates_, survived_
        For each problem the mistakes in order: +k if the k-th row remembered was added, -k if it
        was subtracted; and how many rounds ended with the function that this gave.
    n_mistakes_, n_rounds_, cumulative_loss_
        Mistakes of the running f, over all two-class problems; rows visited; the sum of the 0-1
        losses.
    radius_, norms_
        The largest sqrt(K(x, x)) of a row seen; after `fit`, the norm of the running f.

    Examples
    --------
    >>> X, y = [[1.0, 0.0], [0.0, 1.0], [-0.9, 0.4], [0.5, -1.0]], [1, 1, -1, -1]
    >>> model = VotedKernelPerceptron().fit(X, y)
    >>> model.survived_[0].tolist(), model.decision_function([[1.0, -3.0]]).tolist()
    ([1, 7], [-0.75])
    """

    def __init__(self, *, kernel: Kernel = Linear(), max_iter: int = 10) -> None:  # noqa: B008 - frozen
        self.kernel = kernel
        self.max_iter = max_iter

    @property
    def updates_(self) -> "tuple[array[int], ...]":
        """For each problem its mistakes in order: which row was added or subtracted."""
        return tuple(array("q", votes_of(state)[0].tobytes()) for state in self.states_)

    @property
    def survived_(self) -> "tuple[array[int], ...]":
        """For each problem how many rounds ended with the function that each mistake gave."""
        return tuple(array("q", votes_of(state)[1].tobytes()) for state in self.states_)

    def _start(self, n_features: int) -> Any:
        empty, table = np.empty(0), (np.empty((0, n_features)),)
        return State(empty, np.zeros(1), empty.copy(), table, np.zeros(2, dtype=np.int64), ())

    def _scores(self, X: Any, states: Sequence[Any]) -> Matrix:
        """Return the balance of the votes, a column per problem."""
        voters, support = [votes_of(state) for state in states], states[0].support[0]
        votes = np.zeros((len(states), X.shape[0]))
        if support.shape[0]:
            for part in gen_batches(X.shape[0], max(1, _VALUES_AT_ONCE // support.shape[0])):
                values = self._values(X[part], support)
                for (updates, survived), balance in zip(voters, votes, strict=True):
                    vote(values, updates, survived, 0.0, balance[part])
        return votes.T / [max(1, each[1].sum()) for each in voters]

    def _keep(self, X: Rows, visits: Sequence[Visits], states: Sequence[Any]) -> tuple[Any, ...]:
        """Remember the rows of the mistakes, and let the votes refer to them."""
        coef, before = np.array([v.signs * v.n_updates for v in visits]), states[0].support[0]
        used, names = np.flatnonzero(coef.any(axis=0)), np.zeros(rows.count(X), dtype=np.int64)
        names[used] = before.shape[0] + 1 + np.arange(len(used))  # numbers of the rows, from 1
        each = zip(states, visits, strict=True)
        voting = [with_votes(state, v, names) for state, v in each]
        return with_support(voting, tables.of(X, before.shape[1]), coef)

    def _refuse_unlike(self, state: Any, n_features: int) -> None:
        super()._refuse_unlike(state, n_features)
        refuse_forged_votes(state, len(state.coef))
