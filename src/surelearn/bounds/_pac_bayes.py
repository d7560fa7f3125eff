"""What the PAC-Bayes theorems share: their budget, and the way from a random to a fixed rule."""

import math
from collections.abc import Callable, Sequence
from typing import NamedTuple

from surelearn import _arguments
from surelearn.bounds import _rounding, inversions
from surelearn.bounds._special import kl, log_xi


def budget(divergence: float, n: int, delta: float, *, n_candidates: int = 1) -> float:
    """Return (KL + ln(xi(n) J / delta)) / n, the price of J candidates fixed beforehand."""
    n = _arguments.count("n", n, at_least=1)
    log_level = math.log(n_candidates / _arguments.open_fraction("delta", delta))
    return (_arguments.non_negative("divergence", divergence) + log_xi(n) + log_level) / n


class Candidate(NamedTuple):
    """A randomised rule around a fixed one.

    It errs with probability at least `share` wherever the fixed rule errs, so the risk of the
    fixed rule is at most that of the randomised one divided by `share`.
    """

    divergence: float
    share: float
    mean_loss: Callable[[], float]


def smallest_fixed_risk(candidates: Sequence[Candidate], n: int, delta: float) -> float:
    """Return the smallest bound on the risk of the fixed rule over all candidates."""
    best, without_divergence = math.inf, budget(0.0, n, delta, n_candidates=len(candidates))
    for divergence, share, mean_loss in candidates:
        price = without_divergence + divergence / n
        record = min(1.0, best * share)
        if kl(0.0, record) <= price:
            continue  # even a loss of 0 would not be better
        loss = min(1.0, mean_loss())
        if best == math.inf or (loss < record and kl(loss, record) > price):
            best = _rounding.up(inversions.kl_upper(loss, price) / share)
    return best
