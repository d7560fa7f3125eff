"""Games that are stored: they are played on as they would have been, with the same coins."""

import copy
import json
from threading import Thread

import numpy as np
import pytest

from persistence import forgeries
from surelearn._locks import turn_of
from surelearn.app.registry import find_bandits, find_experts
from surelearn.learners.bandits.exp3 import Exp3
from surelearn.persistence.model_files import ModelFileError, load_model, save_model

GAMES = [*find_bandits(), *find_experts()]


@pytest.fixture(scope="module")
def games():
    return forgeries._of_games()


@pytest.mark.parametrize("name", GAMES)
def test_a_game_is_played_on_as_if_it_had_not_been_stored(name, games, tmp_path):
    game, *table = games[name]
    rounds = [column for column in table if column is not None]
    save_model(game, tmp_path / "m", schema={}, metadata={})
    loaded, kept = load_model(tmp_path / "m").model, copy.copy(game)
    play = "play" if hasattr(game, "play") else "learn"
    for _ in range(3):
        answers = [getattr(one, play)(*rounds) for one in (kept, loaded)]
        np.testing.assert_array_equal(*answers)
    stated = [[c.to_json() for c in one.certificates()] for one in (kept, loaded)]
    assert stated[0] == stated[1] != []


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"state": "0"}, "were not tossed once in each of 13 rounds"),
        ({"inc": "1"}, "are not those of its seed"),
        ({"inc": "2"}, "one that no seed makes"),
        ({"inc": "-1"}, "makes no sense"),
        ({"state": "f" * 33}, "makes no sense"),
        ({"$coins": "MT19937"}, "makes no sense"),
        ({"half": 2**32}, "makes no sense"),
        ({"more": 1}, "makes no sense"),
    ],
)
def test_coins_of_another_seed_are_refused(change, reason, games, tmp_path):
    path = tmp_path / "m"
    save_model(games["Exp3"][0], path, schema={}, metadata={})
    members = forgeries.members_of(path.read_bytes())
    told = json.loads(members["model.json"])
    told["model"]["state"]["state_"]["fields"]["learnt"]["fields"]["coins"] |= change
    path.write_bytes(forgeries.packed(members | {"model.json": json.dumps(told).encode()}))
    with pytest.raises(ModelFileError, match=reason):
        load_model(path)


@pytest.mark.parametrize("name", ["Exp3", "RandomizedWeightedMajority"])
def test_a_game_is_stored_between_two_rounds_and_not_within_one(name, games, tmp_path):
    game, path = games[name][0], tmp_path / "m"
    saving = Thread(target=save_model, args=(game, path), kwargs={"schema": {}, "metadata": {}})
    with turn_of(game):
        saving.start()
        saving.join(0.1)
        assert not path.exists()
    saving.join()
    assert load_model(path).model.n_rounds_ == game.n_rounds_


def test_a_generator_that_others_may_draw_from_is_not_stored(tmp_path):
    bandit = Exp3(n_arms=2, seed=np.random.default_rng(0))
    with pytest.raises(ModelFileError, match="which others may draw from"):
        save_model(bandit, tmp_path / "m", schema={}, metadata={})


def test_a_bandit_without_a_state_is_refused(games, tmp_path):
    path = tmp_path / "m"
    save_model(games["UCB1"][0], path, schema={}, metadata={})
    members = forgeries.members_of(path.read_bytes())
    told = json.loads(members["model.json"])
    told["model"]["state"] = {"n_arms": 3}
    told["n_arrays"] = 0
    path.write_bytes(forgeries.packed({"model.json": json.dumps(told).encode()}))
    with pytest.raises(ModelFileError, match="its UCB1 lacks state_"):
        load_model(path)
