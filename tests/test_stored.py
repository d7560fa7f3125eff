"""Stored names: one class each, for good, wherever its code is."""

import importlib
import pkgutil

import pytest

import surelearn
from surelearn import _stored, bounds, kernels, learners, losses
from surelearn._stored import find_stored, stored, stored_name, stored_version
from surelearn.base import fingerprint


@pytest.fixture(autouse=True)
def _forget_the_names_of_tests():
    """Leave none of the names behind that a test registered; the library's own stay."""
    yield
    for name in [name for name in _stored._classes if name.startswith("test-")]:
        del _stored._classes[name]


def make(name, module, qualname="Sums", **attributes):
    """Return an object of a class of that stored name, as if it were defined in that module."""
    cls = type(qualname, (), {"__module__": module})
    made = stored(name)(cls)()
    vars(made).update(attributes)
    return made


def test_a_name_is_taken_once():
    make("test-sums", "surelearn.here")
    with pytest.raises(ValueError, match=r"'test-sums' is the stored name of surelearn.here.Sums"):
        make("test-sums", "surelearn.there")


def test_a_module_that_is_loaded_again_may_register_again():
    first, second = make("test-sums", "surelearn.here"), make("test-sums", "surelearn.here")
    assert stored_name(type(first)) == stored_name(type(second)) == "test-sums"
    assert find_stored("test-sums") is type(second)


@pytest.mark.parametrize("name", ["Sums", "kernels.Sum", "sums of", "", "-sums", "sums-", "3-sums"])
def test_a_private_name_cannot_be_taken_for_a_public_one(name):
    with pytest.raises(ValueError, match="small letters and hyphens"):
        stored(name)


@pytest.mark.parametrize(
    ("cls", "name"),
    [
        (surelearn.Perceptron, "Perceptron"),
        (surelearn.Guarantee, "Guarantee"),
        (bounds.Guarantee, "Guarantee"),
        (losses.Square, "Square"),
        (kernels.Scaled, "kernels.Scaled"),
    ],
    ids=str,
)
def test_a_public_class_has_its_public_name(cls, name):
    assert stored_name(cls) == name
    assert find_stored(name) is cls


def test_what_is_not_public_has_no_name_of_its_own():
    impostor = type("Perceptron", (), {"__module__": "surelearn.elsewhere"})
    assert stored_name(impostor) is None
    assert stored_name(type("Pipeline", (), {"__module__": "sklearn.elsewhere"})) is None
    assert stored_name(dict) is None
    for name in ("bounds", "learn_stream", "kernels.np", "bounds.Guarantee", "sklearn.svm.SVC"):
        assert find_stored(name) is None


def test_a_subclass_has_a_name_of_its_own_and_the_version_of_its_ancestor():
    parent = type(make("test-sums", "surelearn.here"))
    child = type("More", (parent,), {"__module__": "surelearn.here"})
    parent._stored_version = 7
    assert stored_name(child) is None
    assert stored_version(child) == 7


def test_moving_or_renaming_a_class_keeps_its_fingerprint():
    before = fingerprint(make("test-sums", "surelearn.here", total=3.0))
    del _stored._classes["test-sums"]
    moved = make("test-sums", "surelearn.there", "Totals", total=3.0)
    assert fingerprint(moved) == before
    assert fingerprint(make("test-other-sums", "surelearn.there", total=3.0)) != before


def test_moving_a_class_without_attributes_keeps_its_fingerprint():
    before = fingerprint(make("test-sums", "surelearn.here"))
    del _stored._classes["test-sums"]
    assert fingerprint(make("test-sums", "surelearn.there")) == before
    assert fingerprint(make("test-other-sums", "surelearn.there")) != before


def test_all_names_of_the_library_are_found():
    for module in pkgutil.walk_packages(learners.__path__, "surelearn.learners."):
        importlib.import_module(module.name)
    ours = {n: c for n, c in _stored._classes.items() if c.__module__.startswith("surelearn.")}
    assert len(ours) > 25
    for name, cls in ours.items():
        assert find_stored(name) is cls
        assert stored_name(cls) == name
