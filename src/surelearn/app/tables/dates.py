"""Dates and moments in words, 31.12.2020, 12/31/2020 11:59 PM, 31 Dec 2020; and what they tell.

How the dates of a column are written is its form: the order of day, month and year.
"""

from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray
from pyarrow import types

from surelearn.app.errors import TableError

_compute: Any = pc

FORMS = ("dmy", "mdy", "ymd")
"""The orders in which year, month and day may stand."""

PARTS = ("year", "month", "weekday", "hour", "days since 2000-01-01")
"""What a moment tells; the last one is elapsed time, with its fraction of a day."""

WEEKDAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")

_NAMES = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_MONTHS = {name: place for place, name in enumerate(_NAMES, start=1)}
_MONTHS |= {"mär": 3, "mai": 5, "okt": 10, "dez": 12}
_SECOND = 1_000_000  # microseconds
_DAY = 86_400 * _SECOND
_EPOCH = 10_957 * _DAY  # from 1970-01-01 to 2000-01-01
_CLOCK = (
    r"(?:[ T,]{1,2}(?P<hour>[0-9]{1,2}):(?P<minute>[0-9]{2})"
    r"(?::(?P<second>[0-9]{2})(?:[.,][0-9]*)?)? ?(?P<half>[AaPp][Mm]|)(?:Z|[+]00:?00|))?$"
)
_DIGITS = r"^(?P<a>[0-9]{1,4})(?P<s>[./-])(?P<b>[0-9]{1,2})(?P<t>[./-])(?P<c>[0-9]{1,4})" + _CLOCK
# Letters, and whatever is beyond ASCII: months are looked up, and a class of all letters that there
# are would take a hundred times as long to read as the words.
_NAME = r"(?P<b>[A-Za-z\x{80}-\x{10FFFF}]{3,9})"
_DAY_FIRST = (
    rf"^(?P<a>[0-9]{{1,2}})[. -]{{1,2}}{_NAME}[., -]{{1,2}}(?P<c>[0-9]{{4}}|[0-9]{{2}})" + _CLOCK
)
_MONTH_FIRST = rf"^{_NAME}[. ]{{1,2}}(?P<a>[0-9]{{1,2}}),? (?P<c>[0-9]{{4}})" + _CLOCK


def find_form(words: Any) -> str:
    """Return the form in which all of these words are dates; nothing if there is none.

    Where day and month could be either way round, slashes mean that the month comes first.

    Examples
    --------
    >>> find_form(pa.array(["31.12.2020", "1.2.2021 8:30"])), find_form(pa.array(["12/31/2020"]))
    ('dmy', 'mdy')
    >>> find_form(pa.array(["31 Dec 2020"])), find_form(pa.array(["1.5", "2.5"]))
    ('dmy', '')
    """
    if len(words) == 0:
        return ""
    if len(words) > 64 and not find_form(words.slice(0, 64)):
        return ""  # most columns of text are dismissed by a few words
    slashes = bool(_compute.any(_compute.match_substring(words, "/")).as_py())
    orders = ("mdy", "dmy", "ymd") if slashes else FORMS
    return next((form for form in orders if not moments(words, form).null_count), "")


def moments(words: Any, form: str) -> Any:
    """Return words as moments by a form; null where one is no such date.

    Examples
    --------
    >>> [str(found) for found in moments(pa.array(["29.02.2020", "30.02.2020"]), "dmy").to_pylist()]
    ['2020-02-29 00:00:00', 'None']
    """
    digits = _compute.extract_regex(words, _DIGITS)
    found = _from_digits(digits, form)
    if digits.null_count:
        for pattern in (_DAY_FIRST, _MONTH_FIRST):
            found = _compute.coalesce(found, _from_names(_compute.extract_regex(words, pattern)))
    return found


def moments_of(column: Any, form: str, name: str) -> Any:
    """Return a column of whatever type as moments by a form; null where a cell is none.

    Examples
    --------
    >>> column = pa.chunked_array([["2020-01-31", "soon"]]).dictionary_encode()
    >>> [str(found) for found in moments_of(column, "ymd", "day").to_pylist()]
    ['2020-01-31 00:00:00', 'None']
    """
    final = pa.timestamp("us")
    if types.is_timestamp(column.type):
        return column.cast(pa.int64()).cast(final)  # of a zone: in universal time
    if types.is_null(column.type):
        return column.cast(final)
    if not types.is_dictionary(column.type):
        raise TableError(
            f"column {name!r} holds {column.type} values, but the model learnt it as dates: write "
            "dates as 2024-12-31"
        )
    chunks = [moments(c.dictionary.cast(pa.string()), form).take(c.indices) for c in column.chunks]
    return pa.chunked_array(chunks, final)


