"""Hedge in all its rates, drawn, restarted and mixed: plain versions, catalogue, adversaries."""

import math
import pickle

import numpy as np
import pytest

from reference import exponentially_weighted_average as plain_average
from reference import hedge as plain
from surelearn.base.states import same
from surelearn.bounds import regret
from surelearn.datasets import adversaries
from surelearn.learners.experts.aggregating_algorithm import AggregatingAlgorithm
from surelearn.learners.experts.doubling import Doubling
from surelearn.learners.experts.hedge import Hedge
from surelearn.learners.experts.randomized_weighted_majority import RandomizedWeightedMajority
from surelearn.losses import Absolute, Entropic, Logarithmic, Logistic, Square, ZeroOne


def tables(n_tables, seed=0):
    """Yield random, binary, drifting and adversarial tables of losses in [0, 1]."""
    rng = np.random.default_rng(seed)
    for k in range(n_tables):
        shape = int(rng.integers(1, 60)), int(rng.integers(1, 7))
        if k % 4 == 0:
            yield rng.random(shape)
        elif k % 4 == 1:
            yield rng.integers(0, 2, shape).astype(float)
        elif k % 4 == 2:
            yield (rng.random(shape) < rng.random(shape[1])).astype(float)
        else:
            yield adversaries.leader_killer_losses(shape[0])


def hit_the_heaviest(learner, n_rounds, n_experts):
    """Let the expert with the largest weight lose in every round."""
    learner.update(np.eye(n_experts)[0])
    for _ in range(n_rounds - 1):
        learner.update(np.eye(n_experts)[np.argmax(learner.weights)])
    return learner


def assert_certified(learner):
    for certificate in learner.certificates():
        assert certificate.observed <= certificate.bound + 1e-9 * (1.0 + abs(certificate.bound))


@pytest.mark.parametrize("learner", [Hedge(learning_rate=0.3), Hedge(horizon=50), Hedge()])
def test_hedge_equals_the_plain_version(learner):
    for losses in tables(60):
        n_rounds, n_experts = losses.shape
        played = pickle.loads(pickle.dumps(learner))  # noqa: S301
        rates = played._rates(n_experts, 0, n_rounds)
        run = plain.hedge(losses, rates)
        np.testing.assert_allclose(played.learn(losses), run.learner, rtol=1e-12, atol=1e-13)
        assert played.regret_ == pytest.approx(run.regret, abs=1e-11)
        assert played.sum_mixability_gaps_ == pytest.approx(run.gaps.sum(), abs=1e-11)


def test_the_catalogue_runs_of_hedge():
    learner = Hedge(learning_rate=1.0)
    paid = learner.learn([[0, 1], [1, 0], [0, 1]])
    np.testing.assert_allclose(paid, [0.5, 0.7310585786, 0.5], rtol=1e-9)
    assert (learner.cumulative_loss_, learner.expert_losses_.min()) == (
        pytest.approx(1.7310585786),
        1.0,
    )
    losses = np.random.default_rng(0).integers(0, 2, (1000, 10)).astype(float)
    for rate, expected in (
        (math.sqrt(2 * math.log(10) / 1000), 23.1506985),
        (None, 25.2964225),
    ):
        horizon = None if rate else 1000
        learner = Hedge(learning_rate=rate, horizon=horizon)
        learner.learn(losses)
        assert learner.regret_ == pytest.approx(expected, abs=1e-6)
    assert learner.certificates()[1].bound == pytest.approx(33.9307021)


def test_the_catalogue_run_of_the_weighted_average_under_absolute_loss():
    learner = Hedge(horizon=3)
    predictions = learner.learn([[0, 1]] * 3, [1, 1, 0], loss=Absolute())
    np.testing.assert_allclose(predictions, [0.5, 0.795688, 0.938145], atol=1e-6)
    assert learner.cumulative_loss_ == pytest.approx(1.642457, abs=1e-6)
    assert learner.regret_ == pytest.approx(0.642457, abs=1e-6)
    assert learner.certificates()[1].bound == pytest.approx(1.019667, abs=1e-6)


