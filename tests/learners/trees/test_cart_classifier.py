"""CART for classes: the plain version, the catalogue, scikit-learn, mixed tables, bad input."""

import itertools
import pickle

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_breast_cancer, load_iris, load_wine
from sklearn.tree import DecisionTreeClassifier
from sklearn.utils import compute_sample_weight

from reference import cart
from surelearn.learners.trees.cart_classifier import CARTClassifier

CRITERIA = ("gini", "entropy", "misclassification", "sqrt")
WEATHER = [
    [{"S": "sunny", "O": "overcast", "R": "rain"}[r[0]], r[1], r[2], r[3]]
    for r in [
        "SHHW",
        "SHHS",
        "OHHW",
        "RMHW",
        "RCNW",
        "RCNS",
        "OCNS",
        "SMHW",
        "SCNW",
        "RMNW",
        "SMNS",
        "OMHS",
        "OHNW",
        "RMHS",
    ]
]
PLAY = list("nnyyynynyyyyyn")


def big_table(n=3000, *, missing=False):
    rng = np.random.default_rng(2)
    X = np.column_stack([rng.normal(size=(n, 3)), rng.integers(0, 6, n)])
    y = np.digitize(X @ [1.0, 0.5, 0.0, 0.2] + rng.normal(size=n), [0.0, 1.0])
    if missing:
        X[rng.random(X.shape) < 0.05] = np.nan
    return X, y


def mixed_table(seed, *, n=36, n_classes=2, n_categories=4, missing=0.15):
    """Return integers, a column of categories last, labels that depend on them, and weights."""
    rng = np.random.default_rng(seed)
    X = rng.integers(-2, 3, size=(n, 3)).astype(float)
    X[:, 2] = rng.integers(0, n_categories, n)
    X[:n_categories, 2] = np.arange(n_categories)
    y = (X[:, 0] + X[:, 2] + rng.integers(0, 3, n)).astype(int) % n_classes
    y[:n_classes] = np.arange(n_classes)
    X[:, :2][rng.random((n, 2)) < missing] = np.nan
    X[n_categories:, 2][rng.random(n - n_categories) < missing] = np.nan
    return X, y, rng.integers(1, 4, n).astype(float)


def plain(X, y, w, criterion, *, n_categories=4, **limits):
    counts = np.array([0, 0, n_categories])
    return cart.grow(X, y, w, counts, criterion, int(y.max()) + 1, **limits)


@pytest.mark.parametrize("criterion", CRITERIA)
@pytest.mark.parametrize("seed", range(6))
def test_it_is_the_plain_version_on_two_classes(criterion, seed):
    X, y, w = mixed_table(seed)
    model = CARTClassifier(criterion=criterion, categorical_features=[2])
    cart.assert_same(model.fit(X, y, w).tree_, plain(X, y, w, criterion))
    ones = np.ones(len(y))
    cart.assert_same(model.fit(X, y).tree_, plain(X, y, ones, criterion))


@pytest.mark.parametrize("criterion", CRITERIA)
@pytest.mark.parametrize("n_categories", [5, 12])
def test_it_is_the_plain_version_on_three_classes_with_few_and_many_categories(
    criterion, n_categories
):
    X, y, w = mixed_table(3, n=60, n_classes=3, n_categories=n_categories)
    model = CARTClassifier(criterion=criterion, categorical_features=[2]).fit(X, y, w)
    cart.assert_same(model.tree_, plain(X, y, w, criterion, n_categories=n_categories))


@pytest.mark.parametrize(
    "limits",
    [
        {"max_depth": 2},
        {"min_samples_leaf": 4},
        {"min_samples_split": 9},
        {"min_gain": 0.02},
    ],
)
def test_limits_are_those_of_the_plain_version(limits):
    X, y, w = mixed_table(11, n=50)
    model = CARTClassifier(categorical_features=[2], **limits).fit(X, y, w)
    cart.assert_same(model.tree_, plain(X, y, w, "gini", **limits))


def test_cut_points_come_from_the_grid_and_from_nowhere_else():
    X, y, w = mixed_table(5, n=50)
    grid = [[-1.0, 0.25, 1.5], [0.0, 7.0], []]
    model = CARTClassifier(categorical_features=[2], thresholds=grid).fit(X, y, w)
    cart.assert_same(model.tree_, plain(X, y, w, "gini", grid=grid))
    numbers = CARTClassifier(thresholds=[0.25, -1.0]).fit(X[:, :2], y)
    asked = numbers.tree_.threshold[~numbers.tree_.is_leaf]
    assert set(asked.tolist()) <= {0.25, -1.0}
    assert [cuts.tolist() for cuts in numbers.grid_] == [[-1.0, 0.25]] * 2
    assert any("grid" in a.evidence for a in numbers.certificates()[0].preconditions)


