"""The settings with which rows were fitted in this process: how a search for them is noticed.

A search fits parts of a table with several settings, and then all of it with the best. Nothing is
kept but hashes of some rows with their labels, and nothing outlives the process. What other
processes did, and rows that each fit saw in another form, scaled part by part say, are not seen.
"""

from collections import deque
from collections.abc import Iterable, Mapping, Sequence
from numbers import Real
from threading import Lock
from typing import Any, NamedTuple, cast

import numpy as np

from surelearn._jit.fingerprints import Hashes
from surelearn._typing import Indices
from surelearn.base.cell_bits import cell_bits
from surelearn.base.row_identity import with_labels

_NAMES = ("kernel", "C", "fit_intercept", "penalize_intercept", "multiclass", "class_weight")
_KEPT = 64  # rows by which a part of a table is recognised
_FEWEST = 8  # rows of such a part
_DISTINCT = 0.9  # share of the rows that differ, or draws of a few categories would look like parts

Setting = tuple[str, ...]


class _Fit(NamedTuple):
    """Rows that were fitted, by the smallest of their hashes, and how."""

    n: int
    smallest: Hashes
    setting: Setting


class Tried(NamedTuple):
    """What a search on parts of the rows tried, in words: any settings, kernels, intercepts."""

    settings: str
    kernels: str
    intercepts: str


_fits: deque[_Fit] = deque(maxlen=1024)
_lock = Lock()


def setting_of(model: Any) -> Setting:
    """Return all that decides on the minimum that a machine looks for, in words."""
    return tuple(_in_words(getattr(model, name)) for name in _NAMES)


def labelled(hashes: Hashes, classes: Any, codes: Indices) -> Hashes:
    """Return the hashes of rows together with their labels, each a place among the classes."""
    return with_labels(hashes, cell_bits(np.asarray(classes))[codes])


def enter(hashes: Hashes, setting: Setting, *, parts: bool = False) -> None:
    """Remember that rows were fitted like this, or with `parts`, all but each one of them."""
    count = min(_KEPT, len(hashes))
    smallest = np.sort(np.partition(hashes, count - 1)[:count])
    with _lock:
        _fits.append(_Fit(len(hashes) - parts, smallest, setting))


def tried_on_parts(hashes: Hashes, setting: Setting) -> Tried:
    """Return what was tried on parts of these rows, this setting and others; else no words."""
    with _lock:
        fewer = [fit for fit in _fits if _FEWEST <= fit.n < len(hashes)]
    tried = {fit.setting for fit in _parts_of(hashes, fewer)}
    if setting not in tried or len(tried) == 1:
        return Tried("", "", "")
    columns = zip(_NAMES, *tried, strict=True)
    differing = {name: set(values) for name, *values in columns if len(set(values)) > 1}
    kernels = f"{len(differing['kernel'])} kernels" if "kernel" in differing else ""
    intercepts = "and without an intercept" if "fit_intercept" in differing else ""
    return Tried(_told(differing, len(tried)), kernels, intercepts)


def _told(differing: Mapping[str, set[str]], count: int) -> str:
    """Return in words what differs: one setting, or several."""
    if list(differing) == ["C"]:
        prices = sorted(map(float, differing["C"]))
        return f"{count} values of C from {prices[0]:g} to {prices[-1]:g}"
    return f"{count} kernels" if list(differing) == ["kernel"] else f"{count} settings"


def _parts_of(hashes: Hashes, fits: Sequence[_Fit]) -> Iterable[_Fit]:
    """Yield the fits whose rows are among these."""
    if not fits:
        return
    ordered = np.unique(hashes)
    if len(ordered) < _DISTINCT * len(hashes):
        return
    first = np.array([fit.smallest[0] for fit in fits], dtype=np.uint64)
    for place in np.flatnonzero(_are_among(ordered, first)).tolist():
        if _are_among(ordered, fits[place].smallest).all():
            yield fits[place]


def _are_among(ordered: Hashes, rows: Hashes) -> Any:
    places = np.minimum(np.searchsorted(ordered, rows), len(ordered) - 1)
    return ordered[places] == rows


def _in_words(value: Any) -> str:
    return f"{float(cast('Any', value)):.12g}" if isinstance(value, Real) else repr(value)