@pytest.mark.parametrize("learner", [Hedge(learning_rate=0.5), Hedge(horizon=30), Hedge()])
def test_a_thousand_tables_keep_both_bounds(learner):
    for k, losses in enumerate(tables(350, seed=1)):
        played = pickle.loads(pickle.dumps(learner))  # noqa: S301
        played.learn(losses)
        assert played.regret_ <= played._realised().bound + 1e-9
        assert (
            played.regret_
            <= played.guarantee(n_experts=played.n_experts_, n_rounds=played.n_rounds_).bound
            * (1 + 1e-9)
            + 1e-12
        )
        if k % 10 == 0:
            assert_certified(played)


@pytest.mark.parametrize("learner", [Hedge(horizon=60), Hedge(), Doubling(Hedge())])
@pytest.mark.parametrize("n_experts", [2, 5])
def test_the_adversary_of_the_heaviest_keeps_the_bounds(learner, n_experts):
    played = hit_the_heaviest(pickle.loads(pickle.dumps(learner)), 60, n_experts)  # noqa: S301
    assert_certified(played)
    assert played.regret_ > 0.2 * played.certificates()[-1].bound


@pytest.mark.parametrize(("n_rounds", "share"), [(100, 0.89), (1000, 0.95)])
def test_on_the_worst_table_of_two_experts_the_anytime_bound_is_nearly_attained(n_rounds, share):
    rates = 2.0 * np.sqrt(math.log(2) / np.arange(1, n_rounds + 1))
    bound = Hedge().guarantee(n_experts=2, n_rounds=n_rounds).bound
    assert share < plain.worst_case(n_rounds, rates) / bound < 1.0


def test_one_expert_right_for_ever_attains_the_realised_bound():
    learner = Hedge(learning_rate=2.0)
    learner.learn(np.tile([0.0, 1.0, 1.0], (500, 1)))
    assert learner.certificates()[0].bound == pytest.approx(learner.regret_, rel=1e-9)


def test_a_constant_added_to_all_losses_changes_neither_weights_nor_regret():
    losses = np.random.default_rng(5).integers(0, 2, (300, 4)).astype(float)
    one = Hedge(learning_rate=0.2)
    other = Hedge(learning_rate=0.2, loss_range=(2.0**40, 2.0**40 + 1.0))
    one.learn(losses)
    other.learn(losses + 2.0**40)
    np.testing.assert_allclose(one.weights, other.weights, rtol=1e-12)
    np.testing.assert_allclose(one.regrets_, other.regrets_, rtol=1e-12)
    assert_certified(other)


def test_a_range_scales_rates_and_bounds():
    losses = np.random.default_rng(6).random((200, 3))
    one, ten = Hedge(), Hedge(loss_range=(-5.0, 5.0))
    one.learn(losses)
    ten.learn(10.0 * losses - 5.0)
    np.testing.assert_allclose(one.weights, ten.weights, rtol=1e-10)
    for small, large in zip(one.certificates(), ten.certificates(), strict=True):
        assert large.bound == pytest.approx(10.0 * small.bound)


def test_nothing_underflows_in_ten_million_rounds():
    learner, block = Hedge(learning_rate=1.0), np.tile([0.0, 1.0], (500_000, 1))
    for losses in [block] * 10 + [block[:, ::-1]] * 10:
        learner.learn(losses)
    assert learner.n_rounds_ == 10_000_000
    np.testing.assert_array_equal(learner.expert_losses_, [5e6, 5e6])
    assert learner.weights.tolist() == [0.5, 0.5]
    assert_certified(learner)


