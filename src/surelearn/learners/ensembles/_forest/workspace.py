"""What a forest's trees are grown from, by which rules, and what the search of a node works on."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from surelearn._typing import Indices, Mask, Vector
from surelearn.learners.ensembles._histogram.cut_points import Codes

Words = NDArray[np.uint64]

ONE = np.uint64(1)

FEATURE, BELOW, ABOVE, MISSING_SIDE = range(4)
"""What a question is made of: its column, the bins around the cut, the side of missing cells."""
LEFT, RIGHT, NOWHERE = range(3)
"""The side of missing cells; nowhere if the node has none."""


class BinnedTable(NamedTuple):
    """What all trees of a forest are grown from.

    Attributes
    ----------
    codes
        The bin of each cell, a row for each column.
    n_bins, is_category
        The number of bins of each column, whose next code is a missing cell; whether these are
        categories.
    targets
        In a regression the target of each row as a whole number, to sum; otherwise empty.
    numbers
        In a regression the targets themselves; otherwise empty.
    """

    codes: Codes
    n_bins: Indices
    is_category: Mask
    targets: Indices
    numbers: Vector


class Rules(NamedTuple):
    """How trees are grown; `n_classes` is 0 in a regression."""

    n_classes: int
    n_drawn: int
    max_depth: int
    min_samples_split: int
    min_samples_leaf: int
    min_weight_leaf: int


class Quick(NamedTuple):
    """What the search of two classes works on.

    Attributes
    ----------
    codes, weights, moments
        The touched bins, the weight up to each, and that of the last class.
    gains, gain_bits
        The gain of the cut after each bin, as a number and as its bits.
    cut
        The bin below the best cut of a column, the last bin of the node, the bin above the cut.
    tables, so_far
        Where there are many rows: the sums of the bins of four columns, and up to each of one.
    """

    codes: Indices
    weights: Vector
    moments: Vector
    gains: Vector
    gain_bits: Indices
    cut: Indices
    tables: Indices
    so_far: Indices


def _room_for_cuts(most: int) -> Quick:
    gains = np.zeros(most)
    return Quick(
        codes=np.zeros(most, dtype=np.int64),
        weights=np.zeros(most),
        moments=np.zeros(most),
        gains=gains,
        gain_bits=gains.view(np.int64),
        cut=np.zeros(3, dtype=np.int64),
        tables=np.zeros(4 * most, dtype=np.int64),
        so_far=np.zeros(most, dtype=np.int64),
    )


class Workspace(NamedTuple):
    """What the search of one node works on; tables and maps are empty between columns.

    Attributes
    ----------
    table, counts, touched
        Sums over the rows of each bin, the number of these rows, and which bins have any.
    codes, sums, rows
        The touched bins in a row: their codes, their sums, their numbers of rows.
    order
        The places of the touched bins by which a scan goes through them.
    whole, size, left
        The sums of the node, the number of its rows, and the sums of its left side in a scan.
    features
        All columns; those that were drawn at a node stand in front.
    question, route, present
        The best question of the node: see `FEATURE`; if it asks for categories, the bins on its
        left, and those that the node has.
    quick
        What the search of two classes works on.
    """

    table: Indices
    counts: Indices
    touched: Words
    codes: Indices
    sums: Indices
    rows: Indices
    order: Indices
    whole: Indices
    size: Indices
    left: Indices
    features: Indices
    question: Indices
    quick: Quick
    route: Words
    present: Words


def workspace(table: BinnedTable, n_classes: int) -> Workspace:
    """Return room for the search of a node."""
    most = int(table.n_bins.max()) + 1  # missing cells
    width = max(2, n_classes)
    n_words = most // 64 + 1
    return Workspace(
        table=np.zeros(most * width, dtype=np.int64),
        counts=np.zeros(most, dtype=np.int64),
        touched=np.zeros(n_words, dtype=np.uint64),
        codes=np.zeros(most, dtype=np.int64),
        sums=np.zeros((most, width), dtype=np.int64),
        rows=np.zeros(most, dtype=np.int64),
        order=np.zeros(most, dtype=np.int64),
        whole=np.zeros(width, dtype=np.int64),
        size=np.zeros(1, dtype=np.int64),
        left=np.zeros(width, dtype=np.int64),
        features=np.arange(len(table.n_bins)),
        question=np.zeros(4, dtype=np.int64),
        quick=_room_for_cuts(most),
        route=np.zeros(n_words, dtype=np.uint64),
        present=np.zeros(n_words, dtype=np.uint64),
    )
