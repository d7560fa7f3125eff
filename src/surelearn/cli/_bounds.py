"""What `surelearn bounds` prints."""

import ast
import inspect
from collections.abc import Iterable
from difflib import get_close_matches
from typing import Any

from rich.console import Console
from rich.table import Table

from surelearn import bounds
from surelearn._wording import confidence, outward
from surelearn.bounds import Guarantee


def list_theorems(word: str) -> None:
    """Print the theorems, those that mention a word if one is given."""
    table = Table(box=None, pad_edge=False)
    table.add_column("theorem", no_wrap=True)
    table.add_column("what it says")
    for name in sorted(bounds.theorems()):
        says = (inspect.getdoc(bounds.find(name)) or "").partition("\n")[0]
        if word.lower() in f"{name} {says}".lower():
            table.add_row(name, says)
    if not table.row_count:
        raise ValueError(f"no theorem mentions {word!r}")
    Console().print(table)


def evaluate(name: str, values: Iterable[str]) -> None:
    """Print a theorem's bound, what it assumes and where its proof is."""
    console = Console()
    if name not in bounds.theorems():
        near = get_close_matches(name, list(bounds.theorems()), n=3, cutoff=0.4)
        raise ValueError(f"there is no theorem {name!r}; near it: {', '.join(near) or 'none'}")
    found = bounds.evaluate(name, **dict(_argument(value) for value in values))
    if not isinstance(found, Guarantee):
        console.print(found)
        return
    side = "at most" if found.direction == "upper" else "at least"
    console.print(f"{found.quantity} is {side} [bold]{outward(found.bound, found.direction)}[/]")
    if "delta" in found.inputs:
        console.print(f"with confidence {confidence(float(found.inputs['delta']))}")
    else:
        console.print(found.validity)
    for assumption in found.assumes.values():
        console.print(f"  if {assumption}", highlight=False)
    where = f"docs/theory/{name.replace('.', '.md#', 1)}"
    console.print(f"[dim]{found.reference}; {where}[/]")


def _argument(text: str) -> tuple[str, Any]:
    name, equals, value = text.partition("=")
    if not equals:
        raise ValueError(f"{text!r} is not of the form name=value, such as n=100")
    try:
        return name, ast.literal_eval(value)
    except (SyntaxError, ValueError):
        raise ValueError(f"{value!r} is no number; lists look like [1, 2, 3]") from None
