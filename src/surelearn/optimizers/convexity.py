"""Is it convex? Points can refute that, a quadratic form can be decided, nothing else is proved.

f is convex iff f(a p + (1 - a) q) <= a f(p) + (1 - a) f(q) for all p, q and 0 <= a <= 1; a set is
convex iff it holds a p + (1 - a) q with p and q. A random search that finds no violation proves
nothing.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

import numpy as np

from surelearn import _arguments
from surelearn._shown import Shown
from surelearn._typing import ArrayLike, Matrix, Vector


@dataclass(frozen=True, eq=False)
class ConvexityWitness:
    """Two points and a point between them that show a function, or a set, not to be convex.

    Attributes
    ----------
    p, q, between
        The two ends, and a point of the segment.
    value, chord
        The function there, and what convexity would allow. For a set: 1 for a point outside, and 0.

    Examples
    --------
    >>> found = check_midpoint(lambda x: -float(x @ x), low=[-1.0], high=[1.0])
    >>> bool(found.witness.value > found.witness.chord)
    True
    """

    p: Vector
    q: Vector
    between: Vector
    value: float
    chord: float


@dataclass(frozen=True, eq=False)
class ConvexityCheck(Shown):
    """What a search for a violation of convexity came to.

    Attributes
    ----------
    verdict
        "not convex", with a witness; "no violation found", which proves nothing; for a quadratic
        form also "convex", and "undecided" if rounding hides the sign of its least eigenvalue.
    witness
        Points that show it, or None.
    n_tried
        The number of segments tried.

    Examples
    --------
    >>> print(ConvexityCheck("no violation found", None, 100))
    no violation found in 100 segments (this proves nothing)
    """

    verdict: Literal["convex", "not convex", "no violation found", "undecided"]
    witness: ConvexityWitness | None
    n_tried: int

    def __str__(self) -> str:
        """Return the verdict, with what it is worth."""
        if self.witness is not None:
            ends = f"{self.witness.p.tolist()} and {self.witness.q.tolist()}"
            value, chord = self.witness.value, self.witness.chord
            return f"not convex: between {ends} it is {value:g} > {chord:g}"
        if self.verdict == "no violation found":
            return f"{self.verdict} in {self.n_tried} segments (this proves nothing)"
        return self.verdict


def check_convex(
    function: Callable[[Vector], float],
    *,
    low: ArrayLike,
    high: ArrayLike,
    n_segments: int = 1000,
    tolerance: float = 1e-9,
    random_state: int = 0,
) -> ConvexityCheck:
    """Look for a segment in a box on which a function lies above its chord.

    Parameters
    ----------
    function
        Takes a point and returns a number, or infinity outside its domain.
    low, high
        Two corners of the box in which ends of segments are drawn.
    n_segments
        The number of segments tried, each at a point drawn between its ends.
    tolerance
        What the function's own rounding may do, as a fraction of the values compared.
    random_state
        Seed of the draws.

    Examples
    --------
    >>> print(check_convex(lambda x: float(x @ x), low=[-1.0, -1.0], high=[1.0, 1.0]))
    no violation found in 1000 segments (this proves nothing)
    >>> M = np.array([[1.0, 2.0], [2.0, 1.0]])
    >>> check_convex(lambda x: float(x @ M @ x), low=[-1.0, -1.0], high=[1.0, 1.0]).verdict
    'not convex'
    """
    rng = _arguments.generator("random_state", random_state)
    starts, ends = _segments(low, high, n_segments, rng)
    return _search(function, starts, ends, rng.random(len(starts)), tolerance)


def check_midpoint(
    function: Callable[[Vector], float],
    *,
    low: ArrayLike,
    high: ArrayLike,
    n_segments: int = 1000,
    tolerance: float = 1e-9,
    random_state: int = 0,
) -> ConvexityCheck:
    """Look for a segment in a box in whose middle a function lies above the mean of its ends.

    For a continuous function that none exists is the same as convexity. The parameters are those
    of `check_convex`.

    Examples
    --------
    >>> found = check_midpoint(lambda x: abs(abs(x[0]) - 1.0), low=[-2.0], high=[2.0])
    >>> found.verdict
    'not convex'
    """
    rng = _arguments.generator("random_state", random_state)
    starts, ends = _segments(low, high, n_segments, rng)
    return _search(function, starts, ends, np.full(len(starts), 0.5), tolerance)


def check_convex_set(
    contains: Callable[[Vector], bool],
    *,
    low: ArrayLike,
    high: ArrayLike,
    n_segments: int = 1000,
    random_state: int = 0,
) -> ConvexityCheck:
    """Look for two points of a set, drawn from a box, with a point outside between them.

    The set {f <= c} of a convex f is convex; the set {f = c} in general is not. Only pairs of which
    both points are in the set are counted as tried: a set too thin for that is never refuted.

    Parameters
    ----------
    contains
        Says whether a point is in the set.
    low, high, n_segments, random_state
        As for `check_convex`.

    Examples
    --------
    >>> ring = check_convex_set(lambda x: 0.5 <= x @ x <= 1.0, low=[-1.0, -1.0], high=[1.0, 1.0])
    >>> ring.verdict
    'not convex'
    """
    rng, n_tried = _arguments.generator("random_state", random_state), 0
    _arguments.function("contains", contains)
    starts, ends = _segments(low, high, n_segments, rng)
    for p, q, share in zip(starts, ends, rng.random(len(starts)), strict=True):
        if not (contains(p.copy()) and contains(q.copy())):
            continue
        n_tried += 1
        between = share * p + (1.0 - share) * q
        if not contains(between.copy()):
            return ConvexityCheck("not convex", ConvexityWitness(p, q, between, 1.0, 0.0), n_tried)
    return ConvexityCheck("no violation found", None, n_tried)


def check_convex_quadratic(matrix: ArrayLike) -> ConvexityCheck:
    """Decide whether x'Mx is convex: iff the symmetric part of M has no negative eigenvalue.

    The only verdict "convex" of this file. It is "undecided" where rounding hides the sign of the
    least eigenvalue, as for a singular M.

    Examples
    --------
    >>> check_convex_quadratic([[2.0, 1.0], [1.0, 2.0]]).verdict
    'convex'
    >>> found = check_convex_quadratic([[1.0, 2.0], [2.0, 1.0]])
    >>> found.verdict, round(found.witness.value, 6)
    ('not convex', 0.0)
    """
    M = _arguments.numbers("matrix", matrix)
    if M.ndim != 2 or M.shape[0] != M.shape[1] or M.size == 0:
        raise ValueError(f"matrix of shape {M.shape} must be square")
    if not np.isfinite(M).all():
        raise ValueError("matrix must hold finite numbers; it holds NaN or infinity")
    scale = float(np.abs(M).max()) or 1.0
    symmetric = (M / scale + M.T / scale) / 2.0
    n, rounding = len(M), 8.0 * (len(M) + 3) * float(np.finfo(np.float64).eps)
    if _positive_definite(symmetric - rounding * n * np.eye(n)):
        return ConvexityCheck("convex", None, 0)
    direction = np.linalg.eigh(symmetric)[1][:, 0]
    chord = float(direction @ symmetric @ direction)  # at both ends; in the middle it is 0
    if chord >= -rounding * n:
        return ConvexityCheck("undecided", None, 0)
    witness = ConvexityWitness(direction, -direction, np.zeros(n), 0.0, scale * chord)
    return ConvexityCheck("not convex", witness, 0)


def _positive_definite(symmetric: Matrix) -> bool:
    """Return whether Cholesky's factors exist in floats.

    If they do for S - c I, c above n + 1 rounding units times the trace, S itself is positive
    definite (Rump, BIT 46, 2006).
    """
    try:
        np.linalg.cholesky(symmetric)
    except np.linalg.LinAlgError:
        return False
    return True


def _segments(
    low: ArrayLike, high: ArrayLike, n: int, rng: np.random.Generator
) -> tuple[Matrix, Matrix]:
    """Return the ends of segments drawn uniformly from a box."""
    least, most = _arguments.vector("low", low), _arguments.vector("high", high)
    if least.shape != most.shape or not (least < most).all():
        raise ValueError("low and high must be two corners of a box: low[j] < high[j] for every j")
    n = _arguments.count("n_segments", n, at_least=1)
    ends = least + rng.random((2, n, len(least))) * (most - least)
    return ends[0], ends[1]


def _search(
    function: Callable[[Vector], float],
    starts: Matrix,
    ends: Matrix,
    shares: Vector,
    tolerance: float,
) -> ConvexityCheck:
    """Try each segment at one point; stop at the first that lies above its chord."""
    tolerance = _arguments.non_negative("tolerance", tolerance)
    for tried, (p, q, share) in enumerate(zip(starts, ends, shares, strict=True), start=1):
        between = share * p + (1.0 - share) * q
        first, last, value = (_value(function, point) for point in (p, q, between))
        if np.isinf(first) or np.isinf(last):
            continue  # outside the domain convexity demands nothing
        chord = share * first + (1.0 - share) * last
        if value > chord + tolerance * max(abs(first), abs(last), abs(chord)):
            return ConvexityCheck(
                "not convex", ConvexityWitness(p, q, between, value, chord), tried
            )
    return ConvexityCheck("no violation found", None, len(starts))


def _value(function: Callable[[Vector], float], point: Vector) -> float:
    value = float(_arguments.function("function", function)(point.copy()))
    if np.isnan(value) or value == -np.inf:
        raise ValueError(
            f"the function is {value} at {point.tolist()}; it must be a number, or infinity "
            "outside its domain"
        )
    return value
