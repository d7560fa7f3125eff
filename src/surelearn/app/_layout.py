"""How a text file lays out its table: delimiter, quotes, names; found in its first lines."""

import csv
import re
from collections.abc import Sequence
from dataclasses import dataclass

from surelearn.app._notes import Note, TableError

_DELIMITERS = {",": "commas", ";": "semicolons", "\t": "tabs", "|": "bars", " ": "spaces"}
_NUMBER = re.compile(r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?")


@dataclass(frozen=True)
class Layout:
    """What separates and encloses the cells, and what the columns are called."""

    delimiter: str
    quote: str
    names: tuple[str, ...]
    header: bool
    notes: tuple[Note, ...]


def find_layout(
    lines: Sequence[str],
    *,
    delimiter: str | None,
    header: bool | None,
    names: Sequence[Sequence[str]] = (),
) -> Layout:
    """Find the layout of a table in its first lines; what is given is not sought.

    Examples
    --------
    >>> layout = find_layout(["a;b", "1;2"], delimiter=None, header=None)
    >>> layout.delimiter, layout.names
    (';', ('a', 'b'))
    """
    if delimiter is not None and (len(delimiter) != 1 or delimiter in "\r\n\"'"):
        raise TableError(f"the delimiter is one character such as , or ; and not {delimiter!r}")
    quote = _find_quote(lines)
    notes: list[Note] = []
    if quote != '"':
        why = f"cells of nearly every line stand between {quote}"
        notes.append(Note("quotes", f"cells are enclosed in {quote}", why))
    found = _find_delimiter(lines, quote)
    if delimiter is None:
        delimiter = found
        why = "it splits the first lines into the same number of cells"
        notes.append(Note("delimiter", repr(delimiter), why, "--delimiter"))
    records = _records(lines, delimiter, quote)
    if len(records[0]) == 1 and max(map(len, records)) == 1:
        raise TableError(_one_column(delimiter, found, lines))
    if header is None:
        header, why = _find_header(records)
        answer = "the first line holds the names" if header else "none: names are column_1, ..."
        notes.append(Note("header", answer, why, "--no-header" if header else "--header"))
    if not header:
        numbered = [f"column_{place}" for place in range(1, len(records[0]) + 1)]
        known = next((given for given in names if len(given) == len(numbered)), numbered)
        return Layout(delimiter, quote, tuple(known), header, tuple(notes))
    own, renamed = _names(records[0])
    return Layout(delimiter, quote, own, header, (*notes, *renamed))


def _records(lines: Sequence[str], delimiter: str, quote: str) -> list[list[str]]:
    reader = csv.reader(lines, delimiter=delimiter, quotechar=quote)
    try:
        return [[cell.strip() for cell in record] for record in reader if record]
    except csv.Error as error:  # a cell of more than 131,072 characters
        raise TableError(
            f"the first lines cannot be split into cells ({error}): is a quotation mark not closed?"
        ) from None


def _find_quote(lines: Sequence[str]) -> str:
    """Return ' if nearly every line has a cell between such, and " otherwise."""
    single = sum(bool(re.search(r"(^|[,;\t|])\s*'[^']*'\s*([,;\t|]|$)", line)) for line in lines)
    double = any(re.search(r'(^|[,;\t|])\s*"', line) for line in lines)
    return "'" if single >= max(1, 0.9 * (len(lines) - 1)) and not double else '"'


def _find_delimiter(lines: Sequence[str], quote: str) -> str:
    """Return what splits most lines alike, into more than one cell; the more cells the better."""

    def alike(delimiter: str) -> tuple[float, bool, int]:
        widths = [len(record) for record in _records(lines, delimiter, quote)]
        usual = max(set(widths), key=widths.count)
        share = widths.count(usual) / len(widths) if usual > 1 else 0.0
        return share, delimiter != " ", usual

    return max(_DELIMITERS, key=alike)


def _one_column(delimiter: str, found: str, lines: Sequence[str]) -> str:
    if found != delimiter and found in lines[0]:
        return (
            f"read with the delimiter {delimiter!r} the table has a single column, but {found!r} "
            f"splits its lines alike: --delimiter {found!r}"
        )
    return (
        "the table has a single column, so there is nothing to predict from; if its cells are "
        "separated by something else than a comma, semicolon, tab, bar or space, say --delimiter"
    )


def _find_header(records: Sequence[Sequence[str]]) -> tuple[bool, str]:
    """Say whether the first record names the columns, and why."""
    first, others = records[0], records[1:]
    for cell in first:
        if _NUMBER.fullmatch(cell):
            return False, f"the first line holds the number {cell}"
    for place, name in enumerate(first):
        below = [record[place] for record in others if place < len(record) and record[place]]
        if below and all(map(_NUMBER.fullmatch, below)):
            return True, f"numbers stand below {name!r}"
    for place, name in enumerate(first):
        if name and any(place < len(record) and record[place] == name for record in others):
            return False, f"{name!r} of the first line stands again below it"
    return True, "no cell of the first line stands again below it"


def _names(first: Sequence[str]) -> tuple[tuple[str, ...], list[Note]]:
    """Return the names in the first record, all different."""
    names: list[str] = []
    notes: list[Note] = []
    for place, cell in enumerate(first, start=1):
        name = cell or f"column_{place}"
        if name in names:
            name = f"{name}_{place}"
            notes.append(Note(f"column {place}", f"called {name!r}", f"{cell!r} is taken already"))
        names.append(name)
    return tuple(names), notes
