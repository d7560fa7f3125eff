"""What `surelearn predict` does once its options are parsed."""

import os
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import typer

from surelearn._wording import printable
from surelearn.app.predict import check_output, predict_file, write_csv, write_predictions


def run(
    model: Path, table: Path, *, out: Path | None, force: bool, form: Mapping[str, Any]
) -> None:
    """Load, read, predict and write; predictions alone go to the standard output."""
    if out is not None:
        check_output(out, force=force)
    predicted = predict_file(model, table, **form)
    for note in predicted.notes:
        typer.secho(printable(str(note)), dim=True, err=True)
    if out is None:
        _print(predicted.table)
        return
    write_predictions(predicted.table, out)
    typer.echo(printable(f"Written: {out}, {predicted.table.num_rows:,} predictions"), err=True)


def _print(predicted: Any) -> None:
    """Write predictions to the standard output, as long as someone reads it."""
    try:
        write_csv(predicted, sys.stdout.buffer)
        sys.stdout.flush()
    except BrokenPipeError:
        # Python flushes once more at its end, and must not meet the broken pipe again.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
