"""The second-order Perceptron against its plain self, its theorems, hard and broken worlds."""

import math
import pickle
from fractions import Fraction

import numpy as np
import pytest
from scipy import sparse
from sklearn.base import clone

from reference import second_order_perceptron as plain
from reference.streams import spiteful, streams
from surelearn.certificate import Certificate
from surelearn.datasets import adversaries
from surelearn.datasets.real import load
from surelearn.datasets.worlds import Noisy, Separable
from surelearn.evaluate.coverage import Coverage
from surelearn.learners.linear.perceptron import Perceptron
from surelearn.learners.linear.second_order_perceptron import SecondOrderPerceptron


@pytest.mark.parametrize("a", [0.25, 1.0, 4.0])
def test_on_orthogonal_rows_the_weights_are_known_to_the_last_digit(a):
    rng = np.random.default_rng(0)
    X = np.sqrt(3.0 * a) * np.eye(5)[rng.permutation(5)]  # q = 3, so that every root is whole
    signs = rng.choice([-1.0, 1.0], 5)
    _, updated, leverages = plain.learn(X, signs, a)
    model = SecondOrderPerceptron(a=a, fit_intercept=False)
    model.learn(X, signs, classes=[-1, 1])
    assert model.n_mistakes_ == len(updated) == 5
    assert model.leverages_[0] == pytest.approx(leverages.sum(), rel=1e-15)
    np.testing.assert_allclose(model.coef_[0], signs @ X / (4.0 * a), rtol=1e-15)


@pytest.mark.parametrize("a", [0.01, 1.0, 50.0])
@pytest.mark.parametrize("intercept", [False, True])
def test_it_equals_the_plain_version_on_every_stream(a, intercept):
    for seed in range(3):
        for X, signs in streams(seed):
            rows = np.column_stack([X, np.ones(len(X))]) if intercept else X
            scores, updated, leverages = plain.learn(rows, signs, a)
            for form in (X, sparse.csr_array(X)):
                model = SecondOrderPerceptron(a=a, fit_intercept=intercept)
                ours = model.learn(form, signs, classes=[-1, 1])
                np.testing.assert_array_equal(np.flatnonzero(signs * ours <= 0.0), updated)
                np.testing.assert_array_equal(np.sign(ours), np.sign(scores))
                assert model.leverages_[0] == pytest.approx(leverages.sum())


def test_the_matrix_and_the_weights_are_those_of_the_definition():
    X, signs = Noisy(4, 0.2).draw(80, seed=1)
    model = SecondOrderPerceptron(a=0.5)
    wrong = signs * model.learn(X, signs) <= 0.0
    rows = np.column_stack([np.ones(len(X)), X])[wrong]
    matrix = 0.5 * np.eye(5) + rows.T @ rows
    np.testing.assert_allclose(model.root_[0].T @ model.root_[0] @ matrix, np.eye(5), atol=1e-10)
    expected = np.linalg.solve(matrix, rows.T @ signs[wrong])
    np.testing.assert_allclose(np.append(model.intercept_, model.coef_[0]), expected)


def test_a_large_start_is_the_perceptron():
    X, signs = Noisy(4, 0.1).draw(200, seed=2)
    second = SecondOrderPerceptron(a=1e9, fit_intercept=False)
    first = Perceptron(fit_intercept=False)
    np.testing.assert_array_equal(np.sign(second.learn(X, signs)), np.sign(first.learn(X, signs)))


def test_stretched_features_do_not_hurt_it_as_they_hurt_the_perceptron():
    X, signs = Separable(5, 0.1).draw(1000, seed=3)
    stretched = X * [1.0, 100.0, 1.0, 1.0, 1.0]
    second = SecondOrderPerceptron(a=0.1, fit_intercept=False).partial_fit(stretched, signs)
    first = Perceptron(fit_intercept=False).partial_fit(stretched, signs)
    assert second.n_mistakes_ < 0.5 * first.n_mistakes_


