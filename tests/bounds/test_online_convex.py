"""Gradient descent and its kin: tight sequences, adversaries, and sets without a border."""

import math

import numpy as np
import pytest

from reference.adagrad import adagrad
from reference.adahedge import play as play_adahedge
from reference.hedge import play as play_hedge
from reference.online_gradient_descent import gradient_descent
from surelearn.bounds import online_convex, regret_adaptive

N_ROUNDS = 120


def holds(guarantee, observed):
    return observed <= guarantee.bound + 1e-9 * (1.0 + abs(guarantee.bound))


def gradients(dimension, seed=0):
    """Yield gradients at most 1 long: random, radial, orthogonal, alternating, sparse, tiny."""
    rng = np.random.default_rng(seed)
    axes = np.eye(dimension)

    def random(_t, _w):
        g = rng.normal(size=dimension)
        return g / np.linalg.norm(g)

    def radial(_t, w):
        return w / np.linalg.norm(w) if np.linalg.norm(w) > 0 else axes[0]

    yield random
    yield lambda t, w: -radial(t, w)
    yield radial
    yield lambda t, _w: axes[t % dimension]
    yield lambda t, _w: (-1) ** t * axes[0]
    yield lambda t, _w: axes[0] * (-1 if t > N_ROUNDS / 2 else 1)
    yield lambda t, w: random(t, w) * 10.0 ** -rng.integers(0, 6)


def squares(run):
    return float((run.gradients**2).sum())


def test_hinge_descent_reproduces_the_tight_example_of_the_catalogue():
    rate, comparator = 3 / 5, np.full(25, 3 / 5)

    def hinge_gradient(t, w):
        return -np.eye(25)[t] if w[t] < 1 else np.zeros(25)

    run = gradient_descent(hinge_gradient, 25, 25, lambda *_: rate)
    learner = sum(max(0.0, 1 - run.points[t, t]) for t in range(25))
    regret = learner - 25 * (1 - comparator[0])
    assert (learner, regret) == (25.0, pytest.approx(15.0))
    bound = online_convex.gradient_descent_fixed(norm=3.0, gradient_norm=1.0, n_rounds=25)
    assert bound.bound == pytest.approx(regret, rel=1e-9)
    assert holds(bound, regret)


def test_hinge_descent_reproduces_the_run_of_the_catalogue():
    X, y = np.array([(1, 0), (0, 1), (1, 1), (1, 0)]), np.array([1, -1, 1, 1])

    def hinge_gradient(t, w):
        return -y[t] * X[t] * (y[t] * (w @ X[t]) < 1)

    run = gradient_descent(hinge_gradient, 4, 2, lambda *_: 0.5)
    np.testing.assert_allclose(run.points[1:], [(0.5, 0), (0.5, -0.5), (1, 0), (1, 0)])


@pytest.mark.parametrize("dimension", [1, 4])
@pytest.mark.parametrize("radius", [None, 1.5])
def test_a_fixed_rate_keeps_both_bounds(dimension, radius):
    for gradient in gradients(dimension):
        for norm in (0.3, 1.5):
            rate = norm / math.sqrt(N_ROUNDS)
            run = gradient_descent(gradient, N_ROUNDS, dimension, lambda *_, r=rate: r, radius)
            realised = online_convex.gradient_descent_realised(
                norm=norm, learning_rate=rate, sum_squared_gradients=squares(run)
            )
            a_priori = online_convex.gradient_descent_fixed(
                norm=norm, gradient_norm=1.0, n_rounds=N_ROUNDS
            )
            assert holds(realised, run.worst_regret(norm))
            assert holds(a_priori, realised.bound)


