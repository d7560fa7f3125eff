"""Forward stagewise additive models: boosted regression trees, AdaBoost, any loss."""

import numpy as np
import pytest
from sklearn.ensemble import GradientBoostingRegressor
from sklearn.linear_model import LinearRegression

from surelearn import (
    Absolute,
    AdaBoostClassifier,
    CARTClassifier,
    CARTRegressor,
    Exponential,
    ForwardStagewiseClassifier,
    ForwardStagewiseRegressor,
    Huber,
    Logistic,
    QuantileLoss,
    Square,
    ZeroOne,
)
from surelearn.learners.ensembles._stages import line_search

X_TEN = np.arange(1.0, 11.0)[:, np.newaxis]
Y_TEN = np.array([5.56, 5.70, 5.91, 6.40, 6.80, 7.05, 8.90, 8.70, 9.00, 9.05])


def test_boosted_regression_trees_are_those_of_the_catalogue():
    model = ForwardStagewiseRegressor(n_estimators=6).fit(X_TEN, Y_TEN)
    sums = [1.9300083, 0.8006750, 0.4780083, 0.3055593, 0.2289152, 0.1721781]
    assert 10 * model.training_losses_[1:] == pytest.approx(sums, abs=5e-8)
    assert model.steps_ == pytest.approx(np.ones(6), rel=1e-12)
    stumps = [member.tree_ for member in model.estimators_]
    assert [float(s.threshold[0]) for s in stumps] == [6.5, 3.5, 6.5, 4.5, 6.5, 2.5]
    leaves = [s.value[1:, 0] for s in stumps]
    assert leaves[0] == pytest.approx([6.2366667, 8.9125], abs=5e-8)
    assert leaves[5] == pytest.approx([-0.1506481, 0.0376620], abs=5e-8)
    peer = GradientBoostingRegressor(
        n_estimators=6, learning_rate=1.0, max_depth=1, init="zero"
    ).fit(X_TEN, Y_TEN)
    assert model.predict(X_TEN) == pytest.approx(peer.predict(X_TEN), rel=1e-12)
    *_, last = model.staged_predict(X_TEN)
    assert (last == model.predict(X_TEN)).all()


