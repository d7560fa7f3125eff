"""Mixtures of Bernoullis: the plain formulas, three coins, holes, floors, bad input."""

import pickle

import numpy as np
import pytest
from scipy import sparse
from sklearn.exceptions import ConvergenceWarning

from reference import three_coins
from surelearn.learners.mixtures.bernoulli_mixture import BernoulliMixture

TOSSES = np.array([1, 1, 0, 1, 0, 0, 1, 0, 1, 1])
TRUTH = np.array([0.6, 0.4]), np.array([[0.9, 0.8, 0.2, 0.1], [0.1, 0.3, 0.7, 0.9]])


def draw(n, *, seed=0, holes=0.0):
    rng = np.random.default_rng(seed)
    weights, p = TRUTH
    labels = rng.choice(2, n, p=weights)
    X = (rng.random((n, 4)) < p[labels]).astype(float)
    gone = rng.random(X.shape) < holes
    gone[gone.all(axis=1), 0] = False
    return np.where(gone, np.nan, X), labels


def plain_step(X, weights, p):
    """One EM step by the formulas, row by row; missing bits are left out."""
    joint = np.array(
        [
            [
                w
                * np.prod(
                    [
                        q if x == 1 else 1 - q
                        for x, q in zip(row, line, strict=True)
                        if not np.isnan(x)
                    ]
                )
                for w, line in zip(weights, p, strict=True)
            ]
            for row in X
        ]
    )
    shares = joint / joint.sum(axis=1, keepdims=True)
    known = ~np.isnan(X)
    ones = np.array([[r[known[:, j]] @ X[known[:, j], j] for j in range(4)] for r in shares.T])
    totals = np.array([[r[known[:, j]].sum() for j in range(4)] for r in shares.T])
    return shares.mean(axis=0), ones / totals, np.log(joint.sum(axis=1)).sum()


@pytest.mark.parametrize("holes", [0.0, 0.3])
def test_steps_equal_the_formulas(holes):
    X, _ = draw(80, holes=holes)
    weights, p = np.array([0.5, 0.5]), np.array([[0.6] * 4, [0.4, 0.3, 0.5, 0.6]])
    model = BernoulliMixture(n_components=2, start=(weights, p), max_iter=3, tol=0.0)
    path = []
    for _ in range(3):
        weights, p, log_likelihood = plain_step(X, weights, p)
        path.append(log_likelihood)
    with pytest.warns(ConvergenceWarning):
        model.fit(X)
    np.testing.assert_allclose(model.log_likelihoods_[:3], path, rtol=1e-12)
    np.testing.assert_allclose(model.weights_, weights, rtol=1e-12)
    np.testing.assert_allclose(model.probabilities_, p, rtol=1e-10)


def test_three_coins_are_a_mixture_of_one_bit():
    start = [0.4, 0.6], [[0.6], [0.7]]
    model = BernoulliMixture(n_components=2, start=start, max_iter=1, tol=1.0)
    model.fit(TOSSES[:, np.newaxis])
    found = model.weights_[0], *model.probabilities_.ravel()
    np.testing.assert_allclose(found, (0.4064171123, 0.5368421053, 0.6432432432), atol=1e-10)
    np.testing.assert_allclose(found, three_coins.iterate(TOSSES.tolist(), 0.4, 0.6, 0.7))


@pytest.mark.parametrize("holes", [0.0, 0.2])
def test_hidden_classes_are_found(holes):
    X, labels = draw(4000, holes=holes)
    model = BernoulliMixture(n_components=2, n_init=3, random_state=0).fit(X)
    order = np.argsort(-model.weights_)
    np.testing.assert_allclose(model.weights_[order], TRUTH[0], atol=0.05)
    np.testing.assert_allclose(model.probabilities_[order], TRUTH[1], atol=0.08)
    assert (np.diff(model.log_likelihoods_) >= -1e-9).all()
    accuracy = np.mean(model.predict(X) == order[labels])
    assert accuracy > (0.9 if holes == 0.0 else 0.85)


