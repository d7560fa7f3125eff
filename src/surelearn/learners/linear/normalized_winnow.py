"""Normalised Winnow: weights of sum 1, multiplied by exp(η·y·x) on mistakes.

    w ∝ exp(η·Σ y·(x, −x)),   the sum over the mistakes so far;   predict sign⟨w, (x, −x)⟩

Littlestone (1989); Grove, Littlestone and Schuurmans (2001). Mistake bounds, and the rate that
needs no tuning, are in `surelearn.bounds.mistakes_linear`.
"""

import math
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import sparse
from sklearn.utils import gen_batches
from sklearn.utils.validation import check_is_fitted

from surelearn import _arguments
from surelearn._jit import jit, rows, tables
from surelearn._jit.rows import Rows
from surelearn._typing import Indices, Matrix, Vector
from surelearn.base import MistakeRecord, OnlineLinearClassifier, compression_certificate
from surelearn.base.online.mistakes import certify_run, of_all_problems
from surelearn.bounds import Guarantee, mistakes_linear
from surelearn.certificate import Certificate, Status

_ROWS_AT_ONCE = 4096  # copied with the constant feature
_SHARPNESS = (1.0, 2.0, 4.0, 16.0)  # powers of the final weights tried as comparators


@jit
def _weigh(rate: float, balanced: bool, sums: Vector, weights: Vector) -> None:  # noqa: FBT001
    """Set `weights` to exp(rate sums) over its total; with negated features, less theirs."""
    top, total = -np.inf, 0.0
    for j in range(len(sums)):
        top = max(top, rate * (abs(sums[j]) if balanced else sums[j]))
    for j in range(len(sums)):
        weights[j] = math.exp(rate * sums[j] - top)
        negated = math.exp(-rate * sums[j] - top) if balanced else 0.0
        total += weights[j] + negated
        weights[j] -= negated
    for j in range(len(sums)):
        weights[j] /= total


