"""Maximum entropy: two algorithms, one optimum; the catalogue's table; refusals."""

import pickle

import numpy as np
import pytest
from scipy import sparse
from sklearn.datasets import load_iris
from sklearn.exceptions import ConvergenceWarning

from reference import maximum_entropy as plain
from surelearn.evaluate.holdout import Holdout
from surelearn.learners.linear.logistic_regression import LogisticRegression
from surelearn.learners.linear.maximum_entropy import MaximumEntropy
from surelearn.learners.linear.maximum_entropy_quasi_newton import MaximumEntropyQuasiNewton

COUNTS = np.array([[3, 1, 1], [1, 4, 2]])
TABLES = np.array(
    [[[1, 0, 0], [1, 0, 0]], [[0, 0, 0], [0, 1, 0]], [[0, 1, 0], [0, 2, 1]]], dtype=float
)
FUNCTIONS = [lambda x, y, f=f: f[int(x[0]), y] for f in TABLES]
BEST = np.array([[16 / 35, 12 / 35, 7 / 35], [12 / 49, 28 / 49, 9 / 49]])
BOTH = pytest.mark.parametrize("learner", [MaximumEntropy, MaximumEntropyQuasiNewton])


def counted():
    x, y = np.nonzero(COUNTS)
    times = COUNTS[x, y]
    return np.repeat(x, times).astype(float)[:, None], np.repeat(y, times)


@BOTH
def test_both_reach_the_catalogues_optimum(learner):
    model = learner(features=FUNCTIONS, tol=1e-9, max_iter=100_000).fit(*counted())
    np.testing.assert_allclose(model.predict_proba([[0.0], [1.0]]), BEST, atol=1e-7)
    np.testing.assert_allclose(
        model.weights_, [0.8266785732, 0.5959834321, 0.5389965007], atol=1e-6
    )
    assert model.entropy_ == pytest.approx(1.0052271320, abs=1e-8)
    assert model.log_likelihood_ == pytest.approx(-model.entropy_, abs=1e-8)
    assert np.abs(model.constraint_residuals_).max() <= 2e-9
    assert model.converged_


def test_the_sweeps_are_those_of_the_plain_version_and_of_the_catalogue():
    known = [-1.09861229, -1.06113036, -1.04283892, -1.03101742, -1.02318711]
    path = list(plain.improved_iterative_scaling(COUNTS, TABLES, 4))
    for sweeps, (weights, likelihood) in enumerate(zip(path, known, strict=True)):
        assert plain.log_likelihood(COUNTS, TABLES, weights) == pytest.approx(likelihood, abs=1e-8)
        if sweeps == 0:
            continue
        with pytest.warns(ConvergenceWarning, match="constraint is missed"):
            model = MaximumEntropy(features=FUNCTIONS, tol=1e-9, max_iter=sweeps).fit(*counted())
        np.testing.assert_allclose(model.weights_, weights, atol=1e-10)
        assert model.log_likelihood_ == pytest.approx(likelihood, abs=1e-8)


def test_after_three_hundred_sweeps_the_catalogues_likelihood_is_reached():
    with pytest.warns(ConvergenceWarning):
        model = MaximumEntropy(features=FUNCTIONS, tol=1e-12, max_iter=300).fit(*counted())
    assert model.log_likelihood_ == pytest.approx(-1.00522721, abs=1e-8)


@BOTH
def test_five_letters_with_one_constraint_share_the_rest_equally(learner):
    letters = np.array(list("ABACDECDEC"))
    model = learner(features=[lambda _, y: float(y in "AB")], tol=1e-9)
    chances = model.fit(np.zeros((10, 1)), letters).predict_proba([[0.0]])[0]
    np.testing.assert_allclose(chances, [0.15, 0.15, 0.7 / 3, 0.7 / 3, 0.7 / 3], atol=1e-8)


def test_a_function_of_the_whole_table_is_the_same_as_functions_of_one_row():
    def tables(X, y):
        return TABLES[:, X[:, 0].astype(int), y].T

    one = MaximumEntropy(features=FUNCTIONS, tol=1e-6).fit(*counted())
    whole = MaximumEntropy(features=tables, tol=1e-6).fit(*counted())
    np.testing.assert_array_equal(one.weights_, whole.weights_)


def test_generalised_iterative_scaling_is_the_case_of_a_constant_sum():
    X, y = counted()
    padded = np.concatenate([TABLES, (3.0 - TABLES.sum(axis=0))[None]])
    functions = [lambda x, y, f=f: f[int(x[0]), y] for f in padded]
    with pytest.warns(ConvergenceWarning):
        model = MaximumEntropy(features=functions, tol=1e-9, max_iter=1).fit(X, y)
    observed = np.tensordot(padded, COUNTS / 12, axes=2)
    uniform = COUNTS.sum(axis=1, keepdims=True) / 12 / 3 * np.ones((2, 3))
    expected = np.log(observed / np.tensordot(padded, uniform, axes=2)) / 3
    np.testing.assert_allclose(model.weights_, expected, atol=1e-12)


