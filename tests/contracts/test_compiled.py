"""Compiled loops equal their plain Python selves, wherever they stand."""

import copy
import functools
import importlib
import inspect
import pkgutil

import grimp
import numpy as np
import pandas as pd
import pytest
from numba.core.dispatcher import Dispatcher
from scipy import sparse
from sklearn.base import clone, is_classifier
from sklearn.utils import get_tags

import surelearn
from contracts.certified_runs import GAMES, SETTINGS, game_runs
from contracts.interpreted import interpreted
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


N_ROWS = 40  # each is worked on in plain Python, thousands of times slower


def integers(learner):
    """Yield the tables of whole numbers that a learner reads: sums are exact in any order."""
    X, y = (part[:N_ROWS] for part in small_table(learner))
    tags = get_tags(learner)
    yield "dense", X, y
    if tags.input_tags.sparse:
        yield "sparse", sparse.csr_array(X), y
    if tags.input_tags.allow_nan:
        yield "missing", np.where(np.arange(X.size).reshape(X.shape) % 7 == 3, np.nan, X), y
    if is_classifier(learner) and tags.classifier_tags.multi_class:
        yield "three classes", X, np.array(["red", "green", "blue"])[X[:, :3].argmax(axis=1)]
    if is_classifier(learner) and (tags.input_tags.categorical or tags.input_tags.string):
        words = np.array(list("abcdefg"))[X[:, :2].astype(int) + 3].astype(object)
        yield "words", pd.DataFrame({"a": words[:, 0], "b": words[:, 1], "c": X[:, 2]}), y


def pruned(model, X, y):
    """Yield what each way to prune leaves of a tree."""
    known = {"alpha": 0.01, "X": X, "y": y, "random_state": 0}
    for name, prune in inspect.getmembers(model, inspect.ismethod):
        if name.startswith("prune") and ("entropy" not in name or is_classifier(model)):
            asked = inspect.signature(prune).parameters
            yield prune(**{key: known[key] for key in known if key in asked})


def all_answers(learner, X, y):
    """Return everything that a learner says after learning, row by row too where it can."""
    online, parameters = hasattr(learner, "learn"), learner.get_params()
    few = {"max_iter": 3} if online else {"random_state": 0, "n_estimators": 3}
    learner.set_params(**{key: few[key] for key in few if key in parameters})
    model = clone(learner).fit(X, y)
    said = [answer(model, X), *(answer(tree, X) for tree in pruned(model, X, y))]
    if hasattr(model, "certificates"):
        # Some bounds are the least over a search, which ends at a tolerance of its own.
        said += [np.float32(c.bound) for c in model.certificates()]
    if online and isinstance(X, np.ndarray):
        model.learn_one(X[0], y[0])
        said += [model.learn(X[:5], y[:5]), answer(model, X)]
    if hasattr(model, "partial_fit") and not online:
        said += [answer(clone(learner).partial_fit(X, y).partial_fit(X, y), X)]
    return said


def agree(found, expected):
    assert len(found) == len(expected)
    for one, other in zip(found, expected, strict=True):
        if np.asarray(other).dtype.kind == "f":
            tolerance = 1e-6 if np.asarray(other).dtype == np.float32 else 1e-9
            np.testing.assert_allclose(one, other, rtol=tolerance, atol=1e-9)
        else:
            np.testing.assert_array_equal(one, other)


def settings(name):
    """Return the settings to try; a rate of 50 would multiply differences of rounding."""
    return [s for s in ({}, *SETTINGS.get(name, [])) if s.get("learning_rate", 0.0) < 10.0]


CASES = [
    pytest.param(name, setting, form, id=f"{name}-{number}-{form}")
    for name, cls in LEARNERS.items()
    for number, setting in enumerate(settings(name))
    for form, *_ in integers(cls(**setting))
]


