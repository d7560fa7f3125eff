"""Online learners that keep a matrix: least squares and Newton steps, logarithmic in the rounds.

A = regularization x identity + the sum of x x' seen so far. The comparator of the least-squares
bounds pays regularization x |u|^2 as well: the excess is over the regularised best loss.
"""

import math

from scipy import special

from surelearn import _arguments
from surelearn.bounds import _rounding
from surelearn.bounds._guarantee import Guarantee, theorem
from surelearn.bounds._online import rounds

_VANISHING = 1e-290  # below it squares of norms lose their digits
_EXCESS = "square loss in excess of min over u of regularization |u|^2 + square loss of u"
_VAW = "Vovk, International Statistical Review 69 (2001); Azoury and Warmuth, ML 43 (2001)"
_LOG_DET = "log_determinant is ln det(A / regularization) after the last round"
_BOUNDED = "no target exceeds target_bound in absolute value"
_FORECASTER = "the prediction is x' A^-1 b with x in A and its target not yet in b"


@theorem(realised=("log_determinant",))
def vovk_azoury_warmuth(*, target_bound: float, log_determinant: float) -> Guarantee:
    """Bound the excess loss of the forecaster by the largest squared target x log-determinant.

    The algorithm uses neither the size of the targets nor that of the inputs.

    Examples
    --------
    >>> import math
    >>> round(vovk_azoury_warmuth(target_bound=2.0, log_determinant=math.log(17.0)).bound, 6)
    11.332853
    """
    largest = _arguments.non_negative("target_bound", target_bound)
    volume = _arguments.non_negative("log_determinant", log_determinant)
    return Guarantee(
        quantity=_EXCESS,
        bound=_rounding.up(largest * volume * largest),
        assumes={"algorithm": _FORECASTER, "targets": _BOUNDED, "measured": _LOG_DET},
        reference=_VAW,
    )


@theorem
def vovk_azoury_warmuth_apriori(
    *,
    target_bound: float,
    input_norm: float,
    regularization: float,
    dimension: int,
    n_rounds: int,
) -> Guarantee:
    """Bound the excess loss of the forecaster before the run: Y^2 d ln(1 + T X^2 / (lambda d)).

    Examples
    --------
    >>> guarantee = vovk_azoury_warmuth_apriori(
    ...     target_bound=1.0, input_norm=1.0, regularization=1.0, dimension=5, n_rounds=1000
    ... )
    >>> round(guarantee.bound, 4)
    26.5165
    """
    largest = _arguments.non_negative("target_bound", target_bound)
    volume = log_determinant_bound(
        input_norm=input_norm, regularization=regularization, dimension=dimension, n_rounds=n_rounds
    )
    value = largest * volume * largest
    if volume < _VANISHING and input_norm > 0.0:  # ln(1 + x) <= x, and squares come last
        value = (largest * input_norm * math.sqrt(n_rounds) / math.sqrt(regularization)) ** 2
    return Guarantee(
        quantity=_EXCESS,
        bound=_rounding.up(value),
        assumes={
            "algorithm": _FORECASTER,
            "targets": _BOUNDED,
            "radius": "no input is longer than input_norm",
        },
        reference=_VAW,
    )


@theorem(realised=("target_sum", "prediction_sum"))
def vovk_azoury_warmuth_realised(*, target_sum: float, prediction_sum: float) -> Guarantee:
    """Give the excess loss of the forecaster exactly: an identity.

    With q = x' A^-1 x, `target_sum` sums y^2 q and `prediction_sum` sums prediction^2 q / (1 - q).

    Examples
    --------
    >>> round(vovk_azoury_warmuth_realised(target_sum=3.9, prediction_sum=0.36).bound, 6)
    3.54
    """
    gain = _arguments.non_negative("target_sum", target_sum)
    shrink = _arguments.non_negative("prediction_sum", prediction_sum)
    return Guarantee(
        quantity=_EXCESS,
        bound=_rounding.up(gain) - _rounding.down(shrink),
        assumes={"algorithm": _FORECASTER, "measured": "the sums are those of the run"},
        reference=f"surelearn theory pages; sharpens {_VAW}",
    )


@theorem(realised=("largest_error", "log_determinant"))
def online_ridge(*, largest_error: float, log_determinant: float) -> Guarantee:
    """Bound the excess loss of plain ridge predictions by their largest squared error x log-det.

    Examples
    --------
    >>> round(online_ridge(largest_error=2.0, log_determinant=3.0).bound, 6)
    12.0
    """
    error = _arguments.non_negative("largest_error", largest_error)
    volume = _arguments.non_negative("log_determinant", log_determinant)
    return Guarantee(
        quantity=_EXCESS,
        bound=_rounding.up(error * volume * error),
        assumes={
            "algorithm": "the prediction is that of ridge regression on the past",
            "measured": _LOG_DET,
        },
        reference="Zhdanov and Kalnishkan, ALT (2010)",
    )


