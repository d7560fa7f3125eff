"""Claims in worlds whose truth is known: none is false more often than its delta allows."""

import numpy as np
import pytest
from scipy import integrate, stats

from surelearn import claims
from surelearn.claims import record
from surelearn.evaluate.audit import audit_predictions

DELTA, N = 0.2, 60
UP, DOWN = stats.beta(4, 2), stats.beta(2, 4)  # scores of positive and of negative cases
SHARE = 0.4  # of positive cases
FLOOR = 0.05


@pytest.fixture(params=[120, pytest.param(2000, marks=pytest.mark.slow)], ids=["fast", "slow"])
def runs(request):
    return request.param


def refuted(misses, n, delta=DELTA):
    """Whether so many misses happen once in a thousand times, if none is likelier than delta."""
    return stats.binom.sf(misses - 1, n, delta) < 1e-3


def mean_over(function):
    """The mean of a function of score and label."""
    up = integrate.quad(lambda s: UP.pdf(s) * function(s, 1), 0, 1, limit=200)[0]
    down = integrate.quad(lambda s: DOWN.pdf(s) * function(s, 0), 0, 1, limit=200)[0]
    return SHARE * up + (1 - SHARE) * down


def share(low, high, y):
    d, w = (UP, SHARE) if y else (DOWN, 1 - SHARE)
    return w * (d.cdf(high) - d.cdf(low))


def calibration_error(bins):
    total = 0.0
    for i in range(bins):
        low, high = i / bins, (i + 1) / bins
        stated = sum(
            w * integrate.quad(lambda s, d=d: s * d.pdf(s), low, high)[0]
            for w, d in ((SHARE, UP), (1 - SHARE, DOWN))
        )
        total += abs(share(low, high, 1) - stated)
    return total


def risk_at(t):
    """The error rate of answers whose distance from one half is at least t/2."""
    low, high = 0.5 - t / 2, 0.5 + t / 2
    wrong = share(0, low, 1) + share(high, 1, 0)
    return wrong / (wrong + share(high, 1, 1) + share(0, low, 0))


def scored(rng, n=N):
    y = (rng.random(n) < SHARE).astype(int)
    s = np.where(y, UP.rvs(n, random_state=rng), DOWN.rvs(n, random_state=rng))
    said = (s >= 0.5).astype(int)
    return record(
        y, said, score=s, confidence=np.abs(2 * s - 1), baseline=(s >= 0.35).astype(int),
        group=np.where(rng.random(n) < 0.4, "a", "b"),
        challengers={"low": (s >= 0.35).astype(int), "high": (s >= 0.7).astype(int)},
        positive=1,
    )  # fmt: skip


def error_at(t):
    return share(0, t, 1) + share(t, 1, 0)


ERROR = error_at(0.5)
AREA = integrate.quad(lambda s: UP.pdf(s) * DOWN.cdf(s), 0, 1)[0]
BENEFIT = share(0.3, 1, 1) - 0.3 / 0.7 * share(0.3, 1, 0)
CLIPPED = mean_over(lambda s, y: -np.log(np.clip(s if y else 1 - s, FLOOR, 1 - FLOOR)))
LADDER = (0.8, 0.6, 0.4, 0.2, 0.0)
ALLOWED = risk_at(0.4) * 0.999  # the third threshold is just bad


def sensitivity_of(claim, rows):
    return UP.sf(float(claim.names(rows)["threshold"]))


SCORES = [
    (claims.AreaUnderCurve(), AREA),
    (claims.BrierScore(), mean_over(lambda s, y: (s - y) ** 2)),
    (claims.LogLoss(floor=FLOOR), CLIPPED),
    (claims.CalibrationError(bins=4), calibration_error(4)),
    (claims.ThresholdFor(sensitivity=0.7, level=DELTA), sensitivity_of),
    (claims.DecisionCurve(threshold=0.3), BENEFIT),
    (claims.RiskCoverage(threshold=0.4), risk_at(0.4)),
    (
        claims.ThresholdsWithinRisk(risk=ALLOWED, thresholds=";".join(map(str, LADDER))),
        sum(risk_at(t) <= ALLOWED for t in LADDER),
    ),
    (claims.GroupsWithin(rate=ERROR * 0.999), 0),
    (claims.WorstGroup(), ERROR),
    (claims.Prevalence(), SHARE),
    (claims.PrevalenceAtMost(), SHARE),
    (claims.ChallengersBetter(), sum(error_at(t) < ERROR for t in (0.35, 0.7))),
]


def misses_of(claim, truth, world, runs, seed):
    """Count how often a claim is false."""
    rng, misses = np.random.default_rng(seed), 0
    for _ in range(runs):
        rows = world(rng)
        if claim.lacks(rows):
            continue
        bound = claim.guarantee(delta=DELTA, **claim.statistics(rows)).bound
        true = truth(claim, rows) if callable(truth) else truth
        misses += bool(true > bound if claim.direction == "upper" else true < bound)
    return misses


@pytest.mark.parametrize(("claim", "truth"), SCORES, ids=lambda one: getattr(one, "name", ""))
def test_what_scores_show_is_seldom_false(claim, truth, runs):
    assert not refuted(misses_of(claim, truth, scored, runs, 1), runs)


def weighed(rng):
    """Rows of weight 3 err seldom, those of weight 1 often."""
    w = np.where(rng.random(N) < 0.5, 1.0, 3.0)
    wrong = rng.random(N) < np.where(w > 2, 0.05, 0.25)
    return record(np.zeros(N, dtype=int), wrong.astype(int), weight=w)


def layered(rng):
    wrong = np.concatenate([rng.random(25) < 0.1, rng.random(35) < 0.2, rng.random(20) < 0.05])
    return record(
        np.zeros(80, dtype=int), wrong.astype(int), stratum=np.repeat(list("abc"), [25, 35, 20])
    )


