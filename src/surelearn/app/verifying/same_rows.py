"""Whether the certificates of an audit count the same rows: what one counts, others count too."""

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from surelearn.claims import Claim

_SUMS = (
    ("positives", "found", "missed"),
    ("negatives", "spared", "alarmed"),
    ("called positive", "found", "alarmed"),
    ("called negative", "spared", "missed"),
    ("wrong", "missed", "alarmed"),
    ("rows", "positives", "negatives"),
    ("rows", "called positive", "called negative"),
    ("rows", "right", "wrong"),
    ("counted by F1", "called positive", "missed"),
)
"""Counts of rows, of which the first is the sum of the other two."""

_NAMES = {
    "true_positives": "found",
    "n_hits": "found",
    "false_negatives": "missed",
    "false_positives": "alarmed",
    "n_false": "alarmed",
    "true_negatives": "spared",
    "n_positive": "positives",
    "n_negative": "negatives",
    "n_predicted_positive": "called positive",
    "n_predicted_negative": "called negative",
    "correct": "right",
    "n": "rows",
}
_LISTS = {"positive": "positives", "negative": "negatives", "stated": "rows", "residuals": "rows"}


def disagreements(
    statistics: Mapping[str, Mapping[str, Any]], asked: Mapping[str, Claim], n_rows: int
) -> Iterator[str]:
    """Yield what the statistics of one claim count otherwise than those of another.

    Examples
    --------
    >>> from surelearn.claims import known
    >>> counted = {"sensitivity": {"true_positives": 9, "n_positive": 10},
    ...            "error": {"errors": 0, "n": 50}}
    >>> list(disagreements(counted, {name: known()[name]() for name in counted}, 50))
    ['a count below 0']
    """
    counts: dict[str, int] = {"rows": n_rows}
    for text, given in statistics.items():
        for name, count in _counts_of(given, asked[text]):
            if counts.setdefault(name, count) != count:
                yield f"{name} in {text}"
    for _ in _SUMS:  # what one sum gives another may need
        for sum_of in _SUMS:
            _fill(counts, sum_of)
    for total, first, second in _SUMS:
        known = {total, first, second} <= counts.keys()
        if known and counts[first] + counts[second] != counts[total]:
            yield f"{first} + {second}"
    if any(count < 0 for count in counts.values()):
        yield "a count below 0"


def _counts_of(given: Mapping[str, Any], claim: Claim) -> Iterator[tuple[str, int]]:
    """Yield the counts of rows that statistics hold, by what they are."""
    if claim.name == "threshold-for":
        given = {"n_positive": given["n_positive"]}  # its rank is of another rule
    for name, value in given.items():
        if name in _NAMES:
            yield _NAMES[name], int(value)
        elif name in _LISTS:
            yield _LISTS[name], len(value)
    if claim.name in {"error", "error-over-time", "wrong-in-table"}:
        yield "wrong", int(given.get("errors", given.get("total")))
    sizes = given.get("n_in_groups", given.get("sizes"))
    if sizes is not None:
        times = np.asarray(given.get("counts", 1))
        yield "rows", int(np.sum(np.asarray(sizes) * times))
        yield "wrong", int(np.sum(np.asarray(given["errors"]) * times))


def _fill(counts: dict[str, int], sum_of: tuple[str, str, str]) -> None:
    """Find the one count of a sum that is not known, if two are."""
    total, first, second = sum_of
    if first in counts and second in counts:
        counts.setdefault(total, counts[first] + counts[second])
    elif total in counts and first in counts:
        counts.setdefault(second, counts[total] - counts[first])
    elif total in counts and second in counts:
        counts.setdefault(first, counts[total] - counts[second])
