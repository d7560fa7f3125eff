"""The learners that are tried on a table, by its task and its size."""

from collections.abc import Callable, Sequence
from difflib import get_close_matches
from typing import Any

from sklearn.pipeline import Pipeline

from surelearn.app._notes import TableError
from surelearn.app.encoding import TableEncoder
from surelearn.app.profile import Task
from surelearn.learners.bayes.mixed_naive_bayes import MixedNaiveBayes
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


_CLASSIFIERS: dict[str, Maker] = {
    "LogisticRegression": lambda: _encoded(LogisticRegression()),
    "C45Classifier": C45Classifier,
    "CARTClassifier": lambda: CARTClassifier(max_leaf_nodes=16),
    "MixedNaiveBayes": MixedNaiveBayes,
    "AveragedPerceptron": lambda: _encoded(AveragedPerceptron(max_iter=10)),
    "NearestNeighborsClassifier": lambda: _encoded(NearestNeighborsClassifier(n_neighbors=15)),
}
_REGRESSORS: dict[str, Maker] = {
    "RidgeRegression": lambda: _encoded(RidgeRegression()),
    "CARTRegressor": lambda: CARTRegressor(max_leaf_nodes=64),
    "NearestNeighborsRegressor": lambda: _encoded(NearestNeighborsRegressor(n_neighbors=15)),
}


def find_candidates(task: Task, *, n_rows: int, names: Sequence[str] = ()) -> dict[str, Any]:
    """Return the learners to try, each ready for a mixed table with missing cells.

    Parameters
    ----------
    task
        "binary", "multiclass" or "regression".
    n_rows
        The number of training rows; with many, nearest neighbours are left out.
    names
        The learners asked for; all that fit the task if there are none.

    Examples
    --------
    >>> list(find_candidates("regression", n_rows=100_000))
    ['RidgeRegression', 'CARTRegressor']
    """
    known = _REGRESSORS if task == "regression" else _CLASSIFIERS
    for name in names:
        if name not in known:
            near = get_close_matches(name, known, n=1)
            hint = f"; did you mean {near[0]}?" if near else ""
            raise TableError(f"no learner {name!r} for {task} ({', '.join(known)}){hint}")
    if names:
        return {name: known[name]() for name in names}
    large = n_rows > _MOST_TO_SEARCH
    return {
        name: make()
        for name, make in known.items()
        if not (large and name.startswith("NearestNeighbors"))
    }
