"""The arrays of trees as walks read them: looked through once, and never written to afterwards.

A walk follows the words of its nodes without asking whether they lead anywhere. So the arrays are
looked through when a forest is first walked through, and kept in memory that cannot be written to:
whoever replaces one of them is noticed, as another array is not the same object.
"""

from typing import NamedTuple
from weakref import finalize, ref

import numpy as np

from surelearn._jit.rows import is_locked, locked, unlocked
from surelearn._typing import Indices, Matrix
from surelearn.learners.ensembles._forest.packed_trees import PackedTrees, refuse_wild_trees
from surelearn.learners.ensembles._forest.workspace import Words

_NAMES = ("words", "leaves", "routes", "first_node", "importances")


class Walkable(NamedTuple):
    """What compiled loops read of trees; `checked` are the arrays that were looked through."""

    words: Indices
    cuts: Matrix
    routes: Words
    first_node: Indices
    width: int
    checked: tuple[object, ...]


_known: dict[int, tuple[ref[PackedTrees], Walkable]] = {}


def walkable(trees: PackedTrees) -> Walkable:
    """Return the arrays of trees through which every walk ends; others are refused.

    Examples
    --------
    >>> words = np.array([[0x7FF8 << 48, 0]])
    >>> stump = PackedTrees(
    ...     words, np.ones((1, 1)), np.zeros(0, np.uint64), 0, np.array([0, 1]), np.zeros((1, 1))
    ... )
    >>> walkable(stump).words.tolist() == words.tolist()
    True
    >>> stump.words[0, 1] = 2**40
    Traceback (most recent call last):
    ValueError: assignment destination is read-only
    """
    known = _known.get(id(trees))
    if known is not None and known[0]() is trees:
        there = (trees.words, trees.leaves, trees.routes, trees.first_node, trees.importances)
        same = all(one is other for one, other in zip(there, known[1].checked, strict=True))
        if same and trees.route_width == known[1].width:
            return known[1]
    _lock(trees)
    refuse_wild_trees(trees)
    return _keep(trees)


def as_grown(trees: PackedTrees) -> PackedTrees:
    """Return trees that our own loops have just grown: walks end there, and nobody need look.

    To look takes a fifth of the time of a fit.
    """
    _lock(trees)
    _keep(trees)
    return trees


def _lock(trees: PackedTrees) -> None:
    for name in _NAMES:
        array = getattr(trees, name)
        if not is_locked(array):
            object.__setattr__(trees, name, locked(np.ascontiguousarray(array)))


def _keep(trees: PackedTrees) -> Walkable:
    arrays = tuple(getattr(trees, name) for name in _NAMES)
    words, routes, first_node = map(unlocked, (trees.words, trees.routes, trees.first_node))
    cuts, width = words.view(np.float64), int(trees.route_width)
    found = Walkable(words, cuts, routes, first_node, width, arrays)
    if id(trees) not in _known:
        finalize(trees, _known.pop, id(trees), None)
    _known[id(trees)] = ref(trees), found
    return found
