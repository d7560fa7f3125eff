"""Optimisers: equality with the plain versions, the catalogue's numbers, rates, honest refusals."""

import numpy as np
import pytest
from scipy.optimize import rosen, rosen_der

from reference import gradient_descent as plain
from surelearn.optimizers import (
    fixed_horizon,
    gradient_descent,
    harmonic,
    inverse_square_root,
    momentum,
    nesterov,
    stochastic_gradient_descent,
)

CURVES = np.array([1.0, 3.0, 10.0])


def square(w):
    return float(w @ w), 2.0 * w


def bowl(w):
    return 0.5 * float(CURVES @ w**2), CURVES * w


def study(w):
    """(max(0, x) - 1/2)², whose slope at 0 is taken to be 0."""
    return float((max(0.0, w[0]) - 0.5) ** 2), np.where(w > 0.0, 2.0 * (w - 0.5), 0.0)


@pytest.mark.parametrize(
    ("rate", "end"), [(0.1, 1.427e-5), (0.9, 1.427e-5), (0.5, 0.0), (1.0, 1.0), (1.1, 9100.44)]
)
def test_the_catalogues_fifty_steps_on_a_square(rate, end):
    trace = gradient_descent(square, [1.0], learning_rate=rate, tolerance=0.0, max_iter=50)
    assert abs(trace.point[0]) == pytest.approx(end, rel=1e-3)
    assert trace.converged == (rate == 0.5)
    assert ("rose" in trace.reason) == (rate == 1.1)


def test_steps_are_those_of_the_plain_versions():
    start, g = np.array([1.0, -2.0, 0.5]), lambda w: CURVES * w
    settings = {"tolerance": 0.0, "max_iter": 7}
    pairs = [
        (
            gradient_descent(bowl, start, learning_rate=0.1, **settings),
            plain.gradient_descent(g, start, 0.1, 7),
        ),
        (nesterov(bowl, start, learning_rate=0.1, **settings), plain.nesterov(g, start, 10.0, 7)),
        (
            nesterov(bowl, start, learning_rate=0.1, strong_convexity=1.0, **settings),
            plain.nesterov_strongly_convex(g, start, 10.0, 1.0, 7),
        ),
        (
            momentum(bowl, start, learning_rate=0.05, **settings),
            plain.heavy_ball(g, start, 0.05, 0.9, 7),
        ),
    ]
    for trace, points in pairs:
        np.testing.assert_allclose(trace.point, points[-1], rtol=1e-14)
        np.testing.assert_allclose(trace.values, [bowl(w)[0] for w in points], rtol=1e-13)


def test_the_catalogues_momentum_and_its_case_of_none():
    half = {"learning_rate": 0.1, "tolerance": 0.0, "max_iter": 3}
    trace = momentum(lambda w: (w @ w / 2, w), [1.0], **half)
    np.testing.assert_allclose(np.sqrt(2 * trace.values[1:]), [0.9, 0.72, 0.486], rtol=1e-12)
    still = momentum(bowl, np.ones(3), momentum=0.0, **half)
    np.testing.assert_array_equal(still.point, gradient_descent(bowl, np.ones(3), **half).point)


@pytest.mark.parametrize("rate", [0.02, 0.3, 0.5, 0.7, 0.9, 0.98])
@pytest.mark.parametrize("start", [-1.0, 0.0, 0.01, 0.4, 0.9, 1.1, 1.2, 3.0, 8.0])
def test_where_descent_succeeds_on_the_study_question(rate, start):
    trace = gradient_descent(study, [start], learning_rate=rate, max_iter=20_000, tolerance=1e-9)
    succeeds = start > 0.0 and (rate <= 0.5 or start < rate / (2 * rate - 1))
    assert (abs(trace.point[0] - 0.5) < 1e-6) == succeeds
    assert succeeds or trace.values[-1] == 0.25


def test_a_long_step_cycles_or_escapes_on_the_study_question():
    trace = gradient_descent(study, [0.3], learning_rate=1.0, max_iter=3)
    assert trace.point[0] == pytest.approx(0.7)
    trace = gradient_descent(study, [0.6], learning_rate=1.2, max_iter=100)
    assert trace.point[0] == pytest.approx(-0.037824, abs=1e-6)
    assert trace.converged  # the gradient is 0 on the plateau: a short gradient is no minimum