@theorem(realised=("log_determinant",))
def online_ridge_clipped(*, target_bound: float, log_determinant: float) -> Guarantee:
    """Bound the excess loss of ridge predictions clipped to [-Y, Y]: 4 Y^2 x log-determinant.

    Examples
    --------
    >>> round(online_ridge_clipped(target_bound=2.0, log_determinant=3.0).bound, 6)
    48.0
    """
    largest = _arguments.non_negative("target_bound", target_bound)
    volume = _arguments.non_negative("log_determinant", log_determinant)
    return Guarantee(
        quantity=_EXCESS,
        bound=_rounding.up(4.0 * largest * volume * largest),
        assumes={
            "algorithm": "ridge predictions are clipped to the range of the targets",
            "targets": _BOUNDED,
            "measured": _LOG_DET,
        },
        reference="Zhdanov and Kalnishkan, ALT (2010)",
    )


def log_determinant_bound(
    *, input_norm: float, regularization: float, dimension: int, n_rounds: int
) -> float:
    """Return d ln(1 + T X^2 / (lambda d)), the most ln det(A / lambda) can be after T rounds.

    Examples
    --------
    >>> round(
    ...     log_determinant_bound(input_norm=1.0, regularization=1.0, dimension=5, n_rounds=1000), 4
    ... )
    26.5165
    """
    d, horizon = _arguments.count("dimension", dimension, at_least=1), rounds(n_rounds)
    squares = horizon * _arguments.non_negative("input_norm", input_norm) ** 2
    return d * math.log1p(squares / (_arguments.positive("regularization", regularization) * d))


def online_newton_step_rate(
    *, exp_concavity: float, gradient_norm: float, diameter: float
) -> float:
    """Return gamma = 2 (x - ln(1 + x)) / (x G D), x = alpha G D, the rate of the Newton steps.

    At least the usual min(1 / (G D), alpha) / 2; the regularization is 1 / (gamma D)^2.

    Examples
    --------
    >>> round(online_newton_step_rate(exp_concavity=1.0, gradient_norm=1.0, diameter=1.0), 7)
    0.6137056
    """
    alpha = _arguments.positive("exp_concavity", exp_concavity)
    steepness = _arguments.positive("gradient_norm", gradient_norm)
    x = alpha * steepness * _arguments.positive("diameter", diameter)
    # (x - ln(1 + x)) / x^2 is half this hypergeometric function, without its cancellation.
    return alpha * float(special.hyp2f1(1.0, 2.0, 3.0, -x))


@theorem(realised=("exp_concavity",))
def online_newton_step(
    *,
    exp_concavity: float,
    gradient_norm: float,
    diameter: float,
    dimension: int,
    n_rounds: int,
) -> Guarantee:
    """Bound the regret of the Online Newton Step: (1 + d ln(1 + (gamma G D)^2 T / d)) / (2 gamma).

    Examples
    --------
    >>> guarantee = online_newton_step(
    ...     exp_concavity=0.5, gradient_norm=1.0, diameter=2.0, dimension=3, n_rounds=1000
    ... )
    >>> round(guarantee.bound, 4)
    25.2919
    """
    rate = online_newton_step_rate(
        exp_concavity=exp_concavity, gradient_norm=gradient_norm, diameter=diameter
    )
    d, horizon = _arguments.count("dimension", dimension, at_least=1), rounds(n_rounds)
    volume = d * math.log1p((rate * gradient_norm * diameter) ** 2 * horizon / d)
    return Guarantee(
        quantity="regret to every point of the set",
        bound=_rounding.up((1.0 + volume) / (2.0 * rate)),
        assumes=_newton_assumptions(),
        reference="surelearn theory pages; sharpens Hazan, Agarwal and Kale, ML 69 (2007)",
        trivial=gradient_norm * diameter * horizon,
    )


@theorem(realised=("exp_concavity", "sum_quadratic_forms"))
def online_newton_step_realised(
    *, exp_concavity: float, gradient_norm: float, diameter: float, sum_quadratic_forms: float
) -> Guarantee:
    """Bound the regret of the Online Newton Step by the sum of g' A^-1 g of the run.

    Examples
    --------
    >>> guarantee = online_newton_step_realised(
    ...     exp_concavity=0.5, gradient_norm=1.0, diameter=2.0, sum_quadratic_forms=9.0
    ... )
    >>> round(guarantee.bound, 4)
    16.2945
    """
    rate = online_newton_step_rate(
        exp_concavity=exp_concavity, gradient_norm=gradient_norm, diameter=diameter
    )
    forms = _arguments.non_negative("sum_quadratic_forms", sum_quadratic_forms)
    return Guarantee(
        quantity="regret to every point of the set",
        bound=_rounding.up((1.0 + forms) / (2.0 * rate)),
        assumes=_newton_assumptions(),
        reference="Hazan, Agarwal and Kale, Machine Learning 69 (2007)",
    )


def _newton_assumptions() -> dict[str, str]:
    return {
        "exp_concave": "exp(-alpha loss) is concave on the set, alpha = exp_concavity",
        "gradient": "no gradient is longer than gradient_norm; the set has this diameter",
        "learning_rate": "the rate is online_newton_step_rate and the regularization "
        "1 / (rate x diameter)^2",
    }
