"""Rates of first-order methods: known values, random and hard functions, broken assumptions."""

import numpy as np
import pytest

from reference import gradient_descent as methods
from surelearn.bounds import optimization

TOLERANCE = 1 + 1e-9


def random_quadratic(rng, dimension=6):
    """Return value, gradient, curvature limits and start; the minimiser is 0 and f is 0 there."""
    curvatures = np.sort(rng.uniform(0.05, 4.0, dimension) ** 2)
    basis = np.linalg.qr(rng.standard_normal((dimension, dimension)))[0]
    hessian = basis @ np.diag(curvatures) @ basis.T
    start = 3 * rng.standard_normal(dimension)
    return lambda w: w @ hessian @ w / 2, lambda w: hessian @ w, curvatures[[0, -1]], start


def huber(width):
    """Return value and gradient of the function on which gradient descent is slowest; L = 1."""

    def value(w):
        return float(np.where(abs(w) <= width, w**2 / 2, width * abs(w) - width**2 / 2))

    return value, lambda w: np.clip(w, -width, width)


def test_catalogue_values_on_the_parabola():
    def gradient(w):
        return 2 * w

    def last(rate):
        return float(methods.gradient_descent(gradient, 1.0, rate, 50)[-1])

    assert last(0.1) == pytest.approx(1.427e-5, rel=1e-3)
    assert last(0.9) == pytest.approx(1.427e-5, rel=1e-3)
    assert last(0.5) == 0.0
    assert last(1.1) == pytest.approx(9100.44, abs=5e-3)


def test_momentum_has_its_catalogue_path_and_is_gradient_descent_without_momentum():
    path = methods.heavy_ball(lambda w: w, 1.0, 0.1, 0.9, 3)
    assert [float(w) for w in path] == pytest.approx([1.0, 0.9, 0.72, 0.486])
    plain = methods.gradient_descent(lambda w: w, 1.0, 0.1, 5)
    assert methods.heavy_ball(lambda w: w, 1.0, 0.1, 0.0, 5) == plain


def excess_rates(seed, n_steps):
    """Yield what is observed and what is guaranteed, at every step on one random quadratic."""
    value, gradient, (mu, L), start = random_quadratic(np.random.default_rng(seed))
    distance, initial = np.linalg.norm(start), value(start)
    smooth, curved = {"smoothness": L}, {"smoothness": L, "strong_convexity": mu}
    at_rate = {"learning_rate": 1 / L, "smoothness": L}
    plain = methods.gradient_descent(gradient, start, 1 / L, n_steps)
    fast = methods.nesterov(gradient, start, L, n_steps)
    faster = methods.nesterov_strongly_convex(gradient, start, L, mu, n_steps)
    ball = methods.heavy_ball(gradient, start, 0.3 / L, 0.7, n_steps)
    ratio = (np.sqrt(L) - np.sqrt(mu)) / (np.sqrt(L) + np.sqrt(mu))
    tuned_rate = 4 / (np.sqrt(L) + np.sqrt(mu)) ** 2
    tuned = methods.heavy_ball(gradient, start, tuned_rate, ratio**2, n_steps)
    for t in range(1, n_steps + 1):
        steps = {"n_steps": t}
        yield (
            value(plain[t]),
            optimization.gradient_descent(distance=distance, **at_rate, **steps),
        )
        yield (
            value(plain[t]),
            optimization.gradient_descent_strongly_convex(
                initial_excess=initial, **curved, **steps
            ),
        )
        yield (
            min(np.sum(gradient(w) ** 2) for w in plain[:t]),
            optimization.gradient_descent_nonconvex(initial_excess=initial, **at_rate, **steps),
        )
        yield value(fast[t]), optimization.nesterov(distance=distance, **smooth, **steps)
        yield (
            value(faster[t]),
            optimization.nesterov_strongly_convex(
                distance=distance, initial_excess=initial, **curved, **steps
            ),
        )
        yield (
            np.mean([value(w) for w in ball[: t + 1]]),
            optimization.heavy_ball(
                distance=distance,
                initial_excess=initial,
                learning_rate=0.3 / L,
                momentum=0.7,
                **smooth,
                **steps,
            ),
        )
        yield (
            np.linalg.norm(tuned[t]),
            optimization.heavy_ball_quadratic(distance=distance, **curved, **steps),
        )


@pytest.mark.parametrize("seed", range(6))
def test_no_method_is_ever_beyond_its_bound_on_random_quadratics(seed):
    for observed, guarantee in excess_rates(seed, n_steps=60):
        assert observed <= guarantee.bound * TOLERANCE + 1e-12, guarantee.theorem


