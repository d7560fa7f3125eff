"""The domains of the theorems: an argument outside its domain is named and refused."""

import math
import operator
import os
from collections.abc import Sequence
from dataclasses import fields
from decimal import Decimal
from numbers import Integral, Real
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from surelearn._typing import ArrayLike, Vector

_LARGEST = int(np.finfo(np.float64).max)  # formulas make floats of counts
_FAST = 2**63 - 1  # compiled code knows no larger whole number
_LONGEST = 80  # letters of a value that a sentence shows
MOST_JOBS = 2**15 - 1
_MEMORY = (  # bytes
    os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") if hasattr(os, "sysconf") else 2**63
)


def refuse(name: str, value: object, domain: str) -> ValueError:
    """Return the error for `name=value` outside `domain`, to be raised by the caller."""
    return ValueError(f"{name}={short(value)} is outside its domain: {name} must be {domain}")


def real(name: str, value: float) -> float:
    """Return `value` as a finite float."""
    number = _as_float(name, value)
    if not math.isfinite(number):
        raise refuse(name, value, "a finite number")
    return number


def positive(name: str, value: float) -> float:
    """Return `value` as a finite float above 0."""
    number = _as_float(name, value)
    if not (math.isfinite(number) and number > 0.0):
        raise refuse(name, value, "a finite number > 0")
    return number


def non_negative(name: str, value: float) -> float:
    """Return `value` as a finite float, 0 or more."""
    number = _as_float(name, value)
    if not (math.isfinite(number) and number >= 0.0):
        raise refuse(name, value, "a finite number >= 0")
    return number


def fraction(name: str, value: float) -> float:
    """Return `value` as a float in [0, 1]."""
    number = _as_float(name, value)
    if not 0.0 <= number <= 1.0:
        raise refuse(name, value, "in [0, 1]")
    return number


def open_fraction(name: str, value: float) -> float:
    """Return `value` as a float in (0, 1)."""
    number = _as_float(name, value)
    if not 0.0 < number < 1.0:
        raise refuse(name, value, "in (0, 1)")
    return number


def confidence_from(delta: float) -> float:
    """Return 1 - delta for a failure probability in (0, 1), never rounded up to 1."""
    return min(1.0 - open_fraction("delta", delta), math.nextafter(1.0, 0.0))


def count(
    name: str,
    value: int,
    *,
    at_least: int = 0,
    at_most: int | None = None,
    of_any_size: bool = False,
) -> int:
    """Return `value` as an integer within its limits; 3.0 passes, 3.5 does not.

    One that is `of_any_size` need not be a float.
    """
    limits = f"an integer >= {at_least}" + ("" if at_most is None else f" and <= {at_most}")
    try:
        number = operator.index(value)
    except TypeError:
        as_float = _as_float(name, value)
        if not as_float.is_integer():
            raise refuse(name, value, limits) from None
        number = int(as_float)
    if number < at_least or (at_most is not None and number > at_most):
        raise refuse(name, value, limits)
    if number > _LARGEST and not of_any_size:
        raise refuse(name, value, f"{limits}, below 10^308")
    return number


def vector(
    name: str, values: ArrayLike, *, low: float = -math.inf, high: float = math.inf
) -> Vector:
    """Return `values` as a non-empty float vector within [low, high], without NaN."""
    if np.ma.is_masked(values):
        raise ValueError(f"{name} has masked values, which are missing: fill or drop them")
    try:
        raw = np.asarray(values)
    except ValueError:
        raise refuse(name, values, "a one-dimensional array of numbers") from None
    if raw.dtype.kind not in "biuf":
        raise refuse(name, f"array of {raw.dtype}", "an array of numbers")
    array: Vector = raw.astype(np.float64)
    if array.ndim != 1 or array.size == 0:
        raise refuse(name, f"array of shape {array.shape}", "a non-empty one-dimensional array")
    inside = (array >= low) & (array <= high) & np.isfinite(array)
    if not inside.all():
        first = int(np.argmin(inside))
        domain = "finite" if math.isinf(low) and math.isinf(high) else f"in [{low:g}, {high:g}]"
        raise refuse(f"{name}[{first}]", float(array[first]), domain)
    return array


def numbers(name: str, values: Any) -> NDArray[np.float64]:
    """Return numbers of any shape as floats; what is sparse, masked or no number is refused.

    Examples
    --------
    >>> numbers("losses", [[0, 1]])
    array([[0., 1.]])
    >>> numbers("losses", [[0], [1, 2]])
    Traceback (most recent call last):
    ValueError: losses=[[0], [1, 2]] is not an array of numbers
    """
    if type(values) is np.ndarray and values.dtype.kind == "f":
        return values.astype(np.float64, copy=False)
    if sparse.issparse(values):
        raise ValueError(f"{name} is a sparse matrix; give {name}.toarray()")
    _refuse_masked(name, values)
    try:
        found = np.asarray(values)
        if found.dtype.kind not in "cmM":
            return found.astype(np.float64)
    except (TypeError, ValueError, OverflowError):
        pass
    raise ValueError(f"{name}={short(values)} is not an array of numbers")


