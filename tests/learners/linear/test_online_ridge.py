"""Online ridge against its plain self, scikit-learn, long arithmetic, its theorems, adversaries."""

import math
import pickle
from fractions import Fraction

import mpmath
import numpy as np
import pytest
from scipy import sparse
from sklearn.linear_model import Ridge

from reference.online_ridge import online_ridge
from surelearn.bounds import online_second_order
from surelearn.certificate import Certificate
from surelearn.learners.linear.online_ridge import OnlineRidge

FIXTURE = np.array([(1.0, 0.0), (1.0, 1.0), (0.0, 2.0)]), np.array([1.0, -1.0, 2.0])


def with_constant(X):
    return np.column_stack([X, np.ones(len(X))])


def sequences(seed):
    """Yield rows and targets: random, collinear, growing, one-hot, heavy-tailed, with zeros."""
    rng = np.random.default_rng(seed)
    for d in (1, 4):
        X, y = rng.normal(size=(40, d)), rng.normal(size=40)
        yield X, y
        yield X, np.sign(y)
        yield np.tile(X[:1], (40, 1)), (-1.0) ** np.arange(40)
        yield X * 1.2 ** np.arange(40)[:, None], np.sign(X[:, 0])
        yield np.eye(d)[np.arange(40) % d], np.ones(40)
        yield rng.standard_t(1.5, size=X.shape), rng.standard_t(1.5, size=40)
        yield X * (rng.random(X.shape) < 0.3), y


def holds(observed, bound):
    return observed <= bound + 1e-9 * (1.0 + abs(bound))


def test_the_fixture_of_the_proofs():
    model = OnlineRidge(fit_intercept=False)
    predictions = model.learn(*FIXTURE)
    np.testing.assert_allclose(predictions, [0, 0.2, -0.3529411765], atol=1e-10)
    assert model.cumulative_loss_ == pytest.approx(7.9763321799, abs=1e-9)
    exact, volume, a_priori = model.certificates()
    assert exact.observed == pytest.approx(3.5645674740, abs=1e-9)
    assert exact.bound == pytest.approx(exact.observed, rel=1e-11)
    assert model.cumulative_loss_ - exact.observed == pytest.approx(4.4117647059, abs=1e-9)
    assert volume.bound == pytest.approx(11.3328533762, abs=1e-9)
    assert a_priori.bound == pytest.approx(4 * 2 * math.log(1 + 3 * 4 / 2), abs=1e-9)


@pytest.mark.parametrize("intercept", [False, True])
@pytest.mark.parametrize("alpha", [0.05, 1.0, 30.0])
def test_it_equals_the_plain_version_dense_and_sparse(alpha, intercept):
    for X, y in sequences(0):
        run = online_ridge(with_constant(X) if intercept else X, y, alpha)
        for form in (X, sparse.csr_array(X)):
            model = OnlineRidge(alpha=alpha, fit_intercept=intercept)
            predictions = model.learn(form, y)
            scale = np.abs(y).max()
            np.testing.assert_allclose(predictions, run.predictions, rtol=1e-6, atol=1e-9 * scale)
            exact, volume, _ = model.certificates()
            assert exact.observed == pytest.approx(run.excess, rel=1e-6, abs=1e-9 * scale**2)
            assert volume.bound == pytest.approx(scale**2 * run.log_determinant, rel=1e-9)


def test_features_that_come_late_count_as_zeros_before():
    rng = np.random.default_rng(1)
    X, y = rng.normal(size=(40, 5)), rng.normal(size=40)
    X[:20, 3:] = 0.0
    early, late = OnlineRidge(), OnlineRidge()
    early.learn(X, y)
    late.learn(X[:20, :3], y[:20])
    late._grow(5)
    late.learn(X[20:], y[20:])
    np.testing.assert_allclose(late.coef_, early.coef_, rtol=1e-12)
    np.testing.assert_allclose(late.intercept_, early.intercept_, rtol=1e-12)


@pytest.mark.parametrize("alpha", [0.01, 1.0, 100.0])
def test_its_weights_are_those_of_scikit_learns_ridge(alpha):
    rng = np.random.default_rng(2)
    X, y = rng.normal(size=(100, 5)), rng.normal(size=100)
    peer = Ridge(alpha=alpha, fit_intercept=False, solver="cholesky")
    ours = OnlineRidge(alpha=alpha, fit_intercept=False).fit(X, y)
    np.testing.assert_allclose(ours.coef_, peer.fit(X, y).coef_, rtol=1e-10)
    peer.fit(with_constant(X), y)  # the intercept is a weight like the others
    ours = OnlineRidge(alpha=alpha).fit(X, y)
    np.testing.assert_allclose(np.append(ours.coef_, ours.intercept_), peer.coef_, rtol=1e-10)


