"""What a Passive-Aggressive run leaves behind for its certificates."""

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from surelearn import _arguments
from surelearn._jit import rows
from surelearn._stored import stored
from surelearn._typing import Matrix, Vector
from surelearn.base.online.mistakes import best_multiple, certify_run
from surelearn.bounds import Guarantee
from surelearn.bounds import mistakes_linear as theory
from surelearn.certificate import Certificate, Kind, Status
from surelearn.learners.linear._passive_steps import (
    LONGEST,
    MISTAKES,
    SHORTEST,
    SQUARED_LOSSES,
    STEPS_TIMES_LOSSES,
    ZERO,
    Rule,
    inverse_squares,
)


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


def no_sums(n_problems: int) -> Matrix:
    """Return the sums of a run that has not begun, a row per problem.

    Examples
    --------
    >>> no_sums(1)
    array([[ 0.,  0.,  0.,  0., inf]])
    """
    sums = np.zeros((n_problems, 5))
    sums[:, SHORTEST] = math.inf
    return sums


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
        model: Any,
        problem: int,
        X: Any,
        losses: Callable[[float, slice], Vector],
        *,
        scores: Vector,
        n_passes: int,
    ) -> "PassiveAggressiveRecord":
        """Summarise a run; `scores` are final, `losses(multiple, part)` those of a comparator."""
        rule, sums, weights = model.rule_, model.sums_[problem], np.broadcast_to(1.0, len(scores))
        if math.isinf(rule.C):
            weights = np.empty(len(scores))
            inverse_squares(rows.of(X), rule.constant, weights)
        coef, bias = np.atleast_2d(model.coef_)[problem], model.intercept_[problem]
        length, n_rounds = float(np.linalg.norm(np.append(coef, bias))), len(scores) * n_passes
        radius, power = math.sqrt(sums[LONGEST]), 2 if math.isinf(rule.limit) else 1

        def total(scale: float, part: slice) -> float:
            return float(np.mean(weights[part] * losses(scale, part) ** power)) * n_rounds

        def bound(scale: float, part: slice) -> float:
            loss = total(scale, part)
            known = {"radius": radius, "norm": scale * length, "comparator_loss": loss}
            return on_losses(rule, **known).bound

        scale = best_multiple(bound, scores)
        return cls(rule, sums.copy(), n_rounds, scale * length, total(scale, slice(None)))

    def certificates(self, model: Any, problem: int) -> list[Certificate]:
        """Certify the losses of the run, and the mistakes of a classifier first."""
        return [
            certify_run(
                model,
                problem,
                guarantee,
                kind=kind,
                observed=float(observed),
                n_rounds=self.n_rounds,
                statuses=[self._status(assumption) for assumption in guarantee.assumes.values()],
            )
            for kind, observed, guarantee in self._statements(
                of_mistakes=hasattr(model, "classes_")
            )
        ]

    def _statements(self, *, of_mistakes: bool) -> Iterator[tuple[Kind, float, Guarantee]]:
        known = {
            "radius": math.sqrt(self.sums[LONGEST]),
            "norm": self.norm,
            "comparator_loss": self.comparator_loss,
        }
        if of_mistakes:
            mistakes = on_mistakes(self.rule, **known)
            number = replace(mistakes, quantity="the number of mistakes")
            yield "mistakes", self.sums[MISTAKES], number
        column = SQUARED_LOSSES if math.isinf(self.rule.limit) else STEPS_TIMES_LOSSES
        yield "regret", self.sums[column], on_losses(self.rule, **known)

    def _status(self, assumption: str) -> tuple[Status, str]:
        """Say what is known of an assumption of the theorems in this run."""
        shortest, longest = np.sqrt(self.sums[[SHORTEST, LONGEST]])
        if assumption.startswith("weights start at 0"):
            return "by-construction", "the code does exactly this"
        if assumption.startswith("no row is longer"):
            return "checked", f"the longest row has norm {longest:.6g}"
        if assumption.startswith("no row is zero"):
            status: Status = "checked" if shortest**2 > ZERO else "violated"
            return status, f"the shortest row has norm {shortest:.6g}"
        return "checked", "a multiple of the final weights, over all rounds of this run"
