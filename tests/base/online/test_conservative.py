"""Learners that learn from mistakes only: bounds carry over, mistakes reproduce the model."""

import pickle

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression, SGDClassifier
from sklearn.utils.estimator_checks import check_estimator

from surelearn import checks
from surelearn.base.online.conservative import Conservative
from surelearn.datasets.worlds import Separable, monotone_disjunction
from surelearn.learners.concepts.conjunction import Conjunction
from surelearn.learners.concepts.disjunction import Disjunction
from surelearn.learners.concepts.k_dnf import KDNF
from surelearn.learners.experts.halving import Halving
from surelearn.learners.experts.weighted_majority import WeightedMajority
from surelearn.learners.kernelized.voted_kernel_perceptron import VotedKernelPerceptron
from surelearn.learners.linear.averaged_perceptron import AveragedPerceptron
from surelearn.learners.linear.passive_aggressive import PassiveAggressive
from surelearn.learners.linear.perceptron import Perceptron
from surelearn.learners.linear.voted_perceptron import VotedPerceptron
from surelearn.learners.linear.winnow import Winnow
from surelearn.persistence.model_files import load_model, save_model


def test_eager_halving_never_errs_more_often_than_log2_of_the_experts():
    # S004-50: random streams, 8 experts one of which is right
    rng, most = np.random.default_rng(0), 0
    for _ in range(100):
        advice = rng.integers(0, 2, size=(12, 8))
        outcomes = advice[:, rng.integers(8)]
        model = Conservative(Halving()).fit(advice, outcomes)
        assert model.guarantee(n_experts=8).allows(model.n_mistakes_)
        most = max(most, model.n_mistakes_)
    assert most == 3


@pytest.mark.parametrize("game", [Halving(), WeightedMajority()])
def test_games_learn_from_the_rounds_they_err_in_and_no_others(game):
    rng = np.random.default_rng(1)
    advice = rng.integers(0, 2, size=(60, 5))
    outcomes = advice[:, 2]
    model = Conservative(game).fit(advice, outcomes)
    assert model.estimator_.n_rounds_ == model.n_mistakes_ < 60
    assert model.estimator_.n_mistakes_ == model.n_mistakes_


LEARNERS = [Perceptron(), PassiveAggressive(), Winnow(), Disjunction(), Conjunction(), KDNF()]


@pytest.mark.parametrize("learner", LEARNERS, ids=lambda learner: type(learner).__name__)
def test_the_mistakes_alone_give_the_same_model_and_the_learner_errs_on_each(learner):
    X, y = monotone_disjunction(5, (0, 3), noise=0.1).draw(120, seed=0)
    model = Conservative(learner).fit(X, y)
    assert model.estimator_.n_mistakes_ == model.n_mistakes_ == len(model.mistakes_)
    again = clone(learner)
    again.learn(X[model.mistakes_], y[model.mistakes_], classes=[0, 1])
    assert again.n_mistakes_ == model.n_mistakes_
    np.testing.assert_array_equal(again.coef_, model.estimator_.coef_)
    np.testing.assert_array_equal(again.predict(X), model.predict(X))


def test_a_bound_on_mistakes_is_passed_on_and_holds():
    world = Separable(3, margin=0.1)
    for seed in range(5):
        X, y = world.draw(120, seed=seed)
        model = Conservative(Perceptron(fit_intercept=False)).fit(X, y)
        assert model.guarantee(margin=0.1).allows(model.n_mistakes_)
    X, y = monotone_disjunction(6, (1,)).draw(100, seed=0)
    model = Conservative(Disjunction()).fit(X, y)
    assert model.guarantee(n_relevant=1).allows(model.n_mistakes_)


def test_an_average_that_errs_more_often_than_its_weights_has_no_bound_to_pass_on():
    rows, best = np.array([[0.99, 0.12], [-0.6, 0.8], [-0.92, 0.4]]), np.array([0.144, 0.99])
    X = np.vstack([*[np.repeat(rows, 100, axis=0)] * 3, -rows])
    y, margin = np.repeat([1, -1], [900, 3]), (rows @ best).min() / np.linalg.norm(best)
    bound = Conservative(Perceptron(fit_intercept=False)).fit(X, y).guarantee(margin=margin).bound
    model = Conservative(AveragedPerceptron(fit_intercept=False)).fit(X, y)
    assert model.n_mistakes_ > bound
    with pytest.raises(ValueError, match="mistakes of its running weights"):
        model.guarantee(margin=margin)