@jit
def _learn_rows(
    X: Rows,
    signs: Vector,
    scales: Vector,
    balanced: bool,  # noqa: FBT001
    decay: float,
    memory: Matrix,
    n_updates: Indices,
    scores: Vector,
) -> None:
    """Score each row, then learn from it; `memory` holds the sums, and the weights they give.

    Before the m-th mistake the rate is scale / m^decay; the scale may fall from row to row.
    """
    sums, weights, stale = memory[0], memory[1], True
    for t in range(rows.count(X)):
        if stale or scales[t] != scales[t - 1]:
            _weigh(scales[t] / (n_updates[0] + 1.0) ** decay, balanced, sums, weights)
        scores[t] = rows.dot(X, t, weights)
        stale = signs[t] * scores[t] <= 0.0  # a tie counts, or equal weights would never move
        if stale:
            rows.add(X, t, signs[t], sums)
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
        if self._begun_as.learning_rate is None:
            each = self._self_tuned(1.0 / _arguments.positive("margin", margin), 0.0)
        else:
            each = self._at_rate(self._log_features, margin, 0.0)
        return of_all_problems(each, len(self.coef_))

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
        check_is_fitted(self)
        if not hasattr(self, "records_"):
            return ()
        proofs: list[tuple[Status, str]] = [
            ("by-construction", "the code does exactly this"),
            ("checked", f"the largest feature is {self.radius_:.6g}"),
            ("checked", "the final weights, sharpened, on all rounds of this run"),
        ]
        if self._begun_as.learning_rate is None:
            rates = "radius is the largest feature so far; the proof needs rates that never rise"
            proofs.insert(1, ("by-construction", rates))
        sure = [
            certify_run(
                self,
                problem,
                guarantee,
                observed=record.total_updates,
                n_rounds=record.n_passes * self.n_training_rows_,
                statuses=proofs,
            )
            for problem, record in enumerate(self.records_)
            if (guarantee := self.realised_[problem]) is not None
        ]
        return (*sure, compression_certificate(self, delta=delta))

    @property
    def _log_features(self) -> float:
        return math.log((2 if self._begun_as.balanced else 1) * self.sums_.shape[1])

    def _self_tuned(self, norm: float, hinge_loss: float) -> Guarantee:
        return mistakes_linear.self_tuned_winnow(
            n_features=self.sums_.shape[1], norm=norm, radius=self.radius_, hinge_loss=hinge_loss
        )

    def _at_rate(self, divergence: float, margin: float, margin_loss: float) -> Guarantee:
        return mistakes_linear.normalized_winnow(
            divergence=divergence,
            margin=margin,
            radius=self.radius_,
            learning_rate=float(self._begun_as.learning_rate or 0.0),
            margin_loss=margin_loss,
        )

    def _check_first_rows(self, X: Any, y: ArrayLike) -> tuple[Any, NDArray[Any], dict[str, Any]]:
        if self.learning_rate is not None:
            _arguments.positive("learning_rate", self.learning_rate)
        elif not self.balanced:
            raise ValueError(
                "balanced=False needs a learning_rate: the self-tuned rate is balanced"
            )
        return super()._check_first_rows(X, y)

    def _start(self, n_features: int, n_problems: int) -> None:
        self.sums_ = np.zeros((n_problems, n_features + bool(self.fit_intercept)))
        self.n_updates_ = np.zeros(n_problems, dtype=np.int64)
        self.radii_ = np.full(n_problems, float(bool(self.fit_intercept)))
        self.coef_, self.intercept_ = np.zeros((n_problems, n_features)), np.zeros(n_problems)
        self.radius_ = float(bool(self.fit_intercept))
        if not self.balanced:
            share = 1.0 / self.sums_.shape[1]
            self.coef_[:], self.intercept_[:] = share, share * bool(self.fit_intercept)

    def _learn(self, X: Rows, signs: Vector, problem: int, scores: Vector) -> None:
        table, memory = tables.of(X, self.n_features_in_), np.zeros((2, self.sums_.shape[1]))
        memory[0] = self.sums_[problem]
        n_updates = self.n_updates_[problem : problem + 1]
        begun = self._begun_as
        how = bool(begun.balanced), 0.5 if begun.learning_rate is None else 0.0
        for part in gen_batches(len(signs), _ROWS_AT_ONCE):
            scales = self._scales(table[part], problem)
            block = rows.of(_with_ones(table[part]) if begun.fit_intercept else table[part])
            _learn_rows(block, signs[part], scales, *how, memory, n_updates, scores[part])
        self.sums_[problem], self.radius_ = memory[0], float(self.radii_.max())
        self.coef_[problem] = memory[1, : self.n_features_in_]
        if begun.fit_intercept:
            self.intercept_[problem] = memory[1, -1]

    def _scales(self, X: Any, problem: int) -> Vector:
        """Return the rate of each row before it falls with the mistakes; `radii_` changes."""
        radii = np.maximum(self.radii_[problem], np.maximum.accumulate(_largest(X)))
        self.radii_[problem] = radii[-1]
        if (rate := self._begun_as.learning_rate) is not None:
            return np.full(len(radii), float(rate))
        scale = math.sqrt(self._log_features)
        return np.divide(scale, radii, out=np.zeros(len(radii)), where=radii > 0.0)

    def _record_run(self, X: Any, index: Indices, counts: list[tuple[Indices, int]]) -> None:
        super()._record_run(X, index, counts)
        if self.learning_rate is None:  # rows that lowered the rate mattered too
            radii = np.maximum.accumulate(np.append(float(bool(self.fit_intercept)), _largest(X)))
            raised = np.flatnonzero(np.diff(radii) > 0.0)
            self.compression_set_ = np.union1d(self.compression_set_, raised)
        self.realised_ = tuple(
            self._realised(X, self._signs(index, problem), problem, run)
            for problem, run in enumerate(counts)
        )

    def _realised(
        self, X: Any, signs: Vector, problem: int, run: tuple[Indices, int]
    ) -> Guarantee | None:
        """Return the least bound over some comparators made from the final weights."""
        weights = np.append(self.coef_[problem], self.intercept_[problem])
        largest, bounds = float(np.abs(weights).max()), list[Guarantee | None]()
        for sharpness in _SHARPNESS if largest > 0.0 else ():
            u = np.sign(weights) * (np.abs(weights) / largest) ** sharpness
            u /= np.abs(u).sum()
            bounds.append(self._compared_with(u, signs * (X @ u[:-1] + u[-1]), *run))
        return min(filter(None, bounds), key=lambda g: g.bound, default=None)

    def _compared_with(
        self, u: Vector, margins: Vector, n_updates: Indices, n_passes: int
    ) -> Guarantee | None:
        """Return the bound with a comparator of absolute sum 1, its best multiple or margin."""
        if self.learning_rate is None:
            length = 2.0 * self.radius_ * math.sqrt(self._log_features)
            record = MistakeRecord.of(n_updates, margins, n_passes=n_passes, length=length)
            return self._self_tuned(record.scale, record.hinge_loss)
        share = np.abs(u[u != 0.0])
        divergence = max(0.0, self._log_features + float(share @ np.log(share)))
        return self._best_margin(divergence, margins, n_passes)

    def _best_margin(self, divergence: float, margins: Vector, n_passes: int) -> Guarantee | None:
        """Return the least bound over some margins at which the rate is small enough."""
        bounds: list[Guarantee] = []
        for margin in np.unique(np.quantile(margins, np.linspace(0.0, 1.0, 33))):
            loss = n_passes * float(np.maximum(0.0, margin - margins).sum())
            try:
                bounds.append(self._at_rate(divergence, float(margin), loss))
            except ValueError:  # the rate is too large for this margin
                continue
        return min(bounds, key=lambda guarantee: guarantee.bound, default=None)

    def _forget_training_set(self) -> None:
        super()._forget_training_set()
        vars(self).pop("realised_", None)


def _largest(X: Any) -> Vector:
    """Return the largest absolute value of each row."""
    if isinstance(X, np.ndarray):
        return np.maximum(X.max(axis=1), -X.min(axis=1))
    return abs(X).max(axis=1).toarray().ravel()


def _with_ones(X: Any) -> Any:
    """Return a table with a column of ones beside it."""
    ones = np.ones((X.shape[0], 1))
    if isinstance(X, np.ndarray):
        return np.hstack([X, ones])
    return sparse.hstack([X, sparse.csr_array(ones)], format="csr")
