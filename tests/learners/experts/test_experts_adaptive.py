"""AdaHedge, Squint and fixed share: plain versions, fixtures, adversaries, broken assumptions."""

import math
import pickle

import numpy as np
import pytest

from reference import adahedge as plain_adahedge
from reference import fixed_share as plain_share
from reference import squint as plain_squint
from surelearn.bounds import regret_adaptive, regret_tracking
from surelearn.datasets import adversaries
from surelearn.learners.experts.adahedge import AdaHedge
from surelearn.learners.experts.fixed_share import FixedShare
from surelearn.learners.experts.squint import Squint
from surelearn.losses import Absolute

ALTERNATING = np.array([[0.0, 1.0], [1.0, 0.0], [0.0, 1.0], [1.0, 0.0]])


def tables(n_tables, seed=0):
    rng = np.random.default_rng(seed)
    for k in range(n_tables):
        shape = int(rng.integers(1, 50)), int(rng.integers(1, 7))
        if k % 4 == 0:
            yield rng.random(shape)
        elif k % 4 == 1:
            yield rng.integers(0, 2, shape).astype(float)
        elif k % 4 == 2:
            yield (rng.random(shape) < rng.random(shape[1])).astype(float)
        else:
            yield adversaries.leader_killer_losses(shape[0])


def assert_certified(learner):
    for certificate in learner.certificates():
        assert certificate.observed <= certificate.bound + 1e-9 * (1.0 + abs(certificate.bound))


def hit_the_heaviest(learner, n_rounds, n_experts):
    learner.update(np.eye(n_experts)[0])
    for _ in range(n_rounds - 1):
        learner.update(np.eye(n_experts)[np.argmax(learner.weights)])
    return learner


# --- AdaHedge ----------------------------------------------------------------------------------


def test_adahedge_reproduces_the_fixture():
    learner, first, gaps = AdaHedge(), [0.5], []
    for row in ALTERNATING:
        learner.update(row)
        gaps.append(learner.sum_mixability_gaps_ - learner.previous_sum_mixability_gaps_)
        first.append(learner.weights[0])
    np.testing.assert_allclose(first[:4], [0.5, 0.8, 0.5, 0.7113610866], rtol=1e-9)
    np.testing.assert_allclose(gaps, [0.5, 0.1390359526, 0.1294167613, 0.1022376045], rtol=1e-9)
    assert learner.regret_ == pytest.approx(0.5113610866, rel=1e-9)
    realised, a_priori = learner.certificates()
    assert realised.bound == pytest.approx(1.6391430322, rel=1e-9)
    assert a_priori.bound == pytest.approx(2.9423152994, rel=1e-9)


def test_adahedge_equals_the_plain_version():
    for losses in tables(200):
        run, learner = plain_adahedge.adahedge(losses), AdaHedge()
        np.testing.assert_allclose(learner.learn(losses), run.learner, rtol=1e-9, atol=1e-10)
        assert learner.sum_mixability_gaps_ == pytest.approx(run.gap_sums[-1], abs=1e-10)
        assert learner.regret_ == pytest.approx(run.regret, abs=1e-10)


def test_one_round_attains_the_realised_bound():
    learner = AdaHedge()
    learner.learn([[0.0, 1.0]])
    assert learner.certificates()[0].bound == pytest.approx(learner.regret_) == 0.5


def test_a_thousand_tables_keep_both_bounds_of_adahedge():
    for k, losses in enumerate(tables(1000, seed=1)):
        learner = AdaHedge()
        learner.learn(losses)
        gaps = learner.sum_mixability_gaps_ + learner.previous_sum_mixability_gaps_
        assert learner.regret_ <= gaps + 1e-9
        if k % 20 < 4:
            assert_certified(learner)
    assert_certified(hit_the_heaviest(AdaHedge(), 80, 3))


