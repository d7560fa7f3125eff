"""Leave-one-out: the closed forms give what refitting gives, and refitting what they must."""

import numpy as np
import pytest
from scipy import sparse
from sklearn.dummy import DummyClassifier
from sklearn.linear_model import LinearRegression as SklearnLinearRegression
from sklearn.linear_model import Ridge
from sklearn.model_selection import LeaveOneOut, cross_val_predict
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from surelearn import LinearRegression, RidgeRegression
from surelearn.evaluate.leave_one_out import leave_one_out
from surelearn.learners.neighbors.nearest_neighbors_classifier import NearestNeighborsClassifier
from surelearn.learners.neighbors.nearest_neighbors_regressor import NearestNeighborsRegressor

RNG = np.random.default_rng(0)
X = RNG.normal(size=(25, 4)) + 2.0
TARGETS = X @ [1.0, -2.0, 0.0, 0.5] + RNG.normal(size=25)
LABELS = np.array(["low", "mid", "high"])[np.digitize(TARGETS, [-2.0, 1.0])]
WEIGHTS = RNG.uniform(0.5, 2.0, size=25)
# A grid has many equal distances.
GRID = np.array([[i, j] for i in range(5) for j in range(5)], dtype=float)


@pytest.mark.parametrize(
    "model",
    [
        LinearRegression(),
        LinearRegression(fit_intercept=False),
        RidgeRegression(alpha=2.0),
        RidgeRegression(alpha=0.3, fit_intercept=False),
        SklearnLinearRegression(),
        Ridge(alpha=0.7),
    ],
    ids=str,
)
@pytest.mark.parametrize("weights", [None, WEIGHTS], ids=["alike", "weighted"])
def test_the_hat_matrix_gives_what_refitting_gives(model, weights):
    fast = leave_one_out(model, X, TARGETS, sample_weight=weights)
    slow = leave_one_out(model, X, TARGETS, sample_weight=weights, shortcut=False)
    assert (fast.shortcut, slow.shortcut) == ("the hat matrix", None)
    np.testing.assert_allclose(fast.predictions, slow.predictions, rtol=1e-9)
    assert fast.estimate == pytest.approx(slow.estimate)


def test_more_features_than_rows_have_a_shortcut_with_a_price_and_none_without():
    wide = RNG.normal(size=(8, 20))
    model = RidgeRegression(alpha=1.0)
    fast = leave_one_out(model, wide, TARGETS[:8])
    slow = leave_one_out(model, wide, TARGETS[:8], shortcut=False)
    assert fast.shortcut == "the hat matrix"
    np.testing.assert_allclose(fast.predictions, slow.predictions, rtol=1e-8)
    assert leave_one_out(LinearRegression(), wide, TARGETS[:8]).shortcut is None


def test_a_row_that_determines_a_coefficient_alone_is_refitted():
    alone = np.zeros((25, 1))
    alone[3] = 1.0
    rows = np.hstack([X, alone])
    result = leave_one_out(LinearRegression(), rows, TARGETS)
    assert result.shortcut is None
    others = np.arange(25) != 3
    without = LinearRegression().fit(rows[others], TARGETS[others])
    assert result.predictions[3] == pytest.approx(without.predict(rows[[3]])[0])


@pytest.mark.parametrize("table", [X, GRID], ids=["apart", "ties"])
@pytest.mark.parametrize("ties", ["all", "first"])
@pytest.mark.parametrize("weights", ["uniform", "distance"])
def test_neighbours_without_the_row_itself_are_those_of_a_refit(table, ties, weights):
    settings = {"n_neighbors": 4, "ties": ties, "weights": weights}
    for model, y in (
        (NearestNeighborsClassifier(**settings), LABELS),
        (NearestNeighborsRegressor(**settings), TARGETS),
    ):
        fast, slow = (leave_one_out(model, table, y, shortcut=on) for on in (True, False))
        assert fast.shortcut is not None
        if y is LABELS:
            np.testing.assert_array_equal(fast.predictions, slow.predictions)
        else:
            np.testing.assert_allclose(fast.predictions, slow.predictions)


def test_the_catalogues_six_points_err_four_times():
    rows = np.array([[0.0], [1], [2], [10], [11], [12]])
    result = leave_one_out(NearestNeighborsClassifier(n_neighbors=1), rows, [-1, -1, 1, 1, 1, -1])
    np.testing.assert_array_equal(result.losses, [0, 1, 1, 0, 1, 1])


