"""`surelearn demo`: certify a built-in table and say where the report is."""

from pathlib import Path
from typing import Annotated

import typer


def demo(
    out: Annotated[Path, typer.Option(help="Folder for the table and the five files.")] = Path(
        "surelearn-demo"
    ),
    delta: Annotated[float, typer.Option(help="Probability that the certificate is false.")] = 0.05,
    seed: Annotated[int, typer.Option(help="Seed of the split and the folds.")] = 0,
) -> None:
    """Certify the built-in breast-cancer table, as `surelearn certify` would certify yours.

    Writes the table, `model.surelearn`, `certificate.json`, `claims.json`, `report.html` and
    `report.json`; files of an earlier demonstration are replaced. No ledger is kept of
    demonstrations.
    """
    # Imported here: `surelearn --help` should not wait for NumPy, SciPy and scikit-learn.
    from surelearn._wording import printable  # noqa: PLC0415
    from surelearn.app.demo import TARGET, write_table  # noqa: PLC0415
    from surelearn.cli._certifying import run  # noqa: PLC0415

    table = out / "breast-cancer.csv"
    run(
        table,
        out=out,
        force=True,
        form={},
        prepare=lambda: write_table(table),
        remember=False,
        target=TARGET,
        delta=delta,
        seed=seed,
    )
    model, certificate = out / "model.surelearn", out / "certificate.json"
    page, check = out / "report.html", f"{certificate} --model {model} --data {table}"
    typer.echo(printable(f"Open {page} in a browser. Others can check the certificate:"))
    typer.echo(printable(f"  surelearn verify {check}"))
