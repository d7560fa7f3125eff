"""Normalised Winnow against its plain self, the catalogue, its theorems, and broken worlds."""

import math
import pickle

import numpy as np
import pytest
from scipy import sparse
from sklearn.base import clone

from reference import normalized_winnow as plain
from reference.streams import hinge, spiteful, streams
from surelearn.bounds import mistakes_linear
from surelearn.checks import ONLINE_CHECKS
from surelearn.datasets.worlds import Noisy
from surelearn.learners.experts.weighted_majority import WeightedMajority
from surelearn.learners.linear.normalized_winnow import NormalizedWinnow


def bare(**parameters):
    return NormalizedWinnow(fit_intercept=False, **parameters)


def sign_rows(n, d, rng):
    return rng.choice([-1.0, 1.0], size=(n, d))


@pytest.mark.parametrize("seed", range(20))
@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array])
def test_the_self_tuned_rate_equals_the_plain_version(seed, form):
    rng = np.random.default_rng(seed)
    X, signs = rng.normal(size=(60, 4)), rng.choice([-1.0, 1.0], 60)
    X[0, 0] = 9.0  # the plain version knows the largest feature from the beginning
    scores = bare().learn(form(X), signs, classes=[-1.0, 1.0])
    np.testing.assert_allclose(scores, plain.learn_self_tuned(X, signs, 9.0), rtol=0, atol=1e-12)


@pytest.mark.parametrize("seed", range(10))
@pytest.mark.parametrize("balanced", [False, True])
def test_a_fixed_rate_equals_the_plain_version(seed, balanced):
    rng = np.random.default_rng(seed)
    X, signs = rng.normal(size=(80, 5)), rng.choice([-1.0, 1.0], 80)
    literal = np.hstack([X, -X]) if balanced else X
    scores, weights = plain.learn(literal, signs, 0.3)
    model = bare(learning_rate=0.3, balanced=balanced)
    np.testing.assert_allclose(model.learn(X, signs, [-1.0, 1.0]), scores, rtol=0, atol=1e-12)
    expected = weights[:5] - weights[5:] if balanced else weights
    np.testing.assert_allclose(model.coef_[0], expected, rtol=0, atol=1e-12)


def test_an_intercept_is_a_constant_feature():
    rng = np.random.default_rng(0)
    X, signs = rng.normal(size=(50, 3)), rng.choice([-1.0, 1.0], 50)
    with_ones = np.hstack([X, np.ones((50, 1))])
    model, twin = NormalizedWinnow(), bare()
    first = model.learn(X, signs, [-1.0, 1.0])
    np.testing.assert_allclose(first, twin.learn(with_ones, signs, [-1.0, 1.0]), atol=1e-12)
    assert model.intercept_[0] == pytest.approx(twin.coef_[0, -1])


def test_the_catalogue_update_on_three_experts():
    model = bare(learning_rate=0.5, balanced=False)
    score = model.learn([[1.0, -1.0, -1.0]], [1], classes=[-1, 1])
    assert score[0] == pytest.approx(-1 / 3)
    np.testing.assert_allclose(model.coef_[0], [0.576117, 0.211942, 0.211942], atol=1e-6)


@pytest.mark.parametrize(("n", "bound"), [(4, 2.77), (16, 5.55), (64, 8.32), (1024, 13.86)])
def test_one_relevant_expert_of_many_costs_the_logarithm_of_their_number(n, bound):
    rng = np.random.default_rng(n)
    X = sign_rows(600, n, rng)
    model = bare(learning_rate=1.0, balanced=False)
    model.learn(X, X[:, 0])
    assert 0 < model.n_mistakes_ <= bound
    assert model.guarantee(margin=1.0).allows(model.n_mistakes_)


