"""The aggregating algorithm: for losses that can be mixed the regret does not grow with the rounds.

    w_k ∝ exp(-η L_k),   predict p:  loss(y, p) ≤ -(1/η) ln Σ w_k exp(-η loss(y, x_k)) for all y

Vovk (1990), Kivinen and Warmuth (1999); bounds in `surelearn.bounds.regret_mixable`.
"""

import math
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

import numpy as np
from scipy import special

from surelearn import _arguments
from surelearn._stored import stored
from surelearn._typing import ArrayLike, Matrix, Vector
from surelearn.bounds import Guarantee, regret_mixable
from surelearn.certificate import Certificate, by_construction
from surelearn.learners.experts import _loops, _validation
from surelearn.learners.experts._averaging import AveragingGame, Tallies
from surelearn.learners.experts._game import GameState
from surelearn.learners.experts._loops import Rounds
from surelearn.losses import Entropic, Interval, Loss, Square

_CLIP = "keep the advice away from 0 and 1, for example np.clip(advice, 1e-9, 1 - 1e-9)"


@stored("aggregating-algorithm-state")
class State(NamedTuple):
    """How far each expert is behind the best."""

    behind: Vector


class AggregatingAlgorithm(AveragingGame):
    """Experts under square or logarithmic loss: regret at most ln K / rate, for ever.

    Parameters
    ----------
    loss
        `Square()`, `Entropic()` or `Logarithmic()`: what a prediction costs.
    interval
        Where outcomes and predictions lie; others are refused. For the logarithmic losses [0, 1].
    substitution
        For the square loss: False predicts the weighted average at the rate 1 / (2 width²), with
        regret at most 2 width² ln K; True uses Vovk's prediction at the rate 2 / width², with
        regret at most width² ln K / 2. The logarithmic losses are mixed by the average already.

    Attributes
    ----------
    weights
        The distribution over the experts in the next round.
    regret_, regrets_
        What the learner lost beyond the best expert, and beyond each.
    cumulative_loss_, expert_losses_, n_experts_, n_rounds_
        The tallies of the game; see `AveragingGame`.

    Examples
    --------
    >>> learner = AggregatingAlgorithm()
    >>> learner.learn([[0, 1], [0.2, 0.9], [0.6, 0.4]], [1, 1, 0]).round(4).tolist()
    [0.5, 0.6357, 0.4614]
    >>> round(learner.regret_, 4), round(learner.certificates()[1].bound, 4)
    (0.4256, 1.3863)
    """

    _may_sleep = False

    def __init__(
        self,
        *,
        loss: Loss = Square(),  # noqa: B008 - frozen
        interval: Interval = (0.0, 1.0),
        substitution: bool = False,
    ) -> None:
        self.loss = loss
        self.interval = interval
        self.substitution = substitution

    @property
    def learning_rate(self) -> float:
        """The rate at which the loss can be mixed."""
        if self.substitution:
            return self.loss.mixability(self.interval)
        return self.loss.exp_concavity(self.interval)

    def guarantee(self, *, n_experts: int) -> Guarantee:
        """Bound the regret after any number of rounds, known before the first."""
        self._settle_parameters()
        return regret_mixable.mixable(n_experts=n_experts, learning_rate=self.learning_rate)

    def learn(
        self,
        losses: ArrayLike,
        outcomes: ArrayLike | None = None,
        *,
        loss: Loss | None = None,
        awake: ArrayLike | None = None,
    ) -> Vector:
        """Play rounds of advice and return the predictions.

        Parameters
        ----------
        losses
            What the experts predict: a row for each round, a column for each expert.
        outcomes
            What came true in each round.
        loss, awake
            Not needed: the loss is the learner's own, and its experts do not sleep.
        """
        if outcomes is None or (loss is not None and loss != self.loss):
            raise ValueError(f"call learn(advice, outcomes): the loss is always {self.loss!r}")
        return super().learn(losses, outcomes, loss=self.loss, awake=awake)

    def _check_parameters(self) -> None:
        _validation.check_range(self.interval)
        _arguments.flag("substitution", self.substitution)
        square = isinstance(self.loss, Square)
        if not (square or isinstance(self.loss, Entropic)):
            raise ValueError(
                f"loss={self.loss!r} cannot be mixed; Hedge and AdaHedge take any convex loss"
            )
        if self.substitution and not square:
            raise ValueError(f"substitution is for Square(); the average mixes {self.loss!r}")

    def _check_predictions(self, name: str, values: Matrix | Vector) -> None:
        low, high = self.interval
        if ((values < low) | (values > high)).any():
            raise ValueError(f"{name} must lie in interval=({low:g}, {high:g})")

    def _check_losses(self, losses: Matrix, first: int, tallies: Tallies) -> None:
        """Let certainty that proves wrong cost infinity, as long as one expert never does so."""
        del first
        alive = np.isfinite(losses).all(axis=0) & np.isfinite(tallies.expert_losses)
        if not alive.any() and losses.size:
            raise ValueError("every expert has lost infinitely much; " + _CLIP)

    def _start(self, n_experts: int) -> State:
        return State(behind=np.zeros(n_experts))

    def _play(
        self, table: Rounds, n_before: int, state: State, weights: Matrix, excess: Vector
    ) -> None:
        del n_before  # the rate is always the same
        rates, gaps = np.full(len(excess), self.learning_rate), np.zeros(1)  # nobody asks for gaps
        _loops.exponential_weights(table, rates, *state, gaps, weights, excess)

    def _predict(self, weights: Matrix, predictions: Matrix) -> Vector:
        if not self.substitution:
            return super()._predict(weights, predictions)
        low, high = self.interval
        rate, width = self.learning_rate, high - low
        at_low, at_high = (
            -special.logsumexp(-rate * (end - predictions) ** 2, b=weights, axis=1) / rate
            for end in (low, high)
        )
        return np.clip((low + high) / 2.0 + (at_low - at_high) / (2.0 * width), low, high)

    def _settle(self, table: Rounds, excess: Vector, game: GameState) -> None:
        if not np.isfinite(excess).all():
            raise ValueError("the average was certain and wrong, to rounding; " + _CLIP)
        super()._settle(table, excess, game)

    def _certificates(self) -> Iterable[Certificate]:
        built = by_construction(f"{self.loss!r} on {self.interval}, checked")
        rate, log_k = self.learning_rate, math.log(self.n_experts_)
        # ln mean exp(rate x regret) / rate is the sum of the losses minus that of the mix losses.
        sum_excess = (float(special.logsumexp(rate * self.regrets_)) - log_k) / rate
        realised = regret_mixable.mixable_realised(
            n_experts=self.n_experts_, learning_rate=rate, sum_excess=sum_excess
        )
        a_priori = self.guarantee(n_experts=self.n_experts_)
        # The two terms of the realised bound may cancel: what is rounded is as large as they are.
        yield self._certify_regret(realised, {"measured": built}, amount=a_priori.bound)
        yield self._certify_regret(a_priori, {"mix_loss": built, "prior": built})

    @classmethod
    def _state_of_format_1(cls, old: Mapping[str, Any]) -> State:
        return State(old["behind_"])
