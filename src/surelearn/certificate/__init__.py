"""A guarantee bound to one run: the bound beside the observed value, and what it rests on.

A `Guarantee` is a theorem applied to numbers. A `Certificate` says which run the numbers came from,
whether each assumption was checked, holds by construction, is merely assumed or was violated, and
stores what is needed to compute the bound again. One violated assumption voids it.
"""

from surelearn.certificate._certificate import (
    Certificate,
    Kind,
    LedgerEntry,
    Precondition,
)
from surelearn.certificate._evidence import (
    Evidence,
    Status,
    assumed,
    by_construction,
    checked,
    verified,
    violated,
)
from surelearn.certificate._issue import BoundViolatedError, certify, joint_delta
from surelearn.certificate._rounding import is_beyond_rounding

__all__ = [
    "BoundViolatedError",
    "Certificate",
    "Evidence",
    "Kind",
    "LedgerEntry",
    "Precondition",
    "Status",
    "assumed",
    "by_construction",
    "certify",
    "checked",
    "is_beyond_rounding",
    "joint_delta",
    "verified",
    "violated",
]
