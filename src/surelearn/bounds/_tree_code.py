"""The prefix code behind `surelearn.bounds.trees`: what each node of a tree costs, in bits.

A cell is what the path to a node leaves open: for each feature the cut points strictly inside the
current interval, or the categories still possible. The tests a node can make depend on its cell
alone, so the weights 2^-bits of all trees below a cell sum to at most 1.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from surelearn import _arguments

Tree: TypeAlias = Mapping[str, Any]
"""A leaf {"label": 1}, or a split {"feature": 0, "children": [...]} with its test.

The test is "cut": i for a numeric feature (the i-th cut point, counted from 0; the first child is
x <= cut), "left": [...] for a two-way split of categories, nothing for a multiway split.
"""

Feature: TypeAlias = Sequence[Any]
"""("numeric", number of cut points) or ("categorical", number of categories)."""

_Open: TypeAlias = Sequence[int]
_Cell: TypeAlias = tuple[_Open, ...]


@dataclass(frozen=True, kw_only=True)
class TreeCode:
    """The schema of a tree, fixed before the data are seen."""

    features: Sequence[Feature]
    n_classes: int
    multiway: bool
    missing: bool
    learnt_cuts: bool
    max_depth: int | None

    def __post_init__(self) -> None:
        _arguments.count("n_classes", self.n_classes, at_least=1)
        if self.max_depth is not None:
            _arguments.count("max_depth", self.max_depth)

    def bits(self, tree: Tree) -> float:
        """Return the code length of `tree`, in bits."""
        total, pending = 0.0, [(tree, self._root(), 0)]
        while pending:
            node, cell, depth = pending.pop()
            admissible = [] if depth == self.max_depth else self._admissible(cell)
            if "label" in node:
                _arguments.count("tree: label", node["label"], at_most=self.n_classes - 1)
                total += bool(admissible) + math.log2(self.n_classes)
            else:
                cost, below = self._split(node, cell, admissible)
                total += cost
                pending += [(child, part, depth + 1) for child, part in below]
        return total

    def _root(self) -> _Cell:
        return tuple(range(_n_options(feature)) for feature in self.features)

    def _admissible(self, cell: _Cell) -> list[int]:
        return [f for f, left in enumerate(cell) if len(left) >= self._fewest(f)]

    def _fewest(self, feature: int) -> int:
        if self.features[feature][0] == "categorical":
            return 2
        return 0 if self.learnt_cuts else 1

    def _split(
        self, node: Tree, cell: _Cell, admissible: list[int]
    ) -> tuple[float, list[tuple[Tree, _Cell]]]:
        feature = _arguments.count("tree: feature", node.get("feature", math.nan))
        if feature not in admissible:
            raise _arguments.refuse("tree: feature", feature, f"one of {admissible} in this cell")
        test_bits, parts = self._test(node, feature, cell[feature])
        children = node.get("children", ())
        if len(children) != len(parts):
            raise _arguments.refuse("tree: children", len(children), f"{len(parts)} nodes")
        default_bits = math.log2(len(parts)) if self.missing else 0.0
        cells = [(*cell[:feature], part, *cell[feature + 1 :]) for part in parts]
        bits = 1.0 + math.log2(len(admissible)) + test_bits + default_bits
        return bits, list(zip(children, cells, strict=True))

    def _test(self, node: Tree, feature: int, left: _Open) -> tuple[float, list[_Open]]:
        if self.features[feature][0] == "numeric":
            return self._cut(node, left)
        if self.multiway:
            return 0.0, [(value,) for value in left]
        # Naming the side of the smallest category counts every partition once.
        first = sorted(_arguments.count("tree: left", value) for value in node.get("left", ()))
        second = [value for value in left if value not in first]
        if first[:1] != [left[0]] or not second or len(first) + len(second) != len(left):
            raise _arguments.refuse("tree: left", first, f"some of {list(left)}, with {left[0]}")
        # ln(2^(r-1) - 1) / ln 2, which does not overflow for a thousand categories.
        r = len(left) - 1
        return r + math.log1p(-(2.0**-r)) / math.log(2.0), [first, second]

    def _cut(self, node: Tree, left: _Open) -> tuple[float, list[_Open]]:
        if self.learnt_cuts:
            return 0.0, [left, left]
        cut = _arguments.count("tree: cut", node.get("cut", math.nan))
        if cut not in left:
            raise _arguments.refuse("tree: cut", cut, f"one of {list(left)} in this cell")
        position = cut - left[0]
        return math.log2(len(left)), [left[:position], left[position + 1 :]]


def _n_options(feature: Feature) -> int:
    kind, n_options = feature
    if kind not in {"numeric", "categorical"}:
        raise _arguments.refuse("features", kind, '"numeric" or "categorical"')
    return _arguments.count("features", n_options)