def test_votes_and_their_kernels_learn_from_the_same_mistakes():
    X, y = Separable(3, margin=0.1).draw(40, seed=0)
    model = Conservative(VotedPerceptron(fit_intercept=False)).fit(X, y)
    other = Conservative(VotedKernelPerceptron()).fit(X, y)
    assert model.mistakes_.tolist() == other.mistakes_.tolist()
    np.testing.assert_array_equal(model.predict(X), other.predict(X))


def test_blocks_do_not_matter_and_sparse_rows_are_dense_rows():
    X, y = checks.small_table(Perceptron())
    whole, parts = Conservative(PassiveAggressive()), Conservative(PassiveAggressive())
    whole.partial_fit(X, y)
    parts.partial_fit(X[:1], y[:1], classes=np.unique(y)).partial_fit(X[1:7], y[1:7])
    parts.partial_fit(sparse.csr_array(X[7:]), y[7:])
    np.testing.assert_array_equal(whole.mistakes_, parts.mistakes_)
    np.testing.assert_allclose(whole.estimator_.coef_, parts.estimator_.coef_)
    assert whole.n_rounds_ == parts.n_rounds_ == len(X)


def test_a_learner_of_scikit_learn_starts_with_the_first_class():
    X, y = Separable(3, margin=0.2).draw(100, seed=0)
    model = Conservative(SGDClassifier(random_state=0)).fit(X, y)
    assert 0 < model.n_mistakes_ < 50
    assert model.mistakes_[0] == np.flatnonzero(y == model.classes_[1])[0]
    with pytest.raises(ValueError, match="no bound"):
        model.guarantee()
    untouched = Conservative(SGDClassifier()).partial_fit(X[:1], [-1.0], classes=[-1.0, 1.0])
    assert untouched.predict(X[:3]).tolist() == [-1.0] * 3


def test_a_refused_row_or_label_leaves_no_mark():
    X, y = checks.small_table(Perceptron())
    model = Conservative(Perceptron()).fit(X, y)
    before = pickle.dumps(model)
    broken = X.copy()
    broken[-1, 0] = np.nan
    for call in (
        lambda: model.partial_fit(broken, y),
        lambda: model.partial_fit(X, ["unheard-of"] * len(X)),
        lambda: model.partial_fit(X[:3], y[:2]),
        lambda: model.fit(broken, y),
    ):
        with pytest.raises(ValueError):  # noqa: PT011 - each has its own sentence
            call()
        assert pickle.dumps(model) == before


def test_what_cannot_learn_row_by_row_is_refused():
    with pytest.raises(TypeError, match="partial_fit"):
        Conservative(LogisticRegression()).fit([[0.0], [1.0]], [0, 1])
    with pytest.raises(ValueError, match="class"):
        Conservative(Perceptron()).partial_fit([[0.0]], [0])


@pytest.mark.filterwarnings("ignore:Skipping check")
def test_scikit_learn_accepts_it():
    check_estimator(Conservative(Perceptron(max_iter=20)))


def test_data_frames_keep_their_names_and_a_model_file_its_learner(tmp_path):
    X, y = checks.small_table(Perceptron())
    frame = pd.DataFrame(X, columns=list("abcde"))
    model, plain = Conservative(Perceptron()).fit(frame, y), Conservative(Perceptron()).fit(X, y)
    np.testing.assert_array_equal(model.mistakes_, plain.mistakes_)
    np.testing.assert_array_equal(model.predict(frame), plain.predict(X))
    path = tmp_path / "model.surelearn"
    save_model(model, path, schema={}, metadata={})
    np.testing.assert_array_equal(load_model(path).model.predict(frame), plain.predict(X))


def test_masked_labels_are_refused():
    y = np.ma.array([1, 0, 1], mask=[False, False, True])
    with pytest.raises(ValueError, match="y has 1 masked value"):
        Conservative(PassiveAggressive()).fit([[1.0], [-1.0], [2.0]], y)
