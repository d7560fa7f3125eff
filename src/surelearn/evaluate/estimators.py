"""The exact mean and variance of an estimator, by going through all samples of a finite law."""

import itertools
import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from surelearn import _arguments
from surelearn._shown import Shown
from surelearn._typing import ArrayLike, Vector

_MOST_SAMPLES = 10**6


@dataclass(frozen=True)
class EstimatorMoments(Shown):
    """The exact mean and variance of an estimator.

    Attributes
    ----------
    mean, variance
        Over all samples, each with its probability.
    n_samples
        The number of samples gone through.

    Examples
    --------
    >>> EstimatorMoments(mean=3.5, variance=1.0, n_samples=6).bias(6.0)
    -2.5
    """

    mean: float
    variance: float
    n_samples: int

    def bias(self, truth: float) -> float:
        """Return the mean less what is estimated: 0 for an unbiased estimator, to rounding."""
        return self.mean - _arguments.real("truth", truth)


def estimator_moments(
    estimator: Callable[[NDArray[Any]], float],
    *,
    values: ArrayLike,
    probabilities: ArrayLike | None = None,
    n: int,
) -> EstimatorMoments:
    """Return the exact mean and variance of an estimator on n independent draws.

    Parameters
    ----------
    estimator
        Takes an array of n draws and returns a number.
    values
        What can be drawn.
    probabilities
        With which probability each value is drawn; all alike if None.
    n
        The size of a sample. All len(values)^n are gone through, a million at most.

    Examples
    --------
    >>> found = estimator_moments(np.mean, values=[0, 1], probabilities=[0.7, 0.3], n=3)
    >>> round(found.mean, 12), round(found.variance, 12)
    (0.3, 0.07)
    >>> die = range(1, 7)
    >>> once, doubled = (
    ...     estimator_moments(f, values=die, n=1) for f in (np.max, lambda x: 2 * x[0] - 1)
    ... )
    >>> once.mean, round(doubled.mean, 12), round(doubled.variance, 9)
    (3.5, 6.0, 11.666666667)
    """
    known, law = _law(values, probabilities)
    n = _arguments.count("n", n, at_least=1)
    if n * math.log(len(known)) > math.log(_MOST_SAMPLES) + 1e-9:
        raise ValueError(
            f"{len(known)}^{n} samples are too many to go through; {_MOST_SAMPLES} are the most"
        )
    _arguments.function("estimator", estimator)
    samples = list(itertools.product(range(len(known)), repeat=n))
    weights = np.array([math.prod(law[i] for i in sample) for sample in samples])
    found = np.array([float(estimator(known[list(sample)])) for sample in samples])
    if not np.isfinite(found[weights > 0.0]).all():
        raise ValueError("the estimator gave NaN or infinity for a sample that can be drawn")
    found = np.where(weights > 0.0, found, 0.0)
    mean = math.fsum(weights * found)
    return EstimatorMoments(mean, math.fsum(weights * np.square(found - mean)), len(samples))


def _law(values: ArrayLike, probabilities: ArrayLike | None) -> tuple[NDArray[Any], Vector]:
    """Return values and probabilities that sum to 1."""
    try:
        known = np.array(list(np.atleast_1d(np.asarray(values))))
    except ValueError:  # lists of several lengths
        known = np.empty(0)
    if known.dtype.kind in "mMV":
        raise ValueError("values must be numbers or words, and no dates")
    if known.ndim != 1 or len(known) == 0:
        raise ValueError("values must be a list of what can be drawn")
    if probabilities is None:
        return known, np.full(len(known), 1.0 / len(known))
    law = _arguments.vector("probabilities", probabilities, low=0.0, high=1.0)
    if len(law) != len(known) or abs(math.fsum(law) - 1.0) > 1e-9:
        raise ValueError(f"probabilities must be {len(known)} numbers that sum to 1")
    return known, law
