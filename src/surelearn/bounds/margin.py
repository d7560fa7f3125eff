"""The risk of a linear or kernel classifier from the margins of its training examples.

No dimension enters, so these hold for every kernel fixed beforehand. They say something for
strongly regularised models only; `vc.linear` and `compression.campi_garatti` are usually smaller.
A weight vector 0 has margins 0, and gets a vacuous bound.
"""

import functools
import math

from scipy import special

from surelearn import _arguments
from surelearn._typing import ArrayLike
from surelearn.bounds import _margins, _pac_bayes
from surelearn.bounds._guarantee import Guarantee, theorem

_FEATURES = {
    "independent": "the examples are independent draws of one law",
    "fixed_before": (
        "the features, or the kernel, and their scaling were fixed before the data were seen"
    ),
}
_RADIUS = {
    **_FEATURES,
    "radius": (
        "all features have norm at most a radius fixed beforehand, by which margins are divided"
    ),
}
_STRENGTHS = tuple(2.0 ** (i / 2.0) for i in range(-4, 28))
_OFFSETS = tuple(i / 2.0 for i in range(7))


@theorem(realised=("margins",))
def rademacher(*, margins: ArrayLike, delta: float) -> Guarantee:
    """Bound the risk by the mean ramp loss at one of 40 margin scales, plus 2 / (scale sqrt n).

    The best scale is taken. Margins are y <w, x> / (|w| radius), negative where there is an error.

    Examples
    --------
    >>> round(rademacher(margins=[0.2] * 10_000, delta=0.05).bound, 4)
    0.1314
    """
    values = _margins.normalised(margins)
    deviation = _margins.deviation(len(values), delta)
    return Guarantee(
        quantity="the probability of a margin of 0 or less",
        bound=_margins.smallest_ramp(values, 2.0 / math.sqrt(len(values)), deviation),
        assumes=_RADIUS,
        reference="Bartlett and Mendelson, JMLR 3 (2002); Koltchinskii and Panchenko (2002)",
        confidence=_arguments.confidence_from(delta),
        validity="fixed-n",
        trivial=1.0,
    )


@theorem(realised=("margins", "mean_squared_norm"))
def rademacher_data_dependent(
    *, margins: ArrayLike, mean_squared_norm: float, delta: float
) -> Guarantee:
    """Bound the same risk with the observed norms in place of the radius.

    `mean_squared_norm` is the mean of (|x| / radius)^2 over the examples; worth it when most
    are much shorter than the radius.

    Examples
    --------
    >>> guarantee = rademacher_data_dependent(
    ...     margins=[0.2] * 10_000, mean_squared_norm=0.04, delta=0.05
    ... )
    >>> round(guarantee.bound, 4)
    0.0802
    """
    values = _margins.normalised(margins)
    length = math.sqrt(_arguments.fraction("mean_squared_norm", mean_squared_norm))
    deviation = 3.0 * _margins.deviation(len(values), delta, statements=2)
    return Guarantee(
        quantity="the probability of a margin of 0 or less",
        bound=_margins.smallest_ramp(values, 2.0 * length / math.sqrt(len(values)), deviation),
        assumes=_RADIUS,
        reference="Bartlett and Mendelson, JMLR 3 (2002)",
        confidence=_arguments.confidence_from(delta),
        validity="fixed-n",
        trivial=1.0,
    )


@theorem(realised=("margins",))
def pac_bayes_margin(*, margins: ArrayLike, delta: float) -> Guarantee:
    """Bound the risk by that of a Gaussian around the weights, the best of 224 pairs.

    Margins are y <w, x> / (|w| |x|), each example divided by its own norm (0 if that is 0): no
    radius is needed. Smaller than `rademacher` wherever the two were compared.

    Examples
    --------
    >>> round(pac_bayes_margin(margins=[0.2] * 10_000, delta=0.05).bound, 4)
    0.033
    """
    values, counts = _margins.tally(_margins.normalised(margins))
    n = int(counts.sum())

    def mean_loss(strength: float, offset: float) -> float:
        return float(counts @ special.ndtr(offset - strength * values)) / n

    candidates = [
        _pac_bayes.Candidate(
            divergence=strength**2 / 2.0,
            share=float(special.ndtr(offset)),
            mean_loss=functools.partial(mean_loss, strength, offset),
        )
        for strength in _STRENGTHS
        for offset in _OFFSETS
    ]
    return Guarantee(
        quantity="the probability of a margin of 0 or less",
        bound=_pac_bayes.smallest_fixed_risk(candidates, n, delta),
        assumes=_FEATURES,
        reference="surelearn theory pages; sharpens Langford and Shawe-Taylor, NeurIPS (2002)",
        confidence=_arguments.confidence_from(delta),
        validity="fixed-n",
        trivial=1.0,
    )
