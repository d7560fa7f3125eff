"""Lists of counts, as theorems about groups, clusters and tables take them."""

import numpy as np

from surelearn import _arguments
from surelearn._typing import ArrayLike, Vector

_MOST = 2.0**53  # above it floats skip integers


def counts(name: str, values: ArrayLike, *, at_least: float = 0.0) -> Vector:
    """Return whole numbers as floats, each within its limits; 3.0 passes, 3.5 does not.

    Examples
    --------
    >>> counts("sizes", [3, 0, 12])
    array([ 3.,  0., 12.])
    >>> counts("sizes", [3, 0.5])
    Traceback (most recent call last):
    ValueError: sizes[1]=0.5 is outside its domain: sizes[1] must be a whole number
    """
    found = _arguments.vector(name, values, low=at_least, high=_MOST)
    whole = np.floor(found) == found
    if not whole.all():
        first = int(np.argmin(whole))
        raise _arguments.refuse(f"{name}[{first}]", float(found[first]), "a whole number")
    return found


def same_length(**vectors: Vector) -> None:
    """Refuse lists of different lengths, whose entries belong together.

    Examples
    --------
    >>> same_length(errors=np.zeros(2), sizes=np.ones(2))
    """
    (first, values), *others = vectors.items()
    for name, other in others:
        if len(other) != len(values):
            domain = f"as long as {first}, which has {len(values)} entries"
            raise _arguments.refuse(name, f"a list of {len(other)}", domain)


def at_most(name: str, values: Vector, limits: Vector, limit: str) -> None:
    """Refuse the first value that exceeds its limit.

    Examples
    --------
    >>> at_most("errors", np.array([1.0, 2.0]), np.array([1.0, 3.0]), "sizes")
    """
    inside = values <= limits
    if not inside.all():
        first = int(np.argmin(inside))
        domain = f"at most {limit}[{first}]={limits[first]:g}"
        raise _arguments.refuse(f"{name}[{first}]", float(values[first]), domain)
