"""What a finished bandit run proves about its own regret, whatever the adversary did.

The probability with which each arm was drawn must have been recorded. These certificates are far
smaller than the bounds of `surelearn.bounds.bandits`. Which one to print is decided before the run:
the smallest of several needs delta to be split among them.
"""

import math

import numpy as np

from surelearn import _arguments
from surelearn._typing import ArrayLike, Matrix, Vector
from surelearn.bounds import _rounding
from surelearn.bounds._guarantee import Guarantee, theorem

_LOSSES = "losses lie in [0, 1] and were chosen before the arm was drawn"
_RECORDED = "each arm was drawn with the probability recorded for it, never 0"
_BEFOREHAND = "exploration, rates and delta were fixed before the run"
_N_RATES = 8


@theorem(realised=("algorithm_loss", "estimated_losses", "n_outstanding"))
def exp3_ix_realised(
    *,
    algorithm_loss: float,
    estimated_losses: ArrayLike,
    exploration: float,
    delta: float,
    n_outstanding: int = 0,
) -> Guarantee:
    """Bound the regret of a run by loss paid - least estimated loss + ln(K/delta) / (2 gamma).

    Any sampling rule; the estimates are loss / (probability + exploration), summed per arm. A round
    whose loss is still out has estimate 0 and counts 1 as paid.

    Examples
    --------
    >>> guarantee = exp3_ix_realised(
    ...     algorithm_loss=700, estimated_losses=[801.5, 560.0], exploration=0.05, delta=0.05
    ... )
    >>> round(guarantee.bound, 4)
    176.8888
    """
    estimates = _arguments.vector("estimated_losses", estimated_losses, low=0.0)
    gamma = _arguments.positive("exploration", exploration)
    level = _log_arms_over(delta, len(estimates), "estimated_losses")
    paid = _paid(algorithm_loss, n_outstanding)
    bound = paid - float(estimates.min()) + level / (2.0 * gamma)
    return _realised(bound, paid, delta, "Neu, NeurIPS (2015), corollary 1; surelearn theory pages")


def exploration_grid(*, exploration: float) -> list[float]:
    """Return the eight rates 2 gamma 2^j of `exp3_ix_realised_mixture`, to be fixed before the run.

    Examples
    --------
    >>> exploration_grid(exploration=0.25)[:3]
    [0.5, 1.0, 2.0]
    """
    gamma = _arguments.positive("exploration", exploration)
    return [2.0 * gamma * 2.0**j for j in range(_N_RATES)]


def log_wealth_table(
    *,
    arms: ArrayLike,
    losses: ArrayLike,
    probabilities: ArrayLike,
    n_arms: int,
    rates: ArrayLike,
) -> Matrix:
    """Return, for each rate (row) and arm (column), the sum of ln(1 + rate loss / probability).

    One entry of `arms`, `losses` and `probabilities` per round played. The tables of successive
    blocks of rounds add; rounds still out are left out.

    Examples
    --------
    >>> log_wealth_table(
    ...     arms=[0, 1, 0], losses=[1.0, 0.5, 0.0], probabilities=[0.5, 0.5, 0.25],
    ...     n_arms=2, rates=[0.5, 1.0],
    ... ).round(4)
    array([[0.6931, 0.4055],
           [1.0986, 0.6931]])
    """
    n_arms = _arguments.count("n_arms", n_arms, at_least=2)
    paid = _arguments.vector("losses", losses, low=0.0, high=1.0)
    drawn = _positive("probabilities", probabilities, high=1.0)
    played, grid = (
        _arguments.vector("arms", arms, low=0, high=n_arms - 1),
        _positive("rates", rates),
    )
    if not len(played) == len(paid) == len(drawn) or (played % 1.0).any():
        raise _arguments.refuse("arms", arms, "integers, as many as losses and probabilities")
    with np.errstate(divide="ignore"):  # a loss of 0 adds ln(1 + 0)
        log_losses = np.log(paid) - np.log(drawn)
    index, table = played.astype(np.int64), np.empty((len(grid), n_arms))
    for row, log_rate in zip(table, np.log(grid), strict=True):
        row[:] = np.bincount(index, np.logaddexp(0.0, log_rate + log_losses), minlength=n_arms)
    return table


@theorem(realised=("algorithm_loss", "log_wealths", "rates", "n_outstanding"))
def exp3_ix_realised_mixture(
    *,
    algorithm_loss: float,
    log_wealths: ArrayLike,
    rates: ArrayLike,
    n_rounds: int,
    delta: float,
    n_outstanding: int = 0,
) -> Guarantee:
    """Bound the regret of a run by loss paid minus a mixture's lower bound on the best arm's loss.

    `log_wealths` comes from `log_wealth_table` at the same `rates`. Much sharper than
    `exp3_ix_realised`; any sampling rule. `n_rounds` counts all rounds, also those still out, each
    of which counts 1 as paid.

    Examples
    --------
    >>> guarantee = exp3_ix_realised_mixture(
    ...     algorithm_loss=60, log_wealths=[[18.9, 12.4], [33.5, 22.1]], rates=[0.25, 0.5],
    ...     n_rounds=100, delta=0.05,
    ... )
    >>> round(guarantee.bound, 3)
    20.545
    """
    grid = _positive("rates", rates)
    table = _wealth_table(log_wealths, len(grid))
    n_rounds = _arguments.count("n_rounds", n_rounds, at_least=1)
    level = _log_arms_over(delta, table.shape[1], "log_wealths")
    paid = _paid(algorithm_loss, n_outstanding)
    bound = paid - _least_total(table, grid, n_rounds, level)
    return _realised(bound, paid, delta, "surelearn theory pages; sharpens Neu, NeurIPS (2015)")


