"""The voted Perceptron against its plain self, the averaged one, the catalogue and its theorems."""

import pickle

import numpy as np
import pytest
from scipy import sparse

from reference import perceptron as plain
from reference.streams import streams
from surelearn.datasets import adversaries
from surelearn.datasets.real import load
from surelearn.datasets.worlds import Noisy, Separable
from surelearn.learners.linear.averaged_perceptron import AveragedPerceptron
from surelearn.learners.linear.voted_perceptron import VotedPerceptron

FOUR = np.array([[1.0, 0.0], [0.0, 1.0], [-0.9, 0.4], [0.5, -1.0]]), np.array([1, 1, -1, -1])


def plain_votes(X, signs, intercept, n_passes, queries):
    """Keep every vector and its survivals, as the paper does, and let them vote."""
    vectors, counts, w = [], [], np.zeros(X.shape[1] + 1)
    for _ in range(n_passes):
        for row, sign in zip(X, signs, strict=True):
            x = np.append(row, float(intercept))
            if sign * (x @ w) <= 0.0:
                w = w + sign * x
                vectors.append(w)
                counts.append(1)
            else:
                counts[-1] += 1
    ones = np.full((len(queries), 1), float(intercept))
    return np.sign(np.hstack([queries, ones]) @ np.array(vectors).T) @ counts / sum(counts), counts


def integers(seed, n=30, d=4):
    rng = np.random.default_rng(seed)
    X = rng.integers(-5, 6, size=(n, d)).astype(float)
    return X, rng.choice([-1.0, 1.0], n), rng.integers(-5, 6, size=(50, d)).astype(float)


@pytest.mark.parametrize("seed", range(20))
@pytest.mark.parametrize("intercept", [False, True])
def test_it_equals_the_plain_version_exactly_on_integers(seed, intercept):
    X, signs, queries = integers(seed)
    expected, counts = plain_votes(X, signs, intercept, 2, queries)
    for form in (X, sparse.csr_array(X)):
        model = VotedPerceptron(fit_intercept=intercept, max_iter=2).fit(form, signs)
        np.testing.assert_array_equal(model.decision_function(queries), expected)
        np.testing.assert_array_equal(model.decision_function(sparse.csr_array(queries)), expected)
        assert model.survived_[0].tolist() == counts


def test_the_scores_are_the_perceptrons():
    X, signs, _ = integers(1)
    scores, w, b, updated = plain.learn(X, signs)
    model = VotedPerceptron()
    np.testing.assert_array_equal(model.learn(X, signs), scores)
    np.testing.assert_array_equal(model.coef_[0], w)
    assert (model.intercept_[0], model.n_mistakes_) == (b, len(updated))


def test_the_catalogues_run_of_three_passes_differs_from_the_average_on_one_percent():
    voted, averaged = VotedPerceptron(fit_intercept=False), AveragedPerceptron(fit_intercept=False)
    for _ in range(3):
        voted.learn(*FOUR)
        averaged.learn(*FOUR)
    assert voted.survived_[0].tolist() == [1, 11]
    queries = np.random.default_rng(0).normal(size=(20_000, 2))
    share = np.mean(voted.predict(queries) != averaged.predict(queries))
    assert 0.005 < share < 0.02


def test_a_point_on_which_vote_and_average_differ():
    voted = VotedPerceptron(fit_intercept=False).fit(*FOUR)
    averaged = AveragedPerceptron(fit_intercept=False).fit(*FOUR)
    x = [[1.0, -1.05]]
    assert (voted.predict(x)[0], averaged.predict(x)[0]) == (-1, 1)


def test_a_vector_that_scores_zero_abstains():
    model = VotedPerceptron(fit_intercept=False).fit(*FOUR)
    assert model.decision_function([[0.0, 1.0], [0.0, 0.0]]).tolist() == [0.875, 0.0]
    assert model.predict([[0.0, 0.0]])[0] == -1


def test_each_mistaken_row_is_stored_once_however_many_passes_and_problems():
    X, _, queries = integers(3)
    y = np.random.default_rng(3).choice(["a", "b", "c"], len(X))
    model = VotedPerceptron(max_iter=20).fit(X, y)
    assert model.n_stored_ == sum(len(block) for block in model.stored_) <= len(X)
    assert model.n_mistakes_ == sum(len(updates) for updates in model.updates_) > len(X)
    for k, label in enumerate(model.classes_):
        signs = np.where(y == label, 1.0, -1.0)
        expected, _ = plain_votes(X, signs, True, 20, queries)  # noqa: FBT003
        np.testing.assert_array_equal(model.decision_function(queries)[:, k], expected)