@pytest.mark.parametrize("dimension", [1, 4])
@pytest.mark.parametrize("rate", [0.5, 2.0, 2 / math.sqrt(2)])
def test_projected_descent_keeps_its_bounds_at_every_horizon(dimension, rate):
    steps = rate / np.sqrt(np.arange(1, N_ROUNDS + 1))
    for gradient in gradients(dimension):
        run = gradient_descent(gradient, N_ROUNDS, dimension, lambda t, _: steps[t], radius=1.0)
        for t in (1, 7, N_ROUNDS):
            part = type(run)(run.points[: t + 1], run.gradients[:t])
            weighted = float((steps[:t, None] * part.gradients**2).sum())
            realised = online_convex.gradient_descent_projected_realised(
                diameter=2.0, learning_rate=steps[t - 1], sum_rates_times_squares=weighted
            )
            inputs = {"diameter": 2.0, "gradient_norm": 1.0, "n_rounds": t}
            general = online_convex.gradient_descent_projected(**inputs, learning_rate=rate)
            assert holds(realised, part.worst_regret(1.0))
            assert holds(general, realised.bound)
            if rate == 2 / math.sqrt(2):
                tuned = online_convex.gradient_descent_projected_tuned(**inputs)
                assert holds(tuned, general.bound)


def test_the_catalogue_values_of_projected_descent():
    inputs = {"diameter": 2.0, "gradient_norm": 4.0, "n_rounds": 500}
    tuned = online_convex.gradient_descent_projected_tuned(**inputs).bound
    assert tuned / 500 == pytest.approx(0.505964, abs=1e-6)
    assert tuned == pytest.approx(4 * math.sqrt(8 * 500))
    three_halves = online_convex.gradient_descent_projected(**inputs, learning_rate=0.5).bound
    assert three_halves == pytest.approx(1.5 * 8 * math.sqrt(500) - 4)


@pytest.mark.parametrize("dimension", [1, 4])
def test_adaptive_descent_keeps_its_bound_on_a_bounded_set(dimension):
    def rate(_t, seen):
        total = float((np.array(seen) ** 2).sum())
        return 2.0 / math.sqrt(2 * total) if total > 0 else 0.0

    for gradient in gradients(dimension):
        run = gradient_descent(gradient, N_ROUNDS, dimension, rate, radius=1.0)
        bound = online_convex.gradient_descent_adaptive_realised(
            diameter=2.0, sum_squared_gradients=squares(run)
        )
        assert holds(bound, run.worst_regret(1.0))


def test_without_a_border_adaptive_descent_loses_more_than_its_bound():
    # The first half drives the point away; the second pays for the distance gone.
    def rate(t, _seen):
        return 2.0 / math.sqrt(2 * (t + 1))

    def there_and_back(t, _w):
        return [-1.0] if t < 200 else [1.0]

    run = gradient_descent(there_and_back, 400, 1, rate)
    bound = online_convex.gradient_descent_adaptive_realised(
        diameter=2.0, sum_squared_gradients=squares(run)
    )
    assert not holds(bound, run.worst_regret(1.0))
    fenced = gradient_descent(there_and_back, 400, 1, rate, radius=1.0)
    assert holds(bound, fenced.worst_regret(1.0))
    realised = online_convex.gradient_descent_projected_realised(
        diameter=2.0,
        learning_rate=rate(399, None),
        sum_rates_times_squares=sum(rate(t, None) for t in range(400)),
    )
    assert not holds(realised, run.worst_regret(1.0))


def test_gradients_longer_than_declared_break_the_a_priori_bounds():
    bound = online_convex.gradient_descent_fixed(norm=1.0, gradient_norm=1.0, n_rounds=100)
    wild = gradient_descent(lambda t, _w: [20.0 * (-1) ** t], 100, 1, lambda *_: 0.1)
    assert not holds(bound, wild.worst_regret(1.0))
    inputs = {"diameter": 2.0, "gradient_norm": 1.0, "n_rounds": 100}
    projected = gradient_descent(
        lambda t, _w: [20.0 * (-1) ** t],
        100,
        1,
        lambda t, _: 2 / math.sqrt(2 * (t + 1)),
        radius=1.0,
    )
    observed = projected.worst_regret(1.0)
    assert not holds(online_convex.gradient_descent_projected_tuned(**inputs), observed)
    general = online_convex.gradient_descent_projected(**inputs, learning_rate=math.sqrt(2))
    assert not holds(general, observed)


