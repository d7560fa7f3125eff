"""The ledger: exact accounts, bounds beside them, adversaries, and an alarm when one is broken."""

import pickle
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import optimize, sparse

from reference import adahedge as plain_adahedge
from reference import hedge as plain_hedge
from reference import online_ridge as plain_ridge
from surelearn.bounds import mistakes, regret
from surelearn.certificate import BoundViolatedError
from surelearn.datasets import adversaries
from surelearn.datasets.worlds import Noisy, Separable
from surelearn.evaluate._best_in_ball import Comparison, best_in_ball
from surelearn.evaluate._following import assert_sure, checkpoints
from surelearn.evaluate.adversarial import play_against
from surelearn.evaluate.linear_regret import linear_regret
from surelearn.evaluate.mistakes import mistakes_curve
from surelearn.evaluate.regret import bandit_regret, experts_regret
from surelearn.learners.bandits.exp3 import Exp3
from surelearn.learners.bandits.ucb1 import UCB1
from surelearn.learners.experts.adahedge import AdaHedge
from surelearn.learners.experts.aggregating_algorithm import AggregatingAlgorithm
from surelearn.learners.experts.fixed_share import FixedShare
from surelearn.learners.experts.hedge import Hedge
from surelearn.learners.experts.randomized_weighted_majority import RandomizedWeightedMajority
from surelearn.learners.experts.squint import Squint
from surelearn.learners.experts.weighted_majority import WeightedMajority
from surelearn.learners.linear.adagrad import AdaGrad, AdaGradRegressor
from surelearn.learners.linear.online_gradient_descent import (
    OnlineGradientDescent,
    OnlineGradientDescentRegressor,
)
from surelearn.learners.linear.online_ridge import OnlineRidge
from surelearn.learners.linear.perceptron import Perceptron
from surelearn.learners.linear.schedules import StronglyConvexRate
from surelearn.learners.linear.winnow import Winnow
from surelearn.losses import Absolute, EpsilonInsensitive, Hinge, Logistic, Square

TABLES = {
    "coins": adversaries.rademacher_losses(300, seed=0),
    "leader killer": adversaries.leader_killer_losses(300),
    "uniform": np.random.default_rng(1).random((300, 4)),
    "constant": np.zeros((300, 3)),
    "one expert": np.ones((300, 1)),
    "one round": np.array([[0.5, 1.0]]),
}


class AgainstTheHeavier:
    """Charges the expert, or the arm, of the largest weight."""

    def next(self, weights):
        return (np.arange(len(weights)) == np.argmax(weights)).astype(float)


def reaches(result, curve):
    """Return the regret at the rounds at which a bound was evaluated."""
    return result.regrets[np.searchsorted(result.rounds, curve.rounds)]


@pytest.mark.parametrize("losses", TABLES.values(), ids=TABLES)
@pytest.mark.parametrize("learner", [Hedge(), Hedge(learning_rate=0.3), AdaHedge(), Squint()])
def test_regret_stays_below_every_bound_at_every_checkpoint(learner, losses):
    result = experts_regret(learner, losses)
    assert result.rounds[-1] == len(losses)
    for curve in result.bounds:
        assert curve.validity == "surely"
        slack = curve.bounds - reaches(result, curve)
        assert slack.min() >= -1e-9 * (1.0 + len(losses))


def test_the_accounts_are_those_of_the_plain_run():
    losses = TABLES["uniform"]
    run = plain_hedge.hedge(losses, 0.3)
    result = experts_regret(Hedge(learning_rate=0.3), losses)
    np.testing.assert_allclose(result.learner_losses, np.cumsum(run.learner), rtol=1e-12)
    np.testing.assert_allclose(result.best_losses, losses.cumsum(axis=0).min(axis=1), rtol=1e-12)
    assert result.best == losses.sum(axis=0).argmin()
    held = result.shares.values[:-1]
    np.testing.assert_allclose(held, run.weights[result.shares.rounds[:-1]], rtol=1e-9)


def test_each_bound_is_the_theorem_on_the_rounds_so_far():
    result = experts_regret(Hedge(learning_rate=0.3), TABLES["uniform"])
    realised, a_priori = result.bounds
    assert (realised.realised, a_priori.realised) == (True, False)
    expected = [
        regret.hedge(n_experts=4, n_rounds=int(n), learning_rate=0.3).bound for n in a_priori.rounds
    ]
    np.testing.assert_allclose(a_priori.bounds, expected, rtol=1e-12)
    assert (realised.bounds <= a_priori.bounds + 1e-9).all()
    assert realised.rounds.tolist() == checkpoints(300).tolist()


