"""How often each label was answered for each: all of them, or those most confused."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from surelearn._typing import Indices
from surelearn.report import ModelView

MOST_LABELS = 12
"""Labels that stand in a table; of more, those with the most errors, the others taken together."""


def confusion_of(
    true: NDArray[Any], answered: NDArray[Any], *, title: str, heads: tuple[str, str]
) -> ModelView:
    """Count for each true label what was answered.

    Parameters
    ----------
    true, answered
        Labels, row by row.
    title, heads
        What the table is called; what the first column holds, and the word before each answer.

    Examples
    --------
    >>> rows = np.array(["a", "b"]), np.array(["a", "a"])
    >>> view = confusion_of(*rows, title="Seen", heads=("true", "said"))
    >>> view.header, view.rows
    (('true', 'said a', 'said b'), (('a', '1', '0'), ('b', '1', '0')))
    """
    labels = np.union1d(np.unique(true), np.unique(answered))
    first, second = (np.searchsorted(labels, c.astype(labels.dtype)) for c in (true, answered))
    names, note = [str(label) for label in labels.tolist()], ""
    if len(labels) > MOST_LABELS:
        shown = _most_confused(first, second, len(labels))
        others = len(labels) - len(shown)
        groups = np.full(len(labels), len(shown))
        groups[shown] = np.arange(len(shown))
        together = (groups[first] == len(shown)) & (groups[second] == len(shown))
        note = (
            f"The {len(shown)} labels with the most errors; the other {others:,} are taken "
            f"together; in the cell that they share, {int((together & (first == second)).sum()):,} "
            f"of {int(together.sum()):,} answers are right."
        )
        names = [*(names[i] for i in shown.tolist()), f"one of {others:,} others"]
        first, second = groups[first], groups[second]
    n = len(names)
    counts = np.bincount(n * first + second, minlength=n * n).reshape(n, n).tolist()
    rows = tuple(
        (name, *(f"{count:,}" for count in own)) for name, own in zip(names, counts, strict=True)
    )
    header = (heads[0], *(f"{heads[1]} {name}" for name in names))
    return ModelView(title, note=note, header=header, rows=rows)


def _most_confused(first: Indices, second: Indices, n_labels: int) -> Indices:
    """Return the labels that were missed, or answered wrongly, most often, in their own order."""
    wrong = first != second
    errors = np.bincount(first[wrong], minlength=n_labels)
    errors += np.bincount(second[wrong], minlength=n_labels)
    return np.sort(np.argsort(-errors, kind="stable")[: MOST_LABELS - 1])
