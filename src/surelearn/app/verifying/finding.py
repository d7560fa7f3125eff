"""One thing that was checked."""

import math
from dataclasses import dataclass


@dataclass(frozen=True)
class Finding:
    """One thing that was checked, whether it holds, what was seen, and whether it is several."""

    name: str
    holds: bool
    evidence: str
    several: bool = False


def equal(a: float, b: float) -> bool:
    """Return whether two numbers are the same up to the rounding of another machine."""
    return math.isclose(a, b, rel_tol=1e-9)
