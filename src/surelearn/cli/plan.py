"""`surelearn plan`: how many rows to hold out."""

from typing import Annotated

import typer


def plan(
    target: Annotated[float, typer.Option(help="The error rate to certify.")] = 0.05,
    error: Annotated[float, typer.Option(help="The error rate expected to be seen.")] = 0.0,
    delta: Annotated[float, typer.Option(help="Probability that the certificate is false.")] = 0.05,
    models: Annotated[int, typer.Option(help="Models to ask about, all fixed beforehand.")] = 1,
) -> None:
    """Say how many rows must be held out to certify an error rate.

    Example: `surelearn plan --target 0.01` needs 299 rows without an error.
    """
    # Imported here: `surelearn --help` should not wait for them.
    from surelearn.app.plan import plan_rows  # noqa: PLC0415

    typer.echo(plan_rows(target=target, error=error, delta=delta, n_models=models))