@pytest.mark.parametrize("n_steps", [1, 2, 10, 100])
def test_the_slowest_function_needs_a_fixed_share_of_the_bound(n_steps):
    value, gradient = huber(1 / (2 * n_steps + 1))
    bound = optimization.gradient_descent(
        distance=1, learning_rate=1, smoothness=1, n_steps=n_steps
    ).bound
    reached = value(methods.gradient_descent(gradient, 1.0, 1.0, n_steps)[-1])
    assert reached == pytest.approx(1 / (4 * n_steps + 2))
    assert bound / 3.1 <= reached <= bound


@pytest.mark.parametrize("n_steps", [1, 3, 30])
def test_accelerated_descent_stays_below_its_bound_on_the_slowest_functions(n_steps):
    bound = optimization.nesterov(distance=1, smoothness=1, n_steps=n_steps).bound
    for width in np.geomspace(1e-4, 1, 60):
        value, gradient = huber(width)
        assert value(methods.nesterov(gradient, 1.0, 1.0, n_steps)[-1]) <= bound * TOLERANCE


def test_a_pure_quadratic_attains_the_strongly_convex_rate_on_its_flattest_axis():
    mu, L = 1.0, 10.0
    inputs = {"initial_excess": 0.5, "smoothness": L, "strong_convexity": mu, "n_steps": 7}
    last = methods.gradient_descent(lambda w: mu * w, 1.0, 1 / L, 7)[-1]
    bound = optimization.gradient_descent_strongly_convex(**inputs).bound
    assert mu * float(last) ** 2 / 2 == pytest.approx(0.5 * 0.9**14)
    assert bound == pytest.approx(0.5 * 0.9**7)


def test_the_gradient_of_a_nonconvex_function_becomes_small():
    rng = np.random.default_rng(8)

    def gradient(w):
        return 2 * np.cos(2 * w) + 0.2 * w  # of sin(2 w) + w²/10, so L = 4.2

    inputs = {"learning_rate": 1 / 4.2, "smoothness": 4.2}
    for start in rng.uniform(-10, 10, 40):
        initial = np.sin(2 * start) + start**2 / 10 + 1.0
        points = methods.gradient_descent(gradient, start, 1 / 4.2, 40)
        for t in range(1, 41):
            guarantee = optimization.gradient_descent_nonconvex(
                initial_excess=initial, **inputs, n_steps=t
            )
            assert guarantee.allows(min(gradient(w) ** 2 for w in points[:t]))


@pytest.mark.parametrize("rate", [1.0, 1.1])
def test_a_rate_of_two_over_smoothness_breaks_every_bound_and_is_refused(rate):
    last = float(methods.gradient_descent(lambda w: 2 * w, 1.0, rate, 50)[-1])
    assert last**2 > 1 / (2 * rate * 50)
    assert (2 * last) ** 2 > 2 * 1 / (rate * 50)
    for function, inputs in (
        (optimization.gradient_descent, {"distance": 1}),
        (optimization.gradient_descent_nonconvex, {"initial_excess": 1}),
        (
            optimization.heavy_ball,
            {"distance": 1, "initial_excess": 1, "momentum": 0.5},
        ),
    ):
        with pytest.raises(ValueError, match="learning_rate"):
            function(**inputs, learning_rate=rate, smoothness=2, n_steps=50)


def test_a_function_without_a_minimiser_has_no_distance_and_breaks_the_bound():
    last = float(methods.gradient_descent(lambda w: -np.exp(-w), 0.0, 1.0, 100)[-1])
    bound = optimization.gradient_descent(distance=1, learning_rate=1, smoothness=1, n_steps=100)
    assert not bound.allows(np.exp(-last))


def test_the_plateau_that_was_called_convex_breaks_the_bound():
    def gradient(x):
        return 0.0 if x <= 0 else 2 * (x - 0.5)

    last = float(methods.gradient_descent(gradient, -1.0, 0.5, 50)[-1])
    bound = optimization.gradient_descent(distance=1.5, learning_rate=0.5, smoothness=2, n_steps=50)
    assert last == -1.0
    assert not bound.allows(0.25)


@pytest.mark.parametrize("rate", [0.3, 0.5, 0.62, 0.9])
def test_descent_on_the_plateau_succeeds_exactly_where_the_catalogue_says(rate):
    def gradient(x):
        return np.where(x <= 0, 0.0, 2 * (x - 0.5))

    starts = np.linspace(-2, 8, 301)
    ends = methods.gradient_descent(gradient, starts, rate, 800)[-1]
    reach = np.inf if rate <= 0.5 else rate / (2 * rate - 1)
    expected = (starts > 0) & (starts < reach)
    np.testing.assert_array_equal(np.abs(ends - 0.5) < 1e-9, expected)