RISKS = 0.05 + 0.3 * np.linspace(0, 1, N) ** 2


def drifting(rng):
    return record(np.zeros(N, dtype=int), (rng.random(N) < RISKS).astype(int), time=np.arange(N))


def drawn(rng):
    """A table of 300 rows, 40 of them wrong, of which some are drawn."""
    wrong = rng.permutation(300)[:N] < 40
    return record(np.zeros(N, dtype=int), wrong.astype(int))


def clustered(rng):
    """Clusters of 1 to 5 rows that err together."""
    sizes = rng.integers(1, 6, 40)
    bad = rng.random(40) < 0.15
    wrong = np.repeat(bad, sizes)
    names = np.repeat(np.arange(40), sizes)
    return record(np.zeros(len(wrong), dtype=int), wrong.astype(int), cluster=names)


def measured(rng):
    """Numbers whose errors are as wide as was said."""
    x, w = rng.normal(size=N), 0.5 + rng.random(N)
    return record(x, x + w * rng.normal(size=N), width=w)


def within_widths(claim, rows):
    found = claim.guarantee(delta=DELTA, **claim.statistics(rows)).bound
    return 0.0 if 2 * stats.norm.cdf(found) - 1 >= 1 - claim.alpha else np.inf


OTHERS = [
    (claims.WeightedError(largest=4.0), (0.5 * 0.25 + 1.5 * 0.05) / 2.0, weighed),
    (claims.ErrorOfStrata("a:0.3;b:0.5;c:0.2"), 0.3 * 0.1 + 0.5 * 0.2 + 0.2 * 0.05, layered),
    (claims.ErrorOverTime(), float(RISKS.mean()), drifting),
    (claims.WrongInTable(size=300), 40, drawn),
    (claims.ErrorPerCluster(), 0.15, clustered),
    (claims.ErrorOfClusteredRows(largest=5), 0.15, clustered),
    (claims.ScaledErrorQuantile(alpha=0.2), within_widths, measured),
]


@pytest.mark.parametrize(
    ("claim", "truth", "world"), OTHERS, ids=lambda one: getattr(one, "name", "")
)
def test_what_other_samples_show_is_seldom_false(claim, truth, world, runs):
    n = runs // 8 if claim.name == "error-of-strata" else runs  # it takes longer
    assert not refuted(misses_of(claim, truth, world, n, 2), n)


REGIONS = [
    (claims.Difference(), ERROR - error_at(0.35)),
    (claims.BestChallenger(), ERROR - min(error_at(0.35), error_at(0.7))),
    (claims.GroupGap(), 0.0),
    (claims.BalancedAccuracy(), (UP.sf(0.5) + DOWN.cdf(0.5)) / 2),
]


@pytest.mark.parametrize(("claim", "truth"), REGIONS, ids=lambda one: getattr(one, "name", ""))
def test_what_two_rates_show_is_seldom_false(claim, truth, runs):
    few = runs // 4  # a region takes longer
    small = lambda rng: scored(rng, 30)  # noqa: E731
    assert not refuted(misses_of(claim, truth, small, few, 3), few)


def test_all_sizes_of_errors_hold_at_once(runs):
    rng, misses = np.random.default_rng(4), 0
    claim = claims.ErrorSizes()
    for _ in range(runs):
        rows = record(*(x := rng.normal(size=N), x + rng.normal(size=N)))
        sizes = np.sort(rows.residuals)
        n, ranks = rows.n, (np.arange(N) + 1)
        bounds = [claim.guarantee(rank=int(r), n=n, delta=DELTA).bound for r in ranks[4::11]]
        misses += bool(np.any(2 * stats.norm.cdf(sizes[4::11]) - 1 < bounds))
    assert not refuted(misses, runs)


TRUTHS = {
    "error": ERROR, "sensitivity": UP.sf(0.5), "specificity": DOWN.cdf(0.5), "auc": AREA,
    "ppv": share(0.5, 1, 1) / (share(0.5, 1, 1) + share(0.5, 1, 0)),
    "npv": share(0, 0.5, 0) / (share(0, 0.5, 0) + share(0, 0.5, 1)),
    "f1": 2 * share(0.5, 1, 1) / (2 * share(0.5, 1, 1) + ERROR),
    "balanced-accuracy": (UP.sf(0.5) + DOWN.cdf(0.5)) / 2,
    "calibration-error": calibration_error(10), "worst-group": ERROR, "group-gap": 0.0,
    "difference": ERROR - error_at(0.35), "roc": UP.sf(0.5),
    "precision-recall": share(0.5, 1, 1) / (share(0.5, 1, 1) + share(0.5, 1, 0)),
}  # fmt: skip


def test_a_user_who_prints_everything_is_seldom_wrong_anywhere(runs):
    few, rng, misses, printed = runs // 6, np.random.default_rng(5), 0, 0
    for _ in range(few):
        found = audit_predictions(scored(rng, 40), delta=DELTA)
        false = [
            TRUTHS[str(o.claim)] > o.certificate.bound
            if o.claim.direction == "upper"
            else TRUTHS[str(o.claim)] < o.certificate.bound
            for o in found.outcomes
            if str(o.claim) in TRUTHS
        ]
        misses, printed = misses + any(false), printed + len(false)
    assert printed > 11 * few
    assert not refuted(misses, few)


def test_bounds_that_claim_too_much_are_caught():
    """The same simulation of the error rate, with what was seen for a bound."""
    rng, runs = np.random.default_rng(6), 120
    misses = sum(scored(rng).wrong.mean() < ERROR for _ in range(runs))
    assert refuted(misses, runs)