def two_classes(X, signs):
    """Append two zero rows, so that both classes are there whatever the stream."""
    return np.vstack([X, np.zeros((2, X.shape[1]))]), np.append(signs, [-1.0, 1.0])


@pytest.mark.parametrize(
    "seeds", [range(2), pytest.param(range(2, 8), marks=pytest.mark.slow)], ids=["few", "more"]
)
@pytest.mark.parametrize("a", [0.01, 1.0, 50.0])
def test_certificates_hold_on_every_stream(a, seeds):
    for seed in seeds:
        for given in streams(seed, n_rows=24):
            model = SecondOrderPerceptron(a=a, max_iter=2).fit(*two_classes(*given))
            by_leverage, by_spectrum, risk = model.certificates()
            assert by_leverage.observed == by_spectrum.observed == model.n_mistakes_
            assert by_leverage.observed <= by_leverage.bound * (1 + 1e-9)
            assert by_leverage.bound <= by_spectrum.bound * (1 + 1e-9)
            assert risk.kind == "risk"
            assert by_spectrum.recompute() == by_spectrum.bound


def test_certificates_hold_when_every_label_is_the_wrong_one():
    def scores_of(X, signs):
        return SecondOrderPerceptron().learn(X, signs, classes=[-1, 1])

    for X, _ in streams(1, n_rows=12):
        rows, y = two_classes(X, spiteful(scores_of, X))
        model = SecondOrderPerceptron(max_iter=1).fit(rows, y)
        assert model.n_mistakes_ >= len(X)
        assert all(c.observed <= c.bound for c in model.certificates())


@pytest.mark.parametrize("a", [1e-6, 1e6])
def test_rows_of_sixteen_orders_of_magnitude_do_not_break_it(a):
    rng = np.random.default_rng(4)
    X = np.geomspace(1e-8, 1e8, 200)[:, np.newaxis] * rng.normal(size=(200, 4))
    rng.shuffle(X)
    model = SecondOrderPerceptron(a=a, max_iter=20).fit(X, rng.choice([-1.0, 1.0], 200))
    assert np.isfinite(model.coef_).all()
    assert 0.0 <= model.leverages_[0] <= model.n_mistakes_
    assert all(c.observed <= c.bound for c in model.certificates())


def test_orthonormal_rows_attain_the_bound():
    X, _ = adversaries.orthonormal_stream(50)
    signs = np.tile([1.0, -1.0], 25)
    model = SecondOrderPerceptron(a=1000.0, fit_intercept=False, max_iter=1).fit(X, signs)
    exact = model.guarantee(hinge_loss=0.0, norm=math.sqrt(50), sum_squared_scores=50.0)
    assert exact.bound == pytest.approx(50.0)
    by_leverage, by_spectrum, _ = model.certificates()
    assert by_leverage.observed == 50
    assert by_leverage.bound == pytest.approx(50.0, rel=1e-4)
    assert 50.0 <= by_spectrum.bound <= 50.013


def test_a_comparator_that_is_not_one_breaks_the_bound():
    X, signs = Noisy(3, 0.3).draw(200, seed=5)
    model = SecondOrderPerceptron(max_iter=1).fit(X, signs)
    false = model.guarantee(hinge_loss=0.0, norm=1.0, sum_squared_scores=1.0)
    assert not false.allows(model.n_mistakes_)


def test_rows_with_a_margin_give_a_bound_that_says_something():
    X, signs = Separable(4, 0.3).draw(3000, seed=6)
    model = SecondOrderPerceptron(fit_intercept=False, max_iter=100).fit(X, signs)
    by_leverage = model.certificates()[0]
    assert by_leverage.status == "valid"
    assert by_leverage.bound < 0.05 * by_leverage.n


def test_dropping_rows_outside_the_compression_set_leaves_the_model_as_it_is():
    X, signs = Noisy(3, 0.05).draw(120, seed=7)
    model = SecondOrderPerceptron().fit(X, signs)
    rng = np.random.default_rng(7)
    for _ in range(20):
        keep = rng.random(120) < 0.3
        keep[model.compression_set_] = True
        np.testing.assert_array_equal(clone(model).fit(X[keep], signs[keep]).coef_, model.coef_)


