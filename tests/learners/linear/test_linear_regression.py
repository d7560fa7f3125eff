"""Least squares: fixtures of the catalogue, the textbook's errors, and rows that do not suffice."""

import pickle

import numpy as np
import pytest
from scipy import sparse, stats
from sklearn import linear_model
from sklearn.datasets import load_diabetes
from sklearn.exceptions import ConvergenceWarning

from reference import linear_regression as plain
from surelearn import Holdout, LinearRegression, Quantile, leave_one_out

X4 = np.array([[1.0, 2.0], [2.0, 0.0], [0.0, 1.0], [3.0, 1.0]])
Y4 = np.array([3.0, 1.0, 2.0, 5.0])


def world(n=80, d=4, seed=0, scale=1.0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d)) * scale + 3.0
    return X, X @ rng.normal(size=d) + 2.0 + rng.normal(size=n)


def test_the_fixtures_of_the_catalogue():
    without = LinearRegression(fit_intercept=False).fit(X4, Y4)
    np.testing.assert_allclose(without.coef_, [55 / 59, 82 / 59], rtol=1e-14)
    assert np.mean((without.predict(X4) - Y4) ** 2) == pytest.approx(0.5720338983, abs=1e-10)
    model = LinearRegression().fit(X4, Y4)
    np.testing.assert_allclose(model.coef_, [1.0, 1.5], rtol=1e-14)
    assert model.intercept_ == pytest.approx(-0.25, rel=1e-14)
    assert model.residual_sum_of_squares_ / 4 == pytest.approx(0.5625, rel=1e-12)


def test_square_tables_are_interpolated_and_directions_that_are_missing_left_at_zero():
    exact = LinearRegression(fit_intercept=False).fit([[1.0, 2.0], [2.0, 0.0]], [3.0, 1.0])
    np.testing.assert_allclose(exact.coef_, [0.5, 1.25], rtol=1e-14)
    assert exact.residual_sum_of_squares_ < 1e-28
    inverse = [
        LinearRegression(fit_intercept=False).fit(np.diag([2.0, 0.0, 5.0]), column).coef_
        for column in np.eye(3)
    ]
    np.testing.assert_allclose(np.column_stack(inverse), np.diag([0.5, 0.0, 0.2]), atol=1e-15)


def test_a_line_through_four_points_and_its_likelihood():
    model = LinearRegression().fit([[1.0], [2.0], [3.0], [4.0]], [2.0, 3.0, 5.0, 4.0])
    rss = model.residual_sum_of_squares_
    assert (model.intercept_, model.coef_[0], rss) == pytest.approx((1.5, 0.8, 1.8))
    assert (model.noise_variance_, rss / 4) == pytest.approx((0.9, 0.45))
    likelihood = -2 * np.log(2 * np.pi) - 2 * np.log(rss / 4) - 2
    assert likelihood == pytest.approx(-4.078739, abs=1e-6)


def test_of_many_solutions_it_takes_the_shortest():
    model = LinearRegression(fit_intercept=False)
    np.testing.assert_allclose(model.fit([[1.0, 1], [2, 2]], [1.0, 2.0]).coef_, [0.5, 0.5])
    X = [[1.0, 2.0], [2.0, 4.0], [3.0, 6.0]]
    np.testing.assert_allclose(model.fit(X, [1.0, 2.0, 2.0]).coef_, [0.157143, 0.314286], atol=1e-6)
    assert model.rank_ == 1
    assert np.isnan(model.standard_errors_).all()


def test_it_squares_no_condition_number():
    X = np.array([[1.0, 1.0], [1e-9, 0.0], [0.0, 1e-9]])
    with pytest.warns(ConvergenceWarning, match="nearly collinear"):
        model = LinearRegression(fit_intercept=False).fit(X, [2.0, 1e-9, 1e-9])
    np.testing.assert_allclose(model.coef_, [1.0, 1.0], rtol=1e-6)
    assert np.linalg.matrix_rank(X.T @ X) == 1  # normal equations would see one direction only


@pytest.mark.parametrize("shape", [(80, 4), (6, 9), (1, 3), (500, 1)])
def test_it_equals_the_plain_version(shape):
    X, y = world(*shape)
    model = LinearRegression().fit(X, y)
    coef, intercept = plain.least_squares(X, y)
    np.testing.assert_allclose(model.coef_, coef, rtol=1e-9, atol=1e-10)
    assert model.intercept_ == pytest.approx(intercept, rel=1e-9)


