"""AdaGrad against its plain self, peers' rules, its theorem, adversaries, and a wider box."""

import math
import pickle

import numpy as np
import pytest
from scipy import sparse

from reference import adagrad as plain
from reference.streams import spiteful, streams, within
from surelearn.certificate import Certificate
from surelearn.datasets.real import load
from surelearn.datasets.worlds import Noisy
from surelearn.learners.linear.adagrad import AdaGrad, AdaGradRegressor
from surelearn.learners.linear.online_gradient_descent import OnlineGradientDescent
from surelearn.losses import Absolute, Entropic, Hinge, Huber, Logistic, Square

LOSSES = [Hinge(), Logistic(), Square(), Absolute(), Huber(threshold=0.7)]


def reference(X, y, *, loss, limit, intercept):
    X = np.column_stack([X, np.ones(len(X))]) if intercept else X
    border = np.full(X.shape[1], float(limit))
    run = plain.adagrad(lambda t, w: loss.gradient(y[t], w @ X[t]) * X[t], len(X), -border, border)
    return (run.points[:-1] * X).sum(axis=1), run.points[-1]


def both(model):
    return np.append(model.coef_.ravel(), model.intercept_)


@pytest.mark.parametrize("loss", LOSSES, ids=repr)
@pytest.mark.parametrize("intercept", [False, True])
def test_it_equals_the_plain_version_dense_and_sparse(loss, intercept):
    X, signs = Noisy(4, 0.2).draw(80, seed=0)
    X[X < -0.5] = 0.0
    scores, weights = reference(X, signs, loss=loss, limit=0.3, intercept=intercept)
    for form in (X, sparse.csr_array(X)):
        model = AdaGrad(loss=loss, limit=0.3, fit_intercept=intercept)
        np.testing.assert_allclose(model.learn(form, signs), scores, rtol=1e-9, atol=1e-12)
        found = both(model) if intercept else model.coef_[0]
        np.testing.assert_allclose(found, weights, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("loss", LOSSES[2:], ids=repr)
def test_the_regressor_equals_the_plain_version(loss):
    rng = np.random.default_rng(1)
    X, y = rng.normal(size=(80, 3)), rng.normal(size=80)
    predictions, weights = reference(X, y, loss=loss, limit=0.8, intercept=True)
    model = AdaGradRegressor(loss=loss, limit=0.8)
    np.testing.assert_allclose(model.learn(X, y), predictions, rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(both(model), weights, rtol=1e-9, atol=1e-12)
    assert model.cumulative_loss_ == pytest.approx(loss.value(y, predictions).sum())


def test_a_run_by_hand():
    # The squared gradients sum to 1, 2, 2.25; a step is √(2/that)·g, and the first is clipped.
    model = AdaGradRegressor(loss=Absolute(), limit=1.0, fit_intercept=False)
    assert model.learn([[1.0], [1.0], [0.5]], [9.0, -9.0, 9.0]).tolist() == [0.0, 1.0, 0.0]
    assert model.squares_.tolist() == [[0.0, 2.25]]
    np.testing.assert_allclose(model.coef_, [math.sqrt(2.0) / 3.0])
    assert model.certificates()[0].bound == pytest.approx(2.0 * math.sqrt(2.0 * 2.25))


def worst_regret(model, X, y, predictions):
    """Return the regret of the linearised losses to the best corner of the box, none worse."""
    slope = model.loss.gradient(y, predictions)
    X = np.column_stack([X, np.full(len(X), float(model.fit_intercept))])
    return slope @ predictions + model.limit * np.abs(slope @ X).sum()


@pytest.mark.parametrize("loss", LOSSES, ids=repr)
def test_no_sequence_exceeds_the_bounds(loss):
    for seed in range(12):
        for X, signs in streams(seed):
            model = AdaGrad(loss=loss, limit=0.1 + 0.3 * seed)
            observed = worst_regret(model, X, signs, model.learn(X, signs, classes=[-1, 1]))
            realised, a_priori = model.certificates()
            assert within(observed, realised)
            assert within(realised.bound, a_priori)
            assert realised.observed <= observed + 1e-9


def test_a_spiteful_adversary_does_not_exceed_the_bounds():
    X = np.random.default_rng(2).normal(size=(60, 3))
    signs = spiteful(lambda X, signs: AdaGrad().learn(X, signs, classes=[-1, 1]), X)
    model = AdaGrad()
    scores = model.learn(X, signs, classes=[-1, 1])
    assert model.n_mistakes_ == 60
    assert all(within(worst_regret(model, X, signs, scores), c) for c in model.certificates())


def test_an_alternating_adversary_comes_within_a_factor_of_three_of_the_bound():
    model, signs = AdaGrad(fit_intercept=False), []
    for _ in range(400):
        score = float(model.decision_function([[1.0]])[0]) if signs else 0.0
        signs.append(-1.0 if score > 0 else 1.0)
        model.learn([[1.0]], signs[-1:], classes=[-1, 1])
    realised = model.certificates()[0]
    assert realised.bound / 3.0 < model.cumulative_loss_ - 400.0 + 1e-9 <= realised.bound


def test_a_comparator_outside_the_box_breaks_the_bound():
    X, signs = np.ones((400, 1)) / 2, np.ones(400)
    model = AdaGrad(limit=0.5, fit_intercept=False)
    model.learn(X, signs, classes=[-1, 1])
    realised = model.certificates()[0]
    losses = {u: Hinge().value(signs, X[:, 0] * u).sum() for u in (0.5, 2.0)}
    assert within(model.cumulative_loss_ - losses[0.5], realised)
    assert not within(model.cumulative_loss_ - losses[2.0], realised)


def test_the_scale_of_a_feature_does_not_matter_but_for_the_box():
    # Rates of its own make each weight times its feature the same, if the box is as wide for it.
    X, signs = Noisy(3, 0.1).draw(100, seed=3)
    large = AdaGrad(limit=1e6, fit_intercept=False)
    small = AdaGrad(limit=1e6 / 1024, fit_intercept=False)
    np.testing.assert_allclose(large.learn(X, signs), small.learn(1024 * X, signs), rtol=1e-12)


def test_on_rare_features_its_bound_is_below_that_of_one_rate_for_all():
    # One feature in each row, of a size of its own: 100 rows of size 100, 100 of size 0.01, ...
    sizes = np.repeat([100.0, 1.0, 0.01, 0.0001], 100)
    X = np.eye(4)[np.repeat(np.arange(4), 100)] * sizes[:, np.newaxis]
    signs = np.tile([1.0, -1.0], 200)
    diagonal, single = (
        AdaGrad(fit_intercept=False),
        OnlineGradientDescent(radius=2.0, fit_intercept=False),
    )  # the ball around the box [-1, 1]^4
    for model in (diagonal, single):
        model.learn(X, signs)
    assert diagonal.certificates()[0].bound < 0.6 * single.certificates()[0].bound


def test_sparse_rows_move_only_their_features():
    model = AdaGrad(fit_intercept=False)
    rows = sparse.csr_array(([1.0, 2.0], ([0, 1], [3, 70_000])), shape=(2, 100_000))
    model.learn(rows, [0, 1])
    assert np.flatnonzero(model.coef_[0]).tolist() == [3, 70_000]
    assert model.certificates()[0].bound == pytest.approx(2 * math.sqrt(2) * 3)


def test_more_classes_have_two_certificates_each_and_they_can_be_recomputed():
    table = load("iris")
    model = AdaGrad(limit=2.0).fit(table.X, table.y)
    issued = model.certificates()
    assert len(issued) == 6
    assert len({c.subject for c in issued}) == 3
    for certificate in issued:
        assert certificate.observed <= certificate.bound
        assert Certificate.from_json(certificate.to_json()).recompute() == certificate.bound
        assert "within [-2, 2]" in certificate.claim


def test_features_that_come_late_count_as_zeros_before():
    X, signs = Noisy(5, 0.1).draw(40, seed=7)
    X[:20, 3:] = 0.0
    early, late = AdaGrad(), AdaGrad()
    early.learn(X, signs)
    late.learn(X[:20, :3], signs[:20])
    late._grow(5)
    late.learn(X[20:], signs[20:])
    np.testing.assert_allclose(both(late), both(early), rtol=1e-12)
    assert late.certificates()[0].bound == pytest.approx(early.certificates()[0].bound)


def test_gradients_too_small_to_square_move_nothing():
    model = AdaGrad(fit_intercept=False).partial_fit([[1e-200], [-1e-200]], [0, 1])
    assert not model.coef_.any()


@pytest.mark.parametrize("settings", [{"limit": 0.0}, {"limit": math.nan}, {"loss": Entropic()}])
def test_bad_parameters_are_refused_and_leave_the_learner_as_it_was(settings):
    X, signs = Noisy(3, 0.1).draw(20, seed=6)
    model = AdaGrad().fit(X, signs)
    model.set_params(**settings)
    before = pickle.dumps(model)
    with pytest.raises(ValueError, match=next(iter(settings))):
        model.fit(X, signs)
    assert pickle.dumps(model) == before


def test_a_regressor_refuses_a_loss_of_labels():
    with pytest.raises(ValueError, match="Square"):
        AdaGradRegressor(loss=Logistic()).fit([[0.0], [1.0]], [0.3, 0.5])
