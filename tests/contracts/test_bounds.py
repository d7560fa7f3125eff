"""What holds for every theorem and planner in `surelearn.bounds`, discovered, never listed."""

import ast
import doctest
import inspect
import json
import math
import pathlib
import re

import numpy as np
import pytest

from surelearn import bounds
from surelearn.bounds import Guarantee

THEOREMS = bounds.theorems()
THEORY = pathlib.Path(__file__).parents[2] / "docs" / "theory"


def example_inputs(name):
    """Return the keyword arguments of the first call in the docstring's example."""
    function = THEOREMS[name]
    module = inspect.getmodule(function)
    for example in doctest.DocTestParser().get_examples(inspect.getdoc(function) or ""):
        for node in ast.walk(ast.parse(example.source)):
            if isinstance(node, ast.Call) and ast.unparse(node.func).endswith(function.__name__):
                scope = {**vars(module), "np": np}
                return {k.arg: eval(ast.unparse(k.value), scope) for k in node.keywords}  # noqa: S307
    raise AssertionError(f"{name} has no example that calls it")


def is_number(value):
    return isinstance(value, int | float) and not isinstance(value, bool)


every_theorem = pytest.mark.parametrize("name", THEOREMS)


@every_theorem
def test_it_is_keyword_only_and_documented(name):
    function = THEOREMS[name]
    kinds = {p.kind for p in inspect.signature(function).parameters.values()}
    assert kinds <= {inspect.Parameter.KEYWORD_ONLY}
    assert "Examples\n" in inspect.getdoc(function)


@every_theorem
def test_its_theory_page_has_a_section_for_it(name):
    module, _, function = name.partition(".")
    page = (THEORY / f"{module}.md").read_text(encoding="utf-8")
    assert re.search(rf"^#+ .*\{{#{function}\}}$", page, flags=re.MULTILINE)


@every_theorem
def test_it_refuses_nan_in_every_number_and_names_it(name):
    inputs = example_inputs(name)
    for key, value in inputs.items():
        if is_number(value):
            with pytest.raises(ValueError, match=rf"\b{key}\b"):
                THEOREMS[name](**{**inputs, key: math.nan})


@every_theorem
@pytest.mark.parametrize("delta", [0.0, 1.0, -0.1, 1.5])
def test_it_refuses_a_delta_outside_zero_and_one(name, delta):
    inputs = example_inputs(name)
    if "delta" in inspect.signature(THEOREMS[name]).parameters:
        with pytest.raises(ValueError, match="delta"):
            THEOREMS[name](**{**inputs, "delta": delta})


@every_theorem
def test_it_refuses_a_negative_count_and_names_it(name):
    inputs = example_inputs(name)
    for key, value in inputs.items():
        if key == "n" or key.startswith("n_") or key.endswith("errors"):
            bad = -1 if is_number(value) else -np.abs(np.asarray(value)) - 1
            with pytest.raises(ValueError, match=rf"\b{key}\b"):
                THEOREMS[name](**{**inputs, key: bad})


def guarantee_of(name):
    result = THEOREMS[name](**example_inputs(name))
    return result if isinstance(result, Guarantee) else None


@every_theorem
def test_its_guarantee_is_complete_and_can_be_evaluated_again(name):
    guarantee = guarantee_of(name)
    if guarantee is not None:
        assert guarantee.theorem == name
        assert guarantee.assumes
        assert all(isinstance(a, str) for a in guarantee.assumes)
        assert re.search(r"\d{4}", guarantee.reference) or "surelearn" in guarantee.reference
        stored = json.loads(
            json.dumps(dict(guarantee.inputs), default=lambda a: np.asarray(a).tolist())
        )
        assert bounds.evaluate(name, **stored).bound == guarantee.bound


@every_theorem
def test_a_smaller_delta_never_gives_a_tighter_bound(name):
    inputs = example_inputs(name)
    guarantee = guarantee_of(name)
    if guarantee is not None and "delta" in inputs:
        stricter = THEOREMS[name](**{**inputs, "delta": inputs["delta"] / 10})
        sign = 1.0 if guarantee.direction == "upper" else -1.0
        assert sign * stricter.bound >= sign * guarantee.bound


def test_an_unknown_theorem_is_refused_with_a_pointer():
    with pytest.raises(ValueError, match="theorems"):
        bounds.evaluate("concentration.no_such_theorem", n=1)
    with pytest.raises(ValueError, match="theorems"):
        bounds.evaluate("no_such_file.hoeffding", n=1)
