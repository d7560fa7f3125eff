"""Rates of stochastic gradients: known values, many seeds, and gradients that break them."""

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer
from sklearn.svm import LinearSVC

from reference.gradient_descent import stochastic_gradient_descent
from reference.pegasos import objective, pegasos, pegasos_weighted
from surelearn.bounds import stochastic_gradient
from surelearn.evaluate.coverage import Coverage


def standard_errors_above(sample, bound):
    """Return by how many standard errors the mean of the sample exceeds the bound."""
    return (sample.mean() - bound) / (sample.std(ddof=1) / np.sqrt(len(sample)))


def test_pegasos_has_its_catalogue_value():
    inputs = {"radius": 1, "regularization": 0.01, "n_steps": 1000}
    bound = stochastic_gradient.pegasos_high_probability(**inputs, delta=0.05).bound
    assert bound == pytest.approx(3.5635, abs=5e-5)
    breast = stochastic_gradient.pegasos(radius=20.546, regularization=0.01, n_steps=20_000).bound
    assert breast == pytest.approx(46.03 - 2 * 20.546**2 / 200 * (1 - np.euler_gamma), abs=0.01)


def test_the_factor_of_the_high_probability_bound_is_the_least_over_its_free_constant():
    c = np.linspace(1e-4, 1 - 1e-4, 200_001)
    for harmonic, delta in ((0.5, 0.5), (7.5, 0.05), (20.0, 1e-9)):
        level = -np.log(delta)
        least = ((harmonic + level / c) / (1 - c)).min()
        assert stochastic_gradient._martingale_factor(harmonic, delta) == pytest.approx(least)


def test_the_harmonic_number_lies_above_the_printed_logarithm():
    for n in (1, 5, 100, 10**9):
        assert np.log(n + 1) < stochastic_gradient._harmonic(n) <= 1 + np.log(n) + 1e-12
    assert stochastic_gradient._harmonic(100) == pytest.approx(np.sum(1 / np.arange(1, 101)))


def test_the_misprinted_logarithm_fails_where_regret_equals_half_the_harmonic_number():
    for n_rounds in (1, 5, 100):
        w, targets = 0.0, []
        for t in range(1, n_rounds + 1):
            targets.append(w + 1.0)
            w += 1.0 / t
        regret = n_rounds / 2 - np.sum((np.array(targets) - np.mean(targets)) ** 2) / 2
        assert regret == pytest.approx(stochastic_gradient._harmonic(n_rounds) / 2)
        assert regret > np.log(n_rounds + 1) / 2


def into_interval(w):
    return np.clip(w, -1.0, 1.0)


def linear_runs(repetitions, n_steps, slope=0.1, seed=0):
    """Return the excess of many runs on f(w) = slope * w over [-1, 1] with gradients of ±1."""
    rng = np.random.default_rng(seed)

    def noisy(w):
        return np.where(rng.random(w.shape) < (1 + slope) / 2, 1.0, -1.0)

    rates = np.full(n_steps, 2 / np.sqrt(n_steps))

    points = stochastic_gradient_descent(noisy, into_interval, np.ones(repetitions), rates)
    return slope * (np.mean(points[:-1], axis=0) + 1.0)


def test_the_mean_excess_of_sgd_is_below_its_bound_and_not_far_below(repetitions):
    excess = linear_runs(repetitions, 100)
    bound = stochastic_gradient.sgd(diameter=2, gradient_bound=1, n_steps=100).bound
    assert standard_errors_above(excess, bound) < 4
    assert excess.mean() > bound / 4


def test_sgd_exceeds_its_high_probability_bound_at_most_as_often_as_stated(repetitions):
    excess = linear_runs(repetitions, 100, seed=1)
    inputs = {"diameter": 2, "gradient_bound": 1, "n_steps": 100, "delta": 0.2}
    bound = stochastic_gradient.sgd_high_probability(**inputs).bound
    assert not Coverage(excess, np.full(repetitions, bound), 0.2).refuted()


def biased_runs(repetitions, n_steps):
    """Return the excess on f(w) = w/2 over [-1, 1] when every gradient has the wrong sign."""
    rates = np.full(n_steps, 2 / np.sqrt(n_steps))

    def upwards(w):
        return np.full(w.shape, -1.0)

    points = stochastic_gradient_descent(upwards, into_interval, np.zeros(repetitions), rates)
    return 0.5 * (np.mean(points[:-1], axis=0) + 1.0)


