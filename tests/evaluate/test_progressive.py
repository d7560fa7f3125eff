"""Progressive validation: judged before learnt, true as often as it says, on any stream."""

import pickle

import numpy as np
import pytest
from scipy import sparse
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.linear_model import SGDClassifier

from surelearn.bounds.online_to_batch import progressive_validation
from surelearn.datasets.worlds import Noisy
from surelearn.evaluate.coverage import Coverage
from surelearn.evaluate.progressive import progressive_validate
from surelearn.learners.bayes.categorical_naive_bayes import CategoricalNaiveBayes
from surelearn.learners.bayes.gaussian_naive_bayes import GaussianNaiveBayes
from surelearn.learners.linear.online_gradient_descent import OnlineGradientDescentRegressor
from surelearn.learners.linear.perceptron import Perceptron
from surelearn.losses import Absolute

WORLD = Noisy(n_features=3, bayes_risk=0.1)


def blocks(X, y, size):
    return ((X[i : i + size], y[i : i + size]) for i in range(0, len(y), size))


def test_each_row_is_predicted_before_it_is_learnt():
    X, y = WORLD.draw(200, seed=0)
    model = Perceptron().partial_fit(X[:1], y[:1], classes=[-1, 1])
    wrong = [y[0] != -1.0]  # zero weights score 0 and predict the first class
    for x, label in zip(X[1:], y[1:], strict=True):
        wrong.append(model.predict_one(x) != label)
        model.learn_one(x, label)
    result = progressive_validate(Perceptron(), X, y)
    np.testing.assert_array_equal(result.losses, np.array(wrong, dtype=float))
    np.testing.assert_array_equal(result.learner.coef_, model.coef_)
    assert result.mean_losses[-1] == result.mean_loss == result.certificate.observed


class ByTheMean(ClassifierMixin, BaseEstimator):
    """Tells rows apart by the mean of those that are asked with them."""

    def partial_fit(self, *_):
        return self

    def predict(self, rows):
        return (rows[:, 0] > rows[:, 0].mean()).astype(int)


def test_a_learner_of_others_must_answer_each_row_of_a_chunk_by_itself():
    """One that errs on half of all rows asked by themselves was certified to err on 4%."""
    X = np.random.default_rng(0).normal(size=(2000, 1))
    y = (X[:, 0] > 0.0).astype(int)
    found = progressive_validate(ByTheMean(), blocks(X, y, 100), classes=[0, 1]).certificate
    assert (found.status, found.violated[0].key) == ("void", "row_by_row")
    peer = SGDClassifier(random_state=0).fit(X[:9], y[:9])
    told = progressive_validate(peer, blocks(X[9:], y[9:], 100)).certificate
    assert [p.status for p in told.preconditions if p.key == "row_by_row"] == ["assumed"]


def test_the_certificate_is_the_theorem_on_the_losses():
    X, y = WORLD.draw(300, seed=1)
    result = progressive_validate(Perceptron(), X, y, delta=0.1)
    theorem = progressive_validation(total_loss=result.losses.sum(), n_rounds=300, delta=0.1)
    assert result.certificate.bound == theorem.bound == result.certificate.recompute()
    assert result.certificate.validity == "anytime"
    assert "not the last" in result.certificate.subject


@pytest.mark.parametrize("size", [1, 7, 300])
def test_how_a_stream_is_cut_does_not_matter(size):
    X, y = WORLD.draw(300, seed=2)
    labels = np.where(y > 0, "yes", "no")
    whole = progressive_validate(Perceptron(), X, labels)
    parts = progressive_validate(Perceptron(), blocks(X, labels, size), classes=["no", "yes"])
    np.testing.assert_array_equal(whole.losses, parts.losses)


def test_three_classes_are_judged_by_the_combined_rule():
    rng = np.random.default_rng(3)
    X = rng.normal(size=(400, 3))
    y = np.array(["a", "b", "c"])[X.argmax(axis=1)]
    result = progressive_validate(Perceptron(), X, y)
    assert result.losses[200:].mean() < 0.2


