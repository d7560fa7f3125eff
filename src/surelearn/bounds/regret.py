"""Hedge, the exponential weights: what averaging experts costs against the best of them.

The weights are proportional to exp(-learning_rate x cumulative loss). A realised bound is computed
from the run and is the one to print; an a-priori bound is known before it. Learners that tune
themselves are in `surelearn.bounds.regret_adaptive`.
"""

import math

from scipy import special

from surelearn import _arguments
from surelearn.bounds import _rounding
from surelearn.bounds._guarantee import Guarantee, theorem
from surelearn.bounds._online import GAPS, REGRET, UNIT_LOSSES, log_experts, rounds, within

_TOTAL = "the learner's cumulative weighted loss"


@theorem(realised=("best_loss",))
def randomized_weighted_majority(*, best_loss: float, n_experts: int, beta: float) -> Guarantee:
    """Bound the loss when every unit of loss multiplies an expert's weight by beta.

    Examples
    --------
    >>> round(randomized_weighted_majority(best_loss=1, n_experts=2, beta=0.5).bound, 4)
    2.7726
    """
    beta = _arguments.open_fraction("beta", beta)
    best = _arguments.non_negative("best_loss", best_loss)
    log_k = log_experts(n_experts)
    return Guarantee(
        quantity=_TOTAL,
        bound=_rounding.up(_alone(log_k, best, (log_k - best * math.log(beta)) / (1.0 - beta))),
        assumes={
            "range": UNIT_LOSSES,
            "measured": "best_loss is the cumulative loss of the best expert",
        },
        reference="Littlestone and Warmuth, Information and Computation 108 (1994)",
    )


@theorem(realised=("best_loss",))
def randomized_weighted_majority_textbook(
    *, best_loss: float, n_experts: int, beta: float
) -> Guarantee:
    """Bound the same loss by ln K / (1 - beta) + (2 - beta) best_loss, for beta >= 1/2.

    Never smaller than `randomized_weighted_majority`; it is the form that textbooks tune.

    Examples
    --------
    >>> round(randomized_weighted_majority_textbook(best_loss=1, n_experts=2, beta=0.5).bound, 4)
    2.8863
    """
    if _arguments.open_fraction("beta", beta) < 0.5:
        raise _arguments.refuse("beta", beta, "in [1/2, 1)")
    best = _arguments.non_negative("best_loss", best_loss)
    log_k = log_experts(n_experts)
    return Guarantee(
        quantity=_TOTAL,
        bound=_rounding.up(_alone(log_k, best, log_k / (1.0 - beta) + (2.0 - beta) * best)),
        assumes={
            "range": UNIT_LOSSES,
            "measured": "best_loss is the cumulative loss of the best expert",
        },
        reference="Mohri, Rostamizadeh and Talwalkar, Foundations of Machine Learning (2012)",
    )


@theorem
def randomized_weighted_majority_tuned(*, n_experts: int, n_rounds: int) -> Guarantee:
    """Bound the regret with beta = max(1/2, 1 - sqrt(ln K / T)): 2 sqrt(T ln K) in the long run.

    Examples
    --------
    >>> round(randomized_weighted_majority_tuned(n_experts=2, n_rounds=200).bound, 4)
    23.5482
    """
    log_k, horizon = log_experts(n_experts), rounds(n_rounds)
    long_run = log_k <= horizon / 4.0
    value = 2.0 * math.sqrt(horizon * log_k) if long_run else 2.0 * log_k + horizon / 2.0
    return Guarantee(
        quantity=REGRET,
        bound=_rounding.up(value),
        assumes={
            "range": UNIT_LOSSES,
            "n_rounds": "n_rounds is known beforehand and beta is max(1/2, 1-sqrt(ln K/T))",
        },
        reference="Mohri, Rostamizadeh and Talwalkar, Foundations of Machine Learning (2012)",
        trivial=float(horizon),
    )


def hedge_learning_rate(*, n_experts: int, n_rounds: int, loss_range: float = 1.0) -> float:
    """Return sqrt(8 ln K / T) / range, the rate of `hedge_tuned`.

    Examples
    --------
    >>> round(hedge_learning_rate(n_experts=2, n_rounds=3), 6)
    1.359556
    """
    scale = _arguments.positive("loss_range", loss_range)
    return math.sqrt(8.0 * log_experts(n_experts) / rounds(n_rounds)) / scale


