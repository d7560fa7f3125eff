"""The space in which rows are neighbours: a metric, and how a table becomes points of it."""

from collections.abc import Generator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, NamedTuple, cast

import narwhals as nw
import numpy as np
from scipy import sparse

from surelearn._jit.sound_matrices import sound
from surelearn._stored import holds, stored
from surelearn._typing import Matrix, Vector
from surelearn.base import validation
from surelearn.base.tables import table
from surelearn.base.tables.table import Categorical, Categories
from surelearn.base.validation import Targets, refuse_tiny
from surelearn.learners.neighbors._search.distances import (
    Chebyshev,
    Euclidean,
    Gower,
    Manhattan,
    Metric,
)

METRICS: dict[str, Metric] = {
    "euclidean": Euclidean(),
    "manhattan": Manhattan(),
    "chebyshev": Chebyshev(),
    "cosine": Euclidean(),  # of rows scaled to length one: half the square is 1 - cos
    "gower": Gower(),
}
"""The metrics by name, each with what is compared."""

_SPARSE = ("euclidean", "cosine")


@stored("metric-space")
@holds(
    name="text",
    low="float[features]?",
    span="float[features]?",
)
@dataclass(frozen=True, eq=False)
class Space:
    """A metric and, for Gower's, the smallest value and the range of each numeric column."""

    name: str
    low: Vector | None = None
    span: Vector | None = None

    @property
    def metric(self) -> Metric:
        """What the search compares."""
        return METRICS[self.name]

    @property
    def scaled_by_data(self) -> bool:
        """Whether the training rows decided how much a column counts."""
        return self.span is not None and bool((self.span > 0.0).any())

    def points(self, rows: Any) -> Any:
        """Return checked rows as points: of length one, or with columns between 0 and 1."""
        if self.name == "cosine":
            return _of_length_one(rows)
        if self.low is None or self.span is None:
            return validation.short_enough(rows)
        numeric = np.isfinite(self.span)
        scale = np.where(self.span > 0.0, self.span, 1.0)
        shifted = np.clip((rows - self.low) / scale, 0.0, np.where(self.span > 0.0, 1.0, 0.0))
        return np.where(numeric, shifted, rows)

    def distances(self, compared: Matrix) -> Matrix:
        """Return what the search compared as distances."""
        if self.name == "euclidean":
            return np.sqrt(compared)
        return compared / 2.0 if self.name == "cosine" else compared

    def _check_state(self) -> None:
        if self.name not in METRICS:
            raise ValueError(f"{self.name!r} is no metric")
        if (self.name == "gower") != (self.low is not None) or (self.low is None) != (
            self.span is None
        ):
            raise ValueError("Gower's metric, and no other, has the ranges of the columns")

    def refuse_unlike(self, index: Any, n: int, n_features: int) -> None:
        """Refuse an index of another metric, number of rows or width, from a forged file."""
        if type(index.metric) is not type(self.metric) or index.shape != (n, n_features):
            raise ValueError(f"its index is not one of {n} rows and {n_features} features")
        if self.low is not None and len(self.low) != n_features:
            raise ValueError("its ranges are not as many as its columns")


class Learnt(NamedTuple):
    """What a training table gives: its space, rows of numbers, points, and the checked targets."""

    space: Space
    rows: Any
    points: Any
    targets: Any


def learn_space(
    estimator: Any,
    X: Any,
    y: Any,
    *,
    metric: str,
    targets: Targets = "labels",
    categorical: Categorical = None,
) -> Learnt:
    """Check a training table and find out how its rows become points.

    For Gower's metric the targets are returned unchecked, and no rows of numbers.
    """
    if metric not in METRICS:
        raise ValueError(f"metric={metric!r} must be one of {sorted(METRICS)}")
    if metric == "gower":
        codes = table.learn_table(estimator, X, categorical=categorical).astype(np.float64)
        space = _gower_space(codes, table.column_names(estimator), estimator.categories_)
        return Learnt(space, None, space.points(codes), y)
    if categorical is not None:
        raise ValueError(f"categorical_features needs metric='gower'; {metric!r} reads numbers")
    _refuse_sparse(X, metric)
    with _naming_gaps(X, metric):
        rows, y = validation.check(estimator, X, y, targets=targets, reset=True)
    if metric == "euclidean":
        refuse_tiny(cast("Any", rows).data if sparse.issparse(rows) else rows, "features")
    space = Space(metric)
    return Learnt(space, rows, space.points(rows), y)


