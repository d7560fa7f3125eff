"""Regret when every arm has a law of its own that does not change.

Pseudo-regret is the sum over arms of pulls times gap, the gap being the distance of the arm's mean
from the best one. `stochastic_post_hoc` needs no gaps and no particular algorithm: it certifies a
finished run of Thompson sampling as well.
"""

import math

import numpy as np
from scipy import optimize

from surelearn import _arguments
from surelearn._typing import ArrayLike, Vector
from surelearn.bounds import _rounding, sequences
from surelearn.bounds._guarantee import Guarantee, theorem
from surelearn.bounds._special import kl

_FIXED_LAWS = "rewards lie in [0, 1], independent draws from a law that belongs to the arm"
_UCB1 = (
    "surelearn theory pages; sharpens Auer, Cesa-Bianchi and Fischer, Machine Learning 47 (2002)"
)
_KL_UCB = "surelearn theory pages; constants for Garivier and Cappé, COLT (2011)"


@theorem(realised=("gaps",))
def ucb1(*, gaps: ArrayLike, n_rounds: int) -> Guarantee:
    """Bound the expected pseudo-regret of UCB1 by the sum of c_T / gap + 2.08 gap.

    c_T = 2 ln T + sqrt(pi ln T) + 1/2. `gaps` has one entry per arm, 0 for the best.

    Examples
    --------
    >>> round(ucb1(gaps=[0.0, 0.2], n_rounds=2000).bound, 2)
    103.36
    """
    values = _arguments.vector("gaps", gaps, low=0.0, high=1.0)
    n_rounds = _arguments.count("n_rounds", n_rounds, at_least=1)
    if len(values) < 2 or values.min() > 0.0:
        raise _arguments.refuse("gaps", gaps, "of two arms or more, 0 for a best arm")
    positive = values[values > 0.0]
    bound = np.sum((_ucb1_factor(n_rounds) + 0.5) / positive + 2.08 * positive)
    return _expected(float(bound), n_rounds * float(values.max()), _UCB1)


@theorem
def ucb1_gap_free(*, n_arms: int, n_rounds: int) -> Guarantee:
    """Bound the expected pseudo-regret of UCB1 whatever the gaps are.

    Examples
    --------
    >>> round(ucb1_gap_free(n_arms=5, n_rounds=3000).bound, 1)
    532.3
    """
    n_arms = _arguments.count("n_arms", n_arms, at_least=2)
    n_rounds = _arguments.count("n_rounds", n_rounds, at_least=1)
    factor = _ucb1_factor(n_rounds) + 2.58
    return _expected(math.sqrt((n_arms - 1) * n_rounds * factor), float(n_rounds), _UCB1)


@theorem(realised=("means",))
def kl_ucb(*, means: ArrayLike, n_rounds: int) -> Guarantee:
    """Bound the expected pseudo-regret of KL-UCB with exploration f(t) = 3 ln t.

    `means` are the mean rewards, one per arm.

    Examples
    --------
    >>> round(kl_ucb(means=[0.9, 0.8, 0.6], n_rounds=3000).bound, 1)
    198.8
    """
    budget = 3.0 * math.log(_arguments.count("n_rounds", n_rounds, at_least=1))
    return _kl_ucb(means, n_rounds, budget, 0.24)


@theorem(realised=("means",))
def kl_ucb_time_uniform(*, means: ArrayLike, n_rounds: int) -> Guarantee:
    """Bound the expected pseudo-regret of KL-UCB with f(t) = 1.5 ln t + 2 ln(1 + ln t).

    Less exploration than `kl_ucb` for large T, paid for by a bound that is uniform in time.

    Examples
    --------
    >>> round(kl_ucb_time_uniform(means=[0.9, 0.8, 0.6], n_rounds=3000).bound, 1)
    151.7
    """
    log_rounds = math.log(_arguments.count("n_rounds", n_rounds, at_least=1))
    budget = 1.5 * log_rounds + 2.0 * math.log1p(log_rounds)
    return _kl_ucb(means, n_rounds, budget, 1.05)


