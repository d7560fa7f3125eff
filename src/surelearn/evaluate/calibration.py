"""Do predicted probabilities come true? Frequencies in bins, with limits that hold for all bins."""

from dataclasses import dataclass

import numpy as np

from surelearn import _arguments
from surelearn._shown import Shown
from surelearn._typing import ArrayLike, Indices, Mask, Vector
from surelearn.bounds import concentration


@dataclass(frozen=True, eq=False, repr=False)
class Calibration(Shown, drawn_by="calibration.plot_calibration"):
    """Predicted probabilities in bins, and how often the event happened in each.

    Parameters
    ----------
    edges
        Where the bins begin and end; a probability of an inner edge belongs to the bin above it.
    counts, events
        The rows in each bin, and those of them in which the event happened.
    mean_predicted
        The mean predicted probability in each bin; the middle of an empty one.
    lower, upper
        Limits on the probability of the event in each bin; with confidence 1 − delta all of them
        hold, if the rows are independent, of one law, and were not used to fit the model.
    delta
        The probability with which some limit may be wrong.

    Examples
    --------
    >>> chances, happened = [0.1] * 50 + [0.9] * 50, [1] * 45 + [0] * 5 + [1] * 50
    >>> result = calibration_curve(chances, happened, n_bins=2)
    >>> result.frequencies.tolist(), result.refuted.tolist()
    ([0.9, 1.0], [True, False])
    """

    edges: Vector
    counts: Indices
    events: Indices
    mean_predicted: Vector
    lower: Vector
    upper: Vector
    delta: float

    @property
    def frequencies(self) -> Vector:
        """How often the event happened in each bin, NaN in an empty one."""
        empty = np.full(len(self.counts), np.nan)
        return np.divide(self.events, self.counts, out=empty, where=self.counts > 0)

    @property
    def refuted(self) -> Mask:
        """The bins in which the predictions cannot be right: the limits lie outside the bin."""
        return (self.upper < self.edges[:-1]) | (self.lower > self.edges[1:])


def calibration_curve(
    probabilities: ArrayLike, happened: ArrayLike, *, n_bins: int = 10, delta: float = 0.05
) -> Calibration:
    """Compare predicted probabilities of an event with how often it happened.

    Bins have equal widths, so that they do not depend on the data. In each, the number of events is
    binomial given the number of rows; the limits are Clopper and Pearson's, each side of each bin
    at delta/(2 n_bins).

    Parameters
    ----------
    probabilities
        What the model predicted for rows it was not fitted on.
    happened
        Whether the event happened: truth values, or zeros and ones.
    n_bins
        The number of bins, fixed before the data were seen.
    delta
        The probability with which some limit may be wrong.

    Examples
    --------
    >>> result = calibration_curve([0.2, 0.2, 0.7], [False, True, True], n_bins=2)
    >>> result.counts.tolist(), result.events.tolist()
    ([2, 1], [1, 1])
    """
    chances = _arguments.vector("probabilities", probabilities, low=0.0, high=1.0)
    events = _arguments.vector("happened", happened, low=0.0, high=1.0)
    if len(events) != len(chances) or not np.isin(events, (0.0, 1.0)).all():
        raise ValueError(
            f"happened must be {len(chances)} zeros and ones, one for each probability"
        )
    n_bins = _arguments.count("n_bins", n_bins, at_least=1)
    edges = np.linspace(0.0, 1.0, n_bins + 1)
    bins = np.minimum(np.searchsorted(edges, chances, side="right") - 1, n_bins - 1)
    counts = np.bincount(bins, minlength=n_bins)
    happenings = np.bincount(bins, weights=events, minlength=n_bins).astype(np.int64)
    totals = np.bincount(bins, weights=chances, minlength=n_bins)
    means = np.where(counts > 0, totals / np.maximum(counts, 1), (edges[:-1] + edges[1:]) / 2.0)
    level = _arguments.open_fraction("delta", delta) / (2.0 * n_bins)
    limits = [_limits(int(k), int(n), level) for k, n in zip(happenings, counts, strict=True)]
    lower, upper = np.array(limits).T
    return Calibration(edges, counts, happenings, means, lower, upper, float(delta))


def _limits(events: int, n: int, delta: float) -> tuple[float, float]:
    if n == 0:
        return 0.0, 1.0
    return (
        concentration.clopper_pearson_lower(errors=events, n=n, delta=delta).bound,
        concentration.clopper_pearson(errors=events, n=n, delta=delta).bound,
    )
