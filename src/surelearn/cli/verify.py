"""`surelearn verify`: check a certificate."""

from pathlib import Path
from typing import Annotated

import typer

from surelearn.cli import _options


def verify(  # noqa: PLR0913, PLR0917 - a command has as many options as it has
    certificate: Annotated[
        Path, typer.Argument(help="The file certificate.json, or its folder.", show_default=False)
    ],
    model: Annotated[
        Path | None, typer.Option(help="The file model.surelearn, or its folder.")
    ] = None,
    data: Annotated[
        Path | None,
        typer.Option(help="The table it was made from; in parts, a folder or a pattern in quotes."),
    ] = None,
    delimiter: _options.Delimiter = None,
    header: _options.Header = None,
    encoding: _options.Encoding = None,
    decimal: _options.Decimal = None,
    retrain: Annotated[
        bool, typer.Option("--retrain", help="Do the whole run again from --data, and compare.")
    ] = False,
    workers: _options.Workers = None,
    cluster: _options.Cluster = None,
    signature: Annotated[
        Path | None, typer.Option(help="A signature, as `surelearn sign` writes it.")
    ] = None,
    public_key: Annotated[
        Path | None, typer.Option(help="The key of whoever must have signed it, in PEM.")
    ] = None,
) -> None:
    """Check a certificate: exit status 0 if it holds, 1 if something differs, 2 if unreadable.

    Derives the bound, the claim and the assumptions anew from the stored statistics. With `--model`
    and `--data` it also splits the table as recorded, asks the hold-out about the model again, and
    compares all fingerprints. With `--retrain` it chooses and trains the model again, too: nothing
    else shows that no held-out row was used for training. The certificates of an audit are checked
    as one; `--data` is then the file of answers. With `--signature` and `--public-key` it checks
    who signed it.
    """
    from surelearn.cli._verifying import Signed, run  # noqa: PLC0415 - `--help` should not wait

    signed = Signed(signature, public_key)
    form = {"delimiter": delimiter, "header": header, "encoding": encoding, "decimal": decimal}
    on = {"workers": workers, "cluster": cluster}
    holds = run(
        certificate, model=model, table=data, retrain=retrain, form=form, signed=signed, on=on
    )
    if not holds:
        raise typer.Exit(1)
