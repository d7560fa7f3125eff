"""Numbers as a reader should see them: a bound is never shown smaller than it is."""

import difflib
import math
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from decimal import ROUND_CEILING, ROUND_FLOOR, Context, Decimal, localcontext
from typing import Any

import numpy as np

_EXACT = Context(prec=1500)  # more digits than any float has, written out
_TOGETHER = " together "  # ends what the claims of one audit have in common


def outward(value: float, direction: str, *, digits: int = 4) -> str:
    """Return a bound to `digits` significant digits, rounded away from the quantity it bounds.

    Examples
    --------
    >>> outward(0.058811, "upper"), outward(0.058811, "lower"), outward(117.0, "upper")
    ('0.05882', '0.05881', '117')
    """
    if not math.isfinite(value) or value == 0.0:
        return f"{value:g}"
    number = Decimal(repr(float(value)))
    unit = Decimal(1).scaleb(number.adjusted() - digits + 1)
    rounding = ROUND_CEILING if direction == "upper" else ROUND_FLOOR
    rounded = (number / unit).quantize(Decimal(1), rounding=rounding) * unit
    if abs(number.adjusted()) < 7:
        return f"{rounded.normalize():f}"
    return f"{rounded:.{digits - 1}e}"


def confidence(delta: float) -> str:
    """Return 1 - delta as a percentage, rounded down and never to 100%.

    Examples
    --------
    >>> confidence(0.05), confidence(0.0025), confidence(1e-17), confidence(1 / 3)
    ('95%', '99.75%', '99.999999999999999%', '66.66%')
    """
    with localcontext(_EXACT):
        percentage = 100 * (1 - Decimal(repr(float(delta))))
        places = max(2, 1 - Decimal(repr(float(delta))).adjusted() - 2)
        rounded = percentage.quantize(Decimal(1).scaleb(-places), rounding=ROUND_FLOOR)
        return f"{rounded.normalize():f}%"


def percent_outward(value: float, direction: str) -> str:
    """Return a bound on a fraction as a percentage with two decimals, rounded outward.

    Examples
    --------
    >>> percent_outward(0.0588021, "upper"), percent_outward(0.0588021, "lower")
    ('5.89%', '5.88%')
    """
    rounding = ROUND_CEILING if direction == "upper" else ROUND_FLOOR
    if not math.isfinite(value):
        return f"{value}%"
    with localcontext(_EXACT):
        number = Decimal(repr(float(value))) * 100
        return f"{number.quantize(Decimal('0.01'), rounding=rounding)}%"


def percent(share: float) -> str:
    """Return a measured share as a percentage with as many decimals as a bound beside it has.

    Examples
    --------
    >>> percent(0.064), percent(0.34), percent(0.0000123), percent(0.0)
    ('6.40%', '34.00%', '0.00123%', '0.00%')
    """
    return f"{100.0 * share:.3g}%" if 0.0 < abs(share) < 1e-3 else f"{100.0 * share:.2f}%"


def amount(value: float) -> str:
    """Return a measured number in four digits, as people write it: without powers of ten.

    Examples
    --------
    >>> amount(22167.53), amount(0.0930642), amount(-1565.04), amount(3.2e-9)
    ('22170', '0.09306', '-1565', '3.2e-09')
    """
    if not 1e-4 <= abs(value) < 1e12:
        return f"{value:.4g}"
    return np.format_float_positional(value, precision=4, fractional=False, trim="-")


def exactly(value: float) -> str:
    """Return a number that was fixed beforehand in as few digits as say it exactly.

    Examples
    --------
    >>> exactly(5.0), exactly(0.1), exactly(0.123456789)
    ('5', '0.1', '0.123456789')
    """
    short = f"{value:g}"
    return short if float(short) == value else repr(float(value))


def interval(low: float, high: float) -> str:
    """Return an interval with every digit of its ends: a rounded one may leave out what lies in it.

    Examples
    --------
    >>> interval(0.0, 1234567.0)
    '[0, 1234567.0]'
    """
    return f"[{exactly(low)}, {exactly(high)}]"


def percent_exactly(value: float) -> str:
    """Return a share that was fixed beforehand as a percentage, in all its digits.

    Examples
    --------
    >>> percent_exactly(0.07), percent_exactly(0.0123456789)
    ('7%', '1.23456789%')
    """
    with localcontext(_EXACT):
        return f"{(Decimal(repr(float(value))) * 100).normalize():f}%"


def listing(names: Sequence[str], *, most: int = 12) -> str:
    """Return names one after the other; of very many the first ones, and how many others.

    Examples
    --------
    >>> listing(["a", "b", "c"]), listing(["a", "b", "c"], most=2)
    ('a, b and c', 'a, b and 1 other')
    """
    shown = list(names[:most])
    rest = len(names) - len(shown)
    if rest:
        shown.append("1 other" if rest == 1 else f"{rest:,} others")
    return " and ".join(filter(None, [", ".join(shown[:-1]), *shown[-1:]]))


def shorten(inputs: Mapping[str, Any]) -> str:
    """Return keyword arguments as text; long arrays are told by their length.

    Examples
    --------
    >>> shorten({"n": 100, "losses": [0.5] * 100})
    'n=100, losses=<100 values>'
    """
    return ", ".join(f"{name}={_brief(value)}" for name, value in inputs.items())


def _brief(value: Any) -> str:
    size = np.size(value)
    if isinstance(value, str) or size <= 6:
        return repr(value if np.ndim(value) == 0 else np.asarray(value).tolist())
    return f"<{size} values>"


def printable(text: str, *, keep: str = "") -> str:
    r"""Return a text in which nothing commands a terminal or turns the direction of reading.

    Control characters, line ends and invisible signs are written out, except those to `keep`.

    Examples
    --------
    >>> print(printable("fox " + chr(27) + "[2J " + chr(0x202E) + "exe"))
    fox \x1b[2J \u202eexe
    """
    if text.isprintable():
        return text
    return "".join(c if _is_shown(c) or c in keep else _written_out(c) for c in text)


def _is_shown(character: str) -> bool:
    # Joiners shape letters of some scripts; of spaces all but line ends have a width.
    return (
        character.isprintable()
        or character in "\u200c\u200d"
        or unicodedata.category(character) == "Zs"
    )


def _written_out(character: str) -> str:
    return character.encode("unicode_escape").decode("ascii")


def nearest(name: str, known: Iterable[str]) -> str:
    """Return "; did you mean ...?", or the list of what is known if nothing is near.

    Examples
    --------
    >>> nearest("acuracy", ["accuracy", "f1"])
    "; did you mean 'accuracy'?"
    """
    options = sorted(known)
    close = difflib.get_close_matches(name, options, n=1)
    if close:
        return f"; did you mean {close[0]!r}?"
    return f"; known are {', '.join(options)}"


def shared_premise(claims: Sequence[str]) -> str:
    """Return the premise that most claims begin with, or nothing.

    Examples
    --------
    >>> shared_premise(["If so, together it is 1.", "If so, together it is 2.", "vacuous"])
    'If so, together '
    """
    begun = [
        claim[: claim.index(_TOGETHER) + len(_TOGETHER)]
        for claim in claims
        if claim.startswith("If ") and _TOGETHER in claim
    ]
    return max(begun, key=begun.count, default="") if len(begun) > 1 else ""
