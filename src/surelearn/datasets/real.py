"""The real tables that scikit-learn ships: no download, no network."""

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray
from sklearn import datasets

from surelearn._typing import Matrix

_LOADERS = {
    "breast_cancer": datasets.load_breast_cancer,
    "diabetes": datasets.load_diabetes,
    "digits": datasets.load_digits,
    "iris": datasets.load_iris,
    "wine": datasets.load_wine,
}


@dataclass(frozen=True, eq=False)
class Table:
    """Rows, labels and names of a real data set.

    Examples
    --------
    >>> table = load("iris")
    >>> table.X.shape, sorted(set(table.y.tolist()))
    ((150, 4), ['setosa', 'versicolor', 'virginica'])
    """

    name: str
    X: Matrix
    y: NDArray[Any]
    feature_names: tuple[str, ...]
    task: Literal["classification", "regression"]


def load(name: str) -> Table:
    """Return a data set by its name; classes carry their names as labels.

    Examples
    --------
    >>> load("breast_cancer").y[:3].tolist()
    ['malignant', 'malignant', 'malignant']
    """
    if name not in _LOADERS:
        raise ValueError(f"unknown data set {name!r}; there are {', '.join(sorted(_LOADERS))}")
    bunch: Any = _LOADERS[name]()
    names = getattr(bunch, "target_names", None)
    X = np.asarray(bunch.data, dtype=np.float64)
    features = tuple(str(f) for f in bunch.feature_names)
    if names is None:
        return Table(name, X, np.asarray(bunch.target, dtype=np.float64), features, "regression")
    labels = np.asarray([str(n) for n in names])[bunch.target]
    return Table(name, X, labels, features, "classification")
