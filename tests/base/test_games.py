"""The parameters of the first round: kept as the call that makes the learner anew."""

import numpy as np
import pytest

from surelearn.base.games import call_of_first_round, constructor_call


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
