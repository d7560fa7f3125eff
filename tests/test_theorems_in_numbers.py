"""What a theory page states equals what the function of `surelearn.bounds` returns, on numbers.

The `python` blocks of a page are run in order, in a namespace that has the theorems of its module,
the functions of `math` and NumPy as `np`. A section of a theorem has a block that compares the
formula, written out, with the function: `assert isclose(function(...).bound, formula)  # 678.6`.
The number in the comment is the value, as the page rounds it.
"""

import ast
import importlib
import math
import pathlib
import re

import numpy as np
import pytest
from scipy import stats

from contracts.bound_examples import THEOREMS
from surelearn import bounds

HERE = pathlib.Path(__file__).parent
THEORY = HERE.parent / "docs" / "theory"
PAGES = {path.stem: path.read_text(encoding="utf-8") for path in sorted(THEORY.glob("*.md"))}
WITHOUT = set((HERE / "theorems_without_numbers.txt").read_text(encoding="utf-8").split())
BLOCK = re.compile(r"^```python\n(.*?)^```$", re.DOTALL | re.MULTILINE)


def namespace(page):
    """The names that the blocks of a page may use without importing them."""
    names = {k: v for k, v in vars(math).items() if not k.startswith("_")}
    theorems = {k.partition(".")[2]: f for k, f in THEOREMS.items() if k.startswith(f"{page}.")}
    rest = vars(importlib.import_module(f"surelearn.bounds.{page}")) if theorems else {}
    return {**rest, **names, **theorems, "np": np, "stats": stats, "bounds": bounds}


def section(name):
    """The text from a theorem's heading to the next heading."""
    page, _, function = name.partition(".")
    _, _, rest = PAGES[page].partition(f"{{#{function}}}\n")
    return re.split(r"^#+ ", rest, maxsplit=1, flags=re.MULTILINE)[0]


def compares(name):
    """Whether a block of its section calls it and compares what it returns."""
    call = re.compile(rf"\b{name.rpartition('.')[2]}\(")
    return any(call.search(code) and asserts(code) for code in BLOCK.findall(section(name)))


def asserts(code):
    """Whether a block compares anything."""
    stated = [ast.unparse(n) for n in ast.walk(ast.parse(code)) if isinstance(n, ast.Assert)]
    return any("isclose(" in text or "==" in text for text in stated)


def run(code, names):
    """Run a block; yield what its comparisons compare, its value, and that in the comment."""
    lines, compared = code.splitlines(), []

    def isclose(value, *others, **how):
        compared.append(value)
        return math.isclose(value, *others, **how)

    names["isclose"] = isclose
    for node in ast.parse(code).body:
        exec(compile(ast.Module([node], []), "<page>", "exec"), names)  # noqa: S102 - the page is ours
        is_a_call = isinstance(node, ast.Assert) and isinstance(node.test, ast.Call)
        if is_a_call and ast.unparse(node.test.func) == "isclose":
            shown = re.search(r"  # (-?[\d,.]+)$", lines[node.end_lineno - 1])
            first = ast.unparse(node.test.args[0])
            yield from [(first, compared[-1], shown[1])] if shown else []


@pytest.mark.parametrize("page", [page for page, text in PAGES.items() if BLOCK.search(text)])
def test_the_formulas_of_a_page_agree_with_its_functions(page):
    names = namespace(page)
    for code in BLOCK.findall(PAGES[page]):
        for first, value, shown in run(code, names):
            digits = len(shown.partition(".")[2])
            printed = f"{value:,.{digits}f}"
            assert printed.replace(",", "") == shown.replace(",", ""), first


@pytest.mark.parametrize("name", [name for name in THEOREMS if name not in WITHOUT])
def test_the_section_of_a_theorem_compares_its_formula_with_its_function(name):
    assert compares(name), f"bounds.{name} is not compared with its formula on its theory page"


def test_the_list_of_theorems_without_numbers_only_shrinks():
    assert set(THEOREMS) >= WITHOUT
    assert [name for name in sorted(WITHOUT) if compares(name)] == []
