"""What trees state of their risk is what the theorems say, and holds in worlds made to break it."""

import numpy as np
import pandas as pd
import pytest
from scipy import stats
from sklearn.datasets import load_breast_cancer

from reference import weather
from reference.pruning import as_code, leaf_sets
from surelearn import Holdout, Quantile, check_certificate
from surelearn.base.seal import sealed
from surelearn.bounds import trees
from surelearn.evaluate.coverage import Coverage
from surelearn.learners.trees._certificates import NAMED_DEFAULTS, NO_DEFAULTS
from surelearn.learners.trees.c45_classifier import C45Classifier
from surelearn.learners.trees.cart_classifier import CARTClassifier
from surelearn.learners.trees.cart_regressor import CARTRegressor
from surelearn.learners.trees.id3_classifier import ID3Classifier


@pytest.fixture(scope="module")
def breast():
    X, y = load_breast_cancer(return_X_y=True)
    return X, y, CARTClassifier().fit(X, y)


def only(model, **keywords):
    (certificate,) = model.certificates(**keywords)
    return certificate


def statuses(certificate):
    return [condition.status for condition in certificate.preconditions]


@pytest.mark.parametrize(("n_leaves", "growth", "named"), [(4, 0.172, 0.154), (8, 0.216, 0.202)])
def test_the_numbers_of_the_proof_come_out_of_the_breast_cancer_table(
    breast, n_leaves, growth, named
):
    X, y, _ = breast
    model = CARTClassifier(max_leaf_nodes=n_leaves).fit(X, y)
    assert only(model).bound == pytest.approx(growth, abs=5e-4)
    assert only(model.snap(X, y)).bound == pytest.approx(named, abs=1.5e-3)


def test_on_a_grid_fixed_beforehand_the_grid_is_certified(breast):
    X, y, _ = breast
    grid = [np.linspace(0.0, top, 256) for top in 10.0 ** np.ceil(np.log10(X.max(axis=0)))]
    model = CARTClassifier(max_leaf_nodes=4, thresholds=grid).fit(X, y)
    certificate = only(model)
    bits = trees.code_length(
        tree=as_code(model.tree_, grid), features=[("numeric", 256)] * 30, n_classes=2
    )
    expected = trees.grid_occam(
        errors=model.training_errors_, n=len(y), bits=NO_DEFAULTS + bits, delta=0.05
    )
    assert certificate.bound == pytest.approx(expected.bound)
    assert certificate.method == "trees.grid_occam"
    assert statuses(certificate) == ["assumed"] * 3
    assert certificate.bound < only(CARTClassifier(max_leaf_nodes=4).fit(X, y)).bound


def test_a_cut_point_outside_the_grid_voids_the_certificate(breast):
    X, y, _ = breast
    model = CARTClassifier(max_depth=1, thresholds=np.linspace(0.0, 1e4, 9999)).fit(X, y)
    assert only(model).status == "valid"
    model.tree_.threshold[0] += 1e-3
    with pytest.raises(ValueError, match="was changed after it was fitted"):
        model.certificates()
    sealed(model)
    assert only(model).status == "void"
    assert "outside the grid" in str(only(model))


def test_a_table_of_categories_needs_no_cut_points():
    X, y = weather.nominal()
    model = ID3Classifier().fit(X, y)
    certificate = only(model, delta=0.1)
    features = [("categorical", 3), ("categorical", 3), ("categorical", 2), ("categorical", 2)]
    code = as_code(model.tree_, n_categories=[3, 3, 2, 2])
    bits = trees.code_length(tree=code, features=features, n_classes=2, multiway=True)
    expected = trees.grid_occam(errors=0, n=14, bits=bits, delta=0.1)
    assert certificate.bound == pytest.approx(expected.bound)
    assert statuses(certificate) == ["assumed", "assumed", "assumed"]
    assert "categories of x0, x1, x2, x3" in certificate.preconditions[1].evidence


