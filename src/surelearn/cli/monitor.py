"""`surelearn monitor`: watch a stream of outcomes, with a bound at every moment and an alarm."""

from pathlib import Path
from typing import Annotated

import typer


def monitor(  # noqa: PLR0913, PLR0917 - an argument for each option
    stream: Annotated[
        str,
        typer.Argument(
            help="JSON lines, a Parquet file, or - for standard input.", show_default=False
        ),
    ],
    truth: Annotated[str | None, typer.Option(help="Column of what was true.")] = None,
    prediction: Annotated[str | None, typer.Option(help="Column of what was answered.")] = None,
    loss: Annotated[
        str | None, typer.Option(help="Column of losses from 0 to 1; instead of these two.")
    ] = None,
    passed: Annotated[
        str | None,
        typer.Option(help="Column of results, passed or failed; instead of truth and prediction."),
    ] = None,
    baseline: Annotated[
        str | None, typer.Option(help="The same column of another model, to compare with.")
    ] = None,
    tolerated: Annotated[
        float | None,
        typer.Option(help="Risk above which it rings; with --baseline, the margin (0)."),
    ] = None,
    alarm_every: Annotated[
        float | None,
        typer.Option(help="Rows that pass on average, at least, before a false alarm."),
    ] = None,
    delta: Annotated[float, typer.Option(help="Probability that the bound ever fails.")] = 0.05,
    out: Annotated[
        Path | None, typer.Option(help="Folder for certificate, figure and JSON at the end.")
    ] = None,
    force: Annotated[
        bool, typer.Option("--force", help="Replace files of an earlier run.")
    ] = False,
) -> None:
    """Watch a stream: how often the model errs, what that proves, and whether to worry.

    The bound holds at every moment at once, so that one may look at any time; it is on the average
    risk of the rows so far, which may drift. With `--alarm-every`, which is meant for long use, a
    long quiet stretch does not delay the alarm. A row that cannot be read ends the stream with the
    number of its line.

    Exit status: 0 if it stayed quiet, 1 if it rang, 2 if the stream or an option cannot be used.

    Example: `tail -f outcomes.jsonl | surelearn monitor - --truth ill --prediction said
    --tolerated 0.1`
    """
    from surelearn.cli._monitoring import run  # noqa: PLC0415 - `--help` should not wait for it

    status = run(
        stream,
        columns={
            "truth": truth,
            "prediction": prediction,
            "loss": loss,
            "passed": passed,
            "baseline": baseline,
        },
        out=out,
        force=force,
        delta=delta,
        tolerated=tolerated,
        alarm_every=alarm_every,
    )
    raise typer.Exit(status)
