"""The names by which a loss may be given in place of the object."""

from typing import cast

from surelearn._wording import nearest
from surelearn.losses._loss import Loss
from surelearn.losses.decisions import ZeroOne
from surelearn.losses.residuals import Absolute, Square

_BY_NAME: dict[str, Loss] = {"zero_one": ZeroOne(), "squared": Square(), "absolute": Absolute()}


def of(loss: str | Loss) -> Loss:
    """Return the loss of that name; a loss itself is returned as it is.

    Examples
    --------
    >>> of("squared"), of(Square())
    (Square(), Square())
    """
    if isinstance(loss, Loss):
        return loss
    if not isinstance(cast("object", loss), str):
        raise TypeError(f"loss={loss!r} must be a loss, or one of {[*_BY_NAME]}")
    if loss not in _BY_NAME:
        raise ValueError(f"loss={loss!r} is unknown{nearest(loss, _BY_NAME)}")
    return _BY_NAME[loss]
