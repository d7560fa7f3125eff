"""Intervals around an estimated risk: one exact, the others approximate and labelled so.

Only rows that no model has seen give an exact interval. Those by resampling speak of the average
risk of the models an algorithm makes, lean on a normal or t law that holds in the limit at best,
and have been seen to miss: ordinary least squares on 40 rows and 20 features was covered by the
Wald interval in 55% of cases where it promised 90% (docs/how-to/evaluate-a-model.md). None of them
is a certificate. Those that resample anew are in `surelearn.evaluate.resampled_intervals`.
"""

from dataclasses import dataclass
from typing import Any, Literal, cast

import numpy as np
from scipy import special

from surelearn import _arguments
from surelearn._jit.sound_matrices import sound
from surelearn._shown import Shown
from surelearn._typing import ArrayLike
from surelearn._wording import outward, percent_exactly
from surelearn.bounds import inversions
from surelearn.evaluate._row_by_row import not_together
from surelearn.evaluate._task import LossName, PointwiseLoss, answers_of, check_labels, find_loss
from surelearn.evaluate.cross_validation import CrossValidation

OF_THE_ALGORITHM = "the average risk of the models this algorithm makes from so many rows"


@dataclass(frozen=True, kw_only=True)
class Interval(Shown, drawn_by="cross_validation.plot_intervals"):
    """An interval around an estimated risk, what it is about, and how far it can be trusted.

    Attributes
    ----------
    estimate, low, high
        The estimate and the ends.
    level
        The share of cases in which such an interval should cover.
    method
        How it was made.
    about
        What it should cover.
    validity
        "exact": it covers with at least that probability. "approximate": no theorem says so for
        any finite number of rows.

    Examples
    --------
    >>> from sklearn.dummy import DummyClassifier
    >>> model = DummyClassifier().fit([[0.0]], [0])
    >>> interval = holdout_interval(model, np.zeros((100, 1)), [0] * 90 + [1] * 10)
    >>> interval.validity, round(interval.low, 4), round(interval.high, 4)
    ('exact', 0.049, 0.1762)
    """

    estimate: float
    low: float
    high: float
    level: float
    method: str
    about: str
    validity: Literal["exact", "approximate"]

    @property
    def width(self) -> float:
        """The length of the interval."""
        return self.high - self.low

    def _picture(self) -> tuple[str, Any]:
        return self._drawn_by, [self]

    def __str__(self) -> str:
        """Return the interval in a sentence that says how far to trust it."""
        trust = "an exact" if self.validity == "exact" else "an approximate"
        warning = "" if self.validity == "exact" else " No theorem makes it a certificate."
        level, low = percent_exactly(self.level), outward(self.low, "lower")
        return (
            f"{self.estimate:.4g}, {trust} {level} interval by {self.method}: "
            f"[{low}, {outward(self.high, 'upper')}], about {self.about}.{warning}"
        )


def holdout_interval(
    model: Any,
    X: Any,
    y: ArrayLike,
    *,
    loss: LossName | PointwiseLoss | None = None,
    level: float = 0.95,
) -> Interval:
    """Return the interval from rows a fitted model has not seen: exact for zero-one losses.

    Parameters
    ----------
    model
        A fitted model.
    X, y
        Rows and targets drawn at random that the model has not learnt from.
    loss
        As for `cross_validate`. The zero-one loss is answered by Clopper and Pearson's exact
        interval, others by a normal approximation.
    level
        The share of cases in which it should cover.

    Examples
    --------
    >>> from sklearn.dummy import DummyRegressor
    >>> model = DummyRegressor().fit([[0.0]], [0.5])
    >>> y = np.random.default_rng(0).uniform(size=500)
    >>> holdout_interval(model, np.zeros((500, 1)), y).validity
    'approximate'
    """
    X = sound(X)
    labels, alpha = check_labels(X, y), miss_rate(level)
    judge = find_loss(loss, model, labels)
    predicted = answers_of(model, X)
    losses = judge.of(labels, predicted)
    not_together(model, X, predicted)
    about = "the risk of this fitted model"
    if not judge.counts_errors:
        reach = normal_quantile(alpha) * float(losses.std(ddof=1)) / np.sqrt(len(losses))
        return around(float(losses.mean()), reach, level, "the hold-out, Wald", about)
    errors, n = int(losses.sum()), len(losses)
    return Interval(
        estimate=errors / n,
        low=float(inversions.binomial_lower(errors, n, alpha / 2.0)),
        high=float(inversions.binomial_upper(errors, n, alpha / 2.0)),
        level=level,
        method="the hold-out, Clopper and Pearson",
        about=about,
        validity="exact",
    )


def wald_interval(
    result: CrossValidation,
    *,
    level: float = 0.95,
    variance: Literal["all-pairs", "within-fold"] = "all-pairs",
) -> Interval:
    """Return the normal interval of a cross-validation that tested every row once.

    It treats the losses as independent, which they are in the limit for stable algorithms only
    (Bayle et al., 2020).

    Parameters
    ----------
    result
        What `cross_validate` returned.
    level
        The share of cases in which it should cover.
    variance
        Of the losses around their common mean, or around the mean of their fold.

    Examples
    --------
    >>> from sklearn.dummy import DummyClassifier
    >>> from surelearn.evaluate.cross_validation import cross_validate
    >>> result = cross_validate(DummyClassifier(), np.zeros((50, 1)), [0] * 40 + [1] * 10)
    >>> interval = wald_interval(result)
    >>> round(interval.low, 4), round(interval.high, 4), interval.validity
    (0.0891, 0.3109, 'approximate')
    """
    if not isinstance(cast("object", result), CrossValidation):
        raise TypeError(f"{result!r} is no result of cross_validate")
    if not isinstance(cast("object", variance), str):
        raise TypeError(f"variance={variance!r} must be a word")
    if not result.partition or result.folds[0].weights is not None:
        raise ValueError(
            "the Wald interval needs folds that test every row once, each counted alike; give cv "
            "as a number of folds, and no sample_weight"
        )
    if variance == "within-fold" and min(len(fold.losses) for fold in result.folds) < 2:
        raise ValueError("a fold of one row has no variance; take variance='all-pairs'")
    if variance == "all-pairs":
        spread = float(result.losses.var())
    elif variance == "within-fold":
        spread = float(np.mean([fold.losses.var(ddof=1) for fold in result.folds]))
    else:
        raise _arguments.refuse("variance", variance, "'all-pairs' or 'within-fold'")
    reach = normal_quantile(miss_rate(level)) * np.sqrt(spread / result.n)
    method = f"Wald ({variance} variance) in {len(result.folds)} {result.scheme}"
    return around(result.pooled, float(reach), level, method)


def around(
    estimate: float, reach: float, level: float, method: str, about: str = OF_THE_ALGORITHM
) -> Interval:
    """Return an approximate interval that reaches equally far to both sides."""
    return Interval(
        estimate=estimate,
        low=estimate - reach,
        high=estimate + reach,
        level=level,
        method=method,
        about=about,
        validity="approximate",
    )


def miss_rate(level: float) -> float:
    """Return 1 - level for a level in (0, 1)."""
    return 1.0 - _arguments.open_fraction("level", level)


def normal_quantile(alpha: float) -> float:
    """Return the z beyond which a standard normal lies, to both sides, with probability alpha."""
    return float(special.ndtri(1.0 - alpha / 2.0))
