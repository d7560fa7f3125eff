"""A bound on the risk of one model carried to another: by the rows on which the two differ.

A model that was refitted, exported or quantised answers most rows as the certified one did. Where
the two agree they are right or wrong together, so that only the rows on which they differ count;
these need no labels, or few. `delta` is for both statements together: `risk_delta` of it was spent
on the risk of the old model, and the rest is for the difference.
"""

from collections.abc import Mapping

from surelearn import _arguments
from surelearn.bounds import _rounding, inversions, regions
from surelearn.bounds._guarantee import Guarantee, theorem, with_confidence

_ROWS = {
    "carried": "the bound on the risk of the old model holds, but for its own failure probability",
    "independent": (
        "the rows are i.i.d. draws from the law that the bound on the risk speaks of, used neither "
        "to make nor to choose either model"
    ),
}
_FIXED = {"fixed_before": "the new model and delta were fixed before the two were compared"}
_QUANTITY = "the risk of the new model"


@theorem(realised=("risk", "disagreements"))
def unlabelled(
    *, risk: float, risk_delta: float, disagreements: int, n: int, delta: float
) -> Guarantee:
    """Bound the risk of a new model by that of an old one and the share of rows where they differ.

    Examples
    --------
    >>> carried = unlabelled(risk=0.06, risk_delta=0.001, disagreements=4, n=1000, delta=0.05)
    >>> round(carried.bound, 6)
    0.069162
    """
    rest = _rest(delta, risk_delta)
    n = _arguments.count("n", n, at_least=1)
    found = _arguments.count("disagreements", disagreements, at_most=n)
    differ = float(inversions.binomial_upper(found, n, rest))
    reference = "Clopper and Pearson, Biometrika 26 (1934); surelearn theory pages"
    return _state(_risk(risk) + differ, delta, _FIXED, reference)


@theorem(realised=("risk", "only_new_wrong", "only_old_wrong"))
def labelled(
    *,
    risk: float,
    risk_delta: float,
    only_new_wrong: int,
    only_old_wrong: int,
    n: int,
    delta: float,
    tolerance: float = 0.01,
) -> Guarantee:
    """Bound the risk of a new model by that of an old one and the labels where they differ.

    Of n rows only those need a label on which the models differ.

    Examples
    --------
    >>> carried = labelled(risk=0.06, risk_delta=0.001, only_new_wrong=2, only_old_wrong=10,
    ...                    n=1000, delta=0.05)
    >>> round(carried.bound, 4)
    0.0582
    """
    rest = _rest(delta, risk_delta)
    n = _arguments.count("n", n, at_least=1)
    new = _arguments.count("only_new_wrong", only_new_wrong, at_most=n)
    old = _arguments.count("only_old_wrong", only_old_wrong, at_most=n - new)
    more = regions.error_difference(
        only_first_wrong=new, only_second_wrong=old, n=n, delta=rest, tolerance=tolerance
    ).bound
    reference = "Buehler, Journal of the American Statistical Association 52 (1957); surelearn"
    fixed = {
        "fixed_before": "the new model, delta and that labels would be asked for were fixed before "
        "the two were compared",
        "all_labels": "every row on which the models differ has its label",
    }
    return _state(_risk(risk) + more, delta, fixed, f"{reference} theory pages")


def _rest(delta: float, risk_delta: float) -> float:
    """Return what is left of delta for the difference of the models, rounded down."""
    both = _arguments.open_fraction("delta", delta)
    spent = _arguments.open_fraction("risk_delta", risk_delta)
    if not spent < both:
        raise _arguments.refuse("delta", delta, f"above risk_delta={risk_delta:g}, a part of it")
    return _rounding.down(both - spent)


def _risk(risk: float) -> float:
    return _arguments.fraction("risk", risk)


def _state(bound: float, delta: float, fixed: Mapping[str, str], reference: str) -> Guarantee:
    """Return the statement about the new model; no risk is below 0, whatever the difference is."""
    bound = max(_rounding.up(bound), 0.0)
    return with_confidence(_QUANTITY, bound, delta, {**_ROWS, **fixed}, reference=reference)
