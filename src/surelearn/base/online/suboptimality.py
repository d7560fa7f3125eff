"""How near its optimum a run of stochastic subgradients came, in theorem and in fact."""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple, cast

import numpy as np
from numpy.random import Generator
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from surelearn import _arguments
from surelearn._typing import Vector
from surelearn._wording import confidence, exactly, outward
from surelearn.base.online.mistakes import demands_of
from surelearn.base.seal import fingerprint_of_fit
from surelearn.bounds import Guarantee, stochastic_gradient
from surelearn.certificate import Certificate, by_construction, certify, checked

_LEAST = 1e-100  # of the regularization: weights grow like its inverse, and are squared


@dataclass(frozen=True, eq=False)
class SuboptimalityRecord:
    """What the run on one problem leaves behind.

    Parameters
    ----------
    objective
        F of what predicts.
    least
        A value that min F is not below, by the dual of the same problem.
    n_steps
        The steps taken.
    """

    objective: float
    least: float
    n_steps: int

    def _check_state(self) -> None:
        if self.n_steps < 1 or not 0.0 <= self.least <= self.objective < math.inf:
            raise ValueError("its steps, its objective or the optimum make no sense")


class Told(NamedTuple):
    """The words of one learner: what its penalty weighs, and why it starts where it must."""

    symbol: str
    start: str


class ComparedWithOptimum:
    """A learner that minimises the mean hinge loss plus a penalty, F, by stochastic subgradients.

    It says by `_told` how its certificates speak; its records compare what predicts with the best.
    """

    _told: Told

    @property
    def objectives_(self: Any) -> Vector:
        """After `fit`: F of what predicts, for each two-class problem."""
        return np.array([record.objective for record in self.records_])

    @property
    def optima_(self: Any) -> Vector:
        """After `fit`: a value that min F is not below, for each two-class problem."""
        return np.array([record.least for record in self.records_])

    def _bound(self: Any, radius: float, n_steps: int) -> Guarantee:
        """Bound the expected excess of F at the average of all steps over its minimum."""
        penalty = self.begun_.regularization
        return stochastic_gradient.pegasos(radius=radius, regularization=penalty, n_steps=n_steps)

    def _certify_fit(self: Any, delta: Any) -> tuple[Certificate, ...]:
        """State nothing of a learner that has moved on, nor of what is not the average of all."""
        check_is_fitted(self)
        _arguments.open_fraction("delta", delta)
        if self.run_ is None or self.begun_.average != "all":
            return ()
        return certify_suboptimality(self, delta=delta, told=self._told)

    def _losses(self, signs: Vector, scores: Vector) -> Vector:
        return np.maximum(0.0, 1.0 - signs * scores)

    def _objective(self: Any, margins: Vector, square: float) -> float:
        """Return F where the rows have these margins, and what predicts this squared norm."""
        loss = float(np.maximum(0.0, 1.0 - margins).mean())
        return loss + 0.5 * float(self.regularization) * square


def certify_suboptimality(learner: Any, *, delta: float, told: Told) -> tuple[Certificate, ...]:
    """State how near the optimum the last `fit` came, for each two-class problem.

    The learner as it began is asked for `_longest(state)` and `_is_complete(run, record)`: whether
    the number of steps is the one that was fixed beforehand.
    """
    begun, run = learner.begun_, learner.run_
    names = [f"this run of {type(learner).__name__}"]
    if len(learner.states_) > 1:
        names = [f"{names[0]}, class {c!r} against the rest" for c in learner.classes_.tolist()]
    known = {"model": fingerprint_of_fit(learner)}
    return tuple(
        _certify(learner, guarantee, record, subject=name, told=told, reproduce=known)
        for name, state, record in zip(names, learner.states_, learner.records_, strict=True)
        if record.n_steps > 0  # rows that fill no batch make no step
        for guarantee in _theorems(
            record,
            delta=delta,
            complete=begun._is_complete(run, record),
            radius=begun._longest(state),
            regularization=float(begun.regularization),
        )
    )


def _theorems(
    record: SuboptimalityRecord, *, delta: float, complete: bool, **numbers: float
) -> Iterator[Guarantee]:
    known: dict[str, Any] = {**numbers, "n_steps": record.n_steps}
    if not complete:
        yield stochastic_gradient.pegasos_anytime(**known, delta=delta)
        return
    yield stochastic_gradient.pegasos(**known)
    yield stochastic_gradient.pegasos_high_probability(**known, delta=delta)


def _certify(
    learner: Any, guarantee: Guarantee, record: SuboptimalityRecord, *, told: Told, **stated: Any
) -> Certificate:
    limit, level = outward(guarantee.bound, "upper"), guarantee.inputs.get("delta")
    how = "On average over its draws" if level is None else f"With confidence {confidence(level)}"
    longest, half = float(guarantee.inputs["radius"]), float(learner.begun_.regularization) / 2.0
    return certify(
        guarantee,
        kind="regret",
        observed=record.objective - record.least,
        n=record.n_steps,
        claim=f"{how}, the mean hinge loss plus {exactly(half)}‖{told.symbol}‖² on the training "
        f"rows is at most {limit} above its minimum; what is observed is no less than the true "
        "excess.",
        evidence={
            "rows": checked(f"drawn by NumPy's generator; the longest is {longest:.6g}"),
            "start": by_construction(told.start),
        },
        also=demands_of(learner.begun_),
        **stated,
    )


def seed_of_draws(random_state: Any, *, lowest: int = 0) -> int:
    """Return the seed of a run's draws: all problems of a run draw alike if a number is given.

    Examples
    --------
    >>> seed_of_draws(0) == seed_of_draws(0)
    True
    """
    if isinstance(random_state, Generator):
        return int(random_state.integers(lowest, 2**31))
    return int(cast("Any", check_random_state(random_state)).randint(lowest, 2**31 - 1))


def refuse_regularization(value: Any) -> None:
    """Refuse a penalty that is not positive, or so small that squared weights overflow."""
    if _arguments.positive("regularization", value) < _LEAST:
        raise _arguments.refuse("regularization", value, f"{_LEAST} or more")
