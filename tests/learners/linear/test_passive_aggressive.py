"""Passive-Aggressive learning against its plain self, its peers, its theorems, broken worlds."""

import math
import pickle
import warnings

import numpy as np
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.linear_model import SGDClassifier, SGDRegressor

from reference import passive_aggressive as plain
from reference.streams import spiteful, streams
from surelearn.certificate import Certificate
from surelearn.datasets import adversaries
from surelearn.datasets.real import load
from surelearn.datasets.worlds import Noisy, Separable
from surelearn.evaluate.coverage import Coverage
from surelearn.learners.linear.passive_aggressive import PassiveAggressive, PassiveAggressiveSquared
from surelearn.learners.linear.passive_aggressive_regressor import (
    PassiveAggressiveRegressor,
    PassiveAggressiveSquaredRegressor,
)

CLASSIFIERS = {1: PassiveAggressive, 2: PassiveAggressiveSquared}
REGRESSORS = {1: PassiveAggressiveRegressor, 2: PassiveAggressiveSquaredRegressor}
every_variant = pytest.mark.parametrize("variant", [1, 2])
every_limit = pytest.mark.parametrize("C", [0.05, 1.0, math.inf])


def with_constant(X):
    return np.column_stack([X, np.ones(len(X))])


def binary_powers(seed, n=40):
    """Return rows of squared norm 1, 4 or 16 and short fractions: all arithmetic is exact."""
    rng = np.random.default_rng(seed)
    X = np.zeros((n, 6))
    X[np.arange(n), rng.integers(6, size=n)] = rng.choice([-4.0, -2.0, -1.0, 1.0, 2.0], n)
    return X, rng.choice([-1.0, 1.0], n)


def code(variant, C):
    """Return how the plain version calls a variant: without a limit both are 0."""
    return 0 if math.isinf(C) else variant


@pytest.mark.parametrize(("variant", "C"), [(1, 0.5), (1, 1.0), (1, math.inf), (2, math.inf)])
def test_it_equals_the_plain_version_exactly_where_arithmetic_is_exact(variant, C):
    for seed in range(20):
        X, signs = binary_powers(seed)
        losses, steps, w = plain.learn(X, signs, code(variant, C), C)
        for form in (X, sparse.csr_array(X)):
            model = CLASSIFIERS[variant](C=C, fit_intercept=False)
            scores = model.learn(form, signs, classes=[-1, 1])
            np.testing.assert_array_equal(np.maximum(0.0, 1.0 - signs * scores), losses)
            np.testing.assert_array_equal(model.coef_[0], w)
            n_mistakes, weighted, squared = model.sums_[0, :3]
            assert n_mistakes == model.n_mistakes_ == np.sum(signs * scores <= 0.0)
            assert (weighted, squared) == (np.sum(steps * losses), np.sum(losses**2))
            total = losses.sum() if variant == 1 else squared
            assert model.cumulative_loss_ == total


@every_variant
@every_limit
def test_it_equals_the_plain_version_on_every_stream(variant, C):
    for X, signs in streams(3):
        rows = with_constant(X)
        losses, _, w = plain.learn(rows, signs, code(variant, C), C)
        model = CLASSIFIERS[variant](C=C)
        scores = model.learn(X, signs, classes=[-1, 1])
        np.testing.assert_allclose(np.maximum(0.0, 1.0 - signs * scores), losses, atol=1e-9)
        np.testing.assert_allclose(np.append(model.coef_, model.intercept_), w, atol=1e-9)


@every_variant
@every_limit
def test_the_regressor_equals_the_plain_version_on_every_stream(variant, C):
    rng = np.random.default_rng(4)
    for X, signs in streams(4):
        y = signs + rng.normal(size=len(X))
        losses, _, w = plain.learn(with_constant(X), y, code(variant, C), C, 0.1)
        for form in (X, sparse.csr_array(X)):
            model = REGRESSORS[variant](C=C, epsilon=0.1)
            said = model.learn(form, y)
            np.testing.assert_allclose(np.maximum(0.0, np.abs(y - said) - 0.1), losses, atol=1e-9)
            np.testing.assert_allclose(np.append(model.coef_, model.intercept_), w, atol=1e-9)


def peer(kind, variant, **settings):
    rate = {1: "pa1", 2: "pa2"}[variant]
    return kind(
        penalty=None, learning_rate=rate, shuffle=False, tol=None, fit_intercept=False, **settings
    )


@every_variant
@pytest.mark.parametrize("n_passes", [1, 4])
def test_it_equals_scikit_learns_sgd_with_the_same_rule(variant, n_passes):
    X, signs = Noisy(4, 0.1).draw(200, seed=0)
    theirs = peer(SGDClassifier, variant, loss="hinge", eta0=0.3, max_iter=n_passes)
    ours = CLASSIFIERS[variant](C=0.3, fit_intercept=False, max_iter=n_passes).fit(X, signs)
    np.testing.assert_allclose(ours.coef_, theirs.fit(X, signs).coef_, rtol=1e-9)


