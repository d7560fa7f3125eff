"""A tree written by hand: tests of intervals and of sets, with two branches or more.

An inner node asks one feature and has a child for every answer; a leaf is a label. Intervals are
closed on the right, (−∞, a], (a, b], (b, ∞), and sets of values are disjoint, so every row that can
be answered reaches exactly one leaf. Nothing is learnt: such a rule is fixed before the data are
seen, and a `Holdout` certifies it like any model.
"""

import numbers
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, cast

import narwhals as nw
import numpy as np
from numpy.typing import NDArray

from surelearn._jit.sound_matrices import sound
from surelearn._typing import Indices
from surelearn.learners.trees.node_tests import IntervalTest, SetTest

_MOST_NODES = 10**6
_DEEPEST = 5000
_TOO_LARGE = f"more than {_MOST_NODES:,} nodes, or more than {_DEEPEST:,} tests on a path"


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


@dataclass(frozen=True, init=False, repr=False)
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

    # A row of nodes, not nodes in nodes: a tree may be deeper than Python lets calls nest.
    _tests: tuple[Any, ...]  # a node before its children, from left to right; None is a leaf
    _labels: tuple[Any, ...]

    _stored_version: ClassVar[int] = 2

    def __init__(self, root: Any) -> None:
        object.__setattr__(self, "_tests", tuple(map(_test_of, _nodes_below(root))))
        labels = [node for node in _nodes_below(root) if not isinstance(node, TreeNode)]
        object.__setattr__(self, "_labels", tuple(labels))
        self._check_state()

    def __repr__(self) -> str:
        return f"TreePredictor(root={self._put_together(_written, map(repr, self._labels))})"

    @property
    def root(self) -> Any:
        """The first node, or a label that all rows get."""
        return self._put_together(TreeNode, self._labels)

    @property
    def n_nodes(self) -> int:
        """The size of the tree: the number of its nodes, leaves included."""
        return len(self._tests)

    @property
    def n_leaves(self) -> int:
        """The number of leaves."""
        return len(self._labels)

    @property
    def depth(self) -> int:
        """The number of tests on the longest path."""
        return max(depth for _, depth, _ in self._nodes())

    @property
    def labels(self) -> list[Any]:
        """The label of each leaf, from left to right."""
        return list(self._labels)

    def predict(self, X: Any) -> NDArray[Any]:
        """Return the label of the leaf of each row of a data frame or an array."""
        return _as_array(self.labels)[self.apply(X)]

    def apply(self, X: Any) -> Indices:
        """Return the leaf of each row, counted from left to right."""
        columns = _Columns(X)
        leaves, n_seen = np.empty(columns.n_rows, dtype=np.int64), 0
        pending: list[Indices] = [np.arange(columns.n_rows)]
        for test in self._tests:
            rows = pending.pop()
            if test is None:
                leaves[rows], n_seen = n_seen, n_seen + 1
                continue
            answers = test.branches(columns.cells(test.feature, rows))
            # The last branch goes in first, so that the first comes out first.
            branches = reversed(range(test.n_branches))
            pending.extend(rows[answers == branch] for branch in branches)
        return leaves

    def to_text(self) -> str:
        """Return the tree as indented lines, an answer each."""
        labels = iter(self._labels)
        if self._tests[0] is None:
            return str(next(labels))
        return "\n".join(
            f"{'|   ' * (depth - 1)}{answer}" + (f": {next(labels)}" if test is None else "")
            for test, depth, answer in self._nodes()
            if depth
        )

    def _nodes(self) -> Iterator[tuple[IntervalTest | SetTest | None, int, str]]:
        """Yield the test of every node, None for a leaf, its depth, and the answer leading to it.

        A node comes before its children, and these from left to right.
        """
        pending = [(0, "")]
        for test in self._tests:
            depth, answer = pending.pop()
            yield test, depth, answer
            if test is not None:
                branches = reversed(range(test.n_branches))
                pending.extend((depth + 1, f"{test.feature} {test.answer(b)}") for b in branches)

    def _put_together(self, inner: Callable[..., Any], leaves: Iterable[Any]) -> Any:
        """Return what is made of the root, when nodes are made of what their children became."""
        labels, made = list(leaves), list[Any]()
        for test in reversed(self._tests):
            if test is None:
                made.append(labels.pop())
            else:
                made.append(inner(test, tuple(made.pop() for _ in range(test.n_branches))))
        return made.pop()

    def _check_state(self) -> None:
        """Refuse nodes that are no tree, which a forged model file may hold, and one too deep."""
        depths, n_leaves = [0], 0
        for held in (self._tests, self._labels):
            if type(held) is not tuple:
                raise TypeError("its nodes and labels are not in a row")
        for test in self._tests:
            if not depths or not isinstance(test, IntervalTest | SetTest | None):
                raise ValueError("its nodes are no tree")
            depth = depths.pop()
            if test is None:
                n_leaves += 1
            elif depth == _DEEPEST:
                raise ValueError(f"the tree has {_TOO_LARGE}")
            else:
                depths.extend([depth + 1] * test.n_branches)
        if depths or n_leaves != len(self._labels):
            raise ValueError("its nodes are no tree, or it does not have a label for each leaf")

    @classmethod
    def _upgrade_state(cls, attributes: dict[str, Any]) -> dict[str, Any]:
        """Return today's attributes, given the first node that an older model file holds."""
        return vars(cls(attributes["root"]))

    def _former_attributes(self) -> dict[str, Any]:
        """Return what older fingerprints are made of."""
        return {"root": self.root}


def _nodes_below(root: Any) -> Iterator[Any]:
    """Yield nodes and labels, a node before its children, if they are not too many.

    Nodes that are shared count each time, and no walk may be endless.
    """
    pending, n_nodes = [root], 0
    while pending:
        node = pending.pop()
        n_nodes += 1
        if n_nodes + len(pending) > _MOST_NODES:
            raise ValueError(f"the tree has {_TOO_LARGE}")
        yield node
        if isinstance(node, TreeNode):
            pending.extend(reversed(node.children))


def _test_of(node: Any) -> IntervalTest | SetTest | None:
    return node.test if isinstance(node, TreeNode) else None


def _written(test: IntervalTest | SetTest, children: tuple[str, ...]) -> str:
    several = ", ".join(children) + "," * (len(children) == 1)
    return f"TreeNode(test={test!r}, children=({several}))"


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