def part_of(column: Any, part: str) -> Any:
    """Return what moments tell: their weekday in words, anything else as a number.

    Examples
    --------
    >>> column = moments_of(pa.chunked_array([["2000-01-02"]]).dictionary_encode(), "ymd", "day")
    >>> part_of(column, "weekday").to_pylist(), part_of(column, PARTS[-1]).to_pylist()
    (['Sunday'], [1.0])
    """
    if part == "weekday":
        places = _compute.day_of_week(column).cast(pa.int32())
        names = pa.array(WEEKDAYS, pa.string())
        chunks = [pa.DictionaryArray.from_arrays(chunk, names) for chunk in places.chunks]
        return pa.chunked_array(chunks, pa.dictionary(pa.int32(), pa.string()))
    if part in {"year", "month", "hour"}:
        return getattr(_compute, part)(column).cast(pa.float64())
    since = _compute.subtract(column.cast(pa.int64()), _EPOCH)
    return _compute.divide(since.cast(pa.float64(), safe=False), float(_DAY))


def _from_digits(found: Any, form: str) -> Any:
    places = dict(zip(form, "abc", strict=True))
    year, month, day = (_numbers(found.field(places[of])) for of in "ymd")
    same = _compute.equal(found.field("s"), found.field("t"))
    lengths = _compute.utf8_length(found.field(places["y"])).fill_null(0).to_numpy()
    fits = _compute.is_in(same, value_set=pa.array([True])).to_numpy(zero_copy_only=False)
    fits &= (lengths == 4) | (lengths == 2) & (form != "ymd")
    return _moments(_in_full(year, lengths), month, day, found, fits)


def _from_names(found: Any) -> Any:
    words = _compute.utf8_slice_codeunits(_compute.utf8_lower(found.field("b")), 0, 3)
    month = np.array([_MONTHS.get(word, 0) for word in words.to_pylist()], dtype=np.int64)
    year, day = _numbers(found.field("c")), _numbers(found.field("a"))
    lengths = _compute.utf8_length(found.field("c")).fill_null(0).to_numpy()
    return _moments(_in_full(year, lengths), month, day, found, lengths > 0)


def _in_full(years: NDArray[Any], lengths: NDArray[Any]) -> NDArray[Any]:
    """Return years of two digits in full: from 69 on they are of the last century, as in POSIX."""
    return np.where(lengths == 2, years + np.where(years < 69, 2000, 1900), years)


def _moments(
    year: NDArray[Any], month: NDArray[Any], day: NDArray[Any], found: Any, fits: NDArray[Any]
) -> Any:
    """Return years, months, days and clocks as moments, null where there is no such day."""
    fits = fits & (year >= 1) & (month >= 1) & (month <= 12) & (day >= 1)
    first = (np.where(fits, 12 * (year - 1970) + month - 1, 0)).astype("datetime64[M]")
    lasts = ((first + 1).astype("datetime64[D]") - first.astype("datetime64[D]")).astype(np.int64)
    fits &= day <= lasts
    dates = (first.astype("datetime64[D]") + (day - 1)).astype(np.int64)
    seconds, there = _seconds(found)
    microseconds = np.where(fits, dates * _DAY + seconds * _SECOND, 0)
    return pa.array(microseconds, pa.int64(), mask=~(fits & there)).cast(pa.timestamp("us"))


def _seconds(found: Any) -> tuple[NDArray[Any], NDArray[Any]]:
    """Return the seconds since midnight, and where there are no more of them than a day has."""
    hour, minute, second = (_numbers(found.field(of)) for of in ("hour", "minute", "second"))
    half = _compute.fill_null(_compute.utf8_lower(found.field("half")), "")
    twelve = half.to_numpy(zero_copy_only=False).astype(str)
    fits = (minute < 60) & (second < 60) & (hour < 24) & ((twelve == "") | (hour <= 12))
    hour = np.where(twelve != "", hour % 12 + 12 * (twelve == "pm"), hour)
    return 3600 * hour + 60 * minute + second, fits


def _numbers(texts: Any) -> NDArray[Any]:
    """Return digits as numbers, 0 where there are none."""
    known = _compute.if_else(_compute.equal(texts, ""), "0", texts)
    return known.cast(pa.int64()).fill_null(0).to_numpy()
