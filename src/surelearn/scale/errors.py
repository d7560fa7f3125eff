"""What goes wrong beyond one machine, in sentences that name the place."""

from typing import Any


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


class ClusterLostError(RuntimeError):
    """Nobody is left to work on the parts: the scheduler, or every worker, is gone."""