def test_the_gradient_of_the_mean_square_is_the_mean_of_the_examples_gradients():
    rng = np.random.default_rng(0)
    X, y, w = rng.normal(size=(30, 4)), rng.normal(size=30), rng.normal(size=4)

    def batch(w, rows):
        return 2.0 * X[rows].T @ (X[rows] @ w - y[rows]) / len(rows)

    each = np.mean([batch(w, np.array([j])) for j in range(30)], axis=0)
    np.testing.assert_allclose(each, batch(w, np.arange(30)), atol=1e-14)
    trace = stochastic_gradient_descent(
        batch,
        w,
        n_examples=30,
        n_steps=200,
        batch_size=30,
        with_replacement=False,
        learning_rate=0.1,
        seed=0,
        objective=lambda w: float(np.mean((X @ w - y) ** 2)),
    )
    np.testing.assert_allclose(trace.point, np.linalg.lstsq(X, y)[0], atol=1e-3)
    assert len(trace.values) == 200
    assert trace.values[-1] < trace.values[0]


def quadratics(count=15):
    rng = np.random.default_rng(1)
    for _ in range(count):
        curves = rng.uniform(0.0, 5.0, 6)
        yield curves, rng.normal(size=6), (lambda w, c=curves: (0.5 * float(c @ w**2), c * w))


def test_no_value_exceeds_its_rate():
    for curves, start, function in quadratics():
        L, mu, distance = curves.max(), curves.min(), float(np.linalg.norm(start))
        settings = {"tolerance": 0.0, "max_iter": 60}
        for trace in (
            gradient_descent(function, start, learning_rate=1 / L, **settings),
            gradient_descent(function, start, **settings),
            nesterov(function, start, learning_rate=1 / L, **settings),
            nesterov(function, start, learning_rate=1 / L, strong_convexity=mu, **settings),
        ):
            assert trace.guarantee(distance=distance).allows(trace.values[-1])
            assert "checked" in trace.guarantee(distance=distance).assumes["descent"]
        trace = gradient_descent(function, start, learning_rate=1 / L, **settings)
        assert trace.guarantee(distance=distance, strong_convexity=mu).allows(trace.values[-1])
        trace = momentum(function, start, learning_rate=0.1 / L, **settings)
        guarantee = trace.guarantee(distance=distance, smoothness=L)
        assert guarantee.allows(trace.values.mean())
        assert guarantee.allows(function(trace.average)[0])
        assert trace.smoothness <= L * (1 + 1e-9)


def test_a_run_with_too_long_a_step_gets_no_rate():
    for method in (gradient_descent, nesterov):
        trace = method(square, [1.0], learning_rate=0.9, max_iter=20)
        assert not trace.every_step_fell
        with pytest.raises(ValueError, match="no rate is known"):
            trace.guarantee(distance=1.0)
    with pytest.raises(ValueError, match="no step was taken"):
        gradient_descent(square, [0.0]).guarantee(distance=1.0)


def test_a_claimed_smoothness_that_the_run_refutes_is_refused():
    trace = momentum(square, [1.0], learning_rate=0.01, max_iter=5)
    with pytest.raises(ValueError, match="refuted by this run"):
        trace.guarantee(distance=1.0, smoothness=1.0)
    with pytest.raises(ValueError, match="learning_rate"):
        trace.guarantee(distance=1.0, smoothness=1e3)


def test_backtracking_needs_no_rate_and_stops_on_the_gradient():
    trace = gradient_descent(
        lambda w: (rosen(w), rosen_der(w)), [-1.2, 1.0], max_iter=100_000, tolerance=1e-5
    )
    assert trace.converged
    assert trace.every_step_fell
    assert trace.n_increases == 0
    assert trace.gradient_norms[-1] <= 1e-5 < trace.gradient_norms[-2]
    np.testing.assert_allclose(trace.point, [1.0, 1.0], atol=1e-4)


def test_a_function_without_a_minimum_or_with_no_value_is_said():
    def fall(w):
        with np.errstate(over="ignore"):
            return -float(np.exp(w[0])), -np.exp(w)

    trace = gradient_descent(fall, [0.0], learning_rate=1.0)
    assert "NaN or infinite" in trace.reason
    assert np.isfinite(trace.point).all()
    assert not trace.converged
    with pytest.raises(ValueError, match="at the start"):
        gradient_descent(lambda w: (np.nan, w), [1.0])
    with pytest.raises(ValueError, match="gradient has 2 entries"):
        gradient_descent(lambda _: (0.0, np.ones(2)), [1.0])


@pytest.mark.parametrize(
    "call",
    [
        lambda: gradient_descent(square, [1.0], learning_rate=0.0),
        lambda: momentum(square, [1.0], learning_rate=0.1, momentum=1.0),
        lambda: nesterov(square, [1.0], learning_rate=0.5, strong_convexity=3.0),
        lambda: gradient_descent(square, [np.nan]),
        lambda: gradient_descent(square, [1.0], max_iter=-1),
    ],
)
def test_arguments_outside_their_domain_are_named(call):
    with pytest.raises(ValueError, match="outside its domain"):
        call()


