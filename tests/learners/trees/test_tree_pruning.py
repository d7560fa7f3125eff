"""Pruned trees are what the catalogue and the definitions say, and learners like any other."""

import pickle

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.datasets import load_breast_cancer
from sklearn.model_selection import StratifiedKFold
from sklearn.tree import DecisionTreeClassifier

from reference import pruning as reference
from reference import weather
from surelearn.datasets.worlds import Noisy
from surelearn.impurities import Entropy, Gini, Misclassification
from surelearn.learners.trees._pruning.cost_complexity import PruningPath
from surelearn.learners.trees._pruning.cross_validated_path import CrossValidatedPath, deal
from surelearn.learners.trees.c45_classifier import C45Classifier
from surelearn.learners.trees.cart_classifier import CARTClassifier
from surelearn.learners.trees.cart_regressor import CARTRegressor
from surelearn.learners.trees.id3_classifier import ID3Classifier

FX_E = (
    np.arange(1.0, 11.0)[:, np.newaxis],
    np.array([5.56, 5.70, 5.91, 6.40, 6.80, 7.05, 8.90, 8.70, 9.00, 9.05]),
)


@pytest.fixture(scope="module")
def breast():
    X, y = load_breast_cancer(return_X_y=True)
    return X, y, CARTClassifier().fit(X, y)


@pytest.fixture(scope="module")
def noisy():
    X, y = Noisy(3, 0.2).draw(300, seed=0)
    return X, y, CARTClassifier().fit(X, y)


@pytest.fixture(scope="module")
def days():
    X, y = weather.nominal()
    return X, y, ID3Classifier().fit(X, y)


def test_the_path_of_ten_numbers_is_that_of_the_catalogue():
    path = CARTRegressor().fit(*FX_E).pruning_path()
    expected = [
        0,
        0.00125,
        0.0098,
        0.02,
        0.03125,
        0.050625,
        0.0522667,
        0.18375,
        1.5810667,
        17.1842017,
    ]
    np.testing.assert_allclose(path.alphas, expected, atol=1e-7)
    assert path.n_leaves.tolist() == [10, 9, 8, 7, 6, 5, 4, 3, 2, 1]
    assert len(path) == 10


@pytest.mark.parametrize(
    ("alpha", "n_leaves", "cost"),
    [
        (0.005, 9, 0.04625),
        (0.05, 6, 0.3623),
        (0.2, 3, 0.94894167),
        (5, 2, 11.93000833),
        (20, 1, 39.11421),
    ],
)
def test_the_best_subtree_of_ten_numbers_is_that_of_the_catalogue(alpha, n_leaves, cost):
    model = CARTRegressor().fit(*FX_E)
    pruned = model.prune(alpha=alpha)
    assert pruned.n_leaves_ == n_leaves
    tree = pruned.tree_
    leaves = tree.is_leaf
    assert (tree.weight * tree.impurity)[leaves].sum() + alpha * n_leaves == pytest.approx(cost)
    assert len(reference.leaf_sets(model.tree_)) == 51


def test_the_path_on_breast_cancer_is_scikit_learns_times_the_rows(breast):
    X, y, model = breast
    path = model.pruning_path()
    peer = DecisionTreeClassifier(random_state=0).fit(X, y).cost_complexity_pruning_path(X, y)
    assert path.n_leaves.tolist() == [22, 18, 16, 13, 12, 11, 10, 9, 7, 6, 4, 3, 2, 1]
    np.testing.assert_allclose(path.alphas / len(y), peer.ccp_alphas, atol=1e-12)
    np.testing.assert_allclose(path.costs / len(y), peer.impurities, atol=1e-12)


def test_at_a_price_of_the_path_the_subtree_has_the_leaves_it_says(noisy):
    _, _, model = noisy
    for impurity in (None, Misclassification(), Entropy()):
        path = model.pruning_path(impurity=impurity)
        found = [model.prune(alpha=a, impurity=impurity).n_leaves_ for a in path.alphas]
        assert found == path.n_leaves.tolist()
        assert (np.diff(path.alphas) > 0).all()


def test_without_a_choice_leaves_are_charged_by_the_criterion(noisy):
    _, _, model = noisy
    np.testing.assert_allclose(
        model.pruning_path().alphas, model.pruning_path(impurity=Gini()).alphas
    )