@theorem(realised=("second_moment",))
def exp3_pathwise(*, n_arms: int, learning_rate: float, second_moment: float) -> Guarantee:
    """Bound the regret of EXP3 in its own estimates by ln(K)/eta + eta second_moment / 2, surely.

    `second_moment` is the sum of p est² over rounds and arms, for any estimated losses est >= 0.

    Examples
    --------
    >>> round(exp3_pathwise(n_arms=2, learning_rate=0.5, second_moment=2.34).bound, 4)
    1.9713
    """
    n_arms = _arguments.count("n_arms", n_arms, at_least=2)
    rate = _arguments.positive("learning_rate", learning_rate)
    moment = _arguments.non_negative("second_moment", second_moment)
    return Guarantee(
        quantity="regret measured in estimated losses",
        bound=_rounding.up(math.log(n_arms) / rate + rate * moment / 2.0),
        assumes={
            "estimates": "estimated losses are not negative",
            "learning_rate": "the learning rate is constant",
        },
        reference="Auer, Cesa-Bianchi, Freund and Schapire, SIAM J. Computing 32 (2002)",
    )


@theorem(realised=("stability",))
def tsallis_inf_pathwise(*, n_arms: int, n_rounds: int, stability: float) -> Guarantee:
    """Bound the regret of Tsallis-INF in its own estimates by 2 (sqrt(K) - 1) sqrt(T) + stability.

    `stability` is the sum of eta_t w^(3/2) est² / (1 + eta_t sqrt(w) est) over rounds and arms.

    Examples
    --------
    >>> round(tsallis_inf_pathwise(n_arms=4, n_rounds=100, stability=12.5).bound, 4)
    32.5
    """
    n_arms = _arguments.count("n_arms", n_arms, at_least=2)
    n_rounds = _arguments.count("n_rounds", n_rounds, at_least=1)
    penalty = 2.0 * (math.sqrt(n_arms) - 1.0) * math.sqrt(n_rounds)
    return Guarantee(
        quantity="regret measured in estimated losses",
        bound=_rounding.up(penalty + _arguments.non_negative("stability", stability)),
        assumes={
            "estimates": "estimated losses are not negative",
            "learning_rate": "learning rate 1 / sqrt(t)",
        },
        reference="surelearn theory pages; sharpens Zimmert and Seldin, JMLR 22 (2021)",
    )


def _positive(name: str, values: ArrayLike, *, high: float = math.inf) -> Vector:
    array = _arguments.vector(name, values, low=0.0, high=high)
    if not array.all():
        raise _arguments.refuse(f"{name}[{int(np.argmin(array))}]", 0.0, "above 0")
    return array


def _log_arms_over(delta: float, n_arms: int, name: str) -> float:
    if n_arms < 2:
        raise _arguments.refuse(name, f"{n_arms} arm", "of two arms or more")
    return math.log(n_arms / _arguments.open_fraction("delta", delta))


def _paid(algorithm_loss: float, n_outstanding: int) -> float:
    paid = _arguments.non_negative("algorithm_loss", algorithm_loss)
    return paid + _arguments.count("n_outstanding", n_outstanding)


def _wealth_table(log_wealths: ArrayLike, n_rates: int) -> Matrix:
    table: Matrix = _arguments.numbers("log_wealths", log_wealths)
    if table.ndim != 2 or len(table) != n_rates:
        raise _arguments.refuse("log_wealths", f"array of shape {table.shape}", f"{n_rates} rows")
    _arguments.vector("log_wealths", table.ravel(), low=0.0)
    return table


def _least_total(table: Matrix, grid: Vector, n_rounds: int, level: float) -> float:
    """Return the least total loss of an arm that its mixture does not exclude at `level`.

    One bisection serves all arms: the least m that some arm allows is the least of their roots.
    """
    slack = 1e-12 * (1.0 + float(table.max()))

    def some_arm_allows(m: float) -> bool:
        wealth = table - n_rounds * np.log1p(grid * m / n_rounds)[:, None]
        mixture: Vector = np.logaddexp.reduce(wealth, axis=0) - math.log(len(grid))
        return bool(mixture.min() <= level + slack)

    return _rounding.first_true(some_arm_allows, 0.0, float(n_rounds))


def _realised(bound: float, paid: float, delta: float, reference: str) -> Guarantee:
    return Guarantee(
        quantity="L_alg - min_i L_i",
        bound=_rounding.up(bound) + 1e-12 * paid,  # the difference of two large sums
        assumes={"losses": _LOSSES, "probabilities": _RECORDED, "fixed_before": _BEFOREHAND},
        reference=reference,
        confidence=_arguments.confidence_from(delta),
        validity="anytime",
        trivial=paid,
    )
