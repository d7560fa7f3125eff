"""Whether a kernel is an inner product: what every statement in its space rests on."""

from typing import Any

from surelearn.certificate import Precondition, assumed, by_construction
from surelearn.kernels.norms import is_ours


def inner_product(kernel: Any) -> Precondition:
    """Return what is known of a kernel: those of this library are one, others may be anything.

    Examples
    --------
    >>> from surelearn.kernels import Gaussian
    >>> inner_product(Gaussian()).status, inner_product(Gaussian().of(abs)).status
    ('by-construction', 'assumed')
    """
    ours = by_construction("a kernel of this library")
    found = (
        ours
        if is_ours(kernel)
        else assumed("true only if no Gram matrix has a negative eigenvalue")
    )
    return Precondition("kernel", "the kernel is an inner product of features", *found)
