"""Logistic regression: optima against the plain version and peers, audits, certificates."""

import math
import pickle

import numpy as np
import pytest
from scipy import sparse
from sklearn.datasets import load_breast_cancer, load_iris
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LogisticRegression as Peer
from sklearn.metrics import log_loss
from sklearn.preprocessing import StandardScaler

from reference import logistic_regression as plain
from surelearn.datasets.worlds import Noisy, Separable
from surelearn.evaluate.coverage import Coverage
from surelearn.evaluate.holdout import Holdout
from surelearn.learners.linear._softmax import metric, objective, optimum_check, solver
from surelearn.learners.linear._softmax.objective import SoftmaxObjective
from surelearn.learners.linear.logistic_regression import LogisticRegression
from surelearn.persistence.model_files import load_model, save_model

INFINITE = float("inf")


def world(n=300, d=4, classes=2, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d)) * np.geomspace(0.3, 3.0, d)
    scores = (
        X @ rng.normal(size=(d, classes)) + rng.gumbel(size=(n, classes)) + rng.normal(size=classes)
    )
    return X, scores.argmax(axis=1)


def standardised(table):
    return (table.data - table.data.mean(axis=0)) / table.data.std(axis=0), table.target


def parameters(model):
    return np.column_stack([model.coef_, model.intercept_])


@pytest.mark.parametrize("C", [0.01, 1.0, 100.0, INFINITE])
@pytest.mark.parametrize("weighted", [False, True])
def test_two_classes_equal_the_plain_newton_method(C, weighted):
    X, y = world()
    weights = np.random.default_rng(1).integers(0, 4, len(y)).astype(float) if weighted else None
    model = LogisticRegression(C=C, tol=1e-10).fit(X, y, sample_weight=weights)
    np.testing.assert_allclose(parameters(model)[0], plain.binary(X, y, C, weights), rtol=1e-7)


@pytest.mark.parametrize("C", [0.1, 10.0])
def test_three_classes_equal_the_plain_newton_method(C):
    X, y = world(120, 3, classes=3)
    weights = np.random.default_rng(1).uniform(0.5, 2.0, len(y))
    model = LogisticRegression(C=C, tol=1e-10).fit(X, y, sample_weight=weights)
    expected = plain.multinomial(X, y, C, weights)
    np.testing.assert_allclose(model.coef_, expected[:, :-1], atol=1e-7)
    shift = expected[:, -1].mean()
    np.testing.assert_allclose(model.intercept_, expected[:, -1] - shift, atol=1e-7)


def test_the_catalogues_numbers():
    X, y = np.array([[-2.0], [-1.0], [0.0], [1.0], [2.0], [3.0]]), [0, 0, 1, 0, 1, 1]
    model = LogisticRegression(C=INFINITE, tol=1e-10).fit(X, y)
    np.testing.assert_allclose(parameters(model)[0], [1.2140275859, -0.6070137929], rtol=1e-8)
    likelihood = model.predict_log_proba(X)[np.arange(6), y].sum()
    assert likelihood == pytest.approx(-2.4779868350, abs=1e-9)
    ones = np.ones((4, 1))
    model = LogisticRegression(C=INFINITE, fit_intercept=False, tol=1e-10).fit(ones, [1, 1, 1, 0])
    assert model.coef_[0, 0] == pytest.approx(math.log(3.0))
    assert log_loss([1, 1, 1, 0], model.predict_proba(ones)) == pytest.approx(0.562335, abs=1e-6)
    X, y = standardised(load_breast_cancer())
    model = LogisticRegression(C=1.0 / (0.01 * len(y)), fit_intercept=False).fit(X, y)
    value = log_loss(y, model.predict_proba(X)) + 0.005 * float((model.coef_**2).sum())
    assert value == pytest.approx(0.1024166, abs=1e-7)
    assert model.training_errors_ / len(y) == pytest.approx(0.014060, abs=1e-6)
    X, y = standardised(load_iris())
    model = LogisticRegression().fit(X, y)
    assert log_loss(y, model.predict_proba(X)) == pytest.approx(0.129542, abs=1e-6)
    assert model.training_errors_ == 4


def test_the_catalogues_softmax_with_a_reference_class():
    model = LogisticRegression().fit(*world(60, 2, classes=3))
    model.coef_, model.intercept_ = np.array([[0.5, -1.0], [1.0, 0.2], [0.0, 0.0]]), np.zeros(3)
    found = model.predict_proba([[2.0, 1.0]])[0]
    np.testing.assert_allclose(found, [0.09070284, 0.81859433, 0.09070284], atol=1e-8)