def test_on_signs_it_is_the_weighted_majority_of_its_features():
    rng = np.random.default_rng(6)
    X = sign_rows(200, 7, rng)
    signs = np.where(rng.random(200) < 0.8, X[:, 2], -X[:, 2])
    model = bare(learning_rate=0.3, balanced=False)
    scores = model.learn(X, signs, classes=[-1.0, 1.0])
    vote = WeightedMajority(beta=np.exp(-2 * 0.3), only_on_mistakes=True)
    said = vote.learn((X > 0).astype(int), (signs > 0).astype(int))
    assert np.abs(scores).min() > 1e-12  # no tie, which the two break differently
    np.testing.assert_array_equal(scores > 0, said == 1)
    np.testing.assert_allclose(model.coef_[0], vote.weights, rtol=1e-13)


def test_a_negative_target_needs_balanced_features():
    X = sign_rows(100, 16, np.random.default_rng(0))
    positive = bare(learning_rate=1.0, balanced=False)
    positive.learn(X, -X[:, 0])
    balanced = bare(learning_rate=1.0)
    balanced.learn(X, -X[:, 0])
    assert positive.n_mistakes_ > 30
    assert balanced.n_mistakes_ < 8
    assert balanced.guarantee(margin=1.0).allows(balanced.n_mistakes_)


def test_splitting_the_experts_in_half_forces_log2_of_their_number():
    X = np.array([[1.0 if (i >> b) & 1 else -1.0 for i in range(16)] for b in range(4)])
    signs = spiteful(lambda X, s: bare(learning_rate=9.0, balanced=False).learn(X, s, [-1, 1]), X)
    model = bare(learning_rate=9.0, balanced=False)
    model.learn(X, signs, classes=[-1.0, 1.0])
    assert model.n_mistakes_ == 4
    assert 4 <= model.guarantee(margin=1.0).bound <= 4.5  # ln 16 / d(1) = 4 in the limit


@pytest.mark.parametrize("rate", [None, 0.05, 0.5])
@pytest.mark.parametrize(
    "seeds", [range(6), pytest.param(range(6, 60), marks=pytest.mark.slow)], ids=["few", "many"]
)
def test_sure_bounds_are_never_exceeded_on_many_streams(rate, seeds):
    for seed in seeds:
        for X, signs in streams(seed):
            y = signs.copy()
            y[:2] = -1.0, 1.0
            model = NormalizedWinnow(learning_rate=rate, max_iter=3).fit(X, y)
            for certificate in model.certificates()[:-1]:
                assert certificate.observed == model.n_mistakes_
                assert certificate.observed <= certificate.bound * (1 + 1e-9)


@pytest.mark.parametrize("seed", range(10))
def test_the_self_tuned_bound_holds_for_every_comparator_on_spiteful_streams(seed):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(40, 6)) * np.linspace(0.1, 3.0, 40)[:, np.newaxis]  # the radius rises
    signs = spiteful(lambda X, s: bare().learn(X, s, [-1.0, 1.0]), X)
    model = bare()
    scores = model.learn(X, signs, [-1.0, 1.0])
    wrong = signs * scores <= 0.0
    assert wrong.all()
    for scale in (0.1, 1.0, 10.0):
        u = scale * rng.normal(size=6)
        loss = float(hinge(u, X, signs)[wrong].sum())
        bound = mistakes_linear.self_tuned_winnow(
            n_features=6, norm=float(np.abs(u).sum()), radius=model.radius_, hinge_loss=loss
        )
        assert bound.allows(model.n_mistakes_)


def test_few_features_that_matter_make_the_certificate_informative():
    rng = np.random.default_rng(0)
    X = sign_rows(2000, 200, rng)
    model = bare(max_iter=5).fit(X, X[:, 3])
    (certificate, risk) = model.certificates()
    assert certificate.status == risk.status == "valid"
    assert certificate.bound < 8 * math.log(400)
    assert np.abs(model.coef_[0]).argmax() == 3