def test_a_mixed_table_pays_for_structure_and_patterns_of_cuts():
    columns, y = weather.numeric()
    model = C45Classifier().fit(pd.DataFrame(columns), y)
    features = [("categorical", 3), ("numeric", 0), ("numeric", 0), ("categorical", 2)]
    bits = trees.code_length(
        tree=as_code(model.tree_, n_categories=[3, 0, 0, 2]),
        features=features,
        n_classes=2,
        multiway=True,
        learnt_cuts=True,
    )
    expected = trees.threshold_growth(
        errors=0, n=14, structure_bits=bits, n_numeric_splits=1, delta=0.05
    )
    assert only(model).bound == pytest.approx(expected.bound)


def test_snapping_changes_the_way_of_no_training_row_and_names_each_cut(breast):
    X, y, model = breast
    snapped = model.snap(X, y)
    np.testing.assert_array_equal(snapped.apply(X), model.apply(X))
    asks = ~snapped.tree_.is_leaf
    named, feature = snapped.named_[asks], snapped.tree_.feature[asks]
    np.testing.assert_array_equal(X[named, feature], snapped.tree_.threshold[asks])
    assert (snapped.tree_.threshold[asks] <= model.tree_.threshold[asks]).all()
    certificate = only(snapped)
    assert certificate.method == "trees.compression_hybrid"
    assert statuses(certificate) == ["assumed", "assumed", "checked"]
    assert certificate.reproduce["inputs"]["n_named"] == len(np.unique(named))
    check_certificate(certificate, snapped)


def test_a_pruned_snapped_tree_names_only_the_rows_that_are_left(breast):
    X, y, model = breast
    pruned = model.snap(X, y).prune_structural_risk()
    inputs = only(pruned).reproduce["inputs"]
    assert inputs["n_numeric_splits"] == pruned.n_leaves_ - 1
    assert (pruned.named_[pruned.tree_.is_leaf] == -1).all()
    assert inputs["n_named"] == len(np.unique(pruned.named_[~pruned.tree_.is_leaf]))
    assert only(pruned).bound < only(model.prune_structural_risk()).bound


def test_snapping_to_other_rows_is_refused(breast):
    X, y, model = breast
    for rows, labels in ((X[:-1], y[:-1]), (X, 1 - y), (X[:, ::-1], y)):
        with pytest.raises(ValueError, match="not the rows this tree was fitted to"):
            model.snap(rows, labels)


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("form", ["growth", "rows", "grid"])
def test_structural_risk_has_the_smallest_certificate_of_all_subtrees(seed, form):
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 6, (150, 3)).astype(float)
    y = (X[:, 0] + X[:, 1] > 5) ^ (rng.random(150) < 0.1)
    grid = np.arange(0.5, 6.0) if form == "grid" else None
    model = CARTClassifier(max_leaf_nodes=7, thresholds=grid).fit(X, y)
    model = model.snap(X, y) if form == "rows" else model
    bounds = []
    for leaves in leaf_sets(model.tree_):
        closed = np.zeros(model.n_nodes_, dtype=bool)
        closed[list(leaves)] = True
        bounds.append(only(model._pruned(closed)).bound)
    best = only(model.prune_structural_risk()).bound
    tolerance = 1e-3 if form == "rows" else 1e-12  # a row that is named twice tests once more
    assert best <= min(bounds) + tolerance


def test_the_price_of_a_cut_is_good_enough_where_categories_compete():
    columns, y = weather.numeric()
    X, y = pd.DataFrame({k: cells * 8 for k, cells in columns.items()}), np.tile(y, 8)
    y[::13] = "no"
    model = C45Classifier(confidence=None, min_samples_branch=1).fit(X, y)
    bounds = []
    for leaves in leaf_sets(model.tree_):
        closed = np.zeros(model.n_nodes_, dtype=bool)
        closed[list(leaves)] = True
        bounds.append(only(model._pruned(closed)).bound)
    assert only(model.prune_structural_risk()).bound == pytest.approx(min(bounds), rel=1e-3)


