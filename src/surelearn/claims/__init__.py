"""What can be claimed of a model from recorded predictions, one object each.

`claims.Sensitivity() >= 0.9` is a target; `claims.parse("sensitivity>=0.9")` is the same.
"""

from surelearn.claims._claim import Claim, Seen, Target
from surelearn.claims._parsing import known, parse
from surelearn.claims.abstaining import RiskCoverage, SelectiveRisk
from surelearn.claims.coverage import Coverage
from surelearn.claims.curves import PrecisionBand, RocBand
from surelearn.claims.each_group import GroupError
from surelearn.claims.groups import Difference, GroupGap, WorstGroup
from surelearn.claims.many_classes import MacroRecall, WorstClass
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
from surelearn.claims.regression import BeyondTolerance, ErrorQuantile, MeanError
from surelearn.claims.samples import (
    ErrorOfClusteredRows,
    ErrorOfStrata,
    ErrorOverTime,
    ErrorPerCluster,
    WeightedError,
    WrongInTable,
)
from surelearn.claims.scores import AreaUnderCurve, BrierScore, CalibrationError, ThresholdFor
from surelearn.claims.two_classes import (
    BalancedAccuracy,
    Cost,
    MatthewsCorrelation,
    NegativeLikelihoodRatio,
    NetBenefit,
    PositiveLikelihoodRatio,
)
from surelearn.claims.weighed_rates import (
    FScore,
    NegativePredictiveValueAt,
    PositivePredictiveValueAt,
)

__all__ = [
    "F1",
    "Accuracy",
    "AreaUnderCurve",
    "BalancedAccuracy",
    "BeyondTolerance",
    "BrierScore",
    "CalibrationError",
    "Claim",
    "Cost",
    "Coverage",
    "Difference",
    "ErrorOfClusteredRows",
    "ErrorOfStrata",
    "ErrorOverTime",
    "ErrorPerCluster",
    "ErrorQuantile",
    "ErrorRate",
    "FScore",
    "GroupError",
    "GroupGap",
    "MacroRecall",
    "MatthewsCorrelation",
    "MeanError",
    "NegativeLikelihoodRatio",
    "NegativePredictiveValue",
    "NegativePredictiveValueAt",
    "NetBenefit",
    "PassRate",
    "PositiveLikelihoodRatio",
    "PositivePredictiveValue",
    "PositivePredictiveValueAt",
    "PrecisionBand",
    "Predictions",
    "RiskCoverage",
    "RocBand",
    "Seen",
    "SelectiveRisk",
    "Sensitivity",
    "Specificity",
    "Target",
    "ThresholdFor",
    "WeightedError",
    "WorstClass",
    "WorstGroup",
    "WrongInTable",
    "known",
    "parse",
    "record",
    "results",
]
