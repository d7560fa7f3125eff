"""The questions of trees written by hand: into which interval, or into which set, a cell falls."""

from collections.abc import Iterable, Mapping
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from surelearn import _arguments
from surelearn._jit.sound_matrices import sound
from surelearn._typing import Indices
from surelearn.base.fitting import missing

_COMPLEX = (complex, np.complexfloating)


@dataclass(frozen=True)
class IntervalTest:
    """Ask into which interval a number falls: up to the first cut, up to the second, ... beyond.

    Parameters
    ----------
    feature
        The column: its name, or its place counted from 0.
    cuts
        The ends of the intervals, increasing; each belongs to the interval on its left.

    Examples
    --------
    >>> IntervalTest("age", (18, 65)).branches([18, 19, 65, 70]).tolist()
    [0, 1, 1, 2]
    """

    feature: str | int
    cuts: tuple[float, ...]

    def __post_init__(self) -> None:
        """Check the column and the cuts."""
        _check_feature(self.feature)
        found = _real(self.cuts)
        cuts = np.empty(0) if found is None else found.ravel()
        if not len(cuts) or not np.isfinite(cuts).all() or (np.diff(cuts) <= 0.0).any():
            raise ValueError(f"cuts={self.cuts!r} must be numbers, one or more, that increase")
        object.__setattr__(self, "cuts", tuple(cuts.tolist()))

    @property
    def n_branches(self) -> int:
        """The number of answers."""
        return len(self.cuts) + 1

    def branches(self, cells: Any) -> Indices:
        """Return the answer of each cell, counted from 0."""
        found = _real(cells)
        if found is None:
            raise ValueError(
                f"column {self.feature!r} is asked for intervals and holds what is no number"
            )
        _refuse_missing(self.feature, np.isnan(found))
        return np.searchsorted(self.cuts, found, side="left")

    def answer(self, branch: int) -> str:
        """Return an answer as it is written."""
        branch = _arguments.count("branch", branch, at_most=len(self.cuts))
        if branch == 0:
            return f"<= {self.cuts[0]:g}"
        if branch == len(self.cuts):
            return f"> {self.cuts[-1]:g}"
        return f"in ({self.cuts[branch - 1]:g}, {self.cuts[branch]:g}]"


@dataclass(frozen=True)
class SetTest:
    """Ask in which of several disjoint sets a value is.

    Parameters
    ----------
    feature
        The column: its name, or its place counted from 0.
    groups
        The sets of values, a branch each.
    others
        Whether one more branch, the last, takes all other values and missing cells; without it
        they are refused.

    Examples
    --------
    >>> SetTest(0, (["c"], ["d"], ["a", "b"])).branches(["a", "b", "c", "d"]).tolist()
    [2, 2, 0, 1]
    """

    feature: str | int
    groups: tuple[tuple[Any, ...], ...]
    others: bool = False

    def __post_init__(self) -> None:
        """Check that no value is in two sets, and that there are two answers."""
        _check_feature(self.feature)
        if type(self.others) is not bool:
            raise TypeError(f"others={self.others!r} must be True or False")
        groups = _sets_of(self.groups)
        values = [value for group in groups for value in group]
        if not all(groups) or len(groups) + self.others < 2:
            raise ValueError(f"groups={self.groups!r} must be sets with values, for two branches")
        if not all(map(_is_hashable, values)):
            raise TypeError(f"groups={self.groups!r} must hold values such as texts and numbers")
        if len(set(values)) < len(values):
            raise ValueError(f"groups={self.groups!r} share a value: a row would have two answers")
        object.__setattr__(self, "groups", groups)

    @property
    def n_branches(self) -> int:
        """The number of answers."""
        return len(self.groups) + self.others

    def branches(self, cells: Any) -> Indices:
        """Return the answer of each cell, counted from 0."""
        places = {value: i for i, group in enumerate(self.groups) for value in group}
        cells = sound(cells)
        row = isinstance(cells, Iterable) and hasattr(cells, "__len__")
        if (
            isinstance(cells, str | bytes | Mapping | AbstractSet)
            or not row
            or not getattr(cells, "ndim", 1)
        ):
            raise TypeError(f"cells={cells!r} must be the cells of a column")
        given = list[Any](cells)
        known = [not missing(cell) and _is_hashable(cell) for cell in given]
        answers = zip(given, known, strict=True)
        found = np.array([places.get(cell, -1) if is_known else -1 for cell, is_known in answers])
        if self.others:
            return np.where(found < 0, len(self.groups), found)
        _refuse_missing(self.feature, np.array([missing(cell) for cell in given]))
        if (found < 0).any():
            stranger = given[int(np.argmax(found < 0))]
            raise ValueError(
                f"column {self.feature!r} holds {stranger!r}, which is in none of the sets "
                f"{list(self.groups)}; others=True gives such values a branch"
            )
        return found

    def answer(self, branch: int) -> str:
        """Return an answer as it is written."""
        branch = _arguments.count("branch", branch, at_most=self.n_branches - 1)
        if branch == len(self.groups):
            return "is another value"
        words = [str(value) for value in self.groups[branch]]
        return f"= {words[0]}" if len(words) == 1 else f"in {{{', '.join(words)}}}"


def _refuse_missing(feature: str | int, absent: Any) -> None:
    if absent.any():
        raise ValueError(
            f"column {feature!r} has a missing cell, which the test does not answer; fill it in, "
            "leave the row out, or ask by a SetTest with others=True"
        )


def _check_feature(feature: Any) -> None:
    if isinstance(feature, bool) or not isinstance(feature, str | int | np.integer):
        raise TypeError(f"feature={feature!r} must be the name of a column or its place")


def _real(values: Any) -> NDArray[np.float64] | None:
    """Return values as real numbers, with NaN for missing ones; None if one is no such number."""
    try:
        given = np.asarray(sound(values))
        cells = given.ravel().tolist() if given.dtype.kind == "O" else ()
        if given.dtype.kind == "c" or any(isinstance(cell, _COMPLEX) for cell in cells):
            return None
        return given.astype(np.float64)
    except (TypeError, ValueError, OverflowError):
        return None


def _sets_of(groups: Any) -> tuple[tuple[Any, ...], ...]:
    """Return sets of values as tuples; a text is a value and no set of letters."""
    try:
        several = [groups, *groups]
        found = tuple(tuple(group) for group in several[1:])
    except TypeError:
        several, found = [""], ()
    if any(isinstance(group, str | bytes) for group in several):
        raise TypeError(f"groups={groups!r} must be sets of values, such as (['a'], ['b', 'c'])")
    return found


def _is_hashable(value: Any) -> bool:
    try:
        hash(value)
    except TypeError:
        return False
    return True
