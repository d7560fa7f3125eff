"""How often other linear learners err: Winnow, second-order Perceptron, Passive-Aggressive.

The Winnows measure rows by their largest feature and comparators by the sum of their weights, the
others use Euclidean norms. A score of exactly 0 counts as a mistake.
"""

import math

import numpy as np

from surelearn import _arguments
from surelearn._typing import ArrayLike
from surelearn._wording import exactly
from surelearn.bounds import _rounding
from surelearn.bounds._guarantee import Guarantee, theorem
from surelearn.bounds._mistakes import LOSS, MISTAKES, RADIUS, largest_count, slope

_WINNOW = "normalised weights, multiplied by exp(learning_rate y x) on mistakes only"
_FEATURES = "no feature exceeds radius in absolute value"
_MARGIN = "weights >= 0 of sum 1 give every row a signed score of at least margin"
_SECOND_ORDER = "the second-order Perceptron starts at 0 and updates on mistakes only"
_COMPARATOR = "comparator_loss is that of one comparator of length norm, over rounds with a loss"
_SQUARED_LOSSES = "the sum of squared losses; for classification also the number of mistakes"


@theorem(realised=("divergence", "margin", "radius", "margin_loss"))
def normalized_winnow(
    *,
    divergence: float,
    margin: float,
    radius: float,
    learning_rate: float,
    margin_loss: float = 0.0,
) -> Guarantee:
    """Bound the mistakes of normalised Winnow at any learning rate, on any sequence.

    `divergence` is the relative entropy of the comparator to the first weights: at most ln N from
    uniform ones. `margin_loss` sums max(0, margin - signed score of the comparator) over mistakes.

    Examples
    --------
    >>> g = normalized_winnow(divergence=2.0, margin=1.0, radius=1.0, learning_rate=1.0)
    >>> round(g.bound, 4)
    3.5322
    """
    rate = _arguments.positive("learning_rate", learning_rate)
    gain = rate * _arguments.positive("margin", margin)
    cost = _log_cosh(rate * _arguments.positive("radius", radius))
    denominator = _rounding.down(gain) - _rounding.up(cost)
    if denominator <= 0.0:
        raise _arguments.refuse(
            "learning_rate", learning_rate, "so small that rate margin > ln cosh(rate radius)"
        )
    total = _arguments.non_negative("divergence", divergence)
    total += rate * _arguments.non_negative("margin_loss", margin_loss)
    return Guarantee(
        quantity=MISTAKES,
        bound=_rounding.up(total / denominator),
        assumes={
            "algorithm": _WINNOW,
            "radius": _FEATURES,
            "comparator": "the comparator has weights >= 0 of sum 1",
        },
        reference="surelearn theory pages; sharpens Grove, Littlestone and Schuurmans (2001)",
    )


@theorem(realised=("divergence", "margin", "radius"))
def normalized_winnow_separable(*, divergence: float, margin: float, radius: float) -> Guarantee:
    """Bound the mistakes of normalised Winnow at the best learning rate for rows of a margin.

    With margin = radius that rate is infinite and the bound that of Halving, log2 N.

    Examples
    --------
    >>> g = normalized_winnow_separable(divergence=2.772588722239781, margin=1.0, radius=1.0)
    >>> round(g.bound, 10)
    4.0
    """
    total = _arguments.non_negative("divergence", divergence)
    return Guarantee(
        quantity=MISTAKES,
        bound=_over_conjugate(total, margin, radius),
        assumes={
            "algorithm": _WINNOW,
            "learning_rate": "learning_rate is artanh(margin / radius) / radius",
            "radius": _FEATURES,
            "separable": _MARGIN,
        },
        reference="surelearn theory pages; sharpens Grove, Littlestone and Schuurmans (2001)",
    )


@theorem(realised=("margin", "radius"))
def balanced_winnow(*, n_features: int, margin: float, radius: float) -> Guarantee:
    """Bound the mistakes of normalised Winnow on each feature and its negative.

    `margin` is the least signed score of a comparator whose weights, of any sign, have absolute
    values of sum 1.

    Examples
    --------
    >>> round(balanced_winnow(n_features=8, margin=1.0, radius=1.0).bound, 10)
    4.0
    """
    log_features = math.log(2 * _arguments.count("n_features", n_features, at_least=1))
    return Guarantee(
        quantity=MISTAKES,
        bound=_over_conjugate(log_features, margin, radius),
        assumes={
            "algorithm": _WINNOW,
            "start": "each feature comes with its negative, all 2 n_features weights start equal",
            "learning_rate": "learning_rate is artanh(margin / radius) / radius",
            "radius": _FEATURES,
            "separable": (
                "weights with absolute values of sum 1 give every row a signed score >= margin"
            ),
        },
        reference="surelearn theory pages; sharpens Grove, Littlestone and Schuurmans (2001)",
    )


