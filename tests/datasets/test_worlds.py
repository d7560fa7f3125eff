"""Worlds are what they say: shapes, seeds and truths."""

import numpy as np
import pytest

from surelearn.bounds import neighbors
from surelearn.datasets import real, worlds
from surelearn.learners.linear.linear_regression import LinearRegression

ALL = [
    worlds.Separable(3, 0.1),
    worlds.Noisy(3, 0.2),
    worlds.Drifting(0.1, 0.4),
    worlds.FiniteTable((0.5, 0.5), (0.1, 0.8)),
    worlds.monotone_disjunction(8, (0, 3, 5), noise=0.1),
]


@pytest.mark.parametrize("world", ALL, ids=lambda w: type(w).__name__)
def test_the_same_seed_gives_the_same_data_and_another_seed_other_data(world):
    first, again, other = (flat(world.draw(50, seed=s)) for s in (0, 0, 1))
    np.testing.assert_array_equal(first, again)
    assert not np.array_equal(first, other)


def flat(drawn):
    return np.concatenate([np.ravel(part) for part in drawn])


def test_the_margin_is_kept_and_nearly_attained():
    world = worlds.Separable(5, 0.3)
    X, signs = world.draw(5000, seed=0)
    margins = signs * (X @ world.direction)
    assert 0.3 <= margins.min() < 0.301
    np.testing.assert_allclose(np.linalg.norm(X, axis=1), 1.0)


def test_the_noisy_worlds_risk_formula_is_the_measured_risk():
    world = worlds.Noisy(3, 0.15)
    weights = np.array([1.0, 0.2, -0.4])
    X, signs = world.draw(200_000, seed=0)
    measured = np.mean(np.where(X @ weights > 0, 1.0, -1.0) != signs)
    assert world.risk(weights) == pytest.approx(measured, abs=0.005)
    assert world.risk(world.direction) == pytest.approx(0.15)
    assert world.risk(-world.direction) == pytest.approx(0.85)


def test_the_catalogues_table_has_its_exact_risks():
    world = worlds.FiniteTable((1 / 3, 1 / 3, 1 / 3), (0.1, 0.9, 0.2))
    thresholds = [world.risk(np.arange(3) >= t) for t in range(4)]
    np.testing.assert_allclose(thresholds, [0.6, 1 / 3, 0.6, 0.4])
    assert world.bayes_risk == pytest.approx(0.4 / 3)


def test_disjunctions_have_about_equal_labels_and_the_stated_noise():
    X, y = worlds.monotone_disjunction(12, (2, 7), noise=0.1).draw(20_000, seed=0)
    assert abs(y.mean() - 0.5) < 0.02
    assert np.mean(y != (X[:, 2] | X[:, 7])) == pytest.approx(0.1, abs=0.01)


@pytest.mark.parametrize(
    "make",
    [
        lambda: worlds.Separable(1, 0.1),
        lambda: worlds.Separable(3, 1.0),
        lambda: worlds.Noisy(3, 0.6),
        lambda: worlds.FiniteTable((0.5, 0.4), (0.1, 0.1)),
        lambda: worlds.FiniteTable((0.5, 0.5), (0.1,)),
        lambda: real.load("no_such_table"),
    ],
)
def test_impossible_worlds_are_refused(make):
    with pytest.raises(ValueError, match=r"\w+"):
        make()


@pytest.mark.parametrize(
    ("name", "shape"),
    [
        ("breast_cancer", (569, 30)),
        ("diabetes", (442, 10)),
        ("digits", (1797, 64)),
        ("iris", (150, 4)),
        ("wine", (178, 13)),
    ],
)
def test_real_tables_have_their_shapes_and_names(name, shape):
    table = real.load(name)
    assert table.X.shape == shape
    assert len(table.feature_names) == shape[1]
    assert len(table.y) == shape[0]
    assert table.task == ("regression" if name == "diabetes" else "classification")


def test_the_catalogues_noise_of_a_table_is_the_risk_of_its_regression_function():
    # For bits the best prediction under square loss is P(1|x), whose risk is the mean variance.
    world = worlds.FiniteTable((1 / 3,) * 3, (0.1, 0.9, 0.2))
    best = np.array(world.positive)
    points, labels = world.draw(300_000, seed=0)
    exact = np.asarray(world.probabilities) @ (best * (1 - best))
    assert exact == pytest.approx(0.113333, abs=1e-6)
    assert np.mean((labels - best[points]) ** 2) == pytest.approx(exact, abs=1e-3)
    means = LinearRegression(fit_intercept=False).fit(np.eye(3)[points], labels)
    np.testing.assert_allclose(means.coef_, best, atol=0.005)  # least squares find it


def test_the_catalogues_two_points_under_two_losses():
    world = worlds.FiniteTable((0.5, 0.5), (0.2, 0.9))
    assert world.bayes_risk == world.risk(np.array([0, 1])) == pytest.approx(0.15)
    positive = np.array(world.positive)
    means = 2 * positive - 1  # of labels -1 and 1
    assert means.tolist() == pytest.approx([-0.6, 0.8])
    within, between = np.mean(1 - means**2), np.var(means)
    assert (within, between, within + between) == pytest.approx((0.50, 0.49, 0.99))
    limit = float(np.mean(2 * positive * (1 - positive)))
    assert limit == pytest.approx(0.25)
    assert neighbors.cover_hart(bayes_risk=world.bayes_risk).allows(limit)
