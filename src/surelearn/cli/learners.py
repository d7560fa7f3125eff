"""`surelearn learners`: the learners and what they state."""

import typer


def learners() -> None:
    """List all learners with what each one does, and whether its own run proves something."""
    import inspect  # noqa: PLC0415 - `--help` should not wait for the learners

    from rich.console import Console  # noqa: PLC0415
    from rich.table import Table  # noqa: PLC0415

    from surelearn.app.registry import find_learners  # noqa: PLC0415

    table = Table(box=None, pad_edge=False)
    for name in ("learner", "what it does", "states of its own run"):
        table.add_column(name, no_wrap=name == "learner")
    for name, learner in find_learners().items():
        own = "certificates()" if hasattr(learner, "certificates") else ""
        known = "guarantee(...)" if hasattr(learner, "guarantee") else ""
        says = (inspect.getdoc(learner) or "").partition("\n")[0]
        table.add_row(name, says, ", ".join(filter(None, (own, known))) or "by a Holdout")
    Console().print(table)
    typer.echo("Any of them, and any model with predict, is certified by a Holdout.")
