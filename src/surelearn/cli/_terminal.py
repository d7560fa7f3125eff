"""Text from files on the terminal: names and claims cannot command it. Nobody need read it."""

import os
import sys

import typer
from rich.console import Console
from rich.markup import escape

from surelearn._wording import printable


def shown(text: object) -> str:
    r"""Return a text for Rich that is shown as it is: no markup, no escape sequences.

    Examples
    --------
    >>> print(shown("a [red] " + chr(27) + "fox"))
    a \[red] \x1bfox
    """
    return escape(printable(str(text)))


class Terminal(Console):
    """A console whose reader may leave, as `| head` does: files and the exit status still count."""

    def on_broken_pipe(self) -> None:
        """Print to nobody from now on, instead of ending with exit status 1."""
        self.quiet = True
        print_to_nobody()


def print_to_nobody() -> None:
    """Let what is printed vanish: Python flushes at its end, and must not meet the pipe again."""
    nobody = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nobody, sys.stdout.fileno())
    os.close(nobody)


def say(text: str) -> None:
    """Print a text as it is, if somebody reads it."""
    try:
        typer.echo(text)
    except BrokenPipeError:
        print_to_nobody()
