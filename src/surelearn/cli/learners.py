"""`surelearn learners`: the learners and what they state."""

from collections.abc import Mapping

import typer

_WIDE = 120  # columns; on fewer, sentences beside names would be broken into scraps


def learners() -> None:
    """List all learners with what each one does, and whether its own run proves something."""
    from surelearn.app.registry import find_bandits, find_experts, find_learners  # noqa: PLC0415

    _print("learner", find_learners())
    typer.echo("Any of them, and any model with predict, is certified by a Holdout.\n")
    _print("learner from expert advice", find_experts())
    typer.echo()
    _print("bandit", find_bandits())


def _print(title: str, found: Mapping[str, type]) -> None:
    import inspect  # noqa: PLC0415 - `--help` should not wait for the learners

    from rich.padding import Padding  # noqa: PLC0415
    from rich.table import Table  # noqa: PLC0415

    from surelearn.cli._terminal import Terminal  # noqa: PLC0415

    told = {name: (_states(kind), _says(inspect.getdoc(kind))) for name, kind in found.items()}
    console = Terminal()
    if console.width < _WIDE:
        console.print(f"[bold]{title}[/], what it states of its own run, and what it does")
        for name, (states, says) in told.items():
            console.print(f"{name}  [dim]{states}[/]", highlight=False)
            console.print(Padding(says, (0, 0, 0, 4)), highlight=False)
        return
    table = Table(box=None, pad_edge=False)
    for name in (title, "what it does", "states of its own run"):
        table.add_column(name, no_wrap=name == title)
    for name, (states, says) in told.items():
        table.add_row(name, says, states)
    console.print(table)


def _states(learner: type) -> str:
    own = "certificates()" if hasattr(learner, "certificates") else ""
    known = "guarantee(...)" if hasattr(learner, "guarantee") else ""
    return ", ".join(filter(None, (own, known))) or "by a Holdout"


def _says(text: str | None) -> str:
    return (text or "").partition("\n")[0]
