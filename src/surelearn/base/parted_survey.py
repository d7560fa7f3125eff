"""The first look at a table in parts: its columns, classes and weights, and what its rows are.

Learners that go through the parts many times learn here what holds for all blocks alike.
"""

import math
from collections.abc import Mapping
from copy import copy
from dataclasses import dataclass
from functools import partial
from operator import add
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from surelearn._jit import fingerprints, rows
from surelearn._jit.fingerprints import Hashes
from surelearn._typing import Indices, Vector
from surelearn.base import validation
from surelearn.base.labels import joined_classes
from surelearn.base.parted import Block, PartedTable
from surelearn.base.summarising import refuse_other_columns

_COLUMNS = {"n_features_in_", "feature_names_in_"}


@dataclass(frozen=True, eq=False)
class Survey:
    """What a look at some rows shows; the sum of two is that of the rows of both.

    Attributes
    ----------
    columns
        The number and the names of the features.
    classes
        The labels, sorted.
    n_rows, n_there, weight
        How many rows have each label, how many of them a weight above 0, and the sum of these.
    squares
        The sum of the squares of all features.
    hashes
        A sketch of the rows, by which they are known again.
    """

    columns: Mapping[str, Any]
    classes: NDArray[Any]
    n_rows: Indices
    n_there: Indices
    weight: Vector
    squares: float
    hashes: Hashes

    @property
    def typical_norm(self) -> float:
        """The root mean square of the rows' norms, the constant 1 counted."""
        return math.sqrt(1.0 + self.squares / int(self.n_rows.sum()))

    def __add__(self, other: "Survey") -> "Survey":
        """Return what a look at the rows of both shows."""
        refuse_other_columns(self.columns, other.columns)
        classes = joined_classes(self.classes, other.classes)
        n_rows, n_there = np.zeros((2, len(classes)), dtype=np.int64)
        weight = np.zeros(len(classes))
        for each in (self, other):
            places = validation.index_among(classes, each.classes)
            n_rows[places] += each.n_rows
            n_there[places] += each.n_there
            weight[places] += each.weight
        hashes = fingerprints.united(self.hashes, other.hashes)
        squares = self.squares + other.squares
        return Survey(self.columns, classes, n_rows, n_there, weight, squares, hashes)


class LabelledRows(NamedTuple):
    """Checked rows of a block: numbers, the places of their labels among the classes, weights."""

    X: Any
    codes: Indices
    weights: Vector


def survey_labelled(learner: Any, parts: PartedTable) -> Survey:
    """Look at all blocks of numbers with labels, and let the learner know columns and classes.

    Examples
    --------
    >>> from functools import reduce
    >>> from surelearn.learners.linear.logistic_regression import LogisticRegression
    >>> class InLists(PartedTable):
    ...     def map_reduce(self, task, merge):
    ...         blocks = [Block([[1.0], [2.0]], ["no", "no"]), Block([[6.0]], ["yes"])]
    ...         return reduce(merge, map(task, blocks))
    >>> learner = LogisticRegression()
    >>> survey_labelled(learner, InLists()).n_rows.tolist(), learner.classes_.tolist()
    ([2, 1], ['no', 'yes'])
    """
    found = parts.map_reduce(partial(_look, learner), add)
    if not 0.0 < found.weight.sum() < validation.MOST_WEIGHT:
        validation.sample_weights(found.weight, len(found.weight))  # it says what is wrong
    vars(learner).update(found.columns)
    learner.classes_ = validation.two_or_more(found.classes)
    return found


def _look(learner: Any, block: Block) -> Survey:
    shown = copy(learner)  # a check leaves the columns with whom it is for
    X, labels = validation.check(shown, block.X, block.y, reset=True)
    weights = validation.sample_weights(block.weights, len(labels), whole=False)
    classes = validation.distinct(labels)
    codes = validation.index_among(classes, labels)
    packed: Any = rows.of(X)
    values = packed.data if isinstance(packed, rows.SparseRows) else packed
    return Survey(
        {name: value for name, value in vars(shown).items() if name in _COLUMNS},
        classes,
        np.bincount(codes, minlength=len(classes)),
        np.bincount(codes[weights > 0.0], minlength=len(classes)),
        np.bincount(codes, weights, minlength=len(classes)).astype(np.float64),
        rows.sum_of_squares(values.ravel()),
        fingerprints.sketch(fingerprints.row_hashes(packed)),
    )


def admitted(learner: Any, block: Block) -> LabelledRows:
    """Check a block again, for a learner that knows its columns and classes."""
    X, labels = validation.check(learner, block.X, block.y)
    codes = validation.index_among(learner.classes_, labels)
    return LabelledRows(
        X, codes, validation.sample_weights(block.weights, len(labels), whole=False)
    )