def test_a_good_best_expert_known_beforehand_makes_the_regret_small():
    losses = np.random.default_rng(11).random((200, 5)) ** 2
    limit = float(losses.sum(axis=0).min()) + 1.0
    rate = regret.small_loss_learning_rate(n_experts=5, best_loss_bound=limit)
    learner = Hedge(learning_rate=rate)
    learner.learn(losses)
    small = regret.hedge_small_loss(n_experts=5, best_loss_bound=limit)
    drawn = RandomizedWeightedMajority(beta=math.exp(-rate))
    total = drawn.guarantee(n_experts=5, best_loss=float(learner.expert_losses_.min()))
    assert learner.cumulative_loss_ <= total.bound
    assert learner.regret_ <= total.bound - learner.expert_losses_.min() <= small.bound


def test_the_catalogue_run_of_hedge_for_a_best_loss_of_at_most_two_hundred():
    losses = np.random.default_rng(0).random((200, 5)) ** 2
    rate = regret.small_loss_learning_rate(n_experts=5, best_loss_bound=200.0)
    learner = Hedge(learning_rate=rate)
    learner.learn(losses)
    best = float(learner.expert_losses_.min())
    drawn = RandomizedWeightedMajority(beta=math.exp(-rate)).guarantee(n_experts=5, best_loss=best)
    small = best + regret.hedge_small_loss(n_experts=5, best_loss_bound=200.0).bound
    found = (learner.cumulative_loss_, drawn.bound, small)
    assert found == pytest.approx((69.13, 81.36, 90.20), abs=5e-3)


def test_losses_outside_the_range_break_the_bound_so_they_are_refused():
    with pytest.raises(ValueError, match=r"expert 1 in row 2 is 1\.5"):
        Hedge().learn([[0, 1], [1, 0], [0, 1.5]])
    run = plain.hedge(30 * adversaries.leader_killer_losses(60), 1.0)
    assert run.regret > regret.hedge(n_experts=2, n_rounds=60, learning_rate=1.0).bound


@pytest.mark.parametrize(
    "parameters",
    [
        {"learning_rate": 0.0},
        {"learning_rate": 1.0, "horizon": 5},
        {"horizon": 0},
        {"loss_range": (1.0, 1.0)},
        {"loss_range": (0.0, math.inf)},
    ],
)
def test_parameters_outside_their_domain_are_refused_when_the_game_begins(parameters):
    learner = Hedge(**parameters)
    before = pickle.dumps(learner)
    with pytest.raises(ValueError, match=r"learning_rate|horizon|loss_range"):
        learner.learn([[0.0, 1.0]])
    assert pickle.dumps(learner) == before


def test_a_loss_that_is_not_convex_is_refused_by_those_who_average():
    with pytest.raises(ValueError, match="convex"):
        Hedge().learn([[0, 1]], [1], loss=ZeroOne())


# --- drawing one expert ------------------------------------------------------------------------


def test_the_catalogue_run_of_randomised_weighted_majority():
    learner = RandomizedWeightedMajority(beta=0.5)
    learner.learn([[1, 0], [1, 0], [1, 0], [0, 1]])
    assert learner.expected_loss_ == pytest.approx(1.922222, abs=1e-6)
    assert learner.certificates()[0].bound == pytest.approx(2.772589, abs=1e-6)
    tuned = RandomizedWeightedMajority(horizon=200)
    tuned.learn([[1, 0]])
    assert tuned.beta_ == pytest.approx(0.9411, abs=5e-5)


def test_its_weights_are_those_of_hedge():
    losses = np.random.default_rng(7).random((50, 4))
    drawn, hedge = RandomizedWeightedMajority(beta=0.7), Hedge(learning_rate=-math.log(0.7))
    drawn.learn(losses)
    assert drawn.expected_loss_ == pytest.approx(hedge.learn(losses).sum())
    np.testing.assert_allclose(drawn.weights, hedge.weights)


