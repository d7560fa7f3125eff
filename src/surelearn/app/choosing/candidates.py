"""The learners that are tried on a table, by its task and its size."""

from collections.abc import Callable, Collection, Sequence
from difflib import get_close_matches
from typing import Any

from sklearn.pipeline import Pipeline

from surelearn.app.choosing.foreign_learners import is_foreign, make_foreign
from surelearn.app.errors import TableError
from surelearn.app.problem.problem import Task
from surelearn.kernels import Gaussian
from surelearn.learners.bayes.mixed_naive_bayes import MixedNaiveBayes
from surelearn.learners.encoders.table_encoder import TableEncoder
from surelearn.learners.ensembles.gradient_boosting_classifier import GradientBoostingClassifier
from surelearn.learners.ensembles.gradient_boosting_regressor import GradientBoostingRegressor
from surelearn.learners.ensembles.random_forest_classifier import RandomForestClassifier
from surelearn.learners.ensembles.random_forest_regressor import RandomForestRegressor
from surelearn.learners.kernelized.kernel_ridge import KernelRidge
from surelearn.learners.kernelized.support_vector_classifier import SupportVectorClassifier
from surelearn.learners.kernelized.support_vector_regressor import SupportVectorRegressor
from surelearn.learners.linear.averaged_perceptron import AveragedPerceptron
from surelearn.learners.linear.logistic_regression import LogisticRegression
from surelearn.learners.linear.ridge_regression import RidgeRegression
from surelearn.learners.neighbors.nearest_neighbors_classifier import NearestNeighborsClassifier
from surelearn.learners.neighbors.nearest_neighbors_regressor import NearestNeighborsRegressor
from surelearn.learners.trees.c45_classifier import C45Classifier
from surelearn.learners.trees.cart_classifier import CARTClassifier
from surelearn.learners.trees.cart_regressor import CARTRegressor

_MOST_ROWS = {  # beyond which a search, a dual problem, a Gram matrix or a deep forest is slow
    "NearestNeighborsClassifier": 20_000,
    "NearestNeighborsRegressor": 20_000,
    "SupportVectorClassifier": 10_000,
    "SupportVectorRegressor": 10_000,
    "KernelRidge": 2_000,
    "RandomForestClassifier (leaves of 1 row)": 10_000,
    "RandomForestRegressor (leaves of 1 row)": 10_000,
}

ORDERED = frozenset(
    {
        *("LogisticRegression", "CARTClassifier", "CARTRegressor", "SupportVectorClassifier"),
        *("NearestNeighborsClassifier", "NearestNeighborsRegressor"),
    }
)
"""The learners whose settings grow from the first to the last, so that they have two edges."""

_PATIENT: dict[str, Any] = {
    "n_estimators": 1000,
    "early_stopping": True,
    "n_iter_no_change": 20,
    "random_state": 0,
}
# Of a thousandth of a nat in twenty rounds no error rate learns, and with many classes, each with a
# tree in every round, log losses go on falling by less for a thousand rounds.
_PATIENT_CLASSIFIER: dict[str, Any] = {**_PATIENT, "tol": 1e-3}

Maker = Callable[[], Any]
ScaledMaker = Callable[[float], Any]


def _encoded(learner: Any) -> Pipeline:
    return Pipeline([("encode", TableEncoder()), ("learn", learner)])


def _tube(price: float, spread: float) -> Pipeline:
    """Return a machine for targets of so large a spread: all its numbers are in their units."""
    machine = SupportVectorRegressor(C=price * spread, epsilon=0.1 * spread, tol=1e-3 * spread)
    return _encoded(machine)


