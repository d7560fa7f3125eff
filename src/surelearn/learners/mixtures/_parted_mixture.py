"""Mixtures of a table in parts: one look at all rows, then a pass for each E-step."""

from collections.abc import Iterator, Mapping
from copy import copy
from dataclasses import dataclass
from functools import partial
from operator import add
from typing import Any

import numpy as np
from sklearn.utils import check_random_state

from surelearn._threads import alone
from surelearn._typing import Vector
from surelearn.base.parted import Block, PartedTable
from surelearn.base.row_sample import RowSample
from surelearn.base.summarising import refuse_other_columns
from surelearn.base.validation import sample_weights
from surelearn.learners.mixtures._model import (
    MixtureModel,
    check_settings,
    clusters,
    filled,
    of_clusters,
)
from surelearn.learners.mixtures.expectation_maximization import (
    Expectation,
    Limits,
    Run,
    best_run,
    expect,
)

_SAMPLE = 5_000_000  # numbers of the sample in which clusters are looked for


@dataclass(frozen=True, eq=False)
class Extent:
    """What a look at some rows shows; the sum of two is that of the rows of both.

    `largest` is the size of the largest value; `known`, `means` and `scatters` are of each column.
    """

    columns: Mapping[str, Any]
    weight: float
    n_rows: int
    largest: float
    known: Vector
    means: Vector
    scatters: Vector
    sample: RowSample

    def __add__(self, other: "Extent") -> "Extent":
        """Return what the rows of both show (Chan, Golub and LeVeque, 1983)."""
        refuse_other_columns(self.columns, other.columns)
        known = self.known + other.known
        share = np.divide(other.known, known, out=np.zeros_like(known), where=known > 0.0)
        step = other.means - self.means
        with np.errstate(over="ignore"):
            between = self.known * share * step**2
        return Extent(
            self.columns,
            self.weight + other.weight,
            self.n_rows + other.n_rows,
            max(self.largest, other.largest),
            known,
            self.means + share * step,
            self.scatters + other.scatters + between,
            self.sample + other.sample,
        )


def climb_parts(learner: Any, parts: PartedTable) -> Run:
    """Find the components of a table in parts, from clusters of a sample of its rows."""
    extent = parts.map_reduce(partial(_look, learner), add)
    vars(learner).update(extent.columns)
    if not extent.n_rows:
        sample_weights(np.zeros(1), 1)  # it says what is wrong
    learner._look_at(np.array([extent.largest]))  # noqa: SLF001 - a part of the learner
    check_settings(learner, extent.n_rows, extent.known == 0.0)
    variance = float((extent.scatters / extent.known).max())
    rounding = learner._rounding(variance, extent.largest)  # noqa: SLF001
    unit = extent.weight / extent.n_rows
    model = learner._model()  # noqa: SLF001

    def expectation(parameters: Any) -> Expectation:
        found = parts.map_reduce(partial(_expectation_of, learner, parameters), _both)
        if found is None:
            raise AssertionError("no row has a weight")  # the look has seen one
        return found

    limits = Limits(learner.max_iter, learner.tol, rounding, unit)
    with alone():  # or the last bits might depend on how many processors there are
        return best_run(model, expectation, _starts(learner, model, extent.sample), limits)


def _starts(learner: Any, model: MixtureModel, sample: RowSample) -> Iterator[Any]:
    """Yield the given start, or clusters of the sample; it has all rows if they are few."""
    if learner.start is not None:
        yield learner._given()  # noqa: SLF001 - a part of the learner
        return
    X, weights = sample.X, sample.weights
    rng, rows = check_random_state(learner.random_state), filled(X, weights)
    chunks = model.chunks(X, weights)
    for _ in range(learner.n_init):
        labels, centres = clusters(rows, weights, learner.n_components, rng)
        yield of_clusters(model, model.seed(centres, X), chunks, np.eye(len(centres))[labels])


def _look(learner: Any, block: Block) -> Extent:
    shown = copy(learner)  # a check leaves the columns with whom it is for
    X, weights = shown._enter(block.X, block.weights, reset=True, whole=False)  # noqa: SLF001
    there = ~np.isnan(X)
    known = there.sum(axis=0).astype(np.float64)
    at_least_one = np.maximum(known, 1.0)
    means = np.where(there, X, 0.0).sum(axis=0) / at_least_one
    with np.errstate(over="ignore"):
        scatters = (np.where(there, X - means, 0.0) ** 2).sum(axis=0)
    return Extent(
        {name: value for name, value in vars(shown).items() if name.endswith("_in_")},
        float(weights.sum()),
        len(X),
        float(np.abs(X[there]).max(initial=0.0)),
        known,
        means,
        scatters,
        RowSample.of(X, weights, max(1000, _SAMPLE // X.shape[1])),
    )


def _expectation_of(learner: Any, parameters: Any, block: Block) -> Expectation | None:
    X, weights = learner._enter(block.X, block.weights, reset=False, whole=False)  # noqa: SLF001
    if not len(X):
        return None
    model = learner._model()  # noqa: SLF001
    return expect(model, parameters, model.chunks(X, weights))


def _both(one: Expectation | None, other: Expectation | None) -> Expectation | None:
    if one is None or other is None:
        return other if one is None else one
    return one + other
