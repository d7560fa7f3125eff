"""Labels as they come: masked ones are missing, and large whole numbers are not rounded."""

from collections.abc import Iterable
from contextlib import suppress
from decimal import Decimal
from numbers import Number
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from surelearn import _arguments

_EXACT = 2**53  # beyond it not every whole number is one of the floats


def refuse_masked(values: Any, name: str) -> None:
    """Refuse cells that are masked: they are missing, whatever lies under the mask.

    Examples
    --------
    >>> refuse_masked(np.ma.array([1, 2], mask=[False, True]), "y")
    Traceback (most recent call last):
    ValueError: y has 1 masked value, which is missing: leave out its row, or fill it, such as with
    y.filled(0)
    """
    if not isinstance(values, np.ma.MaskedArray):
        return
    n_masked = int(np.ma.count_masked(values))
    if n_masked:
        several = "s, which are missing: leave out their rows, or fill them"
        one = ", which is missing: leave out its row, or fill it"
        raise ValueError(
            f"{name} has {n_masked} masked value{several if n_masked > 1 else one}, such as with "
            f"{name}.filled(0)"
        )


def exact(y: Any) -> Any:
    """Return labels that are not masked; refuse a list of whole numbers that would be rounded.

    NumPy makes floats of large whole numbers together with negative ones or fractions, and
    scikit-learn of columns of pandas that may have gaps. A list of several kinds stays as it is.

    Examples
    --------
    >>> exact([0, 1])
    [0, 1]
    >>> exact([2**63, -1])
    Traceback (most recent call last):
    ValueError: y holds whole numbers that an array would round, together with negative ones or
    fractions: make them text, or numbers from 0 on
    """
    refuse_masked(y, "y")
    if isinstance(y, np.ma.MaskedArray) or _are_whole_numbers(y):
        return np.asarray(y)
    if sparse.issparse(y):
        raise ValueError("y is a sparse matrix; give one label or target per row, in an array")
    rounds = isinstance(y, list | tuple) and _has_long(cast("list[Any]", y))
    if rounds and _is_rounded(y):
        raise ValueError(
            "y holds whole numbers that an array would round, together with negative ones or "
            "fractions: make them text, or numbers from 0 on"
        )
    return _arguments.as_written(y)


def _are_whole_numbers(y: Any) -> bool:
    """Return whether labels are whole numbers of a data frame, with no gaps between them."""
    dtypes = str(getattr(y, "dtype", getattr(y, "dtypes", ""))).lower()
    if isinstance(y, np.ndarray) or "int" not in dtypes or not hasattr(y, "__array__"):
        return False
    if "int128" in dtypes:
        raise ValueError("y holds whole numbers of 128 bits: cast them to 64, or make them text")
    return np.asarray(y).dtype.kind in "iu"


def _is_rounded(y: Any) -> bool:
    try:
        return np.asarray(y).dtype.kind == "f"
    except (ValueError, OverflowError):  # lists of several lengths, which are refused elsewhere
        return False


def refuse_signals(y: Any) -> Any:
    """Return labels; refuse missing ones that raise an error of their own if they are compared.

    Examples
    --------
    >>> from decimal import Decimal
    >>> refuse_signals([Decimal("sNaN")])
    Traceback (most recent call last):
    ValueError: some labels or some targets are missing (Decimal('sNaN')): leave out those rows
    """
    objects = getattr(getattr(y, "dtype", None), "kind", "") == "O"
    listed: Any = np.ravel(y).tolist() if objects else y
    values = cast("list[Any]", listed if isinstance(listed, list | tuple) else [])
    decimals = values if Decimal in set(map(type, values)) else []
    if any(isinstance(value, Decimal) and value.is_snan() for value in decimals):
        raise ValueError(
            "some labels or some targets are missing (Decimal('sNaN')): leave out those rows"
        )
    return y


def _has_long(values: list[Any]) -> bool:
    return any(isinstance(v, int | np.integer) and abs(int(v)) > _EXACT for v in values)


def answered(given: Any) -> NDArray[Any]:
    """Return what a model answered; a masked answer is none, whatever lies under the mask.

    Examples
    --------
    >>> answered(np.ma.array([1, 2], mask=[False, True]))
    Traceback (most recent call last):
    ValueError: the model answered 1 of 2 rows with a masked value, which is no answer: let it
    answer every row
    """
    n_masked = int(np.ma.count_masked(given)) if isinstance(given, np.ma.MaskedArray) else 0
    if n_masked:
        raise ValueError(
            f"the model answered {n_masked} of {len(given)} rows with a masked value, which is no "
            "answer: let it answer every row"
        )
    return np.asarray(_arguments.as_written(given))


