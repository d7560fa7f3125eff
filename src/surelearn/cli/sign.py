"""`surelearn sign`: put a name to a certificate."""

from pathlib import Path
from typing import Annotated

import typer


def sign(
    certificate: Annotated[
        Path, typer.Argument(help="The file certificate.json, or its folder.", show_default=False)
    ],
    key: Annotated[Path, typer.Option(help="Your private key, in PEM.", show_default=False)],
    out: Annotated[
        Path | None, typer.Option(help="Where to write it; beside the certificate if not given.")
    ] = None,
) -> None:
    """Sign a certificate with Ed25519; it is checked first, and one that differs is not signed.

    The signature is a file of its own: `surelearn verify certificate.json --signature
    certificate.json.sig --public-key KEY.pub` checks it. Keys are made by `surelearn keygen`.
    """
    from surelearn.app.signatures import sign_certificate  # noqa: PLC0415 - `--help` is quick
    from surelearn.cli._refusals import refusals  # noqa: PLC0415

    with refusals():
        typer.echo(f"signed: {sign_certificate(certificate, key=key, out=out)}")