def test_sleeping_experts_count_only_while_awake():
    rng = np.random.default_rng(2)
    losses, awake = rng.random((200, 3)), (rng.random((200, 3)) < 0.6).astype(float)
    awake[:, 0] = 1.0
    regrets, _ = plain_adahedge.sleeping(losses, awake)
    result = experts_regret(AdaHedge(), losses, awake=awake)
    assert result.regret == pytest.approx(regrets.max(), abs=1e-9)
    assert result.best == regrets.argmax()


def test_a_learner_that_draws_is_charged_what_it_expected():
    losses = TABLES["coins"]
    drawn = experts_regret(RandomizedWeightedMajority(beta=0.7, seed=3), losses)
    averaged = experts_regret(Hedge(learning_rate=-np.log(0.7)), losses)
    same = averaged.learner_losses[drawn.rounds - 1]
    np.testing.assert_allclose(drawn.learner_losses, same, rtol=1e-9)
    assert drawn.learner.cumulative_loss_ != pytest.approx(drawn.learner_losses[-1])


def test_a_bound_on_all_mistakes_becomes_one_on_regret():
    advice, outcomes = adversaries.majority_fooling_advice(16, beta=0.5)
    result = experts_regret(WeightedMajority(beta=0.5), advice, outcomes=outcomes)
    assert result.learner_losses[-1] == len(advice)
    total = mistakes.weighted_majority(best_mistakes=0, n_experts=16, beta=0.5).bound
    assert result.bounds[0].bounds[-1] == pytest.approx(total - result.best_losses[-1])


def test_forecasts_are_judged_by_the_loss_given():
    advice, outcomes = np.tile([0.0, 1.0], (40, 1)), np.arange(40) % 2
    result = experts_regret(Hedge(learning_rate=0.5), advice, outcomes=outcomes, loss=Square())
    assert result.best_losses[-1] == pytest.approx(20.0)
    assert result.learner_losses[-1] == pytest.approx(result.learner.cumulative_loss_)


class Liar(Hedge):
    """A learner whose certificate is too good."""

    def certificates(self, *, delta=0.05):
        return tuple(replace(c, bound=0.01) for c in super().certificates(delta=delta))


def test_a_broken_sure_bound_raises():
    with pytest.raises(BoundViolatedError, match="this is a bug"):
        experts_regret(Liar(), TABLES["leader killer"])


def test_rounding_does_not_raise_and_assumptions_may_fail():
    sure = experts_regret(Hedge(), TABLES["coins"]).learner.certificates()[0]
    assert_sure(sure, sure.bound + 1e-9 * sure.bound, 0.0)
    with pytest.raises(BoundViolatedError):
        assert_sure(sure, sure.bound * (1.0 + 1e-6), 0.0)
    assert_sure(sure, sure.bound * (1.0 + 1e-6), 1e6)
    doubt = replace(sure.preconditions[0], status="assumed")
    assert_sure(replace(sure, preconditions=(doubt,)), 2.0 * sure.bound, 0.0)
    assert_sure(replace(sure, validity="fixed-n", delta=0.1), 2.0 * sure.bound, 0.0)


def test_what_is_evaluated_is_not_changed_and_must_not_have_played():
    learner = Hedge()
    before = pickle.dumps(learner)
    experts_regret(learner, TABLES["coins"])
    assert pickle.dumps(learner) == before
    learner.learn(TABLES["coins"])
    with pytest.raises(ValueError, match="has already played 300 rounds"):
        experts_regret(learner, TABLES["coins"])
    with pytest.raises(ValueError, match="losses"):
        experts_regret(Hedge(), np.empty((0, 2)))


def test_a_bandits_regret_is_to_the_best_arm_of_the_table():
    losses = (np.random.default_rng(4).random((600, 3)) < [0.3, 0.5, 0.6]).astype(float)
    twin = Exp3(n_arms=3, seed=5)
    arms = twin.play(losses)
    result = bandit_regret(Exp3(n_arms=3, seed=5), losses)
    paid = losses[np.arange(600), arms]
    np.testing.assert_allclose(result.learner_losses, paid.cumsum())
    np.testing.assert_allclose(result.best_losses, losses.cumsum(axis=0).min(axis=1))
    np.testing.assert_allclose(result.shares.values.sum(axis=1), 1.0)
    assert [curve.validity for curve in result.bounds] == ["in-expectation"]


