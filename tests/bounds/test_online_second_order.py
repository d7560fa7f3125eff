"""Online least squares and Newton steps: identities, fixtures, and certificates that do not add."""

import math

import numpy as np
import pytest

from reference.online_newton_step import online_newton_step
from reference.online_ridge import online_ridge
from surelearn.bounds import online_second_order

FIXTURE = ([(1, 0), (1, 1), (0, 2)], [1, -1, 2])


def holds(guarantee, observed):
    return observed <= guarantee.bound + 1e-9 * (1.0 + abs(guarantee.bound))


def streams():
    """Yield inputs and targets: random, collinear, growing, repeated, and the hardest signs."""
    rng = np.random.default_rng(0)
    for dimension in (1, 3, 8):
        X = rng.normal(size=(60, dimension))
        yield X, rng.normal(size=60)
        yield X, np.sign(rng.normal(size=60))
        yield X[:1] * np.ones((60, 1)), (-1.0) ** np.arange(60)
        yield X * 1.1 ** np.arange(60)[:, None], np.sign(X[:, 0])
        yield np.eye(dimension)[np.arange(60) % dimension], np.ones(60)


def sums(run, y):
    q = run.leverages
    targets = float((np.asarray(y) ** 2 * q).sum())
    return {
        "target_sum": targets,
        "prediction_sum": float((run.predictions**2 * q / (1 - q)).sum()),
    }


def test_the_forecaster_reproduces_the_fixture():
    run = online_ridge(*FIXTURE, 1.0)
    np.testing.assert_allclose(run.predictions, [0, 0.2, -0.3529411765], atol=1e-10)
    np.testing.assert_allclose(run.leverages, [0.5, 0.6, 0.7058823529], atol=1e-10)
    assert run.loss == pytest.approx(7.9763321799, abs=1e-9)
    assert run.best == pytest.approx(4.4117647059, abs=1e-9)
    assert run.excess == pytest.approx(3.5645674740, abs=1e-9)
    realised = online_second_order.vovk_azoury_warmuth_realised(**sums(run, FIXTURE[1]))
    assert realised.bound == pytest.approx(run.excess, rel=1e-9)
    bound = online_second_order.vovk_azoury_warmuth(
        target_bound=2.0, log_determinant=run.log_determinant
    )
    assert bound.bound == pytest.approx(11.3328533762, abs=1e-9)


@pytest.mark.parametrize("regularization", [0.01, 1.0, 50.0])
def test_the_forecaster_keeps_its_identity_and_both_bounds(regularization):
    for X, y in streams():
        run = online_ridge(X, y, regularization)
        realised = online_second_order.vovk_azoury_warmuth_realised(**sums(run, y))
        largest = float(np.abs(y).max())
        volume = online_second_order.vovk_azoury_warmuth(
            target_bound=largest, log_determinant=run.log_determinant
        )
        a_priori = online_second_order.vovk_azoury_warmuth_apriori(
            target_bound=largest,
            input_norm=float(np.linalg.norm(X, axis=1).max()),
            regularization=regularization,
            dimension=X.shape[1],
            n_rounds=60,
        )
        assert realised.bound == pytest.approx(run.excess, rel=1e-7, abs=1e-7 * run.loss)
        assert holds(volume, run.excess)
        assert holds(a_priori, volume.bound)


@pytest.mark.parametrize("regularization", [0.01, 1.0, 50.0])
def test_ridge_keeps_its_identity_and_its_bounds(regularization):
    for X, y in streams():
        plain = online_ridge(X, y, regularization, forecaster=False)
        errors = (y - plain.predictions) ** 2
        assert ((1 - plain.leverages) * errors).sum() == pytest.approx(plain.best, rel=1e-7)
        bound = online_second_order.online_ridge(
            largest_error=math.sqrt(errors.max()), log_determinant=plain.log_determinant
        )
        assert holds(bound, plain.excess)
        largest = float(np.abs(y).max())
        clipped = online_ridge(X, y, regularization, forecaster=False, clip=largest)
        bound = online_second_order.online_ridge_clipped(
            target_bound=largest, log_determinant=clipped.log_determinant
        )
        assert holds(bound, clipped.excess)


def test_plain_ridge_breaks_the_bound_of_the_forecaster():
    X, y = [[0.01], [1.0]], [1.0, -1.0]
    ridge = online_ridge(X, y, 1e-4, forecaster=False)
    forecaster = online_ridge(X, y, 1e-4)
    bound = online_second_order.vovk_azoury_warmuth(
        target_bound=1.0, log_determinant=forecaster.log_determinant
    )
    assert ridge.loss == pytest.approx(2602, abs=1)
    assert forecaster.loss == pytest.approx(2.02, abs=0.01)
    assert holds(bound, forecaster.excess)
    assert not holds(bound, ridge.excess)
    unclipped = online_second_order.online_ridge_clipped(
        target_bound=1.0, log_determinant=ridge.log_determinant
    )
    assert not holds(unclipped, ridge.excess)


def test_targets_beyond_their_bound_break_the_certificates():
    X, y = np.ones((50, 1)), np.full(50, 10.0)
    run = online_ridge(X, y, 1.0)
    inputs = {"target_bound": 1.0}
    volume = online_second_order.vovk_azoury_warmuth(**inputs, log_determinant=run.log_determinant)
    a_priori = online_second_order.vovk_azoury_warmuth_apriori(
        **inputs, input_norm=1.0, regularization=1.0, dimension=1, n_rounds=50
    )
    assert not holds(volume, run.excess)
    assert not holds(a_priori, run.excess)
    small = online_second_order.online_ridge(largest_error=1.0, log_determinant=1.0)
    assert not holds(small, online_ridge(X, y, 1.0, forecaster=False).excess)


