"""The pruning algorithms find what their definitions say, among all subtrees of small trees."""

from itertools import pairwise

import numpy as np
import pytest

from reference import pruning as reference
from surelearn.learners.trees._pruning.cost_complexity import weakest_link
from surelearn.learners.trees._pruning.optimal_subtree import close_where_cheaper
from surelearn.learners.trees._pruning.structural_risk import Fronts, Prices
from surelearn.learners.trees._tree import cut_below

SEEDS = range(60)


def tree_of(seed):
    rng = np.random.default_rng(seed)
    return rng, reference.random_tree(
        rng, int(rng.integers(0, 7)), n_classes=int(rng.integers(2, 4))
    )


def leaves_of(tree, closed):
    smaller, kept = cut_below(tree, closed)
    return set(kept[smaller.is_leaf].tolist())


@pytest.mark.parametrize("seed", SEEDS)
def test_the_path_is_the_one_of_cutting_the_weakest_link_again_and_again(seed):
    _, tree = tree_of(seed)
    costs = tree.weight * tree.impurity
    links = weakest_link(tree, costs)
    expected = reference.weakest_links(tree, costs)
    np.testing.assert_allclose(links.path.alphas, [price for price, _ in expected], atol=1e-9)
    assert links.path.n_leaves.tolist() == [len(leaves) for _, leaves in expected]
    for alpha, cost, (_, leaves) in zip(links.path.alphas, links.path.costs, expected, strict=True):
        assert leaves_of(tree, links.closing <= alpha) == set(leaves)
        assert cost == pytest.approx(costs[leaves].sum(), abs=1e-9)


@pytest.mark.parametrize("seed", SEEDS)
def test_at_every_price_the_subtree_is_the_smallest_of_least_cost_among_all(seed):
    rng, tree = tree_of(seed)
    costs = tree.weight * tree.impurity
    links = weakest_link(tree, costs)
    corners = links.path.alphas
    for price in [*corners, *(corners[:-1] + corners[1:]) / 2, *rng.exponential(2.0, 5), np.inf]:
        found = leaves_of(tree, links.closing <= price)
        expected = reference.smallest_of_least_cost(tree, costs, min(price, 1e6))
        assert found == set(expected)


@pytest.mark.parametrize("seed", SEEDS)
def test_subtrees_of_the_path_are_nested(seed):
    _, tree = tree_of(seed)
    links = weakest_link(tree, tree.weight * tree.impurity)
    kept = [set(cut_below(tree, links.closing <= a)[1].tolist()) for a in links.path.alphas]
    assert all(later < earlier for earlier, later in pairwise(kept))


@pytest.mark.parametrize("seed", SEEDS)
def test_the_dynamic_programme_finds_the_smallest_subtree_of_least_cost(seed):
    rng, tree = tree_of(seed)
    costs = rng.integers(0, 4, tree.n_nodes).astype(float)
    found = leaves_of(tree, close_where_cheaper(tree, costs))
    assert found == set(reference.smallest_of_least_cost(tree, costs))


@pytest.mark.parametrize("seed", SEEDS)
def test_for_each_number_of_errors_the_front_has_the_fewest_bits(seed):
    rng = np.random.default_rng(seed)
    tree = reference.random_tree(rng, int(rng.integers(0, 9)), most=40)
    n = int(tree.n_rows[0])
    # A row that is divided is whole in no leaf, so nodes may have fewer right than they could.
    correct = np.maximum(0, tree.value.max(axis=1) - rng.integers(0, 2, tree.n_nodes)).astype(int)
    leaf, split = rng.random(tree.n_nodes), 1.0 + rng.integers(0, 5, tree.n_nodes)
    cuts = rng.integers(0, 2, tree.n_nodes) * ~tree.is_leaf
    fronts = Fronts(tree, correct, Prices(leaf, split, cuts, cut=0.5))

    def described(leaves):
        asked = inner(tree, leaves)
        errors = n - int(correct[list(leaves)].sum())
        return errors, leaf[list(leaves)].sum() + split[asked].sum(), cuts[asked].sum()

    cheapest = {}
    for leaves in reference.leaf_sets(tree):
        errors, bits, named = described(leaves)
        cheapest[errors] = min(cheapest.get(errors, np.inf), bits + 0.5 * named)
    best = [
        e for e in sorted(cheapest) if all(cheapest[e] < cheapest[f] for f in cheapest if f < e)
    ]
    found = list(fronts.subtrees(n))
    assert [s.errors for s in found] == best
    for subtree in found:
        assert subtree.bits + 0.5 * subtree.cuts == pytest.approx(cheapest[subtree.errors])
        closed = fronts._closed(subtree.errors - found[0].errors)
        assert described(leaves_of(tree, closed)) == pytest.approx(tuple(subtree))


@pytest.mark.parametrize("seed", SEEDS)
def test_structural_risk_finds_the_best_of_all_subtrees(seed):
    rng, tree = tree_of(seed)
    n, weight = int(tree.n_rows[0]), float(rng.random())
    correct = tree.value.max(axis=1).astype(int)
    leaf, split = rng.random(tree.n_nodes), 1.0 + rng.random(tree.n_nodes)
    cuts = np.zeros(tree.n_nodes, dtype=np.int64)

    def bound(errors, bits, _):
        return errors / n + weight * np.sqrt(bits / n)

    subtree, closed = Fronts(tree, correct, Prices(leaf, split, cuts)).best(n, bound)
    values = {}
    for leaves in reference.leaf_sets(tree):
        bits = leaf[list(leaves)].sum() + split[inner(tree, leaves)].sum()
        values[frozenset(leaves)] = bound(n - correct[list(leaves)].sum(), bits, 0)
    assert bound(*subtree) == pytest.approx(min(values.values()))
    assert values[frozenset(leaves_of(tree, closed))] == pytest.approx(min(values.values()))


def inner(tree, leaves):
    """Return the nodes above some leaves."""
    parent, above = tree.parent, set()
    for leaf in leaves:
        node = leaf
        while node > 0:
            node = int(parent[node])
            above.add(node)
    return sorted(above)