def test_with_the_means_it_is_the_pseudo_regret():
    means = np.array([0.3, 0.5, 0.6])
    losses = (np.random.default_rng(4).random((600, 3)) < means).astype(float)
    result = bandit_regret(UCB1(n_arms=3), losses, means=means)
    assert result.regret == pytest.approx(result.learner.pulls_ @ (means - 0.3))
    labels = [curve.label for curve in result.bounds]
    assert "stochastic post hoc, from the run, 95% for all rounds at once" in labels
    assert result.regret <= result.bounds[0].bounds[-1]


def test_a_deterministic_vote_errs_always_and_weights_survive():
    advice = np.tile([0.0, 1.0], (150, 1))
    vote = play_against(WeightedMajority(), adversaries.Contrarian(), 150, questions=advice)
    assert vote.learner_losses[-1] == 150.0
    assert vote.regret >= 75.0
    hedged = play_against(AdaHedge(), AgainstTheHeavier(), 150, n_experts=3)
    assert hedged.regret <= hedged.bounds[0].bounds[-1]
    coins = play_against(RandomizedWeightedMajority(horizon=150), AgainstTheHeavier(), 150)
    assert coins.learner_losses[-1] == pytest.approx(coins.learner.expected_loss_)
    assert coins.regret < 20.0


def test_a_bandit_plays_an_adversary_that_sees_its_chances():
    result = play_against(Exp3(n_arms=3, seed=1), AgainstTheHeavier(), 200)
    assert result.learner.n_rounds_ == 200
    assert result.learner_losses[-1] == result.learner.cumulative_loss_


def test_a_classifier_errs_in_every_round_against_the_contrarian():
    rows = np.random.default_rng(6).normal(size=(60, 2))
    adversary = adversaries.Contrarian(labels=("no", "yes"))
    result = play_against(Perceptron(), adversary, 60, questions=rows)
    assert result.n_mistakes == 60
    assert all(curve.bounds[-1] >= 60.0 for curve in result.bounds)
    with pytest.raises(ValueError, match="n_rounds=5"):
        play_against(Perceptron(), adversary, 5, questions=rows)


def test_mistakes_are_counted_and_bounded_as_the_run_goes():
    X, y = Separable(3, margin=0.1).draw(500, seed=0)
    learner = Perceptron(fit_intercept=False)
    result = mistakes_curve(learner, X, y, margin=0.1)
    assert result.n_mistakes == learner.partial_fit(X, y).n_mistakes_
    promised, *realised = result.bounds
    assert not promised.realised
    assert all(curve.realised for curve in realised)
    for curve in result.bounds:
        assert (result.counts[curve.rounds - 1] <= curve.bounds).all()


def test_orthonormal_rows_attain_the_bound_through_the_whole_run():
    X, y = adversaries.orthonormal_stream(20)
    result = mistakes_curve(
        Perceptron(fit_intercept=False), X, y, classes=[-1, 1], margin=1 / np.sqrt(20)
    )
    assert result.counts.tolist() == list(range(1, 21))
    assert result.bounds[0].bounds[-1] == pytest.approx(20.0)


def test_winnow_on_its_adversary_stays_below_its_bound():
    X, y = adversaries.winnow_adversary(64, 2)
    result = mistakes_curve(Winnow(), X, y, n_relevant=2)
    assert result.n_mistakes == len(y)
    assert result.bounds[0].bounds[-1] >= len(y)


def test_three_classes_are_refused():
    with pytest.raises(ValueError, match="3 classes"):
        mistakes_curve(Perceptron(), np.eye(3), [0, 1, 2])
    with pytest.raises(ValueError, match="3 classes"):
        linear_regret(OnlineGradientDescent(), np.eye(3), [0, 1, 2])


@settings(deadline=None, max_examples=25)
@given(st.integers(0, 10**6), st.sampled_from([0.3, 1.0, 5.0]), st.booleans())
@pytest.mark.parametrize(
    "loss", [Hinge(), Logistic(), Square(), Absolute(), EpsilonInsensitive(epsilon=0.2)]
)
def test_no_vector_beats_the_lower_bound_and_the_gap_is_small(loss, seed, radius, box):
    rng = np.random.default_rng(seed)
    X, y = rng.normal(size=(40, 3)), rng.choice([-1.0, 1.0], size=40)
    of = Comparison(X, y, loss, radius, penalty=0.5, box=box)
    best = best_in_ball(of, start=np.zeros(3), tolerance=1e-4)
    assert 0.0 <= best.loss - best.at_least <= 40e-4
    size = np.abs(best.weights).max() if box else np.linalg.norm(best.weights)
    assert size <= radius * (1.0 + 1e-12)
    others = rng.normal(size=(200, 3))
    others /= (
        np.abs(others).max(axis=1, keepdims=True)
        if box
        else np.linalg.norm(others, axis=1)[:, None]
    )
    others *= radius * rng.random((200, 1))
    for u in others:
        assert loss.value(y, X @ u).sum() + 0.25 * u @ u >= best.at_least


