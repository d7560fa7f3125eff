"""Pegasos: stochastic subgradients of the support vector machine's objective, averaged.

    F(w) = (1/m) Σ max(0, 1 − y_i⟨w, x_i⟩) + (λ/2)‖w‖²
    w ← (1 − 1/t)·w + (1/(λt))·v_t,   v_t the mean of y·x over a batch's rows with y⟨w, x⟩ < 1

Weights after t steps are (1/(λt))(v₁ + … + v_t): the sum is kept, so a sparse row costs its entries
alone. Shalev-Shwartz, Singer, Srebro and Cotter (2011); the bounds, whose errata are told there,
are in `surelearn.bounds.stochastic_gradient`.
"""

import math
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.random import Generator, RandomState

from surelearn import _arguments
from surelearn._jit.rows import Rows
from surelearn._stored import holds, stored
from surelearn._typing import Indices, Mask, Matrix, Vector
from surelearn.base import OnlineLinearClassifier
from surelearn.base.online.passes import Run, Visits
from surelearn.base.online.suboptimality import (
    ComparedWithOptimum,
    SuboptimalityRecord,
    Told,
    refuse_regularization,
    seed_of_draws,
)
from surelearn.bounds import Guarantee
from surelearn.certificate import Certificate
from surelearn.learners.linear import _pegasos as pegasos
from surelearn.optimizers.linear_machines import solve_linear_classification

Average = Literal["all", "suffix", "none"]
_AVERAGES: tuple[Average, ...] = ("all", "suffix", "none")
_TOLERANCE = 1e-3  # of the optimum that a run is compared with: the part of it left unknown


@stored("pegasos-state")
class State(NamedTuple):
    """All that one two-class problem has learnt.

    `rule` is the learner in numbers; `weights` are kept up to a scale, the constant feature first,
    with what their averages need; `draws` are a seed and the passes that a `fit` has still to draw.
    """

    rule: Vector
    weights: Matrix
    ledger: Vector
    draws: Indices
    coef: Vector
    bias: Vector


@stored("pegasos-record")
@holds(objective="number", least="number", n_steps="count")
@dataclass(frozen=True, eq=False)
class PegasosRecord(SuboptimalityRecord):
    """What the run on one problem leaves behind."""