def absolute(data):
    """Mean distance to the data: convex, gradients no longer than 1."""
    return (
        lambda w, rows: np.array([np.sign(w[0] - data[rows]).mean()]),
        lambda w: float(np.abs(w[0] - data).mean()),
    )


@pytest.mark.parametrize("batch_size", [1, 5])
def test_averages_of_stochastic_runs_stay_below_their_bounds(batch_size):
    data = np.random.default_rng(0).uniform(-1.0, 1.0, 50)
    gradient, objective = absolute(data)
    rate, excesses = fixed_horizon(diameter=4.0, gradient_bound=1.0, n_steps=100), []
    for seed in range(60):
        trace = stochastic_gradient_descent(
            gradient,
            [2.0],
            n_examples=50,
            n_steps=100,
            learning_rate=rate,
            radius=2.0,
            batch_size=batch_size,
            seed=seed,
        )
        excesses.append(objective(trace.average) - objective(np.array([np.median(data)])))
    assert trace.guarantee(gradient_bound=1.0).confidence is None
    assert trace.guarantee(gradient_bound=1.0).allows(float(np.mean(excesses)))
    limit = trace.guarantee(gradient_bound=1.0, delta=0.1)
    assert np.mean([not limit.allows(e) for e in excesses]) <= 0.1


def test_harmonic_rates_make_the_point_the_running_mean_and_get_the_faster_bound():
    data = np.array([1.0, 2.0, 6.0])
    drawn = []

    def gradient(w, rows):
        drawn.append(data[rows[0]])
        return w - data[rows]

    trace = stochastic_gradient_descent(
        gradient, [0.0], n_examples=3, n_steps=40, learning_rate=harmonic(1.0), seed=3
    )
    assert trace.point[0] == pytest.approx(np.mean(drawn))
    means = np.append(0.0, np.cumsum(drawn)[:-1] / np.arange(1, 40))
    assert trace.average[0] == pytest.approx(means.mean())
    assert trace.weighted_average[0] == pytest.approx(means @ np.arange(1, 41) / 820)
    assert trace.guarantee(gradient_bound=6.0, strong_convexity=1.0, delta=0.05).bound > 0.0


def test_runs_that_no_theorem_covers_are_refused():
    data = np.linspace(-1.0, 1.0, 10)
    gradient, _ = absolute(data)
    common = {"n_examples": 10, "n_steps": 30, "radius": 1.0, "seed": 0}
    right = fixed_horizon(diameter=2.0, gradient_bound=1.0, n_steps=30)
    good = stochastic_gradient_descent(gradient, [1.0], learning_rate=right, **common)
    with pytest.raises(ValueError, match="refuted"):
        good.guarantee(gradient_bound=0.5)
    other = stochastic_gradient_descent(
        gradient, [1.0], learning_rate=inverse_square_root(1.0), **common
    )
    with pytest.raises(ValueError, match="learning rates"):
        other.guarantee(gradient_bound=1.0)
    shuffled = stochastic_gradient_descent(
        gradient, [1.0], learning_rate=right, with_replacement=False, **common
    )
    with pytest.raises(ValueError, match="with replacement"):
        shuffled.guarantee(gradient_bound=1.0)


def test_a_stochastic_run_is_reproducible_and_says_when_it_diverges():
    gradient = lambda w, rows: 2.0 * w + rows.mean()  # noqa: E731
    settings = {"n_examples": 7, "n_steps": 20, "learning_rate": 0.1, "batch_size": 2}
    first, second = (
        stochastic_gradient_descent(gradient, [1.0], seed=5, **settings) for _ in range(2)
    )
    np.testing.assert_array_equal(first.point, second.point)
    with np.errstate(over="ignore", invalid="ignore"):
        wild = stochastic_gradient_descent(
            lambda w, _: w**3, [1e3], n_examples=7, n_steps=50, learning_rate=1.0, seed=0
        )
    assert "learning rate is too long" in wild.reason


@pytest.mark.parametrize(
    ("changed", "what"),
    [
        ({"batch_size": 0}, "batch_size"),
        ({"batch_size": 8}, "batch_size"),
        ({"n_examples": 0}, "n_examples"),
        ({"learning_rate": lambda t: 1.0 - t}, "learning rate of step 1"),
        ({"learning_rate": lambda t: np.nan if t == 3 else 0.1}, "learning rate of step 3"),
        ({"start": [1.0, 2.0]}, "1 entries and the point has 2"),
    ],
)
def test_a_stochastic_run_that_makes_no_sense_is_refused(changed, what):
    settings = {"n_examples": 7, "n_steps": 20, "learning_rate": 0.1, "start": [1.0], **changed}
    with pytest.raises(ValueError, match=what):
        stochastic_gradient_descent(lambda w, _: w[:1], **settings)
