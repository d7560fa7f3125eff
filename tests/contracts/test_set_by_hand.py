"""What is put by hand in the place of what was learnt: of another form, it is refused at once.

Compiled loops trust lengths and types. Single rows and rounds are too fast to look at them again,
so the door is where a state is set, for every learner and game that has one.
"""

import warnings
from contextlib import suppress

import numpy as np
import pytest
from numpy.random import Generator
from scipy import sparse
from sklearn.base import is_classifier

from surelearn import Hedge
from surelearn.app.registry import find_bandits, find_experts, find_learners
from surelearn.base.read_only import HandedOut
from surelearn.learners.experts._voting import VotingGame

RNG = np.random.default_rng(0)
X = RNG.integers(0, 2, size=(24, 4)).astype(float)
SIGNS = X[:, 1]
LOSSES = 0.5 * X


def learners():
    """Return every class that hands out a state, by name."""
    every = find_learners() | find_experts() | find_bandits()
    return {
        name: cls
        for name, cls in every.items()
        if any(isinstance(getattr(cls, held, None), HandedOut) for held in ("learnt_", "state_"))
    }


LEARNERS = learners()


def taught(name):
    """Return a learner that has learnt, and what it may be asked afterwards."""
    cls = LEARNERS[name]
    if name in find_bandits():
        game = cls(n_arms=4)
        game.play(LOSSES)
        return game, [lambda: game.play(LOSSES), game.select, lambda: game.probabilities]
    if name in find_experts():
        game = cls(Hedge()) if name == "Doubling" else cls()
        table = (
            (X, SIGNS) if issubclass(cls, VotingGame) or name == "AggregatingAlgorithm" else (X,)
        )
        game.learn(*table)
        return game, [lambda: game.learn(*table), lambda: game.weights]
    model = cls()
    target = SIGNS if is_classifier(model) else X @ [1.0, -1.0, 0.5, 0.0]
    model.partial_fit(X, target)
    return model, [
        lambda: model.predict_one(X[0]),
        lambda: model.learn_one(X[0], target[0]),
        lambda: model.predict(X),
        lambda: model.learn(X, target),
    ]


def others(part):
    """Return what may not stand where a part of a state does, or may if it is history."""
    if isinstance(part, np.ndarray):
        yield from (part[:0], np.concatenate([part, part]), part[np.newaxis], part.tolist(), None)
        yield part.astype(np.float32 if part.dtype != np.float32 else np.float64)
        yield part.astype("U8")
        yield np.ma.masked_array(part)
        yield part.astype(part.dtype.newbyteorder())
    elif sparse.issparse(part):
        wild = part.tocsr().copy()
        wild.indices = np.full_like(wild.indices, 10**6)
        yield from (part[:0], part.toarray(), part.astype(np.float32), wild)
    elif isinstance(part, int | str | dict):
        yield from (None, "x" if part != "x" else "y", 10**12, 1.5)
    elif isinstance(part, Generator):
        yield from (None, 0)


def changed(value):
    """Yield a state again and again, each time with one other thing somewhere in it."""
    if not isinstance(value, tuple):
        yield from others(value)
        return
    yield from (None, (), value[:-1])
    for k, part in enumerate(value):
        for other in changed(part):
            parts = (*value[:k], other, *value[k + 1 :])
            yield parts if type(value) is tuple else tuple.__new__(type(value), parts)


@pytest.mark.parametrize("name", LEARNERS)
def test_a_state_of_another_form_is_refused_and_the_learner_stays_as_it_was(name):
    model, asked = taught(name)
    held = "learnt_" if hasattr(model, "learnt_") else "state_"
    whole, n_refused, n_kept = vars(model)[held], 0, 0
    for broken in changed(whole):
        before = vars(model).copy()
        try:
            setattr(model, held, broken)
        except ValueError as error:
            assert "cannot have learnt such" in str(error)  # noqa: PT017 - or it is answered
            assert vars(model).keys() == before.keys()
            assert all(vars(model)[key] is value for key, value in before.items())
            n_refused += 1
            continue
        n_kept += 1
        for ask in asked:  # what is of no other form is followed no further than it reaches
            with suppress(ValueError):
                ask()
        vars(model)[held] = whole
    assert n_refused > 4 * n_kept


@pytest.mark.parametrize("name", LEARNERS)
def test_its_own_state_may_be_put_back(name):
    model, asked = taught(name)
    held = "learnt_" if hasattr(model, "learnt_") else "state_"
    kept = getattr(model, held)
    asked[0]()
    setattr(model, held, kept)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for ask in asked:
            ask()


def test_learners_experts_and_bandits_are_found():
    assert len(LEARNERS) > 30
