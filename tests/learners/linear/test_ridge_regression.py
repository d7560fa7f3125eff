"""Ridge regression: every way to its weights leads to the same, whatever the shape of the table."""

import pickle

import numpy as np
import pytest
from scipy import sparse
from sklearn import linear_model
from sklearn.datasets import load_diabetes
from sklearn.exceptions import ConvergenceWarning

from reference import linear_regression as plain
from surelearn import RidgeRegression

X4 = np.array([[1.0, 2.0], [2.0, 0.0], [0.0, 1.0], [3.0, 1.0]])
Y4 = np.array([3.0, 1.0, 2.0, 5.0])
RIDGE = {"fit_intercept": False, "alpha": 0.5}


def world(n=60, d=4, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d)) + 5.0
    return X, X @ rng.normal(size=d) + rng.normal(size=n)


def test_the_fixtures_of_the_catalogue():
    model = RidgeRegression(**RIDGE).fit(X4, Y4)
    np.testing.assert_allclose(model.coef_, [0.9386281588, 1.2779783394], atol=1e-10)
    objective = np.sum((Y4 - model.predict(X4)) ** 2) + 0.5 * model.coef_ @ model.coef_
    assert objective == pytest.approx(3.6137184116, abs=1e-10)
    free = RidgeRegression(alpha=0.5).fit(X4, Y4)
    np.testing.assert_allclose(free.coef_, [0.8431372549, 1.1372549020], atol=1e-10)
    assert free.intercept_ == pytest.approx(0.3480392157, abs=1e-10)
    penalised = RidgeRegression(**RIDGE).fit(np.column_stack([X4, np.ones(4)]), Y4)
    expected = [0.8817518248, 1.1941605839, 0.2072992701]
    np.testing.assert_allclose(penalised.coef_, expected, atol=1e-10)


def test_its_residuals_over_alpha_are_the_weights_of_the_rows():
    # The dual: α = (XXᵀ + λ)⁻¹ y, w = Xᵀα, α_i = (y_i - f(x_i)) / λ.
    model = RidgeRegression(**RIDGE).fit(X4, Y4)
    dual = (Y4 - model.predict(X4)) / 0.5
    expected = [-0.9891696751, -1.7545126354, 1.4440433213, 1.8122743682]
    np.testing.assert_allclose(dual, expected, atol=1e-10)
    np.testing.assert_allclose(dual, np.linalg.solve(X4 @ X4.T + 0.5 * np.eye(4), Y4), atol=1e-12)
    np.testing.assert_allclose(X4.T @ dual, model.coef_, rtol=1e-12)


def test_diabetes_centred():
    X, y = load_diabetes(return_X_y=True)
    model = RidgeRegression(fit_intercept=False).fit(X - X.mean(axis=0), y - y.mean())
    assert np.linalg.norm(model.coef_) == pytest.approx(511.595124, abs=1e-6)
    assert model.mean_squared_residual_ == pytest.approx(3254.139212, abs=1e-6)


def test_the_leave_one_out_errors_of_the_catalogue_need_no_refit():
    errors = plain.leave_one_out(X4, Y4, 0.5, intercept=False)
    expected = [-1.3838383838, -1.4046242775, 0.9132420091, 2.3904761905]
    np.testing.assert_allclose(errors, expected, atol=1e-10)
    path = RidgeRegression(alphas=[0.5], fit_intercept=False).fit(X4, Y4).path_
    assert path.leave_one_out_errors[0] == pytest.approx(2.6090913545, abs=1e-10)


@pytest.mark.parametrize("shape", [(60, 4), (7, 12), (5, 5)])
@pytest.mark.parametrize("intercept", [True, False])
def test_the_path_is_the_refitted_one(shape, intercept):
    X, y = world(*shape)
    alphas = [0.01, 1.0, 100.0]
    path = RidgeRegression(alphas=alphas, fit_intercept=intercept).fit(X, y).path_
    for place, alpha in enumerate(alphas):
        coef, constant = plain.ridge(X, y, alpha, intercept=intercept)
        np.testing.assert_allclose(path.coefs[place], coef, rtol=1e-8, atol=1e-10)
        assert path.intercepts[place] == pytest.approx(constant, rel=1e-8, abs=1e-10)
        errors = plain.leave_one_out(X, y, alpha, intercept=intercept)
        assert path.leave_one_out_errors[place] == pytest.approx(np.mean(errors**2), rel=1e-8)
    assert path.best == np.argmin(path.leave_one_out_errors)