def test_biased_gradients_break_the_bounds_of_sgd():
    excess = biased_runs(400, 400)
    inputs = {"diameter": 2, "gradient_bound": 1, "n_steps": 400}
    assert np.all(excess > stochastic_gradient.sgd(**inputs).bound)
    bound = stochastic_gradient.sgd_high_probability(**inputs, delta=0.05).bound
    assert Coverage(excess, np.full(400, bound), 0.05).refuted()


def mean_estimates(repetitions, n_steps, drift=0.0, seed=2):
    """Return the excess of many runs on E (w - z)² / 2 over [-1, 1], z = ±1, started at 1."""
    rng = np.random.default_rng(seed)

    def noisy(w):
        return w - np.where(rng.random(w.shape) < 0.5 + drift, 1.0, -1.0)

    rates = 1.0 / np.arange(1, n_steps + 1)
    points = stochastic_gradient_descent(noisy, into_interval, np.ones(repetitions), rates)
    return np.mean(points[:-1], axis=0) ** 2 / 2


def test_strongly_convex_sgd_keeps_both_its_bounds(repetitions):
    excess = mean_estimates(repetitions, 50)
    inputs = {"gradient_bound": 2, "strong_convexity": 1, "n_steps": 50}
    expected = stochastic_gradient.sgd_strongly_convex(**inputs).bound
    assert standard_errors_above(excess, expected) < 4
    bound = stochastic_gradient.sgd_strongly_convex_high_probability(**inputs, delta=0.3).bound
    assert not Coverage(excess, np.full(repetitions, bound), 0.3).refuted()


def test_biased_gradients_break_the_bounds_of_strongly_convex_sgd():
    excess = mean_estimates(400, 1000, drift=0.4)
    inputs = {"gradient_bound": 2, "strong_convexity": 1, "n_steps": 1000}
    assert (
        standard_errors_above(excess, stochastic_gradient.sgd_strongly_convex(**inputs).bound) > 4
    )
    bound = stochastic_gradient.sgd_strongly_convex_high_probability(**inputs, delta=0.05).bound
    assert Coverage(excess, np.full(400, bound), 0.05).refuted()


class World:
    """Forty points of two noisy classes, with the exact minimum of the regularised hinge loss."""

    def __init__(self, regularization=0.1):
        rng = np.random.default_rng(5)
        self.X = rng.standard_normal((40, 2)) + 0.5
        self.signs = np.where(self.X.sum(axis=1) + rng.standard_normal(40) > 0, 1.0, -1.0)
        self.regularization = regularization
        self.radius = float(np.linalg.norm(self.X, axis=1).max())
        solver = LinearSVC(
            loss="hinge",
            C=1 / (40 * regularization),
            fit_intercept=False,
            tol=1e-12,
            max_iter=10**6,
        )
        self.minimiser = solver.fit(self.X, self.signs).coef_[0]
        self.best = self.value(self.minimiser)

    def value(self, w):
        return objective(w, self.X, self.signs, self.regularization)

    def excesses(self, repetitions, n_steps, seed):
        rng = np.random.default_rng(seed)
        inputs = (self.X, self.signs, self.regularization)
        draws = rng.integers(40, size=(repetitions, n_steps))
        averages = (pegasos(*inputs, row)[:-1].mean(axis=0) for row in draws)
        return np.array([self.value(w) for w in averages]) - self.best

    @property
    def inputs(self):
        return {"radius": self.radius, "regularization": self.regularization}


@pytest.fixture(scope="module")
def world():
    return World()


def test_pegasos_keeps_its_bounds_on_forty_points(world, repetitions):
    excess = world.excesses(repetitions, 60, seed=6)
    assert excess.min() > -1e-9
    expected = stochastic_gradient.pegasos(**world.inputs, n_steps=60).bound
    assert standard_errors_above(excess, expected) < 4
    inputs = {**world.inputs, "n_steps": 60, "delta": 0.3}
    for theorem in ("pegasos_high_probability", "pegasos_anytime"):
        bound = getattr(stochastic_gradient, theorem)(**inputs).bound
        assert not Coverage(excess, np.full(repetitions, bound), 0.3).refuted()


