"""Gaussian naive Bayes: agreement with scikit-learn, missing cells, blocks, certificates."""

import pickle

import numpy as np
import pandas as pd
import pytest
from sklearn.naive_bayes import GaussianNB

from reference.naive_bayes import normal_log_joint
from surelearn.datasets.real import load
from surelearn.evaluate.coverage import Coverage
from surelearn.evaluate.holdout import Holdout
from surelearn.learners.bayes.gaussian_naive_bayes import GaussianNaiveBayes


def world(seed, *, n=120, d=4, n_classes=3, missing=0.0, offset=0.0):
    rng = np.random.default_rng(seed)
    y = rng.integers(0, n_classes, n)
    X = rng.normal(size=(n, d)) * (1 + y[:, None]) + 0.7 * y[:, None] + offset
    X[rng.random((n, d)) < missing] = np.nan
    return X, y


@pytest.mark.parametrize("var_smoothing", [1e-9, 0.1])
@pytest.mark.parametrize("name", ["iris", "breast_cancer"])
def test_it_agrees_with_scikit_learn_without_smoothing_of_the_prior(name, var_smoothing):
    table = load(name)
    model = GaussianNaiveBayes(prior_smoothing=0, var_smoothing=var_smoothing)
    model.fit(table.X, table.y)
    peer = GaussianNB(var_smoothing=var_smoothing).fit(table.X, table.y)
    np.testing.assert_allclose(model.theta_, peer.theta_, rtol=1e-12)
    np.testing.assert_allclose(model.var_, peer.var_, rtol=1e-10)
    np.testing.assert_allclose(
        model.predict_log_proba(table.X), peer.predict_log_proba(table.X), rtol=1e-8, atol=1e-9
    )
    np.testing.assert_array_equal(model.predict(table.X), peer.predict(table.X))


@pytest.mark.parametrize("seed", range(5))
def test_it_equals_the_plain_formula_with_missing_cells(seed):
    X, y = world(seed, n=40, missing=0.2)
    model = GaussianNaiveBayes(var_smoothing=0.01, prior_smoothing=1).fit(X, y)
    rows = [[None if np.isnan(v) else v for v in row] for row in X.tolist()]
    joint = model.predict_joint_log_proba(X)
    for x, found in zip(rows, joint, strict=True):
        np.testing.assert_allclose(
            found, normal_log_joint(rows, y.tolist(), x, 0.01, 1), rtol=1e-11
        )


@pytest.mark.parametrize("offset", [0.0, 1e6])
@pytest.mark.parametrize("missing", [0.0, 0.3])
def test_blocks_give_the_model_of_all_rows(offset, missing):
    X, y = world(1, missing=missing, offset=offset)
    whole, parts = GaussianNaiveBayes().fit(X, y), GaussianNaiveBayes()
    for block in np.split(np.random.default_rng(0).permutation(120), [9, 10, 70]):
        parts.partial_fit(X[block], y[block], classes=[0, 1, 2])
    np.testing.assert_allclose(parts.theta_, whole.theta_, rtol=1e-12)
    np.testing.assert_allclose(parts.var_, whole.var_, rtol=1e-10)
    np.testing.assert_allclose(parts.predict_proba(X), whole.predict_proba(X), atol=1e-8)


def test_a_large_offset_does_not_spoil_the_variances():
    X, y = world(0)
    near, far = GaussianNaiveBayes().fit(X, y), GaussianNaiveBayes().fit(X + 2.0**30, y)
    np.testing.assert_allclose(far.var_, near.var_, rtol=1e-6)  # the sums themselves lose 2^-23


def test_a_weight_is_a_number_of_rows():
    X, y = world(2, missing=0.1)
    weights = np.random.default_rng(0).integers(0, 4, 120)
    weighted = GaussianNaiveBayes().fit(X, y, sample_weight=weights)
    repeated = GaussianNaiveBayes().fit(np.repeat(X, weights, axis=0), np.repeat(y, weights))
    np.testing.assert_allclose(weighted.predict_proba(X), repeated.predict_proba(X), rtol=1e-9)


def test_a_missing_cell_counts_as_a_column_that_is_not_there():
    X, y = world(3)
    model = GaussianNaiveBayes(var_smoothing=0.0).fit(X, y)
    narrow = GaussianNaiveBayes(var_smoothing=0.0).fit(X[:, 1:], y).predict_proba(X[:, 1:])
    X[:, 0] = np.nan
    np.testing.assert_allclose(model.predict_proba(X), narrow, rtol=1e-10)
    empty = model.predict_proba(np.full((1, 4), np.nan))
    np.testing.assert_allclose(empty, np.exp(model.class_log_prior_)[None])


def test_a_class_that_never_shows_a_column_has_the_moments_of_all_rows():
    X = np.array([[1.0, np.nan], [2.0, np.nan], [5.0, 3.0], [7.0, 5.0]])
    model = GaussianNaiveBayes(var_smoothing=0.0).fit(X, [0, 0, 1, 1])
    assert model.theta_.tolist() == [[1.5, 4.0], [6.0, 4.0]]
    assert model.var_.tolist() == [[0.25, 1.0], [1.0, 1.0]]