@pytest.mark.parametrize("intercept", [True, False])
@pytest.mark.parametrize("shape", [(60, 4), (8, 15)])
def test_moments_inner_products_and_conjugate_gradients_agree(shape, intercept):
    X, y = world(*shape)
    weights = np.random.default_rng(5).integers(0, 3, size=len(y)).astype(float)
    settings = {"alpha": 0.7, "fit_intercept": intercept}
    peer = linear_model.Ridge(**settings, solver="cholesky").fit(X, y, weights)
    for form in (X, sparse.csr_array(X)):
        model = RidgeRegression(**settings, tolerance=1e-13).fit(form, y, weights)
        np.testing.assert_allclose(model.coef_, peer.coef_, rtol=1e-8, atol=1e-10)
        assert model.intercept_ == pytest.approx(peer.intercept_, rel=1e-8, abs=1e-9)
    blocks = RidgeRegression(**settings)
    for part in (slice(5), slice(5, len(y))):
        blocks.partial_fit(X[part], y[part], weights[part])
    np.testing.assert_allclose(blocks.coef_, peer.coef_, rtol=1e-8, atol=1e-10)


def test_rows_far_from_zero_lose_no_digits():
    X, y = world(3000)
    near, far = RidgeRegression().fit(X, y), RidgeRegression().fit(X + 1e6, y)
    np.testing.assert_allclose(far.coef_, near.coef_, rtol=1e-6)


def test_the_stated_suboptimality_is_an_upper_bound():
    X, y = world(200, 30)
    A, alpha = X - X.mean(axis=0), 0.3
    best, _ = plain.ridge(X, y, alpha)

    def objective(coef):
        return np.sum((y - y.mean() - A @ coef) ** 2) + alpha * coef @ coef

    with pytest.warns(ConvergenceWarning, match="max_iter=4"):
        model = RidgeRegression(alpha=alpha, max_iter=4).fit(sparse.csr_array(X), y)
    excess = objective(model.coef_) - objective(best)
    assert 1e-6 < excess <= model.suboptimality_
    assert RidgeRegression(alpha=alpha).fit(X, y).suboptimality_ < 1e-15