def two_classes(n=200, seed=0):
    """Return rows with two classes that overlap."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 3))
    return X, np.where(X[:, 0] * X[:, 1] + 0.5 * rng.normal(size=n) > 0, "yes", "no")


@pytest.mark.parametrize("estimator", [None, CARTClassifier(max_depth=2)])
def test_the_exponential_loss_gives_adaboost(estimator):
    X, y = two_classes()
    stages = ForwardStagewiseClassifier(estimator=estimator, n_estimators=8).fit(X, y)
    rounds = AdaBoostClassifier(estimator=estimator, n_estimators=8).fit(X, y)
    assert stages.steps_ == pytest.approx(rounds.alphas_, abs=1e-8)
    assert 2 * stages.steps_ == pytest.approx(rounds.estimator_weights_, abs=1e-8)
    assert stages.training_losses_[1:] == pytest.approx(rounds.training_error_bounds_, rel=1e-9)
    assert stages.decision_function(X) == pytest.approx(rounds.decision_function(X), abs=1e-7)
    assert (stages.predict(X) == rounds.predict(X)).all()


@pytest.mark.parametrize(
    "loss", [Square(), Absolute(), Huber(threshold=0.5), QuantileLoss(level=0.8)], ids=repr
)
@pytest.mark.parametrize("rate", [1.0, 0.3])
def test_the_training_loss_of_numbers_never_rises(loss, rate):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(80, 2))
    y = np.sin(3 * X[:, 0]) + 0.1 * rng.normal(size=80)
    model = ForwardStagewiseRegressor(loss=loss, n_estimators=30, learning_rate=rate).fit(X, y)
    assert np.diff(model.training_losses_).max() <= 1e-12
    assert model.training_losses_[-1] < 0.7 * model.training_losses_[0]
    assert model.training_losses_[-1] == pytest.approx(loss.mean(y, model.predict(X)), rel=1e-9)


def test_the_training_loss_of_margins_never_rises():
    X, y = two_classes()
    model = ForwardStagewiseClassifier(loss=Logistic(), n_estimators=20).fit(X, y)
    assert np.diff(model.training_losses_).max() <= 1e-12
    signs = np.where(y == "yes", 1.0, -1.0)
    expected = Logistic().mean(signs, model.decision_function(X))
    assert model.training_losses_[-1] == pytest.approx(expected, rel=1e-9)


def test_any_base_learner_will_do():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 2))
    y = X @ [1.0, -2.0]
    model = ForwardStagewiseRegressor(estimator=LinearRegression(), n_estimators=3).fit(X, y)
    assert model.predict(X + 1.0) == pytest.approx((X + 1.0) @ [1.0, -2.0], abs=1e-9)
    assert "cannot fall" in model.stop_reason_ or len(model.steps_) == 3


def test_the_step_is_where_the_loss_is_least():
    rng = np.random.default_rng(0)
    y, f, values, weights = rng.normal(size=(4, 50))
    weights, grid = np.abs(weights), np.linspace(0.0, 4.0, 401)
    near = np.linspace(-0.01, 0.01, 401)
    for loss in (Absolute(), Huber(), QuantileLoss(level=0.3)):
        step = line_search(loss, y, f, values * np.sign(values @ (weights * (y - f))), weights)
        values_there = values * np.sign(values @ (weights * (y - f)))
        costs = [
            loss.mean(y, f + s * values_there, weights=weights) for s in (*grid, *(step + near))
        ]
        assert loss.mean(y, f + step * values_there, weights=weights) <= min(costs) + 1e-12
    signs = np.where(y > 0, 1.0, -1.0)
    right = np.where(rng.random(50) < 0.7, signs, -signs)
    error = np.mean(right != signs)
    step = line_search(Exponential(), signs, np.zeros(50), right, np.ones(50))
    assert step == pytest.approx(0.5 * np.log((1 - error) / error), abs=1e-10)


@pytest.mark.parametrize("loss", [Absolute(), QuantileLoss(level=0.3)])
@pytest.mark.parametrize("scale", [1e-100, 1e-15, 1e13, 1e100])
def test_the_unit_of_the_targets_changes_nothing_but_the_unit_of_the_steps(loss, scale):
    X, y = np.random.default_rng(0).normal(size=(2, 80))
    y += 3.0 * X
    plain = ForwardStagewiseRegressor(loss=loss, n_estimators=4).fit(X[:, np.newaxis], y)
    model = ForwardStagewiseRegressor(loss=loss, n_estimators=4).fit(X[:, np.newaxis], scale * y)
    assert model.stop_reason_ == ""
    np.testing.assert_allclose(model.steps_ / scale, plain.steps_, rtol=1e-6)


def test_a_member_that_separates_the_rows_ends_the_stages():
    model = ForwardStagewiseClassifier(n_estimators=9).fit([[0.0], [1.0], [2.0]], [0, 1, 1])
    assert model.steps_.tolist() == [1.0]
    assert "for ever" in model.stop_reason_


@pytest.mark.parametrize("learner", [ForwardStagewiseClassifier, ForwardStagewiseRegressor])
def test_a_member_no_better_than_chance_ends_the_stages_with_a_warning(learner):
    X, y = np.zeros((4, 1)), np.array([-1.0, 1.0, -1.0, 1.0])
    with pytest.warns(UserWarning, match="ended after 0 stages: stage 1 was discarded"):
        model = learner().fit(X, y)
    assert "discarded" in model.stop_reason_
    assert len(model.steps_) == 0


def test_a_member_that_meets_rounding_alone_ends_the_stages_quietly():
    X = np.arange(7.0)[:, np.newaxis]
    y = 0.1 * X.ravel() + 0.3
    for n in range(2, 6):  # warnings are errors
        model = ForwardStagewiseRegressor(estimator=LinearRegression(), n_estimators=n).fit(X, y)
        assert model.training_losses_[-1] < 1e-25


@pytest.mark.parametrize(
    ("learner", "says"),
    [
        (ForwardStagewiseRegressor(n_estimators=0), "n_estimators"),
        (ForwardStagewiseRegressor(learning_rate=-1.0), "learning_rate"),
        (ForwardStagewiseRegressor(loss=Logistic()), "reads labels"),
        (ForwardStagewiseRegressor(loss="squared"), "loss"),
        (ForwardStagewiseRegressor(estimator=CARTClassifier()), "must be a regressor"),
        (ForwardStagewiseClassifier(loss=Square()), "no convex loss of a margin"),
        (ForwardStagewiseClassifier(loss=ZeroOne(margin=True)), "no convex loss of a margin"),
        (ForwardStagewiseClassifier(estimator=CARTRegressor()), "must be a classifier"),
    ],
)
def test_what_makes_no_sense_is_refused_with_a_sentence(learner, says):
    with pytest.raises((TypeError, ValueError), match=says):
        learner.fit(X_TEN, Y_TEN > 7.0)


def test_a_loss_beyond_all_floats_after_the_last_stage_is_refused_too():
    X, y = np.array([[0.0], [1.0], [2.0], [3.0]]), [0, 1, 0, 1]
    with pytest.raises(ValueError, match="beyond all floats after stage 1"):
        ForwardStagewiseClassifier(n_estimators=1, learning_rate=1e5).fit(X, y)
