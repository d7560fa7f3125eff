"""Prediction intervals around any model, with a share of misses that is sure in the long run."""

import math
from bisect import bisect_left, insort
from collections import deque
from collections.abc import Mapping
from copy import copy
from typing import Any, Self

import numpy as np

from surelearn import _arguments
from surelearn._locks import in_turn
from surelearn._shown import Shown
from surelearn._typing import ArrayLike, Matrix, Vector
from surelearn._wording import exactly, outward
from surelearn.base import OnlineLinearRegressor
from surelearn.base.chunks import rows_at
from surelearn.bounds import Guarantee, online_conformal
from surelearn.certificate import Certificate, by_construction, certify
from surelearn.certificate._certificate import Kind
from surelearn.evaluate._monitoring import FixedBeforehand

_WHOLE_LINE, _EMPTY = (-math.inf, math.inf), (math.inf, -math.inf)


class OnlineConformal(FixedBeforehand, Shown, drawn_by="online_conformal.plot_online_conformal"):
    """Intervals that miss a share alpha of the rows in the long run, whatever the rows are.

    Adaptive conformal inference (Gibbs and Candès 2021): the interval around a prediction is as
    wide as a quantile of the last errors; the level of the quantile falls after a miss and rises
    after a hit, alpha_{t+1} = alpha_t + learning_rate (alpha - missed). A level of 0 or less gives
    the whole line, one of 1 or more the empty set, given as (inf, -inf).

    Parameters
    ----------
    model
        A fitted regressor with `predict`, or an online regressor if it is to learn, too.
    alpha
        The share of rows that may be missed.
    learning_rate
        How far the level moves after a row. A larger one follows changes faster; intervals
        fluctuate more.
    window
        How many of the last errors the quantile is taken of.
    learns
        Whether the model learns each row after its interval was given.

    Attributes
    ----------
    n_rows, n_missed
        The rows judged so far, and how many of them were missed.

    Examples
    --------
    >>> from surelearn.learners.linear.online_ridge import OnlineRidge
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(2000, 2))
    >>> y = X @ [1.0, -2.0] + rng.normal(size=2000) * np.linspace(1, 4, 2000)
    >>> conformal = OnlineConformal(OnlineRidge(), alpha=0.1, learns=True)
    >>> intervals = conformal.learn(X, y)
    >>> intervals.shape, conformal.n_missed / conformal.n_rows
    ((2000, 2), 0.1025)
    >>> print(conformal.certificate().claim)
    With certainty, at most 210 of these 2000 rows lay outside their intervals.
    """

    def __init__(
        self,
        model: Any,
        *,
        alpha: float = 0.1,
        learning_rate: float = 0.01,
        window: int = 1000,
        learns: bool = False,
    ) -> None:
        if not callable(getattr(model, "predict", None)):
            raise TypeError(f"model={_arguments.short(model)} cannot predict: give a regressor")
        self.model = model
        self._alpha = _arguments.open_fraction("alpha", alpha)
        self._learning_rate = _arguments.positive("learning_rate", learning_rate)
        self._window = _arguments.count("window", window, at_least=1)
        self._learns = _arguments.flag("learns", learns)
        if self._learns and not _can_learn(model):
            raise TypeError(
                f"{type(model).__name__} cannot learn row by row: it has neither learn nor "
                "partial_fit; give learns=False"
            )
        self._n_rows = 0
        self._n_missed = 0
        self._recent: deque[float] = deque()
        self._sorted: list[float] = []

    @in_turn
    def __copy__(self) -> Self:
        """Return a copy that goes on, and teaches its model, without changing this one."""
        twin = super().__copy__()
        if self._learns:
            vars(twin)["model"] = copy(self.model)
        return twin

    @property
    def n_rows(self) -> int:
        """How many rows were judged."""
        return self._n_rows

    @property
    def n_missed(self) -> int:
        """How many of them lay outside their intervals."""
        return self._n_missed

    def _facts(self) -> Mapping[str, Any]:
        names = ("model", "alpha", "n_rows", "n_missed", "half_width")
        return {name: getattr(self, name) for name in names}

    @property
    def recent_errors(self) -> Vector:
        """The last errors, of which the next interval's width is a quantile, in their order."""
        return np.array(self._recent)

    @property
    def alpha(self) -> float:
        """The share of rows that may be missed; fixed when the first row comes."""
        return self._alpha

    @property
    def level(self) -> float:
        """The level of the next interval, alpha_t; it starts at alpha."""
        # From counts, so that no rounding error adds up.
        moved = self.n_rows * self._alpha - self.n_missed
        return self._alpha + self._learning_rate * moved

    @property
    def half_width(self) -> float:
        """Half the width of the next interval: infinite for the whole line, negative if empty."""
        level = self.level  # far beyond 0 or 1 if the rate is huge
        if not 0.0 < level < 1.0:
            return -math.inf if level >= 1.0 else math.inf
        rank = math.ceil((1.0 - level) * (len(self._sorted) + 1))
        return self._sorted[rank - 1] if rank <= len(self._sorted) else math.inf

    def predict_interval(self, X: Any) -> Matrix:
        """Return the interval that each row would be given if it came next: (low, high)."""
        width = self.half_width
        return np.array([_interval(center, width) for center in self._predictions(X).tolist()])

    @in_turn
    def learn(self, X: Any, y: ArrayLike) -> Matrix:
        """Judge the rows one after the other; return for each the interval given before its y.

        How the rows are cut into calls does not matter.
        """
        targets = _arguments.vector("y", y)
        centers = self._judged(X, targets)
        if len(centers) != len(targets):
            raise ValueError(f"X has {len(centers)} rows and y has {len(targets)}")
        intervals = np.empty((len(targets), 2))
        for t, (center, target) in enumerate(zip(centers.tolist(), targets.tolist(), strict=True)):
            low, high = intervals[t] = _interval(center, self.half_width)
            self._n_rows += 1
            self._n_missed += not low <= target <= high
            self._remember(abs(target - center))
        return intervals

    @in_turn
    def certificate(self) -> Certificate:
        """Return how many rows can have been missed at most, surely."""
        guarantee = online_conformal.adaptive_conformal_misses(**self._inputs())
        limit = outward(guarantee.bound, "upper")
        claim = (
            f"With certainty, at most {limit} of these {self.n_rows} rows lay outside their "
            "intervals."
        )
        return self._certified(guarantee, "mistakes", self.n_missed, claim)

    @in_turn
    def deviation_certificate(self) -> Certificate:
        """Return how far from alpha, on either side, the share of missed rows can be, surely."""
        guarantee = online_conformal.adaptive_conformal(**self._inputs())
        limit = outward(guarantee.bound, "upper")
        claim = (
            f"With certainty, the share of rows outside their intervals differs from "
            f"{exactly(self._alpha)} by at most {limit}."
        )
        deviation = abs(self.n_missed / self.n_rows - self._alpha)
        return self._certified(guarantee, "difference", deviation, claim)

    def _inputs(self) -> dict[str, Any]:
        if self.n_rows == 0:
            raise ValueError("no rows yet: call learn(X, y) before asking for a certificate")
        rate, start = self._learning_rate, self._alpha
        return {
            "alpha": start, "learning_rate": rate, "start": start, "n_rounds": self.n_rows,
        }  # fmt: skip

    def _certified(
        self, guarantee: Guarantee, kind: Kind, observed: float, claim: str
    ) -> Certificate:
        return certify(
            guarantee,
            kind=kind,
            subject="this run of OnlineConformal",
            observed=observed,
            n=self.n_rows,
            claim=claim,
            evidence={
                "sets": by_construction("such levels give (-inf, inf) and (inf, -inf)"),
                "updates": by_construction("the level is computed from the rows and the misses"),
            },
        )

    def _judged(self, X: Any, targets: Vector) -> Vector:
        """Return the prediction that each row gets before the model learns it."""
        if not self._learns:
            return self._predictions(X)
        if isinstance(self.model, OnlineLinearRegressor):
            return np.asarray(self.model.learn(X, targets), dtype=np.float64)
        found = self._predictions(X).copy()  # refused before anything is learnt
        if len(found) != len(targets):
            raise ValueError(f"X has {len(found)} rows and y has {len(targets)}")
        for t in range(len(targets)):
            row = rows_at(X, np.array([t]))
            found[t] = self._predictions(row)[0]
            self.model.partial_fit(row, targets[t : t + 1])
        return found

    def _predictions(self, X: Any) -> Vector:
        found = _arguments.numbers("the predictions of the model", self.model.predict(X))
        if found.ndim != 1:
            raise ValueError("the model predicts several numbers for a row: give one for each")
        return found

    def _remember(self, error: float) -> None:
        if error != error:  # noqa: PLR0124 - a model that predicted NaN has no width
            error = math.inf
        self._recent.append(error)
        insort(self._sorted, error)
        if len(self._recent) > self._window:
            del self._sorted[bisect_left(self._sorted, self._recent.popleft())]


def _interval(center: float, half_width: float) -> tuple[float, float]:
    """Return the interval around a prediction; if that is no number, the whole line or nothing."""
    if half_width < 0.0:
        return _EMPTY
    if not math.isfinite(half_width) or not math.isfinite(center):
        return _WHOLE_LINE
    return center - half_width, center + half_width


def _can_learn(model: Any) -> bool:
    return isinstance(model, OnlineLinearRegressor) or callable(getattr(model, "partial_fit", None))