@theorem
def hedge(
    *, n_experts: int, n_rounds: int, learning_rate: float, loss_range: float = 1.0
) -> Guarantee:
    """Bound the regret of a fixed learning rate: ln K / rate + rate range^2 T / 8.

    Examples
    --------
    >>> round(hedge(n_experts=10, n_rounds=1000, learning_rate=0.1).bound, 4)
    35.5259
    """
    log_k, horizon = log_experts(n_experts), rounds(n_rounds)
    rate = _arguments.positive("learning_rate", learning_rate)
    scale = _arguments.positive("loss_range", loss_range)
    value = log_k / rate + rate * scale * horizon / 8.0 * scale  # no square: it may vanish
    return Guarantee(
        quantity=REGRET,
        bound=_rounding.up(_alone(log_k, 0.0, value)),
        assumes={
            "range": within(scale),
            "learning_rate": "the learning rate was fixed before the losses were seen",
        },
        reference="Cesa-Bianchi and Lugosi, Prediction, Learning, and Games (2006), theorem 2.2",
        trivial=scale * horizon,
    )


@theorem
def hedge_tuned(*, n_experts: int, n_rounds: int, loss_range: float = 1.0) -> Guarantee:
    """Bound the regret at the rate sqrt(8 ln K / T) / range: range sqrt((T/2) ln K).

    Examples
    --------
    >>> round(hedge_tuned(n_experts=10, n_rounds=1000).bound, 4)
    33.9307
    """
    log_k, horizon = log_experts(n_experts), rounds(n_rounds)
    scale = _arguments.positive("loss_range", loss_range)
    return Guarantee(
        quantity=REGRET,
        bound=_rounding.up(scale * math.sqrt(0.5 * horizon * log_k)),
        assumes={
            "range": within(scale),
            "n_rounds": "n_rounds is known beforehand and the rate is tuned to it",
        },
        reference="Cesa-Bianchi and Lugosi, Prediction, Learning, and Games (2006), theorem 2.2",
        trivial=scale * horizon,
    )


@theorem(realised=("sum_mixability_gaps",))
def hedge_realised(
    *, n_experts: int, learning_rate: float, sum_mixability_gaps: float
) -> Guarantee:
    """Bound the regret by ln K / rate plus the mixability gaps of the run.

    Rates may decrease during the run, even as a function of the past: give the last one.

    Examples
    --------
    >>> round(hedge_realised(n_experts=4, learning_rate=0.5, sum_mixability_gaps=2.0).bound, 4)
    4.7726
    """
    rate = _arguments.positive("learning_rate", learning_rate)
    gaps = _arguments.non_negative("sum_mixability_gaps", sum_mixability_gaps)
    return Guarantee(
        quantity=REGRET,
        bound=_rounding.up(log_experts(n_experts) / rate + gaps),
        assumes={
            "learning_rate": "learning rates never increase; learning_rate is the last of them",
            "measured": GAPS,
        },
        reference="de Rooij, van Erven, Grünwald and Koolen, JMLR 15 (2014), lemma 2",
    )


@theorem
def hedge_anytime(*, n_experts: int, n_rounds: int, loss_range: float = 1.0) -> Guarantee:
    """Bound the regret at the rates 2 sqrt(ln K / t) / range, at every horizon at once.

    Examples
    --------
    >>> round(hedge_anytime(n_experts=2, n_rounds=100).bound, 3)
    8.117
    """
    root, horizon = math.sqrt(log_experts(n_experts)), rounds(n_rounds)
    scale = _arguments.positive("loss_range", loss_range)
    return Guarantee(
        quantity=REGRET,
        bound=_rounding.up(scale * root * (math.sqrt(horizon) - 0.25)),
        assumes={
            "range": within(scale),
            "learning_rate": "the rate of round t is 2 sqrt(ln K / t) / range",
        },
        reference="surelearn theory pages; sharpens Cesa-Bianchi and Lugosi (2006), theorem 2.3",
        trivial=scale * horizon,
    )


@theorem(realised=("sum_mixability_gaps",))
def hedge_anytime_realised(
    *, n_experts: int, n_rounds: int, sum_mixability_gaps: float, loss_range: float = 1.0
) -> Guarantee:
    """Bound the regret at the rates 2 sqrt(ln K / t) / range by the mixability gaps of the run.

    Examples
    --------
    >>> guarantee = hedge_anytime_realised(n_experts=2, n_rounds=100, sum_mixability_gaps=1.0)
    >>> round(guarantee.bound, 4)
    5.1628
    """
    root, horizon = math.sqrt(log_experts(n_experts)), rounds(n_rounds)
    scale = _arguments.positive("loss_range", loss_range)
    gaps = _arguments.non_negative("sum_mixability_gaps", sum_mixability_gaps)
    return Guarantee(
        quantity=REGRET,
        bound=_rounding.up(0.5 * scale * root * math.sqrt(horizon) + gaps),
        assumes={
            "learning_rate": "the rate of round t is 2 sqrt(ln K / t) / range",
            "measured": GAPS,
        },
        reference="de Rooij, van Erven, Grünwald and Koolen, JMLR 15 (2014), lemma 2",
        trivial=scale * horizon,
    )


