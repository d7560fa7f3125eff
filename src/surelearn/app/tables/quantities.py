"""Words that are quantities: 1,234.50, `$5`, 12 %, 1.234,50 €, (300); the sign and unit tell how.

How the cells of a column are written is its form: the decimal sign, then the unit if it has one.
"""

from itertools import product
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

_compute: Any = pc

_SYMBOLS = (*"$€£¥₹₽₩₺₪₫฿₴₦₱", "US$", "A$", "C$", "R$", "kr", "zł", "Kč", "Fr.")
_CODES = (
    *("USD", "EUR", "GBP", "JPY", "CHF", "CNY", "INR", "AUD", "CAD", "SEK", "NOK", "DKK", "PLN"),
    *("CZK", "HUF", "RUB", "BRL", "MXN", "ZAR", "TRY", "KRW", "SGD", "HKD", "NZD"),
)
_PERCENT = "%"
UNITS = ("", _PERCENT, *_SYMBOLS, *_CODES)
"""What may stand before or after a number; a column has one of them at most."""

FORMS = tuple(decimal + unit for decimal, unit in product(".,", UNITS))
"""All ways to write quantities: the decimal sign, then the unit."""

_LISTED = "|".join(unit.replace("$", r"\$").replace(".", r"\.") for unit in UNITS[1:])
_BLANK = r"[ \x{a0}\x{202f}]?"
_A_CODE = r"^[+-]?0[0-9]+$"  # 007 is a name


def find_form(words: Any, decimal: str) -> str:
    """Return the form in which all of these words are quantities; nothing if there is none.

    Parameters
    ----------
    words
        Different words, none of them missing.
    decimal
        The decimal sign of the file, which decides where the words do not: 1,234 alone may be
        thousands or a fraction.

    Examples
    --------
    >>> find_form(pa.array(["$1,234.50", "$7"]), "."), find_form(pa.array(["1.234 €"]), ".")
    ('.$', ',€')
    >>> find_form(pa.array(["12 kg"]), "."), find_form(pa.array(["$5", "5 €"]), ".")
    ('', '')
    """
    if len(words) == 0 or _any(_compute.match_substring_regex(words, _A_CODE)):
        return ""
    if len(words) > 64 and not find_form(words.slice(0, 64), decimal):
        return ""  # most columns of text are dismissed by a few words
    other = "," if decimal == "." else "."
    fits = {sign: units for sign in (decimal, other) if (units := _units(words, sign)) is not None}
    if not fits:
        return ""
    unit = next(iter(fits.values()))
    if len(fits) == 1:
        return next(iter(fits)) + unit
    by_file = unit == _PERCENT or not _any(_compute.match_substring_regex(words, r"[.,][0-9]{3}"))
    if by_file:
        return decimal + unit
    point = _any(_compute.match_substring(words, "."))
    return ("," if point else ".") + unit  # 1.234 € and $1,234: money has no three decimals


def quantities(words: Any, form: str) -> Any:
    """Return words as numbers by a form; null where one is no such quantity.

    Examples
    --------
    >>> quantities(pa.array(["$1,234.50", "($3)", "-$7", "free", "5 €", None]), ".$").to_pylist()
    [1234.5, -3.0, -7.0, None, None, None]
    """
    found = _split(words, form[0])
    whole = _compute.replace_substring_regex(found.field("whole"), r"[^0-9]", "")
    text = _joined(whole, ".", found.field("fraction"))
    units = _joined(found.field("before"), "", found.field("after"))
    known = _compute.is_in(units, value_set=pa.array(["", form[1:]], pa.string()))
    known = _compute.and_(known, found.is_valid())
    nothing = pa.scalar(None, pa.string())
    numbers = _compute.if_else(known, text, nothing).cast(pa.float64())
    signs = _joined(_joined(found.field("open"), "", found.field("sign")), "", found.field("minus"))
    negative = _compute.match_substring_regex(signs, r"[-(\x{2212}]")
    return _compute.if_else(negative, _compute.negate(numbers), numbers)


def quantities_of(column: Any, form: str) -> Any:
    """Return a column of text as numbers by a form; null where a cell is no such quantity.

    Examples
    --------
    >>> quantities_of(pa.chunked_array([["7 %", "7 %"]]).dictionary_encode(), ".%").to_pylist()
    [7.0, 7.0]
    """
    chunks = [
        quantities(c.dictionary.cast(pa.string()), form).take(c.indices) for c in column.chunks
    ]
    return pa.chunked_array(chunks, pa.float64())


def _units(words: Any, decimal: str) -> str | None:
    """Return the one unit of words that are all quantities; None if they are not, or have two."""
    found = _split(words, decimal)
    if found.null_count:
        return None
    pairs = _joined(found.field("before"), "", found.field("after"))
    units = set(pairs.unique().to_pylist()) - {""}
    if len(units) > 1 or not units <= set(UNITS):
        return None
    return units.pop() if units else ""


def _split(words: Any, decimal: str) -> Any:
    """Return the parts of words that are quantities; null for others."""
    groups = r"[,'’ \x{a0}\x{202f}]" if decimal == "." else r"[.'’ \x{a0}\x{202f}]"
    grouped = rf"[1-9][0-9]{{0,2}}(?:{groups}[0-9]{{2,3}})*{groups}[0-9]{{3}}"
    sign = r"[+\-\x{2212}]?"
    pattern = (
        rf"^(?P<open>\(?)(?P<sign>{sign}){_BLANK}(?P<before>(?:{_LISTED})?){_BLANK}"
        rf"(?P<minus>{sign})(?P<whole>{grouped}|[0-9]+)(?:[{decimal}](?P<fraction>[0-9]*))?"
        rf"{_BLANK}(?P<after>(?:{_LISTED})?)(?P<close>\)?)$"
    )
    return _compute.extract_regex(words, pattern)


def _joined(first: Any, between: str, second: Any) -> Any:
    empty = _compute.fill_null(second, "")
    return _compute.binary_join_element_wise(first, empty, between)


def _any(found: Any) -> bool:
    return bool(_compute.any(found).as_py())


def example(words: Any, form: str) -> tuple[str, float]:
    """Return the word that shows most of a form, the longest quantity, and what it is read as.

    Examples
    --------
    >>> example(pa.array(["$5", "$1,200", "nothing at all"]), ".$")
    ('$1,200', 1200.0)
    """
    numbers = quantities(words, form)
    lengths = _compute.if_else(numbers.is_valid(), _compute.utf8_length(words), 0)
    place = int(np.argmax(lengths.to_numpy(zero_copy_only=False)))
    return words[place].as_py(), numbers[place].as_py()
