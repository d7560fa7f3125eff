"""`surelearn certify`: from a table to a certified model."""

from pathlib import Path
from typing import Annotated

import typer

from surelearn.cli import _options


def certify(  # noqa: PLR0913, PLR0917 - an argument for each option
    table: Annotated[
        Path,
        typer.Argument(
            help="A CSV, TSV, Parquet, Arrow or ARFF file; - is standard input. Or a table in "
            "parts: a folder, or a pattern in quotes, such as 'sales/*.parquet'.",
            show_default=False,
        ),
    ],
    target: Annotated[
        str | None, typer.Option(help="The column to predict; without it, columns are listed.")
    ] = None,
    delta: Annotated[float, typer.Option(help="Probability that the certificate is false.")] = 0.05,
    learner: Annotated[
        list[str] | None,
        typer.Option(
            help="Learner to try, or module:Class of scikit-learn's kind; may be repeated."
        ),
    ] = None,
    select: Annotated[
        str, typer.Option(help="How to choose the learner: nested or structural-risk.")
    ] = "nested",
    holdout: Annotated[float, typer.Option(help="Fraction of the rows to hold out.")] = 0.2,
    out: Annotated[
        Path | None,
        typer.Option(help="Folder for the files; a fresh one named after the table by default."),
    ] = None,
    seed: Annotated[int, typer.Option(help="Seed of the split and the folds.")] = 0,
    task: _options.Task = None,
    categorical: Annotated[
        list[str] | None, typer.Option(help="Column of numbers that are categories.")
    ] = None,
    keep: Annotated[
        list[str] | None, typer.Option(help="Column to use even though it looks like an id.")
    ] = None,
    drop: Annotated[list[str] | None, typer.Option(help="Column to leave out.")] = None,
    group: Annotated[
        str | None, typer.Option(help="Column whose rows belong together: split by group.")
    ] = None,
    time: Annotated[
        str | None, typer.Option(help="Column of times: the last rows are held out.")
    ] = None,
    dates: Annotated[
        str,
        typer.Option(help="Dates: features (year, month, weekday, hour, elapsed) or left-out."),
    ] = "features",
    zeros: Annotated[
        list[str] | None, typer.Option(help="Column in which 0 means missing; may be repeated.")
    ] = None,
    copies: Annotated[
        str,
        typer.Option(
            help="Equal rows: together (on one side of the split, counted as one) or independent."
        ),
    ] = "together",
    widths: Annotated[
        str,
        typer.Option(help="Intervals of a regression: adaptive (wider where it errs) or constant."),
    ] = "adaptive",
    looks: Annotated[
        int, typer.Option(help="Models of this table to certify in all; they share delta.")
    ] = 1,
    claim: _options.Claims = None,
    positive: Annotated[
        str | None, typer.Option(help="Which of two labels is positive, if not as inferred.")
    ] = None,
    workers: _options.Workers = None,
    cluster: _options.Cluster = None,
    checkpoint: Annotated[
        Path | None, typer.Option(help="Folder in which a run that was interrupted finds its work.")
    ] = None,
    delimiter: _options.Delimiter = None,
    header: _options.Header = None,
    missing: _options.Missing = None,
    encoding: _options.Encoding = None,
    decimal: _options.Decimal = None,
    force: Annotated[
        bool, typer.Option("--force", help="Replace files of an earlier run.")
    ] = False,
    quiet: Annotated[bool, typer.Option("--quiet", help="Print nothing but refusals.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print the result as JSON.")] = False,
) -> None:
    """Train, choose and certify a model of one column of a table.

    The split and delta are fixed before anything is looked at. Learners are compared on the
    training rows, by nested cross-validation or by the bounds that these rows prove; the hold-out
    is asked about the winner only. Writes `model.surelearn`, `certificate.json`, `claims.json`,
    `report.html` and `report.json`.

    Besides the error rate, it certifies what else the rows prove, or what `--claim` asks for: all
    of that together at another delta of the same size. Targets make it a gate: they are tried in
    the order given until one is not proved. Exit status: 0 if all are proved, 1 if not or if the
    certificate is void, 3 if one is refuted, 2 if the table or an option cannot be used.

    A ledger remembers which tables were certified. A second model of the same table gets a void
    certificate, unless `--looks N` planned N models before the first: see `surelearn ledger`.

    A folder or a pattern is a table in parts, which may be larger than memory. `--workers` or
    `--cluster` share the work out; the certificate is the same, whoever does it.

    Example: `surelearn certify patients.csv --target outcome`
    """
    if not quiet and not as_json:
        what = "" if target is None else f"{target!r} in "
        typer.echo(f"Certifying {what}{str(table)!r}")  # at once: to load the rest takes time
    from surelearn.cli._certifying import run  # noqa: PLC0415 - `--help` should not wait for it

    status = run(
        table,
        out=out,
        force=force,
        quiet=quiet,
        as_json=as_json,
        form={
            "delimiter": delimiter,
            "header": header,
            "missing": missing,
            "encoding": encoding,
            "decimal": decimal,
        },
        target=target,
        delta=delta,
        holdout=holdout,
        seed=seed,
        select=select,
        learners=tuple(learner or ()),
        task=task,
        categorical=tuple(categorical or ()),
        keep=tuple(keep or ()),
        drop=tuple(drop or ()),
        group=group,
        time=time,
        dates=dates,
        zeros=tuple(zeros or ()),
        copies=copies,
        widths=widths,
        looks=looks,
        claims=tuple(claim or ()),
        positive=positive,
        on={"workers": workers, "cluster": cluster, "checkpoint": checkpoint},
    )
    if status:
        raise typer.Exit(status)
