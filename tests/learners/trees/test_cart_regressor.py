"""CART for numbers: the plain version, the catalogue, scikit-learn, medians, bad input."""

import itertools
import pickle

import numpy as np
import pytest
from sklearn.datasets import load_diabetes
from sklearn.tree import DecisionTreeRegressor

from reference import cart
from surelearn.learners.trees._binary import growth, sorted_columns
from surelearn.learners.trees.cart_regressor import CARTRegressor

CRITERIA = ("squared_error", "absolute_error")
BOOSTED = np.array([5.56, 5.70, 5.91, 6.40, 6.80, 7.05, 8.90, 8.70, 9.00, 9.05])


def mixed_table(seed, *, n=36, n_categories=4, missing=0.15):
    rng = np.random.default_rng(seed)
    X = rng.integers(-2, 3, size=(n, 3)).astype(float)
    X[:, 2] = rng.integers(0, n_categories, n)
    X[:n_categories, 2] = np.arange(n_categories)
    y = X[:, 0] * X[:, 1] + (X[:, 2] % 3) ** 2 + rng.integers(0, 5, n)
    X[:, :2][rng.random((n, 2)) < missing] = np.nan
    X[n_categories:, 2][rng.random(n - n_categories) < missing] = np.nan
    return X, y, rng.integers(1, 4, n).astype(float)


def plain(X, y, w, criterion, *, n_categories=4, **limits):
    return cart.grow(X, y, w, np.array([0, 0, n_categories]), criterion, 0, **limits)


@pytest.mark.parametrize("criterion", CRITERIA)
@pytest.mark.parametrize("seed", range(6))
def test_it_is_the_plain_version(criterion, seed):
    X, y, w = mixed_table(seed)
    model = CARTRegressor(criterion=criterion, categorical_features=[2])
    cart.assert_same(model.fit(X, y, w).tree_, plain(X, y, w, criterion))
    cart.assert_same(model.fit(X, y).tree_, plain(X, y, np.ones(len(y)), criterion))


@pytest.mark.parametrize("criterion", CRITERIA)
def test_it_is_the_plain_version_with_many_categories_and_limits(criterion):
    X, y, w = mixed_table(4, n=60, n_categories=12)
    limits = {"min_samples_leaf": 3, "max_depth": 3, "min_gain": 0.01}
    model = CARTRegressor(criterion=criterion, categorical_features=[2], **limits).fit(X, y, w)
    cart.assert_same(model.tree_, plain(X, y, w, criterion, n_categories=12, **limits))


def test_cut_points_come_from_the_grid():
    X, y, w = mixed_table(5, n=50)
    grid = [[-1.0, 0.25, 1.5], [0.0, 7.0], []]
    model = CARTRegressor(categorical_features=[2], thresholds=grid).fit(X, y, w)
    cart.assert_same(model.tree_, plain(X, y, w, "squared_error", grid=grid))


@pytest.mark.parametrize("seed", range(20))
@pytest.mark.parametrize("criterion", CRITERIA)
def test_no_division_of_the_categories_is_better(seed, criterion):
    rng = np.random.default_rng(seed)
    x, y, w = rng.integers(0, 7, 40).astype(float), rng.normal(size=40), rng.random(40) + 0.1
    model = CARTRegressor(criterion=criterion, categorical_features="all", max_depth=1)
    tree = model.fit(x[:, None], y, w).tree_
    lost = tree.weight * tree.impurity
    codes = np.unique(x)
    best = max(
        lost[0]
        - sum(
            cart.weighted_impurity(y[s], w[s], criterion, 0)
            for s in (np.isin(x, left), ~np.isin(x, left))
        )
        for size in range(1, len(codes))
        for left in itertools.combinations(codes, size)
    )
    assert lost[0] - lost[1] - lost[2] == pytest.approx(best, abs=1e-9)


@pytest.mark.parametrize("criterion", CRITERIA)
@pytest.mark.parametrize("limits", [{}, {"min_samples_leaf": 20}, {"max_leaf_nodes": 12}])
@pytest.mark.parametrize("weighted", [False, True])
def test_it_asks_what_scikit_learn_asks(criterion, limits, weighted):
    X, y = load_diabetes(return_X_y=True)
    X, w = X.astype(np.float32), np.ones(len(y))
    if weighted:
        w = np.random.default_rng(0).random(len(y)) + 0.5
    ours = CARTRegressor(criterion=criterion, **limits).fit(X, y, w)
    theirs = DecisionTreeRegressor(criterion=criterion, random_state=0, **limits).fit(X, y, w)
    same = cart.assert_agrees(ours.tree_, theirs.tree_, X, y, w, criterion)
    assert same >= 0.2 * (ours.n_leaves_ - 1)


def test_the_catalogues_first_split():
    X, y = [[1.0, 2.0], [2.0, 0.0], [0.0, 1.0], [3.0, 1.0]], [3.0, 1.0, 2.0, 5.0]
    tree = CARTRegressor(max_depth=1).fit(X, y).tree_
    assert (tree.feature[0], tree.threshold[0]) == (0, 2.5)
    assert tree.value.ravel().tolist() == [2.75, 2.0, 5.0]
    assert tree.weight[1:] @ tree.impurity[1:] == pytest.approx(2.0)
    scan = {0: {0.5: 8.0, 1.5: 8.5, 2.5: 2.0}, 1: {0.5: 4.6666667, 1.5: 8.6666667}}
    for column, cuts in scan.items():
        for cut, squares in cuts.items():
            x = np.array(X)[:, [column]]
            tree = CARTRegressor(max_depth=1, thresholds=[cut]).fit(x, y).tree_
            assert tree.weight[1:] @ tree.impurity[1:] == pytest.approx(squares, abs=1e-7)


