"""A tree written by hand: tests of intervals and of sets, with two branches or more.

An inner node asks one feature and has a child for every answer; a leaf is a label. Intervals are
closed on the right, (−∞, a], (a, b], (b, ∞), and sets of values are disjoint, so every row that can
be answered reaches exactly one leaf. Nothing is learnt: such a rule is fixed before the data are
seen, and a `Holdout` certifies it like any model.
"""

import numbers
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias, cast

import narwhals as nw
import numpy as np
from numpy.typing import NDArray

from surelearn._jit.sound_matrices import sound
from surelearn._typing import Indices
from surelearn.base.fitting import missing

_MOST_NODES = 10**6
_DEEPEST = 500
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
        given = list[Any](sound(cells))
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
        if branch == len(self.groups):
            return "is another value"
        words = [str(value) for value in self.groups[branch]]
        return f"= {words[0]}" if len(words) == 1 else f"in {{{', '.join(words)}}}"


@dataclass(frozen=True)
class TreeNode:
    """An inner node: a test, and for each of its answers another node or a label.

    Examples
    --------
    >>> TreeNode(IntervalTest("age", (18,)), ("minor", "adult")).test.n_branches
    2
    """

    test: IntervalTest | SetTest
    children: tuple[Any, ...]

    def __post_init__(self) -> None:
        """Check that every answer has a child."""
        if not isinstance(cast("Any", self.test), IntervalTest | SetTest):
            raise TypeError(f"test={self.test!r} must be an IntervalTest or a SetTest")
        children = tuple(self.children)
        if len(children) != self.test.n_branches:
            raise ValueError(
                f"the test of {self.test.feature!r} has {self.test.n_branches} answers, and there "
                f"are {len(children)} children: give one for each"
            )
        object.__setattr__(self, "children", children)


_Place: TypeAlias = tuple[Any, int, str]  # a node or label, its depth, the answer that leads to it


@dataclass(frozen=True)
class TreePredictor:
    """A tree of tests that sends every row to the label of one leaf.

    Parameters
    ----------
    root
        The first node, or a label that all rows get.

    Examples
    --------
    >>> windy = TreeNode(SetTest("windy", ([True], [False])), ("stay", "play"))
    >>> humid = TreeNode(IntervalTest("humidity", (70,)), ("play", "stay"))
    >>> outlook = SetTest("outlook", (["sunny"], ["overcast"], ["rainy"]))
    >>> tree = TreePredictor(TreeNode(outlook, (humid, "play", windy)))
    >>> import pyarrow as pa
    >>> day = {"outlook": ["sunny"], "humidity": [65], "windy": [True]}
    >>> tree.predict(pa.table(day)).tolist(), tree.n_nodes, tree.n_leaves
    (['play'], 8, 5)
    >>> print(tree.to_text())
    outlook = sunny
    |   humidity <= 70: play
    |   humidity > 70: stay
    outlook = overcast: play
    outlook = rainy
    |   windy = True: stay
    |   windy = False: play
    """

    root: Any

    def __post_init__(self) -> None:
        """Check the size: nodes that are shared count each time, and no walk may be endless."""
        pending, n_nodes = [(self.root, 0)], 0
        while pending:
            node, depth = pending.pop()
            n_nodes += 1
            if depth > _DEEPEST or n_nodes + len(pending) > _MOST_NODES:
                raise ValueError(
                    f"the tree has more than {_MOST_NODES:,} nodes, or more than {_DEEPEST} tests "
                    "on a path"
                )
            if isinstance(node, TreeNode):
                pending.extend((child, depth + 1) for child in node.children)

    @property
    def n_nodes(self) -> int:
        """The size of the tree: the number of its nodes, leaves included."""
        return sum(1 for _ in self._nodes())

    @property
    def n_leaves(self) -> int:
        """The number of leaves."""
        return len(self.labels)

    @property
    def depth(self) -> int:
        """The number of tests on the longest path."""
        return max(depth for _, depth, _ in self._nodes())

    @property
    def labels(self) -> list[Any]:
        """The label of each leaf, from left to right."""
        return [node for node, _, _ in self._nodes() if not isinstance(node, TreeNode)]

    def predict(self, X: Any) -> NDArray[Any]:
        """Return the label of the leaf of each row of a data frame or an array."""
        return _as_array(self.labels)[self.apply(X)]

    def apply(self, X: Any) -> Indices:
        """Return the leaf of each row, counted from left to right."""
        columns = _Columns(X)
        leaves, n_seen = np.empty(columns.n_rows, dtype=np.int64), 0
        pending: list[tuple[Any, Indices]] = [(self.root, np.arange(columns.n_rows))]
        while pending:
            node, rows = pending.pop()
            if not isinstance(node, TreeNode):
                leaves[rows], n_seen = n_seen, n_seen + 1
                continue
            answers = node.test.branches(columns.cells(node.test.feature, rows))
            pending.extend(  # the last branch goes in first, so that the first comes out first
                (node.children[branch], rows[answers == branch])
                for branch in reversed(range(node.test.n_branches))
            )
        return leaves

    def to_text(self) -> str:
        """Return the tree as indented lines, an answer each."""
        if not isinstance(self.root, TreeNode):
            return str(self.root)
        return "\n".join(
            f"{'|   ' * (depth - 1)}{answer}" + ("" if isinstance(node, TreeNode) else f": {node}")
            for node, depth, answer in self._nodes()
            if depth
        )

    def _nodes(self) -> Iterator[_Place]:
        """Yield every node and leaf, a node before its children, from left to right."""
        pending: list[_Place] = [(self.root, 0, "")]
        while pending:
            node, depth, answer = pending.pop()
            yield node, depth, answer
            if isinstance(node, TreeNode):
                test = node.test
                below = [
                    (child, depth + 1, f"{test.feature} {test.answer(branch)}")
                    for branch, child in enumerate(node.children)
                ]
                pending.extend(reversed(below))


