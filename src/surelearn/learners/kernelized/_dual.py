"""Machines in the space of a kernel: rows remembered, and a coefficient of each for every problem.

    f = Σ c_s·K(x_s, ·)

All problems share the support rows; each has its own dual coefficients, 0 for a row it ignores.
"""

from collections.abc import Sequence
from typing import Any, NamedTuple, TypeVar, cast

import numpy as np
from scipy import sparse
from sklearn.utils import Tags, gen_batches

from surelearn._jit import rows, tables
from surelearn._jit.sound_matrices import sound
from surelearn._stored import holds, stored
from surelearn._typing import Matrix, Vector
from surelearn.base import OnlineClassifier, validation
from surelearn.base.declared import refuse_unlike_declared
from surelearn.base.online.state import History, Learnt, read_only
from surelearn.certificate import Precondition
from surelearn.kernels import Kernel
from surelearn.kernels.norms import is_ours
from surelearn.learners.kernelized import _points, _texts
from surelearn.learners.kernelized._inner_products import inner_product

_State = TypeVar("_State", bound=Any)
_VALUES_AT_ONCE = 2**22  # kernel values held at once when rows are scored


@stored("kernel-machine-state")
@holds(
    coef="finite[support]",
    radius="finite[1]",
    current="finite[current]",
    support=tuple,
)
class State(NamedTuple):
    """All that one two-class problem has learnt.

    `coef` has an entry for each row of `support`, a history of one table that all problems share;
    `radius` is the largest sqrt(K(x, x)) of a row. Only while a `fit` passes over its rows does
    `current` hold their scores, so that they are not computed anew in every pass.
    """

    coef: Vector
    radius: Vector
    current: Vector
    support: History