def read_points(estimator: Any, X: Any) -> Any:
    """Check rows and return them as points of the space a fitted estimator has learnt."""
    space: Space = estimator.space_
    if space.name == "gower":
        return space.points(table.read_table(estimator, X).astype(np.float64))
    _refuse_sparse(X, space.name)
    with _naming_gaps(X, space.name):
        rows = validation.check_rows(estimator, X)
    return space.points(rows)


@contextmanager
def _naming_gaps(X: Any, metric: str) -> Generator[None]:
    """If a check meets a missing value, say in which columns and what to do."""
    try:
        yield
    except ValueError as error:
        if "X contains NaN" not in str(error) or sparse.issparse(X):
            raise
        raise ValueError(
            f"Input X contains NaN in columns {_incomplete(X)}: {metric!r} distances need every "
            "value. metric='gower' compares the values that both rows have; or fill the gaps "
            "first, for example with TableEncoder"
        ) from error


def _incomplete(X: Any) -> Sequence[str]:
    """Return the names, or places, of the columns with missing values."""
    if nw.dependencies.is_into_dataframe(X):
        frame = nw.from_native(X, eager_only=True)
        values = frame.select(nw.all().cast(nw.Float64)).to_numpy()
        return [frame.columns[i] for i in np.flatnonzero(np.isnan(values).any(axis=0))]
    gaps = np.isnan(np.asarray(sound(X), dtype=np.float64)).any(axis=0)
    return [f"x{i}" for i in np.flatnonzero(gaps)]


def _refuse_sparse(X: Any, metric: str) -> None:
    if sparse.issparse(X) and metric not in _SPARSE:
        raise TypeError(
            f"metric={metric!r} reads dense rows, and these are sparse; X.toarray() makes them "
            f"dense, and the metrics {list(_SPARSE)} read them as they are"
        )


def _of_length_one(rows: Any) -> Any:
    """Return the rows scaled to length one; a row of zeros has no direction."""
    largest = _by_row("max", abs(rows))
    zero = np.flatnonzero(largest == 0.0)
    if len(zero):
        raise ValueError(
            f"rows {zero[:5].tolist()} are all zeros and have no direction, which "
            "metric='cosine' compares; leave them out, or use metric='euclidean'"
        )
    scaled = _rows_over(rows, largest)  # first by the largest value: squares must not overflow
    return _rows_over(scaled, np.sqrt(_by_row("sum", scaled**2)))


def _by_row(summary: str, rows: Any) -> Vector:
    """Return the largest value, or the sum, of each row, dense or sparse."""
    found = getattr(rows, summary)(axis=1)
    return np.asarray(getattr(found, "toarray", lambda: found)(), dtype=np.float64).ravel()


def _rows_over(rows: Any, divisors: Vector) -> Any:
    """Return each row divided by its number."""
    if isinstance(rows, np.ndarray):
        return rows / divisors[:, np.newaxis]
    each = np.repeat(divisors, np.diff(rows.indptr))
    return cast("Any", sparse.csr_array)((rows.data / each, rows.indices, rows.indptr), rows.shape)


def _gower_space(rows: Matrix, names: list[str], categories: Categories) -> Space:
    """Learn the range of each numeric column; a categorical one has none (NaN)."""
    empty = np.flatnonzero(np.isnan(rows).all(axis=0))
    if len(empty):
        raise ValueError(
            f"columns {[names[i] for i in empty]} have no value in any row; leave them out"
        )
    numeric = np.array([known is None for known in categories])
    low, high = np.nanmin(rows, axis=0), np.nanmax(rows, axis=0)
    return Space(
        "gower", low=np.where(numeric, low, 0.0), span=np.where(numeric, high - low, np.nan)
    )
