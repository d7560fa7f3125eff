"""Support vector machines with the linear kernel and many rows: solved by their weights."""

import numpy as np
import pytest
from scipy import sparse
from sklearn.exceptions import ConvergenceWarning

from surelearn import SupportVectorClassifier, SupportVectorRegressor
from surelearn.kernels import Linear
from surelearn.learners.kernelized import _solved_problems as machine
from surelearn.persistence.model_files import load_model, save_model

INTERCEPTS = [{}, {"penalize_intercept": True}, {"fit_intercept": False}]


@pytest.fixture(scope="module")
def table():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(700, 5)) + 0.3
    score = X @ rng.normal(size=5)
    return X, np.digitize(score + rng.normal(size=700), [-0.5, 1.5]), score + rng.normal(size=700)


@pytest.fixture
def by_weights(monkeypatch):
    monkeypatch.setattr(machine, "WHOLE", 50)


def scores(model, X):
    return model.decision_function(X) if hasattr(model, "classes_") else model.predict(X)


@pytest.mark.parametrize("how", INTERCEPTS)
@pytest.mark.parametrize("kind", ["two classes", "three classes", "numbers"])
@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array])
def test_the_machine_is_that_of_the_kernel_values(table, monkeypatch, how, kind, form):
    X, labels, numbers = table
    y = {"two classes": labels > 0, "three classes": labels, "numbers": numbers}[kind]
    cls = SupportVectorRegressor if kind == "numbers" else SupportVectorClassifier
    expected = cls(kernel=Linear(), tol=1e-9, **how).fit(X, y)
    monkeypatch.setattr(machine, "WHOLE", 50)
    found = cls(kernel=Linear(), tol=1e-9, **how).fit(form(X), y)
    assert expected.weights_ is None
    np.testing.assert_allclose(found.coef_, expected.coef_, atol=2e-4)
    np.testing.assert_allclose(found.intercept_, expected.intercept_, atol=2e-3)
    np.testing.assert_allclose(found.norms_, expected.norms_, rtol=1e-4)
    np.testing.assert_allclose(found.primal_values_, expected.primal_values_, rtol=1e-7)
    assert (found.duality_gap_ <= 1e-9).all()
    assert (found.primal_values_ >= expected.dual_values_ * (1.0 - 1e-12)).all()
    np.testing.assert_allclose(found.predict(X), found.predict(sparse.csr_array(X)))


@pytest.mark.parametrize("how", INTERCEPTS)
@pytest.mark.usefixtures("by_weights")
def test_the_dual_point_is_feasible_and_the_gap_is_that_of_the_weights(table, how):
    X, labels, _ = table
    y, C = np.where(labels > 0, 1.0, -1.0), 0.7
    model = SupportVectorClassifier(kernel=Linear(), C=C, tol=1e-3, **how).fit(X, y)
    beta = np.zeros(len(y))
    beta[model.support_] = model.dual_coef_[0]
    assert ((y * beta >= 0.0) & (y * beta <= C)).all()
    w, b = model.coef_[0], model.intercept_[0]
    priced = b**2 if how == {"penalize_intercept": True} else 0.0
    slack = np.maximum(0.0, 1.0 - y * (X @ w + b))
    primal = 0.5 * (w @ w + priced) + C * slack.sum()
    pull, total = X.T @ beta, beta.sum()
    dual = y @ beta - 0.5 * (pull @ pull + (total**2 if priced else 0.0))
    assert how != {} or abs(total) < 1e-9
    assert model.primal_values_[0] == pytest.approx(primal, rel=1e-9)
    assert model.dual_values_[0] == pytest.approx(dual, rel=1e-9)
    assert model.duality_gap_[0] == pytest.approx((primal - dual) / primal, rel=1e-6)
    assert model.duality_gap_[0] <= 1e-3


@pytest.mark.usefixtures("by_weights")
def test_rows_at_their_bound_are_told_from_those_on_the_margin(table):
    X, labels, _ = table
    model = SupportVectorClassifier(kernel=Linear(), tol=1e-8).fit(X, labels > 0)
    margins = np.where(labels > 0, 1.0, -1.0) * model.decision_function(X)
    told = model.kkt_classes()
    assert model.kkt_violation_[0] < 0.01
    np.testing.assert_allclose(margins[told == "on the margin"], 1.0, atol=0.01)
    assert (margins[told == "misclassified"] <= 0.0).all()
    assert (margins[told == "inside"] > 0.99).all()
    assert 3 <= (told == "on the margin").sum() <= 8


@pytest.mark.usefixtures("by_weights")
def test_a_stored_machine_predicts_the_same(table, tmp_path):
    X, labels, numbers = table
    for model, y in ((SupportVectorClassifier, labels), (SupportVectorRegressor, numbers)):
        fitted = model(kernel=Linear()).fit(X, y)
        save_model(fitted, tmp_path / "m.surelearn", schema={}, metadata={})
        again = load_model(tmp_path / "m.surelearn").model
        np.testing.assert_array_equal(scores(again, X), scores(fitted, X))
        np.testing.assert_array_equal(again.coef_, fitted.coef_)


@pytest.mark.usefixtures("by_weights")
def test_a_hard_margin_and_a_warm_start(table):
    X, labels, _ = table
    apart = np.where(X[:, 0] > 0.3, 1, 0)
    moved = X + 2.0 * (apart[:, None] - 0.5) * np.eye(5)[0]
    hard = SupportVectorClassifier(kernel=Linear(), C=np.inf).fit(moved, apart)
    assert hard.weights_ is None  # no slack at all is found by the kernel values
    assert hard.score(moved, apart) == 1.0
    model = SupportVectorClassifier(kernel=Linear(), C=1.0, warm_start=True).fit(X, labels > 0)
    warm = model.set_params(C=1.2).fit(X, labels > 0)
    cold = SupportVectorClassifier(kernel=Linear(), C=1.2).fit(X, labels > 0)
    assert warm.primal_values_[0] == pytest.approx(cold.primal_values_[0], rel=2e-3)


@pytest.mark.parametrize("how", INTERCEPTS)
@pytest.mark.parametrize(("units", "C"), [(1e5, 1.0), (1.0, 1e5)])
@pytest.mark.parametrize("kind", ["two classes", "three classes", "numbers"])
def test_few_rows_reach_the_optimum_however_large_c_or_the_features_are(table, how, units, C, kind):
    X, labels, numbers = (part[:60] for part in table)
    y = {"two classes": labels > 0, "three classes": labels, "numbers": numbers}[kind]
    cls = SupportVectorRegressor if kind == "numbers" else SupportVectorClassifier
    model = cls(kernel=Linear(), C=C, max_iter=200_000, **how).fit(units * X[:, :2], y)
    assert (model.duality_gap_ < 1e-4).all()  # no share of a gap is 1 less a few billionths
    assert (model.kkt_violation_ <= 1e-3).all()


def test_steps_beyond_those_allowed_are_not_spent_on_weights(table):
    X, labels, _ = (part[:60] for part in table)
    model = SupportVectorClassifier(kernel=Linear(), C=1e5, max_iter=5_000)
    with pytest.warns(ConvergenceWarning, match="max_iter=5000"):
        model.fit(X[:, :2], labels > 0)
    assert model.n_iter_[0] <= 5_000
