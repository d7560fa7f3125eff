"""The words of a tree: how its features, categories, cut points and outcomes are written."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from surelearn._arguments import at_least_one
from surelearn.base.tables import table
from surelearn.learners.trees._export.paths import Cell, Interval, Literal, branches
from surelearn.learners.trees._tree import Tree


@dataclass(frozen=True)
class Vocabulary:
    """Names for what a tree tells by numbers.

    Attributes
    ----------
    names, categories
        The features' names, and their categories or None.
    classes
        The labels; None for a tree of numbers.
    digits
        How many digits of a number are written.
    missing
        For each feature, whether it is told where missing cells go; empty if for none.
    """

    names: list[str]
    categories: table.Categories
    classes: NDArray[Any] | None
    digits: int
    missing: Sequence[bool] = ()

    @property
    def n_categories(self) -> list[int]:
        """The number of categories of each feature, 0 if it is numeric."""
        return table.n_categories(self.categories).tolist()

    def number(self, value: float) -> str:
        """Return a number as it is written."""
        if not 1e-4 <= abs(value) < 1e12:
            return f"{value:.{self.digits}g}"
        # As people write it: prices and populations are read without powers of ten.
        return np.format_float_positional(value, precision=self.digits, fractional=False, trim="-")

    def category(self, feature: int, code: int) -> str:
        """Return a category as it is written."""
        known = cast("NDArray[Any]", self.categories[feature])
        return self.number(known[code]) if known.dtype.kind == "f" else str(known[code])

    def condition(self, feature: int, literal: Literal) -> str:
        """Return a literal as a sentence about its feature."""
        name = self.names[feature]
        known = (
            self._range(name, literal)
            if isinstance(literal, Interval)
            else self._choice(name, [self.category(feature, code) for code in literal.codes])
        )
        if not known:
            return f"{name} is missing"
        return f"{known} (or missing)" if literal.missing else known

    def _range(self, name: str, inside: Interval) -> str:
        low, high = self.number(inside.low), self.number(inside.high)
        if inside.low >= inside.high:
            return ""
        if np.isinf(inside.low):
            return f"{name} is known" if np.isinf(inside.high) else f"{name} <= {high}"
        return f"{name} > {low}" if np.isinf(inside.high) else f"{low} < {name} <= {high}"

    def _choice(self, name: str, words: list[str]) -> str:
        if len(words) > 1:
            return f"{name} in {{{', '.join(words)}}}"
        return f"{name} = {words[0]}" if words else ""

    def conjunction(self, cell: Cell) -> str:
        """Return the conditions of a cell, joined."""
        return " and ".join(self.condition(feature, literal) for feature, literal in cell.items())

    def outcome(self, tree: Tree, node: int) -> str:
        """Return what a node predicts."""
        if self.classes is None:
            return self.number(float(tree.value[node, 0]))
        return str(self.classes[tree.shares()[node].argmax()])

    def answers(self, tree: Tree) -> list[str]:
        """Return the answer that leads to each node: "<= 0.5", "= red", "in {a, b}"; "" for none.

        Of categories, those are told that are possible there.
        """
        words, pending = [""] * tree.n_nodes, [(0, cast("Cell", {}))]
        while pending:
            node, cell = pending.pop()
            if tree.n_children[node] == 0:
                continue
            feature = int(tree.feature[node])
            below, _ = branches(tree, node, cell, self.n_categories, missing=self.missing)
            for place, (child, part) in enumerate(zip(tree.children(node), below, strict=True)):
                literal = _side(part[feature], place, float(tree.threshold[node]))
                name = self.names[feature]
                words[child] = self.condition(feature, literal).removeprefix(f"{name} ")
                pending.append((child, part))
        return words


def _side(literal: Literal, place: int, cut: float) -> Literal:
    """Return the literal of a child, without what was asked about a number before."""
    if not isinstance(literal, Interval):
        return literal
    side = Interval(high=cut) if place == 0 else Interval(low=cut)
    return replace(side, missing=literal.missing)


def vocabulary_of(model: Any, *, digits: int) -> Vocabulary:
    """Return the words of a fitted tree; refuse arrays that someone made no tree of.

    Examples
    --------
    >>> from types import SimpleNamespace
    >>> model = SimpleNamespace(n_features_in_=1, categories_=(None,), classes_=np.array([0, 1]))
    >>> vocabulary_of(model, digits=3).condition(0, Interval(high=0.12345))
    'x0 <= 0.123'
    """
    at_least_one("digits", digits)
    n = len(model.categories_)
    if n != model.n_features_in_:
        raise ValueError(f"it has categories of {n} columns, and other columns: fit it again")
    if hasattr(model, "tree_"):
        model.tree_.questions(n)
    return Vocabulary(
        names=table.column_names(model),
        categories=model.categories_,
        classes=getattr(model, "classes_", None),
        digits=digits,
        missing=getattr(model, "missing_", np.zeros(0, dtype=np.bool_)).tolist(),
    )
