"""The learners that are tried on a table, by its task and its size."""

from collections.abc import Callable, Sequence
from difflib import get_close_matches
from typing import Any

from sklearn.pipeline import Pipeline

from surelearn.app.errors import TableError
from surelearn.app.problem.problem import Task
from surelearn.learners.bayes.mixed_naive_bayes import MixedNaiveBayes
from surelearn.learners.encoders.table_encoder import TableEncoder
from surelearn.learners.kernelized.support_vector_classifier import SupportVectorClassifier
from surelearn.learners.linear.averaged_perceptron import AveragedPerceptron
from surelearn.learners.linear.logistic_regression import LogisticRegression
from surelearn.learners.linear.ridge_regression import RidgeRegression
from surelearn.learners.neighbors.nearest_neighbors_classifier import NearestNeighborsClassifier
from surelearn.learners.neighbors.nearest_neighbors_regressor import NearestNeighborsRegressor
from surelearn.learners.trees.c45_classifier import C45Classifier
from surelearn.learners.trees.cart_classifier import CARTClassifier
from surelearn.learners.trees.cart_regressor import CARTRegressor

_MOST_TO_SEARCH = 20_000  # rows; beyond, a nearest-neighbour search costs minutes

Maker = Callable[[], Any]


def _encoded(learner: Any) -> Pipeline:
    return Pipeline([("encode", TableEncoder()), ("learn", learner)])


_CLASSIFIERS: dict[str, dict[str, Maker]] = {
    "LogisticRegression": {
        "C = 0.01": lambda: _encoded(LogisticRegression(C=0.01)),
        "C = 0.1": lambda: _encoded(LogisticRegression(C=0.1)),
        "C = 1": lambda: _encoded(LogisticRegression(C=1.0)),
        "C = 10": lambda: _encoded(LogisticRegression(C=10.0)),
    },
    "C45Classifier": {
        "confidence = 0.05": lambda: C45Classifier(confidence=0.05),
        "confidence = 0.25": lambda: C45Classifier(confidence=0.25),
    },
    "CARTClassifier": {
        "8 leaves": lambda: CARTClassifier(max_leaf_nodes=8, min_samples_leaf=5),
        "32 leaves": lambda: CARTClassifier(max_leaf_nodes=32, min_samples_leaf=5),
        "128 leaves": lambda: CARTClassifier(max_leaf_nodes=128, min_samples_leaf=5),
    },
    "MixedNaiveBayes": {"": MixedNaiveBayes},
    "AveragedPerceptron": {"": lambda: _encoded(AveragedPerceptron(max_iter=10))},
    "NearestNeighborsClassifier": {
        "k = 1": lambda: _encoded(NearestNeighborsClassifier(n_neighbors=1)),
        "k = 5": lambda: _encoded(NearestNeighborsClassifier(n_neighbors=5)),
        "k = 25": lambda: _encoded(NearestNeighborsClassifier(n_neighbors=25)),
    },
    "SupportVectorClassifier": {
        "C = 1": lambda: _encoded(SupportVectorClassifier(C=1.0)),
        "C = 10": lambda: _encoded(SupportVectorClassifier(C=10.0)),
        "C = 100": lambda: _encoded(SupportVectorClassifier(C=100.0)),
    },
}
_REGRESSORS: dict[str, dict[str, Maker]] = {
    "RidgeRegression": {
        "alpha = 1": lambda: _encoded(RidgeRegression(alpha=1.0)),
        "alpha = 100": lambda: _encoded(RidgeRegression(alpha=100.0)),
    },
    "CARTRegressor": {
        "16 leaves": lambda: CARTRegressor(max_leaf_nodes=16, min_samples_leaf=5),
        "64 leaves": lambda: CARTRegressor(max_leaf_nodes=64, min_samples_leaf=5),
        "256 leaves": lambda: CARTRegressor(max_leaf_nodes=256, min_samples_leaf=5),
    },
    "NearestNeighborsRegressor": {
        "k = 1": lambda: _encoded(NearestNeighborsRegressor(n_neighbors=1)),
        "k = 5": lambda: _encoded(NearestNeighborsRegressor(n_neighbors=5)),
        "k = 25": lambda: _encoded(NearestNeighborsRegressor(n_neighbors=25)),
    },
}


def find_candidates(
    task: Task, *, n_rows: int, names: Sequence[str] = ()
) -> dict[str, dict[str, Any]]:
    """Return the learners to try, each with a few settings and ready for a mixed table.

    Parameters
    ----------
    task
        "binary", "multiclass" or "regression".
    n_rows
        The number of training rows; with many, nearest neighbours are left out unless named.
    names
        The learners asked for; all that fit the task if there are none.

    Examples
    --------
    >>> found = find_candidates("regression", n_rows=100, names=["CARTRegressor"])
    >>> list(found["CARTRegressor"])
    ['16 leaves', '64 leaves', '256 leaves']
    """
    known = _REGRESSORS if task == "regression" else _CLASSIFIERS
    check_learners(names, task)
    large = n_rows > _MOST_TO_SEARCH
    chosen = names or [
        name for name in known if not (large and name.startswith("NearestNeighbors"))
    ]
    return {name: {setting: make() for setting, make in known[name].items()} for name in chosen}


def check_learners(names: Sequence[str], task: Task) -> None:
    """Refuse a learner that is not there for the task, with the nearest name."""
    known = _REGRESSORS if task == "regression" else _CLASSIFIERS
    for name in names:
        if name not in known:
            near = get_close_matches(name, known, n=1)
            hint = f"did you mean {near[0]}?" if near else f"there are {', '.join(known)}"
            kind = "regression" if task == "regression" else "classification"
            raise TableError(f"there is no learner {name!r} for {kind}; {hint}")