def test_it_agrees_with_scikit_learn_with_weights_and_sparse_rows():
    X, y = load_diabetes(return_X_y=True)
    weights = np.random.default_rng(1).uniform(0, 3, size=len(y))
    model = LinearRegression().fit(X, y, weights)
    peer = linear_model.LinearRegression().fit(X, y, weights)
    np.testing.assert_allclose(model.coef_, peer.coef_, rtol=1e-9)
    thin = LinearRegression().fit(sparse.csr_array(X), y)
    assert np.mean((thin.predict(X) - y) ** 2) == pytest.approx(2859.696348, abs=1e-6)
    assert thin.r_squared_ == pytest.approx(thin.score(X, y), rel=1e-12)


def test_the_standard_errors_are_the_textbooks():
    X, y = world()
    model = LinearRegression().fit(X, y)
    expected = plain.standard_errors(X, y)
    np.testing.assert_allclose(model.intercept_standard_error_, expected[0], rtol=1e-9)
    np.testing.assert_allclose(model.standard_errors_, expected[1:], rtol=1e-9)
    line = stats.linregress(X[:, 0], y)
    simple = LinearRegression().fit(X[:, :1], y)
    assert simple.standard_errors_[0] == pytest.approx(line.stderr, rel=1e-10)
    assert simple.intercept_standard_error_ == pytest.approx(line.intercept_stderr, rel=1e-10)
    low, high = simple.confidence_intervals(level=0.9)[0]
    reach = stats.t.ppf(0.95, 78) * line.stderr
    assert (low, high) == pytest.approx((line.slope - reach, line.slope + reach))


def test_the_intervals_cover_under_gaussian_noise_and_may_fail_without_it(repetitions):
    rng = np.random.default_rng(3)
    X = rng.normal(size=(12, 2))
    covered = {"gaussian": 0, "spread with x": 0}
    for _ in range(repetitions):
        noise = rng.normal(size=12)
        for name, factor in (("gaussian", 1.0), ("spread with x", X[:, 0] ** 4)):
            model = LinearRegression().fit(X, X @ [1.0, 0.0] + noise * factor)
            low, high = model.confidence_intervals(level=0.8)[0]
            covered[name] += low <= 1.0 <= high
    good = stats.binomtest(covered["gaussian"], repetitions, 0.8).pvalue
    bad = stats.binomtest(covered["spread with x"], repetitions, 0.8).pvalue
    assert good > 1e-4
    assert bad < 1e-4


def test_leverages_are_the_diagonal_of_the_hat_matrix_and_sum_to_the_rank():
    X, y = world(30)
    A = np.column_stack([np.ones(30), X])
    hat = np.diag(A @ np.linalg.pinv(A))
    np.testing.assert_allclose(LinearRegression().fit(X, y).leverage(X), hat, rtol=1e-9)
    without = LinearRegression(fit_intercept=False).fit(X, y)
    assert without.leverage(X).sum() == pytest.approx(4.0)


def test_blocks_find_the_model_of_all_rows():
    X, y = world(5000, scale=1e-3)
    parts = LinearRegression()
    for start in range(0, 5000, 700):
        parts.partial_fit(X[start : start + 700], y[start : start + 700])
    whole = LinearRegression().fit(X, y)
    np.testing.assert_allclose(parts.coef_, whole.coef_, rtol=1e-10)
    np.testing.assert_allclose(parts.standard_errors_, whole.standard_errors_, rtol=1e-10)


def test_rows_that_do_not_determine_the_coefficients_are_told():
    model = LinearRegression().fit([[1.0, 1.0, 5.0], [2.0, 2.0, 7.0], [3.0, 3.0, 1.0]], [1, 2, 3])
    with pytest.raises(ValueError, match="rank 2 do not determine 3 coefficients"):
        model.confidence_intervals()
    with pytest.raises(ValueError, match="level"):
        LinearRegression().fit(X4, Y4).confidence_intervals(level=1.0)
    X = np.column_stack([*np.random.default_rng(0).normal(size=(2, 20))])
    collinear = LinearRegression().fit(np.column_stack([X, X[:, 1]]), X[:, 0])
    assert np.isnan(collinear.standard_errors_).tolist() == [False, True, True]


def test_constant_columns_and_constant_targets_are_harmless():
    model = LinearRegression().fit([[1.0, 5.0], [2.0, 5.0], [4.0, 5.0]], [1.0, 2.0, 4.0])
    np.testing.assert_allclose(model.coef_, [1.0, 0.0], atol=1e-12)
    flat = LinearRegression().fit([[1.0], [2.0], [4.0]], [7.0, 7.0, 7.0])
    assert flat.predict([[9.0]]) == pytest.approx([7.0])


