"""Error rates where rows come in clusters, such as patients with several visits."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from surelearn import _arguments
from surelearn.bounds import Guarantee, ratios
from surelearn.claims._claim import Design, Seen
from surelearn.claims._errors import OfErrors
from surelearn.claims.predictions import Predictions


def _clusters(rows: Predictions) -> dict[str, Any]:
    """Return how many clusters have so many errors among so many rows."""
    _, places = rows.codes("cluster")
    pairs, counts = np.unique(np.stack(rows.errors_at(places)), axis=1, return_counts=True)
    return {"errors": pairs[0].tolist(), "sizes": pairs[1].tolist(), "counts": counts.tolist()}


@dataclass(frozen=True)
class ErrorPerCluster(OfErrors):
    """The mean over clusters, such as patients, of the error rate within one.

    Examples
    --------
    >>> counts = {"errors": [0, 1, 2], "sizes": [4, 5, 8], "counts": [120, 60, 20]}
    >>> round(ErrorPerCluster().guarantee(delta=0.05, **counts).bound, 4)
    0.1152
    """

    name: ClassVar[str] = "error-per-cluster"
    title: ClassVar[str] = "Error rate of a cluster, on average"
    design: ClassVar[Design] = "cluster"

    def statistics(self, rows: Predictions) -> dict[str, Any]:
        """Return the counts of clusters."""
        return _clusters(rows)

    def guarantee(self, *, delta: float, **statistics: Any) -> Guarantee:
        """Return the bound by betting on clusters."""
        return ratios.mean_over_clusters(**statistics, delta=delta)

    def seen(self, **statistics: Any) -> Seen:
        """Return the mean over clusters, and their number."""
        wrong, sizes, counts = (np.asarray(statistics[k]) for k in ("errors", "sizes", "counts"))
        n = int(counts.sum())
        return Seen(float(np.sum(counts * wrong / sizes)) / n, n)

    def sentence(self, limit: str, about: Mapping[str, str]) -> str:  # noqa: ARG002 - no names
        """Return the claim in words."""
        return f"it errs on at most {limit} of the rows of a new cluster, on average over clusters"


@dataclass(frozen=True)
class ErrorOfClusteredRows(OfErrors):
    """The share of wrong rows, where rows come in clusters of at most so many.

    Parameters
    ----------
    largest
        The most rows that a cluster can have, known beforehand.

    Examples
    --------
    >>> counts = {"errors": [0, 1, 2], "sizes": [4, 5, 8], "counts": [120, 60, 20]}
    >>> round(ErrorOfClusteredRows(largest=10).guarantee(delta=0.05, **counts).bound, 4)
    0.1587
    """

    largest: int
    name: ClassVar[str] = "error-in-clusters"
    title: ClassVar[str] = "Error rate over all rows of clusters"
    design: ClassVar[Design] = "cluster"

    def __post_init__(self) -> None:
        """Refuse a size that is none."""
        object.__setattr__(self, "largest", _arguments.count("largest", self.largest, at_least=1))

    def lacks(self, rows: Predictions) -> str:
        """Return why there are no clusters, or one is too large."""
        if why := super().lacks(rows):
            return why
        most = int(np.bincount(rows.codes("cluster")[1]).max())
        return (
            "" if most <= self.largest else f"a cluster has {most} rows, more than {self.largest}"
        )

    def statistics(self, rows: Predictions) -> dict[str, Any]:
        """Return the counts of clusters."""
        return _clusters(rows)

    def guarantee(self, *, delta: float, **statistics: Any) -> Guarantee:
        """Return the bound by betting on clusters."""
        given: dict[str, Any] = {**statistics, "largest": self.largest}
        return ratios.rows_in_clusters(**given, delta=delta)

    def seen(self, **statistics: Any) -> Seen:
        """Return the share of wrong rows, and the number of clusters."""
        wrong, sizes, counts = (np.asarray(statistics[k]) for k in ("errors", "sizes", "counts"))
        return Seen(float(np.sum(counts * wrong) / np.sum(counts * sizes)), int(counts.sum()))

    def sentence(self, limit: str, about: Mapping[str, str]) -> str:  # noqa: ARG002 - no names
        """Return the claim in words."""
        return f"it errs on at most {limit} of all such rows"
