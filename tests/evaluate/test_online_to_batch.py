"""Online to batch: the average before each row, who is certified, who is not."""

import numpy as np
import pytest
from scipy import sparse
from sklearn.linear_model import SGDClassifier

from surelearn import Holdout, check_certificate
from surelearn.bounds.online_to_batch import (
    last_iterate_suffix,
    progressive_validation,
    suffix_snapshots,
)
from surelearn.datasets.worlds import Noisy
from surelearn.evaluate.coverage import Coverage
from surelearn.evaluate.online_to_batch import certify_suffix, online_to_batch
from surelearn.learners.linear.online_gradient_descent import (
    OnlineGradientDescent,
    OnlineGradientDescentRegressor,
)
from surelearn.learners.linear.perceptron import Perceptron
from surelearn.learners.linear.winnow import Winnow
from surelearn.losses import Absolute, Hinge, ZeroOne

WORLD = Noisy(n_features=3, bayes_risk=0.1)


def test_the_average_is_of_the_weights_before_each_row():
    X, y = WORLD.draw(150, seed=0)
    learner, held, wrong = Perceptron(), [np.zeros(4)], [float(y[0] == 1.0)]
    for t in range(149):
        learner.partial_fit(X[t : t + 1], y[t : t + 1], classes=[-1, 1])
        held.append(np.append(learner.coef_[0], learner.intercept_))
        wrong.append(float(learner.predict(X[t + 1 : t + 2])[0] != y[t + 1]))
    result = online_to_batch(Perceptron(), X, y)
    mean = np.mean(held, axis=0)
    np.testing.assert_allclose(result.average.coef[0], mean[:-1], rtol=1e-12)
    np.testing.assert_allclose(result.average.intercept[0], mean[-1], rtol=1e-12, atol=1e-12)
    np.testing.assert_array_equal(result.losses, wrong)
    np.testing.assert_array_equal(result.last.coef, Perceptron().partial_fit(X, y).coef_)


def test_the_first_model_counts_even_if_its_weights_are_not_zero():
    X, y = np.array([[1, 0], [0, 1], [1, 1]]), np.array([0, 1, 1])
    start = Winnow().partial_fit(X, y)._before_any_row()
    first = Winnow().partial_fit(X[:1], y[:1], classes=[0, 1])
    second = Winnow().partial_fit(X[:2], y[:2])
    mean = (start.coef_ + first.coef_ + second.coef_) / 3.0
    np.testing.assert_allclose(online_to_batch(Winnow(), X, y).average.coef, mean)


def test_sparse_rows_give_the_same_models():
    X, y = np.random.default_rng(1).integers(-2, 3, size=(80, 4)).astype(float), np.arange(80) % 3
    dense, thin = (online_to_batch(Perceptron(), form, y) for form in (X, sparse.csr_array(X)))
    np.testing.assert_array_equal(dense.average.coef, thin.average.coef)
    np.testing.assert_array_equal(dense.losses, thin.losses)
    np.testing.assert_array_equal(
        dense.average.predict(X), thin.average.predict(sparse.csr_array(X))
    )


def test_for_errors_only_a_random_pick_is_certified():
    X, y = WORLD.draw(300, seed=2)
    result = online_to_batch(Perceptron(), X, y, delta=0.1)
    assert "picked at random" in result.certificate.subject
    assert "over the pick too" in result.certificate.claim
    theorem = progressive_validation(total_loss=result.losses.sum(), n_rounds=300, delta=0.1)
    assert result.certificate.bound == theorem.bound
    pick, again = result.pick(seed=5), result.pick(seed=5)
    np.testing.assert_array_equal(pick.coef, again.coef)
    n_learnt = int(np.random.default_rng(5).integers(300))
    np.testing.assert_array_equal(
        pick.coef, Perceptron().partial_fit(X[:n_learnt], y[:n_learnt]).coef_
    )


def test_the_last_model_is_refused_with_a_way_out():
    X, y = WORLD.draw(50, seed=3)
    result = online_to_batch(Perceptron(), X, y)
    with pytest.raises(ValueError, match=r"Holdout.*certify_suffix.*last_iterate_suffix"):
        result.certify_last()
    fresh = WORLD.draw(200, seed=4)
    assert Holdout(*fresh).certify(result.last).status == "valid"


def test_a_convex_loss_certifies_the_average_in_its_own_units():
    rng = np.random.default_rng(6)
    X = rng.uniform(-1, 1, size=(400, 2))
    y = X @ [0.3, -0.2] + rng.uniform(-0.1, 0.1, size=400)
    learner = OnlineGradientDescentRegressor(loss=Absolute(), fit_intercept=False)
    result = online_to_batch(learner, X, y, loss=Absolute(), largest_loss=2.2)
    assert "average" in result.certificate.subject
    check_certificate(result.certificate, result.average)
    assert result.certificate.recompute() == pytest.approx(result.certificate.bound, rel=1e-12)
    assert result.certificate.observed == pytest.approx(result.losses.mean())
    assert result.certificate.trivial == 2.2
    with pytest.raises(ValueError, match="losses"):
        online_to_batch(learner, X, y, loss=Absolute(), largest_loss=0.01)


def experiment(rng):
    """Return the exact absolute loss of the average of a run in one dimension, and its bound."""
    signs = rng.choice([-1.0, 1.0], size=(40, 1))
    y = signs[:, 0] * (rng.random(40) < 0.8)  # 1 with probability 0.8, else 0, after the sign
    learner = OnlineGradientDescentRegressor(loss=Absolute(), fit_intercept=False)
    result = online_to_batch(learner, signs, y, loss=Absolute(), largest_loss=2.0, delta=0.2)
    w = result.average.coef[0]
    return 0.8 * abs(1.0 - w) + 0.2 * abs(w), result.certificate.bound


