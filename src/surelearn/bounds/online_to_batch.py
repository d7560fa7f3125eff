"""From what an online learner paid on its way to the risk of the models it passed through.

Each model is judged on an example it has not yet learnt from. What is certified is the average risk
of the models: a random pick of them, or their average if the loss is convex; not the last one,
which may be worse (see `last_iterate_suffix` for a single model).
"""

import math

from surelearn import _arguments
from surelearn._typing import ArrayLike
from surelearn.bounds import _rounding, inversions, sequences
from surelearn.bounds._guarantee import Guarantee, theorem

_BEFORE = "every model is judged before it learns from the example"
_IID = "the examples are independent draws from one law"
_CONVEX = "the loss is convex in the prediction and the model is the average of h_1 .. h_T"
_IN_RANGE = "losses lie in an interval of length loss_range"


@theorem(realised=("mean_loss",))
def hoeffding_azuma(
    *, mean_loss: float, n_rounds: int, delta: float, loss_range: float = 1.0
) -> Guarantee:
    """Bound the average conditional risk by the mean online loss plus M sqrt(ln(1/delta) / (2 T)).

    `progressive_validation` is smaller when losses are, and holds at every T.

    Examples
    --------
    >>> round(hoeffding_azuma(mean_loss=0.5, n_rounds=200, delta=0.05).bound, 5)
    0.58654
    """
    loss_range = _arguments.positive("loss_range", loss_range)
    mean_loss = _arguments.real("mean_loss", mean_loss)
    if not 0.0 <= mean_loss <= loss_range:
        raise _arguments.refuse("mean_loss", mean_loss, f"in [0, loss_range={loss_range:g}]")
    deviation = _deviation(n_rounds, _arguments.open_fraction("delta", delta))
    return Guarantee(
        quantity="the average conditional risk of h_1 .. h_T",
        bound=_rounding.up(mean_loss + loss_range * deviation),
        assumes={"judged_before": _BEFORE, "range": "losses lie in [0, loss_range]"},
        reference="Azuma (1967); Cesa-Bianchi, Conconi and Gentile, IEEE IT 50 (2004)",
        confidence=_arguments.confidence_from(delta),
        validity="fixed-n",
        trivial=loss_range,
    )


@theorem(realised=("total_loss",))
def progressive_validation(*, total_loss: float, n_rounds: int, delta: float) -> Guarantee:
    """Bound the average conditional risk of an online learner at every T by a mixture of tilts.

    The stream may drift or adapt to the learner; losses lie in [0, 1].

    Examples
    --------
    >>> round(progressive_validation(total_loss=20, n_rounds=2000, delta=0.05).bound, 5)
    0.01865
    """
    n_rounds = _arguments.count("n_rounds", n_rounds, at_least=1)
    if not 0.0 <= _arguments.real("total_loss", total_loss) <= n_rounds:
        raise _arguments.refuse("total_loss", total_loss, f"in [0, n_rounds={n_rounds}]")
    mixture = sequences.progressive_mixture(total=total_loss, n=n_rounds, delta=delta)
    return Guarantee(
        quantity="the average conditional risk of h_1 .. h_T",
        bound=mixture.bound,
        assumes={"judged_before": _BEFORE, "range": "losses lie in [0, 1]"},
        reference="surelearn theory pages; sharpens Cesa-Bianchi and Gentile, IEEE IT 54 (2008)",
        confidence=mixture.confidence,
        validity="anytime",
        trivial=1.0,
    )


@theorem(realised=("regret",))
def average_hypothesis_excess(
    *, regret: float, n_rounds: int, delta: float, loss_range: float = 1.0
) -> Guarantee:
    """Bound the excess risk of the averaged model by regret / T + 2 M sqrt(ln(2/delta) / (2 T)).

    Examples
    --------
    >>> round(average_hypothesis_excess(regret=25.0, n_rounds=1000, delta=0.05).bound, 5)
    0.11089
    """
    deviation = _deviation(n_rounds, _arguments.open_fraction("delta", delta) / 2.0)
    return _excess(regret, n_rounds, delta, loss_range, deviation, "Mohri et al. (2018), 7.13")


@theorem(realised=("regret",))
def paired_excess(
    *, regret: float, n_rounds: int, delta: float, loss_range: float = 1.0
) -> Guarantee:
    """Bound the same excess risk by regret / T + 2 M sqrt(ln(1/delta) / (2 T)): one martingale.

    Loss of the learner minus loss of the best model is a single sequence: delta need not be halved.

    Examples
    --------
    >>> round(paired_excess(regret=25.0, n_rounds=1000, delta=0.05).bound, 5)
    0.1024
    """
    deviation = _deviation(n_rounds, _arguments.open_fraction("delta", delta))
    reference = "surelearn theory pages; sharpens Mohri et al. (2018), theorem 7.13"
    return _excess(regret, n_rounds, delta, loss_range, deviation, reference)


