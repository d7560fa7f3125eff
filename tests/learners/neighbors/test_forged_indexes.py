"""An index that hides rows from a search, as in a forged model file: refused, and never overrun."""

from dataclasses import replace

import numpy as np
import pytest

from surelearn.learners.neighbors._search.blocks import TreeIndex
from surelearn.learners.neighbors._search.distances import Euclidean
from surelearn.learners.neighbors._search.lists import neighbour_lists
from surelearn.learners.neighbors._search.product_index import ProductIndex


def copies(d):
    """Return rows of which three hundred are the same: lists of ties are filled by a scan."""
    X = np.random.default_rng(0).normal(size=(600, d))
    X[::2] = 0.5
    return X


def other_tiles(index):
    return {"tiles": tuple(np.roll(tile, 64, axis=0) for tile in index.tiles)}


def other_norms(index):
    return {"norms": tuple(np.where(np.isinf(n), n, n * np.float32(0.9)) for n in index.norms)}


def norms_of_none(index):
    return {"norms": tuple(np.where(np.isinf(n), 0, n).astype(np.float32) for n in index.norms)}


def other_scale(index):
    return {"scale": index.scale / 2.0}


def other_centre(index):
    return {"centre": index.centre + 1.0}


def other_rows(index):
    return {"columns": index.columns * 2.0}


@pytest.mark.parametrize(
    "forge", [other_tiles, other_norms, norms_of_none, other_scale, other_centre, other_rows]
)
def test_products_are_of_the_rows_that_are_compared(forge):
    index = ProductIndex.of(copies(12), Euclidean())
    index._check_state()
    with pytest.raises(ValueError, match="its tiles"):
        replace(index, **forge(index))._check_state()


@pytest.mark.parametrize("node", [1, 2, 17, -1])
def test_boxes_are_around_the_rows_in_them(node):
    index = TreeIndex.of(copies(2), Euclidean())
    index._check_state()
    boxes = index.boxes.copy()
    boxes[node, 0] = boxes[node, 1] + 1.0
    with pytest.raises(ValueError, match="outside its box"):
        replace(index, boxes=boxes)._check_state()


@pytest.mark.parametrize("n_hidden", [1, 190])
def test_a_scan_writes_nothing_beyond_the_list_that_a_search_has_measured(n_hidden):
    """The search of ties missed rows that the scan then found: it wrote beyond its arrays."""
    X = copies(2)
    index = Hiding.of(X, Euclidean())
    index.hidden.append(n_hidden)
    with pytest.raises(ValueError, match="finds other rows"):
        neighbour_lists(index, X[:4], 3, whole_ties=True, n_jobs=1)


class Hiding(TreeIndex):
    """An index whose search misses some ties."""

    hidden = []  # noqa: RUF012 - one test at a time

    def search(self, queries, k, *, n_jobs=None):
        found = super().search(queries, k, n_jobs=n_jobs)
        n_hidden = self.hidden.pop() if self.hidden else 0
        return found._replace(tied=np.maximum(found.tied - n_hidden, 0))
