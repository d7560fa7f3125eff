"""Commands that end in a sentence, whatever they were doing: reading, writing or printing."""

import os
import sys
from collections.abc import Callable
from functools import wraps
from io import TextIOWrapper
from pathlib import Path
from typing import Any

import typer


def refusing(command: Callable[..., None]) -> Callable[..., None]:
    """Return a command that prints what it is refused as one sentence, with exit status 2."""

    @wraps(command)
    def run(*args: Any, **options: Any) -> None:
        _have_streams()
        _refuse_without_docstrings()
        try:
            from surelearn.cli._refusals import refusals  # noqa: PLC0415 - `--help` should not wait

            with refusals():
                command(*args, **options)
        except KeyboardInterrupt:  # while the library was loaded
            typer.secho("surelearn: interrupted; nothing was written", fg="red", err=True)
            raise typer.Exit(130) from None

    return run


def _refuse_without_docstrings() -> None:
    """Refuse `python -OO`: certificates tell theorems by the docstrings that it leaves out."""
    if sys.flags.optimize > 1:
        told = "surelearn: python -OO leaves out the sentences of theorems; run it without"
        typer.secho(told, fg="red", err=True)
        raise typer.Exit(2)


def _have_streams() -> None:
    """Let letters that the terminal lacks be written as escapes, and closed streams lead nowhere.

    Without them the next file that is opened would get their number, and whatever a library prints.
    """
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            nowhere = Path(os.devnull).open(mode, encoding="utf-8")  # noqa: SIM115 - it stays
            setattr(sys, name, nowhere)
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")
