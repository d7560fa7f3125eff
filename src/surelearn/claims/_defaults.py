"""The claims that people expect of a file, where they ask for none."""

from typing import NamedTuple

import numpy as np

from surelearn.claims._claim import Claim
from surelearn.claims._two_classes import UNNAMED
from surelearn.claims.clusters import ErrorPerCluster
from surelearn.claims.coverage import Coverage
from surelearn.claims.curves import PrecisionBand, RocBand
from surelearn.claims.groups import MOST_GROUPS, Difference, GroupGap, WorstGroup
from surelearn.claims.many_classes import MacroRecall, WorstClass
from surelearn.claims.predictions import Predictions
from surelearn.claims.probabilities import CalibrationError
from surelearn.claims.rates import (
    F1,
    ErrorRate,
    NegativePredictiveValue,
    PassRate,
    PositivePredictiveValue,
    Sensitivity,
    Specificity,
)
from surelearn.claims.regression import ErrorQuantile
from surelearn.claims.samples import ErrorOverTime
from surelearn.claims.scores import AreaUnderCurve
from surelearn.claims.two_classes import BalancedAccuracy, MatthewsCorrelation

_OF_CLASSES: tuple[type[Claim], ...] = (
    ErrorRate,
    Sensitivity,
    Specificity,
    PositivePredictiveValue,
    NegativePredictiveValue,
    F1,
    BalancedAccuracy,
    MatthewsCorrelation,
    AreaUnderCurve,
    RocBand,
    PrecisionBand,
    CalibrationError,
    WorstGroup,
    GroupGap,
    Difference,
)

_OF_TASKS: dict[str, tuple[type[Claim], ...]] = {
    "results": (PassRate, Coverage, WorstGroup),
    "multiclass": (ErrorRate, MacroRecall, WorstClass, WorstGroup, GroupGap, Difference),
    "regression": (ErrorQuantile,),
}
_OF_DESIGNS: dict[str, tuple[type[Claim], ...]] = {
    "cluster": (ErrorPerCluster,),
    "weight": (),
    "stratum": (),
    "time": (ErrorOverTime,),
}

_NOT_ASKED = ("no column", "the rows are not marked")  # of what nobody named nothing is expected


class Expected(NamedTuple):
    """What is claimed of rows if nobody asks for claims.

    Attributes
    ----------
    claims
        The claims that the rows can show, the headline first.
    left_out
        Why the rows cannot show others, by their titles.
    n_claims
        Among how many claims delta is shared out. It follows from the columns that were named and
        from the task, two classes or several: a claim that these rows happen not to show keeps its
        share. If others gained by it, all could be false together more often than delta allows.
    """

    claims: list[Claim]
    left_out: dict[str, str]
    n_claims: int


def choose(rows: Predictions, *, by_label: bool) -> Expected:
    """Return the claims that these rows can show, the headline first, and why not the others.

    Parameters
    ----------
    rows
        The predictions.
    by_label
        Whether the rows were drawn by their label.
    """
    expected = next(
        (_OF_DESIGNS[role] for role in _OF_DESIGNS if role in rows.columns),
        _OF_TASKS.get(rows.task, _OF_CLASSES),
    )
    found: list[Claim] = []
    left_out: dict[str, str] = {}
    n_claims = 0
    for kind in expected:
        claim = kind()
        why = claim.lacks(rows)
        if not why and isinstance(claim, GroupGap):
            n = len(rows.codes("group")[0])
            why = "" if n <= MOST_GROUPS else f"every two of {n:,} groups cannot be compared"
        drawn_otherwise = by_label and not claim.given_labels
        n_claims += not (drawn_otherwise or _was_not_asked(why, rows))
        if not why and drawn_otherwise:
            why = "it depends on how frequent each label is, and the rows were drawn by their label"
        if not why:
            found.append(claim)
        elif not why.startswith(_NOT_ASKED):
            left_out[claim.full_title] = why
    return Expected(found, left_out, n_claims)


def _was_not_asked(why: str, rows: Predictions) -> bool:
    """Return whether a claim is lacking whatever the rows are: nobody named what it needs.

    Of two labels that are both there nobody said which is positive; of one, the other may be.
    """
    if why == UNNAMED:
        return len(np.union1d(rows.truth, rows.prediction)) > 1
    return why.startswith(_NOT_ASKED)
