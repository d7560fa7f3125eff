"""`surelearn bounds`: evaluate any theorem from the shell."""

from typing import Annotated

import typer


def bounds(
    theorem: Annotated[
        str | None, typer.Argument(help="Its name, such as concentration.clopper_pearson.")
    ] = None,
    values: Annotated[
        list[str] | None, typer.Argument(help="Its numbers: errors=5 n=100 delta=0.05")
    ] = None,
    find: Annotated[str, typer.Option(help="List only theorems that mention this word.")] = "",
) -> None:
    """Evaluate a theorem on numbers, or list all theorems.

    Example: `surelearn bounds concentration.clopper_pearson errors=5 n=100 delta=0.05`
    """
    # Imported here: `surelearn --help` should not wait for them.
    from surelearn.cli._bounds import evaluate, list_theorems  # noqa: PLC0415

    if theorem is None:
        list_theorems(find)
    else:
        evaluate(theorem, values or [])