@theorem(realised=("totals", "pulls"))
def stochastic_post_hoc(*, totals: ArrayLike, pulls: ArrayLike, delta: float) -> Guarantee:
    """Bound the pseudo-regret of a finished run from the total loss and the pulls of each arm.

    Any algorithm, any stopping time; the gaps need not be known.

    Examples
    --------
    >>> guarantee = stochastic_post_hoc(totals=[180.0, 60.0], pulls=[900, 100], delta=0.05)
    >>> round(guarantee.bound, 2)
    60.73
    """
    counts = _arguments.vector("pulls", pulls, low=0.0)
    sums = _totals_within(totals, counts)
    return _post_hoc(sums, counts, delta, "losses")


@theorem(realised=("totals", "pulls"))
def stochastic_post_hoc_rewards(*, totals: ArrayLike, pulls: ArrayLike, delta: float) -> Guarantee:
    """Bound the pseudo-regret of a finished run from the total reward and the pulls of each arm.

    Examples
    --------
    >>> guarantee = stochastic_post_hoc_rewards(totals=[720.0, 40.0], pulls=[900, 100], delta=0.05)
    >>> round(guarantee.bound, 2)
    60.73
    """
    counts = _arguments.vector("pulls", pulls, low=0.0)
    sums = _totals_within(totals, counts)
    return _post_hoc(counts - sums, counts, delta, "rewards")


def _ucb1_factor(n_rounds: int) -> float:
    log_rounds = math.log(n_rounds)
    return 2.0 * log_rounds + math.sqrt(math.pi * log_rounds)


def _kl_ucb(means: ArrayLike, n_rounds: int, budget: float, rare: float) -> Guarantee:
    values = _arguments.vector("means", means, low=0.0, high=1.0)
    if len(values) < 2:
        raise _arguments.refuse("means", means, "of two arms or more")
    best = float(values.max())
    worse = [float(mean) for mean in values if mean < best]
    bound = sum((best - mean) * (1.0 + rare + _kl_pulls(mean, best, budget)) for mean in worse)
    return _expected(bound, n_rounds * (best - float(values.min())), _KL_UCB)


def _kl_pulls(mean: float, best: float, budget: float) -> float:
    """Return the least of budget / kl(between, best) + 1 / (exp(kl(between, mean)) - 1).

    Every point between the two means gives a valid bound, so the search need not be exact.
    """
    if best == 1.0:
        return mean / (1.0 - mean)

    def pulls(between: float) -> float:
        from_best, from_mean = kl(between, best), min(kl(between, mean), 700.0)
        if min(from_best, from_mean) <= 0.0:
            return math.inf
        return budget / from_best + 1.0 / math.expm1(from_mean)

    return float(optimize.minimize_scalar(pulls, bounds=(mean, best), method="bounded").fun)


def _totals_within(totals: ArrayLike, counts: Vector) -> Vector:
    sums = _arguments.vector("totals", totals, low=0.0)
    if len(sums) != len(counts):
        raise _arguments.refuse("totals", totals, f"one number for each of {len(counts)} arms")
    if not (sums <= counts).all():
        raise _arguments.refuse("totals", totals, "at most the pulls of each arm")
    return sums


def _post_hoc(losses: Vector, counts: Vector, delta: float, observed: str) -> Guarantee:
    log_level = math.log(len(counts) / _arguments.open_fraction("delta", delta))
    pairs = [
        sequences.kt_mixture_interval(
            total=float(total), n=_arguments.count("pulls", pull), log_level=log_level
        )
        for total, pull in zip(losses, counts, strict=True)
    ]
    low, high = np.array(pairs).T
    # The own term N_j (U_j - L_j) does not belong to the regret if j is the best arm.
    regrets = np.maximum(high[:, None] - low, 0.0) * counts[:, None]
    np.fill_diagonal(regrets, 0.0)
    can_be_best = low <= high.min()
    return Guarantee(
        quantity="sum over arms of pulls times gap",
        bound=_rounding.up(float(regrets.sum(axis=0)[can_be_best].max())),
        assumes={
            "arms": f"{observed} lie in [0, 1]; given past and arm, the mean is that of the arm",
            "feedback": "all feedback has arrived",
        },
        reference="surelearn theory pages; intervals of Robbins (1970)",
        confidence=_arguments.confidence_from(delta),
        validity="anytime",
        trivial=float(counts.sum()),
    )


def _expected(bound: float, trivial: float, reference: str) -> Guarantee:
    return Guarantee(
        quantity="E of the sum over arms of pulls times gap",
        bound=_rounding.up(bound),
        assumes={"arms": _FIXED_LAWS},
        reference=reference,
        confidence=None,
        validity="in-expectation",
        trivial=trivial,
    )