def test_adahedge_knows_neither_scale_nor_shift():
    losses = np.random.default_rng(2).integers(0, 2, (300, 4)).astype(float)
    one, other = AdaHedge(), AdaHedge()
    one.learn(losses)
    other.learn(2.0**20 * losses - 2.0**40)
    np.testing.assert_allclose(one.weights, other.weights, rtol=1e-10)
    for small, large in zip(one.certificates(), other.certificates(), strict=True):
        assert large.bound == pytest.approx(2.0**20 * small.bound, rel=1e-9)


def test_identical_losses_leave_no_gap_behind():
    learner = AdaHedge()
    learner.learn(np.full((200, 3), 0.1) * np.arange(200)[:, None])
    assert learner.sum_mixability_gaps_ == 0.0
    assert learner.weights.tolist() == [1 / 3] * 3
    (realised,) = learner.certificates()  # nothing is known beforehand of a range of 0
    assert realised.bound == realised.observed == 0.0


def test_adahedge_is_not_fooled_where_the_leader_always_loses():
    losses = adversaries.leader_killer_losses(1000)
    learner = AdaHedge()
    learner.learn(losses)
    assert learner.regret_ < 15.0  # following the leader loses 500


def test_adahedge_plays_two_million_rounds_without_underflow():
    learner, block = AdaHedge(), np.tile([0.0, 1.0], (100_000, 1))
    for losses in [block] * 10 + [block[:, ::-1]] * 10:
        learner.learn(losses)
    assert learner.n_rounds_ == 2_000_000
    np.testing.assert_allclose(learner.weights, [0.5, 0.5])
    assert_certified(learner)


def test_sleeping_adahedge_equals_the_plain_version():
    rng = np.random.default_rng(3)
    for k in range(60):
        losses = rng.random((40, 4))
        awake = rng.random((40, 4)) if k % 2 else (rng.random((40, 4)) < 0.6).astype(float)
        awake[:, 0] = 1.0
        regrets, run = plain_adahedge.sleeping(losses, awake)
        learner = AdaHedge()
        learner.learn(losses, awake=awake)
        np.testing.assert_allclose(learner.regrets_, regrets, atol=1e-9)
        assert learner.sum_mixability_gaps_ == pytest.approx(run.gap_sums[-1], abs=1e-9)
        assert learner.certificates()[0].method == "regret_sleeping.sleeping_adahedge_realised"
        assert_certified(learner)


def test_paying_for_the_average_is_never_dearer_than_the_average_payment():
    rng = np.random.default_rng(4)
    said, outcomes = rng.random((100, 5)), rng.random(100)
    spoken, table = AdaHedge(), AdaHedge()
    spoken.learn(said, outcomes, loss=Absolute())
    table.learn(np.abs(said - outcomes[:, None]))
    assert spoken.cumulative_loss_ < table.cumulative_loss_
    np.testing.assert_array_equal(spoken.weights, table.weights)


# --- Squint ------------------------------------------------------------------------------------


def test_squint_reproduces_the_fixture():
    learner, first = Squint(horizon=16), [0.5]
    for row in ALTERNATING:
        learner.update(row)
        first.append(learner.weights[0])
    np.testing.assert_allclose(first[:4], [0.5, 0.60204582, 0.50941472, 0.61075939], atol=1e-8)
    np.testing.assert_allclose(learner.regrets_, [0.20339049, 0.20339049], atol=1e-8)
    np.testing.assert_allclose(learner.variances_, [0.80054970, 1.24498955], atol=1e-8)
    for variance, bound in zip(learner.variances_, (3.17286357, 3.39508350), strict=True):
        guarantee = regret_adaptive.squint_realised(
            variance=variance, prior=0.5, learning_rates=[0.5, 0.25], rate_weights=[0.5, 0.5]
        )
        assert guarantee.bound == pytest.approx(bound, abs=1e-7)
    assert learner.certificates()[0].bound <= 3.39508350


