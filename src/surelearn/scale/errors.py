"""What goes wrong beyond one machine, in sentences that name the place."""

from collections.abc import Generator
from contextlib import contextmanager
from typing import Any

import pyarrow as pa


class PartError(ValueError):
    """A part of a table could not be worked on; the sentence names its file and place.

    Attributes
    ----------
    part
        The part.

    Examples
    --------
    >>> raise PartError("row group 3 of may.parquet: the page is damaged", part=3)
    Traceback (most recent call last):
    surelearn.scale.errors.PartError: row group 3 of may.parquet: the page is damaged
    """

    def __init__(self, message: str, part: Any = None) -> None:
        super().__init__(message, part)
        self.part = part

    def __str__(self) -> str:
        return str(self.args[0])


class UnreadableTaskError(TypeError):
    """A task is made of something that the processes that should do it cannot find.

    Examples
    --------
    >>> raise UnreadableTaskError("No module named 'notebook'")  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    surelearn.scale.errors.UnreadableTaskError: the task cannot be read by other processes (No ...
    """

    def __str__(self) -> str:
        return (
            f"the task cannot be read by other processes ({self.args[0]}): they have to find its "
            "module as this one does, in a package that is installed or in the working directory"
        )


class CheckpointError(ValueError):
    """A folder for checkpoints cannot be used, or no longer be written to.

    Examples
    --------
    >>> raise CheckpointError("kept cannot be written to: no space is left")
    Traceback (most recent call last):
    surelearn.scale.errors.CheckpointError: kept cannot be written to: no space is left
    """


@contextmanager
def told_of(what: Any, part: Any = None) -> Generator[None]:
    """Let whatever goes wrong in reading a file be told in a sentence that names it.

    Examples
    --------
    >>> with told_of("may.parquet cannot be read"):
    ...     raise OSError("Corrupt snappy compressed data")
    Traceback (most recent call last):
    surelearn.scale.errors.PartError: may.parquet cannot be read: Corrupt snappy compressed data
    """
    try:
        yield
    except PartError:
        raise
    except (pa.ArrowException, OSError, MemoryError, ValueError) as error:
        why = " ".join(str(error).split()) or type(error).__name__
        # An error that names the file again says more of it than we would.
        told = why if why.startswith(str(what)) else f"{what}: {why}"
        raise PartError(told, part) from error


class ClusterLostError(RuntimeError):
    """Nobody is left to work on the parts: the scheduler, or every worker, is gone."""