@theorem(realised=("radius", "hinge_loss"))
def self_tuned_winnow(
    *, n_features: int, norm: float, radius: float, hinge_loss: float
) -> Guarantee:
    """Bound the mistakes of balanced Winnow at the rates sqrt(ln(2 n_features) / m) / radius.

    `norm` is the comparator's sum of absolute weights; neither it nor a margin need be known.

    Examples
    --------
    >>> g = self_tuned_winnow(n_features=100, norm=1.0, radius=1.0, hinge_loss=0.0)
    >>> round(g.bound, 4)
    21.1933
    """
    log_features = math.log(2 * _arguments.count("n_features", n_features, at_least=1))
    loss = _arguments.non_negative("hinge_loss", hinge_loss)
    steepness = 2.0 * slope(radius, norm) * math.sqrt(log_features)
    return Guarantee(
        quantity=MISTAKES,
        bound=_rounding.up(largest_count(steepness, loss)),
        assumes={
            "doubled_features": "each feature comes with its negative",
            "algorithm": (
                "before the m-th mistake the weights are exp(rate m times the signed rows erred on)"
            ),
            "radius": _FEATURES,
            "loss": LOSS,
        },
        reference="surelearn theory pages; sharpens Grove, Littlestone and Schuurmans (2001)",
    )


@theorem(realised=("hinge_loss", "sum_squared_scores", "sum_leverages"))
def second_order_perceptron(
    *,
    hinge_loss: float,
    norm: float,
    regularization: float,
    sum_squared_scores: float,
    sum_leverages: float,
) -> Guarantee:
    """Bound the mistakes of the second-order Perceptron by the leverages of the rows it erred on.

    `sum_squared_scores` sums the comparator's squared scores, `sum_leverages` x' A^-1 x after the
    update, both over the mistakes.

    Examples
    --------
    >>> g = second_order_perceptron(
    ...     hinge_loss=0, norm=5, regularization=1, sum_squared_scores=25, sum_leverages=12.5
    ... )
    >>> round(g.bound, 10)
    25.0
    """
    leverages = _arguments.non_negative("sum_leverages", sum_leverages)
    return Guarantee(
        quantity=MISTAKES,
        bound=_second_order(hinge_loss, norm, regularization, sum_squared_scores, leverages),
        assumes={"start": _SECOND_ORDER, "loss": LOSS},
        reference="Cesa-Bianchi, Conconi and Gentile, SIAM Journal on Computing 34 (2005)",
    )


@theorem(realised=("hinge_loss", "sum_squared_scores", "eigenvalues"))
def second_order_perceptron_log_det(
    *,
    hinge_loss: float,
    norm: float,
    regularization: float,
    sum_squared_scores: float,
    eigenvalues: ArrayLike,
) -> Guarantee:
    """Bound the mistakes of the second-order Perceptron by the spectrum of the rows it erred on.

    Examples
    --------
    >>> g = second_order_perceptron_log_det(
    ...     hinge_loss=0, norm=2, regularization=1, sum_squared_scores=4, eigenvalues=[2, 2]
    ... )
    >>> round(g.bound, 4)
    4.1926
    """
    spectrum = _arguments.vector("eigenvalues", eigenvalues, low=0.0)
    with np.errstate(over="ignore"):  # to infinity, as the bound does
        log_det = float(
            np.log1p(spectrum / _arguments.positive("regularization", regularization)).sum()
        )
    return Guarantee(
        quantity=MISTAKES,
        bound=_second_order(hinge_loss, norm, regularization, sum_squared_scores, log_det),
        assumes={
            "start": _SECOND_ORDER,
            "loss": LOSS,
            "measured": "eigenvalues are those of the sum of x x' over the mistakes",
        },
        reference="Cesa-Bianchi, Conconi and Gentile, SIAM Journal on Computing 34 (2005)",
    )


@theorem(realised=("radius", "comparator_loss"))
def passive_aggressive(*, radius: float, norm: float, comparator_loss: float = 0.0) -> Guarantee:
    """Bound the squared losses of Passive-Aggressive learning without a limit on the step.

    `comparator_loss` sums the comparator's squared loss divided by the row's squared norm.

    Examples
    --------
    >>> round(passive_aggressive(radius=2.0, norm=1.5).bound, 10)
    9.0
    """
    norm = _arguments.non_negative("norm", norm)
    loss = math.sqrt(_arguments.non_negative("comparator_loss", comparator_loss))
    root = _arguments.non_negative("radius", radius) * (loss + math.hypot(loss, norm))
    return Guarantee(
        quantity=_SQUARED_LOSSES,
        bound=_rounding.up(root * root),
        assumes={
            "start": "weights start at 0, the steps are those of PA",
            "radius": RADIUS,
            "nonzero_rows": "no row is zero",
            "loss": _COMPARATOR,
        },
        reference="surelearn theory pages; sharpens Crammer et al., JMLR 7 (2006), theorem 3",
    )