def test_draws_are_reproducible_and_follow_the_weights():
    losses = np.tile([0.0, 1.0, 1.0], (4000, 1)) * 1e-3
    runs = [RandomizedWeightedMajority(seed=s).learn(losses) for s in (1, 1, 2)]
    np.testing.assert_array_equal(runs[0], runs[1])
    assert (runs[0] != runs[2]).any()
    learner = RandomizedWeightedMajority(seed=np.random.default_rng(1))
    np.testing.assert_array_equal(learner.learn(losses), runs[0])
    # Hoeffding at level 1e-9: the draws lose what was expected, to 4000 x 1e-3 sqrt(ln(1e9)/8000).
    assert abs(learner.cumulative_loss_ - learner.expected_loss_) < 4.0 * math.sqrt(20.8 / 8000)


def test_it_follows_advice_and_counts_mistakes():
    rng = np.random.default_rng(8)
    said, outcomes = rng.integers(0, 2, (60, 3)), rng.integers(0, 2, 60)
    learner = RandomizedWeightedMajority()
    predictions = learner.learn(said, outcomes, loss=ZeroOne())
    assert learner.cumulative_loss_ == (predictions != outcomes).sum()
    assert set(predictions) <= {0.0, 1.0}


def test_a_thousand_tables_keep_the_bounds_on_the_expected_loss():
    for k, losses in enumerate(tables(1000, seed=2)):
        learner = RandomizedWeightedMajority(
            **({"horizon": len(losses)} if k % 2 else {"beta": 0.3 + 0.1 * (k % 7)})
        )
        learner.learn(losses)
        best = learner.expert_losses_.min()
        bound = learner.guarantee(n_experts=learner.n_experts_, best_loss=best).bound
        assert learner.expected_loss_ <= bound * (1 + 1e-9) + 1e-12
        if k % 20 == 1:
            assert len(learner.certificates()) == 2
            assert_certified(learner)


def test_no_adversary_that_sees_the_weights_can_force_linear_regret():
    learner = RandomizedWeightedMajority(horizon=400)
    hit_the_heaviest(learner, 400, 2)
    assert learner.expected_loss_ - learner.expert_losses_.min() <= 2 * math.sqrt(400 * math.log(2))
    assert learner.certificates()[1].status == "valid"


@pytest.mark.parametrize("parameters", [{"beta": 1.0}, {"beta": 0.5, "horizon": 9}, {"horizon": 0}])
def test_its_parameters_are_checked(parameters):
    with pytest.raises(ValueError, match=r"beta|horizon"):
        RandomizedWeightedMajority(**parameters).learn([[0.0, 1.0]])


# --- restarts ----------------------------------------------------------------------------------


def test_doubling_equals_the_plain_version_and_keeps_its_bound():
    for losses in tables(100, seed=3):
        learner = Doubling(Hedge())
        expected = plain.hedge_doubling(losses) if losses.shape[1] > 1 else None
        paid = learner.learn(losses)
        if expected is not None:
            np.testing.assert_allclose(paid, expected.learner, rtol=1e-11, atol=1e-13)
        assert_certified(learner)
        assert learner.n_epochs_ == len(losses).bit_length()


@pytest.mark.parametrize(("n_rounds", "bound"), [(1, 0.832555), (7, 5.510634), (1000, 87.8784)])
def test_the_catalogue_values_of_doubling(n_rounds, bound):
    guarantee = Doubling(Hedge()).guarantee(n_experts=4, n_rounds=n_rounds)
    assert guarantee.bound == pytest.approx(bound, abs=1e-4)


def test_only_what_can_be_tuned_is_restarted():
    with pytest.raises(TypeError, match="give a Hedge"):
        Doubling(AggregatingAlgorithm()).learn([[0.0, 1.0]])
    with pytest.raises(ValueError, match="loss_range"):
        Doubling(Hedge(loss_range=(0.0, 2.0))).learn([[0.0, 3.0]])


# --- losses that can be mixed ------------------------------------------------------------------


def advice(rng, n_rounds, n_experts):
    kind = rng.integers(3)
    said = rng.random((n_rounds, n_experts))
    outcomes = rng.random(n_rounds) if kind else rng.integers(0, 2, n_rounds).astype(float)
    return (np.round(said) if kind == 2 else said), outcomes


