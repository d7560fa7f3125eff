"""Halving and weighted majority against their plain selves, the catalogue and adversaries."""

import copy
import itertools
import pickle

import numpy as np
import pytest

from reference import halving as plain_halving
from reference import weighted_majority as plain_majority
from surelearn.datasets import adversaries
from surelearn.learners.experts.halving import Halving
from surelearn.learners.experts.weighted_majority import WeightedMajority


def random_games(n_games, seed=0):
    rng = np.random.default_rng(seed)
    for _ in range(n_games):
        said = rng.integers(0, 2, (int(rng.integers(1, 40)), int(rng.integers(1, 9))))
        yield rng, said


@pytest.mark.parametrize("learner", [Halving(), Halving(only_on_mistakes=True), WeightedMajority()])
def test_a_prediction_is_the_vote_of_the_round_that_follows(learner):
    rng = np.random.default_rng(3)
    for _ in range(50):
        said, right, player = rng.integers(0, 2, (6, 8)), rng.integers(8), copy.deepcopy(learner)
        for row in said:
            predicted, before = player.predict(row), pickle.dumps(player)
            assert pickle.dumps(player) == before
            assert player.update(row, row[right]) == predicted


@pytest.mark.parametrize("only_on_mistakes", [False, True])
def test_halving_equals_the_plain_version_exactly(only_on_mistakes):
    for rng, said in random_games(200):
        outcomes = said[:, rng.integers(said.shape[1])]
        expected, pool = plain_halving.learn(said, outcomes, only_on_mistakes=only_on_mistakes)
        learner = Halving(only_on_mistakes=only_on_mistakes)
        np.testing.assert_array_equal(learner.learn(said, outcomes), expected)
        np.testing.assert_array_equal(learner.pool_, pool)


@pytest.mark.parametrize("only_on_mistakes", [False, True])
def test_weighted_majority_equals_the_plain_version_exactly_at_one_half(only_on_mistakes):
    for rng, said in random_games(200, seed=1):
        outcomes = rng.integers(0, 2, len(said))
        expected, weights = plain_majority.learn(
            said, outcomes, 0.5, only_on_mistakes=only_on_mistakes
        )
        learner = WeightedMajority(only_on_mistakes=only_on_mistakes)
        np.testing.assert_array_equal(learner.learn(said, outcomes), expected)
        np.testing.assert_allclose(learner.weights, weights / weights.sum(), rtol=1e-13)


@pytest.mark.parametrize(("bits", "n_mistakes"), [(3, 3), (6, 6)])
def test_all_strings_and_contrary_outcomes_cost_halving_one_mistake_per_bit(bits, n_mistakes):
    strings = np.array(list(itertools.product([0, 1], repeat=bits)))
    learner = Halving()
    for said in strings.T:
        learner.update(said, adversaries.Contrarian().next(learner.predict(said)))
    assert learner.n_mistakes_ == n_mistakes == learner.certificates()[0].bound
    assert learner.pool_.sum() == 1


@pytest.mark.parametrize("only_on_mistakes", [False, True])
@pytest.mark.parametrize(("n_points", "expected"), [(3, 2), (7, 3), (8, 3)])
def test_thresholds_cost_halving_what_the_catalogue_says(n_points, expected, only_on_mistakes):
    table = np.tri(n_points + 1, n_points, k=-1, dtype=int)  # a row per threshold
    learner = Halving(only_on_mistakes=only_on_mistakes)
    pool = np.ones(n_points + 1, dtype=bool)
    while pool.sum() > 1:  # ask where the pool is divided most evenly and contradict the vote
        ones = table[pool].sum(axis=0)
        said = table[:, np.argmax(np.minimum(ones, pool.sum() - ones))]
        learner.update(said, adversaries.Contrarian().next(learner.predict(said)))
        pool = learner.pool_
    assert learner.n_mistakes_ == expected
    assert learner.guarantee(n_experts=n_points + 1).bound == expected


def test_an_empty_pool_says_which_round_and_leaves_the_state_as_it_was():
    learner = Halving()
    learner.learn([[0, 1], [1, 1]], [0, 1])
    before = pickle.dumps(learner)
    with pytest.raises(ValueError, match=r"no expert is consistent: in round 4 \(row 1\)"):
        learner.learn([[1, 0], [0, 1]], [1, 1])
    assert pickle.dumps(learner) == before
    fresh = Halving()
    with pytest.raises(ValueError, match="round 1"):
        fresh.learn([[0, 0]], [1])
    assert vars(fresh) == {"only_on_mistakes": False}