def test_a_comparator_outside_the_ball_breaks_the_bounds():
    run = gradient_descent(lambda *_: [-1.0], 400, 1, lambda *_: 1 / 20)
    bound = online_convex.gradient_descent_fixed(norm=1.0, gradient_norm=1.0, n_rounds=400)
    assert holds(bound, run.worst_regret(1.0))
    assert not holds(bound, run.worst_regret(15.0))
    realised = online_convex.gradient_descent_realised(
        norm=1.0, learning_rate=0.05, sum_squared_gradients=400.0
    )
    assert not holds(realised, run.worst_regret(15.0))


@pytest.mark.parametrize("stabiliser", [0.0, 0.5])
def test_adagrad_keeps_its_bound_on_a_box(stabiliser):
    low, high = np.array([-1.0, -3.0, 0.0, -0.1]), np.array([1.0, 3.0, 0.5, 0.1])
    for gradient in gradients(4):
        run = adagrad(gradient, N_ROUNDS, low, high, stabiliser)
        bound = online_convex.adagrad(
            widths=high - low,
            sums_of_squares=(run.gradients**2).sum(axis=0),
            stabiliser=stabiliser,
        )
        best = np.where(run.gradients.sum(axis=0) > 0, low, high)
        assert holds(bound, run.regret(best))


def test_a_corner_wider_than_declared_breaks_adagrad():
    run = adagrad(lambda *_: [-1.0], 100, [-1.0], [1.0])
    bound = online_convex.adagrad(widths=[2.0], sums_of_squares=[100.0])
    assert holds(bound, run.regret(np.array([1.0])))
    assert not holds(bound, run.regret(np.array([2.0])))


@pytest.mark.parametrize("n_rounds", [1, 5, 100])
def test_a_chased_parabola_attains_the_harmonic_bound_and_breaks_the_printed_one(n_rounds):
    # Erratum E3-26: the source bounds 1 + 1/2 + ... + 1/T by ln(T + 1), which is below it.
    centres = []

    def chase(_t, w):
        centres.append(w[0] + 1.0)
        return [-1.0]

    run = gradient_descent(chase, n_rounds, 1, lambda t, _: 1 / (t + 1))
    losses = 0.5 * (run.points[:-1, 0] - centres) ** 2
    regret = losses.sum() - 0.5 * ((np.mean(centres) - np.array(centres)) ** 2).sum()
    inputs = {"strong_convexity": 1.0, "gradient_norm": 1.0}
    bound = online_convex.strongly_convex(**inputs, n_rounds=n_rounds)
    assert regret == pytest.approx(bound.bound, rel=1e-9)
    assert holds(bound, regret)
    assert regret > 0.5 * math.log(n_rounds + 1)


def test_strongly_convex_losses_keep_both_bounds():
    rng = np.random.default_rng(1)
    for curvature in (0.3, 2.0):
        centres = rng.uniform(-1, 1, (N_ROUNDS, 3))

        def gradient(t, w, c=curvature, z=centres):
            return c * (w - z[t]) + np.sign(w) * 0.1

        run = gradient_descent(
            gradient, N_ROUNDS, 3, lambda t, _, c=curvature: 1 / (c * (t + 1)), radius=2.0
        )

        def total(points, c=curvature, z=centres):
            return (0.5 * c * (points - z) ** 2 + 0.1 * np.abs(points)).sum()

        candidates = [centres.mean(axis=0) * s for s in np.linspace(0, 1.2, 25)]
        regret = total(run.points[:-1]) - min(total(u) for u in candidates)
        lengths = np.linalg.norm(run.gradients, axis=1)
        realised = online_convex.strongly_convex_realised(
            strong_convexity=curvature,
            sum_squares_over_t=float((lengths**2 / np.arange(1, N_ROUNDS + 1)).sum()),
        )
        a_priori = online_convex.strongly_convex(
            strong_convexity=curvature, gradient_norm=lengths.max(), n_rounds=N_ROUNDS
        )
        assert holds(realised, regret)
        assert holds(a_priori, realised.bound)