@pytest.mark.parametrize(
    ("alpha", "n_leaves"),
    [(0.0, 5), (1.0, 5), (2.0, 5), (2.2811479, 5), (2.2811481, 1), (2.5, 1), (3.0, 1)],
)
def test_the_entropy_cost_is_minimised_over_all_subtrees(days, alpha, n_leaves):
    _, _, model = days
    pruned = model.prune_entropy_cost(alpha=alpha)
    assert pruned.n_leaves_ == n_leaves
    tree = pruned.tree_
    leaves = tree.is_leaf
    nats = np.log(2.0) * Entropy()(tree.value[leaves]) @ tree.weight[leaves]
    # The literal rule of the source would stop at five leaves: no bottom split alone can go.
    expected = {0.0: 0.0, 1.0: 5.0, 2.0: 10.0, 2.5: 11.6245918564, 3.0: 12.1245918564}
    assert nats + alpha * n_leaves == pytest.approx(
        expected.get(alpha, alpha * 5 if n_leaves == 5 else 9.1245918564 + alpha), abs=1e-9
    )


def test_the_entropy_cost_gives_the_weakest_link_subtree_of_the_entropy(noisy):
    _, _, model = noisy
    for alpha in (0.5, 1.0, 2.0, 4.0, 8.0):
        by_cost = model.prune_entropy_cost(alpha=alpha)
        by_link = model.prune(alpha=alpha / np.log(2.0), impurity=Entropy())
        np.testing.assert_array_equal(by_cost.tree_.feature, by_link.tree_.feature)


def test_reduced_error_pruning_errs_least_of_all_subtrees_on_the_rows_it_is_given():
    X, y = Noisy(2, 0.2).draw(60, seed=1)
    rows, labels = Noisy(2, 0.2).draw(200, seed=2)
    model = CARTClassifier(max_leaf_nodes=8).fit(X, y)
    found = model.prune_reduced_error(rows, labels)
    errors = {}
    for leaves in reference.leaf_sets(model.tree_):
        closed = np.zeros(model.n_nodes_, dtype=bool)
        closed[list(leaves)] = True
        errors[leaves] = np.count_nonzero(model._pruned(closed).predict(rows) != labels)
    least = min(errors.values())
    assert np.count_nonzero(found.predict(rows) != labels) == least
    assert found.n_leaves_ == min(len(k) for k, e in errors.items() if e == least)


def test_reduced_error_pruning_of_a_regressor_loses_least_by_its_criterion():
    rng = np.random.default_rng(0)
    X, rows = rng.random((60, 1)), rng.random((200, 1))
    y, targets = X[:, 0] + 0.3 * rng.normal(size=60), rows[:, 0] + 0.3 * rng.normal(size=200)
    for criterion, power in (("squared_error", 2), ("absolute_error", 1)):
        model = CARTRegressor(criterion=criterion).fit(X, y)
        pruned = model.prune_reduced_error(rows, targets)
        lost = [
            (np.abs(m.predict(rows) - targets) ** power).sum()
            for m in (pruned, model, *(model.prune(alpha=a) for a in model.pruning_path().alphas))
        ]
        assert lost[0] == min(lost)
        assert 1 < pruned.n_leaves_ < model.n_leaves_


def test_a_validation_row_without_an_answer_is_divided_as_in_prediction():
    X = np.array([[0.0], [1.0], [2.0], [3.0]] * 5)
    y = np.array([0, 0, 1, 1] * 5)
    model = C45Classifier(confidence=None).fit(X, y)
    assert model.n_leaves_ == 2
    # Half of the row errs in the second leaf; as a leaf the root errs on none of it.
    assert model.prune_reduced_error([[np.nan]], [0]).n_leaves_ == 1
    assert model.prune_reduced_error([[np.nan], [0.0], [3.0]], [0, 0, 1]).n_leaves_ == 2


def errors_fold_by_fold(X, y, folds, prices, scales):
    """Prune a tree for each fold and price, and count: what cross-validation means."""
    losses = np.zeros((len(prices), len(y)))
    for fold, scale in enumerate(scales):
        out = folds == fold
        grown = CARTClassifier().fit(X[~out], y[~out])
        for k, price in enumerate(prices):
            losses[k, out] = grown.prune(alpha=price * scale).predict(X[out]) != y[out]
    return losses


