"""What tasks must know of a round of boosting on parts, and the slopes of the loss at its rows."""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from surelearn._typing import Matrix, Vector
from surelearn.base.fingerprint import fingerprint
from surelearn.base.parted import RowsOfPart
from surelearn.learners.ensembles._code_memory import CODES, EncodedRows
from surelearn.learners.ensembles._histogram.predictor import add_values
from surelearn.learners.ensembles._histogram.trees import HistogramTrees, joined, no_trees
from surelearn.learners.ensembles._parted_tables import Door, rows_of
from surelearn.learners.ensembles._score_memory import MEMORY, Lineage


class Round(NamedTuple):
    """What tasks must know of a round: how rows are read, the trees before it, how many rows.

    `latest` are those of the round before it, and `lineage` tells all of them from others.
    """

    door: Door
    trees: HistogramTrees
    latest: HistogramTrees
    lineage: Lineage
    number: int
    n_rows: int

    def after(self, new: list[HistogramTrees]) -> "Round":
        """Return the round after the one that has grown some trees."""
        root, _, before = self.lineage
        latest = joined(new)
        lineage = Lineage(root, before, fingerprint((before, latest)))
        return self._replace(
            trees=joined([self.trees, latest]),
            latest=latest,
            lineage=lineage,
            number=self.number + 1,
        )

    def rows_of(self, part: RowsOfPart) -> Iterator[EncodedRows]:
        """Yield the encoded rows of each block: those that are remembered, or else as read."""
        root = self.lineage.root
        known = None if part.key is None else CODES.of_part(part.key, root)
        if known is not None:
            yield from known
            return
        read, bins = list[EncodedRows](), self.door.learner.bins_
        room = 0 if part.key is None else CODES.room(root)
        for rows in rows_of(self.door, part):
            one = EncodedRows(bins.encode(rows.X), rows.y, rows.weights, rows.place)
            room -= one.n_bytes
            read = [*read, one] if room >= 0 else []  # of a part that is too large nothing is kept
            yield one
        if part.key is not None and room >= 0:
            CODES.keep(part.key, root, tuple(read))

    def slopes(self, rows: EncodedRows) -> tuple[Matrix, Matrix]:
        """Return the gradients and hessians of rows."""
        scores = self._scores(rows)
        return self.door.learner._descent().slopes(rows.y, scores, rows.weights)  # noqa: SLF001

    def _scores(self, rows: EncodedRows) -> Matrix:
        """Return the scores by all trees: what is remembered, and what came since."""
        known = None if rows.place is None else MEMORY.scores(rows.place, self.lineage)
        if known is not None and known[1].shape[1] == len(rows.y):
            moment, scores = known
            if moment == self.lineage.now:
                return scores
            add_values(self.latest, rows.codes, scores)
        else:
            baseline: Vector = self.door.learner.baseline_
            scores = np.repeat(baseline[:, np.newaxis], len(rows.y), axis=1)
            if self.trees.n_trees:
                add_values(self.trees, rows.codes, scores)
        if rows.place is not None and self.trees.n_trees:
            MEMORY.keep(rows.place, self.lineage, scores)
        return scores


def first_round(door: Door, n_rows: int) -> Round:
    """Return the round before which there is no tree."""
    learner = door.learner
    columns = learner.categories_, learner.bins_, learner.baseline_
    root = fingerprint((columns, door.class_weights, getattr(learner, "classes_", None)))
    return Round(door, no_trees(), no_trees(), Lineage(root, "", root), 0, n_rows)
