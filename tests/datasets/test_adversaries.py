"""Adversaries do what they were made for."""

import math

import numpy as np
import pytest

from reference import halving, perceptron, weighted_majority, winnow
from surelearn.datasets import adversaries
from surelearn.datasets.adversaries import Contrarian


def test_a_contrarian_never_agrees():
    adversary = Contrarian(labels=(-1.0, 1.0))
    assert [adversary.next(p) for p in (-1.0, 1.0, -1.0)] == [1.0, -1.0, 1.0]


@pytest.mark.parametrize("beta", [0.0, 0.3, 0.5, 0.9])
@pytest.mark.parametrize("n_experts", [1, 2, 5, 40])
def test_the_fooled_majority_is_wrong_in_every_round_and_expert_zero_never(n_experts, beta):
    advice, outcomes = adversaries.majority_fooling_advice(n_experts, beta=beta)
    if beta == 0.0:
        predictions, _ = halving.learn(advice, outcomes)
    else:
        predictions, _ = weighted_majority.learn(advice, outcomes, beta)
    assert advice.shape == (len(outcomes), n_experts)
    assert np.all(predictions != outcomes)
    assert np.all(advice[:, 0] == outcomes)
    assert len(outcomes) >= math.floor(math.log2(n_experts))


def test_advice_outside_its_domain_is_refused():
    with pytest.raises(ValueError, match="beta"):
        adversaries.majority_fooling_advice(4, beta=1.0)
    with pytest.raises(ValueError, match="n_experts"):
        adversaries.majority_fooling_advice(0, beta=0.5)
    with pytest.raises(ValueError, match="n_relevant"):
        adversaries.winnow_adversary(3, 4)


def test_orthogonal_rows_have_the_length_asked_for():
    X, signs = adversaries.orthonormal_stream(5, radius=2.0)
    assert np.array_equal(X @ X.T, 4.0 * np.eye(5))
    assert np.array_equal(signs, np.ones(5))


@pytest.mark.parametrize("n_features", [1, 2, 3, 4, 5, 6, 7])
def test_the_exponential_sample_takes_a_third_of_four_to_the_dimension(n_features):
    X, signs = adversaries.exponential_perceptron_sample(n_features)
    _, w, _, updated = perceptron.learn(X, signs, fit_intercept=False, max_passes=20_000)
    assert len(updated) == (4**n_features - 1) // 3
    assert w.tolist() == [2.0**i for i in range(n_features)]


@pytest.mark.parametrize(("width", "expected"), [(4, 9), (10, 51), (20, 201)])
def test_three_points_in_the_plane_take_half_the_square_of_their_width(width, expected):
    X, signs = adversaries.planar_perceptron_sample(width)
    updated = perceptron.learn(X, signs, fit_intercept=False, max_passes=1000)[3]
    assert len(updated) == expected


def test_alternating_labels_make_the_perceptron_err_always():
    X, signs = adversaries.alternating_labels(31)
    assert len(perceptron.learn(X, signs, fit_intercept=False)[3]) == 31


@pytest.mark.parametrize(("n", "k"), [(1, 0), (1, 1), (4, 1), (7, 7), (64, 2), (100, 5)])
def test_winnow_errs_in_every_round_of_its_adversary(n, k):
    X, labels = adversaries.winnow_adversary(n, k)
    predictions, _ = winnow.learn(X, labels)
    assert X.shape == (len(labels), n)
    assert np.all(predictions != labels)
    assert np.array_equal(X[:, :k].any(axis=1), labels)


def test_the_leader_is_killed_in_every_round():
    losses = adversaries.leader_killer_losses(1000)
    leaders = np.argmin(np.vstack([[0.0, 0.0], np.cumsum(losses, axis=0)[:-1]]), axis=1)
    followed = losses[np.arange(1000), leaders].sum()
    assert (followed, losses.sum(axis=0).min()) == (999.5, 499.5)
    assert adversaries.leader_killer_losses(0).shape == (0, 2)


def test_fair_coins_cost_any_learner_the_exact_expected_regret():
    losses = np.stack([adversaries.rademacher_losses(100, seed=s) for s in range(2000)])
    regrets = 50.0 - losses.sum(axis=1).min(axis=1)
    exact = 50 * math.comb(100, 50) / 2**100
    assert exact == pytest.approx(3.979462, abs=1e-6)
    assert abs(regrets.mean() - exact) < 4 * regrets.std() / math.sqrt(2000)
    assert exact > math.sqrt(100 / 8)


@pytest.mark.parametrize(
    ("n_rounds", "expected"), [(1, 0.5), (5, 1.141667), (100, 2.593689), (0, 0.0)]
)
def test_the_tight_targets_attain_half_the_harmonic_number(n_rounds, expected):
    targets = adversaries.strongly_convex_tight_targets(n_rounds)
    w, learner = 0.0, 0.0
    for t, z in enumerate(targets, start=1):
        assert z == pytest.approx(w + 1.0)
        learner += (w - z) ** 2 / 2
        w -= (w - z) / t
    regret = learner - np.sum((targets - w) ** 2) / 2
    assert len(targets) == n_rounds
    assert regret == pytest.approx(expected, abs=1e-6)
    if n_rounds > 0:
        assert regret > math.log(n_rounds + 1) / 2  # the printed bound is below it
