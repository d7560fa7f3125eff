"""Crossing out whole terms: a row makes exactly one term true of each set of k variables.

The terms of k literals are numbered: the set of variables first, in lexicographic order, then which
of them are on, as a binary number whose first digit belongs to the first variable. So a row of n
bits is a sparse row of C(n, k) ones among C(n, k) 2^k terms, and the loop that crosses out literals
crosses out terms. A clause is the negation of the term that is true where it is false.
"""

import functools
import math
from collections.abc import Iterator, Sequence
from typing import Any, ClassVar, NamedTuple

import numpy as np
from sklearn.utils import gen_batches

from surelearn import _arguments
from surelearn._jit import tables
from surelearn._jit.rows import Rows, SparseRows
from surelearn._stored import stored
from surelearn._typing import Indices, Matrix, Vector
from surelearn.base.states import refuse_unlike
from surelearn.booleans import NormalForm, sets_of_variables
from surelearn.learners.concepts._elimination import Elimination, table_of

_MOST_TERMS = 2**20  # eight megabytes for each array of a state
_CELLS_AT_ONCE = 2**20  # numbers of true terms written out for a block of rows
_sets = functools.lru_cache(maxsize=8)(sets_of_variables)


@stored("term-elimination-state")
class State(NamedTuple):
    """All that one two-class problem has learnt, of terms of bits.

    `crossed` counts how often each term was refuted, `coef` and `bias` are the rule as a linear one
    of which terms are true in a row.
    """

    crossed: Vector
    n_false_negatives: Indices
    coef: Vector
    bias: Vector
    n_variables: Indices


def n_terms(n_variables: int, n_literals: int) -> int:
    """Return the number of terms of so many literals, each of another variable.

    Examples
    --------
    >>> n_terms(10, 2)
    180
    """
    return math.comb(n_variables, n_literals) * 2**n_literals


class TermElimination(Elimination):
    """A learner that starts with all terms of k literals and crosses out the refuted ones."""

    n_literals: int
    _late_features = False
    _part: ClassVar[str] = "term"

    def __init__(self, *, n_literals: int = 2) -> None:
        self.n_literals = n_literals

    @property
    def coef_(self) -> Matrix:
        """The weight of each term true in a row, 0 if it was crossed out, a row per problem."""
        return np.array([state.coef for state in self.states_])

    @property
    def intercept_(self) -> Vector:
        """The constant term of each two-class problem."""
        return np.array([state.bias[0] for state in self.states_])

    @property
    def terms_(self) -> tuple[Indices, ...]:
        """The numbers of the terms or clauses left in each two-class problem."""
        return tuple(np.flatnonzero(state.crossed == 0.0) for state in self.states_)

    def _check_parameters(self) -> None:
        _arguments.at_least_one("n_literals", self.n_literals)

    def _size(self, n_variables: int) -> int:
        """Return the literals of a term: with fewer variables than that, all of them."""
        return min(int(self.n_literals), n_variables)

    def _start(self, n_features: int) -> State:
        size = self._size(n_features)
        # log2 C(n, k) >= k log2(n / k): a count of many digits need not be written out.
        huge = size * (1.0 + math.log2(n_features / size)) > 64.0
        if huge or n_terms(n_features, size) > _MOST_TERMS:
            raise ValueError(
                f"{n_features} variables have more than {_MOST_TERMS} terms of n_literals={size} "
                "literals: take fewer variables or a smaller n_literals, or the kernel Perceptron "
                "with Agreement(), which never writes them out"
            )
        n, side = n_terms(n_features, size), -1.0 if self._dual else 1.0
        counts = np.zeros(n), np.zeros(1, dtype=np.int64)
        return State(*counts, np.full(n, side), np.array([-0.5 * side]), np.array([n_features]))

    def _refuse_unlike(self, state: Any, n_features: int) -> None:
        """Refuse a state of other terms; the numbers of terms, not of features, are its width."""
        refuse_unlike(state, self.begun_._start(n_features))  # noqa: SLF001 - its own copy
        if state.n_variables[0] != n_features:
            raise ValueError(f"its terms are of {state.n_variables[0]} variables")

    def _learn(self, X: Rows, signs: Vector, state: State, scores: Vector) -> None:
        crossed, n_unexplained, coef, _, n_variables = state
        kept = (crossed == 0.0).astype(np.float64)
        table = table_of(X, int(n_variables[0]))
        for part, terms in self._written_out(table, state):
            view = _as_rows(terms)
            self._learn_parts(view, signs[part], crossed, kept, scores[part])
        n_unexplained[0] += self._count_unexplained(signs, scores)
        coef[:] = -kept if self._dual else kept

    def _scores(self, X: Any, states: Sequence[State]) -> Matrix:
        scores = np.empty((X.shape[0], len(states)))
        for part, terms in self._written_out(X, states[0]):
            for k, state in enumerate(states):
                scores[part, k] = state.coef[terms].sum(axis=1) + state.bias[0]
        return scores

    def _written_out(self, X: Any, state: State) -> Iterator[tuple[slice, Indices]]:
        """Yield blocks of rows with the numbers of the terms that are true in each."""
        n, size = self._shape(state)
        if X.shape[1] != n:
            raise ValueError(f"rows of {X.shape[1]} bits cannot be read by terms of {n} variables")
        chosen = _sets(n, size)
        first, digits = 2**size * np.arange(len(chosen)), 2 ** np.arange(size)[::-1]
        for part in gen_batches(X.shape[0], max(1, _CELLS_AT_ONCE // len(chosen))):
            bits = tables.dense(X[part]).astype(np.int64)
            yield part, first + sum(bits[:, chosen[:, j]] * digits[j] for j in range(size))

    def _shape(self, state: State) -> tuple[int, int]:
        """Return the numbers of variables and of literals that a state belongs to.

        Compiled code follows the numbers of terms: a state from a damaged file ends here.
        """
        crossed, n = state.crossed, int(state.n_variables[0])
        size = self._size(n)
        few = 0 < size <= n <= len(crossed) and 2**size <= len(crossed)
        if not few or not len(crossed) == len(state.coef) == n_terms(n, size):
            raise ValueError(
                f"this {type(self).__name__} is damaged: its {len(crossed)} terms do not belong to "
                f"{n} variables and n_literals={self.n_literals}; fit it again"
            )
        return n, size

    def _width(self, state: State) -> tuple[int, int]:
        n, size = self._shape(state)
        return n, math.comb(n, size) * (2**size - 1)

    def _formula(self, state: State) -> NormalForm:
        (n, size), left = self._shape(state), np.flatnonzero(state.crossed == 0.0)
        on = (left[:, np.newaxis] >> np.arange(size)[::-1]) & 1
        # A clause is false where the term of the same number is true: its literals are negated.
        negated = on if self._dual else 1 - on
        literals = _sets(n, size)[left >> size] + n * negated
        kind = "conjunctive" if self._dual else "disjunctive"
        return NormalForm(kind, tuple(map(tuple, literals.tolist())), n)


def _as_rows(terms: Indices) -> SparseRows:
    """Return rows with a 1 for each of the terms that are true."""
    n_rows, n_true = terms.shape
    indptr = n_true * np.arange(n_rows + 1)
    return SparseRows(np.ones(terms.size), terms.ravel(), indptr)
