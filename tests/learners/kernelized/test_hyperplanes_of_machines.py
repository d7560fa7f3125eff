import warnings

import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning

from surelearn import SupportVectorClassifier
from surelearn.kernels import Gaussian, Linear, Polynomial
from surelearn.learners.kernelized._dual_solver import hulls
from surelearn.learners.kernelized._dual_solver.hulls import NotSeparableError
from surelearn.persistence.model_files import load_model, save_model


def _three_classes(seed=0):
    rng = np.random.default_rng(seed)
    return rng.normal(size=(45, 2)) + 4.0 * np.repeat([0, 1, 2], 15)[:, None], np.repeat(
        [0, 1, 2], 15
    )


def test_rows_of_other_classes_are_absent_from_a_pair(tmp_path):
    X, y = _three_classes()
    model = SupportVectorClassifier(kernel=Linear()).fit(X, y)
    save_model(model, tmp_path / "model.surelearn", schema={}, metadata={})
    for each in (model, load_model(tmp_path / "model.surelearn").model):
        for problem, third in enumerate((2, 1, 0)):  # the pairs are 0-1, 0-2 and 1-2
            np.testing.assert_array_equal(each.kkt_classes(problem) == "absent", y == third)
    del model.row_classes_  # as in a file of before
    others = np.setdiff1d(np.arange(len(y)), model.support_)
    assert (model.kkt_classes(0)[others] == "unknown").all()


def test_every_row_is_present_in_a_problem_of_one_class_against_the_rest():
    X, y = _three_classes()
    model = SupportVectorClassifier(kernel=Linear(), multiclass="one-vs-rest").fit(X, y)
    assert not any((model.kkt_classes(problem) == "absent").any() for problem in range(3))


def test_a_row_without_weight_is_absent_on_whichever_side_it_lies():
    X, y = (part[:30] for part in _three_classes())
    y = y.copy()
    y[0], weights = 1, np.ones(30)
    weights[0] = 0.0
    model = SupportVectorClassifier(kernel=Linear()).fit(X, y, weights)
    assert model.decision_function(X[:1])[0] < 0.0  # it is misclassified, and not inside
    assert model.kkt_classes()[0] == "absent"
    assert (model.kkt_classes()[1:] != "absent").all()


@pytest.mark.parametrize("kernel", [Linear(), Gaussian(gamma=0.1)])
def test_distances_are_measured_in_the_kernels_space_with_a_penalised_intercept_too(kernel):
    X, y = (part[:30] for part in _three_classes())
    model = SupportVectorClassifier(kernel=kernel, penalize_intercept=True).fit(X, y)
    coef = model.dual_coef_[0]
    norm = np.sqrt(coef @ kernel(X[model.support_]) @ coef)
    expected = model.decision_function(X) / norm
    np.testing.assert_allclose(model.signed_distance(X), expected, rtol=1e-9)
    assert model.geometric_margin(X, y) == pytest.approx(((2 * y - 1) * expected).min(), rel=1e-9)


@pytest.mark.parametrize("intercept", ["free", "penalized", "none"])
def test_the_path_of_equal_and_contradictory_rows_stays_feasible_and_optimal(intercept):
    rng, free = np.random.default_rng(5), intercept == "free"
    settings = {
        "fit_intercept": intercept != "none",
        "penalize_intercept": intercept == "penalized",
    }
    for draw in range(60):
        X = rng.integers(-2, 3, size=(16, 1 + draw % 3)).astype(float)
        y = (X[:, 0] + 0.7 * rng.normal(size=16) > 0).astype(int)
        y[:2] = 0, 1
        kernel, signs = [Linear(), Gaussian(gamma=0.5)][draw % 2], 2.0 * y - 1.0
        model = SupportVectorClassifier(kernel=kernel, C=0.02, **settings)
        path = model.regularization_path(X, y, C_max=6.0)
        alpha = path.dual_coef * signs / path.C[:, None]
        assert -1e-8 < alpha.min() <= alpha.max() < 1.0 + 1e-8
        assert not free or np.abs(path.dual_coef.sum(axis=1)).max() < 1e-6
        gram = kernel(X) + (intercept == "penalized")
        for C in np.geomspace(0.02, 6.0, 12)[:-1]:
            beta, b = path.at(C)
            square = beta @ gram @ beta
            scores = kernel(X) @ beta + b
            primal = 0.5 * square + C * np.maximum(0.0, 1.0 - signs * scores).sum()
            assert primal - (signs @ beta - 0.5 * square) < 1e-6 * max(1.0, primal)


@pytest.mark.parametrize(
    ("X", "y", "setting"),
    [
        ([[1, -1], [1, -1], [-1, 0], [-1, 2], [-2, -1], [-2, 1]], [0, 1, 0, 1, 0, 1], {}),
        ([[-2, 1], [-1, 1], [-2, 1], [0, 2]], [0, 1, 1, 0], {"penalize_intercept": True}),
        (
            [[1, 0], [2, 0], [0, 2], [2, 2], [2, -1], [2, -1]],
            [0, 1, 1, 1, 0, 1],
            {"penalize_intercept": True},
        ),
    ],
)
def test_hulls_that_touch_in_one_point_are_refused_with_that_point(X, y, setting):
    rows = np.column_stack([np.array(X, dtype=float), np.ones(len(X))])
    model = SupportVectorClassifier(kernel=Linear(), C=np.inf, max_iter=100_000, **setting)
    with pytest.raises(NotSeparableError) as refused:
        model.fit(rows[:, :2], y)
    error = refused.value
    assert np.abs(error.weights @ rows[error.rows]).max() < 1e-5
    assert (np.sign(error.weights) == 2 * np.array(y)[error.rows] - 1).all()


def test_the_path_of_a_penalised_intercept_knows_it():
    X, y = _three_classes()
    X, y = X[:30], y[:30]
    path = SupportVectorClassifier(
        kernel=Gaussian(gamma=0.1), C=0.1, penalize_intercept=True
    ).regularization_path(X, y, C_max=10.0)
    for price in (0.1, 0.7, 10.0):
        model = SupportVectorClassifier(
            kernel=Gaussian(gamma=0.1), C=price, penalize_intercept=True
        ).fit(X, y)
        assert path.at(price)[1] == pytest.approx(model.intercept_[0], abs=1e-6)


def test_a_path_that_is_not_optimal_says_so():
    X, _ = _three_classes()
    model = SupportVectorClassifier(kernel=Polynomial(degree=2), C=1.0, max_iter=50)
    with pytest.warns(ConvergenceWarning, match="not that of optimal machines"):
        path = model.regularization_path(1e3 * X[:30], np.arange(30) % 2, C_max=2.0)
    assert path.violations.max() > 1e-3


def test_whether_hulls_meet_is_asked_once_for_the_same_rows(monkeypatch):
    asked = []
    monkeypatch.setattr(hulls, "refuse_meeting", lambda *_, **__: asked.append(1))
    rng = np.random.default_rng(0)
    X = rng.normal(size=(40, 2))
    y = (X[:, 0] + 0.5 * rng.normal(size=40) > 0.0).astype(int)
    model = SupportVectorClassifier(kernel=Gaussian(gamma=0.1), C=np.inf, max_iter=20_000)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        model.fit(X, y)
    assert model.n_iter_[0] > 4_000  # several blocks ended without an answer
    assert len(asked) == 1
