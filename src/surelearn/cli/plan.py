"""`surelearn plan`: how many rows to hold out."""

from typing import Annotated

import typer


def plan(
    target: Annotated[float, typer.Option(help="The error to certify, such as 0.01.")] = 0.05,
    error: Annotated[float, typer.Option(help="The error rate expected to be seen.")] = 0.0,
    delta: Annotated[float, typer.Option(help="Probability that the certificate is false.")] = 0.05,
) -> None:
    """Say how many rows must be held out to certify an error rate.

    Example: `surelearn plan --target 0.01` needs 299 rows without an error.
    """
    from surelearn._wording import confidence  # noqa: PLC0415 - `--help` should not wait
    from surelearn.bounds import holdout  # noqa: PLC0415

    try:
        n = holdout.plan_holdout(target=target, error=error, delta=delta)
        loose = holdout.plan_holdout_hoeffding(accuracy=target - error, delta=delta)
    except ValueError as problem:
        typer.secho(f"surelearn: {problem}", fg="red", err=True)
        raise typer.Exit(2) from None
    seen = "without an error" if error == 0.0 else f"of which a model gets {error:.3g} wrong"
    level = confidence(delta)
    typer.echo(f"{n:,} rows, {seen}, certify an error of at most {target:g} with {level}.")
    typer.echo(f"(Hoeffding's inequality would need {loose:,}.)")
