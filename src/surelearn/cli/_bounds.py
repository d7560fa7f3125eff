"""What `surelearn bounds` prints."""

import ast
from collections.abc import Iterable
from typing import Any

from rich.console import Console
from rich.table import Table

from surelearn.app.errors import ArgumentError
from surelearn.app.theorems import Evaluation, evaluate_theorem, find_theorems


def list_theorems(word: str) -> None:
    """Print the theorems, those that mention a word if one is given."""
    table = Table(box=None, pad_edge=False)
    table.add_column("theorem", no_wrap=True)
    table.add_column("what it says")
    for name, line in find_theorems(word).items():
        table.add_row(name, line)
    Console().print(table)


def evaluate(name: str, values: Iterable[str]) -> None:
    """Print a theorem's bound, what it assumes and where its proof is."""
    console = Console()
    found = evaluate_theorem(name, dict(_argument(value) for value in values))
    if not isinstance(found, Evaluation):
        console.print(found)
        return
    console.print(f"{found.quantity} is {found.side} [bold]{found.bound}[/]")
    console.print(found.level)
    for assumption in found.assumptions:
        console.print(f"  if {assumption}", highlight=False)
    console.print(f"[dim]{found.source}[/]")


def _argument(text: str) -> tuple[str, Any]:
    name, equals, value = text.partition("=")
    if not equals:
        raise ArgumentError(f"{text!r} is not of the form name=value, such as n=100")
    try:
        return name, ast.literal_eval(value)
    except (SyntaxError, ValueError):
        raise ArgumentError(f"{value!r} is no number; lists look like [1, 2, 3]") from None
