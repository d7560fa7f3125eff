"""What can be claimed of a model from recorded predictions, one object each.

`claims.Sensitivity() >= 0.9` is a target; `claims.parse("sensitivity>=0.9")` is the same.
"""

from surelearn.claims._claim import Claim, Seen, Target
from surelearn.claims._parsing import known, parse
from surelearn.claims.abstaining import RiskCoverage, SelectiveRisk, ThresholdsWithinRisk
from surelearn.claims.challengers import BestChallenger, ChallengersBetter
from surelearn.claims.clusters import ErrorOfClusteredRows, ErrorPerCluster
from surelearn.claims.coverage import Coverage
from surelearn.claims.curves import DecisionCurve, PrecisionBand, RocBand
from surelearn.claims.each_group import GroupError, GroupsWithin
from surelearn.claims.error_sizes import ErrorSizes, ScaledErrorQuantile
from surelearn.claims.groups import Difference, GroupGap, WorstGroup
from surelearn.claims.many_classes import MacroRecall, WorstClass
from surelearn.claims.predictions import Predictions, record, results
from surelearn.claims.probabilities import BrierScore, CalibrationError, LogLoss
from surelearn.claims.rates import (
    F1,
    Accuracy,
    ErrorRate,
    NegativePredictiveValue,
    PassRate,
    PositivePredictiveValue,
    Prevalence,
    PrevalenceAtMost,
    Sensitivity,
    Specificity,
)
from surelearn.claims.regression import (
    BeyondTolerance,
    CloserThanBaseline,
    ErrorQuantile,
    MeanError,
)
from surelearn.claims.samples import ErrorOfStrata, ErrorOverTime, WeightedError, WrongInTable
from surelearn.claims.scores import AreaUnderCurve, ThresholdFor
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
    "BestChallenger",
    "BeyondTolerance",
    "BrierScore",
    "CalibrationError",
    "ChallengersBetter",
    "Claim",
    "CloserThanBaseline",
    "Cost",
    "Coverage",
    "DecisionCurve",
    "Difference",
    "ErrorOfClusteredRows",
    "ErrorOfStrata",
    "ErrorOverTime",
    "ErrorPerCluster",
    "ErrorQuantile",
    "ErrorRate",
    "ErrorSizes",
    "FScore",
    "GroupError",
    "GroupGap",
    "GroupsWithin",
    "LogLoss",
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
    "Prevalence",
    "PrevalenceAtMost",
    "RiskCoverage",
    "RocBand",
    "ScaledErrorQuantile",
    "Seen",
    "SelectiveRisk",
    "Sensitivity",
    "Specificity",
    "Target",
    "ThresholdFor",
    "ThresholdsWithinRisk",
    "WeightedError",
    "WorstClass",
    "WorstGroup",
    "WrongInTable",
    "known",
    "parse",
    "record",
    "results",
]
