"""A learner that was changed by hand after `fit` certifies nothing, whoever it is."""

import copy
import pickle
from functools import cache
from inspect import signature
from typing import Any

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer

import surelearn
from surelearn.base.seal import is_intact
from surelearn.learners.trees._cut_back_tree import CutBackTree

RNG = np.random.default_rng(0)
X = RNG.integers(0, 2, size=(60, 4)).astype(float)
y = (X[:, 0] > 0.0).astype(int)


def certifying() -> list[str]:
    """Return the names of the learners that certify something from their training rows."""
    return [
        name
        for name in dir(surelearn)
        if isinstance(cls := getattr(surelearn, name), type)
        and hasattr(cls, "fit")
        and hasattr(cls, "certificates")
        and not must_be_told(cls)
    ]


def must_be_told(cls: Any) -> bool:
    """Say whether a learner cannot be made without arguments: its rules, for instance."""
    return any(
        parameter.default is parameter.empty
        for parameter in signature(cls).parameters.values()
        if parameter.kind is not parameter.VAR_KEYWORD
    )


NAMES = certifying()


@cache
def fitted(name: str) -> Any:
    """Return a learner fitted once, when a test first asks: nothing compiles while collecting."""
    model = getattr(surelearn, name)().fit(X, y)
    assert model.certificates()
    return model


def arrays_in(value: Any) -> list[Any]:
    """Return the arrays of numbers in what a learner has learnt."""
    if isinstance(value, np.ndarray):
        return [value] if value.dtype.kind in "fi" and value.size and value.flags.writeable else []
    if isinstance(value, list | tuple):
        return [array for part in value for array in arrays_in(part)]
    if isinstance(value, dict):
        return [array for part in value.values() for array in arrays_in(part)]
    inside = getattr(value, "__dict__", {})
    return [array for name, part in inside.items() if name != "begun" for array in arrays_in(part)]


def learnt(model: Any) -> dict[str, Any]:
    return {name: value for name, value in vars(model).items() if name.endswith("_")}


def test_there_are_learners_that_certify():
    assert len(NAMES) >= 12


@pytest.mark.parametrize("name", NAMES)
def test_an_array_that_was_written_to_is_noticed(name):
    model = copy.deepcopy(fitted(name))
    assert is_intact(model)
    arrays = arrays_in(learnt(model))
    assert arrays
    for array in arrays:
        before = array.copy()
        array.ravel()[0] += 1
        if np.array_equal(array, before, equal_nan=True):
            continue  # infinite or missing
        with pytest.raises(ValueError, match="was changed after it was fitted"):
            model.certificates()
        array[...] = before
    assert model.certificates()


@pytest.mark.parametrize("name", NAMES)
def test_an_attribute_that_was_replaced_is_noticed(name):
    for attribute, value in learnt(fitted(name)).items():
        if isinstance(value, int | float) and not isinstance(value, bool):
            model = copy.deepcopy(fitted(name))
            setattr(model, attribute, value + 1)
            with pytest.raises(ValueError, match="was changed after it was fitted"):
                model.certificates()


def stored_and_loaded(model):
    return pickle.loads(pickle.dumps(model))  # noqa: S301 - our own


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("again", [copy.copy, copy.deepcopy, stored_and_loaded])
def test_a_copy_certifies_as_the_original_does(name, again):
    copied = again(fitted(name))
    first, second = (model.certificates() for model in (fitted(name), copied))
    assert [c.bound for c in first] == [c.bound for c in second]


@pytest.mark.parametrize("name", NAMES)
def test_predicting_and_fitting_again_are_no_changes(name):
    model = copy.deepcopy(fitted(name))
    if hasattr(model, "predict"):
        model.predict(X)
    assert is_intact(model)
    assert model.fit(X, y).certificates()
    assert "_seal" not in vars(clone(model))


def test_labels_that_were_exchanged_are_noticed():
    """Ones that move as far up as others move down left the checksum as it was."""
    model = surelearn.NearestNeighborsClassifier(n_neighbors=1)
    model.fit(np.arange(1000)[:, None], np.arange(1000) % 2)
    assert model.targets_[[0, 6, 1, 5]].tolist() == [0, 0, 1, 1]
    model.targets_[[0, 6, 1, 5]] = [1, 1, 0, 0]
    with pytest.raises(ValueError, match="was changed after it was fitted"):
        model.certificates()


def test_a_pruned_tree_is_sealed_anew_and_a_changed_one_is_not_pruned():
    model = surelearn.CARTClassifier().fit(X, y)
    pruned = model.prune(alpha=0.5)
    assert pruned.certificates()
    model.tree_.value[0, 0] += 1.0
    for change in (lambda: model.prune(alpha=0.5), lambda: model.snap(X, y)):
        with pytest.raises(ValueError, match="was changed after it was fitted"):
            change()


def test_a_cut_back_tree_is_sealed_by_its_tree():
    model = CutBackTree(surelearn.CARTClassifier()).fit(X, y)
    assert model.certificates()
    model.tree_.tree_.value[0, 0] += 1.0
    with pytest.raises(ValueError, match="was changed after it was fitted"):
        model.certificates()


def test_a_parameter_on_which_a_certificate_rests_is_noticed():
    model = surelearn.NearestNeighborsClassifier(n_neighbors=3).fit(X, y)
    assert model.certificates()
    with pytest.raises(ValueError, match="was changed after it was fitted"):
        model.set_params(n_neighbors=5).certificates()


def test_a_model_file_is_sealed_when_it_is_read(tmp_path):
    from surelearn.persistence.model_files import load_model, save_model  # noqa: PLC0415

    path = tmp_path / "model.surelearn"
    save_model(surelearn.LogisticRegression().fit(X, y), path, schema={}, metadata={})
    model = load_model(path).model
    assert model.certificates()
    model.coef_[0, 0] += 1.0
    with pytest.raises(ValueError, match="was changed after it was fitted"):
        model.certificates()


@pytest.mark.parametrize(
    "name", ["Perceptron", "Winnow", "OnlineRidge", "PassiveAggressiveRegressor"]
)
def test_coefficients_of_online_learners_cannot_be_written_to(name):
    model = getattr(surelearn, name)().fit(X, y)
    for array in (model.coef_, model.intercept_):
        with pytest.raises(ValueError, match="read-only"):
            array[...] = 0.0


@pytest.mark.parametrize("name", NAMES)
def test_a_learner_fitted_in_a_pipeline_is_intact(name):
    pipeline = make_pipeline(FunctionTransformer(), clone(fitted(name))).fit(X, y)
    assert is_intact(pipeline[-1])
    pipeline[-1].certificates()