@theorem
def hedge_excess(*, n_experts: int, n_rounds: int, delta: float) -> Guarantee:
    """Bound the excess risk of the average of Hedge, tuned to T, over the best expert.

    Examples
    --------
    >>> round(hedge_excess(n_experts=10, n_rounds=1000, delta=0.05).bound, 6)
    0.119825
    """
    n_experts = _arguments.count("n_experts", n_experts, at_least=1)
    n_rounds = _arguments.count("n_rounds", n_rounds, at_least=1)
    regret = math.sqrt(n_rounds * math.log(n_experts) / 2.0)
    deviation = _deviation(n_rounds, _arguments.open_fraction("delta", delta) / 2.0)
    return _excess(regret, n_rounds, delta, 1.0, deviation, "Mohri et al. (2018), after 7.13")


@theorem
def random_stopping(*, mistake_bound: float, n: int) -> Guarantee:
    """Bound the error on a fresh example after training on the first t of n, t random in 1..n.

    Examples
    --------
    >>> round(random_stopping(mistake_bound=2, n=4).bound, 10)
    0.5
    """
    mistake_bound = _arguments.non_negative("mistake_bound", mistake_bound)
    return Guarantee(
        quantity="the probability of an error, over sample, stopping time and fresh example",
        bound=_rounding.up(mistake_bound / _arguments.count("n", n, at_least=1)),
        assumes={
            "independent": _IID,
            "mistake_bound": "the learner errs at most mistake_bound times on every sequence of "
            "n + 1 examples",
        },
        reference="Helmbold and Warmuth, J. Computer and System Sciences 50 (1995)",
        confidence=None,
        validity="in-expectation",
        trivial=1.0,
    )


def suffix_snapshots(*, n: int) -> tuple[int, int, int]:
    """Return after how many of n examples `last_iterate_suffix` needs a copy of the model.

    Examples
    --------
    >>> suffix_snapshots(n=1000)
    (500, 750, 875)
    """
    n = _arguments.count("n", n, at_least=1)
    return n // 2, 3 * n // 4, 7 * n // 8


@theorem(realised=("errors",))
def last_iterate_suffix(*, errors: ArrayLike, n: int, delta: float) -> Guarantee:
    """Bound the risk of the best of three snapshots of an online learner by what came after each.

    `errors` counts the errors of the frozen snapshots on the examples that followed them; the
    snapshot certified is the one with the smallest bound. Each is tested at delta / 3.

    Examples
    --------
    >>> round(last_iterate_suffix(errors=[30, 14, 8], n=1000, delta=0.05).bound, 4)
    0.0868
    """
    starts = suffix_snapshots(n=n)
    counts = _arguments.vector("errors", errors, low=0.0)
    if len(counts) != len(starts):
        raise _arguments.refuse("errors", errors, "three counts, one for each snapshot")
    level = _arguments.open_fraction("delta", delta) / len(starts)
    bounds = [
        float(inversions.binomial_upper(_arguments.count("errors", k, at_most=n - s), n - s, level))
        for k, s in zip(counts.tolist(), starts, strict=True)
    ]
    best = min(bounds)
    return Guarantee(
        quantity=f"the risk of the model after {starts[bounds.index(best)]} examples",
        bound=best,
        assumes={
            "independent": _IID,
            "fixed_before": "each snapshot depends only on the examples before it",
        },
        reference="surelearn theory pages; Clopper and Pearson, Biometrika 26 (1934)",
        confidence=_arguments.confidence_from(delta),
        validity="fixed-n",
        trivial=1.0,
    )


def _deviation(n_rounds: int, level: float) -> float:
    return math.sqrt(-math.log(level) / (2.0 * _arguments.count("n_rounds", n_rounds, at_least=1)))


def _excess(
    regret: float, n_rounds: int, delta: float, loss_range: float, deviation: float, reference: str
) -> Guarantee:
    regret, loss_range = (
        _arguments.real("regret", regret),
        _arguments.positive("loss_range", loss_range),
    )
    return Guarantee(
        quantity="R(average of h_1 .. h_T) - inf R over the comparison class",
        bound=_rounding.up(regret / n_rounds + 2.0 * loss_range * deviation),
        assumes={
            "judged_before": _BEFORE,
            "independent": _IID,
            "convex": _CONVEX,
            "range": _IN_RANGE,
        },
        reference=reference,
        confidence=_arguments.confidence_from(delta),
        validity="fixed-n",
        trivial=loss_range,
    )
