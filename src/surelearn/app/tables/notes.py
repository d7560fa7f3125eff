"""What reading a table found out, in words."""

from collections.abc import Iterable
from dataclasses import dataclass


@dataclass(frozen=True)
class Note:
    """One inference: what was found, why, and how to say otherwise.

    Parameters
    ----------
    about
        What it is about: "delimiter", "column 'age'".
    found
        What was inferred.
    why
        What spoke for it.
    override
        The option that says otherwise; empty if there is none.

    Examples
    --------
    >>> print(Note("delimiter", "';'", "it splits all first lines alike", "--delimiter ','"))
    delimiter: ';' (it splits all first lines alike; otherwise: --delimiter ',')
    """

    about: str
    found: str
    why: str
    override: str = ""

    def __str__(self) -> str:
        otherwise = f"; otherwise: {self.override}" if self.override else ""
        return f"{self.about}: {self.found} ({self.why}{otherwise})"


def latest(notes: Iterable[Note]) -> tuple[Note, ...]:
    """Return notes without those about a column that a later one speaks of.

    Examples
    --------
    >>> text, number = Note("column 'a'", "text", "?"), Note("column 'a'", "numbers", "$5 is 5")
    >>> latest([text, Note("header", "yes", "?"), number]) == (Note("header", "yes", "?"), number)
    True
    """
    found = tuple(notes)
    last = {note.about: place for place, note in enumerate(found)}
    return tuple(
        note
        for place, note in enumerate(found)
        if last[note.about] == place or not note.about.startswith("column ")
    )
