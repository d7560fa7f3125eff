"""A copy of an online learner is another learner, and one without rows says that it has none."""

import copy
import pickle

import numpy as np
import pytest
from sklearn.exceptions import NotFittedError

from surelearn import checks
from surelearn.app.registry import find_experts, find_learners
from surelearn.base.states import same
from surelearn.learners.experts.doubling import Doubling
from surelearn.learners.experts.hedge import Hedge

ONLINE = {name: kind for name, kind in find_learners().items() if hasattr(kind, "learn_one")}
COPIES = [copy.copy, copy.deepcopy, lambda model: pickle.loads(pickle.dumps(model))]  # noqa: S301


def begun(kind, classes=2):
    model = kind()
    X, y = checks.small_table(model)
    if classes == 3 and y.dtype.kind == "U":
        y = np.where(np.arange(len(y)) % 3 == 0, "maybe", y)
    return model.partial_fit(X, y), X, y


@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.parametrize("name", ONLINE)
def test_what_a_copy_learns_does_not_change_the_original(name, classes):
    for copied in COPIES:
        model, X, y = begun(ONLINE[name], classes)
        twin, before = copied(model), copy.deepcopy(model.states_)
        assert all(map(same, twin.states_, before))
        for x, target in zip(X[:9], y[::-1], strict=False):
            twin.learn_one(x, target)
        assert all(map(same, model.states_, before))
        assert model.n_rounds_ == len(X)
        assert twin.n_rounds_ == len(X) + 9


@pytest.mark.parametrize("name", ONLINE)
def test_what_comes_of_learning_is_said_not_to_be_there_yet(name):
    model = ONLINE[name]()
    for attribute in ("coef_", "states_", "learnt_", *(["classes_"] if "Reg" not in name else [])):
        if hasattr(type(model), attribute) or attribute == "learnt_":
            with pytest.raises(NotFittedError, match=f"{name} is not fitted yet"):
                getattr(model, attribute)
            assert not hasattr(model, attribute)
    with pytest.raises(AttributeError, match=f"'{name}' object has no attribute 'colour_'"):
        _ = model.colour_


@pytest.mark.parametrize("name", find_experts())
def test_a_game_without_a_round_says_so(name):
    kind = find_experts()[name]
    learner = kind(Hedge()) if kind is Doubling else kind()
    for attribute in ("n_rounds_", "regret_", "expert_losses_", "state_"):
        with pytest.raises(NotFittedError, match=f"{name} is not fitted yet: no expert"):
            getattr(learner, attribute)
    with pytest.raises(AttributeError, match="no attribute 'colour_'"):
        _ = learner.colour_