def test_linear_losses_are_not_strongly_convex_and_break_both_bounds():
    run = gradient_descent(
        lambda t, _: [1.0 if t < 250 else -1.0], 1000, 1, lambda t, _: 1 / (t + 1), radius=1.0
    )
    inputs = {"strong_convexity": 1.0}
    bound = online_convex.strongly_convex(**inputs, gradient_norm=1.0, n_rounds=1000)
    harmonic = float((1 / np.arange(1, 1001)).sum())
    realised = online_convex.strongly_convex_realised(**inputs, sum_squares_over_t=harmonic)
    assert not holds(bound, run.worst_regret(1.0))
    assert not holds(realised, run.worst_regret(1.0))


def test_the_harmonic_number_is_exact_and_below_one_plus_the_logarithm():
    for n_rounds in (1, 3, 10**7):
        bound = online_convex.strongly_convex(
            strong_convexity=0.5, gradient_norm=1.0, n_rounds=n_rounds
        ).bound
        assert bound <= (1 + math.log(n_rounds)) * (1 + 1e-11)
    assert bound == pytest.approx(16.69531136585985, rel=1e-11)


@pytest.mark.parametrize("dimension", [1, 6])
def test_exponentiated_gradient_keeps_its_bounds(dimension):
    corners = 1.5 * np.vstack([np.eye(dimension), -np.eye(dimension)])
    inputs = {"norm": 1.5, "gradient_norm": 1.0, "dimension": dimension, "n_rounds": N_ROUNDS}
    rate = math.sqrt(2 * math.log(2 * dimension) / N_ROUNDS) / 1.5
    for gradient in gradients(dimension):

        def losses(t, weights, gradient=gradient):
            return corners @ gradient(t, corners.T @ weights)

        tuned = play_hedge(losses, N_ROUNDS, 2 * dimension, rate)
        assert holds(online_convex.exponentiated_gradient(**inputs), tuned.regret)
        free = play_adahedge(losses, N_ROUNDS, 2 * dimension)
        realised = regret_adaptive.adahedge_realised(
            sum_mixability_gaps=free.gap_sums[-1], previous_sum_mixability_gaps=free.gap_sums[-2]
        )
        assert holds(realised, free.regret)
        assert holds(online_convex.exponentiated_gradient_adaptive(**inputs), realised.bound)


def test_gradients_beyond_their_limit_break_exponentiated_gradient():
    corners = np.array([[1.0], [-1.0]])

    def steep(_t, weights):
        point = float(corners[:, 0] @ weights)
        return 30 * corners[:, 0] * (1.0 if point >= 0 else -1.0)

    inputs = {"norm": 1.0, "gradient_norm": 1.0, "dimension": 1, "n_rounds": 100}
    tuned = play_hedge(steep, 100, 2, math.sqrt(2 * math.log(2) / 100))
    assert not holds(online_convex.exponentiated_gradient(**inputs), tuned.regret)
    free = play_adahedge(steep, 100, 2)
    assert not holds(online_convex.exponentiated_gradient_adaptive(**inputs), free.regret)


def test_degenerate_inputs():
    nothing = online_convex.gradient_descent_adaptive_realised(
        diameter=2.0, sum_squared_gradients=0.0
    )
    assert nothing.bound == 0.0
    at_start = {"norm": 0.0, "learning_rate": 1.0, "sum_squared_gradients": 0.0}
    assert online_convex.gradient_descent_realised(**at_start).bound == 0.0
    with pytest.raises(ValueError, match="sums_of_squares"):
        online_convex.adagrad(widths=[1.0, 2.0], sums_of_squares=[1.0])
    with pytest.raises(ValueError, match=r"widths\[1\]"):
        online_convex.adagrad(widths=[1.0, -2.0], sums_of_squares=[1.0, 1.0])
