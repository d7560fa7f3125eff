"""`surelearn keygen`: a pair of keys to sign certificates with."""

from pathlib import Path
from typing import Annotated

import typer


def keygen(
    key: Annotated[
        Path, typer.Argument(help="Where to write the private key.", show_default=False)
    ],
) -> None:
    """Make a pair of Ed25519 keys: KEY is yours alone, KEY.pub is for those who verify.

    Both are in PEM, as OpenSSL and others read and write them. An existing file is left alone.
    """
    from surelearn.app.signatures import make_keys  # noqa: PLC0415 - `--help` is quick
    from surelearn.cli._refusals import refusals  # noqa: PLC0415

    with refusals():
        private, public = make_keys(key)
    typer.echo(f"private key: {private} (keep it to yourself)")
    typer.echo(f"public key: {public} (give it to those who verify)")
