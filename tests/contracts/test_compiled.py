"""Compiled loops equal their plain Python selves, wherever they stand."""

import importlib
import pkgutil

import numpy as np
import pytest
from numba.core.dispatcher import Dispatcher
from scipy import sparse
from sklearn.utils import get_tags

import surelearn
from surelearn._jit import fingerprints, rows
from surelearn.app.registry import find_learners
from surelearn.checks import answer, small_table


def compiled_functions():
    found = {}
    for module in pkgutil.walk_packages(surelearn.__path__, "surelearn."):
        for name, member in vars(importlib.import_module(module.name)).items():
            if isinstance(member, Dispatcher) and member.py_func.__module__ == module.name:
                found[f"{module.name}.{name}"] = member
    return found


COMPILED = compiled_functions()
LEARNERS = find_learners()


@pytest.mark.parametrize("name", COMPILED)
def test_it_uses_the_house_flags_and_says_what_it_does(name):
    function = COMPILED[name]
    assert function.targetoptions["nogil"]
    assert function.targetoptions["error_model"] == "numpy"
    assert set(function.targetoptions["fastmath"]) == {"nsz", "arcp", "contract", "reassoc"}
    assert function.py_func.__doc__


def every_form(X):
    return [rows.of(X), rows.of(sparse.csr_array(X))]


def test_row_primitives_agree_compiled_and_interpreted_dense_and_sparse():
    X = np.random.default_rng(0).integers(-3, 4, size=(60, 5)).astype(float)
    for form in every_form(X):
        assert rows.largest_norm(form) == rows.largest_norm.py_func(form)
        assert rows.largest_norm(form) == np.linalg.norm(X, axis=1).max()


def test_row_hashes_agree_dense_and_sparse():
    X = np.random.default_rng(0).integers(-3, 4, size=(60, 5)).astype(float)
    dense, thin = (fingerprints.row_hashes(form) for form in every_form(X))
    np.testing.assert_array_equal(dense, thin)
    assert len(np.unique(dense)) == len(np.unique(X, axis=0))


@pytest.mark.parametrize("name", LEARNERS)
def test_an_interpreted_learner_equals_the_compiled_one(name, monkeypatch):
    learner = LEARNERS[name]
    X, y = small_table(learner())
    module = importlib.import_module(learner.__module__)
    compiled = answer(learner().fit(X, y), X)
    for key, member in vars(module).copy().items():
        if isinstance(member, Dispatcher):
            monkeypatch.setattr(module, key, member.py_func)
    forms = [X, sparse.csr_array(X)] if get_tags(learner()).input_tags.sparse else [X]
    for form in forms:
        interpreted = answer(learner().fit(form, y), X)
        if interpreted.dtype.kind == "f":
            np.testing.assert_allclose(interpreted, compiled, rtol=1e-9, atol=1e-12)
        else:
            np.testing.assert_array_equal(interpreted, compiled)
