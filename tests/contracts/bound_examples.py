"""The theorems of `surelearn.bounds` and the numbers of their own examples."""

import ast
import doctest
import functools
import inspect
from typing import Any

import numpy as np

from surelearn import bounds

THEOREMS = bounds.theorems()


@functools.cache
def _inputs(name: str) -> dict[str, Any]:
    function = THEOREMS[name]
    module = inspect.getmodule(function)
    for example in doctest.DocTestParser().get_examples(inspect.getdoc(function) or ""):
        for node in ast.walk(ast.parse(example.source)):
            if isinstance(node, ast.Call) and ast.unparse(node.func).endswith(function.__name__):
                scope = {**vars(module), "np": np}
                return {k.arg: eval(ast.unparse(k.value), scope) for k in node.keywords}  # noqa: S307
    raise AssertionError(f"{name} has no example that calls it")


def example_inputs(name: str) -> dict[str, Any]:
    """Return the keyword arguments of the first call in the docstring's example."""
    return dict(_inputs(name))
