"""`surelearn learners`: the learners and what they state."""

from collections.abc import Mapping

import typer


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

    from rich.console import Console  # noqa: PLC0415
    from rich.table import Table  # noqa: PLC0415

    table = Table(box=None, pad_edge=False)
    for name in (title, "what it does", "states of its own run"):
        table.add_column(name, no_wrap=name == title)
    for name, learner in found.items():
        own = "certificates()" if hasattr(learner, "certificates") else ""
        known = "guarantee(...)" if hasattr(learner, "guarantee") else ""
        says = (inspect.getdoc(learner) or "").partition("\n")[0]
        table.add_row(name, says, ", ".join(filter(None, (own, known))) or "by a Holdout")
    Console().print(table)