def test_pegasos_anytime_holds_at_all_steps_at_once(world):
    rng = np.random.default_rng(9)
    steps = np.array([1, 2, 4, 8, 16, 32, 64, 128])
    bounds = [
        stochastic_gradient.pegasos_anytime(**world.inputs, n_steps=int(t), delta=0.3).bound
        for t in steps
    ]
    slack = []
    for _ in range(200):
        points = pegasos(world.X, world.signs, 0.1, rng.integers(40, size=128))
        averages = np.cumsum(points, axis=0)[steps - 1] / steps[:, None]
        slack.append(min(b - world.value(w) for b, w in zip(bounds, averages, strict=True)))
    assert not Coverage(np.full(200, -world.best), np.array(slack), 0.3).refuted()


def test_the_weighted_average_keeps_its_bound_and_the_points_stay_in_their_ball(world):
    rng = np.random.default_rng(7)
    excess, weights = [], np.arange(1, 101)
    for _ in range(100):
        draws = rng.integers(40, size=100)
        points = pegasos_weighted(world.X, world.signs, 0.1, draws)
        assert np.linalg.norm(points, axis=1).max() <= world.radius / 0.1 * (1 + 1e-12)
        excess.append(world.value(weights @ points[:-1] / weights.sum()) - world.best)
    bound = stochastic_gradient.pegasos_weighted(**world.inputs, n_steps=100).bound
    assert standard_errors_above(np.array(excess), bound) < 4


def test_pegasos_reaches_the_minimum_of_a_real_problem_within_its_bound():
    X, labels = load_breast_cancer(return_X_y=True)
    X = (X - X.mean(axis=0)) / X.std(axis=0)
    signs = np.where(labels == 1, 1.0, -1.0)
    draws = np.random.default_rng(0).integers(len(X), size=20_000)
    average = pegasos(X, signs, 0.01, draws)[:-1].mean(axis=0)
    excess = objective(average, X, signs, 0.01) - 0.0675577
    inputs = {"radius": 20.546, "regularization": 0.01, "n_steps": 20_000}
    assert 0 < excess < 0.05
    assert stochastic_gradient.pegasos_high_probability(**inputs, delta=1e-6).allows(excess)


def test_drawing_only_the_noisiest_row_breaks_the_bounds_of_pegasos(world):
    noisiest = int(np.argmin(world.signs * (world.X @ world.minimiser)))
    points = pegasos(world.X, world.signs, 0.1, np.full(20_000, noisiest))
    excess = world.value(points[:-1].mean(axis=0)) - world.best
    inputs = {**world.inputs, "n_steps": 20_000}
    assert not stochastic_gradient.pegasos(**inputs).allows(excess)
    for theorem in ("pegasos_high_probability", "pegasos_anytime"):
        assert not getattr(stochastic_gradient, theorem)(**inputs, delta=0.05).allows(excess)


def test_rows_longer_than_the_radius_break_the_weighted_bound():
    X, signs = np.array([[30.0], [-30.0]]), np.array([1.0, -1.0])
    points = pegasos_weighted(X, signs, 1.0, np.zeros(3, dtype=int))
    average = np.arange(1, 4) @ points[:-1] / 6
    excess = objective(average, X, signs, 1.0) - 0.5 / 900
    bound = stochastic_gradient.pegasos_weighted(radius=1, regularization=1, n_steps=3)
    assert not bound.allows(excess)


def test_planned_steps_are_enough_and_one_fewer_is_not():
    inputs = {"diameter": 3.0, "gradient_bound": 2.0}
    steps = stochastic_gradient.plan_sgd_steps(**inputs, excess=0.07)
    assert stochastic_gradient.sgd(**inputs, n_steps=steps).bound <= 0.07
    assert stochastic_gradient.sgd(**inputs, n_steps=steps - 1).bound > 0.07
    inputs = {"radius": 2.0, "regularization": 0.1, "delta": 0.01}
    steps = stochastic_gradient.plan_pegasos_steps(**inputs, excess=0.5)
    bound = stochastic_gradient.pegasos_high_probability
    assert bound(**inputs, n_steps=steps).bound <= 0.5 < bound(**inputs, n_steps=steps - 1).bound


def test_a_tiny_delta_and_a_single_step_give_finite_bounds():
    inputs = {"gradient_bound": 1, "strong_convexity": 1, "n_steps": 1, "delta": 1e-17}
    bound = stochastic_gradient.sgd_strongly_convex_high_probability(**inputs).bound
    assert 100 < bound < 200
    assert stochastic_gradient.pegasos(radius=0, regularization=1, n_steps=1).bound == 0.0
