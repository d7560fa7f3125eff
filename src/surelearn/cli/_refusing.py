"""Commands that end in a sentence, whatever they were doing: reading, writing or printing."""

from collections.abc import Callable
from functools import wraps
from typing import Any

import typer


def refusing(command: Callable[..., None]) -> Callable[..., None]:
    """Return a command that prints what it is refused as one sentence, with exit status 2."""

    @wraps(command)
    def run(*args: Any, **options: Any) -> None:
        try:
            from surelearn.cli._refusals import refusals  # noqa: PLC0415 - `--help` should not wait

            with refusals():
                command(*args, **options)
        except KeyboardInterrupt:  # while the library was loaded
            typer.secho("surelearn: interrupted; nothing was written", fg="red", err=True)
            raise typer.Exit(130) from None

    return run