def table(name: str, values: Any) -> NDArray[Any]:
    """Return rows as an array of anything; those of several lengths are refused.

    Examples
    --------
    >>> table("X", [[1], [2, 3]])
    Traceback (most recent call last):
    ValueError: X=[[1], [2, 3]] is not a table: its rows have several lengths
    """
    try:
        return np.asarray(values)
    except ValueError:
        told = f"{name}={short(values)} is not a table: its rows have several lengths"
        raise ValueError(told) from None


def unmasked(name: str, values: Any) -> NDArray[Any]:
    """Return an array of anything; what lies under a mask is missing, and refused.

    Examples
    --------
    >>> unmasked("y", ["a", "b"]).tolist()
    ['a', 'b']
    """
    _refuse_masked(name, values)
    return np.asarray(as_written(values))


def _refuse_masked(name: str, values: Any) -> None:
    if np.ma.is_masked(values):
        raise ValueError(f"{name} has masked values, which are missing: fill or drop them")


def labels(name: str, values: Any) -> NDArray[Any]:
    """Return labels, one after the other, as an array; what is no list of labels is refused.

    Examples
    --------
    >>> labels("y", ["a", "b"]).tolist()
    ['a', 'b']
    """
    if sparse.issparse(values):
        raise ValueError(f"{name} is a sparse matrix; give one label per row, in an array")
    _refuse_masked(name, values)
    try:
        found = np.asarray(as_written(values))
    except (TypeError, ValueError):  # rows of several lengths
        found = np.empty(())
    if found.ndim != 1:
        raise ValueError(f"{name}={short(values)} is not a list of labels")
    return found


def as_written(values: Any) -> Any:
    """Return labels as objects if they would not stay what they are, or as NumPy keeps them.

    It makes text of numbers and of gaps that stand beside text in a list.

    Examples
    --------
    >>> np.asarray([1, "1"]).tolist(), as_written([1, "1"]).tolist()
    (['1', '1'], [1, '1'])
    """
    if isinstance(values, np.ndarray) and values.dtype.kind == "T":
        return values.astype(object)  # text of any length, which scikit-learn does not know
    if not isinstance(values, list | tuple):
        _refuse_unknown(values)
        return values
    given = list(cast("Sequence[Any]", values))
    try:
        found = np.asarray(given)
    except (TypeError, ValueError, OverflowError):  # no column, which others refuse
        return cast("Any", values)
    if found.ndim != 1 or found.dtype.kind not in "US" or found.tolist() == given:
        return cast("Any", values)
    return np.array(given, dtype=object)


def _refuse_unknown(values: Any) -> None:
    """Refuse a column of a data frame whose type NumPy does not have."""
    kind = str(getattr(values, "dtype", getattr(values, "type", ""))).lower()
    if "union<" in kind or "int128" in kind:
        raise ValueError(
            f"the labels or groups have the type {short(kind)}, which no array has: cast them to "
            "text or to plain numbers"
        )


def interval(name: str, values: Any) -> tuple[float, float]:
    """Return a pair of numbers, which may be infinite.

    Examples
    --------
    >>> interval("loss_range", (0, 1))
    (0.0, 1.0)
    """
    ends = numbers(name, values)
    if ends.shape != (2,) or np.isnan(ends).any():
        raise refuse(name, values, "a pair of numbers (low, high)")
    return float(ends[0]), float(ends[1])


def flag(name: str, value: Any) -> bool:
    """Return a truth value; an array has several, and a text says what it likes.

    Examples
    --------
    >>> flag("ordered", np.True_)
    True
    """
    if isinstance(value, bool | np.bool_) or (type(value) is int and value in (0, 1)):
        return bool(value)
    raise TypeError(f"{name}={short(value)} must be True or False")


def function(name: str, value: Any) -> Any:
    """Return what can be called; anything else is refused.

    Examples
    --------
    >>> function("loss", abs) is abs
    True
    """
    if not callable(value):
        raise TypeError(f"{name}={short(value)} must be a function")
    return value


def generator(name: str, seed: Any) -> np.random.Generator:
    """Return a generator of random numbers, given itself or a seed.

    Examples
    --------
    >>> int(generator("random_state", 0).integers(10))
    8
    """
    if seed is None or isinstance(seed, np.random.Generator):
        return np.random.default_rng(seed)
    if isinstance(seed, np.random.SeedSequence | np.random.BitGenerator):
        return np.random.default_rng(seed)
    return np.random.default_rng(count(name, seed))


