"""A table that suits each claim, and worse ones: whoever adds a claim adds its world here."""

import numpy as np

from surelearn import claims
from surelearn.claims import record, results

N = 240
_RNG = np.random.default_rng(7)
TRUTH = (_RNG.random(N) < 0.4).astype(int)
_ORDER = _RNG.permutation(N)
_TURNS = _RNG.random(N)
NUMBERS = _RNG.normal(size=N)
_NOISE = _RNG.normal(size=N)
GROUPS = np.where(np.arange(N) % 3 == 0, "a", "b")


def answers(n_wrong):
    """Return answers, so many of them wrong; those wrong before stay so."""
    said = TRUTH.copy()
    said[_ORDER[:n_wrong]] ^= 1
    return said


def binary(n_wrong, **columns):
    return record(TRUTH, answers(n_wrong), **columns)


def scored(n_wrong):
    """Return answers with probabilities that are as wrong as the answers."""
    said = answers(n_wrong)
    return record(TRUTH, said, score=np.round(0.15 + 0.5 * said + 0.3 * _TURNS, 3))


def numbers(n_wrong, **columns):
    return record(NUMBERS, NUMBERS + _NOISE * (0.1 + n_wrong / 40), **columns)


def challenged(n_wrong):
    return binary(n_wrong, challengers={"old": answers(30), "older": answers(50)})


BETTER, WORSE = 12, 60
"""Wrong answers of the better and of the worse world."""

WORLDS = {
    "abstaining": (
        claims.ThresholdsWithinRisk(risk=0.15, thresholds="0.7;0.5;0.3"),
        lambda k: binary(k, confidence=_TURNS),
    ),
    "accuracy": (claims.Accuracy(), binary),
    "auc": (claims.AreaUnderCurve(), scored),
    "balanced-accuracy": (claims.BalancedAccuracy(), binary),
    "best-challenger": (claims.BestChallenger(), challenged),
    "beyond": (claims.BeyondTolerance(tolerance=1.5), numbers),
    "brier": (claims.BrierScore(), scored),
    "calibration-error": (claims.CalibrationError(bins=5), scored),
    "challengers-better": (claims.ChallengersBetter(), challenged),
    "closer-than-baseline": (
        claims.CloserThanBaseline(),
        lambda k: record(
            NUMBERS, NUMBERS + _NOISE * (0.1 + k / 40), baseline=np.zeros(N), task="regression"
        ),
    ),
    "cost": (claims.Cost(miss=5.0, false_alarm=1.0), binary),
    "coverage": (
        claims.Coverage(),
        lambda k: results(answers(k) == TRUTH, covered=np.ones(N)),
    ),
    "decision-curve": (claims.DecisionCurve(threshold=0.4), scored),
    "difference": (claims.Difference(), lambda k: binary(k, baseline=answers(30))),
    "error": (claims.ErrorRate(), binary),
    "error-in-clusters": (
        claims.ErrorOfClusteredRows(largest=6),
        lambda k: binary(k, cluster=np.arange(N) // 4),
    ),
    "error-of-strata": (
        claims.ErrorOfStrata("a:0.5;b:0.5"),
        lambda k: binary(k, stratum=GROUPS),
    ),
    "error-over-time": (claims.ErrorOverTime(), lambda k: binary(k, time=np.arange(N))),
    "error-per-cluster": (
        claims.ErrorPerCluster(),
        lambda k: binary(k, cluster=np.arange(N) // 4),
    ),
    "error-quantile": (claims.ErrorQuantile(alpha=0.2), numbers),
    "error-sizes": (claims.ErrorSizes(), numbers),
    "f-score": (claims.FScore(beta=2.0), binary),
    "f1": (claims.F1(), binary),
    "group-error": (claims.GroupError(group="b"), lambda k: binary(k, group=GROUPS)),
    "group-gap": (claims.GroupGap(), lambda k: binary(k, group=np.where(TRUTH, GROUPS, "c"))),
    "groups-within": (claims.GroupsWithin(rate=0.15), lambda k: binary(k, group=GROUPS)),
    "log-loss": (claims.LogLoss(floor=0.01), scored),
    "lr+": (claims.PositiveLikelihoodRatio(), binary),
    "lr-": (claims.NegativeLikelihoodRatio(), binary),
    "macro-recall": (claims.MacroRecall(), binary),
    "mcc": (claims.MatthewsCorrelation(), binary),
    "mean-error": (claims.MeanError(largest=4.0), numbers),
    "net-benefit": (claims.NetBenefit(threshold=0.2), binary),
    "npv": (claims.NegativePredictiveValue(), binary),
    "npv-at": (claims.NegativePredictiveValueAt(prevalence=0.1), binary),
    "pass-rate": (claims.PassRate(), lambda k: results(answers(k) == TRUTH)),
    "ppv": (claims.PositivePredictiveValue(), binary),
    "ppv-at": (claims.PositivePredictiveValueAt(prevalence=0.1), binary),
    "precision-recall": (claims.PrecisionBand(), scored),
    "prevalence": (claims.Prevalence(), binary),
    "prevalence-at-most": (claims.PrevalenceAtMost(), binary),
    "roc": (claims.RocBand(), scored),
    "risk-coverage": (
        claims.RiskCoverage(threshold=0.5),
        lambda k: binary(k, confidence=_TURNS),
    ),
    "selective-risk": (
        claims.SelectiveRisk(threshold=0.5),
        lambda k: binary(k, confidence=_TURNS),
    ),
    "scaled-error-quantile": (
        claims.ScaledErrorQuantile(alpha=0.2),
        lambda k: numbers(k, width=0.5 + _TURNS),
    ),
    "sensitivity": (claims.Sensitivity(), binary),
    "specificity": (claims.Specificity(), binary),
    "threshold-for": (claims.ThresholdFor(sensitivity=0.8), scored),
    "weighted-error": (
        claims.WeightedError(largest=4.0),
        lambda k: binary(k, weight=1.0 + np.arange(N) % 3),
    ),
    "worst-class": (claims.WorstClass(), binary),
    "worst-group": (claims.WorstGroup(), lambda k: binary(k, group=GROUPS)),
    "wrong-in-table": (claims.WrongInTable(size=2000), binary),
}
"""Each claim by its name, and how its rows are made from a number of wrong answers."""

UNMOVED = {
    *("threshold-for", "group-gap", "calibration-error"), *("error-sizes", "challengers-better"),
    *("prevalence", "prevalence-at-most"),
}  # fmt: skip
"""More wrong answers may move these either way: a threshold or a size moves along, a gap may close,
challengers look better; how common a class is does not depend on answers."""