def _smooth(gamma: float, alpha: float) -> Pipeline:
    return _encoded(KernelRidge(kernel=Gaussian(gamma=gamma), alpha=alpha))


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
    "RandomForestClassifier": {
        "leaves of 1 row": lambda: RandomForestClassifier(random_state=0),
        "leaves of 5 rows": lambda: RandomForestClassifier(min_samples_leaf=5, random_state=0),
    },
    "GradientBoostingClassifier": {
        "8 leaves": lambda: GradientBoostingClassifier(max_leaf_nodes=8),
        "31 leaves": GradientBoostingClassifier,
        "31 leaves, stopped early": lambda: GradientBoostingClassifier(**_PATIENT_CLASSIFIER),
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
    "RandomForestRegressor": {
        "leaves of 1 row": lambda: RandomForestRegressor(random_state=0),
        "leaves of 5 rows": lambda: RandomForestRegressor(min_samples_leaf=5, random_state=0),
    },
    "GradientBoostingRegressor": {
        "8 leaves": lambda: GradientBoostingRegressor(max_leaf_nodes=8),
        "31 leaves": GradientBoostingRegressor,
        "31 leaves, stopped early": lambda: GradientBoostingRegressor(**_PATIENT),
    },
    "NearestNeighborsRegressor": {
        "k = 1": lambda: _encoded(NearestNeighborsRegressor(n_neighbors=1)),
        "k = 5": lambda: _encoded(NearestNeighborsRegressor(n_neighbors=5)),
        "k = 25": lambda: _encoded(NearestNeighborsRegressor(n_neighbors=25)),
    },
    "KernelRidge": {
        "gamma = 0.01, alpha = 0.01": lambda: _smooth(0.01, 0.01),
        "gamma = 0.01, alpha = 0.1": lambda: _smooth(0.01, 0.1),
        "gamma = 0.1, alpha = 1": lambda: _smooth(0.1, 1.0),
    },
}
_SCALED_REGRESSORS: dict[str, dict[str, ScaledMaker]] = {
    "SupportVectorRegressor": {
        "C = 1 spread": lambda spread: _tube(1.0, spread),
        "C = 10 spreads": lambda spread: _tube(10.0, spread),
    },
}
FIRST_LEARNERS = frozenset(
    {
        *("LogisticRegression", "C45Classifier", "CARTClassifier", "MixedNaiveBayes"),
        *("AveragedPerceptron", "NearestNeighborsClassifier"),
        *("RidgeRegression", "CARTRegressor", "NearestNeighborsRegressor"),
    }
)
"""The learners that runs tried whose certificates have the schemas 1 and 2."""

SECOND_LEARNERS = FIRST_LEARNERS | {
    *("SupportVectorClassifier", "SupportVectorRegressor", "KernelRidge")
}
"""The learners that runs tried before ensembles, whose certificates do not say which they tried."""


def find_candidates(
    task: Task,
    *,
    n_rows: int,
    names: Sequence[str] = (),
    among: Collection[str] | None = None,
    spread: float = 1.0,
) -> dict[str, dict[str, Any]]:
    """Return the learners to try, each with a few settings and ready for a mixed table.

    Parameters
    ----------
    task
        "binary", "multiclass" or "regression".
    n_rows
        The number of training rows; with many, slow learners are left out unless named.
    names
        The learners asked for; all that fit the task if there are none.
    among
        Where nobody asked for some: leave out all others.
    spread
        How far apart targets of a regression are, in their units.

    Examples
    --------
    >>> found = find_candidates("regression", n_rows=100, names=["CARTRegressor"])
    >>> list(found["CARTRegressor"])
    ['16 leaves', '64 leaves', '256 leaves']
    """
    check_learners(names, task)
    known = [name for name in _known(task) if among is None or name in among]
    found = {name: _settings(name, task, spread) for name in names or known}
    return found if names else _quick(found, n_rows)


def _quick(candidates: dict[str, dict[str, Any]], n_rows: int) -> dict[str, dict[str, Any]]:
    """Return the learners, and their settings, that so many rows are not too many for."""

    def can(name: str) -> bool:
        return n_rows <= _MOST_ROWS.get(name, n_rows)

    return {
        name: {setting: model for setting, model in own.items() if can(f"{name} ({setting})")}
        for name, own in candidates.items()
        if can(name)
    }


def skipped(task: Task, *, n_rows: int, found: Collection[str]) -> dict[str, str]:
    """Return the learners for a task that were not tried because there are too many rows.

    Parameters
    ----------
    task, n_rows
        As for `find_candidates`.
    found
        The learners that were tried.

    Examples
    --------
    >>> skipped("regression", n_rows=5000, found=["RidgeRegression"])
    {'KernelRidge': 'too slow beyond 2,000 training rows, and there are 5,000'}
    """
    return {
        name: f"too slow beyond {most:,} training rows, and there are {n_rows:,}"
        for name, most in _MOST_ROWS.items()
        if n_rows > most and name.partition(" (")[0] in _known(task) and name not in found
    }


def _known(task: Task) -> list[str]:
    return [*_REGRESSORS, *_SCALED_REGRESSORS] if task == "regression" else list(_CLASSIFIERS)


def _settings(name: str, task: Task, spread: float) -> dict[str, Any]:
    if is_foreign(name):
        return {"": make_foreign(name, task)}
    if name in _SCALED_REGRESSORS:
        return {setting: make(spread) for setting, make in _SCALED_REGRESSORS[name].items()}
    known = _REGRESSORS if task == "regression" else _CLASSIFIERS
    return {setting: make() for setting, make in known[name].items()}


def check_learners(names: Sequence[str], task: Task) -> None:
    """Refuse a learner that is not there for the task, with the nearest name."""
    known = _known(task)
    for name in names:
        if name not in known and not is_foreign(name):
            near = get_close_matches(name, known, n=1)
            hint = f"did you mean {near[0]}?" if near else f"there are {', '.join(known)}."
            kind = "regression" if task == "regression" else "classification"
            other = "Those of other libraries are named module:Class"
            raise TableError(f"there is no learner {name!r} for {kind}; {hint} {other}")