def test_the_compression_certificate_covers_the_risk(repetitions):
    world, rng = Noisy(2, 0.1), np.random.default_rng(0)
    truths, bounds = [], []
    for _ in range(repetitions // 2):
        X, signs = world.draw(60, seed=rng)
        model = SecondOrderPerceptron(fit_intercept=False, max_iter=5).fit(X, signs)
        truths.append(world.risk(model.coef_[0]))
        bounds.append(model.certificates(delta=0.2)[-1].bound)
    assert not Coverage(np.array(truths), np.array(bounds), 0.2).refuted()


def test_more_classes_have_certificates_each():
    table = load("iris")
    model = SecondOrderPerceptron(max_iter=50).fit(table.X, table.y)
    issued = model.certificates()
    assert len({c.subject for c in issued if c.kind == "mistakes"}) == 3
    assert Certificate.from_json(issued[1].to_json()).recompute() == issued[1].bound
    assert model.score(table.X, table.y) > 0.9


def test_learning_on_drops_the_certificates():
    X, signs = Noisy(3, 0.1).draw(50, seed=8)
    model = SecondOrderPerceptron().fit(X, signs)
    assert model.set_params(a=100.0).certificates()[0].bound > 0.0
    model.learn_one(X[0], signs[0])
    assert model.certificates() == ()


@pytest.mark.parametrize("a", [0.0, -1.0, math.inf, math.nan])
def test_a_start_that_is_not_positive_is_refused_and_changes_nothing(a):
    model = SecondOrderPerceptron().fit([[1.0], [-1.0]], [0, 1]).set_params(a=a)
    before = pickle.dumps(model)
    with pytest.raises(ValueError, match="a="):
        model.fit([[1.0], [-1.0]], [0, 1])
    assert pickle.dumps(model) == before


def test_too_many_features_are_refused_with_a_reason():
    X = sparse.csr_array((2, 20_000))
    with pytest.raises(ValueError, match=r"20000 features.*matrix"):
        SecondOrderPerceptron().fit(X, [0, 1])


@pytest.mark.parametrize("a", [1e6, 1e10, 1e20, 1e300])
def test_a_start_that_dwarfs_the_rows_leaves_both_bounds_true(a):
    model = SecondOrderPerceptron(a=a, fit_intercept=False, max_iter=1)
    model.fit(np.eye(50), np.arange(50) % 2)
    by_leverage, by_spectrum, _ = model.certificates()
    assert 50.0 <= by_leverage.bound <= 50.001
    assert 50.0 <= by_spectrum.bound <= 50.001


def exact_leverages(rows):
    """Yield xᵀA⁻¹x for two features, A the matrix after each row, in exact arithmetic."""
    p, q, r = Fraction(1), Fraction(0), Fraction(1)
    for row in rows:
        x, y = map(Fraction, row)
        p, q, r = p + x * x, q + x * y, r + y * y
        yield (r * x * x - 2 * q * x * y + p * y * y) / (p * r - q * q)


@pytest.mark.parametrize("scale", [1.0, 1e6, 1e12, 1e16, 1e60, 1e138])
def test_the_sum_of_leverages_is_never_stated_too_small(scale):
    for seed in range(20):
        rng = np.random.default_rng(seed)
        X, signs = scale * rng.normal(size=(40, 2)), rng.choice([-1.0, 1.0], 40)
        model = SecondOrderPerceptron(fit_intercept=False)
        wrong = signs * model.learn(X, signs, classes=[-1, 1]) <= 0.0
        stated = model.guarantee(hinge_loss=0.0, norm=1.0, sum_squared_scores=1.0).inputs
        assert stated["sum_leverages"] >= sum(exact_leverages(X[wrong].tolist()))
        model.fit(X, signs).certificates()


def test_a_start_so_small_that_products_overflow_is_refused():
    with pytest.raises(ValueError, match="at least 1e-20"):
        SecondOrderPerceptron(a=1e-30).fit([[1.0], [-1.0]], [0, 1])