def test_the_catalogues_sigmoid_and_its_mean():
    model = LogisticRegression().fit([[-1.0], [1.0]], [0, 1])
    model.coef_, model.intercept_ = np.ones((1, 1)), np.zeros(1)
    chances = model.predict_proba([[1.0], [0.8], [800.0], [-800.0]])[:, 1]
    assert chances[0] == pytest.approx(0.7310585786, abs=1e-10)
    assert 2 * chances[1] - 1 == pytest.approx(0.379949, abs=1e-6)  # E[Y|x] of labels -1 and 1
    assert chances[2:].tolist() == [1.0, 0.0]
    scores = np.linspace(-40.0, 40.0, 80_001)  # the law whose distribution function it is
    density = np.gradient(model.predict_proba(scores[:, np.newaxis])[:, 1], scores)
    assert density.max() == pytest.approx(0.25, abs=1e-6)
    assert np.trapezoid(scores**2 * density, scores) == pytest.approx(3.2898681337, abs=1e-5)


def test_intercepts_alone_give_the_class_frequencies():
    y = np.repeat([0, 1, 2], [5, 3, 2])
    model = LogisticRegression(tol=1e-10).fit(np.zeros((10, 1)), y)
    np.testing.assert_allclose(model.predict_proba([[7.0]])[0], [0.5, 0.3, 0.2], rtol=1e-8)


@pytest.mark.parametrize("solver", ["lbfgs", "newton-cholesky"])
@pytest.mark.parametrize("classes", [2, 4])
@pytest.mark.parametrize("fit_intercept", [True, False])
def test_it_agrees_with_scikit_learn(solver, classes, fit_intercept):
    X, y = world(400, 6, classes)
    settings = {"C": 0.7, "fit_intercept": fit_intercept, "class_weight": "balanced"}
    model = LogisticRegression(**settings, tol=1e-9).fit(X, y)
    peer = Peer(**settings, solver=solver, tol=1e-10, max_iter=10_000).fit(X, y)
    np.testing.assert_allclose(model.coef_, peer.coef_, atol=2e-6)
    np.testing.assert_allclose(model.predict_proba(X), peer.predict_proba(X), atol=1e-6)
    np.testing.assert_allclose(
        model.decision_function(X)[:5], peer.decision_function(X)[:5], atol=1e-5
    )


@pytest.mark.parametrize("classes", [2, 3])
def test_sparse_rows_give_the_dense_model(classes):
    X, y = world(500, 8, classes)
    X[np.abs(X) < 0.8] = 0.0
    dense, thin = LogisticRegression().fit(X, y), LogisticRegression().fit(sparse.csr_array(X), y)
    np.testing.assert_allclose(parameters(dense), parameters(thin), atol=1e-5)
    assert dense.training_errors_ == thin.training_errors_
    np.testing.assert_allclose(thin.predict_proba(sparse.csr_array(X)), thin.predict_proba(X))


@pytest.mark.parametrize("classes", [2, 3])
def test_a_table_too_wide_for_a_matrix_metric_reaches_the_same_optimum(classes, monkeypatch):
    X, y = world(200, 5, classes)
    expected = parameters(LogisticRegression(tol=1e-9).fit(X, y))
    monkeypatch.setattr(solver, "DENSE_METRIC", 1)
    for form in (X, sparse.csr_array(X)):
        found = parameters(LogisticRegression(tol=1e-9).fit(form, y))
        np.testing.assert_allclose(found, expected, atol=1e-6)


def test_many_rows_are_solved_on_a_sample_first_and_in_threads_with_the_same_optimum(monkeypatch):
    X, y = world(30_000, 15)
    monkeypatch.setattr(objective, "_WORTH_THREADS", 0)
    monkeypatch.setattr(metric, "_WORTH_THREADS", 0)
    model = LogisticRegression(tol=1e-8).fit(X, y)
    assert model.n_iter_ < 8
    monkeypatch.setattr("joblib.cpu_count", lambda: 1)
    alone = LogisticRegression(tol=1e-8).fit(X, y)
    np.testing.assert_array_equal(parameters(model), parameters(alone))
    assert model.suboptimality_ == alone.suboptimality_
    np.testing.assert_array_equal(model.training_rows_, alone.training_rows_)
    np.testing.assert_allclose(parameters(model)[0], plain.binary(X, y, 1.0), atol=1e-6)