def test_cross_validation_prunes_every_fold_at_the_geometric_mean_of_prices(noisy):
    X, y, model = noisy
    result = model.cross_validate_pruning(X, y, n_folds=5, seed=3)
    alphas = model.pruning_path().alphas
    prices = np.sqrt(alphas * np.append(alphas[1:], 1e9))
    folds = deal((y > 0).astype(float), 5, seed=3)
    scales = [np.mean(folds != fold) for fold in range(5)]
    losses = errors_fold_by_fold(X, y, folds, prices, scales)
    np.testing.assert_allclose(result.errors, losses.mean(axis=1))
    np.testing.assert_allclose(result.standard_errors, losses.std(axis=1) / np.sqrt(len(y)))
    assert result.path.n_leaves.tolist() == model.pruning_path().n_leaves.tolist()


def test_weights_of_two_are_rows_twice_in_cross_validated_errors(noisy):
    X, y, model = noisy
    weights = np.full(len(y), 2.0)
    weighted = model.fit(X, y, sample_weight=weights).cross_validate_pruning(
        X, y, n_folds=4, sample_weight=weights
    )
    plain = model.fit(X, y).cross_validate_pruning(X, y, n_folds=4)
    np.testing.assert_allclose(weighted.errors, plain.errors)
    np.testing.assert_allclose(weighted.path.alphas, 2.0 * plain.path.alphas)


def test_one_standard_error_buys_the_smaller_tree(noisy):
    X, y, model = noisy
    result = model.cross_validate_pruning(X, y)
    small = model.prune_cross_validated(X, y)
    best = model.prune_cross_validated(X, y, one_standard_error=False)
    assert small.n_leaves_ == result.path.n_leaves[result.simplest]
    assert best.n_leaves_ == result.path.n_leaves[result.best]
    assert 1 < small.n_leaves_ <= best.n_leaves_ < model.n_leaves_
    limit = result.errors[result.best] + result.standard_errors[result.best]
    assert result.errors[result.simplest] <= limit < result.errors[-1]


def test_of_equal_errors_the_smaller_tree_is_the_best():
    path = PruningPath(np.arange(3.0), np.array([5, 2, 1]), np.zeros(3))
    result = CrossValidatedPath(path, np.array([0.1, 0.1, 0.3]), np.zeros(3))
    assert result.best == result.simplest == 1


def test_a_regressor_is_cross_validated_by_its_squared_error():
    rng = np.random.default_rng(0)
    X = rng.random((150, 2))
    y = (X[:, 0] > 0.5) + 0.2 * rng.normal(size=150)
    pruned = CARTRegressor().fit(X, y).prune_cross_validated(X, y)
    assert pruned.n_leaves_ == 2
    assert pruned.predict([[0.1, 0.5], [0.9, 0.5]]) == pytest.approx([0.0, 1.0], abs=0.1)


@pytest.mark.parametrize(
    ("criterion", "unit", "weight"),
    [("squared_error", 2.0**300, 1.0), ("absolute_error", 1.0, 2.0**520)],
)
def test_squared_losses_do_not_overflow_in_standard_errors(criterion, unit, weight):
    X, weights = np.arange(24.0)[:, np.newaxis], np.full(24, weight)
    y = unit * ((X[:, 0] > 11.0) + np.tile([0.0, 0.25], 12))
    tree = CARTRegressor(criterion=criterion).fit(X, y, sample_weight=weights)
    errors = tree.cross_validate_pruning(X, y, sample_weight=weights)
    assert np.isfinite(errors.standard_errors).all()
    assert tree.prune_cross_validated(X, y, sample_weight=weights).n_leaves_ == 2


def test_a_class_that_a_fold_lacks_is_an_error_there():
    X, y = np.arange(12.0)[:, np.newaxis], np.array(["a"] * 6 + ["b"] * 5 + ["c"])
    result = CARTClassifier().fit(X, y).cross_validate_pruning(X, y, n_folds=3)
    assert result.errors.min() >= 1 / 12


@pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame])
def test_data_frames_with_categories_are_cross_validated(frame):
    columns, y = weather.numeric()
    X = frame({name: cells * 6 for name, cells in columns.items()})
    model = C45Classifier().fit(X, np.tile(y, 6))
    assert model.prune_cross_validated(X, np.tile(y, 6), n_folds=3).n_leaves_ == 5


