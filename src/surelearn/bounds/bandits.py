"""Regret bounds, before the run, when only the loss of the arm played is seen.

Losses lie in [0, 1] and may be chosen by an adversary, but before the arm is drawn. If it reacts
to the arms played, a bound in expectation is on the pseudo-regret max_i E[L_alg - L_i]; the bounds
with a confidence are on the regret itself. What a finished run proves is in `bandits_realised`;
arms with fixed laws are in `bandits_stochastic`.
"""

import math
from collections.abc import Mapping

import numpy as np

from surelearn import _arguments
from surelearn._typing import ArrayLike
from surelearn.bounds import _rounding
from surelearn.bounds._guarantee import Guarantee, theorem

_LOSSES = "losses lie in [0, 1] and are chosen before the arm is drawn"
_OBLIVIOUS = "losses and delays are fixed in advance: neither depends on the arms played"
_AUER = "Auer, Cesa-Bianchi, Freund and Schapire, SIAM J. Computing 32 (2002)"
_DELAYS = "surelearn theory pages; see Cesa-Bianchi, Gentile and Mansour, COLT (2016)"
_ZIMMERT = "Zimmert and Seldin, JMLR 22 (2021)"


@theorem
def exp3(*, n_arms: int, n_rounds: int) -> Guarantee:
    """Bound the expected regret of EXP3 tuned to its horizon by sqrt(2 K T ln K).

    Examples
    --------
    >>> round(exp3(n_arms=5, n_rounds=400).bound, 4)
    80.2356
    """
    n_arms, n_rounds = _sizes(n_arms, n_rounds)
    bound = math.sqrt(2.0 * n_arms * n_rounds * math.log(n_arms))
    return _expected(
        bound, n_rounds, {"learning_rate": "learning rate sqrt(2 ln K / (K T))"}, reference=_AUER
    )


@theorem
def exp3_learning_rate(*, n_arms: int, n_rounds: int, learning_rate: float) -> Guarantee:
    """Bound the expected regret of EXP3 at any constant rate by ln(K)/eta + eta K T / 2.

    Examples
    --------
    >>> round(exp3_learning_rate(n_arms=5, n_rounds=400, learning_rate=0.1).bound, 4)
    116.0944
    """
    n_arms, n_rounds = _sizes(n_arms, n_rounds)
    rate = _arguments.positive("learning_rate", learning_rate)
    bound = math.log(n_arms) / rate + rate * n_arms * n_rounds / 2.0
    return _expected(
        bound, n_rounds, {"learning_rate": "the learning rate is constant"}, reference=_AUER
    )


@theorem
def exp3_anytime(*, n_arms: int, n_rounds: int) -> Guarantee:
    """Bound the expected regret of EXP3 with rates sqrt(ln K / (K t)), whatever the horizon.

    Examples
    --------
    >>> round(exp3_anytime(n_arms=5, n_rounds=400).bound, 4)
    113.4703
    """
    n_arms, n_rounds = _sizes(n_arms, n_rounds)
    bound = 2.0 * math.sqrt(n_arms * n_rounds * math.log(n_arms))
    return _expected(
        bound, n_rounds, {"learning_rate": "learning rate sqrt(ln K / (K t))"}, reference=_AUER
    )


@theorem(realised=("total_delay",))
def exp3_delayed(*, n_arms: int, n_rounds: int, total_delay: float) -> Guarantee:
    """Bound the expected regret of EXP3 tuned to a total delay: sqrt(2 ln K (K T + 2 D)).

    D is the number of rounds still out, summed over all rounds, or an upper bound on it known
    beforehand.

    Examples
    --------
    >>> round(exp3_delayed(n_arms=5, n_rounds=400, total_delay=1000).bound, 4)
    113.4703
    """
    n_arms, n_rounds = _sizes(n_arms, n_rounds)
    work = n_arms * n_rounds + 2.0 * _arguments.non_negative("total_delay", total_delay)
    bound = math.sqrt(2.0 * math.log(n_arms) * work)
    rate = "learning rate sqrt(2 ln K / (K T + 2 D))"
    return _expected(
        bound, n_rounds, {"learning_rate": rate, "oblivious": _OBLIVIOUS}, reference=_DELAYS
    )


@theorem(realised=("total_delay",))
def exp3_delayed_anytime(*, n_arms: int, n_rounds: int, total_delay: float) -> Guarantee:
    """Bound the expected regret of EXP3 that learns its delays as they come.

    Examples
    --------
    >>> round(exp3_delayed_anytime(n_arms=5, n_rounds=400, total_delay=1000).bound, 4)
    160.4712
    """
    n_arms, n_rounds = _sizes(n_arms, n_rounds)
    work = n_arms * n_rounds + 2.0 * _arguments.non_negative("total_delay", total_delay)
    bound = 2.0 * math.sqrt(math.log(n_arms) * work)
    rate = "learning rate sqrt(ln K / sum of (K + 2 rounds out))"
    return _expected(
        bound, n_rounds, {"learning_rate": rate, "oblivious": _OBLIVIOUS}, reference=_DELAYS
    )


@theorem
def exp3_ix(*, n_arms: int, n_rounds: int, delta: float) -> Guarantee:
    """Bound the regret of EXP3-IX with probability 1 - delta, its rate being free of delta.

    Examples
    --------
    >>> round(exp3_ix(n_arms=5, n_rounds=2000, delta=0.05).bound, 4)
    568.1225
    """
    n_arms, n_rounds = _sizes(n_arms, n_rounds)
    level, log_arms = _log_two_over(delta), math.log(n_arms)
    bound = 2.0 * math.sqrt(2.0 * n_arms * n_rounds * log_arms)
    bound += (math.sqrt(n_arms * n_rounds / (2.0 * log_arms)) + 1.0) * level
    return _implicit(bound, n_rounds, delta, "learning rate = 2 exploration = sqrt(2 ln K / (K T))")