@pytest.mark.parametrize("seed", range(20))
@pytest.mark.parametrize("criterion", ["gini", "entropy", "sqrt", "misclassification"])
def test_on_two_classes_no_division_of_the_categories_is_better(seed, criterion):
    rng = np.random.default_rng(seed)
    x, y = rng.integers(0, 7, 40).astype(float), rng.integers(0, 2, 40)
    y[:2] = 0, 1
    w = rng.random(40) + 0.1
    model = CARTClassifier(criterion=criterion, categorical_features="all", max_depth=1)
    tree = model.fit(x[:, None], y, w).tree_
    lost = tree.weight * tree.impurity
    codes = np.unique(x)
    best = max(
        lost[0]
        - sum(
            cart.weighted_impurity(y[s], w[s], criterion, 2)
            for s in (np.isin(x, left), ~np.isin(x, left))
        )
        for size in range(1, len(codes))
        for left in itertools.combinations(codes, size)
    )
    assert lost[0] - lost[1] - lost[2] == pytest.approx(best, abs=1e-9)


@pytest.mark.parametrize("criterion", ["gini", "entropy"])
@pytest.mark.parametrize("load", [load_breast_cancer, load_iris, load_wine])
@pytest.mark.parametrize("limits", [{}, {"max_depth": 3}, {"min_samples_leaf": 5}])
def test_it_asks_what_scikit_learn_asks(load, criterion, limits):
    X, y = load(return_X_y=True)
    X = X.astype(np.float32)  # scikit-learn's precision
    ours = CARTClassifier(criterion=criterion, **limits).fit(X, y)
    theirs = DecisionTreeClassifier(criterion=criterion, random_state=0, **limits).fit(X, y)
    cart.assert_agrees(ours.tree_, theirs.tree_, X, y, np.ones(len(y)), criterion)


@pytest.mark.parametrize("criterion", ["gini", "entropy"])
@pytest.mark.parametrize("balanced", [False, True])
@pytest.mark.parametrize(
    "limits",
    [{"min_samples_leaf": 10}, {"max_leaf_nodes": 30}, {"min_weight_fraction_leaf": 0.02}],
)
def test_it_asks_what_scikit_learn_asks_of_noise_with_weights(criterion, balanced, limits):
    rng = np.random.default_rng(0)
    X, w = rng.normal(size=(900, 4)).astype(np.float32), rng.random(900) + 0.5
    y = np.digitize(X @ [1.0, -2.0, 0.5, 0.0] + rng.normal(size=900), [-1.0, 1.0])
    settings = {"criterion": criterion, "class_weight": "balanced" if balanced else None, **limits}
    ours = CARTClassifier(**settings).fit(X, y, w)
    theirs = DecisionTreeClassifier(random_state=0, **settings).fit(X, y, w)
    if balanced:
        w = w * compute_sample_weight("balanced", y)
    same = cart.assert_agrees(ours.tree_, theirs.tree_, X, y, w, criterion)
    assert same >= 0.9 * (ours.n_leaves_ - 1)


def test_importances_are_scikit_learns():
    X, y = load_wine(return_X_y=True)
    ours = CARTClassifier(max_depth=2).fit(X, y)
    theirs = DecisionTreeClassifier(max_depth=2, random_state=0).fit(X, y)
    np.testing.assert_allclose(ours.feature_importances_, theirs.feature_importances_, rtol=1e-9)


def test_missing_cells_go_where_scikit_learn_sends_them():
    rng = np.random.default_rng(1)
    X = rng.normal(size=(500, 3)).astype(np.float32)
    y = (X[:, 0] + 0.3 * rng.normal(size=500) > 0).astype(int)
    X[rng.random(500) < 0.3 * (1 + y), 0] = np.nan
    X[rng.random(500) < 0.1, 1] = np.nan
    ours = CARTClassifier(min_samples_leaf=15).fit(X, y)
    theirs = DecisionTreeClassifier(min_samples_leaf=15, random_state=0).fit(X, y)
    new = np.where(rng.random(X.shape) < 0.2, np.nan, rng.normal(size=X.shape)).astype(np.float32)
    np.testing.assert_allclose(ours.predict_proba(new), theirs.predict_proba(new), atol=1e-12)


def test_a_question_may_be_whether_a_cell_is_known():
    X = np.array([[1.0], [2.0], [np.nan], [np.nan]])
    tree = CARTClassifier().fit(X, [0, 0, 1, 1]).tree_
    assert tree.threshold[0] == np.inf
    assert tree.default_child[0] == 1
    gridded = CARTClassifier(thresholds=[0.0]).fit(X, [0, 0, 1, 1])
    assert gridded.n_nodes_ == 1, "that question is on no grid"