def test_blocks_single_rows_dense_and_sparse_give_the_same_votes():
    X, signs, queries = integers(4)
    whole, parts = VotedPerceptron(), VotedPerceptron()
    whole.learn(X, signs)
    parts.learn(sparse.csr_array(X[:7]), signs[:7], classes=[-1, 1])
    parts.learn_one(X[7], signs[7])
    parts = pickle.loads(pickle.dumps(parts))  # noqa: S301
    parts.learn(X[8:], signs[8:])
    np.testing.assert_array_equal(
        whole.decision_function(queries), parts.decision_function(queries)
    )
    assert whole.survived_ == parts.survived_
    assert whole.updates_ == parts.updates_
    assert parts.predict_one(queries[0]) == whole.predict(queries[:1])[0]


def test_features_that_come_late_are_refused_with_a_sentence():
    X, signs, _ = integers(6)
    model = VotedPerceptron().fit(X, signs)
    with pytest.raises(ValueError, match="come late"):
        model._grow(9)
    assert model.n_features_in_ == 4


def test_many_queries_are_voted_on_in_batches(monkeypatch):
    X, signs, queries = integers(5)
    model = VotedPerceptron().fit(X, signs)
    expected = model.decision_function(queries)
    monkeypatch.setattr("surelearn.learners.linear.voted_perceptron._BLOCK", 3 * model.n_stored_)
    np.testing.assert_array_equal(model.decision_function(queries), expected)


@pytest.mark.parametrize(
    "seeds", [range(10), pytest.param(range(10, 60), marks=pytest.mark.slow)], ids=["few", "more"]
)
def test_certificates_hold_on_all_streams_and_none_is_about_the_risk(seeds):
    for seed in seeds:
        for X, signs in streams(seed):
            y = np.append(signs, [-1.0, 1.0])
            rows = np.vstack([X, np.zeros((2, X.shape[1]))])
            model = VotedPerceptron(fit_intercept=False, max_iter=2).fit(rows, y)
            issued = model.certificates()
            assert issued
            assert {c.kind for c in issued} == {"mistakes"}
            assert all(c.observed <= c.bound * (1 + 1e-9) for c in issued)
            assert not hasattr(model, "compression_set_")


def test_dropping_a_row_that_changed_nothing_changes_the_vote():
    X = np.vstack([FOUR[0][:2], np.tile(FOUR[0][2:3], (5, 1))])
    y = np.array([1, 1, -1, -1, -1, -1, -1])
    x = [[1.0, -3.0]]
    model = VotedPerceptron(fit_intercept=False).fit(X, y)
    fewer = VotedPerceptron(fit_intercept=False).fit(X[:3], y[:3])
    assert model.updates_ == fewer.updates_
    assert model.decision_function(x)[0] != fewer.decision_function(x)[0]


def test_orthonormal_rows_attain_the_bound():
    X, _ = adversaries.orthonormal_stream(7)
    model = VotedPerceptron(fit_intercept=False, max_iter=1).fit(X, [1, -1] * 3 + [1])
    assert model.guarantee(margin=1 / np.sqrt(7)).bound == pytest.approx(model.n_mistakes_)


def test_a_flipped_label_breaks_novikoff():
    X, signs = Separable(2, 0.5).draw(200, seed=0)
    assert VotedPerceptron(fit_intercept=False).fit(X, signs).guarantee(margin=0.5).allows(4)
    signs[::7] *= -1.0
    model = VotedPerceptron(fit_intercept=False).fit(X, signs)
    assert not model.guarantee(margin=0.5).allows(model.n_mistakes_)


def test_on_noisy_data_the_vote_errs_less_than_the_last_weights():
    world, gains = Noisy(5, 0.1), []
    queries, truth = Noisy(5, 0.0).draw(2000, seed=99)
    for seed in range(20):
        X, signs = world.draw(200, seed=seed)
        model = VotedPerceptron(fit_intercept=False, max_iter=1).fit(X, signs)
        last = np.where(queries @ model.coef_[0] > 0.0, 1.0, -1.0)
        gains.append(model.score(queries, truth) - np.mean(last == truth))
    assert np.mean(gains) > 0.02


def test_it_learns_digits():
    table = load("digits")
    X, y = table.X[:600] / 16, table.y[:600]
    model = VotedPerceptron(max_iter=3).fit(X, y)
    assert model.score(table.X[600:] / 16, table.y[600:]) > 0.85