def test_flipped_labels_break_the_bound_for_a_margin():
    rng = np.random.default_rng(0)
    X = sign_rows(400, 8, rng)
    signs = X[:, 0] * np.where(rng.random(400) < 0.3, -1.0, 1.0)
    for model in (bare(max_iter=1), bare(learning_rate=1.0, max_iter=1)):
        model.fit(X, signs)
        assert not model.guarantee(margin=1.0).allows(model.n_mistakes_)


def test_dropping_rows_outside_the_compression_set_leaves_the_model_as_it_is():
    X, signs = Noisy(3, 0.05).draw(120, seed=0)
    X = np.round(X, 1)
    model, rng = NormalizedWinnow(max_iter=3).fit(X, signs), np.random.default_rng(0)
    for _ in range(15):
        keep = rng.random(120) < 0.2
        keep[model.compression_set_] = True
        np.testing.assert_array_equal(clone(model).fit(X[keep], signs[keep]).coef_, model.coef_)
    assert len(model.compression_set_) < 120


def test_enormous_sums_do_not_overflow():
    model = bare(learning_rate=50.0)
    scores = model.learn(np.full((50, 2), 1e3), [1, -1] * 25)
    assert np.isfinite(scores).all()
    assert np.isfinite(model.coef_).all()
    zero = bare().fit(np.zeros((4, 2)), [0, 1, 0, 1])
    assert zero.coef_.tolist() == [[0.0, 0.0]]


@pytest.mark.parametrize("check", ONLINE_CHECKS, ids=lambda check: check.__name__)
@pytest.mark.parametrize(
    "parameters",
    [{"learning_rate": 0.1}, {"learning_rate": 0.1, "balanced": False}, {"fit_intercept": False}],
)
def test_other_parameters_keep_the_promises_of_learning_in_order(check, parameters):
    check(NormalizedWinnow(**parameters))


@pytest.mark.parametrize(
    ("parameters", "word"),
    [
        ({"learning_rate": 0.0}, "learning_rate"),
        ({"learning_rate": np.inf}, "learning_rate"),
        ({"balanced": False}, "learning_rate"),
    ],
)
def test_parameters_that_no_theorem_covers_are_refused(parameters, word):
    model = NormalizedWinnow().fit([[0.0], [1.0]], [0, 1])
    model.set_params(**parameters)
    before = pickle.dumps(model)
    with pytest.raises(ValueError, match=word):
        model.fit([[0.0], [1.0]], [0, 1])
    assert pickle.dumps(model) == before


def test_learning_on_drops_the_certificates_of_the_training_set():
    model = NormalizedWinnow().fit([[0.0], [1.0]], [0, 1])
    assert len(model.certificates()) == 2
    model.learn_one([0.5], 1)
    assert model.certificates() == ()
    assert not hasattr(model, "realised_")


@pytest.mark.parametrize("rate", [None, 0.05])
def test_the_guarantee_covers_the_mistakes_of_all_two_class_problems(rate):
    X = np.eye(4)[np.arange(40) % 4]
    X = np.hstack([X, -X, np.ones((40, 1))])
    model = NormalizedWinnow(learning_rate=rate, fit_intercept=False).fit(X, np.arange(40) % 4)
    guarantee = model.guarantee(margin=0.2)  # attained by weights 2, 2, 1 on x, -x and the constant
    two = NormalizedWinnow(learning_rate=rate, fit_intercept=False).fit(X, np.arange(40) % 4 == 0)
    assert guarantee.allows(model.n_mistakes_)
    assert guarantee.bound == 4 * two.guarantee(margin=0.2).bound


def test_sums_far_below_zero_do_not_make_all_weights_vanish():
    X, signs = np.ones((2000, 2)), -np.ones(2000)
    model = NormalizedWinnow(learning_rate=1.0, balanced=False, fit_intercept=False)
    scores = model.learn(X, np.zeros(2000, int), [0, 1])
    np.testing.assert_allclose(scores, plain.learn(X, signs, 1.0)[0])
    np.testing.assert_allclose(model.coef_, [[0.5, 0.5]])
