"""`surelearn audit`: from recorded predictions to certified claims."""

from pathlib import Path
from typing import Annotated

import typer

from surelearn.cli import _options


def audit(  # noqa: PLR0913, PLR0917 - an argument for each option
    predictions: Annotated[
        Path,
        typer.Argument(
            help="A CSV, Parquet, Arrow or JSON-lines file, one case per row; or a folder of files "
            "or a pattern in quotes.",
            show_default=False,
        ),
    ],
    truth: Annotated[str | None, typer.Option(help="Column of what was true.")] = None,
    prediction: Annotated[str | None, typer.Option(help="Column of what was answered.")] = None,
    passed: Annotated[
        str | None, typer.Option(help="Column of results, passed or failed; instead of these two.")
    ] = None,
    score: Annotated[
        str | None, typer.Option(help="Column of scores: the larger, the more positive.")
    ] = None,
    positive: Annotated[
        str | None,
        typer.Option(help="The positive label, if the labels themselves do not show it."),
    ] = None,
    group: Annotated[
        str | None, typer.Option(help="Column of groups, to be compared with each other.")
    ] = None,
    low: Annotated[str | None, typer.Option(help="Column of the lower ends of intervals.")] = None,
    high: Annotated[str | None, typer.Option(help="Column of their upper ends.")] = None,
    set: Annotated[  # noqa: A002 - what users call it
        str | None, typer.Option(help='Column of sets of labels, such as a|b or ["a"].')
    ] = None,
    confidence: Annotated[
        str | None, typer.Option(help="Column of how sure the model was of each answer.")
    ] = None,
    width: Annotated[
        str | None,
        typer.Option(
            help="Column of widths, one for each answer; intervals are multiples of them."
        ),
    ] = None,
    cluster: Annotated[
        str | None, typer.Option(help="Column of patients, users ... whose rows belong together.")
    ] = None,
    weight: Annotated[
        str | None, typer.Option(help="Column of how many cases each row stands for.")
    ] = None,
    stratum: Annotated[
        str | None, typer.Option(help="Column of strata that were sampled separately.")
    ] = None,
    time: Annotated[
        str | None, typer.Option(help="Column of times, if the risk may have changed.")
    ] = None,
    baseline: Annotated[
        str | None, typer.Option(help="Column of what another model answered.")
    ] = None,
    challenger: Annotated[
        list[str] | None,
        typer.Option(help="Column of another model's answers to compare; may be repeated."),
    ] = None,
    id: Annotated[  # noqa: A002 - what users call it
        str | None, typer.Option(help="Column that names each case: no name may occur twice.")
    ] = None,
    claim: _options.Claims = None,
    plan: Annotated[
        Path | None, typer.Option(help="A TOML file with claims, delta and looks, made before.")
    ] = None,
    delta: Annotated[
        float, typer.Option(help="Probability that anything certified is false.")
    ] = 0.05,
    looks: Annotated[int, typer.Option(help="Audits of these rows in all; they share delta.")] = 1,
    incomplete: Annotated[
        str, typer.Option(help="Rows without an answer: refuse, errors or exclude.")
    ] = "refuse",
    by_label: Annotated[
        bool,
        typer.Option("--by-label", help="The rows were drawn by their label: cases, controls."),
    ] = False,
    task: _options.Task = None,
    workers: _options.Workers = None,
    dask: Annotated[
        str | None, typer.Option(help="Address of a Dask scheduler whose workers do it.")
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option(help="Folder for the files; audited, audited-2, ... by default."),
    ] = None,
    delimiter: _options.Delimiter = None,
    header: _options.Header = None,
    missing: _options.Missing = None,
    encoding: _options.Encoding = None,
    decimal: _options.Decimal = None,
    force: Annotated[
        bool, typer.Option("--force", help="Replace files of an earlier audit.")
    ] = False,
) -> None:
    """Certify what recorded predictions prove of the model that made them.

    Needs no model: a column of truths and one of answers will do, or one of results. Prints each
    claim with its proved bound; all of them hold together with probability 1 - delta. What no file
    can show, that the rows were drawn at random and never used to make or choose the model, stands
    inside each sentence. Writes `certificate.json`, `report.html` and `report.json`.

    Targets make it a gate: they are tried in the order given, each at the whole delta, until one is
    not proved. Exit status: 0 if all are proved, 1 if not or if certificates are void, 3 if one
    is refuted, 2 if the file or an option cannot be used.

    Example: `surelearn audit answers.csv --truth ill --prediction said --claim 'sensitivity>=0.9'`
    """
    from surelearn.cli._auditing import run  # noqa: PLC0415 - `--help` should not wait for it
    from surelearn.cli._refusals import refusals  # noqa: PLC0415

    form = {
        "delimiter": delimiter,
        "header": header,
        "missing": missing,
        "encoding": encoding,
        "decimal": decimal,
    }
    with refusals():
        status = run(
            predictions,
            out=out,
            force=force,
            form=form,
            plan=plan,
            truth=truth,
            prediction=prediction,
            passed=passed,
            score=score,
            positive=positive,
            group=group,
            low=low,
            high=high,
            set=set,
            confidence=confidence,
            width=width,
            cluster=cluster,
            weight=weight,
            stratum=stratum,
            time=time,
            baseline=baseline,
            challenger=tuple(challenger or ()),
            id=id,
            claims=tuple(claim or ()),
            delta=delta,
            looks=looks,
            incomplete=incomplete,
            by_label=by_label,
            task=task,
            on={"workers": workers, "cluster": dask},
        )
    raise typer.Exit(status)
