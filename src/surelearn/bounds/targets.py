"""Several targets in an order fixed beforehand: each at the whole delta, until one is missed.

If the targets are tried in this order, and none after the first that is missed, then with
probability 1 - delta all that were called met are met, and the bound of the first that was missed
is true. For let i be the first target that is not met in truth. To call it met, its bound must be
false; to stop there with a false bound, too; and stopping before, at a target that is met in truth
but not proved, the bound lies below the target and is true. Both errors are the event that one
bound, of a fixed index, is false. (Hsu and Berger, 1999, for confidence sets of stepwise tests.)
"""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, cast

from surelearn import _arguments
from surelearn.bounds._guarantee import Guarantee, theorem

_IN_ORDER = {
    "order": "the targets and their order were fixed beforehand, and those before were met"
}


@theorem(realised=("statistics",))
def in_order(
    *, method: str, statistics: Mapping[str, Any], target: float, delta: float
) -> Guarantee:
    """State that a target is met, and no more: it is one of several, tried in order.

    `method` names the theorem whose bound proves it, and `statistics` are its inputs but delta.

    Examples
    --------
    >>> guarantee = in_order(
    ...     method="concentration.clopper_pearson", statistics={"errors": 0, "n": 100},
    ...     target=0.2, delta=0.05,
    ... )
    >>> guarantee.bound
    0.2
    """
    from surelearn.bounds import state  # noqa: PLC0415 - the package knows all theorems, and this

    value = _arguments.real("target", target)
    if not isinstance(cast("object", method), str) or method.startswith("targets."):
        raise _arguments.refuse("method", method, "a theorem about one quantity")
    if not isinstance(cast("object", statistics), Mapping):
        raise _arguments.refuse("statistics", statistics, "the inputs of a theorem, by name")
    try:
        found = state(method, {**statistics, "delta": delta})
    except TypeError as error:
        domain = f"the inputs of {method}, all but delta ({error})"
        raise _arguments.refuse("statistics", statistics, domain) from None
    is_met = found.bound <= value if found.direction == "upper" else found.bound >= value
    if not is_met:
        domain = f"proved by {method}, whose bound is {found.bound:g}"
        raise _arguments.refuse("target", target, domain)
    return replace(found, bound=value, assumes={**found.assumes, **_IN_ORDER})
