"""What reading a table found out, in words."""

from collections.abc import Iterable
from dataclasses import dataclass, replace


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


def without_option(notes: Iterable[Note], option: str) -> tuple[Note, ...]:
    """Return notes that do not tell of an option, which another command has.

    Examples
    --------
    >>> [str(note) for note in without_option([Note("a", "text", "so it is", "--b C")], "--b")]
    ['a: text (so it is)']
    """
    return tuple(
        replace(note, override="") if note.override.partition(" ")[0] == option else note
        for note in notes
    )


def latest(earlier: Iterable[Note], later: Iterable[Note]) -> tuple[Note, ...]:
    """Return all notes but the earlier ones about columns of which later ones speak.

    Examples
    --------
    >>> text, number = Note("column 'a'", "text", "?"), Note("column 'a'", "numbers", "$5 is 5")
    >>> header = Note("header", "yes", "?")
    >>> latest([text, header], [number]) == (header, number)
    True
    """
    known = tuple(later)
    about = {note.about for note in known if note.about.startswith("column ")}
    return (*(note for note in earlier if note.about not in about), *known)
