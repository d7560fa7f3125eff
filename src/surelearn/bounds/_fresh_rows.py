"""What claims about rates assume of the rows they were counted on, and the claims themselves."""

from collections.abc import Mapping
from typing import Literal

from surelearn import _arguments
from surelearn.bounds._guarantee import Guarantee, Validity

ROWS = {
    "independent": "the rows are i.i.d. draws from the population, used neither to fit, tune, "
    "calibrate nor choose the model"
}
IN_CLASS = {
    "independent": "given their classes the rows are independent draws, used neither to fit, tune, "
    "calibrate nor choose the model"
}
FIXED = {"fixed_before": "what is claimed, its threshold and delta were fixed before looking"}
MIX = {"class_frequencies": "the rows were not sampled by class: classes are as frequent as in use"}
BINOMIAL = "Clopper and Pearson, Biometrika 26 (1934), given the number of rows that count"


def claim(
    quantity: str,
    bound: float,
    delta: float,
    assumes: Mapping[str, str],
    *,
    direction: Literal["upper", "lower"] = "upper",
    reference: str = BINOMIAL,
    validity: Validity = "fixed-n",
    trivial: float | None = None,
) -> Guarantee:
    """Return the statement that a quantity is at most, or at least, so much.

    `trivial` is what is known of it without a proof; of a share, 1 or 0.
    """
    of_a_share = 1.0 if direction == "upper" else 0.0
    return Guarantee(
        quantity=quantity,
        bound=bound,
        assumes=assumes,
        reference=reference,
        confidence=_arguments.confidence_from(delta),
        direction=direction,
        validity=validity,
        trivial=of_a_share if trivial is None else trivial,
    )