def test_the_certificate_of_the_average_holds_as_often_as_it_says():
    rng = np.random.default_rng(7)
    truths, bounds = np.array([experiment(rng) for _ in range(150)]).T
    assert not Coverage(truths, bounds, 0.2).refuted()


def test_hinge_loss_of_two_classes_is_convex_too():
    X, y = Noisy(2, 0.05).draw(200, seed=8)
    X /= np.linalg.norm(X, axis=1, keepdims=True)
    labels = np.where(y > 0, "yes", "no")
    learner = OnlineGradientDescent(fit_intercept=False)
    result = online_to_batch(learner, X, labels, loss=Hinge(), largest_loss=2.0)
    scores = result.average.decision_function(X)
    assert result.average.predict(X).tolist() == np.where(scores > 0, "yes", "no").tolist()
    assert "average" in result.certificate.subject


def test_losses_that_are_not_convex_and_foreign_learners_are_refused():
    X, y = WORLD.draw(30, seed=9)
    with pytest.raises(ValueError, match="convex"):
        online_to_batch(Perceptron(), X, y, loss=ZeroOne(margin=True))
    with pytest.raises(ValueError, match="two classes"):
        online_to_batch(Perceptron(), X, np.arange(30) % 3, loss=Hinge())
    with pytest.raises(ValueError, match="for classifiers"):
        online_to_batch(OnlineGradientDescentRegressor(), X, y)
    with pytest.raises(ValueError, match="no online linear learner"):
        online_to_batch(SGDClassifier(), X, y)
    with pytest.raises(ValueError, match="for classifiers"):
        certify_suffix(OnlineGradientDescentRegressor(), X, y)


def test_a_snapshot_is_certified_by_the_rows_after_it():
    X, y = WORLD.draw(400, seed=10)
    snapshot = certify_suffix(Perceptron(), X, y, delta=0.1)
    errors = []
    for start in suffix_snapshots(n=400):
        model = Perceptron().partial_fit(X[:start], y[:start])
        errors.append(int((model.predict(X[start:]) != y[start:]).sum()))
    theorem = last_iterate_suffix(errors=errors, n=400, delta=0.1)
    assert snapshot.certificate.bound == theorem.bound
    assert (
        snapshot.certificate.quantity == f"the risk of the model after {snapshot.n_learnt} examples"
    )
    check_certificate(snapshot.certificate, snapshot.model)
    kept = Perceptron().partial_fit(X[: snapshot.n_learnt], y[: snapshot.n_learnt])
    np.testing.assert_array_equal(snapshot.model.coef, kept.coef_)


def test_that_no_loss_is_larger_is_assumed_unless_errors_are_counted():
    X, y = WORLD.draw(60, seed=0)
    errors = online_to_batch(Perceptron(), X, y).certificate
    learner = OnlineGradientDescentRegressor(loss=Absolute())
    losses = online_to_batch(learner, X, y.astype(float), loss=Absolute(), largest_loss=9.0)
    statuses = [c.preconditions[1].status for c in (errors, losses.certificate)]
    assert statuses == ["by-construction", "assumed"]


@pytest.mark.parametrize("certified", [online_to_batch, certify_suffix])
def test_a_second_pass_in_the_table_voids_the_certificate(certified):
    """Labels are noise; in the second half every row had been learnt before."""
    rng = np.random.default_rng(0)
    X, y = np.tile(rng.normal(size=(60, 90)), (2, 1)), np.tile(rng.integers(2, size=60), 2)
    found = certified(Perceptron(), X, y).certificate
    assert found.status == "void"
    assert any("60 of 120 rows had come before" in p.evidence for p in found.violated)
    assert certified(Perceptron(), X, y, allow_duplicates=True).certificate.status != "void"


class WellRead(Perceptron):
    """Begins with weights that it has from elsewhere, and keeps them."""

    def learn_one(self, x, y):  # noqa: ARG002 - it knows better
        return self


@pytest.mark.parametrize("certified", [online_to_batch, certify_suffix])
def test_what_a_class_made_from_a_learner_knows_is_not_known(certified):
    X, y = WORLD.draw(100, seed=0)
    key = "judged_before" if certified is online_to_batch else "fixed_before"
    for learner, status in ((Perceptron(), "by-construction"), (WellRead(), "assumed")):
        found = certified(learner, X, y).certificate.preconditions
        assert next(p.status for p in found if p.key == key) == status


class Clipped(Absolute):
    """Says that it is convex, as all losses do that say nothing."""

    def _value(self, y, prediction):
        return np.minimum(super()._value(y, prediction), 0.5)


def test_that_a_loss_of_others_is_convex_is_assumed():
    X, _ = WORLD.draw(100, seed=0)
    for loss, status in ((Absolute(), "checked"), (Clipped(), "assumed")):
        learner = OnlineGradientDescentRegressor(loss=Absolute())
        result = online_to_batch(learner, X, X[:, 0], loss=loss, largest_loss=100.0)
        found = result.certificate.preconditions
        assert next(p.status for p in found if p.key == "convex") == status


def test_a_snapshot_that_knows_later_labels_assumes_that_they_were_known():
    """It has a score for each label of the run, also for one that comes after it alone."""
    X, y = WORLD.draw(200, seed=0)
    y[-3:] = 2
    snapshot = certify_suffix(Perceptron(), X, y)
    assert 2 in snapshot.model.classes
    statuses = {p.key: p.status for p in snapshot.certificate.preconditions}
    assert statuses["known_labels"] == "assumed"
