"""`surelearn plan`: how many rows to hold out, or to audit."""

from pathlib import Path
from typing import Annotated, Any

import typer


def plan(  # noqa: PLR0913, PLR0917 - an argument for each option
    target: Annotated[
        float | None, typer.Option(help="The error rate to certify; 0.05 by default.")
    ] = None,
    error: Annotated[float, typer.Option(help="The error rate that you expect to see.")] = 0.0,
    delta: Annotated[float, typer.Option(help="Probability that the certificate is false.")] = 0.05,
    models: Annotated[int, typer.Option(help="Models to ask about, all fixed beforehand.")] = 1,
    claim: Annotated[
        list[str] | None,
        typer.Option(help="Target of an audit, such as 'sensitivity>=0.9'; repeatable."),
    ] = None,
    plan: Annotated[
        Path | None, typer.Option(help="A TOML file with claims, delta and looks, for an audit.")
    ] = None,
    expect: Annotated[
        list[float] | None, typer.Option(help="The value expected, once for each target.")
    ] = None,
    prevalence: Annotated[
        float | None, typer.Option(help="How frequent positive cases are among all rows.")
    ] = None,
    share: Annotated[
        float | None, typer.Option(help="Share of all rows that counts, for ppv, npv and f1.")
    ] = None,
) -> None:
    """Say how many rows must be held out to certify an error rate, or audited to prove targets.

    Examples: `surelearn plan --target 0.01` asks for 299 rows without an error, `surelearn plan
    --claim 'sensitivity>=0.9' --expect 0.95 --prevalence 0.1` for 116 positive rows.
    """
    # Imported here: `surelearn --help` should not wait for them.
    from surelearn.app.errors import ArgumentError  # noqa: PLC0415
    from surelearn.app.plan import plan_audit, plan_of_file, plan_rows  # noqa: PLC0415

    counting: dict[str, Any] = {"prevalence": prevalence, "share": share}
    expected = tuple(expect or ())
    if not claim and plan is None:
        if expected or prevalence is not None or share is not None:
            raise ArgumentError(
                "--expect, --prevalence and --share are for targets: give --claim or --plan, too"
            )
        aim = 0.05 if target is None else target
        typer.echo(plan_rows(target=aim, error=error, delta=delta, n_models=models))
        return
    if target is not None or error or models != 1 or (claim and plan is not None):
        raise ArgumentError(
            "plan one thing at a time: --target, --error and --models for a hold-out, --claim or "
            "--plan for an audit"
        )
    if plan is not None:
        typer.echo(plan_of_file(plan, expect=expected, **counting))
    else:
        typer.echo(plan_audit(tuple(claim or ()), expect=expected, delta=delta, **counting))