class Pegasos(ComparedWithOptimum, OnlineLinearClassifier):
    """Support vector machine by stochastic subgradients; the average of the weights predicts.

    `fit` draws rows at random with replacement, as many as the table has in each pass. `learn`,
    `partial_fit` and `learn_one` take the rows as they come, and no bound is stated for them.

    Parameters
    ----------
    regularization
        λ, the weight of ½‖w‖² against the mean hinge loss; C of a support vector machine is 1/(λm).
    batch_size
        The rows whose losses are averaged in one step.
    average
        "all": the mean of the weights of all steps predicts. "suffix": of the last half of them, up
        to three quarters. "none": the last weights do.
    project
        Keep the weights in the ball of radius 1/√λ, in which the optimum lies.
    fit_intercept
        Learn a constant term, as if every row had one more feature equal to 1; it is penalised.
    max_iter
        The number of passes `fit` makes.
    random_state
        A seed or a generator for the draws of `fit`; None draws a seed.

    Attributes
    ----------
    coef_, intercept_
        The weights that predict, a row per two-class problem, and their constant terms.
    last_coef_, last_intercept_
        The weights after the last step.
    n_steps_
        The steps taken: batches that are complete.
    objectives_, optima_
        After `fit`: F at the weights that predict, and a value that min F is not below, for each
        two-class problem.
    n_mistakes_, n_rounds_, cumulative_loss_
        Scores of the wrong sign so far, over all two-class problems; rows visited; the sum of the
        hinge losses.
    radius_
        The largest norm of a row seen, the constant feature included.

    Examples
    --------
    >>> X = [[-2.0], [-1.0], [0.5], [1.0], [2.0], [3.0]]
    >>> model = Pegasos(regularization=0.1, max_iter=200, random_state=0)
    >>> model.fit(X, ["no", "no", "no", "yes", "yes", "yes"]).predict([[2.5]]).tolist()
    ['yes']
    >>> mean, sure = model.certificates()
    >>> mean.delta is None, mean.observed < mean.bound < sure.bound
    (True, True)
    """

    _learns_by_other_weights = True
    _record_kind = PegasosRecord
    _told = Told("w", "the code starts there, and the constant is penalised")

    def __init__(
        self,
        *,
        regularization: float = 0.01,
        batch_size: int = 1,
        average: Average = "all",
        project: bool = False,
        fit_intercept: bool = True,
        max_iter: int = 10,
        random_state: int | RandomState | Generator | None = 0,
    ) -> None:
        self.regularization = regularization
        self.batch_size = batch_size
        self.average: Average = average
        self.project = project
        self.fit_intercept = fit_intercept
        self.max_iter = max_iter
        self.random_state = random_state

    def guarantee(self, *, radius: float, n_steps: int) -> Guarantee:
        """Bound the expected excess of F at the average of all weights over its minimum.

        Parameters
        ----------
        radius
            The largest norm of a row, the constant feature included.
        n_steps
            The number of steps, fixed beforehand.
        """
        return self._bound(radius, n_steps)

    def certificates(self, *, delta: float = 0.05) -> tuple[Certificate, ...]:
        """State how near the optimum the last `fit` came, for each two-class problem.

        First in expectation, then with confidence 1 - delta; what is observed is F less a value
        below its minimum, which a solver of the dual problem found on the same rows. If a callback
        ended the run, the number of steps was not fixed beforehand, and the one bound for all
        numbers of steps is stated. Of a suffix average or the last weights nothing is stated, nor
        of a learner that has moved on since.

        Parameters
        ----------
        delta
            The probability, over the draws, with which the second statement may fail.
        """
        return self._certify_fit(delta)

    @property
    def n_steps_(self) -> int:
        """The steps taken."""
        return int(self.states_[0].ledger[pegasos.STEPS])

    @property
    def last_coef_(self) -> Matrix:
        """The weights after the last step."""
        return self._last()[:, 1:]

    @property
    def last_intercept_(self) -> Vector:
        """The constant terms after the last step."""
        return self._last()[:, 0]

    def _last(self) -> Matrix:
        scale, sums = pegasos.SCALE, pegasos.SUM
        return np.array([state.ledger[scale] * state.weights[sums] for state in self.states_])

    def _is_complete(self, run: Run, record: PegasosRecord) -> bool:
        del record
        return not run.stopped_early

    def _start(self, n_features: int) -> State:
        rule = np.zeros(pegasos.N_RULE)
        rule[pegasos.LAMBDA], rule[pegasos.BATCH] = self.regularization, self.batch_size
        rule[pegasos.CONSTANT], rule[pegasos.PROJECT] = self.fit_intercept, self.project
        rule[pegasos.AVERAGE] = _AVERAGES.index(self.average)
        ledger = np.zeros(pegasos.N_LEDGER)
        ledger[pegasos.SHRUNK] = 1.0
        weights, draws = np.zeros((pegasos.N_WEIGHTS, n_features + 1)), np.zeros(2, dtype=np.int64)
        return State(rule, weights, ledger, draws, np.zeros(n_features), np.zeros(1))

    def _start_passes(self, X: Any) -> State:
        n_visits = X.shape[0] * int(self.max_iter)
        if n_visits < self.batch_size:
            raise ValueError(
                f"batch_size={self.batch_size!r} is more than the {n_visits} rows that max_iter="
                f"{self.max_iter!r} passes visit, so no step would be taken: make it smaller"
            )
        state = self._start(X.shape[1])
        state.draws[:] = seed_of_draws(self.random_state), self.max_iter
        return state

    def _learn(self, X: Rows, signs: Vector, state: State, scores: Vector) -> None:
        places = np.arange(len(signs))
        if state.draws[1] > 0:  # a pass of a `fit`
            rng = np.random.default_rng(state.draws)
            places = rng.integers(len(signs), size=len(signs))
            state.draws[1] -= 1
        rule, weights, ledger, _, coef, bias = state
        pegasos.learn_rows(X, places, signs, rule, weights, ledger, scores)
        pegasos.settle(rule, weights, ledger, coef, bias)

    def _learn_row(self, row: Matrix, sign: float, state: State) -> tuple[float, float]:
        rule, weights, ledger, _, coef, bias = state
        score = pegasos.learn_row(row, sign, rule, weights, ledger, coef, bias)
        return score, max(0.0, 1.0 - sign * score)

    def _longest(self, state: State) -> float:
        return math.sqrt(state.ledger[pegasos.LONGEST])

    def _updates(self, signs: Vector, scores: Vector) -> Mask:
        del scores
        return np.ones(len(signs), dtype=np.bool_)  # each step shrinks the weights

    def _record(self, X: Any, margins: Vector, visits: Visits, state: State) -> PegasosRecord:
        """Compare with the optimum; what comes after this `fit` is read in order."""
        state.draws[1] = 0
        penalty, n = float(self.regularization), len(margins)
        squares = float(state.coef @ state.coef + state.bias[0] ** 2)
        objective = self._objective(margins, squares)
        optimum = solve_linear_classification(
            X,
            visits.signs,
            costs=np.full(n, 1.0 / (penalty * n)),
            intercept="penalized" if self.fit_intercept else "none",
            tolerance=_TOLERANCE,
        )
        least = min(objective, max(0.0, penalty * optimum.dual))
        return PegasosRecord(objective, least, int(state.ledger[pegasos.STEPS]))

    def _outcome(self, X: Any, wrong: Mask, used: Mask) -> tuple[int | None, Indices | None]:
        n_wrong, _ = super()._outcome(X, wrong, used)
        return n_wrong, None  # every row that was drawn shaped the average

    def _refuse_unlike(self, state: Any, n_features: int) -> None:
        super()._refuse_unlike(state, n_features)
        if not np.array_equal(state.rule, self.begun_._start(1).rule) or state.draws[1] != 0:  # noqa: SLF001
            raise ValueError("its rule is that of other parameters, or it is in the midst of a run")
        if not all(np.isfinite(part).all() for part in (state.weights, state.ledger)):
            raise ValueError("its weights are not finite")

    def _check_parameters(self) -> None:
        refuse_regularization(self.regularization)
        _arguments.at_least_one("batch_size", self.batch_size)
        if self.average not in _AVERAGES:
            raise ValueError(f"average={self.average!r} must be 'all', 'suffix' or 'none'")
