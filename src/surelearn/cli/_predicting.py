"""What `surelearn predict` does once its options are parsed."""

import os
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import typer

from surelearn.app.predict import (
    predict_in_blocks,
    read_features,
    read_for,
    write_csv,
    write_predictions,
)
from surelearn.app.tables.notes import TableError
from surelearn.persistence.model_files import load_model

_LAYOUT = {"delimiter", "header", "quotes", "decimal sign"}


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
    X, notes = read_features(file.table, saved.schema, file.decimal)
    predicted = predict_in_blocks(saved, X)
    layout = (note for note in file.notes if note.about in _LAYOUT)
    for note in (*layout, *notes):
        typer.secho(str(note), dim=True, err=True)
    if out is None:
        _print(predicted)
        return
    try:
        write_predictions(predicted, out)
    except OSError as error:
        raise TableError(f"{out} cannot be written: {error.strerror}") from error
    typer.echo(f"Written: {out}, {predicted.num_rows:,} predictions", err=True)


def _print(predicted: Any) -> None:
    """Write predictions to the standard output, as long as someone reads it."""
    try:
        write_csv(predicted, sys.stdout.buffer)
        sys.stdout.flush()
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # Python flushes once more
