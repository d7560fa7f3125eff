"""`surelearn predict`: a stored model, a table, a prediction for each row."""

from pathlib import Path
from typing import Annotated

import typer

from surelearn.cli import _options


def predict(  # noqa: PLR0913, PLR0917 - an argument for each option
    model: Annotated[
        Path,
        typer.Argument(
            help="A model.surelearn file of `certify`, or its folder.", show_default=False
        ),
    ],
    table: Annotated[
        Path, typer.Argument(help="A table with the columns it learnt from.", show_default=False)
    ],
    out: Annotated[
        Path | None, typer.Option(help="The CSV file to write; the terminal by default.")
    ] = None,
    delimiter: _options.Delimiter = None,
    header: _options.Header = None,
    encoding: _options.Encoding = None,
    decimal: _options.Decimal = None,
    force: Annotated[bool, typer.Option("--force", help="Replace the file of --out.")] = False,
    safe_cells: Annotated[
        bool,
        typer.Option(
            "--safe-cells",
            help="Put ' before words that a spreadsheet would take for formulas (=, +, -, @).",
        ),
    ] = False,
) -> None:
    """Predict the target of each row of a table with a stored model.

    Writes CSV: the prediction of each row, in the order of the table, and the probability of each
    class if the model gives it. Notes go to standard error. Words are written as they are; with
    `--safe-cells`, those that begin like formulas are marked by a '. Characters that would command
    a terminal are escaped on one, but not in files and pipes.

    Example: `surelearn predict patients-certified/model.surelearn new.csv --out predicted.csv`
    """
    # Imported here: `surelearn --help` should not wait for them.
    from surelearn.cli._predicting import run  # noqa: PLC0415

    form = {"delimiter": delimiter, "header": header, "encoding": encoding, "decimal": decimal}
    run(model, table, out=out, force=force, safe_cells=safe_cells, form=form)
