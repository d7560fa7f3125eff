"""What an ensemble may be made of."""

from typing import Any

from sklearn.utils import get_tags

from surelearn import _arguments


def refuse_other_kinds(estimator: Any, kind: str, name: str = "estimator") -> None:
    """Refuse an estimator that is not of a kind, "classifier" or "regressor".

    Examples
    --------
    >>> refuse_other_kinds("tree", "classifier")
    Traceback (most recent call last):
    TypeError: estimator='tree' must be a classifier, such as CARTClassifier(max_depth=1)
    """
    learns = hasattr(estimator, "fit") and hasattr(estimator, "__sklearn_tags__")
    if isinstance(estimator, type) or not learns or get_tags(estimator).estimator_type != kind:
        raise TypeError(
            f"{name}={_arguments.short(estimator)} must be a {kind}, such as "
            f"CART{kind.title()}(max_depth=1)"
        )
