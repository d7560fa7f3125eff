"""The averaged kernel Perceptron: predict with the mean of the functions of a run.

    f̄ = (f₂ + … + f_{T+1}) / T,   f_{t+1} the kernel Perceptron's function after round t

A row added after c rounds is missing from c of the T terms, so its coefficient in the mean is the
one in f_{T+1} times 1 − c/T. Freund and Schapire (1999).
"""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from surelearn._jit import tables
from surelearn._jit.rows import Rows
from surelearn._stored import holds, stored
from surelearn._typing import Indices, Matrix, Vector
from surelearn.base.online.passes import Visits
from surelearn.base.online.state import History, read_only
from surelearn.kernels import Kernel, Linear
from surelearn.learners.kernelized._all_rounds import AllRoundsCount
from surelearn.learners.kernelized._dual import with_support
from surelearn.learners.kernelized.kernel_perceptron import KernelPerceptron


@stored("averaged-kernel-perceptron-state")
@holds(
    coef="finite[support]",
    late="finite[support]",
    n_averaged="int[1]",
    radius="finite[1]",
    current="finite[current]",
    support=tuple,
)
class State(NamedTuple):
    """All that one two-class problem has learnt, beginning as the kernel Perceptron's state.

    `late` has for each row remembered the sum of its updates, each times the rounds before it.
    """

    coef: Vector
    late: Vector
    n_averaged: Indices
    radius: Vector
    current: Vector
    support: History


class AveragedKernelPerceptron(AllRoundsCount, KernelPerceptron):
    """The kernel Perceptron, predicting with the average of its functions over all rounds.

    Its mistakes while learning are the kernel Perceptron's, and so are their bounds: `learn`
    returns the scores of the running f. No statement about the risk of the average is issued: rows
    that change nothing still count in it, so it is not determined by a few of them, as stable
    compression would need. Use a `Holdout`.

    Parameters
    ----------
    kernel
        Any kernel, on tables or on strings.
    max_iter
        The largest number of passes `fit` makes; it stops at the first pass without mistakes.

    Attributes
    ----------
    support_vectors_, coef_
        The rows remembered, and for each two-class problem their coefficients in the average.
    running_coef_
        Their coefficients in the running f.
    n_mistakes_, n_rounds_, cumulative_loss_
        Mistakes of the running f, over all two-class problems; rows visited; the sum of the 0-1
        losses.
    radius_, norms_
        The largest sqrt(K(x, x)) of a row seen; after `fit`, the norm of the running f.

    Examples
    --------
    >>> X, y = [[1.0, 0.0], [0.0, 1.0], [-0.9, 0.4], [0.5, -1.0]], [1, 1, -1, -1]
    >>> model = AveragedKernelPerceptron().fit(X, y)
    >>> (model.coef_ @ model.support_vectors_).tolist(), model.running_coef_.tolist()
    ([[1.0, 0.875]], [[1.0, 1.0]])
    """

    def __init__(self, *, kernel: Kernel = Linear(), max_iter: int = 10) -> None:  # noqa: B008 - frozen
        self.kernel = kernel
        self.max_iter = max_iter

    @property
    def coef_(self) -> Matrix:
        """For each two-class problem the coefficient of each row remembered, in the average."""
        return read_only(np.array([_average(state) for state in self.states_]))

    @property
    def running_coef_(self) -> Matrix:
        """For each two-class problem the coefficient of each row remembered, in the running f."""
        return read_only(np.array([state.coef for state in self.states_]))

    def _start(self, n_features: int) -> Any:
        rows = (np.empty((0, n_features)),)
        empty, rounds = np.empty(0), np.zeros(1, dtype=np.int64)
        return State(empty, empty.copy(), rounds, np.zeros(1), empty.copy(), rows)

    def _scores(self, X: Any, states: Sequence[Any]) -> Matrix:
        averages = np.array([_average(state) for state in states])
        return self._expansion(X, states[0].support[0], averages)

    def _keep(self, X: Rows, visits: Sequence[Visits], states: Sequence[Any]) -> tuple[Any, ...]:
        """Remember the rows of the mistakes, and when each was made."""
        coef = np.array([v.signs * v.n_updates for v in visits])
        late = np.zeros_like(coef)
        for v, state, own in zip(visits, states, late, strict=True):
            n, before = len(v.signs), int(state.n_averaged[0])
            for number, places in enumerate(v.places):
                own[places] += v.signs[places] * (before + number * n + places)
            state.n_averaged[0] += n * v.n_passes
        table = tables.of(X, states[0].support[0].shape[1])
        return with_support(states, table, coef, late=late)

    def _refuse_unlike(self, state: Any, n_features: int) -> None:
        super()._refuse_unlike(state, n_features)
        if state.n_averaged[0] < 0 or (len(state.coef) and state.n_averaged[0] < 1):
            raise ValueError("it has learnt from rows in no round")


def _average(state: State) -> Vector:
    return state.coef - state.late / max(1, int(state.n_averaged[0]))