@theorem
def hedge_doubling(*, n_experts: int, n_rounds: int, loss_range: float = 1.0) -> Guarantee:
    """Bound the regret of restarts at rounds 1, 2, 4, 8 ..., each tuned to its own length.

    Examples
    --------
    >>> round(hedge_doubling(n_experts=4, n_rounds=7).bound, 6)
    5.510634
    """
    log_k, horizon = log_experts(n_experts), rounds(n_rounds)
    scale = _arguments.positive("loss_range", loss_range)
    epochs = (math.sqrt(2.0 * horizon) - 1.0) / (math.sqrt(2.0) - 1.0)
    return Guarantee(
        quantity=REGRET,
        bound=_rounding.up(scale * epochs * math.sqrt(0.5 * log_k)),
        assumes={
            "range": within(scale),
            "epochs": "epoch k has 2^k rounds, fresh weights and its tuned rate",
        },
        reference="Cesa-Bianchi et al., JACM 44 (1997)",
        trivial=scale * horizon,
    )


@theorem(realised=("sum_weighted_squares",))
def hedge_second_order(
    *, n_experts: int, learning_rate: float, sum_weighted_squares: float
) -> Guarantee:
    """Bound the regret by ln K / rate + (rate / 2) times the weighted squared losses of the run.

    The losses need no upper limit, which is why bandit algorithms rest on this form.

    Examples
    --------
    >>> round(hedge_second_order(n_experts=4, learning_rate=0.5, sum_weighted_squares=9).bound, 4)
    5.0226
    """
    rate = _arguments.positive("learning_rate", learning_rate)
    squares = _arguments.non_negative("sum_weighted_squares", sum_weighted_squares)
    return Guarantee(
        quantity=REGRET,
        bound=_rounding.up(log_experts(n_experts) / rate + 0.5 * rate * squares),
        assumes={
            "range": "every loss is >= 0",
            "learning_rate": "the rate is fixed; squares are weighted as the losses",
        },
        reference="Auer, Cesa-Bianchi, Freund and Schapire, SIAM J. Computing 32 (2002)",
    )


def small_loss_learning_rate(*, n_experts: int, best_loss_bound: float) -> float:
    """Return ln(1 + sqrt(2 ln K / best_loss_bound)), the rate of `hedge_small_loss`.

    Examples
    --------
    >>> round(small_loss_learning_rate(n_experts=5, best_loss_bound=60.0), 4)
    0.2083
    """
    limit = _arguments.positive("best_loss_bound", best_loss_bound)
    return math.log1p(math.sqrt(2.0 * log_experts(n_experts) / limit))


@theorem(realised=("best_loss_bound",))
def hedge_small_loss(*, n_experts: int, best_loss_bound: float) -> Guarantee:
    """Bound the regret by sqrt(2 B ln K) + ln K if the best expert loses at most B.

    Examples
    --------
    >>> round(hedge_small_loss(n_experts=5, best_loss_bound=60.0).bound, 4)
    15.5067
    """
    limit = _arguments.positive("best_loss_bound", best_loss_bound)
    log_k = log_experts(n_experts)
    return Guarantee(
        quantity=REGRET,
        bound=_rounding.up(math.sqrt(2.0 * limit * log_k) + log_k),
        assumes={
            "range": UNIT_LOSSES,
            "best_expert": "the best expert loses at most best_loss_bound, known beforehand",
            "learning_rate": "the learning rate is that of small_loss_learning_rate",
        },
        reference="Freund and Schapire, JCSS 55 (1997), lemma 4",
    )


def rademacher_regret(*, n_rounds: int) -> float:
    """Return E|Bin(T, 1/2) - T/2|: what every learner loses to two experts ruled by a coin.

    Examples
    --------
    >>> round(rademacher_regret(n_rounds=3), 12)
    0.75
    """
    # An odd number of tosses and the next even one have the same mean distance from the middle.
    half = (rounds(n_rounds) + 1) // 2
    return float(special.poch(half, 0.5)) / math.sqrt(math.pi)


@theorem
def rademacher_lower(*, n_rounds: int) -> Guarantee:
    """Bound from below the regret every learner suffers on some sequence: sqrt(T / 8).

    Examples
    --------
    >>> round(rademacher_lower(n_rounds=100).bound, 4)
    3.5355
    """
    return Guarantee(
        quantity="the largest regret over all sequences of n_rounds rounds",
        bound=_rounding.down(math.sqrt(rounds(n_rounds) / 8.0)),
        assumes={"experts": "there are two experts or more, with losses in [0, 1]"},
        reference="Mohri, Rostamizadeh and Talwalkar, Foundations of Machine Learning (2012)",
        direction="lower",
        trivial=0.0,
    )


def _alone(log_k: float, alone: float, value: float) -> float:
    """Return `value`, or `alone` for a single expert, whom the learner simply follows."""
    return value if log_k > 0.0 else alone
