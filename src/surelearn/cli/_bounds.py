"""What `surelearn bounds` prints."""

import ast
from collections.abc import Iterable
from typing import Any

from rich.padding import Padding

from surelearn.app.errors import ArgumentError
from surelearn.app.theorems import Evaluation, evaluate_theorem, find_theorems
from surelearn.cli._terminal import Terminal


def list_theorems(word: str) -> None:
    """Print the theorems, those that mention a word if one is given."""
    console = Terminal()
    for name, line in find_theorems(word).items():
        console.print(name, highlight=False)
        console.print(Padding(line, (0, 0, 0, 4)), style="dim", highlight=False)


def evaluate(name: str, values: Iterable[str]) -> None:
    """Print a theorem's bound, what it assumes and where its proof is."""
    console = Terminal()
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