class KernelMachine(OnlineClassifier):
    """A classifier whose scores are sums of kernel values with the rows that it remembers.

    A learner stores `kernel` and says how its states learn and which rows they keep.
    """

    kernel: Kernel
    _history = True

    @property
    def support_vectors_(self) -> Any:
        """The rows that are remembered, a table as dense or sparse as the first of them."""
        return self.states_[0].support[0]

    @property
    def coef_(self) -> Matrix:
        """For each two-class problem the coefficient of each row remembered."""
        return read_only(np.array([state.coef for state in self.states_]))

    def _start(self, n_features: int) -> State:
        empty = np.empty(0)
        return State(empty, np.zeros(1), empty.copy(), (np.empty((0, n_features)),))

    def _scores(self, X: Any, states: Sequence[State]) -> Matrix:
        coef = np.array([state.coef for state in states])
        return self._expansion(X, states[0].support[0], coef)

    def _expansion(self, X: Any, support: Any, coef: Matrix) -> Matrix:
        """Return Σ c_s K(x_s, x) for each row x, a column for each row of coefficients c."""
        sums, used = np.zeros((X.shape[0], len(coef))), coef.any(axis=0)
        if used.any() and len(sums):
            support, coef = sound(support)[used], coef[:, used]  # it may be changed by hand
            for part in gen_batches(len(sums), max(1, _VALUES_AT_ONCE // coef.shape[1])):
                sums[part] = self._values(X[part], support) @ coef.T
        return sums

    def _values(self, X: Any, Z: Any = None) -> Matrix:
        """Return the kernel's values of all pairs of rows; `Z` left out is `X`."""
        kernel = self.kernel
        other = None if Z is None else _texts.readable(kernel, Z)
        return _points.values_of(kernel)(_texts.readable(kernel, X), other)

    def _squares(self, X: Any) -> Vector:
        """Return the kernel's value of each row with itself."""
        return _points.diagonal(self.kernel, _texts.readable(self.kernel, X))

    def _also(self) -> tuple[Precondition, ...]:
        """Return what else a statement in the kernel's space needs of a kernel that is not ours."""
        return () if is_ours(self.kernel) else (inner_product(self.kernel),)

    def _check_parameters(self) -> None:
        given = cast("object", self.kernel)
        if not isinstance(given, Kernel):
            raise ValueError(  # noqa: TRY004 - as for all parameters
                f"kernel={given!r} must be a kernel of surelearn, such as kernels.Gaussian()"
            )

    def _check_first_rows(self, X: Any, y: Any) -> Any:
        self._check_parameters()
        return super()._check_first_rows(_texts.entering(self.kernel, X), y)

    def _check_rows(self, X: Any, y: Any) -> Any:
        return super()._check_rows(_texts.entering(self.begun_.kernel, X), y)

    def _check_features(self, X: Any) -> Any:
        return super()._check_features(_texts.entering(self.begun_.kernel, X))

    def _check_one(self, learnt: Learnt, x: Any) -> Any:
        kernel = learnt.begun.kernel
        if kernel.domain != "strings":
            return super()._check_one(learnt, x)
        return learnt.begun._admit(  # noqa: SLF001 - its own copy
            _texts.entering(kernel, _texts.one(kernel, x))
        )

    def _check_lesson(self, learnt: Learnt, x: Any) -> Any:
        if learnt.begun.kernel.domain != "strings":
            return super()._check_lesson(learnt, x)
        return rows.of(self._check_one(learnt, x))

    def _check_form(self) -> None:
        super()._check_form()
        if len({state.support[0].shape for state in self.states_}) > 1:
            raise ValueError("its problems do not remember the same rows")

    def _refuse_unlike(self, state: Any, n_features: int) -> None:
        """Refuse a state whose coefficients are not those of the rows that all problems share."""
        alike = type(self._start(1))
        if type(state) is not alike or len(state.support) != 1:
            raise ValueError("its state is that of another learner")
        refuse_unlike_declared(state)
        if state.support[0].shape[0] != len(state.coef) or len(state.current):
            raise ValueError("the rows that it remembers are not as many as their coefficients")
        refuse_strange_rows(self, state.support[0], n_features)

    def _admit(self, X: Any) -> Any:
        """Return the rows if the kernel reads them; a row with itself has the largest value."""
        X = validation.bits(X) if self.kernel.domain == "bits" else X
        if X.shape[0] == 0:  # nothing is remembered yet
            return X
        with np.errstate(over="ignore"):
            squares = self._squares(X)
        if not np.isfinite(squares).all():
            raise ValueError(f"the values of {self.kernel!r} overflow; rescale the rows")
        if squares.min() < 0.0:
            raise ValueError(
                f"{self.kernel!r} is not positive semidefinite on these rows, so it is no inner "
                f"product: the value of a row with itself is {squares.min():.3g}"
            )
        return X

    def __sklearn_tags__(self) -> Tags:
        """Say to scikit-learn whether rows are strings."""
        tags: Any = super().__sklearn_tags__()
        tags.input_tags.string = getattr(self.kernel, "domain", "") == "strings"
        tags.input_tags.two_d_array = not tags.input_tags.string
        return tags


def refuse_strange_rows(learner: Any, table: Any, n_features: int) -> None:
    """Refuse rows remembered that the learner could not have read, as a forged file may hold them.

    A table of no rows passes: nothing is remembered yet.
    """
    if not (isinstance(table, np.ndarray) or sparse.issparse(table)):
        raise TypeError("the rows that it remembers are no table")
    if cast("Any", table).shape[1:] != (n_features,):
        raise ValueError("the rows that it remembers are not as wide as those it has learnt")
    cells = sound(table).data if sparse.issparse(table) else table
    if cells.dtype != np.float64:
        raise TypeError("the rows that it remembers are no floats")
    validation.all_finite(learner, table, short=True)
    if learner.begun_.kernel.domain == "strings":
        _texts.refuse_forged(table)
    learner.begun_._admit(table)  # noqa: SLF001 - its own copy


def with_support(
    states: Sequence[_State], X: Any, coef: Matrix, **others: Matrix
) -> tuple[_State, ...]:
    """Return states that also remember the rows which have a coefficient in any problem.

    `others` are further numbers that a state has for each row remembered.
    """
    used, support = np.flatnonzero(coef.any(axis=0)), states[0].support[0]
    if len(used):
        support = stacked(support, X[used])
    parts = {"coef": coef, **others}
    return tuple(
        cast("Any", state)._replace(
            current=np.empty(0),
            support=(support,),
            **{name: np.append(getattr(state, name), of[k][used]) for name, of in parts.items()},
        )
        for k, state in enumerate(states)
    )


def stacked(first: Any, second: Any) -> Any:
    """Return both tables, one above the other: sparse if the first one is, or has no rows."""
    if isinstance(first, np.ndarray) and (len(first) or isinstance(second, np.ndarray)):
        return np.vstack([first, tables.dense(second)])
    return sparse.vstack([sparse.csr_array(first), sparse.csr_array(second)], format="csr")
