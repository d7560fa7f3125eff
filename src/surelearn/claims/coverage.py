"""Sets and intervals: the share of cases whose truth they hold."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, cast

import numpy as np
from numpy.typing import NDArray

from surelearn.claims.predictions import Predictions
from surelearn.claims.rates import Accuracy


@dataclass(frozen=True)
class Coverage(Accuracy):
    """The share of cases whose truth is in the set, or the interval, that was given.

    The sets must have been fixed before these rows were seen, as all answers: a threshold that was
    calibrated on them voids it.

    Examples
    --------
    >>> from surelearn.claims.predictions import results
    >>> Coverage().count(results([True, True, False], covered=[1, 1, 1]))
    (2, 3)
    """

    name: ClassVar[str] = "coverage"
    title: ClassVar[str] = "Coverage"

    def lacks(self, rows: Predictions) -> str:
        """Return why there is nothing that could hold a truth."""
        return "" if "covered" in rows.columns else "no columns of sets or intervals were named"

    def sentence(self, limit: str, about: Mapping[str, str]) -> str:  # noqa: ARG002 - no names
        """Return the claim in words."""
        return f"its sets hold the true answer of at least {limit} of such cases"


def within(
    truth: NDArray[Any],
    low: NDArray[Any],
    high: NDArray[Any],
    *,
    unless: NDArray[np.bool_] | None = None,
) -> NDArray[np.bool_]:
    """Return which truths lie in their intervals, ends included; `unless` marks missing ones.

    Examples
    --------
    >>> within(np.array([1.0, 5.0]), np.array([0.0, 0.0]), np.array([1.0, 2.0])).tolist()
    [True, False]
    """
    for name, column in (("truth", truth), ("low", low), ("high", high)):
        if column.dtype.kind not in "biuf":
            raise ValueError(f"the column of {name} holds words, where intervals have numbers")
    turned = (low > high) & (True if unless is None else ~unless)
    if turned.any():
        n = int(turned.sum())
        raise ValueError(f"{n:,} intervals end before they begin: are low and high exchanged?")
    return np.asarray((low <= truth) & (truth <= high), dtype=np.bool_)


def in_set(truth: NDArray[Any], sets: NDArray[Any]) -> NDArray[np.bool_]:
    """Return which truths are in their sets: labels between bars, or a list of JSON.

    Examples
    --------
    >>> in_set(np.array(["a", "b"]), np.array(["a|c", '["a"]'])).tolist()
    [True, False]
    """
    labels = [label_of(label) for label in truth.tolist()]
    found = [members(str(text)) for text in sets.tolist()]
    if not set(labels) & set().union(*found) and any(found):
        raise ValueError("no set holds a label that is true of any row: are they other labels?")
    return np.array(
        [one in several for one, several in zip(labels, found, strict=True)], dtype=np.bool_
    )


def label_of(value: Any) -> str:
    """Return a label as text; a whole number is the same label however it was stored.

    Examples
    --------
    >>> label_of(3.0), label_of(3), label_of("3")
    ('3', '3', '3')
    """
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    return str(value)


def members(text: str) -> set[str]:
    """Return the labels in a set.

    Examples
    --------
    >>> sorted(members("a | b")), members("")
    (['a', 'b'], set())
    """
    if text.startswith("["):
        try:
            found = json.loads(text)
        except (ValueError, RecursionError):
            raise ValueError(f"{text[:60]!r} is no list of labels") from None
        return {label_of(one) for one in cast("list[Any]", found) if one is not None}
    return {part.strip() for part in text.split("|") if part.strip()}
