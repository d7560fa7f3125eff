"""One thing that was checked."""

import math
from dataclasses import dataclass


@dataclass(frozen=True)
class Finding:
    """One thing that was checked, whether it holds, and what was seen."""

    name: str
    holds: bool
    evidence: str


def equal(a: float, b: float) -> bool:
    """Return whether two numbers are the same up to the rounding of another machine."""
    return math.isclose(a, b, rel_tol=1e-9)
