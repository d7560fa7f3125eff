"""Model files of format 1, which name classes by the module they stood in then.

Their description is translated to that of format 2. Certificates issued in their time know a model
by a fingerprint that hashed the same module paths; it is computed here from the file as it is.
Nothing in this module changes any more.
"""

import hashlib
import pickle
from collections.abc import Iterable, Sequence
from typing import Any, Self, cast

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from surelearn._stored import find_stored
from surelearn.persistence.names import StateError, find_class
from surelearn.persistence.state import restore

_NAMES = {
    "surelearn._jit.distances:Chebyshev": "chebyshev-metric",
    "surelearn._jit.distances:Euclidean": "euclidean-metric",
    "surelearn._jit.distances:Gower": "gower-metric",
    "surelearn._jit.distances:Manhattan": "manhattan-metric",
    "surelearn._jit.passive_steps:Rule": "passive-aggressive-rule",
    "surelearn.app.cut_back_tree:CutBackTree": "cut-back-tree",
    "surelearn.app.encoding:ColumnMoments": "column-moments",
    "surelearn.app.encoding:TableEncoder": "table-encoder",
    "surelearn.base.bayes_factors:CategoryFactors": "category-factors",
    "surelearn.base.bayes_factors:LogScores": "log-scores",
    "surelearn.base.bayes_factors:NormalFactors": "normal-factors",
    "surelearn.base.class_summary:ClassCounts": "class-counts",
    "surelearn.base.class_summary:ClassMoments": "class-moments",
    "surelearn.base.class_summary:ClassSummary": "class-summary",
    "surelearn.base.completion:EntryPredictor": "entry-predictor",
    "surelearn.base.completion:LowRank": "low-rank-matrix",
    "surelearn.base.mistake_record:MistakeRecord": "mistake-record",
    "surelearn.base.moments:Moments": "moments",
    "surelearn.base.neighbors.blocks:BlockIndex": "block-index",
    "surelearn.base.neighbors.blocks:TreeIndex": "tree-index",
    "surelearn.base.neighbors.product_index:ProductIndex": "product-index",
    "surelearn.base.neighbors.space:Space": "metric-space",
    "surelearn.base.neighbors.sparse_index:SparseIndex": "sparse-index",
    "surelearn.base.passive_aggressive_record:PassiveAggressiveRecord": "passive-aggressive-record",
    "surelearn.base.ridge_path:RidgePath": "ridge-path",
    "surelearn.base.row_reader:RowReader": "row-reader",
    "surelearn.base.trees.structure:Tree": "tree",
    "surelearn.base.triangular_factor:TriangularFactor": "triangular-factor",
    "surelearn.bounds._guarantee:Guarantee": "Guarantee",
    "surelearn.evaluate._linear_run:LinearModel": "linear-model",
    "surelearn.learners.linear.second_order_perceptron:SecondOrderRecord": "second-order-record",
    "surelearn.learners.mixtures._gaussians:Moments": "mixture-moments",
    "sklearn.compose._column_transformer:ColumnTransformer": "sklearn.compose.ColumnTransformer",
    "sklearn.impute._base:SimpleImputer": "sklearn.impute.SimpleImputer",
    "sklearn.pipeline:Pipeline": "sklearn.pipeline.Pipeline",
    "sklearn.preprocessing._data:StandardScaler": "sklearn.preprocessing.StandardScaler",
    "sklearn.preprocessing._encoders:OneHotEncoder": "sklearn.preprocessing.OneHotEncoder",
}
"""The stored names of the classes that were private, or are not ours."""

_FIELDS = {
    "log-scores": ("finite", "zeros"),
    "low-rank-matrix": ("left", "values", "right"),
    "passive-aggressive-rule": ("C", "limit", "softening", "constant", "epsilon"),
    "row-reader": ("n_features", "names"),
}
"""What named tuples held: files of format 1 have their values without names."""

_PUBLIC = ("impurities", "kernels", "losses")


def translate(described: Any) -> Any:
    """Return the description of a model of format 1 as format 2 would have it, without versions.

    Examples
    --------
    >>> translate({"$object": "surelearn.base.trees.structure:Tree", "state": {"depth": 1}})
    {'$object': 'tree', 'state': {'depth': 1}}
    >>> translate({"$tuple": [2, None], "class": "surelearn.base.row_reader:RowReader"})
    {'$record': 'row-reader', 'fields': {'n_features': 2, 'names': None}}
    """
    if isinstance(described, list):
        return [translate(value) for value in cast("list[Any]", described)]
    if not isinstance(described, dict):
        return described
    piece = {key: translate(value) for key, value in cast("dict[str, Any]", described).items()}
    if "$object" in piece:
        return {**piece, "$object": _stored_name(piece["$object"])}
    if "$tuple" in piece and "class" in piece:
        name = _stored_name(piece["class"])
        fields = zip(_FIELDS.get(name, ()), piece["$tuple"], strict=True)
        return {"$record": name, "fields": dict(fields)}
    return piece


