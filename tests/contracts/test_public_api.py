"""The public surface is one sorted list, importable, documented, and nothing is missing from it."""

import ast
import doctest
import importlib
import inspect
import pathlib
import pkgutil
import re
import subprocess
import sys

import pytest

import surelearn
from surelearn import learners
from surelearn.app.registry import find_learners

STUB = pathlib.Path(surelearn.__file__).with_suffix(".pyi").read_text(encoding="utf-8")
IMPORTS = [node for node in ast.walk(ast.parse(STUB)) if isinstance(node, ast.ImportFrom)]
NAMES = [alias.asname for node in IMPORTS for alias in node.names]


def test_the_list_has_no_name_twice_and_equals_what_the_package_offers():
    assert len(NAMES) == len(set(NAMES))
    assert sorted(NAMES) == sorted(surelearn.__all__)
    assert set(NAMES) <= set(dir(surelearn))


def test_a_misspelt_name_is_met_with_the_right_one():
    with pytest.raises(AttributeError, match="did you mean RandomForest"):
        surelearn.RandomForrest  # noqa: B018
    with pytest.raises(AttributeError, match=r"has no attribute 'xyzzy'$"):
        surelearn.xyzzy  # noqa: B018


@pytest.mark.parametrize("name", NAMES)
def test_every_name_is_importable_and_documented(name):
    assert inspect.getdoc(getattr(surelearn, name))


def can_be_made(name):
    member = getattr(surelearn, name)
    return (
        inspect.isclass(member)
        and not issubclass(member, Exception)
        and not inspect.isabstract(member)
    )


@pytest.mark.parametrize("name", [name for name in NAMES if can_be_made(name)])
def test_every_class_that_can_be_made_has_an_example(name):
    text = inspect.getdoc(getattr(surelearn, name))
    assert doctest.DocTestParser().get_examples(text), f"{name} has no example"


@pytest.mark.parametrize("name", NAMES)
def test_every_name_stands_in_the_documentation(name):
    docs = pathlib.Path(__file__).parents[2] / "docs"
    folders = (docs / "reference", docs / "learners", docs / "how-to")
    pages = [page for f in folders for page in sorted(f.glob("*.md"))]
    text = "\n".join(page.read_text(encoding="utf-8") for page in pages)
    member = getattr(surelearn, name)
    path = member.__name__ if inspect.ismodule(member) else f"{member.__module__}.{name}"
    shown = re.findall(r"^::: (\S+)$", text, re.MULTILINE)
    inside = any(path == place or path.startswith(f"{place}.") for place in shown)
    assert inside or re.search(rf"\b{name}\b", text), f"{name} is documented nowhere"


def signatures():
    """Return the signatures of public functions and classes, and of the methods of the latter."""
    for name in NAMES:
        member = getattr(surelearn, name)
        if callable(member) and member is not surelearn.BoundViolatedError:
            yield name, inspect.signature(member)
        if inspect.isclass(member):
            own = inspect.getmembers(member, inspect.isfunction)
            yield from ((f"{name}.{k}", inspect.signature(f)) for k, f in own if k[0] != "_")


def test_signatures_can_be_read():
    """Types are shown by their names: `help` would spell out what NumPy makes arrays of."""
    found = dict(signatures())
    assert len(found) > 400
    spelt_out = [name for name, one in found.items() if "_array_like" in str(one)]
    assert spelt_out == []
    # Settings of a learner are many, and none of them takes more than half a line.
    long = {
        n: len(str(s)) for n, s in found.items() if len(str(s)) > max(480, 40 * len(s.parameters))
    }
    assert long == {}


def certifying_classes():
    for module in pkgutil.walk_packages(learners.__path__, f"{learners.__name__}."):
        if "._" in module.name:  # what a family keeps to itself
            continue
        members = inspect.getmembers(importlib.import_module(module.name), inspect.isclass)
        own = ((n, c) for n, c in members if c.__module__ == module.name and n[0] != "_")
        yield from (n for n, c in own if hasattr(c, "certificates"))


def test_every_learner_is_public():
    assert "Perceptron" in set(certifying_classes())
    assert set(find_learners()) | set(certifying_classes()) <= set(NAMES)


def test_importing_the_package_imports_nothing_heavy():
    heavy = "{'numpy', 'scipy', 'numba', 'sklearn', 'matplotlib'}"
    code = f"import sys, surelearn; print(sorted({heavy} & set(sys.modules)))"
    command = [sys.executable, "-c", code]
    run = subprocess.run(command, capture_output=True, text=True, check=True)  # noqa: S603
    assert run.stdout.strip() == "[]"
