"""What can be claimed of a model from recorded predictions, one object each.

`claims.Sensitivity() >= 0.9` is a target; `claims.parse("sensitivity>=0.9")` is the same.
"""

from surelearn.claims._claim import Claim, Seen, Target
from surelearn.claims._parsing import known, parse
from surelearn.claims.groups import WorstGroup
from surelearn.claims.predictions import Predictions, record, results
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

__all__ = [
    "F1",
    "Accuracy",
    "Claim",
    "ErrorRate",
    "NegativePredictiveValue",
    "PassRate",
    "PositivePredictiveValue",
    "Predictions",
    "Seen",
    "Sensitivity",
    "Specificity",
    "Target",
    "WorstGroup",
    "known",
    "parse",
    "record",
    "results",
]
