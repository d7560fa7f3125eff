"""Losses that can be mixed: the regret to K experts stays constant however long the run.

The learner keeps weights proportional to prior x exp(-learning_rate x cumulative loss) and its
prediction loses, on every outcome, no more than the mix loss -ln(sum of weight x exp(-rate x loss))
/ rate of the experts. Square loss and relative entropy allow this; the absolute loss does not.
"""

import math

from surelearn import _arguments
from surelearn._wording import interval
from surelearn.bounds import _rounding
from surelearn.bounds._guarantee import Guarantee, theorem
from surelearn.bounds._online import REGRET, log_experts, prior_weight

_VOVK = "Vovk, JCSS 56 (1998)"
_NEVER_ABOVE = "on every outcome the learner's loss is at most the mix loss of the experts"
_SUBSTITUTION = (
    "the prediction is (low+high)/2 + (g(low) - g(high)) / (2 (high-low)), g the mix loss"
)


@theorem
def mixable(*, n_experts: int, learning_rate: float) -> Guarantee:
    """Bound the regret of mixing by ln K / rate, whatever the number of rounds.

    Examples
    --------
    >>> round(mixable(n_experts=10, learning_rate=2.0).bound, 4)
    1.1513
    """
    rate = _arguments.positive("learning_rate", learning_rate)
    return Guarantee(
        quantity=REGRET,
        bound=_rounding.up(log_experts(n_experts) / rate),
        assumes={"mix_loss": _NEVER_ABOVE, "prior": "the prior is uniform"},
        reference=_VOVK,
    )


@theorem
def mixable_prior(*, prior: float, learning_rate: float) -> Guarantee:
    """Bound the regret to one expert by ln(1 / its prior weight) / rate.

    Examples
    --------
    >>> round(mixable_prior(prior=0.5, learning_rate=2.0).bound, 4)
    0.3466
    """
    weight = prior_weight(prior)
    return Guarantee(
        quantity="the learner's losses minus those of the expert with this prior weight",
        bound=_rounding.up(-math.log(weight) / _arguments.positive("learning_rate", learning_rate)),
        assumes={"mix_loss": _NEVER_ABOVE, "prior": "the prior was fixed before the run"},
        reference=_VOVK,
    )


@theorem(realised=("sum_excess",))
def mixable_realised(*, n_experts: int, learning_rate: float, sum_excess: float) -> Guarantee:
    """Bound the regret by ln K / rate plus the learner's losses in excess of the mix losses.

    True for any predictions at all; `sum_excess` is at most 0 if every round could be mixed.

    Examples
    --------
    >>> round(mixable_realised(n_experts=10, learning_rate=2.0, sum_excess=-0.5).bound, 4)
    0.6513
    """
    rate = _arguments.positive("learning_rate", learning_rate)
    excess = _arguments.real("sum_excess", sum_excess)
    return Guarantee(
        quantity=REGRET,
        bound=_rounding.up(log_experts(n_experts) / rate) + _rounding.up(excess),
        assumes={"measured": "sum_excess is the sum of the learner's loss minus the mix loss"},
        reference=_VOVK,
    )


@theorem
def square_loss_average(*, n_experts: int, low: float = 0.0, high: float = 1.0) -> Guarantee:
    """Bound the regret of the weighted average under square loss: 2 (high - low)^2 ln K.

    Examples
    --------
    >>> round(square_loss_average(n_experts=10).bound, 4)
    4.6052
    """
    width = _width(low, high)
    return Guarantee(
        quantity=REGRET,
        bound=_rounding.up(2.0 * width**2 * log_experts(n_experts)),
        assumes={
            "range": f"outcomes and experts' predictions lie in {interval(low, high)}",
            "algorithm": (
                "the rate is 1 / (2 (high - low)^2) and the prediction the weighted average"
            ),
        },
        reference="Kivinen and Warmuth, EuroCOLT (1999)",
    )


@theorem
def square_loss_substitution(*, n_experts: int, low: float = 0.0, high: float = 1.0) -> Guarantee:
    """Bound the regret of Vovk's prediction under square loss: (high - low)^2 ln K / 2.

    The plain average does not reach this; see `square_loss_average`.

    Examples
    --------
    >>> round(square_loss_substitution(n_experts=10).bound, 4)
    1.1513
    """
    width = _width(low, high)
    return Guarantee(
        quantity=REGRET,
        bound=_rounding.up(0.5 * width**2 * log_experts(n_experts)),
        assumes={
            "range": f"outcomes and experts' predictions lie in {interval(low, high)}",
            "learning_rate": "the rate is 2 / (high - low)^2",
            "prediction": _SUBSTITUTION,
        },
        reference="Vovk, COLT (1990); Haussler, Kivinen and Warmuth, IEEE Trans. IT 44 (1998)",
    )


@theorem
def entropic(*, n_experts: int) -> Guarantee:
    """Bound the regret of the weighted average under relative entropy: ln K.

    Examples
    --------
    >>> round(entropic(n_experts=8).bound, 4)
    2.0794
    """
    return Guarantee(
        quantity=REGRET,
        bound=_rounding.up(log_experts(n_experts)),
        assumes={
            "loss_function": (
                "the loss is y ln(y/p) + (1-y) ln((1-y)/(1-p)) with outcomes in [0, 1]"
            ),
            "algorithm": "the rate is 1 and the prediction the weighted average",
        },
        reference="Kivinen and Warmuth, EuroCOLT (1999)",
    )


def _width(low: float, high: float) -> float:
    low, high = _arguments.real("low", low), _arguments.real("high", high)
    if not low < high:
        raise _arguments.refuse("high", high, f"above low={low:g}")
    return high - low