def test_the_indicators_make_multinomial_logistic_regression():
    rng = np.random.default_rng(0)
    X = rng.integers(0, 3, size=(200, 2)).astype(float)
    y = (X @ rng.normal(size=(2, 3)) + rng.gumbel(size=(200, 3))).argmax(axis=1)
    peer = LogisticRegression(C=float("inf"), tol=1e-9).fit(X, y)
    for learner, tol, atol in (
        (MaximumEntropyQuasiNewton, 1e-8, 1e-6),
        (MaximumEntropy, 1e-5, 1e-3),
    ):
        model = learner(tol=tol, max_iter=100_000).fit(X, y)
        np.testing.assert_allclose(model.predict_proba(X), peer.predict_proba(X), atol=atol)


def test_the_likelihood_never_falls():
    likelihoods = [
        plain.log_likelihood(COUNTS, TABLES, w)
        for w in plain.improved_iterative_scaling(COUNTS, TABLES, 30)
    ]
    assert np.diff(likelihoods).min() > 0.0


def test_no_other_distribution_that_meets_the_constraints_has_more_entropy():
    model = MaximumEntropyQuasiNewton(features=FUNCTIONS, tol=1e-10).fit(*counted())
    rng, rows = np.random.default_rng(0), COUNTS.sum(axis=1) / 12
    rules = [np.outer(np.eye(2)[x], np.ones(3)).ravel() for x in range(2)]
    rules += [(rows[:, None] * f).ravel() for f in TABLES]
    _, _, basis = np.linalg.svd(np.array(rules))
    for _ in range(20):
        other = BEST + 0.02 * (basis[len(rules) :].T @ rng.normal(size=6 - len(rules))).reshape(
            2, 3
        )
        assert -(rows[:, None] * other * np.log(other)).sum() < model.entropy_ + 1e-12


def test_a_feature_never_seen_gets_a_finite_weight():
    model = MaximumEntropy(features=[lambda _, y: float(y == 2)], tol=1e-3)
    X, y = np.zeros((5, 1)), [0, 1, 0, 1, 2]
    model.fit(X, y, sample_weight=[1, 1, 1, 1, 0])
    assert model.converged_
    assert np.isfinite(model.weights_).all()
    assert 5e-4 <= model.predict_proba([[0.0]])[0, 2] <= 1e-3


@BOTH
def test_sample_weights_count_rows(learner):
    x, y = np.nonzero(COUNTS)
    model = learner(features=FUNCTIONS, tol=1e-6)
    weighted = model.fit(x.astype(float)[:, None], y, sample_weight=COUNTS[x, y]).weights_
    np.testing.assert_allclose(weighted, model.fit(*counted()).weights_, rtol=1e-9)


def test_negative_features_are_refused_by_scaling_and_taken_by_the_quasi_newton_method():
    X, y = counted()
    with pytest.raises(ValueError, match=r"feature 0 is -1 .*MaximumEntropyQuasiNewton"):
        MaximumEntropy(features=[lambda x, y: x[0] - y / 2]).fit(X, y)
    assert MaximumEntropyQuasiNewton(features=[lambda x, y: x[0] - y / 2]).fit(X, y).converged_


@BOTH
def test_bad_features_and_rows_are_refused_and_leave_no_mark(learner):
    X, y = counted()
    model = learner(tol=1e-2).fit(X, y)
    before = pickle.dumps(model)
    for features, words in (
        ([], "number of features"),
        (lambda X, _: X[:1], "shape"),
        (lambda X, _: np.full((len(X), 1), np.nan), "finite"),
        ([lambda *_: "text"], "numbers"),
        (3, "must be a function"),
        ([1, 2], "must be a function"),
        ("all", "must be a function"),
    ):
        with pytest.raises(ValueError, match=words):
            learner(features=features).fit(X, y)
    with pytest.raises(ValueError, match="one class"):
        model.fit(X, np.zeros(len(X)))
    with pytest.raises(TypeError, match="sparse"):
        model.fit(sparse.csr_array(X), y)
    with pytest.raises(ValueError, match="LogisticRegression"):
        model.fit(np.random.default_rng(0).random((30_000, 50)), np.arange(30_000) % 10)
    assert pickle.dumps(model) == before
    with pytest.raises(ValueError, match="tol="):
        learner(tol=0.0).fit(X, y)


def test_iris_is_learnt_and_certified_on_a_holdout():
    table = load_iris()
    order = np.random.default_rng(0).permutation(150)
    X, y = table.data[order], table.target_names[table.target[order]]
    model = MaximumEntropyQuasiNewton(tol=1e-4).fit(X[:100], y[:100])
    holdout = Holdout(X[100:], y[100:], allow_duplicates=True)  # one flower was measured twice
    assert holdout.certify(model).bound < 0.2
    with pytest.raises(ValueError, match="training data"):
        Holdout(X[:50], y[:50]).certify(model)


def test_rows_that_sum_to_infinity_are_refused():
    with pytest.raises(ValueError, match="sum to infinity"):
        MaximumEntropy().fit([[1.7e308, 1.7e308], [0.0, 1.0]], [0, 1])


@BOTH
def test_probabilities_are_never_missing(learner):
    model = learner().fit([[0.4, 0.0], [0.0, 0.4], [0.4, 0.0]], [0, 1, 0])
    with pytest.raises(ValueError, match="the scores of a row overflow"):
        model.predict_proba([[1.7e308, 1.7e308]])


def test_scaling_stops_in_a_sentence_where_weights_are_no_numbers():
    X = np.arange(20.0)[:, np.newaxis] % 7 * 1e-150
    with pytest.raises(ValueError, match="weights overflow"):
        MaximumEntropy(tol=1e-300, max_iter=10).fit(X, [0] + 19 * [1])
