"""Cells: what the way to a node says of a row, one literal for each feature that was asked."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple, TypeAlias, cast

import numpy as np

from surelearn._typing import Mask, Vector
from surelearn.learners.trees._tree import Tree


@dataclass(frozen=True)
class Interval:
    """A number above `low` and at most `high`, or, if so said, a missing one.

    Examples
    --------
    >>> Interval(low=1.0).meets(Interval(high=1.0))
    False
    """

    low: float = -np.inf
    high: float = np.inf
    missing: bool = False

    def meets(self, other: "Interval") -> bool:
        """Whether some cell is in both."""
        both = self.missing and other.missing
        return both or max(self.low, other.low) < min(self.high, other.high)

    def within(self, other: "Interval") -> bool:
        """Whether every cell in this one is in the other."""
        inside = other.low <= self.low and self.high <= other.high
        return (inside or self.low >= self.high) and self.missing <= other.missing

    def holds(self, column: Vector) -> Mask:
        """Return which cells are in it."""
        return ((column > self.low) & (column <= self.high)) | (self.missing & np.isnan(column))


@dataclass(frozen=True)
class Members:
    """A category out of some, told by their codes, or, if so said, a missing or unknown one.

    Examples
    --------
    >>> Members((0, 2)).meets(Members((1, 2)))
    True
    """

    codes: tuple[int, ...]
    missing: bool = False

    def meets(self, other: "Members") -> bool:
        """Whether some cell is in both."""
        both = self.missing and other.missing
        return both or not set(self.codes).isdisjoint(other.codes)

    def within(self, other: "Members") -> bool:
        """Whether every cell in this one is in the other."""
        return set(self.codes) <= set(other.codes) and self.missing <= other.missing

    def holds(self, column: Vector) -> Mask:
        """Return which cells are in it."""
        unknown = np.isnan(column) | (column < 0.0)
        return np.isin(column, self.codes) | (self.missing & unknown)


Literal: TypeAlias = Interval | Members
Cell: TypeAlias = Mapping[int, Literal]
"""A literal for each feature that was asked on the way to a node; a row meets all of them."""


class Leaf(NamedTuple):
    """A node whose label is given to the rows of a cell.

    A category that no training row had at a node of one child per category has no child: it gets
    the label of the node itself, which `node` then is.
    """

    node: int
    cell: Cell


def branches(
    tree: Tree, node: int, cell: Cell, n_categories: Sequence[int], *, missing: Sequence[bool] = ()
) -> tuple[list[Cell], Cell | None]:
    """Return the cells of the children of a node, and the cell of the categories without a child.

    Parameters
    ----------
    tree, node, cell
        The tree, one of its nodes that asks, and the cell of that node.
    n_categories
        The number of categories of each feature, 0 if it is numeric.
    missing
        The features of which cells tell missing values too; of the others, answers only.

    Examples
    --------
    >>> from surelearn.learners.trees._tree import binary_stump
    >>> stump = binary_stump(feature=0, threshold=0.5, value=[[3, 2], [3, 0], [0, 2]])
    >>> children, rest = branches(stump, 0, {}, [0])
    >>> [(part[0].low, part[0].high) for part in children]
    [(-inf, 0.5), (0.5, inf)]
    """
    feature, default = int(tree.feature[node]), int(tree.default_child[node])
    told = bool(missing[feature]) if missing else False
    if not np.isnan(tree.threshold[node]):
        inside = cast("Interval", cell.get(feature, Interval(missing=told)))
        cut = float(tree.threshold[node])
        parts: list[Literal] = [
            Interval(inside.low, cut, missing=inside.missing and default == 0),
            Interval(cut, inside.high, missing=inside.missing and default == 1),
        ]
        return [{**cell, feature: part} for part in parts], None
    every = Members(tuple(range(n_categories[feature])), missing=told)
    left = cast("Members", cell.get(feature, every))
    routes = tree.routes_of(node)
    child = np.where(routes < 0, default, routes)
    sets = [
        Members(
            tuple(code for code in left.codes if child[code] == place),
            missing=left.missing and default == place >= 0,
        )
        for place in range(-1, int(tree.n_children[node]))
    ]
    cells: list[Cell] = [{**cell, feature: part} for part in sets]
    return cells[1:], cells[0] if sets[0].codes else None


def leaves(
    tree: Tree, n_categories: Sequence[int], *, missing: Sequence[bool] = ()
) -> Iterator[Leaf]:
    """Return the leaves with their cells, from the first to the last.

    Every row with an answer to each question is in one of them; in a tree with default branches,
    so is a row that lacks one of a feature marked as `missing`.

    Examples
    --------
    >>> from surelearn.learners.trees._tree import binary_stump
    >>> stump = binary_stump(feature=0, threshold=0.5, value=[[3, 2], [3, 0], [0, 2]])
    >>> [leaf.node for leaf in leaves(stump, [0])]
    [1, 2]
    """
    pending = [Leaf(0, {})]
    while pending:
        node, cell = pending.pop()
        if tree.n_children[node] == 0:
            yield Leaf(node, cell)
            continue
        below, rest = branches(tree, node, cell, n_categories, missing=missing)
        if rest is not None:
            yield Leaf(node, rest)
        found = [Leaf(child, part) for child, part in zip(tree.children(node), below, strict=True)]
        pending.extend(reversed(found))
