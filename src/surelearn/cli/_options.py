"""Options that several commands have: what a text file looks like, and who works on a table."""

from typing import Annotated, TypeAlias

import typer

Delimiter: TypeAlias = Annotated[str | None, typer.Option(help="What separates cells.")]
Header: TypeAlias = Annotated[
    bool | None,
    typer.Option("--header/--no-header", help="Whether line 1 holds the column names."),
]
Missing: TypeAlias = Annotated[
    list[str] | None, typer.Option(help="Word that means missing; may be repeated.")
]
Encoding: TypeAlias = Annotated[str | None, typer.Option(help="Encoding of a text file.")]
Decimal: TypeAlias = Annotated[
    str | None, typer.Option(help="Decimal sign of a text file, a point or a comma.")
]
Claims: TypeAlias = Annotated[
    list[str] | None,
    typer.Option(help="Claim or target, such as 'sensitivity>=0.9'; repeatable, in order."),
]
Task: TypeAlias = Annotated[
    str | None, typer.Option(help="classification or regression, if not as inferred.")
]
Workers: TypeAlias = Annotated[
    int | None, typer.Option(help="Processes on this machine to work on the parts of a table.")
]
Cluster: TypeAlias = Annotated[
    str | None,
    typer.Option("--cluster", "--dask", help="Address of a Dask scheduler whose workers do it."),
]
