"""Whatever stands in one place of a public call: an answer, or a sentence on what is wrong."""

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from scipy import sparse

from contracts import junk_calls
from contracts.bound_examples import THEOREMS, example_inputs
from contracts.junk_calls import Call, is_a_sentence, tried
from surelearn import (
    AveragedPerceptron,
    Conservative,
    Holdout,
    KernelRidge,
    Perceptron,
    PrincipalComponents,
    SetTest,
    SupportVectorClassifier,
    blocks,
    chernoff_method,
    minimum_disagreement,
    mistakes_curve,
    parameter_grid,
)
from surelearn.app.registry import find_learners
from surelearn.optimizers import Lagrangian


@pytest.mark.parametrize(
    ("step", "thin", "ways"), [(487, 43, 300), pytest.param(1, 1, 80_000, marks=pytest.mark.slow)]
)
def test_junk_in_any_one_place_of_a_call_ends_in_a_sentence(step, thin, ways):
    root = Path(junk_calls.__file__).parents[1]
    done = subprocess.run(  # noqa: S603 - our own script, in a process with little memory
        [sys.executable, "-m", "contracts.junk_calls", str(step), str(thin)],
        cwd=root,
        capture_output=True,
        text=True,
        check=False,
        timeout=3600,
    )
    tried_last = "\n".join(done.stderr.splitlines()[-5:])
    assert done.returncode == 0, f"{done.stdout}\nlast tried: {tried_last}"
    assert int(tried_last.split()[-4]) > ways


def test_what_python_or_numpy_says_is_no_sentence():
    def take(x):
        return x[0] + 1

    found = tried(Call("take", take, {"x": [1]}), "x", "None")
    assert "not subscriptable" in found
    assert tried(Call("take", take, {"x": [1]}), "x", "a function") is not None
    model = AveragedPerceptron().fit([[1.0], [2.0]], [0, 1])
    with pytest.raises(ValueError, match="features") as caught:
        model.learn_one([1.0, 2.0], 0)
    assert is_a_sentence(caught.value)


def _ones():
    return np.ones((4, 1)), np.array([0, 1, 0, 1])


ONCE_TRACEBACKS = {
    "a scalar as a table": lambda: KernelRidge().fit(np.array(3.5), [1.0]),
    "a class as a table": lambda: KernelRidge().fit(dict, [1.0]),
    "ragged classes": lambda: Conservative(Perceptron()).partial_fit(
        *_ones(), classes=[[1.0], [2.0, 3.0]]
    ),
    "classes of many kinds": lambda: Holdout(*_ones(), by_class=[1, None, "a"]),
    "a huge number": lambda: minimum_disagreement([[10**400]], [1]),
    "a huge coordinate": lambda: (
        PrincipalComponents(n_components=1)
        .fit(np.arange(6.0).reshape(3, 2))
        .inverse_transform([[10**400]])
    ),
    "a sparse grid": lambda: parameter_grid(Perceptron(), sparse.bsr_array(np.ones((3, 1)))),
    "ragged cells": lambda: SetTest("a", ([1], [2])).branches([[1.0], [2.0, 3.0]]),
    "no problem": lambda: SupportVectorClassifier().fit(*_ones()).kkt_classes("junk"),
    "the third problem": lambda: SupportVectorClassifier().fit(*_ones()).kkt_classes(2),
    "a scalar as a stream": lambda: list(blocks(np.array(3.5))),
    "a scalar as rows": lambda: mistakes_curve(Perceptron(), np.array(3.5), [0, 1]),
    "a text as a point": lambda: Lagrangian(lambda z: (z[0], [1.0])).kkt_residuals("junk"),
    "a text as a multiplier": lambda: Lagrangian(lambda z: (z[0], [1.0]))(
        [1.0], objective_multiplier="junk"
    ),
    "no function": lambda: Lagrangian("junk"),
    "no list of functions": lambda: Lagrangian(lambda z: (z[0], [1.0]), len),
    "no pair": lambda: Lagrangian(lambda z: z[0]).kkt_residuals([1.0]),
    "a value of text": lambda: Lagrangian(lambda _: ("x", [1.0])).kkt_residuals([1.0]),
}


@pytest.mark.parametrize("call", ONCE_TRACEBACKS.values(), ids=ONCE_TRACEBACKS)
def test_what_once_ended_in_a_traceback_ends_in_a_sentence(call):
    with pytest.raises((TypeError, ValueError)) as caught:
        call()
    assert is_a_sentence(caught.value), caught.value


def test_numbers_beyond_floats_are_compared():
    name = min(THEOREMS)
    guarantee = THEOREMS[name](**example_inputs(name))
    assert guarantee.allows(10**400) == (guarantee.direction != "upper")
    assert chernoff_method(lambda s: s * s / 2.0, 1.0, largest_rate=10**400).bound < 1.0


LABELS = [[], None, [[0]], [[1], [2, 3]], {}, {"a": [1]}, "x", b"x", 10**400, object()]
ONLINE = [n for n, c in find_learners().items() if hasattr(c, "learn_one")]


@pytest.mark.parametrize("name", ONLINE)
def test_a_label_that_is_none_is_refused_and_nothing_is_learnt(name):
    model = find_learners()[name]().fit([[0.0, 1.0], [1.0, 0.0]], [0, 1])
    before = repr(model.learnt_)
    for junk in LABELS:
        with pytest.raises(ValueError, match=r"label|target"):
            model.learn_one([1.0, 0.0], junk)
    for row in (None, [], [[]], {"a": [1]}, "ab", b"ab", [[1.0, 2.0], [3.0]], dict, [10**400, 1]):
        with pytest.raises(ValueError, match=r"row|mapping|feature"):
            model.learn_one(row, 0)
        with pytest.raises(ValueError, match=r"row|mapping|feature"):
            model.predict_one(row)
    assert repr(model.learnt_) == before