def test_predict_says_what_learn_would_say_next():
    rng = np.random.default_rng(3)
    X, y = rng.normal(size=(60, 4)), rng.normal(size=60)
    model = OnlineRidge().fit(X[:30], y[:30])
    for x, target in zip(X[30:], y[30:], strict=True):
        forecast = model.predict([x])[0]
        assert model.predict_one(x) == forecast
        assert model.learn([x], [target])[0] == pytest.approx(forecast, rel=1e-9)


def test_a_forecast_is_the_ridge_prediction_shrunk():
    rng = np.random.default_rng(4)
    X, y = rng.normal(size=(20, 3)), rng.normal(size=20)
    model = OnlineRidge(alpha=0.5, fit_intercept=False).fit(X, y)
    ridge = X @ model.coef_
    stretch = 1.0 + np.einsum("ij,jk,ik->i", X, np.linalg.inv(0.5 * np.eye(3) + X.T @ X), X)
    np.testing.assert_allclose(model.predict(X), ridge / stretch, rtol=1e-9)


def test_a_prediction_does_not_depend_on_its_own_target():
    X, y = np.random.default_rng(5).normal(size=(10, 3)), np.arange(10.0)
    first = OnlineRidge().learn(X, y)
    y[-1] = 1e6
    np.testing.assert_array_equal(OnlineRidge().learn(X, y), first)


def exact_run(X, y, alpha):
    """Return forecasts and final weights in 60-digit arithmetic."""
    with mpmath.workdps(60):
        d = X.shape[1]
        A, b, forecasts = mpmath.mpf(alpha) * mpmath.eye(d), mpmath.zeros(d, 1), []
        for row, target in zip(X, y, strict=True):
            x = mpmath.matrix(row.tolist())
            A = A + x * x.T
            forecasts.append(float((x.T * mpmath.lu_solve(A, b))[0]))
            b = b + mpmath.mpf(float(target)) * x
        return np.array(forecasts), np.array([float(w) for w in mpmath.lu_solve(A, b)])


@pytest.mark.parametrize("alpha", [1e-8, 1.0])
def test_badly_conditioned_streams_agree_with_long_arithmetic(alpha):
    rng = np.random.default_rng(6)
    streams = [
        rng.normal(size=(30, 3)) * [1e-4, 1.0, 1e5],
        rng.normal(size=(30, 1)) * [1.0, 1.0, 1.0] + 1e-6 * rng.normal(size=(30, 3)),
        np.outer(np.geomspace(1e-6, 1e8, 30), [1.0, -1.0, 2.0]),
    ]
    y = rng.normal(size=30)
    for X in streams:
        model = OnlineRidge(alpha=alpha, fit_intercept=False)
        predictions = model.learn(X, y)
        forecasts, weights = exact_run(X, y, alpha)
        np.testing.assert_allclose(predictions, forecasts, rtol=1e-5, atol=1e-6)
        np.testing.assert_allclose(X @ model.coef_, X @ weights, rtol=1e-4, atol=1e-5)
        assert all(holds(c.observed, c.bound) for c in model.certificates())


def test_an_explicit_inverse_would_fail_where_the_triangle_does_not():
    direction = np.array([1.0, -1.3, 2.1])
    X, inverse = np.outer(np.geomspace(1e-6, 1e8, 30), direction), np.eye(3)
    for x in X:
        side = inverse @ x
        inverse -= np.outer(side, side) / (1.0 + x @ side)
    truth = direction @ direction / (1.0 + (X**2).sum())
    assert direction @ inverse @ direction != pytest.approx(truth, rel=0.1, abs=0.0)
    model = OnlineRidge(fit_intercept=False).fit(X, np.ones(30))
    sides = np.linalg.solve(model.triangle_[1:, 1:].T, direction)
    assert sides @ sides == pytest.approx(truth, rel=1e-6, abs=0.0)


@pytest.mark.parametrize("alpha", [0.01, 1.0, 50.0])
@pytest.mark.parametrize("seed", range(24))
def test_no_sequence_breaks_the_identity_or_exceeds_the_bounds(alpha, seed):
    for X, y in sequences(seed):
        model = OnlineRidge(alpha=alpha, fit_intercept=bool(seed % 2))
        model.learn(X, y)
        exact, volume, a_priori = model.certificates()
        assert exact.observed == pytest.approx(exact.bound, rel=1e-9, abs=1e-9)
        assert holds(exact.bound, volume.bound)
        assert holds(volume.bound, a_priori.bound)


