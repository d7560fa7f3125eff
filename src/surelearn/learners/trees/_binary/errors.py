"""The losses that a regression tree can be grown by."""

from typing import Any

from surelearn.learners.trees._binary.gains import ABSOLUTE_ERROR, SQUARED_ERROR
from surelearn.losses import Absolute, Loss, Square

_LOSSES: dict[str, Loss] = {"squared_error": Square(), "absolute_error": Absolute()}
_CODES: dict[Loss, int] = {Square(): SQUARED_ERROR, Absolute(): ABSOLUTE_ERROR}


def loss_of(criterion: str | Loss) -> Loss:
    """Return the loss that a tree is grown by, given the object or its alias.

    Examples
    --------
    >>> loss_of("absolute_error"), loss_of(Square())
    (Absolute(), Square())
    """
    given: Any = criterion
    for alias, loss in _LOSSES.items():
        if isinstance(given, str | Loss) and given in (alias, loss):
            return loss
    raise ValueError(f"criterion={criterion!r} must be one of {tuple(_LOSSES)}")


def code_of(loss: Loss) -> int:
    """Return the integer that compiled loops know a loss by."""
    return _CODES[loss]