def test_probabilities_sum_over_all_rows_to_one():
    X, _ = draw(100)
    model = BernoulliMixture(n_components=2, random_state=0).fit(X)
    every = np.array(np.meshgrid(*[[0.0, 1.0]] * 4)).reshape(4, -1).T
    assert np.exp(model.score_samples(every)).sum() == pytest.approx(1.0)
    half = every[every[:, 0] == 0.0]
    marginal = np.exp(model.score_samples(half)).reshape(-1, 2, 2, 2)
    unknown = model.score_samples([[0.0, np.nan, np.nan, np.nan]])
    assert np.exp(unknown[0]) == pytest.approx(marginal.sum())


def test_what_was_never_seen_remains_possible():
    model = BernoulliMixture(probability_floor=0.01).fit([[1, 0], [1, 1], [1, 0]])
    assert model.probabilities_[0, 0] == 0.99
    assert model.score_samples([[0, 0]])[0] == pytest.approx(np.log(0.01 * 2 / 3))


def test_partial_fit_adds_and_one_class_is_a_mean():
    X, _ = draw(300, holes=0.1)
    model = BernoulliMixture()
    for part in np.array_split(X, 4):
        model.partial_fit(part)
    np.testing.assert_allclose(model.probabilities_[0], np.nanmean(X, axis=0), rtol=1e-12)
    np.testing.assert_allclose(model.record_, BernoulliMixture().fit(X).record_)


def test_weights_mean_repetition():
    X, _ = draw(100)
    counts = np.random.default_rng(0).integers(0, 3, 100)
    start = [0.5, 0.5], [[0.6] * 4, [0.3] * 4]
    weighted = BernoulliMixture(n_components=2, start=start).fit(X, sample_weight=counts)
    repeated = BernoulliMixture(n_components=2, start=start).fit(np.repeat(X, counts, axis=0))
    np.testing.assert_allclose(weighted.probabilities_, repeated.probabilities_, rtol=1e-9)


def test_samples_look_like_the_rows():
    X, _ = draw(2000)
    model = BernoulliMixture(n_components=2, random_state=0).fit(X)
    drawn, labels = model.sample(20_000)
    assert set(np.unique(drawn)) == {0.0, 1.0}
    np.testing.assert_allclose(drawn[labels == 1].mean(axis=0), model.probabilities_[1], atol=0.03)
    np.testing.assert_allclose(drawn.mean(axis=0), X.mean(axis=0), atol=0.03)


def test_two_classes_are_chosen_by_schwarz_criterion():
    X, _ = draw(1500)
    fits = [BernoulliMixture(n_components=k, random_state=0, max_iter=1000) for k in (1, 2, 4)]
    scores = [model.fit(X).bic(X) for model in fits]
    assert int(np.argmin(scores)) == 1


BAD = {
    "features that are 0 or 1": ({}, [[0.5, 1.0]], {}),
    "row 1 has no value": ({}, [[0, 1], [np.nan, np.nan]], {}),
    "column 'x1' has no value": ({}, [[0, np.nan], [1, np.nan]], {}),
    "as many rows": ({"n_components": 3}, [[0, 1], [1, 1]], {}),
    "probability_floor=0.7": ({"probability_floor": 0.7}, [[0, 1], [1, 1]], {}),
    "and not on them": ({"start": ([1.0], [[0.0, 1.0]])}, [[0, 1], [1, 1]], {}),
    "give \\(1,\\) and \\(1, 2\\)": ({"start": ([1.0], [[0.5]])}, [[0, 1], [1, 1]], {}),
    "Negative values": ({}, [[0, 1], [1, 1]], {"sample_weight": [-1, 1]}),
}


@pytest.mark.parametrize("message", BAD)
def test_bad_input_is_refused_with_a_sentence_and_leaves_no_mark(message):
    settings, X, more = BAD[message]
    model = BernoulliMixture().fit([[0, 1], [1, 1]]).set_params(**settings)
    before = pickle.dumps(model)
    with pytest.raises(ValueError, match=message):
        model.fit(X, **more)
    assert pickle.dumps(model) == before


def test_sparse_rows_are_refused_with_the_remedy():
    with pytest.raises(TypeError, match="toarray"):
        BernoulliMixture().fit(sparse.csr_array([[0.0, 1.0]]))
