"""Normalised Winnow: weights of sum 1, multiplied by exp(η·y·x) on mistakes.

    w ∝ exp(η·Σ y·(x, −x)),   the sum over the mistakes so far;   predict sign⟨w, (x, −x)⟩

Littlestone (1989); Grove, Littlestone and Schuurmans (2001). Mistake bounds, and the rate that
needs no tuning, are in `surelearn.bounds.mistakes_linear`.
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from sklearn.utils.validation import check_is_fitted

from surelearn import _arguments
from surelearn._jit import jit, rows
from surelearn._jit.rows import Rows
from surelearn._stored import holds, stored
from surelearn._typing import Indices, Mask, Matrix, Vector
from surelearn.base import MistakeRecord, OnlineLinearClassifier
from surelearn.base.online.mistakes import Statement, of_all_problems, run_and_risk_certificates
from surelearn.base.online.passes import Run, Visits
from surelearn.bounds import Guarantee, mistakes_linear
from surelearn.certificate import Certificate, by_construction, checked

_SHARPNESS = (1.0, 2.0, 4.0, 16.0)  # powers of the final weights tried as comparators


@stored("normalized-winnow-state")
class State(NamedTuple):
    """All that one two-class problem has learnt; in `sums` the constant feature comes last.

    `radius` is the largest absolute value of a feature, `coef` and `bias` the weights that the sums
    give at the rate of the next row.
    """

    sums: Vector
    n_updates: Indices
    radius: Vector
    coef: Vector
    bias: Vector


@stored("normalized-winnow-record")
@holds(
    realised=Guarantee | None,
)
@dataclass(frozen=True, eq=False)
class NormalizedWinnowRecord(MistakeRecord):
    """What the run on one problem leaves behind, with the bound on its mistakes, or None."""

    realised: Guarantee | None


@jit
def _weigh(rate: float, balanced: bool, sums: Vector, weights: Vector) -> None:  # noqa: FBT001
    """Set `weights` to exp(rate sums) over its total; with negated features, less theirs."""
    top, total = -np.inf, 0.0
    for j in range(len(sums)):
        top = max(top, rate * (abs(sums[j]) if balanced else sums[j]))
    for j in range(len(sums)):
        weights[j] = math.exp(rate * sums[j] - top)
        if balanced:
            weights[j] -= math.exp(-rate * sums[j] - top)
    for j in range(len(sums)):  # |e^a - e^-a| + 2e^-|a| = e^a + e^-a
        total += abs(weights[j])
        if balanced:
            total += 2.0 * math.exp(-rate * abs(sums[j]) - top)
    for j in range(len(sums)):
        weights[j] /= total


@jit
def _learn_rows(
    X: Rows,
    signs: Vector,
    scales: Vector,
    how: tuple[bool, bool, float],
    memory: Matrix,
    n_updates: Indices,
    scores: Vector,
) -> None:
    """Score each row, then learn from it; `memory` holds the sums, and the weights they give.

    `how` says whether there are negated features, and a constant one, which comes last, and how
    the rate falls: before the m-th mistake it is scale / m^decay. The scale may fall, too.
    """
    balanced, constant, decay = how
    sums, weights, stale = memory[0], memory[1], True
    n_features = len(sums) - constant
    of_rows, sums_of_rows = weights[:n_features], sums[:n_features]
    for t in range(rows.count(X)):
        if stale or scales[t] != scales[t - 1]:
            _weigh(scales[t] / (n_updates[0] + 1.0) ** decay, balanced, sums, weights)
        scores[t] = rows.dot(X, t, of_rows) + (weights[-1] if constant else 0.0)
        stale = signs[t] * scores[t] <= 0.0  # a tie counts, or equal weights would never move
        if stale:
            rows.add(X, t, signs[t], sums_of_rows)
            sums[-1] += signs[t] if constant else 0.0
            n_updates[0] += 1
    if stale:
        _weigh(scales[-1] / (n_updates[0] + 1.0) ** decay, balanced, sums, weights)


class NormalizedWinnow(OnlineLinearClassifier):
    """Multiplicative linear classifier for numbers: few of many features matter, of either sign.

    Parameters
    ----------
    learning_rate
        The rate η. Left out, it is sqrt(ln(2n) / m) / X before the m-th mistake, X the largest
        absolute value of a feature so far: no margin and no horizon need be known.
    balanced
        Give each feature its negative, so that weights may have either sign. Without it all weights
        are positive, which halves their number; it then needs a learning rate.
    fit_intercept
        Learn a constant term, as if every row had one more feature equal to 1.
    max_iter
        The largest number of passes `fit` makes; it stops at the first pass without mistakes.

    Attributes
    ----------
    coef_, intercept_
        The weights, a row per two-class problem, and their constant terms; for the next row, unless
        that one has a larger feature than any before.
    sums_, n_updates_
        For each problem the signed sum of the rows it erred on, and how many these were.
    n_mistakes_, n_rounds_, cumulative_loss_
        Mistakes made so far, each an update, over all two-class problems; rows visited; the sum of
        the 0-1 losses.
    radius_
        The largest absolute value of a feature seen, the constant one included.
    realised_
        After `fit`: for each two-class problem the bound on its mistakes, or None.
    compression_set_
        After `fit`: the training rows that ever changed weights or rate, or are still wrong.

    Examples
    --------
    >>> X, y = [[1.0, -1.0, -1.0], [-1.0, -1.0, 1.0], [1.0, 1.0, 1.0]], [1, 0, 1]
    >>> model = NormalizedWinnow(fit_intercept=False).fit(X, y)
    >>> model.predict(X).tolist(), model.n_mistakes_
    ([1, 0, 1], 2)
    >>> model.guarantee(margin=1.0).allows(model.n_mistakes_)
    True
    """

    _record_kind = NormalizedWinnowRecord
    _late_features = False  # each feature starts with a share of the weight

    def __init__(
        self,
        *,
        learning_rate: float | None = None,
        balanced: bool = True,
        fit_intercept: bool = True,
        max_iter: int = 1000,
    ) -> None:
        self.learning_rate = learning_rate
        self.balanced = balanced
        self.fit_intercept = fit_intercept
        self.max_iter = max_iter

    def guarantee(self, *, margin: float) -> Guarantee:
        """Bound `n_mistakes_`, if weights of absolute sum 1 give all rows a score >= `margin`.

        Of either sign if the features are balanced, else of none below 0. With more than two
        classes, if some do in each two-class problem.
        """
        check_is_fitted(self)
        begun, state = self.begun_, self.states_[0]
        radius, n_features = self.radius_, len(state.sums)
        if begun.learning_rate is None:
            norm = 1.0 / _arguments.positive("margin", margin)
            each = _self_tuned(n_features, radius, norm, 0.0)
        else:
            divergence = begun._log_features(n_features)  # noqa: SLF001 - our own copy
            each = begun._at_rate(divergence, radius, margin, 0.0)  # noqa: SLF001
        return of_all_problems(each, len(self.states_))

    def certificates(self, *, delta: float = 0.05) -> tuple[Certificate, ...]:
        """State what the last `fit` proves; a learner that has moved on since proves nothing.

        For each two-class problem the bound on the mistakes with the best of several comparators,
        which are made from the final weights by raising them to a power. At a fixed rate that is
        too large for the margin of each there is no such bound. Then the risk of the model by
        stable compression.

        Parameters
        ----------
        delta
            The probability with which the statement about the risk may fail.
        """
        return run_and_risk_certificates(self, delta)

    @property
    def sums_(self) -> Matrix:
        """For each problem the signed sum of the rows it erred on, the constant feature last."""
        return np.array([state.sums for state in self.states_])

    @property
    def n_updates_(self) -> Indices:
        """For each problem the number of its mistakes."""
        return np.array([state.n_updates[0] for state in self.states_])

    @property
    def realised_(self) -> tuple[Guarantee | None, ...]:
        """After `fit`: for each two-class problem the bound on its mistakes, or None."""
        return tuple(record.realised for record in self.records_)

    def _statements(
        self, run: Run, state: State, record: NormalizedWinnowRecord
    ) -> Iterator[Statement]:
        """Yield the bound on the mistakes in one two-class problem, if there is one."""
        if record.realised is None:
            return
        comparator = checked("the final weights, sharpened, on all rounds of this run")
        evidence = {"radius": checked(f"the largest feature is {state.radius[0]:.6g}")}
        code = by_construction("the code does exactly this")
        if self.learning_rate is None:
            rates = "radius is the largest feature so far; the proof needs rates that never rise"
            evidence |= {"doubled_features": code, "algorithm": by_construction(rates)}
            evidence["loss"] = comparator
        else:
            evidence |= {"algorithm": code, "comparator": comparator}
        n_rounds = record.n_passes * run.n_rows
        yield Statement(record.realised, record.total_updates, n_rounds, evidence)

    def _log_features(self, n_features: int) -> float:
        """Return the logarithm of the number of weights; `n_features` counts the constant."""
        return math.log((2 if self.balanced else 1) * n_features)

    def _at_rate(
        self, divergence: float, radius: float, margin: float, margin_loss: float
    ) -> Guarantee:
        return mistakes_linear.normalized_winnow(
            divergence=divergence,
            margin=margin,
            radius=radius,
            learning_rate=float(self.learning_rate or 0.0),
            margin_loss=margin_loss,
        )

    def _check_parameters(self) -> None:
        if self.learning_rate is not None:
            _arguments.positive("learning_rate", self.learning_rate)
        elif not self.balanced:
            raise ValueError(
                "balanced=False needs a learning_rate: the self-tuned rate is balanced"
            )

    def _start(self, n_features: int) -> State:
        constant = bool(self.fit_intercept)
        sums, n_updates = np.zeros(n_features + constant), np.zeros(1, dtype=np.int64)
        share = 0.0 if self.balanced else 1.0 / len(sums)
        coef, bias = np.full(n_features, share), np.full(1, share * constant)
        return State(sums, n_updates, np.full(1, float(constant)), coef, bias)

    def _learn(self, X: Rows, signs: Vector, state: State, scores: Vector) -> None:
        sums, n_updates, radius, coef, bias = state
        memory, scales = np.zeros((2, len(sums))), self._scales(X, len(sums), radius)
        memory[0] = sums
        decay = 0.5 if self.learning_rate is None else 0.0
        how = bool(self.balanced), bool(self.fit_intercept), decay
        _learn_rows(X, signs, scales, how, memory, n_updates, scores)
        sums[:], coef[:] = memory[0], memory[1, : len(coef)]
        if self.fit_intercept:
            bias[0] = memory[1, -1]

    def _scales(self, X: Rows, n_features: int, radius: Vector) -> Vector:
        """Return the rate of each row before it falls with the mistakes; `radius` grows."""
        radii = np.maximum(radius[0], np.maximum.accumulate(_largest(X)))
        radius[0] = radii[-1]
        if self.learning_rate is not None:
            return np.full(len(radii), float(self.learning_rate))
        scale = math.sqrt(self._log_features(n_features))
        return np.divide(scale, radii, out=np.zeros(len(radii)), where=radii > 0.0)

    def _outcome(self, X: Any, wrong: Mask, used: Mask) -> tuple[int | None, Indices | None]:
        n_wrong, mattered = super()._outcome(X, wrong, used)
        if self.learning_rate is None and mattered is not None:
            # Rows that lowered the rate mattered too.
            radii = np.maximum.accumulate(
                np.append(float(bool(self.fit_intercept)), _largest(rows.of(X)))
            )
            mattered = np.union1d(mattered, np.flatnonzero(np.diff(radii) > 0.0))
        return n_wrong, mattered

    def _record(
        self, X: Any, margins: Vector, visits: Visits, state: State
    ) -> NormalizedWinnowRecord:
        record = super()._record(X, margins, visits, state)
        realised = self._least_bound(X, visits, state)
        return NormalizedWinnowRecord(**vars(record), realised=realised)

    @classmethod
    def _old_state(cls, old: dict[str, Any], problem: int, begun: Any) -> State:
        return super()._old_state(old | {"radius_": old["radii_"]}, problem, begun)

    @classmethod
    def _old_record(cls, record: Any, old: dict[str, Any], problem: int) -> NormalizedWinnowRecord:
        return NormalizedWinnowRecord(**vars(record), realised=old["realised_"][problem])

    def _least_bound(self, X: Any, visits: Visits, state: State) -> Guarantee | None:
        """Return the least bound over some comparators made from the final weights."""
        weights = np.append(state.coef, state.bias[0])
        largest, bounds = float(np.abs(weights).max()), list[Guarantee | None]()
        for sharpness in _SHARPNESS if largest > 0.0 else ():
            u = np.sign(weights) * (np.abs(weights) / largest) ** sharpness
            u /= np.abs(u).sum()
            margins = visits.signs * (X @ u[:-1] + u[-1])
            bounds.append(self._compared_with(u, margins, visits, state))
        return min(filter(None, bounds), key=lambda g: g.bound, default=None)

    def _compared_with(
        self, u: Vector, margins: Vector, visits: Visits, state: State
    ) -> Guarantee | None:
        """Return the bound with a comparator of absolute sum 1, its best multiple or margin."""
        radius, log_features = float(state.radius[0]), self._log_features(len(state.sums))
        if self.learning_rate is None:
            length = 2.0 * radius * math.sqrt(log_features)
            n_passes = visits.n_passes
            record = MistakeRecord.of(visits.n_updates, margins, n_passes=n_passes, length=length)
            return _self_tuned(len(state.sums), radius, record.scale, record.hinge_loss)
        share = np.abs(u[u != 0.0])
        divergence = max(0.0, log_features + float(share @ np.log(share)))
        return self._best_margin(divergence, radius, margins, visits.n_passes)

    def _best_margin(
        self, divergence: float, radius: float, margins: Vector, n_passes: int
    ) -> Guarantee | None:
        """Return the least bound over some margins at which the rate is small enough."""
        bounds: list[Guarantee] = []
        for margin in np.unique(np.quantile(margins, np.linspace(0.0, 1.0, 33))):
            loss = n_passes * float(np.maximum(0.0, margin - margins).sum())
            try:
                bounds.append(self._at_rate(divergence, radius, float(margin), loss))
            except ValueError:  # the rate is too large for this margin
                continue
        return min(bounds, key=lambda guarantee: guarantee.bound, default=None)


def _self_tuned(n_features: int, radius: float, norm: float, hinge_loss: float) -> Guarantee:
    """Return the bound at the rate that needs no tuning."""
    return mistakes_linear.self_tuned_winnow(
        n_features=n_features, norm=norm, radius=radius, hinge_loss=hinge_loss
    )


def _largest(X: Rows) -> Vector:
    """Return the largest absolute value of each row."""
    if isinstance(X, np.ndarray):
        return np.maximum(X.max(axis=1), -X.min(axis=1))
    largest, ends = np.zeros(rows.count(X)), X.indptr
    filled = np.flatnonzero(np.diff(ends))
    if len(filled):  # the entries of one row end where the next that has any begins
        entries, begins = X.data[: ends[-1]], ends[filled]
        least, most = np.minimum.reduceat(entries, begins), np.maximum.reduceat(entries, begins)
        largest[filled] = np.maximum(most, -least)
    return largest
