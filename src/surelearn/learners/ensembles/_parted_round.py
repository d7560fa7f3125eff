"""What tasks must know of a round of boosting on parts, and the blocks that they work on."""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from surelearn._typing import Vector
from surelearn.base.fingerprint import fingerprint
from surelearn.base.parted import RowsOfPart
from surelearn.learners.ensembles._boosting_losses import Descent
from surelearn.learners.ensembles._histogram.block_histograms import BlockHistograms
from surelearn.learners.ensembles._histogram.predictor import add_values
from surelearn.learners.ensembles._histogram.trees import HistogramTrees, joined, no_trees
from surelearn.learners.ensembles._part_memory import MEMORY, BlockAtWork, Lineage, PartAtWork
from surelearn.learners.ensembles._parted_tables import Door, rows_of


class ForgottenError(Exception):
    """A process does not remember a part, and was not told how to begin with it anew."""


class History(NamedTuple):
    """What a process needs that remembers nothing: how rows are read, and all trees so far."""

    door: Door
    trees: tuple[HistogramTrees, ...]

    def read(self, part: RowsOfPart) -> Iterator[BlockAtWork]:
        """Yield the blocks of a part with their scores by all trees."""
        trees, learner = joined([no_trees(), *self.trees]), self.door.learner
        for rows in rows_of(self.door, part):
            codes = learner.bins_.encode(rows.X)
            scores = np.repeat(learner.baseline_[:, np.newaxis], len(rows.y), axis=1)
            add_values(trees, codes, scores)
            yield BlockAtWork(rows.y, rows.weights, scores, BlockHistograms(codes, len(scores)))


class Round(NamedTuple):
    """What tasks must know of a round.

    Attributes
    ----------
    descent, n_outputs, n_rows
        The loss, how many trees a round grows, and the number of rows of the table.
    number
        Of the round.
    lineage
        What tells its trees from others.
    latest
        The trees of the round before; None if those who remember their parts have added them.
    history
        For those who remember nothing; left out where they are few, since it grows and grows.
    """

    descent: Descent
    n_outputs: int
    n_rows: int
    number: int
    lineage: Lineage
    latest: HistogramTrees | None
    history: History | None

    def after(self, new: list[HistogramTrees]) -> "Round":
        """Return the round after the one that has grown some trees."""
        root, _, before = self.lineage
        latest, history = joined(new), self.history
        return self._replace(
            number=self.number + 1,
            lineage=Lineage(root, before, fingerprint((before, latest))),
            latest=latest,
            history=history and history._replace(trees=(*history.trees, latest)),
        )

    def in_short(self, *, begun: bool) -> "Round":
        """Return what is enough for those who remember their parts, begun with the round or not."""
        if begun:
            root, _, now = self.lineage
            return self._replace(lineage=Lineage(root, now, now), latest=None, history=None)
        return self._replace(history=None) if self.number else self

    def blocks_of(self, part: RowsOfPart) -> Iterator[BlockAtWork]:
        """Yield the blocks of a part with the slopes of this round: remembered, or as read."""
        known = MEMORY.take(part.key, self.lineage)
        if known is not None:
            for block in known.blocks:
                if known.moment != self.lineage.now and self.latest is not None:
                    add_values(self.latest, block.growing.codes, block.scores)
                    self._begin(block)
                yield block
            MEMORY.keep(part.key, known._replace(moment=self.lineage.now))
        elif self.history is None:
            raise ForgottenError
        else:
            yield from self._read(part, self.history)

    def _read(self, part: RowsOfPart, history: History) -> Iterator[BlockAtWork]:
        root, read = self.lineage.root, list[BlockAtWork]()
        room = 0 if part.key is None else MEMORY.room(root)
        for block in history.read(part):
            self._begin(block)
            yield block
            room -= block.n_bytes
            read = [*read, block] if room >= 0 else []  # of a part too large nothing is kept
        if room >= 0:
            MEMORY.keep(part.key, PartAtWork(root, self.lineage.now, tuple(read)))

    def _begin(self, block: BlockAtWork) -> None:
        block.growing.begin(self.descent.slopes(block.y, block.scores, block.weights))


def first_round(door: Door, n_rows: int) -> Round:
    """Return the round before which there is no tree."""
    learner = door.learner
    descent: Descent = learner._descent()  # noqa: SLF001 - a part of it
    baseline: Vector = learner.baseline_
    columns = learner.categories_, learner.bins_, baseline
    loss = type(descent).__name__, vars(descent)
    root = fingerprint((columns, door.class_weights, getattr(learner, "classes_", None), loss))
    return Round(
        descent, len(baseline), n_rows, 0, Lineage(root, "", root), no_trees(), History(door, ())
    )