def test_the_weather_is_divided_by_overcast_first():
    model = CARTClassifier(max_depth=1).fit(np.array(WEATHER, dtype=object), PLAY)
    tree = model.tree_
    assert tree.feature[0] == 0
    assert model.categories_[0][tree.categories_to(0, 1)].tolist() == ["overcast"]
    assert tree.impurity[0] == pytest.approx(0.4591836735)
    after = tree.weight[1:] @ tree.impurity[1:] / 14
    assert after == pytest.approx(0.3571428571)
    questions = {(0, "overcast"): 0.3571428571, (2, "H"): 0.3673469388, (0, "sunny"): 0.3936507937}
    for (column, word), gini in questions.items():
        answers = np.array([[float(row[column] == word)] for row in WEATHER])
        tree = CARTClassifier(max_depth=1).fit(answers, PLAY).tree_
        assert tree.weight[1:] @ tree.impurity[1:] / 14 == pytest.approx(gini)


def test_xor_is_split_although_no_question_gains():
    X, y = np.array([[0, 0], [0, 1], [1, 0], [1, 1]]), [0, 1, 1, 0]
    model = CARTClassifier().fit(X, y)
    assert model.tree_.feature[0] == 0
    assert model.predict(X).tolist() == y
    assert (model.n_nodes_, model.n_leaves_, model.depth_) == (7, 4, 2)
    assert CARTClassifier(min_gain=1e-6).fit(X, y).n_nodes_ == 1


def test_a_data_frame_with_categories_and_missing_cells():
    table = pd.DataFrame(WEATHER, columns=["outlook", "temperature", "humidity", "wind"])
    table["outlook"] = table["outlook"].astype("category")
    table.loc[3, "wind"] = None
    model = CARTClassifier().fit(table, PLAY)
    assert model.score(table, PLAY) == 1.0
    assert model.feature_names_in_.tolist() == list(table.columns)


def test_what_is_not_known_follows_the_heavier_side():
    X = np.array([["a"], ["b"], ["b"], ["c"]], dtype=object)
    model = CARTClassifier(max_depth=1).fit(X, [0, 1, 1, 1])
    assert model.predict(np.array([["zebra"], [None]], dtype=object)).tolist() == [1, 1]


def test_a_column_without_any_number_is_never_asked_about():
    X = np.column_stack([np.full(6, np.nan), np.arange(6.0)])
    tree = CARTClassifier().fit(X, [0, 0, 1, 1, 0, 0]).tree_
    assert set(tree.feature.tolist()) <= {-1, 1}


def test_one_class_is_one_leaf():
    model = CARTClassifier().fit([[0.0], [1.0]], ["a", "a"])
    assert (model.n_nodes_, model.predict([[7.0]]).tolist()) == (1, ["a"])
    assert model.feature_importances_.tolist() == [0.0]


@pytest.mark.parametrize(
    ("settings", "y", "message"),
    [
        ({"criterion": "variance"}, None, "criterion"),
        ({"max_depth": 0}, None, "max_depth"),
        ({"max_leaf_nodes": 1.5}, None, "max_leaf_nodes"),
        ({"max_nodes": -1}, None, "max_nodes"),
        ({"min_samples_split": 1}, None, "min_samples_split"),
        ({"min_samples_leaf": 0}, None, "min_samples_leaf"),
        ({"min_weight_fraction_leaf": 0.6}, None, "min_weight_fraction_leaf"),
        ({"min_gain": -0.1}, None, "min_gain"),
        ({"min_gain": np.nan}, None, "min_gain"),
        ({"thresholds": [[0.0]]}, None, "1 lists of cut points for 4 columns"),
        ({"thresholds": [0.0, np.inf]}, None, "finite"),
        ({"most_categories": 3, "categorical_features": [3]}, None, "6 categories"),
        ({}, "continuous", "continuous"),
    ],
)
def test_what_cannot_be_is_refused_and_the_model_stays_as_it_was(settings, y, message):
    X, labels = big_table(100)
    model = CARTClassifier().fit(X, labels).set_params(**settings)
    before = pickle.dumps(model)
    with pytest.raises(ValueError, match=message):
        model.fit(X, X[:, 0] if y else labels)
    assert pickle.dumps(model) == before


def test_many_rows_and_few_are_predicted_alike():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(300, 2))
    model = CARTClassifier(max_depth=4).fit(X, rng.integers(0, 3, 300))
    few = np.concatenate([model.predict(X[i : i + 1]) for i in range(300)])
    np.testing.assert_array_equal(model.predict(X), few)
    np.testing.assert_array_equal(few, model.classes_[model.predict_proba(X).argmax(axis=1)])
