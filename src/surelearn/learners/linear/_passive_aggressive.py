"""The step of Passive-Aggressive learning, and what its theorems say of a run.

Classifiers and regressors share it: they differ in the loss that a step repairs.
"""

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np

from surelearn import _arguments
from surelearn._jit import jit, rows
from surelearn._jit.rows import Rows
from surelearn._stored import holds, stored
from surelearn._typing import Vector
from surelearn.base.hyperplanes import length_of
from surelearn.base.online.mistakes import Statement, best_multiple
from surelearn.bounds import Guarantee
from surelearn.bounds import mistakes_linear as theory
from surelearn.certificate import Evidence, Kind, by_construction, checked, verified

MISTAKES, STEPS_TIMES_LOSSES, SQUARED_LOSSES, LONGEST, SHORTEST = range(5)
"""The columns of the sums of a run; the last two are the extreme squared norms of its rows."""

ZERO = 1e-200
"""A row of a smaller squared norm counts as zero: no step repairs its loss."""


LIMIT, SOFTENING, CONSTANT, EPSILON = range(1, 5)
"""Places in a rule, which compiled code is given as an array."""


@stored("passive-aggressive-rule")
@holds(
    C="number",
    limit="number",
    softening="number",
    constant="number",
    epsilon="number",
)
class Rule(NamedTuple):
    """The step min(limit, loss / (squared norm + softening)) that an aggressiveness C leads to.

    `constant` is 1 if rows have one more feature equal to 1, else 0; errors up to `epsilon` are no
    loss.
    """

    C: float
    limit: float
    softening: float
    constant: float
    epsilon: float


@jit
def step(loss: float, square: float, rule: Vector) -> float:
    """Return how far to go along a row of that loss and squared norm."""
    if loss > 0.0 and square > ZERO:  # else no step along the row changes its score
        return min(rule[LIMIT], loss / (square + rule[SOFTENING]))
    return 0.0


@jit
def note(loss: float, square: float, step: float, sums: Vector) -> None:
    """Sum up what the theorems speak of."""
    sums[STEPS_TIMES_LOSSES] += step * loss
    sums[SQUARED_LOSSES] += loss * loss
    sums[LONGEST] = max(sums[LONGEST], square)
    sums[SHORTEST] = min(sums[SHORTEST], square)


@jit
def inverse_squares(X: Rows, constant: float, weights: Vector) -> None:
    """Write 1 / squared norm of each row, 0 for a zero row."""
    for t in range(len(weights)):
        square = rows.squared_norm(X, t) + constant
        weights[t] = 1.0 / square if square > ZERO else 0.0


@stored("passive-aggressive-state")
class State(NamedTuple):
    """All that one problem has learnt: the rule in numbers, the weights, the sums of the run."""

    rule: Vector
    coef: Vector
    bias: Vector
    sums: Vector


def start(rule: Rule, n_features: int) -> State:
    """Return the state of a problem before any row.

    Examples
    --------
    >>> start(cut(1.0, constant=0.0), 2).sums
    array([ 0.,  0.,  0.,  0., inf])
    """
    sums = np.zeros(5)
    sums[SHORTEST] = math.inf
    return State(np.array(rule), np.zeros(n_features), np.zeros(1), sums)


def cut(C: float, *, constant: float, epsilon: float = 0.0) -> Rule:
    """Return the rule of PA-I, and with infinite C that of PA.

    Examples
    --------
    >>> cut(2.0, constant=1.0).limit
    2.0
    """
    C, epsilon = _aggressiveness(C), _arguments.non_negative("epsilon", epsilon)
    return Rule(C, C, 0.0, constant, epsilon)


def damped(C: float, *, constant: float, epsilon: float = 0.0) -> Rule:
    """Return the rule of PA-II, and with infinite C that of PA.

    Examples
    --------
    >>> damped(2.0, constant=1.0).softening
    0.25
    """
    C, epsilon = _aggressiveness(C), _arguments.non_negative("epsilon", epsilon)
    return Rule(C, math.inf, 0.5 / C, constant, epsilon)


def _aggressiveness(C: float) -> float:
    """Return C if it is a number above 0, or infinite."""
    return math.inf if math.inf == C else _arguments.positive("C", C)


def on_mistakes(rule: Rule, *, radius: float, norm: float, comparator_loss: float) -> Guarantee:
    """Return the theorem on large losses under a rule, and so on the mistakes of a classifier.

    Examples
    --------
    >>> on_mistakes(cut(1.0, constant=0.0), radius=1.0, norm=3.0, comparator_loss=4.0).theorem
    'mistakes_linear.passive_aggressive_1'
    """
    if math.isinf(rule.C):
        return theory.passive_aggressive(radius=radius, norm=norm, comparator_loss=comparator_loss)
    proved = theory.passive_aggressive_2 if rule.softening else theory.passive_aggressive_1
    return proved(radius=radius, norm=norm, aggressiveness=rule.C, comparator_loss=comparator_loss)