@pytest.mark.parametrize("size", [1e-100, 1e-20, 1e-8, 3e-8, 1e-6])
def test_features_that_vanish_beside_alpha_do_not_make_the_bound_0(size):
    """What they add to the diagonal is less than its last digit: the regret was at most 0."""
    x, n = Fraction(size), 50
    model = OnlineRidge(fit_intercept=False)
    model.learn(np.full((n, 1), size), np.ones(n))
    loss = sum((1 - t * x * x / (1 + (t + 1) * x * x)) ** 2 for t in range(n))
    best = n / (1 + n * x * x)
    volume = model.certificates()[1]
    assert volume.method.endswith("vovk_azoury_warmuth")
    assert loss - best <= Fraction(volume.bound) <= 2 * n * x * x


def test_it_comes_within_a_tenth_of_a_percent_of_its_bound():
    # Long rows in turn along the axes: the leverage is almost 1 - 1/t, the forecast almost 0.
    X, y = 1e-2 * np.eye(2)[np.arange(4) % 2], np.ones(4)
    model = OnlineRidge(alpha=1.0, fit_intercept=False)
    model.learn(X, y)
    _, volume, a_priori = model.certificates()
    assert 0.999 * volume.bound < volume.observed <= volume.bound
    assert a_priori.bound == pytest.approx(volume.bound, rel=1e-6)


def test_plain_ridge_would_stumble_where_the_forecaster_does_not():
    X, y = np.array([[0.01], [1.0]]), np.array([1.0, -1.0])
    model = OnlineRidge(alpha=1e-4, fit_intercept=False)
    model.learn(X, y)
    assert model.cumulative_loss_ == pytest.approx(2.02, abs=0.01)
    assert online_ridge(X, y, 1e-4, forecaster=False).loss == pytest.approx(2602, abs=1)


def test_targets_beyond_the_bound_break_the_guarantee():
    model = OnlineRidge(fit_intercept=False)
    model.learn(np.ones((50, 1)), np.full(50, 10.0))
    observed = model.certificates()[0].observed
    honest = model.guarantee(target_bound=10.0, input_norm=1.0, n_rounds=50)
    assert honest.allows(observed)
    assert not model.guarantee(target_bound=1.0, input_norm=1.0, n_rounds=50).allows(observed)


def test_the_excess_stays_exact_on_a_long_noisy_stream():
    rng = np.random.default_rng(7)
    X = rng.normal(size=(100_000, 3))
    y = X @ [1.0, -2.0, 0.5] + rng.normal(size=100_000)
    model = OnlineRidge(fit_intercept=False)
    model.learn(X, y)
    exact = model.certificates()[0]
    assert exact.observed == pytest.approx(exact.bound, rel=1e-10)
    best = y @ y - (y @ X) @ np.linalg.solve(np.eye(3) + X.T @ X, X.T @ y)
    assert model.cumulative_loss_ - best == pytest.approx(exact.observed, rel=1e-6)
    assert exact.observed < 3 * math.log(100_000) * 1.5


def test_certificates_are_recomputable_and_name_what_was_measured():
    model = OnlineRidge().fit(*FIXTURE)
    for certificate in model.certificates():
        assert Certificate.from_json(certificate.to_json()).recompute() == certificate.bound
    a_priori = model.certificates()[2]
    assert a_priori.preconditions[1].evidence == "the largest is 2"
    assert a_priori.preconditions[2].evidence == "the longest is 2.23607"
    volume = online_second_order.log_determinant_bound(
        input_norm=math.sqrt(5.0), regularization=1.0, dimension=3, n_rounds=3
    )
    assert a_priori.bound == pytest.approx(4.0 * volume)


def test_rows_of_zeros_cost_nothing():
    model = OnlineRidge(fit_intercept=False).fit(np.zeros((5, 2)), np.ones(5))
    assert [c.bound for c in model.certificates()] == [0.0, 0.0, 0.0]
    assert not model.coef_.any()


@pytest.mark.parametrize("alpha", [0.0, -1.0, math.nan, math.inf])
def test_a_bad_alpha_is_refused_and_leaves_the_learner_as_it_was(alpha):
    model = OnlineRidge().fit(*FIXTURE).set_params(alpha=alpha)
    before = pickle.dumps(model)
    with pytest.raises(ValueError, match="alpha"):
        model.fit(*FIXTURE)
    assert pickle.dumps(model) == before


def test_the_price_in_the_claim_has_all_its_digits():
    learner = OnlineRidge(alpha=0.123456789)
    learner.learn([[1.0], [2.0]], [1.0, 0.5])
    assert all("of 0.123456789‖u‖²" in told.claim for told in learner.certificates())
