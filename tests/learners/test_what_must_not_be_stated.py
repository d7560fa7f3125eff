"""Worlds in which a certificate would be false: each must be void, refused or never issued."""

import numpy as np
import pytest
from scipy import sparse

import surelearn
from surelearn import (
    CARTClassifier,
    CategoricalNaiveBayes,
    GaussianNaiveBayes,
    ID3Classifier,
    LowRankApproximation,
    MixedNaiveBayes,
    NearestNeighborsClassifier,
    PrincipalComponents,
    RidgeRegression,
    SoftImpute,
)

RNG = np.random.default_rng(0)


@pytest.mark.parametrize("learner", [CARTClassifier, ID3Classifier, MixedNaiveBayes])
def test_categories_that_are_seen_once_tell_of_others_and_void_the_certificate(learner):
    noisy = RNG.random(1000) < 0.3
    names = np.array([f"id{i}" for i in RNG.integers(0, 10**12, 1000)], dtype=object)
    X = np.where(noisy, names, "a")[:, np.newaxis]
    model = learner().fit(X, noisy)
    assert {certificate.status for certificate in model.certificates()} == {"void"}
    closed = np.where(noisy, "b", "a")[:, np.newaxis]
    assert learner().fit(closed, noisy).certificates()[0].status == "valid"


def test_rows_of_weight_zero_cannot_hide_errors():
    X, y = RNG.normal(size=(500, 1)), RNG.integers(0, 2, 500)
    model = GaussianNaiveBayes().fit(X, y, sample_weight=y == (X[:, 0] > 0))
    assert model.certificates() == ()
    for learner in (surelearn.LogisticRegression, CARTClassifier):
        fitted = learner().fit(X, y, sample_weight=(y == (X[:, 0] > 0)).astype(float))
        assert fitted.certificates()[0].n == 500


def test_the_stability_of_ridge_says_nothing_of_weights_choices_or_intercepts():
    X, y = np.ones((300, 1)), RNG.choice([-1.0, 1.0], 300)
    limits = {"label_bound": 1.0, "radius": 1.0}
    free = {"fit_intercept": False}
    weighted = RidgeRegression(alpha=300.0, **free).fit(X, y, np.where(y > 0, 1e6, 1.0))
    chosen = RidgeRegression(alphas=[1.0, 300.0], **free).fit(X, y)
    intercept = RidgeRegression(alpha=300.0).fit(X, y).set_params(fit_intercept=False)
    later = RidgeRegression(alpha=300.0, **free).fit(X, y).partial_fit(X, y, np.full(300, 9.0))
    for model in (weighted, chosen, intercept, later):
        with pytest.raises(ValueError, match="the theorem speaks of a model"):
            model.guarantee(**limits)
    assert RidgeRegression(alpha=300.0, **free).fit(X, y).guarantee(**limits).bound < 4.0


def test_components_chosen_from_the_rows_stay_so_whatever_is_set_afterwards():
    model = PrincipalComponents(n_components=0.99).fit(RNG.normal(size=(50, 4)))
    with pytest.raises(ValueError, match="fixed before the data"):
        model.set_params(n_components=1).guarantee(diameter=20.0)


def test_nearest_neighbours_promise_nothing_about_votes_their_theorems_do_not_know():
    X, y = RNG.uniform(-1, 1, size=(60, 1)), RNG.integers(0, 2, 60)
    with pytest.raises(ValueError, match="count alike"):
        NearestNeighborsClassifier(n_neighbors=3, weights="distance").fit(X, y).guarantee(
            bayes_risk=0.1
        )
    for k, labels in ((2, y), (3, np.arange(60) % 3)):
        with pytest.raises(ValueError, match="votes can tie"):
            NearestNeighborsClassifier(n_neighbors=k).fit(X, labels).guarantee(bayes_risk=0.1)
    tied = NearestNeighborsClassifier(n_neighbors=4).fit(np.zeros((30, 1)), np.arange(30) % 2)
    assert tied.certificates()[0].status == "void"
    assert tied.set_params(ties="random").certificates()[0].status == "void"


def test_values_that_overflow_or_cannot_be_told_apart_are_refused():
    with pytest.raises(ValueError, match="overflow"), np.errstate(over="ignore", invalid="ignore"):
        GaussianNaiveBayes().fit(RNG.normal(size=(50, 2)) * 1e160, np.arange(50) % 2)
    huge = (2**53 + np.arange(6))[:, np.newaxis].repeat(5, axis=0)
    with pytest.raises(ValueError, match="beyond 2\\*\\*53"):
        CategoricalNaiveBayes().fit(huge, np.arange(30) % 2)
    with pytest.raises(ValueError, match="cannot be sorted"):
        CARTClassifier().fit([[0.0], [1.0]], np.array(["a", 1], dtype=object))


def test_a_matrix_whose_rows_sum_to_zero_is_decomposed():
    laplacian = sparse.csr_array(sparse.kron(sparse.eye_array(2100), [[1.0, -1], [-1, 1]]))
    assert LowRankApproximation().fit(laplacian).singular_values_ == pytest.approx([2.0])
    signs = np.tile([-1.0, 1.0], 6)
    model = SoftImpute(regularization=2.0).fit(3 * np.outer(signs, signs))
    assert model.low_rank_.values == pytest.approx([34.0], rel=1e-4)
