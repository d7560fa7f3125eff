"""How a text file lays out its table: delimiter, quotes, names; found in its first lines."""

import csv
import re
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from threading import RLock

from surelearn.app.errors import TableError
from surelearn.app.tables.notes import Note

_DELIMITERS = {",": "commas", ";": "semicolons", "\t": "tabs", "|": "bars", " ": "spaces"}
_NUMBER = re.compile(r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?")
_SWAPPED = str.maketrans(".,", ",.")
# A tab separates: were it a blank as well, each of many would look at all that follow.
_BLANKS = r"[^\S\t]*"
_SINGLE = re.compile(rf"(^|[,;\t|]){_BLANKS}'[^']*'{_BLANKS}([,;\t|]|$)")
_DOUBLE = re.compile(rf'(^|[,;\t|]){_BLANKS}"')
_THOUSANDS = re.compile(r"[+-]?[1-9][0-9]{0,2}([,.][0-9]{3})+")  # or a number with three decimals

_LONGEST_CELL = 2**31 - 1
_one_at_a_time = RLock()


@dataclass(frozen=True)
class Layout:
    """What separates and encloses the cells, the decimal sign, and what the columns are called."""

    delimiter: str
    quote: str
    names: tuple[str, ...]
    header: bool
    decimal: str
    notes: tuple[Note, ...]


def find_layout(
    lines: Sequence[str],
    *,
    delimiter: str | None,
    header: bool | None,
    decimal: str | None = None,
    missing: Sequence[str] = (),
    names: Sequence[Sequence[str]] = (),
    alone: bool = False,
) -> Layout:
    """Find the layout of a table in its first lines; what is given is not sought.

    Examples
    --------
    >>> layout = find_layout(["a;b", "1;2,5"], delimiter=None, header=None)
    >>> layout.delimiter, layout.decimal, layout.names
    (';', ',', ('a', 'b'))
    """
    if delimiter is not None and (len(delimiter) != 1 or delimiter in "\r\n\"'"):
        raise TableError(f"the delimiter is one character such as , or ; and not {delimiter!r}")
    if decimal not in {None, ".", ","}:
        raise TableError(f"the decimal sign is a point or a comma, and not {decimal!r}")
    quote = _find_quote(lines)
    notes = _note_of_quotes(quote)
    found = _find_delimiter(lines, quote)
    if delimiter is None:
        delimiter = found
        why = "it splits the first lines into the same number of cells"
        notes.append(Note("delimiter", repr(delimiter), why, "--delimiter"))
    records = _records(lines, delimiter, quote)
    if not alone and len(records[0]) == 1 and max(map(len, records)) == 1:
        raise TableError(_one_column(delimiter, found, lines))
    if decimal is None:
        decimal, why = _find_decimal(records, delimiter, missing)
        if why:
            notes.append(Note("decimal sign", repr(decimal), why, "--decimal ."))
    if header is None:
        header, why = _find_header(records, decimal)
        answer = "the first line holds the names" if header else "none: names are column_1, ..."
        notes.append(Note("header", answer, why, "--no-header" if header else "--header"))
    numbered = tuple(f"column_{place}" for place in range(1, len(records[0]) + 1))
    known = next((tuple(given) for given in names if len(given) == len(numbered)), numbered)
    own, renamed = _names(records[0]) if header else (known, [])
    return Layout(delimiter, quote, own, header, decimal, (*notes, *renamed))


def _records(lines: Sequence[str], delimiter: str, quote: str) -> list[list[str]]:
    reader = csv.reader(lines, delimiter=delimiter, quotechar=quote)
    try:
        with cells_up_to(_LONGEST_CELL):
            return [[cell.strip() for cell in record] for record in reader if record]
    except csv.Error as error:
        raise TableError(f"the first lines cannot be split into cells ({error})") from None


@contextmanager
def cells_up_to(longest: int) -> Generator[None]:
    """Let Python's reader of CSV take cells of such a length; its limit is one for all threads."""
    with _one_at_a_time:
        before = csv.field_size_limit(longest)
        try:
            yield
        finally:
            csv.field_size_limit(before)


def _find_quote(lines: Sequence[str]) -> str:
    """Return ' if nearly every line has a cell between such, and " otherwise."""
    single = sum(bool(_SINGLE.search(line)) for line in lines)
    double = any(map(_DOUBLE.search, lines))
    return "'" if single >= max(1, 0.9 * (len(lines) - 1)) and not double else '"'


def _note_of_quotes(quote: str) -> list[Note]:
    if quote == '"':
        return []
    why = f"cells of nearly every line stand between {quote}"
    return [Note("quotes", f"cells are enclosed in {quote}", why)]


def _find_delimiter(lines: Sequence[str], quote: str) -> str:
    """Return what splits most lines alike, into more than one cell; the more cells the better.

    Commas lose to another delimiter if each of them then stands within a number.
    """

    def alike(delimiter: str) -> tuple[float, bool, int]:
        widths = [len(record) for record in _records(lines, delimiter, quote)]
        usual = max(set(widths), key=widths.count)
        share = widths.count(usual) / len(widths) if usual > 1 else 0.0
        return share, delimiter != " ", usual

    def commas_in_numbers(delimiter: str) -> bool:
        cells = (cell for record in _records(lines, delimiter, quote) for cell in record)
        return all(_is_number(cell, ",") for cell in cells if "," in cell)

    best = max(_DELIMITERS, key=alike)
    rivals = [one for one in _DELIMITERS if one != "," and alike(one)[0] == alike(",")[0]]
    if best == "," and (decimal := next((d for d in rivals if commas_in_numbers(d)), None)):
        return decimal  # 1,5;2,7
    return best


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


def _find_decimal(
    records: Sequence[Sequence[str]], delimiter: str, missing: Sequence[str]
) -> tuple[str, str]:
    """Return the decimal sign, and why it is a comma if it is.

    It is one if nearly all cells of a column are numbers only so, and no other number has a point.
    What may be thousands, such as 1,234, speaks for neither.
    """
    below = records[1:] or records
    known = {cell for record in below for cell in record if cell and cell not in missing}
    telling = {cell for cell in known if not _THOUSANDS.fullmatch(cell)}
    if delimiter == "," or any("." in cell and _is_number(cell, ".") for cell in telling):
        return ".", ""
    for place in range(len(records[0])):
        column = [record[place] for record in below if place < len(record)]
        cells = [cell for cell in column if cell in known]
        commas = [cell for cell in cells if "," in cell and cell in telling]
        n_numbers = sum(_is_number(cell, ",") for cell in cells)
        if commas and n_numbers >= 0.9 * len(cells):
            return ",", f"{commas[0]} and the like are numbers, and no number has a point"
    return ".", ""


def _is_number(cell: str, decimal: str) -> bool:
    plain = cell if decimal == "." else cell.translate(_SWAPPED)
    return _NUMBER.fullmatch(plain) is not None


def _find_header(records: Sequence[Sequence[str]], decimal: str) -> tuple[bool, str]:
    """Say whether the first record names the columns, and why."""
    first, others = records[0], records[1:]
    for cell in first:
        if _is_number(cell, decimal):
            return False, f"the first line holds the number {cell}"
    for place, name in enumerate(first):
        below = [record[place] for record in others if place < len(record) and record[place]]
        if below and all(_is_number(cell, decimal) for cell in below):
            below_what = repr(name) if name else "a cell without a word"
            return True, f"numbers stand below {below_what}"
    for place, name in enumerate(first):
        if name and any(place < len(record) and record[place] == name for record in others):
            return False, f"{name!r} of the first line stands again below it"
    return True, "no cell of the first line stands again below it"


def _names(first: Sequence[str]) -> tuple[tuple[str, ...], list[Note]]:
    """Return the names in the first record, all different."""
    names: dict[str, None] = {}
    notes: list[Note] = []
    for place, cell in enumerate(first, start=1):
        name = cell or f"column_{place}"
        while name in names:
            name = f"{name}_{place}"
            notes.append(Note(f"column {place}", f"called {name!r}", f"{cell!r} is taken already"))
        names[name] = None
    return tuple(names), notes