def test_weights_do_not_change_which_rows_are_counted():
    rng = np.random.default_rng(0)
    X, y = rng.random((80, 2)), rng.integers(0, 2, 80)
    weights = rng.integers(0, 4, 80).astype(float)
    model = CARTClassifier(max_leaf_nodes=5).fit(X, y, sample_weight=weights)
    wrong = np.count_nonzero(model.predict(X) != y)
    assert (model.training_errors_, model.n_training_rows_) == (wrong, 80)
    assert only(model).reproduce["inputs"]["errors"] == wrong
    balanced = CARTClassifier(max_leaf_nodes=5, class_weight="balanced").fit(X, y)
    assert balanced.training_errors_ == np.count_nonzero(balanced.predict(X) != y)


def gaps(seed=0, n=200):
    rng = np.random.default_rng(seed)
    X = rng.random((n, 2))
    y = (X[:, 0] > 0.5).astype(int)
    X[rng.random(X.shape) < 0.1] = np.nan
    return X, y


def test_default_branches_are_paid_for_where_cells_were_missing():
    X, y = gaps()
    model = CARTClassifier(max_leaf_nodes=4).fit(X, y)
    assert model.training_errors_ == np.count_nonzero(model.predict(X) != y)
    inputs = only(model).reproduce["inputs"]
    # A flag for each node, feature and default for each split, a label for each leaf.
    assert inputs["structure_bits"] == pytest.approx(NAMED_DEFAULTS + 7 + 3 * (1 + 1) + 4)
    assert inputs["errors"] == model.training_errors_


def test_a_row_that_is_divided_counts_as_an_error():
    """Shares are learnt real numbers, which no code pays for."""
    X, y = gaps()
    model = C45Classifier().fit(X, y)
    assert model.training_errors_ == np.count_nonzero(model.predict(X) != y)
    asked = np.isnan(X[:, int(model.tree_.feature[0])])
    assert only(model).reproduce["inputs"]["errors"] >= asked.sum() > model.training_errors_
    pruned = model.prune(alpha=1e9)
    assert pruned.training_errors_ == np.count_nonzero(pruned.predict(X) != y)


def test_the_certificate_of_a_pruned_tree_is_its_own(breast):
    _, _, model = breast
    before = only(model)
    pruned = model.prune_structural_risk()
    assert only(pruned).bound < before.bound
    check_certificate(only(pruned), pruned)
    check_certificate(before, model)
    with pytest.raises(ValueError, match="issued for another model"):
        check_certificate(before, pruned)


def test_a_regressor_states_nothing():
    assert not hasattr(CARTRegressor(), "certificates")


def noise(rng):
    """Labels that no feature tells anything about: every tree has risk one half."""
    return rng.random((60, 10)), rng.integers(0, 2, 60)


def test_on_pure_noise_a_full_tree_proves_next_to_nothing():
    X, y = noise(np.random.default_rng(0))
    model = CARTClassifier().fit(X, y)
    assert model.training_errors_ == 0
    assert only(model).bound > 0.9
    assert only(C45Classifier().fit(X, y)).bound > 0.5


def risk_of_noise(X, y, model, form):
    model = model.fit(X, y)
    model = model.snap(X, y) if form == "rows" else model
    return only(model.prune_structural_risk(delta=0.2), delta=0.2).bound