def fingerprint(described: Any, arrays: Sequence[NDArray[Any]]) -> str:
    """Return the fingerprint by which certificates of its time know the model of a file.

    Examples
    --------
    >>> fingerprint([1, "a"], [])
    '661cf59d6380335d6dc0c9245a71719604241d22'
    """
    return _Hasher(arrays).add(described).hexdigest()


def _stored_name(path: str) -> str:
    """Return the stored name of a class by its place in the code that wrote format 1."""
    if path in _NAMES:
        return _NAMES[path]
    module, _, name = path.partition(":")
    package, *rest = module.split(".")
    if package == "surelearn" and rest and name.isidentifier():
        room = rest[0]
        candidates = [name, f"{room}.{name}"] if room in _PUBLIC else [name] * (room == "learners")
        for candidate in candidates:
            if find_stored(candidate) is not None:
                return candidate
        raise StateError(f"this version of surelearn has no {path!r}")
    raise StateError(f"{path!r} is not a class of this library")


class _Hasher:
    """SHA-256 over a description: the bytes that the code of its time made of the model itself."""

    def __init__(self, arrays: Sequence[NDArray[Any]]) -> None:
        self._arrays, self._digest = arrays, hashlib.sha256()

    def hexdigest(self) -> str:
        return self._digest.hexdigest()[:40]

    def add(self, described: Any) -> Self:
        """Hash what a piece of a description stands for."""
        if isinstance(described, list):
            self._text("<builtins.list>")
            self._all(cast("list[Any]", described))
            return self
        if not isinstance(described, dict):
            self._value(described)
            return self
        piece = cast("dict[str, Any]", described)
        if "$object" in piece:
            self._object(piece["$object"], piece["state"])
        elif "$dict" in piece:
            self._mapping(piece["$dict"])
        elif "$tuple" in piece:
            self._text(f"<{_dotted(piece.get('class', 'builtins:tuple'))}>")
            self._all(piece["$tuple"])
        elif "$objects" in piece:
            self._text(f"<numpy.ndarray>object{tuple(piece['shape'])}")
            self._all(piece["$objects"])
        else:  # it holds no object of ours
            self._value(restore(piece, self._arrays))
        return self

    def _object(self, path: str, state: dict[str, Any]) -> None:
        self._text(f"<{_dotted(path)}>")
        cls = find_class(_stored_name(path))
        if state or cast("Any", cls).__getstate__ is not object.__getstate__:
            self._mapping(list(state.items()))
            return
        # Without attributes it was what pickle would call to make it: the class, and no state.
        self._text(f"<builtins.tuple><{type(cls).__module__}.{type(cls).__qualname__}>")
        self._text(f"{_dotted(path)}<end><builtins.NoneType>None<end>")

    def _mapping(self, items: Sequence[Any]) -> None:
        self._text("<builtins.dict>")
        known = sorted(items, key=lambda item: repr(restore(item[0], self._arrays)))
        self._all(part for item in known for part in item)

    def _all(self, parts: Iterable[Any]) -> None:
        for part in parts:
            self.add(part)
        self._text("<end>")

    def _value(self, value: Any) -> None:
        """Hash a value of Python, NumPy or SciPy."""
        self._text(f"<{type(value).__module__}.{type(value).__qualname__}>")
        if isinstance(value, np.ndarray):
            self._array(cast("NDArray[Any]", value))
        elif isinstance(value, str | bytes | int | float | np.generic | None):
            self._text(repr(value))
        elif sparse.issparse(value):
            rows = cast("Any", value).tocsr().copy()
            rows.sum_duplicates()
            indices, starts = rows.indices.astype(np.int64), rows.indptr.astype(np.int64)
            self._values((rows.shape, rows.data, indices, starts))
        elif isinstance(value, tuple):
            self._values(cast("tuple[Any, ...]", value))
        elif isinstance(value, type):
            self._text(f"{value.__module__}.{value.__qualname__}")
        else:  # a slice, a type of array, an array of Python's
            self._values(value.__reduce_ex__(pickle.DEFAULT_PROTOCOL)[1:3])

    def _values(self, values: Iterable[Any]) -> None:
        for value in values:
            self._value(value)
        self._text("<end>")

    def _array(self, array: NDArray[Any]) -> None:
        self._text(f"{array.dtype}{array.shape}")
        if array.dtype.names:  # bytes between the fields are arbitrary
            self._values(array[name] for name in array.dtype.names)
        else:
            self._digest.update(np.ascontiguousarray(array).tobytes())

    def _text(self, text: str) -> None:
        self._digest.update(text.encode("utf-8", "surrogatepass"))


def _dotted(path: str) -> str:
    return path.replace(":", ".")
