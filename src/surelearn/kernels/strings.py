"""Kernels of strings."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from surelearn import _arguments
from surelearn._jit import jit
from surelearn._typing import Indices, Matrix
from surelearn.kernels._kernel import Kernel
from surelearn.kernels._points import strings
from surelearn.kernels._tiles import Tiles


@jit
def _common_subsequences(
    s: NDArray[np.uint32], t: NDArray[np.uint32], decay: float, ending: Matrix
) -> float:
    """Return the sum, over common subsequences of length n, of decay^(gaps in s + gaps in t).

    `ending` has n rows and is overwritten: `ending[i, b]` is that sum over common subsequences of
    length i of what was read of `s` and of the first b characters of `t`, where gaps count up to
    the last characters read.
    """
    ending[0, : len(t) + 1] = 1.0
    ending[1:, : len(t) + 1] = 0.0
    total = 0.0
    for a in range(len(s)):
        for b in range(len(t)):
            if s[a] == t[b]:
                total += ending[-1, b]
        for i in range(len(ending) - 1, 0, -1):  # row i - 1 must not know of s[a] yet
            here = 0.0
            for b in range(len(t)):
                here *= decay
                if s[a] == t[b]:
                    here += ending[i - 1, b]
                ending[i, b + 1] = decay * ending[i, b + 1] + here
    return total


@jit
def _compare(
    s: NDArray[np.uint32],
    s_ends: Indices,
    t: NDArray[np.uint32],
    t_ends: Indices,
    decay: float,
    ending: Matrix,
    out: Matrix,
) -> None:
    """Compare each string of `s` with each string of `t`."""
    for i in range(out.shape[0]):
        for j in range(out.shape[1]):
            first, second = s[s_ends[i] : s_ends[i + 1]], t[t_ends[j] : t_ends[j + 1]]
            out[i, j] = _common_subsequences(first, second, decay, ending)


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
        if not 0.0 < self.decay <= 1.0:
            raise _arguments.refuse("decay", self.decay, "in (0, 1]")
        if self._weight < np.finfo(np.float64).tiny:
            raise _arguments.refuse("decay", self.decay, "larger: decay^(2 order) underflows")

    @property
    def _weight(self) -> float:
        """What two occurrences without gaps are worth."""
        return float(self.decay) ** (2 * int(self.order))

    def _tiles(self, X: Any, Z: Any) -> Tiles:
        s, s_ends = strings("X", X)
        t, t_ends = (s, s_ends) if Z is None else strings("Z", Z)

        def fill(rows: slice, columns: slice, out: Matrix) -> None:
            first, second = s_ends[rows.start :], t_ends[columns.start :]
            out[...] = self._values(s, first, t, second, out.shape)

        shape = (len(s_ends) - 1, len(t_ends) - 1)
        with_itself = [self._values(s, s_ends[i:], s, s_ends[i:], (1, 1)) for i in range(shape[0])]
        return Tiles(shape, np.float64, fill, np.ravel(with_itself), side=16)

    def _values(self, s: Any, s_ends: Indices, t: Any, t_ends: Indices, shape: Any) -> Matrix:
        """Return the values of as many strings of `s` and `t` as the shape says."""
        longest = int(np.diff(t_ends[: shape[1] + 1]).max())
        ending = np.empty((int(self.order), longest + 1))
        values = np.empty(shape)
        _compare(s, s_ends, t, t_ends, float(self.decay), ending, values)
        return np.multiply(values, self._weight, out=values)
