"""Histograms of nodes: sums over rows as NumPy adds them, for any number of columns and rows."""

import numpy as np
import pytest

from surelearn.learners.ensembles._histogram import records
from surelearn.learners.ensembles._histogram.block_histograms import BlockHistograms
from surelearn.learners.ensembles._histogram.histogram import COUNT_BITS
from surelearn.learners.ensembles._histogram.parted_growth import Split


def block(n_rows, n_columns, n_bins=7):
    """Return rows of whole gradients, which units of 1 leave as they are, with gaps in them."""
    rng = np.random.default_rng(0)
    codes = rng.integers(0, n_bins, size=(n_columns, n_rows)).astype(np.uint8)
    codes[:, ::5] = 255
    slopes = rng.integers(-9, 9, (1, n_rows)).astype(float), rng.integers(0, 9, (1, n_rows)) * 1.0
    found = BlockHistograms(codes, 1)
    found.begin(slopes)
    found.write(0, np.ones(2), 0, 0)
    return found, codes, slopes


def by_numpy(codes, slopes, rows, n_bins=7):
    """Return the same sums, each column's gaps after its bins."""
    gradients, others = [], []
    for column in codes[:, rows]:
        places = np.where(column == 255, n_bins, column)
        sums = [np.bincount(places, each[0, rows], n_bins + 1).astype(np.int64) for each in slopes]
        gradients.append(sums[0])
        others.append((sums[1] << COUNT_BITS) + np.bincount(places, minlength=n_bins + 1))
    return np.array([np.concatenate(gradients), np.concatenate(others)])


@pytest.mark.parametrize("n_columns", [1, 8, 9, 13, 17, 25, 33, 50, 57, 64, 65, 130])
def test_sums_are_those_of_numpy(n_columns):  # one word, two, three, four, tables of eight
    found, codes, slopes = block(5000, n_columns)  # more than a tile, more than a flush
    starts = np.arange(n_columns + 1) * 8
    sums = found.histogram(0, (), starts, records.Fields.of(5000, most=1024).rows_added)
    assert np.array_equal(sums, by_numpy(codes, slopes, np.arange(5000)))


def test_nodes_have_the_rows_that_their_questions_lead_to():
    found, codes, slopes = block(300, 3)
    starts = np.arange(4) * 8
    low = Split(0, np.packbits(np.arange(256) < 3, bitorder="little").tobytes())
    even = Split(1, np.packbits(np.arange(256) % 2 == 0, bitorder="little").tobytes())
    small, big = codes[0] < 3, codes[0] >= 3
    for path, there in (
        (((low, 0),), small),
        (((low, 1), (even, 0)), big & (codes[1] % 2 == 0)),
        (((low, 1), (low, 0)), big & small),  # the node was divided by another question before
        (((low, 0), (even, 1)), small & (codes[1] % 2 == 1)),
        (((even, 1), (low, 0)), small & (codes[1] % 2 == 1)),  # and so was the root
        (((low, 1),), big),
    ):
        sums = found.histogram(0, path, starts, 8192)
        assert np.array_equal(sums, by_numpy(codes, slopes, np.flatnonzero(there))), path
