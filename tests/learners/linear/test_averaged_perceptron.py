"""The averaged Perceptron against its plain self, its peer, the catalogue and its theorems."""

import pickle

import numpy as np
import pytest
from scipy import sparse
from sklearn.linear_model import SGDClassifier
from sklearn.preprocessing import StandardScaler

from reference import perceptron as plain
from reference.streams import streams
from surelearn.datasets import adversaries
from surelearn.datasets.real import load
from surelearn.datasets.worlds import Noisy, Separable
from surelearn.learners.linear.averaged_perceptron import AveragedPerceptron
from surelearn.learners.linear.perceptron import Perceptron

FOUR = np.array([[1.0, 0.0], [0.0, 1.0], [-0.9, 0.4], [0.5, -1.0]]), np.array([1, 1, -1, -1])


def every_iterate(X, signs, intercept, n_passes):
    """Return w_{t+1}, b_{t+1} after each round, by running the plain Perceptron word for word."""
    iterates, w, b = [], np.zeros(X.shape[1]), 0.0
    for _ in range(n_passes):
        for row, sign in zip(X, signs, strict=True):
            if sign * (row @ w + b) <= 0.0:
                w, b = w + sign * row, b + sign * intercept
            iterates.append(np.append(w, b))
    return np.array(iterates)


@pytest.mark.parametrize("seed", range(20))
@pytest.mark.parametrize("intercept", [False, True])
def test_it_is_the_mean_of_the_weights_after_each_round(seed, intercept):
    rng = np.random.default_rng(seed)
    X = rng.integers(-5, 6, size=(32, 4)).astype(float)  # 64 rounds: dividing by 64 is exact
    signs = rng.choice([-1.0, 1.0], 32)
    mean = every_iterate(X, signs, intercept, 2).mean(axis=0)
    for form in (X, sparse.csr_array(X)):
        model = AveragedPerceptron(fit_intercept=intercept)
        model.learn(form, signs, classes=[-1, 1])
        model.learn(form, signs)
        np.testing.assert_array_equal(np.append(model.coef_[0], model.intercept_), mean)


def test_the_scores_and_the_running_weights_are_the_perceptrons():
    rng = np.random.default_rng(1)
    X, signs = rng.integers(-5, 6, size=(50, 3)).astype(float), rng.choice([-1.0, 1.0], 50)
    scores, w, b, updated = plain.learn(X, signs)
    model = AveragedPerceptron()
    np.testing.assert_array_equal(model.learn(X, signs), scores)
    np.testing.assert_array_equal(model.weights_[0, 0], w)
    assert model.biases_[0, 0] == b
    assert model.n_mistakes_ == len(updated)


def test_the_catalogues_run_of_three_passes():
    model = AveragedPerceptron(fit_intercept=False)
    for _ in range(3):
        model.learn(*FOUR)
    assert model.coef_[0] == pytest.approx([1.0, 0.916667], abs=1e-6)
    assert model.weights_[0, 0].tolist() == [1.0, 1.0]


@pytest.mark.parametrize("n_passes", [1, 5])
def test_it_equals_scikit_learns_averaged_sgd(n_passes):
    X, signs = Noisy(4, 0.1).draw(200, seed=0)
    peer = SGDClassifier(
        loss="perceptron",
        average=True,
        learning_rate="constant",
        eta0=1.0,
        penalty=None,
        shuffle=False,
        fit_intercept=False,
        max_iter=n_passes,
        tol=None,
    ).fit(X, signs)
    model = AveragedPerceptron(fit_intercept=False, max_iter=n_passes).fit(X, signs)
    np.testing.assert_allclose(model.coef_, peer.coef_, rtol=1e-11)


def test_on_breast_cancer_the_average_errs_less_than_the_last_weights():
    table = load("breast_cancer")
    X = StandardScaler().fit_transform(table.X)
    model = AveragedPerceptron(fit_intercept=False, max_iter=5).fit(X, table.y)
    last = Perceptron(fit_intercept=False, max_iter=5).fit(X, table.y)
    assert 1.0 - model.score(X, table.y) == pytest.approx(0.0158, abs=5e-5)
    assert 1.0 - last.score(X, table.y) == pytest.approx(0.0211, abs=5e-5)