@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.parametrize("row", [0, 1, 16, 29_999])
@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
def test_a_value_that_is_not_finite_is_refused_wherever_it_stands(classes, row, value):
    X, y = world(30_000, 4, classes)
    X[row, 2] = value
    words = "NaN" if np.isnan(value) else "infinity"
    for form in (X, sparse.csr_array(X)):
        for weights in (None, (np.arange(30_000) != row).astype(float)):
            with pytest.raises(ValueError, match=f"X contains {words}"):
                LogisticRegression().fit(form, y, sample_weight=weights)


@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.parametrize("fit_intercept", [True, False])
@pytest.mark.parametrize("C", [0.1, 10.0])
def test_the_suboptimality_bounds_the_true_excess_wherever_one_stops(classes, fit_intercept, C):
    X, y = world(150, 3, classes)
    objective = SoftmaxObjective(
        X, y, np.full(150, 1 / 150), 1 if classes == 2 else classes, 1 / (150 * C), fit_intercept
    )
    start = np.zeros(objective.n_parameters)
    best = solver.minimise(objective, start, tolerance=1e-12, max_iter=1000)
    rng = np.random.default_rng(0)
    for size in (1.0, 0.1, 0.01, 1e-4):
        move = size * rng.normal(size=(objective.n_scores, 4))
        move[:, -1] *= fit_intercept
        point = best.point + move.ravel()
        excess = objective(point)[0] - best.values[-1]
        bound = optimum_check.audit(objective, point).suboptimality
        assert excess <= bound + 1e-14
        assert bound <= 1e4 * excess
    assert optimum_check.audit(objective, best.point).suboptimality < 1e-12


def test_without_intercept_the_bound_is_that_of_strong_convexity():
    X, y = world(100, 3)
    model = LogisticRegression(fit_intercept=False, tol=1e-3).fit(X, y)
    assert model.suboptimality_ == pytest.approx(model.gradient_norm_**2 * 100 / 2, rel=1e-4)


def test_labels_of_any_kind_and_a_score_of_zero():
    X = np.array([[-1.0], [1.0], [-2.0], [2.0]])
    model = LogisticRegression().fit(X, ["no", "yes", "no", "yes"])
    assert model.predict([[-3.0], [0.0], [3.0]]).tolist() == ["no", "no", "yes"]
    assert model.predict_log_proba([[1e5]])[0, 0] == pytest.approx(-1e5 * model.coef_[0, 0])


def test_a_warm_start_goes_on_from_the_last_optimum():
    X, y = world(300, 5, 3)
    model = LogisticRegression(warm_start=True).fit(X, y)
    assert model.n_iter_ > 0
    assert model.fit(X, y).n_iter_ == 0
    large = world(30_000, 4)
    assert LogisticRegression(warm_start=True).fit(*large).fit(*large).n_iter_ == 0
    assert model.set_params(C=1.01).fit(X, y).n_iter_ < LogisticRegression(C=1.01).fit(X, y).n_iter_
    assert model.fit(X[:, :2], y % 2).coef_.shape == (1, 2)


def test_collinear_and_constant_columns_and_fewer_rows_than_columns_are_handled():
    X, y = world(100, 3)
    wide = np.column_stack([X, X[:, 0], np.ones(100), np.zeros(100)])
    for C in (1.0, INFINITE):
        model = LogisticRegression(C=C).fit(wide, y)
        assert model.gradient_norm_ <= 1e-6
    np.testing.assert_allclose(
        model.predict_proba(wide), LogisticRegression(C=C).fit(X, y).predict_proba(X), atol=1e-5
    )
    X = np.random.default_rng(0).normal(size=(20, 50))
    model = LogisticRegression().fit(X, y[:20])
    assert model.suboptimality_ < 1e-9


@pytest.mark.parametrize("scale", [1e-6, 1e6])
def test_features_of_any_size_are_fitted(scale):
    X, y = world(200, 3)
    factors = np.array([1.0, scale, 1.0])
    model = LogisticRegression(C=INFINITE, tol=1e-9).fit(X * factors, y)
    np.testing.assert_allclose(model.coef_[0] * factors, plain.binary(X, y)[:-1], rtol=1e-4)