def test_understating_the_smoothness_breaks_acceleration():
    def gradient(w):
        return 5 * w

    last = float(methods.nesterov(gradient, 1.0, 1.0, 30)[-1])
    assert not optimization.nesterov(distance=1, smoothness=1, n_steps=30).allows(2.5 * last**2)


def test_overstating_the_strong_convexity_breaks_both_linear_rates():
    curved = {"smoothness": 1.0, "strong_convexity": 0.5, "n_steps": 40}

    def gradient(w):
        return 0.001 * w

    plain = float(methods.gradient_descent(gradient, 1.0, 1.0, 40)[-1])
    fast = float(methods.nesterov_strongly_convex(gradient, 1.0, 1.0, 0.5, 40)[-1])
    initial = {"initial_excess": 0.0005}
    rate = optimization.gradient_descent_strongly_convex(**initial, **curved)
    accelerated = optimization.nesterov_strongly_convex(distance=1, **initial, **curved)
    assert not rate.allows(0.0005 * plain**2)
    assert not accelerated.allows(0.0005 * fast**2)


def piecewise_quadratic_gradient(w):
    """Lessard, Recht and Packard (2016): curvature 25, then 1, then 25 again."""
    return np.where(w < 1, 25 * w, np.where(w < 2, w + 24, 25 * w - 24))


def test_the_heavy_ball_cycles_on_a_convex_function_that_is_not_quadratic():
    points = methods.heavy_ball(piecewise_quadratic_gradient, 3.3, 1 / 9, 4 / 9, 500)
    guarantee = optimization.heavy_ball_quadratic(
        distance=3.3, smoothness=25, strong_convexity=1, n_steps=500
    )
    assert not guarantee.allows(abs(float(points[-1])))
    assert max(abs(float(w)) for w in points[-6:]) > 0.5


def test_the_mean_excess_of_the_heavy_ball_does_hold_there():
    points = methods.heavy_ball(piecewise_quadratic_gradient, 3.3, 0.02, 0.5, 500)
    grid = np.linspace(0, 3.3, 200_001)
    initial = float(np.trapezoid(piecewise_quadratic_gradient(grid), grid))
    area = np.concatenate([[0], np.cumsum(piecewise_quadratic_gradient(grid)[1:]) * grid[1]])
    excess = [np.interp(abs(float(w)), grid, area) if w >= 0 else 12.5 * w**2 for w in points]
    guarantee = optimization.heavy_ball(
        distance=3.3,
        initial_excess=initial,
        learning_rate=0.02,
        momentum=0.5,
        smoothness=25,
        n_steps=500,
    )
    assert guarantee.allows(np.mean(excess))


def test_planned_steps_are_enough_and_one_fewer_is_not():
    inputs = {"distance": 3.0, "learning_rate": 0.1, "smoothness": 7.0}
    steps = optimization.plan_gradient_descent_steps(**inputs, excess=0.011)
    assert optimization.gradient_descent(**inputs, n_steps=steps).bound <= 0.011
    assert optimization.gradient_descent(**inputs, n_steps=steps - 1).bound > 0.011
    fast = optimization.plan_nesterov_steps(distance=3.0, smoothness=7.0, excess=0.011)
    assert optimization.nesterov(distance=3, smoothness=7, n_steps=fast).bound <= 0.011
    assert optimization.nesterov(distance=3, smoothness=7, n_steps=fast - 1).bound > 0.011
    assert optimization.plan_nesterov_steps(distance=0, smoothness=1, excess=1e-9) == 1


def test_a_perfectly_conditioned_function_is_solved_in_one_step():
    curved = {"smoothness": 3.0, "strong_convexity": 3.0, "n_steps": 1}
    for guarantee in (
        optimization.gradient_descent_strongly_convex(initial_excess=2, **curved),
        optimization.nesterov_strongly_convex(distance=1, initial_excess=2, **curved),
        optimization.heavy_ball_quadratic(distance=1, **curved),
    ):
        assert guarantee.bound == 0.0


def test_a_linear_rate_never_underflows_to_zero():
    guarantee = optimization.gradient_descent_strongly_convex(
        initial_excess=1, smoothness=2, strong_convexity=1, n_steps=10**7
    )
    assert 0.0 < guarantee.bound < 1e-300


def test_more_curvature_than_smoothness_and_full_momentum_are_refused():
    with pytest.raises(ValueError, match="strong_convexity"):
        optimization.gradient_descent_strongly_convex(
            initial_excess=1, smoothness=1, strong_convexity=2, n_steps=3
        )
    with pytest.raises(ValueError, match="momentum"):
        optimization.heavy_ball(
            distance=1, initial_excess=1, learning_rate=1, momentum=1, smoothness=1, n_steps=3
        )
