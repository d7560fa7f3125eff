"""The command line: one file per command; parses, calls a use case, prints."""

from typing import Annotated

import typer

from surelearn.cli._command import refusing
from surelearn.cli.audit import audit
from surelearn.cli.bounds import bounds
from surelearn.cli.certify import certify
from surelearn.cli.demo import demo
from surelearn.cli.keygen import keygen
from surelearn.cli.learners import learners
from surelearn.cli.ledger import ledger
from surelearn.cli.monitor import monitor
from surelearn.cli.plan import plan
from surelearn.cli.predict import predict
from surelearn.cli.sign import sign
from surelearn.cli.verify import verify
from surelearn.cli.warm_up import warm_up

app = typer.Typer(
    name="surelearn",
    help="Machine learning that states its guarantee.",
    no_args_is_help=True,
    rich_markup_mode="markdown",
    pretty_exceptions_show_locals=False,
)


def _show_version(asked: bool) -> None:
    if asked:
        from importlib.metadata import version  # noqa: PLC0415 - other commands need not wait

        typer.echo(f"surelearn {version('surelearn')}")
        raise typer.Exit


@app.callback()
def main(
    version: Annotated[
        bool,
        typer.Option("--version", callback=_show_version, is_eager=True, help="Show the version."),
    ] = False,
) -> None:
    """Machine learning that states its guarantee.

    Every result comes with a certificate: a theorem evaluated on your own data beside the value
    observed, with each assumption listed as checked, assumed or violated.
    """


COMMANDS = (
    certify,
    audit,
    monitor,
    predict,
    verify,
    sign,
    keygen,
    ledger,
    plan,
    bounds,
    learners,
    demo,
)
for command in (*COMMANDS, warm_up):
    app.command(command.__name__.replace("_", "-"))(refusing(command))