@every_variant
def test_the_regressor_equals_scikit_learns_sgd_with_the_same_rule(variant):
    rng = np.random.default_rng(1)
    X = rng.normal(size=(150, 4))
    y = X @ [1.0, -2.0, 0.5, 0.0] + 0.3 * rng.normal(size=150)
    settings = {"loss": "epsilon_insensitive", "epsilon": 0.1, "eta0": 0.3, "max_iter": 3}
    theirs = peer(SGDRegressor, variant, **settings).fit(X, y)
    ours = REGRESSORS[variant](C=0.3, epsilon=0.1, fit_intercept=False, max_iter=3).fit(X, y)
    np.testing.assert_allclose(ours.coef_, theirs.coef_, rtol=1e-9)


def two_classes(X, signs):
    """Append two zero rows, so that both classes are there whatever the stream."""
    return np.vstack([X, np.zeros((2, X.shape[1]))]), np.append(signs, [-1.0, 1.0])


@pytest.mark.parametrize(
    "seeds", [range(1), pytest.param(range(1, 5), marks=pytest.mark.slow)], ids=["one", "more"]
)
@every_variant
@every_limit
def test_certificates_hold_on_every_stream(variant, C, seeds):
    for seed in seeds:
        for given in streams(seed, n_rows=24):
            X, signs = two_classes(*given)
            for fit_intercept in (True, False):
                model = CLASSIFIERS[variant](C=C, fit_intercept=fit_intercept, max_iter=2)
                issued = model.fit(X, signs).certificates()
                assert [c.kind for c in issued] == ["mistakes", "regret", "risk"]
                for c in issued[:2]:
                    void = math.isinf(C) and not fit_intercept
                    assert (c.status == "void") == void
                    assert void or c.observed <= c.bound * (1 + 1e-9)
                    assert void or c.recompute() == c.bound


@every_variant
def test_certificates_hold_when_every_label_is_the_wrong_one(variant):
    def scores_of(X, signs):
        return CLASSIFIERS[variant]().learn(X, signs, classes=[-1, 1])

    for X, _ in streams(1, n_rows=12):
        signs = spiteful(scores_of, X)
        rows, y = two_classes(X, signs)
        model = CLASSIFIERS[variant](max_iter=1).fit(rows, y)
        assert model.n_mistakes_ >= len(X)
        assert all(c.observed <= c.bound for c in model.certificates())


@every_variant
@every_limit
def test_the_regressors_certificates_hold_on_every_stream(variant, C):
    rng = np.random.default_rng(5)
    for seed in range(3):
        for X, signs in streams(seed, n_rows=24):
            y = signs + rng.standard_t(2, size=len(X))
            model = REGRESSORS[variant](C=C, max_iter=2).fit(X, y)
            (issued,) = model.certificates()
            assert issued.status == "valid"
            assert issued.observed <= issued.bound * (1 + 1e-9)
            assert model.guarantee(norm=0.0, comparator_loss=1e6).allows(issued.observed)


def test_orthonormal_rows_attain_the_bounds():
    X, _ = adversaries.orthonormal_stream(12, radius=2.0)
    signs = np.tile([1.0, -1.0], 6)
    model = PassiveAggressive(C=math.inf, fit_intercept=False, max_iter=1).fit(X, signs)
    assert model.guarantee(norm=math.sqrt(12) / 2).bound == pytest.approx(12.0)
    mistakes, losses, _ = model.certificates()
    assert mistakes.observed == losses.observed == 12.0
    assert losses.bound == pytest.approx(12.0, rel=1e-4)
    cut = PassiveAggressive(C=0.25, fit_intercept=False, max_iter=1).fit(X, signs)
    _, losses, _ = cut.certificates()
    assert losses.bound == pytest.approx(losses.observed, rel=1e-4)


def test_a_comparator_that_is_not_one_breaks_the_bound():
    X, signs = Noisy(3, 0.3).draw(200, seed=0)
    model = PassiveAggressive(C=10.0, fit_intercept=False, max_iter=1).fit(X, signs)
    assert not model.guarantee(norm=0.5, comparator_loss=0.0).allows(model.n_mistakes_)
    assert all(c.observed <= c.bound for c in model.certificates())


def test_rows_of_margin_one_give_a_bound_that_says_something():
    X, signs = Separable(6, 0.4).draw(2000, seed=0)
    model = PassiveAggressive(fit_intercept=False).fit(X, signs)
    mistakes = model.certificates()[0]
    assert mistakes.status == "valid"
    assert mistakes.observed <= mistakes.bound < 0.05 * mistakes.n
    assert model.guarantee(norm=1 / 0.4).allows(model.n_mistakes_)


def test_a_large_limit_never_binds_and_equals_none():
    X, signs = Noisy(3, 0.1).draw(100, seed=2)
    without = PassiveAggressive(C=math.inf).fit(X, signs).coef_
    np.testing.assert_array_equal(PassiveAggressive(C=1e9).fit(X, signs).coef_, without)
    np.testing.assert_array_equal(PassiveAggressiveSquared(C=math.inf).fit(X, signs).coef_, without)


