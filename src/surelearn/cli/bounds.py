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
    from surelearn.cli._bounds import evaluate, list_theorems  # noqa: PLC0415 - imports NumPy

    try:
        list_theorems(find) if theorem is None else evaluate(theorem, values or [])
    except (KeyError, TypeError, ValueError) as error:
        typer.secho(f"surelearn: {error.args[0] if error.args else error}", fg="red", err=True)
        raise typer.Exit(2) from None