def test_certificates_of_interleaved_copies_do_not_add_but_their_regularizations_do():
    # Two copies, each fed every other round: part 22 of the proofs corrects "realised bounds add".
    X, y = np.ones((200, 1)), np.ones(200)
    copies = [online_ridge(X[j::2], y[j::2], 100.0) for j in range(2)]
    certificates = sum(
        online_second_order.vovk_azoury_warmuth_realised(**sums(run, y[j::2])).bound
        for j, run in enumerate(copies)
    )
    loss = sum(run.loss for run in copies)
    assert certificates == pytest.approx(1.248, abs=1e-3)
    assert loss - online_ridge(X, y, 100.0).best == pytest.approx(34.58, abs=0.01)
    assert loss - online_ridge(X, y, 200.0).best <= certificates + 1e-9


def test_an_input_of_zero_costs_nothing():
    run = online_ridge(np.zeros((5, 2)), np.ones(5), 1.0)
    assert run.excess == 0.0
    assert online_second_order.vovk_azoury_warmuth(target_bound=1.0, log_determinant=0.0).bound == 0


@pytest.mark.parametrize(
    ("x", "expected"), [(0.01, 0.0099338), (0.25, 0.2148516), (1.0, 0.6137056), (10.0, 1.5204209)]
)
def test_the_rate_of_newton_steps(x, expected):
    rate = online_second_order.online_newton_step_rate(
        exp_concavity=x, gradient_norm=1.0, diameter=1.0
    )
    assert rate == pytest.approx(expected, abs=1e-7)
    assert rate >= 0.5 * min(1.0, x)


def test_the_rate_of_newton_steps_at_the_extremes():
    for x, expected in ((1e-12, 1e-12), (1e12, 2.0)):
        rate = online_second_order.online_newton_step_rate(
            exp_concavity=x, gradient_norm=1.0, diameter=1.0
        )
        assert rate == pytest.approx(expected, rel=1e-9)


def logistic_stream(dimension, n_rounds, seed):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n_rounds, dimension))
    X /= np.linalg.norm(X, axis=1, keepdims=True)
    y = np.where(rng.random(n_rounds) < 0.15, -1, 1) * np.sign(X[:, 0])

    def loss_and_gradient(t, w):
        margin = y[t] * (X[t] @ w)
        return math.log1p(math.exp(-margin)), -y[t] * X[t] / (1 + math.exp(margin))

    def total(w):
        return np.logaddexp(0, -y * (X @ w)).sum()

    return loss_and_gradient, total


def square_stream(dimension, n_rounds, seed):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n_rounds, dimension))
    X /= np.linalg.norm(X, axis=1, keepdims=True)
    y = np.sign(rng.normal(size=n_rounds)) * np.where(np.arange(n_rounds) % 7 < 4, 1, -1)

    def loss_and_gradient(t, w):
        error = X[t] @ w - y[t]
        return error**2, 2 * error * X[t]

    def total(w):
        return ((X @ w - y) ** 2).sum()

    return loss_and_gradient, total


def comparators(dimension, radius):
    rng = np.random.default_rng(9)
    directions = rng.normal(size=(300, dimension))
    directions /= np.linalg.norm(directions, axis=1, keepdims=True)
    return directions * radius * rng.random((300, 1)) ** (1 / dimension)


# On the ball of radius 1 with |x| <= 1: logistic loss has alpha = 1/e, square loss alpha = 1/8.
@pytest.mark.parametrize(
    ("stream", "alpha", "steepness"),
    [(logistic_stream, math.exp(-1), 1.0), (square_stream, 1 / 8, 4.0)],
)
@pytest.mark.parametrize("dimension", [1, 3])
def test_newton_steps_keep_both_bounds(stream, alpha, steepness, dimension):
    constants = {"exp_concavity": alpha, "gradient_norm": steepness, "diameter": 2.0}
    rate = online_second_order.online_newton_step_rate(**constants)
    for seed in range(4):
        loss_and_gradient, total = stream(dimension, 100, seed)
        run = online_newton_step(loss_and_gradient, 100, dimension, rate, radius=1.0)
        regret = run.losses.sum() - min(total(u) for u in comparators(dimension, 1.0))
        realised = online_second_order.online_newton_step_realised(
            **constants, sum_quadratic_forms=run.quadratic_forms
        )
        a_priori = online_second_order.online_newton_step(
            **constants, dimension=dimension, n_rounds=100
        )
        assert holds(realised, regret)
        assert holds(a_priori, realised.bound)
        textbook = 2 * (1 / alpha + 2 * steepness) * dimension * math.log(100)
        assert a_priori.bound < textbook


def test_linear_losses_are_not_exp_concave_and_break_newton_steps():
    constants = {"exp_concavity": 100.0, "gradient_norm": 1.0, "diameter": 2.0}
    rate = online_second_order.online_newton_step_rate(**constants)

    def there_and_back(t, w):
        slope = 1.0 if t < 1000 else -1.0
        return slope * w[0], np.array([slope])

    run = online_newton_step(there_and_back, 3000, 1, rate, radius=1.0)
    observed = run.losses.sum() + 1000.0  # the point 1 of the ball loses -1000
    a_priori = online_second_order.online_newton_step(**constants, dimension=1, n_rounds=3000)
    realised = online_second_order.online_newton_step_realised(
        **constants, sum_quadratic_forms=run.quadratic_forms
    )
    assert not holds(a_priori, observed)
    assert not holds(realised, observed)
