"""Refusals on the terminal: one sentence and exit status 2, never a traceback."""

from collections.abc import Generator
from contextlib import contextmanager

import typer

from surelearn._wording import printable
from surelearn.app.errors import REFUSALS


@contextmanager
def refusals() -> Generator[None]:
    """Print what the library refuses as one sentence, and end with exit status 2."""
    try:
        yield
    except REFUSALS as error:
        refuse(str(error))
    except MemoryError:
        refuse("there is not enough memory for this: give it more, or a smaller table")
    except BrokenPipeError:
        raise  # nobody reads what is printed any more, and the front end ends quietly
    except OSError as error:
        where = f" ({error.filename})" if error.filename else ""
        refuse(f"{error.strerror or error}{where}")


def refuse(sentence: str) -> None:
    """Print a sentence on the standard error and end with exit status 2."""
    typer.secho(f"surelearn: {printable(sentence)}", fg="red", err=True)
    raise typer.Exit(2)