def test_constant_features_decide_nothing():
    X, y = np.ones((20, 3)), np.tile([0, 1], 10)
    model = GaussianNaiveBayes().fit(X, y)
    np.testing.assert_allclose(model.predict_proba(X), 0.5)


def test_single_precision_is_read_as_it_is():
    X, y = world(4)
    double = GaussianNaiveBayes().fit(X.astype(np.float32).astype(float), y)
    single = GaussianNaiveBayes().fit(X.astype(np.float32), y)
    np.testing.assert_allclose(single.theta_, double.theta_, rtol=1e-12)


def test_the_log_odds_are_affine_in_x_its_square_and_its_presence():
    X, y = world(0, n_classes=2, missing=0.2)
    model = GaussianNaiveBayes().fit(X, y)
    joint, there = model.predict_joint_log_proba(X), ~np.isnan(X)
    filled = np.where(there, X, 0.0)
    features = np.hstack([filled, filled**2, there, np.ones((120, 1))])
    weights, *_ = np.linalg.lstsq(features, joint[:, 1] - joint[:, 0])
    np.testing.assert_allclose(features @ weights, joint[:, 1] - joint[:, 0], atol=1e-9)
    assert model.certificates()[0].reproduce["inputs"]["dimension"] == features.shape[1] - 1


def test_the_certificate_covers_the_risk_though_the_features_are_not_independent():
    rng, runs = np.random.default_rng(0), []
    for _ in range(50):
        y = rng.integers(0, 2, 100)
        X = rng.normal(size=(100, 1)) + y[:, None] + 0.1 * rng.normal(size=(100, 2))
        model = GaussianNaiveBayes().fit(X, y)
        labels = rng.integers(0, 2, 4000)
        fresh = rng.normal(size=(4000, 1)) + labels[:, None] + 0.1 * rng.normal(size=(4000, 2))
        runs.append((np.mean(model.predict(fresh) != labels), model.certificates(delta=0.3)[0]))
    risks, bounds = np.array([r for r, _ in runs]), np.array([c.bound for _, c in runs])
    assert not Coverage(risks, bounds, 0.3).refuted()
    assert [p.status for p in runs[0][1].preconditions[1:]] == ["assumed", "by-construction"]


def test_a_holdout_certifies_it_whatever_the_features():
    table = load("breast_cancer")
    X, y, held_out = Holdout.split(table.X, table.y, fraction=0.4, seed=0)
    assert held_out.certify(GaussianNaiveBayes().fit(X, y)).bound < 0.15


def test_a_row_beyond_all_densities_is_refused_rather_than_guessed():
    model = GaussianNaiveBayes().fit(*world(0))
    with pytest.raises(ValueError, match="every density is 0"):
        model.predict(np.full((1, 4), 1e200))


FRAME = pd.DataFrame({"age": [1.0, 2.0, 5.0, 6.0], "income": [3.0, 4.0, 1.0, 2.5]})
BAD = {
    "negative": ({"var_smoothing": -1e-9}, FRAME, "var_smoothing=-1e-09"),
    "nan": ({"prior_smoothing": np.nan}, FRAME, "prior_smoothing=nan"),
    "all missing": ({}, FRAME.assign(income=np.nan), "'income' has no value in any row"),
    "infinite": ({}, FRAME.assign(age=np.inf), "'age' contains infinity"),
    "text": ({}, FRAME.assign(age="old"), "'age' holds text.*MixedNaiveBayes"),
    "constant": (
        {"var_smoothing": 0.0},
        FRAME.assign(age=1.0),
        "'age' has a single value in class",
    ),
}


@pytest.mark.parametrize("name", BAD)
def test_bad_input_is_refused_and_leaves_the_model_as_it_was(name):
    parameters, X, message = BAD[name]
    model = GaussianNaiveBayes().fit(FRAME, [0, 0, 1, 1]).set_params(**parameters)
    before = pickle.dumps(model)
    with pytest.raises(ValueError, match=message):
        model.fit(X, [0, 0, 1, 1])
    assert pickle.dumps(model) == before


def test_guesses_do_not_depend_on_how_many_rows_are_scored_at_once(monkeypatch):
    X = np.random.default_rng(0).integers(0, 4, size=(60, 2)).astype(float)
    y = np.arange(60) % 7
    whole = GaussianNaiveBayes().fit(X, y)
    for most in (1, 20, 7 * 60):
        monkeypatch.setattr("surelearn.learners.bayes._naive_bayes._MOST_SCORES", most)
        model = GaussianNaiveBayes().fit(X, y)
        np.testing.assert_array_equal(model.predict(X), whole.predict(X))
        assert model.training_errors_ == whole.training_errors_ > 0