def test_the_best_vector_agrees_with_scipy():
    rng = np.random.default_rng(8)
    X, y = rng.normal(size=(60, 4)), rng.choice([-1.0, 1.0], size=60)
    best = best_in_ball(Comparison(X, y, Logistic(), 0.7), start=np.zeros(4), tolerance=1e-9)
    ball = {"type": "ineq", "fun": lambda u: 0.49 - u @ u}
    peer = optimize.minimize(
        lambda u: Logistic().value(y, X @ u).sum(), np.zeros(4), constraints=[ball], tol=1e-12
    )
    assert best.loss == pytest.approx(peer.fun, rel=1e-6)


LINEAR = [
    OnlineGradientDescent(radius=2.0),
    OnlineGradientDescent(loss=Logistic(), radius=1.0, fit_intercept=False),
    OnlineGradientDescent(schedule=StronglyConvexRate(strong_convexity=0.1)),
    AdaGrad(limit=0.5),
]


@pytest.mark.parametrize("learner", LINEAR, ids=str)
@pytest.mark.parametrize("n", [120, pytest.param(300, marks=pytest.mark.slow)])
def test_linear_regret_lies_between_zero_and_the_bounds(learner, n):
    X, y = Noisy(n_features=3, bayes_risk=0.1).draw(n, seed=1)
    result = linear_regret(learner, X, y)
    sparse_result = linear_regret(learner, sparse.csr_array(X), y)
    assert sparse_result.regret == pytest.approx(result.regret, abs=0.1)
    assert (result.gaps <= 1e-4 * result.rounds + 1e-12).all()
    for curve in result.bounds:
        assert (result.regrets <= curve.bounds + result.gaps + 1e-9).all()
    assert [curve.realised for curve in result.bounds] == [True, False]


def test_a_penalty_is_charged_to_both_sides():
    X, y = Noisy(n_features=2, bayes_risk=0.1).draw(200, seed=1)
    learner = OnlineGradientDescent(
        schedule=StronglyConvexRate(strong_convexity=0.2), fit_intercept=False
    )
    result = linear_regret(learner, X, y)
    paid, model = 0.0, OnlineGradientDescent(**learner.get_params())
    for t in range(200):
        w = model.coef_[0] if t else np.zeros(2)
        paid += float(Hinge().value(y[t], X[t] @ w)) + 0.1 * w @ w
        model.learn(X[t : t + 1], y[t : t + 1], classes=[-1, 1])
    assert result.learner_losses[-1] == pytest.approx(paid, rel=1e-9)


def test_online_ridge_is_compared_exactly_and_attains_its_bound():
    rng = np.random.default_rng(9)
    X, y = rng.normal(size=(80, 3)), rng.normal(size=80)
    run = plain_ridge.online_ridge(X, y, 2.0)
    result = linear_regret(OnlineRidge(alpha=2.0, fit_intercept=False), X, y)
    assert result.regret == pytest.approx(run.excess, rel=1e-9)
    assert result.gaps.max() < 1e-9
    assert result.bounds[0].bounds[-1] == pytest.approx(result.regret, rel=1e-9)


def test_a_larger_ball_than_the_theorems_has_no_bounds():
    rng = np.random.default_rng(10)
    X = rng.normal(size=(100, 2))
    learner = OnlineGradientDescentRegressor(loss=Absolute())
    assert linear_regret(learner, X, X[:, 0], radius=0.5).bounds
    assert linear_regret(learner, X, X[:, 0], radius=3.0).bounds == ()
    with pytest.raises(ValueError, match="no convex loss"):
        linear_regret(Perceptron(), X, X[:, 0] > 0)


