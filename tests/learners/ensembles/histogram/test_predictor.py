"""Walks of many rows through many trees end where a walk step by step does."""

import numpy as np

from surelearn import GradientBoostingRegressor
from surelearn.learners.ensembles._histogram.trees import no_trees


def model_and_rows():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(700, 4))
    X[:, 3] = rng.integers(0, 6, size=700)
    X[rng.random((700, 4)) < 0.1] = np.nan
    y = np.nan_to_num(X[:, 0]) + np.isin(X[:, 3], (1, 4)) + 0.1 * rng.normal(size=700)
    how = {"n_estimators": 9, "min_samples_leaf": 5, "categorical_features": [3]}
    return GradientBoostingRegressor(**how).fit(X, y), X


def walk(trees, codes, tree, row):
    """Return the leaf of a row, and the number of questions on its way."""
    node, depth = trees.first_node[tree], 0
    while trees.child[node] != node:
        code = int(codes[trees.feature[node], row])
        left = int(trees.left[node, code // 64]) >> (code % 64) & 1
        node, depth = trees.child[node] + 1 - left, depth + 1
    return node, depth


def test_a_prediction_is_the_sum_of_the_leaves_on_the_way():
    model, X = model_and_rows()
    trees, codes = model.trees_, model.bins_.encode(X)
    ends = [[walk(trees, codes, t, i) for t in range(trees.n_trees)] for i in range(0, 700, 7)]
    expected = [model.baseline_[0] + sum(trees.value[leaf] for leaf, _ in end) for end in ends]
    np.testing.assert_allclose(model.predict(X)[::7], expected, rtol=1e-12)


def test_depths_are_those_of_the_longest_walks():
    model, X = model_and_rows()
    trees, codes = model.trees_, model.bins_.encode(X)
    longest = [max(walk(trees, codes, t, i)[1] for i in range(700)) for t in range(trees.n_trees)]
    assert trees.depths.tolist() == longest
    assert no_trees().depths.tolist() == []


def test_one_row_is_predicted_as_among_others():
    model, X = model_and_rows()
    together = model.predict(X)
    alone = [model.predict(X[i : i + 1])[0] for i in (0, 130, 699)]
    np.testing.assert_array_equal(together[[0, 130, 699]], alone)