def jobs(name: str, value: Any) -> None:
    """Refuse what is no number of jobs: a whole number that is not 0, or None.

    Examples
    --------
    >>> jobs("n_jobs", -1)
    """
    whole = isinstance(value, int | np.integer) and not isinstance(value, bool)
    if value is not None and not (whole and 0 < abs(value) <= MOST_JOBS):
        raise refuse(name, value, "a whole number of jobs, -1 for one per core, or None")


def places(name: str, values: NDArray[Any], n: int, *, least: int = 0) -> None:
    """Refuse an array that is to hold places among n things and holds another number.

    Examples
    --------
    >>> places("targets", np.array([0, 1, 2]), 2)
    Traceback (most recent call last):
    ValueError: targets has numbers outside 0 to 1
    """
    if len(values) and not (values.min() >= least and values.max() < n):
        raise ValueError(f"{name} has numbers outside {least} to {n - 1}")


def pairs_of_features(width: int) -> None:
    """Refuse so many features that a table of all their pairs is larger than this machine's memory.

    Examples
    --------
    >>> pairs_of_features(10**7)
    Traceback (most recent call last):
    ...
    ValueError: 10,000,000 features need a table of all their pairs, 800,000 GB: choose fewer, or a
    learner that keeps a number for each, such as RidgeRegression or LowRankApproximation
    """
    n_bytes = 8 * width**2
    if n_bytes > _MEMORY:
        raise ValueError(
            f"{width:,} features need a table of all their pairs, {n_bytes / 1e9:,.0f} GB: choose "
            "fewer, or a learner that keeps a number for each, such as RidgeRegression or "
            "LowRankApproximation"
        )


def is_whole(value: Any) -> bool:
    """Return whether it is a whole number; NumPy counts lengths of time among them.

    Examples
    --------
    >>> is_whole(np.int8(3)), is_whole(3.0), is_whole(np.timedelta64(3, "s"))
    (True, False, False)
    """
    return isinstance(value, Integral) and not isinstance(value, np.timedelta64)


def at_least_one(name: str, value: Any) -> None:
    """Refuse a parameter that is not a whole number, 1 or more."""
    if not is_whole(value) or not 1 <= value <= _LARGEST:
        raise ValueError(f"{name}={short(value)} must be a whole number, 1 or more")


def short(value: Any) -> str:
    """Return a value as it is written, but for its end if it is long.

    Examples
    --------
    >>> short([1] * 100)
    '[1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1...'
    """
    try:
        written = repr(value)
    except Exception:  # noqa: BLE001 - code of others, which may raise anything
        written = f"a {type(value).__name__}"
    return written if len(written) <= _LONGEST else written[:_LONGEST] + "..."


def plain_number(value: Any) -> Any:
    """Return one number of NumPy as Python's own, and anything else as it is.

    A length of time is no number, though NumPy counts it among the whole ones.

    Examples
    --------
    >>> plain_number(np.uint8(255)), plain_number(np.longdouble(0.5)), plain_number("x")
    (255, 0.5, 'x')
    """
    if isinstance(value, np.timedelta64) or not isinstance(value, np.generic):
        return value
    return float(value) if isinstance(value, np.floating) else value.item()


def settle(held: Any) -> None:
    """Let a frozen dataclass hold Python's own numbers, once it has looked at what it was given.

    Compiled code knows no numbers of 16 or 80 bits, no fractions and no whole ones beyond 2^63.
    Whatever is no number is left to those who look at it.

    Examples
    --------
    >>> from dataclasses import dataclass
    >>> @dataclass(frozen=True)
    ... class Step:
    ...     rate: float
    ...     def __post_init__(self):
    ...         settle(self)
    >>> Step(np.float16(0.5)), Step(2**64)
    (Step(rate=0.5), Step(rate=1.8446744073709552e+19))
    """
    for field in fields(held):
        object.__setattr__(held, field.name, known_number(getattr(held, field.name)))


def known_number(value: Any) -> Any:
    """Return one number of any type as one that compiled code knows, and anything else as it is.

    Examples
    --------
    >>> known_number(Decimal("0.5")), known_number(2**64), known_number(3), known_number("3")
    (0.5, 1.8446744073709552e+19, 3, '3')
    """
    value = plain_number(value)
    is_number = isinstance(value, Real | Decimal) and not isinstance(value, np.timedelta64)
    return _nearest_float(value) if is_number and not _is_plain(value) else value


def _nearest_float(value: Any) -> float:
    try:
        return float(value)
    except ValueError:  # a NaN that signals
        return math.nan
    except OverflowError:
        return math.inf if value > 0 else -math.inf


def _is_plain(value: object) -> bool:
    return isinstance(value, float) or (isinstance(value, int) and abs(value) <= _FAST)


def _as_float(name: str, value: Any) -> float:
    try:
        # A complex number of NumPy would be a float without its imaginary part.
        if not isinstance(value, str | bytes | np.timedelta64 | np.complexfloating):
            return float(value)
    except (TypeError, ValueError, OverflowError):
        pass
    raise refuse(name, value, "a number")
