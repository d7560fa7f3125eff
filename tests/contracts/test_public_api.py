"""The public surface is one sorted list, importable, documented, and nothing is missing from it."""

import doctest
import inspect
import pathlib
import re
import subprocess
import sys

import pytest

import surelearn
from surelearn.app.registry import find_learners

STUB = pathlib.Path(surelearn.__file__).with_suffix(".pyi").read_text(encoding="utf-8")
NAMES = re.findall(r"^from \S+ import \w+ as (\w+)$", STUB, flags=re.MULTILINE)


def test_the_list_is_sorted_and_equals_what_the_package_offers():
    lines = STUB.splitlines()
    assert lines == sorted(lines, key=lambda line: (line.split()[1], line.split()[3]))
    assert sorted(NAMES) == sorted(surelearn.__all__)
    assert set(NAMES) <= set(dir(surelearn))


@pytest.mark.parametrize("name", NAMES)
def test_every_name_is_importable_and_documented_with_an_example(name):
    member = getattr(surelearn, name)
    text = inspect.getdoc(member)
    assert text
    if (
        inspect.isclass(member)
        and not issubclass(member, Exception)
        and not inspect.isabstract(member)
    ):
        assert doctest.DocTestParser().get_examples(text), f"{name} has no example"


@pytest.mark.parametrize("name", NAMES)
def test_every_name_stands_in_the_documentation(name):
    docs = pathlib.Path(__file__).parents[2] / "docs"
    pages = [docs / "reference.md", *sorted((docs / "learners").glob("*.md"))]
    text = "\n".join(page.read_text(encoding="utf-8") for page in pages)
    member = getattr(surelearn, name)
    path = member.__name__ if inspect.ismodule(member) else f"{member.__module__}.{name}"
    shown = re.findall(r"^::: (\S+)$", text, re.MULTILINE)
    inside = any(path == place or path.startswith(f"{place}.") for place in shown)
    assert inside or re.search(rf"\b{name}\b", text), f"{name} is documented nowhere"


def test_every_learner_is_public():
    assert set(find_learners()) <= set(NAMES)


def test_importing_the_package_imports_nothing_heavy():
    heavy = "{'numpy', 'scipy', 'numba', 'sklearn', 'matplotlib'}"
    code = f"import sys, surelearn; print(sorted({heavy} & set(sys.modules)))"
    command = [sys.executable, "-c", code]
    run = subprocess.run(command, capture_output=True, text=True, check=True)  # noqa: S603
    assert run.stdout.strip() == "[]"
