"""The parameters of the first round: kept as the call that makes the learner anew."""

from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest

from surelearn.base.constructor_calls import call_of_first_round, constructor_call
from surelearn.learners.bandits.exp3 import Exp3
from surelearn.learners.experts.aggregating_algorithm import AggregatingAlgorithm
from surelearn.learners.experts.fixed_share import FixedShare
from surelearn.learners.experts.halving import Halving
from surelearn.learners.experts.hedge import Hedge
from surelearn.learners.experts.squint import Squint
from surelearn.learners.experts.weighted_majority import WeightedMajority


class Game:
    def __init__(self, *, rate=None, seed=0):
        self.rate, self.seed = rate, seed


def test_a_generator_is_written_without_its_address():
    call = constructor_call(Game(rate=0.5, seed=np.random.default_rng(0)))
    assert call == "Game(rate=0.5, seed=Generator(PCG64))"


def test_the_first_round_takes_any_parameters_and_the_others_only_those():
    game = Game(rate=1)
    begun_as = call_of_first_round(game, "")
    assert call_of_first_round(game, begun_as) == begun_as == "Game(rate=1, seed=0)"
    game.rate = 1.0
    with pytest.raises(ValueError, match=r"begun as Game\(rate=1, seed=0\); nothing is proved of"):
        call_of_first_round(game, begun_as)


def test_a_parameter_changed_in_place_is_noticed():
    rates = [0.5]
    begun_as = call_of_first_round(Game(rate=rates), "")
    rates.append(0.25)
    with pytest.raises(ValueError, match="the game was begun as"):
        call_of_first_round(Game(rate=rates), begun_as)


@pytest.mark.parametrize(
    ("game", "odd", "plain"),
    [
        (Exp3, {"n_arms": np.int8(3), "learning_rate": np.float16(0.5)}, {"n_arms": 3}),
        (Exp3, {"n_arms": 3, "learning_rate": 10**30}, {"n_arms": 3}),
        (FixedShare, {"n_switches": np.uint8(255)}, {}),  # one more is 0
        (FixedShare, {"n_switches": 2.0}, {"n_switches": 2}),
        (FixedShare, {"n_switches": np.longdouble(2.0)}, {"n_switches": 2}),
        (FixedShare, {"n_switches": Fraction(2)}, {"n_switches": 2}),
        (Exp3, {"n_arms": 3, "learning_rate": Fraction(1, 2)}, {"learning_rate": 0.5}),
        (Hedge, {"loss_range": (0.0, np.float16(1.0))}, {"loss_range": (0.0, 1.0)}),
        (Hedge, {"loss_range": (0, 2**70)}, {"loss_range": (0.0, 2.0**70)}),
        (Squint, {"loss_range": (0, Fraction(4, 3))}, {"loss_range": (0.0, 4 / 3)}),
        (Hedge, {"horizon": Decimal(9)}, {"horizon": 9}),
    ],
)
def test_numbers_of_other_types_are_parameters(game, odd, plain):
    games = [game(**odd), game(**{**odd, **plain})]
    table = np.random.default_rng(0).random((5, 3))
    first, second = ((one.play if hasattr(one, "play") else one.learn)(table) for one in games)
    np.testing.assert_array_equal(first, second)


def test_theorems_take_numbers_of_other_types_before_the_first_round():
    odd = WeightedMajority(beta=Decimal("0.5")).guarantee(n_experts=3, best_mistakes=1)
    assert odd.bound == WeightedMajority(beta=0.5).guarantee(n_experts=3, best_mistakes=1).bound


@pytest.mark.parametrize(
    ("begin", "told"),
    [
        (lambda: Exp3(n_arms=2, horizon=10**400), r"horizon=1\d+\.\.\. must be a whole number"),
        (lambda: Exp3(n_arms=2, horizon=np.timedelta64(2, "s")), "must be a whole number"),
        (lambda: Exp3(n_arms=np.timedelta64(2, "s")), "must be a whole number, 2 or more"),
        (lambda: Exp3(n_arms=2, seed=np.timedelta64(2, "s")), "must be a whole number, 0 or more"),
        (lambda: Hedge(horizon=np.complex128(2 + 5j)).learn(np.eye(2)), "must be a number"),
        (lambda: WeightedMajority(beta=np.eye(2)).learn(np.eye(2), [0, 1]), "must be a number"),
        (lambda: Halving(only_on_mistakes=[]).learn(np.eye(2), [0, 1]), "must be True or False"),
        (lambda: AggregatingAlgorithm(loss=[]).learn(np.eye(2), [0, 1]), r"loss=\[\]: say what"),
    ],
)
def test_what_is_no_number_or_no_loss_is_refused_by_name(begin, told):
    with pytest.raises((ValueError, TypeError), match=told):
        begin()


@pytest.mark.parametrize("number", [10**30, 1e308])
def test_more_switches_than_there_is_room_for_are_refused(number):
    with pytest.raises(ValueError, match="n_switches must be an integer >= 1 and <="):
        FixedShare(n_switches=number).learn(np.eye(2))