def test_the_catalogues_scan_of_cut_points():
    x = np.arange(1.0, 11.0)[:, None]
    errors = []
    for cut in np.arange(1.5, 10.0):
        tree = CARTRegressor(max_depth=1, thresholds=[cut]).fit(x, BOOSTED).tree_
        errors.append(tree.weight[1:] @ tree.impurity[1:])
    expected = [15.7231, 12.0834, 8.3656, 5.7755, 3.9113, 1.9300, 8.0098, 11.7354, 15.7386]
    np.testing.assert_allclose(errors, expected, atol=5e-5)
    tree = CARTRegressor(max_depth=1).fit(x, BOOSTED).tree_
    assert tree.threshold[0] == 6.5
    assert tree.weight[1:] @ tree.impurity[1:] == pytest.approx(1.9300083, abs=1e-7)
    np.testing.assert_allclose(tree.value[1:, 0], [6.2366667, 8.9125], atol=1e-7)


def test_best_first_growth_has_the_catalogues_errors():
    X, y = load_diabetes(return_X_y=True)
    errors = [
        np.mean((CARTRegressor(max_leaf_nodes=n).fit(X, y).predict(X) - y) ** 2)
        for n in range(1, 7)
    ]
    expected = [5929.8849, 4201.0765, 3695.6869, 3360.0501, 3178.2331, 3057.8090]
    np.testing.assert_allclose(errors, expected, atol=5e-5)


def test_residuals_of_every_leaf_sum_to_zero():
    X, y = load_diabetes(return_X_y=True)
    model = CARTRegressor(max_leaf_nodes=9).fit(X, y)
    leaves, residuals = model.apply(X), y - model.predict(X)
    sums = np.bincount(leaves, weights=residuals)
    np.testing.assert_allclose(sums, 0.0, atol=1e-9)
    squares = model.tree_.weight @ (model.tree_.impurity * model.tree_.is_leaf)
    assert squares == pytest.approx(residuals @ residuals)


def test_a_shift_of_the_targets_shifts_the_tree_and_changes_no_question():
    X, y = load_diabetes(return_X_y=True)
    plain_tree = CARTRegressor(max_depth=5).fit(X, y).tree_
    shifted = CARTRegressor(max_depth=5).fit(X, y + 2.0**40).tree_
    assert shifted.feature.tolist() == plain_tree.feature.tolist()
    np.testing.assert_array_equal(shifted.threshold, plain_tree.threshold)
    np.testing.assert_allclose(shifted.impurity, plain_tree.impurity, rtol=1e-4)


def test_medians_withstand_an_outlier():
    X = np.arange(8.0)[:, None]
    y = np.array([0.0, 0.0, 0.0, 1e9, 5.0, 5.0, 5.0, 5.0])
    model = CARTRegressor(criterion="absolute_error", min_samples_leaf=3).fit(X, y)
    assert model.predict([[1.0], [6.0]]).tolist() == [0.0, 5.0]


@pytest.mark.parametrize("criterion", CRITERIA)
@pytest.mark.parametrize("limits", [{}, {"max_leaf_nodes": 30}])
@pytest.mark.parametrize("room", [0, 20_000])
def test_threads_and_memory_do_not_change_the_tree(monkeypatch, criterion, limits, room):
    rng = np.random.default_rng(2)
    X = np.column_stack([rng.normal(size=(1500, 2)), rng.integers(0, 5, 1500)])
    y = np.round(X @ [1.0, 0.5, 0.2] + rng.normal(size=1500), 2)
    X[rng.random(X.shape) < 0.05] = np.nan
    model = CARTRegressor(criterion=criterion, categorical_features=[2], **limits)
    expected, size = model.fit(X, y).predict(X), model.n_nodes_
    monkeypatch.setattr(growth, "_LEAST_ROOM", room)
    monkeypatch.setattr(growth, "_SHARE", 2**40)
    monkeypatch.setattr(sorted_columns, "LARGE", 500)
    np.testing.assert_allclose(model.fit(X, y).predict(X), expected, rtol=1e-12)
    assert model.n_nodes_ == size


def test_equal_targets_are_one_leaf():
    for criterion in CRITERIA:
        model = CARTRegressor(criterion=criterion).fit(np.arange(5.0)[:, None], np.full(5, 0.1))
        assert model.n_nodes_ == 1
        assert model.predict([[3.0]]).tolist() == [0.1]


@pytest.mark.parametrize(
    ("settings", "y", "message"),
    [
        ({"criterion": "gini"}, [1.0, 2.0, 3.0], "criterion"),
        ({}, ["a", "b", "c"], "no number"),
        ({}, [1.0, np.nan, 2.0], "NaN"),
        ({}, [1.0, 2.0], "inconsistent"),
    ],
)
def test_what_cannot_be_is_refused_and_the_model_stays_as_it_was(settings, y, message):
    X = [[0.0], [1.0], [2.0]]
    model = CARTRegressor().fit(X, [1.0, 2.0, 3.0]).set_params(**settings)
    before = pickle.dumps(model)
    with pytest.raises(ValueError, match=message):
        model.fit(X, y)
    assert pickle.dumps(model) == before