def misses(rng):
    """Return the average risk of the models of a run, exactly, and its certificate."""
    X, y = WORLD.draw(60, seed=rng)
    model, risks = Perceptron(fit_intercept=False), [0.5]
    model.partial_fit(X[:1], y[:1], classes=[-1, 1])
    for x, label in zip(X[1:], y[1:], strict=True):
        norm = np.linalg.norm(model.coef_[0])
        risks.append(WORLD.risk(model.coef_[0]) if norm else 0.5)
        model.learn_one(x, label)
    result = progressive_validate(Perceptron(fit_intercept=False), X, y, delta=0.2)
    return np.mean(risks), result.certificate.bound


def test_it_holds_as_often_as_it_says():
    rng = np.random.default_rng(4)
    truths, bounds = np.array([misses(rng) for _ in range(120)]).T
    assert not Coverage(truths, bounds, 0.2).refuted()


def test_a_model_judged_after_learning_would_be_refuted():
    rng = np.random.default_rng(5)
    bounds = []
    for _ in range(50):
        X, y = rng.normal(size=(40, 60)), rng.choice([-1.0, 1.0], size=40)
        fitted = Perceptron().fit(X, y)  # remembers coins: the true risk is one half
        wrong = float((fitted.predict(X) != y).sum())
        bounds.append(progressive_validation(total_loss=wrong, n_rounds=40, delta=0.2).bound)
    assert Coverage(np.full(50, 0.5), np.array(bounds), 0.2).refuted()
    honest = progressive_validate(Perceptron(), X, y, delta=0.2)
    assert honest.certificate.bound >= 0.5


def test_regressors_need_a_loss_in_the_unit_interval():
    X = np.random.default_rng(6).uniform(-1, 1, size=(200, 1))
    learner = OnlineGradientDescentRegressor(loss=Absolute())
    result = progressive_validate(
        learner, X, X[:, 0], loss=lambda y, p: np.minimum(np.abs(y - p), 1.0)
    )
    assert result.certificate.status == "valid"
    assert len(result.certificate.preconditions) == 2
    with pytest.raises(ValueError, match="for classifiers"):
        progressive_validate(learner, X, X[:, 0])
    with pytest.raises(ValueError, match="losses"):
        progressive_validate(learner, X, X[:, 0], loss=lambda y, p: 3.0 + y - p)


def test_any_learner_with_partial_fit_is_tested_block_by_block():
    X, y = WORLD.draw(300, seed=7)
    peer = SGDClassifier(random_state=0).partial_fit(X[:100], y[:100], classes=[-1, 1])
    result = progressive_validate(peer, blocks(X[100:], y[100:], 50))
    assert len(result.losses) == 200
    first = (peer.predict(X[100:150]) != y[100:150]).astype(float)
    np.testing.assert_array_equal(result.losses[:50], first)
    assert result.certificate.preconditions[0].status == "assumed"


def test_the_learner_goes_on_from_where_it_stands_and_is_left_there():
    X, y = WORLD.draw(300, seed=8)
    learner = Perceptron().partial_fit(X[:100], y[:100])
    before = pickle.dumps(learner)
    result = progressive_validate(learner, X[100:], y[100:])
    assert pickle.dumps(learner) == before
    whole = progressive_validate(Perceptron(), X, y)
    np.testing.assert_array_equal(result.losses, whole.losses[100:])
    assert result.certificate.preconditions[0].status == "assumed"
    assert whole.certificate.preconditions[0].status == "by-construction"


def test_bad_streams_are_refused():
    with pytest.raises(ValueError, match="the stream is empty"):
        progressive_validate(Perceptron(), iter([]))
    for rows in (np.eye(3), sparse.bsr_array(np.eye(3))):
        with pytest.raises(ValueError, match="no labels: give y"):
            progressive_validate(Perceptron(), rows)
    with pytest.raises(ValueError, match="inconsistent"):
        progressive_validate(Perceptron(), np.eye(3), [0, 1])
    with pytest.raises(ValueError, match="loss"):
        progressive_validate(Perceptron(), np.eye(2), [0, 1], loss="hinge")


