"""Reading a fitted tree: its rules as a data frame, its formula, its text and its graph."""

import importlib.util
from typing import Any, Literal, TypeAlias, cast

import narwhals as nw
import numpy as np
from sklearn.utils.validation import check_is_fitted

from surelearn.learners.trees._export import text
from surelearn.learners.trees._export.formula import Formula, normal_form
from surelearn.learners.trees._export.labels import legend_of
from surelearn.learners.trees._export.paths import leaves
from surelearn.learners.trees._tree import Tree

Backend: TypeAlias = Literal["pandas", "polars", "pyarrow"]
"""The libraries of data frames that rules can be returned in."""

_FRAMES = ("pandas", "polars", "pyarrow")


class TreeReading:
    """The ways to read a fitted tree.

    Examples
    --------
    >>> from surelearn.learners.trees.cart_classifier import CARTClassifier
    >>> model = CARTClassifier().fit([[0.0], [1.0], [2.0], [3.0]], ["no", "yes", "yes", "no"])
    >>> print(model.dnf())
    0.5 < x0 <= 2.5
    >>> model.rules(backend="pyarrow")["conditions"].to_pylist()
    ['x0 <= 0.5', '0.5 < x0 <= 2.5', 'x0 > 2.5']
    """

    tree_: Tree

    def rules(self, *, digits: int = 6, backend: Backend | None = None) -> Any:
        """Return the leaves as rules, a row each, in a data frame.

        Its columns are `conditions`, the literals on the way to the leaf, one for each feature;
        `class` with `support`, the number of training rows of the leaf, and `confidence`, the share
        of that class in their weight. A regressor has `value` and `impurity` instead of `class` and
        `confidence`.

        Parameters
        ----------
        digits
            How many digits of a cut point are written.
        backend
            The library of the data frame: "pandas", "polars" or "pyarrow"; None means the first of
            these that is installed.
        """
        check_is_fitted(self)
        legend, tree = legend_of(self, digits=digits), self.tree_
        every = leaves(tree, legend.n_categories, missing=legend.missing)
        found = [leaf for leaf in every if tree.is_leaf[leaf.node]]
        nodes = np.array([leaf.node for leaf in found])
        conditions = [legend.conjunction(leaf.cell) or "true" for leaf in found]
        columns: dict[str, Any] = {"conditions": conditions}
        if legend.classes is None:
            columns |= {"value": tree.value[nodes, 0], "support": tree.n_rows[nodes]}
            columns["impurity"] = tree.impurity[nodes]
        else:
            shares = tree.shares()[nodes]
            columns["class"] = legend.classes[shares.argmax(axis=1)].tolist()
            columns |= {"support": tree.n_rows[nodes], "confidence": shares.max(axis=1)}
        return nw.from_dict(columns, backend=_backend(backend)).to_native()

    def dnf(self, *, label: Any = None, digits: int = 6) -> Formula:
        """Return the condition under which the tree predicts one of its two classes.

        Intervals of a feature are merged; literals and conjunctions without which the formula says
        the same are dropped. Where missing cells go is told if there were any in training.

        Parameters
        ----------
        label
            The class to describe; None means the last one in sorted order.
        digits
            How many digits of a cut point are written.
        """
        check_is_fitted(self)
        classes = getattr(self, "classes_", None)
        if classes is None:
            raise ValueError(
                "a formula says when a tree predicts a class, and this is a regressor: rules() "
                "reads it"
            )
        if len(classes) > 2:
            raise ValueError(
                f"a formula describes one of two classes, and this tree has {classes.tolist()}: "
                "rules() reads it, or fit one class against the rest"
            )
        places = [len(classes) - 1] if label is None else np.flatnonzero(classes == label)
        if len(places) == 0:
            raise ValueError(f"label={label!r} must be one of the classes {classes.tolist()}")
        return normal_form(self.tree_, legend_of(self, digits=digits), label=int(places[0]))

    def to_text(self, *, digits: int = 6) -> str:
        """Return the tree as indented lines; a leaf tells the weight of its rows and of the errors.

        Parameters
        ----------
        digits
            How many digits of a number are written.
        """
        check_is_fitted(self)
        return text.text(self.tree_, legend_of(self, digits=digits))

    def to_dot(self, *, digits: int = 6) -> str:
        """Return the tree in the language of Graphviz; `dot -Tsvg` draws it.

        Parameters
        ----------
        digits
            How many digits of a number are written.
        """
        check_is_fitted(self)
        return text.dot(self.tree_, legend_of(self, digits=digits))


def _backend(name: Backend | None) -> Backend:
    if name is None:
        installed = (frame for frame in _FRAMES if importlib.util.find_spec(frame))
        return cast("Backend", next(installed))
    if name not in _FRAMES:
        raise ValueError(f"backend={name!r} must be one of {', '.join(_FRAMES)}")
    return name
