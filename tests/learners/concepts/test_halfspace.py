"""Half-spaces by linear programming: separators, witnesses that there is none, certificates."""

import pickle

import numpy as np
import pytest
from scipy import sparse
from sklearn.model_selection import cross_val_score
from sklearn.multiclass import OneVsRestClassifier
from sklearn.svm import SVC

from surelearn.datasets.real import load
from surelearn.datasets.worlds import Noisy, Separable
from surelearn.evaluate.coverage import Coverage
from surelearn.evaluate.holdout import Holdout
from surelearn.learners.concepts.halfspace import Halfspace

XOR = np.array([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]]), np.array([0, 1, 1, 0])


def is_proof(witness, X, y):
    """Whether convex combinations of both classes are the same point."""
    positive = y == np.unique(y)[1]
    sums = witness[positive].sum(), witness[~positive].sum()
    gap = witness[positive] @ X[positive] - witness[~positive] @ X[~positive]
    return witness.min() >= 0.0 and np.allclose(sums, 1.0) and np.abs(gap).max() < 1e-6


def test_the_catalogue_bits_are_separable_and_xor_is_not():
    X = np.array([[0, 1, 0, 1, 0], [0, 1, 1, 0, 0], [1, 1, 1, 1, 1], [0, 0, 0, 0, 0]])
    model = Halfspace().fit(X, [1, 0, 1, 0])
    assert model.separable_
    assert model.predict(X).tolist() == [1, 0, 1, 0]
    assert model.witness_ is None
    model = Halfspace().fit(*XOR)
    assert not model.separable_
    assert is_proof(model.witness_, *XOR)
    np.testing.assert_allclose(model.witness_[[1, 2]] @ XOR[0][[1, 2]], [0.5, 0.5])


@pytest.mark.parametrize("seed", range(40))
def test_it_finds_a_separator_or_a_witness_and_agrees_with_a_hard_margin_machine(seed):
    rng = np.random.default_rng(seed)
    n, d = int(rng.integers(4, 30)), int(rng.integers(1, 6))
    X = rng.integers(-3, 4, size=(n, d)).astype(float)
    y = rng.integers(0, 2, n) if seed % 2 else (X @ rng.normal(size=d) > 0.3).astype(int)
    y[:2] = 0, 1
    model = Halfspace().fit(X, y)
    if model.separable_:
        assert (model.predict(X) == y).all()
        assert (np.where(y, 1, -1) * model.decision_function(X)).min() > 0.99
    else:
        assert is_proof(model.witness_, X, y)
    peer = SVC(kernel="linear", C=1e8, max_iter=200_000)
    if model.separable_:
        assert peer.fit(X, y).score(X, y) == 1.0


@pytest.mark.parametrize("margin", [1e-4, 0.01, 0.3])
def test_every_separable_world_is_separated(margin):
    for seed in range(5):
        X, signs = Separable(4, margin).draw(200, seed=seed)
        model = Halfspace().fit(X, signs)
        assert model.separable_
        assert model.training_errors_ == 0


def test_a_shared_point_is_not_separable():
    X, y = np.array([[1.0, 2.0], [3.0, 4.0], [1.0, 2.0]]), np.array([0, 1, 1])
    model = Halfspace().fit(X, y)
    assert not model.separable_
    assert is_proof(model.witness_, X, y)


def test_features_of_very_different_sizes_do_not_hide_a_separator():
    X, signs = Separable(3, 0.2).draw(100, seed=1)
    model = Halfspace().fit(X * [1e-9, 1.0, 1e9], signs)
    assert model.separable_
    noisy = signs * np.where(np.arange(100) % 9, 1.0, -1.0)
    model = Halfspace().fit(X * [1e-9, 1.0, 1e9], noisy)
    assert is_proof(model.witness_, X, noisy)


def test_sparse_rows_give_the_same_rule():
    X, signs = Noisy(4, 0.1).draw(80, seed=0)
    dense, thin = Halfspace().fit(X, signs), Halfspace().fit(sparse.csr_array(X), signs)
    np.testing.assert_array_equal(dense.coef_, thin.coef_)
    np.testing.assert_allclose(
        dense.decision_function(X), thin.decision_function(sparse.csr_array(X)), rtol=1e-12
    )


@pytest.mark.parametrize("noise", [0.0, 0.2])
def test_the_certificate_covers_the_risk(noise):
    rng, world, runs = np.random.default_rng(0), Noisy(2, noise), []
    for _ in range(60):
        X, signs = world.draw(100, seed=rng)
        model = Halfspace().fit(X, signs)
        fresh, labels = world.draw(20_000, seed=rng)
        runs.append((np.mean(model.predict(fresh) != labels), model.certificates(delta=0.3)[0]))
    risks, bounds = np.array([risk for risk, _ in runs]), np.array([c.bound for _, c in runs])
    assert not Coverage(risks, bounds, 0.3).refuted()
    assert ("not separable" in runs[0][1].preconditions[2].evidence) == (noise > 0)


def test_iris_by_one_against_the_rest_and_setosa_alone():
    table = load("iris")
    many = OneVsRestClassifier(Halfspace())
    assert cross_val_score(many, table.X, table.y).mean() > 0.85
    assert Halfspace().fit(table.X, table.y == np.unique(table.y)[0]).separable_


def test_three_classes_and_bad_rows_are_refused_and_leave_no_mark():
    model = Halfspace().fit(*XOR)
    before = pickle.dumps(model)
    for X, y in ((XOR[0], [0, 1, 2, 0]), (XOR[0] * np.nan, XOR[1]), (XOR[0], [1, 1, 1, 1])):
        with pytest.raises(ValueError, match=r"binary|NaN|one class"):
            model.fit(X, y)
        assert pickle.dumps(model) == before


def test_a_holdout_recognises_its_training_rows():
    X, signs = Separable(3, 0.1).draw(200, seed=0)
    model = Halfspace().fit(X, signs)
    with pytest.raises(ValueError, match="training data"):
        Holdout(X[:50], signs[:50]).certify(model)


@pytest.mark.parametrize("start", [0, 1_700_000_000, -1_700_000_000_000])
@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array])
def test_rows_far_from_zero_are_told_apart_by_their_range(start, form):
    X = start + np.array([[0.0], [1.0], [2.0], [3.0]])
    model = Halfspace().fit(form(X), [0, 0, 1, 1])
    assert model.separable_
    assert model.witness_ is None
    model = Halfspace().fit(form(X), [0, 1, 0, 1])
    assert is_proof(model.witness_, X - start, np.array([0, 1, 0, 1]))


def test_a_constant_feature_and_ranges_beyond_floats_are_no_obstacle():
    X = np.array([[5.0, -1e308], [5.0, -9e307], [5.0, 9e307], [5.0, 1e308]])
    assert Halfspace().fit(X, [0, 0, 1, 1]).separable_


def test_features_whose_weights_would_overflow_are_refused():
    X = np.array([[3.0, 1.0], [2.0, -2.0], [-2.0, 3.0], [1.0, 1.0]]) * 5e-324
    with pytest.raises(ValueError, match="overflow; rescale"):
        Halfspace().fit(X, [1, 0, 0, 1])
