"""The claims that people expect of a file, where they ask for none."""

from surelearn.claims._claim import Claim
from surelearn.claims.groups import WorstGroup
from surelearn.claims.predictions import Predictions
from surelearn.claims.rates import (
    F1,
    Accuracy,
    ErrorRate,
    NegativePredictiveValue,
    PassRate,
    PositivePredictiveValue,
    Sensitivity,
    Specificity,
)

_OF_CLASSES: tuple[type[Claim], ...] = (
    ErrorRate,
    Sensitivity,
    Specificity,
    PositivePredictiveValue,
    NegativePredictiveValue,
    F1,
    WorstGroup,
)


def choose(rows: Predictions, *, by_label: bool) -> tuple[list[Claim], dict[str, str]]:
    """Return the claims that these rows can show, the headline first, and why not the others.

    Parameters
    ----------
    rows
        The predictions.
    by_label
        Whether the rows were drawn by their label.
    """
    if rows.task == "results":
        expected: tuple[type[Claim], ...] = (PassRate,)
    else:
        expected = _OF_CLASSES
    found: list[Claim] = []
    left_out: dict[str, str] = {}
    for kind in expected:
        claim = kind()
        why = claim.lacks(rows)
        if not why and by_label and not claim.given_labels:
            why = "it depends on how frequent each label is, and the rows were drawn by their label"
        if why:
            left_out[claim.title] = why
        else:
            found.append(claim)
    return found, left_out
