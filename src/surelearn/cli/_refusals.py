"""Refusals on the terminal: one sentence and exit status 2, never a traceback."""

from collections.abc import Generator
from contextlib import contextmanager

import typer

from surelearn._wording import printable
from surelearn.app.errors import REFUSALS
from surelearn.cli._terminal import print_to_nobody

_LONGEST = 2_000  # characters: cells and names of a file may have millions
_INTERRUPTED = 130  # as shells have it: 128 and the number of the signal


@contextmanager
def refusals() -> Generator[None]:
    """Print what the library refuses as one sentence, and end with exit status 2."""
    try:
        yield
    except REFUSALS as error:
        refuse(str(error))
    except MemoryError:
        refuse("there is not enough memory for this: give it more, or a smaller table")
    except BrokenPipeError:  # nobody reads what is printed any more, as with `| head`
        print_to_nobody()
        raise typer.Exit(0) from None
    except KeyboardInterrupt as error:
        _end_interrupted(str(error))
    except SystemError as error:  # so Numba ends if it is interrupted while it hands on a result
        if not isinstance(error.__cause__, KeyboardInterrupt):
            raise
        _end_interrupted()
    except OSError as error:
        where = f" ({error.filename})" if error.filename else ""
        refuse(f"{error.strerror or error}{where}")


def _end_interrupted(left: str = "") -> None:
    left = left or "no file is half-written"  # all are there if it came after writing
    refuse(f"interrupted; {left}", status=_INTERRUPTED)


def refuse(sentence: str, *, status: int = 2) -> None:
    """Print a sentence on the standard error and end with an exit status."""
    typer.secho(f"surelearn: {printable(_shortened(sentence))}", fg="red", err=True)
    raise typer.Exit(status)


def _shortened(sentence: str) -> str:
    """Return a sentence that fits on a screen: the middle of a long one is left out."""
    if len(sentence) <= _LONGEST:
        return sentence
    return f"{sentence[: 3 * _LONGEST // 4]} … {sentence[-_LONGEST // 4 :]}"
