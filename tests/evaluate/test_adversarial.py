"""Every learner against every adversary: a game, or a sentence that says why there is none."""

import inspect

import numpy as np
import pytest

import surelearn
from surelearn import AdaHedge, Doubling, Exp3, Halving, Hedge, Perceptron, WeightedMajority
from surelearn.datasets.adversaries import Contrarian
from surelearn.evaluate.adversarial import play_against
from surelearn.evaluate.mistakes import Mistakes
from surelearn.evaluate.regret import Regret


class AgainstTheHeaviest:
    """Charges whoever holds the largest share."""

    def next(self, said):
        shares = np.atleast_1d(said)
        return (shares == shares.max()).astype(float)


class Mumbling:
    """Answers what nobody can use."""

    labels = ("a", "b")

    def next(self, said):
        return f"well, {np.ndim(said)}"


def made(cls):
    """Return a learner of the class, or None if it takes more to make one."""
    if cls is Doubling:
        return Doubling(Hedge())
    needed = [
        name
        for name, parameter in inspect.signature(cls).parameters.items()
        if parameter.default is parameter.empty and parameter.kind is parameter.KEYWORD_ONLY
    ]
    try:
        return cls(**dict.fromkeys(needed, 2))
    except (TypeError, ValueError):
        return None


PUBLIC = [getattr(surelearn, name) for name in surelearn.__all__]
LEARNERS = {
    cls.__name__: learner
    for cls in PUBLIC
    if inspect.isclass(cls) and any(hasattr(cls, name) for name in ("fit", "learn", "play"))
    if not cls.__module__.startswith("surelearn.base")
    if (learner := made(cls)) is not None
}
ROWS = np.array([[0.0, 1.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0], [1.0, 0.0]])


def test_the_learners_are_all_there():
    assert len(LEARNERS) > 40
    assert {"WeightedMajority", "Halving", "AdaHedge", "Exp3", "OnlineRidge"} <= set(LEARNERS)


@pytest.mark.parametrize("questions", [None, ROWS], ids=["alone", "asked"])
@pytest.mark.parametrize("adversary", [Contrarian(), AgainstTheHeaviest(), Mumbling(), object()])
@pytest.mark.parametrize("name", LEARNERS)
def test_each_pair_plays_or_is_refused_with_a_sentence(name, adversary, questions):
    try:
        found, said = play_against(LEARNERS[name], adversary, 5, questions=questions), ""
    except (ValueError, TypeError) as error:
        found, said = None, str(error)
    if found is None:
        assert len(said.split()) > 4
        assert "object has no attribute" not in said
        assert "could not convert" not in said
    else:
        assert isinstance(found, Regret | Mistakes)
        assert type(adversary) is not object


def test_a_vote_without_advice_is_told_to_ask_for_it():
    for learner in (WeightedMajority(), Halving()):
        with pytest.raises(ValueError, match="give questions="):
            play_against(learner, Contrarian(), 20)
    with pytest.raises(ValueError, match="Give questions"):
        play_against(AdaHedge(), Contrarian(), 20)
    with pytest.raises(ValueError, match="leave questions out"):
        play_against(Exp3(n_arms=2), Contrarian(), 5, questions=ROWS)
    with pytest.raises(ValueError, match="names its two labels"):
        play_against(Perceptron(), AgainstTheHeaviest(), 5, questions=ROWS)


def test_an_average_pays_its_own_loss():
    advice = np.array([[0.2, 0.9]] * 8)
    found = play_against(surelearn.AggregatingAlgorithm(), Contrarian(), 8, questions=advice)
    assert found.learner_losses[-1] == pytest.approx(found.learner.cumulative_loss_)
    assert found.best_losses[-1] == pytest.approx(found.learner.expert_losses_.min())
