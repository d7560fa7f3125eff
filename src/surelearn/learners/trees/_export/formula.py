"""Disjunctive normal form: when a tree of two classes says yes, as a formula.

Every leaf of the class is a conjunction of literals. A literal is redundant if without it the
conjunction still meets no leaf of the other class; a conjunction is redundant if every leaf of the
class is inside another one.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, cast

import numpy as np

from surelearn._typing import Mask, Matrix
from surelearn.learners.trees._export.paths import Cell, leaves
from surelearn.learners.trees._export.vocabulary import Vocabulary
from surelearn.learners.trees._tree import Tree


@dataclass(frozen=True)
class Formula:
    """A disjunction of conjunctions of conditions on a row.

    Attributes
    ----------
    label
        The class that the formula describes.
    terms
        The conjunctions, a literal for each feature in it.
    vocabulary
        The words of the tree.
    """

    label: str
    terms: tuple[Cell, ...]
    vocabulary: Vocabulary

    def holds(self, X: Matrix) -> Mask:
        """Return which rows, coded as the tree reads them, satisfy the formula."""
        nowhere = np.zeros(len(X), dtype=np.bool_)
        return np.logical_or.reduce([nowhere, *(_holds(term, X) for term in self.terms)])

    def __len__(self) -> int:
        """Return the number of conjunctions."""
        return len(self.terms)

    def __str__(self) -> str:
        """Return the formula as text; "true" and "false" if nothing is asked."""
        if not self.terms:
            return "false"
        if not all(self.terms):
            return "true"
        texts = [self.vocabulary.conjunction(term) for term in self.terms]
        if len(texts) == 1:
            return texts[0]
        return " or ".join(
            f"({text})" if len(term) > 1 else text
            for text, term in zip(texts, self.terms, strict=True)
        )


def formula_of(tree: Tree, vocabulary: Vocabulary, *, label: Any) -> Formula:
    """Return the formula of a class told by its label; None means the last one in sorted order.

    Examples
    --------
    >>> from surelearn.learners.trees._tree import binary_stump
    >>> stump = binary_stump(feature=0, threshold=0.5, value=[[4, 3], [4, 1], [0, 2]])
    >>> vocabulary = Vocabulary(["size"], (None,), np.array(["no", "yes"]), 6)
    >>> print(formula_of(stump, vocabulary, label=None))
    size > 0.5
    """
    classes = vocabulary.classes
    if classes is None:
        raise ValueError(
            "a formula says when a tree predicts a class, and this is a regressor: rules() reads it"
        )
    if len(classes) > 2:
        raise ValueError(
            f"a formula describes one of two classes, and this tree has {classes.tolist()}: "
            "rules() reads it, or fit one class against the rest"
        )
    places = [len(classes) - 1] if label is None else np.flatnonzero(classes == label)
    if len(places) == 0:
        raise ValueError(f"label={label!r} must be one of the classes {classes.tolist()}")
    return normal_form(tree, vocabulary, label=int(places[0]))


def normal_form(tree: Tree, vocabulary: Vocabulary, *, label: int) -> Formula:
    """Return the formula of one of two classes, without redundant literals and conjunctions."""
    predicted = tree.shares().argmax(axis=1)
    cells: tuple[list[Cell], list[Cell]] = ([], [])
    for node, cell in leaves(tree, vocabulary.n_categories, missing=vocabulary.missing):
        cells[int(predicted[node] == label)].append(cell)
    others, own = cells
    terms = _cover(own, [_shorten(cell, others) for cell in own])
    return Formula(str(cast("Any", vocabulary.classes)[label]), tuple(terms), vocabulary)


def _shorten(cell: Cell, others: list[Cell]) -> Cell:
    """Return a cell without the literals that keep no other cell apart."""
    for feature in list(cell):
        wider = {f: literal for f, literal in cell.items() if f != feature}
        if not any(_meet(wider, other) for other in others):
            cell = wider
    return cell


def _cover(own: list[Cell], terms: list[Cell]) -> Iterable[Cell]:
    """Return few of the terms, such that each cell is within one of them, in their order."""
    inside = np.array([[_within(cell, term) for term in terms] for cell in own], dtype=np.bool_)
    chosen: list[int] = []
    left = np.ones(len(own), dtype=np.bool_)
    while left.any():
        chosen.append(int(inside[left].sum(axis=0).argmax()))
        left &= ~inside[:, chosen[-1]]
    return (terms[place] for place in sorted(chosen))


def _meet(first: Cell, second: Cell) -> bool:
    return all(
        literal.meets(second[feature])  # pyright: ignore[reportArgumentType] - of one feature
        for feature, literal in first.items()
        if feature in second
    )


def _within(first: Cell, second: Cell) -> bool:
    return all(
        feature in first and first[feature].within(literal)  # pyright: ignore[reportArgumentType] - of one feature
        for feature, literal in second.items()
    )


def _holds(term: Cell, X: Matrix) -> Mask:
    columns = (literal.holds(X[:, feature]) for feature, literal in term.items())
    return np.logical_and.reduce([np.ones(len(X), dtype=np.bool_), *columns])