def test_on_noisy_worlds_the_average_errs_less_than_the_last_weights():
    world, gains = Noisy(5, 0.1), []
    for seed in range(30):
        X, signs = world.draw(300, seed=seed)
        model = AveragedPerceptron(fit_intercept=False, max_iter=1).fit(X, signs)
        gains.append(world.risk(model.weights_[0, 0]) - world.risk(model.coef_[0]))
    assert np.mean(gains) > 0.02
    assert np.mean(np.array(gains) > 0.0) > 0.8


@pytest.mark.parametrize(
    "seeds", [range(10), pytest.param(range(10, 60), marks=pytest.mark.slow)], ids=["few", "more"]
)
def test_certificates_hold_on_all_streams_and_none_is_about_the_risk(seeds):
    for seed in seeds:
        for X, signs in streams(seed):
            y = np.append(signs, [-1.0, 1.0])
            rows = np.vstack([X, np.zeros((2, X.shape[1]))])
            model = AveragedPerceptron(fit_intercept=False, max_iter=2).fit(rows, y)
            issued = model.certificates()
            assert issued
            assert {c.kind for c in issued} == {"mistakes"}
            assert all(c.observed <= c.bound * (1 + 1e-9) for c in issued)
            assert not hasattr(model, "compression_set_")


def test_dropping_a_row_that_changed_nothing_changes_the_average():
    model = AveragedPerceptron(fit_intercept=False).fit(*FOUR)
    fewer = AveragedPerceptron(fit_intercept=False).fit(FOUR[0][:3], FOUR[1][:3])
    np.testing.assert_array_equal(model.weights_[0, 0], fewer.weights_[0, 0])
    assert not np.array_equal(model.coef_, fewer.coef_)


def test_orthonormal_rows_attain_the_bound():
    X, _ = adversaries.orthonormal_stream(7)
    model = AveragedPerceptron(fit_intercept=False, max_iter=1).fit(X, [1, -1] * 3 + [1])
    assert model.guarantee(margin=1 / np.sqrt(7)).bound == pytest.approx(model.n_mistakes_)


def test_novikoffs_bound_with_the_averages_margin_is_issued_when_it_separates():
    X, signs = Separable(4, 0.3).draw(300, seed=0)
    model = AveragedPerceptron(fit_intercept=False, max_iter=200).fit(X, signs)
    assert model.score(X, signs) == 1.0
    assert "mistakes.novikoff" in {c.method for c in model.certificates()}
    assert model.guarantee(margin=0.3).allows(model.n_mistakes_)


def test_a_flipped_label_breaks_novikoff():
    X, signs = Separable(2, 0.5).draw(200, seed=0)
    signs[::7] *= -1.0
    model = AveragedPerceptron(fit_intercept=False, max_iter=10).fit(X, signs)
    assert not model.guarantee(margin=0.5).allows(model.n_mistakes_)


def test_each_problem_of_many_classes_is_averaged_over_its_own_rounds():
    table = load("iris")
    model = AveragedPerceptron(max_iter=30).fit(table.X, table.y)
    for k, label in enumerate(model.classes_):
        alone = AveragedPerceptron(max_iter=30).fit(table.X, table.y == label)
        np.testing.assert_array_equal(model.coef_[k], alone.coef_[0])
    assert len(set(model.n_averaged_.tolist())) > 1
    assert len(model.certificates()) >= 3


def test_learning_on_drops_the_certificates_and_goes_on_from_the_running_weights():
    model = AveragedPerceptron(fit_intercept=False).fit(*FOUR)
    twin = pickle.loads(pickle.dumps(model))  # noqa: S301
    assert model.learn([[1.0, 1.0]], [1]).tolist() == [2.0]
    assert model.certificates() == ()
    twin.learn_one([1.0, 1.0], 1)
    np.testing.assert_array_equal(model.coef_, twin.coef_)