def on_losses(rule: Rule, *, radius: float, norm: float, comparator_loss: float) -> Guarantee:
    """Return the theorem on the sum of squared losses; for PA-I, of steps times losses.

    Examples
    --------
    >>> on_losses(cut(1.0, constant=0.0), radius=1.0, norm=3.0, comparator_loss=4.0).theorem
    'mistakes_linear.passive_aggressive_1_losses'
    """
    if math.isinf(rule.limit):
        return on_mistakes(rule, radius=radius, norm=norm, comparator_loss=comparator_loss)
    return theory.passive_aggressive_1_losses(
        norm=norm, aggressiveness=rule.C, comparator_loss=comparator_loss
    )


@stored("passive-aggressive-record")
@holds(
    rule=Rule,
    sums="float[5]",
    n_rounds="count",
    norm="number",
    comparator_loss="number",
)
@dataclass(frozen=True, eq=False)
class PassiveAggressiveRecord:
    """What the run on one problem leaves behind: its sums, a comparator's norm and losses.

    The comparator is a multiple of the final weights; its losses are summed as the theorem has
    them (for PA-I as they are, for PA-II squared, for PA squared over the row's squared norm), but
    over all rounds of the run, not only those in which the learner had a loss.
    """

    rule: Rule
    sums: Vector
    n_rounds: int
    norm: float
    comparator_loss: float

    @classmethod
    def of(
        cls,
        X: Any,
        state: State,
        losses: Callable[[float, slice], Vector],
        *,
        scores: Vector,
        n_passes: int,
    ) -> "PassiveAggressiveRecord":
        """Summarise a run; `scores` are final, `losses(multiple, part)` those of a comparator."""
        rule, sums, weights = (
            Rule(*state.rule.tolist()),
            state.sums,
            np.broadcast_to(1.0, len(scores)),
        )
        if math.isinf(rule.C):
            weights = np.empty(len(scores))
            inverse_squares(rows.of(X), rule.constant, weights)
        length, n_rounds = (
            length_of(np.append(state.coef, state.bias)),
            len(scores) * n_passes,
        )
        radius, power = math.sqrt(sums[LONGEST]), 2 if math.isinf(rule.limit) else 1

        def total(scale: float, part: slice) -> float:
            return float(np.mean(weights[part] * losses(scale, part) ** power)) * n_rounds

        def bound(scale: float, part: slice) -> float:
            loss = total(scale, part)
            known = {"radius": radius, "norm": scale * length, "comparator_loss": loss}
            return on_losses(rule, **known).bound

        scale = best_multiple(bound, scores)
        return cls(rule, sums.copy(), n_rounds, scale * length, total(scale, slice(None)))

    def statements(self, *, of_mistakes: bool) -> Iterator[Statement]:
        """State the losses of the run, and the mistakes of a classifier first."""
        known = {
            "radius": math.sqrt(self.sums[LONGEST]),
            "norm": self.norm,
            "comparator_loss": self.comparator_loss,
        }
        if of_mistakes:
            mistakes = on_mistakes(self.rule, **known)
            number = replace(mistakes, quantity="the number of mistakes")
            yield self._statement("mistakes", number, self.sums[MISTAKES])
        column = SQUARED_LOSSES if math.isinf(self.rule.limit) else STEPS_TIMES_LOSSES
        yield self._statement("regret", on_losses(self.rule, **known), self.sums[column])

    def _statement(self, kind: Kind, guarantee: Guarantee, observed: float) -> Statement:
        """Give each assumption that the theorem makes the evidence of this run."""
        evidence = {key: self._evidence()[key] for key in guarantee.assumes}
        return Statement(guarantee, float(observed), self.n_rounds, evidence, kind)

    def _evidence(self) -> dict[str, Evidence]:
        """Return what is known of every assumption of the four theorems, by its key."""
        shortest, longest = np.sqrt(self.sums[[SHORTEST, LONGEST]])
        return {
            "start": by_construction("the code does exactly this"),
            "radius": checked(f"the longest row has norm {longest:.6g}"),
            "nonzero_rows": verified(
                shortest**2 > ZERO, f"the shortest row has norm {shortest:.6g}"
            ),
            "loss": checked("a multiple of the final weights, over all rounds of this run"),
        }