def test_the_stability_bound_holds_for_clipped_predictions_and_needs_no_intercept(repetitions):
    rng = np.random.default_rng(2)
    fails = 0
    truth = np.array([0.3, -0.2, 0.1])
    big = rng.uniform(-1, 1, size=(20_000, 3)) / np.sqrt(3)
    outcome = np.clip(big @ truth + rng.uniform(-0.3, 0.3, 20_000), -1, 1)
    for _ in range(repetitions // 4):
        X = rng.uniform(-1, 1, size=(400, 3)) / np.sqrt(3)
        y = np.clip(X @ truth + rng.uniform(-0.3, 0.3, 400), -1, 1)
        model = RidgeRegression(alpha=4000.0, fit_intercept=False).fit(X, y)
        stated = model.guarantee(label_bound=1.0, radius=1.0, delta=0.1)
        fails += np.mean((np.clip(model.predict(big), -1, 1) - outcome) ** 2) > stated.bound
    assert fails <= 0.1 * repetitions / 4
    assert stated.bound < 4.0  # which every clipped prediction satisfies
    with pytest.raises(ValueError, match="free intercept"):
        RidgeRegression().fit(X, y).guarantee(label_bound=1.0, radius=1.0)


@pytest.mark.parametrize("alpha", [-1.0, 0.0, np.nan, np.inf])
def test_a_price_that_is_not_positive_is_refused(alpha):
    with pytest.raises(ValueError, match="alpha must be a positive number"):
        RidgeRegression(alpha=alpha).fit(X4, Y4)
    with pytest.raises(ValueError, match="alpha must be a positive number"):
        RidgeRegression(alphas=[1.0, alpha]).fit(X4, Y4)


def test_what_cannot_be_done_in_blocks_or_on_sparse_rows_is_said():
    X, y = world()
    with pytest.raises(TypeError, match="sparse"):
        RidgeRegression(alphas=[1.0]).fit(sparse.csr_array(X), y)
    with pytest.raises(ValueError, match="needs all rows at once"):
        RidgeRegression(alphas=[1.0]).partial_fit(X, y)
    whole = RidgeRegression().fit(sparse.csr_array(X), y)
    with pytest.raises(ValueError, match="begin with partial_fit"):
        whole.partial_fit(X, y)
    with pytest.raises(ValueError, match="lost in rounding"):
        RidgeRegression(alpha=1e-30).fit(np.repeat(X[:, :1], 3, axis=1) * 1e8, y)


def test_one_row_has_no_other_to_be_predicted_from():
    model = RidgeRegression().fit([[1.0, 2.0, 3.0]], [4.0])
    assert (model.intercept_, model.coef_.tolist()) == (4.0, [0.0, 0.0, 0.0])
    with pytest.raises(ValueError, match="leaves each row out in turn, and there is only one"):
        RidgeRegression(alphas=[0.1, 1.0]).fit([[1.0, 2.0, 3.0]], [4.0])
    with pytest.raises(ValueError, match="only one"):
        RidgeRegression(alphas=[0.1, 1.0]).fit(X4, Y4, sample_weight=[0.0, 2.0, 0.0, 0.0])


@pytest.mark.parametrize("settings", [{"alphas": [0.1, 1.0]}, {}])
def test_products_that_overflow_and_squares_that_vanish_are_refused(settings):
    X, y = world(6, 9)
    model = RidgeRegression(**settings).fit(X, y)
    before = pickle.dumps(model)
    for rows, targets, words in (
        (X * 1e160, y, "products would overflow"),
        (X, y * 1e200, "overflow"),
        (X, y * 1e-200, "vanish"),
    ):
        with pytest.raises(ValueError, match=words):
            model.fit(rows, targets)
        assert pickle.dumps(model) == before


def test_huge_weights_leave_a_model_without_a_price():
    X, y = world()
    model = RidgeRegression().fit(X, y, sample_weight=np.full(60, 1e200))
    coef, _ = plain.least_squares(X, y)
    np.testing.assert_allclose(model.coef_, coef, rtol=1e-8)


def test_settings_that_mean_nothing_are_refused():
    X, y = world()
    for settings in ({"tolerance": -1.0}, {"tolerance": np.nan}, {"max_iter": 0}):
        with pytest.raises(ValueError, match=next(iter(settings))):
            RidgeRegression(**settings).fit(sparse.csr_array(X), y)
    for settings in ({"alpha": [1.0, 2.0]}, {"alphas": [[1.0, 2.0]]}):
        with pytest.raises(ValueError, match="alpha"):
            RidgeRegression(**settings).fit(X, y)


@pytest.mark.parametrize("way", ["fit", "partial_fit", "wide", "sparse"])
def test_numbers_that_the_training_rows_refute_are_refused(way):
    X, y = np.array([[3.0, 4.0], [0.0, 1.0], [1.0, 0.0]]), np.array([0.5, -7.0, 0.0])
    X = np.hstack([X, np.zeros((3, 2))]) if way == "wide" else X
    model = RidgeRegression(alpha=10.0, fit_intercept=False)
    if way == "partial_fit":
        model.partial_fit(X[:1], y[:1]).partial_fit(X[1:], y[1:])
    else:
        model.fit(sparse.csr_array(X) if way == "sparse" else X, y)
    assert model.guarantee(label_bound=7.0, radius=5.0).bound > 0.0
    with pytest.raises(ValueError, match=r"label_bound=6\.9 is refuted .* absolute value 7"):
        model.guarantee(label_bound=6.9, radius=5.0)
    with pytest.raises(ValueError, match=r"radius=4\.9 is refuted .* norm 5"):
        model.guarantee(label_bound=7.0, radius=4.9)


def test_an_older_model_refuses_what_its_sums_refute():
    model = RidgeRegression(alpha=10.0, fit_intercept=False).fit([[3.0], [3.0]], [4.0, 4.0])
    del model.largest_target_, model.longest_row_  # as a file of before has them
    assert model.guarantee(label_bound=4.0, radius=3.0).bound > 0.0
    with pytest.raises(ValueError, match=r"radius=2\.0 is refuted"):
        model.guarantee(label_bound=4.0, radius=2.0)


@pytest.mark.parametrize("shape", [(5, 12), (40, 3)])
def test_a_small_price_beside_huge_features_is_not_lost(shape):
    rng = np.random.default_rng(0)
    X, y = 1e6 + rng.normal(size=shape), rng.normal(size=shape[0])
    ours = RidgeRegression(alphas=[0.1, 1.0], fit_intercept=False).fit(X, y)
    peer = linear_model.Ridge(alpha=ours.alpha_, fit_intercept=False, solver="svd").fit(X, y)
    np.testing.assert_allclose(ours.predict(X), peer.predict(X), rtol=1e-4, atol=1e-4)


def test_an_alpha_at_which_weights_overflow_is_refused_where_one_is_chosen():
    X = np.arange(8.0)[:, np.newaxis] % 3 * 1e-200
    with pytest.raises(ValueError, match="weights overflow"):
        RidgeRegression(alphas=[5e-324, 1.0]).fit(X, np.arange(8.0))
