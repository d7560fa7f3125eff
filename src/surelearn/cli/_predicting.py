"""What `surelearn predict` does once its options are parsed."""

import os
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import typer

from surelearn._wording import printable
from surelearn.app.predict import (
    check_output,
    formulas_among,
    predict_file,
    write_csv,
    write_predictions,
)


def run(
    model: Path,
    table: Path,
    *,
    out: Path | None,
    force: bool,
    safe_cells: bool,
    form: Mapping[str, Any],
) -> None:
    """Load, read, predict and write; predictions alone go to the standard output."""
    if out is not None:
        check_output(out, force=force)
    predicted = predict_file(model, table, **form)
    for note in predicted.notes:
        typer.secho(printable(str(note)), dim=True, err=True)
    if not safe_cells and (n := formulas_among(predicted.table)):
        words = "word begins as a formula does" if n == 1 else "words begin as formulas do"
        note = f"{n:,} {words}, and a spreadsheet would run it: --safe-cells marks such words"
        typer.secho(note, fg="yellow", err=True)
    if out is None:
        _print(predicted.table, safe_cells=safe_cells)
        return
    write_predictions(predicted.table, out, safe_cells=safe_cells)
    typer.echo(printable(f"Written: {out}, {predicted.table.num_rows:,} predictions"), err=True)


def _print(predicted: Any, *, safe_cells: bool) -> None:
    """Write predictions to the standard output, as long as someone reads it."""
    try:
        write_csv(predicted, sys.stdout.buffer, safe_cells=safe_cells)
        sys.stdout.flush()
    except BrokenPipeError:
        # Python flushes once more at its end, and must not meet the broken pipe again.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
