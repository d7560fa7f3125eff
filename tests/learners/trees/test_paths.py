"""Cells divide all rows among the leaves, and walks end where they say."""

import itertools

import numpy as np
import pytest

from reference.random_trees import random_questions
from surelearn.learners.trees import _arrivals
from surelearn.learners.trees import _walk as compiled
from surelearn.learners.trees._export.paths import leaves

N_CATEGORIES = [0, 4, 0, 3]
GRID = [np.array([1.0, 2.0]), None, np.array([5.0]), None]
ROWS = np.array(list(itertools.product([1.0, 1.5, 9.0], range(4), [5.0, 6.0], range(3))))


@pytest.mark.parametrize("seed", range(30))
@pytest.mark.parametrize("multiway", [True, False])
def test_every_row_lies_in_one_cell_and_ends_at_its_node(seed, multiway):
    tree = random_questions(np.random.default_rng(seed), N_CATEGORIES, grid=GRID, multiway=multiway)
    found = np.zeros(len(ROWS))
    stops = np.full(len(ROWS), -1)
    for node, cell in leaves(tree, N_CATEGORIES):
        inside = np.logical_and.reduce(
            [np.ones(len(ROWS), bool), *(cell[f].holds(ROWS[:, f]) for f in cell)]
        )
        found += inside
        stops[inside] = node
    assert (found == 1).all()
    ends = np.empty(len(ROWS), dtype=np.int64)
    compiled.find_leaves(ROWS, tree.questions(len(N_CATEGORIES)), ends)
    whole = tree.is_leaf[stops]
    np.testing.assert_array_equal(ends[whole], stops[whole])
    assert multiway or whole.all()


@pytest.mark.parametrize("seed", range(30))
@pytest.mark.parametrize("multiway", [True, False])
def test_the_walk_by_levels_is_the_compiled_walk(seed, multiway):
    rng = np.random.default_rng(seed)
    tree = random_questions(rng, N_CATEGORIES, grid=GRID, multiway=multiway)
    rows = np.where(rng.random(ROWS.shape) < 0.1, np.nan, ROWS)
    rows[rng.random(len(rows)) < 0.1, 1] = -1.0  # a category that was not there in training
    values = rng.random((tree.n_nodes, 2))
    expected, found = np.zeros((len(rows), 2)), np.zeros((len(rows), 2))
    compiled.spread_rows(rows, tree.questions(len(N_CATEGORIES)), values, expected)
    for level in _arrivals.arrivals(tree, rows):
        leaf = tree.is_leaf[level.nodes]
        part = level.shares[leaf, np.newaxis] * values[level.nodes[leaf]]
        np.add.at(found, level.rows[leaf], part)
    np.testing.assert_allclose(found, expected)
    ends, followed = np.empty(len(rows), dtype=np.int64), np.empty(len(rows), dtype=np.int64)
    compiled.find_leaves(rows, tree.questions(len(N_CATEGORIES)), ends)
    for level in _arrivals.arrivals(tree, rows, divide=False):
        followed[level.rows] = level.nodes
    np.testing.assert_array_equal(followed, ends)


def test_a_divided_row_is_whole_nowhere_below():
    tree = random_questions(np.random.default_rng(1), [0], grid=[np.array([1.0])], multiway=True)
    assert tree.n_nodes == 3
    labels = tree.shares().argmax(axis=1)
    rows = np.array([[np.nan], [0.5], [1.5]])
    correct = _arrivals.count_correct(tree, rows, np.full(3, labels[0]))
    assert correct[0] == 3
    assert correct[1:].tolist() == [int(labels[1] == labels[0]), int(labels[2] == labels[0])]
