"""Nobody can write to the arrays that walks through a forest follow blindly."""

import copy
import dataclasses
import pickle
import warnings

import numpy as np
import pytest

from surelearn import RandomForestClassifier, RandomForestRegressor
from surelearn.persistence.model_files import load_model, save_model

RNG = np.random.default_rng(0)
X = RNG.normal(size=(80, 3))
y = (X[:, 0] > 0.0).astype(int)
WALKED = ("words", "leaves", "routes", "first_node", "importances")


def fitted(cls):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return cls(5, random_state=0).fit(X, y)


def stored(model, tmp_path):
    save_model(model, tmp_path / "model", schema={}, metadata={})
    return load_model(tmp_path / "model").model


WAYS = {
    "fitted": lambda model, _: model,
    "copied": lambda model, _: copy.deepcopy(model),
    "pickled": lambda model, _: pickle.loads(pickle.dumps(model)),  # noqa: S301
    "stored": stored,
}


@pytest.mark.parametrize("cls", [RandomForestClassifier, RandomForestRegressor])
@pytest.mark.parametrize("way", WAYS)
def test_arrays_that_walks_follow_cannot_be_written_to(cls, way, tmp_path):
    model = fitted(cls)
    expected = model.predict(X)
    model = WAYS[way](model, tmp_path)
    assert np.array_equal(model.predict(X), expected)
    for name in WALKED:
        array = getattr(model.trees_, name)
        if array.size:
            with pytest.raises(ValueError, match="read-only"):
                array[...] = 2**40
            with pytest.raises(ValueError, match="WRITEABLE"):
                array.flags.writeable = True
    assert np.array_equal(model.predict(X), expected)


@pytest.mark.parametrize("value", [2**40, -(2**40), -1, 2**31 - 1])
@pytest.mark.parametrize("name", ["words", "first_node"])
@pytest.mark.parametrize("how", ["replaced", "set", "before the first walk"])
def test_other_arrays_in_their_place_are_looked_through(name, value, how):
    model = fitted(RandomForestClassifier)
    model.predict(X)
    wild = np.full_like(getattr(model.trees_, name), value)
    if how == "set":
        object.__setattr__(model.trees_, name, wild)
    elif how == "replaced":
        model.trees_ = dataclasses.replace(model.trees_, **{name: wild})
    else:
        model = pickle.loads(pickle.dumps(model))  # noqa: S301
        getattr(model.trees_, name)[...] = wild
    for ask in (model.predict, model.predict_proba, model.apply):
        with pytest.raises(ValueError, match=r"its trees|a node|a leaf|its leaves"):
            ask(X)