@pytest.mark.parametrize("form", ["growth", "rows", "grid"])
def test_on_pure_noise_the_best_certificate_stays_above_one_half(form, repetitions):
    grid = np.linspace(0.05, 0.95, 19) if form == "grid" else None
    rng = np.random.default_rng(1)
    model = CARTClassifier(max_leaf_nodes=6, thresholds=grid)
    bounds = np.array([risk_of_noise(*noise(rng), model, form) for _ in range(repetitions // 2)])
    assert not Coverage(np.full(len(bounds), 0.5), bounds, delta=0.2).refuted()


def true_risk(model, flips):
    """Return the risk where y is [x0 > 1/2], flipped at a known rate; the way is exact in 1-D."""
    cuts = np.sort([0.0, 0.5, *model.tree_.threshold[~model.tree_.is_leaf], 1.0])
    middle = (cuts[1:] + cuts[:-1]) / 2
    wrong = model.predict(middle[:, np.newaxis]) != (middle > 0.5)
    agree = np.diff(cuts)[wrong].sum()
    return agree * (1 - flips) + (1 - agree) * flips


@pytest.mark.parametrize("form", ["growth", "rows", "grid"])
def test_in_a_world_of_known_risk_the_certificate_misses_at_most_delta(form, repetitions):
    rng, truths, bounds = np.random.default_rng(2), [], []
    grid = np.linspace(0.0, 1.0, 65)[1:-1] if form == "grid" else None
    for _ in range(repetitions // 2):
        X = rng.random((40, 1))
        y = (X[:, 0] > 0.5) ^ (rng.random(40) < 0.1)
        model = CARTClassifier(thresholds=grid).fit(X, y)
        model = (model.snap(X, y) if form == "rows" else model).prune_structural_risk(delta=0.5)
        truths.append(true_risk(model, 0.1))
        bounds.append(only(model, delta=0.5).bound)
    result = Coverage(np.array(truths), np.array(bounds), delta=0.5)
    assert not result.refuted()
    assert result.bounds.mean() < 0.6  # it says something, so it could have failed


def test_a_grid_chosen_after_looking_misses_too_often():
    """Of 400 features of noise, keep the best one and its cut, then call them the schema."""
    rng, misses = np.random.default_rng(0), 0
    for _ in range(60):
        X, y = rng.integers(0, 2, (40, 400)).astype(float), rng.integers(0, 2, 40)
        chosen = np.abs(X.T @ (2 * y - 1)).argmax()
        peeked = CARTClassifier(max_depth=1, thresholds=[0.5]).fit(X[:, [chosen]], y)
        misses += only(peeked, delta=0.05).bound < 0.5
    assert stats.binomtest(misses, 60, 0.05, alternative="greater").pvalue < 1e-6


@pytest.mark.parametrize("learner", [CARTClassifier(), C45Classifier(), CARTRegressor()])
def test_trees_recognise_rows_of_numbers_whatever_their_gaps_precision_and_order(learner):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(300, 3)).astype(np.float32)
    X[rng.random(X.shape) < 0.1] = np.nan
    y = rng.integers(0, 2, 300)
    weights = np.repeat([1.0, 0.0, 1.0], 100)
    loss = Quantile(alpha=0.3) if isinstance(learner, CARTRegressor) else "zero_one"
    model = learner.fit(np.asfortranarray(X), y, weights)
    again = X[:100].astype(np.float64)
    again[np.isnan(again)] = -np.nan
    with pytest.raises(ValueError, match="100 of 100 hold-out rows"):
        Holdout(again, y[:100], loss=loss).certify(model)
    unseen = Holdout(X[100:200], y[100:200], loss=loss).certify(model)  # rows of weight 0
    found = not_used_for_training(unseen)
    assert found.evidence.startswith("0 of them are among")
    assert found.status == "assumed"  # in double precision they may have been learnt


def not_used_for_training(certificate):
    return next(p for p in certificate.preconditions if "used for training" in p.name)


def test_rows_of_categories_may_coincide_by_chance():
    X = np.random.default_rng(0).choice(["a", "b"], size=(200, 3))
    y = (X[:, 0] == "a").astype(int)
    model = CARTClassifier().fit(X[:100], y[:100])
    certificate = Holdout(X[100:], y[100:]).certify(model)
    assert "does not remember" in not_used_for_training(certificate).evidence