def test_the_catalogue_run_of_the_weighted_average_under_square_loss():
    advice, outcomes = [[0, 1], [0.2, 0.9], [0.6, 0.4]], [1, 1, 0]
    learner = AggregatingAlgorithm()
    for said, outcome, weight in zip(advice, outcomes, [0.3775406688, 0.3068260507], strict=False):
        learner.update(said, outcome)
        np.testing.assert_allclose(learner.weights, [weight, 1.0 - weight], rtol=1e-9)
    learner = AggregatingAlgorithm()
    predictions = learner.learn(advice, outcomes)
    np.testing.assert_allclose(predictions, [0.5, 0.6357215318, 0.4613652101], rtol=1e-9)
    assert learner.cumulative_loss_ == pytest.approx(0.5955566595)
    assert learner.regret_ == pytest.approx(0.4255566595)
    assert learner.certificates()[1].bound == pytest.approx(2 * math.log(2))


def test_one_expert_right_and_seven_sure_of_the_contrary_attain_ln_eight():
    for loss in (Entropic(), Logarithmic()):
        learner = AggregatingAlgorithm(loss=loss)
        said = np.zeros((3, 8))
        said[:, 2] = 1.0
        np.testing.assert_allclose(learner.learn(said, [1, 1, 1]), [0.125, 1.0, 1.0])
        assert learner.regret_ == pytest.approx(math.log(8))
        assert all(c.bound == pytest.approx(math.log(8)) for c in learner.certificates())


@pytest.mark.parametrize(
    ("parameters", "loss", "rule"),
    [
        ({}, plain_average.square, plain_average.predict_average),
        ({"substitution": True}, plain_average.square, plain_average.predict_substitution),
        ({"loss": Entropic()}, plain_average.relative_entropy, plain_average.predict_average),
    ],
)
def test_mixing_equals_the_plain_version_and_keeps_its_constant(parameters, loss, rule):
    rng = np.random.default_rng(9)
    for k in range(350):
        said, outcomes = advice(rng, int(rng.integers(1, 40)), int(rng.integers(1, 7)))
        if "loss" in parameters:
            said = np.clip(said, 0.01, 0.99)
        learner = AggregatingAlgorithm(**parameters)
        predictions = learner.learn(said, outcomes)
        run = plain_average.exponentially_weighted_average(
            said, outcomes, learner.learning_rate, loss, rule
        )
        np.testing.assert_allclose(predictions, run[0], rtol=1e-9, atol=1e-10)
        assert learner.regret_ == pytest.approx(run[1], abs=1e-9)
        assert learner.regret_ <= learner.guarantee(n_experts=said.shape[1]).bound + 1e-9
        if k % 10 == 0:
            assert_certified(learner)


def test_a_wider_interval_scales_the_constant():
    rng = np.random.default_rng(10)
    said, outcomes = rng.uniform(-3, 3, (100, 4)), rng.uniform(-3, 3, 100)
    for substitution, factor in ((False, 2.0), (True, 0.5)):
        learner = AggregatingAlgorithm(interval=(-3.0, 3.0), substitution=substitution)
        learner.learn(said, outcomes)
        assert learner.certificates()[1].bound == pytest.approx(factor * 36 * math.log(4))
        assert learner.predict(said[0]) == pytest.approx(learner.predict(said[0]))
    with pytest.raises(ValueError, match="outcomes must lie in interval"):
        learner.learn(said, outcomes + 6.0)


def test_certainty_that_cannot_be_undone_is_refused_and_leaves_no_trace():
    learner = AggregatingAlgorithm(loss=Logarithmic())
    learner.learn([[0.5, 0.4]], [1])
    before = pickle.dumps(learner)
    with pytest.raises(ValueError, match="every expert has lost infinitely"):
        learner.learn([[1.0, 1.0]], [0])
    with pytest.raises(ValueError, match="certain and wrong"):
        learner.learn(np.array([[1.0, 1e-30]] * 2 + [[1.0, 0.5]]), [1, 1, 0])
    assert pickle.dumps(learner) == before


