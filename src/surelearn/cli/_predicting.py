"""What `surelearn predict` does once its options are parsed."""

import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import typer

from surelearn.app._notes import TableError
from surelearn.app.model_files import load_model
from surelearn.app.predict import (
    predict_table,
    read_features,
    read_for,
    write_csv,
    write_predictions,
)


def run(
    model: Path, table: Path, *, out: Path | None, force: bool, form: Mapping[str, Any]
) -> None:
    """Load, read, predict and write; predictions alone go to the standard output."""
    if out is not None and out.exists() and not force:
        raise TableError(f"{out} is there already; --force replaces it")
    if out is not None and not out.parent.is_dir():
        raise TableError(f"there is no folder {out.parent} to write {out.name} to")
    saved = load_model(model)
    file = read_for(saved.schema, table, **form)
    X, notes = read_features(file.table, saved.schema)
    predicted = predict_table(saved, X)
    layout = (note for note in file.notes if note.about in {"delimiter", "header", "quotes"})
    for note in (*layout, *notes):
        typer.secho(str(note), dim=True, err=True)
    if out is None:
        write_csv(predicted, sys.stdout.buffer)
        return
    write_predictions(predicted, out)
    typer.echo(f"Written: {out}, {predicted.num_rows:,} predictions", err=True)