@every_variant
@every_limit
def test_zero_rows_and_tiny_rows_move_nothing_and_break_nothing(variant, C):
    X = np.array([[0.0, 0.0], [1e-150, 0.0], [1.0, 2.0], [-1.0, 0.5]])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model = CLASSIFIERS[variant](C=C, fit_intercept=False).fit(X, [1, -1, 1, -1])
        assert np.isfinite(model.coef_).all()
        assert (model.certificates()[0].status == "void") == math.isinf(C)


@every_variant
def test_dropping_rows_outside_the_compression_set_leaves_the_model_as_it_is(variant):
    X, signs = Separable(3, 0.2).draw(120, seed=6)
    model = CLASSIFIERS[variant](max_iter=15).fit(X, signs)
    rng = np.random.default_rng(6)
    assert len(model.compression_set_) < 120
    for _ in range(20):
        keep = rng.random(120) < 0.3
        keep[model.compression_set_] = True
        np.testing.assert_array_equal(clone(model).fit(X[keep], signs[keep]).coef_, model.coef_)
    outside = np.setdiff1d(np.arange(120), model.compression_set_)
    np.testing.assert_array_equal(model.predict(X[outside]), signs[outside])


def test_the_compression_certificate_covers_the_risk(repetitions):
    world, rng = Noisy(2, 0.02), np.random.default_rng(0)
    truths, bounds = [], []
    for _ in range(repetitions // 2):
        X, signs = world.draw(60, seed=rng)
        if len(np.unique(signs)) == 2:
            model = PassiveAggressive(fit_intercept=False, max_iter=5).fit(X, signs)
            truths.append(world.risk(model.coef_[0]))
            bounds.append(model.certificates(delta=0.2)[-1].bound)
    assert not Coverage(np.array(truths), np.array(bounds), 0.2).refuted()


def test_more_classes_have_certificates_each():
    table = load("iris")
    model = PassiveAggressive().fit(table.X, table.y)
    issued = model.certificates()
    assert len({c.subject for c in issued if c.kind == "mistakes"}) == 3
    assert sum(c.observed for c in issued if c.kind == "mistakes") == model.n_mistakes_
    assert Certificate.from_json(issued[0].to_json()).recompute() == issued[0].bound


def test_a_new_limit_waits_for_the_next_start():
    X, signs = Noisy(3, 0.2).draw(60, seed=7)
    model = PassiveAggressive(C=0.1).fit(X, signs)
    before = [c.bound for c in model.certificates()]
    assert [c.bound for c in model.set_params(C=100.0).certificates()] == before
    twin = PassiveAggressive(C=0.1).fit(X, signs)
    np.testing.assert_array_equal(model.learn(X, signs), twin.learn(X, signs))
    assert model.certificates() == ()


@pytest.mark.parametrize("learner", [*CLASSIFIERS.values(), *REGRESSORS.values()])
@pytest.mark.parametrize("C", [0.0, -1.0, math.nan, "much"])
def test_a_limit_that_is_none_is_refused_and_changes_nothing(learner, C):
    X, y = [[1.0], [2.0]], [0, 1]
    model = learner().fit(X, y).set_params(C=C)
    before = pickle.dumps(model)
    with pytest.raises((ValueError, TypeError), match="C"):
        model.fit(X, y)
    assert pickle.dumps(model) == before


def test_a_negative_tube_is_refused():
    with pytest.raises(ValueError, match="epsilon"):
        PassiveAggressiveRegressor(epsilon=-0.1).learn([[1.0]], [1.0])


def test_it_learns_digits_and_a_line():
    table = load("digits")
    assert PassiveAggressive(C=0.1).fit(table.X / 16, table.y).score(table.X / 16, table.y) > 0.9
    rng = np.random.default_rng(8)
    X = rng.normal(size=(500, 5))
    y = X @ rng.normal(size=5) + 3.0
    assert PassiveAggressiveRegressor().fit(X, y).score(X, y) > 0.95


@pytest.mark.parametrize(
    ("price", "least", "linearised"), [(0.25, 0.03125, 2.0), (1.0, 0.125, 0.5), (5.0, 0.4, 0.4)]
)
def test_a_step_is_the_proximal_one_and_not_the_linearised_one_of_the_source(
    price, least, linearised
):
    x, start = np.array([1.0, 1.0]), np.array([0.5, 0.0])
    limit = 1 / (2 * price)

    def objective(w):
        return max(0.0, 1.0 - w @ x) + price * np.sum((w - start) ** 2)

    model = PassiveAggressive(C=limit, fit_intercept=False)
    model.learn([[0.0, 0.0]], [1], classes=[-1, 1])  # which moves nothing
    vars(model)["learnt_"].states[0].coef[:] = start  # what is handed out is read-only
    model.learn(x[np.newaxis], [1])
    assert objective(model.coef_[0]) == pytest.approx(least)
    assert objective(start + limit * x) == pytest.approx(linearised)
    line = [objective(start + step * x) for step in np.linspace(0.0, limit, 40_001)]
    assert min(line) >= least - 1e-9