class _Columns:
    """The columns of a table, by name or place."""

    def __init__(self, X: Any) -> None:
        self._frame: Any = None
        X = sound(X)  # a masked cell is a missing one, whatever lies under the mask
        if nw.dependencies.is_into_dataframe(X):
            self._frame = nw.from_native(X, eager_only=True)
            self.n_rows, self._names = len(self._frame), list(self._frame.columns)
            return
        self._array = X if isinstance(X, np.ndarray) else np.array(X, dtype=object)
        if self._array.ndim != 2:
            raise ValueError("X must be a table: a data frame or an array of rows and columns")
        self.n_rows, self._names = len(self._array), [str(i) for i in range(self._array.shape[1])]

    def cells(self, feature: str | int, rows: Indices) -> Sequence[Any] | NDArray[Any]:
        """Return some cells of a column."""
        if isinstance(feature, str) and (self._frame is None or feature not in self._names):
            raise ValueError(f"the tree asks for column {feature!r}, and X has {self._names}")
        place = self._names.index(feature) if isinstance(feature, str) else feature
        if not 0 <= place < len(self._names):
            raise ValueError(f"the tree asks for column {place}, and X has {len(self._names)}")
        if self._frame is None:
            return cast("NDArray[Any]", self._array)[rows, place]
        return self._frame[:, place][rows.tolist()].to_list()


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


def _as_array(labels: list[Any]) -> NDArray[Any]:
    """Return labels as an array; of several kinds, they stay as they are: 1 is not "1"."""
    kinds = {_kind(label) for label in labels}
    if len(kinds) == 1 and kinds.isdisjoint({tuple, list}):
        return np.asarray(labels)
    return np.fromiter(labels, dtype=object, count=len(labels))


def _kind(label: Any) -> type:
    if isinstance(label, bool | np.bool_):
        return bool
    if isinstance(label, numbers.Real):
        return float
    return str if isinstance(label, str) else type(label)