def test_squint_equals_the_plain_version_with_any_prior():
    rng = np.random.default_rng(5)
    for k, losses in enumerate(tables(120, seed=5)):
        prior = rng.random(losses.shape[1]) + 0.1
        learner = Squint(prior=prior if k % 2 else None, horizon=4 ** int(rng.integers(1, 8)))
        paid = learner.learn(losses)
        n_rates = len(learner.learning_rates_)
        weights = np.full(n_rates, 1 / n_rates)
        run = plain_squint.squint(losses, learner.prior_, learner.learning_rates_, weights)
        np.testing.assert_allclose(paid, run.learner, rtol=1e-10, atol=1e-12)
        np.testing.assert_allclose(learner.regrets_, run.regrets, atol=1e-10)
        np.testing.assert_allclose(learner.variances_, run.variances, atol=1e-10)


def test_a_thousand_tables_keep_the_bounds_of_squint():
    for k, losses in enumerate(tables(1000, seed=6)):
        learner = Squint(horizon=max(len(losses), 2)) if k % 2 else Squint()
        learner.learn(losses)
        rates = learner.learning_rates_[:, None]
        cost = np.log(len(rates) / learner.prior_)
        bounds = (cost / rates + rates * learner.variances_).min(axis=0)
        assert (learner.regrets_ <= bounds + 1e-9).all()
        if k % 20 < 2:
            assert_certified(learner)
    assert_certified(hit_the_heaviest(Squint(), 80, 3))


def test_squint_scales_with_the_range_of_losses():
    losses = np.random.default_rng(7).random((100, 3))
    one, ten = Squint(), Squint(loss_range=(-5.0, 5.0))
    one.learn(losses)
    ten.learn(10.0 * losses - 5.0)
    np.testing.assert_allclose(one.weights, ten.weights, rtol=1e-9)
    for small, large in zip(one.certificates(), ten.certificates(), strict=True):
        assert large.bound == pytest.approx(10.0 * small.bound, rel=1e-9)
        assert large.recompute() == pytest.approx(large.bound, rel=1e-12)


def test_sleeping_squint_equals_the_plain_version():
    rng = np.random.default_rng(8)
    losses, awake = rng.random((60, 4)), rng.random((60, 4)) * (rng.random((60, 4)) < 0.7)
    awake[:, 0] = 1.0
    learner = Squint(horizon=64)
    paid = learner.learn(losses, awake=awake)
    rates = learner.learning_rates_
    run = plain_squint.play(
        lambda t, _: losses[t], 60, learner.prior_, rates, np.full(3, 1 / 3), confidences=awake
    )
    np.testing.assert_allclose(paid, run.learner, rtol=1e-10)
    np.testing.assert_allclose(learner.regrets_, run.regrets, atol=1e-10)
    assert learner.certificates()[0].method == "regret_sleeping.sleeping_squint"
    assert_certified(learner)


def test_squint_neither_over_nor_underflows_in_a_million_rounds():
    learner, block = Squint(horizon=100), np.tile([0.0, 1.0], (250_000, 1))
    for losses in [block] * 2 + [block[:, ::-1]] * 2:
        learner.learn(losses)
    assert np.isfinite(learner.weights).all()
    assert len(learner.certificates()) == 1  # beyond its horizon the closed form is not issued
    assert_certified(learner)


@pytest.mark.parametrize("prior", [[1.0], [1.0, 0.0], [1.0, math.nan], [[1.0, 1.0]]])
def test_a_prior_that_does_not_fit_is_refused_without_a_trace(prior):
    learner = Squint(prior=prior)
    before = pickle.dumps(learner)
    with pytest.raises(ValueError, match="prior must hold 2 positive weights"):
        learner.learn([[0.0, 1.0]])
    assert pickle.dumps(learner) == before


# --- fixed share -------------------------------------------------------------------------------


def test_fixed_share_reproduces_the_fixture_and_keeps_it():
    losses = np.random.default_rng(9).integers(0, 2, (100, 3)).astype(float)
    learner = FixedShare(horizon=100, n_switches=3)
    learner.learn(losses)
    assert learner.switch_rate_ == pytest.approx(0.0303030303)
    assert learner.learning_rate_ == pytest.approx(1.1531402602)
    assert learner.certificates()[1].bound == pytest.approx(28.8285065055)
    assert_certified(learner)