@pytest.mark.parametrize(
    "model",
    [
        NearestNeighborsClassifier(n_neighbors="schedule"),
        NearestNeighborsClassifier(n_neighbors=3, ties="random", random_state=0),
        NearestNeighborsClassifier(n_neighbors=3, metric="gower"),
        make_pipeline(StandardScaler(), NearestNeighborsClassifier(n_neighbors=3)),
    ],
    ids=["schedule", "random tags", "ranges", "scaled"],
)
def test_where_a_refit_would_differ_there_is_no_shortcut(model):
    assert leave_one_out(model, X, LABELS).shortcut is None
    assert leave_one_out(RidgeRegression(alphas=[0.1, 1.0]), X, TARGETS).shortcut is None
    assert leave_one_out(Ridge(), sparse.csr_matrix(X), TARGETS).shortcut is None


def test_a_subclass_may_learn_otherwise_and_is_refitted():
    class Doubled(LinearRegression):
        def predict(self, X):
            return 2.0 * super().predict(X)

    plain, doubled = (leave_one_out(m, X, TARGETS) for m in (LinearRegression(), Doubled()))
    assert doubled.shortcut is None
    np.testing.assert_allclose(doubled.predictions, 2.0 * plain.predictions)


def test_any_estimator_is_refitted_as_scikit_learn_does():
    expected = cross_val_predict(GaussianNB(), X, LABELS, cv=LeaveOneOut())
    result = leave_one_out(GaussianNB(), X, LABELS)
    np.testing.assert_array_equal(result.predictions, expected)
    assert result.estimate == np.mean(expected != LABELS)
    assert "by refitting" in str(result)
    assert "not a guarantee" in str(result)


@pytest.mark.parametrize(("m", "expected"), [(1, 0.48), (3, 0.4704)])
def test_its_mean_is_the_mean_risk_of_one_row_fewer(m, expected):
    # S002-18: three points of probability .6, .3, .1 with labels 1, 0, 0; the majority learner.
    law, labels, total = np.array([0.6, 0.3, 0.1]), np.array([1, 0, 0]), 0.0
    for sample in np.ndindex(*(3,) * (m + 1)):
        result = leave_one_out(DummyClassifier(), np.zeros((m + 1, 1)), labels[list(sample)])
        total += law[list(sample)].prod() * result.estimate
    assert total == pytest.approx(expected)


def test_a_row_that_cannot_be_left_out_is_named():
    with pytest.raises(ValueError, match="without row 0"):
        leave_one_out(LinearRegression(), [[1.0], [np.nan], [3.0]], [1.0, 2.0, 3.0], shortcut=False)


def test_leaving_one_out_chooses_the_cubic_of_the_catalogue():
    y = np.array([5.56, 5.70, 5.91, 6.40, 6.80, 7.05, 8.90, 8.70, 9.00, 9.05])
    basis = np.polynomial.legendre.legvander(np.linspace(-1.0, 1.0, 10), 6)
    left_out, training = [], []
    for degree in range(1, 7):
        X = basis[:, 1 : degree + 1]
        left_out.append(leave_one_out(LinearRegression(), X, y).estimate)
        training.append(np.mean((LinearRegression().fit(X, y).predict(X) - y) ** 2))
    expected = [0.22143771, 0.35640025, 0.18629854, 0.32855534, 0.92944886, 2.87036455]
    np.testing.assert_allclose(left_out, expected, atol=1e-8)
    assert int(np.argmin(left_out)) + 1 == 3
    assert (np.diff(training) < 0.0).all()
    assert (training[0], training[-1]) == pytest.approx((0.15143188, 0.05510604), abs=1e-8)


@pytest.mark.parametrize(
    ("model", "message"),
    [
        (RidgeRegression(alpha=0.0), "its limit at 0 is LinearRegression"),
        (RidgeRegression(alpha=np.inf), "alpha must be a positive number"),
        (RidgeRegression(alpha="x"), "alpha='x' must be a number"),
        (LinearRegression(fit_intercept="no"), "must be True or False"),
        (NearestNeighborsClassifier(n_neighbors=None), "n_neighbors=None must be a whole number"),
        (Ridge(alpha=None), "The 'alpha' parameter of Ridge"),
    ],
)
def test_a_shortcut_refuses_what_no_fit_takes(model, message):
    with pytest.raises(ValueError, match=f"without row 0: .*{message}"):
        leave_one_out(model, X, np.arange(len(X)) % 2)


def test_ridge_of_scikit_learn_without_a_price_has_the_shortcut_of_least_squares():
    targets = X @ np.arange(1.0, X.shape[1] + 1.0)
    result = leave_one_out(Ridge(alpha=0), X, targets)
    assert result.shortcut == "the hat matrix"
    np.testing.assert_allclose(result.predictions, targets, atol=1e-9)