def test_folds_are_dealt_as_evenly_as_scikit_learns():
    y = np.array([0] * 13 + [1] * 7 + [2] * 2)
    folds = deal(y, 4, seed=0)
    split = StratifiedKFold(2).split(y, y)  # the peer's folds are as even, class by class
    assert sum(1 for _ in split) == 2
    for label in range(3):
        assert np.ptp(np.bincount(folds[y == label], minlength=4)) <= 1


@pytest.mark.parametrize(
    "learner",
    [CARTClassifier(), C45Classifier(confidence=None, charge_cuts=False), CARTRegressor()],
    ids=repr,
)
def test_a_pruned_copy_is_a_fitted_learner_and_the_original_stays(learner):
    X, y = Noisy(3, 0.2).draw(200, seed=0)
    model = learner.fit(X, y)
    n_leaves = model.n_leaves_
    before, expected = pickle.dumps(model), model.predict(X)
    pruned = model.prune(alpha=model.pruning_path().alphas[-2])
    assert type(pruned) is type(model)
    assert 1 < pruned.n_leaves_ < model.n_leaves_
    assert pickle.dumps(model) == before
    np.testing.assert_array_equal(model.predict(X), expected)
    again = pickle.loads(pickle.dumps(pruned))  # noqa: S301 - our own bytes
    np.testing.assert_array_equal(again.predict(X), pruned.predict(X))
    assert pruned.to_text().count("\n") < model.to_text().count("\n")
    assert pruned.feature_importances_.sum() == pytest.approx(1.0)
    assert pruned.fit(X, y).n_leaves_ == n_leaves


def test_training_errors_are_counted_again_in_the_pruned_copy(noisy):
    X, y, model = noisy
    for alpha in model.pruning_path().alphas:
        pruned = model.prune(alpha=alpha)
        assert pruned.training_errors_ == np.count_nonzero(pruned.predict(X) != y)


def test_a_tree_that_is_one_leaf_stays_one():
    model = CARTClassifier().fit([[1.0], [1.0]], ["a", "b"])
    assert model.pruning_path().alphas.tolist() == [0.0]
    for pruned in (
        model.prune(alpha=1.0),
        model.prune_entropy_cost(alpha=0.0),
        model.prune_reduced_error([[1.0]], ["a"]),
        model.prune_structural_risk(),
        model.prune_cross_validated([[1.0], [1.0]], ["a", "b"], n_folds=2),
    ):
        assert pruned.n_leaves_ == 1


@pytest.mark.parametrize("alpha", [-1.0, np.nan])
def test_a_price_below_nothing_is_refused(noisy, alpha):
    _, _, model = noisy
    with pytest.raises(ValueError, match="price of a leaf"):
        model.prune(alpha=alpha)
    with pytest.raises(ValueError, match="price of a leaf"):
        model.prune_entropy_cost(alpha=alpha)


def test_rows_of_other_features_are_refused(noisy):
    _, _, model = noisy
    with pytest.raises(ValueError, match="expecting 3 features"):
        model.prune_reduced_error(np.zeros((2, 4)), [1.0, -1.0])


def test_labels_that_the_tree_does_not_know_are_refused(noisy):
    X, _, model = noisy
    with pytest.raises(ValueError, match="label 7 is not among the classes"):
        model.prune_reduced_error(X[:3], [1, 7, 1])
    with pytest.raises(ValueError, match="one label for each of 3 rows"):
        model.prune_reduced_error(X[:3], [1])


def test_folds_without_rows_are_refused(noisy):
    X, y, model = noisy
    with pytest.raises(ValueError, match="n_folds=301 must lie between 2 and the 300 rows"):
        model.prune_cross_validated(X, y, n_folds=301)
    with pytest.raises(ValueError, match="n_folds=1 "):
        model.prune_cross_validated(X, y, n_folds=1)


def test_a_regressor_has_no_classes_to_charge_for():
    model = CARTRegressor().fit(*FX_E)
    with pytest.raises(ValueError, match="this is a regressor"):
        model.prune(alpha=1.0, impurity=Gini())
    with pytest.raises(ValueError, match="this is a regressor"):
        model.prune_entropy_cost(alpha=1.0)


def test_an_unfitted_tree_says_so():
    for prune in (
        lambda model: model.pruning_path(),
        lambda model: model.prune(alpha=1.0),
        lambda model: model.prune_reduced_error([[0.0]], [0]),
        lambda model: model.prune_structural_risk(),
    ):
        with pytest.raises(ValueError, match="not fitted"):
            prune(CARTClassifier())
