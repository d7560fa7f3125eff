"""`surelearn verify`: check a certificate."""

from pathlib import Path
from typing import Annotated

import typer


def verify(
    certificate: Annotated[
        Path, typer.Argument(help="The file certificate.json.", show_default=False)
    ],
    model: Annotated[Path | None, typer.Option(help="The file model.surelearn.")] = None,
    data: Annotated[Path | None, typer.Option(help="The table it was made from.")] = None,
    delimiter: Annotated[str | None, typer.Option(help="What separates cells.")] = None,
    header: Annotated[
        bool | None, typer.Option("--header/--no-header", help="Whether line 1 has the names.")
    ] = None,
    encoding: Annotated[str | None, typer.Option(help="Encoding of a text file.")] = None,
    decimal: Annotated[
        str | None, typer.Option(help="Decimal sign of a text file, a point or a comma.")
    ] = None,
) -> None:
    """Check a certificate: exit status 0 if it holds, 1 if something differs, 2 if unreadable.

    Recomputes the bound from the stored statistics. With `--model` and `--data` it also splits the
    table as recorded, asks the hold-out about the model again, and compares all fingerprints.
    """
    from rich.console import Console  # noqa: PLC0415 - `--help` should not wait for it
    from rich.markup import escape  # noqa: PLC0415

    from surelearn.app.verify import read_certificate, verify_certificate  # noqa: PLC0415
    from surelearn.cli._refusals import refusals  # noqa: PLC0415

    form = {"delimiter": delimiter, "header": header, "encoding": encoding, "decimal": decimal}
    with refusals():
        stated = read_certificate(certificate)
        findings = verify_certificate(stated, model=model, table=data, **form)
    console = Console(highlight=False)
    for line in stated.headline:
        console.print(escape(line))
    for finding in findings:
        mark = "[green]holds[/]  " if finding.holds else "[red]differs[/]"
        console.print(f"{mark}  {escape(finding.name)} [dim]({escape(finding.evidence)})[/]")
    if not all(finding.holds for finding in findings):
        console.print("[red]This certificate must not be relied on.[/]")
        raise typer.Exit(1)
    if model is None and "options" in stated.reproduce:
        console.print("Give --model and --data to check the statistics themselves.")
