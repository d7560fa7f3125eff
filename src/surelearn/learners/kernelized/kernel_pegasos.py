"""Kernel Pegasos: stochastic subgradients of the support vector machine in a kernel's space.

    F(f) = (1/m) Σ max(0, 1 − y_i f(x_i)) + (λ/2)‖f‖²
    f ← (1 − 1/t)·f + (1/(λt))·y·K(x, ·)·[y·f(x) < 1]

After t steps f = (1/(λt)) Σ c_s y_s K(x_s, ·), c_s the steps in which row s was drawn and missed
its margin. Shalev-Shwartz, Singer, Srebro and Cotter (2011), section 4; the bounds are Pegasos'
own, with K(x, x) for the squared length of a row: `surelearn.bounds.stochastic_gradient`.
"""

import math
from collections.abc import Sequence
from typing import Any, Literal, cast

import numpy as np
from numpy.random import Generator, RandomState
from sklearn.utils import gen_batches

from surelearn._jit import tables
from surelearn._jit.rows import Rows
from surelearn._typing import Indices, Mask, Matrix, Vector
from surelearn.base.online.passes import Run, Visits
from surelearn.base.online.state import read_only
from surelearn.base.online.suboptimality import (
    ComparedWithOptimum,
    Told,
    refuse_regularization,
    seed_of_draws,
)
from surelearn.bounds import Guarantee
from surelearn.certificate import Certificate
from surelearn.kernels import Kernel, Linear
from surelearn.learners.kernelized._dual import KernelMachine, with_support
from surelearn.learners.kernelized._dual_ascent import improved_dual_value
from surelearn.learners.kernelized._kernel_pegasos import (
    ADDED,
    LATE,
    SCORES,
    KernelPegasosRecord,
    State,
    learn_rows,
    scales_before,
)

Average = Literal["all", "none"]
_BLOCK = 256  # rows whose kernel values with each other fit a second-level cache
_KEPT_VALUES = 2**25  # kernel values of the training rows up to which all are computed once


