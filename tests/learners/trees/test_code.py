"""The code length of a tree, node by node, is that of the theorem."""

import itertools

import numpy as np
import pytest

from reference.pruning import as_code, leaf_sets
from reference.random_trees import random_questions
from surelearn.bounds import trees
from surelearn.learners.trees._code import TreeCode
from surelearn.learners.trees._tree import Tree, cut_below

N_CATEGORIES = np.array([0, 4, 0, 2, 3])
GRID = [np.array([1.0, 2.0, 3.0]), None, np.array([5.0]), None, None]
FEATURES = [
    ("numeric", 3),
    ("categorical", 4),
    ("numeric", 1),
    ("categorical", 2),
    ("categorical", 3),
]


def random_tree(seed, *, multiway):
    rng = np.random.default_rng(seed)
    return random_questions(rng, N_CATEGORIES.tolist(), grid=GRID, multiway=multiway)


@pytest.mark.parametrize("seed", range(40))
@pytest.mark.parametrize("multiway", [True, False])
@pytest.mark.parametrize("grid", [GRID, None])
def test_it_is_the_length_of_the_theorems_code(seed, multiway, grid):
    tree = random_tree(seed, multiway=multiway)
    code = TreeCode(n_categories=N_CATEGORIES, n_classes=2, multiway=multiway, grid=grid)
    expected = trees.code_length(
        tree=as_code(tree, GRID, n_categories=N_CATEGORIES.tolist()),
        features=FEATURES,
        n_classes=2,
        multiway=multiway,
        learnt_cuts=grid is None,
    )
    assert code.lengths(tree).bits(tree) == pytest.approx(expected)


@pytest.mark.parametrize("seed", range(20))
def test_a_subtree_costs_the_sum_of_its_nodes(seed):
    tree = random_tree(seed, multiway=False)
    code = TreeCode(n_categories=N_CATEGORIES, n_classes=2, grid=GRID)
    lengths = code.lengths(tree)
    for leaves in leaf_sets(tree)[:50]:
        closed = np.zeros(tree.n_nodes, dtype=bool)
        closed[list(leaves)] = True
        smaller, kept = cut_below(tree, closed)
        summed = np.where(smaller.is_leaf, lengths.leaf[kept], lengths.split[kept]).sum()
        assert code.lengths(smaller).bits(smaller) == pytest.approx(summed)


def test_the_fixture_of_the_proof():
    """Numeric (3 cuts), four categories, numeric (1 cut): split at the 2nd cut, then four ways."""
    n = 7
    tree = Tree(
        feature=np.array([0, -1, 1, -1, -1, -1, -1]),
        threshold=np.array([2.0, *[np.nan] * 6]),
        first_child=np.array([1, -1, 3, -1, -1, -1, -1]),
        n_children=np.array([2, 0, 4, 0, 0, 0, 0]),
        route_start=np.array([0, 0, 0, 4, 4, 4, 4, 4]),
        routes=np.arange(4),
        default_child=np.full(n, -1),
        value=np.ones((n, 2)),
        weight=np.full(n, 2.0),
        n_rows=np.full(n, 2),
        impurity=np.zeros(n),
        depth=np.array([0, 1, 1, 2, 2, 2, 2]),
    )
    code = TreeCode(
        n_categories=np.array([0, 4, 0]), n_classes=2, multiway=True, grid=[GRID[0], None, GRID[2]]
    )
    assert code.lengths(tree).bits(tree) == pytest.approx(16.7549, abs=5e-5)


def stump(feature, threshold, routes, default):
    """Return a tree of one two-way question."""
    return Tree(
        feature=np.array([feature, -1, -1]),
        threshold=np.array([threshold, np.nan, np.nan]),
        first_child=np.array([1, -1, -1]),
        n_children=np.array([2, 0, 0]),
        route_start=np.array([0, *[len(routes)] * 3]),
        routes=np.array(routes, dtype=np.int64),
        default_child=np.array([default, -1, -1]),
        value=np.ones((3, 2)),
        weight=np.full(3, 2.0),
        n_rows=np.full(3, 2),
        impurity=np.zeros(3),
        depth=np.array([0, 1, 1]),
    )


@pytest.mark.parametrize("q", [1, 2, 3, 4])
def test_with_default_branches_all_questions_of_a_node_share_half_of_the_weight(q):
    """Missing cells are one more category, also alone against all others."""
    code = TreeCode(n_categories=np.array([0, q]), n_classes=2, defaults=True, grid=[GRID[0], None])
    numeric = [stump(0, cut, [], default) for cut in GRID[0] for default in (0, 1)]
    # The first category goes left; of the others and of missing cells not all do.
    sides = [(0, *rest) for rest in itertools.product((0, 1), repeat=q) if any(rest)]
    words = [stump(1, np.nan, side[:-1], side[-1]) for side in sides]
    weights = [2.0 ** -code.lengths(tree).split[0] for tree in (*numeric, *words)]
    assert sum(weights) == pytest.approx(0.5)


def test_the_side_of_only_missing_cells_has_no_category_left_to_ask_about():
    tree = stump(0, np.nan, [0, 0], 1)
    code = TreeCode(n_categories=np.array([2]), n_classes=2, defaults=True)
    assert code.lengths(tree).leaf.tolist() == [2.0, 2.0, 1.0]