def test_experts_that_all_erred_void_the_certificate_of_the_patient_variant():
    learner = Halving(only_on_mistakes=True)
    learner.learn([[1, 1, 0], [1, 0, 1], [0, 1, 1]], [1, 1, 1])
    assert learner.n_mistakes_ == 0
    assert learner.certificates()[0].status == "void"


def test_the_catalogue_run_of_weighted_majority():
    said = [[1, 1, 0], [1, 0, 0], [0, 1, 0], [1, 1, 0]]
    learner = WeightedMajority(beta=0.5, only_on_mistakes=True)
    learner.learn(said, [0, 0, 0, 0])
    assert learner.n_mistakes_ == 2  # the last one by a tie, which is 1
    np.testing.assert_allclose(learner.weights, np.array([0.25, 0.25, 1.0]) / 1.5)
    assert learner.certificates()[0].bound == pytest.approx(3.8188, abs=1e-4)


@pytest.mark.parametrize(
    ("n_experts", "beta", "n_mistakes"),
    [(16, 0.5, 8), (2048, 0.5, 25), (16, np.exp(-1), 6), (256, np.exp(-1), 13)],
)
def test_the_fooling_advice_costs_what_the_catalogue_says(n_experts, beta, n_mistakes):
    for only_on_mistakes in (False, True):
        learner = WeightedMajority(beta=beta, only_on_mistakes=only_on_mistakes)
        learner.learn(*adversaries.majority_fooling_advice(n_experts, beta=beta))
        assert learner.n_mistakes_ == n_mistakes
        certificate = learner.certificates()[0]
        assert certificate.observed <= certificate.bound <= 1.35 * certificate.observed


@pytest.mark.parametrize("beta", [0.5, 0.9, 0.99])
def test_no_deterministic_vote_survives_the_contrarian(beta):
    learner = WeightedMajority(beta=beta)
    for _ in range(20):
        learner.update([0, 1], adversaries.Contrarian().next(learner.predict([0, 1])))
    assert (learner.n_mistakes_, learner.expert_losses_.min(), learner.regret_) == (20, 10, 10)
    assert learner.certificates()[0].bound >= 20


@pytest.mark.parametrize("beta", [0.05, 0.5, 0.95])
def test_a_thousand_random_and_contrary_games_keep_the_bound(beta):
    largest = 0.0
    for k, (rng, said) in enumerate(random_games(1000, seed=2)):
        learner = WeightedMajority(beta=beta, only_on_mistakes=bool(k % 2))
        if k % 3:
            learner.learn(said, rng.integers(0, 2, len(said)))
        else:
            for row in said[:10]:
                learner.update(row, adversaries.Contrarian().next(learner.predict(row)))
        best = int(learner.expert_losses_.min())
        bound = learner.guarantee(n_experts=learner.n_experts_, best_mistakes=best).bound
        assert learner.n_mistakes_ <= bound * (1 + 1e-9)
        largest = max(largest, learner.n_mistakes_ / max(bound, 1.0))
    assert largest > 0.45  # short random games come within a factor of about two


def test_weights_do_not_vanish_in_a_million_rounds():
    learner = WeightedMajority(beta=0.5)
    said = np.tile([[1, 0]], (500_000, 1))
    learner.learn(said, np.ones(500_000))
    assert learner.weights.tolist() == [1.0, 0.0]
    learner.learn(said, np.zeros(500_000))
    assert learner.weights.tolist() == [0.5, 0.5]
    assert learner.update([1, 0], 0) == 1
    assert learner.update([1, 0], 0) == 0


@pytest.mark.parametrize(("beta", "message"), [(0.0, "Halving"), (1.0, "beta"), (-0.1, "beta")])
def test_a_beta_outside_the_theorem_is_refused(beta, message):
    with pytest.raises(ValueError, match=message):
        WeightedMajority(beta=beta).learn([[0, 1]], [1])


@pytest.mark.parametrize("learner", [Halving(), WeightedMajority()])
def test_advice_and_outcomes_are_bits(learner):
    with pytest.raises(ValueError, match="advice must be 0 or 1"):
        learner.learn([[0.5, 1.0]], [1])
    with pytest.raises(ValueError, match="outcomes must be 0 or 1"):
        learner.learn([[0.0, 1.0]], [-1])