class KernelPegasos(ComparedWithOptimum, KernelMachine):
    """Support vector machine in a kernel's space, by stochastic subgradients.

    `fit` draws rows at random with replacement, as many as the table has in each pass. `learn`,
    `partial_fit` and `learn_one` take the rows as they come, and no bound is stated for them.

    Parameters
    ----------
    kernel
        Any kernel, on tables or on strings. Add 1 to it for a constant feature.
    regularization
        λ, the weight of ½‖f‖² against the mean hinge loss; C of a support vector machine is 1/(λm).
    average
        "all": the mean of the functions of all steps predicts; "none": the last one does.
    max_iter
        The largest number of passes `fit` makes; it stops at a pass in which no margin was missed.
    random_state
        A seed or a generator for the draws of `fit`; None draws a seed.

    Attributes
    ----------
    support_vectors_, coef_
        The rows that are remembered, and for each two-class problem their coefficients in the
        function that predicts.
    n_steps_
        The steps taken.
    objectives_, optima_
        After `fit`: F of the function that predicts, and a value that min F is not below, for each
        two-class problem.
    n_mistakes_, n_rounds_, cumulative_loss_
        Scores of the wrong sign so far, over all two-class problems; rows visited; the sum of the
        hinge losses.
    radius_
        The largest sqrt(K(x, x)) of a row seen.

    Examples
    --------
    >>> from surelearn.kernels import Gaussian
    >>> corners = [[-1.0, -1.0], [-1.0, 1.0], [1.0, -1.0], [1.0, 1.0]]
    >>> model = KernelPegasos(kernel=Gaussian(), regularization=0.5, max_iter=50)
    >>> model.fit(corners, [0, 1, 1, 0]).predict(corners).tolist()
    [0, 1, 1, 0]
    >>> mean, sure = model.certificates()
    >>> mean.delta is None, mean.observed < mean.bound < sure.bound
    (True, True)
    """

    _learns_by_other_weights = True
    _record_kind = KernelPegasosRecord
    _told = Told("f", "the code starts there and has no intercept of its own")

    def __init__(
        self,
        *,
        kernel: Kernel = Linear(),  # noqa: B008 - frozen
        regularization: float = 0.01,
        average: Average = "all",
        max_iter: int = 10,
        random_state: int | RandomState | Generator | None = 0,
    ) -> None:
        self.kernel = kernel
        self.regularization = regularization
        self.average: Average = average
        self.max_iter = max_iter
        self.random_state = random_state

    def guarantee(self, *, radius: float, n_steps: int) -> Guarantee:
        """Bound the expected excess of F at the average of all functions over its minimum.

        Parameters
        ----------
        radius
            The largest sqrt(K(x, x)) of a row.
        n_steps
            The number of steps, fixed beforehand.
        """
        return self._bound(radius, n_steps)

    def certificates(self, *, delta: float = 0.05) -> tuple[Certificate, ...]:
        """State how near the optimum the last `fit` came, for each two-class problem.

        First in expectation, then with confidence 1 - delta; what is observed is F less a value
        below its minimum, found in the dual problem. If the run ended before its last pass,
        the number of steps was not fixed beforehand, and the one bound for all numbers of steps is
        stated. Of the last function alone nothing is, nor of a learner that has moved on since.

        Parameters
        ----------
        delta
            The probability, over the draws, with which the second statement may fail.
        """
        return self._certify_fit(delta)

    @property
    def coef_(self) -> Matrix:
        """For each two-class problem the coefficient of each row in the function that predicts."""
        begun = self.begun_
        return read_only(np.array([begun._predicting(state) for state in self.states_]))  # noqa: SLF001

    @property
    def n_steps_(self) -> int:
        """The steps taken."""
        return int(self.states_[0].steps[0])

    def _is_complete(self, run: Run, record: KernelPegasosRecord) -> bool:
        return record.n_steps >= (run.pass_limit or 0) * run.n_rows

    def _longest(self, state: State) -> float:
        return float(state.radius[0])

    def _start(self, n_features: int) -> Any:
        empty, steps, draws = np.empty(0), np.zeros(1, np.int64), np.zeros(2, np.int64)
        rows = (np.empty((0, n_features)),)
        return State(empty, empty.copy(), steps, draws, np.zeros(1), empty.copy(), rows)

    def _start_passes(self, X: Any) -> Any:
        state, n = self._start(X.shape[1]), X.shape[0]
        state.radius[0] = self._largest(X)
        state.draws[0] = seed_of_draws(self.random_state, lowest=1)  # 0 is for rows in order
        kept = (self._values(X),) if n * n <= _KEPT_VALUES else ()
        return state._replace(current=np.zeros((3, n)), support=(*state.support, *kept))

    def _largest(self, X: Any) -> float:
        return math.sqrt(self._squares(X).max())

    def _learn(self, X: Rows, signs: Vector, state: State, scores: Vector) -> None:
        """Visit rows, in order or as drawn; f changes when all problems have seen them."""
        support, *kept = state.support
        table, places = tables.of(X, support.shape[1]), np.arange(len(signs))
        if len(state.current):
            current = state.current
            rng = np.random.default_rng(state.draws)
            places = rng.integers(len(signs), size=len(signs))
            state.draws[1] += 1
        else:
            state.radius[0] = max(state.radius[0], self._largest(table))
            current = np.zeros((3, len(signs)))
            current[SCORES] = self._expansion(table, support, state.coef[np.newaxis])[:, 0]
        self._visit(table, kept, places, signs, state.steps, current, scores)

    def _visit(
        self,
        X: Any,
        kept: list[Matrix],
        places: Indices,
        signs: Vector,
        steps: Indices,
        current: Matrix,
        scores: Vector,
    ) -> None:
        """Learn from the rows at these places, a block at a time, and keep all scores up to date.

        Score t is as wrong for sign t as that of the row drawn was for its own.
        """
        penalty = float(self.regularization)
        for part in gen_batches(len(places), _BLOCK):
            where = places[part]
            own, near = signs[where], current[SCORES, where]
            gram = kept[0][np.ix_(where, where)] if kept else self._values(X[where])
            updates = np.empty(len(where), dtype=np.bool_)
            learn_rows(gram, own, penalty, float(steps[0]), near, updates, scores[part])
            new = where[updates]
            scales = scales_before(steps[0] + 1 + np.flatnonzero(updates), penalty)
            np.add.at(current[ADDED], new, own[updates])
            np.add.at(current[LATE], new, own[updates] * scales)
            added = kept[0][:, new] @ signs[new] if kept else None
            if added is None:
                added = self._expansion(X, X[new], signs[new][np.newaxis])[:, 0]
            current[SCORES] += added
            scores[part] *= own * signs[part]
            steps[0] += len(where)

    def _keep(self, X: Rows, visits: Sequence[Visits], states: Sequence[Any]) -> tuple[Any, ...]:
        """Remember the rows that missed their margins, how often, and when."""
        if len(states[0].current):
            coef = np.array([state.current[ADDED] for state in states])
            late = np.array([state.current[LATE] for state in states])
        else:
            coef = np.array([v.signs * v.n_updates for v in visits])
            penalty, n = float(self.regularization), coef.shape[1]
            rounds = [state.steps[0] - n + 1 + np.arange(n) for state in states]
            late = coef * [scales_before(numbers, penalty) for numbers in rounds]
        kept = with_support(states, tables.of(X, states[0].support[0].shape[1]), coef, late=late)
        return tuple(state._replace(draws=np.zeros(2, np.int64)) for state in kept)

    def _predicting(self, state: State) -> Vector:
        return self._mean(state.coef, state.late, int(state.steps[0]))

    def _mean(self, coef: Vector, late: Vector, steps: int) -> Vector:
        """Return the coefficients of the average of all functions, or of the last one."""
        penalty = float(self.regularization)
        if self.average == "none" or steps == 0:
            return coef / (penalty * max(1, steps))
        return (scales_before(np.array([steps]), penalty)[0] * coef - late) / steps

    def _scores(self, X: Any, states: Sequence[Any]) -> Matrix:
        coef = np.array([self._predicting(state) for state in states])
        return self._expansion(X, states[0].support[0], coef)

    def _final_scores(self, X: Any, states: Sequence[Any]) -> Matrix:
        coef = np.array(
            [self._mean(s.current[ADDED], s.current[LATE], int(s.steps[0])) for s in states]
        )
        kept = states[0].support[1:]
        return kept[0] @ coef.T if kept else self._expansion(X, X, coef)

    def _updates(self, signs: Vector, scores: Vector) -> Mask:
        return signs * scores < 1.0

    def _record(self, X: Any, margins: Vector, visits: Visits, state: State) -> KernelPegasosRecord:
        """Compare F with the dual objective, which the counts or the rows too near begin to raise.

        The counts know nothing of rows that were never drawn, of which a short run has many.
        """
        penalty, n, steps = float(self.regularization), len(margins), int(state.steps[0])
        own, table = self._predicting(state), state.support[0]
        norm = max(0.0, float(own @ self._expansion(table, table, own[np.newaxis])[:, 0]))
        objective = self._objective(margins, norm)
        limit, rows = 1.0 / (penalty * n), tables.of(X, table.shape[1])
        counted = np.clip(np.abs(state.coef) / (penalty * steps), 0.0, limit)
        missed = np.where(margins < 1.0, limit, 0.0)
        least = penalty * max(
            self._dual_value(table, np.sign(state.coef), counted, limit),
            self._dual_value(rows, visits.signs, missed, limit),
        )
        return KernelPegasosRecord(objective, min(objective, max(0.0, least)), steps)

    def _dual_value(self, table: Any, signs: Vector, alpha: Vector, limit: float) -> float:
        """Return a value of the dual problem, of α or better: none is above the optimum.

        Rows that are not in the table have the dual variable 0.
        """
        if len(alpha) ** 2 <= _KEPT_VALUES:
            return improved_dual_value(self._values(table), signs, alpha, limit)
        scores = self._expansion(table, table, (alpha * signs)[np.newaxis])[:, 0]
        return float(alpha.sum() - 0.5 * (alpha * signs) @ scores)

    def _outcome(self, X: Any, wrong: Mask, used: Mask) -> tuple[int | None, Indices | None]:
        n_wrong, _ = super()._outcome(X, wrong, used)
        return n_wrong, None  # rows that met their margins shaped the average, too

    def _check_parameters(self) -> None:
        super()._check_parameters()
        refuse_regularization(self.regularization)
        given = cast("object", self.average)
        if not isinstance(given, str) or given not in {"all", "none"}:
            raise ValueError(f"average={given!r} must be 'all' or 'none'")

    def _refuse_unlike(self, state: Any, n_features: int) -> None:
        super()._refuse_unlike(state, n_features)
        if state.steps[0] < (1 if len(state.coef) else 0) or state.draws.any():
            raise ValueError("it has learnt from rows in no step, or is in the midst of a run")