def test_the_counting_certificate_covers_the_risk():
    rng, noisy, runs = np.random.default_rng(0), Noisy(2, 0.2), []
    for _ in range(40):
        X, signs = noisy.draw(100, seed=rng)
        model = LogisticRegression().fit(X, signs)
        fresh, labels = noisy.draw(10_000, seed=rng)
        runs.append((np.mean(model.predict(fresh) != labels), model.certificates(delta=0.3)[0]))
    risks, bounds = np.array([risk for risk, _ in runs]), np.array([c.bound for _, c in runs])
    assert not Coverage(risks, bounds, 0.3).refuted()
    assert runs[0][1].method == "vc.linear"
    assert runs[0][1].preconditions[0].status == "assumed"


def test_the_known_numbers_of_the_counting_certificate():
    X, y = standardised(load_breast_cancer())
    (certificate,) = LogisticRegression().fit(X, y).certificates()
    assert certificate.bound == pytest.approx(0.2493, abs=1e-4)
    (certificate,) = LogisticRegression().fit(*standardised(load_iris())).certificates()
    assert certificate.method == "vc.linear_multiclass"


def test_wide_tables_are_certified_by_margins_whatever_the_labels():
    X, signs = Separable(200, 0.5).draw(700, seed=0)
    for y in (signs, np.random.default_rng(0).permutation(signs)):
        (certificate,) = LogisticRegression(C=0.01).fit(X, y).certificates()
        assert certificate.method == "margin.pac_bayes_margin"
    assert certificate.bound > 0.5  # the labels were shuffled: nothing can be predicted
    (certificate,) = LogisticRegression(C=0.01).fit(X, signs).certificates()
    assert certificate.status == "valid"
    fresh, labels = Separable(200, 0.5).draw(2000, seed=1)
    assert (
        np.mean(LogisticRegression(C=0.01).fit(X, signs).predict(fresh) != labels)
        <= certificate.bound
    )


def test_columns_scaled_by_the_rows_themselves_void_the_margins(tmp_path):
    X, y = Separable(200, 0.5).draw(300, seed=0)
    scaled = LogisticRegression(C=0.01).fit(StandardScaler().fit_transform(X), y)
    save_model(scaled, tmp_path / "model.surelearn", schema={}, metadata={})
    for model in (scaled, load_model(tmp_path / "model.surelearn").model):
        (certificate,) = model.certificates()
        assert certificate.status == "void"
        assert "scaler fitted to them" in str(certificate)
    before = StandardScaler().fit(Separable(200, 0.5).draw(300, seed=1)[0])  # other rows
    (certificate,) = LogisticRegression(C=0.01).fit(before.transform(X), y).certificates()
    assert certificate.status != "void"


def test_bad_input_is_refused_and_leaves_no_mark():
    X, y = world(50, 3)
    model = LogisticRegression().fit(X, y)
    before = pickle.dumps(model)
    endless = X.copy()
    endless[0, 0] = np.nan
    missing = y.astype(float)
    missing[3] = np.nan
    for table, labels, words in (
        (endless, y, "NaN"),
        (X, missing, "NaN"),
        (X, np.zeros(50), "one class"),
        (X * 1e160, y, "rescale"),
    ):
        with pytest.raises(ValueError, match=words):
            model.fit(table, labels)
        assert pickle.dumps(model) == before
    with pytest.raises(ValueError, match="zero everywhere"):
        model.fit(X, y, sample_weight=np.zeros(50))


@pytest.mark.parametrize(
    ("name", "value"),
    [("C", 0.0), ("C", -1.0), ("C", np.nan), ("C", "1"), ("tol", 0.0), ("max_iter", 0)],
)
def test_parameters_outside_their_domain_are_named(name, value):
    with pytest.raises(ValueError, match=f"{name}="):
        LogisticRegression(**{name: value}).fit(*world(20, 2))


def test_an_optimum_that_was_not_reached_is_said():
    X, y = world(200, 5)
    with pytest.warns(ConvergenceWarning, match="max_iter=1 steps were taken"):
        LogisticRegression(max_iter=1, tol=1e-9).fit(X, y)


def test_a_holdout_recognises_its_training_rows():
    X, y = world(200, 3)
    with pytest.raises(ValueError, match="training data"):
        Holdout(X[:50], y[:50]).certify(LogisticRegression().fit(X, y))
