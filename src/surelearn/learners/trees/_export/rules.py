"""The leaves of a tree as rules in a data frame."""

import importlib.util
from typing import Any, Literal, TypeAlias, cast

import narwhals as nw
import numpy as np

from surelearn.learners.trees._export.paths import leaves
from surelearn.learners.trees._export.vocabulary import Vocabulary
from surelearn.learners.trees._tree import Tree

Backend: TypeAlias = Literal["pandas", "polars", "pyarrow"]
"""The libraries of data frames that rules can be returned in."""

_FRAMES = ("pandas", "polars", "pyarrow")


def rules(tree: Tree, vocabulary: Vocabulary, *, backend: Backend | None) -> Any:
    """Return a data frame with a row for each leaf.

    Examples
    --------
    >>> from surelearn.learners.trees._tree import binary_stump
    >>> stump = binary_stump(feature=0, threshold=0.5, value=[[4, 3], [4, 1], [0, 2]])
    >>> vocabulary = Vocabulary(["size"], (None,), np.array(["no", "yes"]), 6)
    >>> rules(stump, vocabulary, backend="pyarrow").to_pylist()[1]
    {'conditions': 'size > 0.5', 'class': 'yes', 'support': 2, 'confidence': 1.0}
    """
    every = leaves(tree, vocabulary.n_categories, missing=vocabulary.missing)
    found = [leaf for leaf in every if tree.is_leaf[leaf.node]]
    nodes = np.array([leaf.node for leaf in found])
    conditions = [vocabulary.conjunction(leaf.cell) or "true" for leaf in found]
    columns: dict[str, Any] = {"conditions": conditions}
    if vocabulary.classes is None:
        columns |= {"value": tree.value[nodes, 0], "support": tree.n_rows[nodes]}
        columns["impurity"] = tree.impurity[nodes]
    else:
        shares = tree.shares()[nodes]
        columns["class"] = vocabulary.classes[shares.argmax(axis=1)].tolist()
        columns |= {"support": tree.n_rows[nodes], "confidence": shares.max(axis=1)}
    return nw.from_dict(columns, backend=_backend(backend)).to_native()


def _backend(name: Backend | None) -> Backend:
    if name is None:
        installed = (frame for frame in _FRAMES if importlib.util.find_spec(frame))
        return cast("Backend", next(installed))
    if name not in _FRAMES:
        raise ValueError(f"backend={name!r} must be one of {', '.join(_FRAMES)}")
    return name