def comparable(classes: NDArray[Any], labels: NDArray[Any]) -> tuple[NDArray[Any], NDArray[Any]]:
    """Return both, so that whole numbers beyond those of floats are not rounded to compare.

    Examples
    --------
    >>> classes, labels = comparable(np.array([0, 2**53 + 1]), np.array([2.0**53]))
    >>> bool(classes[1] == labels[0])
    False
    """
    kinds = classes.dtype.kind + labels.dtype.kind
    if kinds not in {"if", "fi", "uf", "fu", "iu", "ui"}:
        return classes, labels
    finite = (abs(int(v)) for v in classes.tolist() if v == v and abs(v) != np.inf)  # noqa: PLR0124
    if max(finite, default=0) < _EXACT:  # the next whole number would be rounded to that one itself
        return classes, labels
    return classes.astype(object), labels.astype(object)


_KINDS = {"U": "text", "T": "text", "S": "bytes", "M": "dates"}


def kinds_of(labels: NDArray[Any]) -> frozenset[str]:
    """Return what kinds of labels there are: numbers, text, bytes, dates, others.

    Examples
    --------
    >>> sorted(kinds_of(np.array([b"yes", "no", 2], dtype=object)))
    ['bytes', 'numbers', 'text']
    """
    if labels.dtype.kind != "O":
        numbers = labels.dtype.kind in "biufc"
        return frozenset({"numbers" if numbers else _KINDS.get(labels.dtype.kind, "others")})
    return frozenset(_kind_of(kind) for kind in set(map(type, labels.ravel().tolist())))


def _kind_of(kind: type) -> str:
    if issubclass(kind, Number | np.bool_):
        return "numbers"
    return "text" if issubclass(kind, str) else "bytes" if issubclass(kind, bytes) else "others"


def refuse_unlike(truth: NDArray[Any], given: NDArray[Any], names: tuple[str, str]) -> None:
    """Refuse labels that could never equal the true ones, and bytes beside text.

    Examples
    --------
    >>> refuse_unlike(np.array(["yes"]), np.array([b"yes"]), ("labels", "predictions"))
    Traceback (most recent call last):
    ValueError: the labels are text and the predictions bytes: they can never be equal. Bytes become
    text by labels.astype(str)
    """
    kinds = kinds_of(truth), kinds_of(given)
    both = kinds[0] | kinds[1]
    if {"text", "bytes"} <= both:
        if kinds[0] & kinds[1]:
            raise ValueError(
                f"some {names[0]} or {names[1]} are text and some are bytes, which are never "
                "equal. Bytes become text by label.decode()"
            )
        how = ". Bytes become text by labels.astype(str)"
    elif "others" in both or kinds[0] & kinds[1]:
        return
    else:
        how = ": give labels of one kind"
    told = [" and ".join(sorted(one)) for one in kinds]
    raise ValueError(
        f"the {names[0]} are {told[0]} and the {names[1]} {told[1]}: they can never be equal{how}"
    )


def in_words(*columns: list[Any]) -> list[list[str]]:
    """Return columns of labels as text: equal labels get one text, and different ones never do.

    Examples
    --------
    >>> in_words([1, "a"], [1.0, True])
    [['1', 'a'], ['1', '1']]
    >>> in_words([1, "1"])
    Traceback (most recent call last):
    ValueError: 1 and '1' are different labels that look alike: make all labels text
    """
    words: dict[Any, str] = {}
    meant: dict[str, Any] = {}
    for label in (label for column in columns for label in column):
        if label not in words:
            word = str(label)
            if word in meant:
                both = f"{meant[word]!r} and {label!r}"
                raise ValueError(
                    f"{both} are different labels that look alike: make all labels text"
                )
            words[label], meant[word] = word, label
    return [[words[label] for label in column] for column in columns]


def joined_classes(one: NDArray[Any], other: NDArray[Any]) -> NDArray[Any]:
    """Return all classes of two tables, sorted; refuse text beside numbers.

    Examples
    --------
    >>> joined_classes(np.array(["no"]), np.array(["no", "maybe"])).tolist()
    ['maybe', 'no']
    """
    if one.dtype.kind != other.dtype.kind and "U" in {one.dtype.kind, other.dtype.kind}:
        raise ValueError(
            f"some labels are text and others are not, such as {one.tolist()[0]!r} and "
            f"{other.tolist()[0]!r}: make all of one kind"
        )
    return np.union1d(one, other)


def label_named(labels: Iterable[Any], name: Any) -> Any:
    """Return the label that a name is for: as it is written, or else the only one that is alike.

    None if there is none, or if several are alike.

    Examples
    --------
    >>> label_named([False, True], "TRUE"), label_named([0.0, 1.0], "1")
    (True, 1.0)
    >>> label_named(["yes", "YES"], "Yes") is None
    True
    """
    known = list(labels)
    found = [label for label in known if str(label) == str(name)]
    found = found or [label for label in known if _is_alike(label, name)]
    return found[0] if len(found) == 1 else None


def _is_alike(label: Any, name: Any) -> bool:
    """Return whether a label is the same number, or the same word in other letters."""
    if isinstance(label, int | float):
        with suppress(TypeError, ValueError, OverflowError):
            return float(name) == label
    return str(label).lower() == str(name).lower()
