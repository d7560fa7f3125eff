"""Kernels of strings."""

from dataclasses import dataclass
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from surelearn import _arguments
from surelearn._jit import jit
from surelearn._typing import Indices, Matrix, Vector
from surelearn.kernels._kernel import Kernel
from surelearn.kernels._points import strings
from surelearn.kernels._tiles import Tiles

Codes: TypeAlias = NDArray[np.uint32]
Block: TypeAlias = NDArray[np.float64]

_LANES = 64  # pairs compared side by side, in vector instructions
_SCRATCH = 2**19  # numbers of all pairs side by side, to fit a cache
_PADDING = np.array([2**32 - 1, 2**32 - 2], dtype=np.uint32)  # no characters, and no two are equal


@jit
def _extend(same: Matrix, decay: float, shorter: Matrix, gap: Vector, longer: Matrix) -> None:
    """Let common subsequences end at the characters of `s` just read, wherever `t` has them too."""
    gap[:] = 0.0
    for b in range(len(same)):
        found, before, after = same[b], shorter[b], longer[b + 1]
        for k in range(len(gap)):
            here = decay * gap[k] + found[k] * before[k]
            gap[k] = here
            after[k] = decay * after[k] + here


@jit
def _common_subsequences(
    s: Codes, t: Codes, decay: float, ending: Block, same: Matrix, gap: Vector, totals: Vector
) -> None:
    """Add the sum, over common subsequences of length n, of decay^(gaps in s + gaps in t).

    Column k of `s` and of `t` is a pair of strings, whose sum is added to `totals[k]`; what lies
    between is scratch. `ending[i, b, k]` is that sum over common subsequences of length i, of n
    lengths from 0 on, of what was read of `s` and of the first b characters of `t`, where gaps
    count up to the last characters read.
    """
    ending[0] = 1.0
    ending[1:] = 0.0
    for a in range(len(s)):
        for b in range(len(t)):
            letters, others, found, last = s[a], t[b], same[b], ending[-1, b]
            for k in range(len(totals)):
                found[k] = 1.0 if letters[k] == others[k] else 0.0
                totals[k] += found[k] * last[k]
        for i in range(len(ending) - 1, 0, -1):  # row i - 1 must not know of s[a] yet
            _extend(same, decay, ending[i - 1], gap, ending[i])


class _Padded(NamedTuple):
    """Strings side by side, the shorter ones filled up with what is no character."""

    codes: Codes
    ends: Indices
    side: int  # fillings of the two sides of a pair differ

    @property
    def lengths(self) -> Indices:
        """The number of characters of each string."""
        return np.diff(self.ends)

    def lanes(self, places: Indices) -> Codes:
        """Return some strings, a column for each."""
        starts, lengths = self.ends[places], self.lengths[places]
        padded = np.full((int(lengths.max()), len(places)), _PADDING[self.side])
        for k, (start, length) in enumerate(zip(starts.tolist(), lengths.tolist(), strict=True)):
            padded[:length, k] = self.codes[start : start + length]
        return padded


@dataclass(frozen=True, kw_only=True)
class Subsequence(Kernel):
    """Common subsequences of `order` characters, each worth `decay` to the length it spans.

    It grows with the lengths of the strings; `.normalised()` makes strings of different lengths
    comparable. The cost of a pair is `order` times the product of the lengths.

    Parameters
    ----------
    order
        The number of characters of a subsequence, 1 or more.
    decay
        In (0, 1]. The smaller, the less a subsequence with gaps counts.

    References
    ----------
    Lodhi, Saunders, Shawe-Taylor, Cristianini and Watkins, JMLR 2 (2002).

    Examples
    --------
    >>> kernel = Subsequence(order=2, decay=0.5)
    >>> kernel(["cat", "car"])
    array([[0.140625, 0.0625  ],
           [0.0625  , 0.140625]])
    >>> kernel.normalised()(["cat"], ["car", "dog"]).round(4)
    array([[0.4444, 0.    ]])
    """

    order: int = 3
    decay: float = 0.5

    domain = "strings"

    def __post_init__(self) -> None:
        """Refuse an order or a decay outside its domain."""
        _arguments.count("order", self.order, at_least=1)
        if not 0.0 < _arguments.real("decay", self.decay) <= 1.0:
            raise _arguments.refuse("decay", self.decay, "in (0, 1]")
        if self._weight < np.finfo(np.float64).tiny:
            raise _arguments.refuse("decay", self.decay, "larger: decay^(2 order) underflows")
        _arguments.settle(self)

    @property
    def _weight(self) -> float:
        """What two occurrences without gaps are worth."""
        return float(self.decay) ** (2 * int(self.order))

    def _tiles(self, X: Any, Z: Any) -> Tiles:
        s, s_ends = strings("X", X)
        t, t_ends = (s, s_ends) if Z is None else strings("Z", Z)

        shape = (len(s_ends) - 1, len(t_ends) - 1)
        first, second = _Padded(s, s_ends, 0), _Padded(t, t_ends, 1)

        def fill(rows: slice, columns: slice, out: Matrix) -> None:
            places = np.arange(shape[0])[rows], np.arange(shape[1])[columns]
            left, right = (part.ravel() for part in np.meshgrid(*places, indexing="ij"))
            out[...] = self._values(first, second, left, right).reshape(out.shape)

        everyone = np.arange(shape[0])
        diagonal = self._values(first, _Padded(s, s_ends, 1), everyone, everyone)
        return Tiles(shape, np.float64, fill, diagonal, side=_LANES)

    def _values(self, s: "_Padded", t: "_Padded", left: Indices, right: Indices) -> Vector:
        """Return the values of pairs of a string of `s` and one of `t`, some pairs at a time."""
        values, order = np.zeros(len(left)), int(self.order)
        lengths, others = t.lengths[right], s.lengths[left]
        alike = np.lexsort((others, lengths))  # little is filled up where lengths are alike
        # A string that is too short has nothing in common with any: its pairs stay 0.
        alike = alike[np.minimum(others, lengths)[alike] >= order]
        first = 0
        while first < len(alike):
            room = _SCRATCH // (order * (int(lengths[alike[first]]) + 2))
            pairs = alike[first : first + min(max(1, room), _LANES)]
            one, other = s.lanes(left[pairs]), t.lanes(right[pairs])
            ending = np.empty((order, len(other) + 1, len(pairs)))
            scratch, found = (np.empty(other.shape), np.empty(len(pairs))), np.zeros(len(pairs))
            _common_subsequences(one, other, float(self.decay), ending, *scratch, found)
            values[pairs] = found
            first += len(pairs)
        return values * self._weight