@pytest.mark.parametrize(
    "parameters",
    [
        {"loss": Absolute()},
        {"loss": Logistic()},
        {"loss": Entropic(), "substitution": True},
        {"interval": (1.0, 0.0)},
    ],
)
def test_what_cannot_be_mixed_is_refused(parameters):
    with pytest.raises(ValueError, match=r"mixed|substitution|loss_range|interval"):
        AggregatingAlgorithm(**parameters).learn([[0.2, 0.3]], [1])


def test_the_loss_of_the_aggregating_algorithm_is_its_own():
    with pytest.raises(ValueError, match="the loss is always"):
        AggregatingAlgorithm().learn([[0.2, 0.3]])
    with pytest.raises(ValueError, match="the loss is always"):
        AggregatingAlgorithm().learn([[0.2, 0.3]], [1], loss=Absolute())
    assert AggregatingAlgorithm().update([0.2, 0.3], 1, loss=Square()) == pytest.approx(0.75**2)


def test_a_loss_outside_the_range_is_named_by_its_row_in_the_whole_table():
    losses, learner = np.zeros((70_000, 2)), Hedge()
    losses[69_999, 1] = 1.5
    learner.learn([[0.0, 1.0]])
    before = pickle.dumps(learner)
    with pytest.raises(ValueError, match=r"expert 1 in row 69999 is 1\.5"):
        learner.learn(losses)
    assert pickle.dumps(learner) == before


@pytest.mark.parametrize("rate", [None, 0.3, 50.0])
def test_a_game_in_which_all_are_said_to_be_awake_is_the_game_without_a_word_on_it(rate):
    for losses in tables(8, seed=1):
        silent, told = Hedge(learning_rate=rate), Hedge(learning_rate=rate)
        paid = silent.learn(losses)
        np.testing.assert_allclose(told.learn(losses, awake=np.ones_like(losses)), paid, rtol=1e-9)
        gaps = silent.sum_mixability_gaps_, told.sum_mixability_gaps_
        assert gaps[0] == pytest.approx(gaps[1], rel=1e-9, abs=1e-9)


def of_format_1(kind, attributes):
    """Return a game with the attributes that a model file of format 1 holds."""
    learner = object.__new__(kind)
    vars(learner).update(kind._upgrade_state(attributes))
    return learner


def test_games_of_format_1_go_on():
    losses = np.random.default_rng(12).random((7, 2))
    hedge, doubling = Hedge(horizon=4), Doubling(Hedge())
    hedge.learn(losses[3:6])
    doubling.learn(losses[:6])

    def old(learner, /, **more):
        tallies = ("n_experts_", "n_rounds_", "cumulative_loss_", "expert_losses_", "regrets_")
        names = (*tallies, "slept_")
        return {n: getattr(learner, n) for n in names} | {"begun_as_": repr(learner)} | more

    behind, gaps = hedge.state_.learnt
    inner = {"learning_rate": None, "horizon": 4, "loss_range": (0.0, 1.0), "behind_": behind}
    epoch = of_format_1(Hedge, old(hedge, **inner, sum_mixability_gaps_=gaps.item()))
    assert same(epoch.state_, hedge.state_)
    more = {"learner": doubling.learner, "n_epochs_": 3, "n_left_": 1, "epoch_": epoch}
    loaded = of_format_1(Doubling, old(doubling, **more))
    assert same(loaded.state_, doubling.state_)
    np.testing.assert_array_equal(loaded.learn(losses[6:]), doubling.learn(losses[6:]))
    idle = Doubling(Hedge())
    idle.learn(losses[:0])  # it had no epoch yet
    more = {"learner": idle.learner, "n_epochs_": 0, "n_left_": 0}
    assert same(of_format_1(Doubling, old(idle, **more)).state_, idle.state_)
    assert vars(of_format_1(Hedge, vars(Hedge()))) == vars(Hedge())