@pytest.mark.parametrize(("name", "setting", "form"), CASES)
def test_an_interpreted_learner_equals_the_compiled_one(name, setting, form):
    learner = LEARNERS[name](**setting)
    X, y = next(table[1:] for table in integers(learner) if table[0] == form)
    expected = all_answers(clone(learner), X, y)
    with interpreted() as ran:
        found = all_answers(clone(learner), X, y)
    agree(found, expected)
    if form == "dense":
        assert bool(compiled_in(name) & set(ran)) == (name in WITH_LOOPS)


@functools.cache
def import_graph():
    return grimp.build_graph("surelearn", cache_dir=None)


def family_of(module):
    """Return the folder of a family, or the package that a module outside of them stands in."""
    return ".".join(module.split(".")[:3])


@functools.cache
def compiled_in(name):
    """Return the compiled functions of a learner's family that its file can reach."""
    module = {**LEARNERS, **GAMES}[name].__module__
    near = {module, *import_graph().find_upstream_modules(module)}
    return {
        function
        for function, member in COMPILED.items()
        if member.py_func.__module__ in near and family_of(function) == family_of(module)
    }


IN_NUMPY = {
    "BernoulliMixture",  # products of matrices
    "ForwardStagewiseClassifier",  # the loops are those of its members
    "ForwardStagewiseRegressor",
    "MaximumEntropy",  # its softmax is that of logistic regression, without the loops
    "MaximumEntropyQuasiNewton",
    "ThompsonSampling",  # a draw from NumPy's generator for each round
}
WITH_LOOPS = {name for name in (*LEARNERS, *GAMES) if compiled_in(name)} - IN_NUMPY


def test_most_learners_have_loops_of_their_own():
    assert len(WITH_LOOPS) > 0.7 * len({**LEARNERS, **GAMES})
    assert set(LEARNERS) | set(GAMES) >= IN_NUMPY


GAME_RUNS = list(game_runs())


@pytest.mark.parametrize("name", sorted({name for name, _ in GAME_RUNS}))
def test_an_interpreted_game_equals_the_compiled_one(name):
    runs = [run for own, run in GAME_RUNS if own == name]
    expected = [[(c.observed, c.bound) for c in run()] for run in runs]
    with interpreted() as ran:
        found = [[(c.observed, c.bound) for c in run()] for run in runs]
    assert bool(compiled_in(name) & set(ran)) == (name in WITH_LOOPS)
    for one, other in zip(found, expected, strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-9, atol=1e-9)


def test_interpreted_functions_run_as_python_and_compiled_ones_come_back():
    X = np.eye(3)
    with interpreted() as ran:
        rows.largest_norm(X)
    assert ran == {"surelearn._jit.rows.largest_norm": 1}
    rows.largest_norm(X)
    assert sum(ran.values()) == 1


@pytest.mark.parametrize(
    "name",
    [
        "CARTClassifier",
        "CondensedNearestNeighbor",
        "GaussianNaiveBayes",
        "LogisticRegression",
        "Perceptron",
    ],
)
def test_a_fault_in_one_interpreted_loop_is_seen(name, monkeypatch):
    _, X, y = next(integers(LEARNERS[name]()))
    expected = all_answers(LEARNERS[name](), X, y)
    with interpreted() as ran:
        all_answers(LEARNERS[name](), X, y)
    own = max(compiled_in(name) & set(ran), key=ran.__getitem__)  # the one that ran most often
    monkeypatch.setattr(COMPILED[own], "py_func", broken(COMPILED[own].py_func))
    with interpreted(), pytest.raises(_NOTICED):
        agree(all_answers(LEARNERS[name](), X, y), expected)


_NOTICED = (ArithmeticError, AssertionError, LookupError, ValueError, UserWarning)


def broken(function):
    """Return a function that does all its work, but on copies, and answers with a zero."""

    @functools.wraps(function)
    def fault(*arguments):
        function(*copy.deepcopy(arguments))
        return 0

    return fault