@pytest.mark.parametrize("switch_rate", [0.01, 0.3, None])
def test_fixed_share_equals_the_plain_version(switch_rate):
    for losses in tables(100, seed=10):
        n_rounds, n_experts = losses.shape
        if n_experts == 1:
            continue
        learner = FixedShare(switch_rate=switch_rate, learning_rate=0.8, n_switches=4)
        rates = 1.0 / np.arange(2, n_rounds + 1) if switch_rate is None else switch_rate
        run = plain_share.fixed_share(losses, 0.8, rates)
        np.testing.assert_allclose(learner.learn(losses), run.learner, rtol=1e-11, atol=1e-12)
        assert learner.sum_mixability_gaps_ == pytest.approx(run.gaps.sum(), abs=1e-11)
        best = plain_share.best_path_losses(losses)[:5]
        expected = run.learner.sum() - best
        np.testing.assert_allclose(learner.path_regrets_[: len(best)], expected, atol=1e-10)
        assert_certified(learner)


@pytest.mark.parametrize("parameters", [{}, {"horizon": 40}, {"switch_rate": 0.1}])
def test_a_thousand_tables_keep_the_bounds_of_fixed_share(parameters):
    for k, losses in enumerate(tables(350, seed=11)):
        learner = FixedShare(**parameters, n_switches=1 + k % 5)
        learner.learn(np.resize(losses, (40, losses.shape[1])))
        best = learner.path_regrets_.max()
        assert (
            best
            <= learner._realised(learner.n_switches if learner.n_experts_ > 1 else 0).bound + 1e-9
        )
        if k % 5 == 0:
            assert_certified(learner)


def test_fixed_share_follows_a_best_expert_that_changes():
    losses = np.repeat([[0.0, 1.0, 1.0], [1.0, 0.0, 1.0], [1.0, 1.0, 0.0]], 100, axis=0)
    learner = FixedShare(horizon=300, n_switches=2)
    learner.learn(losses)
    assert learner.path_regrets_[2] == pytest.approx(learner.cumulative_loss_)
    assert learner.cumulative_loss_ < 30.0
    stubborn = AdaHedge()
    stubborn.learn(losses)
    assert stubborn.cumulative_loss_ > 90.0
    assert learner.certificates()[1].status == "valid"


def test_one_long_good_path_nearly_attains_the_realised_bound():
    losses = np.repeat([[0.0, 1.0], [1.0, 0.0]], 50, axis=0)
    learner = FixedShare(switch_rate=0.01, learning_rate=30.0, n_switches=1)
    learner.learn(losses)
    certificate = learner.certificates()[0]
    assert certificate.bound == pytest.approx(certificate.observed, rel=1e-6)


def test_a_path_with_more_switches_than_declared_breaks_the_bound():
    losses = np.tile([[0.0, 1.0], [1.0, 0.0]], (50, 1))
    learner = FixedShare(horizon=100, n_switches=99)
    tuned = regret_tracking.fixed_share(n_experts=2, n_rounds=100, n_switches=1).bound
    few = FixedShare(horizon=100, n_switches=1)
    assert few.learn(losses).sum() > tuned  # the best sequence, which switches always, loses 0
    learner.learn(losses)
    assert_certified(learner)


@pytest.mark.parametrize(
    "parameters",
    [
        {"switch_rate": 0.0},
        {"switch_rate": 1.0},
        {"learning_rate": -1.0},
        {"n_switches": 0},
        {"horizon": 3, "n_switches": 3},
    ],
)
def test_the_parameters_of_fixed_share_are_checked(parameters):
    with pytest.raises(ValueError, match=r"rate|n_switches|horizon"):
        FixedShare(**parameters).learn([[0.0, 1.0]])
