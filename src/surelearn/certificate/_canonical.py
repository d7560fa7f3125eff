"""The canonical form of a certificate: the same bytes for the same content, as RFC 8785 has them.

Names are sorted, there is no white space, and numbers are written as ECMAScript writes doubles: so
a signature does not depend on who wrote the file, and any language can make the bytes again.
"""

import json
import math
from typing import Any, cast

_EXACT = 2**53  # beyond it readers of JSON differ on whole numbers


def canonical(content: Any) -> bytes:
    """Return JSON in canonical form, or raise ValueError if readers would differ on it.

    Examples
    --------
    >>> canonical({"n": 100, "bound": 0.25, "delta": 1e-07, "trivial": 1.0})
    b'{"bound":0.25,"delta":1e-7,"n":100,"trivial":1}'
    """
    try:
        return _text(content).encode("utf-8")
    except UnicodeEncodeError:
        raise ValueError("it holds half a sign of UTF-16, which is no text") from None


def _text(value: Any) -> str:
    if isinstance(value, dict):
        table = cast("dict[str, Any]", value)
        pairs = (f"{_quoted(k)}:{_text(table[k])}" for k in sorted(table, key=_order))
        return f"{{{','.join(pairs)}}}"
    if isinstance(value, list):
        return f"[{','.join(_text(each) for each in cast('list[Any]', value))}]"
    if type(value) is int and abs(value) <= _EXACT:
        return str(value)
    if type(value) is int:
        raise ValueError(f"it holds a whole number beyond 2^53 ({str(value)[:20]}…)")
    return number(value) if isinstance(value, float) else _quoted(value)


def _quoted(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)


def _order(name: str) -> bytes:
    """Return what names are sorted by: their units of UTF-16."""
    return name.encode("utf-16-be", "surrogatepass")


def number(value: float) -> str:
    """Return a double as ECMAScript writes it: the fewest digits, no exponent in between.

    Examples
    --------
    >>> number(1e-7), number(0.00001), number(1e20), number(1.5e21), number(-0.0)
    ('1e-7', '0.00001', '100000000000000000000', '1.5e+21', '0')
    """
    if not math.isfinite(value):
        raise ValueError("it holds a number that is not finite")
    if value == 0.0:
        return "0"
    sign, (mantissa, _, exponent) = "-" * (value < 0.0), f"{abs(value)!r}".partition("e")
    head, _, tail = mantissa.partition(".")
    digits = (head + tail).lstrip("0")
    point = len(head) + int(exponent or 0) - (len(head + tail) - len(digits))
    digits = digits.rstrip("0")  # value = 0.digits * 10^point
    if len(digits) <= point <= 21:
        return f"{sign}{digits}{'0' * (point - len(digits))}"
    if 0 < point <= 21:
        return f"{sign}{digits[:point]}.{digits[point:]}"
    if -6 < point <= 0:
        return f"{sign}0.{'0' * -point}{digits}"
    rest = f".{digits[1:]}" if len(digits) > 1 else ""
    return f"{sign}{digits[0]}{rest}e{point - 1:+d}"
