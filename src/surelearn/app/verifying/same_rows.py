"""Whether the certificates of an audit count the same rows, and whether one was left out.

What one claim counts, others count too. Of an audit that nobody asked for single claims the counts
tell which claims must be there: whoever leaves out the worst gives the others more of delta.
"""

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from surelearn.claims import Claim, known
from surelearn.claims.groups import MOST_GROUPS

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
_TWO_CLASSES = {
    "sensitivity": ("positives",),
    "specificity": ("negatives",),
    "ppv": ("called positive",),
    "npv": ("called negative",),
    "f1": ("counted by F1",),
    "balanced-accuracy": ("positives", "negatives"),
    "mcc": ("positives", "negatives"),
}
"""What is expected of two classes, and the rows that it needs."""
_CURVES = ("roc", "precision-recall")
_OF_SCORES = ("auc", *_CURVES, "calibration-error")
_SEVERAL_CLASSES = ("macro-recall", "worst-class")
_PAIRED_GROUPS = ("worst-group", "group-gap")
_OF_OTHER_FILES = {
    *("pass-rate", "coverage", "error-quantile", "error-per-cluster", "error-over-time"),
}
_OF_ALL_ROWS = {
    *_TWO_CLASSES, *_CURVES, *_PAIRED_GROUPS, "accuracy", "auc", "best-challenger", "beyond",
    "calibration-error", "cost", "difference", "error", "error-in-clusters", "error-of-strata",
    "error-over-time", "error-per-cluster", "error-quantile", "error-sizes", "groups-within",
    "log-loss", "lr+", "lr-", "net-benefit", "pass-rate", "prevalence", "prevalence-at-most",
    "scaled-error-quantile", "threshold-for", "wrong-in-table",
}  # fmt: skip
"""Claims whose counts are of all rows, or of all of a class, and not of a part of them."""
_LISTS = {
    "positive": "positives",
    "negative": "negatives",
    "stated": "rows",
    "stated_of_truth": "rows",
    "residuals": "rows",
}


def disagreements(
    statistics: Mapping[str, Mapping[str, Any]],
    asked: Mapping[str, Claim],
    n_rows: int,
    *,
    third: int = 0,
) -> Iterator[str]:
    """Yield what the statistics of one claim count otherwise than those of another.

    Rows of a `third` label may be answered wrongly and yet be neither missed nor alarms.

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
            told = count + {"wrong": -third, "right": third}.get(name, 0)
            if counts.setdefault(name, told) != told:
                yield f"{name} in {text}"
    _complete(counts)
    if third > counts.get("spared", n_rows):
        yield "rows of a third label"
    for total, first, second in _SUMS:
        told = {total, first, second} <= counts.keys()
        if told and counts[first] + counts[second] != counts[total]:
            yield f"{first} + {second}"
    if any(count < 0 for count in counts.values()):
        yield "a count below 0"


def left_out(
    statistics: Mapping[str, Mapping[str, Any]],
    asked: Mapping[str, Claim],
    options: Mapping[str, Any],
) -> Iterator[str]:
    """Yield claims that an audit of all that is expected should have had, as far as counts tell.

    Examples
    --------
    >>> from surelearn.claims import known
    >>> counted = {"sensitivity": {"true_positives": 9, "n_positive": 10},
    ...            "specificity": {"true_negatives": 39, "n_negative": 40}}
    >>> list(left_out(counted, {name: known()[name]() for name in counted}, {}))
    ['ppv', 'npv', 'f1', 'balanced-accuracy', 'mcc', 'error']
    """
    counts: dict[str, int] = {}
    for text, given in statistics.items():
        counts.update(_counts_of(given, asked[text]))
    _complete(counts)
    there = {claim.name for claim in asked.values()}
    by_label, of_classes = options.get("by_label", False), not (there & _OF_OTHER_FILES)
    expected = [*_of_two_classes(there, counts, options)]
    if of_classes and not by_label:
        expected += ["error", *(["difference"] if "baseline" in options else [])]
        n_groups = len(statistics.get("worst-group", {}).get("errors", ()))
        paired = _PAIRED_GROUPS if n_groups <= MOST_GROUPS else ()  # no gap of more
        expected += paired if there & set(_PAIRED_GROUPS) else []
    of_rates = {name for name, one in known().items() if one.given_labels}
    yield from (n for n in expected if n not in there and (not by_label or n in of_rates))


def least_claims(there: set[str], options: Mapping[str, Any]) -> int:
    """Return among how many claims an audit of all that is expected shares delta, at least.

    It follows from the columns: a claim that the rows cannot show keeps its share.

    Examples
    --------
    >>> least_claims({"error"}, {"group": "ward"}), least_claims({"error", "npv"}, {})
    (3, 8)
    """
    groups = "group" in options
    if there & {"pass-rate", "coverage"}:
        return 1 + groups
    if there & _OF_OTHER_FILES:
        return 1
    expected = ["error", *(_PAIRED_GROUPS if groups else ())]
    expected += ["difference"] if "baseline" in options else []
    if there & {*_TWO_CLASSES, *_OF_SCORES}:
        expected += [*_TWO_CLASSES, *(_OF_SCORES if "score" in options else ())]
    elif there & set(_SEVERAL_CLASSES):
        expected += _SEVERAL_CLASSES
    if options.get("by_label", False):
        expected = [name for name in expected if known()[name].given_labels]
    return len(expected)


def _of_two_classes(
    there: set[str], counts: Mapping[str, int], options: Mapping[str, Any]
) -> Iterator[str]:
    """Yield what must be claimed of two classes, if there are two."""
    if not there & {*_TWO_CLASSES, "auc", *_CURVES}:
        return
    for name, needed in _TWO_CLASSES.items():
        if all(counts.get(count, 1) > 0 for count in needed):
            yield name
    if "score" in options and counts.get("positives", 1) > 0 and counts.get("negatives", 1) > 0:
        yield "auc"
        yield from _CURVES if there & set(_CURVES) else ()


def _complete(counts: dict[str, int]) -> None:
    """Find the counts that others give."""
    for _ in _SUMS:  # what one sum gives another may need
        for sum_of in _SUMS:
            _fill(counts, sum_of)


def _counts_of(given: Mapping[str, Any], claim: Claim) -> Iterator[tuple[str, int]]:
    """Yield the counts of rows that statistics hold, by what they are."""
    if claim.name not in _OF_ALL_ROWS:
        return
    if claim.name == "threshold-for":
        given = {"n_positive": given["n_positive"]}  # its rank is of another rule
    for name, value in given.items():
        if name in _NAMES:
            yield _NAMES[name], int(value)
        elif name in _LISTS:
            yield _LISTS[name], len(value)
    if claim.name in {"prevalence", "prevalence-at-most"}:
        yield "positives", int(given["successes"])
    if claim.name in {"error", "error-over-time", "wrong-in-table"}:
        yield "wrong", int(given["errors" if "errors" in given else "total"])
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