@theorem
def exp3_ix_tuned_to_delta(*, n_arms: int, n_rounds: int, delta: float) -> Guarantee:
    """Bound the regret of EXP3-IX whose rate was chosen for this delta: the smaller bound.

    Examples
    --------
    >>> round(exp3_ix_tuned_to_delta(n_arms=5, n_rounds=2000, delta=0.05).bound, 4)
    529.3411
    """
    n_arms, n_rounds = _sizes(n_arms, n_rounds)
    level = _log_two_over(delta)
    bound = 2.0 * math.sqrt(n_arms * n_rounds * (2.0 * math.log(n_arms) + level)) + level
    rate = "learning rate = 2 exploration = sqrt((2 ln K + ln(2/delta)) / (K T))"
    return _implicit(bound, n_rounds, delta, rate)


@theorem
def exp3_ix_anytime(*, n_arms: int, n_rounds: int, delta: float) -> Guarantee:
    """Bound the regret of EXP3-IX with decreasing rates, at one T that need not be known to it.

    The learner is anytime, the statement is not: it holds at a T fixed without looking at the run.

    Examples
    --------
    >>> round(exp3_ix_anytime(n_arms=5, n_rounds=2000, delta=0.05).bound, 4)
    801.9186
    """
    n_arms, n_rounds = _sizes(n_arms, n_rounds)
    level, log_arms = _log_two_over(delta), math.log(n_arms)
    bound = 4.0 * math.sqrt(n_arms * n_rounds * log_arms)
    bound += (math.sqrt(n_arms * n_rounds / log_arms) + 1.0) * level
    return _implicit(bound, n_rounds, delta, "learning rate = 2 exploration = sqrt(ln K / (K t))")


@theorem
def tsallis_inf(*, n_arms: int, n_rounds: int) -> Guarantee:
    """Bound the expected regret of Tsallis-INF by 4 sqrt(K T) - 2 sqrt(T) - sqrt(K).

    Examples
    --------
    >>> round(tsallis_inf(n_arms=5, n_rounds=2000).bound, 4)
    308.3212
    """
    n_arms, n_rounds = _sizes(n_arms, n_rounds)
    bound = 4.0 * math.sqrt(n_arms * n_rounds) - 2.0 * math.sqrt(n_rounds) - math.sqrt(n_arms)
    return _expected(
        bound, n_rounds, {"learning_rate": "learning rate 1 / sqrt(t)"}, reference=_ZIMMERT
    )


@theorem(realised=("gaps",))
def tsallis_inf_stochastic(*, gaps: ArrayLike, n_rounds: int) -> Guarantee:
    """Bound the expected regret of Tsallis-INF when one arm is best at all times.

    `gaps` has one entry per arm: its mean loss minus the least, 0 for exactly one arm. The learner
    does not know them, nor that the world is stochastic.

    Examples
    --------
    >>> round(tsallis_inf_stochastic(gaps=[0.0, 0.2, 0.3], n_rounds=10_000).bound, 1)
    1378.4
    """
    values = _arguments.vector("gaps", gaps, low=0.0, high=1.0)
    n_rounds = _arguments.count("n_rounds", n_rounds, at_least=1)
    positive = values[values > 0.0]
    if len(values) < 2 or len(positive) != len(values) - 1:
        raise _arguments.refuse("gaps", gaps, "of two arms or more, 0 for exactly one")
    slope = 16.0 * (1.0 + math.log(n_rounds)) * float(np.sum(1.0 / positive))
    return Guarantee(
        quantity="E sum of gaps of the arms played",
        bound=_rounding.up(slope + 9.8 * math.sqrt(len(values))),
        assumes={
            "losses": "losses lie in [0, 1] and have the same law in every round",
            "best_arm": "one best arm",
        },
        reference="surelearn theory pages; constants for " + _ZIMMERT,
        confidence=None,
        validity="in-expectation",
        trivial=n_rounds * float(values.max()),
    )


def _sizes(n_arms: int, n_rounds: int) -> tuple[int, int]:
    n_arms = _arguments.count("n_arms", n_arms, at_least=2)
    return n_arms, _arguments.count("n_rounds", n_rounds, at_least=1)


def _log_two_over(delta: float) -> float:
    return math.log(2.0 / _arguments.open_fraction("delta", delta))


def _expected(
    bound: float, n_rounds: int, assumes: Mapping[str, str], *, reference: str
) -> Guarantee:
    return Guarantee(
        quantity="max_i E[L_alg - L_i]",
        bound=_rounding.up(bound),
        assumes={"losses": _LOSSES, **assumes},
        reference=reference,
        confidence=None,
        validity="in-expectation",
        trivial=float(n_rounds),
    )


def _implicit(bound: float, n_rounds: int, delta: float, rate: str) -> Guarantee:
    return Guarantee(
        quantity="L_alg - min_i L_i",
        bound=_rounding.up(bound),
        assumes={"losses": _LOSSES, "learning_rate": rate},
        reference="surelearn theory pages; sharpens Neu, NeurIPS (2015)",
        confidence=_arguments.confidence_from(delta),
        validity="fixed-n",
        trivial=float(n_rounds),
    )