def test_a_holdout_certifies_its_errors():
    X, y = world(400)
    model = LinearRegression().fit(X[:200], y[:200])
    certificate = Holdout(X[200:], y[200:], loss=Quantile(alpha=0.1)).certify(model)
    assert certificate.status == "valid"
    assert 1.0 < certificate.bound < 3.0  # ten per cent of Gaussian errors exceed 1.645


@pytest.mark.parametrize("scale", [1e-300, 1e-160, 1e160, 1e300])
def test_features_of_any_size_give_the_same_predictions_and_errors(scale):
    X, y = world()
    plain_model, scaled = LinearRegression().fit(X, y), LinearRegression().fit(X * scale, y)
    np.testing.assert_allclose(scaled.predict(X * scale), plain_model.predict(X), rtol=1e-12)
    errors = scaled.standard_errors_ * scale
    np.testing.assert_allclose(errors, plain_model.standard_errors_, rtol=1e-10)


def test_targets_whose_squares_are_no_numbers_are_refused_and_leave_no_mark():
    X, y = world()
    model = LinearRegression().fit(X, y)
    before = pickle.dumps(model)
    for factor, words in ((1e200, "overflow"), (1e-200, "vanish")):
        with pytest.raises(ValueError, match=rf"squares would {words}\. Rescale the targets"):
            model.fit(X, y * factor)
        assert pickle.dumps(model) == before
    assert LinearRegression().fit(X, 0.0 * y).noise_variance_ == 0.0


def column(kind, n, rng):
    """Return a column of a kind that makes centring hard."""
    made = {
        "constant": np.full(n, rng.choice([5.0, 0.1, 1 / 3, -3.3, 1e6, 1e-6, 0.0])),
        "offset": 1e6 + rng.normal(size=n),
        "dummy": rng.integers(0, 2, n).astype(np.float64),
        "plain": rng.normal(size=n),
    }
    return made[kind]


@pytest.mark.parametrize("way", ["fit", "partial_fit", "sparse", "float32", "weights"])
def test_constant_columns_change_nothing_and_predictions_are_those_of_the_peer(way, repetitions):
    rng, kinds = np.random.default_rng(5), ["constant", "offset", "dummy", "plain"]
    for _ in range(repetitions // 8):
        n = int(rng.integers(4, 40))
        X = np.column_stack([column(kind, n, rng) for kind in rng.choice(kinds, 3)])
        X = np.column_stack([X, X[:, 0]])  # and one column twice
        y = rng.normal(size=n) + rng.choice([0.0, 100.0])
        weights = rng.integers(1, 4, n).astype(np.float64) if way == "weights" else None
        X = X.astype(np.float32).astype(np.float64) if way == "float32" else X
        model = LinearRegression()
        if way == "partial_fit":
            model.partial_fit(X[:2], y[:2]).partial_fit(X[2:], y[2:])
        else:
            rows = {"sparse": sparse.csr_array, "float32": np.float32}.get(way, np.asarray)(X)
            model.fit(rows, y, weights)
        peer = linear_model.LinearRegression().fit(X, y, weights)
        expected = peer.predict(X)
        np.testing.assert_allclose(model.predict(X), expected, rtol=1e-6, atol=1e-6)


def test_one_constant_feature_predicts_the_mean():
    model = LinearRegression().fit([[5.0]] * 4, [1, 2, 3, 4])
    assert model.predict([[5.0]]) == pytest.approx([2.5])
    assert (model.rank_, model.coef_.tolist()) == (0, [0.0])
    chunks = LinearRegression()
    for t in range(60):
        chunks.partial_fit([[0.1]], [float(t)])
    assert chunks.predict([[0.1]]) == pytest.approx([29.5])


def test_leaving_rows_out_of_a_constant_feature_leaves_the_mean_of_the_others():
    found = leave_one_out(LinearRegression(), np.full((6, 1), 0.1), np.arange(6.0))
    assert found.predictions == pytest.approx((15.0 - np.arange(6.0)) / 5.0)


@pytest.mark.filterwarnings("ignore:invalid value encountered in reduce")  # of scikit-learn
@pytest.mark.parametrize("fit_intercept", [True, False])
@pytest.mark.parametrize(
    ("of_features", "of_targets"), [(1.0, 1.7e308), (1.7e308, 1.0), (5e-324, 1.0)]
)
def test_values_at_the_ends_of_floats_are_refused_in_a_sentence(
    of_features, of_targets, fit_intercept
):
    X, y = world(30)
    model = LinearRegression(fit_intercept=fit_intercept)
    with pytest.raises(ValueError, match="overflow; rescale"):
        model.fit(np.sign(X - X.mean(0)) * of_features, np.sign(y - y.mean()) * of_targets)
