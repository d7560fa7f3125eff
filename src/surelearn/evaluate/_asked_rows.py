"""The rows of hold-outs that were asked, all of them as far as memory is set aside for it.

A sketch of a few rows finds tables that are mostly the same; a small part of a large hold-out has
none of them. So hashes of all rows are kept, sorted, each with the number of its hold-out: of a
hold-out with more than `MOST_OF_ONE` rows the smallest hashes (Broder, 1997), and no more than
`MOST` together. Beyond that, small parts of what was asked may go unnoticed.
"""

from typing import NamedTuple

import numpy as np

from surelearn._jit.fingerprints import Hashes
from surelearn._typing import Indices

MOST_OF_ONE, MOST = 2**17, 2**22
"""Rows kept of one hold-out, and of all of them: some 64 MB."""

_END = 2**64


class _Kept(NamedTuple):
    """A hold-out: how many rows it has, has once, and are kept, and up to which hash they are."""

    digest: str
    n: int
    n_single: int
    n_kept: int
    reach: int


class _Layer(NamedTuple):
    """Sorted hashes, each with the number of its hold-out."""

    hashes: Hashes
    owners: Indices


class AskedRows:
    """Finds the hold-outs that share most rows of the smaller one with a given one.

    Examples
    --------
    >>> asked = AskedRows()
    >>> rows = np.arange(1000, dtype=np.uint64)
    >>> asked.add("the first", rows)
    >>> asked.near(rows[::100]), asked.near(rows + np.uint64(1000))
    (['the first'], [])
    """

    def __init__(self) -> None:
        self._holdouts: list[_Kept] = []
        self._layers: list[_Layer] = []
        self.complete = True

    def add(self, digest: str, hashes: Hashes) -> None:
        """Take in a hold-out, given by the hashes of its rows."""
        single = rows_held_once(hashes)
        room = min(MOST_OF_ONE, MOST - sum(one.n_kept for one in self._holdouts))
        kept = single[:room]
        self.complete &= len(kept) == len(single)
        if not len(kept):
            return
        reach = _END if len(kept) == len(single) else int(kept[-1])
        owner = len(self._holdouts)
        self._holdouts.append(_Kept(digest, len(hashes), len(single), len(kept), reach))
        self._layers.append(_Layer(kept, np.full(len(kept), owner, dtype=np.int64)))
        # Layers that double in size: each row is moved a few times, and few layers are searched.
        while len(self._layers) > 1 and len(self._layers[-2].hashes) <= 2 * len(
            self._layers[-1].hashes
        ):
            self._layers[-2:] = [_merged(*self._layers[-2:])]

    def near(self, hashes: Hashes) -> list[str]:
        """Return the digests of hold-outs that share most rows of the smaller one with this one."""
        if not self._holdouts:
            return []
        single = rows_held_once(hashes)
        shared = np.zeros(len(self._holdouts), dtype=np.int64)
        for layer in self._layers:
            shared += np.bincount(_owners(layer, single), minlength=len(shared))
        found = [self._holdouts[i] for i in np.flatnonzero(shared)]
        counts = shared[shared > 0].tolist()
        return [
            one.digest
            for one, count in zip(found, counts, strict=True)
            if _is_mostly(one, count, single, len(hashes))
        ]


def rows_held_once(hashes: Hashes) -> Hashes:
    """Return the hashes that stand once among others, sorted."""
    values, counts = np.unique(hashes, return_counts=True)
    return values[counts == 1]


def _is_mostly(one: _Kept, shared: int, single: Hashes, n: int) -> bool:
    """Return whether more than half of the rows of the smaller hold-out stand in both."""
    if n <= one.n:
        within = len(single) if one.reach == _END else int((single <= np.uint64(one.reach)).sum())
        return 2 * shared * len(single) > within * n
    return 2 * shared * one.n_single > one.n_kept * one.n


def _owners(layer: _Layer, single: Hashes) -> Indices:
    """Return the hold-outs of the rows of a layer that are among these, once for each row."""
    start = np.searchsorted(layer.hashes, single, side="left")
    counts = np.searchsorted(layer.hashes, single, side="right") - start
    offsets = np.arange(counts.sum()) - np.repeat(np.cumsum(counts) - counts, counts)
    return layer.owners[np.repeat(start, counts) + offsets]


def _merged(first: _Layer, second: _Layer) -> _Layer:
    hashes = np.concatenate([first.hashes, second.hashes])
    order = np.argsort(hashes, kind="stable")
    return _Layer(hashes[order], np.concatenate([first.owners, second.owners])[order])