@pytest.mark.parametrize("substitution", [False, True])
def test_a_learner_with_a_loss_of_its_own_is_judged_by_it(substitution):
    rng = np.random.default_rng(0)
    said, outcomes = rng.random((300, 3)), rng.random(300)
    learner = AggregatingAlgorithm(substitution=substitution)
    result = experts_regret(learner, said, outcomes=outcomes)
    assert result.learner_losses[-1] == pytest.approx(result.learner.cumulative_loss_)
    assert result.regret == pytest.approx(result.learner.regret_)


def test_nobody_looks_at_what_a_sleeper_says():
    awake = [[1, 0], [1, 1], [0, 0]]
    table = [[0.2, np.nan], [0.5, 0.1], [0.3, np.nan]]
    result = experts_regret(AdaHedge(), table, awake=awake)
    assert result.regrets[-1] == pytest.approx(result.learner.regret_)
    spoken = experts_regret(
        AdaHedge(),
        [[0.1, 0.2], [0.5, 0.1]],
        outcomes=[0, 1],
        loss=Absolute(),
        awake=awake[1:][::-1],
    )
    assert spoken.regrets[-1] == pytest.approx(spoken.learner.regret_)


@pytest.mark.parametrize("rate", [0.9, 0.3])
def test_a_bound_on_paths_that_must_switch_is_not_held_against_one_expert(rate):
    result = experts_regret(FixedShare(switch_rate=rate), [[0.0, 1.0]] * 50)
    assert bool(result.bounds) == (rate < 0.5)


def test_a_bound_for_the_largest_variance_was_known_beforehand():
    result = experts_regret(Squint(), np.random.default_rng(0).random((50, 3)))
    assert [curve.realised for curve in result.bounds] == [True, False]


def test_an_adversary_sees_the_prior():
    shown = []

    class Watching:
        def next(self, weights):
            shown.append(weights.tolist())
            return np.array([0.0, 1.0])

    result = play_against(Squint(prior=[0.9, 0.1]), Watching(), 3)
    assert shown[0] == pytest.approx([0.9, 0.1])
    assert result.regret == pytest.approx(result.learner.regret_)


def test_the_ball_compared_with_has_a_size_and_rows_may_be_of_any_sparse_kind():
    X, y = Noisy(n_features=3, bayes_risk=0.1).draw(60, seed=0)
    for radius in (0.0, -1.0):
        with pytest.raises(ValueError, match="radius"):
            linear_regret(OnlineRidge(), X, y.astype(float), radius=radius)
    dense = linear_regret(OnlineGradientDescent(), X, y)
    coordinates = linear_regret(OnlineGradientDescent(), sparse.coo_array(X), y)
    assert coordinates.regret == pytest.approx(dense.regret)
    assert mistakes_curve(Perceptron(), sparse.coo_array(X), y).n_mistakes > 0


def test_a_curve_that_uses_numbers_of_the_run_says_so():
    rng = np.random.default_rng(0)
    losses, X = rng.random((60, 3)), rng.normal(size=(60, 2))

    def labels(result):
        return [curve.label for curve in result.bounds]

    assert labels(experts_regret(AdaHedge(), losses))[1] == "adahedge, given the loss range seen"
    assert labels(experts_regret(Squint(), losses))[1] == "squint, before the run"
    weighted = Squint(prior=[0.4, 0.4, 0.2])
    assert labels(experts_regret(weighted, losses))[1] == "squint, given the prior seen"
    ridge = linear_regret(OnlineRidge(), X, X[:, 0])
    assert labels(ridge)[-1] == (
        "vovk azoury warmuth, given the target bound and the input norm seen"
    )
    for learner in (OnlineGradientDescentRegressor(), AdaGradRegressor()):
        stated = labels(linear_regret(learner, X, X[:, 0]))
        assert not any("before the run" in label for label in stated)
        assert stated[-1].endswith("given the gradient norm seen")


@pytest.mark.parametrize(
    ("follow", "learner", "instead"),
    [
        (experts_regret, Perceptron(), "mistakes_curve"),
        (experts_regret, WeightedMajority(), "outcomes"),
        (linear_regret, Hedge(), "experts_regret"),
        (mistakes_curve, OnlineRidge(), "linear_regret"),
        (mistakes_curve, Hedge(), "experts_regret"),
    ],
)
def test_a_learner_of_another_kind_is_refused_with_what_to_use(follow, learner, instead):
    rows = [np.ones((6, 2))] if follow is experts_regret else [np.ones((6, 2)), [0, 1] * 3]
    with pytest.raises((TypeError, ValueError), match=f"{type(learner).__name__} .*{instead}"):
        follow(learner, *rows)