def test_a_loss_for_some_of_the_rows_is_refused():
    X, y = WORLD.draw(50, seed=0)
    with pytest.raises(ValueError, match=r"for 50 rows; one each"):
        progressive_validate(Perceptron(), X, y, loss=lambda t, p: (t != p)[t == p])


def test_that_a_loss_of_ones_own_is_never_larger_is_assumed():
    X, y = WORLD.draw(50, seed=0)
    own = progressive_validate(Perceptron(), X, y, loss=lambda t, p: t != p).certificate
    counted = progressive_validate(Perceptron(), X, y).certificate
    statuses = [c.preconditions[1].status for c in (own, counted)]
    assert statuses == ["assumed", "by-construction"]


def test_rows_that_the_learner_was_fitted_to_void_the_certificate():
    X, y = WORLD.draw(200, seed=0)
    fitted = Perceptron(max_iter=5).fit(X, y)
    assert progressive_validate(fitted, X, y).certificate.status == "void"
    new = WORLD.draw(200, seed=1)
    assert progressive_validate(fitted, *new).certificate.status != "void"


def judged_before(result):
    return next(p for p in result.certificate.preconditions if p.key == "judged_before")


def epochs(X, y, *, shuffled):
    rng = np.random.default_rng(0)
    for _ in range(3):
        order = rng.permutation(len(y)) if shuffled else np.arange(len(y))
        yield X[order], y[order]


@pytest.mark.parametrize("shuffled", [False, True])
@pytest.mark.parametrize("kind", [np.asarray, sparse.csr_array, lambda X: X.tolist()])
def test_a_second_pass_over_the_same_rows_voids_the_certificate(shuffled, kind):
    X, y = np.random.default_rng(0).normal(size=(50, 2)), np.arange(50) % 2
    stream = ((kind(rows), labels) for rows, labels in epochs(X, y, shuffled=shuffled))
    found = judged_before(progressive_validate(Perceptron(), stream))
    assert found.status == "violated"
    assert "100 of 150 rows had come before" in found.evidence
    stream = ((kind(rows), labels) for rows, labels in epochs(X, y, shuffled=shuffled))
    allowed = progressive_validate(Perceptron(), stream, allow_duplicates=True)
    assert judged_before(allowed).status == "assumed"


def test_rows_given_twice_in_one_table_void_the_certificate():
    X, y = np.random.default_rng(0).normal(size=(50, 2)), np.arange(50) % 2
    twice = progressive_validate(Perceptron(), np.tile(X, (2, 1)), np.tile(y, 2))
    assert twice.certificate.status == "void"


class Foreign(Perceptron):
    """A class of others may have learnt before."""


def test_what_a_class_of_others_had_learnt_is_not_known():
    X, y = np.random.default_rng(0).normal(size=(50, 2)), np.arange(50) % 2
    assert judged_before(progressive_validate(Foreign(), X, y)).status == "assumed"


@pytest.mark.parametrize("learn", ["fit", "partial_fit"])
@pytest.mark.parametrize("learner", [GaussianNaiveBayes, CategoricalNaiveBayes])
def test_what_a_learner_without_memory_had_learnt_is_not_known(learner, learn):
    """Labels are noise, and a table of counts that has seen them all repeats them."""
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(100, 2)), rng.integers(2, size=100)
    fitted = getattr(learner(), learn)(X, y)
    assert judged_before(progressive_validate(fitted, X, y)).status == "assumed"


def test_rows_that_come_again_in_single_precision_may_have_come_before():
    X, y = np.random.default_rng(0).normal(size=(50, 2)), np.arange(50) % 2
    found = judged_before(progressive_validate(Perceptron(), [(X, y), (X.astype(np.float32), y)]))
    assert found.status == "assumed"
    assert "50 of 100 rows may have come before" in found.evidence