@theorem(realised=("radius", "comparator_loss", "loss_level"))
def passive_aggressive_1(
    *,
    radius: float,
    norm: float,
    aggressiveness: float,
    comparator_loss: float,
    loss_level: float = 1.0,
) -> Guarantee:
    """Bound the mistakes of PA-I, or how often its loss reaches any other level.

    `aggressiveness` is the largest step C, `comparator_loss` the sum of the comparator's losses.

    Examples
    --------
    >>> g = passive_aggressive_1(radius=1.0, norm=3.0, aggressiveness=1.0, comparator_loss=4.0)
    >>> round(g.bound, 10)
    17.0
    """
    level, step = _arguments.positive("loss_level", loss_level), _step(aggressiveness)
    scaled = _arguments.non_negative("radius", radius) / level
    return Guarantee(
        quantity=(
            f"the number of losses of at least {exactly(level)}; every mistake has loss 1 or more"
        ),
        bound=_rounding.up(
            max(scaled * scaled, 1.0 / step / level) * _capital(norm, step, comparator_loss)
        ),
        assumes={
            "start": "weights start at 0, the steps are those of PA-I",
            "radius": RADIUS,
            "loss": _COMPARATOR,
        },
        reference="Crammer et al., JMLR 7 (2006), theorem 4",
    )


@theorem(realised=("comparator_loss",))
def passive_aggressive_1_losses(
    *, norm: float, aggressiveness: float, comparator_loss: float
) -> Guarantee:
    """Bound the sum of step times loss of PA-I by norm^2 + 2 C comparator_loss.

    Examples
    --------
    >>> g = passive_aggressive_1_losses(norm=3.0, aggressiveness=1.0, comparator_loss=4.0)
    >>> round(g.bound, 10)
    17.0
    """
    return Guarantee(
        quantity="the sum of step times loss",
        bound=_rounding.up(_capital(norm, _step(aggressiveness), comparator_loss)),
        assumes={"start": "weights start at 0, the steps are those of PA-I", "loss": _COMPARATOR},
        reference="Crammer et al., JMLR 7 (2006)",
    )


@theorem(realised=("radius", "comparator_loss"))
def passive_aggressive_2(
    *, radius: float, norm: float, aggressiveness: float, comparator_loss: float
) -> Guarantee:
    """Bound the squared losses of PA-II, `comparator_loss` being the comparator's squared losses.

    Examples
    --------
    >>> g = passive_aggressive_2(radius=1.0, norm=3.0, aggressiveness=0.5, comparator_loss=4.0)
    >>> round(g.bound, 10)
    26.0
    """
    radius, step = _arguments.non_negative("radius", radius), _step(aggressiveness)
    scale = radius * radius + 0.5 / step
    return Guarantee(
        quantity=_SQUARED_LOSSES,
        bound=_rounding.up(scale * _capital(norm, step, comparator_loss)),
        assumes={
            "start": "weights start at 0, the steps are those of PA-II",
            "radius": RADIUS,
            "loss": _COMPARATOR,
        },
        reference="Crammer et al., JMLR 7 (2006), theorem 5",
    )


def _over_conjugate(total: float, margin: float, radius: float) -> float:
    """Return total / d(r), d(r) = ((1+r) ln(1+r) + (1-r) ln(1-r)) / 2 at r = margin / radius.

    d is the conjugate of ln cosh, written as r artanh(r) + ln(1 - r^2) / 2, which loses no digits
    when r is small.
    """
    radius, margin = _arguments.positive("radius", radius), _arguments.real("margin", margin)
    if not 0.0 < margin <= radius:
        raise _arguments.refuse("margin", margin, f"above 0 and at most radius={radius:g}")
    r, rest = margin / radius, (radius - margin) / radius
    if r > 0.5:
        conjugate = ((1.0 + r) * math.log1p(r) + (rest and rest * math.log(rest))) / 2.0
    else:
        conjugate = r * math.atanh(r) + math.log1p(-r * r) / 2.0
    return _rounding.up(total / conjugate) if conjugate > 0.0 else math.inf


def _log_cosh(x: float) -> float:
    if x > 1.0:
        return x + math.log1p(math.exp(-2.0 * x)) - math.log(2.0)
    half = math.sinh(x / 2.0)
    return math.log1p(2.0 * half * half)


def _second_order(
    hinge_loss: float, norm: float, regularization: float, squared_scores: float, spread: float
) -> float:
    norm = _arguments.non_negative("norm", norm)
    length = _arguments.positive("regularization", regularization) * norm * norm
    length += _arguments.non_negative("sum_squared_scores", squared_scores)
    loss = _arguments.non_negative("hinge_loss", hinge_loss)
    return _rounding.up(loss + math.sqrt(length) * math.sqrt(spread))


def _step(aggressiveness: float) -> float:
    return _arguments.positive("aggressiveness", aggressiveness)


def _capital(norm: float, step: float, comparator_loss: float) -> float:
    norm = _arguments.non_negative("norm", norm)
    return norm * norm + 2.0 * step * _arguments.non_negative("comparator_loss", comparator_loss)
